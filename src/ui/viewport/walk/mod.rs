//! Walks: clicks on the level set start and goal, drags move them, clicks on routes choose a seed.

pub mod area;
pub mod facing;
pub mod level;
pub mod level_view;
pub mod scene;

use egui::{Key, PointerButton, Pos2, Rect, Response, Ui, Vec2};
use glam::DVec3;

use crate::document::{TakeId, Walk};
use crate::evaluate::{Frame, LevelGround, Walked};
use crate::render::Camera;
use crate::session::{Session, Shown};
use crate::systems::pathing::Blade;
use crate::ui::i18n::tr;
use crate::ui::viewport::drag::typed::Typed;
use crate::ui::viewport::walk::area::AreaPaint;
use crate::ui::viewport::walk::facing::{Arrow, End, Turning, arrows, under};
use crate::ui::viewport::walk::level::LevelView;
use crate::ui::viewport::{Viewport, cursor, metres, readout, see, size};
use crate::ui::widgets::number::Unit;

/// What the pointer does with a walk.
#[derive(Debug, Default)]
pub struct Walking {
    /// What is seen of the level.
    pub view: LevelView,
    over: Option<Over>,
    drag: Option<Drag>,
    turning: Option<Turning>,
    area: AreaPaint,
    pointer: Pos2,
}

/// What is under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Over {
    /// A stop, by its number.
    Stop(usize),
    /// The head of an arrow.
    Facing(Arrow),
    /// A route, by its seed.
    Route(u64),
    /// The level; metres.
    Ground(DVec3),
}

/// A stop that is being moved; metres.
#[derive(Clone, Debug)]
struct Drag {
    stop: usize,
    from: DVec3,
    grip: Vec2,
    typed: Typed,
    axis: usize,
}

/// How near the pointer must be to a stop and to a route, points.
const NEAR: (f32, f32) = (14.0, 7.0);
/// Metres between the places that Ctrl snaps to.
const SNAP: f64 = 0.5;

impl Walking {
    /// Whether a stop is being moved or an arrow turned.
    pub fn is_dragging(&self) -> bool {
        self.moves_stop() || self.turning.is_some() || self.area.is_busy()
    }

    /// The brush on the level.
    pub fn area(&self) -> &AreaPaint {
        &self.area
    }

    /// Whether a stop is being moved.
    pub fn moves_stop(&self) -> bool {
        self.drag.is_some()
    }

    /// The end whose arrow is under the pointer or being turned.
    pub fn facing(&self) -> Option<End> {
        let over = if let Some(Over::Facing(arrow)) = self.over { Some(arrow.end) } else { None };
        self.turning.as_ref().map(Turning::end).or(over)
    }

    /// What is under the pointer.
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    /// What the mouse does now; `None` where no walk is shown.
    pub fn hint(&self, session: &Session) -> Option<&'static str> {
        let take = session.shown_take()?;
        Some(match (take.walk()?.stops.len(), self.over) {
            _ if self.drag.is_some() => "hint.walk_drag",
            _ if session.selection.area.on => "hint.walk_area",
            (0, _) => "hint.walk_start",
            (1, _) => "hint.walk_goal",
            (_, Some(Over::Stop(_))) => "hint.walk_stop",
            (_, Some(Over::Facing(_))) => "hint.walk_facing",
            (_, Some(Over::Route(_))) => "hint.walk_route",
            _ => "hint.walk",
        })
    }

    /// Words beside the pointer: what a click does while stops are missing, where a dragged stop is.
    pub fn readout(&self, ui: &Ui, session: &Session) {
        let Some(take) = session.shown_take() else { return };
        let Some(walk) = take.walk() else { return };
        let turned = self.turning.as_ref().map(Turning::words);
        let words = match (&self.drag, self.over, walk.stops.len()) {
            _ if turned.is_some() => turned,
            (Some(drag), ..) => walk.stops.get(drag.stop).map(|at| drag.words(*at)),
            (None, Some(Over::Ground(_)), 0) => Some(tr("walk.click_start")),
            (None, Some(Over::Ground(_)), 1) => Some(tr("walk.click_goal")),
            (None, Some(Over::Route(seed)), _) => session.frame().and_then(walked).and_then(|walked| {
                let blade = walked.ways.as_ref()?.of_seed(seed)?;
                Some(route_words(walk, blade))
            }),
            _ => None,
        };
        let Some(words) = words else { return };
        readout::beside(ui.painter(), self.pointer, words);
    }
}

fn route_words(walk: &Walk, blade: &Blade) -> String {
    let (seconds, extra) = (blade.route.seconds, blade.extra * 100.0);
    format!("{}   {seconds:.1} s   {extra:+.0} %", walk.route_name(blade.seed))
}

/// The walk of `frame`, as far as it is built.
pub fn walked(frame: &Frame) -> Option<&Walked> {
    frame.built.as_ref()?.walked.as_deref()
}

