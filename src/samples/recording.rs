//! Recordings of the hero's body as BVH files, as a capture session delivers them: joints without a mesh.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;

use glam::{DQuat, DVec3, EulerRot};

use crate::hero::rig;
use crate::motion::bake::FPS;
use portamento_anim::{Clip, Model, Skeleton};

/// Number of units per metre: the file is in centimetres.
const UNITS_PER_METRE: f64 = 100.0;
/// Rotation of a recording whose Z axis points up; read with Y up, the figure lies on its back.
const LYING: f64 = FRAC_PI_2;
/// Errors of the recording: frame, joint and rotation about its X axis in degrees, for one frame.
const SPIKES: [(usize, usize, f64); 3] =
    [(14, rig::LOWER_ARM[0], 55.0), (31, rig::HEAD, 40.0), (40, rig::LOWER_ARM[1], 70.0)];
/// Frames of the walk: two and a half cycles.
const WALK_FRAMES: usize = 75;
/// Frames of the jog: the cycle of the run and a part of the next one.
const JOG_FRAMES: usize = 47;

/// Returns a walk that lies on its back and has outliers in three frames.
pub(super) fn lying_walk(hero: &Model) -> Vec<u8> {
    let turn = DQuat::from_rotation_x(LYING);
    let frames = (0..WALK_FRAMES).map(|frame| {
        let mut body = Body::at(hero, "walk", frame)?;
        for (_, joint, degrees) in SPIKES.iter().filter(|spike| spike.0 == frame) {
            body.rotations[*joint] *= DQuat::from_rotation_x(degrees.to_radians());
        }
        Some(body)
    });
    bvh(&hero.skeleton, turn, &frames.flatten().collect::<Vec<_>>())
}

/// Returns a run on the spot that does not end where it begins.
pub(super) fn jog_on_the_spot(hero: &Model) -> Vec<u8> {
    let frames = (0..JOG_FRAMES).map(|frame| {
        let mut body = Body::at(hero, "run", frame)?;
        body.hips -= body.root;
        Some(body)
    });
    bvh(&hero.skeleton, DQuat::IDENTITY, &frames.flatten().collect::<Vec<_>>())
}

/// The state of the body in one frame.
struct Body {
    root: DVec3,
    hips: DVec3,
    /// Rotation of each joint relative to its parent.
    rotations: Vec<DQuat>,
}

impl Body {
    /// Returns the body in a frame of a cycle that continues after its end; `None` without such a clip.
    fn at(hero: &Model, clip: &str, frame: usize) -> Option<Self> {
        let clip: &Clip = hero.clips.iter().find(|each| each.name == clip)?;
        let cycle = ((clip.duration * FPS).round() as usize).max(1);
        let pose = clip.pose_at(&hero.skeleton, (frame % cycle) as f64 / FPS);
        let position =
            |time: f64, joint| clip.pose_at(&hero.skeleton, time).world_from_joint(&hero.skeleton, joint).translation;
        let travel = position(clip.duration, rig::ROOT) - position(0.0, rig::ROOT);
        let travelled = travel * (frame / cycle) as f64;
        let [root, hips] = [rig::ROOT, rig::HIPS].map(|joint| pose.world_from_joint(&hero.skeleton, joint).translation);
        let rotations = pose.locals.iter().map(|local| local.rotation.as_dquat()).collect();
        Some(Self { root: root.with_y(0.0) + travelled, hips: hips + travelled, rotations })
    }
}

