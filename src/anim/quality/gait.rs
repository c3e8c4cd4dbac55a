//! Gaits whose feet never stand, because the body goes at another speed than they tell: those on the spot do so on purpose, those
//! that are taken along by something else do not.

use super::Input;
use super::feet::Feet;
use super::frames::Frames;
use super::skating::{steady, velocities};
use crate::anim::root_synthesis::{synthesize_root_motion, travelling};
use crate::progress::{Cancelled, Progress};

/// Share of the time that a foot stands in a gait that goes as fast as its feet tell, at least.
const STANDING: f64 = 0.15;
/// Up to which part of that its feet stand in one that does not.
const LEFT: f64 = 0.3;
/// Metres per second from which a body goes, and from which it is seen to go at another speed than its feet.
const SLOWEST: f64 = 0.12;

/// A gait on the spot, as it would travel.
pub(super) struct OnTheSpot {
    /// Metres per second along the ground.
    pub speed: f64,
    /// How its feet stand while it goes that fast.
    pub feet: Option<Feet>,
}

impl OnTheSpot {
    pub fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, roles, metres_per_unit } = *input;
        let Some(gait) = travelling(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else { return Ok(None) };
        let input = Input { clip: &gait.clip, ..*input };
        let frames = Frames::sample(&input, progress)?;
        Ok(Some(Self { speed: gait.speed, feet: frames.and_then(|frames| Feet::measure(&input, &frames)) }))
    }
}

/// The feet of a gait whose body goes elsewhere than they tell, so that they slide all the time; `None` for every other motion.
/// `feet` are those of the motion as it is.
pub(super) fn skating_feet(
    input: &Input,
    frames: &Frames,
    feet: Option<Feet>,
    progress: &Progress,
) -> Result<Option<Feet>, Cancelled> {
    let Input { skeleton, clip, roles, metres_per_unit } = *input;
    let per_second = metres_per_unit / clip.duration.max(f64::MIN_POSITIVE);
    let last = frames.root.len() - 1;
    // Who dodges or falls does not go evenly.
    let goes = steady(&velocities(&frames.root, frames.step, metres_per_unit)).unwrap_or(0.0);
    let standing = feet.map_or(0.0, |feet| feet.standing);
    if goes < SLOWEST || feet.is_some_and(|feet| feet.drift.is_some()) {
        return Ok(None);
    }
    let Ok((made, _)) = synthesize_root_motion(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else {
        return Ok(None);
    };
    let input = Input { clip: &made, ..*input };
    let Some(made) = Frames::sample(&input, progress)? else { return Ok(None) };
    let slip = per_second * (made.root[last] - frames.root[last]).with_y(0.0).length();
    let stands =
        Feet::measure(&input, &made).filter(|made| made.standing >= STANDING && standing < LEFT * made.standing);
    let skates = |made: Feet| Feet { standing, slide: 100.0 * slip, drift: Some(slip), ..made };
    Ok(stands.filter(|_| slip >= SLOWEST).map(skates))
}
