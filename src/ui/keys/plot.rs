//! Plot of a keyed setting's curve, whose keys can be dragged vertically.

use egui::{Id, Pos2, Stroke, Ui};
use egui_plot::{Line, PlotBounds, PlotResponse, PlotUi, VLine};

use super::names::{Named, named};
use crate::drag::{DragEnd, DragState};
use crate::i18n::tr;
use crate::timeline::stages::seconds_out;
use crate::widgets::time_plot;
use crate::{theme, widgets};
use portamento_anim::math::key_curve::{Key, KeyCurve};
use portamento_session::{Session, Shown};
use portamento_takes::document::{Stage, StageId, TakeId};

/// A dragged key with the plot bounds at the press.
#[derive(Clone, Debug)]
struct Handle {
    /// Its time in seconds of the stage's input, which identifies it even if keys are added before it.
    time: f64,
    value: f64,
    bounds: PlotBounds,
}

/// Distance in pixels within which a key is grabbed. Tuned; no derivation recorded.
const GRAB_MAX_PIXELS: f32 = 8.0;
/// Number of sample points between two keys. Tuned; no derivation recorded.
const SAMPLES_PER_SEGMENT: usize = 24;

/// Draws the choice between the motion and each keyed setting of the open stage, and the key curve of the chosen setting, at
/// first the first one.
///
/// Returns false if no curve was drawn: no stage is open, it has no keys, or the motion is chosen.
pub fn keys_plot_ui(ui: &mut Ui, session: &mut Session) -> bool {
    let Shown::Take(take) = session.selection.shown else { return false };
    let Some(stage) =
        session.selection.open_stage(&session.document).and_then(|id| session.document.take(take)?.stage(id)).cloned()
    else {
        return false;
    };
    if stage.keys.is_empty() {
        return false;
    }
    // Stored by name, because the number of keyed settings changes.
    let id = Id::new(("shown keys", take.0, stage.id.0));
    let chosen = ui.data(|data| data.get_temp::<Option<String>>(id));
    let mut chosen = chosen.unwrap_or_else(|| stage.keys.first().map(|keyed| keyed.setting.clone()));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        ui.selectable_value(&mut chosen, None, tr("keys.plot_motion"));
        for keyed in &stage.keys {
            let name = named(&stage, &keyed.setting).name;
            ui.selectable_value(&mut chosen, Some(keyed.setting.clone()), name);
        }
    });
    ui.data_mut(|data| data.insert_temp(id, chosen.clone()));
    let Some(setting) = chosen.filter(|setting| stage.curve(setting).is_some()) else { return false };
    plot(ui, session, take, &stage, &setting);
    true
}

/// Draws the curve of `setting` and handles drags of its keys, which change their values. A drag that starts at no key moves the
/// playhead.
fn plot(ui: &mut Ui, session: &mut Session, take: TakeId, stage: &Stage, setting: &str) {
    let Some(curve) = stage.curve(setting) else { return };
    let (tokens, Named { name, unit }) = (*theme::of(ui), named(stage, setting));
    let scale = unit.display_factor();
    let seconds = session
        .document
        .take(take)
        .map_or(0.0, |take| session.evaluation.seconds_into(take, stage.id, session.playback.time));
    widgets::caption(ui, format!("{name}  {}", unit.suffix().trim()));
    let state = ui.id().with(("key handles", stage.id.0, setting));
    let mut drag: DragState<Handle> = ui.data(|data| data.get_temp(state)).unwrap_or_default();
    let bounds = drag.active().map_or_else(|| fitting(session, curve, scale), |drag| drag.subject.bounds);
    let response = time_plot::time_plot("keys", &tokens).show(ui, |plot: &mut PlotUi| {
        plot.set_plot_bounds(bounds);
        let color = if stage.on { tokens.accent } else { tokens.dim };
        plot.line(Line::new("", points(curve, scale, &bounds)).stroke(Stroke::new(2.0, color)).allow_hover(false));
        plot.vline(VLine::new("playhead", seconds).color(tokens.playhead).width(1.0).allow_hover(false));
    });
    let screen = |key: &Key| response.transform.position_from_point(&[key.time, key.value * scale].into());
    for key in curve.keys() {
        let is_dragged = drag.active().is_some_and(|drag| drag.subject.time == key.time);
        let color = if is_dragged { tokens.selection } else { tokens.accent };
        super::diamond::outline(ui.painter(), screen(key), 5.0, color, tokens.panel);
    }
    let key_at = |at: Pos2| {
        let near = curve.keys().iter().filter(|key| screen(key).distance(at) <= GRAB_MAX_PIXELS);
        near.min_by(|a, b| screen(a).distance(at).total_cmp(&screen(b).distance(at)))
    };
    let begin = |at: Pos2| key_at(at).map(|key| Handle { time: key.time, value: key.value, bounds });
    let ended = drag.update(ui, &response.response, begin);
    let target = KeyTarget { take, stage: stage.id, setting };
    if let Some(DragEnd::Cancelled(handle)) = ended {
        target.put(session, handle.time, handle.value);
    }
    match drag.active() {
        Some(drag) => {
            let [from, to] = drag.input.endpoints().map(|at| response.transform.value_from_position(at).y);
            let value = drag.subject.value + (to - from) / scale;
            target.put(session, drag.subject.time, allowed(setting, value));
        }
        None if !drag.is_dragging() => scrub(ui, session, &target, &response),
        None => {}
    }
    if response.response.hover_pos().is_some_and(|at| key_at(at).is_some()) || drag.is_dragging() {
        ui.set_cursor_icon(egui::CursorIcon::ResizeVertical);
    }
    ui.data_mut(|data| data.insert_temp(state, drag));
}

