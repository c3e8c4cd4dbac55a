//! A stage of a take: transforms the motion that comes in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FileId, KeyedSetting, Span};
use crate::systems::blend::LayerSettings;
use crate::systems::{cleanup, close, dynamics, ground, looping, mirror, retime, root, stretch, trim};

/// Names a stage within one take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StageId(pub u32);

/// A stage of a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// How selections and commands refer to it; unique within the take.
    pub id: StageId,
    /// Whether it is applied; a muted stage leaves no trace in the result.
    #[serde(default = "on")]
    pub on: bool,
    /// How much of what it does is taken, 0…1; only of kinds that leave time as it is.
    #[serde(default = "whole")]
    pub influence: f64,
    /// Settings that change over time, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyedSetting>,
    /// What it does.
    #[serde(flatten)]
    pub kind: StageKind,
}

/// What a stage does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// A skill over the motion: upper body while it runs, whole body while it stands.
    Layer(Box<Layer>),
    /// Displacement stretching: the root ends where it is wanted.
    Stretch(Box<Stretch>),
    /// Dynamic bones: chains that swing after the animation.
    Dynamics(Box<Dynamics>),
    /// A seamless loop.
    Loop(Box<Loop>),
    /// Made to repeat by a seam of chosen length.
    Close(Box<close::Settings>),
    /// Played faster and slower.
    Retime(Box<retime::Settings>),
    /// A part of it.
    Trim(Box<trim::Settings>),
    /// Feet and body put back on the ground: the level of a walk, else the level plane.
    Ground(Box<Ground>),
    /// Left and right changed.
    Mirror(Box<mirror::Settings>),
    /// The travel put into the root, into the hips, or taken away.
    Root(Box<root::Settings>),
    /// Jumps, trembling, bad rotations and a start off the origin mended.
    Cleanup(Box<cleanup::Settings>),
    /// A stage that this version does not know: kept as it was read, and in the way of building while it is on.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}

/// A skill over the motion within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layer {
    /// What is laid over the motion, and when.
    pub settings: LayerSettings,
    /// More files to find its clips in, matched by joint name; those of the character's own file come first.
    pub files: Vec<FileId>,
    /// When it acts; `None` throughout.
    pub span: Option<Span>,
}

/// A seamless loop within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Loop {
    /// Which cycles are mixed and how.
    pub settings: looping::Settings,
}

/// Dynamic bones within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dynamics {
    /// Which joints are simulated and how.
    pub settings: dynamics::Settings,
    /// Whether the end of the clip runs on into its start.
    pub looping: bool,
    /// Keys per second, 1…1000; `None` takes the rate of the source.
    pub fps: Option<f64>,
    /// When the swing is seen; `None` throughout. It is simulated over the whole motion in any case.
    pub span: Option<Span>,
}

/// A motion put back on its ground within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ground {
    /// How it is done.
    #[serde(flatten)]
    pub settings: ground::Settings,
    /// When it acts; `None` throughout.
    pub span: Option<Span>,
}

/// A stretch within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// How it is done.
    pub settings: stretch::Settings,
    /// The scene object that stands for the target, by name; the target in the settings is then not used.
    pub aim_at: Option<String>,
    /// What carries the character.
    pub root: RootChoice,
}

/// Which motion of the clip is the character's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootChoice {
    /// Found from the clip: the highest moving joint above the hips, else the hips' part in the ground plane.
    #[default]
    Found,
    /// This joint, by its index; of the hips only the part in the ground plane.
    Joint(usize),
    /// Made from the standing feet, for clips that walk on the spot.
    Made,
}

impl Dynamics {
    /// The settings without the chains that are muted.
    pub fn active_settings(&self) -> dynamics::Settings {
        let mut settings = self.settings.clone();
        settings.chains.retain(|chain| !chain.muted);
        settings
    }
}

fn on() -> bool {
    true
}

fn whole() -> f64 {
    1.0
}

