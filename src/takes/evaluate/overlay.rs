//! Graphics that are constant over a take: trails, ghosts, targets and foot contacts.

use std::sync::Arc;

use glam::{Affine3A, DVec3};

use super::BuiltTake;
use super::foot_contacts::FootContacts;
use portamento_anim::{Clip, Pose, RootKind, root_motion};
use portamento_stretch::PathReport;

/// Trails, ghosts and handles of a take, in the file's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Paths on the ground and in the air.
    pub trails: Vec<Trail>,
    /// Poses drawn in addition to the character.
    pub ghosts: Vec<Ghost>,
    /// The draggable targets: one per window of the stretch in time order, or one for the full clip.
    pub targets: Vec<DVec3>,
    /// True if the height of targets is used.
    pub target_has_height: bool,
    /// Outlines of the obstacle that is crossed; its handles are the targets.
    pub outlines: Vec<Vec<DVec3>>,
    /// Contact intervals of each foot; empty for a single pose.
    pub feet: Vec<FootContacts>,
    /// Key times of the output in seconds, sorted, each once.
    pub key_times: Arc<[f64]>,
}

/// A path with one point per frame, or fewer if the frames are many and close together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// The motion shown by the path.
    pub kind: TrailKind,
    /// World positions in the file's unit.
    pub points: Vec<DVec3>,
    /// Seconds of each point.
    pub times: Vec<f64>,
    /// Metres per second at each point.
    pub speeds: Vec<f64>,
    /// True for points whose step is opposite to the step of the source.
    pub reversed: Vec<bool>,
}

/// Maximum number of points of a trail. Its lines and dots are projected in every displayed frame: 8 000 take about 1.5 ms.
const MAX_TRAIL_POINTS: usize = 8_000;

impl Trail {
    /// Removes points that are close together along the path, if there are more than [`MAX_TRAIL_POINTS`]. A point is reversed if
    /// one of the removed points before it is.
    fn thinned(self) -> Self {
        if self.points.len() <= MAX_TRAIL_POINTS {
            return self;
        }
        let step = |i: usize| self.points[i].distance(self.points[i - 1]);
        let length: f64 = (1..self.points.len()).map(step).sum();
        let spacing = (length / (MAX_TRAIL_POINTS - 2) as f64).max(f64::MIN_POSITIVE);
        let mut thin = Self { kind: self.kind, ..Self::default() };
        let (mut since_last, mut is_reversed) = (spacing, false);
        for i in 0..self.points.len() {
            since_last += if i > 0 { step(i) } else { 0.0 };
            is_reversed |= self.reversed[i];
            if since_last >= spacing || i + 1 == self.points.len() {
                thin.points.push(self.points[i]);
                thin.times.push(self.times[i]);
                thin.speeds.push(self.speeds[i]);
                thin.reversed.push(is_reversed);
                (since_last, is_reversed) = (0.0, false);
            }
        }
        thin
    }

    /// Returns the index of the point nearest in time to `now`, seconds. `None` without points.
    pub fn nearest(&self, now: f64) -> Option<usize> {
        let time_distance = |i: &usize| (self.times[*i] - now).abs();
        (0..self.times.len().min(self.points.len())).min_by(|a, b| time_distance(a).total_cmp(&time_distance(b)))
    }
}

/// The motion shown by a trail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailKind {
    /// The source clip.
    Source,
    /// The result of the take.
    #[default]
    Result,
}

/// A pose drawn in addition to the character.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// The moment shown.
    pub kind: GhostKind,
    /// Local transforms of the character's joints.
    pub pose: Pose,
    /// World transform of every joint.
    pub world: Vec<Affine3A>,
}

/// The moment shown by a ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostKind {
    /// The end of the source.
    SourceEnd,
    /// The end of the result.
    ResultEnd,
    /// The input of a stage at the same moment.
    BeforeStage,
    /// The result some frames earlier.
    Earlier,
    /// The result some frames later.
    Later,
}

/// Settings of onion skinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnionSkins {
    /// Frames between two ghosts.
    pub every: u32,
    /// Number of ghosts before and after the playhead.
    pub ghosts_per_side: u32,
}

/// Returns ghosts of `built` at every n-th frame before and after `time`, farthest first, within the clip. `time` is in
/// seconds of the output.
pub fn onion_skins(built: &BuiltTake, time: f64, skins: OnionSkins) -> Vec<Ghost> {
    let step = f64::from(skins.every.max(1)) / built.fps;
    let at = |n: u32, sign: f64| time + sign * f64::from(n) * step;
    let (count, within) = (skins.ghosts_per_side, -1e-9..=built.clip.duration + 1e-9);
    let moments = (1..=count).rev().flat_map(|n| [(GhostKind::Earlier, at(n, -1.0)), (GhostKind::Later, at(n, 1.0))]);
    let shown = moments.filter(|(_, time)| within.contains(time));
    shown.map(|(kind, time)| ghost(kind, built, &built.clip, time.clamp(0.0, built.clip.duration))).collect()
}

/// Returns the input of the stage at `index`, at the moment that `built` shows at `time` seconds. `index` counts the active
/// stages from 0.
pub fn before_stage(built: &BuiltTake, index: usize, time: f64) -> Ghost {
    let clip = built.before_stage(index);
    let within = built.input_time(index, time.min(built.clip.duration)).clamp(0.0, clip.duration);
    ghost(GhostKind::BeforeStage, built, clip, within)
}

/// Returns the pose of `clip` at `time` (seconds) as a ghost. World transforms are in the file's unit.
fn ghost(kind: GhostKind, built: &BuiltTake, clip: &Clip, time: f64) -> Ghost {
    let skeleton = &built.character.model.skeleton;
    let pose = clip.pose_at(skeleton, time);
    let mut world = Vec::new();
    pose.world_from_joints(skeleton, &mut world);
    Ghost { kind, pose, world }
}

