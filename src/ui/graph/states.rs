//! States of a tree above its graph: selection, transition and events.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE, ICON_FLAG};

use super::edit::{Edit, StateEdit};
use crate::i18n::{tr, tr_with};
use crate::panels::blend::states::{state_names, state_word};
use crate::widgets::form;
use crate::widgets::list;
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_anim::math::easing::Easing;
use portamento_blend::{Interrupt, State, StateEvent, Tree};

impl StateEdit {
    /// Applies the edit with the playhead at `time` seconds. Returns the state to edit next, if it changes.
    pub(super) fn carry_out(self, tree: &mut Tree, time: f64) -> Option<String> {
        match self {
            Self::Add => {
                let added = tree.add_state(&tr("graph.state_new"));
                return tree.states.get(added).map(|state| state.name.clone());
            }
            Self::Rename(index, name) => {
                tree.rename_state(index, &name);
                return tree.states.get(index).map(|state| state.name.clone());
            }
            Self::Change(index, changed) => {
                if let Some(state) = tree.states.get_mut(index) {
                    *state = changed;
                }
            }
            Self::Remove(index) => tree.remove_state(index),
            Self::GoTo(state) => tree.events.push(StateEvent { time, state, ..StateEvent::default() }),
            Self::Interrupt(interrupt) => tree.interrupt = interrupt,
        }
        None
    }
}

/// Draws the states of `tree` with the settings of `edited`, whose weights the graph shows. Edits of the user are added to
/// `edits`.
pub(super) fn states_ui(ui: &mut Ui, tree: &Tree, edited: &str, edits: &mut Vec<Edit>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        widgets::caption(ui, tr("graph.states"));
        if !tree.states.is_empty() {
            for name in state_names(tree) {
                let chip = list::label(ui, name == edited, state_word(&name)).on_hover_text(tr("graph.state_hint"));
                if chip.clicked() {
                    edits.push(Edit::ChooseState(name));
                }
            }
        }
        if widgets::icon_button(ui, ICON_ADD, &tr("graph.state_add")).clicked() {
            edits.push(StateEdit::Add.into());
        }
        if let Some(index) = tree.states.iter().position(|state| state.name == edited) {
            ui.separator();
            state_ui(ui, index, &tree.states[index], edits);
        }
        if !tree.states.is_empty() {
            if widgets::icon_button(ui, ICON_FLAG, &tr_with("graph.state_go", &[("state", state_word(edited))]))
                .clicked()
            {
                edits.push(StateEdit::GoTo(edited.to_owned()).into());
            }
            interrupt_ui(ui, tree.interrupt, edits);
        }
    });
}

/// Draws name, transition and remove button of a state.
fn state_ui(ui: &mut Ui, index: usize, state: &State, edits: &mut Vec<Edit>) {
    let (mut name, label) = (state.name.clone(), tr("graph.state_name"));
    NameField::new(&label).with_width(96.0).ui(ui, &mut name).on_hover_text(&label);
    if name != state.name {
        edits.push(StateEdit::Rename(index, name).into());
    }
    let mut changed = state.clone();
    let name = tr("form.trans_time");
    let field = Field::new(Unit::Seconds).within(0.0, 60.0).with_width(64.0);
    number(ui, &name, &mut changed.trans_time, field).on_hover_text(name);
    let shown = tr(&format!("easing.{}", changed.easing.name()));
    let combo = egui::ComboBox::from_id_salt("state easing").width(96.0).truncate().selected_text(shown);
    let list = combo.show_ui(ui, |ui| {
        for easing in Easing::ALL {
            list::value(ui, &mut changed.easing, easing, tr(&format!("easing.{}", easing.name())));
        }
    });
    form::with_name(list.response, &tr("form.easing"));
    if changed != *state {
        edits.push(StateEdit::Change(index, changed).into());
    }
    if widgets::icon_button(ui, ICON_DELETE, &tr_with("graph.state_remove", &[("state", state.name.clone())])).clicked()
    {
        edits.push(StateEdit::Remove(index).into());
    }
}

/// Draws the interruption behaviour of transitions.
fn interrupt_ui(ui: &mut Ui, interrupt: Interrupt, edits: &mut Vec<Edit>) {
    let word = |interrupt: Interrupt| tr(&format!("interrupt.{}", interrupt.name()));
    let mut chosen = interrupt;
    let combo = egui::ComboBox::from_id_salt("tree interrupt").width(112.0).truncate().selected_text(word(interrupt));
    let shown = combo.show_ui(ui, |ui| {
        for each in Interrupt::ALL {
            list::value(ui, &mut chosen, each, word(each));
        }
    });
    form::with_name(shown.response, &tr("form.interrupt")).on_hover_text(tr("form.interrupt"));
    if chosen != interrupt {
        edits.push(StateEdit::Interrupt(chosen).into());
    }
}
