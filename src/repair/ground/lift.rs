//! Ground correction of a motion without stances, such as a jump or a fall: it is raised as a unit if any part is in the ground.

use super::plants::{Foot, sole_height};
use super::shoes::Shoes;
use super::{Built, Input, Report, Settings, body, raise};
use portamento_anim::Pose;
use portamento_anim::pose_keys::{PoseSpan, write_poses};

/// Depth up to which a sole counts as touching the ground, metres. Tuned; no derivation recorded.
const GROUND_TOLERANCE_M: f64 = 0.005;

/// Returns `input` raised by one constant until `feet` and body are out of the ground at `times` (seconds). The motion is
/// unchanged if they already are.
pub(super) fn lift(input: &Input, settings: &Settings, feet: &[Foot], times: &[f64]) -> Built {
    let unit = input.metres_per_unit;
    let depth = |foot: &Foot| {
        let sole = sole_height(input, settings, foot.sole());
        let depth_at = |position: &glam::DVec3| Some((input.ground)(*position * unit)? / unit + sole - position.y);
        foot.soles.iter().filter_map(depth_at).filter(|depth| depth.is_finite()).fold(0.0, f64::max)
    };
    let mut clip = input.clip.clone();
    let mut poses: Vec<Pose> = times.iter().map(|&time| clip.pose_at(input.skeleton, time)).collect();
    let body_depths = if body::is_in_ground(input, &poses) { body::depths(input, &poses) } else { Vec::new() };
    let shoes = Shoes { input, settings, feet };
    let deepest = shoes.deepest(&poses, times);
    let depth = feet.iter().map(depth).chain(body_depths).fold(deepest.metres / unit, f64::max);
    if depth * unit <= GROUND_TOLERANCE_M {
        return Built {
            clip,
            report: Report { in_ground: [deepest.metres; 2], in_ground_at: deepest.at, ..Report::default() },
        };
    }
    poses.iter_mut().for_each(|pose| raise(input, input.root.joint, depth, pose));
    write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &poses });
    let remaining = shoes.deepest(&poses, times);
    let report = Report {
        raised: [0.0, depth * unit],
        off_ground: [depth * unit, 0.0],
        in_ground: [deepest.metres, remaining.metres],
        in_ground_at: remaining.at,
        ..Report::default()
    };
    Built { clip, report }
}
