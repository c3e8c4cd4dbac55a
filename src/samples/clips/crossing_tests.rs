//! The promises of the clips that cross something, measured on the character's file.

use super::{drop, jump, mantle, vault};
use crate::hero::rig;
use crate::motion::bake::FPS;
use crate::motion::plan::Plan;
use glam::{DQuat, DVec3, Vec3};
use portamento_anim::math::mean;
use portamento_anim::skinning::{self, MeshTransform};
use portamento_anim::{Clip, Model, Pose};

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Largest relative error of gravity in flight.
const GRAVITY_TOLERANCE: f64 = 0.1;
/// Largest movement of a hand that holds, metres.
const HOLD_TOLERANCE_M: f64 = 0.01;
/// Largest depth of a vertex in the ground or an obstacle, metres.
const PENETRATION_M: f64 = 0.02;
/// Fastest rotation of a joint, degrees per second. Sprinters extend the knee at about 1200 °/s.
const MAX_RATE_DEGREES: f64 = 1200.0;
/// Largest bend of knees and elbows, degrees. Heel against buttock is about 160°.
const MAX_BEND_DEGREES: f64 = 160.0;

/// Returns the plans of the clips that cross something.
fn plans() -> [Plan; 4] {
    [vault::plan(), mantle::plan(), jump::plan(), drop::plan()]
}

/// Returns the clip of that name in the character's file.
fn clip<'a>(hero: &'a Model, name: &str) -> &'a Clip {
    hero.clips.iter().find(|clip| clip.name == name).unwrap()
}

/// Returns the pose of clip `name` at `frame`.
fn pose(hero: &Model, name: &str, frame: f64) -> Pose {
    clip(hero, name).pose_at(&hero.skeleton, frame / FPS)
}

fn position(hero: &Model, name: &str, frame: f64, joint: usize) -> DVec3 {
    pose(hero, name, frame).world_from_joint(&hero.skeleton, joint).translation
}

/// Returns the world positions of all vertices.
fn vertices(hero: &Model, pose: &Pose) -> Vec<Vec3> {
    let (mut world, mut palette) = (Vec::new(), Vec::new());
    pose.world_from_joints(&hero.skeleton, &mut world);
    skinning::palette(&hero.skins[0], &world, &mut palette);
    let parts = hero.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let skinned = parts.map(|part| {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        skinning::deform(part, MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals);
        positions
    });
    skinned.collect::<Vec<_>>().concat()
}

#[test]
fn the_body_falls_with_gravity_in_every_flight() {
    let hero = portamento_test_support::hero();
    for plan in plans() {
        for [from, to] in &plan.flights {
            let height = |frame: f64| position(&hero, plan.name, frame, rig::HIPS).y;
            for frame in (*from as i32 + 1)..(*to as i32) {
                let [before, at, after] = [-1.0, 0.0, 1.0].map(|step| height(f64::from(frame) + step));
                let falling = -(after - 2.0 * at + before) * FPS * FPS;
                let error = (falling / GRAVITY - 1.0).abs();
                assert!(error < GRAVITY_TOLERANCE, "{} frame {frame}: {falling} m/s²", plan.name);
            }
        }
    }
}

#[test]
fn a_hand_that_holds_stands_still_with_its_palm_on_the_edge() {
    let hero = portamento_test_support::hero();
    let edges = [
        (vault::plan(), vault::WALL_Z[0], vault::WALL_HEIGHT_M),
        (mantle::plan(), mantle::EDGE_Z, mantle::LEDGE_HEIGHT_M),
    ];
    for (plan, z, height) in edges {
        for (side, grips) in plan.hands.iter().enumerate() {
            let [grip] = grips.as_slice() else { panic!("{}: one hold for each hand", plan.name) };
            let wrist = |frame: f64| position(&hero, plan.name, frame, rig::HAND[side]);
            let stood = wrist(grip.from);
            for frame in grip.from as i32..=grip.to as i32 {
                let moved = wrist(f64::from(frame)).distance(stood);
                assert!(moved < HOLD_TOLERANCE_M, "{} side {side} frame {frame}: {moved} m", plan.name);
            }
            // The mesh of the hand touches the top, and the wrist is behind the edge by less than a hand.
            let on_top = vertices(&hero, &pose(&hero, plan.name, grip.from)).into_iter().map(Vec3::as_dvec3);
            let near = on_top.filter(|vertex| vertex.distance(stood) < 0.2 && vertex.z > z);
            let lowest = near.map(|vertex| vertex.y).fold(f64::INFINITY, f64::min);
            assert!((lowest - height).abs() < HOLD_TOLERANCE_M, "{} side {side}: {lowest} m", plan.name);
            assert!((0.0..0.1).contains(&(stood.z - z)), "{} side {side}: {stood}", plan.name);
        }
    }
}

