//! In-place rename of a row: F2 starts, Enter or a click elsewhere confirms, Esc cancels.

use egui::text::{CCursor, CCursorRange};
use egui::{Id, Key, TextEdit, Ui};

use super::row::{Row, folder_key};
use crate::theme;
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// A rename in progress.
#[derive(Debug)]
pub(super) struct Rename {
    /// The renamed row.
    pub row: Row,
    /// The previous name.
    before: String,
    /// The edited name.
    text: String,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not drawn yet.
    Begun,
    Typing,
    Done,
    GivenUp,
}

impl Rename {
    /// Starts with the current name of `row`. Returns `None` for rows whose names come from a file.
    pub(super) fn begin(session: &Session, row: Row) -> Option<Self> {
        let text = match row {
            Row::Take(id) => session.document.take(TakeId(id))?.name.clone(),
            Row::Folder(key) => {
                session.document.folders.iter().find(|folder| folder_key(&folder.name) == key)?.name.clone()
            }
            Row::Object(index) => session.document.objects.get(index)?.name.clone(),
            _ => return None,
        };
        Some(Self::of(row, text))
    }

    /// Starts with the name of a folder, which may not exist yet.
    pub(super) fn of_folder(name: &str) -> Self {
        Self::of(Row::Folder(folder_key(name)), name.to_owned())
    }

    /// Returns a rename of `row` that begins with its name `text`.
    fn of(row: Row, text: String) -> Self {
        Self { row, before: text.clone(), text, state: State::Begun }
    }

    /// Draws the text field instead of the row's name. The first time focuses it and selects the text.
    pub(super) fn ui(&mut self, ui: &mut Ui) {
        let id = Id::new("outliner.rename");
        let mut output = TextEdit::singleline(&mut self.text)
            .id(id)
            .desired_width(ui.available_width() - theme::GAP_MEDIUM)
            .margin(egui::Margin::symmetric(2, 1))
            .show(ui);
        if self.state == State::Begun {
            output.response.request_focus();
            let end = CCursor::new(self.text.chars().count());
            output.state.cursor.set_char_range(Some(CCursorRange::two(CCursor::default(), end)));
            output.state.store(ui, id);
            self.state = State::Typing;
        } else if output.response.lost_focus() {
            // Esc is not visible here: it already removed the focus and may belong to a shortcut.
            let is_confirmed = ui.input(|input| {
                [Key::Enter, Key::Tab].iter().any(|&key| input.key_pressed(key)) || input.pointer.any_pressed()
            });
            self.state = if is_confirmed { State::Done } else { State::GivenUp };
        }
    }

    /// Applies the name once it is confirmed; an empty one is ignored. Returns true while the field stays open.
    pub(super) fn stays_open(&self, session: &mut Session) -> bool {
        let name = self.text.trim();
        if self.state == State::Done && !name.is_empty() {
            match self.row {
                Row::Take(id) => {
                    session.document.take_mut(TakeId(id)).into_iter().for_each(|take| take.name = name.into());
                }
                Row::Folder(_) => session.document.rename_folder(&self.before, name),
                Row::Object(index) => session.document.rename_object(index, name),
                _ => {}
            }
        }
        matches!(self.state, State::Begun | State::Typing)
    }
}
