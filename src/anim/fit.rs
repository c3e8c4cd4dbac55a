//! A simple body around the part of the mesh that one joint carries.
//!
//! The vertices that the joint moves more than any other does are taken into its axes; among the ways the part may run, the one
//! with the slimmest capsule is chosen. The radius leaves out the farthest twentieth: folds and seams reach over to the
//! neighbours, and a body that holds them too would be too fat.

use glam::{DAffine3, DVec3};

use super::{Model, Pose, Primitive, Skin};

/// A capsule in the axes of a joint (rotation only), metres; a ball where both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the axis.
    pub a: DVec3,
    /// The other end.
    pub b: DVec3,
    /// Radius.
    pub radius: f64,
}

/// Share of the vertices that lie within the radius.
const INSIDE: f64 = 0.95;
/// Fewer vertices make no body.
const FEWEST: usize = 4;

/// The capsule around what `joint` carries, at rest; `None` where it carries (almost) nothing.
pub fn capsule_around(model: &Model, joint: usize, metres_per_unit: f64) -> Option<Capsule> {
    let rest = Pose::rest(&model.skeleton).world_from_joint(&model.skeleton, joint);
    let scale = rest.to_scale_rotation_translation().0 * metres_per_unit;
    let points: Vec<DVec3> = carried(model, joint).into_iter().map(|point| point * scale).collect();
    if points.len() < FEWEST {
        return None;
    }
    let children = model.skeleton.children(joint).map(|child| model.skeleton.joints[child].rest.translation.as_dvec3());
    let ways = children.filter_map(DVec3::try_normalize).chain(DVec3::AXES);
    let volume = |it: &Capsule| it.radius.powi(2) * (it.a.distance(it.b) + 4.0 / 3.0 * it.radius);
    ways.map(|way| along(&points, way)).min_by(|a, b| volume(a).total_cmp(&volume(b)))
}

/// The capsule around `points` whose axis runs along the unit vector `way`.
fn along(points: &[DVec3], way: DVec3) -> Capsule {
    let flat = |point: &DVec3| *point - way * way.dot(*point);
    let middle = points.iter().map(flat).sum::<DVec3>() / points.len() as f64;
    let mut far: Vec<f64> = points.iter().map(|point| flat(point).distance(middle)).collect();
    far.sort_by(f64::total_cmp);
    let radius = far[((far.len() - 1) as f64 * INSIDE) as usize];
    let bounds = |(low, high): (f64, f64), at: f64| (low.min(at), high.max(at));
    let (low, high) = points.iter().map(|point| way.dot(*point)).fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
    let (start, end) = (low + radius, high - radius);
    if end - start > 0.25 * radius {
        return Capsule { a: middle + way * start, b: middle + way * end, radius };
    }
    let center = middle + way * ((low + high) * 0.5);
    let mut far: Vec<f64> = points.iter().map(|point| point.distance(center)).collect();
    far.sort_by(f64::total_cmp);
    Capsule { a: center, b: center, radius: far[((far.len() - 1) as f64 * INSIDE) as usize] }
}

/// The vertices that `joint` moves most, in its own space and unit.
fn carried(model: &Model, joint: usize) -> Vec<DVec3> {
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
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Mesh, MeshInstance};
    use glam::{Affine3A, Vec3};

    /// A tube of the radius along Y from 0 to `length`, carried by joint 0, whose child lies at its end.
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
            meshes: vec![Mesh { name: "tube".into(), primitives: vec![part] }],
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
        let capsule = capsule_around(&tube(10.0, 100.0), 0, 0.01).unwrap();
        assert!((capsule.radius - 0.1).abs() < 0.003, "{}", capsule.radius);
        let (a, b) = (capsule.a.y.min(capsule.b.y), capsule.a.y.max(capsule.b.y));
        assert!((a - 0.1).abs() < 0.01 && (b - 0.9).abs() < 0.01, "{a} … {b}");
    }

    #[test]
    fn a_short_part_gets_a_ball_and_a_joint_without_flesh_nothing() {
        let ball = capsule_around(&tube(1.0, 1.0), 0, 1.0).unwrap();
        assert_eq!(ball.a, ball.b);
        assert!(ball.a.abs_diff_eq(DVec3::new(0.0, 0.5, 0.0), 0.05), "{}", ball.a);
        assert_eq!(capsule_around(&tube(1.0, 1.0), 1, 1.0), None);
    }
}
