//! The columns of the clip table.

use std::cmp::Ordering;

use super::ClipRow;
use portamento_anim::quality::{Finding, Quality};

/// A column of the clip table, for the window, files and the terminal.
#[derive(Debug)]
pub struct Column {
    /// Suffix of the column's translation key.
    pub key: &'static str,
    /// Heading in written tables, with the unit.
    pub name: &'static str,
    /// Returns the value of a clip in this column.
    pub cell: fn(&ClipRow) -> Cell,
    /// Number of decimal places.
    pub digits: usize,
    /// True if the column contains numbers.
    pub is_number: bool,
    /// True if the terminal table includes the column.
    pub is_short: bool,
    /// The finding that is raised when the value is too large.
    pub finding: Option<Finding>,
    /// Sort rank of a row, if rows are not sorted by their cell value.
    ranks: Option<fn(&ClipRow) -> usize>,
}

/// The value of one clip in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number in the column's unit.
    Number(f64),
    /// A name or a list.
    Words(String),
    /// Not measured.
    Nothing,
}

impl Column {
    /// Returns the cell text of a row; empty if not measured.
    pub fn text(&self, row: &ClipRow) -> String {
        match (self.cell)(row) {
            Cell::Number(value) => without_negative_zero(format!("{value:.*}", self.digits)),
            Cell::Words(words) => words,
            Cell::Nothing => String::new(),
        }
    }

    /// Returns the cell number of a row; `None` for text and unmeasured cells.
    pub fn number(&self, row: &ClipRow) -> Option<f64> {
        match (self.cell)(row) {
            Cell::Number(value) => Some(value),
            _ => None,
        }
    }

    /// True if the column sorts descending first: numbers and ranked columns.
    pub fn begins_with_most(&self) -> bool {
        self.is_number || self.ranks.is_some()
    }

    /// Compares two rows. Unmeasured cells come last in both directions.
    pub fn order(&self, one: &ClipRow, other: &ClipRow, descending: bool) -> Ordering {
        let directed = |order: Ordering| if descending { order.reverse() } else { order };
        if let Some(rank) = self.ranks {
            return directed(rank(one).cmp(&rank(other)));
        }
        match ((self.cell)(one), (self.cell)(other)) {
            (Cell::Number(one), Cell::Number(other)) => directed(one.total_cmp(&other)),
            (Cell::Words(one), Cell::Words(other)) => directed(one.cmp(&other)),
            (Cell::Nothing, Cell::Nothing) => Ordering::Equal,
            (Cell::Nothing, _) => Ordering::Greater,
            (_, Cell::Nothing) => Ordering::Less,
            (Cell::Number(_), Cell::Words(_)) => Ordering::Less,
            (Cell::Words(_), Cell::Number(_)) => Ordering::Greater,
        }
    }

    const fn short(self) -> Self {
        Self { is_short: true, ..self }
    }

    const fn ranked_by(self, rank: fn(&ClipRow) -> usize) -> Self {
        Self { ranks: Some(rank), ..self }
    }

    const fn raises(self, finding: Finding) -> Self {
        Self { finding: Some(finding), ..self }
    }
}

const fn number(key: &'static str, name: &'static str, digits: usize, cell: fn(&ClipRow) -> Cell) -> Column {
    Column { key, name, cell, digits, is_number: true, is_short: false, finding: None, ranks: None }
}

const fn text(key: &'static str, name: &'static str, cell: fn(&ClipRow) -> Cell) -> Column {
    Column { key, name, cell, digits: 0, is_number: false, is_short: false, finding: None, ranks: None }
}

