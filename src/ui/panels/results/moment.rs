//! Moments of the current take from which figures and warnings originate.

use portamento_anim::quality::WorstFrame;
use portamento_base::message::Moment;
use portamento_session::Session;

/// Returns the moment at `seconds` of the output of the stage with index `stage`, for `joint`. Without a stage it is the output
/// of the take.
pub(crate) fn of_stage(stage: Option<usize>, seconds: f64, joint: Option<usize>) -> Moment {
    Moment { seconds, joint, stages: stage.map_or(usize::MAX, |stage| stage + 1) }
}

/// Returns the moment at `seconds` of the source of the take.
pub(crate) fn of_source(seconds: f64, joint: Option<usize>) -> Moment {
    Moment { seconds, joint, stages: 0 }
}

/// Returns the moment of the worst frame of the output of the stage with that index, or of the take if `None`.
pub(crate) fn of_worst(stage: Option<usize>, worst: WorstFrame) -> Moment {
    of_stage(stage, worst.time, Some(worst.joint))
}

/// Pauses, moves the playhead to `moment`, selects its joint and brings it into view. Does nothing if `moment` is `None` or the
/// shown item is not built.
pub(crate) fn go_to(session: &mut Session, moment: Option<Moment>) {
    let (Some(moment), Some(built)) = (moment, session.frame().and_then(|frame| frame.built.clone())) else { return };
    session.playback.playing = false;
    session.playback.time = built.output_time_of(moment);
    session.selection.joint = moment.joint.or(session.selection.joint);
    session.selection.is_joint_sought = moment.joint.is_some();
}
