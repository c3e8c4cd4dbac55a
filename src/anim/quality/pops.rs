//! Joints that jump in single frames.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use crate::anim::{Curve, Interpolation, JointTracks};
use crate::math::mean::{angle_between, slerp};
use crate::progress::{Cancelled, Progress};

/// Degrees that a joint turns in one frame to be seen as a jump.
const LEAST: f64 = 12.0;
/// How many times a jump is larger than the turns around it.
const ALONE: f64 = 4.0;

/// A joint that jumps for one frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pop {
    /// The joint's name.
    pub joint: String,
    /// When, in seconds.
    pub time: f64,
    /// How far it turns at once, or how far it stands out for one frame, degrees.
    pub degrees: f64,
}

/// All jumps of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pops {
    /// Frames in which a joint jumps.
    pub frames: usize,
    /// The largest of them.
    pub worst: Option<Pop>,
}

impl Pops {
    /// Joints whose curves step do so on purpose and do not count, nor does what a quick but continuous motion turns: a jump is
    /// [`ALONE`] times larger than every turn within two frames of it.
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Self, Cancelled> {
        let mut jumps = vec![0.0_f64; frames.poses.len()];
        let mut worst: Option<Pop> = None;
        for joint in (0..input.skeleton.len()).filter(|&joint| turns(&input.clip.tracks[joint])) {
            progress.step(joint, input.skeleton.len())?;
            let turns: Vec<Quat> = frames.poses.iter().map(|pose| pose.locals[joint].rotation).collect();
            for Jump { frame, degrees, .. } in self::jumps(&turns) {
                jumps[frame] = jumps[frame].max(degrees);
                if worst.as_ref().is_none_or(|worst| degrees > worst.degrees) {
                    let name = input.skeleton.joints[joint].name.clone();
                    worst = Some(Pop { joint: name, time: frames.times[frame], degrees });
                }
            }
        }
        Ok(Self { frames: jumps.iter().filter(|&&degrees| degrees > 0.0).count(), worst })
    }
}

fn turns(tracks: &JointTracks) -> bool {
    let moves = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
    tracks.rotation.as_ref().is_some_and(moves)
}

/// Where a joint jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The frame that stands out, or the first at the other place.
    pub frame: usize,
    /// How far it is out, or how far it turns at once, degrees.
    pub degrees: f64,
    /// Away for one frame and back, not to another place.
    pub comes_back: bool,
}

/// Frames at which `turns`, one per frame, jump: at once to another place, or away for one frame and back.
pub fn jumps(turns: &[Quat]) -> Vec<Jump> {
    let steps: Vec<f64> = turns.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees()).collect();
    let around = |from: usize, until: usize| {
        let before = steps[from.saturating_sub(2)..from].iter();
        let after = steps[until.min(steps.len())..(until + 2).min(steps.len())].iter();
        before.chain(after).copied().fold(0.0, f64::max)
    };
    let mut jumps = Vec::new();
    // The first and the last step have nothing on one side to be told by.
    for i in 1..steps.len().saturating_sub(1) {
        if steps[i] >= LEAST && steps[i] > ALONE * around(i, i + 1) {
            jumps.push(Jump { frame: i + 1, degrees: steps[i], comes_back: false });
        }
        let out = angle_between(turns[i], slerp(turns[i - 1], turns[i + 1], 0.5)).to_degrees();
        let comes_back = angle_between(turns[i - 1], turns[i + 1]).to_degrees() < 0.5 * out;
        if out >= LEAST && comes_back && out > ALONE * around(i - 1, i + 1) {
            jumps.push(Jump { frame: i, degrees: out, comes_back: true });
        }
    }
    jumps
}
