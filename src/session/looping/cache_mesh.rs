//! The mesh for a point cache without faces: any open file with the same number of vertices.

use std::path::{Path, PathBuf};

use crate::notices::about;
use crate::project::shown_name;
use crate::{OpenDocument, Session};
use portamento_anim::Footage;
use portamento_anim::media::VertexClip;
use portamento_base::message::{Message, message};
use portamento_takes::document::take::Vertices;
use portamento_takes::document::{FileId, Loaded, TakeSource};

impl<'a> OpenDocument<'a> {
    /// Returns the open files whose mesh fits the point cache `file`, in order of opening. Empty if the cache has its
    /// own faces, or if `file` is not a cache.
    pub fn meshes_for(self, file: FileId) -> Vec<FileId> {
        let Some(cache) = self.faceless_cache(file) else { return Vec::new() };
        let others = self.document.files.iter().map(|other| other.id).filter(|&other| other != file);
        others.filter(|&other| self.library.get(other).is_some_and(|loaded| fits(loaded, cache.vertices))).collect()
    }

    /// True if `file` is a cache without faces.
    pub fn lacks_faces(self, file: FileId) -> bool {
        self.faceless_cache(file).is_some()
    }

    /// Returns the frames of `file` as a take source; a cache without faces gets the first mesh that fits. Images get the
    /// known sheet grid and the first tag.
    pub(crate) fn source_of(self, file: FileId, footage: &Footage) -> TakeSource {
        match footage {
            Footage::Vertices(_) => {
                let mesh = self.meshes_for(file).first().copied();
                TakeSource::Vertices(Vertices { file, clip: None, mesh, fps: None })
            }
            Footage::Images(clip) => {
                let tag = clip.tags.first().map(|tag| tag.name.clone());
                let sheet = self.document.file(file).and_then(|file| file.sheet);
                TakeSource::Images { file, fps: None, sheet, tag }
            }
        }
    }

    /// Returns the vertices of a cache file without faces; `None` for all other files.
    fn faceless_cache(self, file: FileId) -> Option<&'a VertexClip> {
        match self.library.get(file)?.footage.as_ref()? {
            Footage::Vertices(clip) if clip.faces.is_empty() => Some(clip),
            _ => None,
        }
    }
}

impl Session {
    /// Returns a warning for each cache without faces among the opened `paths` that no open mesh fits.
    pub(crate) fn caches_without_mesh(&self, paths: &[PathBuf]) -> Vec<Message> {
        let opened = |path: &Path| self.document.files.iter().find(|file| file.path == path).map(|file| file.id);
        let has_no_mesh = |id: FileId| self.opened().lacks_faces(id) && self.opened().meshes_for(id).is_empty();
        let faceless = |path: &&PathBuf| opened(path).is_some_and(has_no_mesh);
        let names: Vec<String> = paths.iter().filter(faceless).map(|path| shown_name(path)).collect();
        let missing = |name: String| {
            let missing = message!(
                "warning.import.no_faces",
                "A cache has points but no faces. Open its mesh too, or put the mesh in the same folder under the same name."
            );
            about(&name, missing)
        };
        names.into_iter().map(missing).collect()
    }
}

/// True if `file` has faces and exactly `vertices` vertices.
fn fits(file: &Loaded, vertices: usize) -> bool {
    match &file.footage {
        Some(Footage::Vertices(clip)) => clip.vertices == vertices && !clip.faces.is_empty(),
        Some(Footage::Images(_)) => false,
        None => {
            let parts = || file.model.placed_primitives().map(|(_, part)| part);
            let counted: usize = parts().map(|part| part.positions.len()).sum();
            counted == vertices && parts().any(|part| !part.indices.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{Command, EditCommand, FileCommand, Shown};
    use portamento_formats::export::point_cache::{ClosingKey, mdd};
    use portamento_takes::evaluate::Content;

    #[test]
    fn a_cache_uses_a_fitting_open_mesh_and_its_loop_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let frames = (0..12).map(|i| Vec3::new((i % 3) as f32, (i / 3) as f32, 0.0)).collect();
        let clip = VertexClip::new("leaf", 24.0, 3, frames, Vec::new()).unwrap();
        std::fs::write(path("leaf.mdd"), mdd(&clip, ClosingKey::Without).unwrap()).unwrap();
        std::fs::write(path("other.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n").unwrap();
        std::fs::write(path("mesh.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 1\nf 1/1 2/2 3/2\n").unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path("leaf.mdd"), path("other.obj")])));
        session.update(0.0, true);
        let cache = session.document.files[0].id;
        assert!(session.opened().lacks_faces(cache) && session.opened().meshes_for(cache).is_empty());
        let asks = |session: &Session| session.notices.all().iter().any(|notice| notice.text().contains("no faces"));
        assert!(asks(&session));
        let mut together = Session::inline();
        together.perform(Command::File(FileCommand::Open(vec![path("leaf.mdd"), path("mesh.obj")])));
        assert!(!asks(&together), "its mesh was opened with it");
        session.perform(Command::File(FileCommand::Open(vec![path("mesh.obj")])));
        session.update(0.0, true);
        let mesh = session.document.files[2].id;
        assert_eq!(session.opened().meshes_for(cache), [mesh]);
        session.selection.shown = Shown::File(cache);
        session.perform(Command::Edit(EditCommand::AddLoop));
        session.update(0.0, true);
        let TakeSource::Vertices(source) = session.shown_take().unwrap().source else { panic!("no cache") };
        assert_eq!((source.file, source.mesh), (cache, Some(mesh)));
        let built = session.frame().unwrap().built.clone().unwrap();
        let Content::Vertices(vertices) = &built.content else { panic!("no vertices") };
        assert_eq!(vertices.clip.faces, [0, 1, 2]);
        assert_eq!(built.character.model.meshes[0].primitives[0].uvs.len(), 3, "and its coordinates");
    }
}
