//! The recording of a complete animation.

use glam::Quat;

use crate::measure::report::Report;
use crate::stepping::off_step::{OffStepFrames, SAME_STEP};
use portamento_anim::Pose;
use portamento_anim::math::mean::slerp;

/// A recording of all dynamic bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The joints that are simulated, parents first.
    pub joints: Vec<usize>,
    /// Seconds between recorded steps.
    pub step: f64,
    /// Warnings and measurements of the simulation.
    pub report: Report,
    /// Rotations step by step, one per joint.
    pub(crate) rotations: Vec<Quat>,
    /// Rotations of the next cycle if the loop does not repeat, otherwise empty.
    pub(crate) following: Vec<Quat>,
    pub(crate) off_step: OffStepFrames,
}

impl Built {
    /// Writes the recorded rotations at `time` (seconds, clamped) over `pose`, which holds the animation at that time.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        let count = self.joints.len();
        let last = (self.rotations.len() / count.max(1)).saturating_sub(1);
        let at = (time / self.step).clamp(0.0, last as f64);
        let nearest = at.round();
        // Frame times are rounded numbers: a step within [`SAME_STEP`] of the time is used as it is.
        let (step, part) = if (at - nearest).abs() < SAME_STEP { (nearest, 0.0) } else { (at.floor(), at.fract()) };
        // A frame between two steps was simulated separately: interpolating its neighbours would cut corners at contacts.
        if let Some(row) = self.off_step.find(time, self.step, count).filter(|_| part > 0.0) {
            return write(&self.joints, row, pose);
        }
        let row = step as usize * count;
        for (index, &joint) in self.joints.iter().enumerate() {
            let Some(&from) = self.rotations.get(row + index) else { return };
            let to = self.rotations.get(row + count + index).copied().unwrap_or(from);
            if let Some(local) = pose.locals.get_mut(joint) {
                local.rotation = slerp(from, to, part as f32);
            }
        }
    }

    /// Returns the recorded rotations step by step, one per joint of [`Built::joints`].
    pub fn rows(&self) -> impl Iterator<Item = &[Quat]> {
        self.rotations.chunks_exact(self.joints.len().max(1))
    }

    /// Returns the cycle after the recorded one, in rows as [`Built::rows`]; empty if the loop repeats.
    pub fn following(&self) -> impl Iterator<Item = &[Quat]> {
        self.following.chunks_exact(self.joints.len().max(1))
    }

    /// Sets the number of contacts in the report to 0 at all times (seconds) for which `acts` is false: the bones are not
    /// shown there.
    pub fn clear_inactive_contacts(&mut self, acts: &dyn Fn(f64) -> bool) {
        let contacts = self.report.contacts.iter_mut().enumerate();
        contacts.filter(|(step, _)| !acts(*step as f64 * self.step)).for_each(|(_, count)| *count = 0);
    }

    /// Returns the size of the recorded rotations and those of the next cycle in bytes, without frames between two steps.
    pub fn bytes(&self) -> usize {
        (self.rotations.len() + self.following.len()) * size_of::<Quat>()
    }

    /// Returns the number of recorded steps, including the first pose.
    pub fn len(&self) -> usize {
        self.rotations.len() / self.joints.len().max(1)
    }

    /// True if there are no recorded steps.
    pub fn is_empty(&self) -> bool {
        self.rotations.is_empty()
    }
}

/// Writes the rotations `row`, one for each of `joints`, to `pose`. Joints that `pose` lacks are ignored.
fn write(joints: &[usize], row: &[Quat], pose: &mut Pose) {
    for (&joint, &rotation) in joints.iter().zip(row) {
        if let Some(local) = pose.locals.get_mut(joint) {
            local.rotation = rotation;
        }
    }
}
