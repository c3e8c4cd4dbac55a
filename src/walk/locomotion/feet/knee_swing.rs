//! Limit on the bending speed of the knee while its foot is in the air.
//!
//! A nearly straight leg bends a lot when its ankle comes slightly closer to the hip, so a release within one frame
//! flicks the shin. The ankle therefore approaches only as fast as the knee may bend, forward in time after a stance
//! and backward in time before the next.

use glam::DVec3;

use portamento_anim::ik::LegPositions;

/// Fastest bend of a knee, radians per second, as a sprinter's. IK clips may snap a knee straight between two keys.
pub(crate) const KNEE_MAX_RAD_PER_S: f64 = 18.0;

/// One leg's knee at every frame.
pub(super) struct KneeSwing<'a> {
    /// The leg as in its clip.
    pub own: &'a [LegPositions],
    /// Frames in which the foot is planted; they do not change.
    pub planted: &'a [bool],
    pub fps: f64,
}

impl KneeSwing<'_> {
    /// Slows down knees that bend or stretch too fast in the air in `ankles` (vectors from hip to ankle at each frame).
    pub fn slow(&self, ankles: &mut [DVec3]) {
        let count = ankles.len();
        for i in (1..count).filter(|&i| !self.planted[i]) {
            self.limit_bend(ankles, i, i - 1);
        }
        for i in (0..count.saturating_sub(1)).rev().filter(|&i| !self.planted[i]) {
            self.limit_bend(ankles, i, i + 1);
        }
    }

    /// Moves the ankle of one frame to what the knee can reach from the frame `neighbour`.
    fn limit_bend(&self, ankles: &mut [DVec3], frame: usize, neighbour: usize) {
        let leg = &self.own[frame];
        let max_bend = KNEE_MAX_RAD_PER_S / self.fps;
        let [wanted, from] = [frame, neighbour].map(|frame| bend(leg, ankles[frame].length()));
        // A leg without length has no bend.
        if (wanted - from).abs() > max_bend {
            let slowed = from + max_bend * (wanted - from).signum();
            ankles[frame] = ankles[frame].normalize_or_zero() * distance(leg, slowed);
        }
    }
}

/// Returns the angle between thigh and shin of a leg whose ankle is `distance` from its hip, radians; π is straight.
fn bend(leg: &LegPositions, distance: f64) -> f64 {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    let cosine = (upper * upper + lower * lower - distance * distance) / (2.0 * upper * lower);
    cosine.clamp(-1.0, 1.0).acos()
}

/// Returns the distance from hip to ankle for an angle of the knee (radians): the inverse of [`bend`].
fn distance(leg: &LegPositions, bend: f64) -> f64 {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    (upper * upper + lower * lower - 2.0 * upper * lower * bend.cos()).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thigh and shin of 40 cm each, with the ankle `distance` below the hip.
    fn leg(distance: f64) -> LegPositions {
        let half = 0.5 * distance;
        let knee = DVec3::new(0.0, -half, (0.16 - half * half).max(0.0).sqrt());
        LegPositions { hip: DVec3::ZERO, knee, ankle: DVec3::NEG_Y * distance }
    }

    fn steps(ankles: &[DVec3]) -> Vec<f64> {
        let bends: Vec<f64> = ankles.iter().map(|ankle| bend(&leg(0.7), ankle.length())).collect();
        bends.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect()
    }

    #[test]
    fn a_released_straight_leg_bends_over_several_frames() {
        // Nearly straight until frame 20 and 8 cm closer in the next; lands as suddenly in frame 40.
        let far = |i: usize| if (20..40).contains(&i) { 0.71 } else { 0.79 };
        let planted: Vec<bool> = (0..60).map(|i| !(20..40).contains(&i)).collect();
        let own = vec![leg(0.7); 60];
        let mut ankles: Vec<DVec3> = (0..60).map(|i| DVec3::NEG_Y * far(i)).collect();
        let before = ankles.clone();
        KneeSwing { own: &own, planted: &planted, fps: 60.0 }.slow(&mut ankles);
        assert!(steps(&before).iter().any(|&step| step > 0.6), "{:?}", steps(&before));
        assert!(steps(&ankles).iter().all(|&step| step < KNEE_MAX_RAD_PER_S / 60.0 + 1e-9), "{:?}", steps(&ankles));
        assert!((0..60).filter(|&i| planted[i] || (25..35).contains(&i)).all(|i| ankles[i] == before[i]));
    }

    #[test]
    fn a_knee_bends_up_to_the_limit_and_a_slower_one_is_unchanged() {
        let slowed = |far: &dyn Fn(usize) -> f64| {
            let own: Vec<LegPositions> = (0..40).map(|i| leg(far(i))).collect();
            let before: Vec<DVec3> = own.iter().map(|leg| leg.ankle).collect();
            let mut ankles = before.clone();
            KneeSwing { own: &own, planted: &[false; 40], fps: 60.0 }.slow(&mut ankles);
            (before, ankles)
        };
        let (before, ankles) = slowed(&|i| if i < 20 { 0.71 } else { 0.66 });
        let largest = |ankles: &[DVec3]| steps(ankles).into_iter().fold(0.0, f64::max);
        assert!(largest(&before) > 0.6 * KNEE_MAX_RAD_PER_S / 60.0 && ankles == before, "{}", largest(&before));
        let (before, ankles) = slowed(&|i| if i < 20 { 0.79 } else { 0.65 });
        assert!(
            largest(&before) > 0.8 && largest(&ankles) < KNEE_MAX_RAD_PER_S / 60.0 + 1e-9,
            "{} {}",
            largest(&before),
            largest(&ankles)
        );
        let (before, ankles) = slowed(&|i| 0.6 + 0.001 * i as f64);
        assert_eq!(ankles, before);
    }

    #[test]
    fn a_leg_without_length_and_broken_numbers_stay_finite() {
        let none = LegPositions { hip: DVec3::ZERO, knee: DVec3::ZERO, ankle: DVec3::ZERO };
        let mut ankles = vec![DVec3::ZERO, DVec3::NEG_Y, DVec3::ZERO];
        KneeSwing { own: &vec![none; 3], planted: &[false; 3], fps: 60.0 }.slow(&mut ankles);
        assert!(ankles.iter().all(|ankle| ankle.is_finite()), "{ankles:?}");
    }
}
