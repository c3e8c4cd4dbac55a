//! Exports clips as a VRM animation (`VRMC_vrm_animation` 1.0), which any avatar can play.
//!
//! The file has its own skeleton: humanoid bones without rotation in a T-pose that faces +Z.
//! ```text
//! bone = F * W * inverse(R) * inverse(F) * A
//! F    rotation that makes the character face +Z
//! W    world rotation of the joint at a time
//! R    world rotation of the joint at rest
//! A    rotation of the limb from the T-pose to its rest pose
//! ```
//! Avatars rest in a T-pose, so A is the identity for a file with a humanoid map.
//!
//! Blend shapes are left out: the format stores expressions, and clips do not say which shapes form one.

mod bones;
mod person;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::{ExportError, gltf};
use bones::{Bone, bones};
pub use person::Person;
use portamento_anim::math::Transform;
use portamento_anim::root_motion::{frame_times, rest_at, turn_of};
use portamento_anim::still_curves::without_redundant_keys;
use portamento_anim::{Clip, Curve, GltfSource, Joint, JointTracks, Model, Pose, Skeleton};

/// Returns `clips` of `person` as a VRM animation. Each clip comes with the frame rate at which keys are added between its own.
///
/// Returns `Err` if the character lacks a required bone, or if there is no clip. The rate is in frames per second.
pub fn from_clips(person: &Person, clips: &[(Clip, f64)]) -> Result<GltfSource, ExportError> {
    let bones = bones(person)?;
    let body = HumanoidRest::new(person, &bones);
    let clips: Vec<Clip> = clips.iter().map(|(clip, fps)| body.clip(clip, *fps)).collect();
    if clips.is_empty() {
        return Err(ExportError::EmptyClip { clip: String::new() });
    }
    let model = Model { name: person.model.name.clone(), skeleton: body.skeleton(), clips, ..Model::default() };
    let mut source = gltf::from_model(&model, None);
    let node = |(index, bone): (usize, &Bone)| (bone.name.clone(), json!({ "node": index }));
    let map: Map<String, Value> = bones.iter().enumerate().map(node).collect();
    source.json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    source.json["extensions"] =
        json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": { "humanBones": map } } });
    Ok(source)
}

/// The humanoid rest pose of the file.
struct HumanoidRest<'a> {
    person: &'a Person<'a>,
    bones: &'a [Bone],
    facing: DQuat,
    /// For each bone the rotation from its joint: R⁻¹·F⁻¹·A.
    from_joint: Vec<DQuat>,
    /// Position of each bone in the T-pose, metres.
    positions: Vec<DVec3>,
    /// Direction of each bone in the T-pose, if known.
    points: Vec<Option<DVec3>>,
}

impl<'a> HumanoidRest<'a> {
    /// Computes the T-pose of `bones` facing +Z, in metres. Parents precede their children in `bones`.
    fn new(person: &'a Person<'a>, bones: &'a [Bone]) -> Self {
        let front = person.roles.front.unwrap_or_default().direction();
        let facing = DQuat::from_rotation_arc(front, DVec3::Z);
        // A half turn has no unique axis.
        let facing = if front.z < -0.9 { DQuat::from_rotation_y(std::f64::consts::PI) } else { facing };
        let rest = |joint: usize| rest_at(&person.model.skeleton, joint);
        let at = |joint: usize| facing * rest(joint).translation * person.metres_per_unit;
        let posture = posture(bones, &at);
        let mut positions: Vec<DVec3> = Vec::with_capacity(bones.len());
        for bone in bones {
            let position = match bone.parent {
                Some(parent) => {
                    positions[parent] + posture[parent].inverse() * (at(bone.joint) - at(bones[parent].joint))
                }
                None => at(bone.joint),
            };
            positions.push(position);
        }
        let from_joint = bones.iter().zip(&posture);
        let from_joint =
            from_joint.map(|(bone, bent)| turn_of(&rest(bone.end)).inverse() * facing.inverse() * *bent).collect();
        let points = bones.iter().zip(&posture);
        let points =
            points.map(|(bone, bent)| bone.tip.map(|tip| bent.inverse() * (at(tip) - at(bone.joint)))).collect();
        Self { person, bones, facing, from_joint, positions, points }
    }

