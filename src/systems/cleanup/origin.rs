//! A motion moved to start over the origin.

use glam::{DVec3, Vec3};

use super::Input;
use crate::anim::root_motion::{frame_times, parent_at, path, rest_at};
use crate::anim::{Clip, Curve, Interpolation, RootMotion};

/// Places nearer than this are the same, metres.
const NONE: f64 = 1e-6;
/// A joint that is off by the whole but for less than this share is the one that was moved; the rest is how the motion starts.
const MOST_BESIDE: f64 = 0.5;
/// Transforms whose numbers differ by less are the same.
const ALIKE: f64 = 1e-6;

/// Moves what carries the body so that its first place is over that of the rest pose, along the ground. Answers how far, in metres.
pub(super) fn move_to(input: &Input, clip: &mut Clip) -> f64 {
    let Some(root) = RootMotion::find(input.skeleton, clip, input.roles) else { return 0.0 };
    let rest = rest_at(input.skeleton, root.joint).translation;
    let first = path(input.skeleton, clip, root.joint, &[0.0])[0];
    let away = (rest - first).with_y(0.0);
    let metres = away.length() * input.metres_per_unit;
    if metres <= NONE {
        return 0.0;
    }
    // Under what moves, one offset is another in every frame; what is above all moves under nothing.
    let above = input.skeleton.ancestors(root.joint);
    let still: Vec<usize> = above.filter(|&joint| hangs_still(input, clip, joint)).collect();
    // A body that is off from above its hips goes back as it hangs together.
    let off = still.iter().rev().find(|&&joint| is_off_by(input, clip, joint, away));
    let Some(&joint) = off.or(still.first()) else { return 0.0 };
    let local = parent_at(input.skeleton, clip, joint, 0.0).matrix3.inverse() * away;
    let track = &mut clip.tracks[joint].translation;
    let rest = input.skeleton.joints[joint].rest.translation;
    shift(track.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest])), local);
    metres
}

/// Whether `joint` itself, and not what it hangs on, is at the start so far from its rest that `away` leads back.
fn is_off_by(input: &Input, clip: &Clip, joint: usize, away: DVec3) -> bool {
    let Some(start) = clip.tracks[joint].translation.as_ref().and_then(|curve| curve.sample(0.0)) else { return false };
    let own = (input.skeleton.joints[joint].rest.translation - start).as_dvec3();
    let own = parent_at(input.skeleton, clip, joint, 0.0).matrix3 * own;
    own.with_y(0.0).distance(away) <= MOST_BESIDE * away.length()
}

/// Whether nothing above `joint` moves.
fn hangs_still(input: &Input, clip: &Clip, joint: usize) -> bool {
    let at_start = parent_at(input.skeleton, clip, joint, 0.0);
    let times = frame_times(clip, input.skeleton.ancestors(joint).skip(1), clip.fps());
    times.iter().all(|&time| parent_at(input.skeleton, clip, joint, time).abs_diff_eq(at_start, ALIKE))
}

/// Moves all values of `curve`; tangents are slopes and stay.
fn shift(curve: &mut Curve<Vec3>, by: DVec3) {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let values = curve.values.iter_mut().enumerate().filter(|(i, _)| !is_spline || i % 3 == 1);
    values.for_each(|(_, value)| *value = (value.as_dvec3() + by).as_vec3());
}
