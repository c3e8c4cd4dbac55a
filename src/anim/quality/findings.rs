//! Findings: the quality figures of a clip that exceed their threshold.

use serde::{Deserialize, Serialize};

use super::{Feet, LoopGap, Quality};

/// A fault of a clip that an animator would want to fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Feet slide during contacts.
    FeetSlide,
    /// Feet or other parts of the body are below the ground of the rest pose.
    Sinks,
    /// Joints jump to another rotation, or have one or two outlier frames.
    Pops,
    /// Joints tremble while the body, or that joint, rests.
    Jitters,
    /// The clip does not loop although it seems meant to.
    ///
    /// Reported in each of these cases:
    /// - The end is near the start without reaching it, or most joints end as they began but not all, and the motion
    ///   has not come to rest.
    /// - The clip's name says that it loops.
    /// - The motion breaks off on its way back to the start or, on the spot, in mid-stride.
    DoesNotClose,
    /// The body does not start at the origin.
    StartsOffOrigin,
    /// Rotations that are not unit quaternions.
    BadRotations,
}

/// Slide speed above which feet visibly slide, cm/s. Scaled down for small bodies, see
/// [`size_factor`](crate::root_motion::size_factor).
const SLIDE_MAX_CM_PER_SECOND: f64 = 10.0;
/// Slide speed over half a second above which feet visibly slide, however long they stand otherwise, cm/s: 0.2 m/s is the
/// speed from which the published measure counts foot skate. Scaled down for small bodies.
const SLIDE_PEAK_MAX_CM_PER_SECOND: f64 = 20.0;
/// Penetration above which feet visibly sink, cm. Scaled down for small bodies.
const SINKING_MAX_CM: f64 = 4.0;
/// Noise above which trembling is visible, degrees per frame.
pub(super) const JITTER_MAX_DEGREES: f64 = 0.25;
/// Range of end-to-start distances that are near but not closed, as a fraction of the body's size. Tuned; no
/// derivation recorded.
const NEAR_END_RANGE: [f64; 2] = [0.002, 0.06];
/// Minimum distance in a small motion, as a fraction of the body's size. Tuned; no derivation recorded.
const SMALL_MOTION_MIN_GAP: f64 = 5e-4;
/// Minimum distance in a small motion, as a fraction of that motion. Tuned; no derivation recorded.
const SMALL_MOTION_MIN_FRACTION: f64 = 0.04;
/// Distance from which an end is not meant as a loop, as a fraction of the body's size.
/// A landing or a change of stance ends elsewhere although the fingers return. Tuned; no derivation recorded.
const LOOP_MAX_GAP: f64 = 0.15;
/// Fraction of joints that must end as they began for the clip to count as a loop.
const LOOP_MIN_CLOSED_FRACTION: f64 = 0.5;
/// Rotation difference above which a joint has visibly not returned, degrees. Tuned; no derivation recorded.
const TURN_GAP_MIN_DEGREES: f64 = 2.0;
/// Distance below which a one-shot motion has returned to its start, as a fraction of the motion. Tuned; no
/// derivation recorded.
const RETURNED_MAX_FRACTION: f64 = 1.0 / 30.0;
/// Distance below which a one-shot motion that comes to rest has returned to its start, as a fraction of the motion.
const RETURNED_AT_REST_MAX_FRACTION: f64 = 0.075;
/// Speed at the end below which a motion has come to rest, as a fraction of its mean speed. Tuned; no derivation
/// recorded.
const REST_MAX_SPEED_FRACTION: f64 = 0.3;
/// Maximum time in which a cut-off motion would be back at its start at its present speed, as a fraction of the
/// clip's length.
/// A motion that leads on to another moves away from the start, or returns far more slowly. Tuned; no derivation
/// recorded.
const RETURN_MAX_CLIP_LENGTHS: f64 = 3.0;
/// Range of distances at which a motion is on its way back but not there, as a fraction of the largest distance.
const RETURNING_RANGE: [f64; 2] = [0.05, 0.95];
/// Distance below which a motion is nearly back, as a fraction of the largest distance, even if it moves away for a
/// moment.
/// A landing character sinks before it stands.
const NEARLY_RETURNED_MAX_FRACTION: f64 = 0.4;
/// Travel below which a character returns to its stance, metres; a dash ends elsewhere. Tuned; no derivation
/// recorded.
const STANCE_MAX_TRAVEL_M: f64 = 0.3;
/// Turn from which a body that comes to rest has turned away, degrees. Tuned; no derivation recorded.
const TURNED_AWAY_MIN_DEGREES: f64 = 30.0;
/// Height between first and last frame from which a motion on the spot is no gait, metres. Chosen: hips swing by 0.1 m in a run.
const GAIT_MAX_CLIMB_M: f64 = 0.25;
/// Distance from the origin above which a start is off the origin, metres. Scaled down for small bodies.
const ORIGIN_MAX_DISTANCE_M: f64 = 0.25;

