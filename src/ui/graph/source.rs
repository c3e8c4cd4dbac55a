//! Clip node: clip, speed, offset, loop and restart.

use egui::{Label, RichText, Ui};
use egui_material_icons::icons::{ICON_MY_LOCATION, ICON_REPEAT};

use super::edit::Edit;
use super::viewer::{READ_WIDTH, Viewer, WIDTH};
use crate::i18n::{tr, tr_with};
use crate::panels::blend::states::state_word;
use crate::panels::blend::{clip_choice, title};
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_blend::{NodeKind, Source};

impl Viewer<'_> {
    /// Draws the settings of the clip node at `index`.
    pub(super) fn source_body(&mut self, ui: &mut Ui, index: usize) {
        let mut changed = self.tree.nodes[index].clone();
        let NodeKind::Source(source) = &mut changed.kind else { return };
        if self.is_scenario {
            return self.read_only_source(ui, source);
        }
        let mut files = Vec::new();
        ui.vertical(|ui| {
            ui.set_width(WIDTH);
            clip_choice(ui, &format!("clip {index}"), &mut source.clip, &mut files, self.clips);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
                let [speed, offset] = [tr("graph.speed"), tr("graph.offset")];
                ui.label("×");
                let field = Field::new(Unit::Plain).within(-10.0, 10.0).with_width(40.0);
                number(ui, &speed, &mut source.speed, field).on_hover_text(speed);
                let field = Field { decimals: 2, ..Field::new(Unit::Seconds).within(-600.0, 600.0).with_width(56.0) };
                number(ui, &offset, &mut source.offset, field).on_hover_text(offset);
                ui.checkbox(&mut source.looping, tr("graph.loop"));
            });
            self.clock_row(ui, index, source);
        });
        self.edits.extend(files.into_iter().map(Edit::Bring));
        self.replace(index, changed);
    }

    /// Draws a clip node of the standard tree: clip name and loop icon.
    fn read_only_source(&self, ui: &mut Ui, source: &Source) {
        let tokens = theme::of(ui);
        let is_known = self.clips.iter().any(|choice| choice.clip == source.clip);
        let name = if source.clip.is_empty() { tr("blend.no_clip") } else { title(self.clips, &source.clip) };
        let name = RichText::new(name).color(if is_known { tokens.text } else { tokens.error });
        ui.horizontal(|ui| {
            ui.set_width(READ_WIDTH);
            if source.looping {
                let icon = RichText::new(ICON_REPEAT.codepoint).color(tokens.dim);
                ui.label(icon).on_hover_text(tr("graph.loop"));
            }
            ui.add(Label::new(name).truncate());
        });
    }

    /// Draws the restart option of the edited state and the button that finds the entry frame.
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
