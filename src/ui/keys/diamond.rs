//! The key diamond next to an animatable number: empty without keys, half filled with keys at other times, filled with a key at
//! the playhead.

use egui::{Color32, Painter, Pos2, Response, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, WidgetType};

use super::scope::{self, KeyChange, KeyRequest, Keyed, Scope};
use crate::i18n::{tr, tr_with};
use crate::theme;
use crate::widgets::number::{Field, number};
use portamento_anim::math::key_curve::KeyEasing;

/// Numbers that share one diamond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyable<'a> {
    /// Name of the numbers.
    pub name: &'a str,
    /// Their unit symbol; empty for plain numbers.
    pub unit: &'a str,
    /// Their setting paths within the stage.
    pub settings: &'a [String],
}

/// Width of the diamond, points.
const WIDTH: f32 = 14.0;
/// Half its diagonal, points.
const SIZE: f32 = 4.5;

/// Returns the width in points available for fields next to a diamond; the whole width if no diamond is drawn.
pub(super) fn width_without_diamond(ui: &Ui) -> f32 {
    ui.available_width() - if scope::current(ui).is_some() { WIDTH + ui.spacing().item_spacing.x } else { 0.0 }
}

/// Draws a number field with the diamond of `setting`, filling the available width or that of `field`. Without a stage scope,
/// draws the field alone.
pub fn number_with_key(ui: &mut Ui, name: &str, setting: &str, value: &mut f64, field: Field) -> Response {
    let width = if field.width > 0.0 { field.width } else { ui.available_width() };
    let width = width - (ui.available_width() - width_without_diamond(ui));
    let response = number(ui, name, value, field.with_width(width));
    diamond(ui, Keyable { name, unit: field.unit.suffix().trim(), settings: &[setting.to_owned()] });
    response
}

/// Draws the diamond of `keyable`. A click requests to add or remove a key at the playhead; a context menu has more. Draws
/// nothing without a stage scope, or if the settings cannot be keyed.
pub fn diamond(ui: &mut Ui, keyable: Keyable) {
    let Some(scope) = scope::current(ui).filter(|scope| scope.can_key(keyable.settings)) else { return };
    let keyed = scope.keyed(keyable.settings);
    let (rect, response) = ui.allocate_exact_size(Vec2::new(WIDTH, theme::ROW), Sense::click());
    let label = tr_with("keys.diamond", &[("name", keyable.name.to_owned())]);
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, enabled, keyed == Keyed::Here, &label));
    paint(ui, rect.center(), keyed, &response);
    let change = (response.clicked() && enabled).then_some(match keyed {
        Keyed::Here => KeyChange::Remove,
        _ => KeyChange::Add,
    });
    let mut chosen = None;
    response.context_menu(|ui| chosen = menu(ui, keyable, &scope, keyed));
    response.on_hover_text(tip(keyable, keyed));
    if let Some(change) = change.or(chosen) {
        scope::request_change(ui, KeyRequest { settings: keyable.settings.to_vec(), change });
    }
}

/// Returns the tooltip of a diamond.
fn tip(keyable: Keyable, keyed: Keyed) -> String {
    let word = match keyed {
        Keyed::Nowhere => "keys.tip_nowhere",
        Keyed::Elsewhere => "keys.tip_elsewhere",
        Keyed::Here => "keys.tip_here",
    };
    let unit = if keyable.unit.is_empty() { String::new() } else { format!(" ({})", keyable.unit) };
    format!("{}{unit}\n{}", keyable.name, tr(word))
}

/// Draws the context menu of a diamond. Returns the chosen change.
fn menu(ui: &mut Ui, keyable: Keyable, scope: &Scope, keyed: Keyed) -> Option<KeyChange> {
    let mut chosen = None;
    let mut item = |ui: &mut Ui, on: bool, key: &str, change: KeyChange| {
        if ui.add_enabled(on, egui::Button::new(tr(key))).clicked() {
            chosen = Some(change);
            ui.close();
        }
    };
    item(ui, keyed != Keyed::Here, "keys.add", KeyChange::Add);
    item(ui, keyed == Keyed::Here, "keys.remove", KeyChange::Remove);
    item(ui, keyed != Keyed::Nowhere, "keys.remove_all", KeyChange::RemoveAll);
    ui.separator();
    let easing = keyable.settings.first().and_then(|setting| scope.easing(setting));
    chosen.or_else(|| easing_menu(ui, easing).map(KeyChange::Ease))
}

/// Draws the list of easings with `present` selected; disabled if that is `None`. Returns the chosen easing.
pub(super) fn easing_menu(ui: &mut Ui, present: Option<KeyEasing>) -> Option<KeyEasing> {
    let mut chosen = None;
    for easing in KeyEasing::ALL {
        let button = egui::Button::selectable(present == Some(easing), tr(&format!("keys.ease_{}", easing.name())));
        if ui.add_enabled(present.is_some(), button).clicked() {
            chosen = Some(easing);
            ui.close();
        }
    }
    chosen
}

/// Draws the key symbol: full with a key at the playhead, its left half with keys elsewhere, an outline without keys.
fn paint(ui: &Ui, center: Pos2, keyed: Keyed, response: &Response) {
    let tokens = theme::of(ui);
    let color = match keyed {
        Keyed::Nowhere => theme::mix(tokens.panel, tokens.dim, if response.hovered() { 1.0 } else { 0.6 }),
        Keyed::Elsewhere | Keyed::Here => tokens.accent,
    };
    let painter = ui.painter();
    match keyed {
        Keyed::Nowhere => {}
        Keyed::Elsewhere => {
            let points = [(0.0, -SIZE), (0.0, SIZE), (-SIZE, 0.0)].map(|(x, y)| center + Vec2::new(x, y));
            painter.add(Shape::convex_polygon(points.to_vec(), color, Stroke::NONE));
        }
        Keyed::Here => outline(painter, center, SIZE, color, color),
    }
    if keyed != Keyed::Here {
        outline(painter, center, SIZE, Color32::TRANSPARENT, color);
    }
}

/// Draws a diamond around `center`. `size` is the distance from there to a corner in points.
pub(super) fn outline(painter: &Painter, center: Pos2, size: f32, fill: Color32, line: Color32) {
    let points = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)].map(|(x, y)| center + Vec2::new(x, y));
    painter.add(Shape::convex_polygon(points.to_vec(), fill, Stroke::new(1.2, line)));
}
