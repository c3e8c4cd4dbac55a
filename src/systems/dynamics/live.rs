//! The same steps, driven by hand: for dragging the character and changing settings while the bones move.

use super::driven_rows::drive;
use super::error::BuildError;
use super::rig::{DynamicsRig, STEP};
use super::settings::Settings;
use super::state::State;
use super::step::step;
use crate::anim::{Pose, Skeleton};

/// Bones in motion. Steps are always 1/240 s; the settings may change between them without a reset.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSimulation {
    rig: DynamicsRig,
    state: State,
    steps: u64,
    pose: Pose,
}

impl LiveSimulation {
    /// Starts at time 0 in `pose`, at rest.
    pub fn new(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64, pose: Pose) -> Result<Self, BuildError> {
        let rig = DynamicsRig::new(skeleton, settings, metres_per_unit)?;
        Ok(Self { state: State::at(&rig, &pose), rig, steps: 0, pose })
    }

    /// Seconds simulated so far.
    pub fn time(&self) -> f64 {
        self.steps as f64 * STEP
    }

    /// Takes changed settings over; positions and speeds stay.
    pub fn change(&mut self, skeleton: &Skeleton, settings: &Settings) -> Result<(), BuildError> {
        let rig = DynamicsRig::new(skeleton, settings, self.rig.metres_per_unit)?;
        self.state = self.state.clone().adapted(&self.rig, &rig, &self.pose);
        self.rig = rig;
        Ok(())
    }

    /// Steps on until the next step would pass `until` seconds, but at most `most` times; answers how many steps remain to be done.
    pub fn advance(
        &mut self,
        skeleton: &Skeleton,
        driver: &(dyn Fn(f64, &mut Pose) + Sync),
        until: f64,
        most: u64,
    ) -> u64 {
        let wanted = step_at(until);
        // A program that was held up must not try to make up for all of it in one frame.
        let last = wanted.min(self.steps + most);
        while self.steps < last {
            let start = self.time();
            let substeps = f64::from(self.rig.substeps);
            for substep in 1..=self.rig.substeps {
                let time = (start / STEP + f64::from(substep) / substeps) * STEP;
                drive(driver, skeleton, time, &mut self.pose);
                step(&self.rig, &mut self.state, &self.pose, time, STEP / substeps);
            }
            self.steps += 1;
        }
        wanted.saturating_sub(self.steps)
    }

    /// Drops the steps that were not done in time: the bones go on from `time` seconds as they are.
    pub fn skip_to(&mut self, time: f64) {
        self.steps = step_at(time);
    }

    /// Writes the rotations of the simulated joints over `pose`.
    pub fn write(&self, pose: &mut Pose) {
        for (index, bone) in self.rig.bones.iter().enumerate() {
            if let Some(local) = pose.locals.get_mut(bone.joint) {
                local.rotation = self.state.local_rotation(&self.rig, index).as_quat().normalize();
            }
        }
    }

    /// The bones that are simulated.
    pub fn rig(&self) -> &DynamicsRig {
        &self.rig
    }

    /// Where the bones are.
    #[cfg(test)]
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// The last step that `time` seconds reach; a rounded number of steps counts as that many.
fn step_at(time: f64) -> u64 {
    // Past ten million seconds there is no queue worth keeping; the cast saturates.
    (time / STEP + 1e-6).floor().clamp(0.0, 2.4e9) as u64
}
