//! What was chosen, predicted and measured.

use serde::Serialize;

use super::feet::{Held, soles};
use super::plan::{Plan, Play};
use super::source::{move_body, yaw};
use crate::anim::Pose;
use glam::{DAffine3, DVec3};

/// Everything there is to tell about a walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The clip that stands.
    pub idle: String,
    /// The gaits, slowest first.
    pub gaits: Vec<GaitReport>,
    /// The stop.
    pub stop: StopReport,
    /// Every frame.
    pub frames: Vec<FrameReport>,
    /// Fastest slide of a standing foot during the stop before feet are matched and held, cm/s.
    pub slide_before: f64,
    /// The same in the result, cm/s.
    pub slide_after: f64,
    /// Metres by which a leg fell short of where its foot stands, at worst.
    pub leg_too_short: f64,
    /// Seconds in which the ground passes faster than the fastest gait may be played.
    pub too_fast: f64,
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
    /// Clip time of the entry frame, seconds.
    pub entry_time: f64,
    /// Factor on the stop clip's way; 1 where a frame fits.
    pub stretch: f64,
    /// Metres by which the stop clip's distance curve had to be levelled.
    pub repaired: f64,
    /// Mean distance of hands and feet from the entry pose before each matching step and at the end, metres.
    pub pose_distances: Vec<f64>,
    /// How engines at usual rates would stop.
    pub engines: Vec<EngineStop>,
}

/// A stop begun and stepped on an engine's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineStop {
    /// Steps a second.
    pub rate: f64,
    /// Metres past (or, below 0, short of) the goal when the closed form says when to brake.
    pub by_closed_form: f64,
    /// The same when the engine's own steps predict.
    pub by_own_steps: f64,
    /// Metres between the recorded root and the goal at the last frame of this rate.
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
    /// The clip with the largest share.
    pub clip: String,
    /// Its share, 0…1.
    pub share: f64,
    /// How fast the gaits play against their own speed.
    pub rate: f64,
    /// Whether that rate was held at its limit.
    pub limited: bool,
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
    let worst = |of: fn(&FrameReport) -> f64| frames.iter().filter(stopping).map(of).fold(0.0, f64::max);
    let gaits = plan.cast.gaits.iter().map(|gait| GaitReport {
        clip: gait.source.clip.name.clone(),
        speed: gait.speed(),
        stride: gait.stride,
        in_place: !gait.source.travels(),
    });
    Report {
        idle: plan.cast.idle.clip.name.clone(),
        gaits: gaits.collect(),
        stop: stop(plan, after),
        slide_before: worst(|frame| frame.slide_before),
        slide_after: worst(|frame| frame.slide_after),
        leg_too_short: gaps.iter().copied().fold(0.0, f64::max),
        too_fast: frames.iter().filter(|frame| frame.limited).count() as f64 / plan.settings.fps,
        frames,
    }
}

fn frame(plan: &Plan, i: usize, [slide_before, slide_after, leg_too_short]: [f64; 3]) -> FrameReport {
    let time = plan.time(i);
    let (place, speed) = plan.motion.at(time);
    let mix = &plan.steps[i].mix;
    let idle = &plan.cast.idle.clip.name;
    let gait = |gait: usize| &plan.cast.gaits[gait].source.clip.name;
    let (clip, share, stop_time) = match (plan.play(i), &plan.cast.stop) {
        (Play::Stop(_, rest), _) if rest > 0.5 => (idle, rest, None),
        (Play::Stop(at, rest), Some(stop)) => (&stop.source.clip.name, 1.0 - rest, Some(at)),
        _ if mix.weight >= 0.5 => (gait(mix.high), mix.weight, None),
        _ => (mix.low.map_or(idle, gait), 1.0 - mix.weight, None),
    };
    let moves = stop_time.is_none() && speed > 0.0;
    FrameReport {
        time,
        speed,
        remaining: plan.motion.stop.goal - place,
        clip: clip.clone(),
        share,
        rate: mix.rate,
        limited: mix.limited && moves,
        stop_time,
        slide_before,
        slide_after,
        leg_too_short,
    }
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
    let engine = |rate: f64| EngineStop {
        rate,
        by_closed_form: stepped_error(plan, rate, |speed| plan.settings.braking.distance(speed)),
        by_own_steps: stepped_error(plan, rate, |speed| plan.settings.braking.stepped_distance(speed, rate)),
        recorded: recorded_error(plan, poses, rate),
    };
    StopReport {
        clip: clip.map(|clip| clip.source.clip.name.clone()),
        speed: stop.speed,
        predicted: stop.goal - stop.place,
        begins: stop.begins,
        ends: stop.ends,
        entry_time: entry.map_or(0.0, |entry| entry.time),
        stretch: entry.map_or(1.0, |entry| entry.stretch),
        repaired: clip.map_or(0.0, |clip| clip.curve.repaired),
        pose_distances: entry.map_or_else(Vec::new, |entry| entry.pose_match.distances.clone()),
        engines: [30.0, 60.0, 120.0].map(engine).to_vec(),
    }
}

