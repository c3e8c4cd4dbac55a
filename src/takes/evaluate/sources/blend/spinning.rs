//! Detection of fades that rotate the body faster than any clip does, because their two sides face different directions.

use portamento_anim::root_motion::{turn_of, wrap};
use portamento_anim::{Clip, Skeleton};

/// Rotation speed that is never reported, radians per second: one and a half turns per second. Tuned; no derivation recorded.
const SPIN_MIN_RADIANS_PER_SECOND: f64 = 3.0 * std::f64::consts::PI;

/// Allowed ratio between the rotation speed of the blend and of its clips. Tuned; no derivation recorded.
const SPIN_VS_CLIPS_RATIO: f64 = 1.25;

/// A frame in which the body spins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spin {
    /// Time at the end of the frame, seconds.
    pub time: f64,
    /// Rotation speed, radians per second.
    pub speed: f64,
    /// Allowed rotation speed, radians per second.
    pub limit: f64,
}

/// Returns the fastest rotation about +Y of the joint `hips` in the clips of `blend`, which were blended from `sources`; `None` if
/// it is within the limit. All are sampled at `fps` frames per second.
pub(super) fn find(skeleton: &Skeleton, hips: usize, [blend, sources]: [&[&Clip]; 2], fps: f64) -> Option<Spin> {
    let fastest = |clip: &&Clip| {
        let steps = steps(skeleton, hips, clip, fps).into_iter().enumerate();
        steps.map(|(i, step)| (i + 1, step * fps)).max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let own = sources.iter().filter_map(fastest).map(|(_, speed)| speed).fold(0.0, f64::max);
    let limit = SPIN_MIN_RADIANS_PER_SECOND.max(SPIN_VS_CLIPS_RATIO * own);
    let (frame, speed) = blend.iter().filter_map(fastest).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (speed > limit).then_some(Spin { time: frame as f64 / fps, speed, limit })
}

/// Returns the absolute rotation of the joint about +Y in each frame of `clip`, radians.
fn steps(skeleton: &Skeleton, joint: usize, clip: &Clip, fps: f64) -> Vec<f64> {
    let count = (clip.duration * fps).floor().clamp(0.0, 1e5) as u32;
    let turn = |frame: u32| turn_of(&clip.pose_at(skeleton, f64::from(frame) / fps).world_from_joint(skeleton, joint));
    let first = turn(0).inverse();
    let yaw = |frame: u32| {
        let turned = turn(frame) * first;
        2.0 * turned.y.atan2(turned.w)
    };
    let yaws: Vec<f64> = (0..=count).map(yaw).collect();
    yaws.windows(2).map(|pair| wrap(pair[1] - pair[0]).abs()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use portamento_anim::{Curve, JointTracks};
    use portamento_test_support::skeleton_of;

    /// Returns a clip whose hips rotate by `degrees` in each frame, at 30 frames per second.
    fn turning(degrees: [f32; 6]) -> Clip {
        let times: Vec<f32> = (0..=degrees.len()).map(|key| key as f32 / 30.0).collect();
        let mut yaw = 0.0;
        let turned = degrees.map(|step| {
            yaw += step;
            Quat::from_rotation_y(yaw.to_radians())
        });
        let keys = std::iter::once(Quat::IDENTITY).chain(turned).collect();
        let duration = f64::from(times[times.len() - 1]);
        let tracks = JointTracks { rotation: Some(Curve::linear(times, keys)), ..JointTracks::default() };
        Clip { name: "turn".into(), duration, tracks: vec![tracks] }
    }

    #[test]
    fn a_spin_is_found_unless_a_clip_spins_as_fast() {
        let skeleton = skeleton_of(&[("hips", None)]);
        let found =
            |blend: [f32; 6], source: [f32; 6]| find(&skeleton, 0, [&[&turning(blend)], &[&turning(source)]], 30.0);
        // 17° per frame are 510° per second, 20° are 600°.
        assert_eq!(found([2.0, 17.0, 17.0, 17.0, 17.0, 2.0], [0.0; 6]), None);
        let spin = found([2.0, 9.0, 20.0, 170.0, -20.0, 2.0], [0.0; 6]).unwrap();
        assert!((spin.time - 4.0 / 30.0).abs() < 1e-9 && (spin.speed.to_degrees() - 5100.0).abs() < 1.0, "{spin:?}");
        let across = found([2.0, 9.0, 20.0, 9.0, 2.0, 0.0].map(|step: f32| -step), [0.0; 6]).unwrap();
        assert!((across.speed.to_degrees() - 600.0).abs() < 0.1 && (across.time - 0.1).abs() < 1e-9, "{across:?}");
        assert_eq!(found([2.0, 9.0, 20.0, 9.0, 2.0, 0.0], [0.0, 18.0, 18.0, 0.0, 0.0, 0.0]), None);
    }
}
