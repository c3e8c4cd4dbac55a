//! World-space geometry of a model: its placed meshes in one order as a level, as shaded faces, or as frames of
//! vertices.

use glam::{Affine3A, Mat3, Vec3};

use crate::geometry::{Level, MeshInstance, Primitive, Shading, Triangle};
use crate::media::VertexClip;
use crate::media::vertex_clip::{VertexClipError, frames_in};
use crate::skinning::{MeshTransform, SkinMatrix, deform, morphs_of, palette};
use crate::{Clip, Model, Pose};
use portamento_base::progress::Progress;

/// Maximum size of vertex frames; larger ones are refused.
const MAX_BYTES: u128 = 4 << 30;

impl Model {
    /// Returns all primitives of all mesh instances: instance after instance, primitive after primitive, in the
    /// file's order.
    /// Vertices of a whole model are always counted in this order.
    pub fn placed_primitives(&self) -> impl Iterator<Item = (&MeshInstance, &Primitive)> {
        let of_instance = |instance: &MeshInstance| self.meshes[instance.mesh].primitives.iter();
        self.instances.iter().flat_map(move |instance| of_instance(instance).map(move |part| (instance, part)))
    }

    /// Returns the number of vertices of all mesh instances, and their triangles: three indices each, which count the
    /// vertices in the order of [`Model::placed_primitives`].
    pub fn faces(&self) -> (usize, Vec<u32>) {
        let mut first = 0;
        let mut faces = Vec::new();
        for (_, part) in self.placed_primitives() {
            faces.extend(part.indices.iter().map(|index| first + index));
            first += part.positions.len() as u32;
        }
        (first as usize, faces)
    }

    /// Returns the groups of vertices that share a normal, over all mesh instances.
    pub fn shading(&self) -> Shading {
        let instances = self.instances.iter().enumerate();
        Shading::of_primitives(instances.flat_map(|(number, instance)| {
            self.meshes[instance.mesh].primitives.iter().map(move |part| (number, part))
        }))
    }

    /// Returns all meshes in the rest pose as a level, in the file's unit; materials become areas.
    pub fn to_level(&self) -> Level {
        let mut world = Vec::new();
        let pose = Pose::rest(&self.skeleton);
        pose.world_from_joints(&self.skeleton, &mut world);
        let areas = self.materials.iter().map(|material| material.name.clone()).collect();
        let mut level = Level { areas, ..Level::default() };
        let posed = Posed { world: &world, morphs: &pose.morphs };
        for instance in &self.instances {
            add_to_level(&mut level, self, instance, &posed);
        }
        level
    }

    /// Returns the vertices of all mesh instances, skinned and morphed, while `clip` plays, at `fps` (0.001 … 100
    /// 000), in world space.
    ///
    /// Returns `Err` if the rate is out of range, the frames would exceed the memory limit, the model has no mesh
    /// instances, or on cancel.
    pub fn to_vertex_clip(&self, clip: &Clip, fps: f64, progress: &Progress) -> Result<VertexClip, VertexClipError> {
        let name = || clip.name.clone();
        if !(0.001..=100_000.0).contains(&fps) {
            return Err(VertexClipError::BadRate { clip: name(), fps });
        }
        let (vertices, faces) = self.faces();
        let frames = frames_in(clip.duration, fps);
        let bytes = frames as u128 * vertices as u128 * 12;
        if bytes > MAX_BYTES {
            return Err(VertexClipError::TooLarge { clip: name(), bytes });
        }
        let mut positions = Vec::with_capacity(frames * vertices);
        let mut scratch = Scratch { pose: Pose::rest(&self.skeleton), ..Scratch::default() };
        for frame in 0..frames {
            progress.step(frame, frames)?;
            scratch.pose.set_rest(&self.skeleton);
            clip.sample(&self.skeleton, frame as f64 / fps, &mut scratch.pose);
            append_frame(self, &mut scratch, &mut positions);
        }
        VertexClip::new(name(), fps, vertices, positions, faces)
    }
}

/// A primitive of a mesh instance in the rest pose.
#[derive(Clone, Debug)]
pub struct RestPart<'a> {
    /// The primitive.
    pub part: &'a Primitive,
    /// World positions, in the file's unit, one per vertex.
    pub positions: Vec<Vec3>,
    /// Unit normals, one per vertex.
    pub normals: Vec<Vec3>,
    /// True if its triangles are clockwise as seen from outside.
    pub mirrored: bool,
}

impl Model {
    /// Returns all primitives of all mesh instances in the rest pose, in the order of [`Model::placed_primitives`].
    pub fn rest_parts(&self) -> Vec<RestPart<'_>> {
        let (mut world, mut joints) = (Vec::new(), Vec::new());
        let pose = Pose::rest(&self.skeleton);
        pose.world_from_joints(&self.skeleton, &mut world);
        let rest_part = |(instance, part)| {
            let transform = mesh_transform(self, instance, &world, &mut joints);
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            deform(part, transform, morphs_of(self, instance, &pose.morphs), &mut positions, &mut normals);
            RestPart { part, positions, normals, mirrored: is_mirrored(transform) }
        };
        self.placed_primitives().map(rest_part).collect()
    }
}

/// True if a rigid transform mirrors the mesh, which would turn it inside out; false for skinned meshes.
fn is_mirrored(transform: MeshTransform) -> bool {
    matches!(transform, MeshTransform::Rigid(transform) if Mat3::from(transform.matrix3).determinant() < 0.0)
}

/// A pose of a model: the world transforms of all joints, and all morph weights.
struct Posed<'a> {
    world: &'a [Affine3A],
    morphs: &'a [f32],
}

