//! A clip of the character's own file, or of another one matched by joint names.

use std::borrow::Cow;

use super::source::{Source, unmodified};
use crate::anim::{Clip, clip_match};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError};
use crate::message::{Message, message};
use crate::progress::Progress;

/// The clip of that name.
pub(super) struct ClipSource<'a>(pub &'a str);

impl Source for ClipSource<'_> {
    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let found = find(inputs, self.0)?;
        let mut built = unmodified(inputs, found.clip.into_owned());
        built.is_own_clip = inputs.clip_files.first() == Some(&inputs.character);
        built.warnings.extend(found.warning);
        Ok(built)
    }
}

/// A clip on the character's joints.
pub(super) struct FoundClip<'a> {
    pub clip: Cow<'a, Clip>,
    /// What of it did not fit.
    pub warning: Option<Message>,
}

/// The clip of that name on the character's joints, from the first file that has it.
pub(super) fn find<'a>(inputs: &'a Inputs, name: &str) -> Result<FoundClip<'a>, TakeError> {
    let found = inputs.clip_files.iter().find_map(|file| Some((file, file.model.clip(name)?)));
    let (file, clip) = found.ok_or_else(|| no_clip(inputs, name))?;
    if *file == inputs.character {
        return Ok(FoundClip { clip: Cow::Borrowed(clip), warning: None });
    }
    let clip_match::MatchedClip { clip: matched, unmatched: missing } =
        clip_match::clip_by_names(&file.model.skeleton, clip, &inputs.character.model.skeleton);
    if matched.tracks.iter().all(|tracks| tracks.is_empty()) {
        return Err(TakeError::NothingInCommon(name.to_owned()));
    }
    Ok(FoundClip { clip: Cow::Owned(matched), warning: left_out(name, &missing) })
}

/// What is said of the joints that the character does not have, the first few by name.
fn left_out(clip: &str, joints: &[String]) -> Option<Message> {
    const SHOWN: usize = 6;
    let shown = joints[..joints.len().min(SHOWN)].join(", ");
    match joints.len() {
        0 => None,
        count if count > SHOWN => Some(message!(
            "warning.clip.many_joints_left_out",
            "Joints of “%{clip}” that the character does not have were left out: %{joints} and %{more} more.",
            clip = clip,
            joints = shown,
            more = count - SHOWN
        )),
        _ => Some(message!(
            "warning.clip.joints_left_out",
            "Joints of “%{clip}” that the character does not have were left out: %{joints}.",
            clip = clip,
            joints = shown
        )),
    }
}

fn no_clip(inputs: &Inputs, name: &str) -> TakeError {
    let models = || inputs.clip_files.iter().map(|file| &file.model);
    TakeError::NoClip {
        clip: name.to_owned(),
        file: models().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", "),
        known: models().flat_map(|model| &model.clips).map(|clip| clip.name.clone()).collect(),
    }
}
