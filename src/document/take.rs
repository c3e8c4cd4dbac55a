//! A take: what plays first, and the stages that transform it.

use serde::{Deserialize, Serialize};

use super::{FileId, Stage, StageKind, TakeId, Walk};
use crate::anim::MaskChoice;
use crate::math::WeightMap;
use crate::media::SheetGrid;
use crate::systems::{blend, cloth, retarget};

/// A recipe for one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// How commands refer to it.
    pub id: TakeId,
    /// The exported clip's name.
    pub name: String,
    /// The file whose skeleton is animated, or whose frames are, or whose mesh hangs as cloth.
    pub character: FileId,
    /// What plays before any stage.
    pub source: TakeSource,
    /// Transform what plays, in order.
    #[serde(default)]
    pub stages: Vec<Stage>,
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
    /// A clip of another rig, put on the character limb by limb.
    Retarget(Box<Retarget>),
    /// The character in its rest pose, for what moves by itself: hair and cloth of an avatar without clips.
    Rest {
        /// How long it stands, seconds.
        seconds: f64,
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
        #[serde(default)]
        sheet: Option<SheetGrid>,
    },
    /// A cloth in the wind.
    Cloth(Box<cloth::Settings>),
    /// A way through a level, walked with the character's clips.
    Walk(Box<Walk>),
}

/// A clip of another rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retarget {
    /// The file that holds the clip and whose rig it moves.
    pub file: FileId,
    /// The clip's name, or a take of another character.
    pub clip: String,
    /// How it is put on the character.
    #[serde(default)]
    pub settings: retarget::Settings,
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

impl TakeSource {
    /// What plays, in words: the clip, or the clips of a blend.
    pub fn title(&self) -> String {
        match self {
            Self::Clip { clip, .. } => clip.clone(),
            Self::Retarget(retarget) => retarget.clip.clone(),
            Self::Rest { .. } => "rest".into(),
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
            Self::Clip { .. } | Self::Retarget(_) | Self::Scenario(_) => false,
            Self::Vertices(vertices) => vertices.clip.is_none(),
            Self::Rest { .. } | Self::Images { .. } | Self::Cloth(_) | Self::Walk(_) => true,
        }
    }

    /// The file of the clip or the frames; `None` for a rest pose, a blend, a cloth and a walk.
    pub fn file(&self) -> Option<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } | Self::Vertices(Vertices { file, .. }) => Some(*file),
            Self::Retarget(retarget) => Some(retarget.file),
            Self::Rest { .. } | Self::Scenario(_) | Self::Cloth(_) | Self::Walk(_) => None,
        }
    }

    /// Every file it is made from, in the order clips and frames are searched; `character` is the take's.
    pub fn files(&self, character: FileId) -> Vec<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } => vec![*file],
            Self::Retarget(retarget) => vec![retarget.file],
            Self::Rest { .. } => vec![character],
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
            Self::Clip { .. } | Self::Retarget(_) | Self::Rest { .. } | Self::Scenario(_) | Self::Walk(_) => {
                Some(character)
            }
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
            Self::Clip { .. }
            | Self::Retarget(_)
            | Self::Rest { .. }
            | Self::Vertices(_)
            | Self::Images { .. }
            | Self::Cloth(_) => {}
        }
        source
    }

    /// The name undo labels use for its settings; `None` for a clip, which has none.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Clip { .. } => None,
            Self::Retarget(_) => Some("retarget"),
            Self::Rest { .. } => Some("rest"),
            Self::Scenario(_) => Some("blend"),
            Self::Vertices(_) => Some("vertices"),
            Self::Images { .. } => Some("images"),
            Self::Cloth(_) => Some("cloth"),
            Self::Walk(_) => Some("walk"),
        }
    }
}

impl Blend {
    /// Makes a standard tree a node of a tree to change freely; its events still drive it.
    pub fn free(&mut self) {
        if let blend::Settings::Scenario(scenario) = &self.settings {
            let kind = blend::NodeKind::Standard(Box::new(scenario.clone()));
            let node = blend::Node { name: "Standard".into(), kind };
            self.settings = blend::Settings::Tree(blend::Tree { nodes: vec![node], ..blend::Tree::default() });
            self.layout.clear();
        }
    }

    /// The joint weights of a connection (node and slot) of a drawn tree, or the upper body of a scenario.
    pub fn mask_mut(&mut self, link: Option<(usize, usize)>) -> Option<&mut MaskChoice> {
        if link.is_none() || matches!(self.settings, blend::Settings::Scenario(_)) {
            return self.settings.standard_mut().map(|scenario| &mut scenario.upper);
        }
        match (&mut self.settings, link) {
            (blend::Settings::Scenario(_), _) | (_, None) => None,
            (blend::Settings::Tree(tree), Some((node, slot))) => match &mut tree.nodes.get_mut(node)?.kind {
                blend::NodeKind::Blend(links) => Some(&mut links.get_mut(slot)?.mask),
                blend::NodeKind::Additive(additive) => Some(&mut additive.mask),
                blend::NodeKind::Standard(scenario) => Some(&mut scenario.upper),
                blend::NodeKind::Source(_) | blend::NodeKind::Space(_) => None,
            },
        }
    }

    /// Every clip that is named, each once, in the order of their first use.
    pub fn clip_names(&self) -> Vec<&str> {
        let named = self.settings.clip_names();
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }
}

impl TakeSource {
    /// Whether it moves joints; else it is a mesh that moves vertex by vertex, or images.
    pub fn moves_joints(&self) -> bool {
        !matches!(self, Self::Vertices(_) | Self::Cloth(_) | Self::Images { .. })
    }
}

impl Take {
    /// Whether anything painted, for the loop or on a cloth, was read from damaged text.
    pub fn has_damaged_paint(&self) -> bool {
        let on_cloth = matches!(&self.source, TakeSource::Cloth(cloth) if cloth.pins.is_damaged());
        let loops = || self.stages.iter().filter_map(|stage| stage.kind.as_loop());
        on_cloth || loops().any(|looped| looped.settings.has_damaged_paint())
    }

    /// Everything painted in it.
    pub(super) fn weight_maps_mut(&mut self) -> impl Iterator<Item = &mut WeightMap> {
        let pins = match &mut self.source {
            TakeSource::Cloth(cloth) => Some(&mut cloth.pins),
            _ => None,
        };
        let loops = self.stages.iter_mut().filter_map(|stage| match &mut stage.kind {
            StageKind::Loop(looped) => Some(&mut looped.settings),
            _ => None,
        });
        let fades = loops.flat_map(|settings| std::iter::once(&mut settings.fade).chain(&mut settings.outgoing));
        pins.into_iter().chain(fades.flat_map(|fade| [&mut fade.timing, &mut fade.width]))
    }

    /// Whether it moves joints, not vertices or pixels.
    pub fn moves_joints(&self) -> bool {
        matches!(
            self.source,
            TakeSource::Clip { .. }
                | TakeSource::Retarget(_)
                | TakeSource::Rest { .. }
                | TakeSource::Scenario(_)
                | TakeSource::Walk(_)
        )
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
