//! Settings that change over time: the numbers that act in every step by themselves.
//!
//! A step to the moment t is made with the values at t, so that what the bones did before is as those numbers were then. What
//! decides how the simulation is laid out (bones, colliders, size), what happens before it (pre-roll), and what would jump if it
//! changed (seed and period of the wind) holds throughout.

use glam::DVec3;

use super::error::{BuildError, check};
use super::rig::{DynamicsRig, STEP};
use super::settings::{AngleLimit, Chain, Settings};
use crate::anim::Skeleton;
use crate::math::key_curve::KeyCurve;

/// A number of the settings with keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedNumber {
    /// Names from the outside in, of lists the place from 0: `wind/strength`, `chains/0/drag/value`.
    pub place: String,
    /// Its value over time (seconds of the driving animation), in its own unit.
    pub curve: KeyCurve,
}

/// Settings of which some numbers change over time.
#[derive(Clone, Copy, Debug)]
pub struct SettingsOverTime<'a> {
    /// What does not change.
    pub settings: &'a Settings,
    /// What does; a place that [`Settings::number_mut`] does not know, or without keys, changes nothing.
    pub keyed: &'a [KeyedNumber],
}

impl<'a> From<&'a Settings> for SettingsOverTime<'a> {
    fn from(settings: &'a Settings) -> Self {
        Self { settings, keyed: &[] }
    }
}

impl SettingsOverTime<'_> {
    /// The settings at `time` seconds.
    pub fn at(&self, time: f64) -> Settings {
        let mut settings = self.settings.clone();
        settings.go_to(self.keyed, time);
        settings
    }

    /// The rig at time 0, with as many substeps as the strongest forces until `end` seconds need. Refuses what cannot be stepped at
    /// any key.
    pub(super) fn rig(&self, skeleton: &Skeleton, end: f64, metres_per_unit: f64) -> Result<DynamicsRig, BuildError> {
        let mut rig = DynamicsRig::new(skeleton, &self.at(0.0), metres_per_unit)?;
        if self.keyed.is_empty() {
            return Ok(rig);
        }
        // Between keys all numbers lie between those at keys, and so do the rules for them.
        let keys = self.keyed.iter().flat_map(|number| number.curve.keys());
        keys.clone().try_for_each(|key| check(skeleton, &self.at(key.time), metres_per_unit))?;
        let lengths = rig.rest_lengths(skeleton);
        let (mut settings, mut worst, mut now) = (self.settings.clone(), 0.0_f64, rig.clone());
        let steps = (0..=(end / STEP).ceil().max(0.0) as usize).map(|step| step as f64 * STEP);
        for time in steps.chain(keys.map(|key| key.time)) {
            settings.go_to(self.keyed, time);
            now.take_values(&settings);
            worst = worst.max(now.pull_per_length(&lengths));
        }
        rig.cut_steps(worst);
        Ok(rig)
    }

    /// What changes for bones of `chains`.
    pub(super) fn keyed_for(&self, chains: &dyn Fn(usize) -> bool) -> Vec<KeyedNumber> {
        let concerns = |number: &&KeyedNumber| chain_of(&number.place).is_none_or(chains);
        self.keyed.iter().filter(concerns).cloned().collect()
    }
}

/// The chain whose number is at `place`; `None` where it is one of all chains.
fn chain_of(place: &str) -> Option<usize> {
    place.strip_prefix("chains/")?.split('/').next()?.parse().ok()
}

impl Settings {
    /// Gives the numbers of `keyed` the values that they have at `time` seconds.
    pub(super) fn go_to(&mut self, keyed: &[KeyedNumber], time: f64) {
        for KeyedNumber { place, curve } in keyed {
            if let (Some(number), Some(value)) = (self.number_mut(place), curve.at(time)) {
                *number = value;
            }
        }
    }

    /// The number at `place` (see [`KeyedNumber::place`]), if it is one that acts in every step by itself.
    pub fn number_mut(&mut self, place: &str) -> Option<&mut f64> {
        let names: Vec<&str> = place.split('/').collect();
        match names[..] {
            ["gravity", axis] => component(&mut self.gravity, axis),
            ["wind", "direction", axis] => component(&mut self.wind.direction, axis),
            ["wind", "strength"] => Some(&mut self.wind.strength),
            ["wind", "gust"] => Some(&mut self.wind.gust),
            ["wind", "turbulence"] => Some(&mut self.wind.turbulence),
            ["slerp_buffer"] => Some(&mut self.slerp_buffer),
            ["smoothing"] => Some(&mut self.smoothing),
            ["chains", chain, ref inner @ ..] => {
                number_of_chain(self.chains.get_mut(chain.parse::<usize>().ok()?)?, inner)
            }
            _ => None,
        }
    }
}

fn number_of_chain<'c>(chain: &'c mut Chain, place: &[&str]) -> Option<&'c mut f64> {
    Some(match (place, &mut chain.limit) {
        (["drag", "value"], _) => &mut chain.drag.value,
        (["stiffness", "value"], _) => &mut chain.stiffness.value,
        (["gravity", "value"], _) => &mut chain.gravity.value,
        (["radius", "value"], _) => &mut chain.radius.value,
        (["limit", "cone", "angle"], AngleLimit::Cone { angle }) => angle,
        (["limit", "hinge", "low"], AngleLimit::Hinge { low, .. }) => low,
        (["limit", "hinge", "high"], AngleLimit::Hinge { high, .. }) => high,
        _ => return None,
    })
}

fn component<'v>(vector: &'v mut DVec3, axis: &str) -> Option<&'v mut f64> {
    Some(match axis {
        "0" => &mut vector.x,
        "1" => &mut vector.y,
        "2" => &mut vector.z,
        _ => return None,
    })
}
