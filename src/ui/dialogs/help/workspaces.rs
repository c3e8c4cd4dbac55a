//! Drawings of the workspaces.

use egui::{Label, RichText, Ui};

use super::canvas::{CAST, Canvas, LAND, LEAP, RUN, STAND, picture, soft};
use crate::i18n::tr;
use crate::theme;

/// A drawing function.
type Draw = fn(&Canvas);

const WORKSPACE_DRAWINGS: [(&str, Draw); 6] =
    [("stretch", stretch), ("blend", blend), ("dynamics", dynamics), ("loop", looped), ("walk", walk), ("free", free)];

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

/// Y coordinate of the ground.
const GROUND_Y: f32 = 48.0;

fn ground(canvas: &Canvas) {
    canvas.line(&[(0.0, GROUND_Y), (108.0, GROUND_Y)], 1.0, canvas.tokens.line);
}

/// Draws a leap of the source and the same leap stretched to a farther target.
fn stretch(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    ground(canvas);
    let height = |x: f32, to: f32| 40.0 - 18.0 * (std::f32::consts::PI * (x - 14.0) / (to - 14.0)).sin().max(0.0);
    let grey = canvas.faint(tokens.source, 0.5);
    canvas.curve([14.0, 56.0], 1.0, grey, |x| height(x, 56.0));
    canvas.figure(&LAND, (56.0, GROUND_Y), 25.0, grey);
    canvas.curve([14.0, 88.0], 1.6, tokens.accent, |x| height(x, 88.0));
    for share in [0.0, 0.07, 0.2, 0.38, 0.46, 0.5, 0.54, 0.64, 0.8, 0.93, 1.0] {
        let x = 14.0 + 74.0 * share;
        canvas.dot((x, height(x, 88.0)), 1.7, tokens.accent);
    }
    canvas.arc((88.0, GROUND_Y), [13.0, 3.6], [0.0, 1.0], (1.3, tokens.target));
    canvas.arrow((91.0, GROUND_Y), (106.0, GROUND_Y), 1.2, tokens.target);
    canvas.figure(&RUN, (14.0, GROUND_Y), 25.0, canvas.faint(tokens.text, 0.75));
    canvas.figure(&LEAP, (48.0, 31.0), 22.0, canvas.faint(tokens.accent, 0.55));
    canvas.figure(&LAND, (88.0, GROUND_Y), 25.0, tokens.accent);
}

/// Draws a run that fades into a cast.
fn blend(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let (base, top) = (52.0, 36.0);
    let cast = |x: f32| base - (base - top) * soft(x, 38.0, 70.0);
    canvas.area([6.0, 102.0], base, canvas.faint(tokens.source, 0.35), |_| top);
    canvas.area([6.0, 102.0], base, canvas.faint(tokens.accent, 0.55), cast);
    canvas.curve([6.0, 102.0], 1.4, tokens.accent, cast);
    canvas.figure(&RUN, (20.0, 32.0), 25.0, canvas.faint(tokens.source, 0.9));
    canvas.figure(&CAST, (86.0, 32.0), 25.0, tokens.accent);
    canvas.arrow((40.0, 19.0), (66.0, 19.0), 1.2, tokens.dim);
    canvas.line(&[(54.0, 32.0), (54.0, 54.0)], 1.2, tokens.playhead);
    canvas.head((54.0, 28.0), (54.0, 35.0), 5.0, tokens.playhead);
}

/// Draws hair in the wind and a collider.
fn dynamics(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let head = (40.0, 21.0);
    canvas.line(&[(40.0, 31.0), (40.0, 56.0)], 15.0, canvas.faint(tokens.source, 0.45));
    canvas.dot(head, 10.0, canvas.faint(tokens.source, 0.7));
    canvas.ring(head, 11.5, 1.1, tokens.ok);
    for (row, start) in [(0.0, (43.0, 10.5)), (1.0, (49.0, 14.0)), (2.0, (51.5, 20.5))] {
        let strand = |i: u8| {
            let along = f32::from(i) / 4.0;
            let wave = (along * 4.6 + row).sin() * 3.4 * along;
            (start.0 + along * (46.0 - 5.0 * row), start.1 + along * (4.0 + 8.0 * row) + wave)
        };
        let points: Vec<(f32, f32)> = (0..=4).map(strand).collect();
        canvas.line(&points, 1.8, tokens.accent);
        points.iter().for_each(|&point| canvas.dot(point, 2.1, tokens.accent));
    }
    for (y, length) in [(12.0, 14.0), (22.0, 19.0), (32.0, 12.0)] {
        canvas.arrow((6.0, y), (6.0 + length, y), 1.1, tokens.target);
    }
}

/// Draws a section of a motion whose end meets its start.
fn looped(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let wave = |x: f32| 36.0 - 9.0 * (x / 28.0 * std::f32::consts::TAU).sin();
    canvas.area([26.0, 82.0], 52.0, canvas.faint(tokens.accent, 0.16), |_| 20.0);
    canvas.curve([4.0, 104.0], 1.3, canvas.faint(tokens.source, 0.7), wave);
    canvas.curve([26.0, 82.0], 2.0, tokens.accent, wave);
    for x in [26.0, 82.0] {
        canvas.line(&[(x, 20.0), (x, 52.0)], 1.2, tokens.accent);
        canvas.dot((x, wave(x)), 2.6, tokens.accent);
    }
    canvas.arc((54.0, 18.0), [28.0, 11.0], [0.02, -0.48], (1.4, tokens.target));
    canvas.head((27.4, 11.0), (26.0, 18.5), 5.5, tokens.target);
}

/// Draws a route around obstacles and an alternative route.
fn walk(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    for (from, to) in [((26.0, 4.0), (46.0, 30.0)), ((60.0, 26.0), (78.0, 56.0)), ((8.0, 8.0), (16.0, 20.0))] {
        canvas.block(from, to, 2.0, tokens.raised, tokens.line);
    }
    let other = |x: f32| 46.0 - 38.0 * soft(x, 36.0, 60.0) + 3.0 * soft(x, 60.0, 96.0);
    canvas.curve([12.0, 97.0], 1.1, canvas.faint(tokens.source, 0.6), other);
    let route = |x: f32| 46.0 - 28.0 * soft(x, 34.0, 66.0) - 7.0 * soft(x, 66.0, 98.0);
    canvas.curve([12.0, 97.0], 1.8, tokens.accent, route);
    for (step, x) in (0_u8..).zip([20.0, 28.0, 36.0, 43.0, 50.0, 57.0, 64.0, 72.0, 80.0, 88.0]) {
        let side = if step % 2 == 0 { 2.8 } else { -2.8 };
        canvas.dot((x, route(x) + side), 1.3, canvas.faint(tokens.text, 0.8));
    }
    for at in [(12.0, 46.0), (97.0, route(97.0))] {
        canvas.dot(at, 3.4, tokens.window);
        canvas.ring(at, 3.4, 1.6, tokens.target);
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
