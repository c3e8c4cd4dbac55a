//! Recipes: takes in a file, to be made again of other clips.
//!
//! A take whose source is the text `slot:clip` is a stack for any clip. Clips that its stages name are those of the clip's own file,
//! or slots too (`slot:NAME`), filled with what is called so elsewhere. Joints are named and not counted, so that the stack fits
//! another rig: by their names, else by the roles that [`Recipe::roles`] gives those names.

mod apply;
mod bind;
mod joints;
mod save;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use bind::Fills;
pub use text::{is_recipe, stage_answer};

use crate::document::{FileId, SceneObject, TakeId, TakeSource};

/// What stands before the name of a slot, wherever a clip is named.
pub const SLOT: &str = "slot:";

/// The source of a take that is made of any clip.
pub const CLIP_SLOT: &str = "slot:clip";

/// Files, and takes made from them or from what fills their slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The files, relative to the recipe; takes mean them by their place in the list, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// Named points that stretches can aim at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<SceneObject>,
    /// What joints that are named below are, in the words of [`crate::anim::Roles::in_words`]: for rigs that name them otherwise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, String>,
    /// The unit of targets in stacks, metres; where there is none, that of each clip's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres_per_unit: Option<f64>,
    /// The takes; each may stand for a clip in the others as `take:` and its id.
    pub takes: Vec<RecipeTake>,
}

/// A take as a recipe holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeTake {
    /// How other takes mean it.
    pub id: TakeId,
    /// The take's name; in that of a stack `{clip}` and `{file}` stand for what fills it.
    pub name: String,
    /// The file whose skeleton moves, by its place; in a stack that of the clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<FileId>,
    /// What plays before any stage.
    pub source: RecipeSource,
    /// What transforms it, in order: [`crate::document::Stage`] with joints by name.
    #[serde(default)]
    pub stages: Vec<Value>,
}

/// What a take of a recipe starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum RecipeSource {
    /// To be filled with any clip.
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
    /// Whether it is made of any clip.
    pub fn is_stack(&self) -> bool {
        self.source == RecipeSource::Slot
    }
}

#[cfg(test)]
mod tests;
