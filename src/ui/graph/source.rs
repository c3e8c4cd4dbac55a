//! A clip in its node: which one, how fast, from where on, and when it starts again.

use egui::{DragValue, Ui};
use egui_material_icons::icons::ICON_MY_LOCATION;

use super::edit::Edit;
use super::viewer::{Viewer, WIDTH};
use crate::systems::blend::{NodeKind, Source};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::panels::blend::clip_choice;
use crate::ui::panels::blend::states::state_word;
use crate::ui::widgets;
use crate::ui::widgets::form;

impl Viewer<'_> {
    /// Clip, speed, start and loop of the clip node at `index`.
    pub(super) fn source_body(&mut self, ui: &mut Ui, index: usize) {
        let mut changed = self.tree.nodes[index].clone();
        let NodeKind::Source(source) = &mut changed.kind else { return };
        let mut files = Vec::new();
        ui.vertical(|ui| {
            ui.set_width(WIDTH);
            // What the standard tree plays is read, not off.
            ui.visuals_mut().disabled_alpha = 0.8;
            ui.add_enabled_ui(!self.is_scenario, |ui| {
                clip_choice(ui, &format!("clip {index}"), &mut source.clip, &mut files, self.clips);
                ui.horizontal(|ui| {
                    let speed = DragValue::new(&mut source.speed).speed(0.01).range(-10.0..=10.0).prefix("× ");
                    form::called(ui.add(speed), &tr("graph.speed")).on_hover_text(tr("graph.speed"));
                    let offset = DragValue::new(&mut source.offset).speed(0.01).range(-600.0..=600.0).suffix(" s");
                    form::called(ui.add(offset), &tr("graph.offset")).on_hover_text(tr("graph.offset"));
                    ui.checkbox(&mut source.looping, tr("graph.loop"));
                });
                if !self.is_scenario {
                    self.clock_row(ui, index, source);
                }
            });
        });
        self.edits.extend(files.into_iter().map(Edit::Bring));
        self.replace(index, changed);
    }

    /// Whether the clip starts again in the state that is edited, and what finds where it is entered.
    fn clock_row(&mut self, ui: &mut Ui, index: usize, source: &mut Source) {
        ui.horizontal(|ui| {
            if widgets::icon_button(ui, ICON_MY_LOCATION, &tr("graph.find_entry")).clicked() {
                self.edits.push(Edit::FindEntry(index));
            }
            if self.tree.states.is_empty() {
                return;
            }
            let mut starts = source.restarts.iter().any(|state| state == self.state);
            let hint = tr_with("graph.restart_hint", &[("state", state_word(self.state))]);
            if ui.checkbox(&mut starts, tr("graph.restart")).on_hover_text(hint).changed() {
                source.restarts.retain(|state| state != self.state);
                source.restarts.extend(starts.then(|| self.state.to_owned()));
            }
        });
    }
}
