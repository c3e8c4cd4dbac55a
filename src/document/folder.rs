//! Folders of takes: what belongs together in the outliner. They change nothing that is made.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Document, TakeId, free_name};

/// A folder in the outliner. A take lies in one at most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Told apart by it: no two folders of a document have the same.
    pub name: String,
    /// What lies in it, shown in the order of the document's takes.
    pub takes: BTreeSet<TakeId>,
}

/// Where takes are put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakePlace {
    /// The folder's name, of a new one where no folder has it; `None` for outside of all.
    pub folder: Option<String>,
    /// Before which take; `None` for behind all.
    pub before: Option<TakeId>,
}

impl Document {
    /// The folder in which take `id` lies.
    pub fn folder_of(&self, id: TakeId) -> Option<&Folder> {
        self.folders.iter().find(|folder| folder.takes.contains(&id))
    }

    /// The take that stands in the place of `id` once that is gone: the next one of the same folder, else the one before it.
    pub fn take_beside(&self, id: TakeId) -> Option<TakeId> {
        let folder = |id: TakeId| self.folder_of(id).map(|folder| &folder.name);
        let mates: Vec<TakeId> =
            self.takes.iter().map(|take| take.id).filter(|&other| folder(other) == folder(id)).collect();
        let at = mates.iter().position(|&mate| mate == id)?;
        mates.get(at + 1).or_else(|| mates.get(at.checked_sub(1)?)).copied()
    }

    /// `wanted`, or `wanted 2`, `wanted 3` … where other folders have that name already.
    pub fn free_folder_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.folders.iter().any(|folder| folder.name == name))
    }

    /// Puts `takes`, in the order they have, at `place`.
    pub fn place_takes(&mut self, takes: &[TakeId], place: &TakePlace) {
        // Before a take that is moved too means before the next one that stays.
        let order = self.takes.iter().map(|take| take.id);
        let behind = order.skip_while(|&id| place.before.is_some_and(|before| before != id));
        let before = place.before.and(behind.into_iter().find(|id| !takes.contains(id)));
        let (moved, mut left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.takes).into_iter().partition(|take| takes.contains(&take.id));
        let at = left.iter().position(|take| Some(take.id) == before).unwrap_or(left.len());
        let moved_ids: Vec<TakeId> = moved.iter().map(|take| take.id).collect();
        left.splice(at..at, moved);
        self.takes = left;
        self.folders.iter_mut().for_each(|folder| folder.takes.retain(|id| !moved_ids.contains(id)));
        if let Some(name) = &place.folder {
            match self.folders.iter_mut().find(|folder| folder.name == *name) {
                Some(folder) => folder.takes.extend(moved_ids),
                None => self.folders.push(Folder { name: name.clone(), takes: moved_ids.into_iter().collect() }),
            }
        }
        self.tidy_folders();
    }

    /// Puts the takes from `index` on, where they are several, into a new folder called like `wanted`.
    pub fn gather_takes(&mut self, index: usize, wanted: &str) {
        let made: Vec<TakeId> = self.takes.iter().skip(index).map(|take| take.id).collect();
        if made.len() > 1 {
            let folder = Some(self.free_folder_name(wanted));
            self.place_takes(&made, &TakePlace { folder, before: None });
        }
    }

    /// Gives folder `from` the name `to`; where another has that name already, the two become one.
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

    /// Takes out folders in which nothing lies any more, and what is gone out of the others.
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
        };
        Document { takes: (1..=5).map(take).collect(), ..Document::default() }
    }

    #[test]
    fn in_the_place_of_a_take_stands_its_next_mate_or_the_one_before() {
        let mut document = document();
        document.place_takes(&[TakeId(2), TakeId(4)], &TakePlace { folder: Some("a".into()), before: None });
        let beside = |id| document.take_beside(TakeId(id)).map(|TakeId(id)| id);
        assert_eq!([1, 3, 5].map(beside), [Some(3), Some(5), Some(3)]);
        assert_eq!([2, 4, 9].map(beside), [Some(4), Some(2), None]);
    }

    fn order(document: &Document) -> Vec<u32> {
        document.takes.iter().map(|take| take.id.0).collect()
    }

    #[test]
    fn takes_are_put_before_another_one_and_into_a_folder_in_the_order_they_have() {
        let mut document = document();
        let place = TakePlace { folder: Some("fights".into()), before: Some(TakeId(2)) };
        document.place_takes(&[TakeId(5), TakeId(3)], &place);
        assert_eq!(order(&document), [1, 3, 5, 2, 4]);
        assert_eq!(document.folder_of(TakeId(3)).unwrap().name, "fights");
        assert_eq!(document.folder_of(TakeId(2)), None);
        // Before one that is moved too: it stays among those behind which it was.
        document.place_takes(&[TakeId(5), TakeId(2)], &TakePlace { folder: None, before: Some(TakeId(5)) });
        assert_eq!(order(&document), [1, 3, 5, 2, 4]);
        assert_eq!(document.folders, [Folder { name: "fights".into(), takes: [TakeId(3)].into() }]);
        document.place_takes(&[TakeId(3)], &TakePlace::default());
        assert_eq!((order(&document), document.folders.len()), (vec![1, 5, 2, 4, 3], 0));
    }

    #[test]
    fn folders_of_one_name_are_one_and_those_whose_takes_are_gone_go() {
        let mut document = document();
        let into = |name: &str| TakePlace { folder: Some(name.into()), before: None };
        document.place_takes(&[TakeId(1)], &into("a"));
        document.place_takes(&[TakeId(2)], &into("b"));
        assert_eq!(document.free_folder_name("a"), "a 2");
        document.rename_folder("a", "c");
        document.rename_folder("b", "c");
        assert_eq!(document.folders, [Folder { name: "c".into(), takes: [TakeId(1), TakeId(2)].into() }]);
        document.takes.retain(|take| take.id.0 > 2);
        document.tidy_folders();
        assert_eq!(document.folders, []);
    }
}
