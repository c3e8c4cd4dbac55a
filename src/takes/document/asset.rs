//! Heavy, immutable data, shared and compared by pointer.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::FileId;
use portamento_anim::geometry::Level;
use portamento_anim::math::Bounds;
use portamento_anim::{Footage, GltfSource, Model};

/// Shared data that is equal only to itself. Cloning copies a pointer.
#[derive(Debug)]
pub struct Asset<T>(pub Arc<T>);

impl<T> Asset<T> {
    /// Wraps `value` in an [`Arc`].
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
    /// The model: skeleton, meshes and clips.
    pub model: Model,
    /// The original glTF data that export preserves; `None` for formats that cannot be written.
    pub source: Option<Arc<GltfSource>>,
    /// Motion without joints: a vertex cache or images. `model` then contains the first frame.
    pub footage: Option<Footage>,
    /// The faces with the names from the file, if `model` cannot provide them.
    pub level: Option<Arc<Level>>,
    /// External images that the model uses, in addition to those referenced by `source`.
    pub images: Vec<PathBuf>,
    /// Cache of [`Loaded::rest_bounds`], which is needed in every frame.
    pub rest: OnceLock<Bounds>,
}

impl Loaded {
    /// Returns the file as walkable ground, in its own unit and axes.
    pub fn to_level(&self) -> Level {
        self.level.as_ref().map_or_else(|| self.model.to_level(), |level| Level::clone(level))
    }

    /// Returns [`Model::rest_bounds`] of the model, computed once.
    pub fn rest_bounds(&self) -> Bounds {
        *self.rest.get_or_init(|| self.model.rest_bounds())
    }
}

/// The opened files of a session. Snapshots of the document share it; it is not part of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    files: BTreeMap<FileId, Asset<Loaded>>,
}

impl Library {
    /// Returns the loaded file, if it could be read.
    pub fn get(&self, id: FileId) -> Option<&Asset<Loaded>> {
        self.files.get(&id)
    }

    /// Stores `loaded` under `id` and replaces any previous entry.
    pub fn insert(&mut self, id: FileId, loaded: Asset<Loaded>) {
        self.files.insert(id, loaded);
    }
}
