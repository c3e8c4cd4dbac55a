//! Sources that other programs changed while they are open: read again, their takes kept.

use super::files::{opening, shown_name};
use super::opened::{Opened, read_all};
use crate::document::FileId;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::{OpenDocument, Session, Severity};

impl Session {
    /// Reads every source again that changed on disk since it was read, and says which takes no longer fit. Takes stay as they
    /// are. Call it when the user comes back to the window.
    pub fn reload_changed(&mut self) {
        let (ids, paths) = self.read.changed(&self.document);
        if ids.is_empty() {
            return;
        }
        let job = opening(&paths);
        let done = move |session: &mut Session, all: Vec<Result<Opened, Message>>| {
            for (id, opened) in ids.into_iter().zip(all) {
                match opened {
                    Ok(opened) => session.take_reloaded(id, opened),
                    Err(message) => session.notices.say(Severity::Error, message),
                }
            }
        };
        self.jobs.start(job, move |progress: &Progress| read_all(&paths, progress), done);
        self.poll();
    }

    fn take_reloaded(&mut self, id: FileId, opened: Opened) {
        let name = shown_name(&opened.path);
        if !self.read.note(id, &opened) {
            return;
        }
        self.notices.say_all(Severity::Warning, opened.told_again());
        self.library.insert(id, opened.loaded);
        let message = message!(
            "notice.reloaded",
            "%{file} was changed by another program and was read again. Its takes are kept.",
            file = name,
        );
        self.notices.say(Severity::Warning, message);
        let takes = self.document.takes.clone();
        for take in &takes {
            let opened = OpenDocument { document: &self.document, library: &self.library };
            // What takes long is judged when it is shown.
            if let Err(error) = self.evaluation.builds.quick(opened, take) {
                let message = message!(
                    "notice.no_longer_fits",
                    "%{take} no longer fits: %{reason}",
                    take = &take.name,
                    reason = error.message(),
                );
                self.notices.say(Severity::Warning, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Take, TakeId, TakeSource};
    use crate::export::{FileSet, gltf};
    use crate::session::{Command, FileCommand};

    #[test]
    fn a_source_that_changed_is_read_again_and_its_takes_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.glb");
        let mut model = crate::samples::hero();
        let save = |model: &crate::anim::Model| {
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
            session.document.takes.push(Take { id, name, character: file, source, stages: Vec::new() });
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
        assert!(texts.iter().any(|text| text.contains("read again")), "{texts:?}");
        let lost = format!("take of {} no longer fits", clips.last().unwrap());
        assert!(
            texts.iter().filter(|text| text.contains("no longer fits")).all(|text| text.contains(&lost)),
            "{texts:?}"
        );
        assert!(texts.iter().any(|text| text.contains(&lost)), "{texts:?}");
    }
}
