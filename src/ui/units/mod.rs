//! Units of numbers: conversion, display and input in the user's preferred units.

mod read;
mod sentence;
mod share;

use std::cell::Cell;

pub use read::parse;
pub use sentence::in_sentence;
pub use share::share;

use portamento_session::units::{AngleUnit, LengthUnit, TimeUnit, Units};

/// A physical quantity with its storage unit. Lengths, angles and times are displayed in the preferred units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number without a unit.
    Plain,
    /// Metres.
    Metres,
    /// Centimetres, for short lengths.
    Centimetres,
    /// Millimetres, for very short lengths.
    Millimetres,
    /// Degrees.
    Degrees,
    /// Radians.
    Radians,
    /// Seconds of a motion, displayed as frames if preferred.
    Seconds,
    /// Seconds of real time, never displayed as frames.
    ClockSeconds,
    /// Metres per second.
    Speed,
    /// Centimetres per second, for low speeds.
    CentimetresPerSecond,
    /// Metres per second squared.
    Acceleration,
    /// Degrees per second.
    DegreesPerSecond,
    /// A fraction, displayed in percent.
    Share,
}

/// A physical dimension. Units of one dimension convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Plain,
    Length,
    Angle,
    Time,
    Speed,
    Acceleration,
    Turning,
    Share,
}

/// A unit of length with the suffixes of lengths, speeds and accelerations.
#[derive(Clone, Copy, Debug)]
struct LengthScale {
    metres: f64,
    suffixes: [&'static str; 3],
}

const METRE: LengthScale = LengthScale { metres: 1.0, suffixes: [" m", " m/s", " m/s²"] };
const CENTIMETRE: LengthScale = LengthScale { metres: 0.01, suffixes: [" cm", " cm/s", " cm/s²"] };
const MILLIMETRE: LengthScale = LengthScale { metres: 0.001, suffixes: [" mm", " mm/s", " mm/s²"] };
const INCH: LengthScale = LengthScale { metres: 0.0254, suffixes: [" in", " in/s", " in/s²"] };
const FOOT: LengthScale = LengthScale { metres: 0.3048, suffixes: [" ft", " ft/s", " ft/s²"] };

/// Radians per degree.
const DEGREE: f64 = std::f64::consts::PI / 180.0;

thread_local! {
    /// Preferred units. Thread-local, because one thread draws the window.
    static UNITS: Cell<Units> =
        const { Cell::new(Units { length: LengthUnit::Metres, angle: AngleUnit::Degrees, time: TimeUnit::Seconds }) };
    /// Frames per second of the shown take.
    static RATE: Cell<f64> = const { Cell::new(30.0) };
}

/// Sets the preferred units and the frame rate (frames per second) of this thread. An invalid rate leaves the last one.
pub(super) fn use_units(units: Units, rate: f64) {
    UNITS.set(units);
    if rate.is_finite() && rate > 0.0 {
        RATE.set(rate);
    }
}

/// Returns the frames per second of the shown take if times are displayed in frames; `None` if in seconds.
pub fn frames() -> Option<f64> {
    (UNITS.get().time == TimeUnit::Frames).then(|| RATE.get())
}

impl Unit {
    /// Returns the factor from the storage unit to the display unit.
    pub(super) fn display_factor(self) -> f64 {
        self.size() / self.display_unit().0
    }

    /// Returns the suffix of the display unit; empty for plain numbers.
    pub fn suffix(self) -> &'static str {
        self.display_unit().1
    }

    /// Returns the number of decimals that is as precise in the display unit as `decimals` in the storage unit (degrees for
    /// angles).
    pub(super) fn shown_decimals(self, decimals: usize) -> usize {
        let is_angle = matches!(self.dimension(), Dimension::Angle | Dimension::Turning);
        let own = if is_angle { DEGREE } else { self.size() };
        let more = (self.display_unit().0 / own).log10();
        decimals.saturating_add_signed((more - 1e-9).ceil() as isize)
    }

    /// Formats `value`, which is in the storage unit, in the display unit but without it. The precision is that of `decimals`
    /// decimals in the storage unit (degrees for angles). Zero has no sign.
    pub fn number(self, value: f64, decimals: usize) -> String {
        let mut text = format!("{:.*}", self.shown_decimals(decimals), value * self.display_factor());
        if self == Self::Seconds && frames().is_some() && text.contains('.') {
            // Whole frames have no decimals.
            text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
        }
        if is_nothing(&text) { text.trim_start_matches('-').to_owned() } else { text }
    }

    /// Formats `value` like [`Self::number`], followed by its unit.
    pub fn text(self, value: f64, decimals: usize) -> String {
        self.number(value, decimals) + self.suffix()
    }

    /// Formats `value` like [`Self::text`], with a plus sign if it is positive and not displayed as zero.
    pub fn signed(self, value: f64, decimals: usize) -> String {
        let text = self.text(value, decimals);
        if value > 0.0 && !is_nothing(&self.number(value, decimals)) { format!("+{text}") } else { text }
    }

    /// Returns the dimension of the unit.
    fn dimension(self) -> Dimension {
        match self {
            Self::Plain => Dimension::Plain,
            Self::Metres | Self::Centimetres | Self::Millimetres => Dimension::Length,
            Self::Degrees | Self::Radians => Dimension::Angle,
            Self::Seconds | Self::ClockSeconds => Dimension::Time,
            Self::Speed | Self::CentimetresPerSecond => Dimension::Speed,
            Self::Acceleration => Dimension::Acceleration,
            Self::DegreesPerSecond => Dimension::Turning,
            Self::Share => Dimension::Share,
        }
    }

    /// Returns the storage unit in metres, radians or seconds; 1 for shares and plain numbers.
    fn size(self) -> f64 {
        match self {
            Self::Degrees | Self::DegreesPerSecond => DEGREE,
            _ => self.storage_scale().metres,
        }
    }

