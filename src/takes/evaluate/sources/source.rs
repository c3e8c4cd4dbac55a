//! The interface of all kinds of sources, and shared constructors of takes.

use std::sync::Arc;

use crate::document::{Asset, Loaded};
use crate::evaluate::built::Overlays;
use crate::evaluate::content::{Content, ImageContent, VertexContent};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::loop_source::LoopSource;
use crate::evaluate::{BuiltTake, TakeError};
use portamento_anim::footage::{mesh_model, model_with_materials};
use portamento_anim::geometry::Shading;
use portamento_anim::math::WeightMap;
use portamento_anim::media::VertexClip;
use portamento_anim::{Clip, Footage, JointTracks, Model, Roles, RootMotion};
use portamento_base::progress::Progress;

/// The implementation of a kind of source.
pub(in crate::evaluate) trait Source {
    /// True if the source may exceed the time of one frame.
    fn is_slow(&self) -> bool {
        false
    }

    /// Returns an estimate of the memory that building needs, in bytes.
    fn bytes(&self, inputs: &Inputs) -> u64;

    /// Builds the motion before any stage. For a source built in parts, this is the first part.
    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError>;

    /// Builds the next part on top of `before`, for sources built in parts.
    fn build_next(&self, _: &Inputs, before: &BuiltTake, _: &Progress) -> Result<BuiltTake, TakeError> {
        Ok(before.clone())
    }
}

/// Returns a take that plays `clip` on the character of `inputs`, with the root motion found in the clip.
pub(super) fn unmodified(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let root = RootMotion::find(&inputs.character.model.skeleton, &clip, &inputs.roles);
    BuiltTake { root, ..resting(inputs, clip) }
}

/// Returns a take that plays `clip` on the character of `inputs`, without root motion.
pub(super) fn resting(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let fps = clip.fps();
    let built = new_take(inputs, inputs.character.clone(), Content::Joints, Arc::new(clip), fps);
    BuiltTake { clip_name: inputs.source.title(), ..built }
}

/// Returns a take that plays `footage`. The displayed character is created from the first frame. For vertices, it gets the
/// materials of the model in `models` with the same mesh. Without such a model they are plain.
pub(super) fn of_footage<'m>(
    inputs: &Inputs,
    footage: Footage,
    models: impl Iterator<Item = &'m Model>,
) -> Result<BuiltTake, TakeError> {
    let (model, name, content) = match &footage {
        Footage::Vertices(clip) => {
            let (model, shading) = with_materials(models, clip);
            let pins = WeightMap::default();
            let vertices = VertexContent { clip: clip.clone(), looped: None, shading, pins, rest: None };
            (model, clip.name.clone(), Content::Vertices(vertices))
        }
        Footage::Images(clip) => {
            let content = Content::Images(ImageContent { clip: clip.clone(), looped: None });
            (footage.model()?, clip.name.clone(), content)
        }
    };
    let tracks = vec![JointTracks::default(); model.skeleton.len()];
    let (frames, fps) = (footage.frames(), footage.fps());
    let clip = Clip { name, duration: frames.saturating_sub(1) as f64 / fps, tracks };
    let character = Asset::new(Loaded { model, footage: Some(footage), ..Loaded::default() });
    // Roles refer to joints of the file, which the displayed model does not have.
    Ok(BuiltTake { roles: Roles::default(), ..new_take(inputs, character, content, Arc::new(clip), fps) })
}

/// Returns `fps` (frames per second) if it is 1…1000, or `None` for the rate of the file. Returns `Err` otherwise.
pub(super) fn check_rate(fps: Option<f64>) -> Result<Option<f64>, TakeError> {
    match fps {
        Some(fps) if !(1.0..=1000.0).contains(&fps) => Err(TakeError::BadRate(fps)),
        fps => Ok(fps),
    }
}

/// Returns the first frame of `clip` as a model, with the materials and shading of the model in `models` with the same mesh.
fn with_materials<'m>(mut models: impl Iterator<Item = &'m Model>, clip: &VertexClip) -> (Model, Arc<Shading>) {
    let same_mesh = |model: &&Model| model.faces() == (clip.vertices, clip.faces.clone());
    match models.find(same_mesh) {
        Some(model) => (model_with_materials(clip, model), Arc::new(model.shading())),
        None => (mesh_model(clip), Arc::default()),
    }
}

/// Returns a take that plays `source` and `content` without root motion, stages, events and warnings.
fn new_take(inputs: &Inputs, character: Asset<Loaded>, content: Content, source: Arc<Clip>, fps: f64) -> BuiltTake {
    BuiltTake {
        loop_source: Arc::new(LoopSource::new(&content, &character, &source, fps)),
        recordings: Arc::default(),
        overlays: Overlays::default(),
        character,
        clip_name: source.name.clone(),
        is_own_clip: false,
        clip: source.clone(),
        source,
        content,
        blended: None,
        retargeted: None,
        walked: None,
        crosser: None,
        stages: Vec::new(),
        fps,
        root: None,
        roles: inputs.roles.clone(),
        metres_per_unit: inputs.metres_per_unit,
        events: Vec::new(),
        warnings: Vec::new(),
    }
}