/// Returns the overlay of `built`, with the handles of the stretch or crossing at stage index `index`, if there is one. Trails
/// and ghosts are those of this stretch, or else the travel of the output alone.
pub(super) fn overlay(built: &BuiltTake, index: Option<usize>) -> Overlay {
    let feet = if built.clip.duration > 0.0 { built.foot_contacts(&built.clip) } else { Vec::new() };
    let key_times = built.clip.distinct_key_times().into_iter().map(f64::from).collect();
    let Some((stretched, stretch)) =
        index.and_then(|index| built.is_stretch(index).then(|| Some((index, built.stretch(Some(index))?)))?)
    else {
        let trails = travel_trail(built).into_iter().collect();
        let crossed = index.and_then(|index| built.crossed(index));
        let in_unit = |point: DVec3| point / built.metres_per_unit;
        let outline = |line: Vec<DVec3>| line.into_iter().map(in_unit).collect();
        return Overlay {
            feet,
            key_times,
            trails,
            targets: crossed.map(|crossed| crossed.handles.iter().copied().map(in_unit).collect()).unwrap_or_default(),
            target_has_height: crossed.is_some(),
            outlines: crossed.map(|crossed| crossed.outlines().into_iter().map(outline).collect()).unwrap_or_default(),
            ..Overlay::default()
        };
    };
    let report = &stretch.report;
    let played = || report.times.iter().map(|&time| stretch.map.as_ref().map_or(time, |map| map.at(time))).collect();
    let trail = |kind, path: &PathReport, reversed: Vec<bool>| {
        let speeds = path.speeds.iter().map(|speed| speed * built.metres_per_unit).collect();
        Trail { kind, points: path.points.clone(), times: played(), speeds, reversed }.thinned()
    };
    let not_reversed = vec![false; report.times.len()];
    let end = |kind, clip: &Clip| ghost(kind, built, clip, clip.duration);
    Overlay {
        trails: vec![
            trail(TrailKind::Source, &report.source, not_reversed),
            trail(TrailKind::Result, &report.stretched, report.reversed.clone()),
        ],
        ghosts: vec![
            end(GhostKind::SourceEnd, built.before_stage(stretched)),
            end(GhostKind::ResultEnd, &built.stages[stretched].clip),
        ],
        targets: report.windows.iter().map(|window| window.target).collect(),
        feet,
        target_has_height: built.root.is_some_and(|root| root.kind == RootKind::Root),
        outlines: Vec::new(),
        key_times,
    }
}

/// Returns the trail of the output; `None` if the character stays in place.
fn travel_trail(built: &BuiltTake) -> Option<Trail> {
    let (clip, skeleton, root) = (&built.clip, &built.character.model.skeleton, built.root?);
    let times = frame_times(built);
    let position = |&time: &f64| {
        let at = root_motion::world_at(skeleton, clip, root.joint, time).translation;
        if root.kind == RootKind::Root { at } else { DVec3::new(at.x, 0.0, at.z) }
    };
    let points: Vec<DVec3> = times.iter().map(position).collect();
    let first = *points.first()?;
    let farthest = points.iter().map(|point| point.distance(first)).fold(0.0, f64::max);
    // Less than a tenth of the rig size is swaying, not travel. Tuned; no derivation recorded.
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
    Some(Trail { kind: TrailKind::Result, points, times, speeds, reversed }.thinned())
}

/// Returns the time of every output frame, seconds.
fn frame_times(built: &BuiltTake) -> Vec<f64> {
    let frames = (built.clip.duration * built.fps + 1e-6).floor() as usize;
    (0..=frames).map(|frame| frame as f64 / built.fps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trail_has_fewer_points_on_the_same_path() {
        let count = 3 * MAX_TRAIL_POINTS;
        // A circle of 4 m, 30 rounds, with a rest in the middle.
        let angle = |i: usize| {
            60.0 * std::f64::consts::PI * (i.min(count / 3) + i.saturating_sub(count / 2)) as f64 / count as f64
        };
        let points: Vec<DVec3> = (0..count).map(|i| 4.0 * DVec3::new(angle(i).cos(), 0.0, angle(i).sin())).collect();
        let mut reversed = vec![false; count];
        reversed[100] = true;
        let times = (0..count).map(|i| i as f64 / 120.0).collect();
        let thin = Trail { kind: TrailKind::Result, points: points.clone(), times, speeds: vec![1.0; count], reversed };
        let thin = thin.thinned();
        assert!((MAX_TRAIL_POINTS / 2..=MAX_TRAIL_POINTS).contains(&thin.points.len()), "{}", thin.points.len());
        assert_eq!([thin.points[0], *thin.points.last().unwrap()], [points[0], points[count - 1]]);
        assert!(thin.points.iter().all(|point| (point.length() - 4.0).abs() < 1e-9));
        let far = thin.points.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
        assert!(far < 0.25, "{far}");
        assert_eq!(thin.reversed.iter().filter(|reversed| **reversed).count(), 1);
    }

    #[test]
    fn a_trail_without_travel_keeps_its_ends() {
        let count = 2 * MAX_TRAIL_POINTS;
        let times: Vec<f64> = (0..count).map(|i| i as f64).collect();
        let still = Trail {
            points: vec![DVec3::X; count],
            times,
            speeds: vec![0.0; count],
            reversed: vec![false; count],
            ..Trail::default()
        };
        assert_eq!(still.thinned().times, [0.0, (count - 1) as f64]);
    }
}
