//! A take, ready to be sampled.

mod blended;
mod holdings;
mod looped;
mod retargeted;
mod walked;

use std::sync::Arc;

pub use blended::{Blended, LegCheck, Thrown};
pub use looped::{LoopKind, Looped};
pub use retargeted::Retargeted;
pub use walked::{LevelGround, LevelRoutes, Scenery, Walked};

use super::TakeError;
use super::content::Content;
use super::loop_source::LoopSource;
use crate::anim::{Clip, Roles, RootMotion};
use crate::document::{Asset, Loaded};
use crate::message::Message;
use crate::progress::Progress;
use crate::systems::blend::Event;
use crate::systems::looping::finder::{FoundLoops, Search};
use crate::systems::{blend, cleanup, close, dynamics, ground, mirror, retime, root, stretch, trim};

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
    /// The motion of another rig that the source was made from, if it was.
    pub retargeted: Option<Arc<Retargeted>>,
    /// The walk that the source was recorded from, as far as it could be built, if it is one.
    pub walked: Option<Arc<Walked>>,
    /// One per stage that is on, in order.
    pub stages: Vec<BuiltStage>,
    /// What comes out of the last stage: shown and exported. For vertices and images only its name and duration count.
    pub clip: Arc<Clip>,
    /// What the take is made of.
    pub content: Content,
    /// Shared by all loops of one source, so that searches are done once.
    pub(super) loop_source: Arc<LoopSource>,
    /// What dynamic bones did on it, so that a change to one chain leaves the others alone.
    pub(super) recordings: Arc<dynamics::Recordings>,
    /// Frames per second of the source.
    pub fps: f64,
    /// What carries the character, if anything does.
    pub root: Option<RootMotion>,
    /// Which joint plays which part.
    pub roles: Roles,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// What happens when in what comes out: events of blends and layers, followed through all stages, by time.
    pub events: Vec<Event>,
    /// Limits and fallbacks that were applied.
    pub warnings: Vec<Message>,
}

/// A built stage.
#[derive(Clone, Debug)]
pub struct BuiltStage {
    /// What it did.
    pub result: StageResult,
    /// What came out of it.
    pub clip: Arc<Clip>,
}

/// What a stage did, by its kind.
#[derive(Clone, Debug)]
pub enum StageResult {
    /// A skill over the motion.
    Layer(Arc<blend::Layered>),
    /// Displacement stretching with its report.
    Stretch(Arc<stretch::Built>),
    /// Dynamic bones as a recording with a fixed step.
    Dynamics(Arc<dynamics::Built>),
    /// A seamless loop.
    Loop(Arc<Looped>),
    /// A motion that repeats.
    Close(Arc<close::Built>),
    /// A motion at another speed.
    Retime(Arc<retime::Built>),
    /// A part of a motion.
    Trim(Arc<trim::Built>),
    /// A motion on its ground.
    Ground(Arc<ground::Built>),
    /// A motion with left and right changed.
    Mirror(Arc<mirror::Built>),
    /// A motion whose travel is carried elsewhere.
    Root(Arc<root::Built>),
    /// A motion with jumps and trembling mended.
    Cleanup(Arc<cleanup::Built>),
}

impl BuiltTake {
    /// Frames of what comes out, before any loop that would be added.
    pub fn frames(&self) -> usize {
        self.loop_source.frames()
    }

    /// Good loops of what comes out, best first, and the distances between all frames; slow the first time, remembered.
    pub fn find_loops(&self, search: &Search, progress: &Progress) -> Result<Arc<FoundLoops>, TakeError> {
        self.loop_source.find(search, progress)
    }

    /// The blend behind the source, for its weights and shares.
    pub fn blend(&self) -> Option<&blend::Built> {
        self.blended.as_deref().map(|blended| &blended.built)
    }

    /// What went into the stage at `index`, counted among those that are on.
    pub fn before_stage(&self, index: usize) -> &Arc<Clip> {
        index.checked_sub(1).and_then(|before| self.stages.get(before)).map_or(&self.source, |stage| &stage.clip)
    }