/// Follows the mouse; answers whether the walk holds it.
pub fn follow(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let shown = session.frame().and_then(walked).cloned();
    let Some((walked, id, walk)) = shown.and_then(|walked| {
        let Shown::Take(id) = session.selection.shown else { return None };
        Some((walked, id, session.document.take(id)?.walk()?.clone()))
    }) else {
        viewport.walk = Walking { view: viewport.walk.view, ..Walking::default() };
        return false;
    };
    let view = View { camera: &viewport.camera, rect, metres: metres(session), ground: &walked.ground };
    let pointer = ui.input(|input| input.pointer.interact_pos());
    viewport.walk.pointer = pointer.unwrap_or(viewport.walk.pointer);
    if let Some(drag) = viewport.walk.drag.take() {
        viewport.walk.drag = drag.step(ui, &view, viewport.walk.pointer, session, id);
        return true;
    }
    if let Some(turning) = viewport.walk.turning.take() {
        viewport.walk.turning = turning.step(ui, &viewport.camera, rect, session, id);
        return true;
    }
    if session.selection.area.on {
        viewport.walk.over = None;
        let seen = (&viewport.camera, rect, metres(session));
        return viewport.walk.area.follow(ui, response, seen, session, &walked.ground);
    }
    let at = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on());
    viewport.walk.over = at.and_then(|at| view.over(&walked, &walk, at, viewport.overlays.trails));
    let over = viewport.walk.over;
    session.selection.route = if let Some(Over::Route(seed)) = over { Some(seed) } else { None };
    let pressed = ui.input(|input| input.pointer.button_pressed(PointerButton::Primary));
    let pressed = pressed && response.is_pointer_button_down_on();
    if let (Some(Over::Facing(arrow)), true) = (over, pressed) {
        let walk = session.document.take_mut(id).and_then(|take| take.walk_mut());
        viewport.walk.turning = walk.map(|walk| Turning::new(arrow, walk));
        return true;
    }
    if let (Some(Over::Stop(stop)), Some(at), true) = (over, at, pressed) {
        let from = walk.stops[stop];
        let grip = view.see(from).map_or(Vec2::ZERO, |seen| at - seen);
        session.selection.stop = Some(stop);
        viewport.walk.drag = Some(Drag { stop, from, grip, typed: Typed::default(), axis: 0 });
        return true;
    }
    show_cursor(ui, over, walk.stops.len());
    if response.hovered() {
        remove_selected(ui, session, id);
    }
    response.clicked() && click(ui, session, id, (over, viewport.walk.view))
}

fn show_cursor(ui: &Ui, over: Option<Over>, stops: usize) {
    match over {
        Some(Over::Stop(_) | Over::Facing(_)) => ui.set_cursor_icon(egui::CursorIcon::Grab),
        Some(Over::Route(_)) => ui.set_cursor_icon(egui::CursorIcon::PointingHand),
        Some(Over::Ground(_)) if stops < 2 => ui.set_cursor_icon(egui::CursorIcon::Crosshair),
        _ => {}
    }
}

/// Carries out a click; answers whether it meant the walk.
fn click(ui: &Ui, session: &mut Session, id: TakeId, (over, view): (Option<Over>, LevelView)) -> bool {
    let modifiers = ui.input(|input| input.modifiers);
    let Some(walk) = session.document.take_mut(id).and_then(|take| take.walk_mut()) else { return false };
    match over {
        Some(Over::Ground(at)) if walk.stops.len() < 2 => {
            walk.stops.push(at);
            session.selection.stop = Some(walk.stops.len() - 1);
        }
        Some(Over::Ground(at)) if modifiers.shift || modifiers.alt => session.selection.stop = Some(pass(walk, at)),
        Some(Over::Route(seed)) => walk.seed = seed,
        Some(Over::Ground(at)) if view != LevelView::Solid => session.ask_ground(at),
        _ => {
            session.selection.stop = None;
            return false;
        }
    }
    true
}

/// Adds a place to pass where it makes the way least longer; answers its number.
fn pass(walk: &mut Walk, at: DVec3) -> usize {
    let detour = |ends: &[DVec3]| ends[0].distance(at) + at.distance(ends[1]) - ends[0].distance(ends[1]);
    let pairs = walk.stops.windows(2).enumerate();
    let best = pairs.min_by(|a, b| detour(a.1).total_cmp(&detour(b.1))).map_or(0, |(index, _)| index);
    walk.stops.insert(best + 1, at);
    best + 1
}

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

/// How the level is seen.
struct View<'a> {
    camera: &'a Camera,
    rect: Rect,
    metres: f64,
    ground: &'a LevelGround,
}

