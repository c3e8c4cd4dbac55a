//! The result of a check: one row per requirement and clip.

use crate::contract::Pin;
use crate::figures::ClipName;

/// The rows of a checked contract.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// All rows: the rig, the clips and then the sets.
    pub rows: Vec<Row>,
}

/// A requirement and its figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The set that requires it; `None` for requirements on single clips.
    pub set: Option<String>,
    /// The clip concerned; `None` for a figure of the whole set.
    pub clip: Option<ClipName>,
    /// The other clip, if two are compared.
    pub other: Option<ClipName>,
    /// Kind of requirement.
    pub requirement: Requirement,
    /// The figure; `None` if it cannot be measured.
    pub measured: Option<Measured>,
    /// The required figure.
    pub limit: Limit,
}

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// A number in the unit of the requirement.
    Number(f64),
    /// Names that are missing; empty if there are all.
    Missing(Vec<String>),
}

/// A required figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A number up to this one.
    AtMost(f64),
    /// A number from this one.
    AtLeast(f64),
    /// A number near a value.
    Near(Pin),
    /// No missing name.
    NoneMissing,
}

/// Verdict of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The figure meets the requirement.
    Met,
    /// There is no figure.
    NotMeasured,
    /// The figure breaks the requirement.
    Broken,
}

