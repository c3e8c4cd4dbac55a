//! Movement and clips of the walking character, and its planned stop.

use egui::{Grid, RichText, Ui};

use crate::i18n::tr;
use crate::panels::blend::{Choice, choices};
use crate::panels::clip_drop::dropped;
use crate::panels::walk::crossings::crossings_ui;
use crate::panels::walk::gaits::gaits_ui;
use crate::panels::walk::turns::turning_ui;
use crate::theme;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::number_row;
use portamento_session::{Session, Shown};
use portamento_takes::document::Walk;
use portamento_takes::evaluate::Walked;
use portamento_walk::locomotion::{ClipRoles, Pop, Report, Settings};

/// Draws clips, turning, acceleration, braking, lean, play rates and foot settings.
pub(super) fn steps_ui(ui: &mut Ui, session: &Session, walk: &mut Walk, walked: Option<&Walked>) {
    let report = walked.and_then(|walked| walked.walk.as_ref()).map(|walk| &walk.report);
    let names = clip_names(session);
    clips(ui, &mut walk.settings.clips, &names, report);
    crossings_ui(ui, walk, &names, report);
    let settings = &mut walk.settings;
    turning_ui(ui, settings, &names);
    let plain = Settings::default();
    let change = Field::new(Unit::Acceleration).within(0.1, 100.0);
    number_row(ui, "walk_acceleration", &mut settings.acceleration, change, plain.acceleration);
    number_row(ui, "walk_braking", &mut settings.braking.deceleration, change, plain.braking.deceleration);
    let friction = Field::new(Unit::Plain).within(0.0, 100.0);
    number_row(ui, "walk_friction", &mut settings.braking.friction, friction, plain.braking.friction);
    number_row(ui, "walk_sideways", &mut settings.sideways, change, plain.sideways);
    let share = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, 1.0) };
    number_row(ui, "walk_lean", &mut settings.lean, share, plain.lean);
    let turning = Field::new(Unit::Metres).within(0.0, 10.0);
    number_row(ui, "walk_turning", &mut settings.turning_radius, turning, plain.turning_radius);
    rates(ui, settings);
    engine(ui, settings);
    flag(ui, "walk_match", &mut settings.match_pose);
    flag(ui, "walk_lock", &mut settings.lock_feet);
    number_row(ui, "walk_rest", &mut settings.rest, Field::new(Unit::Seconds).within(0.5, 60.0), plain.rest);
}

/// Draws a check box. A reset turns it on.
fn flag(ui: &mut Ui, key: &str, on: &mut bool) {
    let reset = form::row(ui, key, |ui| {
        form::tick(ui, on);
    });
    *on |= reset;
}

/// Draws the slowest and the fastest play rate of a gait, as factors.
fn rates(ui: &mut Ui, settings: &mut Settings) {
    let reset = form::row(ui, "walk_rates", |ui| {
        let width = (ui.available_width() - theme::GAP_SMALL) * 0.5;
        let ranges = [(0.1, 1.0), (1.0, 10.0)];
        for (rate, (low, high)) in settings.play_rates.iter_mut().zip(ranges) {
            let field = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(low, high).with_width(width - 2.0) };
            number(ui, &tr("form.walk_rates"), rate, field);
        }
    });
    if reset {
        settings.play_rates = Settings::default().play_rates;
    }
}

/// Draws the simulation rate (Hz) that the stop reproduces. `None` is continuous.
fn engine(ui: &mut Ui, settings: &mut Settings) {
    form::row(ui, "walk_engine", |ui| {
        let rates = [None, Some(30.0), Some(60.0), Some(120.0)];
        let words = |rate: Option<f64>| rate.map_or_else(|| tr("walk.continuous"), |rate| format!("{rate:.0} Hz"));
        let mut choices: Vec<(Option<f64>, String)> = rates.iter().map(|&rate| (rate, words(rate))).collect();
        if !rates.contains(&settings.engine_rate) {
            choices.push((settings.engine_rate, words(settings.engine_rate)));
        }
        form::choice(ui, "walk engine", &mut settings.engine_rate, &choices);
    });
}

/// Returns the clips of the shown take's character and the takes it can use; empty if no take is shown.
fn clip_names(session: &Session) -> Vec<Choice> {
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    choices(session, id).into_iter().filter(|choice| choice.file.is_none()).collect()
}

