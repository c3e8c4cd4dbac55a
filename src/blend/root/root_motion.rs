//! Root trajectory of a blend: root motion accumulated in f64 over loops and transitions, from the clips of an explicit owner.
//!
//! Every step of a clip's root is taken in the clip's heading, turned into the character's heading and weighted. A loop continues
//! from the end of the previous cycle, yaw included, so N loops travel N times as far. Unreal extracts and accumulates root
//! motion in the same way, per tick. Here it is recorded, so that any time can be looked up.

use std::ops::Range;

use glam::{DAffine3, DQuat, DVec3};
use serde::Serialize;

use super::contributions::{PlayedSpan, RootMotionOwner};
use crate::fades::clock::local_time;
use crate::{Built, Plan};
use portamento_anim::root_motion::{rest_at, turn_of, world_at, wrap};
use portamento_anim::{Clip, Pose, RootKind, RootMotion, Skeleton};

/// The character's root trajectory, recorded at regular times.
#[derive(Clone, Debug, Default)]
pub struct RootTrajectory {
    root: Option<RootMotion>,
    owner: RootMotionOwner,
    /// Root poses at every 1/240 s from 0.
    samples: Vec<RootPose>,
    /// Per clip instance of a scenario, true if its hips are posed and do not travel.
    pub(crate) posed: Vec<bool>,
}

/// Position and heading relative to the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RootPose {
    /// World position, in the unit of the clips.
    pub position: DVec3,
    /// Radians about +Y, unwrapped.
    pub yaw: f64,
}

/// Samples per second of the trajectory.
const SAMPLES_PER_SECOND: f64 = 240.0;

impl Built {
    /// Records the trajectory from 0 to `length` seconds (at most one hour). If `root` is not a joint of the skeleton, the
    /// character does not move.
    pub fn root_trajectory(&self, root: RootMotion, owner: RootMotionOwner, length: f64) -> RootTrajectory {
        let mut trajectory =
            RootTrajectory { root: None, owner, samples: vec![RootPose::default()], posed: Vec::new() };
        if root.joint >= self.bank.skeleton.len() {
            return trajectory;
        }
        trajectory.root = Some(root);
        trajectory.posed = self.posed_instances(root, owner);
        let count = (length.clamp(0.0, 3600.0) * SAMPLES_PER_SECOND).ceil() as usize;
        for sample in 0..count {
            let pose = self.advance(
                &trajectory,
                root,
                sample as f64 / SAMPLES_PER_SECOND..(sample + 1) as f64 / SAMPLES_PER_SECOND,
            );
            trajectory.samples.push(pose);
        }
        trajectory
    }

    /// Returns the root pose at `time` (seconds); constant after the end of the recording.
    fn root_pose_at(&self, trajectory: &RootTrajectory, time: f64) -> RootPose {
        let sample = (time.max(0.0) * SAMPLES_PER_SECOND) as usize;
        let start = sample as f64 / SAMPLES_PER_SECOND;
        let samples = &trajectory.samples;
        match trajectory.root {
            Some(root) if sample + 1 < samples.len() && time > start => self.advance(trajectory, root, start..time),
            _ => samples.get(sample).or(samples.last()).copied().unwrap_or_default(),
        }
    }

    /// Moves the root joint of `pose` to the character's position and heading at `time` (seconds). Other local transforms are
    /// unchanged. Does nothing if the skeleton has no such joint, or if its parent has scale 0.
    pub fn apply_root_motion(&self, trajectory: &RootTrajectory, time: f64, pose: &mut Pose) {
        let Some(root) = trajectory.root else { return };
        let skeleton = &self.bank.skeleton;
        let parent = skeleton.joints[root.joint].parent;
        let parent = parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent));
        let world = parent * pose.locals[root.joint].to_affine_f64();
        let rest = rest_at(skeleton, root.joint);
        let posed = self.posed_root(trajectory, root, time);
        let RootPose { position, yaw } = posed.added_to(self.root_pose_at(trajectory, time), yaw_of(&world, &rest));
        let turn = DQuat::from_rotation_y(yaw);
        let (scale, rotation, own) = world.to_scale_rotation_translation();
        let target = rest.translation + position;
        let translation = match root.kind {
            RootKind::Root => target,
            RootKind::HipsGroundPart => DVec3::new(target.x, own.y, target.z),
        };
        let local = parent.inverse() * DAffine3::from_scale_rotation_translation(scale, turn * rotation, translation);
        let (_, rotation, translation) = local.to_scale_rotation_translation();
        // A parent with scale 0 has no inverse.
        if rotation.is_finite() && translation.is_finite() {
            pose.locals[root.joint].rotation = rotation.as_quat().normalize();
            pose.locals[root.joint].translation = translation.as_vec3();
        }
    }

    /// Returns the root pose at the end of `span` (seconds). The span must start at a recorded sample.
    fn advance(&self, trajectory: &RootTrajectory, root: RootMotion, span: Range<f64>) -> RootPose {
        let samples = &trajectory.samples;
        let from = samples[((span.start * SAMPLES_PER_SECOND).round() as usize).min(samples.len() - 1)];
        let mut step = RootPose::default();
        for PlayedSpan { clip, looping, clip_times, share } in self.played_spans(trajectory, root.joint, span) {
            let part = clip_step(&self.bank.skeleton, &self.bank.clips[clip], root, clip_times, looping);
            step.position += part.position * f64::from(share);
            step.yaw += part.yaw * f64::from(share);
        }
        RootPose {
            position: from.position + DQuat::from_rotation_y(from.yaw) * step.position,
            yaw: from.yaw + step.yaw,
        }
    }

    /// Returns the clips that contribute to the root motion of `joint` over `span` (seconds).
    fn played_spans(&self, trajectory: &RootTrajectory, joint: usize, span: Range<f64>) -> Vec<PlayedSpan> {
        match &self.plan {
            Plan::Timeline(timeline) => {
                timeline.contributions(&self.bank, trajectory.owner, joint, &span, &trajectory.posed)
            }
            Plan::Tree { tree, .. } => tree.contributions(&self.bank, trajectory.owner, joint, &span),
        }
    }
}

