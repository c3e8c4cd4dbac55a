//! Recording of a whole walk: segments along the path, and turns on the spot before, between and after them.

use super::clips::clip_roles::{self, ClipSet};
use super::clips::in_place_clip::RootCarrier;
use super::feet::foot_lock::LockedFeet;
use super::measure;
use super::paths::closed_path;
use super::recording::{Recording, WalkPart};
use super::segments::plan::SegmentPlan;
use super::segments::segment::{Rig, Segment, WALK_MAX_SECONDS};
use super::segments::turn_in_place::{TurnInPlace, TurnRequest};
use super::{Input, Settings, SmoothPath, Walk, WalkError, WalkPath};
use portamento_anim::root_motion::wrap;
use portamento_base::progress::Progress;

/// Recording in progress, with its character and clips.
struct WalkRecorder<'a> {
    rig: Rig<'a>,
    clips: &'a ClipSet,
    recording: Recording<'a>,
}

/// Records the walk along `path`; the input has been checked. Returns `Err` as [`super::build`].
pub(super) fn record(
    input: &Input,
    path: &WalkPath,
    settings: &Settings,
    progress: &Progress,
) -> Result<Walk, WalkError> {
    let carrier = RootCarrier::find(input);
    let mut clips = clip_roles::find(input, &carrier, settings)?;
    progress.step(1, 10)?;
    let rig = Rig { input, settings, carrier: &carrier };
    if settings.laps > 0 {
        return closed_path::record(rig, clips, path, progress);
    }
    let paths = paths(input, path, settings);
    let facings = [settings.start_facing, settings.goal_facing];
    if paths.len() > 1 || facings.iter().any(Option::is_some) || !settings.clips.turns.is_empty() {
        clips.find_turns(input, &carrier, settings)?;
    }
    let mut recorder = WalkRecorder { rig, clips: &clips, recording: Recording::default() };
    recorder.record_all(paths, progress)?;
    let locked = recorder.recording.finish(rig);
    progress.step(9, 10)?;
    Ok(recorder.walk(&locked))
}

/// Returns the smooth paths between corners that require a turn on the spot, with heights from the ground.
fn paths(input: &Input, path: &WalkPath, settings: &Settings) -> Vec<SmoothPath> {
    let mut paths = path.segments(settings.corner, settings.turning_radius);
    if let Some(ground) = input.ground {
        paths.iter_mut().for_each(|path| path.follow(ground));
    }
    paths.iter_mut().for_each(SmoothPath::limit_along_ground);
    paths
}

impl<'a> WalkRecorder<'a> {
    /// Records all paths, and the turns before, between and after them. Returns `Err` if the walk is too long or
    /// cancelled.
    fn record_all(&mut self, paths: Vec<SmoothPath>, progress: &Progress) -> Result<(), WalkError> {
        let settings = self.rig.settings;
        let [first, goal] = [settings.start_facing, settings.goal_facing].map(|facing| facing.map(f64::to_radians));
        let begin = paths.first().map(|path| (path.points[0], path.heading(0.0)));
        if let (Some(from), Some((position, to))) = (first, begin) {
            self.turn(TurnRequest { position, from, to, begins: 0.0, rest: 0.0 }, progress)?;
        }
        let mut paths = paths.into_iter().peekable();
        while let Some(path) = paths.next() {
            let end = path.length();
            let (position, from) = (path.position(end), path.heading(end));
            let next = paths.peek().map(|path| (path.heading(0.0), 0.0));
            let next = next.or(goal.map(|facing| (facing, settings.rest)));
            let turn =
                next.filter(|(to, _)| wrap(to - from).abs() >= super::segments::turn_in_place::SAME_HEADING_RADIANS);
            self.record_segment(path, turn.is_some() || paths.peek().is_some(), progress)?;
            if let Some((to, rest)) = turn {
                self.turn(TurnRequest { position, from, to, begins: self.now(), rest }, progress)?;
            }
        }
        Ok(())
    }

    /// Returns the seconds recorded so far.
    fn now(&self) -> f64 {
        self.recording.last() as f64 / self.rig.settings.fps
    }

    /// Records a segment along `path`. `has_next` is true if another part follows. Returns `Err` if the walk is too
    /// long or cancelled.
    fn record_segment(&mut self, path: SmoothPath, has_next: bool, progress: &Progress) -> Result<(), WalkError> {
        let begins = self.now();
        let plan = SegmentPlan::new(Segment::new(self.rig, self.clips, path, begins, has_next))?;
        let seconds = begins + plan.frames.len() as f64 / self.rig.settings.fps;
        if seconds > WALK_MAX_SECONDS {
            return Err(WalkError::TooLong { seconds });
        }
        Ok(self.recording.add(WalkPart::Segment(Box::new(plan)), progress)?)
    }

    /// Records a turn on the spot, unless the heading is already reached. Returns `Err` if cancelled.
    fn turn(&mut self, request: TurnRequest, progress: &Progress) -> Result<(), WalkError> {
        match TurnInPlace::plan(self.rig, self.clips, request) {
            Some(turn) => Ok(self.recording.add(WalkPart::Turn(turn), progress)?),
            None => Ok(()),
        }
    }

    /// Returns the whole walk with its report.
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
            placements: recording.placements,
        }
    }
}
