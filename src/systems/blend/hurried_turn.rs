//! Fades that turn the whole body faster than a person turns: their two sides hold the hips different ways, as a strafe and a stab
//! do.

use std::f64::consts::TAU;

use glam::DQuat;
use serde::Serialize;

use super::clip_bank::ClipBank;
use super::fast_fade::lasts;
use super::timeline::CompiledTimeline;
use super::{Built, Plan, Scratch};
use crate::anim::root_motion::{turn_of, wrap};
use crate::anim::{Clip, Pose, Skeleton};

/// Radians a second that a fade may always turn the body: what a person turns on the spot at most.
const QUICK: f64 = TAU;

/// Seconds that a fade needs at most: half a turn by a smoothstep takes three quarters of a second.
const LONGEST: f64 = 0.75;

/// Samples a second at which a fade is looked at.
const RATE: f64 = 240.0;

/// A fade that turns the body too fast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HurriedTurn {
    /// Which of the scenario's events begins it.
    pub event: usize,
    /// When that happens, seconds.
    pub time: f64,
    /// Seconds that it lasts.
    pub lasts: f64,
    /// Radians a second that the body turns at its fastest.
    pub speed: f64,
    /// Radians a second that it may turn.
    pub allowed: f64,
    /// Seconds in which it would be about no faster than it may be; `lasts` where more time is no cure, as where a clip that spins
    /// goes over into itself.
    pub enough: f64,
}

impl HurriedTurn {
    /// Whether more time may help.
    pub fn wants_time(&self) -> bool {
        self.enough > 1.001 * self.lasts
    }
}

impl Built {
    /// The fades of a scenario that turn the body faster than a turn a second and faster than its clips do, in order of time.
    /// Cuts are meant to be cuts. The body turns as the joint `hips` does;
    /// `carrier` is the joint whose turn is the character's way, if one carries it.
    pub fn hurried_turns(&self, hips: usize, carrier: Option<usize>) -> Vec<HurriedTurn> {
        let (Plan::Timeline { timeline, .. }, Some(scenario)) = (&self.plan, self.settings.as_standard()) else {
            return Vec::new();
        };
        let Some(body) = Body::find(&self.bank.skeleton, hips, carrier) else { return Vec::new() };
        let own: Vec<f64> = self.bank.clips.iter().map(|clip| body.fastest_in(&self.bank.skeleton, clip)).collect();
        let mut order: Vec<usize> = (0..scenario.events.len()).collect();
        order.sort_by(|&a, &b| scenario.events[a].time.total_cmp(&scenario.events[b].time));
        let hurried = |(index, &event): (usize, &usize)| {
            let most = timeline.clips_from(index).into_iter().map(|clip| own[clip]).fold(QUICK, f64::max);
            let lasts = lasts(&timeline.segments[index])?;
            let speed = body.fastest_from(&self.bank, timeline, index, lasts);
            let enough = (lasts * speed / most).min(LONGEST).max(lasts);
            (speed > most).then(|| HurriedTurn {
                event,
                time: timeline.segments[index].start,
                lasts,
                speed,
                allowed: most,
                enough,
            })
        };
        order.iter().enumerate().filter_map(hurried).collect()
    }
}

/// What turns as the body does.
#[derive(Clone, Copy, Debug)]
struct Body {
    hips: usize,
    /// The joint above them whose turn is the character's way and no part of a pose. Hips that carry themselves have both in
    /// one.
    carrier: Option<usize>,
}

impl Body {
    fn find(skeleton: &Skeleton, hips: usize, carrier: Option<usize>) -> Option<Self> {
        let above = |&carrier: &usize| carrier != hips && skeleton.ancestors(hips).any(|joint| joint == carrier);
        (hips < skeleton.len()).then(|| Self { hips, carrier: carrier.filter(above) })
    }

    /// Radians a second that it turns at its fastest in `clip`.
    fn fastest_in(self, skeleton: &Skeleton, clip: &Clip) -> f64 {
        let fps = clip.fps();
        let count = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
        let pose = |frame: u32| clip.pose_at(skeleton, f64::from(frame) / fps);
        self.fastest(skeleton, (0..=count).map(pose), fps)
    }

