//! Editing of keys on their lanes with mouse and keyboard: select, move, add, delete, copy and paste.

use egui::{Event, Key as Button, Modifiers, Response, Ui};
use serde::{Deserialize, Serialize};

use super::diamond::easing_menu;
use super::lane::{lane_at, part_at};
use crate::i18n::tr;
use crate::timeline::drag::{KeyRef, LanePart};
use crate::timeline::lanes::LaneView;
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use crate::timeline::stages::seconds_in;
use portamento_anim::math::key_curve::{Key, KeyCurve, KeyEasing};
use portamento_session::{Session, Shown};
use portamento_takes::document::{KeyedSetting, Stage, StageId, Take};

/// The selected keys on the timeline.
#[derive(Clone, Debug, Default)]
pub struct KeySelection {
    keys: Vec<KeyRef>,
}

/// Keys on the clipboard. Times are relative to the first key.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct CopiedKeys {
    portamento_keys: Vec<KeyedSetting>,
}

impl KeySelection {
    /// Sets `selected` of the keys in `model`, and deselects keys that no longer exist.
    pub fn mark(&mut self, model: &mut Model) {
        let mut existing = Vec::new();
        for lane in &mut model.keyed {
            for mark in &mut lane.keys {
                let key = KeyRef { stage: lane.stage, setting: lane.setting.clone(), time: mark.own };
                mark.selected = self.keys.contains(&key);
                existing.extend(mark.selected.then_some(key));
            }
        }
        self.keys = existing;
    }

    /// Selects the pressed key, in addition to others with Shift or Ctrl. Returns all selected keys, the pressed one first; empty
    /// if `part` is not a key.
    pub fn pressed(&mut self, part: LanePart, model: &Model, modifiers: Modifiers) -> Vec<KeyRef> {
        let LanePart::Key(lane, key) = part else { return Vec::new() };
        let Some((lane, mark)) = model.keyed.get(lane).and_then(|lane| Some((lane, lane.keys.get(key)?))) else {
            return Vec::new();
        };
        let pressed = KeyRef { stage: lane.stage, setting: lane.setting.clone(), time: mark.own };
        let adds = modifiers.shift || modifiers.command;
        if !mark.selected && !adds {
            self.keys.clear();
        }
        if !mark.selected {
            self.keys.push(pressed.clone());
        }
        let others = self.keys.iter().filter(|key| **key != pressed).cloned();
        [pressed.clone()].into_iter().chain(others).collect()
    }

    /// Moves the keys `moved` from their times in the take `before` so that the first one is at `time`, in seconds of the shown
    /// take. All keep their distances, and none moves before 0. The moved keys are selected.
    pub fn move_to(&mut self, session: &mut Session, moved: &[KeyRef], before: &Take, time: f64) {
        let Some(first) = moved.first() else { return };
        let wanted = seconds_in(session, Some(first.stage), time) - first.time;
        // Keys stay at or after the start of the motion and keep their distances.
        let by = moved.iter().fold(wanted, |by, key| by.max(-key.time));
        let Some(take) = session.document.take_mut(before.id) else { return };
        for stage in &mut take.stages {
            let Some(old) = before.stage(stage.id) else { continue };
            stage.keys.clone_from(&old.keys);
            for keyed in &mut stage.keys {
                let is_moved = |time: f64| {
                    moved.iter().any(|key| key.stage == old.id && key.setting == keyed.setting && key.time == time)
                };
                keyed.keys = shifted(&keyed.keys, &is_moved, by);
            }
        }
        self.keys = moved.iter().map(|key| KeyRef { time: key.time + by, ..key.clone() }).collect();
    }

    /// Returns the selected keys of each setting, with times from the first selected key.
    fn copied(&self, take: &Take) -> CopiedKeys {
        let start = self.keys.iter().map(|key| key.time).fold(f64::INFINITY, f64::min);
        let mut copied: Vec<KeyedSetting> = Vec::new();
        for stage in &take.stages {
            for keyed in &stage.keys {
                let is_chosen = |key: &&Key| self.has(stage.id, &keyed.setting, key.time);
                let keys = keyed.keys.keys().iter().filter(is_chosen);
                let keys: Vec<Key> = keys.map(|key| Key { time: key.time - start, ..*key }).collect();
                if !keys.is_empty() {
                    copied.push(KeyedSetting { setting: keyed.setting.clone(), keys: keys.into() });
                }
            }
        }
        CopiedKeys { portamento_keys: copied }
    }

