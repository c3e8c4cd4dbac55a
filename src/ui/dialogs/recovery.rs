//! Work that was not saved when the program ended.

use std::path::Path;
use std::time::Duration;

use super::{buttons, window};
use crate::session::{Command, FileCommand};
use crate::ui::app::App;
use crate::ui::i18n::{tr, tr_with};
use crate::ui::widgets;

/// Offers the autosave.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(path) = app.dialogs.recovery.clone() else { return };
    let (answer, close) = window(ctx, "recovery", 460.0, |ui| {
        ui.add(egui::Label::new(tr("recovery.text")).wrap());
        widgets::caption(ui, tr_with("recovery.where", &[("path", path.display().to_string())]));
        widgets::caption(ui, written(age(&path)));
        buttons(ui, |ui| {
            let recover = widgets::main_button(ui, &tr("recovery.open")).clicked().then_some(true);
            let drop = ui.button(tr("recovery.later")).clicked().then_some(false);
            recover.or(drop)
        })
    });
    match answer.or(close.then_some(false)) {
        Some(true) => {
            app.dialogs.recovery = None;
            app.session.perform(Command::File(FileCommand::Open(vec![path])));
        }
        Some(false) => {
            app.dialogs.recovery = None;
            app.dialogs.recovery_later = true;
        }
        None => {}
    }
}

fn age(path: &Path) -> Duration {
    let changed = std::fs::metadata(path).and_then(|data| data.modified()).ok();
    changed.and_then(|changed| changed.elapsed().ok()).unwrap_or_default()
}

/// How long ago it was written, in the largest unit that has passed.
fn written(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    let (unit, count) = match minutes {
        0 => return tr("recovery.now"),
        1..60 => ("minute", minutes),
        60..1440 => ("hour", minutes / 60),
        _ => ("day", minutes / 1440),
    };
    match count {
        1 => tr(&format!("recovery.{unit}")),
        _ => tr_with(&format!("recovery.{unit}s"), &[("count", count.to_string())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let _words = crate::ui::tests::words("en");
        let ago = |minutes: u64| written(Duration::from_secs(minutes * 60 + 59));
        assert_eq!(ago(0), "Written less than a minute ago");
        assert_eq!((ago(1), ago(2)), ("Written a minute ago".into(), "Written 2 minutes ago".into()));
        assert_eq!((ago(60), ago(1439)), ("Written an hour ago".into(), "Written 23 hours ago".into()));
        assert_eq!((ago(1440), ago(4320)), ("Written a day ago".into(), "Written 3 days ago".into()));
    }
}
