//! Variants of a take: which settings take which values, and how they move before they are made.

mod pictures;

use std::collections::BTreeSet;

use egui::{Align, ComboBox, Label, Layout, RichText, Ui, Vec2};
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE, ICON_ERROR};

use self::pictures::Stage;
use super::{buttons, window};
use crate::document::Take;
use crate::message::Message;
use crate::session::variants::{AxisDraft, NAMES, Setting, TakeVariant, VariantDraft, Wording, settings, unmirrored};
use crate::session::{Command, EditCommand, Session, Severity};
use crate::ui::app::App;
use crate::ui::i18n::{say, tr, tr_with};
use crate::ui::setting::{Around, VariedSetting};
use crate::ui::widgets::form;
use crate::ui::widgets::list;
use crate::ui::{theme, widgets};

/// Settings that can be varied at once.
const MOST_AXES: usize = 3;
/// Width of the dialog, points.
const WIDTH: f32 = 720.0;
/// Width of the list of settings and of the unit behind their values, points.
const SETTING: f32 = 190.0;
const UNIT: f32 = 36.0;

/// The dialog while it is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Variants {
    draft: VariantDraft,
    choices: Vec<Choice>,
    /// Why it cannot be mirrored, if so.
    unmirrored: Option<Message>,
    /// What came of the draft as it was then.
    made: Option<(VariantDraft, Result<Vec<TakeVariant>, Message>)>,
    /// When these began to move, seconds of the window.
    since: f64,
}

/// A setting that can be varied.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    setting: Setting,
    /// What it belongs to.
    owner: String,
}

/// Opens the dialog for the shown take.
pub(in crate::ui) fn open(app: &mut App) {
    let shown = app.session.shown_take().and_then(|take| app.session.document.take(take.id));
    let Some(take) = shown else {
        let message =
            crate::message::message!("notice.no_take_to_vary", "Variants are made of a take. Choose one first.");
        return app.session.notices.say(Severity::Info, message);
    };
    let choices = choices(&app.session, take);
    let settings: Vec<Setting> = choices.iter().map(|choice| choice.setting.clone()).collect();
    let draft = VariantDraft::new(take.id, &settings);
    let unmirrored = unmirrored(&app.session.document, take);
    app.dialogs.variants = Some(Variants { draft, choices, unmirrored, made: None, since: 0.0 });
}

/// The settings of `take` in the words and units of the window.
fn choices(session: &Session, take: &Take) -> Vec<Choice> {
    let file = session.document.file(take.character);
    let around = Around {
        document: Some(&session.document),
        skeleton: session.library.get(take.character).map(|loaded| &loaded.model.skeleton),
        file_unit: file.map(|file| file.metres_per_unit),
    };
    let json = serde_json::to_value(take).unwrap_or_default();
    let choice = |mut setting: Setting| {
        let told = VariedSetting::of(take, &json, &setting, &around);
        setting.wording = told.wording;
        Choice { setting, owner: told.owner }
    };
    settings(&session.document, take).into_iter().map(choice).collect()
}

/// Draws the dialog while it is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(mut variants) = app.dialogs.variants.take() else { return };
    variants.follow(&mut app.session, ctx.input(|input| input.time));
    let drawn = app.session.variants.drawn().iter().enumerate();
    let fails: BTreeSet<usize> = drawn.filter(|(_, drawn)| matches!(drawn, Some(Err(_)))).map(|(at, _)| at).collect();
    let stage = Stage { session: &app.session, viewport: &mut app.viewport };
    let (answer, close) = window(ctx, "variants", WIDTH, |ui| {
        variants.form(ui);
        variants.pictures(ui, stage);
        variants.buttons(ui, &fails)
    });
    match answer {
        None if !close => app.dialogs.variants = Some(variants),
        _ => {
            app.session.variants.forget(&app.session.jobs);
            app.viewport.leave_small();
        }
    }
    if let Some(Some(command)) = answer {
        app.session.perform(command);
    }
}

impl Variants {
    /// For tests: types `values` of the first setting.
    #[cfg(test)]
    pub(in crate::ui) fn write(&mut self, values: &str) {
        self.draft.axes[0].values = values.to_owned();
    }

    /// For tests: the values of the first setting.
    #[cfg(test)]
    pub(in crate::ui) fn values(&self) -> &str {
        &self.draft.axes[0].values
    }

    /// For tests: varies the setting whose place ends in `ending` alone.
    #[cfg(test)]
    pub(in crate::ui) fn vary(&mut self, ending: &str) {
        let of = |choice: &&Choice| choice.setting.place.ends_with(ending);
        self.draft.axes =
            self.choices.iter().find(of).map(|choice| AxisDraft::around(&choice.setting)).into_iter().collect();
    }

    /// For tests: where the first setting is.
    #[cfg(test)]
    pub(in crate::ui) fn varied(&self) -> &str {
        &self.draft.axes[0].place
    }

    /// Makes the variants anew where something else is wanted.
    fn follow(&mut self, session: &mut Session, now: f64) {
        if self.made.as_ref().is_some_and(|(draft, _)| *draft == self.draft) {
            return;
        }
        let made = self.draft.made(&session.document);
        match &made {
            Ok(made) => session.preview_variants(made.iter().map(|variant| &variant.take)),
            Err(_) => session.variants.forget(&session.jobs),
        }
        self.made = Some((self.draft.clone(), made));
        self.since = now;
    }