    /// True if the key at exactly `time`, in seconds of its stage, is selected.
    fn has(&self, stage: StageId, setting: &str, time: f64) -> bool {
        self.keys.iter().any(|key| key.stage == stage && key.setting == setting && key.time == time)
    }

    /// Replaces every selected key of the shown take by the result of `change`; `None` deletes it.
    fn change(&mut self, session: &mut Session, change: impl Fn(Key) -> Option<Key>) {
        let Some(take) = shown_take_mut(session) else { return };
        for key in &self.keys {
            let Some(stage) = take.stage_mut(key.stage) else { continue };
            if let Some(curve) = stage.curve_mut(&key.setting)
                && let Some(index) = curve.nearest(key.time, 0.0)
            {
                match change(curve.keys()[index]) {
                    Some(changed) => curve.set(index, changed),
                    None => remove(stage, &key.setting, index),
                }
            }
        }
        take.stages.iter_mut().for_each(Stage::tidy_keys);
    }
}

/// Deletes the key at `index` of `setting`. After the last key, the setting keeps the key's value.
fn remove(stage: &mut Stage, setting: &str, index: usize) {
    let Some(curve) = stage.curve_mut(setting) else { return };
    let value = curve.keys().get(index).map(|key| key.value);
    curve.remove(index);
    if curve.is_empty()
        && let Some((number, value)) = stage.number_mut(setting).zip(value)
    {
        *number = value;
    }
}

/// Returns a mutable reference to the shown take; `None` if no take is shown.
fn shown_take_mut(session: &mut Session) -> Option<&mut Take> {
    let Shown::Take(id) = session.selection.shown else { return None };
    session.document.take_mut(id)
}

/// Returns `curve` with the keys selected by `is_moved` shifted by `by` seconds. They replace other keys at their new times.
fn shifted(curve: &KeyCurve, is_moved: &dyn Fn(f64) -> bool, by: f64) -> KeyCurve {
    let (moving, rest): (Vec<Key>, Vec<Key>) = curve.keys().iter().copied().partition(|key| is_moved(key.time));
    let mut moved = KeyCurve::from(rest);
    moved.insert(moving.into_iter().map(|key| Key { time: key.time + by, ..key }).collect());
    moved
}

/// Handles mouse, keyboard and context menu of the lanes. A double click adds a key; a click next to no key deselects all.
pub fn edit(
    ui: &Ui,
    response: &Response,
    session: &mut Session,
    chosen: &mut KeySelection,
    scale: &TimeScale,
    &LaneView { lanes, model }: &LaneView,
) {
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    let lane = pointer.and_then(|at| lane_at(at, lanes)).and_then(|lane| model.keyed.get(lane));
    let part = pointer.and_then(|at| part_at(at, scale, lanes, model));
    if response.clicked() && part.is_none() {
        chosen.keys.clear();
    }
    if let (Some(at), Some(lane), None) = (pointer.filter(|_| response.double_clicked()), lane, part) {
        let time = model.snapped(scale.time_at(f64::from(at.x)).clamp(0.0, model.duration), scale);
        let time = seconds_in(session, Some(lane.stage), time);
        let curve = shown_take_mut(session).and_then(|take| take.stage_mut(lane.stage)?.curve_mut(&lane.setting));
        if let Some((curve, value)) = curve.and_then(|curve| curve.at(time).map(|value| (curve, value))) {
            curve.put(time, value, 0.0);
        }
    }
    if response.hovered() && !ui.ctx().text_edit_focused() {
        keyboard(ui, session, chosen, lane.map(|lane| (lane.stage, lane.setting.as_str())));
    }
    if response.secondary_clicked() {
        part.into_iter().for_each(|part| drop(chosen.pressed(part, model, Modifiers::NONE)));
        response.ctx.data_mut(|data| data.insert_temp(response.id.with("key menu"), part.is_some()));
    }
    if response.ctx.data(|data| data.get_temp(response.id.with("key menu"))).unwrap_or(false) {
        menu(response, session, chosen);
    }
}

