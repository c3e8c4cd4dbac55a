//! Heavy, immutable data, shared and compared by pointer.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, OnceLock};

use glam::Vec3;

use super::{Document, FileId};
use portamento_anim::geometry::{Level, UpAxis};
use portamento_anim::math::Bounds;
use portamento_anim::{Clip, Footage, GltfSource, Model};

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
    /// The axis of the file that points up in `model`.
    pub up: UpAxis,
    /// The file as it was read, if the user chose another upward axis.
    pub as_read: Option<Asset<Loaded>>,
    /// Cache of [`Loaded::rest_bounds`], which is needed in every frame.
    pub rest: OnceLock<Bounds>,
}

/// Half of the length of the flat ground, metres.
const FLAT_GROUND_HALF_M: f32 = 20.0;

static FLAT_GROUND: LazyLock<Asset<Loaded>> = LazyLock::new(|| {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let points = corners.map(|(x, z)| Vec3::new(x, 0.0, z) * FLAT_GROUND_HALF_M);
    let level = Level::of_mesh("ground", points.to_vec(), [[0, 2, 1], [0, 3, 2]]);
    Asset::new(Loaded { level: Some(Arc::new(level)), ..Loaded::default() })
});

impl Asset<Loaded> {
    /// Returns the level of walks without a file: a square around the origin.
    pub fn flat_ground() -> Self {
        FLAT_GROUND.clone()
    }

    /// Returns the file with `up` as its upward axis; `None` for the axis that it was read with. A turned figure has no
    /// glTF source, since its nodes differ. Images have no axes and are never turned. Returns the file as it is, sharing
    /// its data, if it has that axis already.
    pub fn with_up(&self, up: Option<UpAxis>) -> Self {
        let read = self.as_read.as_ref().unwrap_or(self);
        let wanted = up.filter(|_| !read.is_images()).unwrap_or(read.up);
        if wanted == self.up {
            return self.clone();
        }
        if wanted == read.up {
            return read.clone();
        }
        let mut model = read.model.clone();
        model.turn_up(read.up, wanted);
        let turn = |point: &mut Vec3| *point = turned(*point, wanted);
        let footage = read.footage.clone().map(|footage| match footage {
            Footage::Vertices(mut clip) => {
                Arc::make_mut(&mut clip).positions.iter_mut().for_each(turn);
                Footage::Vertices(clip)
            }
            images @ Footage::Images(_) => images,
        });
        let level = read.level.clone().map(|mut level| {
            Arc::make_mut(&mut level).points.iter_mut().for_each(turn);
            level
        });
        let (images, as_read) = (read.images.clone(), Some(read.clone()));
        Self::new(Loaded { model, footage, level, images, up: wanted, as_read, ..Loaded::default() })
    }
}

impl Loaded {
    /// True if the file contains images.
    pub fn is_images(&self) -> bool {
        matches!(self.footage, Some(Footage::Images(_)))
    }

    /// Returns the size of keys, vertices, textures and source buffers, bytes. Vertices count by their positions and
    /// indices only.
    pub fn bytes(&self) -> usize {
        let parts = self.model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let vertices: usize = parts.map(|part| size_of_val(&part.positions[..]) + size_of_val(&part.indices[..])).sum();
        let frames = match &self.footage {
            Some(Footage::Vertices(clip)) => size_of_val(&clip.positions[..]),
            _ => 0,
        };
        let buffers: usize = self.source.iter().flat_map(|source| &source.buffers).map(|bytes| bytes.len()).sum();
        let textures: usize = self.model.textures.iter().map(|texture| texture.rgba.len()).sum();
        self.model.clips.iter().map(Clip::bytes).sum::<usize>() + vertices + frames + buffers + textures
    }

    /// Returns the file as walkable ground, in its own unit and axes.
    pub fn to_level(&self) -> Level {
        self.level.as_ref().map_or_else(|| self.model.to_level(), |level| Level::clone(level))
    }

    /// Returns [`Model::rest_bounds`] of the model, computed once.
    pub fn rest_bounds(&self) -> Bounds {
        *self.rest.get_or_init(|| self.model.rest_bounds())
    }
}

/// Returns `point` of a file that was read with the other axis up, Y or Z, after its axis `up` is turned to +Y.
///
/// ```text
/// Z: (x, y, z) → (x, z, −y)
/// Y: (x, y, z) → (x, −z, y)
/// ```
fn turned(point: Vec3, up: UpAxis) -> Vec3 {
    match up {
        UpAxis::Z => Vec3::new(point.x, point.z, -point.y),
        UpAxis::Y => Vec3::new(point.x, -point.z, point.y),
    }
}

/// The opened files of a session. Snapshots of the document share it; it is not part of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    files: BTreeMap<FileId, Asset<Loaded>>,
    /// Files that were removed from the document, for undo.
    removed: BTreeMap<FileId, Asset<Loaded>>,
}