    fn form(&mut self, ui: &mut Ui) {
        let (mut removed, count) = (None, self.draft.axes.len());
        for (at, axis) in self.draft.axes.iter_mut().enumerate() {
            ui.push_id(at, |ui| {
                form::row(ui, "vary", |ui| {
                    setting(ui, &self.choices, self.unmirrored.as_ref(), axis);
                    let removal = if count > 1 { theme::ROW + 2.0 * theme::MEDIUM } else { 0.0 };
                    let room = ui.available_width() - removal - UNIT - theme::MEDIUM;
                    let field = widgets::text_field(&mut axis.values, "2..8:0.5").desired_width(room);
                    widgets::named(ui.add(field), &tr("variants.values")).on_hover_text(tr("tip.variants_values"));
                    let chosen = self.choices.iter().find(|choice| choice.setting.place == axis.place);
                    let unit = RichText::new(chosen.map_or("", |choice| choice.setting.wording.suffix.trim()));
                    ui.add_sized([UNIT, theme::ROW], Label::new(unit.color(theme::of(ui).dim)).truncate());
                    if count > 1 && widgets::icon_button(ui, ICON_DELETE, &tr("variants.remove_setting")).clicked() {
                        removed = Some(at);
                    }
                });
            });
        }
        removed.into_iter().for_each(|at| drop(self.draft.axes.remove(at)));
        form::row(ui, "variant_names", |ui| {
            let add = widgets::text_field(&mut self.draft.names, NAMES);
            widgets::named(ui.add(add.desired_width(ui.available_width())), &tr("form.variant_names"));
        });
        let settings = self.choices.iter().map(|choice| &choice.setting);
        let free = settings.into_iter().find(|setting| self.draft.axes.iter().all(|axis| axis.place != setting.place));
        ui.add_enabled_ui(count < MOST_AXES && free.is_some(), |ui| {
            if widgets::text_button(ui, ICON_ADD, &tr("variants.add_setting")).clicked() {
                self.draft.axes.extend(free.map(AxisDraft::around));
            }
        });
    }

    fn pictures(&self, ui: &mut Ui, stage: Stage) {
        let room = Vec2::new(ui.available_width(), pictures::height(ui));
        ui.allocate_ui(room, |ui| {
            ui.set_min_size(room);
            match &self.made {
                Some((_, Ok(made))) => {
                    let names: Vec<&str> = made.iter().map(|variant| &*variant.take.name).collect();
                    pictures::ui(ui, &names, self.since, stage);
                }
                Some((_, Err(why))) => widgets::remark(ui, ICON_ERROR, theme::of(ui).error, &say(why)),
                None => {}
            }
        });
    }

    /// Cancel, or the command that adds what is wanted without what `fails`, by its place.
    fn buttons(&self, ui: &mut Ui, fails: &BTreeSet<usize>) -> Option<Option<Command>> {
        let made = self.made.as_ref().and_then(|(_, made)| made.as_ref().ok());
        let whole = || made.into_iter().flatten().enumerate().filter(|(at, _)| !fails.contains(at));
        let count = whole().count();
        buttons(ui, |ui| {
            let name = tr_with("variants.add", &[("count", count.to_string())]);
            let go = ui.add_enabled_ui(count > 0, |ui| widgets::main_button(ui, &name).clicked()).inner;
            let takes = go.then(|| whole().map(|(_, variant)| variant.take.clone()).collect());
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            takes.map(|takes| Some(Command::Edit(EditCommand::AddVariants(takes)))).or(cancel.then_some(None))
        })
    }
}

/// The setting of an axis, chosen from those of the take, each under what it belongs to; below them why it cannot be mirrored.
fn setting(ui: &mut Ui, choices: &[Choice], unmirrored: Option<&Message>, axis: &mut AxisDraft) {
    let chosen = choices.iter().find(|choice| choice.setting.place == axis.place);
    let text = chosen.map_or("", |choice| &choice.setting.wording.name);
    let combo = ComboBox::from_id_salt("setting").selected_text(text).width(SETTING).height(320.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        let mut owner = "";
        for Choice { setting, owner: own } in choices {
            if owner != own {
                owner = own;
                match owner {
                    "" => drop(ui.separator()),
                    owner => drop(widgets::caption(ui, owner)),
                }
            }
            let Wording { name, suffix, .. } = &setting.wording;
            let value = format!("{}{suffix}", setting.value_text());
            let row = list::with_value(ui, setting.place == axis.place, name, value);
            if row.on_hover_text(&setting.place).clicked() {
                *axis = AxisDraft::around(setting);
            }
        }
        if let Some(why) = unmirrored {
            ui.separator();
            widgets::caption(ui, tr("stage.mirror"));
            // Rows are as wide as the list; a sentence so spread out is hard to read.
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                ui.add(Label::new(RichText::new(say(why)).color(theme::of(ui).dim)).wrap());
            });
        }
    });
    let place = tr_with("variants.place", &[("place", axis.place.clone())]);
    widgets::named(response.response, &tr("form.vary")).on_hover_text(place);
}
