//! What settings that can be keyed are called, and in what unit they are.

use crate::document::Stage;
use crate::ui::i18n::tr;
use crate::ui::units::{Measure, Unit, measure_of};

/// A setting in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Its name as forms have it, with the chain and the axis where there are several.
    pub name: String,
    /// What it is measured in.
    pub unit: Unit,
}

/// The setting of `stage` at `setting`.
pub fn named(stage: &Stage, setting: &str) -> Named {
    let path: Vec<&str> = setting.trim_start_matches("settings/").split('/').collect();
    let unit = match measure_of(stage.kind.name(), &path) {
        Some(Measure::In(unit)) => unit,
        Some(Measure::FileLength) | None => Unit::Plain,
    };
    Named { name: name(stage, &path).unwrap_or_else(|| setting.to_owned()), unit }
}

fn name(stage: &Stage, path: &[&str]) -> Option<String> {
    let form = |key: &str| tr(&format!("form.{key}"));
    let axis = |axis: &str| ["X", "Y", "Z"].get(axis.parse::<usize>().unwrap_or(3)).copied().unwrap_or_default();
    Some(match path {
        ["gravity", at] => format!("{} {}", form("gravity"), axis(at)),
        ["wind", "direction", at] => format!("{} {}", form("wind_direction"), axis(at)),
        ["wind", "strength"] => format!("{}: {}", tr("section.wind"), form("wind_strength")),
        ["wind", number] => form(&format!("wind_{number}")),
        ["chains", chain, "limit", _, number] => of_chain(stage, chain, &form(&format!("limit_{number}"))),
        ["chains", chain, number, ..] => of_chain(stage, chain, &form(&format!("bone_{number}"))),
        [number] => form(number),
        _ => return None,
    })
}

fn of_chain(stage: &Stage, chain: &str, number: &str) -> String {
    let chains = stage.kind.as_dynamics().map_or(&[][..], |dynamics| &dynamics.settings.chains);
    let name = chain.parse::<usize>().ok().and_then(|chain| chains.get(chain)).map(|chain| chain.name.as_str());
    format!("{}: {number}", name.unwrap_or(chain))
}