#[test]
fn no_vertex_enters_ground_or_obstacle() {
    let hero = portamento_test_support::hero();
    for plan in plans() {
        for half in 0..=2 * plan.frames {
            let frame = half as f64 / 2.0;
            for vertex in vertices(&hero, &pose(&hero, plan.name, frame)) {
                let depth = plan.profile.outside(vertex.as_dvec3(), 1e-4).distance(vertex.as_dvec3());
                assert!(depth < PENETRATION_M, "{} frame {frame}: {depth} m at {vertex}", plan.name);
            }
        }
    }
}

#[test]
fn joints_turn_no_faster_than_those_of_a_person() {
    let hero = portamento_test_support::hero();
    for plan in plans() {
        for joint in (rig::HIPS..rig::HAIR).chain(rig::SHOULDER[0]..=rig::TOE[1]) {
            let turns = &clip(&hero, plan.name).tracks[joint].rotation.as_ref().unwrap().values;
            for (frame, pair) in turns.windows(2).enumerate() {
                let rate = mean::angle_between(pair[0], pair[1]).to_degrees() * FPS;
                assert!(rate < MAX_RATE_DEGREES, "{} frame {frame} joint {joint}: {rate} °/s", plan.name);
            }
        }
    }
}

#[test]
fn knees_and_elbows_bend_the_right_way() {
    let hero = portamento_test_support::hero();
    let spread = |out: f64| DQuat::from_rotation_z(out * rig::ARM_SPREAD) * DVec3::NEG_X;
    let hinges = [
        (rig::SHIN[0], DVec3::X),
        (rig::SHIN[1], DVec3::X),
        (rig::LOWER_ARM[0], spread(1.0)),
        (rig::LOWER_ARM[1], spread(-1.0)),
    ];
    for plan in plans() {
        for (joint, axis) in hinges {
            for turn in &clip(&hero, plan.name).tracks[joint].rotation.as_ref().unwrap().values {
                let turn = turn.as_dquat();
                let bend = 2.0 * turn.xyz().dot(axis).atan2(turn.w.abs()) * turn.w.signum();
                let bend = bend.to_degrees();
                assert!((-2.0..MAX_BEND_DEGREES).contains(&bend), "{} joint {joint}: {bend}°", plan.name);
            }
        }
    }
}

#[test]
fn crossings_start_and_end_in_the_clips_that_they_join() {
    let hero = portamento_test_support::hero();
    let rises = [0.0, mantle::LEDGE_HEIGHT_M, 0.0, -drop::DROP_M];
    for (plan, rise) in plans().into_iter().zip(rises) {
        let (joined, speed) = if matches!(plan.name, "vault" | "jump") { ("run", 4.0) } else { ("idle", 0.0) };
        let other = pose(&hero, joined, 0.0);
        let last = plan.frames as f64;
        for frame in [0.0, last] {
            let here = pose(&hero, plan.name, frame);
            for joint in (rig::HIPS..rig::HAIR).chain(rig::SHOULDER[0]..=rig::TOE[1]) {
                let angle = mean::angle_between(here.locals[joint].rotation, other.locals[joint].rotation);
                assert!(angle < 0.02, "{} frame {frame} joint {joint}: {angle}", plan.name);
            }
            let hips = (here.locals[rig::HIPS].translation - other.locals[rig::HIPS].translation).length();
            assert!(hips < 0.003, "{} frame {frame}: {hips} m", plan.name);
        }
        let root = |frame: f64| position(&hero, plan.name, frame, rig::ROOT);
        for step in [[0.0, 1.0], [last - 1.0, last]] {
            let moved = (root(step[1]) - root(step[0])) * FPS;
            assert!(moved.distance(DVec3::Z * speed) < 0.05, "{}: {moved} m/s", plan.name);
        }
        assert!((root(last) - root(0.0)).with_z(rise).y - rise < 1e-6 && (root(last).y - rise).abs() < 1e-6);
    }
}
