//! A built take, ready to be sampled.

mod blended;
mod holdings;
mod looped;
mod retargeted;
mod walked;

use std::sync::Arc;

pub use blended::{Blended, JointSpike, LegCheck};
pub use looped::{LoopKind, Looped};
pub use retargeted::Retargeted;
pub use walked::{LevelGround, LevelRoutes, Scenery, Walked};

use super::TakeError;
use super::content::Content;
use super::loop_source::LoopSource;
use crate::document::{Asset, Loaded};
use portamento_anim::{Clip, Roles, RootMotion};
use portamento_base::message::Message;
use portamento_base::progress::Progress;
use portamento_blend as blend;
use portamento_blend::Event;
use portamento_dynamics as dynamics;
use portamento_looping::finder::{FoundLoops, Search};
use portamento_repair::{cleanup, close, ground};
use portamento_stretch as stretch;
use portamento_stretch::{mirror, retime, root, trim};

/// A built take, ready to be sampled.
#[derive(Clone, Debug)]
pub struct BuiltTake {
    /// The character's file.
    pub character: Asset<Loaded>,
    /// Name of the source clip, or the names of the clips of a blend.
    pub clip_name: String,
    /// True if the source clip is in the character's own file.
    pub is_own_clip: bool,
    /// The source motion on the character's joints.
    pub source: Arc<Clip>,
    /// The blend that the source was baked from, if any.
    pub blended: Option<Arc<Blended>>,
    /// The retargeted motion of another rig, if the source is one.
    pub retargeted: Option<Arc<Retargeted>>,
    /// The walk that the source was recorded from, as far as it could be built, if any.
    pub walked: Option<Arc<Walked>>,
    /// The active stages, in order.
    pub stages: Vec<BuiltStage>,
    /// The output of the last stage: displayed and exported. For vertices and images only its name and duration are used.
    pub clip: Arc<Clip>,
    /// The content of the take: joints, vertices or images.
    pub content: Content,
    /// Source frames for loops, with cached searches. Shared by all loops of one source.
    pub(super) loop_source: Arc<LoopSource>,
    /// Recordings of dynamic bones, so that a change to one chain does not simulate the others again.
    pub(super) recordings: Arc<dynamics::Recordings>,
    /// Frames per second of the source.
    pub fps: f64,
    /// The root motion, if the character has any.
    pub root: Option<RootMotion>,
    /// The roles of the joints.
    pub roles: Roles,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Events of blends and layers in output time, sorted by time.
    pub events: Vec<Event>,
    /// Warnings about limits and fallbacks that were applied.
    pub warnings: Vec<Message>,
}

/// A built stage.
#[derive(Clone, Debug)]
pub struct BuiltStage {
    /// The result with its report.
    pub result: StageResult,
    /// The output of the stage.
    pub clip: Arc<Clip>,
}

/// The result of a stage, by its kind.
#[derive(Clone, Debug)]
pub enum StageResult {
    /// A skill layered over the motion.
    Layer(Arc<blend::Layered>),
    /// Displacement stretching with its report.
    Stretch(Arc<stretch::Built>),
    /// Dynamic bones, recorded with a fixed step.
    Dynamics(Arc<dynamics::Built>),
    /// A seamless loop.
    Loop(Arc<Looped>),
    /// A motion made to loop.
    Close(Arc<close::Built>),
    /// A time-warped motion.
    Retime(Arc<retime::Built>),
    /// A trimmed motion.
    Trim(Arc<trim::Built>),
    /// A motion corrected to the ground.
    Ground(Arc<ground::Built>),
    /// A mirrored motion.
    Mirror(Arc<mirror::Built>),
    /// A motion whose root motion was moved or removed.
    Root(Arc<root::Built>),
    /// A motion with jumps and jitter repaired.
    Cleanup(Arc<cleanup::Built>),
}

impl BuiltTake {
    /// Returns the number of output frames, before any further loop.
    pub fn frames(&self) -> usize {
        self.loop_source.frames()
    }

    /// Returns good loops of the output, best first, and the distances between all frames. Slow on the first call, cached
    /// afterwards.
    pub fn find_loops(&self, search: &Search, progress: &Progress) -> Result<Arc<FoundLoops>, TakeError> {
        self.loop_source.find(search, progress)
    }

    /// Returns the blend of the source, for its weights and shares.
    pub fn blend(&self) -> Option<&blend::Built> {
        self.blended.as_deref().map(|blended| &blended.built)
    }

