//! A whole walk: segments along the path, and turns on the spot before, between and after them.

use super::clip_roles::{self, ClipSet};
use super::foot_lock::LockedFeet;
use super::in_place_clip::RootCarrier;
use super::measure;
use super::plan::SegmentPlan;
use super::recording::{Recording, WalkPart};
use super::segment::{LONGEST, Rig, Segment};
use super::turn_in_place::{TurnInPlace, TurnRequest};
use super::{Input, Settings, SmoothPath, Walk, WalkError, WalkPath, round};
use crate::anim::root_motion::wrap;
use crate::progress::Progress;

/// Who walks what so far.
struct WalkRecorder<'a> {
    rig: Rig<'a>,
    clips: &'a ClipSet,
    recording: Recording<'a>,
}

/// Records the walk along `way`; the input has been checked.
pub(super) fn record(
    input: &Input,
    way: &WalkPath,
    settings: &Settings,
    progress: &Progress,
) -> Result<Walk, WalkError> {
    let carrier = RootCarrier::find(input);
    let mut clips = clip_roles::find(input, &carrier, settings)?;
    progress.step(1, 10)?;
    let rig = Rig { input, settings, carrier: &carrier };
    if settings.laps > 0 {
        let way = &clips.slowed(way);
        return round::record(rig, clips, way, progress);
    }
    let way = &clips.slowed(way);
    let paths = paths(input, way, settings);
    let facings = [settings.start_facing, settings.goal_facing];
    if paths.len() > 1 || facings.iter().any(Option::is_some) || !settings.clips.turns.is_empty() {
        clips.find_turns(input, &carrier, settings)?;
    }
    let mut recorder = WalkRecorder { rig, clips: &clips, recording: Recording::default() };
    recorder.go(paths, progress)?;
    let locked = recorder.recording.finish(rig);
    progress.step(9, 10)?;
    Ok(recorder.walk(&locked))
}

/// The smooth paths between corners that are turned on the spot.
fn paths(input: &Input, way: &WalkPath, settings: &Settings) -> Vec<SmoothPath> {
    let mut paths = way.segments(settings.corner, settings.turning_radius);
    if let Some(ground) = input.ground {
        paths.iter_mut().for_each(|path| path.follow(ground));
    }
    paths.iter_mut().for_each(SmoothPath::limit_along_ground);
    paths
}

impl<'a> WalkRecorder<'a> {
    fn go(&mut self, paths: Vec<SmoothPath>, progress: &Progress) -> Result<(), WalkError> {
        let settings = self.rig.settings;
        let [first, goal] = [settings.start_facing, settings.goal_facing].map(|facing| facing.map(f64::to_radians));
        let begin = paths.first().map(|path| (path.points[0], path.heading(0.0)));
        if let (Some(from), Some((place, to))) = (first, begin) {
            self.turn(TurnRequest { place, from, to, begins: 0.0, rest: 0.0 }, progress)?;
        }
        let mut paths = paths.into_iter().peekable();
        while let Some(path) = paths.next() {
            let end = path.length();
            let (place, from) = (path.place(end), path.heading(end));
            let next = paths.peek().map(|path| (path.heading(0.0), 0.0));
            let next = next.or(goal.map(|facing| (facing, settings.rest)));
            let turn = next.filter(|(to, _)| wrap(to - from).abs() >= super::turn_in_place::SAME);
            self.walk_on(path, turn.is_some() || paths.peek().is_some(), progress)?;
            if let Some((to, rest)) = turn {
                self.turn(TurnRequest { place, from, to, begins: self.now(), rest }, progress)?;
            }
        }
        Ok(())
    }

    /// Seconds recorded so far.
    fn now(&self) -> f64 {
        self.recording.last() as f64 / self.rig.settings.fps
    }

    /// Walks along `path`.
    fn walk_on(&mut self, path: SmoothPath, goes_on: bool, progress: &Progress) -> Result<(), WalkError> {
        let begins = self.now();
        let plan = SegmentPlan::new(Segment::new(self.rig, self.clips, path, begins, goes_on))?;
        let seconds = begins + plan.frames.len() as f64 / self.rig.settings.fps;
        if seconds > LONGEST {
            return Err(WalkError::TooLong { seconds });
        }
        Ok(self.recording.add(WalkPart::Segment(Box::new(plan)), progress)?)
    }

    /// Turns on the spot, where the heading is not as asked already.
    fn turn(&mut self, request: TurnRequest, progress: &Progress) -> Result<(), WalkError> {
        match TurnInPlace::plan(self.rig, self.clips, request) {
            Some(turn) => Ok(self.recording.add(WalkPart::Turn(turn), progress)?),
            None => Ok(()),
        }
    }

    /// The whole walk with what was measured on it.
    fn walk(self, locked: &LockedFeet) -> Walk {
        let Self { rig, clips, recording } = self;
        let report = measure::measure(rig, clips, &recording, locked);
        let mut path = SmoothPath::default();
        for placed in &recording.pieces {
            if let WalkPart::Segment(plan) = &placed.piece {
                path.append(&plan.segment.path);
            }
        }
        Walk {
            fps: rig.settings.fps,
            duration: recording.last() as f64 / rig.settings.fps,
            root: rig.carrier.root,
            path,
            distance_curve: clips.stop.as_ref().map(|stop| stop.curve.clone()).unwrap_or_default(),
            report,
            poses: recording.poses,
            places: recording.places,
        }
    }
}
