//! The settings of a stage at the playhead, while its panel is drawn.

use std::sync::Arc;

use egui::{Id, Response, Ui};

use portamento_anim::math::key_curve::{KeyCurve, KeyEasing};
use portamento_session::Session;
use portamento_takes::document::{Stage, StageId, TakeId};

/// The stage whose panel is drawn.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Whether it can be taken in part.
    pub has_influence: bool,
    stage: Arc<Stage>,
    /// The playhead, seconds of what comes into the stage.
    time: f64,
    /// Seconds within which a key is at the playhead.
    near: f64,
}

/// Whether a setting has keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// None.
    Nowhere,
    /// Not at the playhead.
    Elsewhere,
    /// One at the playhead.
    Here,
}

/// What is asked of the keys of some settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The settings within the stage.
    pub settings: Vec<String>,
    /// What is to be done with them.
    pub change: KeyChange,
}

/// What is done with keys of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// A key at the playhead with the present value.
    Add,
    /// The key at the playhead goes.
    Remove,
    /// All keys go; the value stays what it is at the playhead.
    RemoveAll,
    /// How the value goes on from the key at or before the playhead.
    Ease(KeyEasing),
}

/// Share of a frame within which a key is at the playhead.
const NEAR: f64 = 0.25;

fn id() -> Id {
    Id::new("settings that can be keyed")
}

/// When what has keys was taken hold of.
#[derive(Clone, Copy, Debug)]
struct Held {
    subject: Id,
    time: f64,
    pass: u64,
}

fn held_id() -> Id {
    Id::new("setting that is held")
}

fn asked_id() -> Id {
    Id::new("asked of keys")
}

/// The stage whose panel is drawn, if one is.
pub fn current(ui: &Ui) -> Option<Scope> {
    ui.data(|data| data.get_temp::<Option<Scope>>(id())).flatten()
}

/// Keeps the panel at the time that it shows as long as `control` is dragged or typed into: while it plays the number would change
/// under the hand, and every frame would get a key.
pub fn hold(ui: &Ui, control: &Response) {
    if let Some(scope) = current(ui) {
        hold_at(ui, control, subject(scope.stage.id), scope.time);
    }
}

/// The same for the keys of `subject`, which are shown as they are at `time`.
pub fn hold_at(ui: &Ui, control: &Response, subject: Id, time: f64) {
    if control.has_focus() || control.dragged() || control.is_pointer_button_down_on() {
        let held = Held { subject, time, pass: ui.ctx().cumulative_pass_nr() };
        ui.data_mut(|data| data.insert_temp(held_id(), held));
    }
}

/// The time at which something of `subject` was taken hold of, if it still is.
pub fn held_time(ui: &Ui, subject: Id) -> Option<f64> {
    let held = ui.data(|data| data.get_temp::<Held>(held_id()))?;
    let is_held = held.subject == subject && held.pass + 1 >= ui.ctx().cumulative_pass_nr();
    is_held.then_some(held.time)
}

fn subject(stage: StageId) -> Id {
    Id::new(("stage with keys", stage.0))
}

/// Asks for a change of keys when the panel is drawn.
pub(super) fn ask(ui: &Ui, asked: Asked) {
    ui.data_mut(|data| data.insert_temp(asked_id(), Some(asked)));
}

impl Scope {
    /// Of `stage` at `time` (seconds of what comes in) at `fps` frames a second.
    pub fn new(stage: &Stage, time: f64, fps: f64) -> Self {
        let has_influence = stage.kind.has_influence();
        Self { has_influence, stage: Arc::new(stage.clone()), time: time.max(0.0), near: NEAR / fps.max(1.0) }
    }

    /// Whether all of `settings` can be keyed.
    pub(super) fn can_key(&self, settings: &[String]) -> bool {
        let mut stage = Stage::clone(&self.stage);
        settings.iter().all(|setting| stage.number_mut(setting).is_some())
    }

    /// Whether `settings` have keys: at the playhead if all of them have one there.
    pub fn keyed(&self, settings: &[String]) -> Keyed {
        let is_here = |curve: &KeyCurve| curve.nearest(self.time, self.near).is_some();
        let curves = || settings.iter().map(|setting| self.stage.curve(setting));
        match () {
            () if curves().all(|curve| curve.is_some_and(is_here)) => Keyed::Here,
            () if curves().any(|curve| curve.is_some()) => Keyed::Elsewhere,
            () => Keyed::Nowhere,
        }
    }

    /// How `setting` goes on from the key at or before the playhead.
    pub fn easing(&self, setting: &str) -> Option<KeyEasing> {
        let curve = self.stage.curve(setting)?;
        key_before(curve, self.time + self.near).map(|index| curve.keys()[index].easing)
    }
}

/// The last key up to `time`, else the first.
fn key_before(curve: &KeyCurve, time: f64) -> Option<usize> {
    let before = curve.keys().iter().rposition(|key| key.time <= time);
    before.or((!curve.is_empty()).then_some(0))
}

/// Draws a panel with the settings of stage `id` of `take`: those with keys are what they are at the playhead, and what is changed of
/// them becomes keys there; while it plays, at the frame at which they were taken hold of.
pub fn scoped(ui: &mut Ui, session: &mut Session, take: TakeId, id: StageId, body: impl FnOnce(&mut Ui, &mut Session)) {
    let known = session.document.take(take).and_then(|known| Some((known, known.stage(id)?)));
    let Some((known, stage)) = known else { return body(ui, session) };
    let time = held_time(ui, subject(id))
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
        data.remove_temp::<Option<Asked>>(asked_id()).flatten()
    });
    let Some(stage) = session.document.take_mut(take).and_then(|take| take.stage_mut(id)) else { return };
    keep(stage, [&plain, &shown], &scope);
    asked.into_iter().for_each(|asked| change(stage, &asked, &scope));
    stage.tidy_keys();
}

/// Makes keys of what was changed from `shown`, and gives numbers with keys back what they are by themselves in `plain`.
fn keep(stage: &mut Stage, [plain, shown]: [&Stage; 2], scope: &Scope) {
    // A chain that went took its keys along; the numbers of the others are those that are shown.
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

/// Changes keys of `stage` as `asked`.
fn change(stage: &mut Stage, asked: &Asked, scope: &Scope) {
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

    fn asked(change: KeyChange) -> Asked {
        Asked { settings: vec![INFLUENCE.into()], change }
    }

    #[test]
    fn what_is_typed_becomes_a_key_where_there_are_keys_and_a_plain_number_elsewhere() {
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
