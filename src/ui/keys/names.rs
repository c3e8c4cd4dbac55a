//! Display names and units of animatable settings.

use crate::setting::{NameContext, names, unit_of};
use crate::units::Unit;
use portamento_takes::document::Stage;
use portamento_takes::document::setting::measure_of;

/// The display name and unit of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name as in the form, with the chain and axis where there are several.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
}

/// Returns the display name and unit of `setting` in `stage`.
pub fn named(stage: &Stage, setting: &str) -> Named {
    let (kind, path) = (stage.kind.name(), stage.keyed_path(setting));
    let unit = measure_of(kind, &path).and_then(unit_of).unwrap_or(Unit::Plain);
    Named { name: joined(names(kind, &path, &NameContext::default())), unit }
}

/// Joins the outermost and the innermost name as “first: last”. A last name of one letter is an axis and follows them.
fn joined(mut names: Vec<String>) -> String {
    let axis = names.pop_if(|last| last.len() == 1).map(|axis| format!(" {axis}")).unwrap_or_default();
    match &names[..] {
        [first, .., last] => format!("{first}: {last}{axis}"),
        _ => names.concat() + &axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n;
    use portamento_dynamics::{AngleLimit, Chain};
    use portamento_takes::document::stage::Dynamics;
    use portamento_takes::document::{StageId, StageKind};

    #[test]
    fn the_name_of_a_keyed_setting_has_its_chain_group_and_axis() {
        i18n::use_language("en");
        let mut dynamics = Dynamics::default();
        let limit = AngleLimit::Cone { angle: 0.5 };
        dynamics.settings.chains = vec![Chain { name: "hair".into(), limit, ..Chain::default() }];
        let stage = Stage::new(StageId(1), StageKind::Dynamics(Box::new(dynamics)));
        let named_setting = |setting: &str| named(&stage, setting);
        let is = |name: &str, unit| Named { name: name.into(), unit };
        assert_eq!(named_setting("influence"), is("Influence", Unit::Plain));
        assert_eq!(named_setting("settings/gravity/1"), is("Gravity Y", Unit::Acceleration));
        assert_eq!(named_setting("settings/wind/strength"), is("Wind: Strength", Unit::Acceleration));
        assert_eq!(named_setting("settings/wind/direction/0"), is("Wind: Direction X", Unit::Plain));
        assert_eq!(named_setting("settings/chains/0/radius/value"), is("hair: Radius", Unit::Metres));
        assert_eq!(named_setting("settings/chains/0/limit/cone/angle"), is("hair: Half angle", Unit::Radians));
    }
}
