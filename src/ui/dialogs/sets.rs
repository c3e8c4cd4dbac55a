//! Table of the sets: members and requirements, with the measured figure of each.

use egui::{Align, Button, ComboBox, Grid, Label, Layout, RichText, ScrollArea, Ui};
use egui_material_icons::icons::{ICON_CLOSE, ICON_DELETE, ICON_INFO};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::{focus, theme, widgets};
use portamento_session::sets::{AimGridRequest, BringRequest, SetCell};
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_sets::{Limit, Measured, Requirement, Row, SetKind, Verdict};
use portamento_stretch::additive::Space;
use portamento_takes::document::clip_set::{ClipSet, MemberClip};

/// Largest width of the dialog and its distance from the window's edges, points.
const MAX_WIDTH: f32 = 1080.0;
const MARGIN: f32 = 64.0;
/// Height that the rest of the dialog needs, points.
const REST_HEIGHT: f32 = 272.0;
/// Width of a field with angles, points.
const ANGLES_WIDTH: f32 = 128.0;
/// Kinds of sets, in menu order, with their label keys.
const KINDS: [(SetKind, &str); 5] = [
    (SetKind::Ring, "set_kind.ring"),
    (SetKind::Chain, "set_kind.chain"),
    (SetKind::Strikes, "set_kind.strikes"),
    (SetKind::AimGrid, "set_kind.aim_grid"),
    (SetKind::Free, "set_kind.free"),
];

/// The open dialog.
#[derive(Debug)]
pub(crate) struct Sets {
    /// Index of the shown set.
    pub(crate) chosen: usize,
    /// Angles of the next aim grid, degrees, as typed: to the right and up.
    angles: [String; 2],
}

impl Default for Sets {
    fn default() -> Self {
        Self { chosen: 0, angles: ["-90 -45 0 45 90", "-45 0 45"].map(str::to_owned) }
    }
}

/// User choice in the dialog.
enum Answer {
    Perform(EditCommand),
    /// Removes the member at that index from the shown set.
    RemoveMember(usize),
    Export,
    Close,
}

/// Opens the dialog. If the project has no sets, starts the job that proposes them.
pub(crate) fn open(app: &mut App) {
    app.dialogs.sets.get_or_insert_default();
    app.session.sets.is_shown = true;
    if app.session.document.sets.is_empty() {
        app.session.perform(Command::Edit(EditCommand::ProposeSets));
    }
}

/// Draws the dialog while it is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(mut sets) = app.dialogs.sets.take() else { return };
    let screen = ctx.content_rect().size();
    let (width, height) = ((screen.x - MARGIN).min(MAX_WIDTH), (screen.y - REST_HEIGHT).max(120.0));
    let session = &mut app.session;
    sets.chosen =
        session.sets.extended.take().unwrap_or(sets.chosen).min(session.document.sets.len().saturating_sub(1));
    let (answer, close) = window(ctx, "sets", width, |ui| {
        let mut answer = bar(ui, session, &mut sets.chosen);
        answer = aim_grid(ui, session, &mut sets.angles).or(answer);
        answer = table(ui, session, sets.chosen, height).or(answer);
        let cells = session.set_cells(sets.chosen).unwrap_or_default();
        let is_broken = cells.iter().any(|cell| cell.row.verdict() == Verdict::Broken);
        let is_idle = !session.is_working_on_sets();
        buttons(ui, |ui| {
            let bring = ui.add_enabled_ui(is_broken && is_idle, |ui| widgets::main_button(ui, &tr("sets.bring"))).inner;
            if bring.on_hover_text(tr("sets.bring_tip")).clicked() {
                let request = BringRequest { set: sets.chosen, only: None };
                answer = Some(Answer::Perform(EditCommand::BringSet(request)));
            }
            let can_export =
                is_idle && session.document.sets.get(sets.chosen).is_some_and(|set| !set.members.is_empty());
            let export =
                ui.add_enabled(can_export, Button::new(tr("sets.export"))).on_hover_text(tr("sets.export_tip"));
            if export.clicked() {
                answer = Some(Answer::Export);
            }
            if ui.button(tr("dialog.close")).clicked() {
                answer = Some(Answer::Close);
            }
            counts(ui, session, &cells);
        });
        answer
    });
    match answer.or(close.then_some(Answer::Close)) {
        Some(Answer::Close) => hide(&mut app.session),
        Some(Answer::RemoveMember(member)) => {
            let set = app.session.document.sets.get_mut(sets.chosen);
            set.filter(|set| member < set.members.len()).into_iter().for_each(|set| drop(set.members.remove(member)));
            app.dialogs.sets = Some(sets);
        }
        Some(Answer::Export) => {
            hide(&mut app.session);
            app.session.perform(Command::Edit(EditCommand::AddTakesOfSet(sets.chosen)));
            // The takes exist now, so this adds none.
            let takes = app.session.takes_of_set(sets.chosen);
            app.session.exports.choice.settings.set_index = true;
            super::export::open_with(app, &takes);
        }
        Some(Answer::Perform(command)) => {
            app.session.perform(Command::Edit(command));
            app.dialogs.sets = Some(sets);
        }
        None => app.dialogs.sets = Some(sets),
    }
}