portamento_base::named!(Finding {
    FeetSlide: "feet slide",
    Sinks: "sinks",
    Pops: "pops",
    Jitters: "jitters",
    DoesNotClose: "does not close",
    StartsOffOrigin: "starts off origin",
    BadRotations: "bad rotations"
});

impl Finding {
    /// Returns the key used in files and translations.
    pub fn key(self) -> &'static str {
        match self {
            Self::FeetSlide => "feet_slide",
            Self::Sinks => "sinks",
            Self::Pops => "pops",
            Self::Jitters => "jitters",
            Self::DoesNotClose => "does_not_close",
            Self::StartsOffOrigin => "starts_off_origin",
            Self::BadRotations => "bad_rotations",
        }
    }
}

/// Returns the findings of `quality`. `is_cycle` is true if the clip's name says that it loops; `size_factor` scales
/// thresholds for small bodies.
pub(super) fn findings_of(quality: &Quality, is_cycle: bool, size_factor: f64) -> Vec<Finding> {
    let slides = |feet: Feet| {
        // The speed shown by feet at rest is reliable, however the other foot shuffles.
        let at_rest = feet.drift.filter(|_| feet.drifts_at_rest).map(|drift| 100.0 * drift);
        let is_beyond = |speed: Option<f64>, limit: f64| speed.is_some_and(|speed| speed > limit * size_factor);
        [feet.slide, at_rest].into_iter().any(|speed| is_beyond(speed, SLIDE_MAX_CM_PER_SECOND))
            || is_beyond(feet.slide_peak, SLIDE_PEAK_MAX_CM_PER_SECOND)
    };
    let all = [
        // On the spot feet are meant to slide; the engine chooses the travel speed.
        (Finding::FeetSlide, !quality.way.on_the_spot && quality.feet.is_some_and(slides)),
        (Finding::Sinks, quality.feet.is_some_and(|feet| feet.sinking > SINKING_MAX_CM * size_factor)),
        (Finding::Pops, quality.pops.frames > 0),
        (Finding::Jitters, quality.jitter.as_ref().is_some_and(|jitter| jitter.degrees > JITTER_MAX_DEGREES)),
        (Finding::DoesNotClose, does_not_close(quality, is_cycle, size_factor)),
        (Finding::StartsOffOrigin, quality.way.off_origin > ORIGIN_MAX_DISTANCE_M * size_factor),
        (Finding::BadRotations, quality.keys.not_unit > 0),
    ];
    all.into_iter().filter_map(|(finding, applies)| applies.then_some(finding)).collect()
}

