//! What was chosen, predicted and measured.

use serde::Serialize;

use super::Braking;
use super::feet::{Held, soles};
use super::plan::{Plan, Play};
use super::source::yaw;
use crate::anim::Pose;
use crate::math::arc_length::cumulative;
use crate::math::mean::angle_between;
use glam::{DQuat, DVec3};

/// Everything there is to tell about a walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The clip that stands.
    pub idle: String,
    /// The gaits, slowest first.
    pub gaits: Vec<GaitReport>,
    /// The clip that sets the character going; `None` where the gaits do.
    pub start: Option<String>,
    /// The stop.
    pub stop: StopReport,
    /// What plays from when to when.
    pub plan: Vec<Part>,
    /// Every frame.
    pub frames: Vec<FrameReport>,
    /// Fastest slide of a standing foot during the stop before feet are matched and held, cm/s.
    pub slide_before: f64,
    /// The same in the result, cm/s.
    pub slide_after: f64,
    /// Fastest slide of a standing foot on the way to the stop, cm/s.
    pub slide_walking: f64,
    /// Farthest a knee turns from one frame to the next, radians.
    pub knee_step: f64,
    /// Metres by which a leg fell short of where its foot stands, at worst.
    pub leg_too_short: f64,
    /// Seconds in which the ground passes faster than the fastest gait may be played.
    pub too_fast: f64,
    /// Seconds on slopes that no gait is for.
    pub off_slopes: f64,
}

/// A stretch of time in which one clip leads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// The clip.
    pub clip: String,
    /// Seconds.
    pub begins: f64,
    /// Seconds.
    pub ends: f64,
    /// Steepest slope along the way in it, degrees, uphill above 0.
    pub slope: f64,
}

/// One gait as measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GaitReport {
    /// The clip's name.
    pub clip: String,
    /// Metres per second over the ground.
    pub speed: f64,
    /// Metres of one cycle.
    pub stride: f64,
    /// Slopes it is for, degrees along the way, uphill above 0.
    pub slope: [f64; 2],
    /// Degrees its own way rises.
    pub rise: f64,
    /// Whether the clip walks on the spot, its speed being read from its feet.
    pub in_place: bool,
}

/// The stop as predicted and made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StopReport {
    /// The clip; `None` where the gaits slow down into standing.
    pub clip: Option<String>,
    /// Speed when braking begins, m/s.
    pub speed: f64,
    /// Metres from there to rest, as predicted.
    pub predicted: f64,
    /// Seconds when braking begins.
    pub begins: f64,
    /// Seconds when the character rests.
    pub ends: f64,
    /// Clip time of the entry frame, seconds; `None` without a stop clip.
    pub entry_time: Option<f64>,
    /// Factor on the stop clip's way; 1 where a frame fits.
    pub stretch: f64,
    /// Metres by which the stop clip's distance curve had to be levelled.
    pub repaired: f64,
    /// Mean distance of hands and feet from the entry pose before each matching step and at the end, metres.
    pub pose_distances: Vec<f64>,
    /// How engines at usual rates would stop.
    pub engines: Vec<EngineStop>,
}

/// A stop begun and stepped on an engine's frames, from the place and speed of the recorded root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineStop {
    /// Steps a second.
    pub rate: f64,
    /// Metres past (or, below 0, short of) the recorded end when the closed form says on which frame to brake.
    pub by_closed_form: f64,
    /// The same when the engine's own steps predict.
    pub by_own_steps: f64,
    /// Metres between the recorded root and the goal of the way at the last frame of this rate.
    pub recorded: f64,
}

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameReport {
    /// Seconds.
    pub time: f64,
    /// Metres per second.
    pub speed: f64,
    /// Metres left to the goal.
    pub remaining: f64,
    /// Degrees by which the way rises.
    pub slope: f64,
    /// Whether no gait is for that slope.
    pub off_slopes: bool,
    /// The clip with the largest share.
    pub clip: String,
    /// Its share, 0…1.
    pub share: f64,
    /// How fast the gaits play against their own speed.
    pub rate: f64,
    /// Whether that rate was held at its limit.
    pub limited: bool,
    /// Clip time of the start clip, seconds.
    pub start_time: Option<f64>,
    /// Clip time of the stop clip, seconds.
    pub stop_time: Option<f64>,
    /// Fastest slide of a standing foot without matching and holding, cm/s.
    pub slide_before: f64,
    /// The same in the result, cm/s.
    pub slide_after: f64,
    /// Metres by which a leg fell short of where its foot stands.
    pub leg_too_short: f64,
}