/// Ends the measurement of the sets.
fn hide(session: &mut Session) {
    session.sets.is_shown = false;
    session.sets.note = None;
}

/// Draws the choice of the set, its kind, and the buttons that propose, add, extend and remove sets. Kind, empty sets and removal
/// apply at once; other clicks are returned.
fn bar(ui: &mut Ui, session: &mut Session, chosen: &mut usize) -> Option<Answer> {
    let mut answer = None;
    ui.horizontal(|ui| {
        let is_idle = !session.is_working_on_sets();
        let names: Vec<String> = session.document.sets.iter().map(|set| set.name.clone()).collect();
        if let Some(set) = session.document.sets.get_mut(*chosen) {
            let combo = ComboBox::from_id_salt("set").selected_text(&names[*chosen]).show_ui(ui, |ui| {
                for (at, name) in names.iter().enumerate() {
                    widgets::list::value(ui, chosen, at, name.clone());
                }
            });
            widgets::form::with_name(combo.response, &tr("sets.set"));
            let label = |kind: SetKind| KINDS.iter().find(|known| known.0 == kind).map_or("", |known| known.1);
            let kind = &mut set.requirements.kind;
            let combo = ComboBox::from_id_salt("set kind").selected_text(tr(label(*kind))).show_ui(ui, |ui| {
                for (each, key) in KINDS {
                    widgets::list::value(ui, kind, each, tr(key));
                }
            });
            widgets::form::with_name(combo.response, &tr("sets.kind"));
        }
        let propose = ui.add_enabled(is_idle, Button::new(tr("sets.propose"))).on_hover_text(tr("sets.propose_tip"));
        if propose.clicked() {
            answer = Some(Answer::Perform(EditCommand::ProposeSets));
        }
        answer = additions(ui, session, chosen).or(answer.take());
        if !names.is_empty() && widgets::icon_button(ui, ICON_DELETE, &tr("sets.remove")).clicked() {
            session.document.sets.remove(*chosen);
        }
        if !is_idle {
            ui.add(egui::Spinner::new().size(theme::ICON));
        }
    });
    answer
}

/// Draws the buttons that add a set of the selected takes, or an empty set, and that add the selected takes to the set at
/// `chosen`. An empty set is added at once; the command of another click is returned.
fn additions(ui: &mut Ui, session: &mut Session, chosen: &mut usize) -> Option<Answer> {
    let selected = session.selection.chosen_takes(&session.document);
    let (is_idle, mut answer) = (!session.is_working_on_sets(), None);
    if ui.add_enabled(is_idle, Button::new(tr("sets.new"))).on_hover_text(tr("sets.new_tip")).clicked() {
        if selected.is_empty() {
            session.document.add_set(ClipSet { name: tr("sets.new_name"), ..ClipSet::default() });
            *chosen = session.document.sets.len() - 1;
        } else {
            let members = selected.into_iter().map(MemberClip::Take).collect();
            answer = Some(Answer::Perform(EditCommand::AddToSet { set: None, members }));
        }
    }
    if *chosen < session.document.sets.len() {
        let members = session.new_members(Some(*chosen));
        let add = ui.add_enabled(is_idle && !members.is_empty(), Button::new(tr("sets.add_selected")));
        let add = add.on_hover_text(tr("sets.add_selected_tip")).on_disabled_hover_text(tr("sets.add_none_tip"));
        if add.clicked() {
            answer = Some(Answer::Perform(EditCommand::AddToSet { set: Some(*chosen), members }));
        }
    }
    answer
}