    /// The stretch at `at` of [`BuiltTake::stages`], else the first, for its path, plots and numbers.
    pub fn stretch(&self, at: Option<usize>) -> Option<&stretch::Built> {
        self.at_hand(at, |result| if let StageResult::Stretch(built) = result { Some(&**built) } else { None })
    }

    /// Whether the stage at `at` is a stretch.
    pub fn is_stretch(&self, at: usize) -> bool {
        self.stages.get(at).is_some_and(|stage| matches!(stage.result, StageResult::Stretch(_)))
    }

    /// The place of the stretch at `at`, else of the first.
    pub(super) fn stretch_place(&self, at: Option<usize>) -> Option<usize> {
        let is_stretch = |place: &usize| self.is_stretch(*place);
        at.filter(is_stretch).or_else(|| (0..self.stages.len()).find(is_stretch))
    }

    /// The dynamic bones at `at`, else the first, for their contacts and numbers.
    pub fn dynamics(&self, at: Option<usize>) -> Option<&dynamics::Built> {
        self.at_hand(at, |result| if let StageResult::Dynamics(built) = result { Some(&**built) } else { None })
    }

    /// The loop at `at`, else the first, for its bands, seam and the search for better ones.
    pub fn looped(&self, at: Option<usize>) -> Option<&Looped> {
        self.at_hand(at, |result| if let StageResult::Loop(built) = result { Some(&**built) } else { None })
    }

    /// The closing at `at`, else the first, for its gaps.
    pub fn closed(&self, at: Option<usize>) -> Option<&close::Built> {
        self.at_hand(at, |result| if let StageResult::Close(built) = result { Some(&**built) } else { None })
    }

    /// The retime at `at`, else the first, for its speeds.
    pub fn retimed(&self, at: Option<usize>) -> Option<&retime::Built> {
        self.at_hand(at, |result| if let StageResult::Retime(built) = result { Some(&**built) } else { None })
    }

    /// What was put on its ground at `at`, else first, for its feet.
    pub fn grounded(&self, at: Option<usize>) -> Option<&ground::Built> {
        self.at_hand(at, |result| if let StageResult::Ground(built) = result { Some(&**built) } else { None })
    }

    /// What was cleaned up at `at`, else first.
    pub fn cleaned_up(&self, at: Option<usize>) -> Option<&cleanup::Built> {
        self.at_hand(at, |result| if let StageResult::Cleanup(built) = result { Some(&**built) } else { None })
    }

    /// What was mirrored at `at`, else first, for its sides.
    pub fn mirrored(&self, at: Option<usize>) -> Option<&mirror::Built> {
        self.at_hand(at, |result| if let StageResult::Mirror(built) = result { Some(&**built) } else { None })
    }

    /// The root stage at `at`, else the first, for its travel.
    pub fn rooted(&self, at: Option<usize>) -> Option<&root::Built> {
        self.at_hand(at, |result| if let StageResult::Root(built) = result { Some(&**built) } else { None })
    }

    /// The loop that comes last.
    pub fn last_loop(&self) -> Option<&Looped> {
        let loops = self.stages.iter().rev();
        loops
            .map(|stage| &stage.result)
            .find_map(|result| if let StageResult::Loop(built) = result { Some(&**built) } else { None })
    }

    /// Whether its end runs on into its start.
    pub fn repeats(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.result {
            StageResult::Loop(_) | StageResult::Close(_) => true,
            // Who lets bones swing in a cycle says that the motion below them is one.
            StageResult::Dynamics(built) => built.report.residue.is_some(),
            _ => false,
        })
    }

    fn at_hand<'b, T>(&'b self, at: Option<usize>, kind: fn(&'b StageResult) -> Option<&'b T>) -> Option<&'b T> {
        let chosen = at.and_then(|index| self.stages.get(index)).and_then(|stage| kind(&stage.result));
        chosen.or_else(|| self.stages.iter().find_map(|stage| kind(&stage.result)))
    }
}
