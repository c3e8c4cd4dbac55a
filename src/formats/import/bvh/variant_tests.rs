//! The same motions written with other rest poses, axes, units and root positions.

use std::f32::consts::FRAC_PI_2;
use std::fmt::Write as _;
use std::path::Path;

use glam::{EulerRot, Quat, Vec3};
use portamento_anim::{Model, Pose};
use portamento_base::message::Message;

use super::from_bytes;
use crate::import::Imported;

/// Bones of a person with Y up that looks along Z: name, parent, direction and length in metres.
const BONES: [(&str, usize, Vec3, f32); 11] = [
    ("Chest", 0, Vec3::Y, 0.45),
    ("Head", 1, Vec3::Y, 0.35),
    ("LeftUpLeg", 0, Vec3::X, 0.1),
    ("LeftLeg", 3, Vec3::NEG_Y, 0.45),
    ("LeftFoot", 4, Vec3::NEG_Y, 0.45),
    ("RightUpLeg", 0, Vec3::NEG_X, 0.1),
    ("RightLeg", 6, Vec3::NEG_Y, 0.45),
    ("RightFoot", 7, Vec3::NEG_Y, 0.45),
    ("RightToe", 8, Vec3::Z, 0.15),
    ("LeftArm", 1, Vec3::X, 0.85),
    ("RightArm", 1, Vec3::NEG_X, 0.85),
];
const HIPS_HEIGHT: f32 = 0.9;
const FRAMES: usize = 31;

/// The body at one time.
struct Stance {
    hips: Vec3,
    body: Quat,
    /// Forward bend of thighs and shins, radians.
    legs: [f32; 2],
}

/// Returns the stance at a time, 0 … 1 s.
type Motion = fn(f32) -> Stance;
const MOTIONS: [(Motion, &str); 2] = [(walk, "walk"), (get_up, "get up")];
/// Motions that look alike along two axes, or whose hips move up and down more than to the side.
const LOW_AND_HIGH: [(Motion, &str); 5] =
    [(jump, "jump"), (sit_low, "sit low"), (lie, "lie"), (cartwheel, "cartwheel"), (swim, "swim")];

/// The pose of the bones at rest.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Stands with its arms to the sides.
    Standing,
    /// All bones point in one direction, with Y up.
    Along(Vec3),
    /// Stands, then turned as a whole.
    Turned(Quat),
}

impl Rest {
    /// Returns the rotation of a bone from its direction at rest to `standing`, its direction in a standing pose.
    fn to_standing(self, standing: Vec3) -> Quat {
        match self {
            Self::Standing => Quat::IDENTITY,
            Self::Along(direction) => Quat::from_rotation_arc(direction, standing),
            Self::Turned(turn) => turn.inverse(),
        }
    }
}

/// The way in which a motion is written.
#[derive(Clone, Copy)]
struct Writing {
    rest: Rest,
    /// Units per metre.
    units: f32,
    z_up: bool,
    /// The rest pose stands along Y although the motion has Z up.
    rest_keeps_y: bool,
    /// Angle about the upward axis by which rest pose and motion are turned, degrees.
    heading: f32,
    /// The offset of the hips.
    offset: Vec3,
    /// The offset is subtracted from the positions.
    relative: bool,
}

const PLAIN: Writing = Writing {
    rest: Rest::Standing,
    units: 100.0,
    z_up: false,
    rest_keeps_y: false,
    heading: 0.0,
    offset: Vec3::ZERO,
    relative: false,
};

impl Writing {
    /// Returns the rotation from the figure to the axes of the file.
    fn axes(&self) -> Quat {
        let up = if self.z_up { Quat::from_rotation_x(FRAC_PI_2) } else { Quat::IDENTITY };
        up * Quat::from_rotation_y(self.heading.to_radians())
    }

    /// Returns the rotation from the figure to the axes of the rest pose.
    fn rest_axes(&self) -> Quat {
        if self.rest_keeps_y { Quat::IDENTITY } else { self.axes() }
    }
}

