//! Which clip has which values, how long it is and how far it goes: what engines make blend spaces of.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Axis, TakeVariant, words};

/// A row for each variant, each with its columns in order: the clip, its file once there is one, values and figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Index {
    /// The rows.
    pub rows: Vec<Map<String, Value>>,
}

/// The column of the clip's name.
const CLIP: &str = "clip";
/// The column of the file it is in.
const FILE: &str = "file";

impl Index {
    /// The variants of `made` with their values on `axes`.
    pub fn of(axes: &[Axis], made: &[TakeVariant]) -> Self {
        let row = |variant: &TakeVariant| {
            let named = [(CLIP, Value::from(&*variant.take.name)), (FILE, Value::Null)];
            let values = axes.iter().zip(&variant.values).map(|(axis, value)| (axis.place.clone(), value.clone()));
            named.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(values).collect()
        };
        Self { rows: made.iter().map(row).collect() }
    }

    /// Adds to the row at `at` in which file its clip is, and the numbers among `figures`.
    pub fn tell(&mut self, at: usize, file: &str, figures: &Value) {
        let Some(row) = self.rows.get_mut(at) else { return };
        row.insert(FILE.into(), file.into());
        let numbers = figures.as_object().into_iter().flatten().filter(|(_, value)| value.is_number());
        row.extend(numbers.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// The name of the clip at `at`.
    pub fn clip(&self, at: usize) -> Option<&str> {
        self.rows.get(at)?.get(CLIP)?.as_str()
    }

    /// The rows for programs.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The rows below the names of their columns, values separated by commas.
    pub fn csv(&self) -> String {
        self.table(",", |cell| {
            if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
        })
    }

    /// The same to be read, separated by spaces.
    pub fn text(&self) -> String {
        self.table(" ", |cell| cell)
    }

    fn table(&self, between: &str, cell: impl Fn(String) -> String) -> String {
        // A variant that was not made has no figures.
        let fullest = self.rows.iter().max_by_key(|row| row.len());
        let heads: Vec<&String> = fullest.into_iter().flat_map(|row| row.keys()).collect();
        let line = |cells: Vec<String>| cells.into_iter().map(&cell).collect::<Vec<_>>().join(between) + "\n";
        let value = |value: Option<&Value>| value.filter(|value| !value.is_null()).map(words).unwrap_or_default();
        let row = |row: &Map<String, Value>| line(heads.iter().map(|head| value(row.get(*head))).collect());
        line(heads.iter().map(|head| head.to_string()).collect()) + &self.rows.iter().map(row).collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_figures_leaves_its_cells_empty_and_commas_are_quoted() {
        let named = |name: &str| [(CLIP.to_owned(), name.into()), (FILE.to_owned(), Value::Null)].into_iter().collect();
        let mut index = Index { rows: vec![named("one"), named("two, \"too\"")] };
        index.tell(1, "two.glb", &serde_json::json!({ "seconds": 0.5, "findings": ["slide"] }));
        index.tell(7, "none.glb", &Value::Null);
        assert_eq!(index.csv(), "clip,file,seconds\none,,\n\"two, \"\"too\"\"\",two.glb,0.5\n");
        assert_eq!(index.text(), "clip file seconds\none  \ntwo, \"too\" two.glb 0.5\n");
        assert_eq!((index.clip(0), index.clip(2)), (Some("one"), None));
        assert_eq!(serde_json::from_str::<Index>(&index.json()).unwrap(), index);
    }
}
