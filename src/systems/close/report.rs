//! What a closing did, as numbers.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::settings::ChangedSide;
use crate::message::{Message, Tell, message};

/// How far the end of a motion is from its start, one cycle on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Largest distance of a joint, in parts of the body's size.
    pub place: f64,
    /// The joint that is farthest.
    pub place_joint: usize,
    /// Largest turn of a joint between the two, radians.
    pub turn: f64,
    /// Largest difference in velocity of a joint, in parts of the quickest speed of any joint in the whole motion.
    pub velocity: f64,
    /// The joint whose velocity differs most.
    pub velocity_joint: usize,
}

impl Gap {
    /// Distances up to this count as 0, in parts of the body's size.
    pub const NO_PLACE: f64 = 1e-5;
    /// Differences in velocity up to this count as 0, in parts of the quickest speed.
    pub const NO_VELOCITY: f64 = 0.01;

    /// Whether the motion repeats as it is.
    pub fn is_closed(&self) -> bool {
        // A leaf joint may turn without moving any other.
        self.place <= Self::NO_PLACE && self.turn <= 1e-3 && self.velocity <= Self::NO_VELOCITY
    }
}

/// A limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A foot stands from before the seam until after it, at two places: it slides from one to the other.
    FootSlides {
        /// Joint of the foot.
        joint: usize,
        /// The way, metres.
        metres: f64,
        /// Seconds that a seam has to last so that it need not slide; `None` where no seam of this motion can.
        needs: Option<f64>,
    },
    /// A leg does not reach the place where its foot stands.
    LegTooShort {
        /// Joint of the foot.
        joint: usize,
        /// The way that is left at worst, metres.
        metres: f64,
    },
}

/// Everything the panel and the command line tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Whether it closed before: then nothing was changed.
    pub closes_already: bool,
    /// Which side gave way.
    pub side: ChangedSide,
    /// Seconds at the start that were changed.
    pub after_start: f64,
    /// Seconds at the end that were changed.
    pub before_end: f64,
    /// The gaps of what came in.
    pub before: Gap,
    /// The gaps of what comes out.
    pub after: Gap,
    /// What one cycle travels, world axes at its start, metres; y is the climb.
    pub travel: DVec3,
    /// What one cycle turns about +Y, radians.
    pub turn: f64,
    /// The largest jump that a foot which stands across the seam would make there, metres.
    pub foot_jump: f64,
    /// The largest way that a standing foot slides in the seam beyond what it slid before, metres.
    pub foot_slide: f64,
    /// Farthest that a joint is moved from where it was, metres.
    pub moved: f64,
    /// Limits that were met.
    pub warnings: Vec<Warning>,
}

impl Warning {
    /// The sentence about it, with the names of the joints.
    pub fn told(&self, name: &dyn Fn(usize) -> String) -> Message {
        let (Self::FootSlides { joint, .. } | Self::LegTooShort { joint, .. }) = self;
        named(self, name(*joint))
    }
}

impl Tell for Warning {
    fn message(&self) -> Message {
        let (Self::FootSlides { joint, .. } | Self::LegTooShort { joint, .. }) = self;
        named(self, joint.to_string())
    }
}

fn named(warning: &Warning, joint: String) -> Message {
    match *warning {
        Warning::FootSlides { metres, needs: Some(seconds), .. } => message!(
            "warning.close.foot_slides",
            "“%{joint}” stands from before the seam until after it and slides %{millimetres} mm. A seam of %{seconds} s lets it \
             step there instead.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3),
            seconds = format!("{seconds:.2}")
        ),
        Warning::FootSlides { metres, .. } => message!(
            "warning.close.foot_stands",
            "“%{joint}” stands from before the seam until after it and slides %{millimetres} mm. Cut the motion where this foot \
             is in the air.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3)
        ),
        Warning::LegTooShort { metres, .. } => message!(
            "warning.close.leg_too_short",
            "The leg of “%{joint}” stays %{millimetres} mm short of where its foot stands. Choose a longer seam.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3)
        ),
    }
}
