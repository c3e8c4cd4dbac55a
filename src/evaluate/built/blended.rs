//! A built blend with what is measured on it.

use serde::Serialize;

use crate::evaluate::TakeError;
use crate::systems::blend::{self, ClipTravel, FrameStep, HurriedTurn, Weights};

/// A built blend and its measurements.
#[derive(Clone, Debug)]
pub struct Blended {
    /// Who plays what, to be asked for weights and shares.
    pub built: blend::Built,
    /// Length of the blend in seconds.
    pub length: f64,
    /// Frames per second of the measurements and of the baked keys.
    pub fps: f64,
    /// Every frame's largest step.
    pub steps: Vec<FrameStep>,
    /// The weights of the standard tree at every frame; empty for a drawn tree.
    pub weights: Vec<Weights>,
    /// The legs while the upper body casts on the run.
    pub legs: LegCheck,
    /// When the first leg's foot comes down in each clip, seconds; empty where it does not step.
    pub foot_downs: Vec<(String, Vec<f64>)>,
    /// How far each clip goes.
    pub travels: Vec<ClipTravel>,
    /// The fades that spin the body.
    pub hurried: Vec<HurriedTurn>,
    /// The frames in which a joint is thrown, in order of time.
    pub thrown: Vec<Thrown>,
    /// What is wrong and was left out; such a blend is shown but not exported.
    pub faults: Vec<TakeError>,
}

/// A frame in which a joint goes much farther than in the frames beside it, and stands out more than in any of the clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrown {
    /// Index of the joint.
    pub joint: usize,
    /// Seconds at the end of the frame.
    pub time: f64,
    /// How far it goes in that frame, in the file's unit.
    pub step: f64,
    /// How much of that is beyond the frames beside it.
    pub beyond: f64,
    /// How much of that is more than it may be.
    pub over: f64,
}

/// Leg joints during a running cast against the same events without the skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LegCheck {
    /// Frames in which the skill has weight above and one whole-body clip plays alone below.
    pub frames: usize,
    /// Leg joints compared in each of them.
    pub joints: usize,
    /// Places and turns that are not equal bit for bit.
    pub different: usize,
    /// The largest turn between the two, radians.
    pub largest_turn: f64,
}

impl Blended {
    /// Frames in which a joint turns farther than its sources and weights let it.
    pub fn pops(&self) -> usize {
        self.steps.iter().filter(|step| step.pops()).count()
    }

    /// Frames in which one would, were every transition a cut.
    pub fn cut_pops(&self) -> usize {
        self.steps.iter().filter(|step| step.cut_pops()).count()
    }

    /// The largest turn of a joint in one frame, radians.
    pub fn largest_step(&self) -> f64 {
        self.steps.iter().map(|step| step.largest).fold(0.0, f64::max)
    }

    /// The frame nearest to a pop, or farthest over it.
    pub fn nearest_to_a_pop(&self) -> Option<&FrameStep> {
        let over = |step: &&FrameStep| step.step - step.bound;
        self.steps.iter().max_by(|a, b| over(a).total_cmp(&over(b)))
    }
}
