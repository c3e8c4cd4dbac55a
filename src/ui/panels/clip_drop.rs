//! Clips and takes dragged from the outliner onto whatever names a clip.

use egui::{DragAndDrop, Response, Stroke, StrokeKind, Ui};

use crate::ui::panels::blend::choice::Choice;
use crate::ui::theme;

/// A clip on its way from the outliner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraggedClip {
    /// Its name, or what means a take.
    pub clip: String,
}

/// The one of `choices` that was let go over `slot`; while one hovers there, a line tells whether it fits.
pub fn dropped<'c>(ui: &Ui, slot: &Response, choices: &'c [Choice]) -> Option<&'c Choice> {
    let fitting = |dragged: &DraggedClip| choices.iter().find(|choice| choice.clip == dragged.clip);
    let dragged = DragAndDrop::payload::<DraggedClip>(ui.ctx())?;
    // Told by the place alone: the row that is dragged lies under the pointer and hides from the slot that it is there.
    let seen = slot.rect.intersect(ui.clip_rect());
    if !ui.ctx().pointer_latest_pos().is_some_and(|at| seen.contains(at)) {
        return None;
    }
    let tokens = theme::of(ui);
    let color = if fitting(&dragged).is_some() { tokens.accent } else { tokens.error };
    ui.painter().rect_stroke(slot.rect, theme::RADIUS, Stroke::new(2.0, color), StrokeKind::Outside);
    if !ui.input(|input| input.pointer.any_released()) {
        return None;
    }
    DragAndDrop::clear_payload(ui.ctx());
    fitting(&dragged)
}
