//! Toes that bend over the ground: while a foot points down, the tip of a long shoe would be in the ground, and a short leg would
//! have to be folded to raise it.
//!
//! ```text
//! p(i)     pitch of the toes from frame i to i + 1 in the source, positive downwards
//! rise(i)  =  max(2·p(i), 0)  + r·Δt          largest increase of the bend
//! fall(i)  =  max(−2·p(i), 0) + r·Δt          largest decrease of the bend
//! ```
//!
//! With these limits the toes turn no faster than in the source by more than r. A larger bend than needed keeps the tip out of the
//! ground too, so that the bend begins before it is needed and ends after it.

use glam::{DQuat, DVec3};

use portamento_anim::chain_ik::turn_in_world;
use portamento_anim::foot_shape::{SolePart, lowest};
use portamento_anim::root_motion::{rest_at, turn_of};
use portamento_anim::{Leg, Pose, Skeleton};

/// Largest bend of toes, degrees: about that of a shoe in a push-off.
const MAX_BEND_DEGREES: f64 = 75.0;
/// Step in which a bend is searched, degrees.
const SEARCH_STEP_DEGREES: f64 = 1.0;
/// Speed `r` by which the toes may turn faster than in the source, degrees per second: 10° in a frame at 24 fps.
const EXCESS_DEGREES_PER_SECOND: f64 = 240.0;

/// The toes of a foot, with a mesh.
pub(super) struct Toes<'a> {
    toe: usize,
    /// The mesh of the foot.
    sole: &'a [SolePart],
    /// The axis about which the toes bend upwards, in the space of their joint.
    axis: DVec3,
}

impl<'a> Toes<'a> {
    /// Finds the toes of `leg` with the foot mesh `sole`. Returns `None` without toes, or if they carry no mesh in front of them.
    pub fn find(skeleton: &Skeleton, leg: &Leg, sole: &'a [SolePart]) -> Option<Self> {
        let toe = leg.toe?;
        let rest = rest_at(skeleton, toe);
        let parts = sole.iter().filter(|part| skeleton.is_within(part.joint, toe));
        let points = parts.flat_map(|part| {
            let joint = rest_at(skeleton, part.joint);
            part.points.iter().map(move |&point| joint.transform_point3(point))
        });
        let tip = points.map(|point| (point - rest.translation).with_y(0.0));
        let tip = tip.max_by(|a, b| a.length().total_cmp(&b.length()))?;
        let axis = tip.cross(DVec3::Y).try_normalize()?;
        Some(Self { toe, sole, axis: turn_of(&rest).inverse() * axis })
    }

    /// Bends the toes of `poses` so that their mesh is above the world height of `floors` in each frame, as far as possible.
    /// The bend changes no faster than the limits of the module allow.
    pub fn bend(&self, skeleton: &Skeleton, times: &[f64], floors: &[f64], poses: &mut [Pose]) {
        let needs = poses.iter().zip(floors).map(|(pose, &floor)| self.needed(skeleton, pose, floor));
        let mut bends: Vec<f64> = needs.collect();
        if bends.iter().all(|&bend| bend == 0.0) {
            return;
        }
        let pitches = self.pitches(skeleton, poses);
        limit_speed(&mut bends, &pitches, times);
        for (pose, bend) in poses.iter_mut().zip(bends).filter(|(_, bend)| *bend > 0.0) {
            let axis = turn_of(&pose.world_from_joint(skeleton, self.toe)) * self.axis;
            turn_in_world(skeleton, pose, self.toe, DQuat::from_axis_angle(axis, bend.to_radians()));
        }
    }

    /// Returns the smallest bend with which the mesh of the toes is above `floor`, degrees; the one with which it is highest if
    /// there is none.
    fn needed(&self, skeleton: &Skeleton, pose: &Pose, floor: f64) -> f64 {
        if lowest(skeleton, self.sole, pose).is_none_or(|height| height >= floor) {
            return 0.0;
        }
        let toe = pose.world_from_joint(skeleton, self.toe);
        let axis = turn_of(&toe) * self.axis;
        let parts = self.sole.iter().filter(|part| skeleton.is_within(part.joint, self.toe));
        let points = parts.flat_map(|part| {
            let joint = pose.world_from_joint(skeleton, part.joint);
            part.points.iter().map(move |&point| joint.transform_point3(point) - toe.translation)
        });
        let points: Vec<DVec3> = points.collect();
        let height = |bend: f64| {
            let turn = DQuat::from_axis_angle(axis, bend.to_radians());
            toe.translation.y + points.iter().map(|&point| (turn * point).y).fold(f64::INFINITY, f64::min)
        };
        let bends = (0..=(MAX_BEND_DEGREES / SEARCH_STEP_DEGREES) as u32).map(|i| SEARCH_STEP_DEGREES * f64::from(i));
        let mut highest = (f64::NEG_INFINITY, 0.0);
        for bend in bends {
            let height = height(bend);
            if height >= floor {
                return bend;
            }
            if height > highest.0 {
                highest = (height, bend);
            }
        }
        highest.1
    }

