//! Continuity across the seam of a loop, for planted feet.

use glam::DVec3;

use super::Input;
use super::plants::Foot;
use portamento_anim::Pose;
use portamento_anim::root_motion::rig_size;

/// Maximum distance between the start and end of a joint for a motion to count as a loop, as a fraction of the body size.
const LOOP_TOLERANCE_SIZE_RATIO: f64 = 2e-3;

/// Time at either end of the motion in which a foot may still roll, seconds. Tuned; no derivation recorded.
const MAX_ROLL_SECONDS: f64 = 0.1;

/// Marks all `feet` of a loop as looping. Gives each foot that is planted across the seam one common contact position, because two
/// different positions would open the loop. Other motions stay.
pub(super) fn join(input: &Input, times: &[f64], feet: &mut [Foot]) {
    let Some(travel) = travel(input, times) else { return };
    let last = times.len() - 1;
    for foot in feet {
        foot.loops = true;
        let [start, .., end] = &mut foot.stances[..] else { continue };
        let rolled = [times[start.frames.start] - times[0], times[last] - times[end.frames.end - 1]];
        if rolled.iter().any(|seconds| *seconds > MAX_ROLL_SECONDS) {
            continue;
        }
        let [before, after] = [end.frames.len(), start.frames.len()].map(|frames| frames as f64);
        let position = (start.position * after + (end.position - travel) * before) / (before + after);
        start.position = position.with_y(start.position.y);
        end.position = (position + travel).with_y(end.position.y);
    }
}

/// Returns the horizontal travel of a loop, world units; `None` if the motion does not loop.
fn travel(input: &Input, times: &[f64]) -> Option<DVec3> {
    let skeleton = input.skeleton;
    let [first, last]: [Pose; 2] = [*times.first()?, *times.last()?].map(|time| input.clip.pose_at(skeleton, time));
    let moved = |joint: usize| {
        let at = |pose: &Pose| pose.world_from_joint(skeleton, joint).translation;
        at(&last) - at(&first)
    };
    let travel = moved(input.root.joint).with_y(0.0);
    let limit = LOOP_TOLERANCE_SIZE_RATIO * rig_size(skeleton);
    let mut carried = (0..skeleton.len()).filter(|&joint| skeleton.is_within(joint, input.root.joint));
    carried.all(|joint| moved(joint).distance(travel) <= limit).then_some(travel)
}
