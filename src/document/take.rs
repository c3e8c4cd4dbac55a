//! A take: a source followed by modifiers.

use serde::{Deserialize, Serialize};

use super::{FileId, TakeId, Walk};
use crate::anim::MaskChoice;
use crate::math::WeightMap;
use crate::media::SheetGrid;
use crate::systems::{blend, cloth, dynamics, looping, stretch};

/// A recipe for one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// How commands refer to it.
    pub id: TakeId,
    /// The exported clip's name.
    pub name: String,
    /// The file whose skeleton is animated, or whose frames are, or whose mesh hangs as cloth.
    pub character: FileId,
    /// What plays before any modifier.
    pub source: TakeSource,
    /// Applied in order.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
}

/// What a take starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakeSource {
    /// A clip of the character's file, or of another file matched by joint name.
    Clip {
        /// The file that holds the clip.
        file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// Several clips blended: running, casting, stopping; or a tree drawn by the user.
    Scenario(Box<Blend>),
    /// A mesh that moves vertex by vertex.
    Vertices(Vertices),
    /// Images that move.
    Images {
        /// The sequence, folder or animation, or one image that holds the frames.
        file: FileId,
        /// Frames per second; `None` takes the rate of the file.
        fps: Option<f64>,
        /// How the frames lie on the images, where those are sprite sheets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<SheetGrid>,
    },
    /// A cloth in the wind.
    Cloth(Box<cloth::Settings>),
    /// A way through a level, walked with the character's clips.
    Walk(Box<Walk>),
}

/// A vertex cache, or a clip of a model played into one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vertices {
    /// The cache, or the model.
    pub file: FileId,
    /// The model's clip; `None` for a cache.
    #[serde(default)]
    pub clip: Option<String>,
    /// The file with the faces of a cache that has none.
    #[serde(default)]
    pub mesh: Option<FileId>,
    /// Frames per second; `None` takes the rate of the file.
    #[serde(default)]
    pub fps: Option<f64>,
}

/// A blend as the start of a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Blend {
    /// What is played when. Clips are named; those of the character's own file come first.
    pub settings: blend::Settings,
    /// More files to find clips in, matched by joint name.
    pub files: Vec<FileId>,
    /// Whose root motion carries the character, where a clip travels.
    pub owner: blend::RootMotionOwner,
    /// Seconds; `None` ends a second after the last event, a drawn tree with its longest clip.
    pub length: Option<f64>,
    /// Where the nodes of a drawn tree stand in the graph, points, in the order of the nodes; changes nothing in the pose.
    pub layout: Vec<[f32; 2]>,
}

/// One step of a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    /// Displacement stretching.
    Stretch(Box<Stretch>),
    /// Dynamic bones.
    Dynamics(Box<Dynamics>),
    /// A seamless loop.
    Loop(Box<Loop>),
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

impl TakeSource {
    /// What plays, in words: the clip, or the clips of a blend.
    pub fn title(&self) -> String {
        match self {
            Self::Clip { clip, .. } => clip.clone(),
            Self::Scenario(blend) => blend.clip_names().join(", "),
            Self::Vertices(vertices) => vertices.clip.clone().unwrap_or_else(|| "vertices".into()),
            Self::Images { .. } => "images".into(),
            Self::Cloth(cloth) => cloth.shape.name().into(),
            Self::Walk(_) => "walk".into(),
        }
    }

    /// Whether its title is a word for what it is, to be translated, and not a name that somebody gave.
    pub fn is_unnamed(&self) -> bool {
        match self {
            Self::Clip { .. } | Self::Scenario(_) => false,
            Self::Vertices(vertices) => vertices.clip.is_none(),
            Self::Images { .. } | Self::Cloth(_) | Self::Walk(_) => true,
        }
    }

    /// The file of the clip or the frames; `None` for a blend, a cloth and a walk.
    pub fn file(&self) -> Option<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } | Self::Vertices(Vertices { file, .. }) => Some(*file),
            Self::Scenario(_) | Self::Cloth(_) | Self::Walk(_) => None,
        }
    }

    /// Every file it is made from, in the order clips and frames are searched; `character` is the take's.
    pub fn files(&self, character: FileId) -> Vec<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } => vec![*file],
            Self::Scenario(blend) => [character].into_iter().chain(blend.files.iter().copied()).collect(),
            Self::Vertices(vertices) => [vertices.file].into_iter().chain(vertices.mesh).collect(),
            Self::Cloth(cloth) if cloth.shape == cloth::ClothShape::Mesh => vec![character],
            Self::Cloth(_) => Vec::new(),
            Self::Walk(walk) => vec![walk.level],
        }
    }

    /// The file whose skeleton or frames are shown; `None` where the source makes its own.
    pub fn shown_file(&self, character: FileId) -> Option<FileId> {
        match self {
            Self::Clip { .. } | Self::Scenario(_) | Self::Walk(_) => Some(character),
            Self::Vertices(Vertices { file, .. }) | Self::Images { file, .. } => Some(*file),
            Self::Cloth(_) => self.files(character).first().copied(),
        }
    }

    /// The same without what changes nothing: where nodes stand in a graph, the names of routes.
    pub fn without_labels(&self) -> Self {
        let mut source = self.clone();
        match &mut source {
            Self::Scenario(blend) => blend.layout.clear(),
            Self::Walk(walk) => **walk = walk.steps_part(),
            Self::Clip { .. } | Self::Vertices(_) | Self::Images { .. } | Self::Cloth(_) => {}
        }
        source
    }

    /// The name undo labels use for its settings; `None` for a clip, which has none.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Clip { .. } => None,
            Self::Scenario(_) => Some("blend"),
            Self::Vertices(_) => Some("vertices"),
            Self::Images { .. } => Some("images"),
            Self::Cloth(_) => Some("cloth"),
            Self::Walk(_) => Some("walk"),
        }
    }
}

