//! Joints that jump in single frames.

use std::ops::Range;

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::jumps::{Jump, excess_over_neighbours, jumps, steps};
use super::pauses::{turning_joints, turns_of};
use super::{Input, OtherJoints, follows_its_foot};
use crate::contacts::runs;
use crate::parallel_map::parallel_map;
use crate::{Clip, Curve, Interpolation};
use portamento_base::progress::{Cancelled, Progress};

/// Maximum seconds between two keys for a single outlying key to count as a jump and not as a gesture. Tuned; no
/// derivation recorded.
const QUICK_KEYS_MAX_SECONDS: f64 = 0.06;
/// Maximum difference between adjacent key gaps that count as even, as a fraction of a gap.
const UNEVEN_GAP_MAX_FRACTION: f64 = 0.1;

/// A jump of one joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pop {
    /// The joint's name.
    pub joint: String,
    /// Time of the jump, seconds.
    pub time: f64,
    /// Size of the step, or deviation of the outlier frames, degrees.
    pub degrees: f64,
}

/// All jumps of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pops {
    /// Number of frames in which a joint jumps.
    pub frames: usize,
    /// The largest jump.
    pub worst: Option<Pop>,
    /// The step that exceeds its neighbours most, whether or not it counts as a jump; `degrees` is the excess.
    #[serde(default)]
    pub beyond: Option<Pop>,
}

impl Pops {
    /// Measures all jumps of a clip.
    ///
    /// Step-interpolated curves do not count. Neither does fast continuous motion, see [`jumps`], nor a leg that follows its
    /// foot, see [`follows_its_foot`]. Returns `Err` if `progress` is cancelled.
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Self, Cancelled> {
        let mut largest = vec![0.0_f64; frames.poses.len()];
        let [mut worst, mut beyond]: [Option<Pop>; 2] = [None, None];
        let keep_larger = |known: &mut Option<Pop>, joint: usize, frame: usize, degrees: f64| {
            if known.as_ref().is_none_or(|known| degrees > known.degrees) {
                let name = input.skeleton.joints[joint].name.clone();
                *known = Some(Pop { joint: name, time: frames.times[frame], degrees });
            }
        };
        let joints = turning_joints(input.clip);
        let quick = QuickKeys::between_frames(input.clip, frames.step);
        let all = OtherJoints::of(&frames.times, &frames.poses, &joints, progress)?;
        let of_joint = |index: usize| JointPops::measure(input, frames, joints[index], (&all, quick));
        let found = parallel_map(joints.len(), frames.times.len(), progress, of_joint)?;
        for (joint, JointPops { jumps, excess }) in joints.into_iter().zip(found) {
            for Jump { frame, degrees, .. } in jumps {
                largest[frame] = largest[frame].max(degrees);
                keep_larger(&mut worst, joint, frame, degrees);
            }
            excess.into_iter().for_each(|(frame, degrees)| keep_larger(&mut beyond, joint, frame, degrees));
        }
        Ok(Self { frames: largest.iter().filter(|&&degrees| degrees > 0.0).count(), worst, beyond })
    }
}

/// The jumps of one joint.
struct JointPops {
    jumps: Vec<Jump>,
    /// Frame after the step that exceeds its neighbours most, and by how many degrees.
    excess: Option<(usize, f64)>,
}

impl JointPops {
    /// Finds the jumps of `joint` at frames and between them. `all` are the deviations of all joints; `quick` selects the keys
    /// that are examined between frames.
    fn measure(input: &Input, frames: &Frames, joint: usize, (all, quick): (&OtherJoints, QuickKeys)) -> Self {
        let turns = turns_of(&frames.poses, joint);
        let curve = input.clip.tracks[joint].rotation.iter();
        let is_intended = |times: &[f64], jump: &Jump| follows_its_foot(input, times, joint, jump);
        let mut jumps = jumps(&frames.times, &turns, |steps| all.largest_bend_of_others(joint, steps));
        jumps.retain(|jump| !(all.moves_with_others(joint, jump) && is_intended(&frames.times, jump)));
        jumps.extend(curve.flat_map(|curve| key_jumps(curve, frames, quick, is_intended)));
        let steps = steps(&turns);
        let excess = (0..steps.len()).map(|i| (i + 1, excess_over_neighbours(&steps, i)));
        Self { jumps, excess: excess.max_by(|a, b| a.1.total_cmp(&b.1)) }
    }
}

/// Returns the jumps among the selected `keys` of `curve`, except those for which `is_intended` is true, each at the nearest
/// frame. The other joints are unknown between frames.
fn key_jumps(
    curve: &Curve<Quat>,
    frames: &Frames,
    keys: QuickKeys,
    is_intended: impl Fn(&[f64], &Jump) -> bool,
) -> Vec<Jump> {
    let last = frames.times.len() - 1;
    let frame =
        |key: usize| (((f64::from(curve.times[key]) - frames.times[0]) / frames.step).round() as usize).min(last);
    let of_run = |run: Range<usize>| {
        let first = run.start;
        let times: Vec<f64> = curve.times[run.clone()].iter().map(|&time| f64::from(time)).collect();
        let mut found = jumps(&times, &curve.values[run], |_| f64::INFINITY);
        found.retain(|jump| !is_intended(&times, jump));
        found.into_iter().map(move |jump| Jump { frame: first + jump.frame, ..jump })
    };
    keys.runs(curve).into_iter().flat_map(of_run).map(|jump| Jump { frame: frame(jump.frame), ..jump }).collect()
}

/// Selects the keys that are examined in addition to the frames of a clip.
#[derive(Clone, Copy, Debug)]
pub struct QuickKeys {
    /// Minimum seconds between two keys.
    shortest: f64,
    /// Maximum difference between two adjacent gaps, as a fraction of a gap.
    uneven: f64,
}

impl QuickKeys {
    /// Returns the selection for `clip`, whose frames are `step` seconds apart.
    ///
    /// Keys on frames are already examined as frames, except where gaps between them are wider. Keys without a rate
    /// are examined if they are evenly spaced.
    pub fn between_frames(clip: &Clip, step: f64) -> Self {
        match clip.key_rate() {
            Some(_) => Self { shortest: 1.5 * step, uneven: f64::INFINITY },
            None => Self { shortest: 0.5 * step, uneven: UNEVEN_GAP_MAX_FRACTION },
        }
    }

    /// Returns ranges of the keys of `curve` whose selected keys follow each other quickly, in order; none unless the curve is
    /// linear. Adjacent ranges may share a key.
    pub fn runs(self, curve: &Curve<Quat>) -> Vec<Range<usize>> {
        if curve.interpolation != Interpolation::Linear {
            return Vec::new();
        }
        let gaps: Vec<f64> = curve.times.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect();
        let is_quick: Vec<bool> =
            gaps.iter().map(|gap| (self.shortest..=QUICK_KEYS_MAX_SECONDS).contains(gap)).collect();
        let is_even = |i: usize| (gaps[i] - gaps[i - 1]).abs() <= self.uneven * gaps[i];
        let mut found: Vec<Range<usize>> = Vec::new();
        for quick in runs(&is_quick) {
            let cuts = (quick.start + 1..quick.end).filter(|&i| !is_even(i));
            let mut start = quick.start;
            for end in cuts.chain([quick.end]) {
                found.push(start..end + 1);
                start = end;
            }
        }
        found
    }
}
