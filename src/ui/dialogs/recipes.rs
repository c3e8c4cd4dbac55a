//! File dialogs that save or apply a recipe.

use super::super::app::App;
use portamento_base::message::{Message, message};
use portamento_session::{Severity, Shown};
use portamento_takes::document::TakeId;

/// Asks where to save the stages of take `id`, or of the shown take if `None`. Reports the reason if no take is shown or its
/// stages cannot be a recipe.
pub fn ask_save(app: &mut App, id: Option<TakeId>) {
    let shown = if let Shown::Take(shown) = app.session.selection.shown { Some(shown) } else { None };
    let fits = id.or(shown).ok_or_else(no_take).and_then(|id| app.session.opened().may_be_recipe(id).map(|()| id));
    match fits {
        Ok(id) => {
            let name = app.session.document.take(id).map(|take| take.name.replace(['/', '\\'], "_"));
            app.dialogs.files.ask_save_recipe(id, &name.unwrap_or_default());
        }
        Err(reason) => app.session.notices.add(Severity::Info, reason),
    }
}

/// Asks for the recipe to apply to the clips selected in the library. Reports it if none is selected.
pub fn ask_apply(app: &mut App) {
    if app.session.clips.chosen.is_empty() {
        app.session.notices.add(Severity::Info, no_clips());
    } else {
        app.dialogs.files.ask_recipe();
    }
}

fn no_take() -> Message {
    message!("notice.no_take_for_recipe", "No take is shown. Select the take whose stages should become a recipe.")
}

/// Returns the error that no clips are selected for the recipe.
fn no_clips() -> Message {
    message!(
        "notice.no_clips_for_recipe",
        "No clips are selected. Open a clip folder in the library and select the clips for the recipe."
    )
}
