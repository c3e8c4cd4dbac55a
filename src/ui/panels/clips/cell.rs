//! Cells and headings of the clip table.

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Pos2, Rect, Response, Sense, Ui, WidgetInfo, WidgetType};
use egui_material_icons::icons::ICON_CHECK;

use super::clicked::name;
use super::figures::{self, heading};
use crate::i18n::tr;
use crate::theme;
use crate::widgets::middle;
use portamento_session::ClipTable;
use portamento_session::clip_library::ClipRow;
use portamento_session::clip_library::columns::{Cell, Column as ClipColumn};

/// Row data of a cell.
#[derive(Clone, Copy)]
pub(super) struct CellRow<'a> {
    pub clips: &'a ClipTable,
    pub row: &'a ClipRow,
    /// True if a take fixes this clip.
    pub is_mended: bool,
    /// The row measured after the fix, if available.
    pub after: Option<&'a ClipRow>,
}

impl<'a> CellRow<'a> {
    /// Returns the cell data of row `at` of `clips`, an index among all rows. Panics if there is no such row.
    pub(super) fn at(clips: &'a ClipTable, at: usize) -> Self {
        Self { clips, row: &clips.rows()[at], is_mended: clips.is_mended(at), after: clips.after(at) }
    }
}

/// Draws the heading. `mark` is the sort order of the column: descending if true, ascending if false, `None` if not sorted by it.
pub(super) fn head(ui: &mut Ui, column: &ClipColumn, mark: Option<bool>) -> Response {
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

/// Draws the value of `column` in a row.
pub(super) fn cell(ui: &mut Ui, CellRow { clips, row, is_mended, after }: CellRow, column: &ClipColumn) {
    let tokens = theme::of(ui);
    match (column.key, after) {
        ("file", _) => {
            let room = if ui.is_sizing_pass() { f32::INFINITY } else { inner(ui).width() };
            let text = middle::shorten_start(ui, &shortened(clips, row), &theme::body(), room);
            figure(ui, &text, ui.visuals().weak_text_color(), column);
        }
        ("clip", _) => {
            let room = if ui.is_sizing_pass() { f32::INFINITY } else { inner(ui).width() };
            figure(ui, &middle::shorten_middle(ui, &row.clip, &theme::body(), room), tokens.text, column);
        }
        ("findings", Some(after)) if is_sound(after) => {
            figure(ui, &format!("{}  {}", ICON_CHECK.codepoint, tr("clips.found_mended")), tokens.ok, column);
        }
        ("findings", None) if is_mended => figure(ui, &format!("{} …", tr("clips.found_mended")), tokens.dim, column),
        ("findings", after) => figure(ui, &finding_words(after.unwrap_or(row)), tokens.warning, column),
        ("on_the_spot", _) => figure(ui, &yes_or_no(column, row), tokens.text, column),
        (_, Some(after)) if column.finding.is_some() => before_and_after(ui, [row, after], column),
        _ => match figures::text(column, row) {
            text if text.is_empty() && column.is_number => figure(ui, "–", tokens.dim, column),
            text => figure(ui, &text, ink(ui, row, column), column),
        },
    }
}

/// Draws the figure before and after the fix, or once if both have the same text.
fn before_and_after(ui: &mut Ui, [row, after]: [&ClipRow; 2], column: &ClipColumn) {
    let text = |row: &ClipRow| Some(figures::text(column, row)).filter(|text| !text.is_empty());
    let [previous, now] = [row, after].map(|row| text(row).unwrap_or_else(|| "–".into()));
    let tokens = theme::of(ui);
    let mended = |row: &ClipRow| is_found_in(row, column) && !is_found_in(after, column);
    let color = if mended(row) { tokens.ok } else { ink(ui, after, column) };
    let mut job = LayoutJob::default();
    if previous != now {
        let dim = ui.visuals().weak_text_color();
        job.append(&format!("{previous} → "), 0.0, TextFormat::simple(theme::caption(), dim));
    }
    job.append(&now, 0.0, TextFormat::simple(theme::body(), color));
    paint(ui, job, column);
}

/// Returns the text colour of the figure of `column`: a warning colour if its finding was found in `row`.
fn ink(ui: &Ui, row: &ClipRow, column: &ClipColumn) -> Color32 {
    let tokens = theme::of(ui);
    if is_found_in(row, column) { tokens.warning } else { tokens.text }
}

/// True if the finding that `column` shows was found in the clip.
fn is_found_in(row: &ClipRow, column: &ClipColumn) -> bool {
    let findings = row.quality.as_ref().map_or(&[][..], |quality| &quality.findings);
    column.finding.is_some_and(|finding| findings.contains(&finding))
}

/// True if the clip was measured and has no finding.
fn is_sound(row: &ClipRow) -> bool {
    row.quality.as_ref().is_some_and(|quality| quality.findings.is_empty())
}

/// Draws `text` on one line in the colour `ink`, aligned as `column` requires.
fn figure(ui: &mut Ui, text: &str, ink: Color32, column: &ClipColumn) {
    paint(ui, LayoutJob::simple_singleline(text.to_owned(), theme::body(), ink), column);
}

/// Paints `job` aligned in its column, truncated to the cell. It is painted without layout so that the row height stays fixed.
fn paint(ui: &mut Ui, mut job: LayoutJob, column: &ClipColumn) {
    let rect = inner(ui);
    if !ui.is_sizing_pass() {
        job.wrap = TextWrapping::truncate_at_width(rect.width());
    }
    let galley = ui.painter().layout_job(job);
    fit(ui, galley.size().x);
    let (at, align) = anchor(rect, column);
    let aligned = align.anchor_size(at, galley.size());
    ui.painter().galley(aligned.min, galley, Color32::PLACEHOLDER);
}

/// Returns the cell rectangle without margins.
fn inner(ui: &Ui) -> Rect {
    ui.max_rect().shrink2(egui::vec2(theme::GAP_SMALL, 0.0))
}

/// Reports the needed width of the text (points) in the sizing pass of the column. Does nothing in other passes.
fn fit(ui: &mut Ui, width: f32) {
    if ui.is_sizing_pass() {
        ui.set_min_width(width + 2.0 * theme::GAP_SMALL);
    }
}

/// Returns the anchor of the text in `rect`: right for numbers, left for text.
fn anchor(rect: Rect, column: &ClipColumn) -> (Pos2, Align2) {
    match column.is_number {
        true => (rect.right_center(), Align2::RIGHT_CENTER),
        false => (rect.left_center(), Align2::LEFT_CENTER),
    }
}

/// Returns the file path relative to the listed folder, or the file name if it is in none.
fn shortened(clips: &ClipTable, row: &ClipRow) -> String {
    let relative = clips.paths().iter().find_map(|folder| row.file.strip_prefix(folder).ok());
    let relative = relative.filter(|path| !path.as_os_str().is_empty());
    relative.map_or_else(|| name(&row.file), |path| path.display().to_string())
}

/// Returns the translated word of the cell; empty for a cell without a word.
fn yes_or_no(column: &ClipColumn, row: &ClipRow) -> String {
    match (column.cell)(row) {
        Cell::Words(word) => tr(&format!("clips.{word}")),
        _ => String::new(),
    }
}

/// Returns the findings of `row` as text: empty if there are none, or a text that the clip was not measured.
pub(super) fn finding_words(row: &ClipRow) -> String {
    let Some(quality) = &row.quality else { return tr("clips.unmeasured") };
    let words: Vec<String> = quality.findings.iter().map(|finding| tr(&format!("finding.{}", finding.key()))).collect();
    words.join(&tr("list.comma"))
}
