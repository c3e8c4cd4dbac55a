//! What was chosen and predicted is written down, and what came of it measured.

use super::foot_lock::{LockedFeet, soles};
use super::in_place_clip::yaw;
use super::plan::{ActiveClip, SegmentPlan};
use super::report::{ClipSpan, EngineStop, FootDrift, FrameReport, GaitReport, Report, StopReport};
use super::{Braking, Input};
use crate::anim::Pose;
use crate::math::arc_length::cumulative;
use crate::math::mean::angle_between;
use glam::{DQuat, DVec3};

/// Measures the finished frames.
pub(super) fn measure(plan: &SegmentPlan, standing: &[Vec<bool>], after: &[Pose], locked: &LockedFeet) -> Report {
    let (plain, plain_standing) = unmatched(plan, standing);
    let before = slides(plan.segment.input, plan.segment.settings.fps, &plain, &plain_standing);
    let steady = slides(plan.segment.input, plan.segment.settings.fps, after, &locked.standing);
    let gaps = &locked.gaps;
    let frames: Vec<FrameReport> = (0..after.len()).map(|i| frame(plan, i, [before[i], steady[i], gaps[i]])).collect();
    let stopping = |frame: &&FrameReport| frame.time >= plan.segment.profile.stop.begins;
    let walking = frames.iter().filter(|frame| !stopping(frame)).map(|frame| frame.slide_after);
    let worst = |of: fn(&FrameReport) -> f64| frames.iter().filter(stopping).map(of).fold(0.0, f64::max);
    let gaits = plan.segment.clips.gaits.iter().map(|gait| GaitReport {
        clip: gait.source.clip.name.clone(),
        speed: gait.speed(),
        stride: gait.stride,
        slope: gait.slope,
        rise: gait.source.climb.atan().to_degrees(),
        in_place: !gait.source.travels(),
    });
    Report {
        idle: plan.segment.clips.idle.clip.name.clone(),
        gaits: gaits.collect(),
        start: plan.start.as_ref().and(plan.segment.clips.start.as_ref()).map(|start| start.source.clip.name.clone()),
        start_stretched: plan.start.as_ref().map_or(0.0, |first| first.stretched),
        stop: stop(plan, after),
        slide_before: worst(|frame| frame.slide_before),
        slide_after: worst(|frame| frame.slide_after),
        slide_walking: walking.fold(0.0, f64::max),
        drift: drift(plan.segment.input, after, &locked.standing),
        knee_step: knee_step(plan.segment.input, after),
        leg_too_short: gaps.iter().copied().fold(0.0, f64::max),
        too_fast: frames.iter().filter(|frame| frame.limited).count() as f64 / plan.segment.settings.fps,
        off_slopes: frames.iter().filter(|frame| frame.off_slopes).count() as f64 / plan.segment.settings.fps,
        plan: Vec::new(),
        turns: Vec::new(),
        slide_turning: 0.0,
        frames,
    }
}

fn frame(plan: &SegmentPlan, i: usize, [slide_before, slide_after, leg_too_short]: [f64; 3]) -> FrameReport {
    let time = plan.segment.time(i);
    let (place, speed) = plan.segment.profile.at(time);
    let step = &plan.frames[i];
    let blend = if step.fade > 0.5 { &step.before } else { &step.blend };
    let idle = &plan.segment.clips.idle.clip.name;
    let gait = |gait: usize| &plan.segment.clips.gaits[gait].source.clip.name;
    let play = plan.play(i);
    let start = plan.segment.clips.start.as_ref().map_or(idle, |start| &start.source.clip.name);
    let (clip, share, stop_time) = match (play, &plan.segment.clips.stop) {
        (ActiveClip::Start(_, gait), _) if gait < 0.5 => (start, 1.0 - gait, None),
        (ActiveClip::Stop(_, rest), _) if rest > 0.5 => (idle, rest, None),
        (ActiveClip::Stop(at, rest), Some(stop)) => (&stop.source.clip.name, 1.0 - rest, Some(at)),
        _ if blend.weight >= 0.5 => (gait(blend.high), blend.weight, None),
        _ => (blend.low.map_or(idle, gait), 1.0 - blend.weight, None),
    };
    let start_time = match play {
        ActiveClip::Start(at, _) => Some(at),
        _ => None,
    };
    let slope = plan.segment.path.slope(place);
    let moves = stop_time.is_none() && start_time.is_none() && speed > 0.0;
    FrameReport {
        time,
        speed,
        remaining: plan.segment.profile.stop.goal - place,
        slope,
        off_slopes: moves && plan.segment.clips.slopes.iter().all(|set| set.beyond(slope) > 0.0),
        clip: clip.clone(),
        share,
        rate: blend.rate,
        limited: blend.limited && moves,
        facing: plan.segment.path.heading(place).to_degrees(),
        turn_time: None,
        start_time,
        stop_time,
        slide_before,
        slide_after,
        leg_too_short,
    }
}

