//! Test vectors: the input of another implementation of the solver, and its expected output.
//!
//! Layout (JSON): `skeleton` lists all joints in the rest pose, parents first. `moving` lists the animated joints.
//! `poses` has per step one row per animated joint: translation, rotation xyzw, scale, relative to the parent. Other
//! joints stay in the rest pose.
//!
//! `settings` and `metres_per_unit` are the settings of the solver. Step 0 is the state at rest in the first pose; each
//! further step is `step_seconds` later. `bones` lists the joint of each bone. `tips` and `rotations` have per step and
//! bone the shown end of the bone (metres, world) and the joint's shown rotation xyzw relative to its parent. Loops are
//! not run until they repeat.

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::chains::bone::Tip;
use crate::chains::bone_pose::BonePose;
use crate::chains::rig::{DynamicsRig, STEP};
use crate::chains::state::State;
use crate::error::{BuildError, check_length};
use crate::input::Input;
use crate::recording::driven_rows::drive;
use crate::settings::Settings;
use crate::stepping::step::step;
use portamento_anim::math::Transform;
use portamento_anim::{Joint, Pose, Skeleton};

/// One run of the solver, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestVectors {
    /// All joints, parents first.
    pub skeleton: Vec<TestVectorJoint>,
    /// Settings of the solver.
    pub settings: Settings,
    /// Length of the skeleton's unit, metres.
    pub metres_per_unit: f64,
    /// Seconds from one step to the next.
    pub step_seconds: f64,
    /// Animated joints.
    pub moving: Vec<usize>,
    /// Per step and animated joint: translation, rotation xyzw, scale.
    pub poses: Vec<Vec<[f32; 10]>>,
    /// Joint of each bone, parents first.
    pub bones: Vec<usize>,
    /// Per step and bone: end of the bone, metres.
    pub tips: Vec<Vec<DVec3>>,
    /// Per step and bone: rotation xyzw of the joint relative to its parent.
    pub rotations: Vec<Vec<DQuat>>,
}

/// A joint in the rest pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestVectorJoint {
    /// Name of the joint.
    pub name: String,
    /// Index of the parent.
    pub parent: Option<usize>,
    /// Translation, rotation xyzw, scale, relative to the parent.
    pub rest: [f32; 10],
}

/// Output of the solver, per step and bone.
#[derive(Default)]
struct Outcome {
    tips: Vec<Vec<DVec3>>,
    rotations: Vec<Vec<DQuat>>,
}

impl TestVectors {
    /// Runs `input` with `settings`, not as a loop, and records inputs and outputs. Returns `Err` if the settings or the
    /// duration are invalid.
    pub fn record(input: &Input, settings: &Settings) -> Result<Self, BuildError> {
        check_length(input.duration)?;
        let rig = DynamicsRig::new(input.skeleton, settings, input.metres_per_unit)?;
        let h = STEP / f64::from(rig.substeps);
        let mut vectors = Self {
            skeleton: input.skeleton.joints.iter().map(vector_joint).collect(),
            settings: settings.clone(),
            metres_per_unit: input.metres_per_unit,
            step_seconds: h,
            moving: moving(&rig),
            poses: Vec::new(),
            bones: rig.bones.iter().map(|bone| bone.joint).collect(),
            tips: Vec::new(),
            rotations: Vec::new(),
        };
        let steps = (input.duration / h - 1e-6).ceil().max(0.0) as usize;
        let mut pose = Pose::rest(input.skeleton);
        for index in 0..=steps {
            drive(input.driver, input.skeleton, (index as f64 * h).min(input.duration), &mut pose);
            vectors.poses.push(vectors.moving.iter().map(|&joint| row(&pose.locals[joint])).collect());
        }
        let Outcome { tips, rotations } = vectors.run()?;
        Ok(Self { tips, rotations, ..vectors })
    }