/// Draws the angles of an aim grid and the button that samples it from the shown take. Draws nothing without a take that moves
/// joints. Returns the command of a click.
fn aim_grid(ui: &mut Ui, session: &Session, angles: &mut [String; 2]) -> Option<Answer> {
    let Shown::Take(take) = session.selection.shown else { return None };
    let name = &session.document.take(take).filter(|take| take.source.moves_joints())?.name;
    let mut answer = None;
    ui.horizontal(|ui| {
        ui.label(tr("sets.aim_grid"));
        for (text, key) in angles.iter_mut().zip(["sets.aim_yaw", "sets.aim_pitch"]) {
            let field = ui.add(widgets::text_field(text, "-45 0 45").desired_width(ANGLES_WIDTH));
            widgets::form::with_name(field, &tr(key)).on_hover_text(tr(key));
        }
        let [yaw, pitch] = angles.each_ref().map(|text| numbers(text));
        let grid = yaw.zip(pitch).filter(|_| !session.is_working_on_sets());
        let sample = ui.add_enabled(grid.is_some(), Button::new(tr("sets.aim_sample")));
        if sample.on_hover_text(tr_with("sets.aim_tip", &[("take", name.clone())])).clicked()
            && let Some((yaw, pitch)) = grid
        {
            let request = AimGridRequest { take, yaw, pitch, joint: None, space: Space::default() };
            answer = Some(Answer::Perform(EditCommand::AddAimGrid(request)));
        }
    });
    answer
}

/// Returns the angles (degrees) in a list separated by blanks, commas or semicolons. `None` if the list is empty, or if a word is
/// no number in -180…180.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let words = text.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let angles: Vec<f64> =
        words.map(|word| word.parse().ok().filter(|angle: &f64| angle.abs() <= 180.0)).collect::<Option<_>>()?;
    (!angles.is_empty()).then_some(angles)
}

/// Draws the note about the last search, and the table of the set at `index`, `height` points high at most: only the names of
/// members that are not measured yet. Returns the command that repairs the clicked figure, or the removal of a member.
fn table(ui: &mut Ui, session: &Session, index: usize, height: f32) -> Option<Answer> {
    let dim = theme::of(ui).dim;
    if let Some(note) = &session.sets.note {
        widgets::remark(ui, ICON_INFO, dim, &localized(note));
    }
    let caption = |ui: &mut Ui, key: &str| drop(ui.add(Label::new(RichText::new(tr(key)).color(dim)).wrap()));
    let Some(set) = session.document.sets.get(index) else {
        caption(ui, "sets.none");
        return None;
    };
    if set.members.is_empty() {
        caption(ui, "sets.empty");
        return None;
    }
    let cells = session.set_cells(index);
    if cells.is_none() {
        caption(ui, "sets.measuring");
    }
    let cells = cells.unwrap_or_default();
    let mut columns: Vec<Requirement> = cells.iter().map(|cell| cell.row.requirement).collect();
    columns.sort();
    columns.dedup();
    let is_idle = !session.is_working_on_sets();
    let (mut only, mut removed) = (None, None);
    ScrollArea::both().auto_shrink([false, true]).max_height(height).show(ui, |ui| {
        Grid::new("sets").num_columns(columns.len() + 1).striped(true).show(ui, |ui| {
            ui.label(RichText::new(tr("sets.member")).font(theme::strong()));
            for column in &columns {
                heading(ui, *column);
            }
            ui.end_row();
            let members =
                set.members.iter().enumerate().map(|(at, member)| (Some(at), session.member_name(&member.clip)));
            for (member, name) in members.chain([(None, tr("sets.all"))]) {
                let own: Vec<&SetCell> = cells.iter().filter(|cell| cell.member == member).collect();
                if own.is_empty() && member.is_none() {
                    continue;
                }
                ui.horizontal(|ui| {
                    let tip = tr_with("sets.remove_member", &[("member", name.clone())]);
                    if member.is_some() && widgets::icon_button(ui, ICON_CLOSE, &tip).clicked() {
                        removed = member;
                    }
                    ui.label(name);
                });
                for column in &columns {
                    only = cell_ui(ui, &own, *column, is_idle).or(only.take());
                }
                ui.end_row();
            }
        });
        focus::scroll_to_focus(ui);
    });
    let repair = only.map(|only| Answer::Perform(EditCommand::BringSet(BringRequest { set: index, only: Some(only) })));
    repair.or(removed.map(Answer::RemoveMember))
}

