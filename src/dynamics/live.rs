//! Live simulation with the same steps, for dragging the character and changing settings while the bones move.

use super::chains::rig::{DynamicsRig, STEP};
use super::chains::state::State;
use super::error::BuildError;
use super::recording::driven_rows::drive;
use super::settings::Settings;
use super::stepping::step::step;
use portamento_anim::{Pose, Skeleton};

/// Running simulation. Steps are always 1/240 s; settings may change between them without a reset.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSimulation {
    rig: DynamicsRig,
    state: State,
    steps: u64,
    pose: Pose,
}

impl LiveSimulation {
    /// Starts a simulation at time 0 in `pose`, at rest.
    ///
    /// Returns `Err` if the settings are invalid.
    pub fn new(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64, pose: Pose) -> Result<Self, BuildError> {
        let rig = DynamicsRig::new(skeleton, settings, metres_per_unit)?;
        Ok(Self { state: State::at(&rig, &pose), rig, steps: 0, pose })
    }

    /// Returns the simulated time, seconds.
    pub fn time(&self) -> f64 {
        self.steps as f64 * STEP
    }

    /// Changes the settings; positions and speeds stay.
    ///
    /// Returns `Err`, without any change, if the settings are invalid.
    pub fn change(&mut self, skeleton: &Skeleton, settings: &Settings) -> Result<(), BuildError> {
        let rig = DynamicsRig::new(skeleton, settings, self.rig.metres_per_unit)?;
        self.state = self.state.clone().adapt_to(&self.rig, &rig, &self.pose);
        self.rig = rig;
        Ok(())
    }

    /// Steps until the next step would pass `until` seconds, but at most `max_steps` times. Returns the number of steps that
    /// remain. `driver` writes the animated pose at a time in seconds.
    pub fn advance(
        &mut self,
        skeleton: &Skeleton,
        driver: &(dyn Fn(f64, &mut Pose) + Sync),
        until: f64,
        max_steps: u64,
    ) -> u64 {
        let wanted = step_at(until);
        // After a delay, the program must not catch up within a single frame.
        let last = wanted.min(self.steps + max_steps);
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

    /// Sets the time to `time` seconds without simulating the skipped steps; the bones stay as they are.
    pub fn skip_to(&mut self, time: f64) {
        self.steps = step_at(time);
    }

    /// Writes the rotations of the simulated joints into `pose`.
    pub fn write(&self, pose: &mut Pose) {
        for (index, bone) in self.rig.bones.iter().enumerate() {
            if let Some(local) = pose.locals.get_mut(bone.joint) {
                local.rotation = self.state.local_rotation(&self.rig, index).as_quat().normalize();
            }
        }
    }

    /// Returns the rig.
    pub fn rig(&self) -> &DynamicsRig {
        &self.rig
    }

    /// Returns the state of the bones.
    #[cfg(test)]
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// Returns the number of complete steps in `time` seconds, with a tolerance for rounding.
fn step_at(time: f64) -> u64 {
    // The limit, 10⁷ s, keeps the cast in range.
    (time / STEP + 1e-6).floor().clamp(0.0, 2.4e9) as u64
}
