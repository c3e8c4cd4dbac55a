//! Animated previews of the variants in a grid. All start together under one camera.

use egui::text::LayoutJob;
use egui::{Align2, Color32, Pos2, Rect, ScrollArea, Sense, Ui, Vec2};

use crate::i18n::{localized, tr, tr_with};
use crate::units::Unit;
use crate::viewport::{SmallView, Viewport};
use crate::{theme, widgets};
use portamento_session::Session;
use portamento_session::variants::{Drawn, Look, Motion, Seen};

/// Number of columns, and number of rows visible at once if there is room.
const COLUMNS: usize = 3;
const MAX_VISIBLE_ROWS: usize = 3;
/// Height of a preview with its text, points.
const CELL_HEIGHT: f32 = 140.0;
/// Height of the image in its cell, points.
const IMAGE_HEIGHT: f32 = 106.0;
/// Maximum number of text lines in place of an image.
const MAX_TEXT_LINES: usize = 6;
/// Height of the bar that shows the travel, points.
const TRAVEL_BAR_HEIGHT: f32 = 2.0;
/// Margin around the dialog, and height below the previews in it, points.
const DIALOG_MARGIN: f32 = 64.0;
const HEIGHT_BELOW: f32 = 56.0;
/// Pause at the end before all variants restart, seconds.
const PAUSE_SECONDS: f64 = 0.7;

/// Data and renderer of the previews.
pub(super) struct Stage<'a> {
    pub session: &'a Session,
    pub viewport: &'a mut Viewport,
}

/// Data shared by all previews.
struct Shared {
    size: Vec2,
    view: Option<SmallView>,
    /// Seconds since the start.
    time: f64,
    /// Largest travel of all variants, metres.
    farthest: f64,
}

/// Returns the height of the previews, points. It does not depend on their number, so that fields stay in place while typing.
pub(super) fn height(ui: &Ui) -> f32 {
    let height_above = ui.cursor().top() - ui.min_rect().top();
    let room = (ui.ctx().content_rect().height() - DIALOG_MARGIN - height_above - HEIGHT_BELOW).max(CELL_HEIGHT);
    room.min(MAX_VISIBLE_ROWS as f32 * (CELL_HEIGHT + ui.spacing().item_spacing.y))
}

/// Draws the previews of the variants `names`. `since` is the start time in seconds of the window's clock.
pub(super) fn ui(ui: &mut Ui, names: &[&str], since: f64, Stage { session, viewport }: Stage) {
    let drawn = session.variants.drawn();
    ScrollArea::vertical().id_salt("variants").auto_shrink(false).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let gaps = (COLUMNS - 1) as f32 * ui.spacing().item_spacing.x;
        let size = Vec2::new((ui.available_width() - gaps) / COLUMNS as f32, CELL_HEIGHT);
        let shared = Shared::new(ui, drawn, size, since);
        for (names, drawn) in names.chunks(COLUMNS).zip(drawn.chunks(COLUMNS)) {
            ui.horizontal(|ui| {
                names.iter().zip(drawn).for_each(|(name, drawn)| cell(ui, name, drawn.as_ref(), &shared, viewport));
            });
        }
        if names.len() > drawn.len() {
            let more = (names.len() - drawn.len()).to_string();
            widgets::caption(ui, tr_with("variants.more", &[("count", more)]));
        }
    });
}

impl Shared {
    /// Computes what all cells of `size` (points) have in common. All motions begin at `since`, in seconds of the window's clock,
    /// and repeat after the longest one and a pause.
    fn new(ui: &Ui, drawn: &[Option<Drawn>], size: Vec2, since: f64) -> Self {
        let looks = || drawn.iter().flatten().flatten();
        let motions: Vec<&Motion> = looks().filter_map(Look::motion).collect();
        let view = SmallView::of(&motions, picture(Rect::from_min_size(Pos2::ZERO, size)));
        if looks().any(|look| look.seen.is_some()) {
            ui.ctx().request_repaint();
        }
        let longest = looks().map(|look| look.seconds).fold(0.0, f64::max);
        let time = (ui.input(|input| input.time) - since).max(0.0) % (longest + PAUSE_SECONDS);
        Self { size, view, time, farthest: looks().filter_map(|look| look.travel).fold(0.0, f64::max) }
    }
}

/// Returns the image rectangle of a cell.
fn picture(cell: Rect) -> Rect {
    cell.with_max_y(cell.min.y + IMAGE_HEIGHT)
}

/// Draws one variant: animated image, travel bar, name, duration and travel.
fn cell(ui: &mut Ui, name: &str, drawn: Option<&Drawn>, shared: &Shared, viewport: &mut Viewport) {
    let tokens = theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(shared.size, Sense::hover());
    let picture = picture(rect);
    ui.painter().rect_filled(picture, theme::RADIUS, tokens.window);
    let words = match drawn {
        None => "…".to_owned(),
        Some(Err(why)) => {
            let (why, ink) = (localized(why), tokens.error);
            instead(ui, picture, &why, ink);
            response.on_hover_text(why);
            String::new()
        }
        Some(Ok(look)) => {
            match (&look.seen, &shared.view) {
                (Some(Seen::Motion(motion)), Some(view)) => viewport.small(ui, picture, motion, view, shared.time),
                (Some(Seen::Pictures(built)), _) => viewport.small_image(ui, picture, built, shared.time),
                _ => instead(ui, picture, &tr("variants.too_large"), tokens.dim),
            }
            bar(ui, picture, look, shared.farthest);
            let travel = look.travel.map(|travel| format!(" · {}", Unit::Metres.text(travel, 2))).unwrap_or_default();
            Unit::Seconds.text(look.seconds, 2) + &travel
        }
    };
    let line = |y: f32, text: &str, ink: Color32| {
        let clip = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        clip.text(Pos2::new(rect.min.x, y), Align2::LEFT_TOP, text, theme::caption(), ink)
    };
    line(picture.max.y + 2.0, name, tokens.text);
    line(picture.max.y + 16.0, &words, tokens.dim);
}

/// Draws a text in place of an image, in at most [`MAX_TEXT_LINES`] lines.
fn instead(ui: &Ui, picture: Rect, words: &str, ink: Color32) {
    let mut job = LayoutJob::simple(words.to_owned(), theme::caption(), ink, picture.width() - 2.0 * theme::GAP_LARGE);
    job.wrap.max_rows = MAX_TEXT_LINES;
    let words = ui.painter().layout_job(job);
    ui.painter().galley(picture.center() - 0.5 * words.size(), words, ink);
}

/// Draws the travel of a variant as a part of `farthest`, the largest travel, at the lower edge of `picture`.
fn bar(ui: &Ui, picture: Rect, look: &Look, farthest: f64) {
    let part = look.travel.filter(|_| farthest > 0.0).map_or(0.0, |travel| (travel / farthest) as f32);
    let track = Rect::from_min_max(picture.left_bottom() - Vec2::new(0.0, TRAVEL_BAR_HEIGHT), picture.right_bottom());
    ui.painter().rect_filled(track.with_max_x(track.min.x + part * track.width()), 0.0, theme::of(ui).accent);
}
