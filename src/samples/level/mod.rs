//! A yard to walk through, 40 m by 30 m: hills, a ditch with bridge, stairs and ford, walls with gates, a terrace.
//!
//! Between its corners in the south-west and north-east there is a way over the hills, one along the road, and one over the
//! stairs and through the course.

mod surface;
mod solids;
mod ground;
mod terrain;
mod props;

use glam::{DVec2, DVec3, dvec2, dvec3};

use crate::anim::{Joint, MeshInstance, Model, Scene, Skeleton};
use crate::math::Transform;

pub use surface::Surface;

/// Where a walk through the yard begins and ends: on the ground of its south-western and north-eastern corner, metres.
pub fn far_ends() -> [DVec3; 2] {
    [dvec2(-17.5, 11.0), dvec2(17.5, -11.0)].map(|at: DVec2| dvec3(at.x, ground::height(at), at.y))
}

/// The yard, its lowest side at height 0: one mesh for each kind of thing, one material for each surface.
pub fn yard() -> Model {
    let [ground, sides] = terrain::terrain();
    let pieces = [
        ground,
        sides,
        props::bridge(),
        props::stairs(),
        props::terrace(),
        props::walls(),
        props::gates(),
        props::crates(),
        props::trees(),
        props::boulders(),
    ];
    let meshes: Vec<_> = pieces.into_iter().map(solids::Piece::mesh).collect();
    let joint = |(node, name): (usize, &str)| Joint {
        name: name.into(),
        parent: (node > 0).then_some(0),
        rest: Transform::IDENTITY,
        node,
        first_morph: 0,
        morph_count: 0,
    };
    let names = ["yard"].into_iter().chain(meshes.iter().map(|mesh| mesh.name.as_str()));
    let joints = names.enumerate().map(joint).collect();
    let instance = |mesh: usize| MeshInstance { joint: mesh + 1, mesh, skin: None };
    Model {
        name: "yard".into(),
        skeleton: Skeleton { joints, ..Skeleton::default() },
        instances: (0..meshes.len()).map(instance).collect(),
        meshes,
        materials: Surface::ALL.map(Surface::material).to_vec(),
        scenes: vec![Scene { name: "scene".into(), roots: vec![0] }],
        default_scene: Some(0),
        ..Model::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_yard_stands_on_the_grid_and_every_normal_is_a_unit() {
        let yard = yard();
        let (low, high) = yard.rest_bounds();
        assert!(low.y == 0.0 && high.y < 10.0, "{low} {high}");
        assert_eq!((low.x, high.x, low.z, high.z), (-20.0, 20.0, -15.0, 15.0));
        let parts = yard.meshes.iter().flat_map(|mesh| &mesh.primitives);
        assert!(parts.clone().all(|part| part.normals.iter().all(|it| (it.length() - 1.0).abs() < 1e-5)));
        assert!(parts.clone().all(|part| part.material.is_some_and(|it| it < yard.materials.len())));
        assert_eq!(yard, super::yard());
    }
}
