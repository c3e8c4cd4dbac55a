//! The files that takes and scene objects use: removing, replacing and reassigning them.

use super::{Character, Document, FileId, SourceFile, StageKind, Take, TakeId, TakeSource};

impl Take {
    /// Returns every file that the take names: its character, the files of its source and those of its stages.
    pub fn named_files(&self) -> Vec<FileId> {
        let character = self.source.shown_file(self.character);
        let stages = self.stages.iter().flat_map(|stage| stage.kind.files()).copied();
        let mut files: Vec<FileId> =
            character.into_iter().chain(self.source.files(self.character)).chain(stages).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Replaces file `from` by `to` in the take's character, source and stages.
    fn replace_file(&mut self, from: FileId, to: FileId) {
        let replace = |file: &mut FileId| {
            if *file == from {
                *file = to;
            }
        };
        replace(&mut self.character);
        self.each_clip_file_mut(replace);
    }

    /// Calls `change` for each file of the source and the stages, not for the character. The mesh of a vertex cache and the
    /// level of a walk count too.
    pub fn each_clip_file_mut(&mut self, mut change: impl FnMut(&mut FileId)) {
        match &mut self.source {
            TakeSource::Clip { file, .. } | TakeSource::Images { file, .. } => change(file),
            TakeSource::Retarget(retarget) => change(&mut retarget.file),
            TakeSource::Vertices(vertices) => {
                change(&mut vertices.file);
                vertices.mesh.iter_mut().for_each(&mut change);
            }
            TakeSource::Scenario(blend) => blend.files.iter_mut().for_each(&mut change),
            TakeSource::Walk(walk) => change(&mut walk.level),
            TakeSource::Rest { .. } | TakeSource::Cloth(_) => {}
        }
        for stage in &mut self.stages {
            match &mut stage.kind {
                StageKind::Layer(layer) => layer.files.iter_mut().for_each(&mut change),
                StageKind::Align(align) => align.files.iter_mut().for_each(&mut change),
                StageKind::Additive(additive) => additive.files.iter_mut().for_each(&mut change),
                _ => {}
            }
        }
    }
}

impl TakeSource {
    /// Sets the frame rate of images or a vertex cache to that of their file in `document`, unless the source has its own.
    pub fn use_rate_of_file(&mut self, document: &Document) {
        let rate = |id: FileId| document.file(id).and_then(|file| file.fps);
        match self {
            Self::Images { file, fps, .. } => *fps = fps.or(rate(*file)),
            Self::Vertices(vertices) if vertices.clip.is_none() => vertices.fps = vertices.fps.or(rate(vertices.file)),
            _ => {}
        }
    }
}

impl Document {
    /// Iterates over the takes that name `file`.
    pub fn takes_with_file(&self, file: FileId) -> impl Iterator<Item = &Take> {
        self.takes.iter().filter(move |take| take.named_files().contains(&file))
    }

    /// Returns the file with this id among those that were removed although takes use them.
    pub fn removed_file(&self, id: FileId) -> Option<&SourceFile> {
        self.removed_files.iter().find(|file| file.id == id)
    }

    /// Removes a file with its reference meshes. Takes that use it are kept and report it as missing. Does nothing if the
    /// file is not in the document. Takes that aimed at its meshes keep the positions as targets.
    pub fn remove_file(&mut self, id: FileId) {
        let Some(at) = self.files.iter().position(|file| file.id == id) else { return };
        let file = self.files.remove(at);
        let shows_file = |object: &super::SceneObject| object.mesh.as_ref().is_some_and(|mesh| mesh.file == id);
        while let Some(object) = self.objects.iter().position(shows_file) {
            self.remove_object(object);
        }
        self.removed_files.push(file);
        self.forget_unused_files();
    }

    /// Makes take `id` use file `to` instead of `from`. Removed files that nothing uses any more are dropped.
    pub fn give_file(&mut self, id: TakeId, from: FileId, to: FileId) {
        self.take_mut(id).into_iter().for_each(|take| take.replace_file(from, to));
        self.forget_unused_files();
    }

    /// Makes everything that uses file `from` use `to` instead, and removes `from`. If the skeletons are equal (`is_same_rig`),
    /// the joint roles of `from` are kept.
    pub fn replace_file(&mut self, from: FileId, to: FileId, is_same_rig: bool) {
        self.takes.iter_mut().for_each(|take| take.replace_file(from, to));
        let meshes = self.objects.iter_mut().filter_map(|object| object.mesh.as_mut());
        meshes.filter(|mesh| mesh.file == from).for_each(|mesh| mesh.file = to);
        let roles = self.character(from).map(|character| character.roles.clone()).filter(|_| is_same_rig);
        if let (Some(roles), Some(character)) = (roles, self.characters.iter_mut().find(|known| known.file == to)) {
            *character = Character { file: to, roles };
        }
        // The new file is listed where the old one was.
        let position = |id: FileId| self.files.iter().position(|file| file.id == id);
        if let (Some(old), Some(new)) = (position(from), position(to)) {
            let file = self.files.remove(new);
            self.files.insert(old.min(self.files.len()), file);
        }
        self.remove_file(from);
    }

