//! Rows of the outliner tree.

use std::hash::{DefaultHasher, Hash, Hasher};

use portamento_session::Session;
use portamento_takes::document::TakeId;

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

/// Returns the takes of `rows` including those in their folders, in document order.
pub(super) fn takes_of(session: &Session, rows: &[Row]) -> Vec<TakeId> {
    let is_in_folder = |id: TakeId| {
        let folder = session.document.folder_of(id);
        folder.is_some_and(|folder| rows.contains(&Row::Folder(folder_key(&folder.name))))
    };
    let ids = session.document.takes.iter().map(|take| take.id);
    ids.filter(|&id| rows.contains(&Row::Take(id.0)) || is_in_folder(id)).collect()
}
