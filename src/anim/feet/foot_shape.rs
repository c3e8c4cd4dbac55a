//! The underside of feet from their meshes: the tip of a shoe is lower than any joint when the foot points down.

use glam::{DVec2, DVec3};

use crate::foot_place::{leg_positions, sole};
use crate::joint_capsule::carried_vertices;
use crate::root_motion::{all_at_rest, rest_at};
use crate::{Leg, Model, Pose, Roles, Skeleton};

/// The mesh points of one joint of a foot.
#[derive(Clone, Debug, PartialEq)]
pub struct SolePart {
    /// The joint that moves them.
    pub joint: usize,
    /// The outermost points, in the joint's space.
    pub points: Vec<DVec3>,
}

/// Number of horizontal directions in which the outermost points of a foot are searched.
const SIDE_DIRECTIONS: usize = 8;
/// Angles below the horizontal in which the outermost points are searched, degrees.
const TILTS_DEGREES: [f64; 3] = [0.0, 30.0, 60.0];

/// Returns, for each of `legs`, the points of its foot that can be lowest at some rotation; empty if the model has no
/// mesh there.
pub fn soles(model: &Model, legs: &[Leg]) -> Vec<Vec<SolePart>> {
    let part =
        |joint: usize| Some(SolePart { joint, points: outermost(model, joint) }).filter(|it| !it.points.is_empty());
    let of_leg = |leg: &Leg| {
        let joints = if leg.foot < model.skeleton.len() { model.skeleton.subtree(leg.foot) } else { Vec::new() };
        joints.into_iter().filter_map(part).collect()
    };
    legs.iter().map(of_leg).collect()
}

/// Returns the mesh points of the trunk, the limbs and the feet that can be lowest at some rotation, part by part.
pub fn body_points(model: &Model, roles: &Roles) -> Vec<SolePart> {
    let mut joints = roles.trunk_and_limbs(&model.skeleton);
    // A foot may not be a descendant of its shin, so the leg is named joint by joint.
    let legs = roles.legs.iter().flat_map(|leg| [leg.thigh, leg.shin]);
    joints.extend(legs.filter(|&joint| joint < model.skeleton.len()));
    let feet = roles.legs.iter().filter(|leg| leg.foot < model.skeleton.len());
    joints.extend(feet.flat_map(|leg| model.skeleton.subtree(leg.foot)));
    joints.sort_unstable();
    joints.dedup();
    let part = |joint: usize| SolePart { joint, points: outermost(model, joint) };
    joints.into_iter().map(part).filter(|part| !part.points.is_empty()).collect()
}

/// Returns the height of the lowest point of `sole` in `pose`, world units; `None` without points.
pub fn lowest(skeleton: &Skeleton, sole: &[SolePart], pose: &Pose) -> Option<f64> {
    let heights = |part: &SolePart| {
        let joint = pose.world_from_joint(skeleton, part.joint);
        part.points.iter().map(|&point| joint.transform_point3(point).y).min_by(f64::total_cmp)
    };
    sole.iter().filter_map(heights).min_by(f64::total_cmp)
}

/// Maximum height of the lowest sole of a rest pose above its ground, as a fraction of the leg length. Tuned; no derivation
/// recorded.
pub const REST_GROUND_MAX_RATIO: f64 = 0.2;

