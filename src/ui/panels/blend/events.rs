//! The events of a blend: one row each, with the selected one expanded.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD, ICON_MY_LOCATION};

use super::event_line::{EventLine, LineAnswer};
use super::states::event_word;
use crate::i18n::tr;
use crate::panels::blend::choice::Choice;
use crate::panels::blend::clip_choice::clip_choice;
use crate::shell::offer::Offer;
use crate::widgets;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use portamento_anim::math::easing::Easing;
use portamento_blend::{Action, Event, Scenario};
use portamento_session::Session;
use portamento_takes::document::{FileId, TakeId};

/// Events being edited and the clips they may use.
pub(crate) struct EventList<'a> {
    /// The events, in any order.
    pub events: &'a mut Vec<Event>,
    /// Additional files from which clips are taken.
    pub files: &'a mut Vec<FileId>,
    /// All clips that can be chosen.
    pub clips: &'a [Choice],
    /// Index of the event for which the user requested the best entry frame.
    pub entry: Option<usize>,
}

/// Draws the events in order of time, with a menu that adds one at `playhead` (seconds). `chosen` is the index of the expanded
/// event. Removing an event deselects it.
pub(crate) fn events_ui(ui: &mut Ui, list: &mut EventList, playhead: f64, chosen: &mut Option<usize>) {
    let EventList { events, files, clips, entry } = list;
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by(|&a, &b| events[a].time.total_cmp(&events[b].time));
    let mut removed_index = None;
    for index in order {
        let on = *chosen == Some(index);
        let event = &mut events[index];
        ui.push_id(index, |ui| {
            let name = event_word(event.action, None);
            match (EventLine { name, action: event.action, time: &mut event.time, on }.ui(ui)) {
                Some(LineAnswer::Clicked) => *chosen = if on { None } else { Some(index) },
                Some(LineAnswer::Removed) => removed_index = Some(index),
                None => {}
            }
            if on && details(ui, event, files, clips) {
                *entry = Some(index);
            }
        });
    }
    ui.menu_button(format!("{}  {}", ICON_ADD.codepoint, tr("events.add")), |ui| {
        if let Some(action) = action_menu(ui) {
            *chosen = Some(add(events, playhead, action));
        }
    });
    if let Some(index) = removed_index {
        events.remove(index);
        *chosen = None;
    }
}

/// Draws a menu of all actions. Returns the clicked one and closes the menu.
pub fn action_menu(ui: &mut Ui) -> Option<Action> {
    let mut chosen = None;
    for action in Action::ALL {
        if ui.button(tr(&format!("action.{}", action.name()))).clicked() {
            chosen = Some(action);
            ui.close();
        }
    }
    chosen
}

/// Appends an event at `time` seconds with the settings of the nearest event, but `action` and no own clip. Returns its index.
pub fn add(events: &mut Vec<Event>, time: f64, action: Action) -> usize {
    let nearest = events.iter().min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs())).cloned();
    events.push(Event { time, action, clip: None, ..nearest.unwrap_or_default() });
    events.len() - 1
}

/// Returns the offer that adds an event with `action` at the playhead to the blend of take `id`. The offer selects the new event.
pub(super) fn offer_of(id: TakeId, action: Action) -> Offer {
    let label = format!("{}: {}", tr("events.add"), tr(&format!("action.{}", action.name())));
    Offer::change("events.add", label, move |session| {
        let playhead = session.playback.time;
        let chosen = scenario_of(session, id).map(|scenario| add(&mut scenario.events, playhead, action));
        session.selection.event = chosen;
    })
}

/// Returns the offer that removes the event with index `event` from the blend of take `id`. The offer also deselects it.
pub(super) fn removal_of(id: TakeId, event: usize) -> Offer {
    Offer::change("events.remove", tr("events.remove"), move |session| {
        let events = scenario_of(session, id).map(|scenario| &mut scenario.events);
        events.filter(|events| event < events.len()).into_iter().for_each(|events| drop(events.remove(event)));
        session.selection.event = None;
    })
}

/// Returns the scenario of take `id`; `None` if the take is no blend or has a free tree.
fn scenario_of(session: &mut Session, id: TakeId) -> Option<&mut Scenario> {
    session.document.take_mut(id)?.blend_mut()?.settings.standard_mut()
}

/// Draws all settings of the event. Returns true if the user requested the best entry frame.
fn details(ui: &mut Ui, event: &mut Event, files: &mut Vec<FileId>, clips: &[Choice]) -> bool {
    form::row(ui, "action", |ui| {
        let choices = Action::ALL.map(|action| (action, tr(&format!("action.{}", action.name()))));
        form::choice(ui, "action", &mut event.action, &choices);
    });
    let reset = form::row(ui, "trans_time", |ui| {
        let field = Field::new(Unit::Seconds).within(0.0, 60.0);
        number(ui, &tr("form.trans_time"), &mut event.trans_time, field);
    });
    if reset {
        event.trans_time = Event::default().trans_time;
    }
    let reset = form::named_row(ui, "easing", &mut event.easing, "easing.{}");
    if reset {
        event.easing = Easing::default();
    }
    let reset = form::row(ui, "midpoint", |ui| {
        let mut percent = 100.0 * event.midpoint;
        let field = Field::new(Unit::Plain).within(5.0, 95.0);
        number(ui, &tr("form.midpoint"), &mut percent, field);
        // The percent value has rounding errors. It is written back only if the user changed it.
        if percent != 100.0 * event.midpoint {
            event.midpoint = percent / 100.0;
        }
    });
    if reset {
        event.midpoint = Event::default().midpoint;
    }
    if event.action == Action::End {
        return false;
    }
    let reset = form::row(ui, "event_clip", |ui| {
        let mut own = event.clip.is_some();
        if form::tick(ui, &mut own).changed() {
            event.clip = own.then(|| clips.first().map(|choice| choice.clip.clone()).unwrap_or_default());
        }
        if let Some(clip) = &mut event.clip {
            clip_choice(ui, "event_clip", clip, files, clips);
        }
    });
    if reset {
        event.clip = None;
    }
    entry_row(ui, event)
}

/// Draws the entry time of the clip. Returns true if the user requested the best entry frame.
fn entry_row(ui: &mut Ui, event: &mut Event) -> bool {
    let mut is_requested = false;
    let reset = form::row(ui, "event_start", |ui| {
        let field = Field::new(Unit::Seconds).within(0.0, 600.0).with_width(76.0);
        number(ui, &tr("form.event_start"), &mut event.start, field);
        is_requested = widgets::icon_button(ui, ICON_MY_LOCATION, &tr("events.find_entry")).clicked();
    });
    if reset {
        event.start = 0.0;
    }
    is_requested
}
