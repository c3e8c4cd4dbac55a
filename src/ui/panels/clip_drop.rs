//! Drag and drop of clips and takes from the outliner onto clip fields.

use egui::{DragAndDrop, Response, Stroke, StrokeKind, Ui};

use crate::panels::blend::choice::Choice;
use crate::theme;

/// Drag payload of a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraggedClip {
    /// Clip name, or the reference of a take.
    pub clip: String,
}

/// Returns the choice whose clip was dropped on `slot` in this frame. While a clip is dragged over `slot`, an outline shows
/// whether it is among `choices`. A clip that is not gives `None`.
pub fn dropped<'c>(ui: &Ui, slot: &Response, choices: &'c [Choice]) -> Option<&'c Choice> {
    let fitting = |dragged: &DraggedClip| choices.iter().find(|choice| choice.clip == dragged.clip);
    let dragged = DragAndDrop::payload::<DraggedClip>(ui.ctx())?;
    // Tested by position only: the dragged row is under the pointer and would block hover detection of the slot.
    let visible = slot.rect.intersect(ui.clip_rect());
    if !ui.ctx().pointer_latest_pos().is_some_and(|at| visible.contains(at)) {
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
