//! The clips of a folder as a table that sorts, filters and opens, with any two figures plotted against each other beside it.

mod clicked;
mod dot_plot;
mod figures;
mod focus;
mod table;

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Align, Align2, Key, Layout, Modifiers, PopupCloseBehavior, Response, RichText, Sense, Ui, UiBuilder, Vec2};
use egui_material_icons::icons::{
    ICON_FOLDER_OPEN, ICON_HEALING, ICON_OPEN_IN_NEW, ICON_RECEIPT_LONG, ICON_SCATTER_PLOT, ICON_TABLE,
    ICON_VERTICAL_SPLIT,
};

use self::clicked::{Clicked, name, open};
use self::dot_plot::DotPlot;
use self::focus::Focus;
use self::table::Touched;
use crate::document::{Take, TakeSource};
use crate::session::clip_library::columns::is_found;
use crate::session::clip_library::{ChooseMode, ClipRow, MendRequest, Picture, mends, tag_of};
use crate::session::{ClipTable, Command, FileCommand, PairCommand, Session, WindowCommand};
use crate::ui::i18n::{say, tr, tr_with};
use crate::ui::widgets::{form, strip};
use crate::ui::{theme, widgets};

/// Width of what is searched for, points: room for the counts where the panel is narrow.
const SEARCH: f32 = 96.0;

/// Size of the picture of a clip, points.
const PICTURE: Vec2 = Vec2::new(300.0, 72.0);

/// What of the panel is not the session's.
#[derive(Debug, Default)]
pub struct Clips {
    plot: Option<DotPlot>,
    /// A tag that is being typed.
    typed: String,
}

impl Clips {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        if session.clips.is_empty() {
            if widgets::text_button(ui, ICON_FOLDER_OPEN, &tr("clips.choose")).clicked() {
                session.perform(Command::Window(WindowCommand::AskClips));
            }
            return widgets::empty(ui, ICON_TABLE, &tr("clips.empty"), &tr("clips.empty_hint"));
        }
        self.bar(ui, session);
        ui.add_space(theme::SMALL);
        let mut room = ui.available_rect_before_wrap();
        let mut clicked = None;
        if let Some(plot) = &mut self.plot {
            let (left, right) = room.split_left_right_at_fraction(0.62);
            let right = right.with_min_x(right.min.x + theme::LARGE);
            ui.scope_builder(UiBuilder::new().max_rect(right), |ui| clicked = plot.ui(ui, &mut session.clips));
            room = left;
        }
        let focus = Focus::of(ui, room);
        let moved = focus.keys(ui, session);
        let in_table =
            ui.scope_builder(UiBuilder::new().max_rect(room), |ui| table::table(ui, &mut session.clips, moved));
        let Touched { clicked: in_table, hovered } = in_table.inner;
        hovered.into_iter().for_each(|(row, response)| picture(response, session, row));
        if let Some(clicked) = in_table.or(clicked) {
            focus.request(ui);
            click(session, clicked, ui.input(|input| input.modifiers));
        }
    }

    fn bar(&mut self, ui: &mut Ui, session: &mut Session) {
        let mut asked = None;
        ui.horizontal(|ui| {
            if widgets::icon_button(ui, ICON_FOLDER_OPEN, &tr("clips.choose")).clicked() {
                asked = Some(Command::Window(WindowCommand::AskClips));
            }
            let order = &mut session.clips.order;
            let words = ui.add(widgets::text_field(&mut order.words, &tr("clips.search")).desired_width(SEARCH));
            form::called(words, &tr("clips.search"));
            ui.checkbox(&mut order.only_findings, tr("clips.only_findings"));
            let is_plotted = self.plot.is_some();
            if widgets::toggle_icon(ui, ICON_SCATTER_PLOT, &tr("clips.plot"), is_plotted).clicked() {
                self.plot = (!is_plotted).then(DotPlot::default);
            }
            let chosen = session.clips.chosen.iter().next().copied().filter(|_| session.clips.chosen.len() == 1);
            ui.add_enabled_ui(chosen.is_some(), |ui| {
                if widgets::icon_button(ui, ICON_OPEN_IN_NEW, &tr("clips.open")).clicked() {
                    asked = chosen.and_then(|row| open(&session.clips, row));
                }
            });
            asked = pair(ui, session).or(asked.take());
            ui.add_enabled_ui(can_mend(&session.clips), |ui| {
                let button =
                    widgets::text_button(ui, ICON_HEALING, &tr("clips.mend")).on_hover_text(tr("tip.clips_mend"));
                if button.clicked() {
                    asked = Some(Command::File(FileCommand::MendClips(to_mend(&session.clips))));
                }
            });
            asked = stack(ui, session).or_else(|| self.tags(ui, &session.clips)).or(asked.take());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| counts(ui, session));
        });
        asked.into_iter().for_each(|command| session.perform(command));
    }

    /// The tags of the chosen rows, to be given and taken.
    fn tags(&mut self, ui: &mut Ui, clips: &ClipTable) -> Option<Command> {
        let new_tag = ui.id().with("new tag");
        let answer = ui.add_enabled_ui(!clips.chosen.is_empty(), |ui| {
            let menu = MenuButton::new(tr("clips.tags"))
                .config(MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside));
            let (response, menu) = menu.ui(ui, |ui| {
                let mut asked = None;
                for (tag, is_of_all) in clips.tags_of_chosen() {
                    let mut holds = is_of_all;
                    if ui.checkbox(&mut holds, &tag).changed() {
                        asked = Some(Command::File(FileCommand::TagClips { tag, holds }));
                    }
                }
                let field = ui
                    .add(widgets::text_field(&mut self.typed, &tr("clips.new_tag")).desired_width(SEARCH).id(new_tag));
                let field = form::called(field, &tr("clips.new_tag"));
                let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if let Some(tag) = tag_of(&self.typed).filter(|_| is_entered) {
                    self.typed.clear();
                    field.request_focus();
                    asked = Some(Command::File(FileCommand::TagClips { tag, holds: true }));
                }
                asked
            });
            if response.clicked() {
                ui.memory_mut(|memory| memory.request_focus(new_tag));
            }
            response.on_hover_text(tr("tip.clips_tags_menu")).on_disabled_hover_text(tr("tip.clips_tags_menu"));
            menu.and_then(|menu| menu.inner)
        });
        answer.inner
    }
}