/// Returns the root's step between two unlooped clip times (seconds), in the heading at the first one.
fn clip_step(skeleton: &Skeleton, clip: &Clip, root: RootMotion, times: Range<f64>, looping: bool) -> RootPose {
    let Range { start, end } = times;
    // A step backwards is the inverse of the step forwards.
    if end < start {
        let RootPose { position, yaw } = clip_step(skeleton, clip, root, end..start, looping);
        return RootPose { position: DQuat::from_rotation_y(-yaw) * -position, yaw: -yaw };
    }
    let local_start = local_time(start, clip.duration, looping);
    let piece = |from: f64, to: f64| straight_step(skeleton, clip, root, from..to);
    if !looping || clip.duration <= 0.0 || local_start + (end - start) <= clip.duration {
        return piece(local_start, local_time(local_start + (end - start), clip.duration, false));
    }
    // Steps last 1/240 s. A clip shorter than that counts as a pose and does not travel.
    let before = piece(local_start, clip.duration);
    let after = piece(0.0, local_time(end, clip.duration, true));
    let turned = DQuat::from_rotation_y(before.yaw) * after.position;
    RootPose { position: before.position + turned, yaw: before.yaw + after.yaw }
}

/// Returns the root's step between two times within the clip (seconds), in the heading at the first one.
fn straight_step(skeleton: &Skeleton, clip: &Clip, root: RootMotion, times: Range<f64>) -> RootPose {
    let rest = rest_at(skeleton, root.joint);
    let worlds = [times.start, times.end].map(|time| world_at(skeleton, clip, root.joint, time));
    let yaws = worlds.map(|world| yaw_of(&world, &rest));
    let mut moved = worlds[1].translation - worlds[0].translation;
    if root.kind == RootKind::HipsGroundPart {
        moved.y = 0.0;
    }
    // Relative to the heading at the start, so that steps of clips with different headings can be mixed.
    RootPose { position: DQuat::from_rotation_y(-yaws[0]) * moved, yaw: wrap(yaws[1] - yaws[0]) }
}

