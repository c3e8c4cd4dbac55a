//! What is drawn beside the character and stays the same over a whole take: trails, ghosts, the target, when feet stand.

use glam::{Affine3A, DVec3};

use super::BuiltTake;
use crate::anim::contacts::{ContactLimits, contacts};
use crate::anim::{Clip, Leg, Model, Pose, RootKind, root_motion};
use crate::systems::stretch::PathReport;

/// Trails, ghosts and handles of a take, in the file's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Paths on the ground and in the air.
    pub trails: Vec<Trail>,
    /// Poses shown beside the character.
    pub ghosts: Vec<Ghost>,
    /// The draggable targets: one per window of the stretch in order of time, or that of the whole clip.
    pub targets: Vec<DVec3>,
    /// Whether the height of targets counts.
    pub target_has_height: bool,
    /// When each foot stands.
    pub feet: Vec<FootContacts>,
    /// Times of the keys of what comes out, seconds: sorted, each once.
    pub key_times: Vec<f64>,
}

/// When a foot stands on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// Index of the foot's joint.
    pub foot: usize,
    /// First and last second of each contact.
    pub spans: Vec<(f64, f64)>,
}

/// A path with a point per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// What it is the path of.
    pub kind: TrailKind,
    /// World positions in the file's unit.
    pub points: Vec<DVec3>,
    /// Seconds of each point.
    pub times: Vec<f64>,
    /// Metres per second at each point.
    pub speeds: Vec<f64>,
    /// Points whose step now runs against the source's.
    pub reversed: Vec<bool>,
}

impl Trail {
    /// The point nearest in time to `now`, seconds.
    pub fn nearest(&self, now: f64) -> Option<usize> {
        let away = |i: &usize| (self.times[*i] - now).abs();
        (0..self.times.len().min(self.points.len())).min_by(|a, b| away(a).total_cmp(&away(b)))
    }
}

/// What a trail is the path of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailKind {
    /// The clip as its file has it.
    Source,
    /// The take's result.
    Result,
}

/// A pose shown beside the character.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// Which moment it shows.
    pub kind: GhostKind,
    /// Local transforms of the character's joints.
    pub pose: Pose,
    /// World place of every joint.
    pub world: Vec<Affine3A>,
}

/// Which moment a ghost shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostKind {
    /// Where the source ends.
    SourceEnd,
    /// Where the result ends.
    ResultEnd,
    /// What comes into a stage, at the same moment.
    BeforeStage,
    /// Where the result was some frames ago.
    Earlier,
    /// Where the result will be in some frames.
    Later,
}

/// Which frames around the playhead are shown beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnionSkins {
    /// Frames from one to the next.
    pub every: u32,
    /// How many on either side.
    pub each_way: u32,
}

/// `built` at every n-th frame before and after `time`, the farthest first; nothing beyond the clip's ends.
pub fn onion_skins(built: &BuiltTake, time: f64, skins: OnionSkins) -> Vec<Ghost> {
    let step = f64::from(skins.every.max(1)) / built.fps;
    let at = |n: u32, way: f64| time + way * f64::from(n) * step;
    let (count, within) = (skins.each_way, -1e-9..=built.clip.duration + 1e-9);
    let moments = (1..=count).rev().flat_map(|n| [(GhostKind::Earlier, at(n, -1.0)), (GhostKind::Later, at(n, 1.0))]);
    let shown = moments.filter(|(_, time)| within.contains(time));
    shown.map(|(kind, time)| ghost(kind, built, &built.clip, time.clamp(0.0, built.clip.duration))).collect()
}

/// The motion that comes into the stage at `index`, at the moment that `built` shows at `time` seconds.
pub fn before_stage(built: &BuiltTake, index: usize, time: f64) -> Ghost {
    let clip = built.before_stage(index);
    let within = built.seconds_in(index, time.min(built.clip.duration)).clamp(0.0, clip.duration);
    ghost(GhostKind::BeforeStage, built, clip, within)
}

fn ghost(kind: GhostKind, built: &BuiltTake, clip: &Clip, time: f64) -> Ghost {
    let skeleton = &built.character.model.skeleton;
    let pose = clip.pose_at(skeleton, time);
    let mut world = Vec::new();
    pose.world_from_joints(skeleton, &mut world);
    Ghost { kind, pose, world }
}

