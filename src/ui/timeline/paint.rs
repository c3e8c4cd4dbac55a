//! Drawing of the lanes.

use egui::{Align2, Color32, Pos2, Rect, Shape, Stroke, Ui, Vec2};

use crate::i18n::tr;
use crate::keys::lane;
use crate::panels::looping::lamp_color;
use crate::theme;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::{TimeScale, ruler_steps, second_steps};
use crate::timeline::thumbnails::Thumbnails;
use crate::timeline::{cycles, event_names, events, feet, knots, stages, windows};
use portamento_session::playback::last_frame;

/// Draws all lanes. `thumbnails` caches the images of a sequence.
pub(super) fn lanes(ui: &Ui, model: &Model, scale: &TimeScale, lanes: &Lanes, thumbnails: &mut Thumbnails) {
    let tokens = theme::of(ui);
    let full_painter = ui.painter_at(lanes.all);
    names(&LaneCanvas { painter: &full_painter, model, scale, lanes, tokens });
    let clip = Rect::from_x_y_ranges(lanes.times, lanes.all.y_range());
    let painter = ui.painter_at(clip);
    let canvas = LaneCanvas { painter: &painter, model, scale, lanes, tokens };
    ground(&canvas);
    ruler(&canvas);
    thumbnails.paint(&canvas);
    stages::paint(&canvas);
    lane::paint(&canvas);
    events::paint(&canvas);
    event_names::paint(&canvas);
    cycles::paint(&canvas);
    keys(&canvas);
    motion(&canvas);
    windows::paint(&canvas);
    knots::paint(&canvas);
    feet::paint(&canvas);
    seams(&canvas);
    playhead(&canvas);
}

/// Returns the screen x of `time`, in seconds.
fn x(scale: &TimeScale, time: f64) -> f32 {
    scale.x_of(time) as f32
}

/// Draws the names of the lanes in view.
fn names(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, lanes, tokens, .. } = canvas;
    let name = |key: &str, lane: Rect| {
        // A lane scrolled out of view has no rectangle.
        if !lane.is_positive() {
            return;
        }
        let middle = if key == "lane.cycles" { lane.max.y - 10.0 } else { lane.center().y };
        let at = Pos2::new(lanes.all.min.x + theme::GAP_MEDIUM, middle);
        canvas.lane_name(at, &tr(key), tokens.dim);
        let y = lane.min.y;
        painter.hline(lanes.all.x_range(), y, Stroke::new(1.0, theme::mix(tokens.panel, tokens.line, 0.5)));
    };
    if model.events.is_some() && model.events_at.is_none() {
        name("lane.events", lanes.events);
    }
    stages::names(canvas);
    lane::names(canvas);
    if model.cycles.is_some() {
        name("lane.cycles", lanes.cycles);
    }
    if lanes.thumbnails.is_positive() && model.cycles.is_none() {
        name("lane.thumbnails", lanes.thumbnails);
    }
    if lanes.keys.is_positive() {
        name("lane.keys", lanes.keys);
    }
    if model.stretched {
        name("lane.motion", lanes.motion);
    }
    if !model.feet.is_empty() {
        name("lane.feet", lanes.feet);
    }
}

/// Darkens the area outside the preview range, or outside the clip if none is set.
fn ground(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let (start, end) = model.range.unwrap_or((0.0, model.duration));
    let dark = theme::mix(tokens.panel, tokens.window, 0.8);
    let left = Rect::from_min_max(lanes.all.min, Pos2::new(x(scale, start), lanes.end));
    let right = Rect::from_min_max(Pos2::new(x(scale, end), lanes.all.min.y), Pos2::new(lanes.all.max.x, lanes.end));
    painter.rect_filled(left, 0.0, dark);
    painter.rect_filled(right, 0.0, dark);
}

