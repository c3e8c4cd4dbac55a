//! Foot skate by the measure that publications on generated motion report.
//!
//! ```text
//! contact(foot, i) = height(foot, i) < 0.05 m  and  height(foot, i + 1) < 0.05 m
//! skates(i)        = for any foot: contact(foot, i)  and  speed(foot, i) > 0.2 m/s
//! share            = number of skating steps / number of steps
//! ```
//! Heights and speeds are those of the toe joint, over the ground of the rest pose. The published bodies carry that joint
//! 0.025 m above the sole. A rig with a higher joint gets a limit that is higher by the difference.
//!
//! The measure knows no contacts of this crate, so that it can judge corrections that use them.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::quality::Input;
use crate::root_motion::{path, rest_at, rest_ground};
use crate::standing_rest::standing_skeleton;

/// Height of a toe joint below which the foot is in contact with the ground, metres, as published.
const CONTACT_MAX_HEIGHT_M: f64 = 0.05;
/// Height of the toe joint of the published bodies above their soles, metres.
const PUBLISHED_TOE_HEIGHT_M: f64 = 0.025;
/// Speed along the ground above which a foot in contact skates, metres per second, as published.
const SKATE_MIN_M_PER_SECOND: f64 = 0.2;
/// Frames per second at which a clip is measured. Speeds between frames depend on it, so it is the same for all clips.
const FRAMES_PER_SECOND: f64 = 30.0;
/// Maximum length of a clip that is measured, seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Foot skate of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootSkate {
    /// Fraction of the steps between two frames in which a foot skates.
    pub share: f64,
    /// Mean speed of the toes along the ground while they are in contact, metres per second; `None` without contact.
    pub contact_speed: Option<f64>,
}

impl FootSkate {
    /// Measures the clip of `input`.
    ///
    /// Returns `None` if the rig has no legs, or if the clip belongs to another skeleton, has no length, is longer than an
    /// hour or contains numbers that are not finite.
    pub fn measure(input: &Input) -> Option<Self> {
        let is_measurable = input.clip.duration > 0.0 && input.clip.duration <= MAX_SECONDS;
        input.clip.check_fits(input.skeleton).ok().filter(|()| is_measurable)?;
        let standing = standing_skeleton(input.skeleton, input.roles, input.clip);
        let skeleton = standing.as_ref().unwrap_or(input.skeleton);
        let count = (input.clip.duration * FRAMES_PER_SECOND).round().max(1.0);
        let times: Vec<f64> = (0..=count as usize).map(|i| input.clip.duration * i as f64 / count).collect();
        let ground = rest_ground(skeleton);
        let unit = input.metres_per_unit;
        let toes = input.roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot));
        let feet: Vec<Foot> = toes
            .filter(|&toe| toe < skeleton.len())
            .map(|toe| {
                let at_rest = (rest_at(skeleton, toe).translation.y - ground) * unit;
                let path = path(skeleton, input.clip, toe, &times).into_iter().map(|position| position * unit);
                let limit = CONTACT_MAX_HEIGHT_M + (at_rest - PUBLISHED_TOE_HEIGHT_M).max(0.0);
                Foot { path: path.collect(), limit }
            })
            .collect();
        let is_finite = feet.iter().flat_map(|foot| &foot.path).all(|position| position.is_finite());
        (is_finite && !feet.is_empty()).then(|| of_feet(&feet, &times))
    }
}

/// The path of a toe joint in metres, and the height below which it is in contact.
struct Foot {
    path: Vec<DVec3>,
    limit: f64,
}

impl Foot {
    /// Returns the speed along the ground from frame `i` to the next one, metres per second, if the foot is in contact in both,
    /// else `None`. `times` are the seconds of the frames.
    fn contact_speed(&self, times: &[f64], i: usize) -> Option<f64> {
        let [from, to] = [self.path[i], self.path[i + 1]];
        let is_low = from.y < self.limit && to.y < self.limit;
        is_low.then(|| (to - from).with_y(0.0).length() / (times[i + 1] - times[i]))
    }
}

/// Returns the skate of `feet` over the steps between `times`, of which there must be two or more.
fn of_feet(feet: &[Foot], times: &[f64]) -> FootSkate {
    let steps = times.len() - 1;
    let speeds = |i: usize| feet.iter().filter_map(move |foot| foot.contact_speed(times, i));
    let skating = (0..steps).filter(|&i| speeds(i).any(|speed| speed > SKATE_MIN_M_PER_SECOND)).count();
    let all: Vec<f64> = (0..steps).flat_map(speeds).collect();
    FootSkate {
        share: skating as f64 / steps as f64,
        contact_speed: (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that stands for 10 steps of 0.1 s, slides 10 steps with `speed` m/s, and swings 20 steps at a height of 0.2 m.
    fn foot(speed: f64) -> (Foot, Vec<f64>) {
        let times: Vec<f64> = (0..=40).map(|i| 0.1 * f64::from(i)).collect();
        let position =
            |&time: &f64| DVec3::new(0.0, if time > 2.0 { 0.2 } else { 0.02 }, speed * (time - 1.0).max(0.0));
        (Foot { path: times.iter().map(position).collect(), limit: CONTACT_MAX_HEIGHT_M }, times)
    }

    #[test]
    fn the_share_counts_steps_of_low_fast_toes_and_the_speed_is_their_mean() {
        let of = |speed: f64| {
            let (foot, times) = foot(speed);
            of_feet(&[foot], &times)
        };
        // 10 of 40 steps slide; 20 steps are in contact, half of them at the speed of the slide.
        let fast = of(0.3);
        assert!(
            (fast.share - 10.0 / 40.0).abs() < 1e-12 && (fast.contact_speed.unwrap() - 0.15).abs() < 1e-9,
            "{fast:?}"
        );
        let slow = of(0.19);
        assert!(slow.share == 0.0 && (slow.contact_speed.unwrap() - 0.095).abs() < 1e-9, "{slow:?}");
    }

    #[test]
    fn a_step_in_which_both_feet_skate_counts_once_and_a_swing_never() {
        let ((one, times), (other, _)) = (foot(0.3), foot(0.3));
        assert!((of_feet(&[one, other], &times).share - 0.25).abs() < 1e-12);
        let high = Foot { limit: 0.0, ..foot(3.0).0 };
        assert_eq!(of_feet(&[high], &times), FootSkate::default());
    }
}
