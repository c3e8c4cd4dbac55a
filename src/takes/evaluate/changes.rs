//! The effect of a stage on every joint in every frame.

use portamento_anim::math::mean::angle_between;
use portamento_anim::{Clip, Pose};

use super::{BuiltTake, Content};

/// The change of each joint in each frame, without unchanged joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The changed joints, in skeleton order.
    pub joints: Vec<usize>,
    /// Times of the frames, seconds.
    pub times: Vec<f64>,
    /// Changes of all frames of the first joint, then of the second, and so on.
    pub cells: Vec<JointChange>,
}

/// The change of one joint in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointChange {
    /// Rotation, degrees.
    pub degrees: f32,
    /// Displacement relative to the parent, metres.
    pub metres: f32,
}

/// Maximum number of compared frames. Longer clips are sampled more coarsely. Tuned; no derivation recorded.
const MAX_COMPARED_FRAMES: usize = 2000;

impl Changes {
    /// Returns the change of joint `row` of [`Changes::joints`] at frame `frame` of [`Changes::times`]; none out of range.
    pub fn at(&self, row: usize, frame: usize) -> JointChange {
        self.cells.get(row * self.times.len() + frame).copied().unwrap_or_default()
    }

    /// Returns the largest rotation and the largest displacement over all joints and frames. They may be of different joints.
    pub fn largest(&self) -> JointChange {
        self.cells.iter().fold(JointChange::default(), |largest, cell| JointChange {
            degrees: largest.degrees.max(cell.degrees),
            metres: largest.metres.max(cell.metres),
        })
    }
}

impl BuiltTake {
    /// Returns the changes by the active stage at `index`; `None` if it changes the duration or the take has no joints.
    /// `index` counts the active stages from 0.
    pub fn changes(&self, index: usize) -> Option<Changes> {
        let (before, after) = (self.before_stage(index), &self.stages.get(index)?.clip);
        if !matches!(self.content, Content::Joints) || before.duration != after.duration {
            return None;
        }
        let skeleton = &self.character.model.skeleton;
        let count = ((after.duration * self.fps).round() as usize).clamp(1, MAX_COMPARED_FRAMES);
        let times: Vec<f64> = (0..=count).map(|frame| after.duration * frame as f64 / count as f64).collect();
        let poses = |clip: &Clip| -> Vec<Pose> { times.iter().map(|&time| clip.pose_at(skeleton, time)).collect() };
        let (before, after) = (poses(before), poses(after));
        let mut changes = Changes { joints: Vec::new(), times, cells: Vec::new() };
        for joint in 0..skeleton.len() {
            let pairs = before.iter().zip(&after).map(|(before, after)| (&before.locals[joint], &after.locals[joint]));
            let cells: Vec<JointChange> = pairs
                .map(|(before, after)| match before == after {
                    true => JointChange::default(),
                    false => JointChange {
                        degrees: angle_between(before.rotation, after.rotation).to_degrees() as f32,
                        metres: before.translation.distance(after.translation) * self.metres_per_unit as f32,
                    },
                })
                .collect();
            if cells.iter().any(|cell| *cell != JointChange::default()) {
                changes.joints.push(joint);
                changes.cells.extend(cells);
            }
        }
        Some(changes)
    }
}
