//! The columns of a table of clips.

use std::cmp::Ordering;

use super::ClipRow;
use crate::anim::quality::{Finding, Quality};

/// A column of the table, in every form the table has.
#[derive(Debug)]
pub struct Column {
    /// Its name in translations.
    pub key: &'static str,
    /// What stands above it in a table that is written, with the unit.
    pub name: &'static str,
    /// What it tells of a clip.
    pub cell: fn(&ClipRow) -> Cell,
    /// Digits after the point.
    pub digits: usize,
    /// Whether it holds numbers.
    pub is_number: bool,
    /// Whether it stands in the table of a terminal too.
    pub is_short: bool,
    /// What is found where its figure is too large.
    pub finding: Option<Finding>,
    /// What its rows are ordered by, where that is not what it tells.
    ranks: Option<fn(&ClipRow) -> usize>,
}

/// What a column tells of one clip.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number in the column's unit.
    Number(f64),
    /// A name or a list.
    Words(String),
    /// Nothing was measured.
    Nothing,
}

impl Column {
    /// The column's text in a row; empty where nothing was measured.
    pub fn text(&self, row: &ClipRow) -> String {
        match (self.cell)(row) {
            Cell::Number(value) => without_sign_of_nothing(format!("{value:.*}", self.digits)),
            Cell::Words(words) => words,
            Cell::Nothing => String::new(),
        }
    }

    /// The column's number in a row.
    pub fn number(&self, row: &ClipRow) -> Option<f64> {
        match (self.cell)(row) {
            Cell::Number(value) => Some(value),
            _ => None,
        }
    }

    /// Whether what has most of it is wanted first: the worst figures, and the clips with most findings.
    pub fn begins_with_most(&self) -> bool {
        self.is_number || self.ranks.is_some()
    }

