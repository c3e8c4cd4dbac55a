//! Drawings of the help sections.

use egui::Ui;

use crate::theme;
use crate::widgets::canvas::{Canvas, RUN, STAND, pictogram, picture};
use portamento_session::keymap::KeymapPreset;

/// Draws the banner of the section with the locale key `key`, with `title` for screen readers. Sections without a banner draw
/// nothing.
pub(super) fn banner(ui: &mut Ui, key: &str, title: &str) {
    let draw: fn(&Canvas) = match key {
        "menu.file" => file,
        "menu.edit" => edit,
        "menu.playback" => playback,
        "menu.view" => view,
        "help.fields" => fields,
        _ => return,
    };
    picture(ui, title, egui::vec2(320.0, 52.0), draw);
    ui.add_space(theme::GAP_SMALL);
}

/// Draws a source file, its takes and the export.
fn file(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let page = |x: f32, color| {
        canvas.block((x, 8.0), (x + 34.0, 44.0), 3.0, tokens.raised, tokens.line);
        canvas.figure(&RUN, (x + 15.0, 39.0), 25.0, color);
    };
    page(36.0, canvas.faint(tokens.source, 0.9));
    canvas.arrow((82.0, 26.0), (112.0, 26.0), 1.4, tokens.dim);
    for (row, color) in (0_u8..).zip([tokens.selection, tokens.accent, tokens.target]) {
        let y = 8.0 + 12.5 * f32::from(row);
        canvas.block((124.0, y), (196.0, y + 10.5), 2.5, tokens.raised, tokens.line);
        canvas.dot((131.0, y + 5.2), 2.4, color);
        canvas.line(&[(138.0, y + 5.2), (176.0 - 9.0 * f32::from(row), y + 5.2)], 1.6, tokens.dim);
    }
    canvas.arrow((208.0, 26.0), (238.0, 26.0), 1.4, tokens.dim);
    page(250.0, tokens.accent);
}

/// Draws undo and redo steps.
fn edit(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let (y, x) = (34.0, |step: u8| 64.0 + 32.0 * f32::from(step));
    canvas.line(&[(x(0), y), (x(4), y)], 1.6, canvas.faint(tokens.accent, 0.6));
    canvas.line(&[(x(4), y), (x(6), y)], 1.6, tokens.line);
    (0..4).for_each(|step| canvas.dot((x(step), y), 4.0, canvas.faint(tokens.accent, 0.6)));
    (5..7).for_each(|step| canvas.ring((x(step), y), 3.6, 1.4, tokens.dim));
    canvas.dot((x(4), y), 6.0, tokens.accent);
    for (from, to) in [(x(4), x(3)), (x(4), x(5))] {
        let middle = (0.5 * (from + to), y - 8.0);
        let turns = if to < from { [0.0, -0.5] } else { [-0.5, 0.0] };
        canvas.arc(middle, [13.0, 11.0], turns, (1.5, tokens.target));
        let tip = (if to < from { middle.0 - 13.0 } else { middle.0 + 13.0 }, y - 4.0);
        canvas.head((tip.0, tip.1 - 6.0), tip, 6.0, tokens.target);
    }
}

/// Draws the ruler with range and playhead, and keys on a lane.
fn playback(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    canvas.area([96.0, 232.0], 46.0, canvas.faint(tokens.accent, 0.14), |_| 8.0);
    for tick in 0_u8..=30 {
        let (x, is_long) = (10.0 + 10.0 * f32::from(tick), tick % 5 == 0);
        canvas.line(&[(x, if is_long { 9.0 } else { 13.0 }), (x, 17.0)], 1.0, tokens.dim);
    }
    for (x, inwards) in [(96.0, 5.0), (232.0, -5.0)] {
        canvas.line(&[(x + inwards, 8.0), (x, 8.0), (x, 46.0), (x + inwards, 46.0)], 1.6, tokens.accent);
    }
    canvas.line(&[(10.0, 32.0), (310.0, 32.0)], 1.0, tokens.line);
    for x in [30.0, 110.0, 150.0, 214.0, 280.0] {
        canvas.diamond((x, 32.0), 4.6, if x == 150.0 { tokens.selection } else { canvas.faint(tokens.text, 0.7) });
    }
    canvas.line(&[(150.0, 6.0), (150.0, 50.0)], 1.4, tokens.playhead);
    canvas.head((150.0, 0.0), (150.0, 13.0), 9.0, tokens.playhead);
    canvas.arrow((158.0, 22.0), (184.0, 22.0), 1.3, tokens.target);
    canvas.arrow((142.0, 22.0), (116.0, 22.0), 1.3, tokens.target);
}

