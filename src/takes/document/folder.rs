//! Folders of takes in the outliner. They do not affect results.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Document, TakeId, free_name};

/// A folder in the outliner. A take belongs to at most one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// The name, unique within the document.
    pub name: String,
    /// The takes in the folder. They are shown in the order of the document.
    pub takes: BTreeSet<TakeId>,
}

/// A destination for takes in the outliner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakeDestination {
    /// The folder, created if it does not exist; `None` for outside all folders.
    pub folder: Option<String>,
    /// The take to insert before; `None` appends at the end.
    pub before: Option<TakeId>,
}

impl Document {
    /// Returns the folder that contains take `id`; `None` if it is in none.
    pub fn folder_of(&self, id: TakeId) -> Option<&Folder> {
        self.folders.iter().find(|folder| folder.takes.contains(&id))
    }

    /// Returns the take to select after `id` is removed: the next one of the same folder, else the previous one. `None` if
    /// it is the only one there. Takes outside all folders count as one folder.
    pub fn take_after_removal(&self, id: TakeId) -> Option<TakeId> {
        let folder = |id: TakeId| self.folder_of(id).map(|folder| &folder.name);
        let siblings: Vec<TakeId> =
            self.takes.iter().map(|take| take.id).filter(|&other| folder(other) == folder(id)).collect();
        let at = siblings.iter().position(|&sibling| sibling == id)?;
        siblings.get(at + 1).or_else(|| siblings.get(at.checked_sub(1)?)).copied()
    }

    /// Returns `wanted`, or `wanted 2`, `wanted 3` … if other folders already use that name.
    pub fn free_folder_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.folders.iter().any(|folder| folder.name == name))
    }

    /// Moves `takes` to `destination` and keeps their relative order. They leave their folders. Folders that become empty
    /// are removed.
    pub fn move_takes(&mut self, takes: &[TakeId], destination: &TakeDestination) {
        // If the take to insert before is moved as well, the next unmoved take replaces it.
        let order = self.takes.iter().map(|take| take.id);
        let behind = order.skip_while(|&id| destination.before.is_some_and(|before| before != id));
        let before = destination.before.and(behind.into_iter().find(|id| !takes.contains(id)));
        let (moved, mut left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.takes).into_iter().partition(|take| takes.contains(&take.id));
        let at = left.iter().position(|take| Some(take.id) == before).unwrap_or(left.len());
        let moved_ids: Vec<TakeId> = moved.iter().map(|take| take.id).collect();
        left.splice(at..at, moved);
        self.takes = left;
        self.folders.iter_mut().for_each(|folder| folder.takes.retain(|id| !moved_ids.contains(id)));
        if let Some(name) = &destination.folder {
            match self.folders.iter_mut().find(|folder| folder.name == *name) {
                Some(folder) => folder.takes.extend(moved_ids),
                None => self.folders.push(Folder { name: name.clone(), takes: moved_ids.into_iter().collect() }),
            }
        }
        self.tidy_folders();
    }

    /// Moves the takes from `index` on into a new folder named after `wanted`, if there are at least two.
    pub fn group_takes(&mut self, index: usize, wanted: &str) {
        let added: Vec<TakeId> = self.takes.iter().skip(index).map(|take| take.id).collect();
        if added.len() > 1 {
            let folder = Some(self.free_folder_name(wanted));
            self.move_takes(&added, &TakeDestination { folder, before: None });
        }
    }

    /// Renames folder `from` to `to`. If another folder already has that name, the two are merged. Does nothing if there is
    /// no folder `from`.
    pub fn rename_folder(&mut self, from: &str, to: &str) {
        let Some(index) = self.folders.iter().position(|folder| folder.name == from) else { return };
        match self.folders.iter().position(|folder| folder.name == to).filter(|&other| other != index) {
            Some(other) => {
                let takes = std::mem::take(&mut self.folders[index].takes);
                self.folders[other].takes.extend(takes);
                self.folders.remove(index);
            }
            None => to.clone_into(&mut self.folders[index].name),
        }
    }

    /// Removes empty folders, and ids of takes that no longer exist.
    pub fn tidy_folders(&mut self) {
        let known: BTreeSet<TakeId> = self.takes.iter().map(|take| take.id).collect();
        self.folders.iter_mut().for_each(|folder| folder.takes.retain(|id| known.contains(id)));
        self.folders.retain(|folder| !folder.takes.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, Take, TakeSource};

    fn document() -> Document {
        let take = |id| Take {
            id: TakeId(id),
            name: id.to_string(),
            character: FileId(0),
            source: TakeSource::Clip { file: FileId(0), clip: "go".into() },
            stages: Vec::new(),
            loops: None,
        };
        Document { takes: (1..=5).map(take).collect(), ..Document::default() }
    }

    #[test]
    fn a_removed_take_is_replaced_by_its_next_or_previous_sibling() {
        let mut document = document();
        document.move_takes(&[TakeId(2), TakeId(4)], &TakeDestination { folder: Some("a".into()), before: None });
        let replacement = |id| document.take_after_removal(TakeId(id)).map(|TakeId(id)| id);
        assert_eq!([1, 3, 5].map(replacement), [Some(3), Some(5), Some(3)]);
        assert_eq!([2, 4, 9].map(replacement), [Some(4), Some(2), None]);
    }

    fn order(document: &Document) -> Vec<u32> {
        document.takes.iter().map(|take| take.id.0).collect()
    }

    #[test]
    fn moved_takes_keep_their_order() {
        let mut document = document();
        let destination = TakeDestination { folder: Some("fights".into()), before: Some(TakeId(2)) };
        document.move_takes(&[TakeId(5), TakeId(3)], &destination);
        assert_eq!(order(&document), [1, 3, 5, 2, 4]);
        assert_eq!(document.folder_of(TakeId(3)).unwrap().name, "fights");
        assert_eq!(document.folder_of(TakeId(2)), None);
        // The take to insert before is moved too: it keeps its position among the takes before it.
        document.move_takes(&[TakeId(5), TakeId(2)], &TakeDestination { folder: None, before: Some(TakeId(5)) });
        assert_eq!(order(&document), [1, 3, 5, 2, 4]);
        assert_eq!(document.folders, [Folder { name: "fights".into(), takes: [TakeId(3)].into() }]);
        document.move_takes(&[TakeId(3)], &TakeDestination::default());
        assert_eq!((order(&document), document.folders.len()), (vec![1, 5, 2, 4, 3], 0));
    }

    #[test]
    fn folders_with_equal_names_merge_and_empty_ones_are_removed() {
        let mut document = document();
        let into = |name: &str| TakeDestination { folder: Some(name.into()), before: None };
        document.move_takes(&[TakeId(1)], &into("a"));
        document.move_takes(&[TakeId(2)], &into("b"));
        assert_eq!(document.free_folder_name("a"), "a 2");
        document.rename_folder("a", "c");
        document.rename_folder("b", "c");
        assert_eq!(document.folders, [Folder { name: "c".into(), takes: [TakeId(1), TakeId(2)].into() }]);
        document.takes.retain(|take| take.id.0 > 2);
        document.tidy_folders();
        assert_eq!(document.folders, []);
    }
}
