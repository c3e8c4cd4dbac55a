//! Report of a walk: choices and predictions, and measurements of the result.

mod contact;
mod crossing;
mod feet;
mod pops;
mod segment;
mod stop;
mod turn;

use super::clips::clip_roles::ClipSet;
use super::feet::foot_lock::LockedFeet;
use super::recording::{PlacedPart, Recording, WalkPart};
use super::report::{ClipSpan, FrameReport, GaitReport, OpenGait, Report};
use super::segments::plan::SegmentPlan;
use super::segments::segment::Rig;
use segment::Finished;

/// Returns the gaits that do not loop.
fn open_gaits(rig: Rig, clips: &ClipSet) -> Vec<OpenGait> {
    let skeleton = rig.input.skeleton;
    let open = clips.gaits.iter().filter_map(|gait| {
        let (joint, degrees) = gait.source.open_joint(skeleton)?;
        let (clip, joint) = (gait.source.clip.name.clone(), skeleton.joints[joint].name.clone());
        Some(OpenGait { clip, joint, degrees })
    });
    open.collect()
}

/// Measures the finished frames of `recording`.
pub(super) fn measure(rig: Rig, clips: &ClipSet, recording: &Recording, locked: &LockedFeet) -> Report {
    let mut report = Report {
        idle: clips.idle.clip.name.clone(),
        holds_stand: clips.holds_stand,
        gaits: gaits(clips),
        no_stance: clips.no_stance.clone(),
        open_gaits: open_gaits(rig, clips),
        drift: feet::drift(rig.input, &recording.poses, &locked.standing),
        knee_step: feet::knee_step(rig.input, &recording.poses),
        leg_too_short: locked.gaps.iter().copied().fold(0.0, f64::max),
        ..Report::default()
    };
    for (i, placed) in recording.pieces.iter().enumerate() {
        let frames = placed.frames.clone();
        let standing: Vec<Vec<bool>> = locked.standing.iter().map(|row| row[frames.clone()].to_vec()).collect();
        let finished = Finished {
            poses: &recording.poses[frames.clone()],
            standing: &standing,
            gaps: &locked.gaps[frames.clone()],
        };
        let mut rows = match &placed.piece {
            WalkPart::Segment(plan) => add_segment(&mut report, plan, &finished),
            WalkPart::Turn(turn) => {
                let bodies = &recording.placements[frames.clone()];
                let (turned, rows) = turn::measure(rig, clips, turn, bodies, &finished);
                report.slide_turning = report.slide_turning.max(turned.slide);
                report.turns.push(turned);
                rows
            }
            WalkPart::Crossing(part) => {
                let begins = frames.start as f64 / rig.settings.fps;
                let (crossed, rows) = crossing::measure(part, begins, rig.settings.fps);
                report.crossings.push(crossed);
                rows
            }
        };
        let skipped = if let WalkPart::Segment(plan) = &placed.piece { plan.segment.skipped } else { 0 };
        let begins = (frames.start as f64 - skipped as f64) / rig.settings.fps;
        let ahead: f64 = recording.pieces[i + 1..].iter().map(length).sum();
        for row in &mut rows {
            row.time += begins;
            row.remaining += ahead;
        }
        let skip = usize::from(i > 0);
        report.frames.extend(rows.into_iter().skip(skip));
    }
    let seconds = |holds: fn(&FrameReport) -> bool| {
        report.frames.iter().filter(|frame| holds(frame)).count() as f64 / rig.settings.fps
    };
    report.too_fast = seconds(|frame| frame.limited);
    report.off_slopes = seconds(|frame| frame.off_slopes);
    report.plan = spans(&report.frames);
    report.feet = contact::figures(rig, clips, recording, &report.frames);
    let finished = pops::FinishedWalk { poses: &recording.poses, frames: &report.frames };
    let (thrown, [pop, largest_turn]) = (finished.thrown(rig, clips, recording), finished.pops(rig));
    (report.thrown, report.pop, report.largest_turn) = (thrown, pop, largest_turn);
    report
}

/// Returns the path length of a part, metres.
fn length(placed: &PlacedPart) -> f64 {
    match &placed.piece {
        WalkPart::Segment(plan) => plan.segment.path.length(),
        WalkPart::Crossing(part) => part.path().length(),
        WalkPart::Turn(_) => 0.0,
    }
}
/// Returns the measurements of every gait.
fn gaits(clips: &ClipSet) -> Vec<GaitReport> {
    let report = |gait: &super::gaits::gait::Gait| GaitReport {
        clip: gait.source.clip.name.clone(),
        speed: gait.speed(),
        stride: gait.stride,
        slope: gait.slope,
        rise: gait.source.climb.atan().to_degrees(),
        in_place: !gait.source.travels(),
    };
    clips.gaits.iter().map(report).collect()
}

/// Adds the worst figures of a segment to `report` and replaces its stop. Returns the segment's frames.
fn add_segment(report: &mut Report, plan: &SegmentPlan, finished: &Finished) -> Vec<FrameReport> {
    let frames = segment::frames(plan, finished);
    let stopping = |frame: &&FrameReport| frame.time >= plan.segment.profile.stop.begins;
    let walking = frames.iter().filter(|frame| !stopping(frame)).map(|frame| frame.slide_after);
    let worst = |of: fn(&FrameReport) -> f64| frames.iter().filter(stopping).map(of).fold(0.0, f64::max);
    report.slide_before = report.slide_before.max(worst(|frame| frame.slide_before));
    report.slide_after = report.slide_after.max(worst(|frame| frame.slide_after));
    report.slide_walking = walking.fold(report.slide_walking, f64::max);
    if let (Some(start), Some(clip), None) = (&plan.start, &plan.segment.clips.start, &report.start) {
        report.start = Some(clip.source.clip.name.clone());
        report.start_stretched = start.stretched;
    }
    report.stop = stop::stop(plan, finished.poses);
    report.stop.begins += plan.segment.begins;
    report.stop.ends += plan.segment.begins;
    frames
}

/// Returns runs of frames with the same leading clip. Runs shorter than a fifth of a second join the previous one.
fn spans(frames: &[FrameReport]) -> Vec<ClipSpan> {
    const SPAN_MIN_SECONDS: f64 = 0.2;
    let mut spans: Vec<ClipSpan> = Vec::new();
    let mut done = 0;
    for run in frames.chunk_by(|a, b| a.clip == b.clip) {
        done += run.len();
        let begins = run[0].time;
        let ends = frames[done.min(frames.len() - 1)].time;
        let slope = run.iter().map(|frame| frame.slope).fold(0.0, steeper);
        match spans.last_mut() {
            Some(before) if before.clip == run[0].clip || ends - begins < SPAN_MIN_SECONDS => {
                before.ends = ends;
                before.slope = steeper(before.slope, slope);
            }
            _ => spans.push(ClipSpan { clip: run[0].clip.clone(), begins, ends, slope }),
        }
    }
    spans
}
/// Returns the slope with the larger absolute value.
fn steeper(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}
