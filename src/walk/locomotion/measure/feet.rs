//! Measurements of feet and knees in the finished frames.

use super::super::Input;
use super::super::feet::foot_lock::soles;
use super::super::report::FootDrift;
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;

/// Returns the largest ground-plane speed of a planted sole into each frame, cm/s. Returns 0 where no sole is planted
/// in both that frame and the one before.
pub(super) fn slides(input: &Input, fps: f64, poses: &[Pose], standing: &[Vec<bool>]) -> Vec<f64> {
    let mut worst = vec![0.0_f64; poses.len()];
    for (leg, planted) in input.legs().iter().zip(standing) {
        let soles = soles(input, leg, poses);
        for i in (1..poses.len()).filter(|&i| planted[i] && planted[i - 1]) {
            let step = (soles[i] - soles[i - 1]).with_y(0.0).length() * input.metres_per_unit;
            worst[i] = worst[i].max(step * fps * 100.0);
        }
    }
    worst
}

/// Returns the drift of planted soles from their landing positions.
pub(super) fn drift(input: &Input, poses: &[Pose], standing: &[Vec<bool>]) -> FootDrift {
    let mut all = FootDrift::default();
    for (leg, planted) in input.legs().iter().zip(standing) {
        let soles = soles(input, leg, poses);
        let mut from = 0;
        while let Some(start) = (from..poses.len()).find(|&i| planted[i]) {
            from = (start..poses.len()).find(|&i| !planted[i]).unwrap_or(poses.len());
            let away = soles[start..from].iter().map(|sole| sole.distance(soles[start]));
            let worst = away.fold(0.0, f64::max) * input.metres_per_unit;
            all = all.merged_with(FootDrift { worst, mean: worst, stands: 1 });
        }
    }
    all
}

/// Returns the largest rotation of a knee between two frames, radians.
pub(super) fn knee_step(input: &Input, poses: &[Pose]) -> f64 {
    let legs = input.legs();
    let turn =
        |pair: &[Pose], joint: usize| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).flat_map(|pair| legs.iter().map(|leg| turn(pair, leg.shin))).fold(0.0, f64::max)
}
