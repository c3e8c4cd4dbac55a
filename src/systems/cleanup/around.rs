//! The frames around one that tell where it would be if nothing trembled.

use std::f64::consts::PI;
use std::ops::Range;

use glam::DVec3;

/// Frames around one and how much each of them tells.
pub(super) struct Around {
    pub frames: Range<usize>,
    /// Of a line through them at the frame; all together 1.
    weights: Vec<f64>,
}

impl Around {
    /// The frames `width` on both sides of `frame`, one of `count`, weighed by a raised cosine. It grows narrow towards the ends of
    /// `pause`, beyond which there is motion, but not where the clip begins or ends there: of both its ends every bit stays.
    pub fn of(frame: usize, pause: &Range<usize>, width: usize, count: usize) -> Self {
        let last = count - 1;
        let before = if pause.start == 0 && frame > 0 { width } else { frame - pause.start };
        let after = if pause.end == count && frame < last { width } else { pause.end - 1 - frame };
        let reach = width.min(before).min(after);
        let frames = frame.saturating_sub(reach)..(frame + reach).min(last) + 1;
        let place = |at: usize| at as f64 - frame as f64;
        let bell = |at: usize| 1.0 + (PI * place(at) / (reach as f64 + 1.0)).cos();
        let moment = |power: i32| frames.clone().map(|at| bell(at) * place(at).powi(power)).sum::<f64>();
        let [all, first, second] = [0, 1, 2].map(moment);
        let spread = all * second - first * first;
        let on_line = |at: usize| if spread > 0.0 { (second - first * place(at)) / spread } else { 1.0 / all };
        Self { weights: frames.clone().map(|at| bell(at) * on_line(at)).collect(), frames }
    }

    /// Where the weighed line through `near`, one for each of [`Around::frames`], is at the frame.
    pub fn even(&self, near: &[DVec3]) -> DVec3 {
        near.iter().zip(&self.weights).map(|(value, weight)| *value * *weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::SplitMix64;

    #[test]
    fn a_line_stays_where_it_is_and_the_ends_of_a_clip_are_told_by_as_many_frames_as_its_middle() {
        for (frame, pause, frames) in [
            (20, 10..31, 14..27),
            (12, 10..31, 10..15),
            (10, 10..31, 10..11),
            (2, 0..31, 0..9),
            (0, 0..31, 0..1),
            (38, 10..41, 32..41),
            (40, 10..41, 40..41),
        ] {
            let around = Around::of(frame, &pause, 6, 41);
            assert_eq!(around.frames, frames, "{frame} in {pause:?}");
            let line = |at: usize| DVec3::new(3.0 * at as f64, 7.0, -(at as f64));
            let near: Vec<DVec3> = frames.map(line).collect();
            assert!(around.even(&near).distance(line(frame)) < 1e-9, "{frame} in {pause:?}");
        }
    }

    #[test]
    fn what_trembles_to_the_end_of_a_clip_goes_smoothly_up_to_its_last_frame_but_one() {
        let mut random = SplitMix64::new(3);
        let noise: Vec<DVec3> = (0..60).map(|_| DVec3::X * (2.0 * random.unit() - 1.0)).collect();
        let even = |frame: usize| {
            let around = Around::of(frame, &(0..60), 6, 60);
            around.even(&noise[around.frames.clone()]).x
        };
        let even: Vec<f64> = (0..60).map(even).collect();
        let noise: Vec<f64> = noise.iter().map(|noise| noise.x).collect();
        let off = |values: &[f64], i: usize| {
            (values[i] - (4.0 * (values[i - 1] + values[i + 1]) - values[i - 2] - values[i + 2]) / 6.0).abs()
        };
        let worst = |values: &[f64]| (3..57).map(|i| off(values, i)).fold(0.0, f64::max);
        assert!(worst(&even) < 0.05 * worst(&noise), "{} of {}", worst(&even), worst(&noise));
        assert_eq!([even[0], even[59]], [noise[0], noise[59]]);
    }
}
