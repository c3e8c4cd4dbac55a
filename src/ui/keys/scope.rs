//! The stage scope: animatable settings at the playhead while the panel of a stage is drawn.

use std::sync::Arc;

use egui::{Id, Response, Ui};

use portamento_anim::math::key_curve::{KeyCurve, KeyEasing};
use portamento_session::Session;
use portamento_takes::document::{Stage, StageId, TakeId};

/// The stage whose panel is being drawn.
#[derive(Clone, Debug)]
pub struct Scope {
    /// True if the stage has an influence.
    pub has_influence: bool,
    stage: Arc<Stage>,
    /// Playhead time in seconds of the stage's input.
    time: f64,
    /// Largest distance in seconds at which a key counts as at the playhead.
    near: f64,
}

/// The key state of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// No keys.
    Nowhere,
    /// Keys, but none at the playhead.
    Elsewhere,
    /// A key at the playhead.
    Here,
}

/// A requested change of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRequest {
    /// The setting paths within the stage.
    pub settings: Vec<String>,
    /// The change.
    pub change: KeyChange,
}

/// A change of a setting's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Add a key at the playhead with the present value.
    Add,
    /// Delete the key at the playhead.
    Remove,
    /// Delete all keys; the setting keeps its value at the playhead.
    RemoveAll,
    /// Set the easing of the key at or before the playhead.
    Ease(KeyEasing),
}

/// Fraction of a frame within which a key counts as at the playhead. Tuned; no derivation recorded.
const KEY_TOLERANCE_FRAMES: f64 = 0.25;

fn id() -> Id {
    Id::new("settings that can be keyed")
}

/// The control that the user is dragging or typing into, with the time its edits apply to.
#[derive(Clone, Copy, Debug)]
struct ActiveEdit {
    /// Id of the stage or parameter that is edited.
    subject: Id,
    /// Time to which the edits apply: seconds, in the time base of `subject`.
    time: f64,
    /// Number of the egui pass in which the edit was last active.
    pass: u64,
}

fn active_edit_id() -> Id {
    Id::new("setting that is held")
}

fn asked_id() -> Id {
    Id::new("asked of keys")
}

/// Returns the current stage scope; `None` outside the settings of a stage.
pub fn current(ui: &Ui) -> Option<Scope> {
    ui.data(|data| data.get_temp::<Option<Scope>>(id())).flatten()
}

/// Freezes the panel's time while `control` is dragged or typed into. Otherwise playback would change the number during the
/// edit and add a key in every frame.
pub fn freeze_time(ui: &Ui, control: &Response) {
    if let Some(scope) = current(ui) {
        freeze_time_at(ui, control, subject(scope.stage.id), scope.time);
    }
}

/// Freezes `time`, in seconds, for the keys of `subject` while `control` is dragged or typed into. Call it in every frame.
pub fn freeze_time_at(ui: &Ui, control: &Response, subject: Id, time: f64) {
    if control.has_focus() || control.dragged() || control.is_pointer_button_down_on() {
        let edit = ActiveEdit { subject, time, pass: ui.ctx().cumulative_pass_nr() };
        ui.data_mut(|data| data.insert_temp(active_edit_id(), edit));
    }
}

/// Returns the frozen time in seconds if a control of `subject` is being edited; otherwise `None`.
pub fn frozen_time(ui: &Ui, subject: Id) -> Option<f64> {
    let edit = ui.data(|data| data.get_temp::<ActiveEdit>(active_edit_id()))?;
    let is_active = edit.subject == subject && edit.pass + 1 >= ui.ctx().cumulative_pass_nr();
    is_active.then_some(edit.time)
}

/// Returns the id under which edits of a stage are frozen.
fn subject(stage: StageId) -> Id {
    Id::new(("stage with keys", stage.0))
}

/// Requests a change of keys, applied after the panel is drawn. A second request in a frame replaces the first.
pub(super) fn request_change(ui: &Ui, asked: KeyRequest) {
    ui.data_mut(|data| data.insert_temp(asked_id(), Some(asked)));
}

