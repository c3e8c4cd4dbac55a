//! Helper joints of a character: IK targets, poles and controls that hang on the root next to the hips.

use super::{Carriers, Input};
use portamento_anim::Pose;

/// Returns the children of the root that rest in `poses` while the body moves; none without a root or if the root moves. They
/// have no position of their own in the motion, so that they go with the root. Joints that carry a visible part, and helpers that
/// are animated, keep their world transforms.
pub(super) fn at_rest(input: &Input, carriers: &Carriers, poses: &[Pose]) -> Vec<usize> {
    let skeleton = input.skeleton;
    let Some(root) = carriers.root else { return Vec::new() };
    let rests = |joint: usize| poses.iter().all(|pose| pose.locals[joint] == poses[0].locals[joint]);
    let is_visible = |joint: usize| input.mesh_joints.get(joint).is_some_and(|&is_visible| is_visible);
    let is_follower = |child: &usize| {
        let joints = skeleton.subtree(*child);
        !joints.contains(&carriers.hips) && joints.into_iter().all(|joint| rests(joint) && !is_visible(joint))
    };
    if !skeleton.ancestors(root).all(rests) {
        return Vec::new();
    }
    skeleton.children(root).filter(is_follower).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{RootTravel, Settings, build};
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_anim::{Clip, Curve, JointTracks, Pose, Roles, Skeleton};
    use portamento_base::progress::Progress;
    use portamento_test_support::skeleton_of;

    const ROOT: usize = 0;
    const HIPS: usize = 1;
    const RESTING: usize = 3;
    const ANIMATED: usize = 5;
    const VISIBLE: usize = 6;

    /// Hips that travel 2 m along Z and turn by 90° in one second, with a resting IK target and its pole, an animated target and a
    /// visible prop beside them.
    fn rig() -> (Skeleton, Clip, Roles) {
        let rows = [
            ("root", None),
            ("hips", Some(0)),
            ("head", Some(1)),
            ("target", Some(0)),
            ("pole", Some(3)),
            ("animated target", Some(0)),
            ("prop", Some(0)),
        ];
        let skeleton = skeleton_of(&rows);
        let times = vec![0.0, 0.5, 1.0];
        let along =
            |metres: f32| Curve::linear(times.clone(), (0..3).map(|i| Vec3::Y + metres * i as f32 * Vec3::Z).collect());
        let mut tracks = vec![JointTracks::default(); rows.len()];
        tracks[HIPS].translation = Some(along(1.0));
        let turns = (0..3).map(|i| Quat::from_rotation_y(i as f32 * std::f32::consts::FRAC_PI_4)).collect();
        tracks[HIPS].rotation = Some(Curve::linear(times.clone(), turns));
        tracks[ANIMATED].translation = Some(along(0.7));
        let clip = Clip { name: "walk".into(), duration: 1.0, tracks };
        (skeleton, clip, Roles { hips: Some(HIPS), ..Roles::default() })
    }

    /// Returns the poses of the first and of the last frame after the travel is moved.
    fn ends(travel: RootTravel) -> (Skeleton, [Pose; 2], [Pose; 2]) {
        let (skeleton, clip, roles) = rig();
        let mesh_joints: Vec<bool> = (0..skeleton.len()).map(|joint| joint == VISIBLE || joint == HIPS).collect();
        let input = Input {
            skeleton: &skeleton,
            clip: &clip,
            roles: &roles,
            fps: 30.0,
            metres_per_unit: 1.0,
            mesh_joints: &mesh_joints,
        };
        let built = build(&input, &Settings { travel, ..Settings::default() }, &Progress::new()).unwrap();
        assert!(built.report.moved <= built.report.bound, "{:?}", built.report);
        let [before, after] = [&clip, &built.clip].map(|clip| [0.0, 1.0].map(|time| clip.pose_at(&skeleton, time)));
        (skeleton, before, after)
    }

    #[test]
    fn a_resting_helper_goes_with_the_root_and_animated_and_visible_ones_keep_their_world_transforms() {
        let (skeleton, before, after) = ends(RootTravel::IntoRoot);
        let world = |pose: &Pose, joint: usize| pose.world_from_joint(&skeleton, joint);
        // The root is under the hips: 2 m along Z, turned by 90° about Y, at its own height of 1 m.
        let root = world(&after[1], ROOT);
        assert!((root.translation - glam::DVec3::new(0.0, 1.0, 2.0)).length() < 1e-6, "{root:?}");
        for joint in [RESTING, RESTING + 1] {
            assert_eq!(after[1].locals[joint], before[0].locals[joint]);
        }
        let target = world(&after[1], RESTING).translation;
        assert!((target - glam::DVec3::new(0.0, 2.0, 2.0)).length() < 1e-6, "{target}");
        for joint in [HIPS, ANIMATED, VISIBLE] {
            let [was, is] = [&before[1], &after[1]].map(|pose| world(pose, joint));
            assert!(was.abs_diff_eq(is, 1e-5), "{joint}: {was:?} {is:?}");
        }
    }

    #[test]
    fn without_travel_a_resting_helper_stays_and_animated_ones_go_back_with_the_body() {
        let (skeleton, before, after) = ends(RootTravel::Away);
        assert_eq!(after[1].locals[RESTING], before[0].locals[RESTING]);
        // The body goes back by its turn about the hips: the target, 0.6 m behind them along Z, is there along X.
        let target = after[1].world_from_joint(&skeleton, ANIMATED).translation;
        assert!((target - glam::DVec3::new(0.6, 2.0, 0.0)).length() < 1e-5, "{target}");
    }
}
