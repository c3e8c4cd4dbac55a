//! Detects fades that turn the whole body faster than a person can turn. They occur when the hips face different directions in
//! the two clips, such as a strafe and a stab.

use std::f64::consts::TAU;

use glam::DQuat;
use serde::Serialize;

use super::fast_fade::fade_duration;
use crate::clips::clip_bank::ClipBank;
use crate::standard::timeline::{CompiledTimeline, TimelineSegment};
use crate::{Built, Plan, Scratch};
use portamento_anim::root_motion::{turn_of, wrap};
use portamento_anim::{Clip, Pose, Skeleton};

/// Body angular speed in radians per second that is always allowed in a fade: one turn per second, the most that a person turns
/// on the spot.
const ALLOWED_RADIANS_PER_SECOND: f64 = TAU;

/// Longest fade that is recommended, seconds. Half a turn by a smoothstep at one turn per second takes 0.75 s.
const MAX_FADE_SECONDS: f64 = 0.75;

/// Sampling rate for fades, samples per second.
const SAMPLES_PER_SECOND: f64 = 240.0;

/// A fade that turns the body too fast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FastTurn {
    /// Index of the scenario event that starts the fade.
    pub event: usize,
    /// Time of the event, seconds.
    pub time: f64,
    /// Duration of the fade, seconds.
    pub lasts: f64,
    /// Largest angular speed of the body, radians per second.
    pub speed: f64,
    /// Largest allowed angular speed, radians per second.
    pub allowed: f64,
    /// Approximate duration in seconds with which the fade would stay within the limit. Equal to `lasts` if more time does not
    /// help, for example when a spinning clip fades into itself.
    pub enough: f64,
}

impl FastTurn {
    /// True if a longer fade may help.
    pub fn can_be_lengthened(&self) -> bool {
        self.enough > 1.001 * self.lasts
    }
}

impl Built {
    /// Returns the fades of a scenario that turn the body faster than one turn per second and faster than their clips
    /// do, in order of time. Cuts are ignored. The result is empty for a drawn tree, or if the skeleton has no joint
    /// `hips`.
    ///
    /// The body turns with the joint `hips`. `carrier` is the joint that carries the root motion, if there is one.
    pub fn fast_turns(&self, hips: usize, carrier: Option<usize>) -> Vec<FastTurn> {
        let Plan::Timeline(timeline) = &self.plan else { return Vec::new() };
        let Some(body) = Body::find(&self.bank.skeleton, hips, carrier) else { return Vec::new() };
        let clip_speeds: Vec<f64> =
            self.bank.clips.iter().map(|clip| body.fastest_in(&self.bank.skeleton, clip)).collect();
        let hurried_turn = |(index, segment): (usize, &TimelineSegment)| {
            let allowed = timeline
                .clips_from(index)
                .into_iter()
                .map(|clip| clip_speeds[clip])
                .fold(ALLOWED_RADIANS_PER_SECOND, f64::max);
            let lasts = fade_duration(segment)?;
            let speed = body.fastest_from(&self.bank, timeline, index, lasts);
            let enough = (lasts * speed / allowed).min(MAX_FADE_SECONDS).max(lasts);
            (speed > allowed).then_some(FastTurn {
                event: segment.event,
                time: segment.start,
                lasts,
                speed,
                allowed,
                enough,
            })
        };
        timeline.segments.iter().enumerate().filter_map(hurried_turn).collect()
    }
}

/// The joints that define the body's rotation.
#[derive(Clone, Copy, Debug)]
struct Body {
    hips: usize,
    /// The joint above the hips that carries the root motion, whose rotation is not part of the pose. `None` if the hips carry it
    /// themselves.
    carrier: Option<usize>,
}

impl Body {
    /// Returns the body of `hips`; a `carrier` that is not an ancestor of the hips is ignored. Returns `None` if the skeleton
    /// has no joint `hips`.
    fn find(skeleton: &Skeleton, hips: usize, carrier: Option<usize>) -> Option<Self> {
        let is_above = |&carrier: &usize| carrier != hips && skeleton.ancestors(hips).any(|joint| joint == carrier);
        (hips < skeleton.len()).then(|| Self { hips, carrier: carrier.filter(is_above) })
    }

    /// Returns the fastest yaw speed in `clip`, radians per second.
    fn fastest_in(self, skeleton: &Skeleton, clip: &Clip) -> f64 {
        let fps = clip.fps();
        let count = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
        let pose = |frame: u32| clip.pose_at(skeleton, f64::from(frame) / fps);
        self.fastest(skeleton, (0..=count).map(pose), fps)
    }