/// Appends the mesh of `instance` to `level`, in world space and the file's unit. A mesh without a name gets that of its joint.
fn add_to_level(level: &mut Level, model: &Model, instance: &MeshInstance, posed: &Posed) {
    let mesh = level.meshes.len() as u32;
    let name = &model.meshes[instance.mesh].name;
    level.meshes.push(if name.is_empty() { model.skeleton.joints[instance.joint].name.clone() } else { name.clone() });
    let mut joints = Vec::new();
    let transform = mesh_transform(model, instance, posed.world, &mut joints);
    let mirrored = is_mirrored(transform);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for part in &model.meshes[instance.mesh].primitives {
        deform(part, transform, morphs_of(model, instance, posed.morphs), &mut positions, &mut normals);
        let first = level.points.len() as u32;
        level.points.extend_from_slice(&positions);
        let area = part.material.map(|material| material as u32);
        level.triangles.extend(part.indices.chunks_exact(3).map(|corners| {
            let [a, b, c] = [corners[0], corners[1], corners[2]].map(|corner| first + corner);
            Triangle { corners: if mirrored { [a, c, b] } else { [a, b, c] }, mesh, area }
        }));
    }
}

/// Returns the transform of `instance` for the world transforms `world` of all joints. The matrices of a skin are written to
/// `joints`, which the result borrows.
fn mesh_transform<'a>(
    model: &Model,
    instance: &MeshInstance,
    world: &[Affine3A],
    joints: &'a mut Vec<SkinMatrix>,
) -> MeshTransform<'a> {
    match instance.skin {
        Some(skin) => {
            palette(&model.skins[skin], world, joints);
            MeshTransform::Skinned(joints)
        }
        None => MeshTransform::Rigid(world[instance.joint]),
    }
}

/// Buffers that all frames of a clip share.
#[derive(Default)]
struct Scratch {
    pose: Pose,
    world: Vec<Affine3A>,
    palette: Vec<SkinMatrix>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// Appends the world positions of all vertices in the pose of `scratch` to `frames`.
fn append_frame(model: &Model, scratch: &mut Scratch, frames: &mut Vec<Vec3>) {
    scratch.pose.world_from_joints(&model.skeleton, &mut scratch.world);
    for (instance, part) in model.placed_primitives() {
        let transform = mesh_transform(model, instance, &scratch.world, &mut scratch.palette);
        let morphs = morphs_of(model, instance, &scratch.pose.morphs);
        deform(part, transform, morphs, &mut scratch.positions, &mut scratch.normals);
        frames.extend_from_slice(&scratch.positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Mesh, MorphTarget};
    use crate::small_inputs::skeleton_of;
    use crate::{Curve, JointTracks};

    fn triangle_model() -> Model {
        let mut skeleton = skeleton_of(&[("root", None)]);
        skeleton.joints[0].morph_count = 1;
        skeleton.rest_morphs = vec![0.0];
        let part = Primitive {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z],
            normals: vec![Vec3::Y; 3],
            indices: vec![0, 1, 2],
            morphs: vec![MorphTarget { positions: vec![Vec3::ZERO, Vec3::Y * 2.0, Vec3::ZERO], normals: Vec::new() }],
            ..Primitive::default()
        };
        let mesh = Mesh { name: "leaf".into(), primitives: vec![part], ..Mesh::default() };
        let instances = vec![MeshInstance { joint: 0, mesh: 0, skin: None }; 2];
        Model { skeleton, meshes: vec![mesh], instances, ..Model::default() }
    }

    #[test]
    fn morph_keys_and_joint_keys_become_frames_of_every_placed_mesh() {
        let tracks = JointTracks {
            translation: Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z])),
            morphs: Some(Curve::linear(vec![0.0, 1.0], vec![0.0, 1.0])),
            ..JointTracks::default()
        };
        let clip = Clip { name: "wave".into(), duration: 1.0, tracks: vec![tracks] };
        let frames = triangle_model().to_vertex_clip(&clip, 4.0, &Progress::new()).unwrap();
        assert_eq!((frames.frames(), frames.vertices), (5, 6));
        assert_eq!(frames.faces, [0, 1, 2, 3, 4, 5]);
        assert_eq!(frames.frame(2)[1], Vec3::new(1.0, 1.0, 0.5));
        assert_eq!(frames.frame(4)[4], Vec3::new(1.0, 2.0, 1.0));
    }

    #[test]
    fn a_mirrored_mesh_keeps_its_outside() {
        let mut model = Model { skeleton: skeleton_of(&[("floor", None)]), ..Model::default() };
        model.skeleton.joints[0].rest.scale = Vec3::new(-2.0, 1.0, 1.0);
        let part = Primitive {
            positions: vec![Vec3::ZERO, Vec3::Z, Vec3::X],
            normals: vec![Vec3::Y; 3],
            indices: vec![0, 1, 2],
            ..Primitive::default()
        };
        model.meshes = vec![Mesh { name: String::new(), primitives: vec![part], ..Mesh::default() }];
        model.instances = vec![MeshInstance { joint: 0, mesh: 0, skin: None }];
        let level = model.to_level();
        let [a, b, c] = level.corners(&level.triangles[0]).unwrap();
        assert_eq!((b - a).cross(c - a), Vec3::Y * 2.0);
        assert_eq!(level.meshes, ["floor"]);
    }

    #[test]
    fn frames_beyond_the_memory_limit_are_refused_before_the_first() {
        let tracks = vec![JointTracks::default()];
        let clip = Clip { name: "month".into(), duration: 2.5e6, tracks };
        let progress = Progress::new();
        // A clip that is accepted stops at its first frame.
        progress.cancel();
        let refused = triangle_model().to_vertex_clip(&clip, 120.0, &progress);
        let Err(VertexClipError::TooLarge { bytes, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(bytes, (2_500_000 * 120 + 1) * 6 * 12);
    }
}
