//! Report of a stretch: numbers for plots, panels and reports.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::settings::{FootPlants, Method};
use portamento_anim::Skeleton;
use portamento_base::message::{Message, message};

/// Kind of a warning. The unit of [`Warning::amount`] is given in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The source does not move, so the correction was distributed evenly over time (correction, file's unit).
    SpreadEvenly,
    /// The stretch limit was reached, so the target was moved nearer (remaining distance, file's unit).
    TargetDrawnNearer,
    /// Some frames now run backwards (number of frames).
    Reversed,
    /// A leg was too short to reach the foot's position (gap, file's unit).
    LegTooShort,
    /// A foot never moves in the source, so it was moved along with the body (distance, file's unit).
    FootCarried,
    /// The target's height was ignored, since the root motion is the ground part of the hips (height difference, file's unit).
    HeightIgnored,
    /// The travel to the target has no direction in the ground plane to face (its length, file's unit).
    NoDirection,
    /// The aligned joint did not reach the target (distance, file's unit).
    AlignerMissed,
    /// The source is a gait on the spot, whose sway was stretched (speed of its feet, metres per second).
    OnTheSpot,
    /// The correction is many times the source's travelled length (stretch ratio).
    LargeRatio,
    /// The speed jumps at a hard edge of a window (change, metres per second).
    SpeedJump,
}

/// A limit or fallback that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Kind of the limit or fallback.
    pub kind: WarningKind,
    /// Frame: index into [`Report::times`].
    pub frame: usize,
    /// Amount; its unit depends on the [`WarningKind`].
    pub amount: f64,
    /// The joint concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<usize>,
}

impl Warning {
    /// Returns a warning without a joint.
    pub(super) fn new(kind: WarningKind, frame: usize, amount: f64) -> Self {
        Self { kind, frame, amount, joint: None }
    }

    /// Returns the warning for `joint`.
    pub(super) fn of(self, joint: usize) -> Self {
        Self { joint: Some(joint), ..self }
    }
}

/// Units for displaying the numbers of a warning.
#[derive(Clone, Copy, Debug)]
pub struct DisplayUnits<'a> {
    /// Time of each frame of the report, seconds.
    pub times: &'a [f64],
    /// Frames per second.
    pub fps: f64,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// The skeleton, for joint names.
    pub skeleton: &'a Skeleton,
}

impl DisplayUnits<'_> {
    /// Formats `units` of the file as metres, or as millimetres below 0.1 m.
    fn length(&self, units: f64) -> String {
        let metres = units * self.metres_per_unit;
        if metres < 0.1 { format!("{:.1} mm", 1000.0 * metres) } else { format!("{metres:.3} m") }
    }
}

impl Warning {
    /// Returns the warning as a message with its time and joint.
    pub fn message(&self, measures: &DisplayUnits) -> Message {
        let seconds = measures.times.get(self.frame).copied().unwrap_or_default();
        self.message_at(format!("{:.0}", seconds * measures.fps), measures).at(seconds, self.joint)
    }

    /// Returns the message of the warning; `frame` is the formatted frame number.
    fn message_at(&self, frame: String, measures: &DisplayUnits) -> Message {
        let length = measures.length(self.amount);
        let name = || self.joint.and_then(|joint| measures.skeleton.joints.get(joint)).map(|joint| joint.name.clone());
        let joint = name().unwrap_or_default();
        match self.kind {
            WarningKind::SpreadEvenly => message!(
                "warning.stretch.spread_evenly",
                "From frame %{frame} the source does not move, so the missing %{length} is distributed evenly over time.",
                frame,
                length
            ),
            WarningKind::TargetDrawnNearer => message!(
                "warning.stretch.target_drawn_nearer",
                "The stretch limit was reached: frame %{frame} ends %{length} short of the target.",
                frame,
                length
            ),
            WarningKind::OnTheSpot => message!(
                "warning.stretch.on_the_spot",
                "The source walks on the spot at %{speed} m/s, so only the sway of its body is stretched and the travel pulses. Set \
                 the root motion of this stage to “From foot contacts” first.",
                speed = format!("{:.1}", self.amount)
            ),
            WarningKind::Reversed => message!(
                "warning.stretch.reversed",
                "Backward frames: %{count}, from frame %{frame}.",
                count = format!("{:.0}", self.amount),
                frame
            ),
            WarningKind::LegTooShort | WarningKind::FootCarried => foot_message(self.kind, frame, joint, length),
            WarningKind::HeightIgnored | WarningKind::AlignerMissed => {
                missed_target_message(self.kind, frame, joint, length)
            }
            WarningKind::LargeRatio => message!(
                "warning.stretch.large_ratio",
                "Up to frame %{frame} the correction is %{ratio} times the distance that the source travels, so small motions \
                 become large ones. Choose a nearer target or set a stretch limit.",
                frame,
                ratio = format!("{:.0}", self.amount)
            ),
            WarningKind::SpeedJump => message!(
                "warning.stretch.speed_jump",
                "At frame %{frame}, an edge of a window, the speed changes by %{speed} m/s at once. Give the window soft edges, or \
                 turn on “Keep speed”.",
                frame,
                speed = format!("{:.1}", self.amount)
            ),
            WarningKind::NoDirection => message!(
                "warning.stretch.no_direction",
                "Frame %{frame} cannot face its target: the travel of %{length} has no direction in the ground plane.",
                frame,
                length
            ),
        }
    }
}

