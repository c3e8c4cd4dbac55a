//! Measurements of the stop: predicted, recorded, and as engines would make it.

use glam::{DQuat, DVec3};

use super::super::Braking;
use super::super::clips::in_place_clip::yaw;
use super::super::report::{EngineStop, StopReport};
use super::super::segments::plan::SegmentPlan;
use super::super::segments::segment::ActiveClip;
use super::super::walk::mix_into;
use portamento_anim::Pose;
use portamento_anim::math::arc_length::cumulative;

/// Returns the report of the stop of a segment whose finished frames are `poses`.
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
        predicted: stop.goal - stop.distance,
        begins: stop.begins,
        ends: stop.ends,
        entry_time: entry.map(|entry| entry.time),
        stretch: entry
            .map_or(1.0, |entry| 1.0 + entry.stretched / (plan.segment.braking_distance() - entry.stretched).max(1e-9)),
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

/// Returns the time of the last of `poses`, seconds.
fn last_time(plan: &SegmentPlan, poses: &[Pose]) -> f64 {
    poses.len().saturating_sub(1) as f64 / plan.segment.settings.fps
}

/// Returns the ground-plane offset of `joint` from the goal while the character stands there, metres. `time` is the
/// time of the walk.
fn standing_root(plan: &SegmentPlan, joint: usize, time: f64) -> DVec3 {
    let mut still = Pose::default();
    plan.segment.idle_pose(time, &mut still);
    let position = still.world_from_joint(plan.segment.input.skeleton, joint).translation;
    let turn = DQuat::from_rotation_y(plan.segment.path.heading(f64::INFINITY) - yaw(plan.segment.carrier.front));
    (turn * position).with_y(0.0) * plan.segment.input.metres_per_unit
}

/// Returns the slowest and fastest play rate of the stop clip from its entry to rest; 1 if it is not played.
fn stop_rates(plan: &SegmentPlan) -> [f64; 2] {
    let time = |frame: usize| match plan.play(frame) {
        ActiveClip::Stop(time, _) if plan.segment.time(frame) < plan.segment.profile.stop.ends => Some(time),
        _ => None,
    };
    let times: Vec<f64> = (0..plan.frames.len()).filter_map(time).collect();
    let rates = times.windows(2).map(|pair| (pair[1] - pair[0]) * plan.segment.settings.fps);
    rates.map(|rate| [rate; 2]).reduce(|[low, high], [rate, _]| [low.min(rate), high.max(rate)]).unwrap_or([1.0; 2])
}

/// Ground-plane travel of the recorded root, as an engine sees it.
struct Recorded {
    /// Distance from the first frame at every frame, metres.
    lengths: Vec<f64>,
    fps: f64,
}

impl Recorded {
    /// Measures the travel of `joint` over all `poses`.
    fn new(plan: &SegmentPlan, poses: &[Pose], joint: usize) -> Self {
        let unit = plan.segment.input.metres_per_unit;
        let position =
            |pose: &Pose| pose.world_from_joint(plan.segment.input.skeleton, joint).translation.with_y(0.0) * unit;
        let positions: Vec<DVec3> = poses.iter().map(position).collect();
        Self { lengths: cumulative(&positions), fps: plan.segment.settings.fps }
    }
    /// Returns the distance travelled at `time` (seconds, clamped), metres.
    fn at(&self, time: f64) -> f64 {
        let frame = (time * self.fps).clamp(0.0, self.lengths.len().saturating_sub(1) as f64);
        let [from, to] = [frame.floor(), frame.ceil()].map(|i| self.lengths.get(i as usize).copied().unwrap_or(0.0));
        from + (to - from) * frame.fract()
    }

    /// Returns the overshoot past the recorded end, metres, when an engine at `rate` brakes by its own steps. It
    /// brakes from the first frame near `begins` (seconds) on which the `predicted` distance is all that remains.
    fn stopped(&self, begins: f64, rate: f64, law: Braking, predicted: impl Fn(f64) -> f64) -> f64 {
        let end = self.at(f64::INFINITY);
        // Speeds are read before the braking, as a frame that already brakes shows less.
        let speed = |frame: i64| {
            let last = (frame as f64 / rate).min(begins);
            (self.at(last) - self.at(last - 1.0 / rate)) * rate
        };
        let first = ((begins * rate).floor() as i64 - 4).max(1);
        let state = |frame: i64| {
            let late = (frame as f64 / rate - begins).max(0.0);
            (self.at((frame as f64 / rate).min(begins)) + late * speed(frame), speed(frame))
        };
        let due = |&(position, speed): &(f64, f64)| predicted(speed) >= end - position;
        let (position, speed) = (first..first + 40).map(state).find(due).unwrap_or_else(|| state(first + 39));
        position + law.stepped_distance(speed, rate) - end
    }
}

/// Returns the ground-plane distance between the recorded root and the goal at an engine's last frame, metres. The
/// root's own offset in the idle clip is subtracted.
fn recorded_error(plan: &SegmentPlan, poses: &[Pose], joint: usize, rate: f64) -> f64 {
    let (skeleton, unit) = (plan.segment.input.skeleton, plan.segment.input.metres_per_unit);
    let time = (last_time(plan, poses) * rate).floor() / rate;
    let frame = time * plan.segment.settings.fps;
    let (Some(from), Some(to)) = (poses.get(frame.floor() as usize), poses.get(frame.ceil() as usize)) else {
        return 0.0;
    };
    let mut pose = from.clone();
    mix_into(&mut pose, to, frame.fract() as f32);
    let position = pose.world_from_joint(skeleton, joint).translation * unit;
    let goal = plan.segment.path.points.last().copied().unwrap_or_default();
    (position - standing_root(plan, joint, time) - goal).with_y(0.0).length()
}
