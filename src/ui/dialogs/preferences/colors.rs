//! Colour settings of the window, with a preview.

use egui::{Align, Button, Color32, Layout, Mesh, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2};

use crate::i18n::tr;
use crate::theme;
use crate::widgets::form;
use portamento_session::appearance::{Appearance, Background, Highlights, ThemeChoice};

/// Height of the preview, points.
const PREVIEW_HEIGHT: f32 = 56.0;

/// Draws the colour rows and the button that resets all of them.
pub(super) fn rows(ui: &mut Ui, appearance: &mut Appearance) {
    let Appearance { theme, highlights, background } = appearance;
    let reset = form::named_row(ui, "theme", theme, "theme.{}");
    if reset {
        *theme = ThemeChoice::default();
    }
    let reset = form::named_row(ui, "highlights", highlights, "highlights.{}");
    if reset {
        *highlights = Highlights::default();
    }
    let reset = form::named_row(ui, "background", background, "background.{}");
    if reset {
        *background = Background::default();
    }
    form::row(ui, "colors", sample);
    let line = Vec2::new(ui.available_width(), theme::ROW);
    ui.allocate_ui_with_layout(line, Layout::right_to_left(Align::Center), |ui| {
        let is_changed = *appearance != Appearance::default();
        if ui.add_enabled(is_changed, Button::new(tr("colors.reset"))).clicked() {
            *appearance = Appearance::default();
        }
    });
}

/// Draws the preview: colour swatches with labels on the viewport background.
fn sample(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), PREVIEW_HEIGHT), Sense::hover());
    let (painter, view, tokens) = (ui.painter_at(rect), theme::view(), theme::over_view());
    let mut mesh = Mesh::default();
    for (corner, color) in [
        (rect.left_top(), view.sky),
        (rect.right_top(), view.sky),
        (rect.left_bottom(), view.floor),
        (rect.right_bottom(), view.floor),
    ] {
        mesh.colored_vertex(corner, color);
    }
    mesh.add_triangle(0, 1, 2);
    mesh.add_triangle(2, 1, 3);
    painter.add(mesh);
    painter.rect_stroke(rect, theme::RADIUS, Stroke::new(1.0, theme::of(ui).line), StrokeKind::Inside);
    let swatches: [(&str, Color32); 5] = [
        ("colors.accent", tokens.accent),
        ("colors.selection", tokens.selection),
        ("colors.target", tokens.target),
        ("colors.source", tokens.source),
        ("colors.playhead", tokens.playhead),
    ];
    let width = rect.width() / swatches.len() as f32;
    for (at, (key, color)) in swatches.into_iter().enumerate() {
        let middle = rect.left() + width * (at as f32 + 0.5);
        let swatch = Rect::from_center_size(Pos2::new(middle, rect.top() + 20.0), Vec2::splat(16.0));
        painter.rect_filled(swatch, theme::RADIUS, color);
        let foot = Pos2::new(middle, rect.bottom() - 6.0);
        painter.text(foot, egui::Align2::CENTER_BOTTOM, tr(key), theme::caption(), view.ink);
    }
}
