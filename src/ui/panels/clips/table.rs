//! The table itself: only the rows that are seen are laid out.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Pos2, Rect, Response, ScrollArea, Sense, Ui, WidgetInfo, WidgetType};
use egui_extras::{Column, TableBuilder, TableRow};

use super::clicked::{Clicked, name};
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

/// Draws the rows that are shown; the one at `moved_to` among them comes into view.
pub(super) fn table(ui: &mut Ui, clips: &mut ClipTable, moved_to: Option<usize>) -> Touched {
    let shown = clips.shown();
    let (mut touched, mut ordered_by) = (Touched::default(), None);
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let builder = TableBuilder::new(ui).sense(Sense::click()).auto_shrink(false).min_scrolled_height(0.0);
        let builder = COLUMNS.iter().fold(builder, |builder, column| builder.column(width(column)));
        let builder = moved_to.into_iter().fold(builder, |builder, row| builder.scroll_to_row(row, None));
        let heads = |mut heads: TableRow| {
            for (at, column) in COLUMNS.iter().enumerate() {
                let mark = (clips.order.column == at).then_some(clips.order.descending);
                heads.col(|ui| {
                    if head(ui, column, mark).clicked() {
                        ordered_by = Some(at);
                    }
                });
            }
        };
        builder.header(theme::ROW, heads).body(|body| {
            body.rows(theme::ROW, shown.len(), |mut cells| {
                let at = shown[cells.index()];
                cells.set_selected(clips.chosen.contains(&at));
                let response = row(&mut cells, clips, at);
                if response.clicked() || response.double_clicked() {
                    touched.clicked = Some(Clicked { row: at, opens: response.double_clicked() });
                }
                if response.hovered() {
                    touched.hovered = Some((at, response));
                }
            });
        });
    });
    ordered_by.into_iter().for_each(|column| clips.order_by(column));
    touched
}

fn width(column: &ClipColumn) -> Column {
    let width = match column.key {
        "file" => 180.0,
        "clip" => 150.0,
        "tags" => 110.0,
        "findings" => 190.0,
        "largest_pop" => 200.0,
        _ => 84.0,
    };
    Column::initial(width).at_least(40.0).clip(true).resizable(true)
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
    let name = tr(&format!("clips.column_{}", column.key));
    let rect = ui.max_rect();
    let response = ui.interact(rect, ui.id().with(column.key), Sense::click());
    let (at, align) = anchor(rect, column);
    ui.painter().with_clip_rect(rect).text(at, align, format!("{name}{arrow}"), theme::caption(), ink);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    response.on_hover_text(tr(&format!("tip.clips_{}", column.key)))
}

fn row(cells: &mut TableRow, clips: &ClipTable, at: usize) -> Response {
    let row = &clips.rows()[at];
    for column in &COLUMNS {
        cells.col(|ui| cell(ui, clips, row, column));
    }
    let response = cells.response();
    response.widget_info(|| {
        WidgetInfo::selected(
            WidgetType::Button,
            true,
            clips.chosen.contains(&at),
            format!("{} {}", name(&row.file), row.clip),
        )
    });
    response
}

fn cell(ui: &mut Ui, clips: &ClipTable, row: &ClipRow, column: &ClipColumn) {
    let tokens = theme::of(ui);
    let is_found = |finding: Finding| row.quality.as_ref().is_some_and(|quality| quality.findings.contains(&finding));
    let ink = match column.key {
        "findings" => tokens.warning,
        "file" => tokens.dim,
        _ if column.finding.is_some_and(is_found) => tokens.warning,
        _ => tokens.text,
    };
    let text = match column.key {
        "file" => shortened(clips, row),
        "findings" => finding_words(row),
        "on_the_spot" => yes_or_no(column, row),
        _ => column.text(row),
    };
    if text.is_empty() && column.is_number {
        return figure(ui, "–", tokens.dim, column);
    }
    figure(ui, &text, ink, column);
}

/// Paints `text` where the column has it, cut short where it is too long. Painted and not laid out: a cell keeps its height.
fn figure(ui: &Ui, text: &str, ink: Color32, column: &ClipColumn) {
    let rect = ui.max_rect();
    let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::body(), ink);
    job.wrap = TextWrapping::truncate_at_width(rect.width());
    let galley = ui.painter().layout_job(job);
    let (at, align) = anchor(rect, column);
    let place = align.anchor_size(at, galley.size());
    ui.painter().with_clip_rect(rect).galley(place.min, galley, ink);
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