/// Draws the clip of each role. An automatic role shows the proposed clip.
fn clips(ui: &mut Ui, roles: &mut ClipRoles, names: &[Choice], report: Option<&Report>) {
    let proposed = |name: Option<&str>| match name {
        Some(name) => format!("{}: {name}", tr("walk.automatic")),
        None => tr("walk.automatic"),
    };
    let idle = proposed(report.map(|report| report.idle.as_str()));
    clip(ui, "walk_idle", &mut roles.idle, &idle, names);
    let start = proposed(report.and_then(|report| report.start.as_deref()));
    let words = if roles.propose_start { start } else { tr("walk.no_start") };
    clip(ui, "walk_start_clip", &mut roles.start, &words, names);
    if roles.start.is_none() {
        flag(ui, "walk_propose_start", &mut roles.propose_start);
    }
    let stop = proposed(report.and_then(|report| report.stop.clip.as_deref()));
    let words = if roles.propose_stop { stop } else { tr("walk.no_clip") };
    clip(ui, "walk_stop_clip", &mut roles.stop, &words, names);
    if roles.stop.is_none() {
        flag(ui, "walk_propose_stop", &mut roles.propose_stop);
    }
    gaits_ui(ui, &mut roles.gaits, names, report);
}

/// Draws the choice of the clip `name` among `names`; a clip can also be dropped there. `open` is the text for `None`; reset
/// gives `None`.
fn clip(ui: &mut Ui, key: &str, name: &mut Option<String>, open: &str, names: &[Choice]) {
    let mut chosen = name.as_ref().and_then(|name| names.iter().position(|each| each.clip == *name));
    let reset = form::row(ui, key, |ui| {
        let mut choices = vec![(None, open.to_owned())];
        choices.extend(names.iter().enumerate().map(|(index, name)| (Some(index), name.label())));
        let slot = ui.scope(|ui| form::choice(ui, key, &mut chosen, &choices)).response;
        let new = dropped(ui, &slot, names).and_then(|new| names.iter().position(|each| each.clip == new.clip));
        chosen = new.or(chosen);
    });
    *name = chosen.filter(|_| !reset).and_then(|index| Some(names.get(index)?.clip.clone()));
}

/// Draws the planned stop and its measured result.
pub(super) fn stop_ui(ui: &mut Ui, report: &Report) {
    let stop = &report.stop;
    form::fact(ui, "walk_stop_with", stop.clip.clone().unwrap_or_else(|| tr("walk.no_clip")));
    let (distance, speed) = (Unit::Metres.text(stop.predicted, 3), Unit::Speed.text(stop.speed, 2));
    form::fact(ui, "walk_predicted", format!("{distance}   {speed}"));
    if let Some(entry) = stop.entry_time {
        form::fact(ui, "walk_entry", format!("{}   × {:.3}", Unit::Seconds.text(entry, 3), stop.stretch));
    }
    if stop.entry_time.is_some() {
        let [slowest, fastest] = stop.rates;
        form::fact(ui, "walk_by_time", format!("× {slowest:.2} … {fastest:.2}"));
        form::fact(ui, "walk_by_stretch", Unit::Metres.signed(stop.stretched, 3));
    }
    if let [first, .., last] = stop.pose_distances[..] {
        let unit = Unit::Centimetres;
        form::fact(ui, "walk_pose", format!("{} → {}", unit.number(first * 100.0, 1), unit.text(last * 100.0, 1)));
    }
    let unit = Unit::CentimetresPerSecond;
    let slides = [unit.number(report.slide_before, 1), unit.text(report.slide_after, 1)];
    form::fact(ui, "walk_slides", slides.join(" → "));
    if report.too_fast > 0.0 {
        form::fact(ui, "walk_too_fast", Unit::Seconds.text(report.too_fast, 2));
    }
    let turn = |pop: &Pop| {
        let (degrees, time) = (Unit::Degrees.text(pop.degrees, 1), Unit::Seconds.text(pop.time, 2));
        format!("{degrees}   {}   {time}", pop.joint)
    };
    let turns =
        [("walk_pop", &report.pop), ("walk_thrown", &report.thrown), ("walk_largest_turn", &report.largest_turn)];
    for (key, pop) in turns {
        pop.iter().for_each(|pop| form::fact(ui, key, turn(pop)));
    }
    let caption = |ui: &mut Ui, text: String| {
        let dim = theme::of(ui).dim;
        ui.label(RichText::new(text).font(theme::caption()).color(dim));
    };
    Grid::new("engines").num_columns(4).spacing([theme::GAP_LARGE, 2.0]).show(ui, |ui| {
        for key in ["engine_rate", "engine_closed", "engine_own", "engine_recorded"] {
            let dim = theme::of(ui).dim;
            let text = RichText::new(tr(&format!("walk.{key}"))).font(theme::caption()).color(dim);
            ui.label(text).on_hover_text(tr(&format!("tip.walk_{key}")));
        }
        ui.end_row();
        for engine in &stop.engines {
            caption(ui, format!("{:.0} Hz", engine.rate));
            for metres in [engine.by_closed_form, engine.by_own_steps, engine.recorded] {
                ui.label(Unit::Millimetres.text(metres * 1000.0, 1));
            }
            ui.end_row();
        }
    });
}
