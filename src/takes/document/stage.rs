//! A stage of a take: transforms the incoming motion.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::setting::{Described, Row};
use super::{FileId, KeyedSetting, Span};
use portamento_blend::LayerSettings;
use portamento_dynamics as dynamics;
use portamento_looping as looping;
use portamento_repair::{align, ground};
use portamento_stretch as stretch;
use portamento_stretch::additive;
use portamento_walk::crossing;

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

/// Defines [`StageKind`] and [`StageType`] with one variant per row.
macro_rules! define_stage_kinds {
    ($($(#[$doc:meta])* $kind:ident($name:literal, $partial:literal): $settings:ty => $result:ty;)*) => {
        /// The kinds of stages with their settings.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum StageKind {
            $($(#[$doc])* $kind(Box<$settings>),)*
            /// A stage kind that this version does not know. It is preserved as read, and building fails while it is active.
            #[serde(untagged)]
            Unknown(Map<String, Value>),
        }

        /// The known kinds of stages without their settings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum StageType {
            $($(#[$doc])* $kind,)*
        }

        impl StageKind {
            /// Returns the kind without its settings; `None` if it is unknown.
            pub fn stage_type(&self) -> Option<StageType> {
                match self {
                    $(Self::$kind(_) => Some(StageType::$kind),)*
                    Self::Unknown(_) => None,
                }
            }
        }

        impl StageType {
            /// All kinds, in menu order.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name in files, which panels, menus, reports and undo labels also use.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Returns the name of the command that adds such a stage.
            pub fn command_name(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!("stage_", $name),)*
                }
            }

            /// True if the stage can be applied partially, because it does not change time.
            pub fn has_influence(self) -> bool {
                match self {
                    $(Self::$kind => $partial,)*
                }
            }

            /// Returns the kind with this name, if there is one.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// Returns the tables of its settings, specific ones first.
            pub fn setting_rows(self) -> &'static [&'static [Row]] {
                match self {
                    $(Self::$kind => <$settings as Described>::ROWS,)*
                }
            }

            /// Returns a stage with default settings.
            pub fn default_kind(self) -> StageKind {
                match self {
                    $(Self::$kind => StageKind::$kind(Box::default()),)*
                }
            }

            /// Reads the settings of a stage of this kind.
            pub fn read<'de, D: Deserializer<'de>>(self, settings: D) -> Result<StageKind, D::Error> {
                match self {
                    $(Self::$kind => Deserialize::deserialize(settings).map(StageKind::$kind),)*
                }
            }
        }

        $(impl StageSettings for $settings {
            fn of(kind: &StageKind) -> Option<&Self> {
                if let StageKind::$kind(settings) = kind { Some(settings) } else { None }
            }

            fn of_mut(kind: &mut StageKind) -> Option<&mut Self> {
                if let StageKind::$kind(settings) = kind { Some(settings) } else { None }
            }
        })*
    };
}

stage_kinds!(define_stage_kinds);

/// The settings of one kind of stage.
pub trait StageSettings: Sized {
    /// Returns the settings if `kind` has this type of settings.
    fn of(kind: &StageKind) -> Option<&Self>;

    /// Returns the settings, mutably, if `kind` has this type of settings.
    fn of_mut(kind: &mut StageKind) -> Option<&mut Self>;
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

/// Alignment with poses of other clips within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Align {
    /// The clips, their ends and the changed part.
    #[serde(flatten)]
    pub settings: align::Settings,
    /// Additional files to search for the clips, matched by joint name. The character's own file has priority.
    pub files: Vec<FileId>,
}

/// The difference from a reference pose within a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Additive {
    /// The reference pose and the axes of the difference.
    #[serde(flatten)]
    pub settings: additive::Settings,
    /// Additional files to search for the reference clip, matched by joint name. The character's own file has priority.
    pub files: Vec<FileId>,
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
        self.stage_type().map_or("unknown", StageType::name)
    }

    /// True if the stage can be applied partially, because it does not change time.
    pub fn has_influence(&self) -> bool {
        self.stage_type().is_some_and(StageType::has_influence)
    }

    /// Returns a copy, for dynamics without muted chains; `None` if no chain is left.
    pub fn active(&self) -> Option<Self> {
        let Self::Dynamics(dynamics) = self else { return Some(self.clone()) };
        let settings = dynamics.active_settings();
        let has_active_chain = !settings.chains.is_empty();
        has_active_chain.then(|| Self::Dynamics(Box::new(Dynamics { settings, ..Dynamics::clone(dynamics) })))
    }

    /// True if the stage is a stretch that aims at a scene object, or a crossing of an obstacle that stands at one.
    pub fn aims_at_object(&self) -> bool {
        self.as_stretch().is_some_and(|stretch| stretch.aim_at.is_some())
            || self.as_cross().is_some_and(|cross| cross.place == crossing::Place::Object)
    }

    /// Returns the settings of a cross stage if the stage is one.
    pub fn as_cross(&self) -> Option<&crossing::Settings> {
        StageSettings::of(self)
    }

    /// Returns the settings of a cross stage, mutably, if the stage is one.
    pub fn as_cross_mut(&mut self) -> Option<&mut crossing::Settings> {
        StageSettings::of_mut(self)
    }

    /// Returns the layer if the stage is one.
    pub fn as_layer(&self) -> Option<&Layer> {
        StageSettings::of(self)
    }

    /// Returns the layer, mutably, if the stage is one.
    pub fn as_layer_mut(&mut self) -> Option<&mut Layer> {
        StageSettings::of_mut(self)
    }

    /// Returns the files it searches for clips in addition to the character's.
    pub fn files(&self) -> &[FileId] {
        match self {
            Self::Layer(layer) => &layer.files,
            Self::Align(align) => &align.files,
            Self::Additive(additive) => &additive.files,
            _ => &[],
        }
    }

    /// Returns the stretch if the stage is one.
    pub fn as_stretch(&self) -> Option<&Stretch> {
        StageSettings::of(self)
    }

    /// Returns the stretch, mutably, if the stage is one.
    pub fn as_stretch_mut(&mut self) -> Option<&mut Stretch> {
        StageSettings::of_mut(self)
    }

    /// Returns the dynamic bones if the stage has them.
    pub fn as_dynamics(&self) -> Option<&Dynamics> {
        StageSettings::of(self)
    }

    /// Returns the dynamic bones, mutably, if the stage has them.
    pub fn as_dynamics_mut(&mut self) -> Option<&mut Dynamics> {
        StageSettings::of_mut(self)
    }

    /// Returns the loop if the stage is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        StageSettings::of(self)
    }

    /// Returns the loop, mutably, if the stage is one.
    pub fn as_loop_mut(&mut self) -> Option<&mut Loop> {
        StageSettings::of_mut(self)
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
