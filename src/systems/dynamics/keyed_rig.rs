//! A rig at one moment after the other.

use std::borrow::Cow;

use super::keyed::{KeyedNumber, SettingsOverTime};
use super::rig::DynamicsRig;
use super::settings::Settings;
use super::step_factors::StepFactors;

/// A rig with the numbers of the moment it was last sent to; one without keys is only borrowed.
pub(super) struct KeyedRig<'a> {
    pub rig: Cow<'a, DynamicsRig>,
    /// What is the same in all steps that lead to that moment.
    pub factors: StepFactors,
    /// Seconds of a step.
    h: f64,
    keyed: &'a [KeyedNumber],
    /// With the numbers of the moment; none where nothing changes.
    settings: Option<Settings>,
}

impl<'a> KeyedRig<'a> {
    /// `rig`, which is one of `over_time` or a part of one, at time 0 and for steps of `h` seconds.
    pub fn new(rig: &'a DynamicsRig, over_time: SettingsOverTime<'a>, h: f64) -> Self {
        let settings = (!over_time.keyed.is_empty()).then(|| over_time.at(0.0));
        let factors = StepFactors::new(rig, h, 1.0);
        Self { rig: Cow::Borrowed(rig), factors, h, keyed: over_time.keyed, settings }
    }

    /// Goes to `time` seconds.
    pub fn go_to(&mut self, time: f64) {
        let Some(settings) = &mut self.settings else { return };
        settings.go_to(self.keyed, time);
        let rig = self.rig.to_mut();
        rig.take_values(settings);
        let room = std::mem::take(&mut self.factors.kept_speed);
        self.factors = StepFactors::in_room(rig, self.h, 1.0, room);
    }
}
