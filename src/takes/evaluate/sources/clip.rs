//! The clip source: a clip of the character's own file, or of another file matched by joint names.

use std::borrow::Cow;
use std::sync::Arc;

use super::source::{Source, unmodified};
use crate::document::Loaded;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::loop_source::LoopSource;
use crate::evaluate::named_clips::{NamedClips, TakeClip};
use crate::evaluate::{BuiltTake, Content, TakeError, memory};
use portamento_anim::{Clip, clip_match};
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

/// Copies the rate, events, warnings, root motion and ground of `used` to the take that uses it as a clip.
fn inherit(built: &mut BuiltTake, used: &BuiltTake) {
    (built.fps, built.warnings) = (used.fps, [used.warnings.clone(), std::mem::take(&mut built.warnings)].concat());
    built.events.clone_from(&used.events);
    if built.character == used.character {
        (built.root, built.walked) = (used.root, used.walked.clone());
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
        false => matched(inputs, file, clip)?,
    };
    // A clip listed under its file's name keeps the name by which older settings refer to it.
    if found.clip.name != name {
        name.clone_into(&mut found.clip.to_mut().name);
    }
    Ok(found)
}

/// Returns the output clip of `take`, under its name in the settings.
fn of_take<'a>(inputs: &Inputs, take: &TakeClip) -> Result<FoundClip<'a>, TakeError> {
    let built = take.built.get().ok_or_else(|| TakeError::NotLoaded(take.name.clone()))?;
    if !matches!(built.content, Content::Joints) {
        return Err(TakeError::NotJoints { take: take.name.clone(), content: built.content.name() });
    }
    let clip = Clip { name: take.name.clone(), ..Clip::clone(&built.clip) };
    if built.character == inputs.character {
        return Ok(FoundClip { clip: Cow::Owned(clip), warning: None });
    }
    matched(inputs, &built.character, &clip)
}

/// Maps `clip` of `file` to the character's joints by joint name.
fn matched<'a>(inputs: &Inputs, file: &Loaded, clip: &Clip) -> Result<FoundClip<'a>, TakeError> {
    let clip_match::MatchedClip { clip: matched, unmatched } =
        clip_match::clip_by_names(&file.model.skeleton, clip, &inputs.character.model.skeleton);
    if matched.tracks.iter().all(|tracks| tracks.is_empty()) {
        return Err(TakeError::NothingInCommon(clip.name.clone()));
    }
    Ok(FoundClip { clip: Cow::Owned(matched), warning: unmatched_joints_warning(&clip.name, &unmatched) })
}

/// Returns a warning that lists the first few joints that the character does not have.
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

pub(super) fn no_clip(clips: &NamedClips, name: &str) -> TakeError {
    let models = || clips.files.iter().map(|file| &file.model);
    TakeError::NoClip {
        clip: name.to_owned(),
        file: models().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", "),
        known: models().flat_map(|model| &model.clips).map(|clip| clip.name.clone()).collect(),
    }
}
