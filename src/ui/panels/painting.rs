//! Paint tool for the fades of a loop: brush settings and operations on all weights.

use egui::Ui;
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_BLUR_ON, ICON_BRUSH, ICON_FLIP, ICON_FORMAT_COLOR_FILL, ICON_FORMAT_COLOR_RESET, ICON_INVERT_COLORS,
    ICON_TRACK_CHANGES, ICON_VIEW_COLUMN,
};

use crate::i18n::tr;
use crate::shell::offer::Offer;
use crate::theme;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::share_row;
use crate::widgets::{self, SegmentChoice, form};
use portamento_base::message::{Message, message};
use portamento_session::Session;
use portamento_session::painting::{
    BrushReach, PaintLayer, PaintTarget, Painting, Surface, Tool, VertexAttribute, WeightOp,
};
use portamento_takes::document::{TakeId, TakeSource};

/// A button for an operation on all weights.
struct WeightButton {
    icon: MaterialIcon,
    /// Label key.
    key: &'static str,
    /// Returns the operation for the current brush value.
    op: fn(f32) -> WeightOp,
}

const WEIGHT_BUTTONS: [WeightButton; 5] = [
    WeightButton { icon: ICON_FORMAT_COLOR_FILL, key: "paint.fill", op: WeightOp::Fill },
    WeightButton { icon: ICON_BLUR_ON, key: "paint.smooth", op: |_| WeightOp::Smooth },
    WeightButton { icon: ICON_FLIP, key: "paint.mirror", op: |_| WeightOp::Mirror(true) },
    WeightButton { icon: ICON_INVERT_COLORS, key: "paint.invert", op: |_| WeightOp::Invert },
    WeightButton { icon: ICON_FORMAT_COLOR_RESET, key: "paint.clear", op: |_| WeightOp::Clear },
];
/// Axis letters of the linear gradients.
const GRADIENT_AXES: [&str; 3] = ["X", "Y", "Z"];

/// Draws the tool for the weights of take `id`. Draws nothing if the shown take is neither a loop of vertices or images nor
/// cloth.
pub(super) fn painting_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(surface) = session.canvas().surface() else { return };
    let is_cloth = session.document.take(id).is_some_and(|take| matches!(take.source, TakeSource::Cloth(_)));
    let unlinked = session
        .document
        .take(id)
        .and_then(|take| take.looped(session.selection.stage))
        .is_some_and(|looped| looped.settings.outgoing.is_some());
    let mut op = None;
    let (vertex_attributes, has_pole) = (session.canvas().vertex_attributes(), session.canvas().has_pole());
    let painting = &mut session.selection.painting;
    form::section(ui, "paint", true, |ui| {
        ui.horizontal(|ui| {
            if widgets::toggle_icon(ui, ICON_BRUSH, &tr("paint.on"), painting.is_on(PaintTarget::Weights)).clicked() {
                painting.toggle(PaintTarget::Weights);
            }
            let layers = [
                (PaintLayer::Timing, "paint.timing"),
                (PaintLayer::Width, "paint.width"),
                (PaintLayer::Shape, "paint.shape"),
                (PaintLayer::Pins, "paint.pins"),
            ];
            let layers = layers.into_iter().filter(|(layer, _)| *layer != PaintLayer::Pins || is_cloth);
            let choices: Vec<_> = layers.map(|(layer, key)| SegmentChoice::of_key(layer, key)).collect();
            widgets::segments(ui, &mut painting.layer, &choices);
        });
        if unlinked {
            form::row(ui, "paint_outgoing", |ui| {
                form::tick(ui, &mut painting.outgoing);
            });
        }
        tool_ui(ui, painting, &surface);
        share_row(ui, "paint_value", &mut painting.value, 0.0);
        let axes = if matches!(surface, Surface::Image(_)) { 2 } else { 3 };
        op = weight_ops(ui, painting.value, axes);
        if matches!(surface, Surface::Mesh(_)) {
            op = mesh_weight_ops(ui, has_pole, &vertex_attributes).or(op);
        }
        form::row(ui, "paint_ramp", |ui| {
            let choices = [(false, tr("paint.ramp_usual")), (true, tr("paint.ramp_even"))];
            form::choice(ui, "ramp", &mut painting.even_ramp, &choices);
        });
    });
    if let Some(op) = op {
        session.easel().apply(op);
    }
}

/// Returns the offers for operations on all weights. Those that need something else report it.
pub fn offers(session: &Session) -> Vec<Offer> {
    let ops = WEIGHT_BUTTONS.map(|WeightButton { key, op, .. }| offer(key, tr(key), op));
    let flat = matches!(session.canvas().surface(), Some(Surface::Image(_)));
    let axes = GRADIENT_AXES.into_iter().enumerate().take(if flat { 2 } else { 3 }).map(|(axis, letter)| {
        let label = format!("{} {letter}", tr("paint.gradient"));
        offer("paint.gradient", label, move |_| WeightOp::Gradient(axis))
    });
    let geodesic = Offer::attempt("paint.geodesic_gradient", tr("paint.geodesic_gradient"), |session| {
        surface_of(session)?;
        if !session.canvas().has_pole() {
            return Err(message!(
                "notice.nothing_painted_yet",
                "First paint 0 where the gradient should start: Ctrl+drag."
            ));
        }
        session.easel().apply(WeightOp::GeodesicGradient);
        Ok(())
    });
    let attributes = session.canvas().vertex_attributes().into_iter().map(|attribute| {
        let label = format!("{}: {}", tr("paint.attribute"), tr(&format!("paint.attribute_{}", attribute.key())));
        offer("paint.attribute", label, move |_| WeightOp::VertexAttribute(attribute))
    });
    ops.into_iter().chain(axes).chain([geodesic]).chain(attributes).collect()
}

