//! Drawing of the blocks of a page.

use egui::{Align, FontId, Frame, Margin, Rect, RichText, Shape, Ui, Vec2};

use super::Click;
use super::film::Films;
use super::show::Shows;
use crate::theme;
use portamento_guide::{Address, Block, Language, Row, Span, plain_text};

/// The state of drawing one page in one frame.
pub(super) struct Drawing<'a> {
    /// The place that is shown and marked.
    pub address: Address,
    pub language: Language,
    pub shows: &'a Shows,
    pub films: &'a mut Films,
    /// True if the place still has to be scrolled into view.
    pub scrolls: bool,
    /// The click that leads elsewhere.
    pub click: Option<Click>,
}

/// Indent of list items, points.
const INDENT: f32 = 22.0;
/// Gap between the cells of a table, points.
const CELL_GAP: f32 = 14.0;
/// Share of the text's length by which a column is at least and at most as wide, in letters.
const COLUMN_LETTERS: [usize; 2] = [8, 46];

/// Returns the font of the text, points.
fn body() -> FontId {
    FontId::proportional(14.0)
}

impl Drawing<'_> {
    /// Draws all blocks.
    pub(super) fn blocks(&mut self, ui: &mut Ui, blocks: &[Block]) {
        for (index, block) in blocks.iter().enumerate() {
            ui.push_id(index, |ui| self.block(ui, block));
        }
    }

    fn block(&mut self, ui: &mut Ui, block: &Block) {
        match block {
            Block::Heading { level, text, place } => self.heading(ui, *level, text, *place),
            Block::Paragraph(text) => self.line(ui, text, &body()),
            Block::List { first, items } => self.list(ui, *first, items),
            Block::Code(code) => {
                let frame = Frame::new().fill(theme::of(ui).window).corner_radius(theme::RADIUS);
                frame.inner_margin(Margin::same(8)).show(ui, |ui| {
                    ui.set_min_width(ui.available_width());
                    ui.add(egui::Label::new(RichText::new(code.trim_end()).font(theme::code())).wrap());
                });
            }
            Block::Table { header, rows } => self.table(ui, header, rows),
            Block::Picture { path, alt } => self.films.picture(ui, path, alt),
        }
    }

    fn heading(&mut self, ui: &mut Ui, level: u8, text: &[Span], place: usize) {
        let size = match level {
            1 => 21.0,
            2 => 16.0,
            _ => 14.0,
        };
        ui.add_space(if level == 1 { 0.0 } else { theme::GAP_LARGE });
        self.marked(ui, place, |drawing, ui| drawing.line(ui, text, &FontId::new(size, theme::medium())));
    }

    fn list(&mut self, ui: &mut Ui, first: Option<u64>, items: &[Vec<Block>]) {
        for (index, item) in items.iter().enumerate() {
            ui.push_id(index, |ui| {
                ui.horizontal_top(|ui| {
                    let mark = first.map_or_else(|| "•".into(), |first| format!("{}.", first + index as u64));
                    let layout = egui::Layout::right_to_left(Align::Min);
                    ui.allocate_ui_with_layout(Vec2::new(INDENT, 0.0), layout, |ui| {
                        ui.label(RichText::new(mark).font(body()).color(theme::of(ui).dim));
                    });
                    ui.vertical(|ui| self.blocks(ui, item));
                });
            });
        }
    }

    fn table(&mut self, ui: &mut Ui, header: &[Vec<Span>], rows: &[Row]) {
        let widths = widths(header, rows, ui.available_width());
        if header.iter().any(|cell| !cell.is_empty()) {
            let dim = FontId::new(12.0, theme::medium());
            self.cells(ui, header, &widths, &dim);
            line_below(ui);
        }
        for row in rows {
            ui.push_id(row.place, |ui| {
                self.marked(ui, row.place, |drawing, ui| drawing.cells(ui, &row.cells, &widths, &theme::body()));
            });
            line_below(ui);
        }
        ui.add_space(theme::GAP_SMALL);
    }

    /// Draws a row of cells with these widths, points.
    fn cells(&mut self, ui: &mut Ui, cells: &[Vec<Span>], widths: &[f32], font: &FontId) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = CELL_GAP;
            for (cell, width) in cells.iter().zip(widths) {
                let layout = egui::Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(Vec2::new(*width, 0.0), layout, |ui| {
                    ui.set_width(*width);
                    self.line(ui, cell, font);
                });
            }
        });
    }

    /// Draws what is at `place` with `body`. The place that the guide is open at has a tinted background, and is scrolled into
    /// view once.
    fn marked(&mut self, ui: &mut Ui, place: usize, body: impl FnOnce(&mut Self, &mut Ui)) {
        let is_target = self.address.place == Some(place);
        let background = ui.painter().add(Shape::Noop);
        let drawn = ui.scope(|ui| body(self, ui)).response.rect;
        if !is_target {
            return;
        }
        let tokens = theme::of(ui);
        let rect = Rect::from_x_y_ranges(ui.max_rect().x_range(), drawn.y_range()).expand2(Vec2::new(4.0, 3.0));
        let fill = theme::mix(tokens.raised, tokens.accent, 0.22);
        ui.painter().set(background, Shape::rect_filled(rect, theme::RADIUS, fill));
        if std::mem::take(&mut self.scrolls) {
            ui.scroll_to_rect_animation(rect, Some(Align::Center), egui::style::ScrollAnimation::none());
            ui.ctx().request_repaint();
        }
    }
}

/// Returns the widths of the columns in `room`, points: in proportion to their longest cells, within limits.
fn widths(header: &[Vec<Span>], rows: &[Row], room: f32) -> Vec<f32> {
    let letters = |cell: &[Span]| plain_text(cell).chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let column = |index: usize| {
        let cells = rows.iter().filter_map(|row| row.cells.get(index)).chain(header.get(index));
        let [least, most] = COLUMN_LETTERS;
        cells.map(|cell| letters(cell)).max().unwrap_or(0).clamp(least, most) as f32
    };
    let columns: Vec<f32> = (0..header.len()).map(column).collect();
    let gaps = CELL_GAP * columns.len().saturating_sub(1) as f32;
    let total: f32 = columns.iter().sum();
    columns.iter().map(|letters| (room - gaps) * letters / total.max(1.0)).collect()
}

/// Draws a line below a row.
fn line_below(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 1.0), egui::Sense::hover());
    ui.painter().hline(rect.x_range(), rect.center().y, (1.0, theme::of(ui).line));
}
