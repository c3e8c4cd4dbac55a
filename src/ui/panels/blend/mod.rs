//! Inspector of a take that blends clips: clips, events, root motion and pop statistics.

pub(super) mod choice;
mod clip_choice;
mod event_line;
pub(crate) mod events;
pub(crate) mod mask;
pub(crate) mod states;
pub(super) mod weights;

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_MORE_TIME, ICON_TIMELINE};

pub use choice::{Choice, title};
pub use clip_choice::{clip_choice, clip_menu};

use super::results::moment::{go_to, of_source};
use crate::i18n::tr;
use crate::panels::blend::events::{EventList, events_ui};
use crate::panels::blend::states::{EventPlace, states_ui};
use crate::shell::offer::Offer;
use crate::theme;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::Moment;
use portamento_blend::{Action, Event, FastTurn, FrameStep, Interrupt, RootMotionOwner, Scenario};
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::take::Blend;
use portamento_takes::document::{FileId, TakeId};
use portamento_takes::evaluate::{BlendFigures, Blended};

/// Draws the blend of take `id`: measured pops, clips, events, and settings of the whole blend. Requests the measurement. Draws
/// nothing for other takes.
pub(super) fn blend_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let blended = built.as_ref().and_then(|built| built.blended.clone());
    let clips = choices(session, id);
    let (playhead, mut chosen) = (session.playback.time, session.selection.event);
    session.evaluation.want_figures();
    let Some(blend) = session.document.take_mut(id).and_then(|take| take.blend_mut()) else { return };
    let has_legs = built.as_ref().is_some_and(|built| !built.roles.legs.is_empty());
    let asked = blended.as_ref().and_then(|blended| outcome(ui, blended.figures(), has_legs));
    let Blend { settings, files, owner, length, .. } = blend;
    let (mut entry, mut gives_time, mut bends) = (None, false, false);
    if let Some(scenario) = settings.standard_mut() {
        form::section(ui, "clips", true, |ui| clip_rows(ui, scenario, files, &clips));
        form::section(ui, "events", true, |ui| {
            let mut list = EventList { events: &mut scenario.events, files, clips: &clips, entry };
            events_ui(ui, &mut list, playhead, &mut chosen);
            entry = list.entry;
            let hurried =
                blended.as_ref().is_some_and(|blended| blended.hurried.iter().any(FastTurn::can_be_lengthened));
            gives_time = hurried && widgets::text_button(ui, ICON_MORE_TIME, &tr("events.give_time")).clicked();
            bends = blended.as_ref().is_some_and(|blended| may_bend(blended, &scenario.events))
                && widgets::text_button(ui, ICON_TIMELINE, &tr("events.bend")).clicked();
        });
    }
    let before = settings.standard().map_or(0, |scenario| scenario.events.len());
    if let Some(tree) = settings.tree_mut().filter(|tree| !tree.states.is_empty()) {
        let event_place = EventPlace { playhead, before, chosen: &mut chosen };
        form::section(ui, "state_events", true, |ui| states_ui(ui, tree, event_place));
    }
    form::section(ui, "whole_blend", true, |ui| {
        owner_row(ui, owner);
        length_row(ui, length, blended.as_deref());
    });
    session.selection.event = chosen;
    go_to(session, asked);
    if let Some(event) = entry {
        session.perform(Command::Edit(EditCommand::FindEntry(event)));
    }
    if gives_time {
        session.perform(Command::Edit(EditCommand::LengthenFades(id)));
    }
    if bends {
        session.perform(Command::Edit(EditCommand::ShiftFadeMidpoints(id)));
    }
}

/// Returns the offers for the events of the shown blend; empty if it is not built or has a free tree.
pub fn offers(session: &Session) -> Vec<Offer> {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    let blended = built.and_then(|built| built.blended.as_ref());
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    let blend = session.document.take(id).and_then(|take| take.blend());
    let Some((blended, scenario)) = blended.zip(blend.and_then(|blend| blend.settings.standard())) else {
        return Vec::new();
    };
    let offer = |key, edit| Offer::new(key, tr(key), Command::Edit(edit));
    let chosen = session.selection.event.filter(|&event| event < scenario.events.len());
    let entry = chosen.map(|event| offer("events.find_entry", EditCommand::FindEntry(event)));
    let is_hurried = blended.hurried.iter().any(FastTurn::can_be_lengthened);
    let time = is_hurried.then(|| offer("events.give_time", EditCommand::LengthenFades(id)));
    let bend = may_bend(blended, &scenario.events).then(|| offer("events.bend", EditCommand::ShiftFadeMidpoints(id)));
    let added = Action::ALL.map(|action| events::offer_of(id, action));
    let removed = chosen.map(|event| events::removal_of(id, event));
    added.into_iter().chain(removed).chain(entry).chain(time).chain(bend).collect()
}

/// True if a shifted midpoint can help: a fade throws a joint, or spins the body and still has the default midpoint.
fn may_bend(blended: &Blended, events: &[Event]) -> bool {
    let has_default_midpoint =
        |event: usize| events.get(event).is_some_and(|event| event.midpoint == Event::default().midpoint);
    let mut hurried = blended.hurried.iter();
    !blended.thrown.is_empty() || hurried.any(|hurried| has_default_midpoint(hurried.event))
}

