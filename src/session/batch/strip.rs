//! A motion as a row of stick figures, to be drawn in reports.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::anim::{Clip, Skeleton};
use crate::evaluate::BuiltTake;

/// Poses of a motion from the side, each beside the one before, as the path of an SVG.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    /// Width and height of what the path covers.
    pub size: [u32; 2],
    /// The `d` of the path.
    pub path: String,
}

/// Poses, evenly in time.
const POSES: usize = 8;
/// Height of the row and width of each pose at least, units of the path.
const HEIGHT: f64 = 100.0;

impl Strip {
    /// Its lines, each from one end to the other.
    pub fn lines(&self) -> impl Iterator<Item = [[f32; 2]; 2]> {
        self.path.split('M').filter_map(|line| {
            let mut ends = line.split('L').map(|end| {
                let (x, y) = end.split_once(' ')?;
                Some([x.parse().ok()?, y.parse().ok()?])
            });
            Some([ends.next()??, ends.next()??])
        })
    }
}

/// What comes out of a take as a row of figures; none where it moves no joints.
pub(in crate::session) fn strip_of(built: &BuiltTake) -> Option<Strip> {
    strip(&built.character.model.skeleton, built.roles.hips, &built.clip)
}

/// `clip` of a figure with that joint for `hips` as a row of figures; none where nothing has a length.
pub fn strip(skeleton: &Skeleton, hips: Option<usize>, clip: &Clip) -> Option<Strip> {
    let bones = bones(skeleton, hips);
    let poses: Vec<Vec<Line>> = (0..POSES).map(|at| lines(skeleton, clip, &bones, at)).collect();
    let all = || poses.iter().flatten().flat_map(|line| [line.from, line.to]);
    let (low, high) = (all().reduce(DVec3::min)?, all().reduce(DVec3::max)?);
    let size = high - low;
    // From the side of whatever it goes along.
    let along = if size.x > size.z { DVec3::X } else { DVec3::Z };
    let widest = poses.iter().map(|pose| extent(pose, along).length).fold(0.0, f64::max);
    let largest = size.y.max(widest);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let scale = 0.9 * HEIGHT / largest;
    let cell = (widest * scale + 0.1 * HEIGHT).max(0.4 * HEIGHT);
    let mut path = String::new();
    for (at, pose) in poses.iter().enumerate() {
        let middle = extent(pose, along).middle;
        let place = |joint: DVec3| {
            let x = (at as f64 + 0.5) * cell + (joint.dot(along) - middle) * scale;
            format!("{:.0} {:.0}", x, 0.95 * HEIGHT - (joint.y - low.y) * scale)
        };
        path.extend(pose.iter().map(|line| format!("M{}L{}", place(line.from), place(line.to))));
    }
    Some(Strip { size: [(cell * POSES as f64).ceil() as u32, HEIGHT as u32], path })
}

struct Bone {
    from: usize,
    to: usize,
}

/// Lines between joints. What starts where nothing but the whole figure hangs on, above its hips, is no bone: such joints carry
/// handles of rigs and things beside the body.
fn bones(skeleton: &Skeleton, hips: Option<usize>) -> Vec<Bone> {
    let parent = |joint: usize| skeleton.joints.get(joint).and_then(|joint| joint.parent);
    let above: Vec<usize> = std::iter::successors(hips.and_then(parent), |&joint| parent(joint)).collect();
    let bone = |to: usize| {
        let from = parent(to)?;
        let is_bone = parent(from).is_some() && !above.contains(&from);
        is_bone.then_some(Bone { from, to })
    };
    (0..skeleton.joints.len()).filter_map(bone).collect()
}

/// A bone in the world.
struct Line {
    from: DVec3,
    to: DVec3,
}

fn lines(skeleton: &Skeleton, clip: &Clip, bones: &[Bone], at: usize) -> Vec<Line> {
    let time = clip.duration * at as f64 / (POSES - 1) as f64;
    let pose = clip.pose_at(skeleton, time);
    let place = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
    bones.iter().map(|bone| Line { from: place(bone.from), to: place(bone.to) }).collect()
}

struct Extent {
    middle: f64,
    length: f64,
}

fn extent(pose: &[Line], along: DVec3) -> Extent {
    let places = pose.iter().flat_map(|line| [line.from, line.to]).map(|place| place.dot(along));
    let (low, high) =
        places.fold((f64::MAX, f64::MIN), |(low, high), value| (f64::min(low, value), f64::max(high, value)));
    Extent { middle: 0.5 * (low + high), length: high - low }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of a path, as the columns that each covers.
    fn columns(strip: &Strip) -> Vec<f64> {
        let lines = strip.path.split('M').skip(1);
        lines.map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn every_figure_fills_its_place_however_far_the_motion_goes() {
        let hero = crate::samples::hero();
        let hips = crate::anim::Rig::of_model(&hero).roles.hips;
        for clip in &hero.clips {
            let strip = strip(&hero.skeleton, hips, clip).unwrap();
            let [width, height] = strip.size.map(f64::from);
            let (columns, bones) = (columns(&strip), bones(&hero.skeleton, hips).len());
            assert_eq!(columns.len(), POSES * bones, "{}", clip.name);
            for (at, figure) in columns.chunks(bones).enumerate() {
                let place = at as f64 * width / POSES as f64..=(at + 1) as f64 * width / POSES as f64;
                assert!(figure.iter().all(|x| place.contains(x)), "{} figure {at}", clip.name);
            }
            let mut rows = strip.path.split(['M', 'L']).skip(1).map(|place| place.split(' ').nth(1).unwrap());
            assert!(rows.all(|row| (0.0..=height).contains(&row.parse().unwrap())), "{}", clip.name);
        }
    }

    #[test]
    fn joints_that_hang_above_the_hips_beside_them_are_no_bones() {
        let rig = ["root", "hips", "knee", "handle", "tip"];
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        let named: Vec<(&str, Option<usize>)> = rig.into_iter().zip(parents).collect();
        let mut skeleton = crate::anim::skeleton::tests::skeleton_of(&named);
        let pairs = |skeleton: &Skeleton| -> Vec<[usize; 2]> {
            bones(skeleton, Some(1)).iter().map(|bone| [bone.from, bone.to]).collect()
        };
        assert_eq!(pairs(&skeleton), [[1, 2], [3, 4]]);
        // The same with another joint above.
        let above: Vec<(&str, Option<usize>)> = std::iter::once(("scene", None))
            .chain(named.iter().map(|(n, p)| (*n, Some(p.map_or(0, |p| p + 1)))))
            .collect();
        skeleton = crate::anim::skeleton::tests::skeleton_of(&above);
        let found: Vec<[usize; 2]> = bones(&skeleton, Some(2)).iter().map(|bone| [bone.from, bone.to]).collect();
        assert_eq!(found, [[2, 3], [4, 5]]);
    }
}
