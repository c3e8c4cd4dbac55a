//! Dialogs that finish motions: the choice of the character, and the list of what was done and what was left.

use egui::{ComboBox, Grid, Label, RichText, ScrollArea, Ui};
use egui_material_icons::icons::{ICON_CHECK, ICON_REMOVE};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::{focus, theme, widgets};
use portamento_session::finish::{
    FinishFigure, FinishFigures, FinishQuestion, FinishRequest, FinishRow, FinishStep, FinishTable, Finished,
    StepOutcome,
};
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::TakeId;

/// Width of the question, points.
const QUESTION_WIDTH: f32 = 420.0;
/// Largest width of the list and its distance from the window's edges, points.
const MAX_WIDTH: f32 = 1000.0;
const MARGIN: f32 = 64.0;
/// Height that the rest of the list's dialog needs, and the range of the heights of its table and of its steps, points.
const REST_HEIGHT: f32 = 260.0;
const PART_HEIGHTS: [f32; 2] = [96.0, 320.0];

/// User choice in the list.
enum Answer {
    Show(TakeId),
    Close,
}

/// Draws the question or the list, if one is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if let Some(question) = app.session.asked_finish.clone() {
        draw_question(app, ctx, question);
    } else if let Some(table) = app.session.finished.take() {
        motion_list(app, ctx, table);
    }
}

/// Draws the question for the character that the motions are transferred to. Confirming it starts the job.
fn draw_question(app: &mut App, ctx: &egui::Context, mut question: FinishQuestion) {
    let rigs = app.session.opened().rigs();
    let (answer, close) = window(ctx, "finish", QUESTION_WIDTH, |ui| {
        ui.add(Label::new(motions(&app.session, &question)).wrap());
        ui.horizontal(|ui| {
            ui.label(tr("finish.character"));
            let name = rigs.iter().find(|(file, _)| *file == question.character).map_or("", |(_, name)| name);
            let combo = ComboBox::from_id_salt("finish character").selected_text(name).show_ui(ui, |ui| {
                for (file, name) in &rigs {
                    widgets::list::value(ui, &mut question.character, *file, name.clone());
                }
            });
            widgets::form::with_name(combo.response, &tr("finish.character"));
        });
        widgets::caption(ui, tr("finish.explained"));
        buttons(ui, |ui| {
            let finishes = widgets::main_button(ui, &tr("finish.start")).clicked();
            let cancels = ui.button(tr("unsaved.cancel")).clicked();
            finishes.then_some(true).or(cancels.then_some(false))
        })
    });
    let answer = answer.or(close.then_some(false));
    app.session.asked_finish = answer.is_none().then_some(question.clone());
    if answer == Some(true) {
        app.dialogs.finished_row = 0;
        let request = FinishRequest {
            take: tr("finish.take"),
            folder: tr("finish.folder"),
            adds_unchanged: false,
            ..FinishRequest::new(question.character, question.clips)
        };
        app.session.perform(Command::Edit(EditCommand::FinishClips(request)));
    }
}

/// Returns the title of the only clip of `question`, or the number of its clips as text.
fn motions(session: &Session, question: &FinishQuestion) -> String {
    match &question.clips[..] {
        [(_, clip)] => tr_with("finish.one", &[("clip", session.document.clip_title(clip))]),
        clips => tr_with("finish.several", &[("count", clips.len().to_string())]),
    }
}

/// Draws the list of finished motions with the steps of the selected one, until it is closed.
fn motion_list(app: &mut App, ctx: &egui::Context, table: FinishTable) {
    let screen = ctx.content_rect().size();
    let height = (0.5 * (screen.y - REST_HEIGHT)).clamp(PART_HEIGHTS[0], PART_HEIGHTS[1]);
    let chosen = &mut app.dialogs.finished_row;
    *chosen = (*chosen).min(table.rows.len().saturating_sub(1));
    let (answer, close) = window(ctx, "finished", (screen.x - MARGIN).min(MAX_WIDTH), |ui| {
        let count = table.rows.iter().filter(|row| matches!(row.outcome, Ok((Some(_), _)))).count();
        let values = [("count", count.to_string()), ("all", table.rows.len().to_string())];
        let values = [&values[..], &[("character", table.character.clone())]].concat();
        ui.add(Label::new(tr_with("finished.text", &values)).wrap());
        rows(ui, &table.rows, chosen, height);
        let row = table.rows.get(*chosen);
        ScrollArea::vertical().id_salt("steps").auto_shrink([false, true]).max_height(height).show(ui, |ui| {
            row.into_iter().for_each(|row| steps(ui, row));
            focus::scroll_to_focus(ui);
        });
        let shown = row.and_then(|row| row.outcome.as_ref().ok()?.0);
        buttons(ui, |ui| {
            let closes = widgets::main_button(ui, &tr("dialog.close")).clicked();
            let shows = ui.add_enabled(shown.is_some(), egui::Button::new(tr("finished.show"))).clicked();
            shown.filter(|_| shows).map(Answer::Show).or(closes.then_some(Answer::Close))
        })
    });
    match answer.or(close.then_some(Answer::Close)) {
        Some(Answer::Show(take)) => app.session.selection.show(Shown::Take(take)),
        Some(Answer::Close) => {}
        None => app.session.finished = Some(table),
    }
}

