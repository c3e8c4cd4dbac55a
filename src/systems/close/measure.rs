//! How far a motion is from repeating, measured on its joints in the world.

use glam::{DQuat, DVec3};

use super::Input;
use super::cycle::CycleMap;
use super::report::Gap;
use super::seam::{Seam, SeamPoses};
use crate::anim::root_motion::rig_size;
use crate::anim::{Clip, Pose};
use crate::math::mean::angle_between;

/// Seconds over which the speed right before the end and right after the start is measured: short, so that it is that of the curves
/// there and not of the frames beside; long against what 32-bit keys can tell.
const INSTANT: f64 = 5e-4;

/// The gap of `clip`; `quickest` is the largest speed of a joint, units per second.
pub(super) fn gap(input: &Input, clip: &Clip, cycle: &CycleMap, quickest: f64) -> Gap {
    let end = clip.duration;
    let pose = |time: f64| clip.pose_at(input.skeleton, time);
    let poses = [0.0, INSTANT, end - INSTANT, end].map(pose);
    let [start, after, before, last] = poses.each_ref().map(|pose| places(input, pose));
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
        // What is not the body's may stay behind.
        let (place, speed) = if is_body || carried.0 < rest.0 { carried } else { rest };
        let (place, velocity) = (place / size, speed / INSTANT / quickest.max(f64::MIN_POSITIVE));
        let local = |pose: &Pose| pose.locals[joint].rotation;
        let is_root = input.root.is_some_and(|root| root.joint == joint);
        let turned = if is_root { 0.0 } else { angle_between(local(&poses[0]), local(&poses[3])) };
        gap.turn = gap.turn.max(turned);
        if place > gap.place {
            (gap.place, gap.place_joint) = (place, joint);
        }
        if velocity > gap.velocity {
            (gap.velocity, gap.velocity_joint) = (velocity, joint);
        }
    }
    gap
}

/// The largest speed of any joint between two of `times`, units per second; at least what crosses a thousandth of the body.
pub(super) fn quickest(input: &Input, times: &[f64]) -> f64 {
    let mut quickest = 1e-3 * size(input);
    let mut pose = Pose::rest(input.skeleton);
    let (mut before, mut here) = (Vec::new(), Vec::new());
    for (i, &time) in times.iter().enumerate() {
        std::mem::swap(&mut before, &mut here);
        pose.set_rest(input.skeleton);
        input.clip.sample(input.skeleton, time, &mut pose);
        here = places(input, &pose);
        if i > 0 {
            let way = before.iter().zip(&here).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            quickest = f64::max(quickest, way / (time - times[i - 1]).max(0.5 / input.fps));
        }
    }
    quickest
}

/// How much of what `made` changes is seen: the speeds that were added, against those that were there, squared and summed up; and the
/// farthest that a joint was moved, world units.
pub(super) fn change(seam: &Seam, incoming: &SeamPoses, made: &SeamPoses, quickest: f64) -> [f64; 2] {
    let times = seam.times;
    let sides =
        [(&incoming.start, &made.start, &times[..=seam.first]), (&incoming.end, &made.end, &times[seam.last..])];
    let (mut seen, mut moved) = (0.0, 0.0);
    for (old, new, times) in sides {
        let old: Vec<Vec<DVec3>> = old.iter().map(|pose| places(seam.input, pose)).collect();
        let new: Vec<Vec<DVec3>> = new.iter().map(|pose| places(seam.input, pose)).collect();
        for (i, joint) in (0..times.len()).flat_map(|i| (0..seam.input.skeleton.len()).map(move |joint| (i, joint))) {
            moved = f64::max(moved, old[i][joint].distance(new[i][joint]));
            if i > 0 {
                let step = times[i] - times[i - 1];
                let was = old[i][joint] - old[i - 1][joint];
                let added = (new[i][joint] - new[i - 1][joint] - was) / step;
                // A tenth of the quickest speed: what stands still may not count without end.
                let floor = 0.1 * quickest;
                seen += step * added.length_squared() / ((was / step).length_squared() + floor * floor);
            }
        }
    }
    [seen, moved]
}

/// The body's size; a metre where it has none, such as a thing of one joint.
fn size(input: &Input) -> f64 {
    let size = rig_size(input.skeleton);
    if size > 0.0 { size } else { input.metres_per_unit.recip() }
}

/// World places of all joints.
fn places(input: &Input, pose: &Pose) -> Vec<DVec3> {
    let mut world: Vec<glam::DAffine3> = Vec::with_capacity(pose.locals.len());
    for (joint, local) in input.skeleton.joints.iter().zip(&pose.locals) {
        let local = local.to_affine_f64();
        world.push(joint.parent.map_or(local, |parent| world[parent] * local));
    }
    world.into_iter().map(|place| place.translation).collect()
}
