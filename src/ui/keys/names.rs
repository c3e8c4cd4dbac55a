//! What settings that can be keyed are called, and in what unit they are.

use crate::document::Stage;
use crate::ui::i18n::tr;
use crate::ui::widgets::number::Unit;

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
    let parts: Vec<&str> = setting.trim_start_matches("settings/").split('/').collect();
    let form = |key: &str| tr(&format!("form.{key}"));
    let axis = |axis: &str| ["X", "Y", "Z"].get(axis.parse::<usize>().unwrap_or(3)).copied().unwrap_or_default();
    match parts[..] {
        ["gravity", at] => Named { name: format!("{} {}", form("gravity"), axis(at)), unit: Unit::Acceleration },
        ["wind", "direction", at] => {
            Named { name: format!("{} {}", form("wind_direction"), axis(at)), unit: Unit::Plain }
        }
        ["wind", "strength"] => {
            Named { name: format!("{}: {}", tr("section.wind"), form("wind_strength")), unit: Unit::Acceleration }
        }
        ["wind", number] => Named { name: form(&format!("wind_{number}")), unit: Unit::Plain },
        ["smoothing"] => Named { name: form("smoothing"), unit: Unit::Seconds },
        ["chains", chain, "limit", _, number] => {
            of_chain(stage, chain, &form(&format!("limit_{number}")), Unit::Radians)
        }
        ["chains", chain, number, ..] => {
            let unit = match number {
                "stiffness" => Unit::Acceleration,
                "radius" => Unit::Metres,
                _ => Unit::Plain,
            };
            of_chain(stage, chain, &form(&format!("bone_{number}")), unit)
        }
        [number] => Named { name: form(number), unit: Unit::Plain },
        _ => Named { name: setting.to_owned(), unit: Unit::Plain },
    }
}

fn of_chain(stage: &Stage, chain: &str, number: &str, unit: Unit) -> Named {
    let chains = stage.kind.as_dynamics().map_or(&[][..], |dynamics| &dynamics.settings.chains);
    let name = chain.parse::<usize>().ok().and_then(|chain| chains.get(chain)).map(|chain| chain.name.as_str());
    Named { name: format!("{}: {number}", name.unwrap_or(chain)), unit }
}
