//! Recognizes clips that are one cycle of a gait or of a stance.

use crate::check::{IN_PLACE_MAX_M, IN_PLACE_MAX_TURN_DEG, own_velocity_limit};
use crate::contract::{DEFAULT_POSE_DELTA_M, DEFAULT_ROTATION_DELTA_DEG, DEFAULT_VELOCITY_DELTA_MPS, SetRequirements};
use crate::figures::Figures;
use crate::propose::{GAIT_MIN_SPEED_MPS, has_strike_word};
use portamento_anim::Clip;
use portamento_anim::quality::{Finding, ends_with_loop_word, has_one_shot_word, is_called_a_cycle};

/// Smallest fraction of the time for which a foot of a stance stands. Chosen: 1.00 in the standing idles of four characters; at most
/// 0.93 in fifteen of sixteen attacks of one of them.
const STANCE_MIN_STANDING: f64 = 0.95;
/// Smallest speed over the last eighth of a stance, as a fraction of its mean speed. Chosen: 0.6 to 1.4 in the same idles; 0.2
/// to 0.3 in hits, which come to rest in the guard.
const STANCE_MIN_END_SPEED: f64 = 0.5;
/// Largest gap of a stance, as a fraction of its motion, so that the noise of a pose is no stance. Chosen.
const STANCE_MAX_GAP_OF_MOTION: f64 = 0.04;

impl Figures {
    /// True if the end meets the start within the limits that a contract sets for loops by default, and the gap is no finding.
    pub fn closes(&self) -> bool {
        let gap = &self.quality.residue;
        !self.quality.findings.contains(&Finding::DoesNotClose)
            && gap.place * self.size <= DEFAULT_POSE_DELTA_M
            && gap.turn <= DEFAULT_ROTATION_DELTA_DEG
            && gap.velocity <= own_velocity_limit(self).max(DEFAULT_VELOCITY_DELTA_MPS)
    }

    /// True if the motion closes and is a gait or a stance. `names` are those of the clip and of the take made from it.
    ///
    /// A strike also begins and ends in its guard, so a small gap is not enough: it is 0 in sixteen of sixteen attacks of a knight.
    /// The names decide first. `loop` or `idle` at the end means a loop. Then a strike or another one-shot word means none, and
    /// then a word such as `walk` means a loop. Without such a word the motion must be one of:
    /// - a gait, which has steps and a speed;
    /// - a stance, which stays in place on both feet, does not come to rest and passes the seam slowly. Its velocity
    ///   changes there by 0.04 to 0.1 m/s; by 0.4 to 3.5 m/s in reloads, casts and cheers that still move at their end.
    pub fn is_one_cycle(&self, names: &[&str]) -> bool {
        if self.is_pose || !self.closes() {
            return false;
        }
        let seconds = self.quality.seconds;
        let is_cycle_name =
            |name: &&str| is_called_a_cycle(&Clip { name: (*name).to_owned(), duration: seconds, tracks: Vec::new() });
        let is_one_shot_name = |name: &&str| has_one_shot_word(name) || has_strike_word(name);
        if names.iter().any(|name| ends_with_loop_word(name)) {
            return true;
        }
        !names.iter().any(is_one_shot_name) && (names.iter().any(is_cycle_name) || self.is_gait() || self.is_stance())
    }

    /// True if the body moves at a speed, or would on the spot, with steps that alternate.
    fn is_gait(&self) -> bool {
        let (body, smallest) = (&self.quality.way, SetRequirements::default().min_amplitude());
        (body.on_the_spot || body.goes_on)
            && body.speed >= GAIT_MIN_SPEED_MPS
            && self.strides.iter().any(|stride| stride.amplitude >= smallest)
    }

    /// True if the body stays in place on its feet and moves at its end as it does elsewhere.
    fn is_stance(&self) -> bool {
        let (body, gap) = (&self.quality.way, &self.quality.residue);
        body.travel <= IN_PLACE_MAX_M
            && body.turn.abs() <= IN_PLACE_MAX_TURN_DEG
            && self.quality.feet.is_some_and(|feet| feet.standing >= STANCE_MIN_STANDING)
            && gap.ends_at >= STANCE_MIN_END_SPEED
            && gap.velocity <= DEFAULT_VELOCITY_DELTA_MPS
            && gap.of_motion <= STANCE_MAX_GAP_OF_MOTION
    }
}