/// Returns a walk at 1 m/s at the time `t` (0 … 1 s).
fn walk(t: f32) -> Stance {
    let hips = Vec3::new(0.0, HIPS_HEIGHT - 0.03 * (12.0 * t).sin().abs(), t);
    Stance { hips, body: Quat::IDENTITY, legs: [0.0; 2] }
}

/// Returns a body that lies on its back for a while and then gets up about its feet, which stay on the ground.
fn get_up(t: f32) -> Stance {
    let uprightness = ((t - 0.6) / 0.3).clamp(0.0, 1.0);
    let height = 0.12 + (HIPS_HEIGHT - 0.12) * (uprightness * FRAC_PI_2).sin();
    Stance { hips: height * Vec3::Y, body: Quat::from_rotation_x((uprightness - 1.0) * FRAC_PI_2), legs: [0.0; 2] }
}

/// Returns a body that jumps on the spot.
fn jump(t: f32) -> Stance {
    let hips = (HIPS_HEIGHT + (1.2 * (6.0 * t).sin()).max(0.0)) * Vec3::Y;
    Stance { hips, body: Quat::IDENTITY, legs: [0.0, 0.01] }
}

/// Returns a body that sits on a step of 0.2 m.
fn sit_low(t: f32) -> Stance {
    Stance { hips: 0.2 * Vec3::Y, body: Quat::from_rotation_y(0.1 * (6.0 * t).sin()), legs: [FRAC_PI_2, 1.11] }
}

/// Returns a body that stands 2 m in front of the origin, with its soles a little above the ground.
fn stand_away(t: f32) -> Stance {
    let hips = Vec3::new(1.0, HIPS_HEIGHT + 0.03 + 0.002 * t, 2.0);
    Stance { hips, body: Quat::IDENTITY, legs: [0.0, 0.01] }
}

/// Returns a body that sits on the floor and sways.
fn sit_on_floor(t: f32) -> Stance {
    let body = Quat::from_rotation_x(0.03 * (6.0 * t).sin());
    Stance { hips: 0.07 * Vec3::Y, body, legs: [FRAC_PI_2, FRAC_PI_2] }
}

/// Returns a body that lies on its back.
fn lie(t: f32) -> Stance {
    Stance { hips: (0.12 + 0.01 * (6.0 * t).sin()) * Vec3::Y, body: Quat::from_rotation_x(-FRAC_PI_2), legs: [0.0; 2] }
}

/// Returns a body that turns over sideways once.
fn cartwheel(t: f32) -> Stance {
    let body = Quat::from_rotation_z(-std::f32::consts::TAU * t);
    Stance { hips: Vec3::new(-2.5 * t, 0.95, 0.0), body, legs: [0.0, 0.01] }
}

/// Returns a body that moves along Z at 1 m/s just below the height 0, face down.
fn swim(t: f32) -> Stance {
    Stance { hips: Vec3::new(0.0, -0.1, t), body: Quat::from_rotation_x(1.5), legs: [0.0; 2] }
}

/// Returns the world rotation of every joint relative to the standing pose. Straight legs of a standing body swing as
/// `sin(6 t)`.
fn rotations(&Stance { body, legs: [thigh, shin], .. }: &Stance, t: f32) -> Vec<Quat> {
    let is_straight = thigh == 0.0 && shin == 0.0;
    let swing = if is_straight { 0.5 * (6.0 * t).sin() * (body * Vec3::Y).y.max(0.0).powi(2) } else { 0.0 };
    let mut all = vec![body];
    for (name, ..) in BONES {
        let turn = match name {
            "LeftLeg" => Quat::from_rotation_x(swing - thigh),
            "LeftFoot" => Quat::from_rotation_x(swing - shin),
            "RightLeg" => Quat::from_rotation_x(-swing - thigh),
            "RightFoot" | "RightToe" => Quat::from_rotation_x(-swing - shin),
            _ => Quat::IDENTITY,
        };
        all.push(body * turn);
    }
    all
}

