//! The report of the close stage.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::settings::ChangedSide;
use portamento_base::message::{Message, Tell, message};

/// The difference between the end of a motion and its start, after the cycle transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Largest distance of a joint, as a fraction of the body size.
    pub place: f64,
    /// The joint with the largest distance.
    #[serde(rename = "place_joint")]
    pub position_joint: usize,
    /// Largest rotation difference of a joint, radians.
    pub turn: f64,
    /// Largest velocity difference of a joint, as a fraction of the largest speed in the motion.
    pub velocity: f64,
    /// The joint with the largest velocity difference.
    pub velocity_joint: usize,
}

impl Gap {
    /// Distance that counts as 0, as a fraction of the body size.
    pub const MAX_POSITION: f64 = 1e-5;
    /// Velocity difference that counts as 0, as a fraction of the largest speed.
    pub const MAX_VELOCITY: f64 = 0.01;

    /// True if the motion loops.
    pub fn is_closed(&self) -> bool {
        self.ends_meet() && self.velocity <= Self::MAX_VELOCITY
    }

    /// True if the motion ends in the pose with which it begins.
    pub fn ends_meet(&self) -> bool {
        // An end joint may rotate without moving any other joint.
        self.place <= Self::MAX_POSITION && self.turn <= 1e-3
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A foot is planted from before the seam until after it, with different positions, so it slides.
    FootSlides {
        /// Joint of the foot.
        joint: usize,
        /// The distance, metres.
        metres: f64,
        /// Seam length in seconds with which it would not slide; `None` if no seam of this motion is long enough.
        needs: Option<f64>,
    },
    /// A leg is too short to reach its planted foot.
    LegTooShort {
        /// Joint of the foot.
        joint: usize,
        /// The largest remaining distance, metres.
        metres: f64,
    },
}

/// Figures for the panel and the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// True if the input already loops. Nothing is changed then.
    pub closes_already: bool,
    /// The side that was changed.
    pub side: ChangedSide,
    /// Changed time at the start, seconds.
    pub after_start: f64,
    /// Changed time at the end, seconds.
    pub before_end: f64,
    /// The gaps of the input.
    pub before: Gap,
    /// The gaps of the output.
    pub after: Gap,
    /// Travel of one cycle in world axes at its start, metres; y is the climb.
    pub travel: DVec3,
    /// Rotation of one cycle about +Y, radians.
    pub turn: f64,
    /// The largest jump that a foot planted across the seam would make there, metres.
    pub foot_jump: f64,
    /// The largest slide of a planted foot in the seam, relative to the input, metres.
    pub foot_slide: f64,
    /// Largest displacement of a joint, metres.
    pub moved: f64,
    /// Limits that were reached.
    pub warnings: Vec<Warning>,
}

impl Warning {
    /// Returns the message with the name of the joint, which `name` returns for an index.
    pub fn message_with_names(&self, name: &dyn Fn(usize) -> String) -> Message {
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

/// Returns the message of `warning` with `joint` as the name of its joint.
fn named(warning: &Warning, joint: String) -> Message {
    match *warning {
        Warning::FootSlides { metres, needs: Some(seconds), .. } => message!(
            "warning.close.foot_slides",
            "“%{joint}” is planted from before the seam until after it and slides %{millimetres} mm. With a seam of %{seconds} s, it can \
             step instead.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3),
            seconds = format!("{seconds:.2}")
        ),
        Warning::FootSlides { metres, .. } => message!(
            "warning.close.foot_stands",
            "“%{joint}” is planted from before the seam until after it and slides %{millimetres} mm. Trim the motion to where this foot \
             is in the air.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3)
        ),
        Warning::LegTooShort { metres, .. } => message!(
            "warning.close.leg_too_short",
            "The leg of “%{joint}” is %{millimetres} mm too short for its planted foot. Choose a longer seam.",
            joint,
            millimetres = format!("{:.1}", metres * 1e3)
        ),
    }
}
