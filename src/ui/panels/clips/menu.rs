//! Context menu of the rows and the list of columns.

use std::collections::BTreeSet;

use egui::{Button, Context, OpenUrl, ScrollArea, Ui};
use egui_material_icons::icons::ICON_MOVE_DOWN;

use super::clicked::open;
use super::figures::heading;
use crate::dialogs::guide;
use crate::i18n::{tr, tr_with};
use crate::widgets::characters;
use portamento_session::clip_library::columns::{COLUMNS, Column};
use portamento_session::clip_library::{ClipRow, Found, LibraryCommand, csv};
use portamento_session::{ClipTable, Command, FileCommand, PairCommand, Session, WindowCommand};

/// Number of columns that cannot be hidden: file and clip, the first two of [`COLUMNS`].
pub(super) const FIXED_COLUMNS: usize = 2;

/// Size of the column list, points.
const LIST_WIDTH: f32 = 168.0;
const LIST_MAX_HEIGHT: f32 = 360.0;

/// Wraps a library command.
pub(super) fn library(command: LibraryCommand) -> Command {
    Command::Window(WindowCommand::Library(command))
}

/// Opens `folder` in the file manager of the system.
pub(super) fn show_folder(ctx: &Context, folder: &std::path::Path) {
    ctx.open_url(OpenUrl::new_tab(format!("file://{}", folder.display())));
}

/// Returns the visible columns, as indices into [`COLUMNS`].
pub(super) fn shown_columns(hidden: &BTreeSet<String>) -> Vec<usize> {
    (0..COLUMNS.len()).filter(|&at| at < FIXED_COLUMNS || !hidden.contains(COLUMNS[at].key)).collect()
}

/// Draws a check box for each column that can be hidden. `hidden` has the keys of the hidden ones.
pub(super) fn columns(ui: &mut Ui, hidden: &mut BTreeSet<String>) {
    ui.set_min_width(LIST_WIDTH);
    ScrollArea::vertical()
        .max_height(LIST_MAX_HEIGHT)
        .show(ui, |ui| COLUMNS[FIXED_COLUMNS..].iter().for_each(|column| tick(ui, column, hidden)));
    if ui.add_enabled(!hidden.is_empty(), Button::new(tr("clips.all_columns"))).clicked() {
        hidden.clear();
    }
}

/// Draws the check box that shows or hides `column`.
fn tick(ui: &mut Ui, column: &Column, hidden: &mut BTreeSet<String>) {
    let mut is_shown = !hidden.contains(column.key);
    let tip = tr(&format!("tip.clips_{}", column.key));
    if ui.checkbox(&mut is_shown, heading(column)).on_hover_text(tip).changed() {
        if is_shown {
            hidden.remove(column.key);
        } else {
            hidden.insert(column.key.to_owned());
        }
    }
}

/// Draws the button that copies the selected rows, or all shown rows if none are selected. Returns its command on a click.
pub(super) fn copy(ui: &mut Ui) -> Option<Command> {
    let copies = ui.button(tr("clips.copy")).on_hover_text(tr("tip.clips_copy")).clicked();
    if copies {
        ui.close();
    }
    copies.then(|| library(LibraryCommand::Copy))
}

/// Returns the selected rows as CSV in display order, or all shown rows if none are selected, and their number. Columns with a
/// key in `hidden` are left out.
pub(super) fn table_text(clips: &ClipTable, hidden: &BTreeSet<String>) -> (String, usize) {
    let columns: Vec<&Column> = shown_columns(hidden).into_iter().map(|at| &COLUMNS[at]).collect();
    let wanted = |row: &&usize| clips.chosen.is_empty() || clips.chosen.contains(*row);
    let rows: Vec<&ClipRow> = clips.last_shown().iter().filter(wanted).map(|&row| &clips.rows()[row]).collect();
    (csv(&columns, rows.iter().copied()), rows.len())
}

/// Draws the context menu of the selected rows and performs its commands. `row`, an index among all rows, is the clicked one.
pub(super) fn row_menu(ui: &mut Ui, session: &mut Session, row: usize) {
    let mut asked = None;
    let Some(of) = session.clips.rows().get(row).cloned() else { return };
    if ui.button(tr("clips.open")).clicked() {
        asked = open(&session.clips, row);
    }
    let can_pair = session.can_pair_chosen();
    if ui.add_enabled(can_pair, Button::new(tr("clips.side_by_side"))).clicked() {
        asked = Some(Command::Pair(PairCommand::Toggle));
    }
    if ui.add_enabled(session.clips.can_mend_chosen(), Button::new(tr("clips.mend"))).clicked() {
        asked = Some(library(LibraryCommand::Mend));
    }
    let rigs = session.opened().rigs();
    characters::submenu_of(ui, ICON_MOVE_DOWN, "retarget.onto", &rigs, |ui, character, name| {
        if ui.button(name).clicked() {
            asked = Some(Command::File(FileCommand::RetargetClips(session.clips.chosen_rows(), character)));
            ui.close();
        }
    });
    if ui.button(tr("command.finish")).clicked() {
        asked = Some(Command::File(FileCommand::FinishClips(session.clips.chosen_rows())));
    }
    ui.separator();
    choose_alike(ui, &mut session.clips, &of);
    asked = copy(ui).or(asked);
    if ui.button(tr("toast.folder")).clicked() {
        of.file.parent().into_iter().for_each(|folder| show_folder(ui.ctx(), folder));
    }
    asked.into_iter().for_each(|command| session.perform(command));
}

/// Draws buttons for the findings of `row`: one selects all shown rows with the same finding, one opens the guide.
fn choose_alike(ui: &mut Ui, clips: &mut ClipTable, row: &ClipRow) {
    for &finding in row.quality.iter().flat_map(|quality| &quality.findings) {
        let word = tr(&format!("finding.{}", finding.key()));
        if ui.button(tr_with("clips.choose_alike", &[("finding", word.clone())])).clicked() {
            clips.choose_found(Found::One(finding));
        }
        guide::menu_item(ui, guide::of_finding(finding), &word);
    }
}
