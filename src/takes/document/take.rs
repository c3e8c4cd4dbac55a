//! A take: a motion source and the stages that transform it.

use serde::{Deserialize, Serialize};

use super::{FileId, Stage, StageKind, TakeId, Walk};
use portamento_anim::MaskChoice;
use portamento_anim::math::WeightMap;
use portamento_anim::media::SheetGrid;
use portamento_blend as blend;
use portamento_dynamics::cloth;
use portamento_retarget as retarget;

/// The recipe of one exported clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// The id that commands use.
    pub id: TakeId,
    /// The exported clip's name.
    pub name: String,
    /// The file with the skeleton that is animated, the frames that are played or the mesh that is simulated as cloth.
    pub character: FileId,
    /// The motion before any stage.
    pub source: TakeSource,
    /// The stages, in the order in which they are applied.
    #[serde(default)]
    pub stages: Vec<Stage>,
    /// True to mark the exported clip as a loop, false if it plays once; `None` if the motion decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<bool>,
}

/// The motion that a take starts from.
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
    /// A clip of another rig, retargeted to the character.
    Retarget(Box<Retarget>),
    /// The character in its rest pose: a base for dynamic bones and cloth of an avatar without clips.
    Rest {
        /// Duration, seconds.
        seconds: f64,
    },
    /// A blend of several clips, driven by events, or a blend graph built by the user.
    Scenario(Box<Blend>),
    /// A mesh animated per vertex.
    Vertices(Vertices),
    /// An image sequence or sprite sheet.
    Images {
        /// The sequence, folder or animation file, or one image that contains the frames.
        file: FileId,
        /// Frames per second; `None` uses the rate of the file.
        fps: Option<f64>,
        /// The grid of frames on each image, for sprite sheets.
        #[serde(default)]
        sheet: Option<SheetGrid>,
        /// One of the animations that a sprite sheet describes, by name; `None` plays all frames.
        #[serde(default)]
        tag: Option<String>,
    },
    /// A simulated cloth in the wind.
    Cloth(Box<cloth::Settings>),
    /// A walk through a level, built from the character's clips.
    Walk(Box<Walk>),
}

/// A retargeted clip of another rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retarget {
    /// The file with the clip and the rig that it animates.
    pub file: FileId,
    /// The name of the clip, or a reference to a take of another character.
    pub clip: String,
    /// Retargeting settings.
    #[serde(default)]
    pub settings: retarget::Settings,
}

/// A vertex cache, or a clip of a model evaluated per vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vertices {
    /// The cache file or the model file.
    pub file: FileId,
    /// The clip of the model; `None` for a cache.
    #[serde(default)]
    pub clip: Option<String>,
    /// The file that provides the faces if the cache has none.
    #[serde(default)]
    pub mesh: Option<FileId>,
    /// Frames per second; `None` uses the rate of the file.
    #[serde(default)]
    pub fps: Option<f64>,
}

/// A blend used as the source of a take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Blend {
    /// The scenario or blend graph. Clips are referenced by name; clips of the character's own file have priority.
    pub settings: blend::Settings,
    /// Additional files to search for clips, matched by joint name.
    pub files: Vec<FileId>,
    /// The clip that drives the root motion of the character, if a clip travels.
    pub owner: blend::RootMotionOwner,
    /// Length in seconds. `None` ends one second after the last event, or for a graph with its longest clip.
    pub length: Option<f64>,
    /// Positions of the graph's nodes on the canvas in points, in node order. They do not affect the pose.
    pub layout: Vec<[f32; 2]>,
}

impl TakeSource {
    /// Returns a title for display: the clip, the clips of a blend, or a generic word such as "walk".
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

    /// True if the title is a generic word to be translated, not a name given by a user or a file.
    pub fn is_unnamed(&self) -> bool {
        match self {
            Self::Clip { .. } | Self::Retarget(_) | Self::Scenario(_) => false,
            Self::Vertices(vertices) => vertices.clip.is_none(),
            Self::Rest { .. } | Self::Images { .. } | Self::Cloth(_) | Self::Walk(_) => true,
        }
    }

