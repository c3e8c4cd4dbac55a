//! Measurements of a segment, frame by frame.

use super::super::report::FrameReport;
use super::super::segments::plan::SegmentPlan;
use super::super::segments::segment::ActiveClip;
use super::super::walk::mix_into;
use super::feet::slides;
use portamento_anim::Pose;

/// Finished frames: poses, planted feet, and gaps of legs that did not reach.
pub(super) struct Finished<'a> {
    /// Poses of a part of the walk.
    pub poses: &'a [Pose],
    /// Per leg and frame, true if the foot is locked.
    pub standing: &'a [Vec<bool>],
    /// Per frame, the distance by which a leg could not reach its plant, metres.
    pub gaps: &'a [f64],
}

/// Returns the report of each frame of a segment. Times and remaining distances count within the segment.
pub(super) fn frames(plan: &SegmentPlan, finished: &Finished) -> Vec<FrameReport> {
    let Finished { poses, standing, gaps } = *finished;
    let fps = plan.segment.settings.fps;
    let (plain, plain_standing) = unmatched(plan, standing);
    let before = slides(plan.segment.input, fps, &plain, &plain_standing);
    let after = slides(plan.segment.input, fps, poses, standing);
    (0..poses.len()).map(|i| frame(plan, i, [before[i], after[i], gaps[i]])).collect()
}
/// Returns the report of frame `i` of a segment, given its two slides (cm/s) and the gap of its legs (metres).
fn frame(plan: &SegmentPlan, i: usize, [slide_before, slide_after, leg_too_short]: [f64; 3]) -> FrameReport {
    let time = plan.segment.time(i);
    let (distance, speed) = plan.segment.profile.at(time);
    let step = &plan.frames[i];
    let blend = if step.fade > 0.5 { &step.before } else { &step.blend };
    let idle = &plan.segment.clips.idle.clip.name;
    let gait = |gait: usize| &plan.segment.clips.gaits[gait].source.clip.name;
    let play = plan.play(i);
    let start = plan.segment.clips.start.as_ref().map_or(idle, |start| &start.source.clip.name);
    let (clip, share, stop_time) = match (play, plan.segment.stop_clip) {
        (ActiveClip::Start(_, gait), _) if gait < 0.5 => (start, 1.0 - gait, None),
        (ActiveClip::Stop(_, rest), _) if rest > 0.5 => (idle, rest, None),
        (ActiveClip::Stop(at, rest), Some(stop)) => (&stop.source.clip.name, 1.0 - rest, Some(at)),
        _ if blend.weight >= 0.5 => (gait(blend.high), blend.weight, None),
        _ => (blend.low.map_or(idle, gait), 1.0 - blend.weight, None),
    };
    let start_time = match play {
        ActiveClip::Start(at, _) => Some(at),
        _ => None,
    };
    let slope = plan.segment.path.slope(distance);
    let moves = stop_time.is_none() && start_time.is_none() && speed > 0.0;
    FrameReport {
        time,
        speed: speed / slope.to_radians().cos(),
        remaining: plan.segment.profile.stop.goal - distance,
        slope,
        off_slopes: moves && plan.segment.clips.slopes.iter().all(|set| set.beyond(slope) > 0.0),
        clip: clip.clone(),
        share,
        rate: blend.rate,
        limited: blend.limited && moves,
        facing: plan.segment.heading(i).to_degrees(),
        turn_time: None,
        start_time,
        stop_time,
        slide_before,
        slide_after,
        leg_too_short,
    }
}

/// Returns the poses and contacts (per leg and frame) of the segment with the stop clip played by time and cross-faded,
/// without pose matching and foot locking.
fn unmatched(plan: &SegmentPlan, standing: &[Vec<bool>]) -> (Vec<Pose>, Vec<Vec<bool>>) {
    let mut standing = standing.to_vec();
    let contacts = plan.segment.stop_clip.map(|stop| stop.standing(plan.segment.input.metres_per_unit));
    let pose = |i: usize| {
        let time = plan.segment.time(i);
        let since = time - plan.segment.profile.stop.begins;
        let mut pose = Pose::default();
        match plan.segment.stop_clip {
            Some(stop) if since >= 0.0 => {
                stop.source.sample(
                    plan.segment.input.skeleton,
                    plan.segment.carrier,
                    since.min(stop.source.clip.duration),
                    &mut pose,
                );
                let mut moving = Pose::default();
                plan.segment.gait_pose(&plan.frames[i], time, &mut moving);
                mix_into(&mut pose, &moving, (1.0 - since / plan.segment.settings.match_time).max(0.0) as f32);
                for (leg, row) in standing.iter_mut().enumerate() {
                    row[i] = contacts.as_ref().is_some_and(|contacts| contacts.at(leg, since));
                }
            }
            _ => plan.segment.gait_pose(&plan.frames[i], time, &mut pose),
        }
        plan.segment.move_to_path(i, &mut pose);
        pose
    };
    let poses = (0..plan.frames.len()).map(pose).collect();
    (poses, standing)
}
