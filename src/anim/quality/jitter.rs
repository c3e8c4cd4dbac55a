//! How much a clip trembles: where its body rests, and where a joint does by itself.

use glam::Affine3A;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::pauses::{Pauses, around, off_curve, turning_joints, turns_of};
use super::tremors::{Tremor, tremors};
use super::{Input, WorstFrame};
use crate::progress::{Cancelled, Progress};

/// How much the joint that trembles most does so, where the body rests and it does so most: the middle value over a fifth of a second on
/// both sides of a moment, so that a pause trembles as much in a long clip as in a short one. Or where that joint rests by itself, if it trembles
/// more there, see [`Tremor`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jitter {
    /// How far the joint turns off the smooth curve through its turns in the two frames before and the two after, degrees; a frame
    /// is that of the clip's rate, but at least a thirtieth of a second.
    pub degrees: f64,
    /// The joint's name.
    pub joint: String,
    /// The same of the joint that is moved about most while the body rests, by itself or by those it hangs on: how far it is off such
    /// a curve through its places, millimetres; `None` where the body never rests.
    pub millimetres: Option<f64>,
    /// Seconds that the body rests.
    pub seconds: f64,
    /// Where the joint that trembles most does so most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trembles_at: Option<WorstFrame>,
}

impl Jitter {
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let of_body = Self::of_body(input, frames, progress)?;
        let Some(of_joint) = Self::of_joint(input, frames, progress)? else { return Ok(of_body) };
        Ok(match of_body {
            Some(body) if body.degrees >= of_joint.degrees => Some(body),
            Some(Self { millimetres, seconds, .. }) => Some(Self { millimetres, seconds, ..of_joint }),
            None => Some(of_joint),
        })
    }

    /// Of the joint that trembles most while it rests, whatever the others do.
    fn of_joint(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let mut most: Option<(usize, Tremor)> = None;
        for joint in turning_joints(input.clip) {
            progress.step(joint, input.skeleton.len())?;
            for tremor in tremors(&turns_of(&frames.poses, joint), frames.step) {
                if most.as_ref().is_none_or(|(_, most)| tremor.degrees > most.degrees) {
                    most = Some((joint, tremor));
                }
            }
        }
        Ok(most.map(|(joint, Tremor { degrees, worst, .. })| Self {
            degrees,
            joint: input.skeleton.joints[joint].name.clone(),
            millimetres: None,
            seconds: 0.0,
            trembles_at: Some(WorstFrame { joint, time: frames.times[worst] }),
        }))
    }

    /// While the body rests.
    fn of_body(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let joints = turning_joints(input.clip);
        let pauses = Pauses::find(&frames.poses, &joints, frames.step, progress)?;
        let turns = |frame: usize| joints.iter().map(|&joint| pauses.off_curve(&frames.poses, joint, frame)).collect();
        let Some(most) = pauses.worst(0..frames.poses.len(), turns, progress)? else { return Ok(None) };
        let mut worlds: [Vec<Affine3A>; 5] = std::array::from_fn(|_| Vec::new());
        let places = |frame: usize| {
            let [before_that, before, after, after_that] = around(frame, pauses.apart);
            for (near, world) in [before_that, before, after, after_that, frame].into_iter().zip(&mut worlds) {
                frames.poses[near].world_from_joints(input.skeleton, world);
            }
            let off = |joint: usize| {
                let [before_that, before, after, after_that, here] =
                    worlds.each_ref().map(|world| world[joint].translation.as_dvec3());
                here.distance(off_curve([before_that, before, after, after_that]))
            };
            (0..input.skeleton.len()).map(off).collect()
        };
        let moved = pauses.worst(0..frames.poses.len(), places, progress)?.map_or(0.0, |most| most.middle);
        Ok(Some(Self {
            degrees: most.middle,
            joint: input.skeleton.joints[joints[most.column]].name.clone(),
            millimetres: Some(1000.0 * input.metres_per_unit * moved),
            seconds: pauses.frames.len() as f64 * frames.step,
            trembles_at: Some(WorstFrame { joint: joints[most.column], time: frames.times[most.frame] }),
        }))
    }
}
