//! Recording of a whole walk: segments along the path, turns on the spot and crossings before, between and after them.

use super::clips::clip_roles::{self, ClipSet};
use super::clips::in_place_clip::RootCarrier;
use super::feet::foot_lock::LockedFeet;
use super::measure;
use super::paths::closed_path;
use super::recording::{Recording, WalkPart};
use super::segments::crossing_part::CrossingPart;
use super::segments::moving_joint::{self, MovingJoint};
use super::segments::plan::SegmentPlan;
use super::segments::segment::{Rig, Segment, WALK_MAX_SECONDS};
use super::segments::turn_in_place::{SAME_HEADING_RADIANS, TurnInPlace, TurnRequest};
use super::{Input, PathCrossing, Settings, SmoothPath, Walk, WalkError, WalkPath};
use portamento_anim::root_motion::wrap;
use portamento_base::progress::Progress;

/// Recording in progress, with its character and clips.
struct WalkRecorder<'a> {
    rig: Rig<'a>,
    clips: &'a ClipSet,
    recording: Recording<'a>,
}

/// A part of the route between crossings, and the crossing after it.
struct Leg<'a> {
    /// Smooth paths between corners that require a turn on the spot; none if the leg has no length.
    paths: Vec<SmoothPath>,
    crossing: Option<LegCrossing<'a>>,
}

/// A crossing and its joints to the motions before and after it.
#[derive(Clone)]
struct LegCrossing<'a> {
    crossing: &'a PathCrossing,
    joints: [Option<MovingJoint>; 2],
}

/// Records the walk along `path` with `crossings`; the input has been checked. Returns `Err` as [`super::build_crossing`].
pub(super) fn record(
    input: &Input,
    path: &WalkPath,
    crossings: &[PathCrossing],
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
    let legs = legs(rig, path, crossings);
    let facings = [settings.start_facing, settings.goal_facing];
    let has_corner = legs.len() > 1 || legs.iter().any(|leg| leg.paths.len() > 1);
    if has_corner || facings.iter().any(Option::is_some) || !settings.clips.turns.is_empty() {
        clips.find_turns(input, &carrier, settings)?;
    }
    let mut recorder = WalkRecorder { rig, clips: &clips, recording: Recording::default() };
    recorder.record_all(legs, progress)?;
    let locked = recorder.recording.finish(rig);
    progress.step(9, 10)?;
    Ok(recorder.walk(&locked))
}

/// Returns the legs of the route, each with the crossing after it. The last leg has none.
fn legs<'a>(rig: Rig<'a>, path: &WalkPath, crossings: &'a [PathCrossing]) -> Vec<Leg<'a>> {
    let Rig { input, settings, carrier } = rig;
    let crossed = crossings.iter().map(|crossing| {
        let joints = MovingJoint::of_crossing(input, carrier, &crossing.fitted);
        Some(LegCrossing { crossing, joints })
    });
    let legs = path.legs(crossings, input.ground).into_iter().zip(crossed.chain([None]));
    let leg = |(path, crossing): (Option<WalkPath>, Option<LegCrossing<'a>>)| Leg {
        paths: path.map_or_else(Vec::new, |path| paths(input, &path, settings)),
        crossing,
    };
    legs.map(leg).collect()
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

impl Leg<'_> {
    /// Returns the speed with which the leg begins after `crossing`, m/s; `None` if the leg has no length.
    fn first_speed(&self, settings: &Settings, crossing: &LegCrossing) -> Option<f64> {
        let mut path = self.paths.first()?.clone();
        let leaves = self.crossing.as_ref().filter(|_| self.paths.len() == 1);
        let joints = [crossing.joints[1].clone(), leaves.and_then(|crossing| crossing.joints[0].clone())];
        Some(moving_joint::profile(&mut path, settings, &joints).first_speed())
    }
}

