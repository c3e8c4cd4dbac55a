//! A built loop with its source.

use std::sync::Arc;

use crate::evaluate::loop_source::LoopSource;
use portamento_looping::{CycleWindow, ImageLoop, JointLoop, SeamReport, VertexLoop, Warning};

/// A built loop with its source.
#[derive(Clone, Debug)]
pub struct Looped {
    /// The loop itself.
    pub kind: LoopKind,
    /// First frame Z and length X; the cycles are Z … Z+X and Z+X … Z+2X.
    pub window: CycleWindow,
    /// Frames per second of source and loop.
    pub fps: f64,
    /// The source, for searching better windows.
    pub source: Arc<LoopSource>,
}

/// The kinds of loops.
#[derive(Clone, Debug)]
pub enum LoopKind {
    /// The joints of a clip, crossfaded pose by pose.
    Joints(Arc<JointLoop>),
    /// The vertices of a mesh, crossfaded position by position.
    Vertices(Arc<VertexLoop>),
    /// The pixels of an image sequence, crossfaded colour by colour.
    Images(Arc<ImageLoop>),
}

impl Looped {
    /// Returns the measurements of the seam.
    pub fn report(&self) -> &SeamReport {
        match &self.kind {
            LoopKind::Joints(built) => built.report(),
            LoopKind::Vertices(built) => built.report(),
            LoopKind::Images(built) => built.report(),
        }
    }

    /// Returns the number of units that fade independently: joints, vertices or pixels. Joints count all of the skeleton.
    pub fn units(&self) -> usize {
        match &self.kind {
            LoopKind::Joints(built) => built.cycle_frame(0).locals.len(),
            LoopKind::Vertices(built) => built.units(),
            LoopKind::Images(built) => built.info().pixels(),
        }
    }

    /// Returns the warnings of the loop.
    pub fn warnings(&self) -> &[Warning] {
        match &self.kind {
            LoopKind::Joints(built) => built.warnings(),
            LoopKind::Vertices(built) => built.warnings(),
            LoopKind::Images(built) => built.warnings(),
        }
    }

    /// Returns three source times in seconds: start of cycle A, end of A and start of B, end of B. Used for the bands of the
    /// timeline.
    pub fn bands(&self) -> [f64; 3] {
        let CycleWindow { start, length } = self.window;
        [start, start + length, start + 2 * length].map(|frame| frame as f64 / self.fps)
    }

    /// Returns the largest start Z that leaves room for both cycles. It is a frame, and 0 if there is no room.
    pub fn latest_start(&self) -> usize {
        (self.source.frames().max(1) - 1).saturating_sub(2 * self.window.length)
    }
}