/// All columns in display order: findings and their figures first.
pub const COLUMNS: [Column; 28] = [
    text("file", "file", |row| Cell::Words(row.file.display().to_string())).short(),
    text("clip", "clip", |row| Cell::Words(row.clip.clone())).short(),
    text("findings", "findings", |row| Cell::Words(findings(row))).short().ranked_by(found_count),
    number("slide", "slide cm/s", 1, |row| figure(row, |quality| quality.feet?.slide))
        .short()
        .raises(Finding::FeetSlide),
    number("sinking", "sinking cm", 1, |row| figure(row, |quality| quality.feet.map(|feet| feet.sinking)))
        .raises(Finding::Sinks),
    number("residue", "loop gap", 4, |row| figure(row, |quality| Some(quality.residue.place)))
        .short()
        .raises(Finding::DoesNotClose),
    number("pops", "pops", 0, |row| count(row, |quality| quality.pops.frames)).short().raises(Finding::Pops),
    number("jitter", "jitter °/frame", 3, |row| figure(row, |quality| Some(quality.jitter.as_ref()?.degrees)))
        .raises(Finding::Jitters),
    number("off_origin", "off origin m", 3, |row| figure(row, |quality| Some(quality.way.off_origin)))
        .raises(Finding::StartsOffOrigin),
    text("tags", "tags", |row| Cell::Words(row.tags.join(", "))),
    number("seconds", "s", 2, |row| figure(row, |quality| Some(quality.seconds))).short(),
    number("rate", "rate", 0, |row| figure(row, |quality| quality.key_rate)).short(),
    number("joints", "joints", 0, |row| count(row, |quality| quality.animated_joints)),
    number("speed", "m/s", 2, |row| figure(row, |quality| Some(quality.way.speed))).short(),
    text("on_the_spot", "on the spot", |row| word(row, |quality| quality.way.on_the_spot)),
    number("travel", "travel m", 2, |row| figure(row, |quality| Some(quality.way.travel))).short(),
    number("climb", "climb m", 2, |row| figure(row, |quality| Some(quality.way.climb))),
    number("turn", "turn °", 0, |row| figure(row, |quality| Some(quality.way.turn))).short(),
    number("residue_speed", "loop gap m/s", 3, |row| figure(row, |quality| Some(quality.residue.velocity))),
    number("standing", "feet stand", 2, |row| figure(row, |quality| quality.feet.map(|feet| feet.standing))),
    number("drift", "drift m/s", 2, |row| figure(row, |quality| quality.feet?.drift)),
    text("largest_pop", "largest pop", largest_pop),
    number("jitter_mm", "jitter mm", 3, |row| figure(row, |quality| quality.jitter.as_ref()?.millimetres)),
    number("keys", "keys", 0, |row| count(row, |quality| quality.keys.count)),
    number("not_unit", "not unit", 0, |row| count(row, |quality| quality.keys.not_unit)).raises(Finding::BadRotations),
    number("flips", "flips", 0, |row| count(row, |quality| quality.keys.flips)),
    number("still_curves", "still curves", 0, |row| count(row, |quality| quality.keys.still_curves)),
    number("scale_curves", "scale curves", 0, |row| count(row, |quality| quality.keys.scale_curves)),
];

/// Returns the number of findings; unmeasured clips rank highest.
fn found_count(row: &ClipRow) -> usize {
    row.quality.as_ref().map_or(usize::MAX, |quality| quality.findings.len())
}

/// True if the clip has findings or could not be measured.
pub fn is_found(row: &ClipRow) -> bool {
    row.quality.as_ref().is_none_or(|quality| !quality.findings.is_empty())
}

/// Returns the names of the findings, or "not measured".
pub fn findings(row: &ClipRow) -> String {
    let names =
        |quality: &Quality| quality.findings.iter().map(|finding| finding.name()).collect::<Vec<_>>().join(", ");
    row.quality.as_ref().map_or_else(|| "not measured".into(), names)
}

/// Returns joint, angle (degrees) and time (seconds) of the largest pop; nothing if there is none.
fn largest_pop(row: &ClipRow) -> Cell {
    let worst = row.quality.as_ref().and_then(|quality| quality.pops.worst.as_ref());
    worst.map_or(Cell::Nothing, |pop| Cell::Words(format!("{} {:.0}° at {:.2} s", pop.joint, pop.degrees, pop.time)))
}

/// Returns the cell of a number; nothing if it was not measured. It is in the unit of the column.
fn figure(row: &ClipRow, figure: fn(&Quality) -> Option<f64>) -> Cell {
    row.quality.as_ref().and_then(figure).map_or(Cell::Nothing, Cell::Number)
}

fn count(row: &ClipRow, count: fn(&Quality) -> usize) -> Cell {
    row.quality.as_ref().map_or(Cell::Nothing, |quality| Cell::Number(count(quality) as f64))
}

/// Returns a cell with yes or no; nothing if the row was not measured.
fn word(row: &ClipRow, holds: fn(&Quality) -> bool) -> Cell {
    let words = |quality| Cell::Words(if holds(quality) { "yes" } else { "no" }.into());
    row.quality.as_ref().map_or(Cell::Nothing, words)
}

/// Removes the minus sign of a number that rounds to zero.
fn without_negative_zero(text: String) -> String {
    let is_zero = text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if is_zero { text.trim_start_matches('-').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Roles;
    use portamento_anim::quality::{Input, quality};
    use portamento_base::progress::Progress;
    use portamento_test_support::treadmill;

    #[test]
    fn a_word_cell_is_yes_no_or_empty() {
        let (skeleton, clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
        let quality = quality(&input, &Progress::new()).unwrap();
        assert!(quality.is_some());
        let mut row = ClipRow { file: "a.glb".into(), clip: "walk".into(), quality, tags: Vec::new() };
        let text_of = |row: &ClipRow| match word(row, |quality| quality.way.on_the_spot) {
            Cell::Words(word) => word.to_string(),
            _ => String::new(),
        };
        for (is, wanted) in [(true, "yes"), (false, "no")] {
            row.quality.as_mut().unwrap().way.on_the_spot = is;
            assert_eq!(text_of(&row), wanted);
        }
        row.quality = None;
        assert_eq!(text_of(&row), "");
    }
}
