//! Seam panel: similarity map of the source frames and the list of best loops.

use std::sync::Arc;

use egui::{
    Align2, Color32, ColorImage, CursorIcon, Painter, Pos2, Rect, RichText, ScrollArea, Sense, Stroke, TextureHandle,
    TextureOptions, Ui, Vec2,
};
use egui_material_icons::icons::{ICON_ALL_INCLUSIVE, ICON_ERROR, ICON_PLAY_ARROW, ICON_STOP};

use crate::i18n::{tr, tr_with};
use crate::panels::looping::seam_order::SeamOrder;
use crate::panels::looping::{lamp_color, lamp_words};
use crate::widgets::number::{IntegerField, whole_number};
use crate::{focus, theme, widgets};
use portamento_looping::SeamReport;
use portamento_looping::finder::{Candidate, FoundLoops};
use portamento_session::looping::seams::{Compared, WantedLength};
use portamento_session::{Command, EditCommand, Session};

/// Panel state: cached map, sort order and edited length.
#[derive(Default)]
pub struct Seams {
    picture: Option<(Arc<FoundLoops>, TextureHandle)>,
    order: SeamOrder,
    /// The length filter while it is edited.
    wanted: Option<WantedLength>,
}

/// Maximum side of the map texture, pixels. Longer sources are subsampled.
const MAX_MAP_PIXELS: usize = 1024;
/// Width of the candidate list, points.
const LIST_WIDTH: f32 = 250.0;
/// Columns of the list: x offset in points and key.
const COLUMNS: [(f32, &str); 5] =
    [(8.0, "rank"), (36.0, "start"), (84.0, "length"), (132.0, "distance"), (196.0, "ratio")];
/// Width of the seam rating dot, points.
const LAMP_WIDTH: f32 = 14.0;

impl Seams {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        match session.seam_finder().compared() {
            Compared::NoLoop => no_loop(ui, session),
            Compared::Running => {
                widgets::empty(ui, ICON_ALL_INCLUSIVE, &tr("seams.running"), &tr("seams.running_hint"));
            }
            Compared::Failed(words) => {
                widgets::remark(ui, ICON_ERROR, theme::of(ui).error, &words);
                if ui.button(tr("seams.again")).clicked() {
                    session.seams.compare_again();
                }
            }
            Compared::Found(found) => self.loop_map(ui, session, &found),
        }
    }

    /// Draws the map of all loops and the list of the best ones; nothing if the shown take has no loop.
    fn loop_map(&mut self, ui: &mut Ui, session: &mut Session, found: &Arc<FoundLoops>) {
        let window = session.shown_take().and_then(|take| {
            take.looped(session.selection.stage).map(|looped| (looped.settings.start, looped.settings.length))
        });
        let Some(window) = window else { return };
        let room = ui.available_rect_before_wrap();
        let side = room.height().min(room.width() - LIST_WIDTH).max(64.0);
        let map = Rect::from_min_size(room.min, Vec2::splat(side));
        let list = Rect::from_min_max(Pos2::new(map.max.x + theme::GAP_LARGE, room.min.y), room.max);
        let picture = self.picture(ui, found);
        if let Some((start, length)) = heat_map(ui, map, &picture, found, window) {
            session.seam_finder().choose(start, length);
        }
        ui.scope_builder(egui::UiBuilder::new().max_rect(list), |ui| {
            title(ui, session);
            wanted_length(ui, session, &mut self.wanted, found.frames);
            candidates(ui, session, &mut self.order, Listed { found, window });
        });
        ui.advance_cursor_after_rect(room);
    }

    /// Returns the texture of the map. It is cached until `found` is another search result.
    fn picture(&mut self, ui: &Ui, found: &Arc<FoundLoops>) -> TextureHandle {
        if let Some((known, picture)) = &self.picture
            && Arc::ptr_eq(known, found)
        {
            return picture.clone();
        }
        let picture = ui.ctx().load_texture("seams", map_image(found), TextureOptions::NEAREST);
        self.picture = Some((found.clone(), picture.clone()));
        picture
    }
}

/// Draws the hint of an empty panel, and a button that adds a loop if the shown motion can get one.
fn no_loop(ui: &mut Ui, session: &mut Session) {
    // A level or still image has nothing to loop.
    let moves = session.playback.duration > 0.0;
    if moves && session.shown_take().is_some_and(|take| take.looped(session.selection.stage).is_none()) {
        let button = widgets::text_button(ui, ICON_ALL_INCLUSIVE, &tr("command.add_loop"));
        if button.clicked() {
            session.perform(Command::Edit(EditCommand::AddLoop));
        }
    }
    widgets::empty(ui, ICON_ALL_INCLUSIVE, &tr("seams.empty"), &tr("seams.empty_hint"));
}

