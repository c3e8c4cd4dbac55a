//! The question whether a shown image is a sprite sheet: its grid over the picture, and the fields that change it.

use egui::{Align2, Painter, Rect, Stroke, Ui, Vec2, pos2};
use egui_material_icons::icons::ICON_HELP;

use crate::i18n::{tr, tr_with};
use crate::widgets::number::{IntegerField, whole_number};
use crate::{theme, widgets};
use portamento_anim::media::{ImageInfo, SheetGrid};
use portamento_session::Session;
use portamento_session::looping::sheet_question::{SINGLE_FRAME, SheetQuestion};

/// Maximum number of columns or rows.
const MAX_CELLS_PER_SIDE: u32 = 1024;

/// Draws the grid over the image at `image_rect` and the question at the bottom of `rect`. A clicked answer is applied. Returns
/// the rectangle of the question; `None` if none is open or a dialog covers it.
pub fn paint(ui: &mut Ui, rect: Rect, image_rect: Rect, info: &ImageInfo, session: &mut Session) -> Option<Rect> {
    let question = session.sheet_question_mut()?;
    grid_lines(&ui.painter_at(rect), image_rect, question.grid);
    // A dialog covers the question.
    if ui.ctx().memory(|memory| memory.top_modal_layer().is_some()) {
        return None;
    }
    let mut answer = None;
    let at = rect.center_bottom() - Vec2::new(0.0, theme::GAP_MEDIUM);
    let area = egui::Area::new(ui.id().with("sheet question")).pivot(Align2::CENTER_BOTTOM).fixed_pos(at);
    let drawn = area.constrain_to(rect).show(ui.ctx(), |ui| {
        let tokens = theme::of(ui);
        let frame = egui::Frame::new().fill(tokens.raised).corner_radius(theme::RADIUS).inner_margin(8);
        frame.stroke((1.0, tokens.line)).show(ui, |ui| {
            ui.set_max_width((rect.width() - 32.0).max(120.0));
            widgets::remark(ui, ICON_HELP, tokens.target, &tr("sheet_question.text"));
            answer = fields(ui, question, info);
        });
    });
    let (file, question_rect) = (question.file, drawn.response.rect);
    if let Some(grid) = answer {
        session.answer_sheet(file, grid);
    }
    Some(question_rect)
}

/// Draws columns, rows and frames with the answers. Returns the grid of a clicked answer, which is `Some(None)` for a single
/// picture.
fn fields(ui: &mut Ui, question: &mut SheetQuestion, info: &ImageInfo) -> Option<Option<SheetGrid>> {
    let grid = &mut question.grid;
    let mut answer = None;
    ui.horizontal(|ui| {
        let before = [grid.columns, grid.rows];
        for (value, key) in [(&mut grid.columns, "form.sheet_columns"), (&mut grid.rows, "form.sheet_rows")] {
            let name = ui.label(tr(key));
            whole_number(ui, value, IntegerField::new(0.05).within(1..=MAX_CELLS_PER_SIDE).narrow())
                .labelled_by(name.id);
        }
        let room = grid.columns as usize * grid.rows as usize;
        let mut frames = if before == [grid.columns, grid.rows] { grid.frames.unwrap_or(room).min(room) } else { room };
        let name = ui.label(tr("form.sheet_frames"));
        whole_number(ui, &mut frames, IntegerField::new(0.05).within(1..=room).narrow()).labelled_by(name.id);
        grid.frames = Some(frames).filter(|&frames| frames < room);
    });
    let is_even = info.width.is_multiple_of(grid.columns) && info.height.is_multiple_of(grid.rows);
    let [width, height] = [info.width / grid.columns, info.height / grid.rows].map(|side| side.to_string());
    let key = if is_even { "sheet_question.size" } else { "sheet_question.uneven" };
    widgets::caption(ui, tr_with(key, &[("width", width), ("height", height)]));
    ui.horizontal(|ui| {
        let is_sheet = is_even && *grid != SINGLE_FRAME;
        let uses = ui.add_enabled_ui(is_sheet, |ui| widgets::main_button(ui, &tr("sheet_question.use")).clicked());
        if uses.inner {
            answer = Some(Some(*grid));
        }
        if ui.button(tr("sheet_question.single")).clicked() {
            answer = Some(None);
        }
    });
    answer
}

/// Draws the lines between the frames, and darkens the cells without a frame.
fn grid_lines(painter: &Painter, image: Rect, grid: SheetGrid) {
    let cell = image.size() / Vec2::new(grid.columns as f32, grid.rows as f32);
    let room = grid.columns as usize * grid.rows as usize;
    for unused in grid.frames.unwrap_or(room)..room {
        let [column, row] = [unused % grid.columns as usize, unused / grid.columns as usize];
        let corner = image.min + cell * Vec2::new(column as f32, row as f32);
        painter.rect_filled(Rect::from_min_size(corner, cell), 0.0, theme::view().plate);
    }
    let stroke = Stroke::new(1.5, theme::over_view().accent);
    for column in 0..=grid.columns {
        let x = image.min.x + cell.x * column as f32;
        painter.line_segment([pos2(x, image.min.y), pos2(x, image.max.y)], stroke);
    }
    for row in 0..=grid.rows {
        let y = image.min.y + cell.y * row as f32;
        painter.line_segment([pos2(image.min.x, y), pos2(image.max.x, y)], stroke);
    }
}
