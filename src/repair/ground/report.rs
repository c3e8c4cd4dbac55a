//! The report of the ground stage.

use serde::{Deserialize, Serialize};

use portamento_anim::quality::WorstFrame;
use portamento_base::message::{message, messages};

/// Figures for the panel and the command line; lengths in metres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Number of stances.
    pub stands: usize,
    /// The largest lowering (negative) and raising of the body.
    pub raised: [f64; 2],
    /// The largest distance of a planted foot from the ground, before and after.
    pub off_ground: [f64; 2],
    /// The largest horizontal slide of a planted foot, before and after.
    pub slide: [f64; 2],
    /// The largest depth of a foot mesh in the ground, before and after; 0 without meshes.
    #[serde(default)]
    pub in_ground: [f64; 2],
    /// The deepest foot mesh in the output.
    #[serde(skip)]
    pub in_ground_at: Option<WorstFrame>,
    /// The planted foot farthest from the ground in the output.
    #[serde(skip)]
    pub off_ground_at: Option<WorstFrame>,
    /// The largest slide of a planted foot in the output.
    #[serde(skip)]
    pub slides_at: Option<WorstFrame>,
    /// The largest lowering of the hips for legs that are too short.
    pub hips_lowered: f64,
    /// The largest distance by which a leg misses its foot goal.
    pub short: f64,
    /// Time of that frame, seconds.
    pub short_time: f64,
}

messages! {
/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warning {
    /// A leg is too short to reach its planted foot.
    LegTooShort {
        /// The remaining distance, metres.
        metres: f64,
        /// Time, seconds.
        time: f64,
    } => message!(
        "warning.ground.leg_too_short",
        "At %{time} s a leg is %{centimetres} cm too short to reach the ground. Use flatter ground or shorter steps.",
        time = format!("{time:.2}"),
        centimetres = format!("{:.1}", metres * 1e2)
    ),
    /// No foot is ever planted and none is in the ground. The ground of the motion is unknown, and nothing was changed.
    NeverStands => message!(
        "warning.ground.never_stands",
        "No foot is ever planted in this motion, so its ground is unknown and nothing was changed. Compute root motion for a clip \
         that walks in place."
    ),
}
}

impl Report {
    /// Returns the report for a motion that was left unchanged.
    pub(super) fn unchanged(&self) -> Self {
        let both = |[before, _]: [f64; 2]| [before; 2];
        let (off_ground, slide, in_ground) = (both(self.off_ground), both(self.slide), both(self.in_ground));
        Self { stands: self.stands, off_ground, slide, in_ground, ..Self::default() }
    }

    /// Returns the combined report of this pass and the `next` one.
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

    /// Returns the limits that were reached.
    pub fn warnings(&self) -> Vec<Warning> {
        // The soft limit of the knee costs up to 5 mm, which is not visible.
        let short = (self.short > 0.005).then_some(Warning::LegTooShort { metres: self.short, time: self.short_time });
        let never = (self.stands == 0 && self.raised == [0.0; 2]).then_some(Warning::NeverStands);
        never.into_iter().chain(short).collect()
    }
}