/// True if a motion was meant to end as it began but does not. `is_cycle` is true if the clip's name says that it loops; `size_factor`
/// is that of [`findings_of`].
fn does_not_close(quality: &Quality, is_cycle: bool, size_factor: f64) -> bool {
    let (residue, [closed, open]) = (&quality.residue, NEAR_END_RANGE);
    let is_seen =
        residue.place > closed || residue.place > SMALL_MOTION_MIN_GAP && residue.of_motion > SMALL_MOTION_MIN_FRACTION;
    // A gait on the spot that is still moving at its end is a loop. A body that gets up or sits down is none.
    let is_level = quality.way.climb.abs() < GAIT_MAX_CLIMB_M * size_factor;
    let is_gait = quality.way.on_the_spot && is_level;
    let is_cut_mid_stride = is_gait && residue.ends_at > REST_MAX_SPEED_FRACTION;
    let is_near = is_seen && (is_cycle || is_cut_mid_stride || residue.place < open);
    let is_open = is_near
        || residue.place < LOOP_MAX_GAP
            && residue.closed >= LOOP_MIN_CLOSED_FRACTION
            && residue.turn > TURN_GAP_MIN_DEGREES;
    is_open && (is_cycle || is_gait || !is_done(quality)) || breaks_off(quality)
}

/// True if a one-shot motion, such as a strike or a jump, is cut off while it returns to its start.
fn breaks_off(quality: &Quality) -> bool {
    let (residue, [back, away]) = (&quality.residue, RETURNING_RANGE);
    let is_returning = residue.place > SMALL_MOTION_MIN_GAP
        && residue.ends_at > REST_MAX_SPEED_FRACTION
        && (back..away).contains(&residue.away);
    let is_in_place = quality.way.travel < STANCE_MAX_TRAVEL_M;
    is_in_place
        && is_returning
        && (residue.away < NEARLY_RETURNED_MAX_FRACTION
            || residue.back_in.is_some_and(|part| part < RETURN_MAX_CLIP_LENGTHS))
}