/// Handles delete, copy, cut and paste of the selected keys. Pasted keys go to the settings they were copied from, or to that of
/// `lane`.
fn keyboard(ui: &Ui, session: &mut Session, chosen: &mut KeySelection, lane: Option<(StageId, &str)>) {
    let deletes = |ui: &Ui| {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        pressed(Button::Delete) || pressed(Button::Backspace)
    };
    if !chosen.keys.is_empty() && deletes(ui) {
        chosen.change(session, |_| None);
    }
    for event in ui.input(|input| input.events.clone()) {
        match event {
            Event::Copy | Event::Cut if !chosen.keys.is_empty() => {
                let copied = shown_take_mut(session).map(|take| chosen.copied(take));
                let text = copied.and_then(|copied| serde_json::to_string(&copied).ok());
                text.into_iter().for_each(|text| ui.ctx().copy_text(text));
                if event == Event::Cut {
                    chosen.change(session, |_| None);
                }
            }
            Event::Paste(text) => {
                if let Ok(copied) = serde_json::from_str::<CopiedKeys>(&text) {
                    chosen.keys = paste(session, copied, lane);
                }
            }
            _ => {}
        }
    }
}

/// Pastes keys at the playhead into the stage of `lane`, or else the open stage. Keys of one setting go to the setting of `lane`,
/// if given.
///
/// Returns the new keys; none without a stage to paste to. Settings that the stage does not have are left out.
fn paste(session: &mut Session, copied: CopiedKeys, lane: Option<(StageId, &str)>) -> Vec<KeyRef> {
    let Some(stage) = lane.map(|lane| lane.0).or(session.selection.open_stage(&session.document)) else {
        return Vec::new();
    };
    let start = seconds_in(session, Some(stage), session.playback.time).max(0.0);
    let Some(stage) = shown_take_mut(session).and_then(|take| take.stage_mut(stage)) else { return Vec::new() };
    let only = copied.portamento_keys.len() == 1;
    let mut pasted = Vec::new();
    for keyed in copied.portamento_keys {
        // Keys of a single setting can be pasted to another one.
        let setting = lane.filter(|_| only).map_or(keyed.setting.as_str(), |lane| lane.1);
        let keys: Vec<Key> = keyed.keys.keys().iter().map(|key| Key { time: key.time + start, ..*key }).collect();
        let Some(curve) = stage.curve_mut(setting) else { continue };
        curve.insert(keys.clone());
        let refs = keys.iter().map(|key| KeyRef { stage: stage.id, setting: setting.to_owned(), time: key.time });
        pasted.extend(refs);
    }
    stage.tidy_keys();
    pasted
}

/// Draws the context menu of the selected keys: easing and removal.
fn menu(response: &Response, session: &mut Session, chosen: &mut KeySelection) {
    response.context_menu(|ui| {
        let easing = chosen.keys.first().and_then(|key| easing_of(session, key));
        if let Some(easing) = easing_menu(ui, easing) {
            chosen.change(session, |key| Some(Key { easing, ..key }));
        }
        ui.separator();
        if ui.button(tr("keys.remove_selected")).clicked() {
            chosen.change(session, |_| None);
            ui.close();
        }
    });
}

/// Returns the easing of a key; `None` if the key is gone.
fn easing_of(session: &mut Session, key: &KeyRef) -> Option<KeyEasing> {
    let curve = shown_take_mut(session)?.stage(key.stage)?.curve(&key.setting)?;
    curve.nearest(key.time, 0.0).map(|index| curve.keys()[index].easing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_keys_replace_the_keys_at_their_new_times() {
        let curve =
            KeyCurve::from([(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0)].map(|(t, v)| Key::new(t, v)).to_vec());
        let moved = shifted(&curve, &|time| time < 1.5, 2.0);
        let now: Vec<(f64, f64)> = moved.keys().iter().map(|key| (key.time, key.value)).collect();
        assert_eq!(now, [(2.0, 1.0), (3.0, 2.0)]);
        assert_eq!(shifted(&curve, &|_| false, 5.0), curve);
    }
}
