//! Route seeds of a walk: variety, comparison and the current route.

use egui::text::{LayoutJob, TextWrapping};
use egui::{RichText, ScrollArea, Sense, Ui, Vec2};
use egui_material_icons::icons::{ICON_INFO, ICON_PUSH_PIN};

use crate::i18n::{tr, tr_with};
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, IntegerField, Unit, signed_percent, whole_number};
use crate::widgets::rows::{count_row, number_row};
use crate::widgets::{Readout, form};
use crate::{focus, theme, widgets};
use portamento_session::Session;
use portamento_takes::document::Walk;
use portamento_takes::evaluate::{LevelRoutes, Walked};
use portamento_walk::navigation::{RouteSetSettings, RouteVariant, bound};

/// Returns the display name of the route of `seed`: the name of its pin, else its number.
pub(crate) fn route_word(walk: &Walk, seed: u64) -> String {
    walk.pin(seed).map_or_else(|| tr_with("walk.route", &[("seed", seed.to_string())]), |pin| pin.name.clone())
}

/// Draws the settings of the route seeds and, once routes are found, their comparison and list.
pub(super) fn seeds_ui(ui: &mut Ui, session: &mut Session, walk: &mut Walk, walked: Option<&Walked>) {
    let plain = RouteSetSettings::default();
    let routes = &mut walk.routes;
    let share = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, 1.0) };
    number_row(ui, "walk_variety", &mut routes.variety, share, plain.variety);
    widgets::caption(ui, tr_with("walk.bound", &[("factor", format!("{:.2}", bound(routes.variety)))]));
    count_row(ui, "walk_count", &mut routes.count, 1..=100, plain.count);
    let reset = form::row(ui, "walk_first", |ui| {
        form::named(whole_number(ui, &mut routes.first, IntegerField::new(0.2)));
    });
    if reset {
        routes.first = plain.first;
    }
    number_row(ui, "walk_corner", &mut routes.radius, Field::new(Unit::Metres).within(0.0, 20.0), plain.radius);
    let Some(routes) = walked.and_then(|walked| walked.routes.as_ref()) else { return };
    compared(ui, routes);
    route_list(ui, session, walk, routes);
}

/// Draws the comparison figures of the routes.
fn compared(ui: &mut Ui, routes: &LevelRoutes) {
    let tokens = theme::of(ui);
    let compared = &routes.compared;
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let _ = widgets::readouts(
        ui,
        &[
            Readout::new(
                "routes_distinct",
                format!("{} / {}", compared.distinct, compared.variants.len()),
                tokens.text,
            ),
            Readout::new("routes_overlap", percent(compared.overlap), tokens.text),
            Readout::new("routes_extra", signed_percent(compared.extra), tokens.text),
            Readout::new("routes_quickest", Unit::Seconds.text(compared.quickest.seconds, 1), tokens.text),
        ],
    );
    if compared.one_corridor {
        widgets::remark(ui, ICON_INFO, tokens.target, &tr("walk.one_corridor"));
    }
}

/// Maximum number of rows visible at once.
const MAX_VISIBLE_ROWS: f32 = 10.0;

/// Draws the routes of all seeds with their figures, and a name field if the chosen route is pinned.
fn route_list(ui: &mut Ui, session: &mut Session, walk: &mut Walk, routes: &LevelRoutes) {
    heads(ui);
    let variants: Vec<&RouteVariant> = routes.variants().collect();
    let height = (theme::ROW + ui.spacing().item_spacing.y) * MAX_VISIBLE_ROWS.min(variants.len() as f32);
    let scroll = ScrollArea::vertical().id_salt("seeds").max_height(height).min_scrolled_height(height);
    scroll.show_rows(ui, theme::ROW, variants.len(), |ui, rows| {
        for variant in variants.get(rows).unwrap_or_default() {
            ui.push_id(variant.seed, |ui| row(ui, session, walk, variant));
        }
        focus::scroll_to_focus(ui);
    });
    if let Some(pin) = walk.pins.iter_mut().find(|pin| pin.seed == walk.seed) {
        form::row(ui, "walk_pin_name", |ui| {
            let width = ui.available_width() - 16.0;
            NameField::new(&tr("form.walk_pin_name")).with_width(width).ui(ui, &mut pin.name);
        });
    }
}

