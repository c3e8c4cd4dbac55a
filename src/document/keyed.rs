//! Settings of a stage that change over time.
//!
//! A setting with keys is at time t of the stage's incoming motion what its curve is at t: held before the first key and after the
//! last, eased between them. Its plain number then means nothing. Every stage that leaves time as it is has an *influence*: how much
//! of what it does is taken, 0 the motion as it comes in, 1 all of it, between them the joints mixed as a span's edges mix them.
//! Besides that only numbers can be keyed that act at each time by themselves; what decides over the whole motion at once (a count,
//! a seed, an end, a time) cannot.

use super::field_edit::{FieldName, ListItem};
use super::{KeyedSetting, Stage, StageKind};
use crate::math::key_curve::KeyCurve;

/// What the influence is called among settings.
pub const INFLUENCE: &str = "influence";

/// How settings of chains begin.
const CHAINS: &str = "settings/chains/";

impl StageKind {
    /// Whether it can be taken in part: it leaves time as it is.
    pub fn has_influence(&self) -> bool {
        match self {
            Self::Layer(_) | Self::Stretch(_) | Self::Dynamics(_) | Self::Ground(_) => true,
            Self::Mirror(_) | Self::Root(_) | Self::Cleanup(_) => true,
            Self::Loop(_) | Self::Close(_) | Self::Retime(_) | Self::Trim(_) | Self::Unknown(_) => false,
        }
    }
}

impl Stage {
    /// The number that can be keyed as `setting`; `None` where there is none, or one that means nothing at a time alone.
    pub fn number_mut(&mut self, setting: &str) -> Option<&mut f64> {
        if setting == INFLUENCE {
            return self.kind.has_influence().then_some(&mut self.influence);
        }
        self.kind.as_dynamics_mut()?.settings.number_mut(setting.strip_prefix("settings/")?)
    }

    /// Where the keyed `setting` stands, as changes of settings have it.
    pub fn keyed_path(&self, setting: &str) -> Vec<FieldName> {
        let mut path: Vec<FieldName> = Vec::new();
        for name in setting.split('/').filter(|name| *name != "settings") {
            let of_chains = path.last().is_some_and(|around| around.name == "chains");
            path.push(match name.parse::<usize>() {
                Ok(chain) if of_chains => self.chain_name(chain),
                Ok(axis) => ["x", "y", "z"].get(axis).copied().unwrap_or(name).into(),
                Err(_) => name.into(),
            });
        }
        path
    }

    fn chain_name(&self, chain: usize) -> FieldName {
        let known = self.kind.as_dynamics().and_then(|dynamics| dynamics.settings.chains.get(chain));
        let named = known.filter(|chain| !chain.name.is_empty()).map(|chain| ListItem::Named(chain.name.clone()));
        FieldName { name: (chain + 1).to_string(), item: named }
    }

    /// The keys of `setting`, if it has some.
    pub fn curve(&self, setting: &str) -> Option<&KeyCurve> {
        self.keys.iter().find(|keyed| keyed.setting == setting).map(|keyed| &keyed.keys)
    }

    /// The keys of `setting` to edit, none at first; what cannot be keyed has none.
    pub fn curve_mut(&mut self, setting: &str) -> Option<&mut KeyCurve> {
        self.number_mut(setting)?;
        let known = self.keys.iter().position(|keyed| keyed.setting == setting);
        let at = known.unwrap_or(self.keys.len());
        if known.is_none() {
            self.keys.push(KeyedSetting { setting: setting.to_owned(), keys: KeyCurve::default() });
        }
        Some(&mut self.keys[at].keys)
    }

    /// Drops keys of what is not there any more, and curves without keys. Where the last key of a setting went, its plain number stays.
    pub fn tidy_keys(&mut self) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.retain(|keyed| !keyed.keys.is_empty() && self.number_mut(&keyed.setting).is_some());
        self.keys = keys;
    }

    /// The stage with the values that its settings have at `time` seconds of what comes in.
    pub fn at(&self, time: f64) -> Self {
        let mut stage = self.clone();
        for keyed in &self.keys {
            if let (Some(number), Some(value)) = (stage.number_mut(&keyed.setting), keyed.keys.at(time)) {
                *number = value;
            }
        }
        stage
    }

    /// Leaves only keys of chains that are `kept`, under the numbers that those have without the others.
    pub fn keep_keys_of_chains(&mut self, kept: &dyn Fn(usize) -> bool) {
        self.keys.retain_mut(|keyed| {
            let Some((chain, rest)) = keyed.setting.strip_prefix(CHAINS).and_then(|inner| inner.split_once('/')) else {
                return true;
            };
            let Some(chain) = chain.parse::<usize>().ok().filter(|&chain| kept(chain)) else { return false };
            let place = (0..chain).filter(|&before| kept(before)).count();
            keyed.setting = format!("{CHAINS}{place}/{rest}");
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::StageId;
    use crate::document::stage::Dynamics;
    use crate::math::key_curve::Key;
    use crate::systems::dynamics::{AngleLimit, Chain};

    fn swinging(chains: usize) -> Stage {
        let mut dynamics = Dynamics::default();
        dynamics.settings.chains = vec![Chain::default(); chains];
        Stage::numbered(vec![StageKind::Dynamics(Box::new(dynamics))]).remove(0)
    }

    #[test]
    fn every_number_that_can_be_keyed_is_found_where_projects_have_it() {
        let mut stage = swinging(2);
        let limits =
            [AngleLimit::Cone { angle: 0.5 }, AngleLimit::Hinge { axis: glam::DVec3::X, low: -0.5, high: 0.5 }];
        let chains = &mut stage.kind.as_dynamics_mut().unwrap().settings.chains;
        chains.iter_mut().zip(limits).for_each(|(chain, limit)| chain.limit = limit);
        let json = serde_json::to_value(&stage).unwrap();
        let mut numbers = Vec::new();
        numbers_of(&json["dynamics"], String::new(), &mut numbers);
        let keyable: Vec<&String> = numbers.iter().filter(|place| stage.number_mut(place).is_some()).collect();
        assert_eq!(keyable.len(), 3 + 3 + 3 + 2 + 2 * 4 + 1 + 2, "{keyable:?}");
        for (count, place) in keyable.iter().enumerate() {
            let mut changed = stage.clone();
            *changed.number_mut(place).unwrap() = 0.25 + count as f64;
            let json = serde_json::to_value(&changed).unwrap();
            assert_eq!(json["dynamics"].pointer(&format!("/{place}")), Some(&(0.25 + count as f64).into()), "{place}");
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
        let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}/{key}") };
        match json {
            serde_json::Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| numbers_of(value, below(key), all));
            }
            serde_json::Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, value)| numbers_of(value, below(&i.to_string()), all));
            }
            value if value.is_number() => all.push(at),
            _ => {}
        }
    }

    #[test]
    fn keys_follow_their_chain_when_another_goes() {
        let mut stage = swinging(3);
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
    fn a_stage_without_keys_is_written_without_and_one_with_keys_comes_back() {
        let mut stage = swinging(1);
        assert!(serde_json::to_value(&stage).unwrap().get("keys").is_none());
        stage.influence = 0.5;
        let keys = vec![Key::new(1.0, 2.0), Key::new(0.0, 0.0)];
        stage.curve_mut("settings/wind/strength").unwrap().insert(keys);
        let text = serde_json::to_string(&stage).unwrap();
        assert_eq!(serde_json::from_str::<Stage>(&text).unwrap(), stage);
        assert_eq!(stage.at(0.5).kind.as_dynamics().unwrap().settings.wind.strength, 1.0);
    }
}