    /// Returns the input of the active stage at `index`.
    pub fn before_stage(&self, index: usize) -> &Arc<Clip> {
        index.checked_sub(1).and_then(|before| self.stages.get(before)).map_or(&self.source, |stage| &stage.clip)
    }

    /// Returns the stretch at index `at` of [`BuiltTake::stages`], or else the first one.
    pub fn stretch(&self, at: Option<usize>) -> Option<&stretch::Built> {
        self.selected_or_first(
            at,
            |result| if let StageResult::Stretch(built) = result { Some(&**built) } else { None },
        )
    }

    /// True if the stage at `at` is a stretch.
    pub fn is_stretch(&self, at: usize) -> bool {
        self.stages.get(at).is_some_and(|stage| matches!(stage.result, StageResult::Stretch(_)))
    }

    /// Returns the index of the stretch at `at`, or else of the first one.
    pub(super) fn stretch_index(&self, at: Option<usize>) -> Option<usize> {
        let is_stretch = |index: &usize| self.is_stretch(*index);
        at.filter(is_stretch).or_else(|| (0..self.stages.len()).find(is_stretch))
    }

    /// Returns the dynamic bones at `at`, or else the first ones.
    pub fn dynamics(&self, at: Option<usize>) -> Option<&dynamics::Built> {
        self.selected_or_first(
            at,
            |result| if let StageResult::Dynamics(built) = result { Some(&**built) } else { None },
        )
    }

    /// Returns the loop at `at`, or else the first one.
    pub fn looped(&self, at: Option<usize>) -> Option<&Looped> {
        self.selected_or_first(at, |result| if let StageResult::Loop(built) = result { Some(&**built) } else { None })
    }

    /// Returns the close stage at `at`, or else the first one.
    pub fn closed(&self, at: Option<usize>) -> Option<&close::Built> {
        self.selected_or_first(at, |result| if let StageResult::Close(built) = result { Some(&**built) } else { None })
    }

    /// Returns the retime stage at `at`, or else the first one.
    pub fn retimed(&self, at: Option<usize>) -> Option<&retime::Built> {
        self.selected_or_first(at, |result| if let StageResult::Retime(built) = result { Some(&**built) } else { None })
    }

    /// Returns the ground stage at `at`, or else the first one.
    pub fn grounded(&self, at: Option<usize>) -> Option<&ground::Built> {
        self.selected_or_first(at, |result| if let StageResult::Ground(built) = result { Some(&**built) } else { None })
    }

    /// Returns the cleanup stage at `at`, or else the first one.
    pub fn cleaned_up(&self, at: Option<usize>) -> Option<&cleanup::Built> {
        self.selected_or_first(
            at,
            |result| if let StageResult::Cleanup(built) = result { Some(&**built) } else { None },
        )
    }

    /// Returns the mirror stage at `at`, or else the first one.
    pub fn mirrored(&self, at: Option<usize>) -> Option<&mirror::Built> {
        self.selected_or_first(at, |result| if let StageResult::Mirror(built) = result { Some(&**built) } else { None })
    }

    /// Returns the root stage at `at`, or else the first one.
    pub fn rooted(&self, at: Option<usize>) -> Option<&root::Built> {
        self.selected_or_first(at, |result| if let StageResult::Root(built) = result { Some(&**built) } else { None })
    }

    /// Returns the last loop.
    pub fn last_loop(&self) -> Option<&Looped> {
        let loops = self.stages.iter().rev();
        loops
            .map(|stage| &stage.result)
            .find_map(|result| if let StageResult::Loop(built) = result { Some(&**built) } else { None })
    }

    /// True if the end of the motion continues into its start.
    pub fn repeats(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.result {
            StageResult::Loop(_) | StageResult::Close(_) => true,
            // A looping dynamics stage requires a looping input.
            StageResult::Dynamics(built) => built.report.residue.is_some(),
            _ => false,
        })
    }

    fn selected_or_first<'b, T>(
        &'b self,
        at: Option<usize>,
        kind: fn(&'b StageResult) -> Option<&'b T>,
    ) -> Option<&'b T> {
        // A stage above one that fails has no result; that of another stage would be taken for its own.
        if at.is_some_and(|index| index >= self.stages.len()) {
            return None;
        }
        let chosen = at.and_then(|index| self.stages.get(index)).and_then(|stage| kind(&stage.result));
        chosen.or_else(|| self.stages.iter().find_map(|stage| kind(&stage.result)))
    }
}
