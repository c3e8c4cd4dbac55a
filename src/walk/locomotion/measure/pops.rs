//! Joints whose rotation step far exceeds the neighbouring frames or their clips.

use super::super::clips::clip_roles::ClipSet;
use super::super::feet::ankle_sweep::CLIP_SPEED_FACTOR;
use super::super::feet::knee_swing::KNEE_MAX_RAD_PER_S;
use super::super::recording::{PlacedPart, Recording, WalkPart};
use super::super::report::{FrameReport, Pop};
use super::super::segments::segment::Rig;
use portamento_anim::math::mean::angle_between;
use portamento_anim::quality::excess_over_neighbours;
use portamento_anim::{Clip, Pose};

/// Finished frames and their reports.
pub(super) struct FinishedWalk<'a> {
    pub poses: &'a [Pose],
    pub frames: &'a [FrameReport],
}

impl FinishedWalk<'_> {
    /// Returns the report of a rotation step of `joint` by `degrees` into `frame`.
    fn pop(&self, rig: Rig, joint: usize, (frame, degrees): (usize, f64)) -> Pop {
        Pop {
            joint: rig.input.skeleton.joints[joint].name.clone(),
            degrees,
            time: frame as f64 / rig.settings.fps,
            clip: self.frames.get(frame).map_or_else(String::new, |frame| frame.clip.clone()),
        }
    }

    /// Returns the joint with the largest pop, and the joint with the largest rotation step. Returns `None` with fewer
    /// than two frames.
    pub fn pops(&self, rig: Rig) -> [Option<Pop>; 2] {
        let worst_by = |measure: fn(&[f64], usize) -> f64| {
            let worst_of = |joint: usize| {
                let turns = turns(self.poses, joint);
                let worst = (0..turns.len()).map(|i| (i + 1, measure(&turns, i))).max_by(|a, b| a.1.total_cmp(&b.1));
                worst.map(|worst| (joint, worst))
            };
            let worst = (0..rig.input.skeleton.len()).filter_map(worst_of).max_by(|a, b| a.1.1.total_cmp(&b.1.1));
            worst.map(|(joint, worst)| self.pop(rig, joint, worst))
        };
        [worst_by(excess_over_neighbours), worst_by(|turns, i| turns[i])]
    }

    /// Returns the joint whose rotation step exceeds most what its clips and the fastest transition explain. Returns
    /// `None` if no joint does.
    pub fn thrown(&self, rig: Rig, clips: &ClipSet, recording: &Recording) -> Option<Pop> {
        let playing = all_clips(clips, recording);
        let transition_max = (KNEE_MAX_RAD_PER_S / rig.settings.fps).to_degrees();
        let worst_of = |joint: usize| {
            let turns = turns(self.poses, joint);
            let (i, &most) = turns.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
            // Most joints turn less than a transition may, regardless of their clips.
            let own = || playing.iter().map(|clip| own_turn(rig, clip, joint)).fold(0.0, f64::max);
            let excess = if most > transition_max { most - transition_max - CLIP_SPEED_FACTOR * own() } else { 0.0 };
            (excess > 0.0).then_some((joint, (i + 1, most), excess))
        };
        let worst = (0..rig.input.skeleton.len()).filter_map(worst_of).max_by(|a, b| a.2.total_cmp(&b.2));
        worst.map(|(joint, turn, _)| self.pop(rig, joint, turn))
    }
}

/// Returns every clip of the set and of the crossings.
fn all_clips<'a>(clips: &'a ClipSet, recording: &'a Recording) -> Vec<&'a Clip> {
    let crossing = |placed: &'a PlacedPart| match &placed.piece {
        WalkPart::Crossing(part) => Some(&part.crossing.fitted.clip),
        WalkPart::Segment(_) | WalkPart::Turn(_) => None,
    };
    let crossings = recording.pieces.iter().filter_map(crossing);
    let gaits = clips.gaits.iter().map(|gait| &gait.source.clip);
    let once = clips.start.iter().chain(&clips.stop).map(|clip| &clip.source.clip);
    let turns = clips.turns.iter().map(|turn| &turn.clip);
    std::iter::once(&clips.idle.clip).chain(gaits).chain(once).chain(turns).chain(crossings).collect()
}

/// Returns the largest rotation step of `joint` in `clip` at the highest play rate, degrees.
fn own_turn(rig: Rig, clip: &Clip, joint: usize) -> f64 {
    let step = rig.settings.play_rates[1] / rig.settings.fps;
    let Some(curve) = clip.tracks.get(joint).and_then(|tracks| tracks.rotation.as_ref()) else { return 0.0 };
    let turn = |frame: usize| curve.sample(frame as f64 * step).unwrap_or_default();
    let count = (clip.duration / step) as usize;
    let turns = (0..count).map(|frame| angle_between(turn(frame), turn(frame + 1)));
    turns.fold(0.0, f64::max).to_degrees()
}

/// Returns the rotation of a joint into each frame but the first, degrees.
fn turns(poses: &[Pose], joint: usize) -> Vec<f64> {
    let turn = |pair: &[Pose]| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).map(|pair| turn(pair).to_degrees()).collect()
}