impl Stage {
    /// A stage that is applied in full.
    pub fn new(id: StageId, kind: StageKind) -> Self {
        Self { id, on: true, influence: whole(), keys: Vec::new(), kind }
    }

    /// Stages of these kinds, on, with ids of their own from 1.
    pub fn numbered(kinds: Vec<StageKind>) -> Vec<Self> {
        (1..).zip(kinds).map(|(id, kind)| Self::new(StageId(id), kind)).collect()
    }

    /// Whether anything of it is applied.
    pub fn is_active(&self) -> bool {
        let swings = |dynamics: &Dynamics| dynamics.settings.chains.iter().any(|chain| !chain.muted);
        self.on && self.kind.as_dynamics().is_none_or(swings)
    }

    /// What of it is applied; `None` where it or all in it is muted.
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
    /// The name panels, menus, reports and undo labels use.
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

    /// The same without what is muted; `None` where nothing of it is left.
    pub fn active(&self) -> Option<Self> {
        let Self::Dynamics(dynamics) = self else { return Some(self.clone()) };
        let settings = dynamics.active_settings();
        let swings = !settings.chains.is_empty();
        swings.then(|| Self::Dynamics(Box::new(Dynamics { settings, ..Dynamics::clone(dynamics) })))
    }

    /// Whether it aims at a scene object.
    pub fn aims_at_object(&self) -> bool {
        self.as_stretch().is_some_and(|stretch| stretch.aim_at.is_some())
    }

    /// The layer, if it is one.
    pub fn as_layer(&self) -> Option<&Layer> {
        if let Self::Layer(layer) = self { Some(layer) } else { None }
    }

    /// The layer to edit, if it is one.
    pub fn as_layer_mut(&mut self) -> Option<&mut Layer> {
        if let Self::Layer(layer) = self { Some(layer) } else { None }
    }

    /// The files it finds clips in besides the character's.
    pub fn files(&self) -> &[FileId] {
        self.as_layer().map_or(&[], |layer| &layer.files)
    }

    /// The stretch, if it is one.
    pub fn as_stretch(&self) -> Option<&Stretch> {
        if let Self::Stretch(stretch) = self { Some(stretch) } else { None }
    }

    /// The stretch to edit, if it is one.
    pub fn as_stretch_mut(&mut self) -> Option<&mut Stretch> {
        if let Self::Stretch(stretch) = self { Some(stretch) } else { None }
    }

    /// The dynamic bones, if it is them.
    pub fn as_dynamics(&self) -> Option<&Dynamics> {
        if let Self::Dynamics(dynamics) = self { Some(dynamics) } else { None }
    }

    /// The dynamic bones to edit, if it is them.
    pub fn as_dynamics_mut(&mut self) -> Option<&mut Dynamics> {
        if let Self::Dynamics(dynamics) = self { Some(dynamics) } else { None }
    }

    /// The loop, if it is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        if let Self::Loop(looped) = self { Some(looped) } else { None }
    }

    /// The loop to edit, if it is one.
    pub fn as_loop_mut(&mut self) -> Option<&mut Loop> {
        if let Self::Loop(looped) = self { Some(looped) } else { None }
    }
}

impl StageKind {
    /// When it acts; `None` throughout, and for a kind without a span.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Layer(layer) => layer.span,
            Self::Dynamics(dynamics) => dynamics.span,
            Self::Ground(ground) => ground.span,
            _ => None,
        }
    }

    /// When it acts, to edit; `None` for a kind without a span: what changes time or the whole way has no outside that could stay
    /// as it is, and a stretch has windows.
    pub fn span_mut(&mut self) -> Option<&mut Option<Span>> {
        match self {
            Self::Layer(layer) => Some(&mut layer.span),
            Self::Dynamics(dynamics) => Some(&mut dynamics.span),
            Self::Ground(ground) => Some(&mut ground.span),
            _ => None,
        }
    }

    /// Whether it can act within a span alone.
    pub fn has_span(&self) -> bool {
        matches!(self, Self::Layer(_) | Self::Dynamics(_) | Self::Ground(_))
    }
}
