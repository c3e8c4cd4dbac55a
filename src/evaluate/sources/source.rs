//! What every kind of source can do, and what all begin with.

use std::sync::Arc;

use crate::anim::footage::{dressed_model, mesh_model};
use crate::anim::{Clip, Footage, JointTracks, Model, Roles, RootMotion};
use crate::document::{Asset, Loaded};
use crate::evaluate::content::{Content, ImageContent, VertexContent};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::loop_source::LoopSource;
use crate::evaluate::{BuiltTake, TakeError};
use crate::geometry::Shading;
use crate::math::WeightMap;
use crate::media::VertexClip;
use crate::progress::Progress;

/// A kind of source at work.
pub(in crate::evaluate) trait Source {
    /// Whether it may take longer than a picture should wait.
    fn is_slow(&self) -> bool {
        false
    }

    /// Bytes that building takes, as far as a setting or the size of a file decides.
    fn bytes(&self, inputs: &Inputs) -> u64;

    /// What plays before any stage; of a source that is built in parts, the first.
    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError>;

    /// One part on from `before`, where the source is built in parts.
    fn build_next(&self, _: &Inputs, before: &BuiltTake, _: &Progress) -> Result<BuiltTake, TakeError> {
        Ok(before.clone())
    }
}

/// `clip` on the character of `inputs`, carried by the root motion that is found in it.
pub(super) fn unmodified(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let root = RootMotion::find(&inputs.character.model.skeleton, &clip, &inputs.roles);
    BuiltTake { root, ..resting(inputs, clip) }
}

/// The character of `inputs` with `clip` and nothing that carries it.
pub(super) fn resting(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let fps = clip.fps();
    let built = made_of(inputs, inputs.character.clone(), Content::Joints, Arc::new(clip), fps);
    BuiltTake { clip_name: inputs.source.title(), ..built }
}

/// A take of `footage`: what is shown as its character is made from the first frame, with the materials of that one of `models`
/// whose mesh it moves.
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
    // Roles name joints of the file; what is shown has none of them.
    Ok(BuiltTake { roles: Roles::default(), ..made_of(inputs, character, content, Arc::new(clip), fps) })
}

/// Frames per second as they may be asked for: 1 to 1000, or the file's own.
pub(super) fn check_rate(fps: Option<f64>) -> Result<Option<f64>, TakeError> {
    match fps {
        Some(fps) if !(1.0..=1000.0).contains(&fps) => Err(TakeError::BadRate(fps)),
        fps => Ok(fps),
    }
}

/// The first frame of `clip` with the materials of the one of `models` its vertices come from, and how they shade.
fn with_materials<'m>(mut models: impl Iterator<Item = &'m Model>, clip: &VertexClip) -> (Model, Arc<Shading>) {
    let same_mesh = |model: &&Model| model.faces() == (clip.vertices, clip.faces.clone());
    match models.find(same_mesh) {
        Some(model) => (dressed_model(clip, model), Arc::new(model.shading())),
        None => (mesh_model(clip), Arc::default()),
    }
}

fn made_of(inputs: &Inputs, character: Asset<Loaded>, content: Content, source: Arc<Clip>, fps: f64) -> BuiltTake {
    BuiltTake {
        loop_source: Arc::new(LoopSource::new(&content, &character, &source, fps)),
        recordings: Arc::default(),
        character,
        clip_name: source.name.clone(),
        is_own_clip: false,
        clip: source.clone(),
        source,
        content,
        blended: None,
        retargeted: None,
        walked: None,
        stages: Vec::new(),
        fps,
        root: None,
        roles: inputs.roles.clone(),
        metres_per_unit: inputs.metres_per_unit,
        events: Vec::new(),
        warnings: Vec::new(),
    }
}