    /// Returns the file of the clip, of the retargeted clip or of the frames; `None` for a rest pose, a blend, a
    /// cloth and a walk.
    pub fn file(&self) -> Option<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } | Self::Vertices(Vertices { file, .. }) => Some(*file),
            Self::Retarget(retarget) => Some(retarget.file),
            Self::Rest { .. } | Self::Scenario(_) | Self::Cloth(_) | Self::Walk(_) => None,
        }
    }

    /// Returns every file the source reads, in the order in which clips and frames are searched. `character` is the take's
    /// character.
    pub fn files(&self, character: FileId) -> Vec<FileId> {
        match self {
            Self::Clip { file, .. } | Self::Images { file, .. } => vec![*file],
            Self::Retarget(retarget) => vec![retarget.file],
            Self::Rest { .. } => vec![character],
            Self::Scenario(blend) => [character].into_iter().chain(blend.files.iter().copied()).collect(),
            Self::Vertices(vertices) => [vertices.file].into_iter().chain(vertices.mesh).collect(),
            Self::Cloth(cloth) if cloth.shape == cloth::ClothShape::Mesh => vec![character],
            Self::Cloth(_) => Vec::new(),
            Self::Walk(walk) => Some(walk.level).filter(|&level| level != Walk::FLAT_GROUND).into_iter().collect(),
        }
    }

    /// Returns the file whose skeleton or frames are displayed; `None` for a cloth that generates its own mesh.
    pub fn shown_file(&self, character: FileId) -> Option<FileId> {
        match self {
            Self::Clip { .. } | Self::Retarget(_) | Self::Rest { .. } | Self::Scenario(_) | Self::Walk(_) => {
                Some(character)
            }
            Self::Vertices(Vertices { file, .. }) | Self::Images { file, .. } => Some(*file),
            Self::Cloth(_) => self.files(character).first().copied(),
        }
    }

    /// Returns a copy without data that does not affect the result: node positions and route names.
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

    /// Returns the kind of source as undo labels name it; `None` for a clip, which has no settings.
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
    /// Converts the standard tree into a graph whose only node is that tree. Its events keep driving it. Node positions are
    /// cleared. Does nothing to a graph.
    pub fn free(&mut self) {
        if let blend::Settings::Scenario(scenario) = &self.settings {
            let kind = blend::NodeKind::Standard(Box::new(scenario.clone()));
            let node = blend::Node { name: "Standard".into(), kind };
            self.settings = blend::Settings::Tree(blend::Tree { nodes: vec![node], ..blend::Tree::default() });
            self.layout.clear();
        }
    }

    /// Returns the mask of a graph connection `(node, slot)`, or the upper-body mask of a scenario. `None` if the
    /// connection does not exist. Without `link`, a graph gives that of its standard tree.
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

    /// Returns every clip name and take reference once, in order of first use. Empty names are left out.
    pub fn clip_names(&self) -> Vec<&str> {
        let named = self.settings.clip_names();
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }
}

impl TakeSource {
    /// Sets the grid of an image source; nothing without a grid or for another source.
    pub fn set_sheet(&mut self, grid: Option<SheetGrid>) {
        if let (Self::Images { sheet, .. }, Some(grid)) = (self, grid) {
            *sheet = Some(grid);
        }
    }

    /// True if the source animates joints, not vertices or images.
    pub fn moves_joints(&self) -> bool {
        !matches!(self, Self::Vertices(_) | Self::Cloth(_) | Self::Images { .. })
    }
}

impl Take {
    /// True if any painted weight map, of a loop or of a cloth, was read from damaged text.
    pub fn has_damaged_paint(&self) -> bool {
        let on_cloth = matches!(&self.source, TakeSource::Cloth(cloth) if cloth.pins.is_damaged());
        let loops = || self.stages.iter().filter_map(|stage| stage.kind.as_loop());
        on_cloth || loops().any(|looped| looped.settings.has_damaged_paint())
    }

    /// Returns all painted weight maps of the take.
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
        pins.into_iter().chain(fades.flat_map(portamento_looping::Fade::maps_mut))
    }

    /// True if the take animates joints, not vertices or images.
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

    /// Returns the blend if the source is a blend.
    pub fn blend(&self) -> Option<&Blend> {
        if let TakeSource::Scenario(blend) = &self.source { Some(blend) } else { None }
    }

    /// Returns the walk if the source is a walk.
    pub fn walk(&self) -> Option<&Walk> {
        if let TakeSource::Walk(walk) = &self.source { Some(walk) } else { None }
    }

    /// Returns the walk, mutably, if the source is a walk.
    pub fn walk_mut(&mut self) -> Option<&mut Walk> {
        if let TakeSource::Walk(walk) = &mut self.source { Some(walk) } else { None }
    }

    /// Returns the blend, mutably, if the source is a blend.
    pub fn blend_mut(&mut self) -> Option<&mut Blend> {
        if let TakeSource::Scenario(blend) = &mut self.source { Some(blend) } else { None }
    }
}
