//! Toolbar above the clip table: folder, search, filter, actions on the selected rows, counts.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{
    Align, Button, ComboBox, Key, Label, Layout, Popup, PopupCloseBehavior, Response, RichText, Ui, WidgetInfo,
    WidgetType,
};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_FOLDER_OPEN, ICON_HEALING, ICON_LAYERS, ICON_MORE_HORIZ, ICON_OPEN_IN_NEW, ICON_RECEIPT_LONG,
    ICON_SCATTER_PLOT, ICON_SELL, ICON_VERTICAL_SPLIT, ICON_WARNING,
};

use super::clicked::name;
use super::menu;
use crate::i18n::{localized, tr, tr_with};
use crate::widgets::{form, list, middle};
use crate::{theme, widgets};
use portamento_anim::quality::Finding;
use portamento_session::clip_library::columns::is_found;
use portamento_session::clip_library::{Found, LibraryCommand, tag_of};
use portamento_session::{ClipTable, Command, FileCommand, PairCommand, Session, WindowCommand};
use portamento_takes::document::{Take, TakeSource};

/// Widths of the search field and the finding filter, points. Narrow enough to leave room for the counts.
const SEARCH_WIDTH: f32 = 96.0;
const FILTER_WIDTH: f32 = 112.0;
/// Panel width from which action buttons show text, points.
const TEXT_MIN_WIDTH: f32 = 840.0;
/// Maximum number of unreadable files in the tooltip.
const MAX_LISTED_FILES: usize = 12;

/// State of the toolbar that is not part of the session.
#[derive(Debug, Default)]
pub(super) struct Bar {
    /// Text of the new tag field.
    typed: String,
    /// Menu to open in the next frame.
    pub opens: Option<Menu>,
}

/// A menu of the toolbar that a command can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Menu {
    /// Tags of the selected clips.
    Tags,
    /// Columns and CSV export.
    More,
}

impl Bar {
    /// Draws the toolbar and performs its commands. `is_plotted` is true while the dot plot is shown.
    pub(super) fn ui(&mut self, ui: &mut Ui, session: &mut Session, is_plotted: bool) {
        let mut asked = None;
        let is_wide = ui.available_width() > TEXT_MIN_WIDTH;
        ui.horizontal(|ui| {
            if widgets::icon_button(ui, ICON_FOLDER_OPEN, &tr("clips.choose")).clicked() {
                asked = Some(Command::Window(WindowCommand::AskClips));
            }
            let words =
                widgets::text_field(&mut session.clips.order.words, &tr("clips.search")).desired_width(SEARCH_WIDTH);
            form::with_name(ui.add(words), &tr("clips.search"));
            finding_filter(ui, &mut session.clips);
            if widgets::toggle_icon(ui, ICON_SCATTER_PLOT, &tr("clips.plot"), is_plotted).clicked() {
                asked = Some(menu::library(LibraryCommand::Plot));
            }
            asked = show(ui, &session.clips).or(asked.take());
            asked = pair(ui, session).or(asked.take());
            asked = mend(ui, &session.clips).or(asked.take());
            asked = stack(ui, session, is_wide).or_else(|| self.tags(ui, &session.clips, is_wide)).or(asked.take());
            asked = self.more(ui, session).or(asked.take());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| counts(ui, session));
        });
        asked.into_iter().for_each(|command| session.perform(command));
    }

    /// Draws the tag menu of the selected rows, with a field for a new tag. Returns the command that adds or removes a tag.
    fn tags(&mut self, ui: &mut Ui, clips: &ClipTable, is_wide: bool) -> Option<Command> {
        let new_tag = ui.id().with("new tag");
        let opens = self.opens == Some(Menu::Tags);
        let answer = ui.add_enabled_ui(!clips.chosen.is_empty(), |ui| {
            let menu = menu_button(ICON_SELL, &tr("clips.tags"), is_wide)
                .config(MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside));
            let (response, menu) = menu.ui(ui, |ui| {
                let mut asked = None;
                for (tag, is_of_all) in clips.tags_of_chosen() {
                    let mut holds = is_of_all;
                    if ui.checkbox(&mut holds, &tag).changed() {
                        asked = Some(Command::File(FileCommand::TagClips { tag, holds }));
                    }
                }
                let field = ui.add(
                    widgets::text_field(&mut self.typed, &tr("clips.new_tag")).desired_width(SEARCH_WIDTH).id(new_tag),
                );
                let field = form::with_name(field, &tr("clips.new_tag"));
                let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if let Some(tag) = tag_of(&self.typed).filter(|_| is_entered) {
                    self.typed.clear();
                    field.request_focus();
                    asked = Some(Command::File(FileCommand::TagClips { tag, holds: true }));
                }
                asked
            });
            if opens && menu.is_none() {
                open(ui, &response);
            } else if opens || response.clicked() {
                self.opens = None;
                ui.memory_mut(|memory| memory.request_focus(new_tag));
            }
            explained(response, "clips.tags", "tip.clips_tags_menu");
            menu.and_then(|menu| menu.inner)
        });
        answer.inner
    }

    /// Draws the menu with columns and CSV copy. Returns the copy command; hidden columns change at once.
    fn more(&mut self, ui: &mut Ui, session: &mut Session) -> Option<Command> {
        let button = menu_button(ICON_MORE_HORIZ, "", false)
            .config(MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside));
        let (response, menu) = button.ui(ui, |ui| {
            let copies = menu::copy(ui);
            ui.separator();
            menu::columns(ui, &mut session.preferences.hidden_columns);
            copies
        });
        if self.opens.take_if(|opens| *opens == Menu::More).is_some() {
            open(ui, &response);
        }
        widgets::named(response, &tr("clips.more")).on_hover_text(tr("clips.more"));
        menu.and_then(|menu| menu.inner)
    }
}

