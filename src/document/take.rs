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
    Stretch(Box<stretch::Settings>),
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
    /// The settings of the first stretch, if the take has one.
    pub fn stretch(&self) -> Option<&stretch::Settings> {
        self.modifiers.iter().find_map(|modifier| match modifier {
            Modifier::Stretch(settings) => Some(&**settings),
        })
    }

    /// The settings of the first stretch, to edit.
    pub fn stretch_mut(&mut self) -> Option<&mut stretch::Settings> {
        self.modifiers.iter_mut().find_map(|modifier| match modifier {
            Modifier::Stretch(settings) => Some(&mut **settings),
        })
    }
}
