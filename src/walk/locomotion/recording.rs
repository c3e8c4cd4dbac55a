//! All frames of a walk: segments and turns in sequence, joined smoothly, with locked feet.
//!
//! Each part begins in the last frame of the previous one; that shared frame belongs to the previous part.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::body::body_placement::BodyPlacement;
use super::body::pitch::Slopes;
use super::body::{inertialization, lean, pitch};
use super::feet::foot_lock::{self, LockedFeet};
use super::feet::foot_plants::FootContacts;
use super::feet::foot_yaw;
use super::feet::leg_turns::TurnLimits;
use super::segments::crossing_part::CrossingPart;
use super::segments::plan::RawFrame;
use super::segments::plan::SegmentPlan;
use super::segments::segment::Rig;
use super::segments::turn_in_place::TurnInPlace;
use portamento_anim::Pose;
use portamento_anim::foot_place::leg_positions;
use portamento_anim::math::easing::Easing;
use portamento_base::progress::{Cancelled, Progress};

/// Height above its lowest stand below which a foot has landed after a crossing, leg lengths. Tuned.
const LANDED_MAX_LEGS: f64 = 0.06;

/// A part of a walk.
pub(super) enum WalkPart<'a> {
    Segment(Box<SegmentPlan<'a>>),
    Turn(TurnInPlace<'a>),
    Crossing(CrossingPart<'a>),
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
            Self::Crossing(part) => part.times.len(),
        }
    }

    /// Returns the part's frames before feet are locked.
    fn raw_frames(&self) -> Box<dyn Iterator<Item = RawFrame> + '_> {
        match self {
            Self::Segment(plan) => Box::new(plan.raw_frames()),
            Self::Turn(turn) => Box::new((0..turn.count()).map(|frame| turn.frame(frame))),
            Self::Crossing(part) => Box::new((0..part.times.len()).map(|frame| part.frame(frame))),
        }
    }
    /// Returns the real and the assumed ground height at a world point, world units.
    fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        match self {
            Self::Segment(plan) => plan.ground(frame, point),
            Self::Turn(turn) => turn.ground(point),
            Self::Crossing(part) => part.ground(frame, point),
        }
    }

    /// Returns the ground slope of the active clips at a frame: metres up per metre forward.
    fn climb(&self, frame: usize) -> f64 {
        match self {
            Self::Segment(plan) => plan.climb(frame),
            Self::Turn(_) | Self::Crossing(_) => 0.0,
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
    /// them free. Crossings are only smoothed.
    pub fn finish(&mut self, rig: Rig) -> LockedFeet {
        let Rig { input, settings, .. } = rig;
        self.switches.sort_unstable();
        self.switches.dedup();
        let landings: Vec<usize> = self.crossings().map(|frames| frames.end).collect();
        self.switches.retain(|switch| !landings.contains(switch));
        inertialization::smooth(&mut self.poses, &self.switches, settings.fps);
        inertialization::join(&mut self.poses, &landings, settings.fps);
        let shares = self.walking_shares(settings.fps);
        let pitches = self.pitch_along_slopes(rig, &shares);
        let mut leans = lean::angles(&self.placements, settings.lean, settings.fps);
        leans.iter_mut().zip(&shares).for_each(|(lean, share)| *lean *= share);
        let bodies = &self.placements;
        let mut locked = LockedFeet { gaps: vec![0.0; self.poses.len()], standing: self.standing.clone() };
        if !settings.lock_feet {
            let lean = |(frame, pose): (usize, &mut Pose)| lean::lean(input, bodies[frame], leans[frame], pose);
            self.poses.iter_mut().enumerate().for_each(lean);
            return locked;
        }
        let joints: Vec<usize> = self.crossings().map(|frames| frames.start + 1).collect();
        self.stand_from_landings(input);
        for frames in self.walked() {
            let begin = self.poses[frames.start].clone();
            let stretch = self.lock_feet(rig, frames.clone(), [&pitches, &leans, &shares]);
            if frames.start > 0 {
                // The range begins in the last frame of a crossing.
                inertialization::begin_in(&begin, &mut self.poses[frames.clone()], 0, settings.fps);
            }
            locked.gaps[frames.clone()].copy_from_slice(&stretch.gaps);
            for (row, planted) in locked.standing.iter_mut().zip(&stretch.standing) {
                row[frames.clone()].copy_from_slice(planted);
            }
        }
        inertialization::smooth(&mut self.poses, &joints, settings.fps);
        locked
    }

    /// Locks the feet in `frames`, which contain no crossing. Each frame of the walk has a pitch and a lean (radians), and a share
    /// with which feet follow the ground: beside a crossing they stand as in its clip.
    fn lock_feet(&mut self, rig: Rig, frames: Range<usize>, [pitches, leans, shares]: [&[f64]; 3]) -> LockedFeet {
        let Rig { input, settings, .. } = rig;
        let first = frames.start;
        let bodies = &self.placements[frames.clone()];
        let within = |list: &[usize]| -> Vec<usize> {
            list.iter().filter(|frame| frames.contains(frame)).map(|frame| frame - first).collect()
        };
        let mut anchors = within(&self.anchors());
        anchors.extend([0, frames.len() - 1]);
        anchors.sort_unstable();
        anchors.dedup();
        let breaks = within(&self.breaks);
        let standing: Vec<Vec<bool>> = self.standing.iter().map(|row| row[frames.clone()].to_vec()).collect();
        let last_steps = self.last_steps.iter().filter(|last| frames.contains(&last.start));
        let last_steps: Vec<Range<usize>> = last_steps.map(|last| last.start - first..last.end - first).collect();
        let poses = &mut self.poses[frames.clone()];
        let headings: Vec<f64> = bodies.iter().map(|body| body.heading).collect();
        foot_yaw::lock(input, &standing, &headings, &anchors, settings.release * settings.fps, poses);
        let pieces = &self.pieces;
        let ground = |frame: usize, point: DVec3| {
            let [under_foot, assumed] = ground(pieces, first + frame, point);
            let ahead = (point - bodies[frame].at / input.metres_per_unit).dot(bodies[frame].ahead());
            let climb = climb(pieces, first + frame);
            let assumed = assumed + pitch::additional_climb(climb, pitches[first + frame]) * ahead;
            match shares[first + frame] {
                share if share < 1.0 => [assumed + (under_foot - assumed) * share, assumed],
                _ => [under_foot, assumed],
            }
        };
        let step = |i: usize| (bodies[i].at - bodies[i.saturating_sub(1)].at).with_y(0.0).length();
        let speeds: Vec<f64> = (0..bodies.len()).map(|i| step(i) * settings.fps).collect();
        let contacts = FootContacts {
            speeds: &speeds,
            standing: &standing,
            breaks: &breaks,
            anchors: &anchors,
            last_steps: &last_steps,
            ground: &ground,
        };
        let lean = |frame: usize, pose: &mut Pose| lean::lean(input, bodies[frame], leans[first + frame], pose);
        let limits = TurnLimits::of(poses, settings.fps);
        let locked = foot_lock::lock(input, settings, &contacts, &lean, poses);
        limits.apply(input, &locked.standing, poses);
        locked
    }

    /// Corrects the contacts after each crossing. A foot that stands in the next frame also stands in the last frame of the crossing.
    /// A foot that is still in the air stands only from its landing.
    fn stand_from_landings(&mut self, input: &Input) {
        let landings: Vec<usize> = self.crossings().map(|frames| frames.end - 1).collect();
        if landings.is_empty() {
            return;
        }
        for (k, leg) in input.legs().into_iter().enumerate() {
            let soles = foot_lock::soles(input, leg, &self.poses);
            let length = self.poses.first().map_or(0.0, |pose| leg_positions(input.skeleton, leg, pose).length());
            let heights: Vec<f64> =
                soles.iter().enumerate().map(|(frame, sole)| sole.y - self.ground(frame, *sole)[1]).collect();
            let row = &mut self.standing[k];
            let standing_heights = heights.iter().zip(&*row).filter(|(_, stands)| **stands).map(|(height, _)| *height);
            let high = standing_heights.fold(f64::INFINITY, f64::min) + LANDED_MAX_LEGS * length;
            for &landing in &landings {
                row[landing] = row.get(landing + 1).copied().unwrap_or_default();
                let lifted = (landing..row.len()).take_while(|&frame| row[frame] && heights[frame] > high).count();
                row[landing..landing + lifted].fill(false);
            }
        }
    }

    /// Returns the frame ranges of the crossings, with the frames that they share with their neighbours.
    fn crossings(&self) -> impl Iterator<Item = Range<usize>> {
        let is_crossing = |placed: &&PlacedPart| matches!(placed.piece, WalkPart::Crossing(_));
        self.pieces.iter().filter(is_crossing).map(|placed| placed.frames.clone())
    }

    /// Returns the frame ranges between crossings. The frames at which a crossing begins and ends belong to both.
    fn walked(&self) -> Vec<Range<usize>> {
        let mut walked = Vec::new();
        let mut from = 0;
        for crossing in self.crossings() {
            if crossing.start > from {
                walked.push(from..crossing.start + 1);
            }
            from = crossing.end - 1;
        }
        if self.poses.len() > from + 1 || walked.is_empty() {
            walked.push(from..self.poses.len());
        }
        walked
    }

    /// Returns the share at each frame with which a body leans and pitches: 0 in crossings, 1 from a quarter of a second away.
    fn walking_shares(&self, fps: f64) -> Vec<f64> {
        const FADE_SECONDS: f64 = 0.25;
        let mut shares = vec![1.0; self.poses.len()];
        for crossing in self.crossings() {
            for (frame, share) in shares.iter_mut().enumerate() {
                let away = crossing.start.saturating_sub(frame).max((frame + 1).saturating_sub(crossing.end));
                *share = f64::min(*share, Easing::Smoothstep.at(away as f64 / (FADE_SECONDS * fps)));
            }
        }
        shares
    }

    /// Pitches bodies on four legs along the ground by their `shares` and returns the angle at each frame, radians.
    fn pitch_along_slopes(&mut self, rig: Rig, shares: &[f64]) -> Vec<f64> {
        let Rig { input, settings, carrier } = rig;
        let pieces = &self.pieces;
        let height = |frame: usize, point: DVec3| ground(pieces, frame, point)[0];
        let climb = |frame: usize| climb(pieces, frame);
        let slopes = Slopes { placements: &self.placements, ground: &height, climb: &climb, fps: settings.fps };
        let mut angles = pitch::angles(input, carrier, &slopes);
        angles.iter_mut().zip(shares).for_each(|(angle, share)| *angle *= share);
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
