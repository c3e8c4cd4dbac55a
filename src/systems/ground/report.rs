//! What putting a motion on the ground did, as numbers.

use serde::{Deserialize, Serialize};

use crate::anim::quality::WorstFrame;
use crate::message::{Message, Tell, message};

/// Everything the panel and the command line tell; lengths in metres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How many times a foot stands.
    pub stands: usize,
    /// The farthest the body was lowered (below 0) and raised.
    pub raised: [f64; 2],
    /// The farthest that a standing foot was from the ground, in and out.
    pub off_ground: [f64; 2],
    /// The farthest that a foot slid along the ground while it stood, in and out.
    pub slide: [f64; 2],
    /// The deepest that the mesh of a foot is in the ground, in and out; 0 without meshes.
    #[serde(default)]
    pub in_ground: [f64; 2],
    /// Where a foot is deepest in the ground in what comes out.
    #[serde(skip)]
    pub in_ground_at: Option<WorstFrame>,
    /// Where a standing foot is farthest from the ground in what comes out.
    #[serde(skip)]
    pub off_ground_at: Option<WorstFrame>,
    /// Where a foot has slid farthest while it stands in what comes out.
    #[serde(skip)]
    pub slides_at: Option<WorstFrame>,
    /// How far the hips came down beyond the ground's change so that legs reach.
    pub hips_lowered: f64,
    /// The farthest that a leg stays short of its foot's place.
    pub short: f64,
    /// When that is, seconds.
    pub short_time: f64,
}

/// A limit that was met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warning {
    /// A leg does not reach where its foot stands.
    LegTooShort {
        /// The way left, metres.
        metres: f64,
        /// When, in seconds.
        time: f64,
    },
    /// No foot ever stands and none is under the ground, so the motion's own ground is not known and nothing was changed.
    NeverStands,
}

impl Report {
    /// What it tells of a motion that was left as it came in.
    pub(super) fn unchanged(&self) -> Self {
        let both = |[came, _]: [f64; 2]| [came; 2];
        let (off_ground, slide, in_ground) = (both(self.off_ground), both(self.slide), both(self.in_ground));
        Self { stands: self.stands, off_ground, slide, in_ground, ..Self::default() }
    }

    /// What it tells together with what was done `next` to its motion.
    pub(super) fn followed_by(&self, next: &Self) -> Self {
        let worst = if next.short > self.short { next } else { self };
        Self {
            stands: next.stands,
            raised: [self.raised[0] + next.raised[0], self.raised[1] + next.raised[1]],
            off_ground: [self.off_ground[0], next.off_ground[1]],
            slide: [self.slide[0], next.slide[1]],
            in_ground: [self.in_ground[0], next.in_ground[1]],
            in_ground_at: next.in_ground_at,
            off_ground_at: next.off_ground_at,
            slides_at: next.slides_at,
            hips_lowered: self.hips_lowered + next.hips_lowered,
            short: worst.short,
            short_time: worst.short_time,
        }
    }

    /// Limits that were met.
    pub fn warnings(&self) -> Vec<Warning> {
        // What the soft limit of the knee costs is not seen.
        let short = (self.short > 0.005).then_some(Warning::LegTooShort { metres: self.short, time: self.short_time });
        let never = (self.stands == 0 && self.raised == [0.0; 2]).then_some(Warning::NeverStands);
        never.into_iter().chain(short).collect()
    }
}

impl Tell for Warning {
    fn message(&self) -> Message {
        match self {
            Self::LegTooShort { metres, time } => message!(
                "warning.ground.leg_too_short",
                "At %{time} s a leg stays %{centimetres} cm short of the ground. Flatter ground or shorter steps help.",
                time = format!("{time:.2}"),
                centimetres = format!("{:.1}", metres * 1e2)
            ),
            Self::NeverStands => message!(
                "warning.ground.never_stands",
                "No foot ever stands in this motion, so its ground is not known and nothing was changed. Make root motion for a clip \
                 that walks on the spot."
            ),
        }
    }
}
