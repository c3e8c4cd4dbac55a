//! A built blend with its measurements.

use std::sync::OnceLock;

use serde::Serialize;

use crate::evaluate::TakeError;
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;
use portamento_anim::resample::frame_times;
use portamento_base::progress::Progress;
use portamento_blend as blend;
use portamento_blend::{Action, ClipTravel, FastTurn, FrameStep, Scratch, Settings, Weights};

/// A built blend and its measurements.
#[derive(Clone, Debug)]
pub struct Blended {
    /// The evaluated blend, for weights and shares.
    pub built: blend::Built,
    /// Length of the blend in seconds.
    pub length: f64,
    /// Frames per second of the measurements and of the baked keys.
    pub fps: f64,
    /// The figures that need the blend compiled with other settings, once they are measured.
    pub(in crate::evaluate) figures: OnceLock<BlendFigures>,
    /// The weights of the standard tree at every frame; empty for a graph.
    pub weights: Vec<Weights>,
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

/// Figures of a blend that compare it with the same blend without transitions or skills.
#[derive(Clone, Debug)]
pub struct BlendFigures {
    /// The largest joint step of every frame.
    pub steps: Vec<FrameStep>,
    /// Comparison of the legs while the upper body casts during a run.
    pub legs: LegCheck,
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
    /// Part of the displacement that exceeds the neighbouring frames, in the file's unit.
    pub beyond: f64,
    /// Part of `beyond` that exceeds the allowed amount, in the file's unit.
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
    /// Returns the figures if they are measured.
    pub fn figures(&self) -> Option<&BlendFigures> {
        self.figures.get()
    }

    /// Returns the figures, and measures them if they are not yet measured.
    ///
    /// Returns `Err` if `progress` is cancelled. The measurement compiles the blend again and is slow.
    pub fn measured(&self, progress: &Progress) -> Result<&BlendFigures, TakeError> {
        if let Some(known) = self.figures.get() {
            return Ok(known);
        }
        let steps = self.built.pop_meter(self.fps, self.length, progress)?;
        let legs = self.check_legs()?;
        Ok(self.figures.get_or_init(|| BlendFigures { steps, legs }))
    }

    /// Compares the legs with those of the same events without the skill. All figures are 0 unless the result is the
    /// standard tree alone. Only `joints` is above 0 if no skill is cast while running. Returns `Err` if the
    /// comparison cannot be built.
    fn check_legs(&self) -> Result<LegCheck, TakeError> {
        let mut check = LegCheck::default();
        let Some(scenario) = self.built.settings().as_standard() else { return Ok(check) };
        let mut without_skill = scenario.clone();
        without_skill.events.retain(|event| !matches!(event.action, Action::Cast | Action::End));
        let without_skill = self.built.with_settings(&Settings::Scenario(without_skill))?;
        let (skeleton, roles) = self.built.rig();
        let legs: Vec<usize> = roles.legs.iter().flat_map(|leg| skeleton.subtree(leg.thigh)).collect();
        check.joints = legs.len();
        let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
        let (mut pose, mut run) = (Pose::rest(skeleton), Pose::rest(skeleton));
        for time in frame_times(self.length, self.fps) {
            let is_running_cast = self
                .built
                .weights(time)
                .is_some_and(|at| at.skill_on_upper > 0.0 && at.whole_on_lower == 1.0 && at.cur_ani == 1.0);
            if !is_running_cast {
                continue;
            }
            self.built.sample(time, &mut scratch, &mut pose);
            without_skill.sample(time, &mut other, &mut run);
            check.frames += 1;
            check.different += legs.iter().filter(|&&joint| pose.locals[joint] != run.locals[joint]).count();
            let turn = |&joint: &usize| angle_between(pose.locals[joint].rotation, run.locals[joint].rotation);
            check.largest_turn = legs.iter().map(turn).fold(check.largest_turn, f64::max);
        }
        Ok(check)
    }
}

impl BlendFigures {
    /// Returns the number of frames in which a joint rotates farther than its sources and weights explain.
    pub fn pops(&self) -> usize {
        self.steps.iter().filter(|step| step.pops()).count()
    }

    /// Returns the number of pops if every transition were a hard cut.
    pub fn cut_pops(&self) -> usize {
        self.steps.iter().filter(|step| step.cut_pops()).count()
    }

    /// Returns the largest rotation of a joint in one frame, radians. It is 0 without frames.
    pub fn largest_step(&self) -> f64 {
        self.steps.iter().map(|step| step.largest).fold(0.0, f64::max)
    }

    /// Returns the frame nearest to a pop, or with the largest pop. `None` without frames.
    pub fn nearest_to_a_pop(&self) -> Option<&FrameStep> {
        let margin = |step: &&FrameStep| step.step - step.bound;
        self.steps.iter().max_by(|a, b| margin(a).total_cmp(&margin(b)))
    }
}