/// Returns the height of the ground on which the rest pose stands, world units: 0 if the feet are near it. Otherwise the file has
/// its origin elsewhere. Then a joint above the legs that is near the lowest sole is on the ground; without one, the ground is the
/// lowest joint or point of a foot mesh there. `soles` are the meshes of the feet; they may be empty.
pub fn standing_ground(skeleton: &Skeleton, legs: &[Leg], soles: &[Vec<SolePart>]) -> f64 {
    let rest = Pose::rest(skeleton);
    let length = legs.iter().map(|leg| leg_positions(skeleton, leg, &rest).length()).fold(0.0, f64::max);
    let lowest_sole = legs.iter().map(|leg| sole(skeleton, leg, &rest).y).fold(f64::INFINITY, f64::min);
    if !lowest_sole.is_finite() || lowest_sole.abs() <= REST_GROUND_MAX_RATIO * length {
        return 0.0;
    }
    let heights: Vec<f64> = all_at_rest(skeleton).into_iter().map(|world| world.translation.y).collect();
    let is_near = |height: &f64| (lowest_sole - height).abs() <= REST_GROUND_MAX_RATIO * length;
    let above = legs.iter().flat_map(|leg| skeleton.ancestors(leg.thigh).skip(1)).map(|joint| heights[joint]);
    let root = above.filter(is_near).min_by(f64::total_cmp);
    let meshes = soles.iter().filter_map(|sole| lowest(skeleton, sole, &rest));
    root.unwrap_or_else(|| heights.iter().copied().chain(meshes).filter(is_near).fold(lowest_sole, f64::min))
}

/// The mesh of one foot with its rest height.
pub struct MeshSole<'a> {
    parts: &'a [SolePart],
    /// Height of its lowest point in the rest pose, world units.
    rest: f64,
}

impl<'a> MeshSole<'a> {
    /// Returns the mesh of the foot of the leg with the index `leg`, which `soles` lists in the same order. Returns `None` if it
    /// has no mesh.
    pub fn find(skeleton: &Skeleton, soles: &'a [Vec<SolePart>], leg: usize) -> Option<Self> {
        let parts = soles.get(leg)?;
        Some(Self { parts, rest: lowest(skeleton, parts, &Pose::rest(skeleton))? })
    }

    /// Returns the height of its lowest point in the rest pose, world units.
    pub fn rest_height(&self) -> f64 {
        self.rest
    }

    /// Returns how much lower its lowest point is in `pose` than in the rest pose, world units; negative if it is
    /// higher, and −∞ without points.
    pub fn depth(&self, skeleton: &Skeleton, pose: &Pose) -> f64 {
        lowest(skeleton, self.parts, pose).map_or(f64::NEG_INFINITY, |height| self.rest - height)
    }
}

/// Returns the mesh points carried by `joint`, in its space, that are outermost in some direction sideways or down in the rest
/// pose.
fn outermost(model: &Model, joint: usize) -> Vec<DVec3> {
    let points = carried_vertices(model, joint);
    let rest = rest_at(&model.skeleton, joint);
    let positions: Vec<DVec3> = points.iter().map(|&point| rest.transform_point3(point)).collect();
    let sides = (0..SIDE_DIRECTIONS)
        .map(|side| DVec2::from_angle(std::f64::consts::TAU * side as f64 / SIDE_DIRECTIONS as f64));
    let tilted = |side: DVec2| {
        TILTS_DEGREES.map(|down| {
            let (sin, cos) = down.to_radians().sin_cos();
            DVec3::new(side.x * cos, -sin, side.y * cos)
        })
    };
    let directions = sides.flat_map(tilted).chain([DVec3::NEG_Y]);
    let farthest = |direction: DVec3| {
        (0..positions.len()).max_by(|&a, &b| positions[a].dot(direction).total_cmp(&positions[b].dot(direction)))
    };
    let mut chosen: Vec<usize> = directions.filter_map(farthest).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|index| points[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_part_of_a_foot_tells_how_low_it_is() {
        let skeleton = crate::small_inputs::skeleton_of(&[("foot", None), ("toe", Some(0))]);
        let part = |joint: usize, heights: [f64; 2]| SolePart { joint, points: heights.map(|y| DVec3::Y * y).to_vec() };
        let pose = Pose::rest(&skeleton);
        for parts in [[part(0, [0.2, -0.3]), part(1, [0.5, 0.1])], [part(1, [0.5, 0.1]), part(0, [0.2, -0.3])]] {
            assert_eq!(lowest(&skeleton, &parts, &pose), Some(1.0 - 0.3));
        }
    }
}
