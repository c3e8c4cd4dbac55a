//! Everything a built take depends on.

use std::sync::LazyLock;

use super::TakeError;
use crate::anim::Roles;
use crate::document::{Asset, Document, FileId, Library, Loaded, Modifier, SceneObject, Take, TakeSource};

/// Everything a built take depends on; equal inputs give the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    /// What plays before any modifier.
    pub source: TakeSource,
    /// Applied in order.
    pub modifiers: Vec<Modifier>,
    /// The name of the result; `None` leaves it that of the source.
    pub name: Option<String>,
    /// The character's file.
    pub character: Asset<Loaded>,
    /// The files that may hold the source's clips, in the order they are searched.
    pub clip_files: Vec<Asset<Loaded>>,
    /// The character's joints by role.
    pub roles: Roles,
    /// Length of the file's unit.
    pub metres_per_unit: f64,
    /// How much of a walk is built; of no meaning for other sources.
    pub walk_stage: WalkStage,
    /// Length of the unit of a walk's level.
    pub level_unit: f64,
    /// Scene objects, where a modifier aims at one.
    pub objects: Vec<SceneObject>,
}

/// How much of a walk is built. Parts before the last need no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkStage {
    /// The level as ground.
    Ground,
    /// The routes across it.
    Routes,
    /// The character on one of them.
    Steps,
}

impl Inputs {
    /// What `take` depends on. Errors where one of its files is not loaded.
    pub fn from_take(document: &Document, library: &Library, take: &Take) -> Result<Self, TakeError> {
        let loaded = |id: FileId| library.get(id).cloned().ok_or_else(|| TakeError::NotLoaded(take.name.clone()));
        let clip_files = take.source.files(take.character).into_iter().map(loaded).collect::<Result<_, _>>()?;
        // The ground and the ways of a walk can be looked at before anybody walks.
        let walks_alone = take.walk().is_some() && document.file(take.character).is_none();
        let shown_file = take.source.shown_file(take.character).filter(|_| !walks_alone);
        let character = shown_file.map_or_else(|| Ok(NOBODY.clone()), loaded)?;
        let roles = shown_file.and_then(|id| document.character(id));
        let roles = roles.map(|known| known.roles.fitting(&character.model.skeleton)).unwrap_or_default();
        let unit =
            |file: Option<FileId>| file.and_then(|id| document.file(id)).map_or(1.0, |file| file.metres_per_unit);
        let aims = take.modifiers.iter().any(Modifier::aims_at_object);
        Ok(Self {
            source: take.source.without_labels(),
            modifiers: take.modifiers.iter().filter_map(Modifier::active).collect(),
            name: Some(take.name.clone()),
            character,
            clip_files,
            roles,
            metres_per_unit: unit(shown_file),
            walk_stage: WalkStage::Steps,
            level_unit: unit(take.walk().map(|walk| walk.level)),
            objects: if aims { document.objects.clone() } else { Vec::new() },
        })
    }

    /// The same without its last step: the name, then one modifier after the other, then parts of the source; `None` for what
    /// has no step before it.
    pub fn before(&self) -> Option<Self> {
        let mut before = self.clone();
        if before.name.take().is_some() {
            return Some(before);
        }
        if before.modifiers.pop().is_none() {
            return self.before_walk_stage();
        }
        if !before.modifiers.iter().any(Modifier::aims_at_object) {
            before.objects.clear();
        }
        Some(before)
    }

    fn before_walk_stage(&self) -> Option<Self> {
        let TakeSource::Walk(walk) = &self.source else { return None };
        let (walk_stage, walk) = match self.walk_stage {
            WalkStage::Ground => return None,
            WalkStage::Routes => (WalkStage::Ground, walk.ground_part()),
            WalkStage::Steps => (WalkStage::Routes, walk.routes_part()),
        };
        Some(Self {
            source: TakeSource::Walk(Box::new(walk)),
            walk_stage,
            character: NOBODY.clone(),
            roles: Roles::default(),
            metres_per_unit: 1.0,
            ..self.clone()
        })
    }
}

/// The character of takes that have none: always the same, so that their inputs can be equal.
static NOBODY: LazyLock<Asset<Loaded>> = LazyLock::new(|| Asset::new(Loaded::default()));
