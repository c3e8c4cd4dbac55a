//! Settings of a stage that are animated over time.
//!
//! A keyed setting takes the value of its curve at the time of the incoming motion. The curve is constant before the first key
//! and after the last, and eased between keys. The plain number of a keyed setting is ignored.
//!
//! Every stage that does not change time has an *influence*: 0 is the incoming motion, 1 the full effect, and values between
//! blend the joints. Apart from it, only numbers that act independently at each time can be keyed. Numbers that affect the full
//! motion at once (a count, a seed, an end, a time) cannot.

use super::field_edit::{FieldName, ListItem};
use super::{KeyedSetting, Stage};
use portamento_anim::math::key_curve::KeyCurve;
use portamento_dynamics::KeyableNumber;

/// The setting name of the influence.
pub const INFLUENCE: &str = "influence";

/// The common prefix of chain settings.
const CHAINS_PREFIX: &str = "settings/chains/";

impl Stage {
    /// Returns the number that can be keyed as `setting`; `None` if it does not exist or cannot be keyed. `setting` is a
    /// path as in [`KeyedSetting::setting`], here and below.
    pub fn number_mut(&mut self, setting: &str) -> Option<&mut f64> {
        if setting == INFLUENCE {
            return self.kind.has_influence().then_some(&mut self.influence);
        }
        let number = KeyableNumber::at(setting.strip_prefix("settings/")?)?;
        self.kind.as_dynamics_mut()?.settings.number_mut(number)
    }

    /// Returns the path of the keyed `setting` in the form used by setting changes.
    pub fn keyed_path(&self, setting: &str) -> Vec<FieldName> {
        let mut path: Vec<FieldName> = Vec::new();
        for name in setting.split('/').filter(|name| *name != "settings") {
            let of_chains = path.last().is_some_and(|parent| parent.name == "chains");
            path.push(match name.parse::<usize>() {
                Ok(chain) if of_chains => self.chain_name(chain),
                Ok(axis) => ["x", "y", "z"].get(axis).copied().unwrap_or(name).into(),
                Err(_) => name.into(),
            });
        }
        path
    }

    /// Returns the name of the dynamic chain at that index: its number from 1, with its own name if it has one.
    fn chain_name(&self, chain: usize) -> FieldName {
        let known = self.kind.as_dynamics().and_then(|dynamics| dynamics.settings.chains.get(chain));
        let named = known.filter(|chain| !chain.name.is_empty()).map(|chain| ListItem::Named(chain.name.clone()));
        FieldName { name: (chain + 1).to_string(), item: named }
    }

    /// Returns the keys of `setting`, if it has any.
    pub fn curve(&self, setting: &str) -> Option<&KeyCurve> {
        self.keys.iter().find(|keyed| keyed.setting == setting).map(|keyed| &keyed.keys)
    }

    /// Returns the keys of `setting`, mutably, and creates an empty curve if needed; `None` if the setting cannot be keyed.
    pub fn curve_mut(&mut self, setting: &str) -> Option<&mut KeyCurve> {
        self.number_mut(setting)?;
        let known = self.keys.iter().position(|keyed| keyed.setting == setting);
        let at = known.unwrap_or(self.keys.len());
        if known.is_none() {
            self.keys.push(KeyedSetting { setting: setting.to_owned(), keys: KeyCurve::default() });
        }
        Some(&mut self.keys[at].keys)
    }

