//! Limit on the sweep speed of an airborne ankle about its hip.
//!
//! Down a steep slope the hips are lowered for the lower foot, towards the airborne one. As a knee folds only so far,
//! that foot is pushed around the hip within a few frames. Its path then takes the time of the neighbouring frames as
//! well.

use glam::DVec3;

/// Largest sweep speed of an ankle about its hip, radians per second, unless its clip is faster. Tuned; no derivation
/// recorded.
const SWEEP_MAX_RAD_PER_S: f64 = 7.0;
/// Largest ratio between the corrected speed and the clip's own. Tuned; no derivation recorded.
pub(crate) const CLIP_SPEED_FACTOR: f64 = 1.25;
/// Ratio of peak to mean speed of a smoothstep.
const SMOOTHSTEP_PEAK: f64 = 1.5;
/// Largest time to either side over which a sweep is spread, seconds. Tuned; no derivation recorded.
const SPREAD_MAX_SECONDS: f64 = 0.3;

/// One leg's ankle relative to its hip.
pub(super) struct AnkleSweep<'a> {
    /// Vector from hip to ankle in the clip at each frame.
    pub own: &'a [DVec3],
    /// Frames in which the foot is planted; they do not change.
    pub planted: &'a [bool],
    /// Distance to the hip below which the sweep is limited, world units.
    pub near: f64,
    pub fps: f64,
}

