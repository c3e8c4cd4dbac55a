//! Variants dialog: choice of settings and values, with animated previews.

mod pictures;

use std::collections::BTreeSet;

use egui::{Align, ComboBox, Label, Layout, RichText, Ui, Vec2};
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE, ICON_ERROR};

use self::pictures::Stage;
use super::{buttons, window};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::setting::{NameContext, VariedSetting};
use crate::widgets::form;
use crate::widgets::list;
use crate::{theme, widgets};
use portamento_base::message::Message;
use portamento_session::variants::{
    AxisDraft, NAMES, Setting, TakeVariant, VariantDraft, Wording, reason_not_mirrorable, settings,
};
use portamento_session::{Command, EditCommand, Session, Severity};
use portamento_takes::document::Take;

/// Maximum number of settings varied at once.
const MAX_AXES: usize = 3;
/// Width of the dialog, points.
const DIALOG_WIDTH: f32 = 720.0;
/// Widths of the setting list and of the unit behind the values, points.
const SETTING_WIDTH: f32 = 190.0;
const UNIT_WIDTH: f32 = 36.0;

/// State of the open dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct Variants {
    draft: VariantDraft,
    choices: Vec<Choice>,
    /// The reason why the take cannot be mirrored, if so.
    reason_not_mirrorable: Option<Message>,
    /// The draft last built and its result.
    result: Option<(VariantDraft, Result<Vec<TakeVariant>, Message>)>,
    /// Time at which the previews started, in seconds of the window's clock.
    since: f64,
}

/// A setting that can be varied.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    setting: Setting,
    /// Name of the stage or source it belongs to.
    owner: String,
}

/// Opens the dialog for the shown take. Reports it if none is shown.
pub(crate) fn open(app: &mut App) {
    let shown = app.session.shown_take().and_then(|take| app.session.document.take(take.id));
    let Some(take) = shown else {
        let message = portamento_base::message::message!(
            "notice.no_take_to_vary",
            "No take is shown. Select a take to vary first."
        );
        return app.session.notices.add(Severity::Info, message);
    };
    let choices = choices(&app.session, take);
    let settings: Vec<Setting> = choices.iter().map(|choice| choice.setting.clone()).collect();
    let draft = VariantDraft::new(take.id, &settings);
    let reason_not_mirrorable = reason_not_mirrorable(&app.session.document, take);
    app.dialogs.variants = Some(Variants { draft, choices, reason_not_mirrorable, result: None, since: 0.0 });
}

