//! What a take starts from, as a clip on the character's joints.

use std::borrow::Cow;
use std::sync::Arc;

use super::content::{Content, Images, LoopSource, Vertices};
use super::inputs::Inputs;
use super::{BuiltTake, TakeError, footage, scenario, walk_source};
use crate::anim::footage::{dressed_model, mesh_model};
use crate::anim::{Clip, Footage, JointTracks, Model, Roles, RootMotion, clip_match};
use crate::document::{Asset, Loaded, TakeSource};
use crate::geometry::Shading;
use crate::math::WeightMap;
use crate::media::VertexClip;
use crate::progress::Progress;
use crate::systems::cloth::Settings;

/// The source of `inputs`.
pub(super) fn build(inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
    match &inputs.source {
        TakeSource::Clip { clip, .. } => {
            let (source, warning) = find(inputs, clip)?;
            let is_own_clip = inputs.clip_files.first() == Some(&inputs.character);
            let mut built = unmodified(inputs, source.into_owned());
            built.is_own_clip = is_own_clip;
            built.warnings.extend(warning);
            Ok(built)
        }
        TakeSource::Scenario(blend) => {
            let baked = scenario::build(inputs, blend, progress)?;
            let mut built = unmodified(inputs, baked.clip);
            (built.fps, built.warnings) = (baked.fps, baked.warnings);
            built.blended = Some(Arc::new(baked.blended));
            Ok(built)
        }
        TakeSource::Vertices(vertices) => {
            let footage = footage::vertices(inputs, vertices, progress)?;
            still(inputs, footage, inputs.clip_files.iter().rev().map(|file| &file.model))
        }
        TakeSource::Images { fps, sheet, .. } => {
            still(inputs, footage::images(inputs, *fps, sheet.as_ref())?, std::iter::empty())
        }
        TakeSource::Cloth(settings) => cloth(inputs, settings, progress),
        TakeSource::Walk(walk) => walk_source::begin(inputs, walk, progress),
    }
}

/// The source of `inputs` one part on from `before`.
pub(super) fn go_on(inputs: &Inputs, before: &BuiltTake, progress: &Progress) -> Result<BuiltTake, TakeError> {
    match &inputs.source {
        TakeSource::Walk(walk) => walk_source::go_on(inputs, walk, before, progress),
        _ => Ok(before.clone()),
    }
}

fn cloth(inputs: &Inputs, settings: &Settings, progress: &Progress) -> Result<BuiltTake, TakeError> {
    let (cloth, mesh) = footage::cloth(inputs, settings, progress)?;
    let mut built = still(inputs, Footage::Vertices(Arc::new(cloth.clip)), mesh.iter())?;
    if let Content::Vertices(vertices) = &mut built.content {
        vertices.pins = cloth.pins.into();
    }
    Ok(built)
}

/// A take of `footage`: what is shown as its character is made from the first frame, with the surfaces of that one of `models`
/// whose mesh it moves.
fn still<'m>(
    inputs: &Inputs,
    footage: Footage,
    models: impl Iterator<Item = &'m Model>,
) -> Result<BuiltTake, TakeError> {
    let (model, name, content) = match &footage {
        Footage::Vertices(clip) => {
            let (model, shading) = with_materials(models, clip);
            let vertices = Vertices { clip: clip.clone(), looped: None, shading, pins: WeightMap::default() };
            (model, clip.name.clone(), Content::Vertices(vertices))
        }
        Footage::Images(clip) => {
            let content = Content::Images(Images { clip: clip.clone(), looped: None });
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

/// The first frame of `clip` with the surfaces of the one of `models` its vertices come from, and how they shade.
fn with_materials<'m>(mut models: impl Iterator<Item = &'m Model>, clip: &VertexClip) -> (Model, Arc<Shading>) {
    let owner = models.find(|model| model.faces() == (clip.vertices, clip.faces.clone()));
    match owner {
        Some(owner) => (dressed_model(clip, owner), Arc::new(owner.shading())),
        None => (mesh_model(clip), Arc::default()),
    }
}

fn unmodified(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let root = RootMotion::find(&inputs.character.model.skeleton, &clip, &inputs.roles);
    BuiltTake { root, ..resting(inputs, clip) }
}

/// The character of `inputs` with `clip` and nothing that carries it.
pub(super) fn resting(inputs: &Inputs, clip: Clip) -> BuiltTake {
    let fps = clip.fps();
    let built = made_of(inputs, inputs.character.clone(), Content::Joints, Arc::new(clip), fps);
    BuiltTake { clip_name: inputs.source.title(), ..built }
}

fn made_of(inputs: &Inputs, character: Asset<Loaded>, content: Content, source: Arc<Clip>, fps: f64) -> BuiltTake {
    BuiltTake {
        loop_source: Arc::new(LoopSource::new(&content, &character, &source, fps)),
        character,
        clip_name: source.name.clone(),
        is_own_clip: false,
        clip: source.clone(),
        source,
        content,
        blended: None,
        walked: None,
        stages: Vec::new(),
        fps,
        root: None,
        roles: inputs.roles.clone(),
        metres_per_unit: inputs.metres_per_unit,
        warnings: Vec::new(),
    }
}

/// The clip of that name on the character's joints, from the first file that has it, and what did not fit.
pub(super) fn find<'a>(inputs: &'a Inputs, name: &str) -> Result<(Cow<'a, Clip>, Option<String>), TakeError> {
    let found = inputs.clip_files.iter().find_map(|file| Some((file, file.model.clip(name)?)));
    let (file, clip) = found.ok_or_else(|| no_clip(inputs, name))?;
    if *file == inputs.character {
        return Ok((Cow::Borrowed(clip), None));
    }
    let (matched, missing) = clip_match::clip_by_names(&file.model.skeleton, clip, &inputs.character.model.skeleton);
    if matched.tracks.iter().all(|tracks| tracks.is_empty()) {
        return Err(TakeError::NothingInCommon(name.to_owned()));
    }
    let warning =
        || format!("Joints of “{name}” that the character does not have were left out: {}.", listed(&missing));
    Ok((Cow::Owned(matched), (!missing.is_empty()).then(warning)))
}

/// The first few of `names`, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

fn no_clip(inputs: &Inputs, name: &str) -> TakeError {
    let models = || inputs.clip_files.iter().map(|file| &file.model);
    TakeError::NoClip {
        clip: name.to_owned(),
        file: models().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", "),
        known: models().flat_map(|model| &model.clips).map(|clip| clip.name.as_str()).collect::<Vec<_>>().join(", "),
    }
}