/// Right edges of the columns after the name, as fractions of the row.
const COLUMNS: [f32; 5] = [0.44, 0.56, 0.70, 0.86, 1.0];
/// Right edges in a narrow panel; 0 hides a column.
const NARROW_COLUMNS: [f32; 5] = [0.47, 0.61, 0.805, 0.0, 1.0];
/// Row width from which all columns fit, points.
const WIDE_ROW_WIDTH: f32 = 340.0;

/// Returns each visible word with the right edge of its column in `rect`. A narrow `rect` hides a column.
fn in_columns(rect: egui::Rect, words: [String; 5]) -> impl Iterator<Item = (egui::Pos2, String)> {
    let shares = if rect.width() < WIDE_ROW_WIDTH { NARROW_COLUMNS } else { COLUMNS };
    let at = move |share: f32| egui::pos2(rect.min.x + (rect.width() - theme::GAP_MEDIUM) * share, rect.center().y);
    shares.into_iter().zip(words).filter(|(share, _)| *share > 0.0).map(move |(share, word)| (at(share), word))
}

/// Draws the headings of the columns.
fn heads(ui: &mut Ui) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    response.on_hover_text(tr("walk.columns"));
    let dim = theme::of(ui).dim;
    let words = ["walk.seconds", "walk.extra", "walk.turning", "walk.changes", "walk.overlap"].map(tr);
    for (at, word) in in_columns(rect, words) {
        ui.painter().text(at, egui::Align2::RIGHT_CENTER, word, theme::caption(), dim);
    }
}

/// Draws one seed. A click on the row uses its route, a click on the pin pins it. Hovering highlights the route in the viewport.
fn row(ui: &mut Ui, session: &mut Session, walk: &mut Walk, variant: &RouteVariant) {
    let tokens = theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), theme::ROW), Sense::click());
    let name = route_word(walk, variant.seed);
    let chosen = walk.seed == variant.seed;
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, chosen, &name));
    let is_hovered = response.hovered() || session.selection.route == Some(variant.seed);
    if chosen || is_hovered {
        let amount = if is_hovered { 0.10 } else { 0.05 };
        ui.painter().rect_filled(rect, theme::RADIUS, theme::mix(tokens.panel, tokens.text, amount));
    }
    if response.hovered() {
        session.selection.route = Some(variant.seed);
    }
    let pin = egui::Rect::from_min_size(rect.min, Vec2::splat(theme::ROW));
    let is_pinned = walk.pin(variant.seed).is_some();
    let pinning = ui.interact(pin, ui.id().with("pin"), Sense::click());
    let tip = tr("walk.pin");
    pinning.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_pinned, &tip));
    let ink = if is_pinned { tokens.target } else { theme::mix(tokens.panel, tokens.dim, 0.5) };
    let middle = egui::Align2::CENTER_CENTER;
    ui.painter().text(pin.center(), middle, ICON_PUSH_PIN.codepoint, theme::body(), ink);
    let (overlap, turning) = (variant.overlap * 100.0, variant.route.turning.to_degrees());
    let seconds = Unit::Seconds.text(variant.route.seconds, 1);
    let changes = variant.route.changes.to_string();
    let values =
        [seconds, signed_percent(variant.extra), Unit::Degrees.text(turning, 0), changes, format!("{overlap:.0} %")];
    let mut name_end = rect.max.x;
    for (at, value) in in_columns(rect, values) {
        let value = ui.painter().text(at, egui::Align2::RIGHT_CENTER, value, theme::body(), tokens.text);
        name_end = name_end.min(value.min.x);
    }
    let (ink, font) = if chosen { (tokens.selection, theme::strong()) } else { (tokens.text, theme::body()) };
    let name_start = rect.left_center() + Vec2::new(theme::ROW + 2.0, 0.0);
    let mut job = LayoutJob::simple_singleline(name, font, ink);
    job.wrap = TextWrapping::truncate_at_width(name_end - theme::GAP_SMALL - name_start.x);
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(name_start - Vec2::new(0.0, galley.size().y * 0.5), galley, ink);
    if pinning.on_hover_text(tip).clicked() {
        walk.toggle_pin(variant.seed);
    } else if response.on_hover_text(RichText::new(tr("walk.this"))).clicked() {
        walk.seed = variant.seed;
    }
}