/// Returns the settings of `take` that can be varied, with the names and units of the window.
fn choices(session: &Session, take: &Take) -> Vec<Choice> {
    let file = session.document.file(take.character);
    let around = NameContext {
        document: Some(&session.document),
        skeleton: session.library.get(take.character).map(|loaded| &loaded.model.skeleton),
        file_unit: file.map(|file| file.metres_per_unit),
    };
    let json = serde_json::to_value(take).unwrap_or_default();
    let choice = |mut setting: Setting| {
        let varied = VariedSetting::of(take, &json, &setting, &around);
        setting.wording = varied.wording;
        Choice { setting, owner: varied.owner }
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
    let (answer, close) = window(ctx, "variants", DIALOG_WIDTH, |ui| {
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
    /// For tests: sets the values of the first setting.
    #[cfg(test)]
    pub(crate) fn write(&mut self, values: &str) {
        self.draft.axes[0].values = values.to_owned();
    }

    /// For tests: returns the values of the first setting.
    #[cfg(test)]
    pub(crate) fn values(&self) -> &str {
        &self.draft.axes[0].values
    }

    /// For tests: varies only the setting whose path ends in `ending`.
    #[cfg(test)]
    pub(crate) fn vary(&mut self, ending: &str) {
        let of = |choice: &&Choice| choice.setting.place.ends_with(ending);
        self.draft.axes =
            self.choices.iter().find(of).map(|choice| AxisDraft::around(&choice.setting)).into_iter().collect();
    }

    /// For tests: returns the path of the first setting.
    #[cfg(test)]
    pub(crate) fn varied(&self) -> &str {
        &self.draft.axes[0].place
    }

    /// Rebuilds the variants if the draft changed, starts the job of their previews, and restarts them at `now`, in seconds of
    /// the window's clock.
    fn follow(&mut self, session: &mut Session, now: f64) {
        if self.result.as_ref().is_some_and(|(draft, _)| *draft == self.draft) {
            return;
        }
        let result = self.draft.create(&session.document);
        match &result {
            Ok(result) => session.preview_variants(result.iter().map(|variant| &variant.take)),
            Err(_) => session.variants.forget(&session.jobs),
        }
        self.result = Some((self.draft.clone(), result));
        self.since = now;
    }

    /// Draws a row for each varied setting, with its values and a button that removes it, and a button that adds one. Draws the
    /// name pattern below.
    fn form(&mut self, ui: &mut Ui) {
        let (mut removed, count) = (None, self.draft.axes.len());
        for (at, axis) in self.draft.axes.iter_mut().enumerate() {
            ui.push_id(at, |ui| {
                form::row(ui, "vary", |ui| {
                    setting(ui, &self.choices, self.reason_not_mirrorable.as_ref(), axis);
                    let removal = if count > 1 { theme::ROW + 2.0 * theme::GAP_MEDIUM } else { 0.0 };
                    let room = ui.available_width() - removal - UNIT_WIDTH - theme::GAP_MEDIUM;
                    let field = widgets::text_field(&mut axis.values, "2..8:0.5").desired_width(room);
                    widgets::named(ui.add(field), &tr("variants.values")).on_hover_text(tr("tip.variants_values"));
                    let chosen = self.choices.iter().find(|choice| choice.setting.place == axis.place);
                    let unit = RichText::new(chosen.map_or("", |choice| choice.setting.wording.suffix.trim()));
                    ui.add_sized([UNIT_WIDTH, theme::ROW], Label::new(unit.color(theme::of(ui).dim)).truncate());
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
        ui.add_enabled_ui(count < MAX_AXES && free.is_some(), |ui| {
            if widgets::text_button(ui, ICON_ADD, &tr("variants.add_setting")).clicked() {
                self.draft.axes.extend(free.map(AxisDraft::around));
            }
        });
    }

    /// Draws the previews of the variants, or the reason why they cannot be created.
    fn pictures(&self, ui: &mut Ui, stage: Stage) {
        let room = Vec2::new(ui.available_width(), pictures::height(ui));
        ui.allocate_ui(room, |ui| {
            ui.set_min_size(room);
            match &self.result {
                Some((_, Ok(variants))) => {
                    let names: Vec<&str> = variants.iter().map(|variant| &*variant.take.name).collect();
                    pictures::ui(ui, &names, self.since, stage);
                }
                Some((_, Err(why))) => widgets::remark(ui, ICON_ERROR, theme::of(ui).error, &localized(why)),
                None => {}
            }
        });
    }

    /// Draws the buttons. Returns the command that adds all variants except those with an index in `fails`, or `Some(None)` for
    /// Cancel.
    fn buttons(&self, ui: &mut Ui, fails: &BTreeSet<usize>) -> Option<Option<Command>> {
        let variants = self.result.as_ref().and_then(|(_, result)| result.as_ref().ok());
        let wanted = || variants.into_iter().flatten().enumerate().filter(|(at, _)| !fails.contains(at));
        let count = wanted().count();
        buttons(ui, |ui| {
            let name = tr_with("variants.add", &[("count", count.to_string())]);
            let go = ui.add_enabled_ui(count > 0, |ui| widgets::main_button(ui, &name).clicked()).inner;
            let takes = go.then(|| wanted().map(|(_, variant)| variant.take.clone()).collect());
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            takes.map(|takes| Some(Command::Edit(EditCommand::AddVariants(takes)))).or(cancel.then_some(None))
        })
    }
}

/// Draws the setting list of an axis, grouped by owner. A choice resets the values of the axis. If mirroring is impossible, the
/// reason is at the end.
fn setting(ui: &mut Ui, choices: &[Choice], reason_not_mirrorable: Option<&Message>, axis: &mut AxisDraft) {
    let chosen = choices.iter().find(|choice| choice.setting.place == axis.place);
    let text = chosen.map_or("", |choice| &choice.setting.wording.name);
    let combo = ComboBox::from_id_salt("setting").selected_text(text).width(SETTING_WIDTH).height(320.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        let mut owner = "";
        for Choice { setting, owner: setting_owner } in choices {
            if owner != setting_owner {
                owner = setting_owner;
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
        if let Some(why) = reason_not_mirrorable {
            ui.separator();
            widgets::caption(ui, tr("stage.mirror"));
            // Rows are as wide as the list, which would make a sentence hard to read.
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                ui.add(Label::new(RichText::new(localized(why)).color(theme::of(ui).dim)).wrap());
            });
        }
    });
    let path = tr_with("variants.place", &[("place", axis.place.clone())]);
    widgets::named(response.response, &tr("form.vary")).on_hover_text(path);
}
