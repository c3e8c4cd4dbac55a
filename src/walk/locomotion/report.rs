//! Report of a walk: chosen clips, predictions and measurements.

use glam::DVec3;
use serde::Serialize;

use super::gaits::stance::NoStance;

/// Chosen clips, predictions and measurements of a walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Name of the standing clip.
    pub idle: String,
    /// True if the stand is one frozen pose of that clip, because no clip stands still.
    pub holds_stand: bool,
    /// The gaits: those for any slope by rising speed, then those for a slope range.
    pub gaits: Vec<GaitReport>,
    /// Gaits whose feet have no stance.
    pub no_stance: Vec<NoStance>,
    /// Gaits that do not loop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_gaits: Vec<OpenGait>,
    /// The start clip; `None` if the gaits speed up instead.
    pub start: Option<String>,
    /// Metres by which the start clip's travel was stretched so that it ends at its own speed; negative if shortened.
    pub start_stretched: f64,
    /// Figures of the stop.
    pub stop: StopReport,
    /// Turns on the spot.
    pub turns: Vec<TurnReport>,
    /// Crossings of obstacles and gaps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossings: Vec<CrossingReport>,
    /// The leading clip of each time span.
    pub plan: Vec<ClipSpan>,
    /// Figures of each recorded frame, by time.
    pub frames: Vec<FrameReport>,
    /// Fastest slide of a planted foot during the stop, before pose matching and foot locking, cm/s.
    pub slide_before: f64,
    /// Fastest slide of a planted foot during the stop, after pose matching and foot locking, cm/s.
    pub slide_after: f64,
    /// Fastest slide of a planted foot before the stop begins, cm/s.
    pub slide_walking: f64,
    /// Fastest slide of a planted foot in turns on the spot, cm/s.
    pub slide_turning: f64,
    /// Largest knee rotation between two frames, radians.
    pub knee_step: f64,
    /// Largest distance by which a leg could not reach its plant, metres.
    pub leg_too_short: f64,
    /// Drift of planted feet.
    pub drift: FootDrift,
    /// Seconds in which the speed exceeds that of the fastest gait at its highest play rate.
    pub too_fast: f64,
    /// Seconds on slopes that no gait covers.
    pub off_slopes: f64,
    /// Stance figures of each foot, measured on the result alone.
    pub feet: Vec<FootFigure>,
    /// The joint with the largest rotation step in excess of the neighbouring frames.
    pub pop: Option<Pop>,
    /// The joint with the largest rotation step.
    pub largest_turn: Option<Pop>,
    /// The joint whose rotation step exceeds its clips' own rotation the most. It finds quick moves over many frames,
    /// in which no frame exceeds its neighbours. `None` if no joint turns faster than its clips and the transitions
    /// explain.
    pub thrown: Option<Pop>,
}

impl Report {
    /// True if a clip in use has no stance, so its feet skate in any walk.
    pub fn walks_without_stance(&self) -> bool {
        self.no_stance.iter().any(|each| each.walks)
    }
}

/// Stance and slide of one foot, measured on the result alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FootFigure {
    /// Name of the sole's joint.
    pub joint: String,
    /// Share of the frames with a moving body in which the foot is planted, 0…1.
    pub stands: f64,
    /// Stance share in the gaits' own clips, 0…1.
    pub own: f64,
    /// 95th percentile of the foot's speed in planted frames, cm/s.
    pub slide: f64,
    /// The stance in which the foot is dragged the farthest along the ground.
    pub drag: Drag,
}

/// Drag of a foot during one stance.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drag {
    /// Distance along the ground, metres.
    pub metres: f64,
    /// Start of the stance, seconds from the start of the walk.
    pub time: f64,
    /// The leading clip at that time.
    pub clip: String,
}

impl FootFigure {
    /// Smallest share of its clips' stance that a foot must reach, and smallest stance share of all frames; a sprinter
    /// exceeds the latter. Tuned; no derivation recorded.
    const STANCE_MIN_SHARES: [f64; 2] = [0.7, 0.05];

    /// True if the foot stands much less than in its clips, or hardly at all.
    pub fn skates(&self) -> bool {
        let [min_of_own, min_of_all] = Self::STANCE_MIN_SHARES;
        self.stands < min_of_own * self.own || self.stands < min_of_all
    }

    /// Returns its stance share divided by that of its clips; 1 if it stands as in them.
    pub fn stance_ratio(&self) -> f64 {
        self.stands / self.own.max(1e-9)
    }
}

/// Rotation of a joint between two frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pop {
    /// Name of the joint.
    pub joint: String,
    /// Rotation in that frame, degrees.
    pub degrees: f64,
    /// Time of the frame, seconds from the start of the walk.
    pub time: f64,
    /// The leading clip at that time.
    pub clip: String,
}

/// Drift of planted feet from their landing positions, over all stances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FootDrift {
    /// Largest drift, metres.
    pub worst: f64,
    /// Mean drift, metres.
    pub mean: f64,
    /// Number of stances.
    pub stands: usize,
}

impl FootDrift {
    /// Returns the drift over the stances of both, with means weighted by their number.
    pub fn merged_with(self, other: Self) -> Self {
        let stances = self.stands + other.stands;
        let sum = self.mean * self.stands as f64 + other.mean * other.stands as f64;
        Self { worst: self.worst.max(other.worst), mean: sum / stances.max(1) as f64, stands: stances }
    }
}

