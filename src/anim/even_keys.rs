//! Frames that a clip's keys tell where no key rate does: retimed clips, and those that begin between two frames.

use super::Clip;

/// Seconds that a key is off its frame, at most: exporters round to a millisecond.
const ROUNDING: f64 = 5e-4;
/// Keys that tell of frames, at least: fewer are evenly apart by chance.
const FEWEST: usize = 8;
/// Seconds between two frames, at most: keys that are farther apart are poses.
const LONGEST: f64 = 1.0 / 12.0 + ROUNDING;
/// How many times as far apart as frames of the key rate they are to tell more than it does.
const WIDER: f64 = 1.5;

impl Clip {
    /// The keys of the curve that has most of them, where they are evenly apart up to the clip's end, those of all other curves lie on
    /// them too, and the clip's key rate is much finer or there is none: seconds, in order.
    pub fn even_keys(&self) -> Option<Vec<f64>> {
        let most = self.key_times().max_by_key(|times| times.len()).filter(|times| times.len() >= FEWEST)?;
        let (first, last) = (f64::from(most[0]), f64::from(most[most.len() - 1]));
        let step = (last - first) / (most.len() - 1) as f64;
        let ends_there = (self.duration - last).abs() <= ROUNDING;
        let tells = ends_there && step <= LONGEST && self.key_rate().is_none_or(|rate| step * rate > WIDER);
        let on_key = |time: f32| {
            let frame = ((f64::from(time) - first) / step).round();
            let is_within = (0.0..most.len() as f64).contains(&frame);
            is_within && (f64::from(time) - first - frame * step).abs() <= ROUNDING.min(0.25 * step)
        };
        let is_even = || most.windows(2).all(|pair| f64::from(pair[1] - pair[0]) > 0.5 * step);
        let all = || self.key_times().flatten().all(|&time| on_key(time));
        (step > 0.0 && tells && is_even() && all()).then(|| most.iter().map(|&time| f64::from(time)).collect())
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::anim::{Curve, JointTracks};

    fn clip(curves: &[Vec<f32>]) -> Clip {
        let track = |times: &Vec<f32>| {
            let values = vec![Quat::IDENTITY; times.len()];
            JointTracks { rotation: Some(Curve::linear(times.clone(), values)), ..JointTracks::default() }
        };
        let duration = curves.iter().filter_map(|times| times.last()).copied().fold(0.0, f32::max);
        Clip { name: String::new(), duration: f64::from(duration), tracks: curves.iter().map(track).collect() }
    }

    fn keys(first: f64, step: f64, count: usize) -> Vec<f32> {
        (0..count).map(|key| (first + step * key as f64) as f32).collect()
    }

    #[test]
    fn keys_of_a_retimed_clip_and_of_one_that_begins_between_frames_are_its_frames() {
        let retimed = keys(0.0, 1.0 / 33.63, 20);
        assert_eq!(clip(&[vec![0.0], retimed.clone()]).even_keys().map(|keys| keys.len()), Some(20));
        let late = keys(0.8 / 24.0, 1.0 / 24.0, 12);
        let ends = vec![late[0], late[11]];
        assert_eq!(clip(&[late.clone(), ends]).key_rate(), Some(120.0));
        let told = clip(std::slice::from_ref(&late)).even_keys().unwrap();
        assert_eq!(told.iter().map(|&time| time as f32).collect::<Vec<_>>(), late);
    }

    #[test]
    fn a_rate_that_holds_every_key_and_keys_that_hold_no_frames_tell_nothing_more() {
        let even = keys(0.0, 1.0 / 30.0, 20);
        let retimed = keys(0.0, 1.0 / 33.63, 20);
        let off = clip(&[retimed.clone(), vec![0.0, 0.31]]);
        let poses = clip(&[keys(0.1, 0.313, 20)]);
        let few = clip(&[keys(0.013, 0.0291, 5)]);
        assert_eq!([clip(&[even]), off, poses, few].map(|clip| clip.even_keys()), [const { None }; 4]);
        let cut = Clip { duration: 0.4, ..clip(std::slice::from_ref(&retimed)) };
        assert_eq!(cut.even_keys(), None, "keys go on behind its end");
        let double: Vec<f32> = retimed.iter().flat_map(|&time| [time, time + 1e-4]).collect();
        assert_eq!([clip(&[double]), Clip::default()].map(|clip| clip.even_keys()), [const { None }; 2]);
    }
}
