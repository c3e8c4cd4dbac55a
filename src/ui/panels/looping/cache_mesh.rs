//! Mesh assignment of a point cache without faces.

use egui::{RichText, Ui};

use crate::i18n::tr;
use crate::theme;
use crate::widgets::form;
use portamento_session::Session;
use portamento_takes::document::{FileId, TakeId, TakeSource};

/// Draws the mesh choice of take `id` if its source is a cache without faces, or a warning if no open mesh matches. Reset chooses
/// the first matching mesh.
pub fn mesh_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(TakeSource::Vertices(source)) = session.document.take(id).map(|take| take.source.clone()) else { return };
    if source.clip.is_some() || !session.opened().lacks_faces(source.file) {
        return;
    }
    let meshes = session.opened().meshes_for(source.file);
    if meshes.is_empty() {
        return missing(ui);
    }
    let mut chosen = source.mesh;
    let named = meshes.into_iter().filter_map(|mesh| {
        let path = &session.document.file(mesh)?.path;
        Some((Some(mesh), path.file_name()?.to_string_lossy().into_owned()))
    });
    let choices: Vec<(Option<FileId>, String)> = std::iter::once((None, tr("cache.points"))).chain(named).collect();
    let reset = form::row(ui, "cache_mesh", |ui| {
        form::choice(ui, "cache_mesh", &mut chosen, &choices);
    });
    let chosen = if reset { choices.get(1).and_then(|(mesh, _)| *mesh) } else { chosen };
    if let Some(TakeSource::Vertices(source)) = session.document.take_mut(id).map(|take| &mut take.source) {
        source.mesh = chosen;
    }
}

/// Draws a hint if `file` is a cache without faces and no open mesh matches.
pub fn missing_ui(ui: &mut Ui, session: &Session, file: FileId) {
    if session.opened().lacks_faces(file) && session.opened().meshes_for(file).is_empty() {
        missing(ui);
    }
}

/// Draws the warning that the cache has no mesh.
fn missing(ui: &mut Ui) {
    let color = theme::of(ui).warning;
    ui.add(egui::Label::new(RichText::new(tr("cache.no_mesh")).font(theme::caption()).color(color)).wrap());
}