/// One turn on the spot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TurnReport {
    /// The clip; `None` if the feet step around.
    pub clip: Option<String>,
    /// Start of the turn, seconds from the start of the walk.
    pub begins: f64,
    /// End of the turn, seconds.
    pub ends: f64,
    /// Angle turned, degrees, positive to the left.
    pub angle: f64,
    /// Angle of the clip itself, degrees.
    pub clip_angle: Option<f64>,
    /// Play rate of the clip.
    pub rate: f64,
    /// Highest turning speed of the heading, degrees per second.
    pub fastest: f64,
    /// Difference between the requested heading and the root's at the end, degrees.
    pub error: f64,
    /// Fastest slide of a planted foot, cm/s.
    pub slide: f64,
}

/// One crossing of an obstacle or a gap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossingReport {
    /// The clip.
    pub clip: String,
    /// Start of the clip, seconds from the start of the walk.
    pub begins: f64,
    /// End of the clip, seconds.
    pub ends: f64,
    /// Speeds of the clip where it begins and ends, m/s; 0 for a stand.
    pub speeds: [f64; 2],
    /// Play rates there.
    pub rates: [f64; 2],
    /// Figures of the fit; its times count within the fitted clip.
    pub fit: crate::crossing::Report,
}

impl CrossingReport {
    /// Returns take-off, near edge, far edge and landing, seconds from the start of the walk. The clip plays at its own rate between
    /// the take-off and the landing, and at the mean rate of the run-up before.
    pub fn moments(&self) -> [f64; 4] {
        let [take_off, ..] = self.fit.moments;
        let from = self.begins + take_off / (0.5 * (1.0 + self.rates[0]));
        self.fit.moments.map(|moment| from + moment - take_off)
    }
}

/// A time span in which one clip leads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClipSpan {
    /// Name of the leading clip.
    pub clip: String,
    /// Start of the span, seconds from the start of the walk.
    pub begins: f64,
    /// End of the span, seconds.
    pub ends: f64,
    /// Steepest slope along the path within the span, degrees, uphill positive.
    pub slope: f64,
}

/// Measurements of one gait.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GaitReport {
    /// The clip's name.
    pub clip: String,
    /// Speed over the ground, m/s.
    pub speed: f64,
    /// Length of one cycle, metres.
    pub stride: f64,
    /// Slopes it is for, degrees along the path, uphill positive.
    pub slope: [f64; 2],
    /// Slope of the clip's own travel, degrees.
    pub rise: f64,
    /// True if the clip walks on the spot, so its speed is read from its feet.
    pub in_place: bool,
}

/// Prediction and result of the stop.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StopReport {
    /// The clip; `None` if the gaits slow down to a stand.
    pub clip: Option<String>,
    /// Speed at the start of braking, m/s.
    pub speed: f64,
    /// Predicted braking distance, metres.
    pub predicted: f64,
    /// Start of braking, seconds.
    pub begins: f64,
    /// Time at which the character stands, seconds.
    pub ends: f64,
    /// Clip time of the entry frame, seconds; `None` without a stop clip.
    pub entry_time: Option<f64>,
    /// Factor on the stop clip's travel; 1 if a frame fits.
    pub stretch: f64,
    /// Metres added to the stop clip's travel by stretching; 0 if a frame fits.
    pub stretched: f64,
    /// Slowest and fastest play rate of the stop clip while distance drives it.
    pub rates: [f64; 2],
    /// Metres of backward motion that were flattened in the stop clip's distance curve.
    pub repaired: f64,
    /// Mean distance of hands and feet from the entry pose, before each matching iteration and at the end, metres.
    pub pose_distances: Vec<f64>,
    /// Ground-plane offset of the carrier joint from the goal while the character stands on it, metres. Not zero if
    /// the hips carry.
    #[serde(skip)]
    pub standing_root: DVec3,
    /// Stops computed at usual engine frame rates.
    pub engines: Vec<EngineStop>,
}

/// A stop stepped at an engine's frame rate, from the position and speed of the recorded root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineStop {
    /// Steps per second.
    pub rate: f64,
    /// Overshoot past the recorded end if the closed form chooses the braking frame, metres; negative if short.
    pub by_closed_form: f64,
    /// Overshoot if the engine's own steps predict the braking distance, metres.
    pub by_own_steps: f64,
    /// Distance between the recorded root and the goal at the last frame of this rate, metres.
    pub recorded: f64,
}

/// Measurements of one recorded frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameReport {
    /// Time, seconds from the start of the walk.
    pub time: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// Remaining distance to the goal, metres.
    pub remaining: f64,
    /// Slope of the path, degrees.
    pub slope: f64,
    /// True if no gait covers that slope.
    pub off_slopes: bool,
    /// The clip with the largest share.
    pub clip: String,
    /// Share of that clip, 0…1.
    pub share: f64,
    /// Play rate of the gaits.
    pub rate: f64,
    /// True if that rate was clamped to its limit.
    pub limited: bool,
    /// Heading of the character, degrees about +Y from +Z towards +X.
    pub facing: f64,
    /// Clip time of a turn clip, seconds.
    pub turn_time: Option<f64>,
    /// Clip time of the start clip, seconds.
    pub start_time: Option<f64>,
    /// Clip time of the stop clip, seconds.
    pub stop_time: Option<f64>,
    /// Fastest slide of a planted foot before pose matching and foot locking, cm/s.
    pub slide_before: f64,
    /// Fastest slide of a planted foot in the result, cm/s.
    pub slide_after: f64,
    /// Distance by which a leg could not reach its plant, metres.
    pub leg_too_short: f64,
}

/// A gait whose last pose differs from its first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpenGait {
    /// The clip's name.
    pub clip: String,
    /// The joint that turns most from the last pose to the first.
    pub joint: String,
    /// Rotation of that joint, degrees.
    pub degrees: f64,
}