/// Opens the menu of the button `response`.
fn open(ui: &Ui, response: &Response) {
    Popup::open_id(ui.ctx(), Popup::default_response_id(response));
}

/// Returns a menu button with `icon`, followed by the text `word` if `is_wide`.
fn menu_button<'b>(icon: MaterialIcon, word: &str, is_wide: bool) -> MenuButton<'b> {
    let text = if is_wide { format!("{}  {word}", icon.codepoint) } else { icon.codepoint.to_owned() };
    MenuButton::from_button(Button::new(text))
}

/// Sets the accessible name and the tooltip of a button, also for a disabled one. `name` and `tip` are locale keys.
fn explained(response: Response, name: &str, tip: &str) -> Response {
    widgets::named(response, &tr(name)).on_hover_text(tr(tip)).on_disabled_hover_text(tr(tip))
}

/// Draws the filter by finding, with the number of rows for each choice.
fn finding_filter(ui: &mut Ui, clips: &mut ClipTable) {
    let combo = ComboBox::from_id_salt("found").width(FILTER_WIDTH).height(320.0).truncate();
    let response = combo.selected_text(found_word(clips.order.found)).show_ui(ui, |ui| {
        let findings = Finding::ALL.into_iter().map(Found::One);
        let choices = [Found::Whatever, Found::Something].into_iter().chain(findings).chain([Found::Mended]);
        for choice in choices {
            let rows = clips.rows().iter().enumerate();
            let count = rows.filter(|(at, row)| choice.holds(row, clips.is_mended(*at))).count();
            let is_chosen = clips.order.found == choice;
            let is_offered = count > 0 || is_chosen;
            if is_offered && list::with_value(ui, is_chosen, &found_word(choice), count.to_string()).clicked() {
                clips.order.found = choice;
            }
        }
    });
    let name = tr("clips.found");
    widgets::named(response.response, &name).on_hover_text(tr("tip.clips_found"));
}

/// Returns the label of a filter by finding.
fn found_word(found: Found) -> String {
    match found {
        Found::Whatever => tr("clips.found_whatever"),
        Found::Something => tr("clips.found_something"),
        Found::One(finding) => tr(&format!("finding.{}", finding.key())),
        Found::Mended => tr("clips.found_mended"),
    }
}

/// Draws the button that shows the selected clip, enabled if exactly one is selected. Returns its command on a click.
fn show(ui: &mut Ui, clips: &ClipTable) -> Option<Command> {
    let is_one = clips.chosen.len() == 1;
    let button = ui.add_enabled_ui(is_one, |ui| widgets::icon_button(ui, ICON_OPEN_IN_NEW, &tr("clips.open")));
    button.inner.clicked().then(|| menu::library(LibraryCommand::Open))
}

/// Draws the toggle of the side-by-side comparison. Returns its command on a click.
fn pair(ui: &mut Ui, session: &mut Session) -> Option<Command> {
    let is_pair = session.pair().is_some();
    let is_possible = is_pair || session.can_pair_chosen();
    let answer = ui.add_enabled_ui(is_possible, |ui| {
        let button = widgets::toggle_icon(ui, ICON_VERTICAL_SPLIT, &tr("clips.side_by_side"), is_pair);
        let button = button.on_hover_text(tr("tip.clips_pair")).on_disabled_hover_text(tr("tip.clips_pair"));
        button.clicked().then_some(Command::Pair(PairCommand::Toggle))
    });
    answer.inner
}

