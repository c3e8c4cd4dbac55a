//! The table itself: only the rows that are seen are laid out; file and clip stay where the rest goes aside.

use std::collections::BTreeSet;

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Pos2, Rect, Response, Sense, Ui, WidgetInfo, WidgetType};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, Table, TableDelegate, TableState};

use super::clicked::{Clicked, name};
use super::figures::{self, heading};
use crate::anim::quality::Finding;
use crate::session::ClipTable;
use crate::session::clip_library::ClipRow;
use crate::session::clip_library::columns::{COLUMNS, Cell, Column as ClipColumn};
use crate::ui::i18n::tr;
use crate::ui::theme;

/// What was done to the table.
#[derive(Default)]
pub(super) struct Touched {
    /// The row that was clicked.
    pub clicked: Option<Clicked>,
    /// The row under the pointer, and its answer.
    pub hovered: Option<(usize, Response)>,
}

/// File and clip, which tell what a row is.
const STAY: usize = 2;
/// Part of the table that these may take at most.
const STAY_PART: f32 = 0.6;
/// The narrowest and the widest column, points.
const WIDTHS: std::ops::RangeInclusive<f32> = 40.0..=1000.0;

/// Draws the rows that are shown; the one at `moved_to` among them comes into view.
pub(super) fn table(ui: &mut Ui, clips: &mut ClipTable, moved_to: Option<usize>) -> Touched {
    let shown = clips.shown();
    let columns: Vec<Column> = COLUMNS.iter().map(|column| Column::new(width(column)).range(WIDTHS)).collect();
    let stay: f32 = COLUMNS[..STAY].iter().map(width).sum();
    let stay = if stay <= STAY_PART * ui.available_width() { STAY } else { 0 };
    let table = Table::new().id_salt("clips").num_rows(shown.len() as u64).num_sticky_cols(stay);
    let table = table.columns(columns).headers([HeaderRow::new(theme::ROW)]);
    let table = moved_to.into_iter().fold(table, |table, row| table.scroll_to_row(row as u64, None));
    let id = table.get_id(ui);
    if TableState::load(ui.ctx(), id).is_none() {
        // Else it would begin with columns as narrow as they may be.
        TableState::default().store(ui.ctx(), id);
    }
    let place = ui.available_rect_before_wrap();
    let mut rows =
        Rows { clips, shown: &shown, place, named: BTreeSet::new(), ordered_by: None, touched: Touched::default() };
    table.show(ui, &mut rows);
    let Rows { touched, ordered_by, .. } = rows;
    ordered_by.into_iter().for_each(|column| clips.order_by(column));
    touched
}

/// The rows while they are drawn.
struct Rows<'a> {
    clips: &'a ClipTable,
    shown: &'a [usize],
    place: Rect,
    /// Rows that have their name already: the part that stays and the part that goes aside are drawn one after the other.
    named: BTreeSet<u64>,
    ordered_by: Option<usize>,
    touched: Touched,
}

impl TableDelegate for Rows<'_> {
    fn default_row_height(&self) -> f32 {
        theme::ROW
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        // The first heading beside those that stay is asked for among them too, where nothing of it is seen.
        if !ui.clip_rect().intersect(ui.max_rect()).is_positive() {
            return;
        }
        let at = cell.col_range.start;
        let order = &self.clips.order;
        let mark = (order.column == at).then_some(order.descending);
        if head(ui, &COLUMNS[at], mark).clicked() {
            self.ordered_by = Some(at);
        }
    }

    fn row_ui(&mut self, ui: &mut Ui, row: u64) {
        let Some(&at) = usize::try_from(row).ok().and_then(|row| self.shown.get(row)) else { return };
        let response = ui.interact(ui.max_rect(), ui.id().with("row"), Sense::click());
        self.fill(ui, at);
        if self.named.insert(row) {
            let of = &self.clips.rows()[at];
            let (is_chosen, label) = (self.clips.chosen.contains(&at), format!("{} {}", name(&of.file), of.clip));
            response.widget_info(|| WidgetInfo::selected(WidgetType::Button, true, is_chosen, &label));
        }
        if response.clicked() || response.double_clicked() {
            self.touched.clicked = Some(Clicked { row: at, opens: response.double_clicked() });
        }
        if response.hovered() {
            self.touched.hovered = Some((at, response));
        }
    }

    fn cell_ui(&mut self, ui: &mut Ui, info: &CellInfo) {
        let row = usize::try_from(info.row_nr).ok().and_then(|row| self.shown.get(row));
        if let Some(&at) = row {
            if self.clips.chosen.contains(&at) {
                // What is quiet on the panel is not read on the fill of a chosen row.
                ui.visuals_mut().weak_text_color = Some(theme::of(ui).text);
            }
            cell(ui, self.clips, &self.clips.rows()[at], &COLUMNS[info.col_nr]);
        }
    }
}