/// Measures the finished frames.
pub(super) fn measure(plan: &Plan, standing: &[Vec<bool>], after: &[Pose], held: &Held) -> Report {
    let (plain, plain_standing) = unmatched(plan, standing);
    let before = slides(plan, &plain, &plain_standing);
    let steady = slides(plan, after, &held.standing);
    let gaps = &held.gaps;
    let frames: Vec<FrameReport> = (0..after.len()).map(|i| frame(plan, i, [before[i], steady[i], gaps[i]])).collect();
    let stopping = |frame: &&FrameReport| frame.time >= plan.motion.stop.begins;
    let walking = frames.iter().filter(|frame| !stopping(frame)).map(|frame| frame.slide_after);
    let worst = |of: fn(&FrameReport) -> f64| frames.iter().filter(stopping).map(of).fold(0.0, f64::max);
    let gaits = plan.cast.gaits.iter().map(|gait| GaitReport {
        clip: gait.source.clip.name.clone(),
        speed: gait.speed(),
        stride: gait.stride,
        slope: gait.slope,
        rise: gait.source.climb.atan().to_degrees(),
        in_place: !gait.source.travels(),
    });
    Report {
        idle: plan.cast.idle.clip.name.clone(),
        gaits: gaits.collect(),
        start: plan.first_steps.and(plan.cast.start.as_ref()).map(|start| start.source.clip.name.clone()),
        stop: stop(plan, after),
        slide_before: worst(|frame| frame.slide_before),
        slide_after: worst(|frame| frame.slide_after),
        slide_walking: walking.fold(0.0, f64::max),
        knee_step: knee_step(plan, after),
        leg_too_short: gaps.iter().copied().fold(0.0, f64::max),
        too_fast: frames.iter().filter(|frame| frame.limited).count() as f64 / plan.settings.fps,
        off_slopes: frames.iter().filter(|frame| frame.off_slopes).count() as f64 / plan.settings.fps,
        plan: parts(&frames),
        frames,
    }
}

fn frame(plan: &Plan, i: usize, [slide_before, slide_after, leg_too_short]: [f64; 3]) -> FrameReport {
    let time = plan.time(i);
    let (place, speed) = plan.motion.at(time);
    let step = &plan.steps[i];
    let mix = if step.fade > 0.5 { &step.before } else { &step.mix };
    let idle = &plan.cast.idle.clip.name;
    let gait = |gait: usize| &plan.cast.gaits[gait].source.clip.name;
    let play = plan.play(i);
    let start = plan.cast.start.as_ref().map_or(idle, |start| &start.source.clip.name);
    let (clip, share, stop_time) = match (play, &plan.cast.stop) {
        (Play::Start(_, gait), _) if gait < 0.5 => (start, 1.0 - gait, None),
        (Play::Stop(_, rest), _) if rest > 0.5 => (idle, rest, None),
        (Play::Stop(at, rest), Some(stop)) => (&stop.source.clip.name, 1.0 - rest, Some(at)),
        _ if mix.weight >= 0.5 => (gait(mix.high), mix.weight, None),
        _ => (mix.low.map_or(idle, gait), 1.0 - mix.weight, None),
    };
    let start_time = match play {
        Play::Start(at, _) => Some(at),
        _ => None,
    };
    let slope = plan.course.slope(place);
    let moves = stop_time.is_none() && start_time.is_none() && speed > 0.0;
    FrameReport {
        time,
        speed,
        remaining: plan.motion.stop.goal - place,
        slope,
        off_slopes: moves && plan.cast.slopes.iter().all(|set| set.beyond(slope) > 0.0),
        clip: clip.clone(),
        share,
        rate: mix.rate,
        limited: mix.limited && moves,
        start_time,
        stop_time,
        slide_before,
        slide_after,
        leg_too_short,
    }
}

/// Runs of frames with the same leading clip.
fn parts(frames: &[FrameReport]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for frame in frames {
        match parts.last_mut().filter(|part| part.clip == frame.clip) {
            Some(part) => {
                part.ends = frame.time;
                part.slope = if frame.slope.abs() > part.slope.abs() { frame.slope } else { part.slope };
            }
            None => {
                parts.iter_mut().last().into_iter().for_each(|part| part.ends = frame.time);
                let (begins, ends) = (frame.time, frame.time);
                parts.push(Part { clip: frame.clip.clone(), begins, ends, slope: frame.slope });
            }
        }
    }
    parts
}

