//! What was chosen, predicted and measured.

use glam::DVec3;
use serde::Serialize;

use super::stance::NoStance;

/// Everything there is to tell about a walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The clip that stands.
    pub idle: String,
    /// Whether only one pose of it is held, as no clip stands still.
    pub holds_stand: bool,
    /// The gaits: those for any slope, slowest first, then those for some.
    pub gaits: Vec<GaitReport>,
    /// Clips whose feet do not stand, whether they walk all the same or were left out for it.
    pub no_stance: Vec<NoStance>,
    /// The clip that sets the character going; `None` where the gaits do.
    pub start: Option<String>,
    /// Metres by which its way was stretched to end at its own speed; below 0 shortened.
    pub start_stretched: f64,
    /// How and how exactly the walk ends.
    pub stop: StopReport,
    /// Turns on the spot.
    pub turns: Vec<TurnReport>,
    /// What plays from when to when.
    pub plan: Vec<ClipSpan>,
    /// Figures of each recorded frame, in order of time.
    pub frames: Vec<FrameReport>,
    /// Fastest slide of a standing foot during the stop before feet are matched and held, cm/s.
    pub slide_before: f64,
    /// The same in the result, cm/s.
    pub slide_after: f64,
    /// Fastest slide of a standing foot on the way to the stop, cm/s.
    pub slide_walking: f64,
    /// Fastest slide of a standing foot in turns on the spot, cm/s.
    pub slide_turning: f64,
    /// Farthest a knee turns from one frame to the next, radians.
    pub knee_step: f64,
    /// Metres by which a leg fell short of where its foot stands, at worst.
    pub leg_too_short: f64,
    /// How far feet drift while they stand.
    pub drift: FootDrift,
    /// Seconds in which the ground passes faster than the fastest gait may be played.
    pub too_fast: f64,
    /// Seconds on slopes that no gait is for.
    pub off_slopes: f64,
    /// What each foot does, by geometry alone.
    pub feet: Vec<FootFigure>,
    /// The joint that turns in one frame the most beyond the frames beside it.
    pub pop: Option<Pop>,
    /// The joint that turns the most in one frame.
    pub largest_turn: Option<Pop>,
    /// The joint that turns in one frame the furthest beyond what its clips turn it, and how far it turns: in a quick step over many
    /// frames none stands out from those beside it. `None` where no joint turns faster than its clips and the way over let it.
    pub thrown: Option<Pop>,
}

impl Report {
    /// Whether a clip walks whose feet do not stand: they skate however well its own share is kept.
    pub fn walks_without_stance(&self) -> bool {
        self.no_stance.iter().any(|each| each.walks)
    }
}

/// One foot as somebody sees it who only looks at the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FootFigure {
    /// The joint of the sole.
    pub joint: String,
    /// Share of the frames in which the body moves that it stands, 0…1.
    pub stands: f64,
    /// The share that it stands in the gaits' own clips, 0…1.
    pub own: f64,
    /// Speed that 95 of 100 standing frames do not pass, cm/s.
    pub slide: f64,
    /// The stand in which it is dragged the farthest along the ground.
    pub drag: Drag,
}

/// A stand whose foot does not keep its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drag {
    /// Metres along the ground.
    pub metres: f64,
    /// When the stand begins, seconds from the start of the walk.
    pub time: f64,
    /// The clip that leads there.
    pub clip: String,
}

impl FootFigure {
    /// Share of its clips' stands that a foot has to keep, and the share of all frames that even a sprinter's stands.
    const LEAST: [f64; 2] = [0.7, 0.05];

    /// Whether it stands much less than in its clips, or hardly at all.
    pub fn skates(&self) -> bool {
        let [share, least] = Self::LEAST;
        self.stands < share * self.own || self.stands < least
    }

    /// Its stands as a share of those in its clips.
    pub fn kept(&self) -> f64 {
        self.stands / self.own.max(1e-9)
    }
}

/// A joint's turn from one frame to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pop {
    /// Name of the joint that turns furthest.
    pub joint: String,
    /// How far it turns in that frame, degrees.
    pub degrees: f64,
    /// When, seconds from the start of the walk.
    pub time: f64,
    /// The clip that leads there.
    pub clip: String,
}

/// How far standing feet drift from where they came down, over all stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FootDrift {
    /// Metres in the worst stand.
    pub worst: f64,
    /// Metres on average.
    pub mean: f64,
    /// How many stands there are.
    pub stands: usize,
}

impl FootDrift {
    /// The drift over the stands of both, the means weighed by their number.
    pub fn with(self, other: Self) -> Self {
        let stands = self.stands + other.stands;
        let sum = self.mean * self.stands as f64 + other.mean * other.stands as f64;
        Self { worst: self.worst.max(other.worst), mean: sum / stands.max(1) as f64, stands }
    }
}