/// Draws one row per motion with its figures before and after. A click chooses the motion.
fn rows(ui: &mut Ui, rows: &[FinishRow], chosen: &mut usize, height: f32) {
    ScrollArea::both().auto_shrink([false, true]).max_height(height).show(ui, |ui| {
        Grid::new("finished").num_columns(FinishFigure::ALL.len() + 1).striped(true).show(ui, |ui| {
            ui.label(RichText::new(tr("finished.motion")).font(theme::strong()));
            for figure in FinishFigure::ALL {
                let heading = ui.label(RichText::new(name(figure)).font(theme::strong()));
                heading.on_hover_text(tr(&format!("finish_figure_tip.{}", figure.name())));
            }
            ui.end_row();
            for (at, row) in rows.iter().enumerate() {
                if ui.selectable_label(*chosen == at, &row.name).clicked() {
                    *chosen = at;
                }
                match &row.outcome {
                    Ok((_, finished)) => figures(ui, finished),
                    Err(why) => {
                        ui.colored_label(theme::of(ui).error, tr("finished.failed")).on_hover_text(localized(why));
                    }
                }
                ui.end_row();
            }
        });
        focus::scroll_to_focus(ui);
    });
}

/// Draws the figures of a motion, each before and after: green if visibly lower, red if visibly higher. An unmeasured figure is a
/// dash in the warning colour.
fn figures(ui: &mut Ui, finished: &Finished) {
    let tokens = theme::of(ui);
    for figure in FinishFigure::ALL {
        match (finished.before.get(figure), finished.after.get(figure)) {
            (Some(before), Some(after)) => {
                let [from, to] = [before, after].map(|value| format!("{value:.*}", figure.digits()));
                let color = match figure.change(before, after) {
                    std::cmp::Ordering::Less => tokens.ok,
                    std::cmp::Ordering::Equal => tokens.text,
                    std::cmp::Ordering::Greater => tokens.error,
                };
                ui.colored_label(color, if from == to { to } else { format!("{from} → {to}") });
            }
            _ => drop(ui.colored_label(tokens.warning, "–").on_hover_text(tr("finished.unmeasured"))),
        }
    }
}

/// Draws the steps of a motion with their changes, then its warnings; for a failed motion the reason.
fn steps(ui: &mut Ui, row: &FinishRow) {
    let tokens = theme::of(ui);
    ui.label(RichText::new(&row.name).font(theme::strong()));
    match &row.outcome {
        Ok((take, finished)) => {
            if take.is_none() {
                let text = RichText::new(tr("finished.unchanged")).color(tokens.warning);
                ui.add(Label::new(text).wrap());
            }
            finished.steps.iter().for_each(|step| step_ui(ui, step));
            for warning in &finished.warnings {
                ui.add(Label::new(RichText::new(localized(warning)).color(tokens.warning)).wrap());
            }
        }
        Err(why) => drop(ui.add(Label::new(RichText::new(localized(why)).color(tokens.error)).wrap())),
    }
}

/// Draws the name of a step with its change, or the reason why it was left out.
fn step_ui(ui: &mut Ui, step: &FinishStep) {
    let tokens = theme::of(ui);
    let name = tr(&format!("stage.{}", step.name));
    let (icon, color, text) = match &step.outcome {
        StepOutcome::Done { before: Some(before), after } => (ICON_CHECK, tokens.ok, changes(before, after)),
        StepOutcome::Done { before: None, .. } => (ICON_CHECK, tokens.ok, String::new()),
        StepOutcome::Left(why) => (ICON_REMOVE, tokens.dim, localized(why)),
    };
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(icon.codepoint).color(color));
        ui.label(RichText::new(name).font(theme::strong()));
        ui.label(RichText::new(text).color(tokens.dim));
    });
}

/// Returns the figures that a step changed, with their values before and after, or a text that none changed.
fn changes(before: &FinishFigures, after: &FinishFigures) -> String {
    let change = |figure: FinishFigure| {
        let [from, to] = [before, after].map(|figures| figures.get(figure));
        let [from, to] = [from?, to?].map(|value| format!("{value:.*}", figure.digits()));
        (from != to).then(|| format!("{} {from} → {to}", name(figure)))
    };
    let all: Vec<String> = FinishFigure::ALL.into_iter().filter_map(change).collect();
    if all.is_empty() { tr("finished.no_change") } else { all.join(", ") }
}

/// Returns the translated name of a figure with its unit.
fn name(figure: FinishFigure) -> String {
    let name = tr(&format!("finish_figure.{}", figure.name()));
    if figure.unit().is_empty() { name } else { format!("{name} ({})", figure.unit()) }
}