    /// Returns the size of the display unit in metres, radians or seconds, and its suffix. For shares the size is 0.01.
    fn display_unit(self) -> (f64, &'static str) {
        let (units, scale) = (UNITS.get(), self.scale());
        let length = |power: usize| (scale.metres, scale.suffixes[power]);
        match self.dimension() {
            Dimension::Plain => (1.0, ""),
            Dimension::Share => (0.01, " %"),
            Dimension::Time => match frames().filter(|_| self == Self::Seconds) {
                Some(rate) => (1.0 / rate, " f"),
                None => (1.0, " s"),
            },
            Dimension::Angle if units.angle == AngleUnit::Radians => (1.0, " rad"),
            Dimension::Angle => (DEGREE, "°"),
            Dimension::Turning if units.angle == AngleUnit::Radians => (1.0, " rad/s"),
            Dimension::Turning => (DEGREE, "°/s"),
            Dimension::Length => length(0),
            Dimension::Speed => length(1),
            Dimension::Acceleration => length(2),
        }
    }

    /// Returns the unit of length in which lengths, speeds and accelerations are displayed.
    fn scale(self) -> LengthScale {
        match UNITS.get().length {
            LengthUnit::Metres => self.storage_scale(),
            LengthUnit::Centimetres => CENTIMETRE,
            LengthUnit::Feet if self.storage_scale().metres == METRE.metres => FOOT,
            LengthUnit::Inches | LengthUnit::Feet => INCH,
        }
    }

    /// Returns the unit of length in which values are stored; metres for units without a length.
    fn storage_scale(self) -> LengthScale {
        match self {
            Self::Centimetres | Self::CentimetresPerSecond => CENTIMETRE,
            Self::Millimetres => MILLIMETRE,
            _ => METRE,
        }
    }
}

/// True if the formatted number is zero.
fn is_nothing(text: &str) -> bool {
    text.bytes().all(|byte| b"-0.".contains(&byte))
}

/// Runs `check` with `units` as the preferred units, for tests.
#[cfg(test)]
pub(super) fn with_units<R>(units: Units, check: impl FnOnce() -> R) -> R {
    let before = UNITS.replace(units);
    let found = check();
    UNITS.set(before);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `value` in every unit of length.
    fn in_all(unit: Unit, value: f64, decimals: usize) -> [String; 4] {
        LengthUnit::ALL.map(|length| with_units(Units { length, ..Units::default() }, || unit.text(value, decimals)))
    }

    #[test]
    fn lengths_speeds_and_accelerations_follow_the_preferred_length_unit() {
        assert_eq!(in_all(Unit::Metres, 1.2, 3), ["1.200 m", "120.0 cm", "47.24 in", "3.937 ft"]);
        assert_eq!(in_all(Unit::Centimetres, 2.5, 1), ["2.5 cm", "2.5 cm", "0.98 in", "0.98 in"]);
        assert_eq!(in_all(Unit::Millimetres, 0.5, 2), ["0.50 mm", "0.050 cm", "0.0197 in", "0.0197 in"]);
        assert_eq!(in_all(Unit::Speed, 1.5, 2), ["1.50 m/s", "150 cm/s", "59.1 in/s", "4.92 ft/s"]);
        assert_eq!(in_all(Unit::CentimetresPerSecond, 2.0, 1), ["2.0 cm/s", "2.0 cm/s", "0.79 in/s", "0.79 in/s"]);
        assert_eq!(in_all(Unit::Acceleration, 9.81, 2), ["9.81 m/s²", "981 cm/s²", "386.2 in/s²", "32.19 ft/s²"]);
    }

    #[test]
    fn angles_follow_the_preferred_angle_unit_and_nothing_else_does() {
        let units = Units { angle: AngleUnit::Radians, length: LengthUnit::Inches, ..Units::default() };
        let shown = with_units(units, || {
            [
                Unit::Degrees.text(90.0, 1),
                Unit::Radians.text(0.5, 1),
                Unit::Seconds.text(1.5, 2),
                Unit::Plain.text(3.0, 1),
                Unit::DegreesPerSecond.text(180.0, 0),
            ]
        });
        assert_eq!(shown, ["1.571 rad", "0.500 rad", "1.50 s", "3.0", "3.14 rad/s"]);
        assert_eq!(Unit::DegreesPerSecond.text(180.0, 0), "180°/s");
        assert_eq!(Unit::Radians.text(std::f64::consts::PI, 1), "180.0°");
    }

    #[test]
    fn motion_times_are_shown_in_frames_and_clock_times_are_not() {
        let in_frames = Units { time: TimeUnit::Frames, ..Units::default() };
        let shown = |value: f64, decimals: usize| with_units(in_frames, || Unit::Seconds.text(value, decimals));
        assert_eq!(
            [shown(0.8, 3), shown(0.8, 2), shown(0.487, 3), shown(-0.1, 0)],
            ["24 f", "24 f", "14.61 f", "-3 f"]
        );
        assert_eq!([shown(10.0, 0), shown(0.0, 3)], ["300 f", "0 f"]);
        assert_eq!(with_units(in_frames, || Unit::ClockSeconds.text(300.0, 0)), "300 s");
        assert_eq!(with_units(in_frames, frames), Some(30.0));
        assert_eq!(frames(), None);
    }

    #[test]
    fn numbers_that_round_to_zero_have_no_sign() {
        assert_eq!(Unit::Metres.text(-0.0001, 3), "0.000 m");
        assert_eq!(
            [0.25, -0.25, 0.0001].map(|metres| Unit::Metres.signed(metres, 2)),
            ["+0.25 m", "-0.25 m", "0.00 m"]
        );
    }
}