/// Declares all requirements with their identifier in files, their unit, and a sentence for the user.
macro_rules! requirements {
    ($($(#[$doc:meta])* $name:ident, $id:literal, $unit:literal, $text:literal;)*) => {
        /// Kind of requirement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Requirement {
            $($(#[$doc])* $name,)*
        }

        impl Requirement {
            /// All requirements.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the identifier in reports; it never changes.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Returns the unit of its figures; empty for a number without one.
            pub fn unit(self) -> &'static str {
                match self { $(Self::$name => $unit,)* }
            }

            /// Returns a description of the requirement.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

requirements! {
    /// All named clips exist.
    Clips, "clips", "", "All clips that the contract names exist.";
    /// All required joints exist.
    RequiredBones, "required-bones", "", "All required joints exist.";
    /// All required joints have a curve.
    AnimatedBones, "animated-bones", "", "All joints that the clip must move have keys.";
    /// Loop gap in position.
    LoopPosition, "loop-position", "m", "The end of a loop meets its start in position.";
    /// Loop gap in rotation.
    LoopRotation, "loop-rotation", "°", "The end of a loop meets its start in rotation.";
    /// Loop gap in velocity.
    LoopVelocity, "loop-velocity", "m/s", "The end of a loop meets its start in velocity.";
    /// Length.
    Duration, "duration", "s", "The clip has the required length.";
    /// Frame rate.
    FrameRate, "frame-rate", "fps", "All keys are on frames of the required rate.";
    /// Speed along the ground.
    Speed, "speed", "m/s", "The clip has the required speed.";
    /// Travel along the ground.
    Travel, "travel", "m", "Only the owner of the travel moves the body along the ground.";
    /// Climb.
    Climb, "climb", "m", "Only the owner of the height raises or lowers the body.";
    /// Turn.
    Turn, "turn", "°", "Only the owner of the heading turns the body.";
    /// Speed of planted feet.
    Slide, "slide", "m/s", "Planted feet do not slide.";
    /// Depth in the ground.
    Penetration, "penetration", "m", "The body is not below the ground.";
    /// Jumps.
    Pops, "pops", "", "No joint jumps.";
    /// Number of keys.
    Keys, "keys", "", "The clip has no more keys than allowed.";
    /// First pose.
    BeginPose, "begin-pose", "m", "The clip begins in the required pose.";
    /// Last pose.
    EndPose, "end-pose", "m", "The clip ends in the required pose.";
    /// Pose where a clip continues another.
    MeetingPose, "meeting-pose", "m", "The next clip of the chain begins in the pose in which this one ends.";
    /// Velocity where a clip continues another.
    MeetingVelocity, "meeting-velocity", "m/s", "The next clip of the chain begins with the velocity with which this one ends.";
    /// A single pose.
    SinglePose, "single-pose", "frames", "Members of an aim grid are single poses.";
    /// Directions of an aim grid.
    AimGrid, "aim-grid", "", "The grid of yaw and pitch has a pose for each of its directions.";
    /// Phase of the strides.
    PhaseSpread, "phase-spread", "strides", "All members of the set take their steps at the same phase.";
    /// Number of strides.
    StrideCount, "stride-count", "strides", "All members of the set have the same number of strides.";
    /// Length of the members.
    DurationSpread, "duration-spread", "s", "All members of the set have the same length.";
    /// Number of frames of the members.
    FrameCountSpread, "frame-count-spread", "frames", "All members of the set have the same number of frames.";
}

impl Report {
    /// Returns the verdict over all rows: broken if one is, else not measured if one is not. A report without rows has
    /// measured nothing.
    pub fn verdict(&self) -> Verdict {
        self.rows.iter().map(Row::verdict).max().unwrap_or(Verdict::NotMeasured)
    }

    /// Returns the number of rows with that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict() == verdict).count()
    }
}

impl Row {
    /// Returns the verdict. A number that is not finite is not measured.
    pub fn verdict(&self) -> Verdict {
        let is_met = match (&self.measured, self.limit) {
            (None, _) => return Verdict::NotMeasured,
            (Some(Measured::Number(number)), _) if !number.is_finite() => return Verdict::NotMeasured,
            (Some(Measured::Missing(names)), _) => names.is_empty(),
            (Some(Measured::Number(number)), Limit::AtMost(limit)) => *number <= limit,
            (Some(Measured::Number(number)), Limit::AtLeast(limit)) => *number >= limit,
            (Some(Measured::Number(number)), Limit::Near(pin)) => (number - pin.value).abs() <= pin.tolerance,
            (Some(Measured::Number(_)), Limit::NoneMissing) => return Verdict::NotMeasured,
        };
        if is_met { Verdict::Met } else { Verdict::Broken }
    }
}

impl Verdict {
    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMeasured => "not measured",
            Self::Broken => "broken",
        }
    }
}

impl std::fmt::Display for ClipName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.clip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(measured: Option<Measured>, limit: Limit) -> Row {
        Row { set: None, clip: None, other: None, requirement: Requirement::Speed, measured, limit }
    }

    #[test]
    fn a_limit_is_met_up_to_its_value_and_what_is_not_measured_is_never_met() {
        let number = |number: f64| Some(Measured::Number(number));
        let pin = Limit::Near(Pin { value: 2.0, tolerance: 0.5 });
        for (measured, limit, verdict) in [
            (number(1.0), Limit::AtMost(1.0), Verdict::Met),
            (number(1.1), Limit::AtMost(1.0), Verdict::Broken),
            (number(1.0), Limit::AtLeast(1.1), Verdict::Broken),
            (number(2.5), pin, Verdict::Met),
            (number(1.4), pin, Verdict::Broken),
            (number(f64::NAN), Limit::AtMost(1.0), Verdict::NotMeasured),
            (None, pin, Verdict::NotMeasured),
            (Some(Measured::Missing(Vec::new())), Limit::NoneMissing, Verdict::Met),
            (Some(Measured::Missing(vec!["hand".into()])), Limit::NoneMissing, Verdict::Broken),
        ] {
            assert_eq!(row(measured.clone(), limit).verdict(), verdict, "{measured:?} {limit:?}");
        }
    }

    #[test]
    fn the_worst_row_decides_and_an_empty_report_has_measured_nothing() {
        let [met, broken] = [0.0, 2.0].map(|number| row(Some(Measured::Number(number)), Limit::AtMost(1.0)));
        let unmeasured = row(None, Limit::AtMost(1.0));
        let verdict = |rows: &[&Row]| Report { rows: rows.iter().copied().cloned().collect() }.verdict();
        assert_eq!(verdict(&[]), Verdict::NotMeasured);
        assert_eq!(verdict(&[&met]), Verdict::Met);
        assert_eq!(verdict(&[&met, &unmeasured]), Verdict::NotMeasured);
        assert_eq!(verdict(&[&broken, &unmeasured, &met]), Verdict::Broken);
    }

    #[test]
    fn identifiers_are_unique() {
        let ids: std::collections::BTreeSet<_> = Requirement::ALL.iter().map(|requirement| requirement.id()).collect();
        assert_eq!(ids.len(), Requirement::ALL.len());
    }
}
