//! Virtualized clip table: lays out only visible rows and keeps the file and clip columns fixed while scrolling.

use std::collections::BTreeSet;

use egui::{Popup, Pos2, Rect, Response, Sense, Ui, WidgetInfo, WidgetType};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, Table, TableDelegate, TableState};

use super::cell;
use super::clicked::{Clicked, name};
use super::menu::{self, FIXED_COLUMNS, shown_columns};
use crate::theme;
use portamento_session::clip_library::columns::{COLUMNS, Column as ClipColumn};
use portamento_session::{ClipTable, Session};

/// User input on the table.
#[derive(Default)]
pub(super) struct Touched {
    /// The clicked row. Rows are indices among all rows.
    pub clicked: Option<Clicked>,
    /// The hovered row and its response.
    pub hovered: Option<(usize, Response)>,
    /// The row with an open menu and its response.
    pub menu: Option<(usize, Response)>,
}

/// Fraction of the table width that the fixed columns may occupy.
const MAX_FIXED_FRACTION: f32 = 0.6;
/// Narrowest and widest column width, points.
const COLUMN_WIDTHS: std::ops::RangeInclusive<f32> = 40.0..=1000.0;

/// Draws the shown rows. Scrolls to the row at position `moved_to` among them, if given. A click on a heading sorts.
pub(super) fn table(ui: &mut Ui, session: &mut Session, moved_to: Option<usize>) -> Touched {
    let Session { clips, preferences, .. } = session;
    let shown = clips.shown();
    let of_table = shown_columns(&preferences.hidden_columns);
    let column = |&at: &usize| {
        let column = &COLUMNS[at];
        Column::new(width(column)).range(COLUMN_WIDTHS).id(egui::Id::new(column.key))
    };
    let columns: Vec<Column> = of_table.iter().map(column).collect();
    let stay: f32 = COLUMNS[..FIXED_COLUMNS].iter().map(width).sum();
    let stay = if stay <= MAX_FIXED_FRACTION * ui.available_width() { FIXED_COLUMNS } else { 0 };
    let table = Table::new().id_salt("clips").num_rows(shown.len() as u64).num_sticky_cols(stay);
    let table = table.columns(columns).headers([HeaderRow::new(theme::ROW)]);
    let table = moved_to.into_iter().fold(table, |table, row| table.scroll_to_row(row as u64, None));
    let id = table.get_id(ui);
    if TableState::load(ui.ctx(), id).is_none() {
        // Without a stored state all columns would start at their minimum width.
        TableState::default().store(ui.ctx(), id);
    }
    let rect = ui.available_rect_before_wrap();
    let mut rows = Rows {
        clips,
        shown: &shown,
        columns: &of_table,
        hidden: &mut preferences.hidden_columns,
        rect,
        named: BTreeSet::new(),
        ordered_by: None,
        touched: Touched::default(),
    };
    table.show(ui, &mut rows);
    let Rows { touched, ordered_by, .. } = rows;
    ordered_by.into_iter().for_each(|column| clips.order_by(column));
    touched
}

/// Table delegate during one frame.
struct Rows<'a> {
    clips: &'a ClipTable,
    shown: &'a [usize],
    /// Visible columns, as indices into [`COLUMNS`].
    columns: &'a [usize],
    hidden: &'a mut BTreeSet<String>,
    /// Area of the table, points.
    rect: Rect,
    /// Rows that already have an accessible name. The fixed and the scrolling part of a row are drawn separately.
    named: BTreeSet<u64>,
    /// Index of the column whose heading was clicked.
    ordered_by: Option<usize>,
    touched: Touched,
}

impl TableDelegate for Rows<'_> {
    fn default_row_height(&self) -> f32 {
        theme::ROW
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        // The first scrolling heading is also requested for the fixed part, where it is invisible.
        if !ui.clip_rect().intersect(ui.max_rect()).is_positive() {
            return;
        }
        let Some(&at) = self.columns.get(cell.col_range.start) else { return };
        let order = &self.clips.order;
        let mark = (order.column == at).then_some(order.descending);
        let head = cell::head(ui, &COLUMNS[at], mark);
        if head.clicked() {
            self.ordered_by = Some(at);
        }
        let menu = Popup::context_menu(&head).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| menu::columns(ui, self.hidden));
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
        if response.secondary_clicked() || Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response)) {
            self.touched.menu = Some((at, response));
        } else if response.hovered() {
            self.touched.hovered = Some((at, response));
        }
    }

    fn cell_ui(&mut self, ui: &mut Ui, info: &CellInfo) {
        let row = usize::try_from(info.row_nr).ok().and_then(|row| self.shown.get(row));
        if let Some(&at) = row {
            if self.clips.chosen.contains(&at) {
                // Dim text is unreadable on the fill of a selected row.
                ui.visuals_mut().weak_text_color = Some(theme::of(ui).text);
            }
            let Some(&column) = self.columns.get(info.col_nr) else { return };
            cell::cell(ui, cell::CellRow::at(self.clips, at), &COLUMNS[column]);
        }
    }
}

impl Rows<'_> {
    /// Fills the background of row `at`, an index among all rows, if it is selected or under the pointer.
    fn fill(&self, ui: &Ui, at: usize) {
        let (row, visuals) = (ui.max_rect(), ui.visuals());
        let pointer = ui.input(|input| input.pointer.hover_pos());
        let is_under = |pos: Pos2| {
            row.y_range().contains(pos.y) && self.rect.contains(pos) && ui.ctx().layer_id_at(pos) == Some(ui.layer_id())
        };
        let background = match () {
            () if self.clips.chosen.contains(&at) => visuals.selection.bg_fill,
            () if pointer.is_some_and(is_under) => visuals.widgets.hovered.bg_fill,
            () => return,
        };
        ui.painter().rect_filled(row, 0.0, background);
    }
}

/// Returns the initial width of a column, points.
fn width(column: &ClipColumn) -> f32 {
    match column.key {
        "file" => 140.0,
        "clip" => 150.0,
        "tags" => 88.0,
        "findings" => 170.0,
        "largest_pop" => 200.0,
        // Room for long figures before and after a fix.
        "residue" | "jitter" | "off_origin" => 108.0,
        _ => 88.0,
    }
}
