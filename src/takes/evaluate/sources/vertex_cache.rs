//! The vertex source: a vertex cache, or a clip of a model evaluated per vertex.

use std::sync::Arc;

use super::clip;
use super::source::{Source, check_rate, of_footage};
use crate::document::Loaded;
use crate::document::take::Vertices;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError, memory};
use portamento_anim::Footage;
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;

/// Plays the cache or clip of the first clip file. If a second file is given, it provides the faces.
pub(super) struct VertexCacheSource<'a>(pub &'a Vertices);

impl Source for VertexCacheSource<'_> {
    fn is_slow(&self) -> bool {
        self.0.clip.is_some()
    }

    fn bytes(&self, inputs: &Inputs) -> u64 {
        let Some(file) = inputs.clips.files.first() else { return 0 };
        let clip = self.0.clip.as_ref().and_then(|name| file.model.clip(name));
        match (clip, &file.footage) {
            (Some(clip), _) => {
                let fps = self.0.fps.unwrap_or_else(|| clip.fps());
                memory::of_points(memory::of_frames(clip.duration, fps), memory::vertices(file))
            }
            (None, Some(Footage::Vertices(clip))) => memory::of_points(clip.frames() as u64, clip.vertices),
            _ => 0,
        }
    }

    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let clip = with_faces(inputs, frames(inputs, self.0, progress)?)?;
        let models = inputs.clips.files.iter().rev().map(|file| &file.model);
        of_footage(inputs, Footage::Vertices(clip), models)
    }
}

/// Returns the frames of the first file: its cache played at the rate of `vertices`, or its clip sampled at that rate and
/// evaluated per vertex. Without a rate, cache or clip keep their own.
///
/// Returns `Err` if the rate is outside 1…1000 frames per second, or if that clip or cache does not exist.
fn frames(inputs: &Inputs, vertices: &Vertices, progress: &Progress) -> Result<Arc<VertexClip>, TakeError> {
    let rate = check_rate(vertices.fps)?;
    let file = &inputs.clips.files[0];
    match (&vertices.clip, &file.footage) {
        (Some(name), _) => {
            let clip = clip::find(inputs, &inputs.clips, name)?.clip;
            let fps = rate.unwrap_or_else(|| clip.fps());
            Ok(Arc::new(file.model.to_vertex_clip(&clip, fps, progress)?))
        }
        (None, Some(Footage::Vertices(clip))) => Ok(at_rate(clip, rate)),
        (None, _) => Err(TakeError::NoVertexCache { file: file.model.name.clone() }),
    }
}

/// Returns `clip` with the faces of the second file, or as it is without such a file. Returns `Err` if the numbers of
/// vertices differ, or if the clip cannot have these faces.
fn with_faces(inputs: &Inputs, clip: Arc<VertexClip>) -> Result<Arc<VertexClip>, TakeError> {
    let Some(mesh) = inputs.clips.files.get(1) else { return Ok(clip) };
    let (points, faces) = faces(mesh);
    if points != clip.vertices {
        return Err(TakeError::OtherMesh { cache: clip.name.clone(), points: clip.vertices, mesh: points });
    }
    Ok(Arc::new(VertexClip::clone(&clip).with_faces(faces)?))
}

/// Returns the frames of `clip` played at `fps`; none is added or removed.
fn at_rate(clip: &Arc<VertexClip>, fps: Option<f64>) -> Arc<VertexClip> {
    match fps {
        Some(fps) if fps != clip.fps => Arc::new(VertexClip { fps, ..VertexClip::clone(clip) }),
        _ => clip.clone(),
    }
}

/// Returns the number of vertices, and their triangles: three vertex indices each.
fn faces(file: &Loaded) -> (usize, Vec<u32>) {
    match &file.footage {
        Some(Footage::Vertices(clip)) => (clip.vertices, clip.faces.clone()),
        _ => file.model.faces(),
    }
}
