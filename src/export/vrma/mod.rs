//! Clips of a person as a VRM animation (`VRMC_vrm_animation` 1.0), which any avatar plays.
//!
//! The file holds a skeleton of its own: the bones of a person in a T-pose that faces +Z, none of them turned. With F that turns the
//! character to face +Z, R the turns of its joints at rest, W those at a time and A the turn from the T-pose to how a limb rests, a
//! bone stands as F·W·R⁻¹·F⁻¹·A. Avatars rest in a T-pose themselves, so A is none for a file with a humanoid map.
//!
//! Blend shapes are left out: the file knows only expressions, and which shapes make one is told by no clip.

mod bones;
mod person;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::{ExportError, gltf};
use crate::anim::root_motion::{frame_times, rest_at, turn_of};
use crate::anim::still_curves::without_still_curves;
use crate::anim::{Clip, Curve, GltfSource, Joint, JointTracks, Model, Pose, Skeleton};
use crate::math::Transform;
use bones::{Bone, bones};
pub use person::Person;

/// `clips` of `person`, each with the frames per second of its keys where it has none closer together.
///
/// Errors when the character lacks a bone that every avatar has, or there is no clip.
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

/// The bones of a person as the file has them.
struct HumanoidRest<'a> {
    person: &'a Person<'a>,
    bones: &'a [Bone],
    facing: DQuat,
    /// For each bone, F⁻¹·A seen from the joint: R⁻¹·F⁻¹·A.
    from_joint: Vec<DQuat>,
    /// Where each bone begins in the T-pose, metres.
    places: Vec<DVec3>,
    /// Where each bone points in the T-pose, where that is known.
    points: Vec<Option<DVec3>>,
}

impl<'a> HumanoidRest<'a> {
    fn new(person: &'a Person<'a>, bones: &'a [Bone]) -> Self {
        let front = person.roles.front.unwrap_or_default().direction();
        let facing = DQuat::from_rotation_arc(front, DVec3::Z);
        // Half a turn has no axis of its own.
        let facing = if front.z < -0.9 { DQuat::from_rotation_y(std::f64::consts::PI) } else { facing };
        let rest = |joint: usize| rest_at(&person.model.skeleton, joint);
        let at = |joint: usize| facing * rest(joint).translation * person.metres_per_unit;
        let posture = posture(bones, &at);
        let mut places: Vec<DVec3> = Vec::with_capacity(bones.len());
        for bone in bones {
            let place = match bone.parent {
                Some(parent) => places[parent] + posture[parent].inverse() * (at(bone.joint) - at(bones[parent].joint)),
                None => at(bone.joint),
            };
            places.push(place);
        }
        let from_joint = bones.iter().zip(&posture);
        let from_joint =
            from_joint.map(|(bone, bent)| turn_of(&rest(bone.end)).inverse() * facing.inverse() * *bent).collect();
        let points = bones.iter().zip(&posture);
        let points =
            points.map(|(bone, bent)| bone.tip.map(|tip| bent.inverse() * (at(tip) - at(bone.joint)))).collect();
        Self { person, bones, facing, from_joint, places, points }
    }

    fn skeleton(&self) -> Skeleton {
        let joint = |(index, bone): (usize, &Bone)| {
            let offset = self.places[index] - bone.parent.map_or(DVec3::ZERO, |parent| self.places[parent]);
            let rest = Transform { translation: offset.as_vec3(), ..Transform::IDENTITY };
            Joint { name: bone.name.clone(), parent: bone.parent, rest, node: index, first_morph: 0, morph_count: 0 }
        };
        Skeleton { joints: self.bones.iter().enumerate().map(joint).collect(), rest_morphs: Vec::new() }
    }

    fn clip(&self, clip: &Clip, fps: f64) -> Clip {
        let skeleton = &self.person.model.skeleton;
        let times = frame_times(clip, 0..skeleton.len(), fps);
        let mut turns: Vec<Vec<Quat>> = vec![Vec::with_capacity(times.len()); self.bones.len()];
        let mut way: Vec<Vec3> = Vec::with_capacity(times.len());
        for &time in &times {
            let pose = clip.pose_at(skeleton, time);
            self.add_turns(&pose, &mut turns);
            let hips = pose.world_from_joint(skeleton, self.bones[0].joint).translation;
            way.push((self.facing * hips * self.person.metres_per_unit).as_vec3());
        }
        let times: Vec<f32> = times.into_iter().map(|time| time as f32).collect();
        let tracks = turns.into_iter().enumerate().map(|(bone, turns)| JointTracks {
            translation: (bone == 0).then(|| Curve::linear(times.clone(), way.clone())),
            rotation: Some(Curve::linear(times.clone(), turns)),
            ..JointTracks::default()
        });
        let clip = Clip { name: clip.name.clone(), duration: clip.duration, tracks: tracks.collect() };
        without_still_curves(clip, &self.skeleton()).0
    }

    /// How each bone is turned on the one it hangs on, the short way from the time before.
    fn add_turns(&self, pose: &Pose, turns: &mut [Vec<Quat>]) {
        let skeleton = &self.person.model.skeleton;
        let at = |joint: usize| self.facing * pose.world_from_joint(skeleton, joint).translation;
        let turn = |(index, bone): (usize, &Bone)| {
            let turn = self.facing * turn_of(&pose.world_from_joint(skeleton, bone.end)) * self.from_joint[index];
            // Several joints as one bone, or one that its clip moves: it points to where the next one is.
            let aim = |tip: usize| (at(tip) - at(bone.joint)).try_normalize();
            let points = self.points[index].and_then(|points| (turn * points).try_normalize());
            let swing = points.zip(bone.tip.and_then(aim));
            let swing = swing.map_or(DQuat::IDENTITY, |(points, aim)| DQuat::from_rotation_arc(points, aim));
            (swing * turn).normalize()
        };
        let world: Vec<DQuat> = self.bones.iter().enumerate().map(turn).collect();
        for (index, bone) in self.bones.iter().enumerate() {
            let above = bone.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
            let local = (above.inverse() * world[index]).normalize().as_quat();
            let near = turns[index].last().map(|&last| crate::math::mean::aligned(local, last));
            turns[index].push(near.unwrap_or(local));
        }
    }
}

/// For each bone the turn from the T-pose to how it rests.
fn posture(bones: &[Bone], at: &impl Fn(usize) -> DVec3) -> Vec<DQuat> {
    let mut turns: Vec<DQuat> = Vec::with_capacity(bones.len());
    for bone in bones {
        let points = bone.tip.map(|tip| at(tip) - at(bone.joint)).and_then(DVec3::try_normalize);
        let turn = match (bone.straight, points) {
            (Some(straight), Some(points)) => DQuat::from_rotation_arc(straight, points),
            // What hangs on a limb is bent with it; feet stand on the ground however the legs do.
            _ if bone.follows => bone.parent.map_or(DQuat::IDENTITY, |parent| turns[parent]),
            _ => DQuat::IDENTITY,
        };
        turns.push(turn);
    }
    turns
}

#[cfg(test)]
mod tests;
