//! What is asked before a recipe is saved or applied.

use super::super::app::App;
use crate::document::TakeId;
use crate::message::{Message, message};
use crate::session::{Severity, Shown};

/// Asks where the stages of take `id`, or of the shown one, shall be kept; says so where they make no recipe.
pub fn ask_save(app: &mut App, id: Option<TakeId>) {
    let shown = if let Shown::Take(shown) = app.session.selection.shown { Some(shown) } else { None };
    let fits = id.or(shown).ok_or_else(no_take).and_then(|id| app.session.opened().may_be_recipe(id).map(|()| id));
    match fits {
        Ok(id) => {
            let name = app.session.document.take(id).map(|take| take.name.replace(['/', '\\'], "_"));
            app.dialogs.files.ask_save_recipe(id, &name.unwrap_or_default());
        }
        Err(reason) => app.session.notices.say(Severity::Info, reason),
    }
}

/// Asks for the recipe that the clips that are chosen in the library shall get.
pub fn ask_apply(app: &mut App) {
    if app.session.clips.chosen.is_empty() {
        app.session.notices.say(Severity::Info, no_clips());
    } else {
        app.dialogs.files.ask_recipe();
    }
}

fn no_take() -> Message {
    message!("notice.no_take_for_recipe", "No take is shown. Choose the one whose stages shall be a recipe.")
}

fn no_clips() -> Message {
    message!(
        "notice.no_clips_for_recipe",
        "No clips are chosen. List a folder of clips in the library and choose those that shall get the recipe."
    )
}
