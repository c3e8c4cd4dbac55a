//! A stage of a take: transforms the incoming motion.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FileId, KeyedSetting, Span};
use portamento_blend::LayerSettings;
use portamento_dynamics as dynamics;
use portamento_looping as looping;
use portamento_repair::{cleanup, close, ground};
use portamento_stretch as stretch;
use portamento_stretch::{mirror, retime, root, trim};

/// The id of a stage, unique within one take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StageId(pub u32);

/// A stage of a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The id that selections and commands use; unique within the take.
    pub id: StageId,
    /// True if the stage is applied. A muted stage has no effect on the result.
    #[serde(default = "on")]
    pub on: bool,
    /// Blend weight of the stage's effect, 0…1. Applies only to kinds that do not change time.
    #[serde(default = "full_influence")]
    pub influence: f64,
    /// Settings that are animated over time, at most one entry per setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyedSetting>,
    /// The kind of the stage with its settings.
    #[serde(flatten)]
    pub kind: StageKind,
}

/// The kinds of stages with their settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// A skill layered over the motion: upper body while moving, full body while standing.
    Layer(Box<Layer>),
    /// Displacement stretching: the root ends at a given target.
    Stretch(Box<Stretch>),
    /// Dynamic bones: joint chains that follow the animation with inertia.
    Dynamics(Box<Dynamics>),
    /// A seamless loop.
    Loop(Box<Loop>),
    /// A motion of any length made to loop with a seam of chosen length.
    Close(Box<close::Settings>),
    /// A time warp.
    Retime(Box<retime::Settings>),
    /// A trimmed part of the motion.
    Trim(Box<trim::Settings>),
    /// Feet and body corrected to the ground: the level of a walk, else the plane y = 0.
    Ground(Box<Ground>),
    /// Left and right mirrored.
    Mirror(Box<mirror::Settings>),
    /// Root motion moved to the root, moved to the hips, or removed.
    Root(Box<root::Settings>),
    /// Repair of jumps, jitter, bad rotations and a start away from the origin.
    Cleanup(Box<cleanup::Settings>),
    /// A stage kind that this version does not know. It is preserved as read, and building fails while it is active.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}

/// A skill layered over the motion within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layer {
    /// The clips of the layer and their events.
    pub settings: LayerSettings,
    /// Additional files to search for its clips, matched by joint name. The character's own file has priority.
    pub files: Vec<FileId>,
    /// The time span in which the layer acts; `None` for the full motion.
    pub span: Option<Span>,
}

/// A seamless loop within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Loop {
    /// The mixed cycles and the fades between them.
    pub settings: looping::Settings,
}

/// Dynamic bones within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dynamics {
    /// The simulated chains and their physics.
    pub settings: dynamics::Settings,
    /// True if the simulation is periodic, so that the end of the clip continues into its start.
    pub looping: bool,
    /// Keys per second, 1…1000; `None` uses the rate of the source.
    pub fps: Option<f64>,
    /// The time span in which the dynamics are visible; `None` for the full motion. The simulation always covers the full motion.
    pub span: Option<Span>,
}

/// Ground correction within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ground {
    /// Correction settings.
    #[serde(flatten)]
    pub settings: ground::Settings,
    /// The time span in which the correction acts; `None` for the full motion.
    pub span: Option<Span>,
}

/// A stretch within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// Stretch settings.
    pub settings: stretch::Settings,
    /// The name of the scene object used as target. It overrides the target in the settings.
    pub aim_at: Option<String>,
    /// The choice of root motion.
    pub root: RootChoice,
}

/// The source of a character's root motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootChoice {
    /// Detected automatically: the highest moving joint above the hips, else the horizontal motion of the hips.
    #[default]
    Found,
    /// The joint with this index. For the hips, only their horizontal motion.
    Joint(usize),
    /// Computed from foot contacts, for clips that walk in place.
    Made,
}

impl Dynamics {
    /// Returns the settings without muted chains.
    pub fn active_settings(&self) -> dynamics::Settings {
        let mut settings = self.settings.clone();
        settings.chains.retain(|chain| !chain.muted);
        settings
    }
}

fn on() -> bool {
    true
}

fn full_influence() -> f64 {
    1.0
}

impl Stage {
    /// Creates an active stage with full influence.
    pub fn new(id: StageId, kind: StageKind) -> Self {
        Self { id, on: true, influence: full_influence(), keys: Vec::new(), kind }
    }

    /// Creates active stages of these kinds with ids 1, 2, 3 …
    pub fn numbered(kinds: Vec<StageKind>) -> Vec<Self> {
        (1..).zip(kinds).map(|(id, kind)| Self::new(StageId(id), kind)).collect()
    }

