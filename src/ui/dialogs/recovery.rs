//! Recovery dialog for work that was not saved when a window closed.

use std::time::Duration;

use egui::{ColorImage, ScrollArea, TextureHandle, TextureOptions, Vec2};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::{focus, theme, widgets};
use portamento_session::{Command, FileCommand, RecoverableWork, Session, fault_report};

/// Listed entries while the dialog is open.
#[derive(Default)]
pub struct Recovery(Option<Vec<Row>>);

struct Row {
    work: RecoverableWork,
    picture: Option<TextureHandle>,
}

/// User choice in the dialog.
enum Answer {
    Open(usize),
    Discard(usize),
    Close,
}

/// Maximum size of a preview image, points.
const PREVIEW_SIZE: Vec2 = Vec2::new(160.0, 100.0);

impl std::fmt::Debug for Recovery {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "Recovery({} rows)", self.0.as_ref().map_or(0, Vec::len))
    }
}

impl Recovery {
    /// True while the dialog is open.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Lists recoverable work. Opens the dialog if there is any, or if `always`.
    pub fn open(&mut self, ctx: &egui::Context, session: &Session, always: bool) {
        let row = |work: RecoverableWork| Row { picture: picture(ctx, &work), work };
        let rows: Vec<Row> = session.project.recoverable().into_iter().map(row).collect();
        self.0 = (always || !rows.is_empty()).then_some(rows);
    }
}

/// Draws the list of unsaved work. Each entry can be opened or discarded.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(rows) = &app.dialogs.recovery.0 else { return };
    let [title, text, leave] = match rows.is_empty() {
        true => ["nothing_to_recover", "recovery.none", "dialog.close"],
        false => ["recovery", "recovery.text", "recovery.later"],
    };
    let (answer, close) = window(ctx, title, 560.0, |ui| {
        ui.add(egui::Label::new(tr(text)).wrap());
        if let Some(report) = report(&app.session, rows) {
            ui.add(egui::Label::new(tr_with("recovery.report", &[("file", report)])).wrap());
        }
        let listed = ScrollArea::vertical().auto_shrink([false, true]).max_height(420.0).show(ui, |ui| {
            let answers =
                rows.iter().enumerate().map(|(index, row)| ui.push_id(index, |ui| row_ui(ui, index, row)).inner);
            let answer = answers.fold(None, |all: Option<Answer>, one| all.or(one));
            focus::scroll_to_focus(ui);
            answer
        });
        let later = buttons(ui, |ui| ui.button(tr(leave)).clicked().then_some(Answer::Close));
        listed.inner.or(later)
    });
    match answer.or(close.then_some(Answer::Close)) {
        Some(Answer::Open(index)) => {
            let path = rows[index].work.path.clone();
            app.dialogs.recovery.0 = None;
            app.perform(Command::File(FileCommand::Open(vec![path])));
        }
        Some(Answer::Discard(index)) => {
            let work = rows[index].work.clone();
            app.session.perform(Command::File(FileCommand::DiscardRecovery(work)));
            app.dialogs.recovery.open(ctx, &app.session, false);
        }
        // Nothing is deleted. The list appears again at the next start or from the File menu.
        Some(Answer::Close) => app.dialogs.recovery.0 = None,
        None => {}
    }
}

/// Returns the path of the crash report that belongs to the first listed work, which is the newest; `None` if there is none.
fn report(session: &Session, rows: &[Row]) -> Option<String> {
    let report = fault_report::newest(session.project.recovery_folder()?, rows.first()?.work.written)?;
    Some(report.display().to_string())
}

/// Draws one recoverable project with its picture, age and size. Returns the button that was clicked.
fn row_ui(ui: &mut egui::Ui, index: usize, row: &Row) -> Option<Answer> {
    let mut answer = None;
    ui.horizontal(|ui| {
        if let Some(picture) = &row.picture {
            ui.add(egui::Image::new(picture).max_size(PREVIEW_SIZE));
        }
        ui.vertical(|ui| {
            let name = row.work.project.as_ref().map(|project| project.display().to_string());
            ui.add(egui::Label::new(name.unwrap_or_else(|| tr("recovery.untitled"))).wrap());
            widgets::caption(ui, written(row.work.written.elapsed().unwrap_or_default()));
            widgets::caption(ui, tr_with("recovery.size", &[("size", row.work.bytes.div_ceil(1000).to_string())]));
            ui.horizontal(|ui| {
                // The newest entry is the most likely choice.
                let opens = match index {
                    0 => widgets::main_button(ui, &tr("recovery.open")),
                    _ => ui.button(tr("recovery.open")),
                };
                if opens.clicked() {
                    answer = Some(Answer::Open(index));
                }
                if ui.button(tr("recovery.discard")).clicked() {
                    answer = Some(Answer::Discard(index));
                }
            });
        });
    });
    ui.add_space(theme::GAP_MEDIUM);
    answer
}

/// Loads the picture of recoverable work as a texture; `None` if it has none or it cannot be read.
fn picture(ctx: &egui::Context, work: &RecoverableWork) -> Option<TextureHandle> {
    let bytes = portamento_base::regular_file::all(work.picture.as_ref()?).ok()?;
    let image = image::load_from_memory(&bytes).ok()?.to_rgba8();
    let size = [image.width() as usize, image.height() as usize];
    let picture = ColorImage::from_rgba_unmultiplied(size, &image);
    Some(ctx.load_texture("recovery", picture, TextureOptions::LINEAR))
}

/// Returns the age as text in full days, hours or minutes, or “now” below a minute.
fn written(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    let (key, count) = match minutes {
        0 => return tr("recovery.now"),
        1..60 => ("recovery.minutes", minutes),
        60..1440 => ("recovery.hours", minutes / 60),
        _ => ("recovery.days", minutes / 1440),
    };
    tr_with(key, &[("count", count.to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n;

    #[test]
    fn ages_use_singular_and_plural() {
        i18n::use_language("en");
        let ago = |minutes: u64| written(Duration::from_secs(minutes * 60 + 59));
        assert_eq!(ago(0), "Saved less than a minute ago");
        assert_eq!((ago(1), ago(2)), ("Saved 1 minute ago".into(), "Saved 2 minutes ago".into()));
        assert_eq!((ago(60), ago(1439)), ("Saved 1 hour ago".into(), "Saved 23 hours ago".into()));
        assert_eq!((ago(1440), ago(4320)), ("Saved 1 day ago".into(), "Saved 3 days ago".into()));
    }
}
