//! Words on a dark plate over the picture.

use egui::{Align2, Painter, Pos2, Vec2};

use crate::theme;

/// From the pointer to the words, points.
const AWAY: Vec2 = Vec2::splat(20.0);
/// Around the words, points.
const ROOM: Vec2 = Vec2::new(8.0, 4.0);

/// Words below and to the right of `pointer`, or on its other side where the picture ends.
pub(super) fn at_pointer(painter: &Painter, pointer: Pos2, text: String) {
    let galley = painter.layout_no_wrap(text, theme::body(), theme::view().ink);
    let size = galley.size() + 2.0 * ROOM;
    let end = painter.clip_rect().max;
    let fits = |way: usize| pointer[way] + AWAY[way] + size[way] <= end[way];
    let at = |way: usize| pointer[way] + if fits(way) { AWAY[way] } else { -AWAY[way] - size[way] };
    let plate = Align2::LEFT_TOP.anchor_size(Pos2::new(at(0), at(1)), size);
    painter.rect_filled(plate, theme::RADIUS, theme::view().plate);
    painter.galley(plate.min + ROOM, galley, theme::view().ink);
}

/// Words with `align` at `at`, for corners of the picture.
pub fn resting(painter: &Painter, align: Align2, at: Pos2, words: String) {
    let galley = painter.layout_no_wrap(words, theme::caption(), theme::view().ink);
    let place = align.anchor_size(at, galley.size());
    painter.rect_filled(place.expand2(Vec2::new(4.0, 2.0)), theme::RADIUS, theme::view().plate);
    painter.galley(place.min, galley, theme::view().ink);
}
