//! Properties of the shown item: unit, name, hidden meshes.

use glam::Vec3;

use crate::i18n::{tr, tr_with};
use portamento_dynamics::cloth;
use portamento_session::{Session, Shown};
use portamento_takes::document::TakeSource;
use portamento_takes::evaluate::{FrameContent, Ghost, overlay};

/// Returns the ends of the pole or rail that the cloth `shown` hangs from, in its unit. `None` if it is no cloth, has painted
/// pins, or needs none.
pub fn pole(session: &Session, shown: &Shown) -> Option<[Vec3; 2]> {
    let cloth = cloth(session, shown)?;
    if !cloth.pins.is_empty() {
        return None;
    }
    let (top, width) = (cloth.top as f32, cloth.width as f32);
    match cloth.shape {
        cloth::ClothShape::Flag => Some([Vec3::ZERO, Vec3::Y * (top + 0.05)]),
        cloth::ClothShape::Strip => Some([Vec3::new(0.0, top, 0.0), Vec3::new(width, top, 0.0)]),
        cloth::ClothShape::Cape | cloth::ClothShape::Mesh => None,
    }
}

/// Returns the settings of the shown cloth; `None` if no take with a cloth source is shown.
fn cloth<'s>(session: &'s Session, shown: &Shown) -> Option<&'s cloth::Settings> {
    let Shown::Take(id) = shown else { return None };
    let TakeSource::Cloth(cloth) = &session.document.take(*id)?.source else { return None };
    Some(cloth)
}

/// Returns the metres per unit of the shown character's file, which is the scene unit; 1 if nothing is shown.
pub fn metres_per_unit(session: &Session) -> f64 {
    let file = session.selection.shown.character(&session.document);
    file.and_then(|id| session.document.file(id)).map_or(1.0, |file| file.metres_per_unit)
}

/// Returns the indices of the hidden mesh instances of the character of `shown`. A cloth is always visible.
pub fn hidden(session: &Session, shown: &Shown) -> Vec<usize> {
    if cloth(session, shown).is_some() {
        return Vec::new();
    }
    let file = shown.character(&session.document);
    session.selection.hidden.iter().filter(|(id, _)| Some(*id) == file).map(|(_, instance)| *instance).collect()
}

/// Returns the motion before the open stage at the playhead; `None` if no posed take with an open stage is shown.
pub fn before_stage(session: &Session) -> Option<Ghost> {
    let frame = session.frame().filter(|frame| frame.content == FrameContent::Posed)?;
    let Shown::Take(id) = session.selection.shown else { return None };
    let index = session.document.take(id)?.active_stages_before(session.selection.open_stage(&session.document)?);
    Some(overlay::before_stage(frame.built.as_ref()?, index, frame.time))
}

/// Returns the name of the shown item, with the stage if the motion before it is shown.
pub fn shown_name(session: &Session) -> String {
    let name = name(session, &session.selection.shown);
    let open = session.selection.open_stage(&session.document).filter(|_| session.playback.is_before_stage());
    let stage = open.and_then(|open| session.shown_take()?.stage(open).map(|stage| stage.kind.name()));
    match stage {
        Some(stage) => tr_with("viewport.before", &[("take", name), ("stage", tr(&format!("stage.{stage}")))]),
        None => name,
    }
}

/// Returns the name of a clip, take or file. Empty for nothing, or if it does not exist.
pub fn name(session: &Session, shown: &Shown) -> String {
    match shown {
        Shown::Nothing => String::new(),
        Shown::File(id) => session.library.get(*id).map(|loaded| loaded.model.name.clone()).unwrap_or_default(),
        Shown::Clip { clip, .. } => clip.clone(),
        Shown::Take(id) => session.document.take(*id).map(|take| take.name.clone()).unwrap_or_default(),
    }
}
