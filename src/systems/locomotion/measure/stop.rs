//! The stop measured: as it was predicted, as it came out, and as engines would do it.

use glam::{DQuat, DVec3};

use super::super::Braking;
use super::super::in_place_clip::yaw;
use super::super::report::{EngineStop, StopReport};
use super::super::walk::mix_into;
use super::super::{active_clip::ActiveClip, plan::SegmentPlan};
use crate::anim::Pose;
use crate::math::arc_length::cumulative;

/// The stop of a segment whose finished frames are `poses`.
pub(super) fn stop(plan: &SegmentPlan, poses: &[Pose]) -> StopReport {
    let stop = &plan.segment.profile.stop;
    let clip = plan.segment.stop_clip;
    let entry = plan.stop.as_ref();
    let law = plan.segment.settings.braking;
    let engines = plan.segment.carrier.root.map_or_else(Vec::new, |root| {
        let recorded = Recorded::new(plan, poses, root.joint);
        let engine = |rate: f64| EngineStop {
            rate,
            by_closed_form: recorded.stopped(stop.begins, rate, law, |speed| law.distance(speed)),
            by_own_steps: recorded.stopped(stop.begins, rate, law, |speed| law.stepped_distance(speed, rate)),
            recorded: recorded_error(plan, poses, root.joint, rate),
        };
        [30.0, 60.0, 120.0].map(engine).to_vec()
    });
    StopReport {
        clip: clip.map(|clip| clip.source.clip.name.clone()),
        speed: stop.speed,
        predicted: stop.goal - stop.place,
        begins: stop.begins,
        ends: stop.ends,
        entry_time: entry.map(|entry| entry.time),
        stretch: entry
            .map_or(1.0, |entry| 1.0 + entry.stretched / (plan.segment.braking_way() - entry.stretched).max(1e-9)),
        stretched: entry.map_or(0.0, |entry| entry.stretched),
        rates: stop_rates(plan),
        repaired: clip.map_or(0.0, |clip| clip.curve.repaired),
        pose_distances: entry.map_or_else(Vec::new, |entry| entry.pose_match.distances.clone()),
        standing_root: plan
            .segment
            .carrier
            .root
            .map_or(DVec3::ZERO, |root| standing_root(plan, root.joint, last_time(plan, poses))),
        engines,
    }
}

/// Seconds of the last of `poses`.
fn last_time(plan: &SegmentPlan, poses: &[Pose]) -> f64 {
    poses.len().saturating_sub(1) as f64 / plan.segment.settings.fps
}

/// Where `joint` is beside the goal while the character stands there, at `time` of the walk, along the ground, metres.
fn standing_root(plan: &SegmentPlan, joint: usize, time: f64) -> DVec3 {
    let mut still = Pose::default();
    plan.segment.idle_pose(time, &mut still);
    let at = still.world_from_joint(plan.segment.input.skeleton, joint).translation;
    let turn = DQuat::from_rotation_y(plan.segment.path.heading(f64::INFINITY) - yaw(plan.segment.carrier.front));
    (turn * at).with_y(0.0) * plan.segment.input.metres_per_unit
}

/// Slowest and fastest play rate of the stop clip from the entry to rest.
fn stop_rates(plan: &SegmentPlan) -> [f64; 2] {
    let time = |frame: usize| match plan.play(frame) {
        ActiveClip::Stop(time, _) if plan.segment.time(frame) < plan.segment.profile.stop.ends => Some(time),
        _ => None,
    };
    let times: Vec<f64> = (0..plan.frames.len()).filter_map(time).collect();
    let rates = times.windows(2).map(|pair| (pair[1] - pair[0]) * plan.segment.settings.fps);
    rates.map(|rate| [rate; 2]).reduce(|[low, high], [rate, _]| [low.min(rate), high.max(rate)]).unwrap_or([1.0; 2])
}

/// The way of the recorded root over the ground, as an engine sees it.
struct Recorded {
    /// Metres from the first frame, at every frame.
    lengths: Vec<f64>,
    fps: f64,
}

impl Recorded {
    fn new(plan: &SegmentPlan, poses: &[Pose], joint: usize) -> Self {
        let unit = plan.segment.input.metres_per_unit;
        let place =
            |pose: &Pose| pose.world_from_joint(plan.segment.input.skeleton, joint).translation.with_y(0.0) * unit;
        let places: Vec<DVec3> = poses.iter().map(place).collect();
        Self { lengths: cumulative(&places), fps: plan.segment.settings.fps }
    }

    fn at(&self, time: f64) -> f64 {
        let place = (time * self.fps).clamp(0.0, self.lengths.len().saturating_sub(1) as f64);
        let [from, to] = [place.floor(), place.ceil()].map(|i| self.lengths.get(i as usize).copied().unwrap_or(0.0));
        from + (to - from) * place.fract()
    }

    /// Metres past the recorded end when an engine at `rate`, moved by the recording, brakes by its own steps from the first
    /// frame near `begins` (seconds) on which the `predicted` way is all that is left.
    fn stopped(&self, begins: f64, rate: f64, law: Braking, predicted: impl Fn(f64) -> f64) -> f64 {
        let end = self.at(f64::INFINITY);
        // Speeds are read before the braking: a frame that brakes already shows less than it begins with.
        let speed = |frame: i64| {
            let last = (frame as f64 / rate).min(begins);
            (self.at(last) - self.at(last - 1.0 / rate)) * rate
        };
        let first = ((begins * rate).floor() as i64 - 4).max(1);
        let state = |frame: i64| {
            let late = (frame as f64 / rate - begins).max(0.0);
            (self.at((frame as f64 / rate).min(begins)) + late * speed(frame), speed(frame))
        };
        let due = |&(place, speed): &(f64, f64)| predicted(speed) >= end - place;
        let (place, speed) = (first..first + 40).map(state).find(due).unwrap_or_else(|| state(first + 39));
        place + law.stepped_distance(speed, rate) - end
    }
}

/// Metres between the recorded root and the goal in the ground plane, at an engine's last frame; the root's own place in the
/// standing clip does not count.
fn recorded_error(plan: &SegmentPlan, poses: &[Pose], joint: usize, rate: f64) -> f64 {
    let (skeleton, unit) = (plan.segment.input.skeleton, plan.segment.input.metres_per_unit);
    let time = (last_time(plan, poses) * rate).floor() / rate;
    let place = time * plan.segment.settings.fps;
    let (Some(from), Some(to)) = (poses.get(place.floor() as usize), poses.get(place.ceil() as usize)) else {
        return 0.0;
    };
    let mut pose = from.clone();
    mix_into(&mut pose, to, place.fract() as f32);
    let at = pose.world_from_joint(skeleton, joint).translation * unit;
    let goal = plan.segment.path.points.last().copied().unwrap_or_default();
    (at - standing_root(plan, joint, time) - goal).with_y(0.0).length()
}