/// Metres past the goal when an engine at `rate` begins to brake in the first frame in which the predicted way is left or less.
fn stepped_error(plan: &Plan, rate: f64, predicted: impl Fn(f64) -> f64) -> f64 {
    let stop = &plan.motion.stop;
    // Both predictions lie within a few frames of each other; before the stop the profile is the plan's, at it the speed is kept.
    let begin = (stop.begins * rate).floor() as i64 - 2;
    let at = |frame: i64| {
        let time = frame.max(0) as f64 / rate;
        let late = (time - stop.begins).max(0.0);
        let (place, speed) = plan.motion.at(time.min(stop.begins));
        (place + speed * late, speed)
    };
    let due = |&(place, speed): &(f64, f64)| predicted(speed) >= stop.goal - place;
    let (place, speed) = (begin..begin + 20).map(at).find(due).unwrap_or((stop.place, stop.speed));
    place + plan.settings.braking.stepped_distance(speed, rate) - stop.goal
}

/// Metres between the recorded root and the goal in the ground plane, at the first frame of `rate` after the stop.
fn recorded_error(plan: &Plan, poses: &[Pose], rate: f64) -> f64 {
    let Some(root) = plan.carrier.root else { return 0.0 };
    let skeleton = plan.input.skeleton;
    let time = (plan.motion.stop.ends * rate).ceil() / rate;
    let frame = ((time * plan.settings.fps).round() as usize).min(poses.len().saturating_sub(1));
    let Some(pose) = poses.get(frame) else { return 0.0 };
    let mut still = Pose::rest(skeleton);
    // Where the root stands over the spot in what plays, brought to the goal by the plan's own numbers.
    let over = over_spot(plan, frame, root.joint);
    still.locals[root.joint] = over;
    let goal = plan.course.place(plan.motion.stop.goal) / plan.input.metres_per_unit;
    let heading = plan.course.heading(plan.motion.stop.goal) - yaw(plan.carrier.front);
    let shift = DAffine3::from_translation(goal) * DAffine3::from_rotation_y(heading);
    move_body(skeleton, &plan.carrier, &shift, &mut still);
    let at = |pose: &Pose| pose.world_from_joint(skeleton, root.joint).translation;
    let off: DVec3 = at(pose) - at(&still);
    off.with_y(0.0).length() * plan.input.metres_per_unit
}

/// The root over the spot at a frame: the rest place where the clips keep it there.
fn over_spot(plan: &Plan, frame: usize, joint: usize) -> crate::math::Transform {
    let mut pose = Pose::rest(plan.input.skeleton);
    match (plan.play(frame), &plan.cast.stop) {
        (Play::Stop(time, _), Some(stop)) => stop.source.sample(plan.input.skeleton, &plan.carrier, time, &mut pose),
        _ => plan.cast.idle.sample(plan.input.skeleton, &plan.carrier, 0.0, &mut pose),
    }
    pose.locals[joint]
}