/// Fastest horizontal move of a standing sole into each frame, cm/s.
fn slides(plan: &Plan, poses: &[Pose], standing: &[Vec<bool>]) -> Vec<f64> {
    let mut worst = vec![0.0_f64; poses.len()];
    for (leg, stands) in plan.input.legs().iter().zip(standing) {
        let soles = soles(plan.input, leg, poses);
        for i in (1..poses.len()).filter(|&i| stands[i] && stands[i - 1]) {
            let step = (soles[i] - soles[i - 1]).with_y(0.0).length() * plan.input.metres_per_unit;
            worst[i] = worst[i].max(step * plan.settings.fps * 100.0);
        }
    }
    worst
}

fn knee_step(plan: &Plan, poses: &[Pose]) -> f64 {
    let legs = plan.input.legs();
    let turn =
        |pair: &[Pose], joint: usize| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).flat_map(|pair| legs.iter().map(|leg| turn(pair, leg.shin))).fold(0.0, f64::max)
}

/// The same body with the stop clip played by time from its first frame and cross-faded in, nothing matched or held.
fn unmatched(plan: &Plan, standing: &[Vec<bool>]) -> (Vec<Pose>, Vec<Vec<bool>>) {
    let mut standing = standing.to_vec();
    let contacts = plan.cast.stop.as_ref().map(|stop| stop.standing(plan.input.metres_per_unit));
    let pose = |i: usize| {
        let time = plan.time(i);
        let since = time - plan.motion.stop.begins;
        let mut pose = Pose::default();
        match &plan.cast.stop {
            Some(stop) if since >= 0.0 => {
                stop.source.sample(plan.input.skeleton, &plan.carrier, since.min(stop.source.clip.duration), &mut pose);
                let mut moving = Pose::default();
                plan.gait_pose(&plan.steps[i], time, &mut moving);
                super::mix_into(&mut pose, &moving, (1.0 - since / plan.settings.match_time).max(0.0) as f32);
                for (leg, row) in standing.iter_mut().enumerate() {
                    row[i] = contacts.as_ref().is_some_and(|contacts| contacts.at(leg, since));
                }
            }
            _ => plan.gait_pose(&plan.steps[i], time, &mut pose),
        }
        plan.place(i, &mut pose);
        pose
    };
    let poses = (0..plan.steps.len()).map(pose).collect();
    (poses, standing)
}

fn stop(plan: &Plan, poses: &[Pose]) -> StopReport {
    let stop = &plan.motion.stop;
    let clip = plan.cast.stop.as_ref();
    let entry = plan.entry.as_ref();
    let law = plan.settings.braking;
    let engines = plan.carrier.root.map_or_else(Vec::new, |root| {
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
        stretch: entry.map_or(1.0, |entry| entry.stretch),
        repaired: clip.map_or(0.0, |clip| clip.curve.repaired),
        pose_distances: entry.map_or_else(Vec::new, |entry| entry.pose_match.distances.clone()),
        engines,
    }
}

/// The way of the recorded root over the ground, as an engine sees it.
struct Recorded {
    /// Metres from the first frame, at every frame.
    lengths: Vec<f64>,
    fps: f64,
}

impl Recorded {
    fn new(plan: &Plan, poses: &[Pose], joint: usize) -> Self {
        let unit = plan.input.metres_per_unit;
        let place = |pose: &Pose| pose.world_from_joint(plan.input.skeleton, joint).translation.with_y(0.0) * unit;
        let places: Vec<DVec3> = poses.iter().map(place).collect();
        Self { lengths: cumulative(&places), fps: plan.settings.fps }
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
fn recorded_error(plan: &Plan, poses: &[Pose], joint: usize, rate: f64) -> f64 {
    let skeleton = plan.input.skeleton;
    let last = poses.len().saturating_sub(1) as f64 / plan.settings.fps;
    let time = (last * rate).floor() / rate;
    let place = time * plan.settings.fps;
    let (Some(from), Some(to)) = (poses.get(place.floor() as usize), poses.get(place.ceil() as usize)) else {
        return 0.0;
    };
    let mut pose = from.clone();
    super::mix_into(&mut pose, to, place.fract() as f32);
    let mut still = Pose::default();
    let idle = &plan.cast.idle;
    idle.sample(skeleton, &plan.carrier, time.rem_euclid(idle.clip.duration.max(1e-3)), &mut still);
    let at = |pose: &Pose| pose.world_from_joint(skeleton, joint).translation;
    let turn = DQuat::from_rotation_y(plan.course.heading(f64::INFINITY) - yaw(plan.carrier.front));
    let goal = plan.course.points.last().copied().unwrap_or_default() / plan.input.metres_per_unit;
    (at(&pose) - turn * at(&still) - goal).with_y(0.0).length() * plan.input.metres_per_unit
}