impl Library {
    /// Returns the loaded file, if it could be read. Files set aside for undo do not count.
    pub fn get(&self, id: FileId) -> Option<&Asset<Loaded>> {
        self.files.get(&id)
    }

    /// Stores `loaded` under `id` and replaces any previous entry.
    pub fn insert(&mut self, id: FileId, loaded: Asset<Loaded>) {
        self.files.insert(id, loaded);
    }

    /// True if `loaded` is the content of file `id`, in use or set aside for undo.
    pub fn has(&self, id: FileId, loaded: &Asset<Loaded>) -> bool {
        [&self.files, &self.removed].into_iter().any(|files| files.get(&id) == Some(loaded))
    }

    /// True if `loaded` is the content of any file, in use or set aside for undo, or the content that such a file was turned from.
    pub fn contains(&self, loaded: &Asset<Loaded>) -> bool {
        self.contents().any(|content| content == loaded || content.as_read.as_ref() == Some(loaded))
    }

    /// Returns the contents of all files, in use or set aside for undo.
    pub fn contents(&self) -> impl Iterator<Item = &Asset<Loaded>> {
        self.files.values().chain(self.removed.values())
    }

    /// Sets aside the files that `document` no longer contains, and returns to use those that it contains again.
    pub fn follow(&mut self, document: &Document) {
        let is_listed = |id: FileId| document.file(id).is_some();
        let gone: Vec<FileId> = self.files.keys().copied().filter(|&id| !is_listed(id)).collect();
        self.removed.extend(gone.into_iter().filter_map(|id| Some((id, self.files.remove(&id)?))));
        let back: Vec<FileId> = self.removed.keys().copied().filter(|&id| is_listed(id)).collect();
        for id in back {
            let Some(loaded) = self.removed.remove(&id) else { continue };
            self.files.entry(id).or_insert(loaded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::media::VertexClip;

    #[test]
    fn a_vertex_cache_and_a_level_are_turned_with_their_file() {
        let points = vec![Vec3::new(1.0, 2.0, 3.0), Vec3::X, Vec3::Y];
        let clip = VertexClip::new("a", 24.0, 3, points.clone(), Vec::new()).unwrap();
        let level = Arc::new(Level::of_mesh("a", points, [[0, 1, 2]]));
        let footage = Some(Footage::Vertices(Arc::new(clip)));
        let read = Asset::new(Loaded { footage, level: Some(level), ..Loaded::default() });
        let turned = read.with_up(Some(UpAxis::Z));
        let first = |file: &Asset<Loaded>| {
            let Some(Footage::Vertices(clip)) = &file.footage else { panic!("a cache") };
            [clip.positions[0], file.to_level().points[0]]
        };
        // A quarter turn about x: y becomes −z, and z becomes y.
        assert_eq!((first(&turned), first(&read)), ([Vec3::new(1.0, 3.0, -2.0); 2], [Vec3::new(1.0, 2.0, 3.0); 2]));
        assert!(turned.with_up(None) == read);
    }

    #[test]
    fn a_removed_file_is_not_used_until_the_document_has_it_again() {
        let (mut library, loaded) = (Library::default(), Asset::new(Loaded::default()));
        library.insert(FileId(1), loaded.clone());
        library.follow(&Document::default());
        assert_eq!((library.get(FileId(1)), library.has(FileId(1), &loaded)), (None, true));
        let path = "a.glb".into();
        let file = crate::document::SourceFile {
            id: FileId(1),
            path,
            hash: String::new(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        library.follow(&Document { files: vec![file], ..Document::default() });
        assert_eq!(library.get(FileId(1)), Some(&loaded));
    }

    #[test]
    fn a_figure_is_turned_a_quarter_about_x_and_back() {
        let read = Asset::new(Loaded { model: portamento_test_support::hero(), ..Loaded::default() });
        let turned = read.with_up(Some(UpAxis::Z));
        let name = read.model.clips[0].name.clone();
        let at = |model: &Model, time: f64, joint: usize| {
            let pose = model.clip(&name).unwrap().pose_at(&model.skeleton, time);
            pose.world_from_joint(&model.skeleton, joint).translation.as_vec3()
        };
        for joint in 0..read.model.skeleton.len() {
            for time in [0.0, 0.31] {
                let before = at(&read.model, time, joint);
                let wanted = Vec3::new(before.x, before.z, -before.y);
                assert!(at(&turned.model, time, joint).distance(wanted) < 1e-5, "joint {joint}");
            }
        }
        assert!(turned.with_up(None) == read && turned.with_up(Some(UpAxis::Y)) == read);
        // A file that was read with Z up is turned the other way.
        let model = turned.model.clone();
        let other = Asset::new(Loaded { model, up: UpAxis::Z, ..Loaded::default() }).with_up(Some(UpAxis::Y));
        for joint in 0..read.model.skeleton.len() {
            assert!(at(&other.model, 0.31, joint).distance(at(&read.model, 0.31, joint)) < 1e-5, "joint {joint}");
        }
    }
}
