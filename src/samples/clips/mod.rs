//! The hero's clips, one per file: key poses and footsteps.

pub mod idle;
pub mod walk;
pub mod walk_uphill;
pub mod run;
pub mod run_to_stop;
pub mod start_run;
pub mod leap_strike;
pub mod dash_back_step;
pub mod cast;
pub mod vault;
pub mod jump;
pub mod mantle;
pub mod drop;
pub mod turn;
pub mod turn_quarter;

#[cfg(test)]
mod crossing_tests;

use super::hero::rig;
use super::motion::plan::Plan;
use super::motion::posing::Posing;
use super::motion::spline::interpolate;

/// Returns the key at `frame` of `posing` with the pelvis at `height` metres in the world. `roots` are the heights of the
/// root by frame, metres.
fn raised(frame: f64, height: f64, roots: &[(f64, f64)], posing: Posing) -> (f64, Posing) {
    let standing = rig::positions()[rig::HIPS].y;
    let [x, _, z] = posing.hips;
    (frame, Posing { hips: [x, 0.0, z], lift: height - standing - interpolate(roots, frame), ..posing })
}

/// Returns the plan of every clip, in menu order.
pub(super) fn plans() -> Vec<Plan> {
    vec![
        idle::plan(),
        walk::plan(),
        walk_uphill::plan(),
        run::plan(),
        start_run::plan(),
        run_to_stop::plan(),
        leap_strike::plan(),
        dash_back_step::plan(),
        cast::plan(),
        turn::plan(),
        turn_quarter::left(),
        turn_quarter::right(),
        vault::plan(),
        mantle::plan(),
        jump::plan(),
        drop::plan(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bake::{self, FPS};
    use glam::{DQuat, DVec3};
    use portamento_anim::{Clip, Skeleton};

    /// Returns every plan with its clip.
    fn baked() -> Vec<(Plan, Clip)> {
        let skeleton = rig::skeleton();
        plans().into_iter().map(|plan| (plan.clone(), bake::clip(&plan, &skeleton))).collect()
    }

    /// Returns the world position of `joint` in every frame.
    fn path(clip: &Clip, skeleton: &Skeleton, joint: usize) -> Vec<DVec3> {
        let frames = (clip.duration * FPS).round() as usize;
        let pose = |frame: usize| clip.pose_at(skeleton, frame as f64 / FPS);
        (0..=frames).map(|frame| pose(frame).world_from_joint(skeleton, joint).translation).collect()
    }

    fn flat_speed(pair: &[DVec3]) -> f64 {
        (pair[1] - pair[0]).with_y(0.0).length() * FPS
    }

    #[test]
    fn a_planted_foot_does_not_slide() {
        let skeleton = rig::skeleton();
        for (plan, clip) in baked() {
            for side in 0..2 {
                let steps = plan.unrolled(side);
                let toe = path(&clip, &skeleton, rig::TOE[side]);
                let height = |toe: &DVec3| toe.y - plan.rise * toe.z - plan.profile.height(toe.z);
                for (frame, pair) in toe.windows(2).enumerate() {
                    let (from, to) = (frame as f64, frame as f64 + 1.0);
                    let planted = steps.plants.iter().any(|plant| plant.flat <= from && to <= plant.off);
                    // Also judged by height alone: a foot within 6 mm of its resting height is planted.
                    let low = pair.iter().all(|position| height(position) < 0.036);
                    assert!(!(planted || low) || flat_speed(pair) <= 0.01, "{} frame {frame} side {side}", plan.name);
                }
                assert!(toe.iter().all(|position| height(position) > 0.025), "{} toe below the ground", plan.name);
            }
        }
    }

    #[test]
    fn every_foot_is_within_reach() {
        let skeleton = rig::skeleton();
        for (plan, clip) in baked() {
            for side in 0..2 {
                for (frame, ankle) in path(&clip, &skeleton, rig::FOOT[side]).into_iter().enumerate() {
                    let ground = plan.ground(frame as f64);
                    let wanted = plan.foot(side, frame as f64).ankle;
                    let wanted = DQuat::from_rotation_y(ground.yaw.to_radians()) * wanted + ground.position;
                    assert!(ankle.distance(wanted) < 1e-3, "{} frame {frame} side {side}", plan.name);
                }
            }
        }
    }

    #[test]
    fn a_cycle_ends_in_its_first_pose() {
        let skeleton = rig::skeleton();
        for (plan, clip) in baked().into_iter().filter(|(plan, _)| plan.cyclic) {
            let [mut first, mut last] = [0.0, clip.duration].map(|time| clip.pose_at(&skeleton, time));
            let travel = f64::from(last.locals[rig::ROOT].translation.z - first.locals[rig::ROOT].translation.z);
            assert!((travel - plan.travel()).abs() < 1e-5);
            first.locals[rig::ROOT].translation = glam::Vec3::ZERO;
            last.locals[rig::ROOT].translation = glam::Vec3::ZERO;
            assert_eq!(first, last, "{}", plan.name);
            for joint in rig::CAPE.into_iter().chain([rig::HAIR]) {
                seam_is_smooth(&clip, joint + rig::STRAND_JOINTS - 1);
            }
        }
    }

    /// Checks that the step onto the copied last frame is similar to its neighbours.
    fn seam_is_smooth(clip: &Clip, joint: usize) {
        let curve = clip.tracks[joint].rotation.as_ref().unwrap();
        let step = |pair: &[glam::Quat]| portamento_anim::math::mean::angle_between(pair[0], pair[1]);
        let steps: Vec<f64> = curve.values.windows(2).map(step).collect();
        let seam = steps[steps.len() - 1];
        let neighbour = steps[steps.len() - 2].max(steps[0]);
        assert!(seam <= 1.6 * neighbour + 0.01, "{} joint {joint}: {seam} neighbour {neighbour}", clip.name);
    }

    #[test]
    fn hair_and_cape_never_jump() {
        for (plan, clip) in baked() {
            for joint in rig::HAIR..rig::SHOULDER[0] {
                let curve = clip.tracks[joint].rotation.as_ref().unwrap();
                let step =
                    |pair: &[glam::Quat]| portamento_anim::math::mean::angle_between(pair[0], pair[1]).to_degrees();
                let steps: Vec<f64> = curve.values.windows(2).map(step).collect();
                let most = steps.iter().copied().fold(0.0, f64::max);
                // A leap moves them more than steps do.
                let limit =
                    if matches!(plan.name, "leap_strike" | "dash_back_step" | "vault" | "drop") { 18.0 } else { 16.0 };
                assert!(most < limit, "{} joint {joint}: {most}° in a frame", plan.name);
            }
        }
    }

    #[test]
    fn the_root_is_at_rest_in_crouch_and_hang_and_before_the_dash() {
        let rests =
            [("leap_strike", 0..=18), ("leap_strike", 28..=38), ("leap_strike", 43..=76), ("dash_back_step", 15..=23)];
        for (name, frames) in rests {
            let (_, clip) = baked().into_iter().find(|(plan, _)| plan.name == name).unwrap();
            let keys = &clip.tracks[rig::ROOT].translation.as_ref().unwrap().values[frames];
            assert!(keys.iter().all(|key| key == &keys[0]), "{name}");
        }
    }

    #[test]
    fn walk_and_run_keep_their_speed_and_the_dash_goes_back_first() {
        for (plan, clip) in baked() {
            let keys = clip.tracks[rig::ROOT].translation.as_ref().unwrap().values.clone();
            let wanted = match plan.name {
                "walk" => 1.4,
                "walk_uphill" => 1.1,
                "run" => 4.0,
                "dash_back_step" => {
                    assert!(keys[15].z < -0.6 && keys[66].z > 2.5);
                    continue;
                }
                _ => continue,
            };
            assert!(keys.windows(2).all(|pair| (f64::from(pair[1].z - pair[0].z) * FPS - wanted).abs() < 1e-4));
        }
    }

    #[test]
    fn start_and_stop_meet_the_run() {
        let skeleton = rig::skeleton();
        let all = baked();
        let pose = |name: &str, end: bool| {
            let (_, clip) = all.iter().find(|(plan, _)| plan.name == name).unwrap();
            clip.pose_at(&skeleton, if end { clip.duration } else { 0.0 })
        };
        for other in [pose("start_run", true), pose("run_to_stop", false)] {
            for joint in (rig::HIPS..rig::HAIR).chain(rig::SHOULDER[0]..=rig::TOE[1]) {
                let [a, b] = [pose("run", false).locals[joint], other.locals[joint]];
                assert!(portamento_anim::math::mean::angle_between(a.rotation, b.rotation) < 0.02, "joint {joint}");
            }
        }
    }

    #[test]
    fn clips_are_finite_unit_keyed_at_thirty_and_the_same_every_time() {
        let first = baked();
        for (plan, clip) in &first {
            assert_eq!(clip.key_rate(), Some(FPS), "{}", plan.name);
            for track in &clip.tracks {
                let offsets = track.translation.iter().flat_map(|curve| &curve.values);
                assert!(offsets.into_iter().all(|offset| offset.is_finite()));
                let turns = track.rotation.iter().flat_map(|curve| &curve.values);
                assert!(turns.into_iter().all(|turn| (turn.length() - 1.0).abs() < 1e-5), "{}", plan.name);
            }
        }
        assert_eq!(first, baked());
    }
}
