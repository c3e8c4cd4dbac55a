//! Frames of clips without a key rate: retimed clips, and those that begin between two frames.

use crate::Clip;

/// Maximum distance of a key from its frame, seconds: exporters round to a millisecond.
const ROUNDING_SECONDS: f64 = 5e-4;
/// Minimum number of keys; fewer may be evenly spaced by chance.
const MIN_KEYS: usize = 8;
/// Maximum seconds between two frames; keys farther apart are poses.
const MAX_FRAME_SECONDS: f64 = 1.0 / 12.0 + ROUNDING_SECONDS;
/// Minimum ratio between the key spacing and a frame of the key rate; below it the rate is preferred.
const MIN_FRAME_RATIO: f64 = 1.5;

impl Clip {
    /// Returns the key times of the curve with most keys as frames, seconds, ascending.
    ///
    /// Returns `None` unless they are evenly spaced up to the clip's end, the keys of all other curves coincide with
    /// them, and the clip's key rate is much finer or missing.
    pub fn even_keys(&self) -> Option<Vec<f64>> {
        let times = self.key_times().max_by_key(|times| times.len()).filter(|times| times.len() >= MIN_KEYS)?;
        let (first, last) = (f64::from(times[0]), f64::from(times[times.len() - 1]));
        let step = (last - first) / (times.len() - 1) as f64;
        let ends_at_clip_end = (self.duration - last).abs() <= ROUNDING_SECONDS;
        let is_usable = ends_at_clip_end
            && step <= MAX_FRAME_SECONDS
            && self.key_rate().is_none_or(|rate| step * rate > MIN_FRAME_RATIO);
        let on_key = |time: f32| {
            let frame = ((f64::from(time) - first) / step).round();
            let is_within = (0.0..times.len() as f64).contains(&frame);
            is_within && (f64::from(time) - first - frame * step).abs() <= ROUNDING_SECONDS.min(0.25 * step)
        };
        let is_even = || times.windows(2).all(|pair| f64::from(pair[1] - pair[0]) > 0.5 * step);
        let all = || self.key_times().flatten().all(|&time| on_key(time));
        (step > 0.0 && is_usable && is_even() && all()).then(|| times.iter().map(|&time| f64::from(time)).collect())
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::{Curve, JointTracks};

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
    fn keys_of_retimed_clips_and_of_clips_that_begin_between_frames_are_frames() {
        let retimed = keys(0.0, 1.0 / 33.63, 20);
        assert_eq!(clip(&[vec![0.0], retimed.clone()]).even_keys().map(|keys| keys.len()), Some(20));
        let late = keys(0.8 / 24.0, 1.0 / 24.0, 12);
        let ends = vec![late[0], late[11]];
        assert_eq!(clip(&[late.clone(), ends]).key_rate(), Some(120.0));
        let frames = clip(std::slice::from_ref(&late)).even_keys().unwrap();
        assert_eq!(frames.iter().map(|&time| time as f32).collect::<Vec<_>>(), late);
    }

    #[test]
    fn clips_with_a_key_rate_or_irregular_keys_have_no_even_keys() {
        let even = keys(0.0, 1.0 / 30.0, 20);
        let retimed = keys(0.0, 1.0 / 33.63, 20);
        let off = clip(&[retimed.clone(), vec![0.0, 0.31]]);
        let poses = clip(&[keys(0.1, 0.313, 20)]);
        let few_keys = clip(&[keys(0.013, 0.0291, 5)]);
        assert_eq!([clip(&[even]), off, poses, few_keys].map(|clip| clip.even_keys()), [const { None }; 4]);
        let cut = Clip { duration: 0.4, ..clip(std::slice::from_ref(&retimed)) };
        assert_eq!(cut.even_keys(), None, "keys continue after its end");
        let double: Vec<f32> = retimed.iter().flat_map(|&time| [time, time + 1e-4]).collect();
        assert_eq!([clip(&[double]), Clip::default()].map(|clip| clip.even_keys()), [const { None }; 2]);
    }
}
