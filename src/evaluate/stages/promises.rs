//! What earlier stages promised, measured again after a later one.

use crate::anim::{Clip, Pose, RootKind, root_motion};
use crate::evaluate::{BuiltTake, StageResult};
use crate::math::mean::angle_between;
use crate::message::{Message, message};

/// Metres that a mark may be missed by before it is told.
const MISSED: f64 = 1e-3;
/// Degrees that a joint may turn over the seam of a loop before it is told.
const OPENED: f64 = 0.5;

/// What held of `before` and no longer does of the clip of `built`, whose last stage is not among its stages yet.
pub(super) fn broken(before: &Clip, built: &BuiltTake) -> Vec<Message> {
    let stop = stop(before, built).into_iter();
    stop.chain(arrival(before, built)).chain(seam(before, built)).collect()
}

/// Metres along the ground between where the character of `clip` ends and the goal of the walk that `built` is made from.
pub(in crate::evaluate) fn stop_error(built: &BuiltTake, clip: &Clip) -> Option<f64> {
    let walk = built.walked.as_ref()?.walk.as_ref()?;
    let end = root_motion::world_at(&built.character.model.skeleton, clip, walk.root?.joint, clip.duration).translation;
    walk.stop_error(end * built.metres_per_unit)
}

fn stop(before: &Clip, built: &BuiltTake) -> Option<Message> {
    let [was, is] = [before, &built.clip].map(|clip| stop_error(built, clip));
    let metres = is.filter(|&is| is > MISSED && was.is_some_and(|was| was <= MISSED))?;
    let told = message!(
        "warning.stage.stop_moved",
        "After this stage the character stops %{metres} m from the goal of its walk.",
        metres = format!("{metres:.3}")
    );
    Some(told.at(built.clip.duration, None))
}

/// The last stretch before this stage no longer arrives.
fn arrival(before: &Clip, built: &BuiltTake) -> Option<Message> {
    let stretches = built.stages.iter().rev().map(|stage| &stage.result);
    let mut stretches =
        stretches.filter_map(|result| if let StageResult::Stretch(stretch) = result { Some(stretch) } else { None });
    let stretch = stretches.next()?;
    let (target, skeleton) = (stretch.report.windows.last()?.target, &built.character.model.skeleton);
    // The joint that was led there, whatever carries the character by now.
    let missed = |clip: &Clip| {
        let end = root_motion::world_at(skeleton, clip, stretch.arriving, clip.duration).translation;
        end.distance(target) * built.metres_per_unit
    };
    let (was, is) = (missed(before), missed(&built.clip));
    (was <= MISSED && is > MISSED).then(|| {
        message!(
            "warning.stage.target_missed",
            "After this stage the character ends %{metres} m from the target of the stretch before.",
            metres = format!("{is:.3}")
        )
        .at(built.clip.duration, Some(stretch.arriving))
    })
}

/// The seam of a loop before this stage is open.
fn seam(before: &Clip, built: &BuiltTake) -> Option<Message> {
    if !built.repeats() {
        return None;
    }
    let (was, _) = widest_gap(before, built)?;
    let (is, joint) = widest_gap(&built.clip, built)?;
    (was <= OPENED && is > OPENED).then(|| {
        message!(
            "warning.stage.seam_opened",
            "After this stage the loop no longer closes: “%{joint}” turns %{degrees}° from the last frame to the first.",
            joint = &built.character.model.skeleton.joints[joint].name,
            degrees = format!("{is:.1}")
        )
        .at(built.clip.duration, Some(joint))
    })
}

/// Degrees that a joint other than a root turns from the end of `clip` to its start, and which turns the most.
fn widest_gap(clip: &Clip, built: &BuiltTake) -> Option<(f64, usize)> {
    let skeleton = &built.character.model.skeleton;
    let [first, last]: [Pose; 2] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    let carrier = built.root.filter(|root| root.kind == RootKind::Root).map(|root| root.joint);
    let turn = |joint: usize| angle_between(first.locals[joint].rotation, last.locals[joint].rotation).to_degrees();
    let joints = (0..skeleton.len()).filter(|&joint| Some(joint) != carrier);
    joints.map(|joint| (turn(joint), joint)).max_by(|a, b| a.0.total_cmp(&b.0))
}