/// Moves the playhead to the pointer while dragging in empty space.
fn scrub(ui: &Ui, session: &mut Session, target: &KeyTarget, response: &PlotResponse<()>) {
    let Some(at) = response.response.interact_pointer_pos().filter(|_| ui.input(|input| input.pointer.primary_down()))
    else {
        return;
    };
    let own = response.transform.value_from_position(at).x;
    let take = session.document.take(target.take).cloned();
    if let Some(take) = take {
        session.playback.pause_at(seconds_out(session, &take, target.stage, own));
    }
}

/// A setting whose keys are being dragged.
struct KeyTarget<'a> {
    take: TakeId,
    stage: StageId,
    setting: &'a str,
}

impl KeyTarget<'_> {
    /// Sets the key at `time`, in seconds of the stage, to `value` in the storage unit; adds it if there is none.
    fn put(&self, session: &mut Session, time: f64, value: f64) {
        let stage = session.document.take_mut(self.take).and_then(|take| take.stage_mut(self.stage));
        if let Some(curve) = stage.and_then(|stage| stage.curve_mut(self.setting)) {
            curve.put(time, value, 0.0);
        }
    }
}

/// Clamps `value`, in the storage unit (angles in radians), to the range of the setting. Settings without a range are not
/// limited.
fn allowed(setting: &str, value: f64) -> f64 {
    let is = |end: &str| setting.ends_with(end);
    match () {
        () if is("influence") || is("drag/value") => value.clamp(0.0, 1.0),
        () if is("slerp_buffer") => value.clamp(0.001, 1.0),
        () if is("gust") || is("turbulence") || is("smoothing") || is("stiffness/value") || is("radius/value") => {
            value.max(0.0)
        }
        () if is("strength") => value.max(0.0),
        () if is("cone/angle") || is("hinge/high") => value.clamp(0.0, std::f64::consts::PI),
        () if is("hinge/low") => value.clamp(-std::f64::consts::PI, 0.0),
        () => value,
    }
}

/// Returns bounds that contain all keys, zero and the complete motion, with a margin: x in seconds, y in values multiplied by
/// `scale`.
fn fitting(session: &Session, curve: &KeyCurve, scale: f64) -> PlotBounds {
    let keys = || curve.keys().iter();
    let [low, high] =
        keys().fold([0.0_f64, 0.0], |[low, high], key| [low.min(key.value * scale), high.max(key.value * scale)]);
    let height = if high > low { high - low } else { 1.0 };
    let end = keys().map(|key| key.time).fold(session.playback.duration, f64::max).max(0.1);
    let start = keys().map(|key| key.time).fold(0.0, f64::min);
    let margin = 0.02 * (end - start);
    PlotBounds::from_min_max([start - margin, low - 0.12 * height], [end + margin, low + 1.12 * height])
}

/// Returns the points `[seconds, value · scale]` of the curve, with a point at every key. At the ends it continues to `bounds`.
fn points(curve: &KeyCurve, scale: f64, bounds: &PlotBounds) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    let mut add = |time: f64, value: f64| points.push([time, value * scale]);
    let keys = curve.keys();
    if let Some(first) = keys.first() {
        add(bounds.min()[0].min(first.time), first.value);
    }
    for pair in keys.windows(2) {
        for i in 0..SAMPLES_PER_SEGMENT {
            let time = pair[0].time + (pair[1].time - pair[0].time) * i as f64 / SAMPLES_PER_SEGMENT as f64;
            curve.at(time).into_iter().for_each(|value| add(time, value));
        }
        // Stepped keys make a vertical line.
        let before = pair[0].easing == portamento_anim::math::key_curve::KeyEasing::Step;
        add(pair[1].time, if before { pair[0].value } else { pair[1].value });
    }
    if let Some(last) = keys.last() {
        add(last.time, last.value);
        add(bounds.max()[0].max(last.time), last.value);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::key_curve::KeyEasing;

    #[test]
    fn the_curve_is_drawn_through_all_keys_and_jumps_at_steps() {
        let key = |time, value, easing| Key { time, value, easing };
        let keys =
            vec![key(1.0, 2.0, KeyEasing::Step), key(2.0, 4.0, KeyEasing::Linear), key(3.0, 0.0, KeyEasing::Smooth)];
        let drawn = points(&keys.into(), 1.0, &PlotBounds::from_min_max([0.0, 0.0], [5.0, 5.0]));
        for corner in [[0.0, 2.0], [1.0, 2.0], [2.0, 2.0], [2.0, 4.0], [3.0, 0.0], [5.0, 0.0]] {
            assert!(drawn.contains(&corner), "{corner:?} {drawn:?}");
        }
        assert!(drawn.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
        assert_eq!((allowed("influence", 1.5), allowed("settings/gravity/1", -20.0)), (1.0, -20.0));
    }
}