/// Draws the name of the requirement as a column heading with its tooltip.
fn heading(ui: &mut Ui, requirement: Requirement) {
    let label = ui.label(RichText::new(tr(&format!("requirement.{}", requirement.id()))).font(theme::strong()));
    label.on_hover_text(tr(&format!("requirement_tip.{}", requirement.id())));
}

/// Draws the figures of one member that belong to the requirement `column`. A broken one is a button if `is_idle`. Returns the
/// clicked figure.
fn cell_ui(ui: &mut Ui, cells: &[&SetCell], column: Requirement, is_idle: bool) -> Option<Row> {
    let tokens = theme::of(ui);
    let mut clicked = None;
    let own: Vec<&&SetCell> = cells.iter().filter(|cell| cell.row.requirement == column).collect();
    ui.horizontal(|ui| {
        for cell in own {
            let text = figure(&cell.row);
            let tip = tip(cell);
            match cell.row.verdict() {
                Verdict::Met => drop(ui.colored_label(tokens.ok, text).on_hover_text(tip)),
                Verdict::NotMeasured => drop(ui.colored_label(tokens.warning, text).on_hover_text(tip)),
                Verdict::Broken => {
                    let button = Button::new(RichText::new(text).color(tokens.error)).small();
                    let tip = format!("{tip}\n{}", tr("sets.cell_tip"));
                    if ui.add_enabled(is_idle, button).on_hover_text(tip).clicked() {
                        clicked = Some(cell.row.clone());
                    }
                }
            }
        }
    });
    clicked
}

/// Returns the tooltip of a figure: the other clip of the pair, the limit of the requirement, and the reason why it is not met.
fn tip(cell: &SetCell) -> String {
    let other = cell.row.other.as_ref().map(|other| format!("→ {}\n", other.clip)).unwrap_or_default();
    let limit = tr_with("sets.required", &[("limit", limit(&cell.row))]);
    let why = cell.why.as_ref().map(|why| format!("\n{}", localized(why))).unwrap_or_default();
    format!("{other}{limit}{why}")
}

/// Returns the measured figure with its unit, or the names that are missing (✔ if none). A dash if it was not measured.
fn figure(row: &Row) -> String {
    match &row.measured {
        None => "–".into(),
        Some(Measured::Number(number)) if !number.is_finite() => "–".into(),
        Some(Measured::Number(number)) => with_unit(*number, row.requirement),
        Some(Measured::Missing(names)) if names.is_empty() => "✔".into(),
        Some(Measured::Missing(names)) => names.join(", "),
    }
}

/// Returns the limit of a row as text with its unit, such as “≤ 2.0 mm”.
fn limit(row: &Row) -> String {
    match row.limit {
        Limit::AtMost(most) => format!("≤ {}", with_unit(most, row.requirement)),
        Limit::AtLeast(least) => format!("≥ {}", with_unit(least, row.requirement)),
        Limit::Near(pin) => {
            format!("{} ± {}", with_unit(pin.value, row.requirement), with_unit(pin.tolerance, row.requirement))
        }
        Limit::NoneMissing => tr("sets.no_missing"),
    }
}

/// Returns `number`, in the unit of `requirement`, with that unit; lengths below a metre in millimetres.
fn with_unit(number: f64, requirement: Requirement) -> String {
    match requirement.unit() {
        "m" if number.abs() < 1.0 => format!("{:.1} mm", 1e3 * number),
        "m" => format!("{number:.2} m"),
        "°" => format!("{number:.2}°"),
        "m/s" => format!("{number:.3} m/s"),
        "s" => format!("{number:.4} s"),
        "fps" => format!("{number:.2} fps"),
        "strides" => format!("{number:.3}"),
        _ => format!("{number:.0}"),
    }
}

/// Draws the numbers of met, broken and unmeasured requirements among `cells`.
fn counts(ui: &mut Ui, session: &Session, cells: &[SetCell]) {
    if session.document.sets.is_empty() || cells.is_empty() {
        return;
    }
    let count = |verdict: Verdict| cells.iter().filter(|cell| cell.row.verdict() == verdict).count().to_string();
    let values =
        [("met", count(Verdict::Met)), ("broken", count(Verdict::Broken)), ("unmeasured", count(Verdict::NotMeasured))];
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.label(RichText::new(tr_with("sets.counts", &values)).font(theme::caption()).color(theme::of(ui).dim));
    });
}