    /// Returns the fastest yaw speed in radians per second within `duration` seconds after the start of segment `index`, or
    /// up to the next segment.
    fn fastest_from(self, bank: &ClipBank, timeline: &CompiledTimeline, index: usize, duration: f64) -> f64 {
        let start = timeline.segments[index].start;
        let next = timeline.segments.get(index + 1).map_or(f64::INFINITY, |next| next.start);
        let count = (duration.min(next - start) * SAMPLES_PER_SECOND).floor() as u32;
        let (mut scratch, mut pose) = (Scratch::default(), Pose::rest(&bank.skeleton));
        let sampled = (0..=count).map(|sample| {
            timeline.sample(bank, start + f64::from(sample) / SAMPLES_PER_SECOND, &mut scratch, &mut pose);
            pose.clone()
        });
        self.fastest(&bank.skeleton, sampled, SAMPLES_PER_SECOND)
    }

    /// Returns the fastest yaw speed over `poses` at `rate` poses per second, radians per second.
    fn fastest(self, skeleton: &Skeleton, poses: impl Iterator<Item = Pose>, rate: f64) -> f64 {
        let rotations: Vec<DQuat> = poses.map(|pose| self.body_rotation(skeleton, &pose)).collect();
        let yaw = |pair: &[DQuat]| {
            let step = pair[1] * pair[0].inverse();
            wrap(2.0 * step.y.atan2(step.w)).abs()
        };
        rotations.windows(2).map(yaw).fold(0.0, f64::max) * rate
    }

    /// Returns the world rotation of the hips in `pose` without the rotation of the carrier.
    fn body_rotation(self, skeleton: &Skeleton, pose: &Pose) -> DQuat {
        let rotation = |joint: usize| turn_of(&pose.world_from_joint(skeleton, joint));
        let carrier_rotation = self.carrier.map_or(DQuat::IDENTITY, rotation);
        rotation(self.hips) * carrier_rotation.inverse()
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::{Action, Event, Input, Scenario, Settings, build};
    use portamento_anim::{Curve, JointTracks, Roles};
    use portamento_base::progress::Progress;
    use portamento_test_support::skeleton_of;

    /// Returns event index and required seconds of each hurried fade. The hips are at 0° in run, 100° in stand and 180° in the
    /// skill; the root turns in addition.
    fn required_seconds(events: &[(f64, Action, f64)]) -> Vec<(usize, f64)> {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("spine", Some(1))]);
        let clip = |name: &str, degrees: f32| {
            let mut tracks = vec![JointTracks::default(); 3];
            // A turning root is root motion and not part of the pose.
            let turns = [0.0, 2.0, 4.0, 6.0].map(Quat::from_rotation_y).to_vec();
            tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.1, 0.2, 0.3], turns));
            tracks[1].rotation = Some(Curve::linear(vec![0.0], vec![Quat::from_rotation_y(degrees.to_radians())]));
            Clip { name: name.into(), duration: f64::from(0.3_f32), tracks }
        };
        let clips = [clip("run", 0.0), clip("stand", 100.0), clip("cast", 180.0)];
        let roles = Roles { hips: Some(1), spine_split: Some(2), ..Roles::default() };
        let [run, stand, skill] = ["run", "stand", "cast"].map(str::to_owned);
        let event =
            |&(time, action, trans_time): &(f64, Action, f64)| Event { time, action, trans_time, ..Event::default() };
        let events = events.iter().map(event).collect();
        let scenario = Scenario { run, stand, skill, events, ..Scenario::default() };
        let clips: Vec<&Clip> = clips.iter().collect();
        let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
        let built = build(&input, &Settings::Scenario(scenario), &Progress::new()).unwrap();
        built.fast_turns(1, Some(0)).iter().map(|found| (found.event, found.enough)).collect()
    }

    #[test]
    fn a_fade_between_differently_turned_bodies_needs_the_time_of_a_human_turn() {
        use Action::{Cast, End, Run, Stand};
        // A smoothstep is 1.5 times as fast in its middle: 100° × 1.5 at 360° per second.
        let [(event, enough)] = required_seconds(&[(1.0, Stand, 0.2), (0.0, Run, 0.2)])[..] else {
            panic!("one is hurried")
        };
        assert!(event == 0 && (enough - 100.0 * 1.5 / 360.0).abs() < 2e-3, "{event} {enough}");
        assert_eq!(required_seconds(&[(0.0, Run, 0.2), (1.0, Stand, 1.01 * enough)]), []);
        // Cuts are ignored. A cast during a run does not affect the hips; a cast while standing does.
        assert_eq!(required_seconds(&[(0.0, Run, 0.2), (1.0, Stand, 0.0), (2.0, Run, 0.5)]), []);
        assert_eq!(required_seconds(&[(0.0, Run, 0.2), (1.0, Cast, 0.1), (2.0, End, 0.1)]), []);
        let standing = required_seconds(&[(0.0, Stand, 0.2), (1.0, Cast, 0.1), (2.0, End, 0.4)]);
        assert!(standing.len() == 1 && standing[0].0 == 1 && (standing[0].1 - 1.0 / 3.0).abs() < 2e-3, "{standing:?}");
        // A fade that another event cuts short does not reach that speed.
        assert_eq!(required_seconds(&[(0.0, Run, 0.2), (1.0, Stand, 0.2), (1.02, Run, 0.2)]), []);
    }
}
