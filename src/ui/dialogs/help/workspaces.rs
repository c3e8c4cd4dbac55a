//! Drawings of the workspaces.

use egui::{Label, RichText, Ui};

use crate::i18n::tr;
use crate::shell::pictures;
use crate::theme;
use crate::widgets::canvas::{Canvas, STAND, picture};

/// A drawing function.
type Draw = fn(&Canvas);

const WORKSPACE_DRAWINGS: [(&str, Draw); 6] = [
    ("stretch", |canvas| pictures::stretch(canvas, 0.45)),
    ("blend", |canvas| pictures::blend(canvas, 0.5)),
    ("dynamics", |canvas| pictures::hair(canvas, 0.0)),
    ("loop", |canvas| pictures::looped(canvas, 0.0)),
    ("walk", |canvas| pictures::walk(canvas, 0.55)),
    ("free", free),
];

/// Draws all workspaces, three in a row.
pub(super) fn ui(ui: &mut Ui) {
    for row in WORKSPACE_DRAWINGS.chunks(3) {
        ui.columns(3, |columns| {
            for (ui, (name, draw)) in columns.iter_mut().zip(row) {
                let title = tr(&format!("workspace.{name}"));
                picture(ui, &title, egui::vec2(108.0, 56.0), draw);
                ui.add_space(2.0);
                ui.label(RichText::new(title).font(theme::strong()));
                // Columns are justified, which would spread the words of a line.
                ui.vertical(|ui| {
                    let words = RichText::new(tr(&format!("help.workspace_{name}"))).font(theme::caption());
                    ui.add(Label::new(words.color(theme::of(ui).dim)).wrap());
                });
                ui.add_space(theme::GAP_MEDIUM);
            }
        });
    }
}

/// Draws a figure in an empty room.
fn free(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let faint = canvas.faint(tokens.line, 0.9);
    for i in 0_u8..7 {
        let x = f32::from(i) * 18.0;
        canvas.line(&[(54.0 + (x - 54.0) * 0.45, 32.0), (54.0 + (x - 54.0) * 1.5, 60.0)], 0.8, faint);
    }
    for y in [34.0, 39.0, 46.0, 54.0] {
        canvas.line(&[(0.0, y), (108.0, y)], 0.8, faint);
    }
    canvas.arc((54.0, 40.0), [26.0, 8.0], [0.06, 0.44], (1.3, tokens.target));
    canvas.head((30.0, 46.0), (27.0, 41.0), 5.0, tokens.target);
    canvas.head((78.0, 46.0), (81.0, 41.0), 5.0, tokens.target);
    canvas.figure(&STAND, (54.0, 47.0), 40.0, tokens.accent);
    for (tip, color) in [((98.0, 12.0), theme::AXES[0]), ((90.0, 3.0), theme::AXES[1]), ((85.0, 16.0), theme::AXES[2])]
    {
        canvas.line(&[(90.0, 12.0), tip], 1.4, color);
        canvas.dot(tip, 1.9, color);
    }
}
