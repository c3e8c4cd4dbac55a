//! A built blend with its measurements.

use serde::Serialize;

use crate::evaluate::TakeError;
use portamento_blend as blend;
use portamento_blend::{ClipTravel, FastTurn, FrameStep, Weights};

/// A built blend and its measurements.
#[derive(Clone, Debug)]
pub struct Blended {
    /// The evaluated blend, for weights and shares.
    pub built: blend::Built,
    /// Length of the blend in seconds.
    pub length: f64,
    /// Frames per second of the measurements and of the baked keys.
    pub fps: f64,
    /// The largest joint step of every frame.
    pub steps: Vec<FrameStep>,
    /// The weights of the standard tree at every frame; empty for a graph.
    pub weights: Vec<Weights>,
    /// Comparison of the legs while the upper body casts during a run.
    pub legs: LegCheck,
    /// Touchdown times of the first leg's foot in each clip, seconds; empty for a clip without steps.
    pub foot_downs: Vec<(String, Vec<f64>)>,
    /// The travel of each clip.
    pub travels: Vec<ClipTravel>,
    /// The fades that rotate the body too fast.
    pub hurried: Vec<FastTurn>,
    /// The frames with joint spikes, in time order.
    pub thrown: Vec<JointSpike>,
    /// Errors of the clips that were left out. A blend with errors is shown but not exported.
    pub faults: Vec<TakeError>,
}

/// A frame in which a joint moves much farther than in the neighbouring frames, and more abruptly than in any of the clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSpike {
    /// Index of the joint.
    pub joint: usize,
    /// Time at the end of the frame, seconds.
    pub time: f64,
    /// Displacement in that frame, in the file's unit.
    pub step: f64,
    /// Part of the displacement that exceeds the neighbouring frames.
    pub beyond: f64,
    /// Part of `beyond` that exceeds the allowed amount.
    pub over: f64,
}

/// Comparison of leg joints during a running cast with the same events without the skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LegCheck {
    /// Number of frames in which the skill has weight and a single full-body clip plays for the legs.
    pub frames: usize,
    /// Number of compared leg joints per frame.
    pub joints: usize,
    /// Number of positions and rotations that are not bit-identical.
    pub different: usize,
    /// The largest rotation difference, radians.
    pub largest_turn: f64,
}

impl Blended {
    /// Returns the number of frames in which a joint rotates farther than its sources and weights explain.
    pub fn pops(&self) -> usize {
        self.steps.iter().filter(|step| step.pops()).count()
    }

    /// Returns the number of pops if every transition were a hard cut.
    pub fn cut_pops(&self) -> usize {
        self.steps.iter().filter(|step| step.cut_pops()).count()
    }

    /// Returns the largest rotation of a joint in one frame, radians.
    pub fn largest_step(&self) -> f64 {
        self.steps.iter().map(|step| step.largest).fold(0.0, f64::max)
    }

    /// Returns the frame nearest to a pop, or with the largest pop.
    pub fn nearest_to_a_pop(&self) -> Option<&FrameStep> {
        let margin = |step: &&FrameStep| step.step - step.bound;
        self.steps.iter().max_by(|a, b| margin(a).total_cmp(&margin(b)))
    }
}
