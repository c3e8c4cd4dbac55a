//! The columns of the table.

use crate::anim::quality::Quality;
use crate::session::clip_library::ClipRow;

/// One column.
pub(super) struct Column {
    /// What stands above it, with the unit.
    pub name: &'static str,
    /// Its text in a row; empty where nothing was measured.
    pub value: fn(&ClipRow) -> String,
    /// Whether it stands in the table of a terminal too.
    pub is_short: bool,
    pub is_number: bool,
}

/// A column of the whole table.
const fn full(name: &'static str, value: fn(&ClipRow) -> String) -> Column {
    Column { name, value, is_short: false, is_number: true }
}

/// A column that a terminal shows too.
const fn short(name: &'static str, value: fn(&ClipRow) -> String) -> Column {
    Column { name, value, is_short: true, is_number: true }
}

/// A column of words.
const fn words(name: &'static str, value: fn(&ClipRow) -> String, is_short: bool) -> Column {
    Column { name, value, is_short, is_number: false }
}

pub(super) const COLUMNS: [Column; 25] = [
    words("file", |row| row.file.display().to_string(), true),
    words("clip", |row| row.clip.clone(), true),
    words("findings", findings, true),
    short("s", |row| figure(row, |quality| Some(quality.seconds), 2)),
    short("rate", |row| figure(row, |quality| quality.key_rate, 0)),
    full("joints", |row| count(row, |quality| quality.animated_joints)),
    short("m/s", |row| figure(row, |quality| Some(quality.way.speed), 2)),
    words("on the spot", |row| word(row, |quality| quality.way.on_the_spot), false),
    short("travel m", |row| figure(row, |quality| Some(quality.way.travel), 2)),
    full("climb m", |row| figure(row, |quality| Some(quality.way.climb), 2)),
    short("turn °", |row| figure(row, |quality| Some(quality.way.turn), 0)),
    full("off origin m", |row| figure(row, |quality| Some(quality.way.off_origin), 3)),
    short("residue", |row| figure(row, |quality| Some(quality.residue.place), 4)),
    full("residue m/s", |row| figure(row, |quality| Some(quality.residue.velocity), 3)),
    full("feet stand", |row| figure(row, |quality| quality.feet.map(|feet| feet.standing), 2)),
    short("slide cm/s", |row| figure(row, |quality| quality.feet.map(|feet| feet.slide), 1)),
    full("sinking cm", |row| figure(row, |quality| quality.feet.map(|feet| feet.sinking), 1)),
    short("pops", |row| count(row, |quality| quality.pops.frames)),
    words("largest pop", largest_pop, false),
    full("jitter °/frame", |row| figure(row, |quality| quality.jitter.as_ref().map(|jitter| jitter.degrees), 3)),
    full("keys", |row| count(row, |quality| quality.keys.count)),
    full("not unit", |row| count(row, |quality| quality.keys.not_unit)),
    full("flips", |row| count(row, |quality| quality.keys.flips)),
    full("still curves", |row| count(row, |quality| quality.keys.still_curves)),
    full("scale curves", |row| count(row, |quality| quality.keys.scale_curves)),
];

/// What is worth a look, or that the clip could not be measured.
pub(super) fn findings(row: &ClipRow) -> String {
    let names =
        |quality: &Quality| quality.findings.iter().map(|finding| finding.name()).collect::<Vec<_>>().join(", ");
    row.quality.as_ref().map_or_else(|| "not measured".into(), names)
}

fn largest_pop(row: &ClipRow) -> String {
    let worst = row.quality.as_ref().and_then(|quality| quality.pops.worst.as_ref());
    worst.map_or(String::new(), |pop| format!("{} {:.0}° at {:.2} s", pop.joint, pop.degrees, pop.time))
}

fn figure(row: &ClipRow, figure: fn(&Quality) -> Option<f64>, digits: usize) -> String {
    let value = row.quality.as_ref().and_then(figure);
    let text = value.map_or(String::new(), |value| format!("{value:.digits$}"));
    // What rounds to nothing has no sign.
    let is_nothing = text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if is_nothing { text.trim_start_matches('-').into() } else { text }
}

fn count(row: &ClipRow, count: fn(&Quality) -> usize) -> String {
    row.quality.as_ref().map_or(String::new(), |quality| count(quality).to_string())
}

fn word(row: &ClipRow, holds: fn(&Quality) -> bool) -> String {
    row.quality.as_ref().map_or(String::new(), |quality| if holds(quality) { "yes" } else { "no" }.into())
}
