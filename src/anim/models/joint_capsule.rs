//! Fits a capsule around the part of the mesh that a joint carries.
//!
//! The capsule contains the vertices whose largest weight belongs to the joint. Its axis runs towards a child or
//! along an axis of the joint, whichever gives the smallest volume.

use glam::{DAffine3, DVec3};

use crate::geometry::capsule_fit::fit_capsule;
use crate::geometry::{Capsule, Primitive, Skin};
use crate::{Model, Pose};

/// Returns the capsule around the vertices that `joint` carries in the rest pose, in the joint's axes (rotation
/// only), metres; `None` if it carries fewer than four.
pub fn joint_capsule(model: &Model, joint: usize, metres_per_unit: f64) -> Option<Capsule> {
    let rest = Pose::rest(&model.skeleton).world_from_joint(&model.skeleton, joint);
    let scale = rest.to_scale_rotation_translation().0 * metres_per_unit;
    let points: Vec<DVec3> = carried_vertices(model, joint).into_iter().map(|point| point * scale).collect();
    let children = model.skeleton.children(joint).map(|child| model.skeleton.joints[child].rest.translation.as_dvec3());
    fit_capsule(&points, children.filter_map(DVec3::try_normalize).chain(DVec3::AXES))
}

/// Returns the vertices whose largest weight belongs to `joint`, in its own space and unit. Of meshes without a skin it carries
/// all vertices of those placed on it.
pub fn carried_vertices(model: &Model, joint: usize) -> Vec<DVec3> {
    let mut points = Vec::new();
    for instance in &model.instances {
        let Some(mesh) = model.meshes.get(instance.mesh) else { continue };
        match instance.skin.and_then(|skin| model.skins.get(skin)) {
            Some(skin) => mesh.primitives.iter().for_each(|part| skinned(part, skin, joint, &mut points)),
            None if instance.joint == joint => {
                points.extend(mesh.primitives.iter().flat_map(|part| &part.positions).map(|point| point.as_dvec3()));
            }
            None => {}
        }
    }
    points.retain(|point| point.is_finite());
    points
}

/// Appends the vertices of `part` whose largest weight belongs to `joint` to `points`, in the joint's own space and unit. Appends
/// none if `skin` lacks the joint.
fn skinned(part: &Primitive, skin: &Skin, joint: usize, points: &mut Vec<DVec3>) {
    let Some(slot) = skin.joints.iter().position(|&each| each == joint) else { return };
    let Some(inverse) = skin.inverse_bind.get(slot) else { return };
    if part.influences == 0 {
        return;
    }
    let inverse = DAffine3 {
        matrix3: glam::Mat3::from(inverse.matrix3).as_dmat3(),
        translation: glam::Vec3::from(inverse.translation).as_dvec3(),
    };
    let rows = part.joints.chunks_exact(part.influences).zip(part.weights.chunks_exact(part.influences));
    for (point, (joints, weights)) in part.positions.iter().zip(rows) {
        let heaviest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        if heaviest.is_some_and(|at| weights[at] > 0.0 && usize::from(joints[at]) == slot) {
            points.push(inverse.transform_point3(point.as_dvec3()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Mesh, MeshInstance};
    use crate::small_inputs::skeleton_of;
    use glam::{Affine3A, Vec3};

    /// Returns a tube along Y from 0 to `length`, carried by joint 0, whose child is at its end.
    fn tube(radius: f32, length: f32) -> Model {
        let positions: Vec<Vec3> = (0..400)
            .map(|i| {
                let (sin, cos) = (i as f32 * 0.7).sin_cos();
                Vec3::new(cos * radius, length * i as f32 / 399.0, sin * radius)
            })
            .collect();
        let influences = 4;
        let part = Primitive {
            joints: (0..400 * influences).map(|i| (i % 4) as u16 % 2).collect(),
            weights: (0..400).flat_map(|_| [0.9, 0.1, 0.0, 0.0]).collect(),
            positions,
            influences,
            ..Primitive::default()
        };
        Model {
            skeleton: skeleton_of(&[("arm", None), ("hand", Some(0))]),
            meshes: vec![Mesh { name: "tube".into(), primitives: vec![part], ..Mesh::default() }],
            skins: vec![Skin {
                joints: vec![0, 1],
                inverse_bind: vec![Affine3A::IDENTITY, Affine3A::from_translation(Vec3::NEG_Y)],
            }],
            instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
            ..Model::default()
        }
    }

    #[test]
    fn a_tube_gets_a_capsule_of_its_radius_and_length_in_metres() {
        let capsule = joint_capsule(&tube(10.0, 100.0), 0, 0.01).unwrap();
        assert!((capsule.radius - 0.1).abs() < 0.003, "{}", capsule.radius);
        let (a, b) = (capsule.a.y.min(capsule.b.y), capsule.a.y.max(capsule.b.y));
        assert!((a - 0.1).abs() < 0.01 && (b - 0.9).abs() < 0.01, "{a} … {b}");
    }

    #[test]
    fn a_short_part_gets_a_sphere_and_a_joint_without_vertices_gets_none() {
        let ball = joint_capsule(&tube(1.0, 1.0), 0, 1.0).unwrap();
        assert_eq!(ball.a, ball.b);
        assert!(ball.a.abs_diff_eq(DVec3::new(0.0, 0.5, 0.0), 0.05), "{}", ball.a);
        assert_eq!(joint_capsule(&tube(1.0, 1.0), 1, 1.0), None);
    }
}
