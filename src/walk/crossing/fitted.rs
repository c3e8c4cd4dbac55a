//! A clip fitted to the obstacle of a route.

use glam::DVec3;

use super::plan::Plan;
use super::{BuildError, CrossingClip, Input, Obstacle, Report, approach, build, in_clip_space, placement};
use portamento_anim::Clip;
use portamento_base::progress::Progress;

/// A clip that was fitted to an obstacle where it stands in the level.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The motion, in the unit of its file.
    pub clip: Clip,
    /// Point on the ground below the root where it starts, metres.
    pub start: DVec3,
    /// Point on the ground below the root where it ends, metres.
    pub landing: DVec3,
    /// Direction of the crossing, radians about +Y from +Z towards +X.
    pub heading: f64,
    /// Figures of the fit.
    pub report: Report,
}

impl Fitted {
    /// Fits the motion of `input`, recognised as `clip`, to `obstacle`, with free fall in flight. Returns `Err` as [`build`].
    pub fn new(
        input: &Input,
        clip: &CrossingClip,
        obstacle: &Obstacle,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        let heading = approach(obstacle)?;
        let built = build(input, clip, obstacle, true, progress)?;
        Ok(Self {
            clip: built.clip,
            start: obstacle.start,
            landing: obstacle.landing,
            heading: heading.x.atan2(heading.z),
            report: built.report,
        })
    }
}

/// Time and change of a clip that is fitted to an obstacle, known before the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitCost {
    /// Duration of the fitted motion, seconds.
    pub seconds: f64,
    /// Change of the clip: the largest change of a window or of an airtime as a fraction, plus the mean of all. 0 if the
    /// clip stays as it is.
    pub change: f64,
}

impl CrossingClip {
    /// Returns the time and the change of this clip over `obstacle`. Returns `Err` if a limit refuses the obstacle; hands and
    /// feet that miss their contacts are found only by [`build`].
    pub fn cost(&self, obstacle: &Obstacle) -> Result<FitCost, BuildError> {
        let local = in_clip_space(obstacle, placement(self, obstacle)?.inverse());
        let plan = Plan::new(self, &local, true)?;
        let airtime = |(flight, arc): (&super::flight::Flight, &super::flight::Arc)| arc.seconds - flight.arc().seconds;
        let changes: Vec<f64> = self.flights.iter().zip(&plan.arcs).map(airtime).collect();
        let ratios = self.flights.iter().zip(&changes).map(|(flight, change)| (change / flight.arc().seconds).abs());
        let ratios: Vec<f64> = ratios.chain([plan.ratio]).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        Ok(FitCost {
            seconds: self.seconds + changes.iter().sum::<f64>(),
            change: ratios.iter().copied().fold(0.0, f64::max) + mean,
        })
    }
}
