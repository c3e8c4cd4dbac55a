//! Turns in place of a walk: facing at start and goal, turn clips and results.

use egui::{PopupCloseBehavior, Ui};

use crate::i18n::tr;
use crate::panels::blend::{Choice, title};
use crate::panels::clip_drop::dropped;
use crate::widgets::filter::Filter;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::number_row;
use portamento_walk::locomotion::{ClipRoles, Report, Settings, TurnReport};

/// Draws the facing at the start and at the goal.
pub(super) fn facing_ui(ui: &mut Ui, settings: &mut Settings) {
    facing(ui, "walk_start_facing", &mut settings.start_facing);
    facing(ui, "walk_goal_facing", &mut settings.goal_facing);
}

/// Draws a check box and, if it is on, the angle in degrees. Reset turns it off.
fn facing(ui: &mut Ui, key: &str, degrees: &mut Option<f64>) {
    let mut on = degrees.is_some();
    let mut angle = degrees.unwrap_or(0.0);
    let reset = form::row(ui, key, |ui| {
        form::tick(ui, &mut on);
        if on {
            let width = ui.available_width();
            let field = Field::new(Unit::Degrees).within(-360.0, 360.0).with_width(width);
            number(ui, &tr(&format!("form.{key}")), &mut angle, field);
        }
    });
    *degrees = (on && !reset).then_some(angle);
}

/// Draws the menu of turn clips and the turning limits.
pub(super) fn turning_ui(ui: &mut Ui, settings: &mut Settings, names: &[Choice]) {
    clips(ui, &mut settings.clips, names);
    let plain = Settings::default();
    let speed = Field::new(Unit::DegreesPerSecond).within(30.0, 1440.0);
    number_row(ui, "walk_turn_speed", &mut settings.turn_speed, speed, plain.turn_speed);
    let corner = Field::new(Unit::Degrees).within(60.0, 180.0);
    number_row(ui, "walk_sharp", &mut settings.corner, corner, plain.corner);
}

/// Draws the list in which the clips of turns are ticked; a clip can also be dropped there. If none is, a check box decides
/// whether they are proposed.
fn clips(ui: &mut Ui, roles: &mut ClipRoles, names: &[Choice]) {
    let shown_names: Vec<String> = roles.turns.iter().map(|turn| title(names, turn)).collect();
    let none = if roles.propose_turns { "walk.automatic" } else { "walk.no_turn" };
    let reset = form::row(ui, "walk_turns", |ui| {
        let shown = if roles.turns.is_empty() { tr(none) } else { shown_names.join(&tr("list.comma")) };
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("turns").width(width).truncate().selected_text(&shown);
        // The menu stays open so that several can be chosen.
        let slot = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
            let filter = Filter::show(ui, names.len());
            for choice in names.iter().filter(|choice| filter.fits(&choice.label())) {
                let mut on = roles.turns.contains(&choice.clip);
                if ui.checkbox(&mut on, choice.label()).changed() {
                    roles.turns.retain(|each| *each != choice.clip);
                    roles.turns.extend(on.then(|| choice.clip.clone()));
                }
            }
        });
        let is_new = |choice: &&Choice| !roles.turns.contains(&choice.clip);
        form::drop_down(ui, slot.response.clone(), &shown);
        let new = dropped(ui, &slot.response, names).filter(is_new).map(|choice| choice.clip.clone());
        roles.turns.extend(new);
    });
    if reset {
        roles.turns.clear();
    }
    if roles.turns.is_empty() {
        let reset = form::row(ui, "walk_propose_turns", |ui| {
            form::tick(ui, &mut roles.propose_turns);
        });
        roles.propose_turns |= reset;
    }
}

/// Draws one row per performed turn, and the foot slide of all of them.
pub(super) fn turns_ui(ui: &mut Ui, report: &Report) {
    report.turns.iter().for_each(|turn| turn_row(ui, turn));
    if !report.turns.is_empty() {
        form::fact(ui, "walk_turn_slide", Unit::CentimetresPerSecond.text(report.slide_turning, 1));
    }
}

/// Draws the angle, the duration and the clip of a turn.
fn turn_row(ui: &mut Ui, turn: &TurnReport) {
    let with = turn.clip.clone().unwrap_or_else(|| tr("walk.no_turn"));
    let clip_angle = turn.clip_angle.map_or_else(String::new, |angle| format!(" ({})", Unit::Degrees.signed(angle, 0)));
    let seconds = turn.ends - turn.begins;
    let (angle, seconds) = (Unit::Degrees.signed(turn.angle, 1), Unit::Seconds.text(seconds, 2));
    form::fact(ui, "walk_turned", format!("{angle}   {seconds}   {with}{clip_angle}"));
}
