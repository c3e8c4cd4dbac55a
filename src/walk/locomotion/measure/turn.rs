//! Measurements of a turn on the spot, as a whole and frame by frame.

use super::super::body::body_placement::BodyPlacement;
use super::super::clips::clip_roles::ClipSet;
use super::super::clips::in_place_clip::yaw;
use super::super::report::{FrameReport, TurnReport};
use super::super::segments::segment::Rig;
use super::super::segments::turn_in_place::TurnInPlace;
use super::feet::slides;
use super::segment::Finished;
use portamento_anim::Pose;
use portamento_anim::root_motion::{turn_of, wrap};

/// Returns the report of a turn and of its frames; `bodies` has the heading of each frame. Times of the frames count from the
/// start of the turn.
pub(super) fn measure(
    rig: Rig,
    clips: &ClipSet,
    turn: &TurnInPlace,
    bodies: &[BodyPlacement],
    finished: &Finished,
) -> (TurnReport, Vec<FrameReport>) {
    let fps = rig.settings.fps;
    let slides = slides(rig.input, fps, finished.poses, finished.standing);
    let clip = turn.clip();
    let steps = bodies.windows(2).map(|pair| (pair[1].heading - pair[0].heading).abs() * fps);
    let begins = turn.turning.begins;
    let report = TurnReport {
        clip: clip.map(|(clip, _)| clip.clip.name.clone()),
        begins,
        ends: begins + turn.duration,
        angle: turn.angle.to_degrees(),
        clip_angle: clip.map(|(clip, _)| clip.angle().to_degrees()),
        rate: clip.map_or(1.0, |(_, rate)| rate),
        fastest: steps.fold(0.0, f64::max).to_degrees(),
        error: heading_error(rig, clips, turn, finished.poses).to_degrees(),
        slide: slides.iter().copied().fold(0.0, f64::max),
    };
    let frame = |i: usize| {
        let time = i as f64 / fps;
        let share = turn.share(time);
        let leads = clip.filter(|_| share > 0.5);
        FrameReport {
            time,
            clip: leads.map_or(&clips.idle.clip.name, |(clip, _)| &clip.clip.name).clone(),
            share: share.max(1.0 - share),
            rate: leads.map_or(1.0, |(_, rate)| rate),
            facing: wrap(bodies[i].heading).to_degrees(),
            turn_time: leads.map(|(_, rate)| time * rate),
            slide_before: slides[i],
            slide_after: slides[i],
            leg_too_short: finished.gaps[i],
            ..FrameReport::default()
        }
    };
    let frames = (0..finished.poses.len()).map(frame).collect();
    (report, frames)
}

/// Returns the difference between the requested heading and the root's in the last frame, radians. The root's own yaw in the
/// idle clip is subtracted. Returns 0 without a root joint or frames.
fn heading_error(rig: Rig, clips: &ClipSet, turn: &TurnInPlace, poses: &[Pose]) -> f64 {
    let (Some(root), Some(pose)) = (rig.carrier.root, poses.last()) else { return 0.0 };
    let idle = &clips.idle;
    let time = turn.turning.begins + (poses.len() - 1) as f64 / rig.settings.fps;
    let mut still = Pose::default();
    idle.sample(rig.input.skeleton, rig.carrier, time.rem_euclid(idle.clip.duration.max(1e-3)), &mut still);
    let turned = |pose: &Pose| turn_of(&pose.world_from_joint(rig.input.skeleton, root.joint));
    let rotation = turned(pose) * turned(&still).inverse();
    wrap(2.0 * rotation.y.atan2(rotation.w) - (turn.turning.to - yaw(rig.carrier.front)))
}
