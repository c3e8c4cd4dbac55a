//! A loop of what came so far: joints, vertices or pixels.

use std::sync::Arc;

use super::Stage;
use crate::anim::Clip;
use crate::document::take::Loop;
use crate::evaluate::content::{Content, Images, LoopSource, Vertices};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError};
use crate::progress::Progress;
use crate::systems::looping::{
    self, ImageLoop, JointLoop, SeamReport, VertexLoop, Warning, Window, image, joint, vertex,
};

/// A built loop with what it was made from.
#[derive(Clone, Debug)]
pub struct Looped {
    /// The loop itself.
    pub kind: LoopKind,
    /// First frame Z and length X; the cycles are Z … Z+X and Z+X … Z+2X.
    pub window: Window,
    /// Frames per second of source and loop.
    pub fps: f64,
    /// The source, to search for better windows in.
    pub source: Arc<LoopSource>,
}

/// Loops by what fades.
#[derive(Clone, Debug)]
pub enum LoopKind {
    /// Joints.
    Joints(Arc<JointLoop>),
    /// Vertices.
    Vertices(Arc<VertexLoop>),
    /// Pixels.
    Images(Arc<ImageLoop>),
}

impl Looped {
    /// The seam in numbers.
    pub fn report(&self) -> &SeamReport {
        match &self.kind {
            LoopKind::Joints(built) => built.report(),
            LoopKind::Vertices(built) => built.report(),
            LoopKind::Images(built) => built.report(),
        }
    }

    /// What fades by itself: joints, vertices or pixels.
    pub fn units(&self) -> usize {
        match &self.kind {
            LoopKind::Joints(built) => built.cycle_frame(0).locals.len(),
            LoopKind::Vertices(built) => built.units(),
            LoopKind::Images(built) => built.info().pixels(),
        }
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[Warning] {
        match &self.kind {
            LoopKind::Joints(built) => built.warnings(),
            LoopKind::Vertices(built) => built.warnings(),
            LoopKind::Images(built) => built.warnings(),
        }
    }

    /// Seconds of the source at which A begins, A ends and B begins, and B ends: the bands on a timeline.
    pub fn bands(&self) -> [f64; 3] {
        let Window { start, length } = self.window;
        [start, start + length, start + 2 * length].map(|frame| frame as f64 / self.fps)
    }

    /// The greatest start Z that leaves room for both cycles.
    pub fn latest_start(&self) -> usize {
        (self.source.frames().max(1) - 1).saturating_sub(2 * self.window.length)
    }
}

pub(super) fn apply(
    looped: &Loop,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<Stage, TakeError> {
    let source = built.loop_source.clone();
    let settings = &looped.settings;
    let kind = match &mut built.content {
        Content::Joints => LoopKind::Joints(Arc::new(joints(settings, inputs, built, progress)?)),
        Content::Vertices(Vertices { clip, looped, .. }) => {
            let made = Arc::new(vertex::build(clip, settings, progress)?);
            once(looped, &made).then_some(LoopKind::Vertices(made)).ok_or(TakeError::AlreadyLooped)?
        }
        Content::Images(Images { clip, looped }) => {
            let made = Arc::new(image::build(clip, settings, progress)?);
            once(looped, &made).then_some(LoopKind::Images(made)).ok_or(TakeError::AlreadyLooped)?
        }
    };
    if !matches!(kind, LoopKind::Joints(_)) {
        let duration = settings.length as f64 / built.fps;
        built.clip = Arc::new(Clip { duration, ..Clip::clone(&built.clip) });
    }
    let window = Window { start: settings.start, length: settings.length };
    let looped = Looped { kind, window, fps: built.fps, source };
    built.warnings.extend(looped.warnings().iter().map(Warning::to_string));
    Ok(Stage::Loop(Arc::new(looped)))
}

/// Keeps `made`; `false` where there is a loop already.
fn once<T>(looped: &mut Option<Arc<T>>, made: &Arc<T>) -> bool {
    looped.replace(made.clone()).is_none()
}

fn joints(
    settings: &looping::Settings,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<JointLoop, TakeError> {
    let skeleton = &inputs.character.model.skeleton;
    let input = joint::Input { skeleton, clip: &built.clip, root: built.root, fps: built.fps };
    let made = joint::build(&input, settings, progress)?;
    built.clip = Arc::new(made.to_clip(skeleton, true));
    Ok(made)
}
