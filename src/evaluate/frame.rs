//! One moment, ready to be drawn, plotted or checked: plain data.

use std::sync::Arc;

use glam::{Affine3A, DVec3, Vec3};

use super::{BuiltTake, Content, DynamicsView, Scenery, swing};
use crate::anim::contacts::{ContactLimits, contacts};
use crate::anim::{Leg, Model, Pose, RootKind, root_motion};
use crate::document::{Asset, Loaded};
use crate::media::{ImageInfo, Pixels};
use crate::systems::dynamics::DynamicsRig;
use crate::systems::stretch::PathReport;

/// What is shown at one time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Seconds.
    pub time: f64,
    /// The character.
    pub character: Asset<Loaded>,
    /// Its pose.
    pub pose: Pose,
    /// World place of every joint, in the file's unit.
    pub world: Vec<Affine3A>,
    /// What is seen in place of the posed character, for takes of vertices and images.
    pub shape: Shape,
    /// The level around it, for walks.
    pub scenery: Option<Scenery>,
    /// What stays the same over the whole take.
    pub overlay: Arc<Overlay>,
    /// The take, for plots and numbers; absent for a bare rest pose.
    pub built: Option<Arc<BuiltTake>>,
    /// The dynamic bones, if it has any.
    pub dynamics: Option<DynamicsView>,
}

/// What is seen at one moment. Cloning shares it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shape {
    /// The character in its pose.
    #[default]
    Posed,
    /// The only mesh of the character with its vertices here.
    Vertices {
        /// Positions in the file's unit.
        positions: Arc<[Vec3]>,
        /// Unit normals.
        normals: Arc<[Vec3]>,
    },
    /// The only texture of the character with these pixels.
    Image {
        /// Size and kind of pixels.
        info: ImageInfo,
        /// Rows from the top.
        pixels: Arc<Pixels>,
    },
    /// An image that can no longer be read, and why.
    Unreadable(String),
}

/// Trails, ghosts and handles of a take, in the file's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Paths on the ground and in the air.
    pub trails: Vec<Trail>,
    /// Poses shown beside the character.
    pub ghosts: Vec<Ghost>,
    /// The draggable target, if the take has one.
    pub target: Option<DVec3>,
    /// Whether the target's height counts.
    pub target_has_height: bool,
    /// When each foot stands.
    pub feet: Vec<FootContacts>,
}

/// When a foot stands on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// The joint.
    pub foot: usize,
    /// First and last second of each contact.
    pub spans: Vec<(f64, f64)>,
}

/// A path with a point per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// What it is the path of.
    pub kind: TrailKind,
    /// World positions.
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
    /// Its pose.
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
}

/// The pose of `built` at `time` (seconds) with its overlay; beyond its end a loop goes on, anything else stands still.
pub fn frame_at(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64) -> Frame {
    let (round, within) = round_at(built, time);
    let mut pose = built.clip.pose_at(&built.character.model.skeleton, within);
    if round > 0 {
        carry(built, &mut pose, round);
    }
    let frame = posed(&built.character, pose, time, overlay.clone(), Some(built.clone()));
    Frame { shape: shape_at(&built.content, within), ..frame }
}

/// How often a loop has come round at `time`, and the time within it.
fn round_at(built: &BuiltTake, time: f64) -> (i32, f64) {
    let duration = built.clip.duration;
    if built.looped().is_none() || duration <= 0.0 || time <= duration {
        return (0, time.clamp(0.0, duration));
    }
    let round = (time / duration).floor();
    (round as i32, (time - round * duration).clamp(0.0, duration))
}

/// Goes on from where `round` rounds have brought the root.
fn carry(built: &BuiltTake, pose: &mut Pose, round: i32) {
    let (skeleton, Some(root)) = (&built.character.model.skeleton, built.root) else { return };
    let place = |time: f64| root_motion::world_at(skeleton, &built.clip, root.joint, time);
    let way = place(built.clip.duration) * place(0.0).inverse();
    let local = &mut pose.locals[root.joint];
    let mut carried = local.to_affine_f64();
    let parent = root_motion::parent_at(skeleton, &built.clip, root.joint, 0.0);
    (0..round).for_each(|_| carried = parent.inverse() * way * parent * carried);
    local.translation = carried.translation.as_vec3();
    local.rotation = root_motion::turn_of(&carried).as_quat();
}