/// Returns the map, start frame to the right and second cycle's start down: bright for similar frames. Long sources are
/// subsampled.
fn map_image(found: &FoundLoops) -> ColorImage {
    let step = found.frames.div_ceil(MAX_MAP_PIXELS).max(1);
    let side = found.frames.div_ceil(step);
    let color = |x: usize, y: usize| theme::ramp(1.0 - found.distances[y * step * found.frames + x * step]);
    let pixels = (0..side * side).map(|i| color(i % side, i / side)).collect();
    ColorImage::new([side, side], pixels)
}

/// The reason why a point in the map is not a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NoLoop {
    /// The second cycle would start at frame `end`, not after the first at `start`.
    Backwards { start: usize, end: usize },
    /// The second cycle would end at frame `end`, beyond the last frame.
    TooLong { start: usize, length: usize, end: usize },
}

impl NoLoop {
    /// Returns the reason as translated text. `last` is the last frame of the source.
    fn explanation(self, last: usize) -> String {
        let blanks = |all: [(&'static str, usize); 4]| all.map(|(name, value)| (name, value.to_string()));
        match self {
            Self::Backwards { start, end } => {
                tr_with("seams.backwards", &[("start", start.to_string()), ("end", end.to_string())])
            }
            Self::TooLong { start, length, end } => {
                let values = blanks([("start", start), ("length", length), ("end", end), ("last", last)]);
                tr_with("seams.too_long", &values)
            }
        }
    }
}

/// Returns start and length, in frames, of the loop at `at` in the map of `frames` frames, or the reason why there is none. `at`
/// is 0 … 1 in both axes, clamped.
fn loop_at(at: Vec2, frames: usize) -> Result<(usize, usize), NoLoop> {
    let frame = |part: f32| ((part.clamp(0.0, 1.0) * frames as f32) as usize).min(frames.saturating_sub(1));
    let (start, middle) = (frame(at.x), frame(at.y));
    if middle <= start {
        return Err(NoLoop::Backwards { start, end: middle });
    }
    let (length, end) = (middle - start, 2 * middle - start);
    if end < frames { Ok((start, length)) } else { Err(NoLoop::TooLong { start, length, end }) }
}

/// Draws the map, with the loop (`start`, `length`) marked. Returns start and length, in frames, of another loop under a click or
/// drag; otherwise `None`.
fn heat_map(
    ui: &Ui,
    map: Rect,
    picture: &TextureHandle,
    found: &FoundLoops,
    (start, length): (usize, usize),
) -> Option<(usize, usize)> {
    let tokens = theme::of(ui);
    let response = ui.interact(map, ui.id().with("map"), Sense::click_and_drag());
    let name = tr("seams.map");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    let painter = ui.painter_at(map);
    painter.image(picture.id(), map, Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0)), Color32::WHITE);
    let frames = found.frames.max(1) as f32;
    let position = |x: f32, y: f32| map.min + Vec2::new(x, y) / frames * map.size();
    shade(&painter, map, tokens.window);
    for (rank, each) in found.candidates.iter().enumerate() {
        let at = position(each.start as f32 + 0.5, (each.start + each.length) as f32 + 0.5);
        painter.circle_stroke(at, 5.0, Stroke::new(1.5, theme::view().ink));
        // Good candidates are close together, so only the best shows its number.
        let words = if rank == 0 { "1" } else { "" };
        painter.text(at + Vec2::new(8.0, 0.0), Align2::LEFT_CENTER, words, theme::caption(), theme::view().ink);
    }
    let here = position(start as f32 + 0.5, (start + length) as f32 + 0.5);
    let line = Stroke::new(1.0, tokens.accent);
    painter.hline(map.min.x..=here.x, here.y, line);
    painter.vline(here.x, map.min.y..=here.y, line);
    painter.circle(here, 5.0, tokens.accent, Stroke::new(1.5, tokens.window));
    let loop_under = |at: Pos2| loop_at((at - map.min) / map.size(), found.frames);
    if let Some(hovered) = response.hover_pos().map(loop_under) {
        let cursor = if hovered.is_ok() { CursorIcon::Crosshair } else { CursorIcon::Default };
        response.clone().on_hover_cursor(cursor).on_hover_text_at_pointer(loop_text(hovered, found));
    }
    let pressed = response.interact_pointer_pos().filter(|_| response.clicked() || response.dragged());
    pressed.and_then(|at| loop_under(at).ok()).filter(|chosen| *chosen != (start, length))
}