/// Trails, ghosts and target of `built`: those of the stretch at `at` of its stages, else of the first.
pub fn overlay(built: &BuiltTake, at: Option<usize>) -> Overlay {
    let (feet, key_times) = (feet(built), key_times(&built.clip));
    let place = built.stretch_place(at);
    let Some((place, stretch)) = place.and_then(|place| Some((place, built.stretch(Some(place))?))) else {
        return Overlay { feet, key_times, trails: travelled(built).into_iter().collect(), ..Overlay::default() };
    };
    let report = &stretch.report;
    let trail = |kind, path: &PathReport, reversed: Vec<bool>| Trail {
        kind,
        points: path.points.clone(),
        times: report.times.clone(),
        speeds: path.speeds.iter().map(|speed| speed * built.metres_per_unit).collect(),
        reversed,
    };
    let calm = vec![false; report.times.len()];
    let end = |kind, clip: &Clip| ghost(kind, built, clip, clip.duration);
    Overlay {
        trails: vec![
            trail(TrailKind::Source, &report.source, calm),
            trail(TrailKind::Result, &report.stretched, report.reversed.clone()),
        ],
        ghosts: vec![
            end(GhostKind::SourceEnd, built.before_stage(place)),
            end(GhostKind::ResultEnd, &built.stages[place].clip),
        ],
        targets: report.windows.iter().map(|window| window.target).collect(),
        feet,
        target_has_height: built.root.is_some_and(|root| root.kind == RootKind::Root),
        key_times,
    }
}

fn key_times(clip: &Clip) -> Vec<f64> {
    let mut times: Vec<f64> = clip.key_times().flatten().map(|&time| f64::from(time)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Where the character goes in what comes out; `None` where it stays about where it is.
fn travelled(built: &BuiltTake) -> Option<Trail> {
    let (clip, skeleton, root) = (&built.clip, &built.character.model.skeleton, built.root?);
    let times = frame_times(built);
    let place = |&time: &f64| {
        let at = root_motion::world_at(skeleton, clip, root.joint, time).translation;
        if root.kind == RootKind::Root { at } else { DVec3::new(at.x, 0.0, at.z) }
    };
    let points: Vec<DVec3> = times.iter().map(place).collect();
    let first = *points.first()?;
    let farthest = points.iter().map(|point| point.distance(first)).fold(0.0, f64::max);
    // Less than a tenth of the figure is swaying, not going.
    if farthest < 0.1 * root_motion::rig_size(skeleton) {
        return None;
    }
    let step = |i: usize| {
        let before = i.saturating_sub(1);
        let seconds = times[i] - times[before];
        let metres = points[i].distance(points[before]) * built.metres_per_unit;
        if seconds > 0.0 { metres / seconds } else { 0.0 }
    };
    let mut speeds: Vec<f64> = (0..points.len()).map(step).collect();
    if let [first, second, ..] = &mut speeds[..] {
        *first = *second;
    }
    let reversed = vec![false; points.len()];
    Some(Trail { kind: TrailKind::Result, points, times, speeds, reversed })
}

/// Seconds of every frame of what comes out.
fn frame_times(built: &BuiltTake) -> Vec<f64> {
    let frames = (built.clip.duration * built.fps + 1e-6).floor() as usize;
    (0..=frames).map(|frame| frame as f64 / built.fps).collect()
}

/// `place` of a foot as it would be over level ground at height 0, in the file's unit: contacts are told by height. On slopes
/// a foot also comes nearer to the ground below it than it ever stands (`lowest`), which says nothing of the other steps.
fn over_ground(built: &BuiltTake, place: DVec3, lowest: f64) -> DVec3 {
    let Some(walked) = &built.walked else { return place };
    let unit = built.metres_per_unit;
    let height = place.y - walked.ground.height(place * unit).unwrap_or(0.0) / unit;
    DVec3::new(place.x, height.max(lowest), place.z)
}

/// How high `foot` is over the ground where the character stands at rest, in the file's unit.
fn rest_height(model: &Model, foot: usize) -> f64 {
    let mut world = Vec::new();
    Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
    f64::from(world[foot].translation.y - model.rest_bounds().low.y)
}

/// When the feet of what comes out stand; none where the clip has a single frame.
fn feet(built: &BuiltTake) -> Vec<FootContacts> {
    let (clip, skeleton) = (&built.clip, &built.character.model.skeleton);
    let times = frame_times(built);
    if times.len() < 2 {
        return Vec::new();
    }
    let stands = |leg: &Leg| {
        let place = |&time: &f64| root_motion::world_at(skeleton, clip, leg.foot, time).translation;
        let lowest = rest_height(&built.character.model, leg.foot);
        let points: Vec<DVec3> = times.iter().map(place).map(|at| over_ground(built, at, lowest)).collect();
        let ranges = contacts(&points, &times, built.metres_per_unit, &ContactLimits::default());
        let spans = ranges.into_iter().map(|range| (times[range.start], times[range.end - 1])).collect();
        FootContacts { foot: leg.foot, spans }
    };
    built.roles.legs.iter().map(stands).collect()
}