fn shape_at(content: &Content, time: f64) -> Shape {
    match content {
        Content::Joints => Shape::Posed,
        Content::Vertices(vertices) => {
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            vertices.sample(time, &mut positions);
            vertices.shading.normals(&positions, &vertices.clip.faces, &mut normals);
            Shape::Vertices { positions: positions.into(), normals: normals.into() }
        }
        Content::Images(images) => match images.sample(time) {
            Ok(pixels) => Shape::Image { info: images.info(), pixels },
            Err(error) => Shape::Unreadable(error.to_string()),
        },
    }
}

/// `pose` as a frame of `built`, before its dynamic bones: their rotations are already in it.
pub fn live_frame(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64, pose: Pose) -> Frame {
    posed(&built.character, pose, time, overlay.clone(), Some(built.clone()))
}

impl Frame {
    /// Adds the bones of `rig`; `animation` is the pose without them.
    pub fn add_dynamics(&mut self, rig: &DynamicsRig, animation: &Pose) {
        let metres_per_unit = self.built.as_ref().map_or(1.0, |built| built.metres_per_unit);
        let animated = &swing::with_animated_joints(rig, &self.pose, animation);
        let skeleton = &self.character.model.skeleton;
        let shown = swing::ShownPose { skeleton, world: &self.world, animated, metres_per_unit };
        self.dynamics = Some(swing::view(rig, &shown));
    }
}

/// A character in its rest pose.
pub fn rest_frame(character: &Asset<Loaded>) -> Frame {
    let pose = Pose::rest(&character.model.skeleton);
    posed(character, pose, 0.0, Arc::default(), None)
}

/// A character in its rest pose within a level, while nothing more is known of its walk.
pub fn scenery_frame(character: &Asset<Loaded>, scenery: Scenery) -> Frame {
    Frame { scenery: Some(scenery), ..rest_frame(character) }
}

fn posed(
    character: &Asset<Loaded>,
    pose: Pose,
    time: f64,
    overlay: Arc<Overlay>,
    built: Option<Arc<BuiltTake>>,
) -> Frame {
    let mut world = Vec::with_capacity(pose.locals.len());
    pose.world_from_joints(&character.model.skeleton, &mut world);
    let scenery = built.as_ref().and_then(|built| Some(built.walked.as_ref()?.ground.scenery.clone()));
    Frame {
        time,
        character: character.clone(),
        pose,
        world,
        shape: Shape::Posed,
        scenery,
        overlay,
        built,
        dynamics: None,
    }
}

/// Trails, ghosts and target of `built`.
pub fn overlay(built: &BuiltTake) -> Overlay {
    let feet = feet(built);
    let Some(stretch) = built.stretch() else {
        return Overlay { feet, trails: travelled(built).into_iter().collect(), ..Overlay::default() };
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
    let end = |kind, clip: &crate::anim::Clip| {
        let skeleton = &built.character.model.skeleton;
        let pose = clip.pose_at(skeleton, clip.duration);
        let mut world = Vec::new();
        pose.world_from_joints(skeleton, &mut world);
        Ghost { kind, pose, world }
    };
    Overlay {
        trails: vec![
            trail(TrailKind::Source, &report.source, calm),
            trail(TrailKind::Result, &report.stretched, report.reversed.clone()),
        ],
        ghosts: vec![end(GhostKind::SourceEnd, &built.source), end(GhostKind::ResultEnd, &built.clip)],
        target: report.windows.last().map(|window| window.target),
        feet,
        target_has_height: built.root.is_some_and(|root| root.kind == RootKind::Root),
    }
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
    f64::from(world[foot].translation.y - model.rest_bounds().0.y)
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
