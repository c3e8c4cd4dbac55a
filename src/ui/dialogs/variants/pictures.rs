//! Variants beside each other in small views, each moving as it would: all begin at once, under one camera.

use egui::text::LayoutJob;
use egui::{Align2, Color32, Pos2, Rect, ScrollArea, Sense, Ui, Vec2};

use crate::session::Session;
use crate::session::variants::{Drawn, Look, Motion, Seen};
use crate::ui::i18n::{say, tr, tr_with};
use crate::ui::units::Unit;
use crate::ui::viewport::{SmallView, Viewport};
use crate::ui::{theme, widgets};

/// Columns of the pictures, and rows that are seen at once where there is room.
const COLUMNS: usize = 3;
const ROWS: usize = 3;
/// Height of a picture with its words below, points.
const CELL: f32 = 140.0;
/// Height of a picture in its cell, points.
const PICTURE: f32 = 106.0;
/// Lines of what stands in place of a picture.
const LINES: usize = 6;
/// Height of the bar that tells how far a variant goes, points.
const WAY: f32 = 2.0;
/// What stands around the dialog, and below the pictures in it, points.
const AROUND: f32 = 64.0;
const BELOW: f32 = 56.0;
/// Seconds for which all stand at their ends before they begin again.
const PAUSE: f64 = 0.7;

/// What the pictures are drawn from, and with what.
pub(super) struct Stage<'a> {
    pub session: &'a Session,
    pub viewport: &'a mut Viewport,
}

/// What all pictures share.
struct Shared {
    size: Vec2,
    view: Option<SmallView>,
    /// Seconds since all began.
    time: f64,
    /// How far the variant goes that goes farthest, metres.
    farthest: f64,
}

/// Height for the pictures, points: the same for however many there are, so that no field moves away while its values are typed.
pub(super) fn height(ui: &Ui) -> f32 {
    let above = ui.cursor().top() - ui.min_rect().top();
    let room = (ui.ctx().content_rect().height() - AROUND - above - BELOW).max(CELL);
    room.min(ROWS as f32 * (CELL + ui.spacing().item_spacing.y))
}

/// The variants of these `names` as far as they are built, moving `since` that second of the window.
pub(super) fn ui(ui: &mut Ui, names: &[&str], since: f64, Stage { session, viewport }: Stage) {
    let drawn = session.variants.drawn();
    ScrollArea::vertical().id_salt("variants").auto_shrink(false).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let gaps = (COLUMNS - 1) as f32 * ui.spacing().item_spacing.x;
        let size = Vec2::new((ui.available_width() - gaps) / COLUMNS as f32, CELL);
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
    fn new(ui: &Ui, drawn: &[Option<Drawn>], size: Vec2, since: f64) -> Self {
        let looks = || drawn.iter().flatten().flatten();
        let motions: Vec<&Motion> = looks().filter_map(Look::motion).collect();
        let view = SmallView::of(&motions, picture(Rect::from_min_size(Pos2::ZERO, size)));
        if looks().any(|look| look.seen.is_some()) {
            ui.ctx().request_repaint();
        }
        let longest = looks().map(|look| look.seconds).fold(0.0, f64::max);
        let time = (ui.input(|input| input.time) - since).max(0.0) % (longest + PAUSE);
        Self { size, view, time, farthest: looks().filter_map(|look| look.travel).fold(0.0, f64::max) }
    }
}

/// Where the picture of a cell is.
fn picture(cell: Rect) -> Rect {
    cell.with_max_y(cell.min.y + PICTURE)
}

/// One variant: as it moves, below it how far it goes beside the others, its name, its length and way.
fn cell(ui: &mut Ui, name: &str, drawn: Option<&Drawn>, shared: &Shared, viewport: &mut Viewport) {
    let tokens = theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(shared.size, Sense::hover());
    let picture = picture(rect);
    ui.painter().rect_filled(picture, theme::RADIUS, tokens.window);
    let words = match drawn {
        None => "…".to_owned(),
        Some(Err(why)) => {
            let (why, ink) = (say(why), tokens.error);
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

/// Says in place of a picture why there is none, in as many lines as it has room for.
fn instead(ui: &Ui, picture: Rect, words: &str, ink: Color32) {
    let mut job = LayoutJob::simple(words.to_owned(), theme::caption(), ink, picture.width() - 2.0 * theme::LARGE);
    job.wrap.max_rows = LINES;
    let words = ui.painter().layout_job(job);
    ui.painter().galley(picture.center() - 0.5 * words.size(), words, ink);
}

/// How far a variant goes beside the one that goes farthest.
fn bar(ui: &Ui, picture: Rect, look: &Look, farthest: f64) {
    let part = look.travel.filter(|_| farthest > 0.0).map_or(0.0, |travel| (travel / farthest) as f32);
    let way = Rect::from_min_max(picture.left_bottom() - Vec2::new(0.0, WAY), picture.right_bottom());
    ui.painter().rect_filled(way.with_max_x(way.min.x + part * way.width()), 0.0, theme::of(ui).accent);
}