    /// How two rows follow each other, the least first or the greatest; what was not measured comes last both ways.
    pub fn order(&self, one: &ClipRow, other: &ClipRow, descending: bool) -> Ordering {
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        if let Some(rank) = self.ranks {
            return turned(rank(one).cmp(&rank(other)));
        }
        match ((self.cell)(one), (self.cell)(other)) {
            (Cell::Number(one), Cell::Number(other)) => turned(one.total_cmp(&other)),
            (Cell::Words(one), Cell::Words(other)) => turned(one.cmp(&other)),
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

    const fn ranked(self, rank: fn(&ClipRow) -> usize) -> Self {
        Self { ranks: Some(rank), ..self }
    }

    const fn tells(self, finding: Finding) -> Self {
        Self { finding: Some(finding), ..self }
    }
}

const fn number(key: &'static str, name: &'static str, digits: usize, cell: fn(&ClipRow) -> Cell) -> Column {
    Column { key, name, cell, digits, is_number: true, is_short: false, finding: None, ranks: None }
}

const fn text(key: &'static str, name: &'static str, cell: fn(&ClipRow) -> Cell) -> Column {
    Column { key, name, cell, digits: 0, is_number: false, is_short: false, finding: None, ranks: None }
}

/// All columns, in the order in which they stand: what is found and the figures it is told by come first.
pub const COLUMNS: [Column; 28] = [
    text("file", "file", |row| Cell::Words(row.file.display().to_string())).short(),
    text("clip", "clip", |row| Cell::Words(row.clip.clone())).short(),
    text("findings", "findings", |row| Cell::Words(findings(row))).short().ranked(found_count),
    number("slide", "slide cm/s", 1, |row| figure(row, |quality| quality.feet?.slide))
        .short()
        .tells(Finding::FeetSlide),
    number("sinking", "sinking cm", 1, |row| figure(row, |quality| quality.feet.map(|feet| feet.sinking)))
        .tells(Finding::Sinks),
    number("residue", "residue", 4, |row| figure(row, |quality| Some(quality.residue.place)))
        .short()
        .tells(Finding::DoesNotClose),
    number("pops", "pops", 0, |row| count(row, |quality| quality.pops.frames)).short().tells(Finding::Pops),
    number("jitter", "jitter °/frame", 3, |row| figure(row, |quality| Some(quality.jitter.as_ref()?.degrees)))
        .tells(Finding::Jitters),
    number("off_origin", "off origin m", 3, |row| figure(row, |quality| Some(quality.way.off_origin)))
        .tells(Finding::StartsOffOrigin),
    text("tags", "tags", |row| Cell::Words(row.tags.join(", "))),
    number("seconds", "s", 2, |row| figure(row, |quality| Some(quality.seconds))).short(),
    number("rate", "rate", 0, |row| figure(row, |quality| quality.key_rate)).short(),
    number("joints", "joints", 0, |row| count(row, |quality| quality.animated_joints)),
    number("speed", "m/s", 2, |row| figure(row, |quality| Some(quality.way.speed))).short(),
    text("on_the_spot", "on the spot", |row| word(row, |quality| quality.way.on_the_spot)),
    number("travel", "travel m", 2, |row| figure(row, |quality| Some(quality.way.travel))).short(),
    number("climb", "climb m", 2, |row| figure(row, |quality| Some(quality.way.climb))),
    number("turn", "turn °", 0, |row| figure(row, |quality| Some(quality.way.turn))).short(),
    number("residue_speed", "residue m/s", 3, |row| figure(row, |quality| Some(quality.residue.velocity))),
    number("standing", "feet stand", 2, |row| figure(row, |quality| quality.feet.map(|feet| feet.standing))),
    number("drift", "drift m/s", 2, |row| figure(row, |quality| quality.feet?.drift)),
    text("largest_pop", "largest pop", largest_pop),
    number("jitter_mm", "jitter mm", 3, |row| figure(row, |quality| quality.jitter.as_ref()?.millimetres)),
    number("keys", "keys", 0, |row| count(row, |quality| quality.keys.count)),
    number("not_unit", "not unit", 0, |row| count(row, |quality| quality.keys.not_unit)).tells(Finding::BadRotations),
    number("flips", "flips", 0, |row| count(row, |quality| quality.keys.flips)),
    number("still_curves", "still curves", 0, |row| count(row, |quality| quality.keys.still_curves)),
    number("scale_curves", "scale curves", 0, |row| count(row, |quality| quality.keys.scale_curves)),
];

/// How much was found; what could not be measured comes first of all.
fn found_count(row: &ClipRow) -> usize {
    row.quality.as_ref().map_or(usize::MAX, |quality| quality.findings.len())
}

/// Whether something is worth a look, or the clip could not be measured.
pub fn is_found(row: &ClipRow) -> bool {
    row.quality.as_ref().is_none_or(|quality| !quality.findings.is_empty())
}

/// What is worth a look, or that the clip could not be measured.
pub fn findings(row: &ClipRow) -> String {
    let names =
        |quality: &Quality| quality.findings.iter().map(|finding| finding.name()).collect::<Vec<_>>().join(", ");
    row.quality.as_ref().map_or_else(|| "not measured".into(), names)
}

fn largest_pop(row: &ClipRow) -> Cell {
    let worst = row.quality.as_ref().and_then(|quality| quality.pops.worst.as_ref());
    worst.map_or(Cell::Nothing, |pop| Cell::Words(format!("{} {:.0}° at {:.2} s", pop.joint, pop.degrees, pop.time)))
}

fn figure(row: &ClipRow, figure: fn(&Quality) -> Option<f64>) -> Cell {
    row.quality.as_ref().and_then(figure).map_or(Cell::Nothing, Cell::Number)
}

fn count(row: &ClipRow, count: fn(&Quality) -> usize) -> Cell {
    row.quality.as_ref().map_or(Cell::Nothing, |quality| Cell::Number(count(quality) as f64))
}

fn word(row: &ClipRow, holds: fn(&Quality) -> bool) -> Cell {
    let words = |quality| Cell::Words(if holds(quality) { "yes" } else { "no" }.into());
    row.quality.as_ref().map_or(Cell::Nothing, words)
}

/// What rounds to nothing has no sign.
fn without_sign_of_nothing(text: String) -> String {
    let is_nothing = text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if is_nothing { text.trim_start_matches('-').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Roles;
    use crate::anim::quality::{Input, quality};
    use crate::anim::root_synthesis::tests::treadmill;
    use crate::progress::Progress;

    #[test]
    fn a_word_says_yes_no_or_nothing() {
        let (skeleton, clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
        let quality = quality(&input, &Progress::new()).unwrap();
        assert!(quality.is_some());
        let mut row = ClipRow { file: "a.glb".into(), clip: "walk".into(), quality, tags: Vec::new() };
        let told = |row: &ClipRow| match word(row, |quality| quality.way.on_the_spot) {
            Cell::Words(word) => word.to_string(),
            _ => String::new(),
        };
        for (is, wanted) in [(true, "yes"), (false, "no")] {
            row.quality.as_mut().unwrap().way.on_the_spot = is;
            assert_eq!(told(&row), wanted);
        }
        row.quality = None;
        assert_eq!(told(&row), "");
    }
}
