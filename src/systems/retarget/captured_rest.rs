//! Rest poses that are a frame of a motion, as captured ones are.
//!
//! A foot that is lifted there says neither how high a sole is that stands nor how a foot is turned that does: followed from there, it
//! stands inside the ground. The legs of such a rest are bent so that their feet stand as they do in the motion.

use std::ops::Range;

use glam::DVec3;

use super::Body;
use super::place::{hips_path, soles, standing_heights};
use super::rest_feet::{STANDS_AT_REST, leg_length};
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::{FootPlace, put_foot, sole};
use crate::anim::{Clip, Leg, Pose};

/// Feet whose soles and ankles differ in height by less than this share of the legs stand alike.
const ALIKE: f64 = 0.03;

/// Frames per second at which stands are looked for, and the most frames.
const FPS: f64 = 60.0;
const MOST_FRAMES: f64 = 20_000.0;

/// The rest of `source` with its feet as they stand in `clip`; `None` where they stand alike already, or one never stands.
pub(super) fn settled(source: &Body, clip: &Clip) -> Option<Pose> {
    let mut rest = Pose::rest(source.skeleton);
    if stand_alike(source, &rest) {
        return None;
    }
    let frames = (clip.duration * FPS).ceil().clamp(1.0, MOST_FRAMES);
    let times: Vec<f64> = (0..=frames as usize).map(|frame| clip.duration * frame as f64 / frames).collect();
    let poses: Vec<Pose> = times.iter().map(|&time| clip.pose_at(source.skeleton, time)).collect();
    let stands = foot_contacts(&Walker {
        soles: &soles(source, &poses),
        heights: &standing_heights(source),
        body: &hips_path(source, &poses),
        times: &times,
        metres_per_unit: source.metres_per_unit,
    });
    // Where sole and ankle go slowest: a foot that rolls or is about to leave stands no more.
    let flattest = |(leg, ranges): (&Leg, &Vec<Range<usize>>)| {
        let way = |frame: usize| -> f64 {
            let at = |frame: usize| FootPlace::from_pose(source.skeleton, leg, &poses[frame]);
            let [before, after] = [at(frame - 1), at(frame + 1)];
            before.sole.distance(after.sole) + before.ankle.distance(after.ankle)
        };
        let within = ranges.iter().cloned().flatten().filter(|frame| (1..poses.len() - 1).contains(frame));
        let ways = within.map(|frame| (way(frame), frame));
        Some(&poses[ways.min_by(|a, b| a.0.total_cmp(&b.0))?.1])
    };
    let standing: Vec<&Pose> = source.roles.legs.iter().zip(&stands).map(flattest).collect::<Option<_>>()?;
    let legs = || source.roles.legs.iter().zip(&standing);
    let lowest = legs().map(|(leg, pose)| sole(source.skeleton, leg, pose).y).fold(f64::INFINITY, f64::min);
    let at_rest = legs().map(|(leg, _)| sole(source.skeleton, leg, &rest).y).fold(f64::INFINITY, f64::min);
    // A motion on a ground of its own.
    let up = if (at_rest - lowest).abs() <= STANDS_AT_REST * leg_length(source) { 0.0 } else { at_rest - lowest };
    for (leg, pose) in legs() {
        let place = FootPlace::from_pose(source.skeleton, leg, pose);
        let aside = FootPlace::from_pose(source.skeleton, leg, &rest).ankle - place.ankle;
        put_foot(source.skeleton, leg, &place.moved(DVec3::new(aside.x, up, aside.z)), &mut rest);
    }
    rest.locals.iter().all(|local| local.is_finite()).then_some(rest)
}

/// Whether every foot has another that is as high as it.
fn stand_alike(body: &Body, rest: &Pose) -> bool {
    let heights = |leg: &Leg| {
        [leg.toe.unwrap_or(leg.foot), leg.foot].map(|joint| rest.world_from_joint(body.skeleton, joint).translation.y)
    };
    let feet: Vec<[f64; 2]> = body.roles.legs.iter().map(heights).collect();
    let most = ALIKE * leg_length(body);
    let has_twin = |(index, foot): (usize, &[f64; 2])| {
        let mut others = feet.iter().enumerate().filter(|(other, _)| *other != index);
        others.any(|(_, other)| foot.iter().zip(other).all(|(a, b)| (a - b).abs() <= most))
    };
    feet.len() < 2 || feet.iter().enumerate().all(has_twin)
}