/// Returns the offer that applies `op` with the current brush value to all weights.
fn offer(key: &'static str, label: String, op: impl Fn(f32) -> WeightOp + 'static) -> Offer {
    Offer::attempt(key, label, move |session| {
        surface_of(session)?;
        let op = op(session.selection.painting.value);
        session.easel().apply(op);
        Ok(())
    })
}

/// Returns the painted surface, or `Err` if nothing can be painted.
fn surface_of(session: &Session) -> Result<Surface, Message> {
    session.canvas().surface().ok_or_else(|| {
        message!(
            "notice.nothing_to_paint",
            "Weights can be painted on a loop of a mesh or images, or on cloth. Select such a take first."
        )
    })
}

/// Draws the tool choice and the settings of the current tool.
fn tool_ui(ui: &mut Ui, painting: &mut Painting, surface: &Surface) {
    let tools = [(Tool::Brush, "paint.brush"), (Tool::Gradient, "paint.line")];
    let choices = tools.map(|(tool, key)| SegmentChoice::of_key(tool, key));
    widgets::segments(ui, &mut painting.tool, &choices);
    if painting.tool == Tool::Brush {
        brush_ui(ui, painting, surface);
    }
    form::named_row(ui, "paint_falloff", &mut painting.brush.falloff, "easing.{}");
}

/// Draws the settings of the brush. Its radius is in scene units on a mesh and in pixels on an image. A mesh also has a choice of
/// the reach.
fn brush_ui(ui: &mut Ui, painting: &mut Painting, surface: &Surface) {
    match surface {
        Surface::Mesh(_) => {
            radius(ui, "paint_radius", &mut painting.brush.radius, 0.002);
            let reaches = [(BrushReach::Volume, "paint.volume"), (BrushReach::Surface, "paint.surface")];
            let choices = reaches.map(|(reach, key)| SegmentChoice::of_key(reach, key));
            widgets::segments(ui, &mut painting.reach, &choices);
        }
        Surface::Image(_) => radius(ui, "paint_pixels", &mut painting.pixels, 0.1),
    }
    share_row(ui, "paint_strength", &mut painting.brush.strength, 0.5);
    share_row(ui, "paint_softness", &mut painting.brush.softness, 1.0);
    form::row(ui, "paint_mirrors", |ui| {
        form::tick(ui, &mut painting.mirrors);
    });
}

/// Draws a radius with the translation key `key`. A drag changes it by `per_pixel` for each point of the pointer.
fn radius(ui: &mut Ui, key: &str, radius: &mut f32, per_pixel: f64) {
    let mut exact = f64::from(*radius);
    let reset = form::row(ui, key, |ui| {
        let field = Field { per_pixel, ..Field::new(Unit::Plain).within(1e-4, 1e6) };
        if number(ui, &tr(&format!("form.{key}")), &mut exact, field).changed() {
            *radius = exact as f32;
        }
    });
    if reset {
        let plain = Painting::default();
        *radius = if key == "paint_pixels" { plain.pixels } else { plain.brush.radius };
    }
}

/// Draws the buttons for operations on all weights, with gradients along the first `axes` axes. `value` is the brush value.
/// Returns the clicked operation.
fn weight_ops(ui: &mut Ui, value: f32, axes: usize) -> Option<WeightOp> {
    let mut asked = None;
    ui.horizontal(|ui| {
        ui.set_min_height(theme::ROW);
        ui.spacing_mut().item_spacing.x = 2.0;
        for WeightButton { icon, key, op } in WEIGHT_BUTTONS {
            if widgets::icon_button(ui, icon, &tr(key)).clicked() {
                asked = Some(op(value));
            }
        }
        for (axis, letter) in GRADIENT_AXES.into_iter().enumerate().take(axes) {
            let button = egui::Button::new(letter).min_size(egui::Vec2::splat(theme::ROW));
            let response = ui.add(button).on_hover_text(tr("paint.gradient"));
            if widgets::named(response, &format!("{} {letter}", tr("paint.gradient"))).clicked() {
                asked = Some(WeightOp::Gradient(axis));
            }
        }
    });
    asked
}

/// Draws the operations available only for meshes: surface gradient and vertex attributes. The gradient needs a start
/// (`has_pole`). Returns the clicked operation.
fn mesh_weight_ops(ui: &mut Ui, has_pole: bool, vertex_attributes: &[VertexAttribute]) -> Option<WeightOp> {
    let mut asked = None;
    ui.horizontal(|ui| {
        let from_pole = ui.add_enabled_ui(has_pole, |ui| {
            let button = widgets::text_button(ui, ICON_TRACK_CHANGES, &tr("paint.geodesic_gradient"));
            button
                .on_hover_text(tr("paint.geodesic_gradient_tip"))
                .on_disabled_hover_text(tr("paint.geodesic_gradient_none"))
        });
        if from_pole.inner.clicked() {
            asked = Some(WeightOp::GeodesicGradient);
        }
        if vertex_attributes.is_empty() {
            return;
        }
        let words = format!("{}  {}", ICON_VIEW_COLUMN.codepoint, tr("paint.attribute"));
        let menu = ui.menu_button(words, |ui| {
            for attribute in vertex_attributes {
                let key = format!("paint.attribute_{}", attribute.key());
                if ui.button(tr(&key)).clicked() {
                    asked = Some(WeightOp::VertexAttribute(*attribute));
                }
            }
        });
        widgets::named(menu.response.on_hover_text(tr("paint.attribute_tip")), &tr("paint.attribute"));
    });
    asked
}