impl AnkleSweep<'_> {
    /// Slows down fast sweeps close to the hip in `ankles` (vectors from hip to ankle at each frame).
    pub fn slow(&self, ankles: &mut [DVec3]) {
        let mut start = 0;
        while let Some(first) = (start..ankles.len()).find(|&i| !self.planted[i]) {
            let end = (first..ankles.len()).find(|&i| self.planted[i]).unwrap_or(ankles.len());
            // A swing includes one planted frame on both sides.
            self.slow_swing(
                &mut ankles[first.saturating_sub(1)..(end + 1).min(self.planted.len())],
                first.saturating_sub(1),
            );
            start = end;
        }
    }

    /// Slows down one swing with fixed ends; `first` is its first frame.
    fn slow_swing(&self, ankles: &mut [DVec3], first: usize) {
        let spread = (SPREAD_MAX_SECONDS * self.fps).ceil() as usize;
        // A swing has at most a few fast spots. One without room stays too fast, and more passes do not help.
        for _ in 0..8 {
            let Some((worst, excess)) = self.worst(ankles, first).filter(|(_, excess)| *excess > 1e-6) else { return };
            let mut span = worst - 1..worst;
            let (first_allowed, last_allowed) = (worst.saturating_sub(spread), (worst + spread).min(ankles.len() - 1));
            while SMOOTHSTEP_PEAK * length(&ankles[span.start..=span.end]) > self.room(ankles, span.clone(), first) {
                if span.start <= first_allowed && span.end >= last_allowed {
                    break;
                }
                span = span.start.saturating_sub(1).max(first_allowed)..(span.end + 1).min(last_allowed);
            }
            let mut smoothed = ankles.to_vec();
            retime_smoothly(&mut smoothed[span.start..=span.end]);
            if self.worst(&smoothed, first).is_none_or(|(_, left)| left >= excess) {
                return;
            }
            ankles.copy_from_slice(&smoothed);
        }
    }

    /// Returns the frame with the largest excess over the allowed sweep, and the excess in radians. Returns `None` if
    /// nothing moves.
    fn worst(&self, ankles: &[DVec3], first: usize) -> Option<(usize, f64)> {
        let excess = |i: usize| ankles[i].angle_between(ankles[i - 1]) - self.allowed(first + i);
        (1..ankles.len())
            .filter(|&i| ankles[i].length().min(ankles[i - 1].length()) < self.near)
            .map(|i| (i, excess(i)))
            .filter(|(_, excess)| excess.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the allowed sweep into a frame, radians.
    fn allowed(&self, frame: usize) -> f64 {
        let own = self.own[frame].angle_between(self.own[frame.saturating_sub(1)]);
        (SWEEP_MAX_RAD_PER_S / self.fps).max(CLIP_SPEED_FACTOR * own)
    }

    /// Returns the distance that the ankle may move in the frames of `span`, world units.
    fn room(&self, ankles: &[DVec3], span: std::ops::Range<usize>, first: usize) -> f64 {
        let nearest = ankles[span.start..=span.end].iter().map(|ankle| ankle.length()).fold(f64::INFINITY, f64::min);
        (span.start + 1..=span.end).map(|i| self.allowed(first + i) * nearest).sum()
    }
}

/// Returns the distance between two positions of an ankle relative to its hip, in their unit: arc about the hip and change of
/// radius combined.
fn step(from: DVec3, to: DVec3) -> f64 {
    let [inner, outer] = [from.length(), to.length()];
    (from.angle_between(to) * 0.5 * (inner + outer)).hypot(outer - inner)
}
/// Returns the length of a path of ankle positions, measured as in [`step`].
fn length(ankles: &[DVec3]) -> f64 {
    ankles.windows(2).map(|pair| step(pair[0], pair[1])).sum()
}

/// Moves along `ankles` from rest to rest within the same frames.
fn retime_smoothly(ankles: &mut [DVec3]) {
    let positions = ankles.to_vec();
    let mut gone = vec![0.0];
    for pair in positions.windows(2) {
        gone.push(gone[gone.len() - 1] + step(pair[0], pair[1]));
    }
    let last = positions.len() - 1;
    for (i, ankle) in ankles.iter_mut().enumerate().take(last).skip(1) {
        let wanted = gone[last] * portamento_anim::math::easing::Easing::Smoothstep.at(i as f64 / last as f64);
        let next = gone.partition_point(|&gone| gone <= wanted).clamp(1, last);
        let share = (wanted - gone[next - 1]) / (gone[next] - gone[next - 1]).max(f64::MIN_POSITIVE);
        *ankle = about_hip(positions[next - 1], positions[next], share.clamp(0.0, 1.0));
    }
}

/// Returns the position at `share` (0…1) between two positions relative to the hip. Direction and distance from the hip are
/// interpolated; opposite positions are interpolated on the line between them.
fn about_hip(from: DVec3, to: DVec3, share: f64) -> DVec3 {
    let (axis, angle) = (from.cross(to).normalize_or_zero(), from.angle_between(to));
    let radius = from.length() + (to.length() - from.length()) * share;
    if axis == DVec3::ZERO || !angle.is_finite() {
        return from.lerp(to, share);
    }
    glam::DQuat::from_axis_angle(axis, angle * share) * from.normalize_or_zero() * radius
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From behind the hip to before it: 100° in the frames 18…22, at a distance of `0.15`.
    fn passing() -> Vec<DVec3> {
        let angle = |i: i32| f64::from((i - 20).clamp(-2, 2)) * 0.44 + f64::from(i - 20) * 0.01;
        (0..40).map(|i| DVec3::new(0.0, -angle(i).cos(), angle(i).sin()) * 0.15).collect()
    }

    fn fastest(ankles: &[DVec3]) -> f64 {
        ankles.windows(2).map(|pair| pair[0].angle_between(pair[1])).fold(0.0, f64::max)
    }

    #[test]
    fn an_ankle_that_passes_its_hip_uses_neighbouring_frames_and_planted_frames_stay() {
        let planted: Vec<bool> = (0..40).map(|i| !(4..36).contains(&i)).collect();
        let mut ankles = passing();
        AnkleSweep { own: &[DVec3::NEG_Y; 40], planted: &planted, near: 0.2, fps: 60.0 }.slow(&mut ankles);
        assert!(
            fastest(&passing()) > 0.4 && fastest(&ankles) < 1.05 * SWEEP_MAX_RAD_PER_S / 60.0,
            "{}",
            fastest(&ankles)
        );
        assert!((0..40).filter(|&i| planted[i]).all(|i| ankles[i] == passing()[i]));
        assert!(ankles.iter().all(|ankle| (ankle.length() - 0.15).abs() < 1e-9), "{ankles:?}");
        assert!(ankles.windows(2).all(|pair| pair[1].z >= pair[0].z - 1e-9));
    }

    #[test]
    fn a_leg_may_sweep_as_fast_as_its_clip_and_a_slow_one_is_unchanged() {
        let own = passing();
        let mut ankles = own.clone();
        AnkleSweep { own: &own, planted: &[false; 40], near: 0.2, fps: 60.0 }.slow(&mut ankles);
        assert_eq!(ankles, own);
        // Far from the hip nothing changes.
        AnkleSweep { own: &[DVec3::NEG_Y; 40], planted: &[false; 40], near: 0.1, fps: 60.0 }.slow(&mut ankles);
        assert_eq!(ankles, own);
        let slow: Vec<DVec3> = (0..40).map(|i| DVec3::new(0.0, -1.0, 0.02 * f64::from(i))).collect();
        let mut ankles = slow.clone();
        AnkleSweep { own: &[DVec3::NEG_Y; 40], planted: &[false; 40], near: 0.2, fps: 60.0 }.slow(&mut ankles);
        assert_eq!(ankles, slow);
    }

    #[test]
    fn without_room_the_path_stays_finite_and_no_faster() {
        let planted: Vec<bool> = (0..40).map(|i| !(19..22).contains(&i)).collect();
        let mut ankles = passing();
        ankles[30] = DVec3::ZERO;
        AnkleSweep { own: &[DVec3::NEG_Y; 40], planted: &planted, near: 0.2, fps: 60.0 }.slow(&mut ankles);
        assert!(ankles.iter().all(|ankle| ankle.is_finite()) && fastest(&ankles[..29]) <= fastest(&passing()[..29]));
    }

    #[test]
    fn the_room_of_a_path_is_that_at_its_smallest_radius() {
        let sweep = AnkleSweep { own: &[DVec3::NEG_Y; 3], planted: &[false; 3], near: 0.2, fps: 60.0 };
        let room = |radius: [f64; 3]| sweep.room(&radius.map(|radius| DVec3::NEG_Y * radius), 0..2, 0);
        let [first, last] = [room([0.05, 0.2, 0.2]), room([0.2, 0.2, 0.05])];
        assert!((first - last).abs() < 1e-12 && room([0.2; 3]) > 3.9 * last, "{first} {last}");
    }
}
