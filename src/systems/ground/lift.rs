//! A motion none of whose feet ever stands: a jump, a fall. Where a sole or another part of the body goes under the ground all of it is
//! raised.

use super::plants::{Foot, sole_height};
use super::shoes::Shoes;
use super::{Built, Input, Report, Settings, body, raise};
use crate::anim::Pose;
use crate::anim::pose_keys::{PoseSpan, write_poses};

/// Metres under the ground up to which a sole is on it.
const UNDER: f64 = 0.005;

/// `input` raised evenly until none of `feet` and nothing else of the body is under the ground; as it is where none was.
pub(super) fn lift(input: &Input, settings: &Settings, feet: &[Foot], times: &[f64]) -> Built {
    let unit = input.metres_per_unit;
    let depth = |foot: &Foot| {
        let sole = sole_height(input, settings, foot.sole());
        let under = |place: &glam::DVec3| Some((input.ground)(*place * unit)? / unit + sole - place.y);
        foot.soles.iter().filter_map(under).filter(|depth| depth.is_finite()).fold(0.0, f64::max)
    };
    let mut clip = input.clip.clone();
    let mut poses: Vec<Pose> = times.iter().map(|&time| clip.pose_at(input.skeleton, time)).collect();
    let of_body = if body::is_in_ground(input, &poses) { body::depths(input, &poses) } else { Vec::new() };
    let shoes = Shoes { input, settings, feet };
    let deepest = shoes.deepest(&poses, times);
    let depth = feet.iter().map(depth).chain(of_body).fold(deepest.metres / unit, f64::max);
    if depth * unit <= UNDER {
        return Built {
            clip,
            report: Report { in_ground: [deepest.metres; 2], in_ground_at: deepest.at, ..Report::default() },
        };
    }
    poses.iter_mut().for_each(|pose| raise(input, input.root.joint, depth, pose));
    write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &poses });
    let left = shoes.deepest(&poses, times);
    let report = Report {
        raised: [0.0, depth * unit],
        off_ground: [depth * unit, 0.0],
        in_ground: [deepest.metres, left.metres],
        in_ground_at: left.at,
        ..Report::default()
    };
    Built { clip, report }
}
