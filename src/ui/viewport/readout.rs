//! Text on a plate over the viewport.

use egui::{Align2, Painter, Pos2, Vec2};

use crate::theme;

/// Offset from the pointer to the text, points.
const POINTER_OFFSET: Vec2 = Vec2::splat(20.0);
/// Padding around the text, points.
const PADDING: Vec2 = Vec2::new(8.0, 4.0);

/// Draws text below and to the right of `pointer`; on the other side where it would leave the clip rectangle of `painter`.
pub(super) fn at_pointer(painter: &Painter, pointer: Pos2, text: String) {
    let galley = painter.layout_no_wrap(text, theme::body(), theme::view().ink);
    let size = galley.size() + 2.0 * PADDING;
    let end = painter.clip_rect().max;
    let fits = |axis: usize| pointer[axis] + POINTER_OFFSET[axis] + size[axis] <= end[axis];
    let at = |axis: usize| {
        pointer[axis] + if fits(axis) { POINTER_OFFSET[axis] } else { -POINTER_OFFSET[axis] - size[axis] }
    };
    let plate = Align2::LEFT_TOP.anchor_size(Pos2::new(at(0), at(1)), size);
    painter.rect_filled(plate, theme::RADIUS, theme::view().plate);
    painter.galley(plate.min + PADDING, galley, theme::view().ink);
}

/// Draws `words` on a plate at the screen position `at`. `align` is the corner of the plate at `at`.
pub fn resting(painter: &Painter, align: Align2, at: Pos2, words: String) {
    let galley = painter.layout_no_wrap(words, theme::caption(), theme::view().ink);
    let text_rect = align.anchor_size(at, galley.size());
    painter.rect_filled(text_rect.expand2(Vec2::new(4.0, 2.0)), theme::RADIUS, theme::view().plate);
    painter.galley(text_rect.min, galley, theme::view().ink);
}
