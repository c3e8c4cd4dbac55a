//! Input of a blend.

use portamento_anim::{Clip, Roles, Skeleton};

/// The skeleton and clips that a blend works on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton that every clip must match.
    pub skeleton: &'a Skeleton,
    /// Clips that nodes and events may name.
    pub clips: &'a [&'a Clip],
    /// Joint roles, from which body-part masks are resolved.
    pub roles: &'a Roles,
    /// Foot-down times by clip name (seconds, rising, within the clip). The first time of each clip belongs to the same foot.
    pub markers: &'a [(&'a str, &'a [f64])],
    /// Travelled distance of the clips that drive a parameter by their speed.
    pub travels: &'a [ClipTravel],
}

/// Distance that a clip has travelled over the ground, by clip time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipTravel {
    /// Name of the clip.
    pub clip: String,
    /// Clip times in seconds, rising.
    pub times: Vec<f64>,
    /// Travelled distance at each time, metres.
    pub metres: Vec<f64>,
}

impl ClipTravel {
    /// Returns the mean speed over the clip in metres per second; 0 if it has fewer than two times.
    pub fn mean_speed(&self) -> f64 {
        match (&self.times[..], &self.metres[..]) {
            ([from, .., to], [.., distance]) if to > from => distance / (to - from),
            _ => 0.0,
        }
    }

    /// Returns the mean speed in metres per second within a window of `smoothing` seconds around `time`. Times outside the
    /// clip use the window at its nearest end. Returns 0 without times.
    pub fn speed_at(&self, time: f64, smoothing: f64) -> f64 {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else { return 0.0 };
        let frame = (last - first) / (self.times.len() - 1).max(1) as f64;
        let half_window = 0.5 * smoothing.max(frame).min(last - first);
        let center = time.clamp(first + half_window, last - half_window);
        let distance = self.metres_at(center + half_window) - self.metres_at(center - half_window);
        if half_window > 0.0 { distance / (2.0 * half_window) } else { 0.0 }
    }

    /// Returns the travelled distance in metres at `time` (seconds), linear between samples and clamped to the clip. Returns
    /// 0 with fewer than two times.
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
    fn speed_is_the_mean_around_a_time_and_constant_outside_the_clip() {
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