/// Draws a camera orbiting a framed figure, and the view axes.
fn view(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    let [left, right, up, down] = [128.0, 192.0, 6.0, 46.0];
    for (x, inwards) in [(left, 8.0), (right, -8.0)] {
        canvas.line(&[(x + inwards, up), (x, up), (x, up + 8.0)], 1.6, tokens.selection);
        canvas.line(&[(x + inwards, down), (x, down), (x, down - 8.0)], 1.6, tokens.selection);
    }
    canvas.arc((160.0, 40.0), [52.0, 8.0], [0.06, 0.44], (1.4, tokens.target));
    canvas.head((117.0, 46.0), (111.0, 41.0), 6.0, tokens.target);
    canvas.head((203.0, 46.0), (209.0, 41.0), 6.0, tokens.target);
    canvas.figure(&STAND, (160.0, 44.0), 36.0, tokens.accent);
    let middle = (272.0, 32.0);
    for (tip, color) in
        [((294.0, 36.0), theme::AXES[0]), ((272.0, 9.0), theme::AXES[1]), ((257.0, 43.0), theme::AXES[2])]
    {
        canvas.line(&[middle, tip], 2.0, color);
        canvas.dot(tip, 3.6, color);
    }
    canvas.block((30.0, 18.0), (54.0, 36.0), 3.0, canvas.faint(tokens.text, 0.7), tokens.line);
    canvas.head((66.0, 27.0), (52.0, 27.0), 12.0, canvas.faint(tokens.text, 0.7));
    canvas.line(&[(70.0, 24.0), (122.0, 12.0)], 0.9, tokens.dim);
    canvas.line(&[(70.0, 30.0), (122.0, 42.0)], 0.9, tokens.dim);
}

/// Draws a number field that is dragged, typed, keyed and reset.
fn fields(canvas: &Canvas) {
    let tokens = &canvas.tokens;
    canvas.line(&[(24.0, 26.0), (70.0, 26.0)], 3.0, canvas.faint(tokens.dim, 0.7));
    canvas.block((88.0, 14.0), (206.0, 38.0), 4.0, tokens.raised, tokens.accent);
    canvas.line(&[(132.0, 26.0), (160.0, 26.0)], 3.4, tokens.text);
    canvas.line(&[(166.0, 19.0), (166.0, 33.0)], 1.2, tokens.accent);
    canvas.arrow((122.0, 26.0), (98.0, 26.0), 1.5, tokens.target);
    canvas.arrow((174.0, 26.0), (198.0, 26.0), 1.5, tokens.target);
    canvas.diamond((224.0, 26.0), 7.0, tokens.accent);
    canvas.block((250.0, 13.0), (298.0, 39.0), 4.0, tokens.raised, tokens.line);
    canvas.arrow((286.0, 26.0), (261.0, 26.0), 1.6, tokens.text);
}

/// A part of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MousePart {
    Left,
    Middle,
    Right,
    Wheel,
}

impl MousePart {
    /// Returns the part used by action `name` in the navigation style.
    pub(super) fn of(name: &str, preset: KeymapPreset) -> Self {
        match (name, preset) {
            ("zoom", _) => Self::Wheel,
            ("orbit", KeymapPreset::Maya) => Self::Left,
            ("orbit", KeymapPreset::Unreal) => Self::Right,
            ("orbit" | "pan", _) => Self::Middle,
            _ => Self::Left,
        }
    }
}

/// Draws a mouse with `part` highlighted.
pub(super) fn mouse(ui: &mut Ui, part: MousePart) {
    pictogram(ui, egui::vec2(18.0, 24.0), |canvas| {
        let tokens = &canvas.tokens;
        let used = |is_used: bool| if is_used { tokens.accent } else { tokens.raised };
        canvas.block((2.0, 1.0), (16.0, 23.0), 7.0, tokens.raised, tokens.dim);
        for (side, x) in [(MousePart::Left, [3.0, 8.6]), (MousePart::Right, [9.4, 15.0])] {
            if part == side {
                canvas.block((x[0], 2.0), (x[1], 10.6), 3.0, used(true), used(true));
            }
        }
        canvas.line(&[(2.6, 11.0), (15.4, 11.0)], 1.0, tokens.dim);
        let is_wheel = matches!(part, MousePart::Middle | MousePart::Wheel);
        canvas.line(&[(9.0, 4.5), (9.0, 8.0)], 3.0, if is_wheel { tokens.accent } else { tokens.dim });
        if part == MousePart::Wheel {
            canvas.head((9.0, 20.0), (9.0, 13.0), 4.0, tokens.accent);
            canvas.head((9.0, 14.0), (9.0, 22.0), 4.0, tokens.accent);
        }
    });
}