/// Returns the heading of `world` relative to `rest` in radians, within half a turn: the twist about +Y.
pub(crate) fn yaw_of(world: &DAffine3, rest: &DAffine3) -> f64 {
    let rotation = turn_of(world) * turn_of(rest).inverse();
    wrap(2.0 * rotation.y.atan2(rotation.w))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::{Additive, Event, Input, NodeKind, Scenario, Settings, Source, Tree, build};
    use portamento_anim::{Curve, JointTracks, Roles};
    use portamento_base::progress::Progress;
    use portamento_test_support::skeleton_of;

    fn walk(turn: f32) -> Built {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
        let mut clip = Clip { name: "walk".into(), duration: 0.7, tracks: vec![JointTracks::default(); 2] };
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 0.7], vec![Vec3::Y, Vec3::new(0.0, 1.0, 1.3)]));
        let turns = vec![Quat::IDENTITY, Quat::from_rotation_y(turn)];
        clip.tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.7], turns));
        clip.duration = f64::from(0.7_f32);
        let scenario = Scenario {
            run: "walk".into(),
            upper: portamento_anim::MaskChoice::default(),
            events: vec![Event::default()],
            ..Scenario::default()
        };
        let input =
            Input { skeleton: &skeleton, clips: &[&clip], roles: &Roles::default(), markers: &[], travels: &[] };
        build(&input, &Settings::Scenario(scenario), &Progress::new()).unwrap()
    }

    /// Returns a drawn tree that plays the clip of [`walk`] at `speed`, with an additive copy of itself if `added`.
    fn drawn(speed: f64, added: bool) -> Built {
        let Built { bank, .. } = walk(0.3);
        let mut tree = Tree::default();
        let source = Source { clip: "walk".into(), speed, ..Source::default() };
        tree.root = tree.add("walk", NodeKind::Source(source.clone()));
        if added {
            let delta = tree.add("more", NodeKind::Source(source));
            let (mask, reference, in_states) = Default::default();
            let base = tree.root;
            let additive = Additive { base, delta, reference, weight: 0.5, in_states, mask, muted: false };
            tree.root = tree.add("sum", NodeKind::Additive(additive));
        }
        let clips: Vec<&Clip> = bank.clips.iter().collect();
        let input =
            Input { skeleton: &bank.skeleton, clips: &clips, roles: &Roles::default(), markers: &[], travels: &[] };
        build(&input, &Settings::Tree(tree), &Progress::new()).unwrap()
    }

    #[test]
    fn a_drawn_tree_accumulates_root_motion_over_seams_like_a_scenario_in_both_directions() {
        let (scenario, tree, back) = (walk(0.3), drawn(1.0, false), drawn(-1.0, false));
        let [by_scenario, by_tree, by_back] =
            [&scenario, &tree, &back].map(|built| built.root_trajectory(ROOT, RootMotionOwner::WholeBody, 5.0));
        for frame in 0..150 {
            let time = f64::from(frame) / 30.0;
            let (wanted, pose) = (scenario.root_pose_at(&by_scenario, time), tree.root_pose_at(&by_tree, time));
            assert!(wanted.position.distance(pose.position) < 1e-9 && (wanted.yaw - pose.yaw).abs() < 1e-9, "{time}");
        }
        let rounds = 4.0 * f64::from(0.7_f32);
        let [there, gone] = [tree.root_pose_at(&by_tree, rounds), back.root_pose_at(&by_back, rounds)];
        let home = there.position + DQuat::from_rotation_y(there.yaw) * gone.position;
        assert!(there.position.length() > 3.0 && home.length() < 1e-4 && (there.yaw + gone.yaw).abs() < 1e-4, "{home}");
    }

    #[test]
    fn the_owner_decides_whether_a_drawn_tree_follows_what_is_added() {
        let tree = drawn(1.0, true);
        let gone = |owner| tree.root_pose_at(&tree.root_trajectory(ROOT, owner, 2.0), 0.5).yaw;
        let [base, added, all] =
            [RootMotionOwner::WholeBody, RootMotionOwner::UpperBody, RootMotionOwner::Shares].map(gone);
        assert!(
            base > 0.1 && (added - 0.5 * base).abs() < 1e-9 && (all - 1.5 * base).abs() < 1e-9,
            "{base} {added} {all}"
        );
    }

    const ROOT: RootMotion = RootMotion { joint: 0, kind: RootKind::Root };

    #[test]
    fn n_loops_travel_n_times_as_far_and_turn_n_times() {
        let (straight, turning) = (walk(0.0), walk(std::f32::consts::FRAC_PI_2));
        let loops = 50.0;
        let time = loops * f64::from(0.7_f32);
        let trajectory = straight.root_trajectory(ROOT, RootMotionOwner::WholeBody, 40.0);
        let end = straight.root_pose_at(&trajectory, time);
        assert!((end.position.z - loops * f64::from(1.3_f32)).abs() < 1e-6, "{end:?}");
        let trajectory = turning.root_trajectory(ROOT, RootMotionOwner::WholeBody, 40.0);
        // Four quarter turns return to the start. 50 loops are 12 full turns and two quarter turns.
        let end = turning.root_pose_at(&trajectory, time);
        assert!((end.yaw - loops * std::f64::consts::FRAC_PI_2).abs() < 1e-4, "{end:?}");
        let full_turns = turning.root_pose_at(&trajectory, 48.0 * f64::from(0.7_f32));
        assert!(full_turns.position.length() < 1e-3, "{full_turns:?}");
    }

    #[test]
    fn apply_root_motion_moves_the_pose_along_the_trajectory_and_over_seams() {
        let built = walk(0.3);
        let trajectory = built.root_trajectory(ROOT, RootMotionOwner::WholeBody, 3.0);
        let mut pose = Pose::default();
        let mut before: Option<Vec3> = None;
        for frame in 0..85 {
            let time = f64::from(frame) / 30.0;
            built.sample(time, &mut Default::default(), &mut pose);
            built.apply_root_motion(&trajectory, time, &mut pose);
            let at = pose.locals[0].translation;
            assert!(before.is_none_or(|before| (before.distance(at) - 1.3 / 21.0).abs() < 2e-3), "{frame}");
            before = Some(at);
        }
        let not_moving = built.root_trajectory(ROOT, RootMotionOwner::UpperBody, 3.0);
        assert_eq!(built.root_pose_at(&not_moving, 2.5), RootPose::default());
    }
}
