//! The variant index: values, duration and travel of each clip, for building blend spaces in engines.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::character::is_source;
use super::mirrored::json_of;
use super::{Axis, TakeVariant, setting, value_text};
use crate::export::ExportReport;
use portamento_formats::export::csv;
use portamento_takes::document::Take;

/// One row per variant with ordered columns: clip, file, values and figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Index {
    /// One row per variant.
    pub rows: Vec<Map<String, Value>>,
}

/// Name of the clip column.
const CLIP: &str = "clip";
/// Name of the file column.
const FILE: &str = "file";
/// Columns that are not settings.
const RESERVED_COLUMNS: [&str; 7] = [CLIP, FILE, "seconds", "travel_m", "climb_m", "turn_degrees", "speed_m_per_s"];

impl Index {
    /// Creates the rows of `variants` with their values on `axes`.
    pub fn new(axes: &[Axis], variants: &[TakeVariant]) -> Self {
        let row = |variant: &TakeVariant| {
            let values = axes.iter().zip(&variant.values).map(|(axis, value)| (axis.place.clone(), value.clone()));
            row(&variant.take.name).into_iter().chain(values).collect()
        };
        Self { rows: variants.iter().map(row).collect() }
    }

    /// Creates the rows of `takes` with a column for each setting in which they differ.
    pub fn between<'t>(takes: impl Iterator<Item = &'t Take>) -> Self {
        let takes: Vec<(&str, Value)> = takes.map(|take| (&*take.name, json_of(take))).collect();
        let mut pointers: Vec<String> = Vec::new();
        for pointer in takes.iter().flat_map(|(_, json)| setting::all(json)).map(|(pointer, _)| pointer) {
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        // A column of a setting must not have the name of a fixed column.
        let named: Vec<&str> =
            pointers.iter().map(|pointer| pointer.trim_start_matches('/')).chain(RESERVED_COLUMNS).collect();
        let differs = |pointer: &&String| {
            let mut values = takes.iter().map(|(_, json)| json.pointer(pointer).unwrap_or(&Value::Null));
            let first = values.next();
            !is_source(pointer) && values.any(|value| Some(value) != first)
        };
        let columns: Vec<&String> = pointers.iter().filter(differs).collect();
        let row = |(name, json): &(&str, Value)| {
            let values = columns.iter().map(|pointer| {
                let column = setting::short(pointer.trim_start_matches('/'), &named);
                // Objects and lists are not values; the cell stays empty.
                let value = json.pointer(pointer).filter(|value| !value.is_object() && !value.is_array());
                (column, value.cloned().unwrap_or_default())
            });
            row(name).into_iter().chain(values).collect()
        };
        Self { rows: takes.iter().map(row).collect() }
    }

    /// Adds the file and the numeric `figures`, an object, to the row at `at`. Does nothing if out of range.
    pub fn set_result(&mut self, at: usize, file: &str, figures: &Value) {
        let Some(row) = self.rows.get_mut(at) else { return };
        row.insert(FILE.into(), file.into());
        let numbers = figures.as_object().into_iter().flatten().filter(|(_, value)| value.is_number());
        row.extend(numbers.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Adds file and figures of every take in an export report. Rows are found by clip name; takes without a row are
    /// ignored.
    pub fn set_exported_results(&mut self, report: &ExportReport) {
        for take in &report.takes {
            let named = (0..self.rows.len()).find(|&at| self.clip(at) == Some(&take.clip));
            named
                .into_iter()
                .for_each(|at| self.set_result(at, &report.file, take.figures.as_ref().unwrap_or(&Value::Null)));
        }
    }

    /// Returns the clip name in row `at`; `None` if its variant failed. Also `None` if out of range.
    pub fn clip(&self, at: usize) -> Option<&str> {
        self.rows.get(at)?.get(CLIP)?.as_str()
    }

    /// Returns the rows as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the rows as CSV with headings; a missing value is empty.
    pub fn csv(&self) -> String {
        // Rows of failed variants have no figures.
        let fullest = self.rows.iter().max_by_key(|row| row.len());
        let heads: Vec<&String> = fullest.into_iter().flat_map(|row| row.keys()).collect();
        let line = |cells: Vec<String>| cells.iter().map(|cell| csv::field(cell)).collect::<Vec<_>>().join(",") + "\n";
        let value = |value: Option<&Value>| value.filter(|value| !value.is_null()).map(value_text).unwrap_or_default();
        let row = |row: &Map<String, Value>| line(heads.iter().map(|head| value(row.get(*head))).collect());
        line(heads.iter().map(|head| head.to_string()).collect()) + &self.rows.iter().map(row).collect::<String>()
    }
}

/// Returns a row that contains only a clip name.
fn row(name: &str) -> Map<String, Value> {
    [(CLIP.to_owned(), name.into()), (FILE.to_owned(), Value::Null)].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_stretch::retime;
    use portamento_takes::document::{FileId, Stage, StageKind, TakeId, TakeSource};

    #[test]
    fn the_index_lists_the_settings_in_which_takes_differ() {
        let take = |id: u32, name: &str, seconds: f64| {
            let retime = retime::Settings { length: Some(seconds), ..Default::default() };
            Take {
                id: TakeId(id),
                name: name.into(),
                character: FileId(id),
                source: TakeSource::Clip { file: FileId(id), clip: format!("clip {id}") },
                stages: Stage::numbered(vec![StageKind::Retime(Box::new(retime))]),
                loops: None,
            }
        };
        let takes = [take(2, "slow", 0.5), take(3, "fast", 2.0)];
        let index = Index::between(takes.iter());
        assert_eq!(index.csv(), "clip,file,clip/clip,length\nslow,,clip 2,0.5\nfast,,clip 3,2.0\n");
        assert_eq!(Index::between(takes[..1].iter()).csv(), "clip,file\nslow,\n");
    }

    #[test]
    fn a_row_without_figures_leaves_its_cells_empty_and_commas_are_quoted() {
        let mut index = Index { rows: vec![row("one"), row("two, \"too\"")] };
        index.set_result(1, "two.glb", &serde_json::json!({ "seconds": 0.5, "findings": ["slide"] }));
        index.set_result(7, "none.glb", &Value::Null);
        assert_eq!(index.csv(), "clip,file,seconds\none,,\n\"two, \"\"too\"\"\",two.glb,0.5\n");
        assert_eq!((index.clip(0), index.clip(2)), (Some("one"), None));
        assert_eq!(serde_json::from_str::<Index>(&index.json()).unwrap(), index);
    }
}
