//! What a blend begins with.

use crate::anim::{Clip, Roles, Skeleton};

/// What is blended.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that every clip must have been made for.
    pub skeleton: &'a Skeleton,
    /// Clips that nodes and events name; never changed.
    pub clips: &'a [&'a Clip],
    /// Where the body parts of masks begin.
    pub roles: &'a Roles,
    /// Foot-down times (seconds, rising, within the clip) by clip name; the first of each belongs to the same foot.
    pub markers: &'a [(&'a str, &'a [f64])],
    /// How far clips go that drive a parameter by their speed.
    pub travels: &'a [ClipTravel],
}

/// How far a clip has gone over the ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipTravel {
    /// Name of the clip.
    pub clip: String,
    /// Clip seconds, rising.
    pub times: Vec<f64>,
    /// Metres at each of them.
    pub metres: Vec<f64>,
}

impl ClipTravel {
    /// Metres a second, over all of it.
    pub fn mean_speed(&self) -> f64 {
        match (&self.times[..], &self.metres[..]) {
            ([from, .., to], [.., gone]) if to > from => gone / (to - from),
            _ => 0.0,
        }
    }

    /// Metres a second at `time` (seconds), over `smoothing` seconds around it; beyond its ends that of its end.
    pub fn speed_at(&self, time: f64, smoothing: f64) -> f64 {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else { return 0.0 };
        let frame = (last - first) / (self.times.len() - 1).max(1) as f64;
        let reach = 0.5 * smoothing.max(frame).min(last - first);
        let middle = time.clamp(first + reach, last - reach);
        let gone = self.metres_at(middle + reach) - self.metres_at(middle - reach);
        if reach > 0.0 { gone / (2.0 * reach) } else { 0.0 }
    }

    fn metres_at(&self, time: f64) -> f64 {
        let next = self.times.partition_point(|&known| known <= time).clamp(1, self.times.len().max(2) - 1);
        let (Some(&from), Some(&to)) = (self.times.get(next - 1), self.times.get(next)) else { return 0.0 };
        let (Some(before), Some(after)) = (self.metres.get(next - 1), self.metres.get(next)) else { return 0.0 };
        before + (after - before) * ((time - from) / (to - from)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_that_around_its_moment_and_beyond_the_ends_that_of_the_end() {
        // 1 m/s for a second, then 3 m/s.
        let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 30.0).collect();
        let metres = times.iter().map(|&time| if time < 1.0 { time } else { 1.0 + 3.0 * (time - 1.0) }).collect();
        let travel = ClipTravel { clip: "walk".into(), times, metres };
        let at = |time: f64| (travel.speed_at(time, 0.2) * 1e6).round() / 1e6;
        assert_eq!([at(-5.0), at(0.5), at(1.0), at(1.5), at(9.0)], [1.0, 1.0, 2.0, 3.0, 3.0]);
        assert_eq!(travel.mean_speed(), 2.0);
        assert_eq!((ClipTravel::default().speed_at(0.0, 0.2), ClipTravel::default().mean_speed()), (0.0, 0.0));
    }
}