/// True if a motion is complete at its end: it is nearly back at its start, or it has come to rest and has turned away or is
/// roughly back.
fn is_done(quality: &Quality) -> bool {
    let LoopGap { of_motion, ends_at, .. } = quality.residue;
    let turn = quality.way.turn - 360.0 * (quality.way.turn / 360.0).round();
    of_motion < RETURNED_MAX_FRACTION
        || ends_at < REST_MAX_SPEED_FRACTION
            && (of_motion < RETURNED_AT_REST_MAX_FRACTION || turn.abs() > TURNED_AWAY_MIN_DEGREES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::{BodyTravel, Feet, Keys, Pops};

    #[test]
    fn a_motion_that_ends_elsewhere_is_not_meant_to_close_even_if_the_fingers_rest() {
        let ends = |gap: f64, is_cycle: bool| does_not_close(&sound(residue(gap)), is_cycle, 1.0);
        assert_eq!([0.05, 0.1, 0.3].map(|gap| ends(gap, false)), [true, true, false]);
        assert!(ends(0.3, true), "a walk is meant to");
    }

    #[test]
    fn a_motion_that_returns_or_turns_and_comes_to_rest_is_complete() {
        let findings = |of_motion: f64, ends_at: f64, turn: f64| {
            let mut quality = sound(LoopGap { of_motion, ends_at, ..residue(0.01) });
            quality.way.turn = turn;
            [false, true].map(|is_cycle| does_not_close(&quality, is_cycle, 1.0))
        };
        assert_eq!(findings(0.02, 1.0, 0.0), [false, true], "a strike ends in its stance, a loop in its first frame");
        assert_eq!([findings(0.07, 0.2, 0.0), findings(0.07, 0.8, 0.0)], [[false, true], [true, true]]);
        assert_eq!([findings(0.3, 0.2, 180.0), findings(0.3, 0.2, 360.0)], [[false, true], [true, true]]);
    }

    #[test]
    fn a_motion_that_stops_on_its_way_back_to_the_stance_was_cut_off() {
        let quality = |away: f64, back_in: Option<f64>, ends_at: f64| {
            sound(LoopGap { away, back_in, ends_at, of_motion: 0.3, ..residue(0.3) })
        };
        let is_open = |away: f64, back_in: Option<f64>, ends_at: f64| {
            does_not_close(&quality(away, back_in, ends_at), false, 1.0)
        };
        assert!(is_open(0.4, Some(0.1), 1.0) && is_open(0.2, None, 1.0), "returning, and nearly back");
        let mut dash = quality(0.4, Some(0.1), 1.0);
        dash.way.travel = 3.0;
        assert!(!does_not_close(&dash, false, 1.0));
        assert!(is_open(0.9, Some(2.5), 1.0), "it has just turned back");
        let others = [
            is_open(0.4, None, 1.0),
            is_open(0.2, None, 0.2),
            is_open(0.9, Some(18.0), 1.0),
            is_open(0.4, Some(0.1), 0.2),
            is_open(0.97, Some(0.1), 1.0),
            is_open(0.02, Some(0.1), 1.0),
        ];
        assert_eq!(
            others, [false; 6],
            "ends elsewhere, rests nearly there, returns slowly, rests, has hardly begun to return, has returned"
        );
    }

    #[test]
    fn a_gait_on_the_spot_that_stops_in_mid_stride_was_cut_off_at_any_distance_from_its_start() {
        let is_open = |on_the_spot: bool, ends_at: f64, climb: f64| {
            let mut quality = sound(LoopGap { ends_at, away: 0.6, ..residue(0.2) });
            (quality.way.on_the_spot, quality.way.climb) = (on_the_spot, climb);
            does_not_close(&quality, false, 1.0)
        };
        let open = [is_open(true, 1.0, 0.1), is_open(true, 0.1, 0.0), is_open(false, 1.0, 0.0)];
        assert_eq!(open, [true, false, false]);
        assert_eq!([0.8, -0.8].map(|climb| is_open(true, 1.0, climb)), [false; 2], "a body that gets up or lies down");
    }

    #[test]
    fn the_gap_of_a_small_motion_is_judged_relative_to_that_motion() {
        let is_open = |of_motion: f64, is_cycle: bool| {
            does_not_close(&sound(LoopGap { of_motion, turn: 0.5, ..residue(0.001) }), is_cycle, 1.0)
        };
        assert_eq!([is_open(0.045, true), is_open(0.02, true)], [true, false]);
        assert_eq!(
            [is_open(0.12, false), is_open(0.03, false)],
            [true, false],
            "a motion that has nearly returned may be complete"
        );
    }

    #[test]
    fn thresholds_for_slide_and_sinking_shrink_with_the_body() {
        let findings = |size_factor: f64, slide: f64, sinking: f64| {
            let feet = Feet { slide: Some(slide), sinking, ..Feet::default() };
            findings_of(&Quality { feet: Some(feet), ..sound(LoopGap::default()) }, false, size_factor)
        };
        assert_eq!(
            [findings(0.6, 7.0, 3.0), findings(1.0, 11.0, 5.0)],
            [const { [Finding::FeetSlide, Finding::Sinks] }; 2]
        );
        assert_eq!([findings(0.6, 5.0, 2.0), findings(1.0, 9.0, 3.9)], [const { Vec::new() }; 2]);
        let peak = |slide_peak: f64| {
            let feet = Feet { slide: Some(1.0), slide_peak: Some(slide_peak), ..Feet::default() };
            findings_of(&Quality { feet: Some(feet), ..sound(LoopGap::default()) }, false, 0.6)
        };
        assert_eq!([peak(12.1), peak(11.9)], [vec![Finding::FeetSlide], vec![]]);
        let drifts = |drifts_at_rest: bool| {
            let feet = Feet { slide: Some(9.0), drift: Some(0.16), drifts_at_rest, ..Feet::default() };
            findings_of(&Quality { feet: Some(feet), ..sound(LoopGap::default()) }, false, 1.0)
        };
        assert_eq!(drifts(true), [Finding::FeetSlide], "feet at rest are reliable, however the other foot shuffles");
        assert_eq!(drifts(false), []);
    }

    fn residue(place: f64) -> LoopGap {
        LoopGap { place, turn: 40.0, closed: 0.6, of_motion: 0.3, ends_at: 1.0, ..LoopGap::default() }
    }

    fn sound(residue: LoopGap) -> Quality {
        Quality {
            seconds: 1.0,
            key_rate: Some(30.0),
            animated_joints: 1,
            way: BodyTravel::default(),
            residue,
            feet: None,
            pops: Pops::default(),
            jitter: None,
            keys: Keys::default(),
            findings: Vec::new(),
        }
    }
}
