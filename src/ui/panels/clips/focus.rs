//! Keyboard control of the table: arrows select, Shift extends, Enter opens, Ctrl+A selects all shown rows, Ctrl+C copies.

use egui::{Event, EventFilter, Id, Key, Modifiers, Rect, Sense, StrokeKind, Ui, WidgetInfo, WidgetType};

use super::clicked::open;
use super::menu::library;
use crate::i18n::tr;
use crate::theme;
use portamento_session::Session;
use portamento_session::clip_library::{ChooseMode, LibraryCommand};

/// Keyboard focus of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus {
    id: Id,
    has_keys: bool,
    is_pointed_at: bool,
}

/// Rows moved by Page Up and Page Down.
const PAGE_ROWS: isize = 10;

impl Focus {
    /// Returns the focus state of the table at `rect` (points), and outlines the table while it has keyboard focus.
    pub(super) fn of(ui: &Ui, rect: Rect) -> Self {
        let id = ui.id().with("clip table");
        let response = ui.interact(rect, id, Sense::focusable_noninteractive());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, tr("clips.table")));
        let has_keys = response.has_focus();
        if has_keys {
            let keys = EventFilter { vertical_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, keys));
            let stroke = (1.0, theme::of(ui).accent);
            ui.painter().rect_stroke(rect.expand(2.0), theme::RADIUS, stroke, StrokeKind::Inside);
        }
        Self { id, has_keys, is_pointed_at: ui.rect_contains_pointer(rect) }
    }

    /// Gives the table keyboard focus.
    pub(super) fn request(self, ui: &Ui) {
        ui.memory_mut(|memory| memory.request_focus(self.id));
    }

    /// Handles the keys: they select, open and copy rows. Returns the new position among the shown rows if the selection moved.
    /// Without the focus, only Ctrl+A works, under the pointer.
    pub(super) fn keys(self, ui: &Ui, session: &mut Session) -> Option<usize> {
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        let listens = self.has_keys || self.is_pointed_at;
        if listens && !ui.ctx().text_edit_focused() && pressed(Modifiers::COMMAND, Key::A) {
            session.clips.choose_shown();
        }
        if !self.has_keys {
            return None;
        }
        let single = session.clips.chosen.iter().next().copied().filter(|_| session.clips.chosen.len() == 1);
        if pressed(Modifiers::NONE, Key::Enter) {
            let asked = single.and_then(|row| open(&session.clips, row));
            asked.into_iter().for_each(|command| session.perform(command));
        }
        if ui.input(|input| input.events.contains(&Event::Copy)) {
            session.perform(library(LibraryCommand::Copy));
        }
        let steps = [(Key::ArrowDown, 1), (Key::ArrowUp, -1), (Key::PageDown, PAGE_ROWS), (Key::PageUp, -PAGE_ROWS)];
        let modes = [(Modifiers::SHIFT, ChooseMode::UpTo), (Modifiers::NONE, ChooseMode::Alone)];
        let mut moved = None;
        for (key, rows) in steps {
            let mode = modes.into_iter().find(|&(modifiers, _)| pressed(modifiers, key)).map(|(_, mode)| mode);
            moved = mode.and_then(|mode| session.clips.choose_next(rows, mode)).or(moved);
        }
        moved
    }
}
