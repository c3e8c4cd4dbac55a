//! The state events of a blend tree: one row each, with the selected one expanded.

use egui::Ui;
use egui_material_icons::icons::ICON_ADD;

use super::event_line::{EventLine, LineAnswer};
use crate::i18n::tr;
use crate::widgets::form;
use crate::widgets::list;
use crate::widgets::number::{Field, Unit, number};
use portamento_anim::math::easing::Easing;
use portamento_blend::{Action, StateEvent, Tree};

/// Returns the state names, with the empty name of the default state first.
pub(crate) fn state_names(tree: &Tree) -> Vec<String> {
    std::iter::once(String::new()).chain(tree.states.iter().map(|state| state.name.clone())).collect()
}

/// Returns the display name of a state. The empty name is the default state.
pub(crate) fn state_word(state: &str) -> String {
    if state.is_empty() { tr("state.drawn") } else { state.to_owned() }
}

/// Returns the display name of an event: its state if there is one, else its action.
pub(crate) fn event_word(action: Action, state: Option<&str>) -> String {
    state.map_or_else(|| tr(&format!("action.{}", action.name())), state_word)
}

/// Draws a menu of the states `names`. Returns the clicked name and closes the menu.
pub(crate) fn state_menu(ui: &mut Ui, names: &[String]) -> Option<String> {
    let mut chosen = None;
    for name in names {
        if ui.button(state_word(name)).clicked() {
            chosen = Some(name.clone());
            ui.close();
        }
    }
    chosen
}

/// Insertion time of new events and the selection of the event lane.
pub(crate) struct EventPlace<'a> {
    /// Playhead, seconds.
    pub playhead: f64,
    /// Number of events in the lane before the state events.
    pub before: usize,
    /// Index of the selected event in the lane.
    pub chosen: &'a mut Option<usize>,
}

/// Draws the state events of `tree` in order of time, with a menu that adds one at the playhead. Removing an event deselects it.
pub(crate) fn states_ui(ui: &mut Ui, tree: &mut Tree, place: EventPlace) {
    let EventPlace { playhead, before, chosen } = place;
    let names = state_names(tree);
    let mut order: Vec<usize> = (0..tree.events.len()).collect();
    order.sort_by(|&a, &b| tree.events[a].time.total_cmp(&tree.events[b].time));
    let mut removed_index = None;
    for index in order {
        let on = *chosen == Some(before + index);
        ui.push_id(index, |ui| {
            let event = &mut tree.events[index];
            let name = state_word(&event.state);
            match (EventLine { name, action: Action::Go, time: &mut event.time, on }.ui(ui)) {
                Some(LineAnswer::Clicked) => *chosen = if on { None } else { Some(before + index) },
                Some(LineAnswer::Removed) => removed_index = Some(index),
                None => {}
            }
            if on {
                details(ui, tree, index, &names);
            }
        });
    }
    ui.menu_button(format!("{}  {}", ICON_ADD.codepoint, tr("events.add")), |ui| {
        if let Some(state) = state_menu(ui, &names) {
            tree.events.push(StateEvent { time: playhead, state, ..StateEvent::default() });
            *chosen = Some(before + tree.events.len() - 1);
        }
    });
    if let Some(index) = removed_index {
        tree.events.remove(index);
        *chosen = None;
    }
}

/// Draws the settings of the event at `index`. A value equal to the one of its state is not stored.
fn details(ui: &mut Ui, tree: &mut Tree, index: usize, names: &[String]) {
    let inherited = tree.resolved(&StateEvent { trans_time: None, easing: None, ..tree.events[index].clone() });
    let event = &mut tree.events[index];
    form::row(ui, "event_state", |ui| {
        let combo = egui::ComboBox::from_id_salt("event_state").width(ui.available_width()).truncate();
        let list = combo.selected_text(state_word(&event.state)).show_ui(ui, |ui| {
            for name in names {
                list::value(ui, &mut event.state, name.clone(), state_word(name));
            }
        });
        form::named(list.response);
    });
    let reset = form::row(ui, "trans_time", |ui| {
        let mut edited = event.trans_time.unwrap_or(inherited.trans_time);
        let field = Field::new(Unit::Seconds).within(0.0, 60.0);
        number(ui, &tr("form.trans_time"), &mut edited, field);
        event.trans_time = Some(edited).filter(|edited| *edited != inherited.trans_time);
    });
    if reset {
        event.trans_time = None;
    }
    let reset = form::row(ui, "easing", |ui| {
        let mut edited = event.easing.unwrap_or(inherited.easing);
        let choices = Easing::ALL.map(|easing| (easing, tr(&format!("easing.{}", easing.name()))));
        form::choice(ui, "easing", &mut edited, &choices);
        event.easing = Some(edited).filter(|edited| *edited != inherited.easing);
    });
    if reset {
        event.easing = None;
    }
}
