//! What a stretch did, as numbers for plots, panels and reports.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::settings::{FootPlants, Method};
use crate::anim::Skeleton;
use crate::message::{Message, message};

/// What a warning is about; its amount's unit in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The source does not move, so the way was spread evenly over time (way, file's unit).
    SpreadEvenly,
    /// The stretch limit was reached and the target drawn nearer (distance left, file's unit).
    TargetDrawnNearer,
    /// Frames run backwards now (how many).
    Reversed,
    /// A foot could not reach its place (gap, file's unit).
    LegTooShort,
    /// A foot never moves by itself, so it was carried along with the body (way, file's unit).
    FootCarried,
    /// The target's height does not count, for root motion is the ground-plane part of the hips (height left, file's unit).
    HeightIgnored,
    /// The way runs straight up or nowhere, so there is no direction to face (way, file's unit).
    NoDirection,
    /// The joint that should arrive ended beside the target (gap, file's unit).
    AlignerMissed,
    /// The correction is many times as long as the source's own way (stretch ratio).
    LargeRatio,
}

/// A limit or fallback that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Which limit or fallback it was.
    pub kind: WarningKind,
    /// Where: index into [`Report::times`].
    pub frame: usize,
    /// How much; see [`WarningKind`].
    pub amount: f64,
    /// The joint it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<usize>,
}

impl Warning {
    pub(super) fn new(kind: WarningKind, frame: usize, amount: f64) -> Self {
        Self { kind, frame, amount, joint: None }
    }

    pub(super) fn of(self, joint: usize) -> Self {
        Self { joint: Some(joint), ..self }
    }
}

/// What the numbers of a warning are counted in.
#[derive(Clone, Copy, Debug)]
pub struct Measures<'a> {
    /// Seconds of each frame of the report.
    pub times: &'a [f64],
    /// Frames per second.
    pub fps: f64,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// Names of joints.
    pub skeleton: &'a Skeleton,
}

impl Measures<'_> {
    /// `units` of the file in metres, or in millimetres where those are few.
    fn length(&self, units: f64) -> String {
        let metres = units * self.metres_per_unit;
        if metres < 0.1 { format!("{:.1} mm", 1000.0 * metres) } else { format!("{metres:.3} m") }
    }
}

impl Warning {
    /// The warning in words, with where it is.
    pub fn told(&self, measures: &Measures) -> Message {
        let seconds = measures.times.get(self.frame).copied().unwrap_or_default();
        self.words(format!("{:.0}", seconds * measures.fps), measures).at(seconds, self.joint)
    }

    fn words(&self, frame: String, measures: &Measures) -> Message {
        let length = measures.length(self.amount);
        let name = || self.joint.and_then(|joint| measures.skeleton.joints.get(joint)).map(|joint| joint.name.clone());
        let joint = name().unwrap_or_default();
        match self.kind {
            WarningKind::SpreadEvenly => message!(
                "warning.stretch.spread_evenly",
                "From frame %{frame} the source does not move, so the missing %{length} was spread evenly over time.",
                frame,
                length
            ),
            WarningKind::TargetDrawnNearer => message!(
                "warning.stretch.target_drawn_nearer",
                "The stretch limit was reached: frame %{frame} ends %{length} short of the target.",
                frame,
                length
            ),
            WarningKind::Reversed => message!(
                "warning.stretch.reversed",
                "%{count} frames run backwards now, the first is frame %{frame}.",
                count = format!("{:.0}", self.amount),
                frame
            ),
            WarningKind::LegTooShort => message!(
                "warning.stretch.leg_too_short",
                "At frame %{frame} “%{joint}” stays %{length} short of its place.",
                frame,
                joint,
                length
            ),
            WarningKind::FootCarried => message!(
                "warning.stretch.foot_carried",
                "From frame %{frame} “%{joint}”, a foot that never moves, was carried along by %{length}.",
                frame,
                joint,
                length
            ),
            WarningKind::HeightIgnored | WarningKind::AlignerMissed => missed(self.kind, frame, joint, length),
            WarningKind::LargeRatio => message!(
                "warning.stretch.large_ratio",
                "Up to frame %{frame} the correction is %{ratio} times as long as the source's own way: small motions become \
                 large ones. Choose a nearer target or a limit.",
                frame,
                ratio = format!("{:.0}", self.amount)
            ),
            WarningKind::NoDirection => message!(
                "warning.stretch.no_direction",
                "Frame %{frame} cannot face its target: the way there, %{length}, has no direction in the ground plane.",
                frame,
                length
            ),
        }
    }
}

