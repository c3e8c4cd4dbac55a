//! A crossing as a part of a walk: a fitted clip at its obstacle.
//!
//! The clip plays at its own rate between take-off and landing. Before the take-off it begins at the rate at which its speed
//! equals that of the character, and after the landing it ends at the rate at which the character goes on.

use glam::{DVec2, DVec3};

use super::plan::RawFrame;
use super::segment::Rig;
use crate::crossing::Fitted;
use crate::locomotion::feet::foot_ground::ground_at_foot;
use crate::locomotion::paths::smooth_path::mix;
use crate::locomotion::{Input, PathCrossing, SmoothPath};
use portamento_anim::root_motion::world_at;

/// Slowest and fastest play rate at either end. Slower, a run-up looks like slow motion.
const END_RATES: [f64; 2] = [0.5, 1.3];
/// Samples of the clip per second from which its times are interpolated.
const SAMPLE_RATE: f64 = 960.0;

/// A planned crossing.
pub(crate) struct CrossingPart<'a> {
    input: &'a Input<'a>,
    pub crossing: &'a PathCrossing,
    /// Time of the clip at each frame, seconds.
    pub times: Vec<f64>,
    /// Play rates at both ends.
    pub rates: [f64; 2],
    /// Speeds that the clip has at both ends without them, m/s; 0 for a stand.
    pub speeds: [f64; 2],
    root: Option<usize>,
}

impl<'a> CrossingPart<'a> {
    /// Plans `crossing`. `speeds` are those of the clip at both ends and `actual` those with which the character arrives and
    /// leaves, m/s; 0 for a stand.
    pub fn plan(rig: Rig<'a>, crossing: &'a PathCrossing, speeds: [f64; 2], actual: [f64; 2]) -> Self {
        let rate = |end: usize| {
            let own = speeds[end];
            if own > 0.0 { (actual[end] / own).clamp(END_RATES[0], END_RATES[1]) } else { 1.0 }
        };
        let rates = [rate(0), rate(1)];
        let times = times(&crossing.fitted, rates, rig.settings.fps);
        let root = rig.carrier.root.map(|root| root.joint);
        Self { input: rig.input, crossing, times, rates, speeds, root }
    }

    /// Returns a frame; the feet are planted by the clip and not locked.
    pub fn frame(&self, frame: usize) -> RawFrame {
        let (fitted, time) = (&self.crossing.fitted, self.times[frame]);
        RawFrame {
            pose: fitted.clip.pose_at(self.input.skeleton, time),
            standing: vec![false; self.input.legs().len()],
            position: self.position(time),
            heading: fitted.heading,
        }
    }

    /// Returns the point on the ground below the root at a frame, metres.
    pub fn frame_position(&self, frame: usize) -> DVec3 {
        self.position(self.times[frame])
    }

    /// Returns the point on the ground below the root at a clip time, metres. Between take-off and landing the ground rises or
    /// falls evenly.
    fn position(&self, time: f64) -> DVec3 {
        let Fitted { start, landing, report, .. } = &*self.crossing.fitted;
        let [take_off, .., lands] = report.moments;
        let share = ((time - take_off) / (lands - take_off).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let height = start.y + (landing.y - start.y) * share;
        let at = |time: f64| {
            self.root.map(|root| world_at(self.input.skeleton, &self.crossing.fitted.clip, root, time).translation)
        };
        let Some((first, now)) = at(0.0).zip(at(time)) else { return start.lerp(*landing, share) };
        (*start + (now - first) * self.input.metres_per_unit).with_y(height)
    }

    /// Returns the ground height under a world point and under the body, world units.
    pub fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        let unit = self.input.metres_per_unit;
        let body = self.position(self.times[frame]);
        let height = self.input.ground.and_then(|ground| ground_at_foot(ground, body, point * unit));
        [height.unwrap_or(body.y) / unit, body.y / unit]
    }

    /// Returns the straight path from the start to the landing.
    pub fn path(&self) -> SmoothPath {
        let Fitted { start, landing, heading, .. } = &*self.crossing.fitted;
        let length = DVec2::new(landing.x - start.x, landing.z - start.z).length();
        let limit = self.speeds[0].max(self.speeds[1]);
        SmoothPath {
            points: vec![*start, *landing],
            lengths: vec![0.0, length],
            limits: vec![limit; 2],
            headings: vec![*heading; 2],
        }
    }
}

/// Returns the time of the clip at each frame, seconds, with these play rates at both ends.
fn times(fitted: &Fitted, rates: [f64; 2], fps: f64) -> Vec<f64> {
    let end = fitted.clip.duration;
    let [take_off, .., landing] = fitted.report.moments;
    let rate = |time: f64| {
        let before = ((take_off - time) / take_off.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let after = ((time - landing) / (end - landing).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        1.0 + (rates[0] - 1.0) * before + (rates[1] - 1.0) * after
    };
    let count = (end * SAMPLE_RATE).ceil().max(1.0) as usize;
    let clip: Vec<f64> = (0..=count).map(|i| end * i as f64 / count as f64).collect();
    let mut played = vec![0.0];
    for pair in clip.windows(2) {
        played.push(played[played.len() - 1] + (pair[1] - pair[0]) / rate(0.5 * (pair[0] + pair[1])));
    }
    let seconds = played[count];
    let frames = (seconds * fps).round().max(1.0) as usize;
    let mut times: Vec<f64> = (0..=frames).map(|i| mix(&clip, &played, seconds * i as f64 / frames as f64)).collect();
    times[frames] = end;
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crossing::{CrossingKind, Report};
    use portamento_anim::Clip;

    #[test]
    fn the_clip_plays_at_its_own_rate_in_flight_and_slower_at_a_slower_end() {
        let report = Report {
            kind: CrossingKind::Vault,
            moments: [0.5, 0.7, 0.8, 1.0],
            edge: None,
            landing: None,
            standing: None,
            gravity: None,
            airtime: None,
            take_off_speed: None,
            ratio: 0.0,
            penetration: None,
            own_penetration: None,
            flipped: 0,
            seconds: [1.5; 2],
        };
        let clip = Clip { name: "vault".into(), duration: 1.5, tracks: Vec::new() };
        let fitted = Fitted { clip, start: DVec3::ZERO, landing: DVec3::Z, heading: 0.0, report };
        let even = times(&fitted, [1.0; 2], 60.0);
        assert!(even.len() == 91 && even.iter().enumerate().all(|(i, time)| (time - i as f64 / 60.0).abs() < 1e-9));
        let slow = times(&fitted, [0.5, 1.0], 60.0);
        let rates: Vec<f64> = slow.windows(2).map(|pair| (pair[1] - pair[0]) * 60.0).collect();
        assert!((rates[0] - 0.5).abs() < 0.02 && rates.is_sorted_by(|a, b| *a <= b + 1e-6), "{rates:?}");
        let flight = slow.iter().zip(&rates).filter(|(time, _)| (0.5..1.0).contains(*time));
        assert!(flight.into_iter().all(|(_, rate)| (rate - 1.0).abs() < 0.01), "{rates:?}");
        assert_eq!(*slow.last().unwrap(), 1.5);
    }
}