/// Returns the tooltip of a point in the map.
fn loop_text(hovered: Result<(usize, usize), NoLoop>, found: &FoundLoops) -> String {
    let (start, length) = match hovered {
        Ok(window) => window,
        Err(reason) => return reason.explanation(found.frames.saturating_sub(1)),
    };
    let distance = found.distances[(start + length) * found.frames + start];
    let values = [("start", start.to_string()), ("length", length.to_string()), ("distance", format!("{distance:.3}"))];
    tr_with("seams.at", &values)
}

/// Darkens the area without loops: above the diagonal, and where the source ends before the second cycle does.
fn shade(painter: &Painter, map: Rect, color: Color32) {
    let dark = color.gamma_multiply(0.62);
    let middle = map.left_center();
    let none = Stroke::NONE;
    let upper = vec![map.left_top(), map.right_top(), map.right_bottom()];
    let lower = vec![middle, map.right_bottom(), map.left_bottom()];
    [upper, lower].into_iter().for_each(|points| {
        painter.add(egui::Shape::convex_polygon(points, dark, none));
    });
}

/// Input of the candidate list.
struct Listed<'a> {
    found: &'a Arc<FoundLoops>,
    /// Start and length of the current loop, frames.
    window: (usize, usize),
}

/// Draws the heading and the button that plays around the seam.
fn title(ui: &mut Ui, session: &mut Session) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(tr("seams.best")).font(theme::strong()));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let on = session.playback.around_seam && session.playback.playing;
            let icon = if on { ICON_STOP } else { ICON_PLAY_ARROW };
            if widgets::toggle_icon(ui, icon, &tr("seams.play"), on).clicked() {
                if on { session.playback.toggle() } else { session.playback.play_seam() }
            }
        });
    });
}

/// Draws the length filter, in frames, of a source of `frames` frames. The search restarts when editing ends; `edited` has the
/// values until then.
fn wanted_length(ui: &mut Ui, session: &mut Session, edited: &mut Option<WantedLength>, frames: usize) {
    let set = session.seams.wanted_length().within(frames);
    let max_length = WantedLength::default().within(frames).longest;
    let mut wanted = edited.unwrap_or(set);
    ui.horizontal(|ui| {
        ui.label(RichText::new(tr("seams.wanted")).color(theme::of(ui).dim)).on_hover_text(tr("tip.seams_wanted"));
        let mut number = |value: &mut usize, range: std::ops::RangeInclusive<usize>, key: &str| {
            let response = whole_number(ui, value, IntegerField::new(0.25).within(range).narrow());
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(tr(key)));
            response
        };
        let shortest = number(&mut wanted.shortest, 1..=max_length, "seams.shortest");
        let longest = number(&mut wanted.longest, wanted.shortest..=max_length, "seams.longest");
        let is_finished = |response: &egui::Response| response.drag_stopped() || response.lost_focus();
        if is_finished(&shortest) || is_finished(&longest) {
            session.seams.want_length(wanted.within(frames));
            *edited = None;
        } else if wanted != set {
            *edited = Some(wanted);
        }
    });
}

/// Draws the list of the best loops in the chosen order, and requests the measurement of their seams. A click applies one and
/// plays its seam.
fn candidates(ui: &mut Ui, session: &mut Session, order: &mut SeamOrder, Listed { found, window }: Listed) {
    if found.candidates.is_empty() {
        widgets::caption(ui, tr("seams.none"));
        return;
    }
    heads(ui, order);
    let calm = !ui.input(|input| input.pointer.any_down());
    let seams = session.seam_finder().candidate_seams(found, calm);
    let unmeasured = if session.seams.is_measuring(&session.jobs) { "…" } else { "–" };
    let mut asked = None;
    ScrollArea::vertical().id_salt("candidates").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for rank in order.ranks(&found.candidates, &seams) {
            let (each, seam) = (&found.candidates[rank], seams.get(rank).and_then(Option::as_ref));
            let on = (each.start, each.length) == window;
            let row = Row { rank, each, best: &found.candidates[0], seam, unmeasured };
            if row.ui(ui, on) {
                asked = Some(*each);
            }
        }
        focus::scroll_to_focus(ui);
    });
    if let Some(candidate) = asked {
        session.seam_finder().audition(&candidate);
    }
}