    /// Simulates the recorded poses from their settings, and returns tips and local rotations of every step. Returns `Err` if
    /// the settings are invalid.
    fn run(&self) -> Result<Outcome, BuildError> {
        let skeleton = Skeleton { joints: self.skeleton.iter().map(joint).collect(), rest_morphs: Vec::new() };
        let rig = DynamicsRig::new(&skeleton, &self.settings, self.metres_per_unit)?;
        let mut pose = Pose::rest(&skeleton);
        let mut outcome = Outcome::default();
        let mut state: Option<State> = None;
        for (index, rows) in self.poses.iter().enumerate() {
            for (&joint, row) in self.moving.iter().zip(rows) {
                if let Some(local) = pose.locals.get_mut(joint) {
                    *local = transform(row);
                }
            }
            match &mut state {
                None => state = Some(State::at(&rig, &pose)),
                Some(state) => step(&rig, state, &pose, index as f64 * self.step_seconds, self.step_seconds),
            }
            let Some(state) = &state else { continue };
            outcome.tips.push(state.shown.iter().map(BonePose::tip).collect());
            outcome.rotations.push((0..rig.bones.len()).map(|bone| state.local_rotation(&rig, bone)).collect());
        }
        Ok(outcome)
    }
}

/// Returns all joints whose animated transform the solver reads, ascending.
fn moving(rig: &DynamicsRig) -> Vec<usize> {
    let ends = rig.bones.iter().filter_map(|bone| match bone.tip {
        Tip::Joint(tip) => Some(tip),
        Tip::Added { .. } => None,
    });
    let kinematic = rig.kinematic.iter().map(|each| each.joint);
    let mut joints: Vec<usize> = rig.bones.iter().map(|bone| bone.joint).chain(ends).chain(kinematic).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

/// Returns translation, rotation (x, y, z, w) and scale as one row.
fn row(local: &Transform) -> [f32; 10] {
    let (t, r, s) = (local.translation, local.rotation, local.scale);
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]
}

/// Returns the transform of a [`row`].
fn transform(row: &[f32; 10]) -> Transform {
    let [tx, ty, tz, rx, ry, rz, rw, sx, sy, sz] = *row;
    Transform {
        translation: Vec3::new(tx, ty, tz),
        rotation: Quat::from_xyzw(rx, ry, rz, rw),
        scale: Vec3::new(sx, sy, sz),
    }
}

fn vector_joint(joint: &Joint) -> TestVectorJoint {
    TestVectorJoint { name: joint.name.clone(), parent: joint.parent, rest: row(&joint.rest) }
}

fn joint(joint: &TestVectorJoint) -> Joint {
    let rest = transform(&joint.rest);
    Joint { name: joint.name.clone(), parent: joint.parent, rest, node: 0, first_morph: 0, morph_count: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{hanging, loose, swaying};
    use crate::{Collider, ColliderShape, Wind};

    fn recorded() -> TestVectors {
        let skeleton = hanging(5, 0.1);
        let mut settings = loose(0.1);
        settings.wind = Wind { strength: 3.0, ..Wind::default() };
        let shape = ColliderShape::Sphere { center: glam::DVec3::new(0.05, -0.3, 0.0), radius: 0.1 };
        settings.colliders.push(Collider { name: "ball".into(), joint: Some(0), shape });
        let input =
            Input { skeleton: &skeleton, driver: &swaying, duration: 1.0, looping: false, metres_per_unit: 1.0 };
        TestVectors::record(&input, &settings).unwrap()
    }

    /// Returns the largest distance in metres between the recorded ends and those of another run.
    fn replay_error(vectors: &TestVectors) -> f64 {
        let tips = vectors.run().unwrap().tips;
        assert_eq!(tips.len(), vectors.tips.len());
        let distances = tips.iter().flatten().zip(vectors.tips.iter().flatten()).map(|(a, b)| a.distance(*b));
        distances.fold(0.0, f64::max)
    }

    #[test]
    fn vectors_read_back_from_text_replay_to_the_nanometre() {
        let vectors = recorded();
        assert_eq!((vectors.tips.len(), vectors.tips[0].len()), (241, 5));
        let text = serde_json::to_string(&vectors).unwrap();
        let read: TestVectors = serde_json::from_str(&text).unwrap();
        assert!(replay_error(&read) <= 1e-9);
        assert_eq!(replay_error(&vectors), 0.0);
    }
}
