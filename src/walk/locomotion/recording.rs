//! All frames of a walk: segments and turns in sequence, joined smoothly, with locked feet.
//!
//! Each part begins in the last frame of the previous one; that shared frame belongs to the previous part.

use std::ops::Range;

use glam::DVec3;

use super::body::body_placement::BodyPlacement;
use super::body::pitch::Slopes;
use super::body::{inertialization, lean, pitch};
use super::feet::foot_lock::{self, LockedFeet};
use super::feet::foot_plants::FootContacts;
use super::feet::foot_yaw;
use super::feet::leg_turns::TurnLimits;
use super::segments::plan::RawFrame;
use super::segments::plan::SegmentPlan;
use super::segments::segment::Rig;
use super::segments::turn_in_place::TurnInPlace;
use portamento_anim::Pose;
use portamento_base::progress::{Cancelled, Progress};

/// A part of a walk.
pub(super) enum WalkPart<'a> {
    Segment(Box<SegmentPlan<'a>>),
    Turn(TurnInPlace<'a>),
}

/// A part and its frame range in the whole walk.
pub(super) struct PlacedPart<'a> {
    pub piece: WalkPart<'a>,
    /// Frames from the part's first to its last.
    pub frames: Range<usize>,
}

/// Frames of all parts so far.
#[derive(Default)]
pub(super) struct Recording<'a> {
    pub pieces: Vec<PlacedPart<'a>>,
    pub poses: Vec<Pose>,
    /// Per leg and frame, true if the active clip plants the leg.
    pub standing: Vec<Vec<bool>>,
    /// Position and heading at each frame; headings are unwrapped.
    pub placements: Vec<BodyPlacement>,
    /// Frames at which a stance of another clip begins.
    breaks: Vec<usize>,
    /// Frames at which another clip starts to play.
    switches: Vec<usize>,
    /// Frame ranges of the last steps before a stand.
    last_steps: Vec<Range<usize>>,
}

impl WalkPart<'_> {
    /// Returns the number of the part's frames.
    fn count(&self) -> usize {
        match self {
            Self::Segment(plan) => plan.frames.len(),
            Self::Turn(turn) => turn.count(),
        }
    }

    /// Returns the part's frames before feet are locked.
    fn raw_frames(&self) -> Box<dyn Iterator<Item = RawFrame> + '_> {
        match self {
            Self::Segment(plan) => Box::new(plan.raw_frames()),
            Self::Turn(turn) => Box::new((0..turn.count()).map(|frame| turn.frame(frame))),
        }
    }
    /// Returns the real and the assumed ground height at a world point, world units.
    fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        match self {
            Self::Segment(plan) => plan.ground(frame, point),
            Self::Turn(turn) => turn.ground(point),
        }
    }

    /// Returns the ground slope of the active clips at a frame: metres up per metre forward.
    fn climb(&self, frame: usize) -> f64 {
        match self {
            Self::Segment(plan) => plan.climb(frame),
            Self::Turn(_) => 0.0,
        }
    }
}

impl<'a> Recording<'a> {
    /// Returns the last frame so far, in which the next part begins.
    pub fn last(&self) -> usize {
        self.poses.len().saturating_sub(1)
    }

    /// Adds the frames of `piece`, without its first one if others precede it. Returns `Err` if `progress` is cancelled. Also
    /// adds its breaks, switches and last steps.
    pub fn add(&mut self, piece: WalkPart<'a>, progress: &Progress) -> Result<(), Cancelled> {
        let first = self.last();
        let skip = usize::from(!self.poses.is_empty());
        let count = piece.count();
        for (i, raw) in piece.raw_frames().enumerate().skip(skip) {
            if i % 32 == 0 {
                progress.step(1 + 5 * i / count, 10)?;
            }
            self.standing.resize_with(raw.standing.len(), Vec::new);
            self.standing.iter_mut().zip(&raw.standing).for_each(|(row, planted)| row.push(*planted));
            let before = self.placements.last().map_or(raw.heading, |body| body.heading);
            let heading = before + portamento_anim::root_motion::wrap(raw.heading - before);
            self.placements.push(BodyPlacement { at: raw.position, heading });
            self.poses.push(raw.pose);
        }
        if let WalkPart::Segment(plan) = &piece {
            self.breaks.extend(plan.breaks().into_iter().map(|frame| first + frame));
            self.switches.extend(plan.switches().into_iter().map(|frame| first + frame));
            self.last_steps.extend(plan.last_steps().map(|last| first + last.start..first + last.end));
        }
        if skip == 1 {
            self.switches.push(first + 1);
        }
        self.pieces.push(PlacedPart { piece, frames: first..self.poses.len() });
        Ok(())
    }