impl Scope {
    /// Creates the scope of `stage` at `time` (seconds of its input, at least 0), with `fps` frames per second.
    pub fn new(stage: &Stage, time: f64, fps: f64) -> Self {
        let has_influence = stage.kind.has_influence();
        Self {
            has_influence,
            stage: Arc::new(stage.clone()),
            time: time.max(0.0),
            near: KEY_TOLERANCE_FRAMES / fps.max(1.0),
        }
    }

    /// True if all `settings` can be animated.
    pub(super) fn can_key(&self, settings: &[String]) -> bool {
        let mut stage = Stage::clone(&self.stage);
        settings.iter().all(|setting| stage.number_mut(setting).is_some())
    }

    /// Returns the key state of `settings`. [`Keyed::Here`] requires a key at the playhead for each of them.
    pub fn keyed(&self, settings: &[String]) -> Keyed {
        let is_here = |curve: &KeyCurve| curve.nearest(self.time, self.near).is_some();
        let curves = || settings.iter().map(|setting| self.stage.curve(setting));
        match () {
            () if curves().all(|curve| curve.is_some_and(is_here)) => Keyed::Here,
            () if curves().any(|curve| curve.is_some()) => Keyed::Elsewhere,
            () => Keyed::Nowhere,
        }
    }

    /// Returns the easing of the key at or before the playhead, else of the first key; `None` without keys.
    pub fn easing(&self, setting: &str) -> Option<KeyEasing> {
        let curve = self.stage.curve(setting)?;
        key_before(curve, self.time + self.near).map(|index| curve.keys()[index].easing)
    }
}

/// Returns the index of the last key up to `time`, or of the first key; `None` without keys. Times are in seconds.
fn key_before(curve: &KeyCurve, time: f64) -> Option<usize> {
    let before = curve.keys().iter().rposition(|key| key.time <= time);
    before.or((!curve.is_empty()).then_some(0))
}

/// Draws `body` within the scope of stage `id` of `take`. Keyed settings have their values at the playhead, and edits become keys
/// there. During playback, edits apply to the time at which the edit began.
///
/// If the stage does not exist, `body` is drawn without a scope.
pub fn scoped(ui: &mut Ui, session: &mut Session, take: TakeId, id: StageId, body: impl FnOnce(&mut Ui, &mut Session)) {
    let known = session.document.take(take).and_then(|known| Some((known, known.stage(id)?)));
    let Some((known, stage)) = known else { return body(ui, session) };
    let time = frozen_time(ui, subject(id))
        .unwrap_or_else(|| session.evaluation.seconds_into(known, id, session.playback.time_to_edit()));
    let scope = Scope::new(stage, time, session.playback.fps);
    let plain = stage.clone();
    let shown = plain.at(scope.time);
    if let Some(stage) = session.document.take_mut(take).and_then(|take| take.stage_mut(id)) {
        *stage = shown.clone();
    }
    ui.data_mut(|data| data.insert_temp(self::id(), Some(scope.clone())));
    body(ui, session);
    let asked = ui.data_mut(|data| {
        data.remove_temp::<Option<Scope>>(self::id());
        data.remove_temp::<Option<KeyRequest>>(asked_id()).flatten()
    });
    let Some(stage) = session.document.take_mut(take).and_then(|take| take.stage_mut(id)) else { return };
    keep(stage, [&plain, &shown], &scope);
    asked.into_iter().for_each(|asked| change(stage, &asked, &scope));
    stage.tidy_keys();
}

