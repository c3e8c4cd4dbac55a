//! The playhead, what there is over time, and the buttons that move it.

mod cycles;
mod drag_state;
mod events;
mod layout;
mod model;
mod paint;
mod thumbnails;
mod transport;

use egui::{PointerButton, Pos2, Rect, Response, Sense, Ui, Vec2};

pub use layout::View;

use super::i18n::tr;
use super::theme;
use super::widgets;
use crate::session::{Session, Shown};
use drag_state::DragState;
use layout::Lanes;
use model::{Model, Part};

/// Draws transport and lanes and follows the mouse.
pub fn ui(ui: &mut Ui, session: &mut Session, view: &mut View) {
    transport::bar(ui, session);
    let room = ui.available_rect_before_wrap();
    if session.playback.duration <= 0.0 {
        let (title, hint) = match session.failure() {
            Some(failure) => ("timeline.failed", failure.to_owned()),
            None => ("timeline.empty", tr("timeline.empty_hint")),
        };
        return widgets::empty(ui, egui_material_icons::icons::ICON_TIMELINE, &tr(title), &hint);
    }
    let model = Model::of(session);
    let lanes = Lanes::within(room, &model);
    // What is dragged may change the length; the scale stays until it is let go.
    if view.held.is_none() {
        view.follow(&model, lanes.times);
    }
    let response = ui.interact(room, ui.id().with("lanes"), Sense::click_and_drag());
    navigate(ui, &response, view, &lanes);
    drag(ui, &response, session, view, &lanes, &model);
    events::edit(ui, &response, session, view, &lanes, &model);
    paint::lanes(ui, &model, view, &lanes);
    announce(&response, session);
    ui.advance_cursor_after_rect(room);
}

fn announce(response: &Response, session: &Session) {
    let playback = &session.playback;
    let text = format!("{} {} / {}", tr("panel.timeline"), playback.frame(), playback.last_frame());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Slider, true, &text));
}

/// Wheel zooms at the pointer, middle or right drag pans, double-click shows everything.
fn navigate(ui: &Ui, response: &Response, view: &mut View, lanes: &Lanes) {
    if let Some(at) = response.hover_pos() {
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        let factor = f64::from(zoom) * (f64::from(scroll.y) * 0.004).exp();
        if (factor - 1.0).abs() > 1e-6 {
            view.zoom_at(f64::from(at.x), factor, lanes.times);
        }
        if scroll.x != 0.0 {
            view.pan(f64::from(scroll.x));
        }
    }
    if response.dragged_by(PointerButton::Middle) || response.dragged_by(PointerButton::Secondary) {
        view.pan(f64::from(response.drag_delta().x));
    }
    let on_events = response.interact_pointer_pos().is_some_and(|at| lanes.events.contains(at));
    if response.double_clicked() && !on_events {
        view.fit();
    }
}

fn drag(ui: &Ui, response: &Response, session: &mut Session, view: &mut View, lanes: &Lanes, model: &Model) {
    if let Some(held) = view.held.as_mut().filter(|_| ui.input(|input| input.key_pressed(egui::Key::Escape))) {
        held.put_back(session);
    }
    let primary = ui.input(|input| input.pointer.primary_down());
    let at = ui.input(|input| input.pointer.interact_pos());
    let is_held = view.held.is_some() || response.is_pointer_button_down_on();
    let Some(at) = at.filter(|_| is_held && primary) else {
        if let Some(hover) = response.hover_pos() {
            part_at(hover, view, lanes, model).into_iter().for_each(|part| show_cursor(ui, part));
        }
        view.held = None;
        return;
    };
    if view.held.is_none() {
        view.held = Some(DragState::of(part_at(at, view, lanes, model), session));
        session.playback.playing = false;
    }
    let Some(part) = view.held.as_ref().and_then(|held| held.part) else { return };
    show_cursor(ui, part);
    if matches!(part, Part::Loop(_) | Part::LoopEnd) {
        return cycles::move_to(session, model, part, at.x, lanes.times);
    }
    let exact = view.time_at(f64::from(at.x)).clamp(0.0, model.duration);
    let snapped = if ui.input(|input| input.modifiers.command) { exact } else { model.snapped(exact, view) };
    move_part(session, part, snapped, model);
}

/// What lies under the pointer; the playhead where nothing else does, nothing beside the cycles of a loop.
fn part_at(at: Pos2, view: &View, lanes: &Lanes, model: &Model) -> Option<Part> {
    let near = |time: f64| (view.x_of(time) - f64::from(at.x)).abs() < 5.0;
    if lanes.ruler.contains(at)
        && let Some((start, end)) = model.range
        && at.y < lanes.ruler.min.y + 8.0
    {
        if near(start) {
            return Some(Part::RangeStart);
        }
        if near(end) {
            return Some(Part::RangeEnd);
        }
    }
    if lanes.events.contains(at)
        && let Some(part) = events::part_at(at, view, model)
    {
        return Some(part);
    }
    if at.y > lanes.end {
        return model.cycles.filter(|_| lanes.cycles.contains(at)).and_then(|cycles| cycles.part_at(at, lanes.times));
    }
    if lanes.windows.contains(at) {
        for (index, &(start, end)) in model.windows.iter().enumerate() {
            if near(end) {
                return Some(Part::WindowEnd(index));
            }
            if near(start) {
                return Some(Part::WindowStart(index));
            }
        }
    }
    Some(Part::Playhead)
}

fn show_cursor(ui: &Ui, part: Part) {
    if part != Part::Playhead {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
}

fn move_part(session: &mut Session, part: Part, time: f64, model: &Model) {
    let frame = 1.0 / session.playback.fps;
    match part {
        Part::Playhead => session.playback.time = time,
        // Their lane has a scale of its own.
        Part::Loop(_) | Part::LoopEnd => {}
        Part::Event(_) | Part::EventEnd(_) => events::move_to(session, part, time),
        Part::RangeStart => {
            let end = session.playback.bounds().1;
            session.playback.range = Some((time.min(end - frame), end));
        }
        Part::RangeEnd => {
            let start = session.playback.bounds().0;
            session.playback.range = Some((start, time.max(start + frame)));
        }
        Part::WindowStart(index) | Part::WindowEnd(index) => {
            let Shown::Take(id) = session.selection.shown else { return };
            let stretch = session.document.take_mut(id).and_then(|take| take.stretch_mut());
            let Some(window) = stretch.and_then(|stretch| stretch.settings.windows.get_mut(index)) else { return };
            let (low, high) = model.room_of(index);
            match part {
                Part::WindowStart(_) => window.start = time.clamp(low, (window.end - frame).max(low)),
                _ => window.end = time.clamp((window.start + frame).min(high), high),
            }
        }
    }
}

/// A rectangle of `size` with its upper middle at `top`.
fn hanging(top: Pos2, size: Vec2) -> Rect {
    Rect::from_min_size(Pos2::new(top.x - size.x * 0.5, top.y), size)
}

/// Space left of the lanes for their names.
const NAMES: f32 = 88.0;

/// Free space at both ends of the clip, pixels.
const ENDS: f32 = theme::LARGE;
