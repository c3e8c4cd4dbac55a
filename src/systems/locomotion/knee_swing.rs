//! How fast a knee bends while its foot is in the air.
//!
//! A leg that stood nearly straight bends by much where its ankle comes only a little nearer to the hip: let go in one frame, the
//! shin flicks. The ankle comes as near as the knee has time to bend, going out of a stand and, back in time, into the next one.

use glam::DVec3;

use crate::anim::ik::LegPlace;

/// Fastest bend of a knee, radians a second: a sprinter's bends so. Clips made by IK may snap one straight from one key to the next.
pub(super) const FASTEST: f64 = 18.0;

/// One leg's knee at every frame.
pub(super) struct KneeSwing<'a> {
    /// The leg as its clip has it.
    pub own: &'a [LegPlace],
    /// Frames in which the foot stands: these stay as they are.
    pub stands: &'a [bool],
    pub fps: f64,
}

impl KneeSwing<'_> {
    /// Slows down in `ways` (from hip to ankle, frame by frame) what bends or stretches the knee too fast in the air.
    pub fn slow(&self, ways: &mut [DVec3]) {
        let count = ways.len();
        for i in (1..count).filter(|&i| !self.stands[i]) {
            self.hold_back(ways, i, i - 1);
        }
        for i in (0..count.saturating_sub(1)).rev().filter(|&i| !self.stands[i]) {
            self.hold_back(ways, i, i + 1);
        }
    }

    /// Brings the ankle of one frame to where the knee comes to from that of the frame beside it.
    fn hold_back(&self, ways: &mut [DVec3], frame: usize, beside: usize) {
        let leg = &self.own[frame];
        let most = FASTEST / self.fps;
        let [wanted, from] = [frame, beside].map(|frame| bend(leg, ways[frame].length()));
        // A leg without length has no bend.
        if (wanted - from).abs() > most {
            let slowed = from + most * (wanted - from).signum();
            ways[frame] = ways[frame].normalize_or_zero() * distance(leg, slowed);
        }
    }
}

/// Radians between thigh and shin of a leg whose ankle is that far from its hip; π where it is straight.
fn bend(leg: &LegPlace, distance: f64) -> f64 {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    let cosine = (upper * upper + lower * lower - distance * distance) / (2.0 * upper * lower);
    cosine.clamp(-1.0, 1.0).acos()
}

/// The inverse of [`bend`].
fn distance(leg: &LegPlace, bend: f64) -> f64 {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    (upper * upper + lower * lower - 2.0 * upper * lower * bend.cos()).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thigh and shin of 40 cm each, with the ankle that far under the hip.
    fn leg(distance: f64) -> LegPlace {
        let half = 0.5 * distance;
        let knee = DVec3::new(0.0, -half, (0.16 - half * half).max(0.0).sqrt());
        LegPlace { hip: DVec3::ZERO, knee, ankle: DVec3::NEG_Y * distance }
    }

    fn steps(ways: &[DVec3]) -> Vec<f64> {
        let bends: Vec<f64> = ways.iter().map(|way| bend(&leg(0.7), way.length())).collect();
        bends.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect()
    }

    #[test]
    fn a_straight_leg_that_is_let_go_bends_over_several_frames() {
        // Stands nearly straight until frame 20 and is 8 cm nearer in the next; comes down as suddenly in frame 40.
        let far = |i: usize| if (20..40).contains(&i) { 0.71 } else { 0.79 };
        let stands: Vec<bool> = (0..60).map(|i| !(20..40).contains(&i)).collect();
        let own = vec![leg(0.7); 60];
        let mut ways: Vec<DVec3> = (0..60).map(|i| DVec3::NEG_Y * far(i)).collect();
        let before = ways.clone();
        KneeSwing { own: &own, stands: &stands, fps: 60.0 }.slow(&mut ways);
        assert!(steps(&before).iter().any(|&step| step > 0.6), "{:?}", steps(&before));
        assert!(steps(&ways).iter().all(|&step| step < FASTEST / 60.0 + 1e-9), "{:?}", steps(&ways));
        assert!((0..60).filter(|&i| stands[i] || (25..35).contains(&i)).all(|i| ways[i] == before[i]));
    }

    #[test]
    fn a_knee_bends_as_fast_as_knees_do_and_a_slower_one_keeps_its_bits() {
        let slowed = |far: &dyn Fn(usize) -> f64| {
            let own: Vec<LegPlace> = (0..40).map(|i| leg(far(i))).collect();
            let before: Vec<DVec3> = own.iter().map(|leg| leg.ankle).collect();
            let mut ways = before.clone();
            KneeSwing { own: &own, stands: &[false; 40], fps: 60.0 }.slow(&mut ways);
            (before, ways)
        };
        let (before, ways) = slowed(&|i| if i < 20 { 0.71 } else { 0.66 });
        let largest = |ways: &[DVec3]| steps(ways).into_iter().fold(0.0, f64::max);
        assert!(largest(&before) > 0.6 * FASTEST / 60.0 && ways == before, "{}", largest(&before));
        let (before, ways) = slowed(&|i| if i < 20 { 0.79 } else { 0.65 });
        assert!(
            largest(&before) > 0.8 && largest(&ways) < FASTEST / 60.0 + 1e-9,
            "{} {}",
            largest(&before),
            largest(&ways)
        );
        let (before, ways) = slowed(&|i| 0.6 + 0.001 * i as f64);
        assert_eq!(ways, before);
    }

    #[test]
    fn a_leg_without_length_and_broken_numbers_throw_nothing_about() {
        let none = LegPlace { hip: DVec3::ZERO, knee: DVec3::ZERO, ankle: DVec3::ZERO };
        let mut ways = vec![DVec3::ZERO, DVec3::NEG_Y, DVec3::ZERO];
        KneeSwing { own: &vec![none; 3], stands: &[false; 3], fps: 60.0 }.slow(&mut ways);
        assert!(ways.iter().all(|way| way.is_finite()), "{ways:?}");
    }
}
