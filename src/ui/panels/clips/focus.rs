//! The table by keyboard: arrows choose, with Shift as a range, Enter opens, Ctrl+A chooses all that is shown, Ctrl+C copies.

use egui::{Event, EventFilter, Id, Key, Modifiers, Rect, Sense, StrokeKind, Ui, WidgetInfo, WidgetType};

use super::bar::library;
use super::clicked::open;
use crate::session::Session;
use crate::session::clip_library::{ChooseMode, LibraryCommand};
use crate::ui::i18n::tr;
use crate::ui::theme;

/// The table as something that has the keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus {
    id: Id,
    has_keys: bool,
    is_pointed_at: bool,
}

/// Rows that Page Up and Page Down go.
const PAGE: isize = 10;

impl Focus {
    /// Of the table at `place`; marked there while it has the keys.
    pub(super) fn of(ui: &Ui, place: Rect) -> Self {
        let id = ui.id().with("clip table");
        let response = ui.interact(place, id, Sense::focusable_noninteractive());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, tr("clips.table")));
        let has_keys = response.has_focus();
        if has_keys {
            let keys = EventFilter { vertical_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, keys));
            let stroke = (1.0, theme::of(ui).accent);
            ui.painter().rect_stroke(place.expand(2.0), theme::RADIUS, stroke, StrokeKind::Inside);
        }
        Self { id, has_keys, is_pointed_at: ui.rect_contains_pointer(place) }
    }

    /// Gives the table the keys.
    pub(super) fn request(self, ui: &Ui) {
        ui.memory_mut(|memory| memory.request_focus(self.id));
    }

    /// Does what keys ask for; answers the place of the row that was gone to among those that are shown.
    pub(super) fn keys(self, ui: &Ui, session: &mut Session) -> Option<usize> {
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        let listens = self.has_keys || self.is_pointed_at;
        if listens && !ui.ctx().text_edit_focused() && pressed(Modifiers::COMMAND, Key::A) {
            session.clips.choose_shown();
        }
        if !self.has_keys {
            return None;
        }
        let alone = session.clips.chosen.iter().next().copied().filter(|_| session.clips.chosen.len() == 1);
        if pressed(Modifiers::NONE, Key::Enter) {
            let asked = alone.and_then(|row| open(&session.clips, row));
            asked.into_iter().for_each(|command| session.perform(command));
        }
        if ui.input(|input| input.events.contains(&Event::Copy)) {
            session.perform(library(LibraryCommand::Copy));
        }
        let steps = [(Key::ArrowDown, 1), (Key::ArrowUp, -1), (Key::PageDown, PAGE), (Key::PageUp, -PAGE)];
        let modes = [(Modifiers::SHIFT, ChooseMode::UpTo), (Modifiers::NONE, ChooseMode::Alone)];
        let mut moved = None;
        for (key, rows) in steps {
            let mode = modes.into_iter().find(|&(modifiers, _)| pressed(modifiers, key)).map(|(_, mode)| mode);
            moved = mode.and_then(|mode| session.clips.choose_next(rows, mode)).or(moved);
        }
        moved
    }
}
