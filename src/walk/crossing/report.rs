//! Figures of a fitted crossing, measured on the result.

use serde::{Deserialize, Serialize};

use super::CrossingKind;
use portamento_base::message::{Message, message};

/// The worst distance of a kind of contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactError {
    /// The distance, metres.
    pub error: f64,
    /// Name of the joint.
    pub joint: String,
    /// The time in the fitted motion, seconds.
    pub time: f64,
}

/// The depth of the body within the obstacle, between take-off and landing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Penetration {
    /// Depth that 99 % of all points in all frames stay below, metres.
    pub percentile_99: f64,
    /// Largest depth, metres.
    pub worst: f64,
    /// The time of the largest depth, seconds.
    pub time: f64,
}

/// Figures for the panel and the command line. `None` if there was nothing to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The kind of crossing.
    pub kind: CrossingKind,
    /// Take-off, near edge, far edge and landing in the fitted motion, seconds.
    pub moments: [f64; 4],
    /// Worst distance of a contact on the obstacle from its edge or top.
    pub edge: Option<ContactError>,
    /// Worst distance of a foot behind the obstacle from its contact.
    pub landing: Option<ContactError>,
    /// Worst height of a standing foot before the obstacle above or below its ground.
    pub standing: Option<ContactError>,
    /// Largest relative deviation of the fall of the hips from 9.81 m/s², before and after.
    pub gravity: Option<[f64; 2]>,
    /// Airtime, before and after, seconds.
    pub airtime: Option<[f64; 2]>,
    /// Largest vertical speed at take-off, before and after, metres per second.
    pub take_off_speed: Option<[f64; 2]>,
    /// Largest change within a window without flight, as a fraction of its path.
    pub ratio: f64,
    /// Penetration of the obstacle by the body.
    pub penetration: Option<Penetration>,
    /// Penetration of the clip's own obstacle by the incoming motion.
    pub own_penetration: Option<Penetration>,
    /// Number of frames in which an elbow or knee bends to the other side than in the incoming motion.
    pub flipped: usize,
    /// Duration, before and after, seconds.
    pub seconds: [f64; 2],
}

/// Deviation from gravity above which a warning is reported.
pub const GRAVITY_MAX_DEVIATION: f64 = 0.1;
/// Depth at the 99th percentile above which a warning is reported, metres.
pub const PENETRATION_MAX_M: f64 = 0.02;

impl Report {
    /// True if the fall deviates from gravity by more than [`GRAVITY_MAX_DEVIATION`].
    pub fn floats(&self) -> bool {
        self.gravity.is_some_and(|[_, after]| after > GRAVITY_MAX_DEVIATION)
    }

    /// True if the body is within the obstacle by more than [`PENETRATION_MAX_M`] and deeper than in the incoming motion.
    pub fn penetrates(&self) -> bool {
        let own = self.own_penetration.map_or(0.0, |own| own.percentile_99);
        self.penetration.is_some_and(|depth| depth.percentile_99 > PENETRATION_MAX_M.max(own + 1e-3))
    }

    /// Returns a warning for each figure beyond its limit.
    pub fn warnings(&self) -> Vec<Message> {
        let floats = self.gravity.filter(|_| self.floats()).map(|[_, after]| {
            message!(
                "warning.cross.floats",
                "The hips deviate from free fall by %{percent} %. Turn on free fall, or choose another clip.",
                percent = format!("{:.0}", 100.0 * after)
            )
        });
        let penetrates = self.penetration.filter(|_| self.penetrates()).map(|depth| {
            message!(
                "warning.cross.penetrates",
                "The body is %{centimetres} cm inside the obstacle at %{seconds} s. Use a smaller obstacle, or set its moments.",
                centimetres = format!("{:.1}", 100.0 * depth.worst),
                seconds = format!("{:.2}", depth.time)
            )
        });
        let flips = (self.flipped > 0).then(|| {
            message!(
                "warning.cross.flips",
                "An elbow or knee bends to the other side in %{count} frames. Use an obstacle nearer to the clip's own size.",
                count = self.flipped
            )
        });
        [floats, penetrates, flips].into_iter().flatten().collect()
    }
}
