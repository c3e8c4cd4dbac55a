//! Stops and routes of a walk as lines and dots on the level.

use egui::{Align2, Color32, Pos2, Rect, Ui};
use glam::{DVec3, Vec3};

use crate::i18n::tr;
use crate::theme;
use crate::viewport::look::{Look, linear};
use crate::viewport::projection::see;
use crate::viewport::subject::metres_per_unit;
use crate::viewport::walk::area::{self, AreaMarks};
use crate::viewport::walk::facing::{self, End, arrows};
use crate::viewport::walk::level::LevelView;
use crate::viewport::walk::{Over, WalkTool, links, walked};
use crate::viewport::{Viewport, readout};
use portamento_render::strokes::ring;
use portamento_render::{Dot, Line, Scene, Solid};
use portamento_session::Session;
use portamento_takes::document::Walk;
use portamento_takes::evaluate::{Frame, Walked};
use portamento_walk::navigation::voxels::{Volume, VolumeShape};

/// View state of a walk in addition to its settings.
#[derive(Clone, Debug)]
pub struct Marks {
    /// The walk's current settings.
    pub walk: Walk,
    /// The item under the pointer.
    pub over: Option<Over>,
    /// The route that is highlighted.
    pub route: Option<u64>,
    /// The stop that is edited.
    pub stop: Option<usize>,
    /// True if a stop is being dragged.
    pub dragging: bool,
    /// The end whose arrow is under the pointer.
    pub facing: Option<End>,
    /// The area brush, while it is active.
    pub area: Option<AreaMarks>,
    /// Display mode of the level.
    pub view: LevelView,
}

/// Height of routes over the ground, metres. Tuned; no derivation recorded.
const LIFT_M: f64 = 0.15;
/// Opacity of routes other than the walked one. Tuned; no derivation recorded.
const OTHER_ROUTES_OPACITY: f32 = 0.6;
/// Radius of a stop, points.
const STOP_RADIUS: f32 = 11.0;
/// Height of the post at start and goal, points.
const POST_HEIGHT: f32 = 34.0;
/// Height of a name tag, and of the bars at the top of the view, points.
const TAG_HEIGHT: f32 = 18.0;
const TOP_BARS_HEIGHT: f32 = 2.0 * (theme::ROW + theme::GAP_MEDIUM);

impl Marks {
    /// Returns the marks of the shown take; `None` if it is no walk.
    pub fn from_session(session: &Session, walking: &WalkTool) -> Option<Self> {
        let walk = session.shown_take()?.walk()?.clone();
        let (over, dragging, facing) = (walking.over(), walking.moves_stop(), walking.facing());
        let area = AreaMarks::from_session(session);
        let (route, stop) = (session.selection.route, session.selection.stop);
        Some(Self { walk, over, route, stop, dragging, facing, area, view: walking.view })
    }
}

/// Adds routes, arrows, areas, stops and the position of the next stop to the scene.
pub fn draw(scene: &mut Scene, frame: &Frame, marks: &Marks, look: &Look) {
    if let Some(walked) = walked(frame).filter(|_| look.overlays.trails) {
        routes(scene, walked, marks, look);
    }
    let edges = walked(frame).filter(|_| marks.view == LevelView::Edges && !marks.dragging);
    if let Some(routes) = edges.and_then(|walked| walked.routes.as_ref()) {
        links::draw(scene, routes, marks.walk.seed, look);
    }
    // While a stop is dragged, routes and arrows are outdated.
    let arrows = walked(frame).filter(|_| !marks.dragging).map(|walked| arrows(&marks.walk, walked));
    for arrow in arrows.unwrap_or_default() {
        facing::draw(scene, &arrow, marks.facing == Some(arrow.end), look);
    }
    if let Some(area) = &marks.area {
        area.draw(scene, look);
    }
    marks.walk.voxels.volumes.iter().for_each(|each| volume(scene, each, look));
    let last = marks.walk.stops.len().saturating_sub(1);
    for (index, &at) in marks.walk.stops.iter().enumerate() {
        let is_end = index == last && index > 0;
        stop(scene, Stop { index, is_end, at }, marks, look);
    }
    if let (Some(Over::Ground(at)), 0 | 1) = (marks.over, marks.walk.stops.len()) {
        let color = linear(theme::over_view().target);
        scene.dots.push(Dot { at: scene_point(at, look), color, size: 9.0 * look.pixels_per_point, on_top: true });
    }
}

