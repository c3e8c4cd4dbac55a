//! Reload of sources that other programs changed; their takes are kept.

use std::path::PathBuf;

use super::opened::shown_name;
use super::opened::{Opened, Unread, read_all};
use crate::{JobKey, Session, Severity};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_takes::document::FileId;

impl Session {
    /// Starts a job that reloads every source that changed on disk and reports takes that no longer build. Takes are not
    /// changed. Call it when the window gains focus.
    pub fn reload_changed(&mut self) {
        let changed = self.read.changed(&self.document);
        self.reload(changed);
    }

    /// Reads sources again in a job, given their ids and paths in the same order. While something is being edited, their
    /// content waits for [`Session::take_arrived`].
    pub(super) fn reload(&mut self, (ids, paths): (Vec<FileId>, Vec<PathBuf>)) {
        if ids.is_empty() {
            return;
        }
        let key = JobKey::Open(paths.clone());
        let done = move |session: &mut Session, all: Vec<Result<Opened, Unread>>| {
            for (id, opened) in ids.into_iter().zip(all) {
                match opened {
                    Ok(opened) => session.read.arrived.push((id, opened)),
                    Err(unread) => session.report_unread(unread),
                }
            }
            if session.is_calm {
                session.take_arrived();
            }
        };
        self.jobs.start(key, move |progress: &Progress| read_all(&paths, progress), done);
        self.poll();
    }

    /// Shows the content of sources that were read again during an edit. Adds a notice for each that changed.
    pub(crate) fn take_arrived(&mut self) {
        let arrived = std::mem::take(&mut self.read.arrived);
        let still_open = arrived.into_iter().filter(|(id, _)| self.library.get(*id).is_some()).collect::<Vec<_>>();
        still_open.into_iter().for_each(|(id, opened)| self.take_reloaded(id, opened));
    }

    /// Replaces the content of file `id`, which another program changed, and adds a notice. Does nothing if the content is
    /// equal.
    fn take_reloaded(&mut self, id: FileId, opened: Opened) {
        let name = shown_name(&opened.path);
        if !self.note_read(id, &opened) {
            return;
        }
        self.notices.add_opening(opened.warnings_after_reload());
        self.library.insert(id, opened.loaded);
        let message = message!(
            "notice.reloaded",
            "%{file} was changed by another program and has been reloaded. Its takes are kept.",
            file = name,
        );
        self.notices.add(Severity::Info, message);
        self.report_unbuildable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand};
    use portamento_formats::export::{FileSet, gltf};
    use portamento_takes::document::{Take, TakeId, TakeSource};

    #[test]
    fn a_changed_source_is_reloaded_and_its_takes_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.glb");
        let mut model = portamento_test_support::hero();
        let save = |model: &portamento_anim::Model| {
            FileSet::write_now(|files| gltf::save(files, &path, &gltf::from_model(model, None))).unwrap();
        };
        save(&model);
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
        let file = session.document.files[0].id;
        let clips: Vec<String> = model.clips.iter().map(|clip| clip.name.clone()).collect();
        for (number, clip) in [&clips[0], clips.last().unwrap()].into_iter().enumerate() {
            let source = TakeSource::Clip { file, clip: clip.clone() };
            let (id, name) = (TakeId(number as u32 + 90), format!("take of {clip}"));
            session.document.takes.push(Take { id, name, character: file, source, stages: Vec::new(), loops: None });
        }
        session.notices.take_new();
        session.reload_changed();
        assert!(session.notices.take_new().is_empty(), "nothing changed");
        model.clips.pop();
        save(&model);
        let takes = session.document.takes.clone();
        session.reload_changed();
        assert_eq!(
            (session.library.get(file).unwrap().model.clips.len(), &session.document.takes),
            (clips.len() - 1, &takes)
        );
        let texts: Vec<String> = session.notices.take_new().into_iter().map(|notice| notice.text()).collect();
        assert!(texts.iter().any(|text| text.contains("reloaded")), "{texts:?}");
        let lost = format!("take of {} can no longer be built", clips.last().unwrap());
        assert!(
            texts.iter().filter(|text| text.contains("can no longer be built")).all(|text| text.contains(&lost)),
            "{texts:?}"
        );
        assert!(texts.iter().any(|text| text.contains(&lost)), "{texts:?}");
    }
}
