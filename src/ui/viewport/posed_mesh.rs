//! The meshes that are seen, as they are posed.

use glam::Vec3;

use crate::anim::Model;
use crate::anim::skinning::{self, MeshTransform};
use crate::evaluate::{Frame, FrameContent};
use crate::geometry::{MeshInstance, Primitive};
use crate::session::Session;
use crate::ui::viewport::subject::hidden;

/// Calls `visit` with each part of the meshes of `frame` that are seen and where its vertices are, in the file's unit.
pub(super) fn each_part(session: &Session, frame: &Frame, mut visit: impl FnMut(&Primitive, &[Vec3])) {
    let model = &frame.character.model;
    if let FrameContent::Vertices { positions, .. } = &frame.content {
        let part = model.meshes.first().and_then(|mesh| mesh.primitives.first());
        part.into_iter().for_each(|part| visit(part, positions));
        return;
    }
    let hidden = hidden(session, &session.selection.shown);
    for (_, instance) in model.instances.iter().enumerate().filter(|(index, _)| !hidden.contains(index)) {
        each_part_of(model, frame, instance, &mut visit);
    }
}

fn each_part_of(model: &Model, frame: &Frame, instance: &MeshInstance, visit: &mut impl FnMut(&Primitive, &[Vec3])) {
    let (mut palette, mut points, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    let Some(place) = frame.world.get(instance.joint) else { return };
    let carrier = match instance.skin.and_then(|skin| model.skins.get(skin)) {
        Some(skin) => {
            skinning::palette(skin, &frame.world, &mut palette);
            MeshTransform::Skinned(&palette)
        }
        None => MeshTransform::Rigid(*place),
    };
    for primitive in model.meshes.get(instance.mesh).iter().flat_map(|mesh| &mesh.primitives) {
        let morphs = skinning::morphs_of(model, instance, &frame.pose.morphs);
        skinning::deform(primitive, carrier, morphs, &mut points, &mut normals);
        visit(primitive, &points);
    }
}