/// Converts metres to scene units.
fn scene_point(at: DVec3, look: &Look) -> Vec3 {
    (at / look.metres).as_vec3()
}

/// Adds the routes of all seeds. A warning line connects each stop with the place that the route reaches, if that is more than
/// 0.5 m away.
fn routes(scene: &mut Scene, walked: &Walked, marks: &Marks, look: &Look) {
    let Some(routes) = &walked.routes else { return };
    let tokens = theme::over_view();
    let mut line = |points: &[DVec3], color: Color32, width: f32, on_top: bool| {
        let points: Vec<Vec3> = points.iter().map(|&at| scene_point(at + DVec3::Y * LIFT_M, look)).collect();
        let [r, g, b, _] = linear(color);
        let colors = vec![[r, g, b, if on_top { 1.0 } else { OTHER_ROUTES_OPACITY }]; points.len()];
        scene.lines.push(Line { points, colors, width: width * look.pixels_per_point, on_top });
    };
    for variant in routes.variants() {
        let points = &variant.route.points;
        let chosen = variant.seed == marks.walk.seed;
        match () {
            () if marks.route == Some(variant.seed) => line(points, theme::view().ink, 3.0, true),
            // The walked route is drawn as the path coloured by speed.
            () if chosen && walked.walk.is_some() => {}
            () if chosen => line(points, tokens.accent, 2.5, true),
            () if marks.walk.pin(variant.seed).is_some() => line(points, tokens.target, 2.0, false),
            () => line(points, theme::view().ink, 1.5, false),
        }
    }
    // While a stop is dragged, the routes are outdated.
    let settled = if marks.dragging { &[] } else { &routes.stops[..] };
    let ends = routes.of_seed(marks.walk.seed).and_then(|variant| variant.route.points.last());
    let unreached = ends.zip(settled.last());
    for (&asked, &found) in marks.walk.stops.iter().zip(settled).chain(unreached) {
        if asked.distance(found) > 0.5 {
            line(&[asked, found], tokens.warning, 1.5, true);
        }
    }
}

/// Adds the edges of a volume in the colour of its rule.
fn volume(scene: &mut Scene, volume: &Volume, look: &Look) {
    let (outline, low, high) = match &volume.shape {
        VolumeShape::Box { low, high } => {
            let outline = vec![[low[0], low[2]], [high[0], low[2]], [high[0], high[2]], [low[0], high[2]]];
            (outline, low[1], high[1])
        }
        VolumeShape::Prism { outline, low, high } => (outline.clone(), *low, *high),
        VolumeShape::Painted { strokes } => return area::painted(scene, strokes, volume.effect, look),
    };
    let color = linear(area::ink(volume.effect));
    let width = 1.5 * look.pixels_per_point;
    let mut line = |points: Vec<Vec3>| {
        scene.lines.push(Line { colors: vec![color; points.len()], points, width, on_top: false });
    };
    let at = |[x, z]: [f64; 2], y: f64| scene_point(DVec3::new(x, y, z), look);
    for y in [low, high] {
        line(outline.iter().chain(outline.first()).map(|&corner| at(corner, y)).collect());
    }
    outline.iter().for_each(|&corner| line(vec![at(corner, low), at(corner, high)]));
}

/// A stop to be drawn.
struct Stop {
    index: usize,
    /// True if it is the goal.
    is_end: bool,
    /// Position, metres.
    at: DVec3,
}