/// Turns edits of keyed settings, as differences between `stage` and `shown` (the values at the playhead), into keys. Then gives
/// these settings the unkeyed values of `plain` again.
fn keep(stage: &mut Stage, [plain, shown]: [&Stage; 2], scope: &Scope) {
    // If keys themselves changed (a chain was removed), the shown numbers already are the new ones.
    if stage.keys != plain.keys {
        return;
    }
    let (mut plain, mut shown) = (plain.clone(), shown.clone());
    for keyed in plain.keys.clone() {
        let setting = keyed.setting.as_str();
        let before = plain.number_mut(setting).copied().zip(shown.number_mut(setting).copied());
        let (Some((own, was)), Some(number)) = (before, stage.number_mut(setting)) else { continue };
        let now = std::mem::replace(number, own);
        if now != was
            && let Some(curve) = stage.curve_mut(setting)
        {
            curve.put(scope.time, now, scope.near);
        }
    }
}

/// Applies the key change `asked` to `stage`. A setting that loses its last key keeps its value at the playhead.
fn change(stage: &mut Stage, asked: &KeyRequest, scope: &Scope) {
    for setting in &asked.settings {
        let Some(value) = stage.at(scope.time).number_mut(setting).copied() else { continue };
        let Some(curve) = stage.curve_mut(setting) else { continue };
        let here = curve.nearest(scope.time, scope.near);
        match asked.change {
            KeyChange::Add => curve.put(scope.time, value, scope.near),
            KeyChange::Remove => here.into_iter().for_each(|here| curve.remove(here)),
            KeyChange::RemoveAll => *curve = KeyCurve::default(),
            KeyChange::Ease(easing) => {
                if let Some(index) = key_before(curve, scope.time + scope.near) {
                    let key = curve.keys()[index];
                    curve.set(index, portamento_anim::math::key_curve::Key { easing, ..key });
                }
            }
        }
        if curve.is_empty()
            && let Some(number) = stage.number_mut(setting)
        {
            *number = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::StageKind;
    use portamento_takes::document::keyed::INFLUENCE;
    use portamento_takes::document::stage::Ground;

    fn asked(change: KeyChange) -> KeyRequest {
        KeyRequest { settings: vec![INFLUENCE.into()], change }
    }

    #[test]
    fn edits_of_keyed_settings_become_keys_and_of_others_plain_numbers() {
        let mut stage = Stage::new(StageId(1), StageKind::Ground(Box::<Ground>::default()));
        let at = |stage: &Stage, time| Scope::new(stage, time, 30.0);
        let scope = at(&stage, 0.5);
        assert_eq!(scope.keyed(&[INFLUENCE.into()]), Keyed::Nowhere);
        change(&mut stage, &asked(KeyChange::Add), &scope);
        let scope = at(&stage, 0.505);
        assert_eq!(scope.keyed(&[INFLUENCE.into()]), Keyed::Here, "a quarter of a frame away is here");
        // At another time, typed: shown is 1, then 0.25.
        let scope = at(&stage, 1.0);
        assert_eq!(scope.keyed(&[INFLUENCE.into()]), Keyed::Elsewhere);
        let (plain, shown) = (stage.clone(), stage.at(1.0));
        let mut edited = shown.clone();
        edited.influence = 0.25;
        keep(&mut edited, [&plain, &shown], &scope);
        assert_eq!((edited.influence, edited.at(1.0).influence, edited.at(0.5).influence), (1.0, 0.25, 1.0));
        let changed = |edited: &mut Stage, time: f64, wanted: KeyChange| {
            let scope = at(edited, time);
            change(edited, &asked(wanted), &scope);
        };
        changed(&mut edited, 0.7, KeyChange::Ease(KeyEasing::Step));
        assert_eq!(edited.at(0.99).influence, 1.0);
        assert_eq!(at(&edited, 0.7).easing(INFLUENCE), Some(KeyEasing::Step));
        changed(&mut edited, 0.5, KeyChange::Remove);
        assert_eq!(edited.at(0.0).influence, 0.25);
        changed(&mut edited, 0.0, KeyChange::RemoveAll);
        edited.tidy_keys();
        assert_eq!((edited.influence, edited.keys.len()), (0.25, 0), "the value stays what it was");
    }
}
