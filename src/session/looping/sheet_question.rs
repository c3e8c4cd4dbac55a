//! The question whether an image is a sprite sheet, with the grid of its frames.

use crate::{Session, Shown};
use portamento_anim::Footage;
use portamento_anim::media::SheetGrid;
use portamento_takes::document::{FileId, Loaded, Take, TakeSource};

/// A question about one image, with the grid that the user edits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetQuestion {
    /// The file with the image.
    pub file: FileId,
    /// The current answer.
    pub grid: SheetGrid,
}

/// The grid of an image that is one frame.
pub const SINGLE_FRAME: SheetGrid = SheetGrid { columns: 1, rows: 1, frames: None };

impl Session {
    /// Asks about a newly opened image whose transparent gutters suggest a grid. Does nothing for other files.
    pub(crate) fn ask_about_new_sheet(&mut self, file: FileId, loaded: &Loaded) {
        if let Some(grid) = guessed_grid(loaded) {
            self.sheet_questions.push(SheetQuestion { file, grid });
        }
    }

    /// Asks about an image with its grid, or else with the guessed one, and shows the image. Replaces an open question
    /// about it.
    pub fn ask_about_sheet(&mut self, file: FileId) {
        let known = self.document.file(file).and_then(|file| file.sheet);
        let guessed = || self.library.get(file).and_then(|loaded| guessed_grid(loaded));
        let grid = known.or_else(guessed).unwrap_or(SINGLE_FRAME);
        self.sheet_questions.retain(|question| question.file != file);
        self.sheet_questions.push(SheetQuestion { file, grid });
        self.selection.show(Shown::File(file));
    }

    /// Returns the question about the shown image, for editing. `None` if there is none.
    pub fn sheet_question_mut(&mut self) -> Option<&mut SheetQuestion> {
        let Shown::File(shown) = self.selection.shown else { return None };
        self.sheet_questions.iter_mut().find(|question| question.file == shown)
    }

    /// Answers the question about an image with its grid, or `None` if it is a single picture. Sets the playhead to 0.
    pub fn answer_sheet(&mut self, file: FileId, grid: Option<SheetGrid>) {
        self.sheet_questions.retain(|question| question.file != file);
        if let Some(file) = self.document.files.iter_mut().find(|known| known.id == file) {
            file.sheet = grid.filter(|grid| *grid != SINGLE_FRAME);
        }
        self.playback.time = 0.0;
    }

    /// Returns `take` with the whole image instead of its frames while the question about it is open.
    pub(crate) fn whole_while_asked(&self, mut take: Take) -> Take {
        let is_asked = |file: FileId| {
            self.selection.shown == Shown::File(file) && self.sheet_questions.iter().any(|asked| asked.file == file)
        };
        if let TakeSource::Images { file, sheet, .. } = &mut take.source
            && is_asked(*file)
        {
            *sheet = None;
        }
        take
    }
}

/// Returns the grid that the transparent gutters of a single image suggest; `None` for other files and images without gutters.
fn guessed_grid(loaded: &Loaded) -> Option<SheetGrid> {
    match loaded.footage.as_ref()? {
        Footage::Images(clip) if clip.info.frames == 1 => SheetGrid::guess(clip),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, EditCommand, FileCommand};

    /// A session with a sheet of 3 × 2 frames of 8 pixels, each with a dot in its middle.
    fn opened() -> (tempfile::TempDir, Session, FileId) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.png");
        let is_dot = |at: u32| (2..6).contains(&(at % 8));
        let pixel = |x, y| image::Rgba(if is_dot(x) && is_dot(y) { [255; 4] } else { [0; 4] });
        image::RgbaImage::from_fn(24, 16, pixel).save(&path).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session.update(0.0, true);
        let file = session.document.files[0].id;
        (folder, session, file)
    }

    fn frames(session: &Session) -> usize {
        session.frame().unwrap().built.as_ref().unwrap().frames()
    }

    #[test]
    fn a_sheet_is_asked_on_opening_and_plays_once_answered() {
        let (_folder, mut session, file) = opened();
        let question = *session.sheet_question_mut().unwrap();
        assert_eq!(question, SheetQuestion { file, grid: SheetGrid { columns: 3, rows: 2, frames: None } });
        assert_eq!(frames(&session), 1, "the whole image is shown");
        session.answer_sheet(file, Some(question.grid));
        session.update(0.0, true);
        assert_eq!((frames(&session), session.sheet_question_mut().is_none()), (6, true));
        session.perform(Command::Edit(EditCommand::AddLoop));
        session.update(0.0, true);
        let TakeSource::Images { sheet, .. } = session.document.takes[0].source else { panic!("images") };
        assert_eq!(sheet, Some(question.grid), "takes begin with the grid of their file");
        session.ask_about_sheet(file);
        session.update(0.0, true);
        assert_eq!(frames(&session), 1, "the whole image again");
        session.answer_sheet(file, None);
        session.update(0.0, true);
        assert_eq!((frames(&session), session.document.files[0].sheet), (1, None));
    }
}
