//! A take: a source followed by modifiers.

use serde::{Deserialize, Serialize};

use super::{FileId, TakeId};
use crate::systems::stretch;

/// A recipe for one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// How commands refer to it.
    pub id: TakeId,
    /// The exported clip's name.
    pub name: String,
    /// The file whose skeleton is animated.
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
}

/// One step of a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    /// Displacement stretching.
    Stretch(Box<Stretch>),
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

impl Modifier {
    /// The name panels, menus and undo labels use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stretch(_) => "stretch",
        }
    }
}

impl Take {
    /// The take's first stretch, if it has one.
    pub fn stretch(&self) -> Option<&Stretch> {
        self.modifiers.iter().map(|Modifier::Stretch(stretch)| &**stretch).next()
    }

    /// The take's first stretch, to edit.
    pub fn stretch_mut(&mut self) -> Option<&mut Stretch> {
        self.modifiers.iter_mut().map(|Modifier::Stretch(stretch)| &mut **stretch).next()
    }
}