/// Draws the ruler in frames or seconds, and the preview range.
fn ruler(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let (major, minor) = if model.in_seconds {
        second_steps(scale.pixels_per_second, model.fps)
    } else {
        ruler_steps(scale.pixels_per_second / model.fps)
    };
    let number = |frame: i64| {
        if model.in_seconds { format!("{} s", frame as f64 / model.fps) } else { frame.to_string() }
    };
    let first = (scale.time_at(f64::from(lanes.times.min)) * model.fps).floor().max(0.0) as i64;
    let last = (scale.time_at(f64::from(lanes.times.max)) * model.fps).ceil() as i64;
    let last = last.min(last_frame(model.duration, model.fps));
    let bottom = lanes.ruler.max.y;
    let mut frame = first - first.rem_euclid(minor);
    while frame <= last {
        let at = x(scale, frame as f64 / model.fps);
        let numbered = frame % major == 0;
        let height = if numbered { 7.0 } else { 4.0 };
        painter.vline(at, bottom - height..=bottom, Stroke::new(1.0, tokens.line));
        let under_tag = (at - x(scale, model.time)).abs() < 26.0;
        if numbered && !under_tag {
            let position = Pos2::new(at, lanes.ruler.min.y + 3.0);
            painter.text(position, Align2::CENTER_TOP, number(frame), theme::caption(), tokens.dim);
        }
        frame += minor;
    }
    if let Some((start, end)) = model.range {
        let bar = scale.rect_of((start, end), Rect::from_min_size(lanes.ruler.min, Vec2::new(1.0, 3.0)));
        painter.rect_filled(bar, 0.0, tokens.target);
        for at in [start, end] {
            let mark = rect_below(Pos2::new(x(scale, at), lanes.ruler.min.y), Vec2::new(6.0, 8.0));
            painter.rect_filled(mark, 2.0, tokens.target);
        }
    }
}

/// Draws the keys in view. Of keys closer than 3 points, only the first is drawn.
fn keys(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let y = lanes.keys.center().y;
    let mut keys = &model.keys[..];
    keys = &keys[keys.partition_point(|&key| x(scale, key) < lanes.times.min)..];
    while let Some(&time) = keys.first().filter(|key| lanes.times.contains(x(scale, **key))) {
        let at = x(scale, time);
        // Denser keys would merge into one bar.
        keys = &keys[keys.partition_point(|&key| x(scale, key) - at < 3.0)..];
        let here = (time - model.time).abs() < 0.25 / model.fps;
        let (size, color) = if here { (4.5, tokens.playhead) } else { (3.0, tokens.dim) };
        painter.add(diamond(Pos2::new(at, y), size, color));
    }
}

/// Returns a filled diamond. `size` is the distance of its corners from the centre, points.
fn diamond(center: Pos2, size: f32, color: Color32) -> Shape {
    let points = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)];
    let points = points.iter().map(|&(x, y)| center + Vec2::new(x, y)).collect();
    Shape::convex_polygon(points, color, Stroke::NONE)
}

/// Draws the spans of a stretched motion: moving, still and reversed. Draws nothing without a stretch.
fn motion(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    if !model.stretched {
        return;
    }
    let lane = lanes.motion.shrink2(Vec2::new(0.0, 6.0));
    let full_rect = scale.rect_of((0.0, model.duration), lane);
    painter.rect_filled(full_rect, 2.0, theme::mix(tokens.panel, tokens.accent, 0.30));
    for &still in &model.still {
        painter.rect_filled(scale.rect_of(still, lane), 0.0, tokens.raised);
    }
    for &back in &model.reversed {
        let rect = scale.rect_of(back, lane);
        painter.rect_filled(rect, 0.0, theme::mix(tokens.panel, tokens.error, 0.6));
        let arrow = "‹";
        painter.text(rect.center(), Align2::CENTER_CENTER, arrow, theme::caption(), tokens.text);
    }
}

/// Draws the loop restarts.
fn seams(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let color = model.cycles.map_or(tokens.line, |cycles| lamp_color(cycles.lamp, tokens));
    for &time in &model.seams {
        painter.vline(x(scale, time), lanes.ruler.min.y + 16.0..=lanes.end, Stroke::new(1.5, color));
    }
}

/// Draws the playhead, with its frame number or seconds on the ruler.
fn playhead(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let at = x(scale, model.time);
    painter.vline(at, lanes.ruler.min.y..=lanes.end, Stroke::new(1.5, tokens.playhead));
    let number = if model.in_seconds {
        format!("{:.2}", model.time)
    } else {
        format!("{}", (model.time * model.fps).round() as i64)
    };
    let ink = if tokens.dark { tokens.window } else { tokens.raised };
    let galley = painter.layout_no_wrap(number, theme::caption(), ink);
    let tag = rect_below(Pos2::new(at, lanes.ruler.min.y + 1.0), galley.size() + Vec2::new(10.0, 2.0));
    painter.rect_filled(tag, 3.0, tokens.playhead);
    painter.galley(tag.center() - galley.size() * 0.5, galley, ink);
}

/// Returns a rectangle of `size` whose top centre is `top`.
fn rect_below(top: Pos2, size: Vec2) -> Rect {
    Rect::from_min_size(Pos2::new(top.x - size.x * 0.5, top.y), size)
}