/// Runs of frames with the same leading clip; one shorter than a fifth of a second counts to the run before it.
pub(super) fn parts(frames: &[FrameReport]) -> Vec<ClipSpan> {
    const SHORTEST: f64 = 0.2;
    let mut parts: Vec<ClipSpan> = Vec::new();
    let mut done = 0;
    for run in frames.chunk_by(|a, b| a.clip == b.clip) {
        done += run.len();
        let begins = run[0].time;
        let ends = frames[done.min(frames.len() - 1)].time;
        let slope = run.iter().map(|frame| frame.slope).fold(0.0, steeper);
        match parts.last_mut() {
            Some(before) if before.clip == run[0].clip || ends - begins < SHORTEST => {
                before.ends = ends;
                before.slope = steeper(before.slope, slope);
            }
            _ => parts.push(ClipSpan { clip: run[0].clip.clone(), begins, ends, slope }),
        }
    }
    parts
}

fn steeper(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}

/// Fastest horizontal move of a standing sole into each frame, cm/s.
pub(super) fn slides(input: &Input, fps: f64, poses: &[Pose], standing: &[Vec<bool>]) -> Vec<f64> {
    let mut worst = vec![0.0_f64; poses.len()];
    for (leg, stands) in input.legs().iter().zip(standing) {
        let soles = soles(input, leg, poses);
        for i in (1..poses.len()).filter(|&i| stands[i] && stands[i - 1]) {
            let step = (soles[i] - soles[i - 1]).with_y(0.0).length() * input.metres_per_unit;
            worst[i] = worst[i].max(step * fps * 100.0);
        }
    }
    worst
}

/// How far each standing sole gets from where it came down.
pub(super) fn drift(input: &Input, poses: &[Pose], standing: &[Vec<bool>]) -> FootDrift {
    let mut all = FootDrift::default();
    for (leg, stands) in input.legs().iter().zip(standing) {
        let soles = soles(input, leg, poses);
        let mut from = 0;
        while let Some(start) = (from..poses.len()).find(|&i| stands[i]) {
            from = (start..poses.len()).find(|&i| !stands[i]).unwrap_or(poses.len());
            let away = soles[start..from].iter().map(|sole| sole.distance(soles[start]));
            let worst = away.fold(0.0, f64::max) * input.metres_per_unit;
            all = all.with(FootDrift { worst, mean: worst, stands: 1 });
        }
    }
    all
}

/// Farthest a knee turns from one frame to the next, radians.
pub(super) fn knee_step(input: &Input, poses: &[Pose]) -> f64 {
    let legs = input.legs();
    let turn =
        |pair: &[Pose], joint: usize| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).flat_map(|pair| legs.iter().map(|leg| turn(pair, leg.shin))).fold(0.0, f64::max)
}

/// The same body with the stop clip played by time from its first frame and cross-faded in, nothing matched or held.
fn unmatched(plan: &SegmentPlan, standing: &[Vec<bool>]) -> (Vec<Pose>, Vec<Vec<bool>>) {
    let mut standing = standing.to_vec();
    let contacts = plan.segment.clips.stop.as_ref().map(|stop| stop.standing(plan.segment.input.metres_per_unit));
    let pose = |i: usize| {
        let time = plan.segment.time(i);
        let since = time - plan.segment.profile.stop.begins;
        let mut pose = Pose::default();
        match &plan.segment.clips.stop {
            Some(stop) if since >= 0.0 => {
                stop.source.sample(
                    plan.segment.input.skeleton,
                    plan.segment.carrier,
                    since.min(stop.source.clip.duration),
                    &mut pose,
                );
                let mut moving = Pose::default();
                plan.segment.gait_pose(&plan.frames[i], time, &mut moving);
                super::mix_into(&mut pose, &moving, (1.0 - since / plan.segment.settings.match_time).max(0.0) as f32);
                for (leg, row) in standing.iter_mut().enumerate() {
                    row[i] = contacts.as_ref().is_some_and(|contacts| contacts.at(leg, since));
                }
            }
            _ => plan.segment.gait_pose(&plan.frames[i], time, &mut pose),
        }
        plan.segment.place(i, &mut pose);
        pose
    };
    let poses = (0..plan.frames.len()).map(pose).collect();
    (poses, standing)
}

fn stop(plan: &SegmentPlan, poses: &[Pose]) -> StopReport {
    let stop = &plan.segment.profile.stop;
    let clip = plan.segment.clips.stop.as_ref();
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
        engines,
    }
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
    let skeleton = plan.segment.input.skeleton;
    let last = poses.len().saturating_sub(1) as f64 / plan.segment.settings.fps;
    let time = (last * rate).floor() / rate;
    let place = time * plan.segment.settings.fps;
    let (Some(from), Some(to)) = (poses.get(place.floor() as usize), poses.get(place.ceil() as usize)) else {
        return 0.0;
    };
    let mut pose = from.clone();
    super::mix_into(&mut pose, to, place.fract() as f32);
    let mut still = Pose::default();
    plan.segment.idle_pose(time, &mut still);
    let at = |pose: &Pose| pose.world_from_joint(skeleton, joint).translation;
    let turn = DQuat::from_rotation_y(plan.segment.path.heading(f64::INFINITY) - yaw(plan.segment.carrier.front));
    let goal = plan.segment.path.points.last().copied().unwrap_or_default() / plan.segment.input.metres_per_unit;
    (at(&pose) - turn * at(&still) - goal).with_y(0.0).length() * plan.segment.input.metres_per_unit
}