/// One turn on the spot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TurnReport {
    /// The clip; `None` where the feet step round.
    pub clip: Option<String>,
    /// When the turn begins, seconds from the start of the walk.
    pub begins: f64,
    /// When it has come to rest, seconds.
    pub ends: f64,
    /// Degrees turned, to the left above 0.
    pub angle: f64,
    /// Degrees the clip itself turns.
    pub clip_angle: Option<f64>,
    /// How fast the clip plays.
    pub rate: f64,
    /// Fastest the heading turns, degrees a second.
    pub fastest: f64,
    /// Degrees between the heading asked for and the root's at the end.
    pub error: f64,
    /// Fastest slide of a standing foot, cm/s.
    pub slide: f64,
}

/// A stretch of time in which one clip leads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClipSpan {
    /// Name of the clip that leads.
    pub clip: String,
    /// When it takes the lead, seconds from the start of the walk.
    pub begins: f64,
    /// When the next one takes over, seconds.
    pub ends: f64,
    /// Steepest slope along the way in it, degrees, uphill above 0.
    pub slope: f64,
}

/// One gait as measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GaitReport {
    /// The clip's name.
    pub clip: String,
    /// Metres per second over the ground.
    pub speed: f64,
    /// Metres of one cycle.
    pub stride: f64,
    /// Slopes it is for, degrees along the way, uphill above 0.
    pub slope: [f64; 2],
    /// Degrees its own way rises.
    pub rise: f64,
    /// Whether the clip walks on the spot, its speed being read from its feet.
    pub in_place: bool,
}

/// The stop as predicted and made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StopReport {
    /// The clip; `None` where the gaits slow down into standing.
    pub clip: Option<String>,
    /// Speed when braking begins, m/s.
    pub speed: f64,
    /// Metres from there to rest, as predicted.
    pub predicted: f64,
    /// Seconds when braking begins.
    pub begins: f64,
    /// Seconds when the character rests.
    pub ends: f64,
    /// Clip time of the entry frame, seconds; `None` without a stop clip.
    pub entry_time: Option<f64>,
    /// Factor on the stop clip's way; 1 where a frame fits.
    pub stretch: f64,
    /// Metres that were added by stretching the stop clip's way; 0 where a frame fits.
    pub stretched: f64,
    /// Slowest and fastest play rate of the stop clip while it is driven by distance: what was made up for by time.
    pub rates: [f64; 2],
    /// Metres by which the stop clip's distance curve had to be levelled.
    pub repaired: f64,
    /// Mean distance of hands and feet from the entry pose before each matching step and at the end, metres.
    pub pose_distances: Vec<f64>,
    /// Where what carries the character is beside the mark while it stands on it, along the ground, metres: hips are.
    #[serde(skip)]
    pub standing_root: DVec3,
    /// How engines at usual rates would stop.
    pub engines: Vec<EngineStop>,
}

/// A stop begun and stepped on an engine's frames, from the place and speed of the recorded root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineStop {
    /// Steps a second.
    pub rate: f64,
    /// Metres past (or, below 0, short of) the recorded end when the closed form says on which frame to brake.
    pub by_closed_form: f64,
    /// The same when the engine's own steps predict.
    pub by_own_steps: f64,
    /// Metres between the recorded root and the goal of the way at the last frame of this rate.
    pub recorded: f64,
}

/// What was measured in one recorded frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameReport {
    /// When, seconds from the start of the walk.
    pub time: f64,
    /// Metres per second.
    pub speed: f64,
    /// Metres left to the goal.
    pub remaining: f64,
    /// Degrees by which the way rises.
    pub slope: f64,
    /// Whether no gait is for that slope.
    pub off_slopes: bool,
    /// The clip with the largest share.
    pub clip: String,
    /// Its share, 0…1.
    pub share: f64,
    /// How fast the gaits play against their own speed.
    pub rate: f64,
    /// Whether that rate was held at its limit.
    pub limited: bool,
    /// Where the character looks, degrees about +Y from +Z towards +X.
    pub facing: f64,
    /// Clip time of a turn clip, seconds.
    pub turn_time: Option<f64>,
    /// Clip time of the start clip, seconds.
    pub start_time: Option<f64>,
    /// Clip time of the stop clip, seconds.
    pub stop_time: Option<f64>,
    /// Fastest slide of a standing foot without matching and holding, cm/s.
    pub slide_before: f64,
    /// The same in the result, cm/s.
    pub slide_after: f64,
    /// Metres by which a leg fell short of where its foot stands.
    pub leg_too_short: f64,
}