    /// Removes keys of settings that no longer exist, and empty curves. A setting without keys uses its plain number again.
    pub fn tidy_keys(&mut self) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.retain(|keyed| !keyed.keys.is_empty() && self.number_mut(&keyed.setting).is_some());
        self.keys = keys;
    }

    /// Returns the stage with the values of its keyed settings at `time` seconds of the incoming motion.
    pub fn at(&self, time: f64) -> Self {
        let mut stage = self.clone();
        for keyed in &self.keys {
            if let (Some(number), Some(value)) = (stage.number_mut(&keyed.setting), keyed.keys.at(time)) {
                *number = value;
            }
        }
        stage
    }

    /// Removes the keys of chains that are not `retained` and renumbers the others as if the removed chains did not exist.
    /// `retained` gets the index of a chain. Keys of other settings stay.
    pub fn keep_keys_of_chains(&mut self, retained: &dyn Fn(usize) -> bool) {
        self.keys.retain_mut(|keyed| {
            let Some((chain, rest)) = keyed.setting.strip_prefix(CHAINS_PREFIX).and_then(|inner| inner.split_once('/'))
            else {
                return true;
            };
            let Some(chain) = chain.parse::<usize>().ok().filter(|&chain| retained(chain)) else { return false };
            let index = (0..chain).filter(|&before| retained(before)).count();
            keyed.setting = format!("{CHAINS_PREFIX}{index}/{rest}");
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::stage::Dynamics;
    use crate::document::{StageId, StageKind};
    use portamento_anim::math::key_curve::Key;
    use portamento_dynamics::{AngleLimit, Chain};

    fn with_chains(chains: usize) -> Stage {
        let mut dynamics = Dynamics::default();
        dynamics.settings.chains = vec![Chain::default(); chains];
        Stage::numbered(vec![StageKind::Dynamics(Box::new(dynamics))]).remove(0)
    }

    #[test]
    fn the_path_of_every_keyable_number_is_its_path_in_projects() {
        let mut stage = with_chains(2);
        let limits =
            [AngleLimit::Cone { angle: 0.5 }, AngleLimit::Hinge { axis: glam::DVec3::X, low: -0.5, high: 0.5 }];
        let chains = &mut stage.kind.as_dynamics_mut().unwrap().settings.chains;
        chains.iter_mut().zip(limits).for_each(|(chain, limit)| chain.limit = limit);
        let json = serde_json::to_value(&stage).unwrap();
        let mut numbers = Vec::new();
        numbers_of(&json["dynamics"], String::new(), &mut numbers);
        let keyable: Vec<&String> = numbers.iter().filter(|path| stage.number_mut(path).is_some()).collect();
        assert_eq!(keyable.len(), 3 + 3 + 3 + 2 + 2 * 4 + 1 + 2, "{keyable:?}");
        for (count, path) in keyable.iter().enumerate() {
            let mut changed = stage.clone();
            *changed.number_mut(path).unwrap() = 0.25 + count as f64;
            let json = serde_json::to_value(&changed).unwrap();
            assert_eq!(json["dynamics"].pointer(&format!("/{path}")), Some(&(0.25 + count as f64).into()), "{path}");
        }
        for wrong in ["", "settings", "settings/wind/seed", "settings/chains/2/drag/value", "settings/gravity/3", "x/y"]
        {
            assert!(stage.number_mut(wrong).is_none(), "{wrong}");
        }
        assert!(stage.number_mut(INFLUENCE).is_some());
        let mut trim = Stage { id: StageId(1), ..Stage::numbered(vec![StageKind::Trim(Box::default())]).remove(0) };
        assert!(trim.number_mut(INFLUENCE).is_none() && trim.curve_mut(INFLUENCE).is_none());
    }

    fn numbers_of(json: &serde_json::Value, at: String, all: &mut Vec<String>) {
        let child_path = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}/{key}") };
        match json {
            serde_json::Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| numbers_of(value, child_path(key), all));
            }
            serde_json::Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, value)| numbers_of(value, child_path(&i.to_string()), all));
            }
            value if value.is_number() => all.push(at),
            _ => {}
        }
    }

    #[test]
    fn keys_follow_their_chain_when_another_is_removed() {
        let mut stage = with_chains(3);
        for (chain, value) in [(0, 0.1), (1, 0.2), (2, 0.3)] {
            let setting = format!("settings/chains/{chain}/drag/value");
            stage.curve_mut(&setting).unwrap().put(0.0, value, 0.0);
        }
        stage.curve_mut("settings/gravity/1").unwrap().put(0.0, -1.0, 0.0);
        stage.keep_keys_of_chains(&|chain| chain != 1);
        let at = |setting: &str| stage.curve(setting).and_then(|curve| curve.at(0.0));
        assert_eq!(at("settings/chains/0/drag/value"), Some(0.1));
        assert_eq!(at("settings/chains/1/drag/value"), Some(0.3));
        assert_eq!(at("settings/gravity/1"), Some(-1.0));
        assert_eq!(stage.keys.len(), 3);
        stage.kind.as_dynamics_mut().unwrap().settings.chains.truncate(1);
        stage.tidy_keys();
        assert_eq!(stage.keys.len(), 2);
    }

    #[test]
    fn keys_are_saved_and_restored_and_absent_keys_are_not_written() {
        let mut stage = with_chains(1);
        assert!(serde_json::to_value(&stage).unwrap().get("keys").is_none());
        stage.influence = 0.5;
        let keys = vec![Key::new(1.0, 2.0), Key::new(0.0, 0.0)];
        stage.curve_mut("settings/wind/strength").unwrap().insert(keys);
        let text = serde_json::to_string(&stage).unwrap();
        assert_eq!(serde_json::from_str::<Stage>(&text).unwrap(), stage);
        assert_eq!(stage.at(0.5).kind.as_dynamics().unwrap().settings.wind.strength, 1.0);
    }
}