/// Draws the column headings with tooltips. A click sorts by the column.
fn heads(ui: &mut Ui, order: &mut SeamOrder) {
    let tokens = theme::of(ui);
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    let ends = COLUMNS.iter().skip(1).map(|(x, _)| *x).chain([rect.width()]);
    for (column, ((x, key), end)) in COLUMNS.into_iter().zip(ends).enumerate() {
        let cell = Rect::from_x_y_ranges(rect.min.x + x..=rect.min.x + end, rect.y_range());
        let response = ui.interact(cell, ui.id().with(key), Sense::click());
        let name = tr(&format!("seams.head_{key}"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
        let (is_sorted, arrow) = (order.column == column, if order.is_descending { " ▼" } else { " ▲" });
        let text = if is_sorted { format!("{name}{arrow}") } else { name };
        let color = if is_sorted || response.hovered() { tokens.text } else { tokens.dim };
        ui.painter().text(cell.left_center(), Align2::LEFT_CENTER, &text, theme::caption(), color);
        if response.on_hover_text(tr(&format!("tip.seams_{key}"))).clicked() {
            order.click(column);
        }
    }
}

/// A row of the candidate list.
struct Row<'a> {
    rank: usize,
    /// The candidate of this row.
    each: &'a Candidate,
    /// The candidate of rank 0, to compare with.
    best: &'a Candidate,
    seam: Option<&'a SeamReport>,
    /// Text shown for an unmeasured seam.
    unmeasured: &'a str,
}

impl Row<'_> {
    /// Draws the row, highlighted if `on`. Returns true if clicked.
    fn ui(&self, ui: &mut Ui, on: bool) -> bool {
        let tokens = theme::of(ui);
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), theme::ROW), Sense::click());
        let words = format!("{}: Z {} X {}", self.rank + 1, self.each.start, self.each.length);
        response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, &words));
        let fill = match () {
            () if on => theme::mix(tokens.panel, tokens.selection, 0.20),
            () if response.hovered() => theme::mix(tokens.panel, tokens.text, 0.06),
            () => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, theme::RADIUS, fill);
        let ratio = self
            .seam
            .and_then(|seam| seam.ratio)
            .map_or_else(|| self.unmeasured.to_owned(), |ratio| format!("{ratio:.2}"));
        let cells = [
            ((self.rank + 1).to_string(), tokens.dim),
            (self.each.start.to_string(), tokens.text),
            (self.each.length.to_string(), tokens.text),
            (format!("{:.3}", self.each.cost), tokens.text),
            (ratio, if self.seam.is_some() { tokens.text } else { tokens.dim }),
        ];
        let position = |x: f32| rect.left_center() + Vec2::new(x, 0.0);
        for ((x, key), (text, color)) in COLUMNS.into_iter().zip(cells) {
            let x = if key == "ratio" { x + LAMP_WIDTH } else { x };
            ui.painter().text(position(x), Align2::LEFT_CENTER, text, theme::body(), color);
        }
        if let Some(seam) = self.seam {
            ui.painter().circle_filled(position(COLUMNS[4].0 + 4.0), 4.0, lamp_color(seam.rating(), tokens));
        }
        response.on_hover_text(self.tooltip()).clicked()
    }

    /// Returns the seam rating, and the gaps at the seam as multiples of those of the best candidate.
    fn tooltip(&self) -> String {
        let (each, best) = (self.each, self.best);
        let values = [
            ("value", times(each.value_gap, best.value_gap)),
            ("speed", times(each.speed_gap, best.speed_gap)),
            ("acceleration", times(each.acceleration_gap, best.acceleration_gap)),
        ];
        let lamp = self.seam.map(|seam| format!("{}\n", lamp_words(seam)));
        lamp.unwrap_or_default() + &tr_with("seams.row", &values)
    }
}

/// Returns `each` as a multiple of `best`, or as a plain number if `best` is 0.
fn times(each: f64, best: f64) -> String {
    if best > 0.0 { format!("{:.2}×", each / best) } else { format!("{each:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_points_with_room_for_both_cycles_are_loops() {
        assert_eq!(loop_at(Vec2::new(0.105, 0.305), 100), Ok((10, 20)));
        assert_eq!(loop_at(Vec2::new(0.305, 0.105), 100), Err(NoLoop::Backwards { start: 30, end: 10 }));
        assert_eq!(loop_at(Vec2::new(0.105, 0.105), 100), Err(NoLoop::Backwards { start: 10, end: 10 }));
        assert_eq!(loop_at(Vec2::new(0.005, 0.495), 100), Ok((0, 49)));
        assert_eq!(loop_at(Vec2::new(0.005, 0.505), 100), Err(NoLoop::TooLong { start: 0, length: 50, end: 100 }));
    }

    #[test]
    fn similar_frames_are_bright_and_long_sources_are_subsampled() {
        let frames = 1500;
        let distances = (0..frames * frames).map(|i| if i % frames == i / frames { 0.0 } else { 1.0 }).collect();
        let picture = map_image(&FoundLoops { frames, distances, ..FoundLoops::default() });
        assert_eq!(
            (picture.size, picture.pixels[0], picture.pixels[1]),
            ([750, 750], theme::ramp(1.0), theme::ramp(0.0))
        );
    }
}
