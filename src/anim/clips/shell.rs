//! Difference between two clips of one skeleton, measured as ACL measures compression: at points around every joint,
//! where the skin is. An error of a hip therefore counts over the whole leg.

use glam::{Affine3A, Mat3A};
use rayon::prelude::*;

use crate::{Clip, Pose, Skeleton};
use portamento_base::progress::{Cancelled, Progress};

/// Distance of the measured points from a joint: 3 cm, as in ACL.
pub const RADIUS: f64 = 0.03;

/// Number of times per parallel task.
const CHUNK: usize = 128;

/// Returns for each joint the largest error of `clips[1]` relative to `clips[0]` at `times` (seconds), in world
/// space, metres. Both clips must fit `skeleton`.
///
/// ```text
/// error = |Δo| + RADIUS·‖ΔR‖      with the joint's position o and rotation R
/// ```
///
/// This is an upper bound for all points [`RADIUS`] from the joint, and at least what ACL's three points show.
/// Returns `Err` if `progress` is cancelled.
pub fn errors(
    skeleton: &Skeleton,
    clips: [&Clip; 2],
    times: &[f64],
    metres_per_unit: f64,
    progress: &Progress,
) -> Result<Vec<f64>, Cancelled> {
    let none = || vec![0.0_f64; skeleton.len()];
    let of_chunk = |times: &[f64]| {
        if progress.is_cancelled() {
            return Err(Cancelled);
        }
        let mut worst = none();
        let (mut pose, mut worlds) = (Pose::rest(skeleton), [Vec::new(), Vec::new()]);
        for &time in times {
            for (clip, world) in clips.iter().zip(&mut worlds) {
                clip.sample(skeleton, time, &mut pose);
                pose.world_from_joints(skeleton, world);
            }
            for (worst, (a, b)) in worst.iter_mut().zip(worlds[0].iter().zip(&worlds[1])) {
                *worst = worst.max(error(a, b, metres_per_unit));
            }
        }
        Ok(worst)
    };
    let larger = |a: Vec<f64>, b: Vec<f64>| Ok(a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect());
    times.par_chunks(CHUNK).map(of_chunk).try_reduce(none, larger)
}

/// Returns the times at which errors are measured, seconds: every key of `clip`, and halfway between keys.
pub fn moments(clip: &Clip) -> Vec<f64> {
    let mut keys: Vec<f64> = clip.key_times().flatten().map(|&time| f64::from(time)).collect();
    keys.extend([0.0, clip.duration]);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let halves: Vec<f64> = keys.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    keys.extend(halves);
    keys
}

/// Returns an upper bound of the distance in metres between a point within [`RADIUS`] of the joint in `a` and in `b`.
fn error(a: &Affine3A, b: &Affine3A, metres_per_unit: f64) -> f64 {
    let apart = f64::from(a.translation.distance(b.translation)) * metres_per_unit;
    // A difference D of two rotations has columns with |x|² + |y|² + |z|² = 2‖D‖².
    let [x, y, z] = (directions(a) - directions(b)).to_cols_array_2d().map(glam::Vec3::from);
    let turned = f64::from((x.length_squared() + y.length_squared() + z.length_squared()) / 2.0).sqrt();
    apart + RADIUS * turned
}

/// Returns the joint's axes without its scale.
fn directions(world: &Affine3A) -> Mat3A {
    let Mat3A { x_axis, y_axis, z_axis } = world.matrix3;
    Mat3A::from_cols(x_axis.normalize_or_zero(), y_axis.normalize_or_zero(), z_axis.normalize_or_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use crate::{Curve, JointTracks};
    use glam::{DQuat, DVec3, Quat};

    #[test]
    fn the_error_is_a_tight_bound_for_all_points_of_the_shell() {
        let skeleton = skeleton_of(&[("hips", None), ("knee", Some(0)), ("foot", Some(1))]);
        let constant = |turn: DQuat| {
            let mut tracks = vec![JointTracks::default(); 3];
            tracks[0].rotation = Some(Curve::linear(vec![0.0], vec![turn.as_quat()]));
            Clip { name: "turned".into(), duration: 0.0, tracks }
        };
        let turn = DQuat::from_rotation_z(0.02);
        let clips = [&constant(DQuat::IDENTITY), &constant(turn)];
        let errors = errors(&skeleton, clips, &[0.0], 1.0, &Progress::new()).unwrap();
        let poses = clips.map(|clip| clip.pose_at(&skeleton, 0.0));
        for (joint, &error) in errors.iter().enumerate() {
            let [a, b] = [0, 1].map(|i: usize| poses[i].world_from_joint(&skeleton, joint));
            let around =
                (0..2000).map(|i| DQuat::from_rotation_y(f64::from(i)) * DQuat::from_rotation_x(f64::from(i) * 0.37));
            let worst = around.fold(0.0, |worst: f64, turn| {
                let point = RADIUS * (turn * DVec3::Z);
                worst.max(a.transform_point3(point).distance(b.transform_point3(point)))
            });
            assert!(worst <= error + 1e-7 && worst > 0.98 * error, "joint {joint}: {worst} of {error}");
        }
        assert!(errors[2] > errors[1] && errors[1] > errors[0], "{errors:?}");
        let same = super::errors(&skeleton, [clips[0]; 2], &[0.0], 1.0, &Progress::new()).unwrap();
        assert_eq!(same, [0.0; 3]);
    }

    #[test]
    fn errors_are_measured_at_every_key_and_halfway() {
        let mut clip = Clip { name: String::new(), duration: 1.0, tracks: vec![JointTracks::default()] };
        clip.tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.5], vec![Quat::IDENTITY; 2]));
        assert_eq!(moments(&clip), [0.0, 0.5, 1.0, 0.25, 0.75]);
    }
}
