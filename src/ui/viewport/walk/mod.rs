//! Walk tool: clicks on the level set start and goal, drags move them, clicks on routes choose a seed.

pub mod area;
mod edges;
pub mod facing;
pub(super) mod ground_view;
pub mod level;
mod level_shape;
pub mod level_view;
mod links;
pub mod scene;
mod stop_drag;

use egui::{Key, Pos2, Rect, Response, Ui};
use glam::DVec3;

use crate::drag::{Drag, DragEnd, DragInput, DragState, Typed};
use crate::i18n::tr;
use crate::panels::walk::route_word;
use crate::units::Unit;
use crate::viewport::subject::metres_per_unit;
use crate::viewport::walk::area::AreaPaint;
use crate::viewport::walk::facing::{Arrow, End, FacingDrag, arrow_under, arrows};
use crate::viewport::walk::ground_view::GroundView;
use crate::viewport::walk::level::LevelView;
use crate::viewport::walk::stop_drag::StopDrag;
use crate::viewport::{Viewport, readout};
use crate::widgets::number::signed_percent;
use portamento_base::message::message;
use portamento_session::painting::PaintTarget;
use portamento_session::{Session, Severity, Shown};
use portamento_takes::document::{TakeId, Walk};
use portamento_takes::evaluate::{Frame, Walked};
use portamento_walk::navigation::RouteVariant;

/// Pointer state of a walk.
#[derive(Debug, Default)]
pub(super) struct WalkTool {
    /// Display mode of the level.
    pub view: LevelView,
    over: Option<Over>,
    drag: DragState<WalkDrag>,
    area: AreaPaint,
    /// The last pointer position.
    pointer: Pos2,
}

/// The item under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Over {
    /// A stop, by index.
    Stop(usize),
    /// The tip of a facing arrow.
    Facing(Arrow),
    /// A route, by seed.
    Route(u64),
    /// A position on the level, metres.
    Ground(DVec3),
}

/// The dragged part of a walk.
#[derive(Clone, Debug)]
enum WalkDrag {
    Stop(StopDrag),
    Facing(FacingDrag),
}

/// Grab distance of stops and of routes, points. Tuned; no derivation recorded.
const GRAB_MAX_POINTS: (f32, f32) = (14.0, 7.0);
impl WalkTool {
    /// True if a stop or arrow is being dragged or the brush is in use.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_dragging() || self.area.is_busy()
    }

    /// True if a stop is being dragged.
    pub(super) fn moves_stop(&self) -> bool {
        matches!(self.drag.active().map(|drag| &drag.subject), Some(WalkDrag::Stop(_)))
    }

    /// Returns the end whose arrow is hovered or dragged.
    pub fn facing(&self) -> Option<End> {
        match (self.drag.active().map(|drag| &drag.subject), self.over) {
            (Some(WalkDrag::Facing(facing)), _) => Some(facing.end()),
            (None, Some(Over::Facing(arrow))) => Some(arrow.end),
            _ => None,
        }
    }

    /// Returns the item that was under the pointer in the last frame; `None` if there was none.
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    /// Returns the locale key of the current mouse hint, or `None` if no walk is shown.
    pub fn hint(&self, session: &Session) -> Option<&'static str> {
        let take = session.shown_take()?;
        Some(match (take.walk()?.stops.len(), self.over) {
            _ if self.drag.is_dragging() => "hint.walk_drag",
            _ if session.selection.painting.is_on(PaintTarget::Ground) => "hint.walk_area",
            (0, _) => "hint.walk_start",
            (1, _) => "hint.walk_goal",
            (_, Some(Over::Stop(_))) => "hint.walk_stop",
            (_, Some(Over::Facing(_))) => "hint.walk_facing",
            (_, Some(Over::Route(_))) => "hint.walk_route",
            _ => "hint.walk",
        })
    }

    /// Draws text next to the pointer: the effect of a click while stops are missing, a hovered route, or the values of a drag.
    pub fn readout(&self, ui: &Ui, session: &Session) {
        let Some(take) = session.shown_take() else { return };
        let Some(walk) = take.walk() else { return };
        let words = match (self.drag.active(), self.over, walk.stops.len()) {
            (Some(drag), ..) => drag.subject.readout(walk, &drag.input.typed),
            (None, Some(Over::Ground(_)), 0) => Some(tr("walk.click_start")),
            (None, Some(Over::Ground(_)), 1) => Some(tr("walk.click_goal")),
            (None, Some(Over::Route(seed)), _) => session.frame().and_then(walked).and_then(|walked| {
                let variant = walked.routes.as_ref()?.of_seed(seed)?;
                Some(route_words(walk, variant))
            }),
            (None, Some(Over::Ground(at)), _) if self.view == LevelView::Edges => {
                session.frame().and_then(walked).and_then(|walked| edge_and_link_words(walked, at))
            }
            _ => None,
        };
        let Some(words) = words else { return };
        readout::at_pointer(ui.painter(), self.pointer, words);
    }
}