    /// Drops removed files that no take uses any more, with their joint roles.
    fn forget_unused_files(&mut self) {
        let used: Vec<FileId> = self.takes.iter().flat_map(Take::named_files).collect();
        self.removed_files.retain(|file| used.contains(&file.id));
        let (files, removed) = (&self.files, &self.removed_files);
        let is_known = |id: FileId| files.iter().chain(removed).any(|file| file.id == id);
        self.characters.retain(|character| is_known(character.file));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::document::stage::Layer;
    use crate::document::take::{Blend, Vertices};
    use crate::document::{ReferenceMesh, Retarget, SceneObject, Stage, Walk};
    use glam::DVec3;

    fn file(id: u32) -> SourceFile {
        let path = format!("/{id}.glb").into();
        SourceFile { id: FileId(id), path, hash: String::new(), metres_per_unit: 1.0, up: None, fps: None, sheet: None }
    }

    /// A document of files 1 to 3 and one take of each source, each using files 1 and 2.
    fn all_sources() -> Document {
        let [one, two] = [FileId(1), FileId(2)];
        let vertices = Vertices { file: two, clip: None, mesh: Some(one), fps: None };
        let retarget = Retarget { file: two, clip: "run".into(), settings: Default::default() };
        let sources = [
            TakeSource::Clip { file: two, clip: "run".into() },
            TakeSource::Retarget(Box::new(retarget)),
            TakeSource::Scenario(Box::new(Blend { files: vec![two], ..Blend::default() })),
            TakeSource::Vertices(vertices),
            TakeSource::Images { file: two, fps: None, sheet: None, tag: None },
            TakeSource::Walk(Box::new(Walk { level: two, ..Walk::default() })),
        ];
        let mut document = Document { files: [1, 2, 3].map(file).to_vec(), next_id: 9, ..Document::default() };
        document.characters = [1, 2, 3].map(|id| Character { file: FileId(id), roles: Default::default() }).to_vec();
        for source in sources {
            let layer = StageKind::Layer(Box::new(Layer { files: vec![two], ..Layer::default() }));
            let stages = Stage::numbered(vec![layer]);
            document.add_take(Take { id: TakeId(0), name: "take".into(), character: one, source, stages, loops: None });
        }
        document
    }

    #[test]
    fn a_replaced_file_is_named_nowhere_in_the_project() {
        let mut document = all_sources();
        document
            .objects
            .push(SceneObject { mesh: Some(ReferenceMesh::of(FileId(2))), ..SceneObject::point("box", DVec3::ZERO) });
        assert_eq!(document.takes_with_file(FileId(2)).count(), document.takes.len());
        document.replace_file(FileId(2), FileId(3), false);
        let text = serde_json::to_value(&document).unwrap();
        let is_two =
            |text: &str| text.contains("\"file\":2") || text.contains("\"level\":2") || text.contains("\"files\":[2]");
        assert!(!is_two(&text.to_string()), "{text}");
        assert_eq!(document.files.iter().map(|file| file.id.0).collect::<Vec<_>>(), [1, 3], "in the old position");
        assert!(document.removed_files.is_empty() && document.characters.len() == 2);
    }

    #[test]
    fn a_removed_file_is_named_until_its_last_take_has_another() {
        let mut document = all_sources();
        let before = document.clone();
        document.remove_file(FileId(2));
        assert_eq!((document.file(FileId(2)), document.takes.len()), (None, before.takes.len()));
        assert_eq!(document.removed_file(FileId(2)).unwrap().path.display().to_string(), "/2.glb");
        let ids: BTreeSet<TakeId> = document.takes.iter().map(|take| take.id).collect();
        for id in ids {
            assert!(document.removed_file(FileId(2)).is_some());
            document.give_file(id, FileId(2), FileId(3));
        }
        assert!(document.removed_files.is_empty());
        document.remove_file(FileId(2));
        assert_eq!(document.files.len(), 2, "there is none to remove");
    }

    #[test]
    fn a_file_that_nothing_uses_leaves_nothing() {
        let mut document = all_sources();
        document
            .objects
            .push(SceneObject { mesh: Some(ReferenceMesh::of(FileId(3))), ..SceneObject::point("box", DVec3::ZERO) });
        document.remove_file(FileId(3));
        assert!(document.removed_files.is_empty() && document.objects.is_empty());
        assert_eq!((document.files.len(), document.characters.len()), (2, 2));
    }
}