/// Returns the joint positions of the motion by its formula, metres with Y up.
fn positions(motion: Motion, t: f32) -> Vec<Vec3> {
    let stance = motion(t);
    let turns = rotations(&stance, t);
    let mut all = vec![stance.hips];
    for (i, &(_, parent, direction, length)) in BONES.iter().enumerate() {
        all.push(all[parent] + turns[i + 1] * direction * length);
    }
    all
}

/// Writes the motion as BVH. Bone `i` ends at joint `i + 1`; its direction is set by the rotation of a joint in between.
fn written(motion: Motion, writing: &Writing) -> Vec<u8> {
    let Writing { rest, units, offset, relative, .. } = *writing;
    let (axes, rest_axes) = (writing.axes(), writing.rest_axes());
    let mut text = String::from("HIERARCHY\nROOT Hips\n{\n");
    let vector = |v: Vec3| format!("{:.5} {:.5} {:.5}", v.x, v.y, v.z);
    let moved = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";
    let _ = write!(text, "OFFSET {}\n{moved}", vector(axes * offset * units));
    let mut order = Vec::new();
    joints(0, writing, rest_axes, &mut text, &mut order);
    let _ = write!(text, "}}\nMOTION\nFrames: {FRAMES}\nFrame Time: 0.0333333\n");
    for frame in 0..FRAMES {
        let t = frame as f32 / 30.0;
        let stance = motion(t);
        let from = if relative { offset } else { Vec3::ZERO };
        let mut numbers = vec![vector(axes * (stance.hips - from) * units)];
        let turns = rotations(&stance, t);
        let to_bone = |bone: usize| {
            let (_, _, direction, _) = BONES[bone];
            turns[bone + 1] * rest.to_standing(direction)
        };
        let mut degrees = |parent_axes: Quat, q: Quat| {
            let (z, x, y) = (parent_axes * q * rest_axes.inverse()).to_euler(EulerRot::ZXY);
            numbers.push(vector(Vec3::new(z.to_degrees(), x.to_degrees(), y.to_degrees())));
        };
        degrees(axes, turns[0]);
        for &bone in &order {
            let parent = BONES[bone].1;
            let parent_turn = if parent == 0 { turns[0] } else { to_bone(parent - 1) };
            degrees(rest_axes, parent_turn.inverse() * to_bone(bone));
        }
        text.push_str(&numbers.join(" "));
        text.push('\n');
    }
    text.into_bytes()
}