/// Returns the words about the edge and the link near a point on the level, metres; `None` without either.
fn edge_and_link_words(walked: &Walked, at: DVec3) -> Option<String> {
    let link = walked.routes.as_ref().and_then(|routes| links::words(routes, at));
    let words: Vec<String> = [edges::words(&walked.ground, at), link].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

/// Returns name, duration and extra length of a route.
fn route_words(walk: &Walk, variant: &RouteVariant) -> String {
    let (seconds, extra) = (variant.route.seconds, signed_percent(variant.extra));
    [route_word(walk, variant.seed), Unit::Seconds.text(seconds, 1), extra].join("   ")
}

/// Returns the evaluated walk of `frame`. `None` if the frame is not built or its take is no walk.
pub fn walked(frame: &Frame) -> Option<&Walked> {
    frame.built.as_ref()?.walked.as_deref()
}

/// Handles the mouse and Delete. Returns true if the walk uses the pointer. A hovered route is highlighted in the inspector too.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let shown = session.frame().and_then(walked).cloned();
    let Some((walked, id, walk)) = shown.and_then(|walked| {
        let Shown::Take(id) = session.selection.shown else { return None };
        Some((walked, id, session.document.take(id)?.walk()?.clone()))
    }) else {
        viewport.walk = WalkTool { view: viewport.walk.view, ..WalkTool::default() };
        return false;
    };
    let camera = viewport.camera;
    let view = GroundView { camera: &camera, rect, metres: metres_per_unit(session), ground: &walked.ground };
    let (has_routes, tool) = (viewport.overlays.trails, &mut viewport.walk);
    let pointer = ui.input(|input| input.pointer.interact_pos());
    tool.pointer = pointer.unwrap_or(tool.pointer);
    if session.selection.painting.is_on(PaintTarget::Ground) {
        tool.over = None;
        return tool.area.pointer_input(ui, response, area::View { camera: &camera, rect }, session);
    }
    let over = |at| under_pointer(&view, &walked, &walk, at, has_routes);
    let begin = |at| match over(at)? {
        Over::Stop(stop) => StopDrag::new(stop, &walk, &view, at).map(WalkDrag::Stop),
        Over::Facing(arrow) => Some(WalkDrag::Facing(FacingDrag::new(arrow, &walk))),
        Over::Route(_) | Over::Ground(_) => None,
    };
    let ended = tool.drag.update(ui, response, begin);
    let changes = ended.is_some() || tool.drag.active().is_some();
    if let Some(walk) = session.document.take_mut(id).filter(|_| changes).and_then(|take| take.walk_mut()) {
        if let Some(DragEnd::Cancelled(drag)) = ended {
            drag.restore(walk);
        }
        if let Some(drag) = tool.drag.active_mut() {
            ui.set_cursor_icon(egui::CursorIcon::Grabbing);
            drag.subject.step(&drag.input, &view, walk);
        }
    }
    if let Some(Drag { subject: WalkDrag::Stop(drag), .. }) = tool.drag.active() {
        session.selection.stop = Some(drag.stop());
    }
    if tool.drag.is_dragging() {
        return true;
    }
    tool.over = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on()).and_then(over);
    let (over, view) = (tool.over, tool.view);
    session.selection.route = if let Some(Over::Route(seed)) = over { Some(seed) } else { None };
    show_cursor(ui, over, walk.stops.len());
    if response.hovered() {
        remove_selected(ui, session, id);
    }
    response.clicked() && click(ui, session, id, &Clicked { over, view })
}

/// Sets the mouse cursor over a stop, a route or the ground, where it is a cross until there are two `stops`.
fn show_cursor(ui: &Ui, over: Option<Over>, stops: usize) {
    match over {
        Some(Over::Stop(_) | Over::Facing(_)) => ui.set_cursor_icon(egui::CursorIcon::Grab),
        Some(Over::Route(_)) => ui.set_cursor_icon(egui::CursorIcon::PointingHand),
        Some(Over::Ground(_)) if stops < 2 => ui.set_cursor_icon(egui::CursorIcon::Crosshair),
        _ => {}
    }
}

/// The item under a click and the display mode.
struct Clicked {
    over: Option<Over>,
    view: LevelView,
}

