//! Parameter of a blend space in its node: keys, speed drive, or per-state position.

use egui::{DragValue, Id, Response, Ui};
use egui_material_icons::icons::{ICON_DIAMOND, ICON_SPEED, ICON_UNDO};

use super::viewer::Viewer;
use crate::i18n::{tr, tr_with};
use crate::keys::scope;
use crate::panels::blend::{Choice, clip_choice};
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_blend::{Axes, BlendSpace, Drive, ParameterKey, SpeedDrive, StatePosition};
use portamento_takes::document::FileId;

/// Editing context of the parameter: keys at the playhead, or a state.
pub(super) struct Parameter<'a> {
    /// Id of the parameter for edits in progress.
    pub subject: Id,
    /// Playhead, seconds.
    pub time: f64,
    /// The edited state; empty for the default state.
    pub state: &'a str,
    /// Value at the playhead.
    pub played: Option<[f64; 2]>,
}

impl Parameter<'_> {
    /// Returns the displayed value: that of the edited state if it has one, else the value at the playhead. The unit is that of
    /// the sample positions.
    pub fn at(&self, space: &BlendSpace) -> [f64; 2] {
        let state_value = space.in_states.iter().find(|each| each.state == self.state && !self.state.is_empty());
        let is_keyed = space.drive == Drive::Keys && space.in_states.is_empty();
        let played = || self.played.filter(|_| !is_keyed).unwrap_or_else(|| space.parameter_from_keys(self.time));
        state_value.map_or_else(played, |state_value| state_value.at)
    }

    /// Keeps the edit at its start time while `control` is in use during playback.
    pub fn hold(&self, ui: &Ui, control: &Response) {
        scope::freeze_time_at(ui, control, self.subject, self.time);
    }

    /// Sets the value of the edited state, adding one if it has none. In the default state, sets the key at the playhead.
    pub fn put(&self, space: &mut BlendSpace, at: [f64; 2]) {
        if self.state.is_empty() {
            return space.set_parameter(self.time, at);
        }
        match space.in_states.iter_mut().find(|each| each.state == self.state) {
            Some(state_value) => state_value.at = at,
            None => space.in_states.push(StatePosition { state: self.state.into(), at }),
        }
    }
}

impl Viewer<'_> {
    /// Draws the drive of the parameter and the button that sets clips to their speeds.
    pub(super) fn drive_row(&mut self, ui: &mut Ui, index: usize, space: &mut BlendSpace, files: &mut Vec<FileId>) {
        let mut by_speed = matches!(space.drive, Drive::Speed(_));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
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
                let field = Field { decimals: 2, ..Field::new(Unit::Seconds).within(0.0, 10.0).with_width(56.0) };
                let name = tr("graph.space_smoothing");
                number(ui, &name, &mut drive.smoothing, field).on_hover_text(name);
            }
        });
        if let Drive::Speed(drive) = &mut space.drive {
            clip_choice(ui, &format!("drive {index}"), &mut drive.clip, files, self.clips);
        }
    }

    /// Returns the clip that is the default source of the speed: the first take, which likely changes its speed, else the last
    /// clip of the space. Empty without clips.
    fn usual_motion(&self, space: &BlendSpace) -> String {
        let take = self.clips.iter().find(|choice| choice.is_take).map(|choice| choice.clip.clone());
        take.or_else(|| space.samples.last().map(|sample| sample.clip.clone())).unwrap_or_default()
    }

    /// Sets the first coordinate of every clip with a known speed to that speed (m/s), rounded to 0.01.
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

/// Returns the display name of a clip or take; `clip` itself if it is not among `clips`.
fn title_of(clips: &[Choice], clip: &str) -> String {
    clips.iter().find(|choice| choice.clip == clip).map_or_else(|| clip.to_owned(), |choice| choice.title.clone())
}

/// Draws the parameter value with the button that adds or removes a key. In a state with its own value, a button removes that
/// value instead.
pub(super) fn parameter_row(ui: &mut Ui, space: &mut BlendSpace, parameter: &Parameter) {
    let (value, time) = (parameter.at(space), parameter.time);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let mut at = value;
        coordinates(ui, space.axes, &mut at, |ui, field| parameter.hold(ui, field));
        if at != value {
            parameter.put(space, at);
        }
        if !parameter.state.is_empty() {
            let has_state_value = space.in_states.iter().any(|own| own.state == parameter.state);
            if has_state_value && widgets::icon_button(ui, ICON_UNDO, &tr("graph.state_as_drawn")).clicked() {
                space.in_states.retain(|own| own.state != parameter.state);
            }
            return;
        }
        let key_here =
            space.keys.iter().position(|key| (key.time - time).abs() < 1e-4).filter(|_| space.keys.len() > 1);
        if widgets::toggle_icon(ui, ICON_DIAMOND, &tr("graph.space_key"), key_here.is_some()).clicked() {
            match key_here {
                Some(key) => {
                    space.keys.remove(key);
                }
                None => space.keys.push(ParameterKey { time, at: value }),
            }
        }
        let count = if space.keys.len() > 1 { space.keys.len() } else { 0 };
        widgets::caption(ui, tr_with("graph.space_keys", &[("count", count.to_string())]));
    });
}

/// Draws the one or two coordinates that `axes` uses as drag fields. Calls `drawn` with each field.
pub(super) fn coordinates(ui: &mut Ui, axes: Axes, at: &mut [f64; 2], drawn: impl Fn(&Ui, &Response)) {
    let shown = if axes == Axes::Two { 2 } else { 1 };
    for (value, name) in at.iter_mut().zip(["x ", "y "]).take(shown) {
        let field = DragValue::new(value).speed(0.02).range(-1e6..=1e6).max_decimals(3).prefix(name);
        let field = form::with_name(ui.add(field), name.trim());
        drawn(ui, &field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_state_its_own_value_is_edited_and_the_keys_stay() {
        let mut space = BlendSpace::default();
        let (drawn, state) = ("", "guard");
        let subject = Id::NULL;
        let parameter = |state, played| Parameter { subject, time: 0.0, state, played };
        parameter(state, None).put(&mut space, [2.0, 0.0]);
        assert_eq!((space.parameter_from_keys(0.0), parameter(state, None).at(&space)), ([0.0; 2], [2.0, 0.0]));
        assert_eq!(parameter(drawn, Some([1.5, 0.0])).at(&space), [1.5, 0.0], "where it is played");
        parameter(drawn, None).put(&mut space, [0.5, 0.0]);
        assert_eq!((space.parameter_from_keys(0.0)[0], space.in_states[0].at[0]), (0.5, 2.0));
    }
}
