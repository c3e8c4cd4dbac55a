//! Recipes: takes in a file, to be applied to other clips.
//!
//! A take with the source `slot:clip` is a stack for any clip. Clips named by its stages belong to the clip's own
//! file, or are slots (`slot:NAME`) filled by a clip of that name. Joints are stored by name, so that the stack fits
//! other rigs: by joint name, otherwise by the role that [`Recipe::roles`] assigns to the name.

mod apply;
mod bind;
mod expected;
mod joints;
mod save;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use bind::Fills;
pub use expected::Expected;
pub use text::is_recipe;

use portamento_takes::document::{FileId, SceneObject, TakeId, TakeSource};

/// Prefix of a slot in place of a clip name.
pub const SLOT: &str = "slot:";

/// Source of a stack, filled with any clip.
pub const CLIP_SLOT: &str = "slot:clip";

/// A recipe: files, and takes made from them or from slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Files, relative to the recipe; takes refer to them by position, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// Named target points of stretches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<SceneObject>,
    /// Roles of the joints named in stages, in the words of [`portamento_anim::Roles::in_words`]; for rigs with other
    /// names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, String>,
    /// Unit of targets in stacks, metres; `None` uses the unit of each clip's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres_per_unit: Option<f64>,
    /// The takes; takes refer to each other by `take:` and the id.
    pub takes: Vec<RecipeTake>,
}

/// A take of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeTake {
    /// The id that other takes refer to.
    pub id: TakeId,
    /// The take's name; in a stack, `{clip}` and `{file}` are placeholders.
    pub name: String,
    /// Position of the character file in the list; `None` in a stack, which uses the clip file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<FileId>,
    /// The source.
    pub source: RecipeSource,
    /// The stages in order, as [`portamento_takes::document::Stage`] with joints by name.
    #[serde(default)]
    pub stages: Vec<Value>,
    /// True to mark the exported clips as loops, false if they play once; `None` if each motion decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<bool>,
}

/// The source of a recipe take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum RecipeSource {
    /// A slot for any clip.
    Slot,
    /// Clips of the recipe's own files.
    Of(Box<TakeSource>),
}

impl TryFrom<Value> for RecipeSource {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        if value == CLIP_SLOT {
            return Ok(Self::Slot);
        }
        serde_json::from_value(value).map(|source| Self::Of(Box::new(source)))
    }
}

impl From<RecipeSource> for Value {
    fn from(source: RecipeSource) -> Self {
        match source {
            RecipeSource::Slot => CLIP_SLOT.into(),
            RecipeSource::Of(source) => serde_json::json!(source),
        }
    }
}

impl RecipeTake {
    /// True if the take is a stack for any clip.
    pub fn is_stack(&self) -> bool {
        self.source == RecipeSource::Slot
    }
}

#[cfg(test)]
mod tests;