/// Writes the joints below `joint`: for each bone a joint at its start that turns it, and below that its end.
fn joints(joint: usize, writing: &Writing, axes: Quat, text: &mut String, order: &mut Vec<usize>) {
    for (bone, &(name, parent, direction, length)) in BONES.iter().enumerate() {
        if parent != joint {
            continue;
        }
        let along = axes * (writing.rest.to_standing(direction).inverse() * direction) * length * writing.units;
        order.push(bone);
        let _ = write!(text, "JOINT {name}_turn\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
        let _ = write!(text, "JOINT {name}\n{{\nOFFSET {:.5} {:.5} {:.5}\nCHANNELS 0\n", along.x, along.y, along.z);
        joints(bone + 1, writing, axes, text, order);
        text.push_str("}\n}\n");
    }
}

/// Returns the position of a joint in the read file at `t`, metres.
fn read_position(read: &Imported, joint: &str, t: f32) -> Vec3 {
    let Model { skeleton, clips, .. } = &read.model;
    let index = skeleton.joints.iter().position(|each| each.name == joint).unwrap();
    let pose: Pose = clips[0].pose_at(skeleton, f64::from(t));
    pose.world_from_joint(skeleton, index).translation.as_vec3() * read.metres_per_unit as f32
}

/// Reads the motion as written and compares its joints and its unit with the formula.
fn check(motion: Motion, writing: &Writing, case: &str) -> Imported {
    let read = from_bytes(Path::new("a.bvh"), &written(motion, writing)).unwrap();
    assert!((read.metres_per_unit * f64::from(writing.units) - 1.0).abs() < 1e-3, "{case}: {}", read.metres_per_unit);
    for frame in [0, 10, FRAMES - 1] {
        let t = frame as f32 / 30.0;
        let expected = positions(motion, t);
        for (i, (name, ..)) in BONES.iter().enumerate() {
            let expected = Quat::from_rotation_y(writing.heading.to_radians()) * expected[i + 1];
            let apart = read_position(&read, name, t).distance(expected);
            assert!(apart < 2e-3, "{case}: {name} at {t} is {apart} m off");
        }
    }
    read
}

#[test]
fn any_rest_pose_axis_and_unit_gives_the_same_motion() {
    let along = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_Z].map(Rest::Along);
    let rests = std::iter::once(Rest::Standing).chain(along);
    for (motion, name) in MOTIONS {
        for rest in rests.clone() {
            for (units, z_up) in [(100.0, false), (100.0, true), (1.0, false), (1.0 / 0.0254, true), (1000.0, false)] {
                let case = format!("{name}, rest {rest:?}, {units} units, Z up {z_up}");
                let read = check(motion, &Writing { rest, units, z_up, ..PLAIN }, &case);
                let is_told = read.warnings.iter().any(|warning| warning.to_string().contains("stands along Z"));
                assert_eq!(is_told, z_up, "{case}");
            }
        }
    }
}

#[test]
fn the_frames_decide_which_axis_is_up_and_how_large_the_figure_is() {
    let on_its_side = Rest::Turned(Quat::from_rotation_z(-FRAC_PI_2));
    let on_its_back = Rest::Turned(Quat::from_rotation_x(-FRAC_PI_2));
    for (motion, name) in LOW_AND_HIGH.iter().chain(&MOTIONS) {
        for rest in [Rest::Standing, on_its_side, on_its_back] {
            for z_up in [false, true] {
                check(*motion, &Writing { rest, z_up, ..PLAIN }, &format!("{name}, rest {rest:?}, Z up {z_up}"));
            }
        }
    }
}

#[test]
fn a_figure_along_z_is_recognised_whatever_its_heading_and_rest_pose() {
    for (motion, name) in MOTIONS {
        for heading in [-90.0, 0.0, 60.0, 90.0, 180.0] {
            for (z_up, rest_keeps_y) in [(false, false), (true, false), (true, true)] {
                // A body that rests along Y and does not travel along Y looks like one that lies.
                if rest_keeps_y && (name != "walk" || ![0.0, 180.0].contains(&heading)) {
                    continue;
                }
                let case = format!("{name}, heading {heading}, Z up {z_up}, rest along Y {rest_keeps_y}");
                check(motion, &Writing { heading, z_up, rest_keeps_y, ..PLAIN }, &case);
            }
        }
    }
}

#[test]
fn root_positions_replace_the_offset_unless_the_figure_would_stand_below_the_ground() {
    for offset in [Vec3::ZERO, HIPS_HEIGHT * Vec3::Y, Vec3::new(0.3, HIPS_HEIGHT, -0.2)] {
        for z_up in [false, true] {
            for (motion, name) in MOTIONS {
                for relative in [false, true] {
                    let case = format!("{name}, offset {offset}, Z up {z_up}, relative {relative}");
                    check(motion, &Writing { z_up, offset, relative, ..PLAIN }, &case);
                }
            }
        }
    }
}