/// Draws the button that repairs the selected clips. Returns its command if it was clicked.
fn mend(ui: &mut Ui, clips: &ClipTable) -> Option<Command> {
    let can_mend = clips.can_mend_chosen();
    let button = ui.add_enabled_ui(can_mend, |ui| widgets::text_button(ui, ICON_HEALING, &tr("clips.mend")));
    let button = button.inner.on_hover_text(tr("tip.clips_mend")).on_disabled_hover_text(tr("tip.clips_mend"));
    button.clicked().then(|| menu::library(LibraryCommand::Mend))
}

/// Draws the menu that applies the stages of a take or recipe to the selected rows. Returns the command of the chosen one.
fn stack(ui: &mut Ui, session: &Session, is_wide: bool) -> Option<Command> {
    let stacks: Vec<&Take> = session.document.takes.iter().filter(|take| may_be_given(take)).collect();
    let answer = ui.add_enabled_ui(!session.clips.chosen.is_empty(), |ui| {
        let (response, menu) = menu_button(ICON_LAYERS, &tr("clips.stack"), is_wide).ui(ui, |ui| {
            // Placed first, because the list of takes can be longer than the window.
            let recipe = widgets::text_button(ui, ICON_RECEIPT_LONG, &tr("clips.recipe"));
            let of_recipe = recipe.on_hover_text(tr("tip.clips_recipe")).clicked();
            if !stacks.is_empty() {
                ui.separator();
            }
            let of_take = stacks.iter().find(|take| ui.button(&take.name).clicked());
            let asked = match of_take {
                Some(take) => Command::File(FileCommand::StackClips(session.clips.chosen_rows(), take.id)),
                None if of_recipe => Command::Window(WindowCommand::AskApplyRecipe),
                None => return None,
            };
            ui.close();
            Some(asked)
        });
        explained(response, "clips.stack", "tip.clips_stack");
        menu.and_then(|menu| menu.inner)
    });
    answer.inner
}

/// True if the stages of `take` can be applied to any clip of a skeleton.
fn may_be_given(take: &Take) -> bool {
    matches!(take.source, TakeSource::Clip { .. }) && take.stages.iter().any(|stage| stage.on)
}

/// Draws the numbers of shown, selected and faulty clips, a spinner while clips are measured, and the unreadable files.
fn counts(ui: &mut Ui, session: &mut Session) {
    let shown = session.clips.shown();
    let rows = session.clips.rows();
    // A clip with a fix counts by its remaining findings.
    let left = |row: &usize| session.clips.after(*row).unwrap_or(&rows[*row]);
    let found = shown.iter().filter(|row| is_found(left(row))).count();
    let chosen = session.clips.chosen.len();
    let values = [("chosen", chosen), ("shown", shown.len()), ("all", rows.len()), ("found", found)];
    let keys = match chosen > 1 {
        true => ["clips.counts_chosen", "clips.counts_chosen_short"],
        false => ["clips.counts", "clips.counts_short"],
    };
    let words = keys.map(|key| tr_with(key, &values.map(|(name, count)| (name, count.to_string()))));
    failures(ui, session.clips.failures());
    if session.clips.is_measuring(&session.jobs) {
        ui.add(egui::Spinner::new().size(theme::ICON));
    }
    // A narrow panel shows the short form, or nothing.
    let fits = |words: &&String| middle::width(ui, words, &theme::caption()) < ui.available_width();
    let Some(words_that_fit) = words.iter().find(fits) else { return };
    let text = RichText::new(words_that_fit).font(theme::caption()).color(theme::of(ui).dim);
    ui.label(text).on_hover_text(&words[0]);
}

/// Draws the number of unreadable files, with files and reasons as tooltip.
fn failures(ui: &mut Ui, failures: &[(std::path::PathBuf, portamento_base::message::Message)]) {
    if failures.is_empty() {
        return;
    }
    let text = format!("{} {}", ICON_WARNING.codepoint, failures.len());
    let label = ui.label(RichText::new(text).font(theme::caption()).color(theme::of(ui).warning));
    let name = tr_with("clips.failures", &[("count", failures.len().to_string())]);
    label.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, &name));
    label.on_hover_ui(|ui| {
        ui.label(RichText::new(&name).font(theme::strong()));
        for (file, reason) in failures.iter().take(MAX_LISTED_FILES) {
            let reason = localized(reason);
            // Most reasons already start with the file name.
            let file = name_unless_mentioned(file, &reason);
            ui.add(Label::new(format!("{file}{reason}")).wrap());
        }
        if let Some(more) = failures.len().checked_sub(MAX_LISTED_FILES).filter(|&more| more > 0) {
            widgets::caption(ui, tr_with("replace.more", &[("count", more.to_string())]));
        }
    });
}

/// Returns the file name and a colon, or nothing if `reason` has the name already.
fn name_unless_mentioned(file: &std::path::Path, reason: &str) -> String {
    let name = name(file);
    if reason.contains(&name) { String::new() } else { format!("{name}: ") }
}