/// Performs a click on the walk of take `id`: adds a stop, chooses a route, asks about a ground position, or deselects the stop.
/// Returns true unless it only deselects.
fn click(ui: &Ui, session: &mut Session, id: TakeId, &Clicked { over, view }: &Clicked) -> bool {
    let modifiers = ui.input(|input| input.modifiers);
    let Some(walk) = session.document.take_mut(id).and_then(|take| take.walk_mut()) else { return false };
    match over {
        Some(Over::Ground(at)) if walk.stops.len() < 2 => {
            walk.stops.push(at);
            session.selection.stop = Some(walk.stops.len() - 1);
        }
        Some(Over::Ground(at)) if modifiers.shift || modifiers.alt => {
            session.selection.stop = Some(insert_stop(walk, at))
        }
        Some(Over::Route(seed)) => walk.seed = seed,
        Some(Over::Ground(at)) if view != LevelView::Solid => {
            session.asked_ground.ask(at, session.evaluation.frame(), &mut session.jobs)
        }
        over => {
            let adds_stop = walk.stops.len() < 2 || view != LevelView::Solid;
            session.selection.stop = None;
            if over.is_none() && adds_stop {
                let message =
                    message!("notice.off_level", "There is no level under the pointer. Click the ground of the level.");
                session.notices.add(Severity::Info, message);
            }
            return false;
        }
    }
    true
}

/// Inserts a stop at `at` (metres) where it lengthens the path least, and never before the start. Returns its index.
fn insert_stop(walk: &mut Walk, at: DVec3) -> usize {
    let longer_by = |ends: &[DVec3]| ends[0].distance(at) + at.distance(ends[1]) - ends[0].distance(ends[1]);
    let pairs = walk.stops.windows(2).enumerate();
    let best = pairs.min_by(|a, b| longer_by(a.1).total_cmp(&longer_by(b.1))).map_or(0, |(index, _)| index);
    walk.stops.insert(best + 1, at);
    best + 1
}

/// Removes the selected stop when Delete or Backspace is pressed.
fn remove_selected(ui: &Ui, session: &mut Session, id: TakeId) {
    let Some(stop) = session.selection.stop else { return };
    let typing = ui.ctx().text_edit_focused();
    if typing || !ui.input(|input| input.key_pressed(Key::Delete) || input.key_pressed(Key::Backspace)) {
        return;
    }
    session.selection.stop = None;
    if let Some(walk) = session.document.take_mut(id).and_then(|take| take.walk_mut())
        && stop < walk.stops.len()
    {
        walk.stops.remove(stop);
    }
}

/// Returns the item under the screen position `at`: a stop, an arrow, a route, or the ground. `routes` is false if routes are
/// hidden. `None` outside the level.
fn under_pointer(view: &GroundView, walked: &Walked, walk: &Walk, at: Pos2, routes: bool) -> Option<Over> {
    let screen_distance = |position: DVec3| view.see(position).map_or(f32::MAX, |seen| seen.distance(at));
    let stops = walk.stops.iter().enumerate().map(|(index, position)| (index, screen_distance(*position)));
    let stop =
        stops.filter(|(_, screen_distance)| *screen_distance <= GRAB_MAX_POINTS.0).min_by(|a, b| a.1.total_cmp(&b.1));
    let routes = walked.routes.as_ref().filter(|_| routes);
    let route = || {
        let variants = routes.iter().flat_map(|routes| routes.variants());
        let near = variants.map(|variant| (variant.seed, view.distance_to(&variant.route.points, at)));
        // The walked route has priority where routes overlap.
        let (own, others): (Vec<_>, Vec<_>) = near.partition(|(seed, _)| *seed == walk.seed);
        let reach = own.first().map_or(GRAB_MAX_POINTS.1, |(_, off)| GRAB_MAX_POINTS.1.min(off - 1.0));
        others.into_iter().filter(|(_, off)| *off <= reach).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let arrow = || arrow_under(&arrows(walk, walked), view, at).map(Over::Facing);
    stop.map(|(index, _)| Over::Stop(index))
        .or_else(arrow)
        .or_else(|| route().map(|(seed, _)| Over::Route(seed)))
        .or_else(|| view.hit(at).map(Over::Ground))
}

impl WalkDrag {
    /// Applies the drag's movement of this frame to `walk`.
    fn step(&mut self, input: &DragInput, view: &GroundView, walk: &mut Walk) {
        match self {
            Self::Stop(drag) => drag.step(input, view, walk),
            Self::Facing(drag) => drag.step(input, view, walk),
        }
    }

    /// Restores in `walk` the value before the drag.
    fn restore(self, walk: &mut Walk) {
        match self {
            Self::Stop(drag) => drag.restore(walk),
            Self::Facing(drag) => drag.restore(walk),
        }
    }

    /// Returns the text next to the pointer: the current value and the typed text.
    fn readout(&self, walk: &Walk, typed: &Typed) -> Option<String> {
        match self {
            Self::Stop(drag) => drag.readout(walk, typed),
            Self::Facing(drag) => Some(drag.readout(typed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_inserted_where_it_lengthens_the_path_least() {
        let at = |x: f64| DVec3::new(x, 0.0, 0.0);
        let mut walk = Walk { stops: vec![at(0.0), at(10.0), at(10.0) + DVec3::Z * 10.0], ..Walk::default() };
        assert_eq!(insert_stop(&mut walk, at(4.0)), 1);
        assert_eq!(insert_stop(&mut walk, at(11.0) + DVec3::Z * 5.0), 3);
        assert_eq!(walk.stops.len(), 5);
    }
}
