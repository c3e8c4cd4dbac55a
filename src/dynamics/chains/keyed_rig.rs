//! A rig whose settings change over time.

use std::borrow::Cow;

use super::rig::DynamicsRig;
use crate::keyed::{KeyedNumber, SettingsOverTime};
use crate::settings::Settings;
use crate::stepping::step_factors::StepFactors;

/// A rig with the settings at a current time; borrowed if nothing has keys.
pub(crate) struct KeyedRig<'a> {
    pub rig: Cow<'a, DynamicsRig>,
    /// Factors of all steps that end at the current time.
    pub factors: StepFactors,
    /// Length of a step, seconds.
    h: f64,
    keyed: &'a [KeyedNumber],
    /// Settings at the current time; `None` if nothing has keys.
    settings: Option<Settings>,
}

impl<'a> KeyedRig<'a> {
    /// Returns `rig` at time 0 for steps of `h` seconds. `rig` must be the rig of `over_time` or a part of it.
    pub fn new(rig: &'a DynamicsRig, over_time: SettingsOverTime<'a>, h: f64) -> Self {
        let settings = (!over_time.keyed.is_empty()).then(|| over_time.at(0.0));
        let factors = StepFactors::new(rig, h, 1.0);
        Self { rig: Cow::Borrowed(rig), factors, h, keyed: over_time.keyed, settings }
    }

    /// Sets the current time to `time` seconds. Does nothing if nothing has keys.
    pub fn set_time(&mut self, time: f64) {
        let Some(settings) = &mut self.settings else { return };
        settings.set_time(self.keyed, time);
        let rig = self.rig.to_mut();
        rig.take_values(settings);
        let memory = std::mem::take(&mut self.factors.retained_speed);
        self.factors = StepFactors::reusing_memory(rig, self.h, 1.0, memory);
    }
}
