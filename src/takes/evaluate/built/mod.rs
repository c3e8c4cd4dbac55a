//! A built take, ready to be sampled.

mod blended;
mod holdings;
mod level_graph;
mod looped;
mod overlays;
mod retargeted;
mod walked;

use std::sync::Arc;

pub use blended::{BlendFigures, Blended, JointSpike, LegCheck};
pub(super) use level_graph::Crosser;
pub use level_graph::LevelGraph;
pub use looped::{LoopKind, Looped};
pub(super) use overlays::Overlays;
pub use retargeted::Retargeted;
pub use walked::{LevelGround, LevelRoutes, LinkFit, Scenery, Walked};

use super::TakeError;
use super::content::Content;
use super::loop_source::LoopSource;
use crate::document::{Asset, Loaded};
use portamento_anim::quality::{self, SideEffect};
use portamento_anim::{Clip, Roles, RootMotion};
use portamento_base::message::Message;
use portamento_base::progress::{Cancelled, Progress};
use portamento_blend as blend;
use portamento_blend::Event;
use portamento_dynamics as dynamics;
use portamento_looping::finder::{FoundLoops, Search};
use portamento_stretch as stretch;
use portamento_walk::crossing::Crossed;

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
    /// The clips with which a walk crosses, or the reason why there are none; `None` unless this is that part of a walk.
    pub(super) crosser: Option<Result<Arc<Crosser>, TakeError>>,
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
    /// The overlays that are computed.
    pub(super) overlays: Overlays,
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
    /// The reason why the result was not applied, because it would make the motion worse.
    pub undone: Option<SideEffect>,
}

/// Defines [`StageResult`] with one variant per row.
macro_rules! define_stage_result {
    ($($(#[$doc:meta])* $kind:ident($name:literal, $partial:literal): $settings:ty => $result:ty;)*) => {
        /// The result of a stage, by its kind.
        #[derive(Clone, Debug)]
        pub enum StageResult {
            $($(#[$doc])* $kind(Arc<$result>),)*
        }

        impl StageResult {
            /// Returns the name of the kind, equal to [`crate::document::StageKind::name`].
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $name,)*
                }
            }
        }

        $(impl ResultOfKind for $result {
            fn of(result: &StageResult) -> Option<&Self> {
                if let StageResult::$kind(built) = result { Some(built) } else { None }
            }
        })*
    };
}

stage_kinds!(define_stage_result);

/// The result of one kind of stage.
pub trait ResultOfKind: Sized {
    /// Returns the result if it is of this kind.
    fn of(result: &StageResult) -> Option<&Self>;
}

impl BuiltTake {
    /// Returns the number of output frames at the rate of the take.
    pub fn frames(&self) -> usize {
        self.loop_source.frames()
    }

    /// Returns good loops of the output, best first, and the distances between all frames. Slow on the first call, cached
    /// afterwards. Returns `Err` if the memory does not suffice, an image cannot be read, or the user cancels.
    pub fn find_loops(&self, search: &Search, progress: &Progress) -> Result<Arc<FoundLoops>, TakeError> {
        self.loop_source.find(search, progress)
    }

    /// Returns the blend of the source, for its weights and shares.
    pub fn blend(&self) -> Option<&blend::Built> {
        self.blended.as_deref().map(|blended| &blended.built)
    }

    /// Returns the input of the active stage at `index`. It is the source for index 0 and beyond the end.
    pub fn before_stage(&self, index: usize) -> &Arc<Clip> {
        index.checked_sub(1).and_then(|before| self.stages.get(before)).map_or(&self.source, |stage| &stage.clip)
    }

    /// Returns the result of this kind at index `at` of [`BuiltTake::stages`], or else the first one. `None` if `at` is
    /// beyond the built stages.
    pub fn result<R: ResultOfKind>(&self, at: Option<usize>) -> Option<&R> {
        R::of(&self.stage_with::<R>(at)?.result)
    }

    /// Returns the reason why the stage whose result [`BuiltTake::result`] returns was not applied; `None` if it was.
    pub fn undone<R: ResultOfKind>(&self, at: Option<usize>) -> Option<&SideEffect> {
        self.stage_with::<R>(at)?.undone.as_ref()
    }

    /// Returns the stage whose result [`BuiltTake::result`] returns.
    fn stage_with<R: ResultOfKind>(&self, at: Option<usize>) -> Option<&BuiltStage> {
        // A stage above one that fails has no result; that of another stage would be taken for its own.
        if at.is_some_and(|index| index >= self.stages.len()) {
            return None;
        }
        let is_of_kind = |stage: &&BuiltStage| R::of(&stage.result).is_some();
        let chosen = at.and_then(|index| self.stages.get(index)).filter(is_of_kind);
        chosen.or_else(|| self.stages.iter().find(is_of_kind))
    }

    /// Returns the stretch at `at`, or else the first one.
    pub fn stretch(&self, at: Option<usize>) -> Option<&stretch::Built> {
        self.result(at)
    }

    /// True if the stage at `at` is a stretch.
    pub fn is_stretch(&self, at: usize) -> bool {
        self.stages.get(at).is_some_and(|stage| matches!(stage.result, StageResult::Stretch(_)))
    }

    /// Returns the index of the stage at `at` if it is a stretch or a crossing, or else of the first one that is.
    pub(super) fn handled_index(&self, at: Option<usize>) -> Option<usize> {
        let has_handles = |index: &usize| self.is_stretch(*index) || self.crossed(*index).is_some();
        at.filter(has_handles).or_else(|| (0..self.stages.len()).find(has_handles))
    }

    /// Returns the crossing of the stage at `at`, if it is one.
    pub fn crossed(&self, at: usize) -> Option<&Crossed> {
        self.stages.get(at).and_then(|stage| ResultOfKind::of(&stage.result))
    }

    /// Returns the dynamic bones at `at`, or else the first ones.
    pub fn dynamics(&self, at: Option<usize>) -> Option<&dynamics::Built> {
        self.result(at)
    }

    /// Returns the loop at `at`, or else the first one.
    pub fn looped(&self, at: Option<usize>) -> Option<&Looped> {
        self.result(at)
    }

    /// Returns the last loop.
    pub fn last_loop(&self) -> Option<&Looped> {
        self.stages.iter().rev().find_map(|stage| Looped::of(&stage.result))
    }

    /// True if the end of the motion continues into its start, because a stage made it so. Stages that were undone do not
    /// count.
    pub fn repeats(&self) -> bool {
        self.stages.iter().any(|stage| stage.undone.is_none() && stage.result.outcome().repeats())
    }

    /// True if engines should play the result as a loop: it repeats, or it is a clip that loops by itself. Blends and walks
    /// end where their events and their route end.
    ///
    /// Returns `Err` if `progress` is cancelled.
    pub fn loops(&self, progress: &Progress) -> Result<bool, Cancelled> {
        let is_clip = matches!(self.content, Content::Joints) && self.blended.is_none() && self.walked.is_none();
        if self.repeats() || !is_clip {
            return Ok(self.repeats());
        }
        let input = quality::Input {
            skeleton: &self.character.model.skeleton,
            clip: &self.clip,
            roles: &self.roles,
            soles: &[],
            metres_per_unit: self.metres_per_unit,
        };
        // The take may be called as it pleases the user; what happens once is called so by one of both.
        quality::loops(&input, &format!("{} {}", self.clip.name, self.clip_name), progress)
    }
}