/// Returns a BVH file of the body in `frames`, with all of it rotated by `turn`.
fn bvh(skeleton: &Skeleton, turn: DQuat, frames: &[Body]) -> Vec<u8> {
    let mut text = String::from("HIERARCHY\n");
    let mut order = Vec::new();
    write_joint(&mut text, skeleton, turn, (rig::HIPS, 0), &mut order);
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {:.6}\n", frames.len(), 1.0 / FPS);
    for body in frames {
        let mut values: Vec<f64> = (turn * body.hips * UNITS_PER_METRE).to_array().to_vec();
        for &joint in &order {
            let (z, x, y) = (turn * body.rotations[joint] * turn.inverse()).to_euler(EulerRot::ZXY);
            values.extend([z, x, y].map(f64::to_degrees));
        }
        // Adding zero turns -0 into 0.
        let values: Vec<String> =
            values.iter().map(|value| format!("{:.3}", (value * 1e3).round() / 1e3 + 0.0)).collect();
        text += &values.join(" ");
        text.push('\n');
    }
    text.into_bytes()
}

/// Writes `joint`, which has that depth, and its children. Adds the written joints to `order`.
fn write_joint(
    text: &mut String,
    skeleton: &Skeleton,
    turn: DQuat,
    (joint, depth): (usize, usize),
    order: &mut Vec<usize>,
) {
    let name = &skeleton.joints[joint].name;
    let indent = "  ".repeat(depth);
    let (kind, channels) = match depth {
        0 => ("ROOT", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
        _ => ("JOINT", "3 Zrotation Xrotation Yrotation"),
    };
    let offset = |metres: DVec3| {
        let [x, y, z] = (turn * metres * UNITS_PER_METRE).to_array().map(|value| (value * 1e3).round() / 1e3 + 0.0);
        format!("OFFSET {x:.3} {y:.3} {z:.3}")
    };
    let rest = skeleton.joints[joint].rest.translation.as_dvec3();
    let at = offset(if depth == 0 { DVec3::ZERO } else { rest });
    let _ = write!(text, "{indent}{kind} {name}\n{indent}{{\n{indent}  {at}\n{indent}  CHANNELS {channels}\n");
    order.push(joint);
    let is_body = |child: &usize| {
        let joint = &skeleton.joints[*child];
        !joint.name.starts_with("hair") && !joint.name.starts_with("cape")
    };
    let children: Vec<usize> =
        (0..skeleton.len()).filter(|&child| skeleton.joints[child].parent == Some(joint)).collect();
    let children: Vec<usize> = children.into_iter().filter(is_body).collect();
    for &child in &children {
        write_joint(text, skeleton, turn, (child, depth + 1), order);
    }
    if children.is_empty() {
        // The last joint points on in the direction of its bone.
        let end = offset(rest.normalize_or(DVec3::Y) * 0.1);
        let _ = write!(text, "{indent}  End Site\n{indent}  {{\n{indent}    {end}\n{indent}  }}\n");
    }
    let _ = writeln!(text, "{indent}}}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::geometry::level::UpAxis;
    use portamento_formats::import::{Imported, bvh};
    use std::path::Path;

    fn read(bytes: &[u8]) -> Imported {
        bvh::from_bytes(Path::new("recording.bvh"), bytes).unwrap()
    }

    #[test]
    fn the_walk_stands_along_z_and_the_jog_stays_on_the_spot() {
        let hero = crate::hero();
        let position = |of: &Imported, joint: &str, frame: usize| {
            let (skeleton, clip) = (&of.model.skeleton, &of.model.clips[0]);
            let pose = clip.pose_at(skeleton, frame as f64 / FPS);
            pose.world_from_joint(skeleton, skeleton.find(joint).unwrap()).translation / UNITS_PER_METRE
        };
        let jog = read(&jog_on_the_spot(&hero));
        assert_eq!(jog.up, UpAxis::Y);
        for frame in 0..JOG_FRAMES {
            let hips = position(&jog, "hips", frame);
            assert!(hips.with_y(0.0).length() < 0.2 && (0.7..1.1).contains(&hips.y), "{frame}: {hips}");
        }
        let walk = read(&lying_walk(&hero));
        assert_eq!(walk.up, UpAxis::Z);
        let travel = position(&walk, "hips", WALK_FRAMES - 1) - position(&walk, "hips", 0);
        assert!(travel.length() > 2.0, "it walks {travel}");
    }
}
