//! The upward axis of a file, chosen by the user.

use crate::Session;
use portamento_anim::Rig;
use portamento_anim::geometry::UpAxis;
use portamento_takes::document::FileId;

impl Session {
    /// Sets the upward axis of `file`; `None` for the axis that it was read with. Joint roles that were found automatically
    /// are found again in the turned figure. Roles that the user changed stay. Does nothing if the file is not loaded.
    pub fn set_up_axis(&mut self, file: FileId, up: Option<UpAxis>) {
        let Some(before) = self.library.get(file).cloned() else { return };
        let Some(source) = self.document.files.iter_mut().find(|source| source.id == file) else { return };
        source.up = up;
        self.turn_files();
        let Some(after) = self.library.get(file).filter(|after| **after != before) else { return };
        let roles = Rig::of_model(&after.model).roles;
        let mut characters = self.document.characters.iter_mut();
        if let Some(character) = characters.find(|character| character.file == file)
            && character.roles == Rig::of_model(&before.model).roles
        {
            character.roles = roles;
        }
    }

    /// Turns the loaded files whose upward axis in the document differs from the one they are shown with.
    pub(crate) fn turn_files(&mut self) {
        for file in &self.document.files {
            let Some(loaded) = self.library.get(file.id) else { continue };
            let turned = loaded.with_up(file.up);
            if turned != *loaded {
                self.library.insert(file.id, turned);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, EditCommand, FileCommand};

    #[test]
    fn a_file_of_any_format_is_turned_and_undo_turns_it_back() {
        let mut session = Session::inline();
        let hero = portamento_test_support::asset("hero.glb");
        session.perform(Command::File(FileCommand::Open(vec![hero])));
        session.update(0.0, true);
        let file = session.document.files[0].id;
        let read = session.library.get(file).unwrap().clone();
        let height = |session: &Session| {
            let bounds = session.library.get(file).unwrap().rest_bounds();
            [bounds.high.y - bounds.low.y, bounds.high.z - bounds.low.z]
        };
        let [tall, deep] = height(&session);
        assert!(tall > 1.2 && deep < 1.2, "{tall} {deep}");
        session.set_up_axis(file, Some(UpAxis::Z));
        session.update(0.0, true);
        let turned = height(&session);
        assert!((turned[0] - deep).abs() < 1e-3 && (turned[1] - tall).abs() < 1e-3, "{turned:?}");
        assert!(session.library.get(file).unwrap().source.is_none(), "its nodes differ");
        session.perform(Command::Edit(EditCommand::Undo));
        session.update(0.0, true);
        assert!(*session.library.get(file).unwrap() == read, "the file as it was read");
        assert_eq!(session.document.files[0].up, None);
    }
}
