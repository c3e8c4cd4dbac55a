//! Legend of a plot, at the right end of the row above it.

use egui::{Align, Color32, Layout, Sense, Shape, Stroke, Ui};

use super::caption;
use crate::i18n::tr;
use crate::theme;

/// A curve and its name.
pub struct LegendLine {
    /// Label key.
    pub key: &'static str,
    /// Line style of the curve.
    pub stroke: Stroke,
    /// True if the curve is dashed.
    pub is_dashed: bool,
}

/// Width of the line sample, points.
const SAMPLE_WIDTH: f32 = 18.0;

/// Draws `lines` from right to left, from the right end of the row. Draws nothing if they do not fit.
pub fn legend(ui: &mut Ui, lines: &[LegendLine]) {
    let gap = ui.spacing().item_spacing.x;
    let name = |line: &LegendLine| ui.painter().layout_no_wrap(tr(line.key), theme::caption(), Color32::WHITE).size().x;
    let width: f32 = lines.iter().map(|line| name(line) + SAMPLE_WIDTH + 2.0 * gap).sum();
    if width > ui.available_width() {
        return;
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        for LegendLine { key, stroke, is_dashed } in lines {
            caption(ui, tr(key));
            let (rect, _) = ui.allocate_exact_size([SAMPLE_WIDTH, theme::ROW].into(), Sense::hover());
            let ends = [rect.left_center(), rect.right_center()];
            let pieces = if *is_dashed {
                Shape::dashed_line(&ends, *stroke, 4.0, 3.0)
            } else {
                vec![Shape::line_segment(ends, *stroke)]
            };
            ui.painter().extend(pieces);
        }
    });
}
