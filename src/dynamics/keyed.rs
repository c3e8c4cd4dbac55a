//! Settings that change over time: the numbers that act in each step independently.
//!
//! A step to the moment t uses the values at t. Settings that define the layout of the simulation (bones, colliders,
//! size) are constant. So are those that act before it (pre-roll) and those that would cause a jump if they changed (seed
//! and period of the wind).

use glam::DVec3;

use super::chains::rig::{DynamicsRig, STEP};
use super::error::{BuildError, check};
use super::settings::{AngleLimit, Chain, Settings};
use portamento_anim::Skeleton;
use portamento_anim::math::key_curve::KeyCurve;

/// A numeric setting with keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedNumber {
    /// Path of the field, list indices counted from 0: `wind/strength`, `chains/0/drag/value`.
    pub place: String,
    /// Value over time (seconds of the driving animation), in the unit of the setting.
    pub curve: KeyCurve,
}

/// Settings of which some numbers change over time.
#[derive(Clone, Copy, Debug)]
pub struct SettingsOverTime<'a> {
    /// Constant settings.
    pub settings: &'a Settings,
    /// Keyed settings. A path that [`Settings::number_mut`] does not know, or a curve without keys, changes nothing.
    pub keyed: &'a [KeyedNumber],
}

impl<'a> From<&'a Settings> for SettingsOverTime<'a> {
    fn from(settings: &'a Settings) -> Self {
        Self { settings, keyed: &[] }
    }
}

impl SettingsOverTime<'_> {
    /// Returns the settings at `time` seconds.
    pub fn at(&self, time: f64) -> Settings {
        let mut settings = self.settings.clone();
        settings.set_time(self.keyed, time);
        settings
    }

    /// Returns the rig at time 0, with enough substeps for the strongest forces until `end` seconds. Returns `Err` if the
    /// settings are invalid at any key.
    pub(super) fn rig(&self, skeleton: &Skeleton, end: f64, metres_per_unit: f64) -> Result<DynamicsRig, BuildError> {
        let mut rig = DynamicsRig::new(skeleton, &self.at(0.0), metres_per_unit)?;
        if self.keyed.is_empty() {
            return Ok(rig);
        }
        // Between keys all values stay between those of the keys, so checking the keys is enough.
        let keys = self.keyed.iter().flat_map(|number| number.curve.keys());
        keys.clone().try_for_each(|key| check(skeleton, &self.at(key.time), metres_per_unit))?;
        let lengths = rig.rest_lengths(skeleton);
        let (mut settings, mut worst, mut now) = (self.settings.clone(), 0.0_f64, rig.clone());
        let steps = (0..=(end / STEP).ceil().max(0.0) as usize).map(|step| step as f64 * STEP);
        for time in steps.chain(keys.map(|key| key.time)) {
            settings.set_time(self.keyed, time);
            now.take_values(&settings);
            worst = worst.max(now.pull_per_length(&lengths));
        }
        rig.set_substeps(worst);
        Ok(rig)
    }

    /// Returns the keyed numbers that affect the bones of `chains`.
    pub(super) fn keyed_for(&self, chains: &dyn Fn(usize) -> bool) -> Vec<KeyedNumber> {
        let concerns = |number: &&KeyedNumber| chain_of(&number.place).is_none_or(chains);
        self.keyed.iter().filter(concerns).cloned().collect()
    }
}

/// Returns the chain that the number at `path` belongs to; `None` for a setting of all chains.
fn chain_of(path: &str) -> Option<usize> {
    path.strip_prefix("chains/")?.split('/').next()?.parse().ok()
}

impl Settings {
    /// Sets the numbers of `keyed` to their values at `time` seconds.
    pub(super) fn set_time(&mut self, keyed: &[KeyedNumber], time: f64) {
        for KeyedNumber { place: path, curve } in keyed {
            if let (Some(number), Some(value)) = (self.number_mut(path), curve.at(time)) {
                *number = value;
            }
        }
    }

    /// Returns the number at the path `path` (see [`KeyedNumber::place`]); `None` if it cannot have keys.
    pub fn number_mut(&mut self, path: &str) -> Option<&mut f64> {
        let names: Vec<&str> = path.split('/').collect();
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

fn number_of_chain<'c>(chain: &'c mut Chain, path: &[&str]) -> Option<&'c mut f64> {
    Some(match (path, &mut chain.limit) {
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
