//! A stage of a take: transforms the motion that comes in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FileId, Span, Take};
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
    #[serde(default = "on", skip_serializing_if = "is_on")]
    pub on: bool,
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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

fn is_on(on: &bool) -> bool {
    *on
}

impl Stage {
    /// Stages of these kinds, on, with ids of their own from 1.
    pub fn numbered(kinds: Vec<StageKind>) -> Vec<Self> {
        let stage = |(id, kind)| Self { id: StageId(id), on: true, kind };
        (1..).zip(kinds).map(stage).collect()
    }

    /// Whether anything of it is applied.
    pub fn is_active(&self) -> bool {
        let swings = |dynamics: &Dynamics| dynamics.settings.chains.iter().any(|chain| !chain.muted);
        self.on && self.kind.as_dynamics().is_none_or(swings)
    }

    /// What of it is applied; `None` where it or all in it is muted.
    pub fn active(&self) -> Option<Self> {
        let kind = self.kind.active().filter(|_| self.on)?;
        Some(Self { kind, ..self.clone() })
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

/// Stages of a take. Of several of one kind the one with id `at` is meant, else the first.
impl Take {
    /// Adds a stage at the end and gives its id.
    pub fn add_stage(&mut self, kind: StageKind) -> StageId {
        let id = StageId(self.stages.iter().map(|stage| stage.id.0).max().unwrap_or(0) + 1);
        self.stages.push(Stage { id, on: true, kind });
        id
    }

    /// The stage of that id.
    pub fn stage(&self, id: StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// The stage of that id, to edit.
    pub fn stage_mut(&mut self, id: StageId) -> Option<&mut Stage> {
        self.stages.iter_mut().find(|stage| stage.id == id)
    }

    /// The take up to and without the stage at `index`.
    pub fn before_stage(&self, index: usize) -> Self {
        Self { stages: self.stages[..index.min(self.stages.len())].to_vec(), ..self.clone() }
    }

    /// The place of stage `id` among those that are built.
    pub fn built_index(&self, id: StageId) -> Option<usize> {
        let mut active = self.stages.iter().filter(|stage| stage.is_active());
        active.position(|stage| stage.id == id)
    }

    /// Whether a stage makes its end run on into its start.
    pub fn repeats(&self) -> bool {
        self.stages
            .iter()
            .any(|stage| stage.is_active() && matches!(stage.kind, StageKind::Loop(_) | StageKind::Close(_)))
    }

    /// The layer at hand.
    pub fn layer(&self, at: Option<StageId>) -> Option<&Layer> {
        self.at_hand(at, StageKind::as_layer)
    }

    /// The layer at hand, to edit.
    pub fn layer_mut(&mut self, at: Option<StageId>) -> Option<&mut Layer> {
        self.at_hand_mut(at, StageKind::as_layer_mut)
    }

    /// The stretch at hand.
    pub fn stretch(&self, at: Option<StageId>) -> Option<&Stretch> {
        self.at_hand(at, StageKind::as_stretch)
    }

    /// The stretch at hand, to edit.
    pub fn stretch_mut(&mut self, at: Option<StageId>) -> Option<&mut Stretch> {
        self.at_hand_mut(at, StageKind::as_stretch_mut)
    }

    /// The dynamic bones at hand.
    pub fn dynamics(&self, at: Option<StageId>) -> Option<&Dynamics> {
        self.at_hand(at, StageKind::as_dynamics)
    }

    /// The dynamic bones at hand, to edit.
    pub fn dynamics_mut(&mut self, at: Option<StageId>) -> Option<&mut Dynamics> {
        self.at_hand_mut(at, StageKind::as_dynamics_mut)
    }

    /// The loop at hand.
    pub fn looped(&self, at: Option<StageId>) -> Option<&Loop> {
        self.at_hand(at, StageKind::as_loop)
    }

    /// The loop at hand, to edit.
    pub fn looped_mut(&mut self, at: Option<StageId>) -> Option<&mut Loop> {
        self.at_hand_mut(at, StageKind::as_loop_mut)
    }

    /// What is cleaned up at hand, to edit.
    pub fn cleanup_mut(&mut self, at: Option<StageId>) -> Option<&mut cleanup::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Cleanup(cleanup) = kind { Some(&mut **cleanup) } else { None })
    }

    /// The close at hand, to edit.
    pub fn close_mut(&mut self, at: Option<StageId>) -> Option<&mut close::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Close(close) = kind { Some(&mut **close) } else { None })
    }

    /// The retime at hand, to edit.
    pub fn retime_mut(&mut self, at: Option<StageId>) -> Option<&mut retime::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Retime(retime) = kind { Some(&mut **retime) } else { None })
    }

    /// The trim at hand, to edit.
    pub fn trim_mut(&mut self, at: Option<StageId>) -> Option<&mut trim::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Trim(trim) = kind { Some(&mut **trim) } else { None })
    }

    /// The ground at hand, to edit.
    pub fn ground_mut(&mut self, at: Option<StageId>) -> Option<&mut Ground> {
        self.at_hand_mut(at, |kind| if let StageKind::Ground(ground) = kind { Some(&mut **ground) } else { None })
    }

    /// The mirror at hand, to edit.
    pub fn mirror_mut(&mut self, at: Option<StageId>) -> Option<&mut mirror::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Mirror(mirror) = kind { Some(&mut **mirror) } else { None })
    }

    /// The root stage at hand, to edit.
    pub fn root_mut(&mut self, at: Option<StageId>) -> Option<&mut root::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Root(root) = kind { Some(&mut **root) } else { None })
    }

    fn at_hand<'t, T>(&'t self, at: Option<StageId>, kind: fn(&'t StageKind) -> Option<&'t T>) -> Option<&'t T> {
        let chosen = at.and_then(|id| self.stage(id)).and_then(|stage| kind(&stage.kind));
        chosen.or_else(|| self.stages.iter().find_map(|stage| kind(&stage.kind)))
    }

    fn at_hand_mut<T>(&mut self, at: Option<StageId>, kind: fn(&mut StageKind) -> Option<&mut T>) -> Option<&mut T> {
        let is_chosen = |stage: &mut Stage| Some(stage.id) == at && kind(&mut stage.kind).is_some();
        let chosen = self.stages.iter_mut().position(is_chosen);
        let first = || self.stages.iter_mut().position(|stage| kind(&mut stage.kind).is_some());
        let index = chosen.or_else(first)?;
        kind(&mut self.stages[index].kind)
    }
}