/// A click chooses a row alone, with Ctrl besides others, with Shift all up to it; a double click opens it.
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

/// Shows the clip at `row` as a row of figures beside the pointer.
fn picture(response: Response, session: &mut Session, row: usize) {
    response.on_hover_ui_at_pointer(|ui| {
        let name = session.clips.rows().get(row).map(|row| row.clip.clone()).unwrap_or_default();
        ui.label(RichText::new(name).font(theme::caption()));
        let (room, _) = ui.allocate_exact_size(PICTURE, Sense::hover());
        let ink = theme::of(ui).text;
        let middle = |words: &str| {
            ui.painter().text(room.center(), Align2::CENTER_CENTER, words, theme::caption(), theme::of(ui).dim)
        };
        match session.clips.picture(row, &mut session.jobs) {
            Picture::Strip(strip) => strip::draw(ui.painter(), strip, room, ink),
            Picture::Waiting => {
                middle("…");
                ui.ctx().request_repaint();
            }
            Picture::Nothing => drop(middle(&tr("clips.no_picture"))),
        }
    });
}

/// Shows two chosen clips side by side, and ends that.
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

/// Offers the stages of the project's takes and of recipes to the chosen rows.
fn stack(ui: &mut Ui, session: &Session) -> Option<Command> {
    let stacks: Vec<&Take> = session.document.takes.iter().filter(|take| may_be_given(take)).collect();
    let answer = ui.add_enabled_ui(!session.clips.chosen.is_empty(), |ui| {
        let menu = ui.menu_button(tr("clips.stack"), |ui| {
            // Above the takes, of which there may be more than the window is high.
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
        menu.response.on_hover_text(tr("tip.clips_stack")).on_disabled_hover_text(tr("tip.clips_stack"));
        menu.inner.flatten()
    });
    answer.inner
}

/// Whether the stages of `take` mean something to any other clip of a skeleton.
fn may_be_given(take: &Take) -> bool {
    matches!(take.source, TakeSource::Clip { .. }) && take.stages.iter().any(|stage| stage.on)
}

/// Whether something can be mended in a chosen row.
fn can_mend(clips: &ClipTable) -> bool {
    let can = |row: &ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
    clips.chosen.iter().filter_map(|&row| clips.rows().get(row)).any(can)
}

/// The chosen rows, with names in the language of the window.
fn to_mend(clips: &ClipTable) -> MendRequest {
    MendRequest { rows: clips.chosen_rows(), take: tr("clips.mended_take"), folder: tr("clips.mended_folder") }
}

/// How many clips there are and how many of them are worth a look.
fn counts(ui: &mut Ui, session: &mut Session) {
    let shown = session.clips.shown();
    let rows = session.clips.rows();
    let found = shown.iter().filter(|&&row| is_found(&rows[row])).count();
    let chosen = session.clips.chosen.len();
    let values = [("chosen", chosen), ("shown", shown.len()), ("all", rows.len()), ("found", found)];
    let key = if chosen > 1 { "clips.counts_chosen" } else { "clips.counts" };
    let text = RichText::new(tr_with(key, &values.map(|(name, count)| (name, count.to_string()))))
        .font(theme::caption())
        .color(theme::of(ui).dim);
    ui.add(egui::Label::new(text).truncate());
    let failures = session.clips.failures();
    if !failures.is_empty() {
        let text = tr_with("clips.failures", &[("count", failures.len().to_string())]);
        let ink = theme::of(ui).warning;
        ui.label(RichText::new(text).font(theme::caption()).color(ink)).on_hover_ui(|ui| {
            for (file, reason) in failures.iter().take(12) {
                ui.add(egui::Label::new(format!("{}: {}", name(file), say(reason))).wrap());
            }
        });
    }
    if session.clips.is_measuring(&session.jobs) {
        ui.add(egui::Spinner::new().size(theme::ICON));
    }
}
