//! What settings that can be keyed are called, and in what unit they are.

use crate::document::Stage;
use crate::ui::setting::{Around, Measure, measure_of, names};
use crate::ui::units::Unit;

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
    let (kind, path) = (stage.kind.name(), stage.keyed_path(setting));
    let unit = match measure_of(kind, &path) {
        Some(Measure::In(unit)) => unit,
        _ => Unit::Plain,
    };
    Named { name: joined(names(kind, &path, &Around::default())), unit }
}

/// The outermost name and the innermost, with its axis.
fn joined(mut names: Vec<String>) -> String {
    let axis = names.pop_if(|last| last.len() == 1).map(|axis| format!(" {axis}")).unwrap_or_default();
    match &names[..] {
        [first, .., last] => format!("{first}: {last}{axis}"),
        _ => names.concat() + &axis,
    }
}
