//! The hero: a stylised figure 1.7 m tall that faces +Z with its feet on the ground.

pub mod rig;
pub mod colours;
pub mod shape;
pub mod body;
pub mod surface_nets;
pub mod weights;
pub mod cape;

use glam::{Affine3A, DVec3, Vec3};

use colours::Srgb;
use portamento_anim::geometry::{Material, Mesh, MeshInstance, Primitive, Skin};
use portamento_anim::math::Transform;
use portamento_anim::{Model, Scene, Skeleton};
use weights::INFLUENCES;

/// Returns the hero without clips: skeleton, skin, one mesh of body and cape, two materials.
pub fn figure() -> Model {
    let mut skeleton = rig::skeleton();
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let inverse_bind =
        rig::positions().iter().map(|position| Affine3A::from_translation(-position.as_vec3())).collect();
    let mesh = Mesh { name: "hero".into(), primitives: vec![body(), cape()], ..Mesh::default() };
    let carrier = carrier(&mut skeleton);
    Model {
        name: "hero".into(),
        skeleton,
        meshes: vec![mesh],
        skins: vec![Skin { joints, inverse_bind }],
        instances: vec![MeshInstance { joint: carrier, mesh: 0, skin: Some(0) }],
        materials: vec![material("body", false), material("cape", true)],
        scenes: vec![Scene { name: "scene".into(), roots: vec![rig::ROOT, carrier] }],
        default_scene: Some(0),
        ..Model::default()
    }
}

/// Adds a separate node for the mesh next to the root. Skinned meshes ignore the transform of their node.
fn carrier(skeleton: &mut Skeleton) -> usize {
    let node = skeleton.len();
    skeleton.joints.push(portamento_anim::Joint {
        name: "hero".into(),
        parent: None,
        rest: Transform::IDENTITY,
        node,
        first_morph: 0,
        morph_count: 0,
    });
    node
}

fn material(name: &str, double_sided: bool) -> Material {
    Material { name: name.into(), double_sided, ..Material::default() }
}

/// Returns all parts of the body as one primitive with material 0.
fn body() -> Primitive {
    let mut body = Primitive { influences: INFLUENCES, material: Some(0), ..Primitive::default() };
    for part in body::parts() {
        let surface = surface_nets::surface(&part.shapes, part.cell);
        let first = body.positions.len() as u32;
        body.indices.extend(surface.triangles.iter().flatten().map(|corner| first + corner));
        for (&point, &normal) in surface.points.iter().zip(&surface.normals) {
            let influences = weights::weights(&part.shapes, point, part.softness);
            push(&mut body, [point, normal], part.colour, influences);
        }
    }
    body
}

/// Returns the cape as a primitive with material 1.
fn cape() -> Primitive {
    let mut cape = Primitive { influences: INFLUENCES, material: Some(1), ..Primitive::default() };
    let sheet = cape::sheet();
    cape.indices = sheet.triangles.concat();
    for ((&point, &normal), &influences) in sheet.points.iter().zip(&sheet.normals).zip(&sheet.weights) {
        push(&mut cape, [point, normal], colours::ACCENT, influences);
    }
    cape
}

/// Appends a vertex.
fn push(to: &mut Primitive, [point, normal]: [DVec3; 2], colour: Srgb, influences: [(u16, f32); INFLUENCES]) {
    to.positions.push(point.as_vec3());
    to.normals.push(normal.as_vec3().normalize_or(Vec3::Y));
    to.colors.push(colour.linear());
    to.joints.extend(influences.map(|(joint, _)| joint));
    to.weights.extend(influences.map(|(_, weight)| weight));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_fits_its_budget_and_every_vertex_is_skinned() {
        let figure = figure();
        let parts = &figure.meshes[0].primitives;
        let triangles: usize = parts.iter().map(|part| part.indices.len() / 3).sum();
        assert!((3_000..=6_500).contains(&triangles), "{triangles}");
        for part in parts {
            let sums = part.weights.chunks(INFLUENCES).map(|row| row.iter().sum::<f32>());
            assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-6));
            assert!(part.weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
            assert!(part.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5));
            assert!(part.indices.iter().all(|&corner| (corner as usize) < part.positions.len()));
        }
    }

    #[test]
    fn the_figure_stands_on_the_ground_about_one_metre_seventy_tall() {
        let portamento_anim::math::Bounds { low, high } = figure().rest_bounds();
        assert!(low.y.abs() < 0.01 && (1.66..1.76).contains(&high.y), "{low} {high}");
        assert_eq!(figure(), figure());
    }
}