impl Blend {
    /// The joint weights of a connection (node and slot) of a drawn tree, or the upper body of a scenario.
    pub fn mask_mut(&mut self, link: Option<(usize, usize)>) -> Option<&mut MaskChoice> {
        match (&mut self.settings, link) {
            (blend::Settings::Scenario(scenario), _) => Some(&mut scenario.upper),
            (blend::Settings::Tree(_), None) => None,
            (blend::Settings::Tree(tree), Some((node, slot))) => match &mut tree.nodes.get_mut(node)?.kind {
                blend::NodeKind::Blend(links) => Some(&mut links.get_mut(slot)?.mask),
                blend::NodeKind::Additive(additive) => Some(&mut additive.mask),
                blend::NodeKind::Source(_) => None,
            },
        }
    }

    /// Every clip that is named, each once, in the order of their first use.
    pub fn clip_names(&self) -> Vec<&str> {
        let named: Vec<&str> = match &self.settings {
            blend::Settings::Scenario(scenario) => {
                let events = scenario.events.iter().filter_map(|event| scenario.clip_of(event));
                let own = [&scenario.run, &scenario.stand, &scenario.skill];
                own.into_iter().map(String::as_str).chain(events).collect()
            }
            blend::Settings::Tree(tree) => {
                fn clip(node: &blend::Node) -> Option<&str> {
                    match &node.kind {
                        blend::NodeKind::Source(source) => Some(&source.clip),
                        blend::NodeKind::Blend(_) | blend::NodeKind::Additive(_) => None,
                    }
                }
                tree.nodes.iter().filter_map(clip).collect()
            }
        };
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }
}

impl Modifier {
    /// The name panels, menus and undo labels use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stretch(_) => "stretch",
            Self::Dynamics(_) => "dynamics",
            Self::Loop(_) => "loop",
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

    /// The stretch, if it is one.
    pub fn as_stretch(&self) -> Option<&Stretch> {
        if let Self::Stretch(stretch) = self { Some(stretch) } else { None }
    }

    /// The loop, if it is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        if let Self::Loop(looped) = self { Some(looped) } else { None }
    }

    /// The dynamic bones, if it is them.
    pub fn as_dynamics(&self) -> Option<&Dynamics> {
        if let Self::Dynamics(dynamics) = self { Some(dynamics) } else { None }
    }
}

impl Take {
    /// Whether anything painted, for the loop or on a cloth, was read from damaged text.
    pub fn has_damaged_paint(&self) -> bool {
        let on_cloth = matches!(&self.source, TakeSource::Cloth(cloth) if cloth.pins.is_damaged());
        on_cloth || self.looped().is_some_and(|looped| looped.settings.has_damaged_paint())
    }

    /// Everything painted in it.
    pub(super) fn weight_maps_mut(&mut self) -> impl Iterator<Item = &mut WeightMap> {
        let pins = match &mut self.source {
            TakeSource::Cloth(cloth) => Some(&mut cloth.pins),
            _ => None,
        };
        let loops = self.modifiers.iter_mut().filter_map(|modifier| match modifier {
            Modifier::Loop(looped) => Some(&mut looped.settings),
            _ => None,
        });
        let fades = loops.flat_map(|settings| std::iter::once(&mut settings.fade).chain(&mut settings.outgoing));
        pins.into_iter().chain(fades.flat_map(|fade| [&mut fade.timing, &mut fade.width]))
    }

    /// The take's first stretch, if it has one.
    pub fn stretch(&self) -> Option<&Stretch> {
        self.modifiers.iter().find_map(Modifier::as_stretch)
    }

    /// The take's first stretch, to edit.
    pub fn stretch_mut(&mut self) -> Option<&mut Stretch> {
        self.modifiers.iter_mut().find_map(|modifier| match modifier {
            Modifier::Stretch(stretch) => Some(&mut **stretch),
            _ => None,
        })
    }

    /// The take's first dynamic bones, if it has any.
    pub fn dynamics(&self) -> Option<&Dynamics> {
        self.modifiers.iter().find_map(Modifier::as_dynamics)
    }

    /// The take's first dynamic bones, to edit.
    pub fn dynamics_mut(&mut self) -> Option<&mut Dynamics> {
        self.modifiers.iter_mut().find_map(|modifier| match modifier {
            Modifier::Dynamics(dynamics) => Some(&mut **dynamics),
            _ => None,
        })
    }

    /// The take's first loop, if it has one.
    pub fn looped(&self) -> Option<&Loop> {
        self.modifiers.iter().find_map(Modifier::as_loop)
    }

    /// The take's first loop, to edit.
    pub fn looped_mut(&mut self) -> Option<&mut Loop> {
        self.modifiers.iter_mut().find_map(|modifier| match modifier {
            Modifier::Loop(looped) => Some(&mut **looped),
            _ => None,
        })
    }

    /// The blend the take starts from, if it does.
    pub fn blend(&self) -> Option<&Blend> {
        if let TakeSource::Scenario(blend) = &self.source { Some(blend) } else { None }
    }

    /// The walk the take starts from, if it does.
    pub fn walk(&self) -> Option<&Walk> {
        if let TakeSource::Walk(walk) = &self.source { Some(walk) } else { None }
    }

    /// The walk the take starts from, to edit.
    pub fn walk_mut(&mut self) -> Option<&mut Walk> {
        if let TakeSource::Walk(walk) = &mut self.source { Some(walk) } else { None }
    }

    /// The blend the take starts from, to edit.
    pub fn blend_mut(&mut self) -> Option<&mut Blend> {
        if let TakeSource::Scenario(blend) = &mut self.source { Some(blend) } else { None }
    }
}