    /// Returns the T-pose as a skeleton of one joint per bone, in metres and without rotations.
    fn skeleton(&self) -> Skeleton {
        let joint = |(index, bone): (usize, &Bone)| {
            let offset = self.positions[index] - bone.parent.map_or(DVec3::ZERO, |parent| self.positions[parent]);
            let rest = Transform { translation: offset.as_vec3(), ..Transform::IDENTITY };
            Joint { name: bone.name.clone(), parent: bone.parent, rest, node: index, first_morph: 0, morph_count: 0 }
        };
        Skeleton { joints: self.bones.iter().enumerate().map(joint).collect(), rest_morphs: Vec::new() }
    }

    /// Returns `clip` converted to the humanoid bones, with keys at `fps` frames per second. The path of the hips is in metres
    /// and faces +Z.
    fn clip(&self, clip: &Clip, fps: f64) -> Clip {
        let skeleton = &self.person.model.skeleton;
        let times = frame_times(clip, 0..skeleton.len(), fps);
        let mut turns: Vec<Vec<Quat>> = vec![Vec::with_capacity(times.len()); self.bones.len()];
        let mut hip_path: Vec<Vec3> = Vec::with_capacity(times.len());
        for &time in &times {
            let pose = clip.pose_at(skeleton, time);
            self.add_turns(&pose, &mut turns);
            let hips = pose.world_from_joint(skeleton, self.bones[0].joint).translation;
            hip_path.push((self.facing * hips * self.person.metres_per_unit).as_vec3());
        }
        let times: Vec<f32> = times.into_iter().map(|time| time as f32).collect();
        let tracks = turns.into_iter().enumerate().map(|(bone, turns)| JointTracks {
            translation: (bone == 0).then(|| Curve::linear(times.clone(), hip_path.clone())),
            rotation: Some(Curve::linear(times.clone(), turns)),
            ..JointTracks::default()
        });
        let clip = Clip { name: clip.name.clone(), duration: clip.duration, tracks: tracks.collect() };
        without_redundant_keys(clip, &self.skeleton()).0
    }

    /// Appends the local rotation of each bone, on the shorter arc from the previous one.
    fn add_turns(&self, pose: &Pose, turns: &mut [Vec<Quat>]) {
        let skeleton = &self.person.model.skeleton;
        let at = |joint: usize| self.facing * pose.world_from_joint(skeleton, joint).translation;
        let turn = |(index, bone): (usize, &Bone)| {
            let turn = self.facing * turn_of(&pose.world_from_joint(skeleton, bone.end)) * self.from_joint[index];
            // With several joints per bone, or animated offsets, the bone points to the next one's position.
            let aim = |tip: usize| (at(tip) - at(bone.joint)).try_normalize();
            let points = self.points[index].and_then(|points| (turn * points).try_normalize());
            let swing = points.zip(bone.tip.and_then(aim));
            let swing = swing.map_or(DQuat::IDENTITY, |(points, aim)| DQuat::from_rotation_arc(points, aim));
            (swing * turn).normalize()
        };
        let world: Vec<DQuat> = self.bones.iter().enumerate().map(turn).collect();
        for (index, bone) in self.bones.iter().enumerate() {
            let parent_rotation = bone.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
            let local = (parent_rotation.inverse() * world[index]).normalize().as_quat();
            let near = turns[index].last().map(|&last| portamento_anim::math::mean::aligned(local, last));
            turns[index].push(near.unwrap_or(local));
        }
    }
}

/// Returns for each bone the world rotation from the T-pose to its rest pose. `at` gives the rest position of a joint, with the
/// character facing +Z.
fn posture(bones: &[Bone], at: &impl Fn(usize) -> DVec3) -> Vec<DQuat> {
    let mut turns: Vec<DQuat> = Vec::with_capacity(bones.len());
    for bone in bones {
        let points = bone.tip.map(|tip| at(tip) - at(bone.joint)).and_then(DVec3::try_normalize);
        let turn = match (bone.straight, points) {
            (Some(straight), Some(points)) => DQuat::from_rotation_arc(straight, points),
            // Hands and fingers follow the bend of the arm; feet stay on the ground regardless of the legs.
            _ if bone.follows => bone.parent.map_or(DQuat::IDENTITY, |parent| turns[parent]),
            _ => DQuat::IDENTITY,
        };
        turns.push(turn);
    }
    turns
}

#[cfg(test)]
mod tests;
