//! Which figures are worth a look.

use serde::{Deserialize, Serialize};

use super::{Feet, Quality, Residue};

/// Something that an animator would want to mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Feet slide while they stand.
    FeetSlide,
    /// Feet, or other parts of the body, go below the ground they stand on at rest.
    Sinks,
    /// Joints jump to another place at once, or are out for a frame or two.
    Pops,
    /// Joints tremble while the body, or they by themselves, rest.
    Jitters,
    /// The end is near the start, or not far from it where most joints end as they began, but not all, and the motion is not simply
    /// done there; or the clip is called one that repeats; or it breaks off on its way back to the start or, on the spot, in its stride.
    DoesNotClose,
    /// The body does not start over the origin.
    StartsOffOrigin,
    /// Rotations that are not unit quaternions.
    BadRotations,
}

/// Centimetres per second at which sliding is seen; of small bodies less, see [`smallness`](crate::anim::root_motion::smallness).
const SLIDE: f64 = 10.0;
/// Centimetres at which sinking is seen; of small bodies less.
const SINKING: f64 = 4.0;
/// Degrees per frame at which trembling is seen.
pub(super) const JITTER: f64 = 0.25;
/// Parts of the body's size between which an end is near the start without being there.
const NEARLY_CLOSED: [f64; 2] = [0.002, 0.06];
/// The same where the motion is as small, and the parts of it from which that end is seen all the same.
const LITTLE: f64 = 5e-4;
const OF_LITTLE: f64 = 0.04;
/// Parts of the body's size from which an end is not that of a loop: a landing or a change of stance ends elsewhere, though the fingers rest.
const ELSEWHERE: f64 = 0.15;
/// Share of the joints that end as they began from which all of them were meant to.
const MEANT: f64 = 0.5;
/// Degrees at which one that does not is seen.
const TURN: f64 = 2.0;
/// Parts of its motion up to which what is played once ends as it began.
const BACK: f64 = 1.0 / 30.0;
/// The same where it comes to rest.
const BACK_AT_REST: f64 = 0.075;
/// Part of a motion's mean speed below which it has come to rest at its end.
const AT_REST: f64 = 0.3;
/// How many times its length what breaks off would take to be back where it began, as fast as it comes: who leads on to another
/// motion goes away from it, or sways back far more slowly.
const SOON: f64 = 3.0;
/// How far from its start that is, in parts of the farthest: on its way back, but not there.
const ON_THE_WAY: [f64; 2] = [0.05, 0.95];
/// How far it is up to which it is nearly back, though it goes away once more for a moment: who lands goes down before he stands.
const NEARLY_BACK: f64 = 0.4;
/// Metres from where he began within which who comes back to his stance is: a dash ends elsewhere.
const STAYS: f64 = 0.3;
/// Degrees from which a body that comes to rest has turned away.
const TURNED: f64 = 30.0;
/// Metres from the origin; of small bodies less.
const OFF_ORIGIN: f64 = 0.25;

impl Finding {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 7] = [
        Self::FeetSlide,
        Self::Sinks,
        Self::Pops,
        Self::Jitters,
        Self::DoesNotClose,
        Self::StartsOffOrigin,
        Self::BadRotations,
    ];

    /// Its name in files and translations.
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

    /// Its name in reports and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::FeetSlide => "feet slide",
            Self::Sinks => "sinks",
            Self::Pops => "pops",
            Self::Jitters => "jitters",
            Self::DoesNotClose => "does not close",
            Self::StartsOffOrigin => "starts off origin",
            Self::BadRotations => "bad rotations",
        }
    }
}

/// `is_cycle` where the clip is called one that repeats; `smallness` of the body.
pub(super) fn judge(quality: &Quality, is_cycle: bool, smallness: f64) -> Vec<Finding> {
    let slides = |feet: Feet| {
        // What feet that rest tell is known however they shuffle against it.
        let known = feet.drift.filter(|_| feet.drifts_at_rest).map(|drift| 100.0 * drift);
        [feet.slide, known].into_iter().flatten().any(|speed| speed > SLIDE * smallness)
    };
    let all = [
        // On the spot feet are meant to slide; what the body's speed leaves of that is the engine's to choose.
        (Finding::FeetSlide, !quality.way.on_the_spot && quality.feet.is_some_and(slides)),
        (Finding::Sinks, quality.feet.is_some_and(|feet| feet.sinking > SINKING * smallness)),
        (Finding::Pops, quality.pops.frames > 0),
        (Finding::Jitters, quality.jitter.as_ref().is_some_and(|jitter| jitter.degrees > JITTER)),
        (Finding::DoesNotClose, does_not_close(quality, is_cycle)),
        (Finding::StartsOffOrigin, quality.way.off_origin > OFF_ORIGIN * smallness),
        (Finding::BadRotations, quality.keys.not_unit > 0),
    ];
    all.into_iter().filter_map(|(finding, is_met)| is_met.then_some(finding)).collect()
}

/// Whether a motion was meant to end as it began, but does not.
fn does_not_close(quality: &Quality, is_cycle: bool) -> bool {
    let (residue, [closed, open]) = (&quality.residue, NEARLY_CLOSED);
    let is_seen = residue.place > closed || residue.place > LITTLE && residue.of_motion > OF_LITTLE;
    // A gait on the spot is one to its end.
    let goes_on = quality.way.on_the_spot && residue.ends_at > AT_REST;
    let is_near = is_seen && (is_cycle || goes_on || residue.place < open);
    let is_open = is_near || residue.place < ELSEWHERE && residue.closed >= MEANT && residue.turn > TURN;
    is_open && (is_cycle || quality.way.on_the_spot || !is_done(quality)) || breaks_off(quality)
}