/// Returns the message of [`WarningKind::LegTooShort`] or [`WarningKind::FootCarried`].
fn foot_message(kind: WarningKind, frame: String, joint: String, length: String) -> Message {
    match kind {
        WarningKind::LegTooShort => message!(
            "warning.stretch.leg_too_short",
            "At frame %{frame} the leg of “%{joint}” is %{length} too short to reach its contact.",
            frame,
            joint,
            length
        ),
        _ => message!(
            "warning.stretch.foot_carried",
            "From frame %{frame} the foot “%{joint}” never moves in the source, so it moves %{length} with the body.",
            frame,
            joint,
            length
        ),
    }
}

/// Returns the message of [`WarningKind::AlignerMissed`] or [`WarningKind::HeightIgnored`].
fn missed_target_message(kind: WarningKind, frame: String, joint: String, length: String) -> Message {
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

/// Result of one window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowReport {
    /// Time of its first frame, seconds.
    pub start: f64,
    /// Time of its last frame, seconds.
    pub end: f64,
    /// Its last frame: index into [`Report::times`].
    pub last: usize,
    /// Requested world position.
    pub wanted: DVec3,
    /// World position of the root at the end, after limits.
    pub target: DVec3,
    /// |D − P(N)|/S; 0 if the source does not move.
    pub ratio: f64,
    /// Distance of the arriving joint from `wanted` in the built clip on the corrected axes. Includes f32 rounding and limits.
    pub end_error: f64,
    /// Turn about +Y, radians.
    pub turn: f64,
    /// Time that keeping the speed adds to the window, seconds; negative if the window gets shorter.
    #[serde(default)]
    pub added_seconds: f64,
    /// The method that was applied.
    pub method: Method,
}

/// A path with its speeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathReport {
    /// World position at each frame.
    pub points: Vec<DVec3>,
    /// Speed since the previous frame as played, in units per second; 0 at the first frame.
    pub speeds: Vec<f64>,
    /// Length of the change of each frame's step, |ΔQ − ΔP|; always 0 for the source.
    pub compensation: Vec<f64>,
}

impl PathReport {
    /// Computes speeds and compensation of the path `points`, played at `times` (seconds), against the `source` path.
    pub(super) fn new(points: Vec<DVec3>, source: &[DVec3], times: &[f64]) -> Self {
        let step = |points: &[DVec3], i: usize| if i == 0 { DVec3::ZERO } else { points[i] - points[i - 1] };
        let speed = |i: usize| if i == 0 { 0.0 } else { step(&points, i).length() / (times[i] - times[i - 1]) };
        let speeds = (0..points.len()).map(speed).collect();
        let compensation = (0..points.len()).map(|i| (step(&points, i) - step(source, i)).length()).collect();
        Self { points, speeds, compensation }
    }
}

impl Report {
    /// Returns the source position at `time` (seconds): at the first frame that is not earlier, otherwise at the last frame.
    pub fn source_at(&self, time: f64) -> DVec3 {
        self.source.points.get(self.frame_at(time)).copied().unwrap_or_default()
    }

    /// Returns the stretched position at `time` (seconds). A window that ends there with this target changes nothing.
    pub fn stretched_at(&self, time: f64) -> DVec3 {
        self.stretched.points.get(self.frame_at(time)).copied().unwrap_or_default()
    }

    /// Returns the first frame that is not earlier than `time`, otherwise the last frame.
    fn frame_at(&self, time: f64) -> usize {
        let frame = self.times.iter().position(|&each| each >= time - 1e-9);
        frame.unwrap_or(self.times.len().saturating_sub(1))
    }
}

/// Everything that plots and the command line report. All per-frame vectors have the same length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Time of each frame, seconds.
    pub times: Vec<f64>,
    /// The source's path.
    pub source: PathReport,
    /// The path with the chosen method.
    pub stretched: PathReport,
    /// The path with the correction distributed evenly over time.
    pub uniform: PathReport,
    /// Travelled length of the source up to each frame, according to the settings.
    pub lengths: Vec<f64>,
    /// Radians added to the source's heading.
    pub yaws: Vec<f64>,
    /// True if the frame now runs backwards.
    pub reversed: Vec<bool>,
    /// True if the frame counts as still.
    pub still: Vec<bool>,
    /// Largest stretch ratio of all windows.
    pub ratio: f64,
    /// Largest [`WindowReport::end_error`] of all windows.
    pub end_error: f64,
    /// Result of each window.
    pub windows: Vec<WindowReport>,
    /// Foot contacts in the source, detected or set by hand; empty unless feet are kept planted.
    #[serde(default)]
    pub plants: Vec<FootPlants>,
    /// Limits and fallbacks that were applied.
    pub warnings: Vec<Warning>,
}
