//! Reveals the row of the current item when it was selected elsewhere: selects, unfolds and scrolls to it.

use egui::style::ScrollAnimation;
use egui::{Id, Rect, Ui, Vec2};
use egui_ltreeview::TreeViewState;

use super::row::{FileKey, Row, folder_key, takes_of};
use super::{Outliner, TREE_ID};
use crate::theme;
use portamento_session::{Session, Shown};
use portamento_takes::document::{FileId, TakeId};

/// Key of the row to scroll to.
const WANTED_KEY: &str = "outliner wanted";

impl Outliner {
    /// Selects the row of the shown item if it was selected elsewhere, opens the rows above it, and updates the selected takes.
    /// Returns true if the row must be scrolled into view.
    pub(super) fn reveal_selection(&mut self, ui: &mut Ui, session: &mut Session) -> bool {
        ui.data_mut(|data| data.remove::<Row>(Id::new(WANTED_KEY)));
        let current = (session.selection.shown.clone(), session.selection.joint);
        if self.marked.as_ref() == Some(&current) {
            return false;
        }
        let mut state = TreeViewState::<Row>::load(ui, Id::new(TREE_ID)).unwrap_or_default();
        let row = row_of(session, &current.0).filter(|row| !state.selected().contains(row));
        if let Some(row) = row {
            state.set_one_selected(row);
            ancestors_of(session, row).into_iter().for_each(|row| state.set_openness(row, true));
            state.clone().store(ui, Id::new(TREE_ID));
            ui.data_mut(|data| data.insert_temp(Id::new(WANTED_KEY), row));
        }
        session.selection.takes = takes_of(session, state.selected());
        self.marked = Some(current);
        row.is_some()
    }
}

/// Draws all rows in this frame, also those outside the view, and discards the frame. Rows outside the view are normally skipped
/// and have no position to scroll to.
pub(super) fn draw_all(ui: &mut Ui) {
    ui.set_clip_rect(Rect::EVERYTHING);
    ui.ctx().request_discard("a row is brought into view");
}

/// Scrolls to `row` if it is the wanted one. Call it where the row is drawn.
pub(super) fn scroll_to(ui: &Ui, row: Row) {
    if ui.data(|data| data.get_temp::<Row>(Id::new(WANTED_KEY))) == Some(row) {
        // With some margin, so that its file or folder row is also visible.
        let rect = ui.max_rect().expand2(Vec2::new(0.0, 3.0 * theme::ROW));
        ui.scroll_to_rect_animation(rect, None, ScrollAnimation::none());
    }
}

/// Returns the row of `shown`, or of the selected joint if that is a file. `None` if nothing is shown or the clip is not loaded.
pub(super) fn row_of(session: &Session, shown: &Shown) -> Option<Row> {
    match shown {
        Shown::Nothing => None,
        Shown::Take(id) => Some(Row::Take(id.0)),
        Shown::File(id) => match session.selection.joint {
            Some(joint) => Some(Row::Joint(id.0, joint)),
            None => Some(Row::File(id.0)),
        },
        Shown::Clip { file, clip, .. } => {
            let clips = &session.library.get(*file)?.model.clips;
            Some(Row::Clip(file.0, clips.iter().position(|each| each.name == *clip)?))
        }
    }
}

/// Returns the rows that must be open for `row` to be visible.
fn ancestors_of(session: &Session, row: Row) -> Vec<Row> {
    match row {
        Row::Take(id) => {
            let folder = session.document.folder_of(TakeId(id)).map(|folder| Row::Folder(folder_key(&folder.name)));
            [Row::Takes].into_iter().chain(folder).collect()
        }
        Row::Clip(file, _) => vec![Row::File(file), Row::Clips(file)],
        Row::Joint(file, joint) => joint_ancestors(session, file, joint),
        _ => Vec::new(),
    }
}

/// Returns the rows above a joint that must be open to show it.
fn joint_ancestors(session: &Session, file: FileKey, joint: usize) -> Vec<Row> {
    let skeleton = session.library.get(FileId(file)).map(|loaded| &loaded.model.skeleton);
    let parent = |&joint: &usize| skeleton.and_then(|skeleton| skeleton.joints.get(joint)?.parent);
    let joints = std::iter::successors(parent(&joint), parent).map(|joint| Row::Joint(file, joint));
    [Row::File(file), Row::Joints(file)].into_iter().chain(joints).collect()
}
