//! The directions of aim poses, and the grid that they form.

use std::collections::BTreeMap;

use portamento_anim::quality::Input;
use portamento_anim::root_motion::{rest_at, world_at};

/// Yaw and pitch, degrees: positive to the right of the character and up.
pub type Aim = [f64; 2];

/// Returns the direction to which the first pose turns each joint from its rest pose, by the joint's name.
pub fn aims(input: &Input) -> BTreeMap<String, Aim> {
    let aim = |joint: usize| (input.skeleton.joints[joint].name.clone(), aim_at(input, joint, 0.0));
    (0..input.skeleton.len()).map(aim).filter(|(_, aim)| aim.iter().all(|angle| angle.is_finite())).collect()
}

/// Returns the direction to which the pose at `time` (seconds) turns `joint` from its rest pose. It is not finite for a joint
/// without size.
pub fn aim_at(input: &Input, joint: usize, time: f64) -> Aim {
    let Input { skeleton, clip, roles, .. } = *input;
    let front = roles.front.unwrap_or_default().direction();
    let right = front.cross(glam::DVec3::Y);
    let [rest, posed] = [rest_at(skeleton, joint), world_at(skeleton, clip, joint, time)];
    let turned = (posed.matrix3 * rest.matrix3.inverse() * front).normalize();
    let yaw = turned.dot(right).atan2(turned.dot(front)).to_degrees();
    [yaw, turned.y.clamp(-1.0, 1.0).asin().to_degrees()]
}

/// Returns `aims` relative to the one that is nearest to the middle of both ranges.
pub fn centred(aims: &[Aim]) -> Vec<Aim> {
    let middle = [0, 1].map(|axis| {
        let values = aims.iter().map(|aim| aim[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        0.5 * (low + high)
    });
    let distance = |aim: &&Aim| (aim[0] - middle[0]).hypot(aim[1] - middle[1]);
    let centre = aims.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied().unwrap_or_default();
    aims.iter().map(|aim| [aim[0] - centre[0], aim[1] - centre[1]]).collect()
}

/// Returns the directions of the grid over `aims` that none of them has. Angles up to `tolerance` degrees apart are one column or row.
pub fn missing_aims(aims: &[Aim], tolerance: f64) -> Vec<Aim> {
    let [columns, rows] = [0, 1].map(|axis| group_means(aims.iter().map(|aim| aim[axis]).collect(), tolerance));
    let cells = columns.iter().flat_map(|&yaw| rows.iter().map(move |&pitch| [yaw, pitch]));
    let is_missing =
        |cell: &Aim| !aims.iter().any(|aim| [0, 1].iter().all(|&axis| (aim[axis] - cell[axis]).abs() <= tolerance));
    cells.filter(is_missing).collect()
}

/// Returns the mean of each group of `values` whose neighbours are at most `tolerance` apart.
fn group_means(mut values: Vec<f64>, tolerance: f64) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let groups = values.chunk_by(|low, high| high - low <= tolerance);
    groups.map(|group| group.iter().sum::<f64>() / group.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use portamento_anim::{Clip, Curve, Front, JointTracks, Roles};
    use portamento_test_support::skeleton_of;

    #[test]
    fn an_aim_is_the_turn_of_a_joint_from_its_rest_pose() {
        let skeleton = skeleton_of(&[("root", None), ("head", Some(0)), ("nose", Some(1))]);
        let turn = |axis: fn(f32) -> Quat, degrees: f32| axis(degrees.to_radians());
        for (front, rotation, wanted) in [
            (Front::PlusZ, turn(Quat::from_rotation_y, -40.0), [40.0, 0.0]),
            (Front::PlusZ, turn(Quat::from_rotation_x, -30.0), [0.0, 30.0]),
            (Front::MinusZ, turn(Quat::from_rotation_x, -30.0), [0.0, -30.0]),
            (Front::PlusX, turn(Quat::from_rotation_y, -40.0), [40.0, 0.0]),
        ] {
            let mut clip = Clip { name: "aim".into(), duration: 0.0, tracks: vec![JointTracks::default(); 3] };
            clip.tracks[1].rotation = Some(Curve::linear(vec![0.0], vec![rotation]));
            let roles = Roles { front: Some(front), ..Roles::default() };
            let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
            let found = aims(&input);
            let apart = |joint: &str, wanted: Aim| (found[joint][0] - wanted[0]).hypot(found[joint][1] - wanted[1]);
            assert!(apart("nose", wanted) < 1e-3 && apart("root", [0.0; 2]) < 1e-3, "{front:?}: {found:?}");
        }
    }

    #[test]
    fn a_grid_without_a_corner_misses_it() {
        let mut aims: Vec<Aim> =
            [-60.0, 1.0, 58.0].into_iter().flat_map(|yaw| [-30.0, 30.0].map(|pitch| [yaw, pitch])).collect();
        assert_eq!(missing_aims(&aims, 5.0), <[Aim; 0]>::default());
        aims.remove(5);
        assert_eq!(missing_aims(&aims, 5.0), [[58.0, 30.0]]);
        assert_eq!(missing_aims(&[], 5.0), <[Aim; 0]>::default());
    }

    #[test]
    fn angles_are_counted_from_the_middle_pose() {
        assert_eq!(centred(&[[10.0, 5.0], [50.0, 5.0], [-30.0, 5.0]]), [[0.0, 0.0], [40.0, 0.0], [-40.0, 0.0]]);
    }
}