    /// True if the stage is not muted and, for dynamics, has a chain that is not muted.
    pub fn is_active(&self) -> bool {
        let has_active_chain = |dynamics: &Dynamics| dynamics.settings.chains.iter().any(|chain| !chain.muted);
        self.on && self.kind.as_dynamics().is_none_or(has_active_chain)
    }

    /// Returns the stage without muted chains; `None` if it or all its chains are muted.
    pub fn active(&self) -> Option<Self> {
        let kind = self.kind.active().filter(|_| self.on)?;
        let mut active = Self { kind, ..self.clone() };
        if let Some(dynamics) = self.kind.as_dynamics() {
            let chains = &dynamics.settings.chains;
            active.keep_keys_of_chains(&|chain| chains.get(chain).is_some_and(|chain| !chain.muted));
        }
        Some(active)
    }
}

impl StageKind {
    /// Returns the name that panels, menus, reports and undo labels use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Layer(_) => "layer",
            Self::Stretch(_) => "stretch",
            Self::Dynamics(_) => "dynamics",
            Self::Loop(_) => "loop",
            Self::Close(_) => "close",
            Self::Retime(_) => "retime",
            Self::Trim(_) => "trim",
            Self::Ground(_) => "ground",
            Self::Mirror(_) => "mirror",
            Self::Root(_) => "root",
            Self::Cleanup(_) => "cleanup",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Returns a copy without muted chains; `None` if no chain is left.
    pub fn active(&self) -> Option<Self> {
        let Self::Dynamics(dynamics) = self else { return Some(self.clone()) };
        let settings = dynamics.active_settings();
        let has_active_chain = !settings.chains.is_empty();
        has_active_chain.then(|| Self::Dynamics(Box::new(Dynamics { settings, ..Dynamics::clone(dynamics) })))
    }

    /// True if the stage is a stretch that aims at a scene object.
    pub fn aims_at_object(&self) -> bool {
        self.as_stretch().is_some_and(|stretch| stretch.aim_at.is_some())
    }

    /// Returns the layer if the stage is one.
    pub fn as_layer(&self) -> Option<&Layer> {
        if let Self::Layer(layer) = self { Some(layer) } else { None }
    }

    /// Returns the layer, mutably, if the stage is one.
    pub fn as_layer_mut(&mut self) -> Option<&mut Layer> {
        if let Self::Layer(layer) = self { Some(layer) } else { None }
    }

    /// Returns the files it searches for clips in addition to the character's.
    pub fn files(&self) -> &[FileId] {
        self.as_layer().map_or(&[], |layer| &layer.files)
    }

    /// Returns the stretch if the stage is one.
    pub fn as_stretch(&self) -> Option<&Stretch> {
        if let Self::Stretch(stretch) = self { Some(stretch) } else { None }
    }

    /// Returns the stretch, mutably, if the stage is one.
    pub fn as_stretch_mut(&mut self) -> Option<&mut Stretch> {
        if let Self::Stretch(stretch) = self { Some(stretch) } else { None }
    }

    /// Returns the dynamic bones if the stage has them.
    pub fn as_dynamics(&self) -> Option<&Dynamics> {
        if let Self::Dynamics(dynamics) = self { Some(dynamics) } else { None }
    }

    /// Returns the dynamic bones, mutably, if the stage has them.
    pub fn as_dynamics_mut(&mut self) -> Option<&mut Dynamics> {
        if let Self::Dynamics(dynamics) = self { Some(dynamics) } else { None }
    }

    /// Returns the loop if the stage is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        if let Self::Loop(looped) = self { Some(looped) } else { None }
    }

    /// Returns the loop, mutably, if the stage is one.
    pub fn as_loop_mut(&mut self) -> Option<&mut Loop> {
        if let Self::Loop(looped) = self { Some(looped) } else { None }
    }
}

impl StageKind {
    /// Returns the time span in which the stage acts; `None` for the full motion, and for a kind without a span.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Layer(layer) => layer.span,
            Self::Dynamics(dynamics) => dynamics.span,
            Self::Ground(ground) => ground.span,
            _ => None,
        }
    }

    /// Returns the time span in which the stage acts, mutably; `None` for a kind without a span. Kinds that change time or the
    /// full travel have no unaffected outside, and a stretch has windows instead.
    pub fn span_mut(&mut self) -> Option<&mut Option<Span>> {
        match self {
            Self::Layer(layer) => Some(&mut layer.span),
            Self::Dynamics(dynamics) => Some(&mut dynamics.span),
            Self::Ground(ground) => Some(&mut ground.span),
            _ => None,
        }
    }

    /// True if this kind of stage can be limited to a time span.
    pub fn has_span(&self) -> bool {
        matches!(self, Self::Layer(_) | Self::Dynamics(_) | Self::Ground(_))
    }
}
