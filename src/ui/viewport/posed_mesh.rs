//! Visible meshes in their current pose.

use glam::{Affine3A, Vec3};

use crate::viewport::subject::hidden;
use portamento_anim::Model;
use portamento_anim::geometry::triangle_bvh::Faces;
use portamento_anim::geometry::{MeshInstance, Primitive};
use portamento_anim::skinning::{self, MeshTransform};
use portamento_render::Ray;
use portamento_session::Session;
use portamento_takes::evaluate::{Frame, FrameContent};

/// Calls `visit` with each visible part of `frame` and its posed vertex positions in the world, in the file's unit.
pub(super) fn each_part(session: &Session, frame: &Frame, mut visit: impl FnMut(&Primitive, &[Vec3])) {
    let model = &frame.character.model;
    if let FrameContent::Vertices { positions, .. } = &frame.content {
        let part = model.meshes.first().and_then(|mesh| mesh.primitives.first());
        part.into_iter().for_each(|part| visit(part, positions));
        return;
    }
    let hidden = hidden(session, &session.selection.shown);
    let posed = Posed { world: &frame.world, morphs: &frame.pose.morphs };
    for (_, instance) in model.instances.iter().enumerate().filter(|(index, _)| !hidden.contains(index)) {
        each_part_of(model, posed, instance, &mut visit);
    }
}

/// The world transforms of joints, in the file's unit, and the morph weights.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    pub world: &'a [Affine3A],
    pub morphs: &'a [f32],
}

/// Calls `visit` with each part of one mesh instance and its posed vertex positions in the world. Does nothing if its joint has
/// no transform.
pub(super) fn each_part_of(
    model: &Model,
    Posed { world, morphs }: Posed,
    instance: &MeshInstance,
    visit: &mut impl FnMut(&Primitive, &[Vec3]),
) {
    let (mut palette, mut points, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    let Some(transform) = world.get(instance.joint) else { return };
    let carrier = match instance.skin.and_then(|skin| model.skins.get(skin)) {
        Some(skin) => {
            skinning::palette(skin, world, &mut palette);
            MeshTransform::Skinned(&palette)
        }
        None => MeshTransform::Rigid(*transform),
    };
    let morphs = skinning::morphs_of(model, instance, morphs);
    for primitive in model.meshes.get(instance.mesh).iter().flat_map(|mesh| &mesh.primitives) {
        skinning::deform(primitive, carrier, morphs, &mut points, &mut normals);
        visit(primitive, &points);
    }
}

/// Returns the distance along `ray` to a part with vertices at `points`, in their unit. `None` if the ray misses it.
pub(super) fn distance(ray: Ray, part: &Primitive, points: &[Vec3]) -> Option<f32> {
    let faces = Faces { positions: points, indices: &part.indices };
    faces.hit(ray.origin, ray.direction).map(|hit| hit.distance)
}
