//! Frames without joints as the start of a take.

use std::sync::Arc;

use super::TakeError;
use super::inputs::Inputs;
use crate::anim::{Clip, Footage, Model};
use crate::document::Loaded;
use crate::document::take::Vertices;
use crate::media::{SheetGrid, VertexClip};
use crate::progress::Progress;
use crate::systems::cloth::{self, BuildError, ClothClip, ClothMesh};

/// The cache of the first of `inputs.clip_files`, or its clip played into one, with the faces of the second where it has none.
pub(super) fn vertices(inputs: &Inputs, vertices: &Vertices, progress: &Progress) -> Result<Footage, TakeError> {
    let rate = rate(vertices.fps)?;
    let file = &inputs.clip_files[0];
    let clip = match (&vertices.clip, &file.footage) {
        (Some(name), _) => {
            let (clip, _) = super::source::find(inputs, name)?;
            let fps = rate.unwrap_or_else(|| clip.fps());
            Arc::new(file.model.to_vertex_clip(&clip, fps, progress)?)
        }
        (None, Some(Footage::Vertices(clip))) => at_rate(clip, rate),
        (None, _) => {
            return Err(wrong(file, "vertex cache", "an MDD, PC2 or OBJ sequence, or a clip of a model"));
        }
    };
    let Some(mesh) = inputs.clip_files.get(1) else { return Ok(Footage::Vertices(clip)) };
    let (points, faces) = faces(mesh);
    if points != clip.vertices {
        return Err(TakeError::OtherMesh { cache: clip.name.clone(), points: clip.vertices, mesh: points });
    }
    Ok(Footage::Vertices(Arc::new(VertexClip::clone(&clip).with_faces(faces)?)))
}

/// The images of the first of `inputs.clip_files`, or the frames on them where `sheet` says how they lie there.
pub(super) fn images(inputs: &Inputs, fps: Option<f64>, sheet: Option<&SheetGrid>) -> Result<Footage, TakeError> {
    let file = &inputs.clip_files[0];
    let Some(Footage::Images(clip)) = &file.footage else {
        return Err(wrong(file, "images", "numbered images, a GIF, APNG or WebP"));
    };
    let mut clip = sheet.map_or_else(|| Ok(clip.clone()), |grid| grid.cut(clip))?;
    clip.info.fps = rate(fps)?.unwrap_or(clip.info.fps);
    Ok(Footage::Images(clip))
}

/// The cloth of `settings`; where a mesh is chosen, that of the first of `inputs.clip_files` hangs as it rests, and is given too.
pub(super) fn cloth(
    inputs: &Inputs,
    settings: &cloth::Settings,
    progress: &Progress,
) -> Result<(ClothClip, Option<Model>), TakeError> {
    let Some(file) = inputs.clip_files.first() else {
        return Ok((cloth::build(settings, None, progress)?, None));
    };
    let model = placed(&file.model, settings.instance).ok_or(BuildError::NoMesh)?;
    let name = match model.instances[..] {
        [only] => model.meshes[only.mesh].name.clone(),
        _ => model.name.clone(),
    };
    let rest = Clip { name, ..Clip::default() };
    let rest = model.to_vertex_clip(&rest, settings.fps, progress)?;
    let metres_per_unit = inputs.metres_per_unit;
    let mesh = ClothMesh { name: &rest.name, points: &rest.positions, faces: &rest.faces, metres_per_unit };
    Ok((cloth::build(settings, Some(&mesh), progress)?, Some(model)))
}

/// `model` with only that one of its placed meshes, or all.
fn placed(model: &Model, instance: Option<usize>) -> Option<Model> {
    let instances = match instance {
        Some(instance) => vec![*model.instances.get(instance)?],
        None => model.instances.clone(),
    };
    Some(Model { instances, ..model.clone() })
}

fn rate(fps: Option<f64>) -> Result<Option<f64>, TakeError> {
    match fps {
        Some(fps) if !(1.0..=1000.0).contains(&fps) => Err(TakeError::BadRate(fps)),
        fps => Ok(fps),
    }
}

fn at_rate(clip: &Arc<VertexClip>, fps: Option<f64>) -> Arc<VertexClip> {
    match fps {
        Some(fps) if fps != clip.fps => Arc::new(VertexClip { fps, ..VertexClip::clone(clip) }),
        _ => clip.clone(),
    }
}

fn faces(file: &Loaded) -> (usize, Vec<u32>) {
    match &file.footage {
        Some(Footage::Vertices(clip)) => (clip.vertices, clip.faces.clone()),
        _ => file.model.faces(),
    }
}

fn wrong(file: &Loaded, wanted: &'static str, instead: &'static str) -> TakeError {
    TakeError::WrongContent { file: file.model.name.clone(), wanted, instead }
}