    /// Returns the rotation of the toes about their axis from each frame to the next, degrees, positive downwards.
    fn pitches(&self, skeleton: &Skeleton, poses: &[Pose]) -> Vec<f64> {
        let turns: Vec<DQuat> = poses.iter().map(|pose| turn_of(&pose.world_from_joint(skeleton, self.toe))).collect();
        let pitch = |pair: &[DQuat]| {
            let turn = (pair[1] * pair[0].inverse()).normalize();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            -turn.to_scaled_axis().dot(pair[0] * self.axis).to_degrees()
        };
        turns.windows(2).map(pitch).collect()
    }
}

/// Raises `bends` (degrees) so that they change no faster than the limits of the module allow. `pitches` are as in
/// [`Toes::pitches`], and `times` are in seconds.
fn limit_speed(bends: &mut [f64], pitches: &[f64], times: &[f64]) {
    let excess = |i: usize| EXCESS_DEGREES_PER_SECOND * (times[i + 1] - times[i]);
    for i in 0..pitches.len() {
        let fall = (-2.0 * pitches[i]).max(0.0) + excess(i);
        bends[i + 1] = bends[i + 1].max(bends[i] - fall);
    }
    for i in (0..pitches.len()).rev() {
        let rise = (2.0 * pitches[i]).max(0.0) + excess(i);
        bends[i] = bends[i].max(bends[i + 1] - rise);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::Transform;
    use portamento_test_support::skeleton_of;

    /// Returns a leg whose ankle and toes are 0.1 m above the ground, with a shoe whose tip is 0.2 m in front of the toes.
    fn shoe() -> (Skeleton, Leg, Vec<SolePart>) {
        let rows = [("thigh", None), ("shin", Some(0)), ("foot", Some(1)), ("toe", Some(2))];
        let offsets = [[0.0, 1.1, 0.0], [0.0, -0.5, 0.0], [0.0, -0.5, 0.0], [0.0, 0.0, 0.1]];
        let mut skeleton = skeleton_of(&rows);
        for (joint, offset) in skeleton.joints.iter_mut().zip(offsets) {
            joint.rest = Transform::from_translation(glam::Vec3::from_array(offset));
        }
        let part = SolePart { joint: 3, points: vec![DVec3::new(0.0, 0.0, 0.2)] };
        (skeleton, Leg { thigh: 0, shin: 1, foot: 2, toe: Some(3) }, vec![part])
    }

    #[test]
    fn the_tip_of_a_foot_that_points_down_is_bent_out_of_the_ground() {
        let (skeleton, leg, sole) = shoe();
        let toes = Toes::find(&skeleton, &leg, &sole).unwrap();
        // The foot points down by 60°, so that the toes are at 0.1 − 0.1·sin 60° and their tip 0.2·sin 60° lower.
        let mut pose = Pose::rest(&skeleton);
        pose.locals[2].rotation = glam::Quat::from_rotation_x(60_f32.to_radians());
        let toe = 0.1 - 0.1 * 60_f64.to_radians().sin();
        let height = |pose: &Pose| lowest(&skeleton, &sole, pose).unwrap();
        assert!((height(&pose) - (toe - 0.2 * 60_f64.to_radians().sin())).abs() < 1e-6);
        // At height 0 the tip is asin(toe / 0.2) below the toes.
        let expected = 60.0 - (toe / 0.2).asin().to_degrees();
        let mut poses = vec![pose];
        toes.bend(&skeleton, &[0.0], &[0.0], &mut poses);
        let bent = poses[0].locals[3].rotation.angle_between(glam::Quat::IDENTITY).to_degrees();
        assert!(
            f64::from(bent) >= expected - 1e-3 && f64::from(bent) <= expected + SEARCH_STEP_DEGREES,
            "{bent} {expected}"
        );
        assert!((-1e-6..0.004).contains(&height(&poses[0])), "{}", height(&poses[0]));
    }

    #[test]
    fn a_bend_changes_no_faster_than_the_source_by_more_than_the_excess() {
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i) / 30.0).collect();
        let mut bends = vec![0.0; 21];
        bends[10] = 60.0;
        // The foot points down by 15° more in each of two frames, then stays.
        let mut pitches = vec![0.0; 20];
        (pitches[8], pitches[9]) = (15.0, 15.0);
        limit_speed(&mut bends, &pitches, &times);
        assert_eq!(bends[10], 60.0);
        for i in 0..20 {
            let own = (pitches[i] - (bends[i + 1] - bends[i])).abs();
            assert!(own <= pitches[i].abs() + 8.0 + 1e-9, "frame {i}: {own}");
        }
        // After the frame it falls by 8° in each frame; before it, it rises by 38° twice.
        assert!((bends[11] - 52.0).abs() < 1e-9 && (bends[9] - 22.0).abs() < 1e-9 && bends[8] == 0.0, "{bends:?}");
    }
}
