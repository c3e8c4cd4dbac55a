//! Moments that figures and warnings of the shown take come from.

use crate::anim::quality::WorstFrame;
use crate::message::Moment;
use crate::session::Session;

/// The moment at `seconds` of what comes out of the stage at that index of the built take, about `joint`.
pub(in crate::ui) fn of_stage(stage: Option<usize>, seconds: f64, joint: Option<usize>) -> Moment {
    // What no stage is named for is of what comes out of all.
    Moment { seconds, joint, stages: stage.map_or(usize::MAX, |stage| stage + 1) }
}

/// The moment at `seconds` of what the take begins with.
pub(in crate::ui) fn of_source(seconds: f64, joint: Option<usize>) -> Moment {
    Moment { seconds, joint, stages: 0 }
}

/// The moment of the worst frame of what comes out of that stage.
pub(in crate::ui) fn of_worst(stage: Option<usize>, worst: WorstFrame) -> Moment {
    of_stage(stage, worst.time, Some(worst.joint))
}

/// Puts the playhead of the shown take there, selects the joint and brings it into sight.
pub(in crate::ui) fn go_to(session: &mut Session, moment: Option<Moment>) {
    let (Some(moment), Some(built)) = (moment, session.frame().and_then(|frame| frame.built.clone())) else { return };
    session.playback.playing = false;
    session.playback.time = built.seconds_of(moment);
    session.selection.joint = moment.joint.or(session.selection.joint);
    session.selection.is_joint_sought = moment.joint.is_some();
}
