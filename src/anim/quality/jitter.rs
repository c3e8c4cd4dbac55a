//! Noise of a clip while its body rests, or while one joint rests.

use glam::Affine3A;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::pauses::{Pauses, around, cubic_at_middle, turning_joints, turns_of};
use super::tremors::{Tremor, tremors};
use super::{Input, WorstFrame};
use crate::parallel_map::parallel_map;
use portamento_base::progress::{Cancelled, Progress};

/// Noise of the joint that trembles most, at the rest where it trembles most.
///
/// The noise is the median over a fifth of a second before and after a moment, so that the length of the clip has no
/// influence.
/// If a single joint trembles more while only that joint rests, `degrees`, `joint` and `trembles_at` are those of its [`Tremor`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jitter {
    /// Deviation of the joint's rotation from a smooth curve through the two frames before and the two after,
    /// degrees.
    /// A frame is one of the clip's rate, but at least a thirtieth of a second.
    pub degrees: f64,
    /// The joint's name.
    pub joint: String,
    /// Deviation of a joint's position from such a curve, millimetres, for the joint that moves most while the body
    /// rests, including motion inherited from its parents; `None` if the body never rests.
    pub millimetres: Option<f64>,
    /// Seconds for which the body rests; 0 if it never does.
    pub seconds: f64,
    /// Joint and time of the largest noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trembles_at: Option<WorstFrame>,
}

impl Jitter {
    /// Measures the joint that trembles most, while the whole body rests or only that joint does. `millimetres` and
    /// `seconds` describe the resting body: `None` and 0 if it never rests.
    ///
    /// Returns `None` if the body never rests and no joint trembles while only that joint rests. Returns `Err` if
    /// `progress` is cancelled.
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let of_body = Self::of_body(input, frames, progress)?;
        let Some(of_joint) = Self::of_joint(input, frames, progress)? else { return Ok(of_body) };
        Ok(match of_body {
            Some(body) if body.degrees >= of_joint.degrees => Some(body),
            Some(Self { millimetres, seconds, .. }) => Some(Self { millimetres, seconds, ..of_joint }),
            None => Some(of_joint),
        })
    }

    /// Returns the noise of the joint that trembles most while it rests, whatever the other joints do; `None` if no joint does.
    /// Returns `Err` if `progress` is cancelled. `millimetres` is `None` and `seconds` is 0.
    fn of_joint(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let joints = turning_joints(input.clip);
        let tremors_of = |index: usize| tremors(&turns_of(&frames.poses, joints[index]), frames.step);
        let all = parallel_map(joints.len(), frames.times.len(), progress, tremors_of)?;
        let mut largest: Option<(usize, Tremor)> = None;
        for (joint, tremors) in joints.into_iter().zip(all) {
            for tremor in tremors {
                if largest.as_ref().is_none_or(|(_, largest)| tremor.degrees > largest.degrees) {
                    largest = Some((joint, tremor));
                }
            }
        }
        Ok(largest.map(|(joint, Tremor { degrees, worst, .. })| Self {
            degrees,
            joint: input.skeleton.joints[joint].name.clone(),
            millimetres: None,
            seconds: 0.0,
            trembles_at: Some(WorstFrame { joint, time: frames.times[worst] }),
        }))
    }

    /// Returns the noise while the whole body rests; `None` if it never does. Returns `Err` if `progress` is cancelled.
    fn of_body(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let joints = turning_joints(input.clip);
        let pauses = Pauses::find(&frames.poses, &joints, frames.step, progress)?;
        let turns = |frame: usize| joints.iter().map(|&joint| pauses.off_curve(&frames.poses, joint, frame)).collect();
        let Some(largest) = pauses.worst(0..frames.poses.len(), turns, progress)? else { return Ok(None) };
        let mut worlds: [Vec<Affine3A>; 5] = std::array::from_fn(|_| Vec::new());
        let deviations = |frame: usize| {
            let [two_before, before, after, two_after] = around(frame, pauses.apart);
            for (near, world) in [two_before, before, after, two_after, frame].into_iter().zip(&mut worlds) {
                frames.poses[near].world_from_joints(input.skeleton, world);
            }
            let off = |joint: usize| {
                let [two_before, before, after, two_after, here] =
                    worlds.each_ref().map(|world| world[joint].translation.as_dvec3());
                here.distance(cubic_at_middle([two_before, before, after, two_after]))
            };
            (0..input.skeleton.len()).map(off).collect()
        };
        let displacement =
            pauses.worst(0..frames.poses.len(), deviations, progress)?.map_or(0.0, |largest| largest.middle);
        Ok(Some(Self {
            degrees: largest.middle,
            joint: input.skeleton.joints[joints[largest.column]].name.clone(),
            millimetres: Some(1000.0 * input.metres_per_unit * displacement),
            seconds: pauses.frames.len() as f64 * frames.step,
            trembles_at: Some(WorstFrame { joint: joints[largest.column], time: frames.times[largest.frame] }),
        }))
    }
}