    /// The same from the start of the `index`-th segment on, over `lasts` seconds or up to the next.
    fn fastest_from(self, bank: &ClipBank, timeline: &CompiledTimeline, index: usize, lasts: f64) -> f64 {
        let start = timeline.segments[index].start;
        let next = timeline.segments.get(index + 1).map_or(f64::INFINITY, |next| next.start);
        let count = (lasts.min(next - start) * RATE).floor() as u32;
        let (mut scratch, mut pose) = (Scratch::default(), Pose::rest(&bank.skeleton));
        let sampled = (0..=count).map(|sample| {
            timeline.sample(bank, start + f64::from(sample) / RATE, &mut scratch, &mut pose);
            pose.clone()
        });
        self.fastest(&bank.skeleton, sampled, RATE)
    }

    /// The same over `poses`, `rate` of them a second.
    fn fastest(self, skeleton: &Skeleton, poses: impl Iterator<Item = Pose>, rate: f64) -> f64 {
        let turns: Vec<DQuat> = poses.map(|pose| self.turn(skeleton, &pose)).collect();
        let yaw = |pair: &[DQuat]| {
            let step = pair[1] * pair[0].inverse();
            wrap(2.0 * step.y.atan2(step.w)).abs()
        };
        turns.windows(2).map(yaw).fold(0.0, f64::max) * rate
    }

    /// How it is turned in `pose`.
    fn turn(self, skeleton: &Skeleton, pose: &Pose) -> DQuat {
        let of = |joint: usize| turn_of(&pose.world_from_joint(skeleton, joint));
        let carried = self.carrier.map_or(DQuat::IDENTITY, of);
        of(self.hips) * carried.inverse()
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Curve, JointTracks, Roles};
    use crate::progress::Progress;
    use crate::systems::blend::{Action, Event, Input, Scenario, Settings, build};

    /// Seconds each fade needs where run holds the hips by 0, stand by 100 and the skill by 180 degrees; the root turns besides.
    fn needed(events: &[(f64, Action, f64)]) -> Vec<(usize, f64)> {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("spine", Some(1))]);
        let clip = |name: &str, degrees: f32| {
            let mut tracks = vec![JointTracks::default(); 3];
            // A root that goes round is the character's way.
            let round = [0.0, 2.0, 4.0, 6.0].map(Quat::from_rotation_y).to_vec();
            tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.1, 0.2, 0.3], round));
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
        built.hurried_turns(1, Some(0)).iter().map(|found| (found.event, found.enough)).collect()
    }

    #[test]
    fn a_fade_between_bodies_turned_apart_needs_the_time_of_a_person() {
        use Action::{Cast, End, Run, Stand};
        // A smoothstep is half again as fast in its middle: 100° × 1.5 at 360° a second.
        let [(event, enough)] = needed(&[(1.0, Stand, 0.2), (0.0, Run, 0.2)])[..] else { panic!("one is hurried") };
        assert!(event == 0 && (enough - 100.0 * 1.5 / 360.0).abs() < 2e-3, "{event} {enough}");
        assert_eq!(needed(&[(0.0, Run, 0.2), (1.0, Stand, 1.01 * enough)]), []);
        // A cut is meant; a cast on the run leaves the hips alone; one while standing does not.
        assert_eq!(needed(&[(0.0, Run, 0.2), (1.0, Stand, 0.0), (2.0, Run, 0.5)]), []);
        assert_eq!(needed(&[(0.0, Run, 0.2), (1.0, Cast, 0.1), (2.0, End, 0.1)]), []);
        let standing = needed(&[(0.0, Stand, 0.2), (1.0, Cast, 0.1), (2.0, End, 0.4)]);
        assert!(standing.len() == 1 && standing[0].0 == 1 && (standing[0].1 - 1.0 / 3.0).abs() < 2e-3, "{standing:?}");
        // What another event cuts short does not get as far.
        assert_eq!(needed(&[(0.0, Run, 0.2), (1.0, Stand, 0.2), (1.02, Run, 0.2)]), []);
    }
}
