//! What moves the parameter of a blend space, in its node: keys, the speed of a motion, the states of the tree.

use egui::{DragValue, Id, Response, Ui};
use egui_material_icons::icons::{ICON_DIAMOND, ICON_SPEED, ICON_UNDO};

use super::viewer::Viewer;
use crate::document::FileId;
use crate::systems::blend::{Axes, BlendSpace, Drive, ParameterKey, SpeedDrive, StatePlace};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::keys::scope;
use crate::ui::panels::blend::{Choice, clip_choice};
use crate::ui::widgets::form;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::{theme, widgets};

/// What the parameter is edited as: at the playhead by keys, or in a state.
pub(super) struct Parameter<'a> {
    /// Which it is, for who takes hold of it.
    pub subject: Id,
    /// The playhead, seconds.
    pub time: f64,
    /// The state that is edited; empty for the tree as it is drawn.
    pub state: &'a str,
    /// Where it is at the playhead.
    pub played: Option<[f64; 2]>,
}

impl Parameter<'_> {
    /// Where it is shown: in a state that has a place for it there, else where it is at the playhead.
    pub fn at(&self, space: &BlendSpace) -> [f64; 2] {
        let own = space.in_states.iter().find(|own| own.state == self.state && !self.state.is_empty());
        let is_keyed = space.drive == Drive::Keys && space.in_states.is_empty();
        let played = || self.played.filter(|_| !is_keyed).unwrap_or_else(|| space.keyed_at(self.time));
        own.map_or_else(played, |own| own.at)
    }

    /// Keeps it at its time while `control` is in use, whatever plays.
    pub fn hold(&self, ui: &Ui, control: &Response) {
        scope::hold_at(ui, control, self.subject, self.time);
    }

    /// Puts it somewhere else, in the state or by a key.
    pub fn put(&self, space: &mut BlendSpace, at: [f64; 2]) {
        if self.state.is_empty() {
            return space.put_parameter(self.time, at);
        }
        match space.in_states.iter_mut().find(|own| own.state == self.state) {
            Some(own) => own.at = at,
            None => space.in_states.push(StatePlace { state: self.state.into(), at }),
        }
    }
}

impl Viewer<'_> {
    /// What moves the parameter, and what puts clips where they go as fast.
    pub(super) fn drive_row(&mut self, ui: &mut Ui, index: usize, space: &mut BlendSpace, files: &mut Vec<FileId>) {
        let mut by_speed = matches!(space.drive, Drive::Speed(_));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::SMALL;
            if ui.checkbox(&mut by_speed, tr("graph.space_speed")).on_hover_text(tr("graph.space_speed_hint")).changed()
            {
                let clip = if by_speed { self.usual_motion(space) } else { String::new() };
                let speed = Drive::Speed(SpeedDrive { clip, ..SpeedDrive::default() });
                space.drive = if by_speed { speed } else { Drive::Keys };
            }
            if widgets::icon_button(ui, ICON_SPEED, &tr("graph.space_place")).clicked() {
                self.place_by_speed(space);
            }
            if let Drive::Speed(drive) = &mut space.drive {
                let field = Field { decimals: 2, ..Field::new(Unit::Seconds).within(0.0, 10.0).wide(56.0) };
                let name = tr("graph.space_smoothing");
                number(ui, &name, &mut drive.smoothing, field).on_hover_text(name);
            }
        });
        if let Drive::Speed(drive) = &mut space.drive {
            clip_choice(ui, &format!("drive {index}"), &mut drive.clip, files, self.clips);
        }
    }

    /// The first take there is, which most likely goes somewhere at changing speed, else the last clip of `space`.
    fn usual_motion(&self, space: &BlendSpace) -> String {
        let take = self.clips.iter().find(|choice| choice.is_take).map(|choice| choice.clip.clone());
        take.or_else(|| space.samples.last().map(|sample| sample.clip.clone())).unwrap_or_default()
    }

    /// Puts every clip whose speed is known at that speed.
    fn place_by_speed(&self, space: &mut BlendSpace) {
        let Some(blended) = self.blended else { return };
        for sample in &mut space.samples {
            let name = title_of(self.clips, &sample.clip);
            let known = blended.travels.iter().find(|travel| travel.clip == sample.clip || travel.clip == name);
            if let Some(travel) = known {
                sample.at[0] = (travel.mean_speed() * 100.0).round() / 100.0;
            }
        }
    }
}

/// The name by which what was built knows a clip or take.
fn title_of(clips: &[Choice], clip: &str) -> String {
    clips.iter().find(|choice| choice.clip == clip).map_or_else(|| clip.to_owned(), |choice| choice.title.clone())
}

/// The parameter where it is edited, and the keys where it moves.
pub(super) fn parameter_row(ui: &mut Ui, space: &mut BlendSpace, parameter: &Parameter) {
    let (now, time) = (parameter.at(space), parameter.time);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let mut at = now;
        coordinates(ui, space.axes, &mut at, |ui, field| parameter.hold(ui, field));
        if at != now {
            parameter.put(space, at);
        }
        if !parameter.state.is_empty() {
            let is_own = space.in_states.iter().any(|own| own.state == parameter.state);
            if is_own && widgets::icon_button(ui, ICON_UNDO, &tr("graph.state_as_drawn")).clicked() {
                space.in_states.retain(|own| own.state != parameter.state);
            }
            return;
        }
        let here = space.keys.iter().position(|key| (key.time - time).abs() < 1e-4).filter(|_| space.keys.len() > 1);
        if widgets::toggle_icon(ui, ICON_DIAMOND, &tr("graph.space_key"), here.is_some()).clicked() {
            match here {
                Some(key) => {
                    space.keys.remove(key);
                }
                None => space.keys.push(ParameterKey { time, at: now }),
            }
        }
        let count = if space.keys.len() > 1 { space.keys.len() } else { 0 };
        widgets::caption(ui, tr_with("graph.space_keys", &[("count", count.to_string())]));
    });
}

/// The coordinates that count, to drag.
pub(super) fn coordinates(ui: &mut Ui, axes: Axes, at: &mut [f64; 2], drawn: impl Fn(&Ui, &Response)) {
    let shown = if axes == Axes::Two { 2 } else { 1 };
    for (value, name) in at.iter_mut().zip(["x ", "y "]).take(shown) {
        let field = DragValue::new(value).speed(0.02).range(-1e6..=1e6).max_decimals(3).prefix(name);
        let field = form::called(ui.add(field), name.trim());
        drawn(ui, &field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_state_its_own_place_is_edited_and_the_keys_stay() {
        let mut space = BlendSpace::default();
        let (drawn, state) = ("", "guard");
        let subject = Id::NULL;
        let parameter = |state, played| Parameter { subject, time: 0.0, state, played };
        parameter(state, None).put(&mut space, [2.0, 0.0]);
        assert_eq!((space.keyed_at(0.0), parameter(state, None).at(&space)), ([0.0; 2], [2.0, 0.0]));
        assert_eq!(parameter(drawn, Some([1.5, 0.0])).at(&space), [1.5, 0.0], "where it is played");
        parameter(drawn, None).put(&mut space, [0.5, 0.0]);
        assert_eq!((space.keyed_at(0.0)[0], space.in_states[0].at[0]), (0.5, 2.0));
    }
}