/// Whether a motion stops while it comes back to where it began: what is played once, a strike or a jump, is then cut off before its end.
fn breaks_off(quality: &Quality) -> bool {
    let (residue, [back, away]) = (&quality.residue, ON_THE_WAY);
    let is_on_its_way = residue.place > LITTLE && residue.ends_at > AT_REST && (back..away).contains(&residue.away);
    let stays = quality.way.travel < STAYS;
    stays && is_on_its_way && (residue.away < NEARLY_BACK || residue.back_in.is_some_and(|part| part < SOON))
}

/// Whether a motion is over at its end: it is back but for a little of its way, or has come to rest, turned or nearly back.
fn is_done(quality: &Quality) -> bool {
    let Residue { of_motion, ends_at, .. } = quality.residue;
    let turn = quality.way.turn - 360.0 * (quality.way.turn / 360.0).round();
    of_motion < BACK || ends_at < AT_REST && (of_motion < BACK_AT_REST || turn.abs() > TURNED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::quality::{BodyTravel, Feet, Keys, Pops};

    #[test]
    fn who_ends_elsewhere_was_not_meant_to_close_though_his_fingers_rest() {
        let ends = |place: f64, is_cycle: bool| does_not_close(&sound(residue(place)), is_cycle);
        assert_eq!([0.05, 0.1, 0.3].map(|place| ends(place, false)), [true, true, false]);
        assert!(ends(0.3, true), "a walk is meant to");
    }

    #[test]
    fn who_is_back_or_has_turned_and_rests_is_done() {
        let told = |of_motion: f64, ends_at: f64, turn: f64| {
            let mut quality = sound(Residue { of_motion, ends_at, ..residue(0.01) });
            quality.way.turn = turn;
            [false, true].map(|is_cycle| does_not_close(&quality, is_cycle))
        };
        assert_eq!(told(0.02, 1.0, 0.0), [false, true], "a strike ends in its stance, a loop in its first frame");
        assert_eq!([told(0.07, 0.2, 0.0), told(0.07, 0.8, 0.0)], [[false, true], [true, true]]);
        assert_eq!([told(0.3, 0.2, 180.0), told(0.3, 0.2, 360.0)], [[false, true], [true, true]]);
    }

    #[test]
    fn who_stops_on_his_way_back_to_his_stance_was_cut_off() {
        let quality = |away: f64, back_in: Option<f64>, ends_at: f64| {
            sound(Residue { away, back_in, ends_at, of_motion: 0.3, ..residue(0.3) })
        };
        let told =
            |away: f64, back_in: Option<f64>, ends_at: f64| does_not_close(&quality(away, back_in, ends_at), false);
        assert!(told(0.4, Some(0.1), 1.0) && told(0.2, None, 1.0), "on his way, and nearly back");
        let mut dash = quality(0.4, Some(0.1), 1.0);
        dash.way.travel = 3.0;
        assert!(!does_not_close(&dash, false));
        assert!(told(0.9, Some(2.5), 1.0), "he has just turned back");
        let others = [
            told(0.4, None, 1.0),
            told(0.2, None, 0.2),
            told(0.9, Some(18.0), 1.0),
            told(0.4, Some(0.1), 0.2),
            told(0.97, Some(0.1), 1.0),
            told(0.02, Some(0.1), 1.0),
        ];
        assert_eq!(
            others, [false; 6],
            "who goes elsewhere, rests nearly there, comes back slowly, rests, has hardly begun to and is back"
        );
    }

    #[test]
    fn a_gait_on_the_spot_that_stops_in_full_stride_was_cut_off_however_far_that_is_from_its_start() {
        let told = |on_the_spot: bool, ends_at: f64| {
            let mut quality = sound(Residue { ends_at, away: 0.6, ..residue(0.2) });
            quality.way.on_the_spot = on_the_spot;
            does_not_close(&quality, false)
        };
        assert_eq!([told(true, 1.0), told(true, 0.1), told(false, 1.0)], [true, false, false]);
    }

    #[test]
    fn a_small_motion_that_does_not_come_round_is_seen_by_what_it_is() {
        let told = |of_motion: f64, is_cycle: bool| {
            does_not_close(&sound(Residue { of_motion, turn: 0.5, ..residue(0.001) }), is_cycle)
        };
        assert_eq!([told(0.045, true), told(0.02, true)], [true, false]);
        assert_eq!([told(0.12, false), told(0.03, false)], [true, false], "who is back but for little may be done");
    }

    #[test]
    fn a_small_body_slides_and_sinks_by_less() {
        let told = |smallness: f64, slide: f64, sinking: f64| {
            let feet = Feet { slide: Some(slide), sinking, ..Feet::default() };
            judge(&Quality { feet: Some(feet), ..sound(Residue::default()) }, false, smallness)
        };
        assert_eq!([told(0.6, 7.0, 3.0), told(1.0, 11.0, 5.0)], [const { [Finding::FeetSlide, Finding::Sinks] }; 2]);
        assert_eq!([told(0.6, 5.0, 2.0), told(1.0, 9.0, 3.9)], [const { Vec::new() }; 2]);
        let drifts = |drifts_at_rest: bool| {
            let feet = Feet { slide: Some(9.0), drift: Some(0.16), drifts_at_rest, ..Feet::default() };
            judge(&Quality { feet: Some(feet), ..sound(Residue::default()) }, false, 1.0)
        };
        assert_eq!(drifts(true), [Finding::FeetSlide], "feet that rest tell it, however others shuffle against it");
        assert_eq!(drifts(false), []);
    }

    fn residue(place: f64) -> Residue {
        Residue { place, turn: 40.0, closed: 0.6, of_motion: 0.3, ends_at: 1.0, ..Residue::default() }
    }

    fn sound(residue: Residue) -> Quality {
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
