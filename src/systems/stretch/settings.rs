//! What the user sets.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Where the motion shall end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A point of the file's world space, in its unit.
    World(DVec3),
    /// An offset from the first position, in the character's frame there: +Z ahead, +Y up, in the file's unit.
    Start(DVec3),
}

impl Target {
    /// The point in world space for a character that starts at `start` with `heading` (radians about +Y).
    pub fn in_world(self, start: DVec3, heading: f64) -> DVec3 {
        match self {
            Self::World(point) => point,
            Self::Start(offset) => start + DQuat::from_rotation_y(heading) * offset,
        }
    }
}

/// How the correction is shared out over the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// In proportion to how far the source moved in each frame.
    #[default]
    Displacement,
    /// Evenly over time, for comparison.
    Uniform,
    /// The least-change linear map from the source's travel to the wanted one.
    Shear,
}

/// Which length of a step counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthMeasure {
    /// All three axes.
    #[default]
    Full,
    /// The ground plane.
    Horizontal,
    /// Height.
    Vertical,
}

/// What to do where the source does not move at all but shall arrive elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZeroMotion {
    /// Say so and build nothing.
    #[default]
    Refuse,
    /// Spread the way evenly over time, and say so.
    Uniform,
}

/// Which way the character looks at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// As in the source.
    #[default]
    Keep,
    /// Turned by the angle between the source's way and the new way, so that a leap at an enemy still looks at it.
    Target,
    /// This heading, radians about +Y, 0 looking along +Z; the shorter way round, half a turn counter-clockwise.
    Heading(f64),
}

/// A part of the clip with a target of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Seconds; motion from here on belongs to the window.
    pub start: f64,
    /// Seconds; motion from here on no longer does. The character arrives at this moment.
    pub end: f64,
    /// Where it arrives.
    pub target: Target,
    /// Which way it looks then.
    pub facing: Facing,
}

/// All that shapes a stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Where the clip ends; without one (and without windows) the source comes back as it is.
    pub target: Option<Target>,
    /// How the correction is shared out.
    pub method: Method,
    /// Which length of a step counts; always the ground plane where root motion is that part of the hips.
    pub measure: LengthMeasure,
    /// World axes that are corrected; an axis left out keeps the source's values bit for bit.
    pub axes: [bool; 3],
    /// Metres per second below which a frame counts as still; 0 switches it off.
    pub dead_zone: f64,
    /// For a source that does not move.
    pub zero_motion: ZeroMotion,
    /// Which way the character looks at the end.
    pub facing: Facing,
    /// Parts with their own targets; when there are any, `target` and `facing` are not used.
    pub windows: Vec<Window>,
    /// The joint that arrives at the target instead of the root.
    pub aligner: Option<usize>,
    /// Planted feet stay planted: each foot follows the same rule on its own path, and the leg is bent to it.
    pub feet: bool,
    /// Largest stretch ratio |D − P(N)|/S; a target beyond is drawn nearer, and the amount is reported.
    pub max_ratio: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: None,
            method: Method::default(),
            measure: LengthMeasure::default(),
            axes: [true; 3],
            dead_zone: 0.0,
            zero_motion: ZeroMotion::default(),
            facing: Facing::default(),
            windows: Vec::new(),
            aligner: None,
            feet: false,
            max_ratio: None,
        }
    }
}
