//! Library panel: a sortable, filterable table of clips, optionally with a scatter plot of two figures.

mod bar;
mod cell;
mod clicked;
mod commands;
mod dot_plot;
mod figures;
mod focus;
mod menu;
mod picture;
mod table;

use std::path::PathBuf;

use egui::{Modifiers, Ui, UiBuilder};
use egui_material_icons::icons::{ICON_FILTER_ALT_OFF, ICON_FOLDER_OPEN, ICON_HISTORY, ICON_TABLE};

use self::bar::Bar;
use self::clicked::{Clicked, open};
pub use self::commands::{is_seen_in_panel, offers, to_mend};
use self::dot_plot::{DotPlot, Picked};
use self::focus::Focus;
use self::menu::library;
use self::table::Touched;
use crate::i18n::{tr, tr_with};
use crate::widgets::middle;
use crate::{theme, widgets};
use portamento_session::clip_library::{ChooseMode, LibraryCommand, is_clip_folder};
use portamento_session::{Command, Session, WindowCommand};

/// State of the panel that is not part of the session.
#[derive(Debug, Default)]
pub struct Clips {
    plot: Option<DotPlot>,
    bar: Bar,
}

impl Clips {
    /// Draws the panel: the table, or a hint if no folder is open or no row is shown.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        if session.clips.is_empty() {
            if widgets::text_button(ui, ICON_FOLDER_OPEN, &tr("clips.choose")).clicked() {
                session.perform(Command::Window(WindowCommand::AskClips));
            }
            recent(ui, session);
            return widgets::empty(ui, ICON_TABLE, &tr("clips.empty"), &tr("clips.empty_hint"));
        }
        self.bar.ui(ui, session, self.plot.is_some());
        ui.add_space(theme::GAP_SMALL);
        if session.clips.shown().is_empty() && !session.clips.is_measuring(&session.jobs) {
            return nothing(ui, session);
        }
        self.table(ui, session);
    }

    /// Draws the table, with the dot plot at its right if that is on, and handles clicks and keys in both.
    fn table(&mut self, ui: &mut Ui, session: &mut Session) {
        let mut room = ui.available_rect_before_wrap();
        let mut picked = None;
        if let Some(plot) = &mut self.plot {
            let (left, right) = room.split_left_right_at_fraction(0.62);
            let right = right.with_min_x(right.min.x + theme::GAP_LARGE);
            ui.scope_builder(UiBuilder::new().max_rect(right), |ui| picked = plot.ui(ui, &mut session.clips));
            room = left;
        }
        let focus = Focus::of(ui, room);
        let modifiers = ui.input(|input| input.modifiers);
        let picked = picked.inspect(|_| focus.request(ui)).and_then(|picked| pick(session, picked, modifiers));
        let moved = focus.keys(ui, session).or(picked);
        let in_table = ui.scope_builder(UiBuilder::new().max_rect(room), |ui| table::table(ui, session, moved));
        let Touched { clicked: in_table, hovered, menu } = in_table.inner;
        hovered.into_iter().for_each(|(row, response)| picture::picture(response, session, row));
        if let Some((row, response)) = menu {
            if response.secondary_clicked() && !session.clips.chosen.contains(&row) {
                session.clips.choose(row, ChooseMode::Alone);
            }
            response.context_menu(|ui| menu::row_menu(ui, session, row));
        }
        if let Some(clicked) = in_table {
            focus.request(ui);
            click(session, clicked, modifiers);
        }
    }
}

/// Returns the translated hint for an empty view: that of the key `usual`, or how to open a clip if only a library is open.
pub fn or_from_library(session: &Session, usual: &str) -> String {
    let has_no_project = session.document.files.is_empty() && session.document.takes.is_empty();
    tr(if has_no_project && !session.clips.is_empty() { "clips.open_hint" } else { usual })
}

/// Maximum number of recent clip folders offered.
const MAX_RECENT_FOLDERS: usize = 4;

/// Draws buttons for the recent clip folders, which are not stored in projects.
fn recent(ui: &mut Ui, session: &mut Session) {
    let known = session.preferences.recent.iter().enumerate().filter(|(_, path)| is_clip_folder(path));
    let folders: Vec<(usize, PathBuf)> =
        known.take(MAX_RECENT_FOLDERS).map(|(index, path)| (index, path.clone())).collect();
    let asked = ui.vertical(|ui| {
        let row = |(_, folder): &(usize, PathBuf)| {
            let room = ui.available_width() - 2.0 * theme::ROW;
            let text = middle::shorten_start(ui, &folder.display().to_string(), &theme::body(), room);
            widgets::text_button(ui, ICON_HISTORY, &text).on_hover_text(folder.display().to_string()).clicked()
        };
        folders.into_iter().find(row)
    });
    let list = |(index, _)| session.perform(Command::Window(WindowCommand::ListRecent(index)));
    asked.inner.into_iter().for_each(list);
}

/// Draws the reason why no row is shown: the folder has no clips, or the filter hides all.
fn nothing(ui: &mut Ui, session: &mut Session) {
    if session.clips.rows().is_empty() {
        let paths: Vec<String> = session.clips.paths().iter().map(|path| path.display().to_string()).collect();
        let hint = tr_with("clips.none_hint", &[("folder", paths.join(", "))]);
        return widgets::empty(ui, ICON_TABLE, &tr("clips.none"), &hint);
    }
    if widgets::text_button(ui, ICON_FILTER_ALT_OFF, &tr("clips.show_all")).clicked() {
        session.perform(library(LibraryCommand::ShowAll));
    }
    widgets::empty(ui, ICON_FILTER_ALT_OFF, &tr("clips.none_fits"), &tr("clips.none_fits_hint"));
}

/// Selects the rows picked in the plot. Returns the position of the first among the shown rows, to scroll to it; `None` if none
/// was picked.
fn pick(session: &mut Session, picked: Picked, modifiers: Modifiers) -> Option<usize> {
    let row = match picked {
        Picked::One(clicked) => {
            click(session, clicked, modifiers);
            Some(clicked.row)
        }
        Picked::Box(rows) => {
            session.clips.choose_all(&rows, modifiers.command || modifiers.shift);
            rows.first().copied()
        }
    }?;
    session.clips.shown().iter().position(|&shown| shown == row)
}

/// Handles a click on a row: selects it, toggles it with Ctrl, extends with Shift. A double-click opens the clip.
fn click(session: &mut Session, clicked: Clicked, modifiers: Modifiers) {
    let mode = match () {
        () if modifiers.shift => ChooseMode::UpTo,
        () if modifiers.command => ChooseMode::Toggle,
        () => ChooseMode::Alone,
    };
    session.clips.choose(clicked.row, mode);
    if clicked.opens {
        open(&session.clips, clicked.row).into_iter().for_each(|command| session.perform(command));
    }
}