impl<'a> WalkRecorder<'a> {
    /// Records all legs with their crossings, and the turns on the spot before, between and after them. Returns `Err` if the
    /// walk is too long or cancelled.
    fn record_all(&mut self, legs: Vec<Leg<'a>>, progress: &Progress) -> Result<(), WalkError> {
        let settings = self.rig.settings;
        let [first, goal] = [settings.start_facing, settings.goal_facing].map(|facing| facing.map(f64::to_radians));
        // Heading in which the character stands; none before the walk and while it moves.
        let mut stands = first;
        let mut before: Option<LegCrossing> = None;
        let mut legs = legs.into_iter().peekable();
        while let Some(Leg { paths, crossing }) = legs.next() {
            let arrival = before.take().and_then(|crossing| crossing.joints[1].clone());
            let is_moving = paths.is_empty() && arrival.is_some();
            let begin = paths.first().map(|path| (path.points[0], path.heading(0.0)));
            let begin = begin.filter(|_| arrival.is_none());
            if let (Some(from), Some((position, to))) = (stands.take(), begin) {
                self.turn(TurnRequest { position, from, to, begins: self.now(), rest: 0.0 }, progress)?;
            }
            let after = match &crossing {
                Some(crossing) => crossing.joints[0].is_none().then_some((crossing.crossing.fitted.heading, 0.0)),
                None => goal.map(|facing| (facing, settings.rest)),
            };
            let departure = crossing.as_ref().and_then(|crossing| crossing.joints[0].clone());
            let speed = self.record_leg(paths, [arrival, departure], crossing.is_some(), after, progress)?;
            let Some(crossing) = crossing else { continue };
            let next = legs.peek().and_then(|leg| leg.first_speed(settings, &crossing));
            let own = crossing.joints.each_ref().map(|joint| joint.as_ref().map_or(0.0, |joint| joint.speed));
            let arrives = if is_moving { own[0] } else { speed };
            let part = CrossingPart::plan(self.rig, crossing.crossing, own, [arrives, next.unwrap_or(own[1])]);
            self.recording.add(WalkPart::Crossing(part), progress)?;
            stands = crossing.joints[1].is_none().then_some(crossing.crossing.fitted.heading);
            before = Some(crossing);
        }
        Ok(())
    }

    /// Records the paths of a leg between the motions of `joints`, with turns on the spot between them and to the heading of
    /// `after` (radians, with the seconds to stand there). `has_crossing` is true if a crossing follows. Returns the speed at
    /// its end, m/s. Returns `Err` if the walk is too long or cancelled.
    fn record_leg(
        &mut self,
        paths: Vec<SmoothPath>,
        joints: [Option<MovingJoint>; 2],
        has_crossing: bool,
        after: Option<(f64, f64)>,
        progress: &Progress,
    ) -> Result<f64, WalkError> {
        let [mut arrival, mut departure] = joints;
        let mut speed = 0.0;
        let mut paths = paths.into_iter().peekable();
        while let Some(path) = paths.next() {
            let end = path.length();
            let (position, from) = (path.position(end), path.heading(end));
            let is_last = paths.peek().is_none();
            let joints = [arrival.take(), if is_last { departure.take() } else { None }];
            let next = paths.peek().map(|path| (path.heading(0.0), 0.0)).or(after);
            let turn = next.filter(|(to, _)| wrap(to - from).abs() >= SAME_HEADING_RADIANS);
            let has_next = turn.is_some() || !is_last || has_crossing;
            speed = self.record_segment(path, has_next, joints, progress)?;
            if let Some((to, rest)) = turn {
                self.turn(TurnRequest { position, from, to, begins: self.now(), rest }, progress)?;
            }
        }
        Ok(speed)
    }

    /// Returns the seconds recorded so far.
    fn now(&self) -> f64 {
        self.recording.last() as f64 / self.rig.settings.fps
    }

    /// Records a segment along `path` between the motions of `joints`. `has_next` is true if another part follows. Returns the
    /// speed at its end, m/s. Returns `Err` if the walk is too long or cancelled.
    fn record_segment(
        &mut self,
        path: SmoothPath,
        has_next: bool,
        joints: [Option<MovingJoint>; 2],
        progress: &Progress,
    ) -> Result<f64, WalkError> {
        let begins = self.now();
        let plan = SegmentPlan::new(Segment::new(self.rig, self.clips, path, begins, has_next, joints))?;
        let seconds = begins + plan.frames.len() as f64 / self.rig.settings.fps;
        if seconds > WALK_MAX_SECONDS {
            return Err(WalkError::TooLong { seconds });
        }
        let speed = plan.segment.joints[1].as_ref().map_or(0.0, |_| plan.segment.profile.stop.speed);
        self.recording.add(WalkPart::Segment(Box::new(plan)), progress)?;
        Ok(speed)
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
            match &placed.piece {
                WalkPart::Segment(plan) => path.append(&plan.segment.path),
                WalkPart::Crossing(part) => path.append(&part.path()),
                WalkPart::Turn(_) => {}
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
