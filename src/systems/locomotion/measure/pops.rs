//! Joints that turn in one frame far more than in the frames beside it, or than their clips turn them.

use super::super::ankle_sweep::OVER_CLIP;
use super::super::clip_roles::ClipSet;
use super::super::knee_swing::FASTEST;
use super::super::report::{FrameReport, Pop};
use super::super::segment::Rig;
use crate::anim::quality::beyond_neighbours;
use crate::anim::{Clip, Pose};
use crate::math::mean::angle_between;

/// Finished frames, and what is told of each.
pub(super) struct Made<'a> {
    pub poses: &'a [Pose],
    pub frames: &'a [FrameReport],
}

impl Made<'_> {
    fn pop(&self, rig: Rig, joint: usize, (frame, degrees): (usize, f64)) -> Pop {
        Pop {
            joint: rig.input.skeleton.joints[joint].name.clone(),
            degrees,
            time: frame as f64 / rig.settings.fps,
            clip: self.frames.get(frame).map_or_else(String::new, |frame| frame.clip.clone()),
        }
    }

    /// The largest pop of all joints, and the joint that turns most in one frame.
    pub fn pops(&self, rig: Rig) -> [Option<Pop>; 2] {
        let most = |measure: fn(&[f64], usize) -> f64| {
            let of_joint = |joint: usize| {
                let turns = turns(self.poses, joint);
                let worst = (0..turns.len()).map(|i| (i + 1, measure(&turns, i))).max_by(|a, b| a.1.total_cmp(&b.1));
                worst.map(|worst| (joint, worst))
            };
            let worst = (0..rig.input.skeleton.len()).filter_map(of_joint).max_by(|a, b| a.1.1.total_cmp(&b.1.1));
            worst.map(|(joint, worst)| self.pop(rig, joint, worst))
        };
        [most(beyond_neighbours), most(|turns, i| turns[i])]
    }

    /// The joint that turns in one frame the furthest beyond what the playing clips turn it and the quickest way over from one
    /// to the next adds, and how far it turns; `None` where none does.
    pub fn thrown(&self, rig: Rig, clips: &ClipSet) -> Option<Pop> {
        let playing = playing(clips);
        let way_over = (FASTEST / rig.settings.fps).to_degrees();
        let of_joint = |joint: usize| {
            let turns = turns(self.poses, joint);
            let (i, &most) = turns.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
            // Most joints turn less than the way over may, whatever their clips do.
            let own = || playing.iter().map(|clip| own_turn(rig, clip, joint)).fold(0.0, f64::max);
            let over = if most > way_over { most - way_over - OVER_CLIP * own() } else { 0.0 };
            (over > 0.0).then_some((joint, (i + 1, most), over))
        };
        let worst = (0..rig.input.skeleton.len()).filter_map(of_joint).max_by(|a, b| a.2.total_cmp(&b.2));
        worst.map(|(joint, turn, _)| self.pop(rig, joint, turn))
    }
}

/// Every clip of the set.
fn playing(clips: &ClipSet) -> Vec<&Clip> {
    let gaits = clips.gaits.iter().map(|gait| &gait.source.clip);
    let once = clips.start.iter().chain(&clips.stop).map(|clip| &clip.source.clip);
    let turns = clips.turns.iter().map(|turn| &turn.clip);
    std::iter::once(&clips.idle.clip).chain(gaits).chain(once).chain(turns).collect()
}

/// The largest turn of `joint` from one frame of `clip` to the next where it is played at the fastest rate, degrees.
fn own_turn(rig: Rig, clip: &Clip, joint: usize) -> f64 {
    let step = rig.settings.play_rates[1] / rig.settings.fps;
    let Some(curve) = clip.tracks.get(joint).and_then(|tracks| tracks.rotation.as_ref()) else { return 0.0 };
    let turn = |frame: usize| curve.sample(frame as f64 * step).unwrap_or_default();
    let count = (clip.duration / step) as usize;
    let turns = (0..count).map(|frame| angle_between(turn(frame), turn(frame + 1)));
    turns.fold(0.0, f64::max).to_degrees()
}

/// Degrees by which a joint turns into each frame but the first.
fn turns(poses: &[Pose], joint: usize) -> Vec<f64> {
    let turn = |pair: &[Pose]| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).map(|pair| turn(pair).to_degrees()).collect()
}
