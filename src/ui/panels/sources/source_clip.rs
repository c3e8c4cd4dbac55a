//! Source clip of a take.

use egui::Ui;

use crate::panels::blend::{choices, clip_choice};
use crate::widgets::form;
use portamento_session::Session;
use portamento_takes::document::{TakeId, TakeSource};

/// Draws the clip choice of take `id` if its source is a clip. A clip of another file also changes the file.
pub(crate) fn source_clip_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let clips = choices(session, id);
    let Some(take) = session.document.take_mut(id) else { return };
    let TakeSource::Clip { file, clip } = &mut take.source else { return };
    let (before, mut files) = (clip.clone(), Vec::new());
    form::row(ui, "source_clip", |ui| clip_choice(ui, "source_clip", clip, &mut files, &clips));
    if *clip != before {
        *file = files.first().copied().unwrap_or(take.character);
    }
}
