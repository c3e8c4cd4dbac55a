//! Heavy, immutable data, shared and compared by pointer.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::FileId;
use crate::anim::{Footage, GltfSource, Model};
use crate::geometry::Level;
use crate::math::Bounds;

/// Shared data that counts as equal only to itself; cloning it costs nothing.
#[derive(Debug)]
pub struct Asset<T>(pub Arc<T>);

impl<T> Asset<T> {
    /// Shares `value` from now on.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for Asset<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Asset<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Asset<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// One opened file in memory.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What can be posed, drawn and played.
    pub model: Model,
    /// What export gives back unchanged; absent for formats that are only read.
    pub source: Option<Arc<GltfSource>>,
    /// What moves without joints: a vertex cache or images; `model` then shows the first frame.
    pub footage: Option<Footage>,
    /// The faces with the names the file gives them, where `model` cannot tell them.
    pub level: Option<Arc<Level>>,
    /// Images outside the file that it shows, besides those that `source` names.
    pub images: Vec<PathBuf>,
    /// What [`Loaded::rest_bounds`] found; asked in every frame.
    pub(crate) rest: OnceLock<Bounds>,
}

impl Loaded {
    /// The file as ground to walk on, in its own unit and axes.
    pub fn to_level(&self) -> Level {
        self.level.as_ref().map_or_else(|| self.model.to_level(), |level| Level::clone(level))
    }

    /// [`Model::rest_bounds`] of the model, found once.
    pub fn rest_bounds(&self) -> Bounds {
        *self.rest.get_or_init(|| self.model.rest_bounds())
    }
}

/// The opened files of a session. Shared by snapshots of the document, never part of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    files: BTreeMap<FileId, Asset<Loaded>>,
}

impl Library {
    /// The loaded file, if it could be read.
    pub fn get(&self, id: FileId) -> Option<&Asset<Loaded>> {
        self.files.get(&id)
    }

    /// Keeps `loaded` under `id`, in place of what was there.
    pub fn insert(&mut self, id: FileId, loaded: Asset<Loaded>) {
        self.files.insert(id, loaded);
    }
}
