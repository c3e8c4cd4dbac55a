//! Decides which takes are exported as loops.

use crate::clip_library::with_input;
use portamento_anim::quality::Quality;
use portamento_base::progress::{Cancelled, Progress};
use portamento_sets::{ClipName, Figures, Member};
use portamento_takes::document::LoopChoice;
use portamento_takes::evaluate::{BuiltTake, Content, StageResult};

/// The figures of a built take.
#[derive(Debug)]
pub(crate) struct MeasuredTake {
    pub quality: Quality,
    /// True if its motion is exported as a loop unless the user chooses otherwise.
    pub loops: bool,
}

/// Measures `built`; `None` if it has no joints or cannot be measured. Returns `Err` if `progress` is cancelled.
pub(crate) fn measured(built: &BuiltTake, progress: &Progress) -> Result<Option<MeasuredTake>, Cancelled> {
    let figures = figures(built, progress)?;
    Ok(figures.map(|figures| MeasuredTake {
        loops: built.repeats() || is_one_cycle(built, &figures),
        quality: figures.quality,
    }))
}

/// True if `built` is exported as a loop. `choice` decides, or else its stages and its motion. Returns `Err` if `progress` is
/// cancelled.
pub(crate) fn is_exported_as_loop(
    choice: LoopChoice,
    built: &BuiltTake,
    progress: &Progress,
) -> Result<bool, Cancelled> {
    match choice {
        LoopChoice::Yes => Ok(true),
        LoopChoice::No => Ok(false),
        LoopChoice::Automatic if built.repeats() || !may_be_cycle(built) => Ok(built.repeats()),
        LoopChoice::Automatic => Ok(figures(built, progress)?.is_some_and(|figures| is_one_cycle(built, &figures))),
    }
}

/// Returns all figures of the result of `built`; `None` if it has no joints or cannot be measured.
fn figures(built: &BuiltTake, progress: &Progress) -> Result<Option<Figures>, Cancelled> {
    if !matches!(built.content, Content::Joints) {
        return Ok(None);
    }
    let member = with_input(built, |input| Member::measure(ClipName::default(), input, progress))?;
    Ok(member.figures)
}

fn is_one_cycle(built: &BuiltTake, figures: &Figures) -> bool {
    may_be_cycle(built) && figures.is_one_cycle(&[&built.clip.name, &built.clip_name])
}

/// True if `built` plays one clip. A blend and a walk lead from one motion to another, and a difference is no motion.
fn may_be_cycle(built: &BuiltTake) -> bool {
    let is_difference = built.stages.iter().any(|stage| matches!(stage.result, StageResult::Additive(_)));
    matches!(built.content, Content::Joints) && built.blended.is_none() && built.walked.is_none() && !is_difference
}