#[test]
fn a_root_position_far_from_the_offset_replaces_it_if_the_feet_are_then_on_the_ground() {
    for offset in [HIPS_HEIGHT * Vec3::Y, Vec3::new(0.0, HIPS_HEIGHT, -2.0), Vec3::new(-3.0, HIPS_HEIGHT, -3.0)] {
        for (z_up, relative) in [(false, false), (false, true), (true, false), (true, true)] {
            for (motion, name) in
                MOTIONS.into_iter().chain([(stand_away as Motion, "stand away"), (sit_on_floor, "sit on floor")])
            {
                // With its hips 0.8 m below 0, a seated body looks like one that lies on a ground along Z.
                if relative && name == "sit on floor" {
                    continue;
                }
                let case = format!("{name}, offset {offset}, Z up {z_up}, relative {relative}");
                check(motion, &Writing { z_up, offset, relative, ..PLAIN }, &case);
            }
        }
    }
}

#[test]
fn a_single_frame_needs_no_frame_time_and_labels_may_be_spaced() {
    let text = String::from_utf8(written(walk, &PLAIN)).unwrap();
    let (head, rows) = text.split_once("Frame Time: 0.0333333\n").unwrap();
    let head = head.replace("Frames: 31\n", "");
    let row = rows.lines().next().unwrap();
    for labels in [
        "Frames: 1\nFrame Time: 0",
        "Frames : 1\nFrame Time : 0.0333",
        "FRAMES:1\nFrame Time:0",
        "Frames 1\nFrame Time 0",
        "Frames: 1\nFrameTime: 0",
    ] {
        let pose = format!("{head}{labels}\n{row}\n");
        let read = from_bytes(Path::new("a.bvh"), pose.as_bytes()).unwrap();
        assert_eq!(read.model.clips[0].duration, 0.0, "{labels}");
        assert!(read_position(&read, "Head", 0.0).distance(positions(walk, 0.0)[2]) < 1e-3, "{labels}");
    }
    let stopped = text.replace("0.0333333", "0");
    assert!(from_bytes(Path::new("a.bvh"), stopped.as_bytes()).unwrap_err().to_string().contains("0 s"));
}

#[test]
fn a_rounded_frame_time_is_that_of_its_usual_rate() {
    let text = String::from_utf8(written(walk, &PLAIN)).unwrap();
    let steps = [
        ("0.033", 30.0),
        ("0.0330000", 30.0),
        ("0.0333000", 30.0),
        ("0.0167000", 60.0),
        ("0.0083", 120.0),
        ("0.01667", 60.0),
        ("0.042", 24.0),
        ("0.040", 25.0),
        ("0.0333667", 29.97),
    ];
    for (step, fps) in steps {
        let read = from_bytes(Path::new("a.bvh"), text.replace("0.0333333", step).as_bytes()).unwrap();
        let clip = &read.model.clips[0];
        assert!((clip.duration - 30.0 / fps).abs() < 1e-5, "{step}: {}", clip.duration);
        assert!((clip.key_rate().unwrap() - fps).abs() < 0.001, "{step}: {:?}", clip.key_rate());
    }
    for (written, fps) in
        [("30", 30.0), ("29.97", 29.97), ("120.0", 120.0), ("33.33", 30.0), ("8.33", 120.0), ("40", 25.0)]
    {
        let read = from_bytes(Path::new("a.bvh"), text.replace("0.0333333", written).as_bytes()).unwrap();
        assert!((read.model.clips[0].key_rate().unwrap() - fps).abs() < 0.001, "{written}");
        let is_said = |warning: &Message| warning.to_string().contains(&format!("{fps} frames per second"));
        assert!(read.warnings.iter().any(is_said), "{written}: {:?}", read.warnings);
    }
    // Slides change slowly, and one digit says too little.
    let slow = from_bytes(Path::new("a.bvh"), text.replace("0.0333333", "2").as_bytes()).unwrap();
    assert!((slow.model.clips[0].duration - 60.0).abs() < 1e-6 && slow.warnings.is_empty());
    let read = from_bytes(Path::new("a.bvh"), text.replace("0.0333333", "0.03").as_bytes()).unwrap();
    assert!((read.model.clips[0].duration - 0.9).abs() < 1e-6);
}
