//! Quality figures of a clip: travel, loop gap, feet, noise and keys.
//!
//! A clip is sampled at every frame of its own key rate, or at its keys if they are evenly spaced without a rate.
//! Distances and heights are in metres, rotations in degrees. Directions are those of the file: +Y is up.
//! A figure that cannot be measured, such as the feet of a model without feet, is `None` and not 0.

mod cycle;
mod feet;
mod findings;
mod frames;
mod gait;
mod input;
mod jitter;
mod jumps;
mod keys;
mod loops;
mod other_joints;
mod pauses;
mod planted_legs;
mod pops;
mod seam;
mod side_effects;
mod skating;
mod tremors;
mod body_travel;
mod worst_frame;

pub use body_travel::BodyTravel;
use cycle::is_called_a_crossing;
pub use cycle::{GAIT_WORDS, is_called_a_cycle};
pub use feet::Feet;
pub use findings::Finding;
pub use input::Input;
pub use jitter::Jitter;
pub use jumps::{Jump, excess_over_neighbours, jumps};
pub use keys::Keys;
pub use loops::loops;
pub use other_joints::OtherJoints;
pub use pauses::{Pauses, noise_sample_spacing, rest_half_width, turning_joints, turns_of};
pub use planted_legs::follows_its_foot;
pub use pops::{Pop, Pops, QuickKeys};
pub use seam::LoopGap;
pub use side_effects::{ComparedBody, SideEffect};
pub use skating::FootSkate;
pub use tremors::{Tremor, tremors};
pub use worst_frame::WorstFrame;

use serde::{Deserialize, Serialize};

use crate::root_motion::size_factor;
use crate::standing_rest::standing_skeleton;
use frames::Frames;
use gait::{OnTheSpot, Standing, drifting_feet, left_behind, skating_feet, with_drift_of_resting_feet};
use portamento_base::progress::{Cancelled, Progress};

/// The figures of one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Length of the clip, seconds.
    pub seconds: f64,
    /// Frames per second on which all keys lie; `None` if there is no such rate.
    /// Without a rate the clip is sampled at its keys if they are evenly spaced, else 30 times a second.
    pub key_rate: Option<f64>,
    /// Joints with a curve.
    pub animated_joints: usize,
    /// Travel of the body.
    pub way: BodyTravel,
    /// Difference between the last frame and the first, one cycle on.
    pub residue: LoopGap,
    /// Foot contacts and sliding; `None` if the rig has no feet. For a gait on the spot they are measured at the
    /// speed its feet imply.
    pub feet: Option<Feet>,
    /// Jumps of single frames.
    pub pops: Pops,
    /// Noise while the body, or one joint, rests; `None` if the body never rests and no joint trembles.
    pub jitter: Option<Jitter>,
    /// Key counts.
    pub keys: Keys,
    /// The figures that exceed their threshold.
    pub findings: Vec<Finding>,
}

/// Travel from which a clip that is called a crossing is one, metres. A jump on the spot returns to its stance.
const CROSSING_MIN_TRAVEL_M: f64 = 1.0;

/// Measures `input`.
///
/// Returns `None` if the clip belongs to another skeleton, is longer than an hour or contains numbers that are not
/// finite.
/// Returns `Err` if `progress` is cancelled.
pub fn quality(input: &Input, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    // The progress bar belongs to the larger job of which this is a part.
    let progress = &progress.part();
    if input.clip.check_fits(input.skeleton).is_err() {
        return Ok(None);
    }
    // Ground, heights and size of a rest pose that does not stand mean nothing.
    let standing = standing_skeleton(input.skeleton, input.roles, input.clip);
    let input = &Input { skeleton: standing.as_ref().unwrap_or(input.skeleton), ..*input };
    let Some(frames) = Frames::sample(input, progress)? else { return Ok(None) };
    let clip = input.clip;
    let own_feet = Feet::measure(input, &frames);
    let residue = LoopGap::measure(input, &frames);
    let skating = skating_feet(input, &frames, &Standing { feet: own_feet, residue }, progress)?;
    let on_the_spot = if skating.is_none() { OnTheSpot::measure(input, &frames, progress)? } else { None };
    let is_known = skating.is_some() || on_the_spot.is_some() || own_feet.is_some_and(|feet| feet.drift.is_some());
    let drifting = own_feet
        .filter(|_| !is_known)
        .and_then(|feet| drifting_feet(input, &frames, &feet).or_else(|| left_behind(input, &frames, &feet)));
    let going = skating.or(drifting).or(own_feet).map(|feet| with_drift_of_resting_feet(input, &frames, feet));
    let mut quality = Quality {
        seconds: clip.duration,
        key_rate: clip.key_rate(),
        animated_joints: clip.tracks.iter().filter(|tracks| !tracks.is_empty()).count(),
        way: BodyTravel::measure(input, &frames, on_the_spot.as_ref()),
        residue,
        feet: on_the_spot.as_ref().map_or(going, |gait| gait.feet),
        pops: Pops::measure(input, &frames, progress)?,
        jitter: Jitter::measure(input, &frames, progress)?,
        keys: Keys::measure(input),
        findings: Vec::new(),
    };
    quality.findings = findings::findings_of(
        &quality,
        is_called_a_cycle(&clip.name, clip.duration),
        size_factor(input.skeleton, input.metres_per_unit),
    );
    // A vault or a running jump begins and ends in a run, but repeats nothing.
    if is_called_a_crossing(&clip.name) && quality.way.travel >= CROSSING_MIN_TRAVEL_M {
        quality.findings.retain(|finding| *finding != Finding::DoesNotClose);
    }
    Ok(Some(quality))
}
