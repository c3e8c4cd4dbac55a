//! Checks whether a stage breaks the result of an earlier one: a stop, a target or a closed loop.

use crate::evaluate::{BuiltTake, StageResult};
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Clip, Pose, RootKind, root_motion};
use portamento_base::message::{Message, message};

/// Distance to a goal or target above which it counts as missed, metres.
const MISSED_MIN_M: f64 = 1e-3;
/// Rotation of a joint across the seam above which a loop counts as open, degrees. Tuned; no derivation recorded.
const OPEN_LOOP_MIN_DEGREES: f64 = 0.5;

/// Returns warnings for results that `before` had and the clip of `built` no longer has. The last stage is not in `built.stages`
/// yet.
pub(in crate::evaluate) fn broken_results(before: &Clip, built: &BuiltTake) -> Vec<Message> {
    let stop = stop_warning(before, built).into_iter();
    stop.chain(target_warning(before, built)).chain(seam_warning(before, built)).collect()
}

/// Returns the horizontal distance in metres between the end of `clip` and the goal of the walk in `built`; `None` if it is no
/// walk.
pub(in crate::evaluate) fn stop_error(built: &BuiltTake, clip: &Clip) -> Option<f64> {
    let walk = built.walked.as_ref()?.walk.as_ref()?;
    let end = root_motion::world_at(&built.character.model.skeleton, clip, walk.root?.joint, clip.duration).translation;
    walk.stop_error(end * built.metres_per_unit)
}

/// Returns a warning if the walk no longer stops at its goal, which it reached before this stage.
fn stop_warning(before: &Clip, built: &BuiltTake) -> Option<Message> {
    let [error_before, error] = [before, &built.clip].map(|clip| stop_error(built, clip));
    let metres =
        error.filter(|&error| error > MISSED_MIN_M && error_before.is_some_and(|before| before <= MISSED_MIN_M))?;
    let warning = message!(
        "warning.stage.stop_moved",
        "After this stage the character stops %{metres} m from the goal of its walk.",
        metres = format!("{metres:.3}")
    );
    Some(warning.at(built.clip.duration, None))
}

/// Returns a warning if the last stretch before this stage no longer reaches its target.
fn target_warning(before: &Clip, built: &BuiltTake) -> Option<Message> {
    let stretches = built.stages.iter().rev().map(|stage| &stage.result);
    let mut stretches =
        stretches.filter_map(|result| if let StageResult::Stretch(stretch) = result { Some(stretch) } else { None });
    let stretch = stretches.next()?;
    let (target, skeleton) = (stretch.report.windows.last()?.target, &built.character.model.skeleton);
    // The joint that the stretch moves to the target, whatever the current root is.
    let missed = |clip: &Clip| {
        let end = root_motion::world_at(skeleton, clip, stretch.arriving_joint, clip.duration).translation;
        end.distance(target) * built.metres_per_unit
    };
    let (error_before, error) = (missed(before), missed(&built.clip));
    (error_before <= MISSED_MIN_M && error > MISSED_MIN_M).then(|| {
        message!(
            "warning.stage.target_missed",
            "After this stage the character ends %{metres} m from the target of the preceding stretch.",
            metres = format!("{error:.3}")
        )
        .at(built.clip.duration, Some(stretch.arriving_joint))
    })
}

/// Returns a warning if this stage opens the seam of an earlier loop.
fn seam_warning(before: &Clip, built: &BuiltTake) -> Option<Message> {
    if !built.repeats() {
        return None;
    }
    let (gap_before, _) = widest_gap(before, built)?;
    let (gap, joint) = widest_gap(&built.clip, built)?;
    (gap_before <= OPEN_LOOP_MIN_DEGREES && gap > OPEN_LOOP_MIN_DEGREES).then(|| {
        message!(
            "warning.stage.seam_opened",
            "After this stage the loop no longer closes: “%{joint}” turns %{degrees}° from the last frame to the first.",
            joint = &built.character.model.skeleton.joints[joint].name,
            degrees = format!("{gap:.1}")
        )
        .at(built.clip.duration, Some(joint))
    })
}

/// Returns the largest rotation of a joint from the end of `clip` to its start, in degrees, and the index of the joint. A
/// root joint is excluded.
fn widest_gap(clip: &Clip, built: &BuiltTake) -> Option<(f64, usize)> {
    let skeleton = &built.character.model.skeleton;
    let [first, last]: [Pose; 2] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    let carrier = built.root.filter(|root| root.kind == RootKind::Root).map(|root| root.joint);
    let turn = |joint: usize| angle_between(first.locals[joint].rotation, last.locals[joint].rotation).to_degrees();
    let joints = (0..skeleton.len()).filter(|&joint| Some(joint) != carrier);
    joints.map(|joint| (turn(joint), joint)).max_by(|a, b| a.0.total_cmp(&b.0))
}
