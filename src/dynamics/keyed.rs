//! Settings that change over time: the numbers that act in each step independently.
//!
//! A step to the moment t uses the values at t. Settings that define the layout of the simulation (bones, colliders,
//! size) are constant. So are those that act before it (pre-roll) and those that would cause a jump if they changed (seed
//! and period of the wind).

use super::chains::rig::{DynamicsRig, STEP};
use super::error::{BuildError, check};
use super::settings::{AngleLimit, Chain, Settings};
use portamento_anim::Skeleton;
use portamento_anim::math::key_curve::KeyCurve;

/// A numeric setting with keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedNumber {
    /// The number.
    pub number: KeyableNumber,
    /// Value over time (seconds of the driving animation), in the unit of the setting.
    pub curve: KeyCurve,
}

/// Settings of which some numbers change over time.
#[derive(Clone, Copy, Debug)]
pub struct SettingsOverTime<'a> {
    /// Constant settings.
    pub settings: &'a Settings,
    /// Keyed settings. A number that does not exist in the settings, or a curve without keys, changes nothing.
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

    /// Returns the keyed numbers that affect the bones of `chains`. `chains` takes the index of a chain.
    pub(super) fn keyed_for(&self, chains: &dyn Fn(usize) -> bool) -> Vec<KeyedNumber> {
        let concerns = |keyed: &&KeyedNumber| match keyed.number {
            KeyableNumber::OfAll(_) => true,
            KeyableNumber::OfChain { chain, .. } => chains(chain),
        };
        self.keyed.iter().filter(concerns).cloned().collect()
    }
}

/// A number that can have keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyableNumber {
    /// The number at this index of [`NUMBERS`].
    OfAll(usize),
    /// The number of a chain.
    OfChain {
        /// Index of the chain.
        chain: usize,
        /// Index in [`CHAIN_NUMBERS`].
        number: usize,
    },
}

/// A path and the access to its number.
type Row<T> = (&'static str, for<'s> fn(&'s mut T) -> Option<&'s mut f64>);

/// The numbers of all chains that can have keys.
const NUMBERS: [Row<Settings>; 11] = [
    ("gravity/0", |settings| Some(&mut settings.gravity.x)),
    ("gravity/1", |settings| Some(&mut settings.gravity.y)),
    ("gravity/2", |settings| Some(&mut settings.gravity.z)),
    ("wind/direction/0", |settings| Some(&mut settings.wind.direction.x)),
    ("wind/direction/1", |settings| Some(&mut settings.wind.direction.y)),
    ("wind/direction/2", |settings| Some(&mut settings.wind.direction.z)),
    ("wind/strength", |settings| Some(&mut settings.wind.strength)),
    ("wind/gust", |settings| Some(&mut settings.wind.gust)),
    ("wind/turbulence", |settings| Some(&mut settings.wind.turbulence)),
    ("slerp_buffer", |settings| Some(&mut settings.slerp_buffer)),
    ("smoothing", |settings| Some(&mut settings.smoothing)),
];

/// The numbers of a chain that can have keys, below `chains/INDEX/`. Those of a limit exist for chains with that limit.
const CHAIN_NUMBERS: [Row<Chain>; 7] = [
    ("drag/value", |chain| Some(&mut chain.drag.value)),
    ("stiffness/value", |chain| Some(&mut chain.stiffness.value)),
    ("gravity/value", |chain| Some(&mut chain.gravity.value)),
    ("radius/value", |chain| Some(&mut chain.radius.value)),
    ("limit/cone/angle", |chain| if let AngleLimit::Cone { angle } = &mut chain.limit { Some(angle) } else { None }),
    ("limit/hinge/low", |chain| if let AngleLimit::Hinge { low, .. } = &mut chain.limit { Some(low) } else { None }),
    ("limit/hinge/high", |chain| if let AngleLimit::Hinge { high, .. } = &mut chain.limit { Some(high) } else { None }),
];

impl KeyableNumber {
    /// Returns the number at this path, list indices counted from 0: `wind/strength`, `chains/0/drag/value`. Returns
    /// `None` if it cannot have keys.
    pub fn at(path: &str) -> Option<Self> {
        let Some((chain, inner)) = path.strip_prefix("chains/").and_then(|rest| rest.split_once('/')) else {
            return NUMBERS.iter().position(|row| row.0 == path).map(Self::OfAll);
        };
        let number = CHAIN_NUMBERS.iter().position(|row| row.0 == inner)?;
        Some(Self::OfChain { chain: chain.parse().ok()?, number })
    }
}

impl Settings {
    /// Sets the numbers of `keyed` to their values at `time` seconds.
    pub(super) fn set_time(&mut self, keyed: &[KeyedNumber], time: f64) {
        for keyed in keyed {
            if let (Some(number), Some(value)) = (self.number_mut(keyed.number), keyed.curve.at(time)) {
                *number = value;
            }
        }
    }

    /// Returns the number; `None` if it does not exist in these settings.
    pub fn number_mut(&mut self, number: KeyableNumber) -> Option<&mut f64> {
        match number {
            KeyableNumber::OfAll(number) => (NUMBERS.get(number)?.1)(self),
            KeyableNumber::OfChain { chain, number } => (CHAIN_NUMBERS.get(number)?.1)(self.chains.get_mut(chain)?),
        }
    }
}