/// Draws the pop figures, as dashes until they are measured. A clip without steps has none. Returns the moment of a clicked
/// figure.
fn outcome(ui: &mut Ui, figures: Option<&BlendFigures>, has_legs: bool) -> Option<Moment> {
    let tokens = theme::of(ui);
    let unmeasured = || Figure::unmeasured(tokens);
    let Some(figures) = figures else {
        return widgets::readouts(
            ui,
            &["pops", "cut_pops", "largest", "legs"].map(|key| Readout::of(key, unmeasured())),
        );
    };
    if figures.steps.is_empty() {
        return None;
    }
    // Without legs there is nothing to compare with the run.
    let legs = match figures.legs.different {
        _ if !has_legs || figures.legs.frames == 0 => unmeasured(),
        0 => Figure::new(tr("blend.legs_equal"), tokens.ok),
        count => Figure::new(count.to_string(), tokens.warning),
    };
    let pops = Figure::judged(tokens, figures.pops().to_string(), figures.pops() == 0, tokens.error);
    let nearest = figures.nearest_to_a_pop().map(|step| of_source(step.time, Some(step.joint)));
    let over = |step: &&FrameStep| step.cut_step - step.cut_bound;
    let cut = figures.steps.iter().filter(|step| step.cut_pops()).max_by(|a, b| over(a).total_cmp(&over(b)));
    let largest = figures.steps.iter().max_by(|a, b| a.largest.total_cmp(&b.largest));
    widgets::readouts(
        ui,
        &[
            Readout::of("pops", pops).at(nearest),
            Readout::new("cut_pops", figures.cut_pops().to_string(), tokens.text)
                .at(cut.map(|step| of_source(step.time, Some(step.cut_joint)))),
            Readout::new("largest", Unit::Radians.text(figures.largest_step(), 1), tokens.text)
                .at(largest.map(|step| of_source(step.time, None))),
            Readout::of("legs", legs),
        ],
    )
}

/// Draws the clips of a scenario, how the skill ends and how a transition continues that an event interrupts.
fn clip_rows(ui: &mut Ui, scenario: &mut Scenario, files: &mut Vec<FileId>, clips: &[Choice]) {
    let Scenario { run, stand, skill, .. } = scenario;
    for (key, clip) in [("run_clip", run), ("stand_clip", stand), ("skill_clip", skill)] {
        form::row(ui, key, |ui| clip_choice(ui, key, clip, files, clips));
    }
    skill_end_rows(ui, &mut scenario.skill_loops, &mut scenario.skill_holds);
    let reset = form::row(ui, "synchronise", |ui| {
        form::tick(ui, &mut scenario.synchronise);
    });
    if reset {
        scenario.synchronise = false;
    }
    let reset = form::named_row(ui, "interrupt", &mut scenario.interrupt, "interrupt.{}");
    if reset {
        scenario.interrupt = Interrupt::default();
    }
}

/// Draws the choice whether a skill loops, holds its last pose, or ends with its clip. Only a skill that does not loop can hold.
pub fn skill_end_rows(ui: &mut Ui, loops: &mut bool, holds: &mut bool) {
    let reset = form::row(ui, "skill_loops", |ui| {
        form::tick(ui, loops);
    });
    *loops &= !reset;
    if *loops {
        return;
    }
    let reset = form::row(ui, "skill_holds", |ui| {
        form::tick(ui, holds);
    });
    *holds &= !reset;
}

/// Returns the clips that take `id` can use: those of its character, clips of other files whose names are not taken yet, and
/// other takes that move joints and do not depend on it.
pub fn choices(session: &Session, id: TakeId) -> Vec<Choice> {
    let Some(take) = session.document.take(id) else { return Vec::new() };
    let others = session.document.files.iter().map(|file| file.id).filter(|file| *file != take.character);
    let mut choices: Vec<Choice> = Vec::new();
    for file in [take.character].into_iter().chain(others) {
        let Some(loaded) = session.library.get(file) else { continue };
        let origin = (file != take.character).then(|| (file, loaded.model.name.clone()));
        for clip in &loaded.model.clips {
            if choices.iter().all(|choice| choice.clip != clip.name) {
                let (clip, title) = (clip.name.clone(), clip.name.clone());
                choices.push(Choice { clip, title, file: origin.clone(), is_take: false });
            }
        }
    }
    let usable =
        session.document.takes.iter().filter(|used| used.moves_joints() && session.document.may_use(id, used.id));
    choices.extend(usable.map(|used| Choice {
        clip: take_ref(used.id),
        title: used.name.clone(),
        file: None,
        is_take: true,
    }));
    choices
}

/// Draws the choice of the part of the tree that gives the root motion.
fn owner_row(ui: &mut Ui, owner: &mut RootMotionOwner) {
    let reset = form::named_row(ui, "owner", owner, "owner.{}");
    if reset {
        *owner = RootMotionOwner::default();
    }
}

/// Draws the length of the result in seconds, with a check box. Without an own length, the length of the blend is shown.
fn length_row(ui: &mut Ui, length: &mut Option<f64>, blended: Option<&Blended>) {
    let usual = blended.map_or(1.0, |blended| blended.length);
    let reset = form::row(ui, "blend_length", |ui| {
        let mut own = length.is_some();
        if form::tick(ui, &mut own).changed() {
            *length = own.then_some(usual);
        }
        match length {
            Some(length) => {
                number(ui, &tr("form.blend_length"), length, Field::new(Unit::Seconds).within(0.05, 600.0));
            }
            None => {
                ui.label(RichText::new(Unit::Seconds.text(usual, 3)).color(theme::of(ui).dim));
            }
        }
    });
    if reset {
        *length = None;
    }
}
