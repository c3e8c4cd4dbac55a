//! Rows of the outliner tree.

use std::hash::{DefaultHasher, Hash, Hasher};

use portamento_session::Session;
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::{FileId, TakeId};

/// A row of the outliner tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Row {
    Objects,
    Object(usize),
    Takes,
    Folder(FolderKey),
    Take(TakeKey),
    /// A take used as a clip by another take: the user, the used take.
    Used(TakeKey, TakeKey),
    File(FileKey),
    Clips(FileKey),
    Clip(FileKey, usize),
    Meshes(FileKey),
    Mesh(FileKey, usize),
    Joints(FileKey),
    Joint(FileKey, usize),
}

/// Ids as numbers, because rows must be hashable.
pub(super) type FileKey = u32;

pub(super) type TakeKey = u32;

/// Hash of a folder name.
pub(super) type FolderKey = u64;

/// Returns the hash of the folder name.
pub(super) fn folder_key(name: &str) -> FolderKey {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Returns the name that the filter compares; `None` for rows that it never hides.
pub(super) fn name(session: &Session, row: Row) -> Option<String> {
    let document = &session.document;
    let model = |file: FileKey| session.library.get(FileId(file)).map(|loaded| &loaded.model);
    match row {
        Row::Take(id) | Row::Used(_, id) => document.take(TakeId(id)).map(|take| take.name.clone()),
        Row::Object(index) => document.objects.get(index).map(|object| object.name.clone()),
        Row::Clip(file, index) => model(file)?.clips.get(index).map(|clip| clip.name.clone()),
        Row::Joint(file, index) => model(file)?.skeleton.joints.get(index).map(|joint| joint.name.clone()),
        Row::Mesh(file, index) => {
            let model = model(file)?;
            Some(model.meshes.get(model.instances.get(index)?.mesh)?.name.clone())
        }
        Row::Objects | Row::Takes | Row::Folder(_) | Row::File(_) | Row::Clips(_) | Row::Meshes(_) | Row::Joints(_) => {
            None
        }
    }
}

/// Returns the takes among `rows`, and those in the folders among them, in document order.
pub(super) fn takes_of(session: &Session, rows: &[Row]) -> Vec<TakeId> {
    let is_in_folder = |id: TakeId| {
        let folder = session.document.folder_of(id);
        folder.is_some_and(|folder| rows.contains(&Row::Folder(folder_key(&folder.name))))
    };
    let ids = session.document.takes.iter().map(|take| take.id);
    ids.filter(|&id| rows.contains(&Row::Take(id.0)) || is_in_folder(id)).collect()
}

/// Returns the clips of `rows` with their files: takes that move joints by their references, then clip rows and all clips of file
/// rows. A take in a folder row counts.
pub(super) fn clips_of(session: &Session, rows: &[Row]) -> Vec<(FileId, String)> {
    let mut clips = Vec::new();
    let takes = takes_of(session, rows).into_iter().filter_map(|id| session.document.take(id));
    clips.extend(takes.filter(|take| take.moves_joints()).map(|take| (take.character, take_ref(take.id))));
    for file in &session.document.files {
        let Some(loaded) = session.library.get(file.id) else { continue };
        for (index, clip) in loaded.model.clips.iter().enumerate() {
            let is_wanted = |row: &Row| *row == Row::File(file.id.0) || *row == Row::Clip(file.id.0, index);
            if rows.iter().any(is_wanted) {
                clips.push((file.id, clip.name.clone()));
            }
        }
    }
    clips
}