impl Rows<'_> {
    /// Paints the ground of the row at `at`: chosen, or under the pointer in whichever part.
    fn fill(&self, ui: &Ui, at: usize) {
        let (row, visuals) = (ui.max_rect(), ui.visuals());
        let pointer = ui.input(|input| input.pointer.hover_pos());
        let is_under = |pos: Pos2| {
            row.y_range().contains(pos.y)
                && self.place.contains(pos)
                && ui.ctx().layer_id_at(pos) == Some(ui.layer_id())
        };
        let ground = match () {
            () if self.clips.chosen.contains(&at) => visuals.selection.bg_fill,
            () if pointer.is_some_and(is_under) => visuals.widgets.hovered.bg_fill,
            () => return,
        };
        ui.painter().rect_filled(row, 0.0, ground);
    }
}

fn width(column: &ClipColumn) -> f32 {
    match column.key {
        "file" => 140.0,
        "clip" => 150.0,
        "tags" => 88.0,
        "findings" => 170.0,
        "largest_pop" => 200.0,
        _ => 88.0,
    }
}

/// The heading; `mark` tells how the rows are ordered by it.
fn head(ui: &mut Ui, column: &ClipColumn, mark: Option<bool>) -> Response {
    let tokens = theme::of(ui);
    let ink = if mark.is_some() { tokens.text } else { tokens.dim };
    let arrow = match mark {
        Some(true) => " ▼",
        Some(false) => " ▲",
        None => "",
    };
    let name = heading(column);
    let response = ui.interact(ui.max_rect(), ui.id().with(column.key), Sense::click());
    let (at, align) = anchor(inner(ui), column);
    let shown = ui.painter().text(at, align, format!("{name}{arrow}"), theme::caption(), ink);
    fit(ui, shown.width());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    response.on_hover_text(tr(&format!("tip.clips_{}", column.key)))
}

fn cell(ui: &mut Ui, clips: &ClipTable, row: &ClipRow, column: &ClipColumn) {
    let tokens = theme::of(ui);
    let is_found = |finding: Finding| row.quality.as_ref().is_some_and(|quality| quality.findings.contains(&finding));
    let ink = match column.key {
        "findings" => tokens.warning,
        "file" => ui.visuals().weak_text_color(),
        _ if column.finding.is_some_and(is_found) => tokens.warning,
        _ => tokens.text,
    };
    let text = match column.key {
        "file" => shortened(clips, row),
        "findings" => finding_words(row),
        "on_the_spot" => yes_or_no(column, row),
        _ => figures::text(column, row),
    };
    if text.is_empty() && column.is_number {
        return figure(ui, "–", tokens.dim, column);
    }
    figure(ui, &text, ink, column);
}

/// Paints `text` where the column has it, cut short where it is too long. Painted and not laid out: a cell keeps its height.
fn figure(ui: &mut Ui, text: &str, ink: Color32, column: &ClipColumn) {
    let rect = inner(ui);
    let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::body(), ink);
    if !ui.is_sizing_pass() {
        job.wrap = TextWrapping::truncate_at_width(rect.width());
    }
    let galley = ui.painter().layout_job(job);
    fit(ui, galley.size().x);
    let (at, align) = anchor(rect, column);
    let place = align.anchor_size(at, galley.size());
    ui.painter().galley(place.min, galley, ink);
}

/// A cell without its margins.
fn inner(ui: &Ui) -> Rect {
    ui.max_rect().shrink2(egui::vec2(theme::SMALL, 0.0))
}

/// Tells how wide a cell has to be, where its column is asked to fit what it holds.
fn fit(ui: &mut Ui, width: f32) {
    if ui.is_sizing_pass() {
        ui.set_min_width(width + 2.0 * theme::SMALL);
    }
}

/// Numbers stand at the right, one below the other.
fn anchor(rect: Rect, column: &ClipColumn) -> (Pos2, Align2) {
    match column.is_number {
        true => (rect.right_center(), Align2::RIGHT_CENTER),
        false => (rect.left_center(), Align2::LEFT_CENTER),
    }
}

/// The file as seen from the folder that was chosen.
fn shortened(clips: &ClipTable, row: &ClipRow) -> String {
    let below = clips.paths().iter().find_map(|folder| row.file.strip_prefix(folder).ok());
    let below = below.filter(|path| !path.as_os_str().is_empty());
    below.map_or_else(|| name(&row.file), |path| path.display().to_string())
}

fn finding_words(row: &ClipRow) -> String {
    let Some(quality) = &row.quality else { return tr("clips.unmeasured") };
    let words: Vec<String> = quality.findings.iter().map(|finding| tr(&format!("finding.{}", finding.key()))).collect();
    words.join(&tr("list.comma"))
}

fn yes_or_no(column: &ClipColumn, row: &ClipRow) -> String {
    match (column.cell)(row) {
        Cell::Words(word) => tr(&format!("clips.{word}")),
        _ => String::new(),
    }
}
