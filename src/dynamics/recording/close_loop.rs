//! Closes a loop that does not repeat, with rotations that the caller mixed from two of its cycles.
//!
//! Mixing preserves lengths, because only joints rotate. It adds no twist: mixtures of rotations about axes across a bone
//! are rotations about axes across it. It can move bones into colliders, so every mixed pose is moved out of them again
//! and measured.

use glam::Quat;

use super::bake::Built;
use super::driven_rows::drive;
use super::tree_recording::align;
use crate::chains::keyed_rig::KeyedRig;
use crate::chains::rig::DynamicsRig;
use crate::chains::state::State;
use crate::error::BuildError;
use crate::input::Input;
use crate::keyed::SettingsOverTime;
use crate::measure::measurements::MeasuringBuffers;
use portamento_anim::Pose;
use portamento_base::progress::Progress;

impl Built {
    /// Replaces the recording by `mixed`, which has the same number of rotations in the same order, moved out of colliders.
    /// The last row becomes a copy of the first. Also measures the report again and drops the next cycle. `input` and
    /// `settings` must be those of the build.
    ///
    /// Returns `Err` if the settings are invalid or `progress` is cancelled. The rotations then stay, but the measurements
    /// may be incomplete.
    pub fn close_loop<'a>(
        &mut self,
        input: &Input,
        settings: impl Into<SettingsOverTime<'a>>,
        mixed: &[Quat],
        progress: &Progress,
    ) -> Result<(), BuildError> {
        let over_time: SettingsOverTime = settings.into();
        let rig = over_time.rig(input.skeleton, input.duration, input.metres_per_unit)?;
        let mut now = KeyedRig::new(&rig, over_time, self.step);
        let mut pose = Pose::rest(input.skeleton);
        drive(input.driver, input.skeleton, 0.0, &mut pose);
        let mut state = State::at(&rig, &pose);
        let steps = self.len();
        let count = self.joints.len();
        let mut rotations = Vec::with_capacity(mixed.len());
        let mut gauge = MeasuringBuffers::default();
        self.report.reset_measurements();
        for (index, rotations_now) in mixed.chunks_exact(count.max(1)).take(steps).enumerate() {
            progress.step(index, steps)?;
            let time = index as f64 * self.step;
            drive(input.driver, input.skeleton, time.min(input.duration), &mut pose);
            now.set_time(time);
            state.pose_from_rotations(&now.rig, &pose, rotations_now);
            let measured = gauge.measure(&now.rig, &state, &pose, time);
            self.report.contacts.push(measured.touching);
            self.report.add(&measured);
            let first = rotations.len();
            rotations.extend(gauge.rotations());
            if let Some(last) = first.checked_sub(count) {
                let (before, now) = rotations.split_at_mut(first);
                align(&before[last..], now);
            }
        }
        if let Some(last) = rotations.len().checked_sub(count) {
            rotations.copy_within(0..count, last);
        }
        self.rotations = rotations;
        self.following = Vec::new();
        self.off_step.rotations.clear();
        for time in std::mem::take(&mut self.off_step.times) {
            now.set_time(time);
            self.add_off_step(&now.rig, input, time);
        }
        self.report.closing = Some(self.gap());
        Ok(())
    }

    /// Adds a frame at `time` (seconds) between two rows, interpolated between them and moved out of all colliders. Also adds
    /// its measurements to the report.
    fn add_off_step(&mut self, rig: &DynamicsRig, input: &Input, time: f64) {
        let mut pose = Pose::rest(input.skeleton);
        drive(input.driver, input.skeleton, time, &mut pose);
        let mut shown = pose.clone();
        self.sample(time, &mut shown);
        let interpolated: Vec<Quat> = self.joints.iter().map(|&joint| shown.locals[joint].rotation).collect();
        let mut state = State::at(rig, &pose);
        state.pose_from_rotations(rig, &pose, &interpolated);
        let mut gauge = MeasuringBuffers::default();
        self.report.add(&gauge.measure(rig, &state, &pose, time));
        let mut row: Vec<Quat> = gauge.rotations().collect();
        align(&interpolated, &mut row);
        self.off_step.rotations.extend(row);
        self.off_step.times.push(time);
    }

    /// Returns the largest distance of a bone's end between the first and the last row, as a share of its length.
    fn gap(&self) -> f64 {
        let (Some(first), Some(last)) = (self.rows().next(), self.rows().last()) else { return 0.0 };
        // A rotation by a small angle moves the quaternion by half the angle, and the end of the bone by the angle.
        let distance = |(a, b): (&Quat, &Quat)| 2.0 * f64::from((*a - *b).length().min((*a + *b).length()));
        first.iter().zip(last).map(distance).fold(0.0, f64::max)
    }
}
