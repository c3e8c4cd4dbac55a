//! The clip source: a clip of the character's own file, or of another file. A clip of another body arrives retargeted, as a take.

use std::borrow::Cow;
use std::sync::Arc;

use super::source::{Source, unmodified};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::loop_source::LoopSource;
use crate::evaluate::named_clips::{NamedClips, TakeClip};
use crate::evaluate::{BuiltTake, Content, TakeError, memory};
use portamento_anim::Clip;
use portamento_anim::clip_match::{MatchedClip, clip_by_names};
use portamento_anim::rest_match::{RestBody, RestMatch};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

/// Source that plays the clip with this name.
pub(super) struct ClipSource<'a>(pub &'a str);

impl Source for ClipSource<'_> {
    fn bytes(&self, inputs: &Inputs) -> u64 {
        let clip = inputs.clips.clip(self.0).map(|(_, clip)| clip);
        clip.map_or(0, |clip| memory::of_poses(clip.duration, clip.fps(), inputs.character.model.skeleton.len()))
    }

    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let found = find(inputs, &inputs.clips, self.0)?;
        let mut built = unmodified(inputs, found.clip.into_owned());
        built.warnings.extend(found.warning);
        match inputs.clips.takes.first().and_then(|take| take.built.get()) {
            Some(used) => inherit(&mut built, used),
            None => built.is_own_clip = inputs.clips.files.first() == Some(&inputs.character),
        }
        Ok(built)
    }
}

/// Copies the rate, events, warnings, root motion and ground of `used` to the take that uses it as a clip. Root motion and
/// ground are copied only if both have the same character.
fn inherit(built: &mut BuiltTake, used: &BuiltTake) {
    (built.fps, built.warnings) = (used.fps, [used.warnings.clone(), std::mem::take(&mut built.warnings)].concat());
    built.events.clone_from(&used.events);
    if built.character == used.character {
        (built.root, built.walked) = (used.root, used.walked.clone());
        built.retargeted = used.retargeted.clone().filter(|_| used.stages.is_empty());
    }
    built.loop_source = Arc::new(LoopSource::new(&built.content, &built.character, &built.clip, built.fps));
}

/// A clip mapped to the character's joints.
pub(in crate::evaluate) struct FoundClip<'a> {
    pub clip: Cow<'a, Clip>,
    /// Warning about joints that could not be matched.
    pub warning: Option<Message>,
}

/// Returns the clip of that name, mapped to the character's joints: of a take, else of the first file that contains it.
/// Returns `Err` if there is no such clip, no joint fits, or the take has no joints. Joints left out give a warning.
pub(in crate::evaluate) fn find<'a>(
    inputs: &'a Inputs,
    clips: &'a NamedClips,
    name: &str,
) -> Result<FoundClip<'a>, TakeError> {
    if let Some(take) = clips.takes.iter().find(|take| take.name == name) {
        return of_take(inputs, take);
    }
    let found = clips.clip(name);
    let (file, clip) = found.ok_or_else(|| no_clip(clips, name))?;
    let mut found = match *file == inputs.character {
        true => FoundClip { clip: Cow::Borrowed(clip), warning: None },
        false => matched(inputs, &clips.body(file), clip)?,
    };
    // A clip listed under its file's name keeps the name by which older settings refer to it.
    if found.clip.name != name {
        name.clone_into(&mut found.clip.to_mut().name);
    }
    Ok(found)
}

/// Returns the output clip of `take`, under its name in the settings. Returns `Err` if it is not built or has no joints.
fn of_take<'a>(inputs: &Inputs, take: &TakeClip) -> Result<FoundClip<'a>, TakeError> {
    let built = take.built.get().ok_or_else(|| TakeError::NotLoaded(take.name.clone()))?;
    if !matches!(built.content, Content::Joints) {
        return Err(TakeError::NotJoints { take: take.name.clone(), content: built.content.name() });
    }
    let clip = Clip { name: take.name.clone(), ..Clip::clone(&built.clip) };
    if built.character == inputs.character {
        return Ok(FoundClip { clip: Cow::Owned(clip), warning: None });
    }
    let metres_per_unit = built.metres_per_unit;
    matched(inputs, &RestBody { skeleton: &built.character.model.skeleton, metres_per_unit }, &clip)
}

/// Maps `clip` of `from` to the character's joints by joint name, with the same motion in the world if the bodies are
/// equal. Returns `Err` if no joint fits.
fn matched<'a>(inputs: &Inputs, from: &RestBody, clip: &Clip) -> Result<FoundClip<'a>, TakeError> {
    let skeleton = &inputs.character.model.skeleton;
    let to = RestBody { skeleton, metres_per_unit: inputs.metres_per_unit };
    let same_body = RestMatch::find(from, Some(clip), &to);
    let is_other_body = same_body.is_none();
    let MatchedClip { clip: matched, unmatched } = same_body
        .map_or_else(|| clip_by_names(from.skeleton, clip, skeleton), |same| same.transfer(from.skeleton, clip));
    if matched.tracks.iter().all(|tracks| tracks.is_empty()) {
        return Err(TakeError::NothingInCommon(clip.name.clone()));
    }
    let moves_bodies = clip.tracks.iter().any(|tracks| tracks.translation.is_some() || tracks.rotation.is_some());
    let warning = match is_other_body && moves_bodies {
        true => Some(other_body_warning(&clip.name)),
        false => unmatched_joints_warning(&clip.name, &unmatched),
    };
    Ok(FoundClip { clip: Cow::Owned(matched), warning })
}

/// Returns the warning that a clip of another body could not be retargeted.
fn other_body_warning(clip: &str) -> Message {
    message!(
        "warning.clip.other_body",
        "“%{clip}” was made for another body and is matched by joint names, because hips and limbs of one of the rigs are not \
         known. Assign them under Rig, so that the clip is retargeted.",
        clip
    )
}

/// Returns a warning that lists the first few joints that the character does not have. `None` without such joints.
fn unmatched_joints_warning(clip: &str, joints: &[String]) -> Option<Message> {
    const MAX_LISTED: usize = 6;
    let shown = joints[..joints.len().min(MAX_LISTED)].join(", ");
    match joints.len() {
        0 => None,
        count if count > MAX_LISTED => Some(message!(
            "warning.clip.many_joints_left_out",
            "Joints of “%{clip}” that the character does not have were ignored: %{joints} and %{more} more.",
            clip = clip,
            joints = shown,
            more = count - MAX_LISTED
        )),
        _ => Some(message!(
            "warning.clip.joints_left_out",
            "Joints of “%{clip}” that the character does not have were ignored: %{joints}.",
            clip = clip,
            joints = shown
        )),
    }
}

/// Returns the error for a missing clip, with the names of the files and of their clips.
pub(super) fn no_clip(clips: &NamedClips, name: &str) -> TakeError {
    let models = || clips.files.iter().map(|file| &file.model);
    TakeError::NoClip {
        clip: name.to_owned(),
        file: models().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", "),
        known: models().flat_map(|model| &model.clips).map(|clip| clip.name.clone()).collect(),
    }
}
