//! The loop stage, for joints, vertices or images.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::document::stage::Loop;
use crate::evaluate::content::{Content, ImageContent, VertexContent};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, LoopKind, Looped, StageResult, TakeError, memory};
use portamento_anim::Clip;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_looping as looping;
use portamento_looping::{CycleWindow, JointLoop, image, joint, vertex};

/// Number of images in memory at the same time while they are cross-faded and measured.
const IMAGES_IN_MEMORY: u64 = 8;

impl Described for Loop {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("start", "form.loop_start", Measure::Plain),
        row("length", "form.loop_length", Measure::Plain),
        row("fade", "", Measure::Plain),
        choice("fade/curve", "form.fade_curve", "easing."),
        choice("fade/curve/named", "", "easing."),
        row("fade/softness", "form.fade_softness", Measure::Plain),
        row("fade/reach", "form.fade_reach", Measure::Plain),
        row("fade/timing", "section.paint", Measure::Plain),
        row("fade/width", "section.paint", Measure::Plain),
        row("fade/shape", "section.paint", Measure::Plain),
        row("outgoing", "setting.outgoing", Measure::Plain),
        choice("outgoing/curve", "form.fade_curve", "easing."),
        choice("outgoing/curve/named", "", "easing."),
        row("outgoing/softness", "form.fade_softness", Measure::Plain),
        row("outgoing/reach", "form.fade_reach", Measure::Plain),
        row("outgoing/timing", "section.paint", Measure::Plain),
        row("outgoing/width", "section.paint", Measure::Plain),
        row("outgoing/shape", "section.paint", Measure::Plain),
        row("keep_energy", "form.keep_energy", Measure::Plain),
        row("rigid", "form.rigid", Measure::Plain),
        row("linear_light", "form.linear_light", Measure::Plain),
        choice("travel", "form.loop_travel", "travel."),
    ]];
}

impl Modify for Loop {
    fn needs_joints(&self) -> bool {
        false
    }

    fn is_slow(&self, has_joints: bool) -> bool {
        !has_joints
    }

    fn bytes(&self, before: &BuiltTake) -> u64 {
        let frames = self.settings.length as u64;
        match &before.content {
            Content::Joints => {
                memory::of_poses(before.clip.duration, before.fps, before.character.model.skeleton.len())
            }
            Content::Vertices(vertices) => memory::of_points(frames.saturating_mul(2), vertices.clip.vertices),
            // Images are streamed.
            Content::Images(images) => IMAGES_IN_MEMORY * images.clip.info.frame_bytes() as u64,
        }
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let source = built.loop_source.clone();
        let settings = &self.settings;
        let kind = match &mut built.content {
            Content::Joints => LoopKind::Joints(Arc::new(joints(settings, inputs, built, progress)?)),
            Content::Vertices(VertexContent { clip, looped, .. }) => {
                let result = Arc::new(vertex::build(clip, settings, progress)?);
                set_loop(looped, &result).then_some(LoopKind::Vertices(result)).ok_or(TakeError::AlreadyLooped)?
            }
            Content::Images(ImageContent { clip, looped }) => {
                let result = Arc::new(image::build(clip, settings, progress)?);
                set_loop(looped, &result).then_some(LoopKind::Images(result)).ok_or(TakeError::AlreadyLooped)?
            }
        };
        if !matches!(kind, LoopKind::Joints(_)) {
            let duration = settings.length as f64 / built.fps;
            built.clip = Arc::new(Clip { duration, ..Clip::clone(&built.clip) });
        }
        let window = CycleWindow { start: settings.start, length: settings.length };
        let looped = Looped { kind, window, fps: built.fps, source };
        built.warnings.extend(looped.warnings().iter().map(Tell::message));
        Ok(StageResult::Loop(Arc::new(looped)))
    }
}

/// Sets the loop and replaces an earlier one. Returns `false` if there was one.
fn set_loop<T>(looped: &mut Option<Arc<T>>, result: &Arc<T>) -> bool {
    looped.replace(result.clone()).is_none()
}

/// Builds the loop and replaces the clip of `built` by it, with the closing key. Returns `Err` if the loop does not fit the
/// clip.
fn joints(
    settings: &looping::Settings,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<JointLoop, TakeError> {
    let skeleton = &inputs.character.model.skeleton;
    let input = joint::Input { skeleton, clip: &built.clip, root: built.root, fps: built.fps };
    let result = joint::build(&input, settings, progress)?;
    built.clip = Arc::new(result.to_clip(skeleton, true));
    Ok(result)
}

impl Outcome for Looped {
    /// Returns the figures of a loop. `start`, `length`, `latest_start` and `source_frames` are in frames, `fps` in
    /// frames per second. `of` is the kind of content.
    ///
    /// The others are those of [`Looped::report`]: gaps in position (E0), speed (ratio ρ) and acceleration (E2), and
    /// the motion lost by mixing. `lamp` is the rating. `edges` has the 1st and the 99th percentile of the ratios of
    /// edge lengths. A figure that could not be measured is null.
    fn figures(&self, take: &BuiltTake, _: &Clip) -> Value {
        let report = self.report();
        json!({
            "of": take.content.name(),
            "source_frames": self.source.frames(),
            "start": self.window.start,
            "length": self.window.length,
            "latest_start": self.latest_start(),
            "fps": self.fps,
            "value_gap": report.value_gap,
            "step_change": report.step_change,
            "seam_ratio": report.ratio,
            "acceleration_ratio": report.acceleration_ratio,
            "lamp": format!("{:?}", report.rating()).to_lowercase(),
            "dip": report.dip,
            "edges": report.edges.map(|edges| json!({ "shortest_percent": edges.low, "longest_percent": edges.high })),
        })
    }

    fn bytes(&self) -> usize {
        let LoopKind::Joints(joints) = &self.kind else { return 0 };
        (0..joints.frames()).map(|frame| memory::of_pose(joints.cycle_frame(frame))).sum()
    }

    fn output_time(&self, time: f64) -> f64 {
        time - self.window.start as f64 / self.fps
    }

    fn input_time(&self, time: f64) -> f64 {
        time + self.window.start as f64 / self.fps
    }

    fn repeats(&self) -> bool {
        true
    }
}
