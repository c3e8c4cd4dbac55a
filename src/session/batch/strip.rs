//! A motion as a row of stick figures for reports.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use portamento_anim::{Clip, Skeleton};
use portamento_takes::evaluate::BuiltTake;

/// Poses of a motion from the side, next to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Width and height of the area that the lines cover, SVG units.
    pub size: [u32; 2],
    /// The bones of all poses, each as its two end points in whole SVG units.
    pub lines: Vec<[[f64; 2]; 2]>,
}

/// A [`Strip`] as an SVG path, stored in receipts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StripPath {
    /// Width and height of the area that the path covers.
    pub size: [u32; 2],
    /// The `d` attribute of the path.
    pub path: String,
}

/// Number of poses, evenly spaced in time.
const POSE_COUNT: usize = 8;
/// Height of the row, in SVG units; the scale of a pose is derived from it.
const ROW_HEIGHT: f64 = 100.0;

/// Draws the result of a take as an SVG path; `None` if [`strip`] draws none.
pub(crate) fn strip_path(built: &BuiltTake) -> Option<StripPath> {
    let Strip { size, lines } = strip(&built.character.model.skeleton, built.roles.hips, &built.clip)?;
    let path = lines.iter().map(|[[x, y], [to_x, to_y]]| format!("M{x} {y}L{to_x} {to_y}")).collect();
    Some(StripPath { size, path })
}

/// Draws `clip` as a strip; `hips` is the joint above which no bones are drawn. `None` if there are no bones to draw or the
/// figure has no extent. The poses are seen from the side of the travel, evenly spaced in time.
pub fn strip(skeleton: &Skeleton, hips: Option<usize>, clip: &Clip) -> Option<Strip> {
    let bones = bones(skeleton, hips);
    let poses: Vec<Vec<Line>> = (0..POSE_COUNT).map(|at| lines(skeleton, clip, &bones, at)).collect();
    let all = || poses.iter().flatten().flat_map(|line| [line.from, line.to]);
    let (low, high) = (all().reduce(DVec3::min)?, all().reduce(DVec3::max)?);
    let size = high - low;
    // The view direction is perpendicular to the main direction of travel.
    let along = if size.x > size.z { DVec3::X } else { DVec3::Z };
    let widest = poses.iter().map(|pose| extent(pose, along).length).fold(0.0, f64::max);
    let largest = size.y.max(widest);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let scale = 0.9 * ROW_HEIGHT / largest;
    let cell = (widest * scale + 0.1 * ROW_HEIGHT).max(0.4 * ROW_HEIGHT);
    let mut drawn = Vec::new();
    for (at, pose) in poses.iter().enumerate() {
        let middle = extent(pose, along).middle;
        let position = |joint: DVec3| {
            let x = (at as f64 + 0.5) * cell + (joint.dot(along) - middle) * scale;
            [x, 0.95 * ROW_HEIGHT - (joint.y - low.y) * scale].map(f64::round_ties_even)
        };
        drawn.extend(pose.iter().map(|line| [position(line.from), position(line.to)]));
    }
    Some(Strip { size: [(cell * POSE_COUNT as f64).ceil() as u32, ROW_HEIGHT as u32], lines: drawn })
}

struct Bone {
    from: usize,
    to: usize,
}

/// Returns the lines between joints. Lines that start at a root or at an ancestor of the hips are omitted: those
/// joints carry rig controls and props.
fn bones(skeleton: &Skeleton, hips: Option<usize>) -> Vec<Bone> {
    let parent = |joint: usize| skeleton.joints.get(joint).and_then(|joint| joint.parent);
    let hip_ancestors: Vec<usize> = std::iter::successors(hips.and_then(parent), |&joint| parent(joint)).collect();
    let bone = |to: usize| {
        let from = parent(to)?;
        let is_bone = parent(from).is_some() && !hip_ancestors.contains(&from);
        is_bone.then_some(Bone { from, to })
    };
    (0..skeleton.joints.len()).filter_map(bone).collect()
}

/// A bone in world space.
struct Line {
    from: DVec3,
    to: DVec3,
}

/// Returns the bones in pose `at` of [`POSE_COUNT`], which are spread evenly over the clip, in world units.
fn lines(skeleton: &Skeleton, clip: &Clip, bones: &[Bone], at: usize) -> Vec<Line> {
    let time = clip.duration * at as f64 / (POSE_COUNT - 1) as f64;
    let pose = clip.pose_at(skeleton, time);
    let position = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
    bones.iter().map(|bone| Line { from: position(bone.from), to: position(bone.to) }).collect()
}

struct Extent {
    middle: f64,
    length: f64,
}

/// Returns the extent of the bones of a pose along the unit vector `along`. Both values are in world units; without bones
/// the length is negative.
fn extent(pose: &[Line], along: DVec3) -> Extent {
    let positions = pose.iter().flat_map(|line| [line.from, line.to]).map(|position| position.dot(along));
    let (low, high) =
        positions.fold((f64::MAX, f64::MIN), |(low, high), value| (f64::min(low, value), f64::max(high, value)));
    Extent { middle: 0.5 * (low + high), length: high - low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_stays_in_its_column_however_far_the_motion_travels() {
        let hero = portamento_test_support::hero();
        let hips = portamento_anim::Rig::of_model(&hero).roles.hips;
        for clip in &hero.clips {
            let strip = strip(&hero.skeleton, hips, clip).unwrap();
            let [width, height] = strip.size.map(f64::from);
            let columns: Vec<f64> = strip.lines.iter().map(|[[x, _], _]| *x).collect();
            let bones = bones(&hero.skeleton, hips).len();
            assert_eq!(columns.len(), POSE_COUNT * bones, "{}", clip.name);
            for (at, figure) in columns.chunks(bones).enumerate() {
                let position = at as f64 * width / POSE_COUNT as f64..=(at + 1) as f64 * width / POSE_COUNT as f64;
                assert!(figure.iter().all(|x| position.contains(x)), "{} figure {at}", clip.name);
            }
            let mut rows = strip.lines.iter().flatten().map(|[_, row]| row);
            assert!(rows.all(|row| (0.0..=height).contains(row)), "{}", clip.name);
        }
    }

    #[test]
    fn children_of_joints_above_the_hips_are_not_drawn_as_bones() {
        let rig = ["root", "hips", "knee", "handle", "tip"];
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        let named: Vec<(&str, Option<usize>)> = rig.into_iter().zip(parents).collect();
        let mut skeleton = portamento_test_support::skeleton_of(&named);
        let pairs = |skeleton: &Skeleton| -> Vec<[usize; 2]> {
            bones(skeleton, Some(1)).iter().map(|bone| [bone.from, bone.to]).collect()
        };
        assert_eq!(pairs(&skeleton), [[1, 2], [3, 4]]);
        // The rig with an additional joint above the root.
        let hip_ancestors: Vec<(&str, Option<usize>)> = std::iter::once(("scene", None))
            .chain(named.iter().map(|(n, p)| (*n, Some(p.map_or(0, |p| p + 1)))))
            .collect();
        skeleton = portamento_test_support::skeleton_of(&hip_ancestors);
        let found: Vec<[usize; 2]> = bones(&skeleton, Some(2)).iter().map(|bone| [bone.from, bone.to]).collect();
        assert_eq!(found, [[2, 3], [4, 5]]);
    }
}
