//! What goes on over the seam of a loop: a foot that stands there, and the rise of the body.

use glam::DVec3;

use super::Input;
use super::plants::Foot;
use crate::anim::Pose;
use crate::anim::root_motion::rig_size;

/// Parts of the body's size that a joint at the end of a loop is from where it began at most.
const CLOSED: f64 = 2e-3;

/// Seconds at either end of the motion in which a foot may still roll.
const ROLLS: f64 = 0.1;

/// Gives each of `feet` that stands at the end of a loop and at its beginning one place for both: held in two it would open the
/// loop, and slide where that is closed again.
pub(super) fn join(input: &Input, times: &[f64], feet: &mut [Foot]) {
    let Some(way) = way(input, times) else { return };
    let last = times.len() - 1;
    for foot in feet {
        foot.loops = true;
        let [start, .., end] = &mut foot.stands[..] else { continue };
        let rolled = [times[start.frames.start] - times[0], times[last] - times[end.frames.end - 1]];
        if rolled.iter().any(|seconds| *seconds > ROLLS) {
            continue;
        }
        let [before, after] = [end.frames.len(), start.frames.len()].map(|frames| frames as f64);
        let place = (start.place * after + (end.place - way) * before) / (before + after);
        start.place = place.with_y(start.place.y);
        end.place = (place + way).with_y(end.place.y);
    }
}

/// How far a loop goes along the ground, world units; `None` for a motion that does not close.
fn way(input: &Input, times: &[f64]) -> Option<DVec3> {
    let skeleton = input.skeleton;
    let [first, last]: [Pose; 2] = [*times.first()?, *times.last()?].map(|time| input.clip.pose_at(skeleton, time));
    let moved = |joint: usize| {
        let at = |pose: &Pose| pose.world_from_joint(skeleton, joint).translation;
        at(&last) - at(&first)
    };
    let way = moved(input.root.joint).with_y(0.0);
    let most = CLOSED * rig_size(skeleton);
    let mut carried = (0..skeleton.len()).filter(|&joint| skeleton.is_within(joint, input.root.joint));
    carried.all(|joint| moved(joint).distance(way) <= most).then_some(way)
}