impl View<'_> {
    fn see(&self, place: DVec3) -> Option<Pos2> {
        see(self.camera, self.rect, (place / self.metres).as_vec3())
    }

    /// The place of the level under a point of the screen.
    fn hit(&self, at: Pos2) -> Option<DVec3> {
        let ray = self.camera.ray(cursor(self.rect, at), size(self.rect));
        self.ground.hit(ray.origin.as_dvec3() * self.metres, ray.direction.as_dvec3())
    }

    fn over(&self, walked: &Walked, walk: &Walk, at: Pos2, routes: bool) -> Option<Over> {
        let away = |place: DVec3| self.see(place).map_or(f32::MAX, |seen| seen.distance(at));
        let stops = walk.stops.iter().enumerate().map(|(index, place)| (index, away(*place)));
        let stop = stops.filter(|(_, away)| *away <= NEAR.0).min_by(|a, b| a.1.total_cmp(&b.1));
        let ways = walked.ways.as_ref().filter(|_| routes);
        let route = || {
            let blades = ways.iter().flat_map(|ways| ways.blades());
            let near = blades.map(|blade| (blade.seed, self.off(&blade.route.points, at)));
            // Where routes run together the one that is walked is meant.
            let (own, others): (Vec<_>, Vec<_>) = near.partition(|(seed, _)| *seed == walk.seed);
            let reach = own.first().map_or(NEAR.1, |(_, off)| NEAR.1.min(off - 1.0));
            others.into_iter().filter(|(_, off)| *off <= reach).min_by(|a, b| a.1.total_cmp(&b.1))
        };
        let arrow = || under(&arrows(walk, walked), self.camera, self.rect, self.metres, at).map(Over::Facing);
        stop.map(|(index, _)| Over::Stop(index))
            .or_else(arrow)
            .or_else(|| route().map(|(seed, _)| Over::Route(seed)))
            .or_else(|| self.hit(at).map(Over::Ground))
    }

    /// How far a point of the screen is from a line in the level.
    fn off(&self, points: &[DVec3], at: Pos2) -> f32 {
        let seen: Vec<Option<Pos2>> = points.iter().map(|point| self.see(*point)).collect();
        let piece = |ends: &[Option<Pos2>]| {
            let (a, b) = (ends[0]?, ends[1]?);
            let way = b - a;
            let share = ((at - a).dot(way) / way.length_sq().max(1e-6)).clamp(0.0, 1.0);
            Some((a + way * share).distance(at))
        };
        seen.windows(2).filter_map(piece).fold(f32::MAX, f32::min)
    }

    /// The ground below or a little above a place, or the place itself.
    fn dropped(&self, place: DVec3) -> DVec3 {
        self.ground.hit(place + DVec3::Y, DVec3::NEG_Y).unwrap_or(place)
    }
}

impl Drag {
    /// One frame of the drag; `None` when it is over.
    fn step(mut self, ui: &Ui, view: &View<'_>, pointer: Pos2, session: &mut Session, id: TakeId) -> Option<Self> {
        let stop = session.document.take_mut(id)?.walk_mut()?.stops.get_mut(self.stop)?;
        if ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed()) {
            *stop = self.from;
            return None;
        }
        ui.set_cursor_icon(egui::CursorIcon::Grabbing);
        if let Some(&axis) = self.typed.take(ui).iter().rfind(|axis| **axis != 1) {
            self.axis = axis;
            self.typed.clear();
        }
        let moved = ui.input(|input| input.pointer.is_moving() || input.pointer.is_decidedly_dragging());
        if let Some(value) = self.typed.value(Unit::Metres) {
            let mut at = self.from;
            at[self.axis] = value;
            *stop = view.dropped(at);
        } else if let Some(at) = view.hit(pointer - self.grip).filter(|_| moved) {
            let snapped = (at / SNAP).round() * SNAP;
            let snaps = ui.input(|input| input.modifiers.command);
            *stop = if snaps { view.dropped(DVec3::new(snapped.x, at.y, snapped.z)) } else { at };
        }
        ui.input(|input| input.pointer.primary_down()).then_some(self)
    }

    fn words(&self, at: DVec3) -> String {
        let axis = if self.axis == 0 { "X" } else { "Z" };
        let typed = self.typed.shown();
        let typed = if typed.is_empty() { typed } else { format!("   {axis}{typed}") };
        format!("X {:.2}   Y {:.2}   Z {:.2} m   Δ {:.2} m{typed}", at.x, at.y, at.z, at.distance(self.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_to_pass_goes_where_it_makes_the_way_least_longer() {
        let at = |x: f64| DVec3::new(x, 0.0, 0.0);
        let mut walk = Walk { stops: vec![at(0.0), at(10.0), at(10.0) + DVec3::Z * 10.0], ..Walk::default() };
        assert_eq!(pass(&mut walk, at(4.0)), 1);
        assert_eq!(pass(&mut walk, at(11.0) + DVec3::Z * 5.0), 3);
        assert_eq!(walk.stops.len(), 5);
    }
}
