//! The row of what is shown, where that was chosen elsewhere: marked, unfolded and brought into view.

use egui::style::ScrollAnimation;
use egui::{Id, Rect, Ui, Vec2};
use egui_ltreeview::TreeViewState;

use super::row::{FileKey, Row, folder_key, takes_of};
use super::{Outliner, TREE};
use crate::document::{FileId, TakeId};
use crate::session::{Session, Shown};
use crate::ui::theme;

/// The row that is to be brought into view.
const WANTED: &str = "outliner wanted";

impl Outliner {
    /// Marks the row of what is shown after it was chosen elsewhere; answers whether it is to be brought into view.
    pub(super) fn reveal_selection(&mut self, ui: &mut Ui, session: &mut Session) -> bool {
        ui.data_mut(|data| data.remove::<Row>(Id::new(WANTED)));
        let now = (session.selection.shown.clone(), session.selection.joint);
        if self.marked.as_ref() == Some(&now) {
            return false;
        }
        let mut state = TreeViewState::<Row>::load(ui, Id::new(TREE)).unwrap_or_default();
        let row = row_of(session, &now.0).filter(|row| !state.selected().contains(row));
        if let Some(row) = row {
            state.set_one_selected(row);
            above(session, row).into_iter().for_each(|row| state.set_openness(row, true));
            state.clone().store(ui, Id::new(TREE));
            ui.data_mut(|data| data.insert_temp(Id::new(WANTED), row));
        }
        session.selection.takes = takes_of(session, state.selected());
        self.marked = Some(now);
        row.is_some()
    }
}

/// Lets this frame, which nobody sees, draw all rows: those out of sight are not drawn at all otherwise, and have no place to go to.
pub(super) fn draw_all(ui: &mut Ui) {
    ui.set_clip_rect(Rect::EVERYTHING);
    ui.ctx().request_discard("a row is brought into view");
}

/// Brings `row` into view if it is the one that is wanted; to be called where it is drawn.
pub(super) fn scroll_to(ui: &Ui, row: Row) {
    if ui.data(|data| data.get_temp::<Row>(Id::new(WANTED))) == Some(row) {
        // With what stands around it, the row of its file or folder for one.
        let rect = ui.max_rect().expand2(Vec2::new(0.0, 3.0 * theme::ROW));
        ui.scroll_to_rect_animation(rect, None, ScrollAnimation::none());
    }
}

/// The row of what is shown.
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

/// The rows that `row` is folded into.
fn above(session: &Session, row: Row) -> Vec<Row> {
    match row {
        Row::Take(id) => {
            let folder = session.document.folder_of(TakeId(id)).map(|folder| Row::Folder(folder_key(&folder.name)));
            [Row::Takes].into_iter().chain(folder).collect()
        }
        Row::Clip(file, _) => vec![Row::File(file), Row::Clips(file)],
        Row::Joint(file, joint) => joints_above(session, file, joint),
        _ => Vec::new(),
    }
}

fn joints_above(session: &Session, file: FileKey, joint: usize) -> Vec<Row> {
    let skeleton = session.library.get(FileId(file)).map(|loaded| &loaded.model.skeleton);
    let parent = |&joint: &usize| skeleton.and_then(|skeleton| skeleton.joints.get(joint)?.parent);
    let joints = std::iter::successors(parent(&joint), parent).map(|joint| Row::Joint(file, joint));
    [Row::File(file), Row::Joints(file)].into_iter().chain(joints).collect()
}