/// An end that is not on its target.
fn missed(kind: WarningKind, frame: String, joint: String, length: String) -> Message {
    match kind {
        WarningKind::AlignerMissed => message!(
            "warning.stretch.aligner_missed",
            "At frame %{frame} the aligned joint “%{joint}” is %{length} from the target.",
            frame,
            joint,
            length
        ),
        _ => message!(
            "warning.stretch.height_ignored",
            "The hips keep their height, so frame %{frame} ends %{length} above or below the target.",
            frame,
            length
        ),
    }
}

/// What one window did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowReport {
    /// Seconds at its first frame.
    pub start: f64,
    /// Seconds at its last frame.
    pub end: f64,
    /// Its last frame: index into [`Report::times`].
    pub last: usize,
    /// World position asked for.
    pub wanted: DVec3,
    /// World position of the root at its end, after limits.
    pub target: DVec3,
    /// |D − P(N)|/S; 0 where the source does not move.
    pub ratio: f64,
    /// Distance of the arriving joint from `wanted` in the built clip, on the corrected axes: f32 rounding and limits included.
    pub end_error: f64,
    /// Radians turned about +Y.
    pub turn: f64,
    /// The method that was used.
    pub method: Method,
}

/// A path and how it is passed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathReport {
    /// World position at each frame.
    pub points: Vec<DVec3>,
    /// Units per second from the frame before; 0 at the first.
    pub speeds: Vec<f64>,
    /// Length added to or taken from the frame's step, |ΔQ − ΔP|; 0 throughout for the source.
    pub compensation: Vec<f64>,
}

impl PathReport {
    pub(super) fn new(points: Vec<DVec3>, source: &[DVec3], times: &[f64]) -> Self {
        let step = |points: &[DVec3], i: usize| if i == 0 { DVec3::ZERO } else { points[i] - points[i - 1] };
        let speed = |i: usize| if i == 0 { 0.0 } else { step(&points, i).length() / (times[i] - times[i - 1]) };
        let speeds = (0..points.len()).map(speed).collect();
        let compensation = (0..points.len()).map(|i| (step(&points, i) - step(source, i)).length()).collect();
        Self { points, speeds, compensation }
    }
}

impl Report {
    /// Where the source is at `time` seconds: at the first frame that is not before it, else at the last.
    pub fn source_at(&self, time: f64) -> DVec3 {
        self.source.points.get(self.frame_at(time)).copied().unwrap_or_default()
    }

    /// Where the stretched motion is at `time` seconds: a window that ends there with this target changes nothing.
    pub fn stretched_at(&self, time: f64) -> DVec3 {
        self.stretched.points.get(self.frame_at(time)).copied().unwrap_or_default()
    }

    fn frame_at(&self, time: f64) -> usize {
        let frame = self.times.iter().position(|&each| each >= time - 1e-9);
        frame.unwrap_or(self.times.len().saturating_sub(1))
    }
}

/// Everything the window plots and the command line reports; all vectors have one entry per frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Seconds of each frame.
    pub times: Vec<f64>,
    /// The source's path.
    pub source: PathReport,
    /// The path under the chosen method.
    pub stretched: PathReport,
    /// The path with the correction spread evenly over time.
    pub uniform: PathReport,
    /// Length of the source's path up to each frame, as the settings measure it.
    pub lengths: Vec<f64>,
    /// Radians added to the source's heading.
    pub yaws: Vec<f64>,
    /// Whether the frame now runs backwards.
    pub reversed: Vec<bool>,
    /// Whether the frame counts as still.
    pub still: Vec<bool>,
    /// Largest stretch ratio of all windows.
    pub ratio: f64,
    /// Largest [`WindowReport::end_error`] of all windows.
    pub end_error: f64,
    /// What each window did.
    pub windows: Vec<WindowReport>,
    /// When feet stand in the source, found or set by hand; none unless they are kept planted.
    #[serde(default)]
    pub plants: Vec<FootPlants>,
    /// Limits and fallbacks that were applied.
    pub warnings: Vec<Warning>,
}
