//! A take, ready to be sampled.

mod blended;
mod looped;
mod walked;

use std::sync::Arc;

pub use blended::{Blended, LegCheck};
pub use looped::{LoopKind, Looped};
pub use walked::{LevelGround, LevelRoutes, Scenery, Walked};

use super::TakeError;
use super::content::Content;
use super::loop_source::LoopSource;
use crate::anim::{Clip, Roles, RootMotion};
use crate::document::{Asset, Loaded};
use crate::message::Message;
use crate::progress::Progress;
use crate::systems::looping::finder::{Found, Search};
use crate::systems::{blend, dynamics, stretch};

/// A take, ready to be sampled.
#[derive(Clone, Debug)]
pub struct BuiltTake {
    /// The character's file.
    pub character: Asset<Loaded>,
    /// Name of the source clip; for a blend the names of its clips.
    pub clip_name: String,
    /// Whether the source clip is one of the character's own file.
    pub is_own_clip: bool,
    /// The source, on the character's joints.
    pub source: Arc<Clip>,
    /// The blend that the source was baked from, if it was.
    pub blended: Option<Arc<Blended>>,
    /// The walk that the source was recorded from, as far as it could be built, if it is one.
    pub walked: Option<Arc<Walked>>,
    /// One per modifier, in order.
    pub stages: Vec<Stage>,
    /// What came out of each stage.
    pub(super) stage_clips: Vec<Arc<Clip>>,
    /// What comes out of the last stage: shown and exported. For vertices and images only its name and duration count.
    pub clip: Arc<Clip>,
    /// What the take is made of.
    pub content: Content,
    /// Shared by all loops of one source, so that searches are done once.
    pub(super) loop_source: Arc<LoopSource>,
    /// Frames per second of the source.
    pub fps: f64,
    /// What carries the character, if anything does.
    pub root: Option<RootMotion>,
    /// Which joint plays which part.
    pub roles: Roles,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Limits and fallbacks that were applied.
    pub warnings: Vec<Message>,
}

/// A built modifier.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Displacement stretching with its report.
    Stretch(Arc<stretch::Built>),
    /// Dynamic bones as a recording with a fixed step.
    Dynamics(Arc<dynamics::Built>),
    /// A seamless loop.
    Loop(Arc<Looped>),
}

impl BuiltTake {
    /// Frames of what comes out, before any loop that would be added.
    pub fn frames(&self) -> usize {
        self.loop_source.frames()
    }

    /// Good loops of what comes out, best first, and the distances between all frames; slow the first time, remembered.
    pub fn find_loops(&self, search: &Search, progress: &Progress) -> Result<Arc<Found>, TakeError> {
        self.loop_source.find(search, progress)
    }

    /// The blend behind the source, for its weights and shares.
    pub fn blend(&self) -> Option<&blend::Built> {
        self.blended.as_deref().map(|blended| &blended.built)
    }

    /// The first stretch, for its path, plots and numbers.
    pub fn stretch(&self) -> Option<&stretch::Built> {
        self.stages.iter().find_map(|stage| match stage {
            Stage::Stretch(built) => Some(&**built),
            _ => None,
        })
    }

    /// What came out of the first stretch, before any later modifier.
    pub(super) fn stretched_clip(&self) -> Option<&Clip> {
        let at = self.stages.iter().position(|stage| matches!(stage, Stage::Stretch(_)))?;
        self.stage_clips.get(at).map(|clip| &**clip)
    }

    /// The first dynamic bones, for their contacts and numbers.
    pub fn dynamics(&self) -> Option<&dynamics::Built> {
        self.stages.iter().find_map(|stage| match stage {
            Stage::Dynamics(built) => Some(&**built),
            _ => None,
        })
    }

    /// The first loop, for its bands, seam and the search for better ones.
    pub fn looped(&self) -> Option<&Looped> {
        self.stages.iter().find_map(|stage| match stage {
            Stage::Loop(built) => Some(&**built),
            _ => None,
        })
    }
}