    /// Finishes the poses: smooths the switches, pitches and leans the bodies, and locks the feet unless the settings leave
    /// them free.
    pub fn finish(&mut self, rig: Rig) -> LockedFeet {
        let Rig { input, settings, .. } = rig;
        self.switches.sort_unstable();
        self.switches.dedup();
        inertialization::smooth(&mut self.poses, &self.switches, settings.fps);
        let pitches = self.pitch_along_slopes(rig);
        let leans = lean::angles(&self.placements, settings.lean, settings.fps);
        let bodies = &self.placements;
        let lean = |frame: usize, pose: &mut Pose| lean::lean(input, bodies[frame], leans[frame], pose);
        if !settings.lock_feet {
            self.poses.iter_mut().enumerate().for_each(|(frame, pose)| lean(frame, pose));
            return LockedFeet { gaps: vec![0.0; self.poses.len()], standing: self.standing.clone() };
        }
        let anchors: Vec<usize> = self.anchors();
        let headings: Vec<f64> = bodies.iter().map(|body| body.heading).collect();
        foot_yaw::lock(input, &self.standing, &headings, &anchors, &mut self.poses);
        let pieces = &self.pieces;
        let ground = |frame: usize, point: DVec3| {
            let [under_foot, assumed] = ground(pieces, frame, point);
            let ahead = (point - bodies[frame].at / input.metres_per_unit).dot(bodies[frame].ahead());
            [under_foot, assumed + pitch::additional_climb(climb(pieces, frame), pitches[frame]) * ahead]
        };
        let step = |i: usize| (bodies[i].at - bodies[i.saturating_sub(1)].at).with_y(0.0).length();
        let speeds: Vec<f64> = (0..bodies.len()).map(|i| step(i) * settings.fps).collect();
        let contacts = FootContacts {
            speeds: &speeds,
            standing: &self.standing,
            breaks: &self.breaks,
            anchors: &anchors,
            last_steps: &self.last_steps,
            ground: &ground,
        };
        let limits = TurnLimits::of(&self.poses, settings.fps);
        let locked = foot_lock::lock(input, settings, &contacts, &lean, &mut self.poses);
        limits.apply(input, &locked.standing, &mut self.poses);
        locked
    }

    /// Pitches bodies on four legs along the ground and returns the angle at each frame, radians.
    fn pitch_along_slopes(&mut self, rig: Rig) -> Vec<f64> {
        let Rig { input, settings, carrier } = rig;
        let pieces = &self.pieces;
        let height = |frame: usize, point: DVec3| ground(pieces, frame, point)[0];
        let climb = |frame: usize| climb(pieces, frame);
        let slopes = Slopes { placements: &self.placements, ground: &height, climb: &climb, fps: settings.fps };
        let angles = pitch::angles(input, carrier, &slopes);
        for ((pose, body), &angle) in self.poses.iter_mut().zip(&self.placements).zip(&angles) {
            pitch::pitch_body(input, carrier, *body, angle, pose);
        }
        angles
    }

    /// Returns two heights at a world point and frame, in world units: the real ground, and the ground that the active
    /// clips assume.
    pub fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        ground(&self.pieces, frame, point)
    }

    /// Returns the first and the last frame, and the frames where parts meet.
    fn anchors(&self) -> Vec<usize> {
        let mut anchors: Vec<usize> = self.pieces.iter().map(|placed| placed.frames.start).collect();
        anchors.push(self.last());
        anchors.dedup();
        anchors
    }
}
/// Returns the real and the assumed ground height at a world point and frame, world units.
fn ground(pieces: &[PlacedPart], frame: usize, point: DVec3) -> [f64; 2] {
    let placed = part_at(pieces, frame);
    placed.piece.ground(frame - placed.frames.start, point)
}
/// Returns the ground slope of the active clips at a frame: metres up per metre forward.
fn climb(pieces: &[PlacedPart], frame: usize) -> f64 {
    let placed = part_at(pieces, frame);
    placed.piece.climb(frame - placed.frames.start)
}

/// Returns the part that contains a frame.
fn part_at<'a, 'b>(pieces: &'b [PlacedPart<'a>], frame: usize) -> &'b PlacedPart<'a> {
    let piece = pieces.partition_point(|placed| placed.frames.end <= frame).min(pieces.len() - 1);
    &pieces[piece]
}
