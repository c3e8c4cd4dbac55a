//! Where a walking character looks at its start and goal: an arrow at each, whose head can be dragged.

use egui::Pos2;
use glam::{DVec3, Vec3};

use crate::drag::{DragInput, Typed};
use crate::i18n::tr;
use crate::theme;
use crate::viewport::look::{Look, linear};
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::walk::ground_view::GroundView;
use crate::widgets::number::Unit;
use portamento_render::{Camera, Line, Scene, Solid, pick};
use portamento_takes::document::Walk;
use portamento_takes::evaluate::Walked;

/// Which end of the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Before the character sets off.
    Start,
    /// When it has arrived.
    Goal,
}

/// An arrow on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Which end it is for.
    pub end: End,
    /// Where the character stands, metres.
    pub at: DVec3,
    /// Where it looks, degrees about +Y from +Z towards +X.
    pub degrees: f64,
    /// Whether that was chosen, and is not just along the way.
    pub is_set: bool,
}

/// An arrow while it is turned.
#[derive(Clone, Debug)]
pub(super) struct FacingDrag {
    arrow: Arrow,
    before: Option<f64>,
}

/// From the character to the tip, and how near the pointer must be to that, points.
const REACH: (f32, f32) = (52.0, 12.0);
/// Degrees between the directions that Ctrl snaps to.
const SNAP: f64 = 15.0;

impl End {
    fn chosen(self, walk: &Walk) -> Option<f64> {
        match self {
            Self::Start => walk.settings.start_facing,
            Self::Goal => walk.settings.goal_facing,
        }
    }

    fn chosen_mut(self, walk: &mut Walk) -> &mut Option<f64> {
        match self {
            Self::Start => &mut walk.settings.start_facing,
            Self::Goal => &mut walk.settings.goal_facing,
        }
    }
}

/// The arrows of the walked route; none where there is none.
pub fn arrows(walk: &Walk, walked: &Walked) -> Vec<Arrow> {
    let route = walked.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed));
    let points = route.map(|variant| &variant.route.points[..]).unwrap_or_default();
    let ([first, second, ..], [.., before, last]) = (points, points) else { return Vec::new() };
    let settings = &walk.settings;
    if settings.laps > 0 {
        return Vec::new();
    }
    let arrow = |end, at: DVec3, way: DVec3, chosen: Option<f64>| Arrow {
        end,
        at,
        degrees: chosen.unwrap_or_else(|| way.x.atan2(way.z).to_degrees()),
        is_set: chosen.is_some(),
    };
    vec![
        arrow(End::Start, *first, *second - *first, settings.start_facing),
        arrow(End::Goal, *last, *last - *before, settings.goal_facing),
    ]
}

impl Arrow {
    /// Foot and tip for `camera`, in the file's unit of `metres` metres, on a picture of that height in points.
    fn ends(&self, camera: &Camera, height: f32, metres: f64) -> [Vec3; 2] {
        let at = (self.at / metres).as_vec3();
        let unit = camera.units_per_pixel(height) * pick::depth_factor(camera, at);
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        [at, at + Vec3::new(sin as f32, 0.0, cos as f32) * unit * REACH.0]
    }
}

/// The arrow whose head is under a point of the screen.
pub fn under(arrows: &[Arrow], view: &GroundView, at: Pos2) -> Option<Arrow> {
    let away = |arrow: &Arrow| {
        let [_, tip] = arrow.ends(view.camera, view.rect.height(), view.metres);
        see(view.camera, view.rect, tip).map_or(f32::MAX, |seen| seen.distance(at))
    };
    let near = arrows.iter().filter(|arrow| away(arrow) <= REACH.1);
    near.min_by(|a, b| away(a).total_cmp(&away(b))).copied()
}

/// Draws `arrow`, brighter where it is under the pointer, fainter where nobody chose it.
pub fn draw(scene: &mut Scene, arrow: &Arrow, is_over: bool, look: &Look) {
    let target = theme::over_view().target;
    let color = match (is_over, arrow.is_set) {
        (true, _) => theme::mix(target, theme::view().ink, 0.6),
        (false, true) => target,
        (false, false) => theme::mix(theme::view().sky, target, 0.6),
    };
    let (color, [foot, tip]) = (linear(color), arrow.ends(&look.camera, look.size.y, look.metres));
    let base = tip + (foot - tip) * 0.3;
    let width = 2.0 * look.pixels_per_point;
    scene.lines.push(Line { points: vec![foot, base], colors: vec![color; 2], width, on_top: true });
    scene.solids.push(Solid { base, tip, radius: (tip - base).length() * 0.4, color });
}

impl FacingDrag {
    /// Takes hold of `arrow` of `walk`.
    pub fn new(arrow: Arrow, walk: &Walk) -> Self {
        Self { arrow, before: arrow.end.chosen(walk) }
    }

    /// Which end is turned.
    pub fn end(&self) -> End {
        self.arrow.end
    }

    /// The character looks again where it did before.
    pub fn put_back(self, walk: &mut Walk) {
        *self.arrow.end.chosen_mut(walk) = self.before;
    }

    /// One frame of the drag.
    pub fn step(&mut self, input: &DragInput, view: &GroundView, walk: &mut Walk) {
        let chosen = self.arrow.end.chosen_mut(walk);
        let pointed = Some(input.pointer()).filter(|_| input.has_moved()).and_then(|at| pointed(&self.arrow, view, at));
        let snapped =
            pointed.map(|degrees| if input.snaps() { (degrees / SNAP).round() * SNAP } else { degrees.round() });
        let typed = input.typed.value(Unit::Degrees).map(|degrees| degrees.clamp(-360.0, 360.0));
        *chosen = typed.or(snapped).or(*chosen);
        self.arrow.degrees = chosen.unwrap_or(self.arrow.degrees);
    }

    /// Where it points and what was typed, to stand beside the pointer.
    pub fn readout(&self, typed: &Typed) -> String {
        let key = if self.arrow.end == End::Start { "form.walk_start_facing" } else { "form.walk_goal_facing" };
        format!("{}   {}{}", tr(key), Unit::Degrees.text(self.arrow.degrees, 0), typed.shown())
    }
}

/// The direction from the foot of `arrow` to the pointer on level ground, degrees.
fn pointed(arrow: &Arrow, view: &GroundView, at: Pos2) -> Option<f64> {
    let ray = view.camera.ray(cursor(view.rect, at), size(view.rect));
    let foot = arrow.at / view.metres;
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let far = (foot.y - origin.y) / direction.y;
    let way = origin + direction * far - foot;
    (far.is_finite() && far > 0.0 && way.x.hypot(way.z) > 0.0).then(|| way.x.atan2(way.z).to_degrees())
}