/// Adds the ring of a stop. The first has a post with an arrow up, the last one with an arrow down.
fn stop(scene: &mut Scene, Stop { index, is_end, at }: Stop, marks: &Marks, look: &Look) {
    let tokens = theme::over_view();
    let base = if marks.stop == Some(index) { tokens.accent } else { tokens.target };
    let highlighted = marks.over == Some(Over::Stop(index));
    let color = linear(if highlighted { theme::mix(base, theme::view().ink, 0.6) } else { base });
    let at = scene_point(at, look);
    let unit = look.unit_at(at);
    let points = ring(at, unit * STOP_RADIUS);
    let width = 2.5 * look.pixels_per_point;
    scene.lines.push(Line { colors: vec![color; points.len()], points, width, on_top: true });
    scene.dots.push(Dot { at, color, size: 6.0 * look.pixels_per_point, on_top: true });
    if index == 0 || is_end {
        let top = at + Vec3::Y * unit * POST_HEIGHT;
        scene.lines.push(Line { points: vec![at, top], colors: vec![color; 2], width, on_top: true });
        let (base, tip) = if is_end { (top, top - Vec3::Y * unit * 14.0) } else { (top - Vec3::Y * unit * 14.0, top) };
        scene.solids.push(Solid { base, tip, radius: unit * 6.0, color });
    }
}

/// A positioned name tag.
#[derive(Debug, PartialEq)]
struct Tag {
    align: Align2,
    at: Pos2,
    name: String,
}

/// Draws the names of the stops of the shown walk. Names that would overlap share a tag.
pub fn names(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let Some(take) = session.shown_take() else { return };
    let Some(walk) = take.walk() else { return };
    let (painter, metres) = (ui.painter_at(rect), metres_per_unit(session));
    let tag = |(index, &at): (usize, &DVec3)| {
        let seen = see(&viewport.camera, rect, (at / metres).as_vec3())?;
        let is_end = index == 0 || index + 1 == walk.stops.len();
        // Over the post, clear of the arrow on the ground, unless the bars cover that position.
        let tag_pos = seen - egui::vec2(0.0, POST_HEIGHT + 6.0);
        let (align, at) = if is_end && tag_pos.y - TAG_HEIGHT > rect.min.y + TOP_BARS_HEIGHT {
            (Align2::CENTER_BOTTOM, tag_pos)
        } else {
            (Align2::LEFT_CENTER, seen + egui::vec2(STOP_RADIUS + 6.0, -2.0))
        };
        Some(Tag { align, at, name: stop_name(index, walk.stops.len()) })
    };
    for Tag { align, at, name } in merge_overlapping(walk.stops.iter().enumerate().filter_map(tag)) {
        readout::resting(&painter, align, at, name);
    }
}

/// Horizontal distance in points within which two tags are merged. Tuned; no derivation recorded.
const MERGE_MAX_POINTS: f32 = 36.0;

/// Merges tags that would cover each other into one with all their names.
fn merge_overlapping(tags: impl Iterator<Item = Tag>) -> Vec<Tag> {
    let mut all: Vec<Tag> = Vec::new();
    for tag in tags {
        let is_near = |other: &&mut Tag| {
            let between = other.at - tag.at;
            other.align == tag.align && between.x.abs() < MERGE_MAX_POINTS && between.y.abs() < TAG_HEIGHT
        };
        match all.iter_mut().find(is_near) {
            Some(other) => other.name = format!("{} · {}", other.name, tag.name),
            None => all.push(tag),
        }
    }
    all
}

/// Returns the translated name of the stop at `index` of `count`: start, goal, or its index.
pub fn stop_name(index: usize, count: usize) -> String {
    match index {
        0 => tr("walk.start"),
        _ if index + 1 == count => tr("walk.goal"),
        _ => index.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_would_cover_each_other_are_merged() {
        let tag = |x: f32, name: &str| Tag { align: Align2::CENTER_BOTTOM, at: Pos2::new(x, 5.0), name: name.into() };
        let merged = merge_overlapping([tag(100.0, "Start"), tag(200.0, "1"), tag(112.0, "Goal")].into_iter());
        assert_eq!(merged, [tag(100.0, "Start · Goal"), tag(200.0, "1")]);
    }
}
