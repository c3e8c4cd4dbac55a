//! Measurements of the gap between the ends of a motion, in world space.

use glam::{DQuat, DVec3};

use super::Input;
use super::cycle::CycleMap;
use super::report::Gap;
use super::seam::{Seam, SeamPoses};
use portamento_anim::math::mean::angle_between;
use portamento_anim::root_motion::rig_size;
use portamento_anim::{Clip, Pose};

/// Interval for measuring the speed right before the end and after the start, seconds. It is short enough to measure the curves,
/// not the neighbouring frames, and long compared to the precision of 32-bit key times.
const SPEED_INTERVAL_SECONDS: f64 = 5e-4;

/// Returns the gap between end and start of `clip`, after the cycle transform. `quickest` is the largest speed of a joint, units
/// per second.
pub(crate) fn gap(input: &Input, clip: &Clip, cycle: &CycleMap, quickest: f64) -> Gap {
    let end = clip.duration;
    let pose = |time: f64| clip.pose_at(input.skeleton, time);
    let poses = [0.0, SPEED_INTERVAL_SECONDS, end - SPEED_INTERVAL_SECONDS, end].map(pose);
    let [start, after, before, last] = poses.each_ref().map(|pose| positions(input, pose));
    let size = size(input);
    let turn = DQuat::from_rotation_y(cycle.turn);
    let mut gap = Gap::default();
    for joint in 0..input.skeleton.len() {
        let rest =
            (start[joint].distance(last[joint]), (after[joint] - start[joint]).distance(last[joint] - before[joint]));
        let carried = (
            cycle.world.transform_point3(start[joint]).distance(last[joint]),
            (turn * (after[joint] - start[joint])).distance(last[joint] - before[joint]),
        );
        let is_body = input.root.is_some_and(|root| input.skeleton.is_within(joint, root.joint));
        // Objects that are not part of the body may stay behind.
        let (distance, speed) = if is_body || carried.0 < rest.0 { carried } else { rest };
        let (distance, velocity) = (distance / size, speed / SPEED_INTERVAL_SECONDS / quickest.max(f64::MIN_POSITIVE));
        let local = |pose: &Pose| pose.locals[joint].rotation;
        let is_root = input.root.is_some_and(|root| root.joint == joint);
        let turned = if is_root { 0.0 } else { angle_between(local(&poses[0]), local(&poses[3])) };
        gap.turn = gap.turn.max(turned);
        if distance > gap.place {
            (gap.place, gap.position_joint) = (distance, joint);
        }
        if velocity > gap.velocity {
            (gap.velocity, gap.velocity_joint) = (velocity, joint);
        }
    }
    gap
}

/// Returns the largest speed of any joint at `times`, units per second, but at least a thousandth of the body size.
pub(crate) fn quickest(input: &Input, times: &[f64]) -> f64 {
    let mut quickest = 1e-3 * size(input);
    let mut pose = Pose::rest(input.skeleton);
    let (mut before, mut current) = (Vec::new(), Vec::new());
    for (i, &time) in times.iter().enumerate() {
        std::mem::swap(&mut before, &mut current);
        pose.set_rest(input.skeleton);
        input.clip.sample(input.skeleton, time, &mut pose);
        current = positions(input, &pose);
        if i > 0 {
            let distance = before.iter().zip(&current).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            quickest = f64::max(quickest, distance / (time - times[i - 1]).max(0.5 / input.fps));
        }
    }
    quickest
}

/// True if no joint changes its velocity from the last step to the first, one cycle on, by more than a joint does between two
/// steps inside the motion. Steps lead from each of `times` (seconds) to the next.
pub(crate) fn continues(input: &Input, times: &[f64], cycle: &CycleMap) -> bool {
    let poses: Vec<Vec<DVec3>> =
        times.iter().map(|&time| positions(input, &input.clip.pose_at(input.skeleton, time))).collect();
    let velocity = |i: usize, joint: usize| (poses[i + 1][joint] - poses[i][joint]) / (times[i + 1] - times[i]);
    let joints = 0..input.skeleton.len();
    let change = |i: usize, joint: usize| velocity(i, joint).distance(velocity(i - 1, joint));
    let inside = (1..times.len() - 1).flat_map(|i| joints.clone().map(move |joint| (i, joint)));
    let largest = inside.map(|(i, joint)| change(i, joint)).fold(0.0, f64::max);
    let turn = DQuat::from_rotation_y(cycle.turn);
    let over_seam = |joint: usize| {
        let (first, last) = (velocity(0, joint), velocity(times.len() - 2, joint));
        // Objects that are not part of the body do not turn with it.
        last.distance(first).min(last.distance(turn * first))
    };
    joints.map(over_seam).all(|change| change <= largest)
}

/// Returns the visibility of the changes from `incoming` to `closed`, and the largest displacement of a joint in world units. The
/// visibility is
///
/// ```text
/// Σ Δt · |added speed|² / (|speed|² + (0.1 · quickest)²)
/// ```
pub(crate) fn change(seam: &Seam, incoming: &SeamPoses, closed: &SeamPoses, quickest: f64) -> [f64; 2] {
    let times = seam.times;
    let sides =
        [(&incoming.start, &closed.start, &times[..=seam.first]), (&incoming.end, &closed.end, &times[seam.last..])];
    let (mut visibility, mut moved) = (0.0, 0.0);
    for (old, new, times) in sides {
        let old: Vec<Vec<DVec3>> = old.iter().map(|pose| positions(seam.input, pose)).collect();
        let new: Vec<Vec<DVec3>> = new.iter().map(|pose| positions(seam.input, pose)).collect();
        for (i, joint) in (0..times.len()).flat_map(|i| (0..seam.input.skeleton.len()).map(move |joint| (i, joint))) {
            moved = f64::max(moved, old[i][joint].distance(new[i][joint]));
            if i > 0 {
                let step = times[i] - times[i - 1];
                let old_step = old[i][joint] - old[i - 1][joint];
                let added = (new[i][joint] - new[i - 1][joint] - old_step) / step;
                // A tenth of the largest speed limits the weight of resting joints.
                let floor = 0.1 * quickest;
                visibility += step * added.length_squared() / ((old_step / step).length_squared() + floor * floor);
            }
        }
    }
    [visibility, moved]
}

/// Returns the size of the body in the file's unit; one metre for a skeleton without extent, such as a single joint.
fn size(input: &Input) -> f64 {
    let size = rig_size(input.skeleton);
    if size > 0.0 { size } else { input.metres_per_unit.recip() }
}

/// Returns the world positions of all joints, in the file's unit.
fn positions(input: &Input, pose: &Pose) -> Vec<DVec3> {
    let mut world: Vec<glam::DAffine3> = Vec::with_capacity(pose.locals.len());
    for (joint, local) in input.skeleton.joints.iter().zip(&pose.locals) {
        let local = local.to_affine_f64();
        world.push(joint.parent.map_or(local, |parent| world[parent] * local));
    }
    world.into_iter().map(|transform| transform.translation).collect()
}
