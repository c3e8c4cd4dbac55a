//! Facing arrows at the start and goal of a walk; their heads can be dragged.

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

/// An end of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The start.
    Start,
    /// The goal.
    Goal,
}

/// A facing arrow on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The end it belongs to.
    pub end: End,
    /// The character's position, metres.
    pub at: DVec3,
    /// The facing in degrees about +Y, from +Z towards +X.
    pub degrees: f64,
    /// True if the user set the facing; false if it follows the path.
    pub is_set: bool,
}

/// A drag of a facing arrow.
#[derive(Clone, Debug)]
pub(super) struct FacingDrag {
    arrow: Arrow,
    /// The facing setting before the drag, degrees.
    before: Option<f64>,
}

/// Length of the arrow and distance from its tip within which it is grabbed, points. Tuned; no derivation recorded.
const LENGTH_AND_GRAB_POINTS: (f32, f32) = (52.0, 12.0);
/// Snapping step with Ctrl, degrees.
const SNAP_STEP_DEGREES: f64 = 15.0;

impl End {
    /// Returns the facing set by the user, degrees; `None` if it is automatic.
    fn user_facing(self, walk: &Walk) -> Option<f64> {
        match self {
            Self::Start => walk.settings.start_facing,
            Self::Goal => walk.settings.goal_facing,
        }
    }

    /// Returns the facing setting for editing.
    fn chosen_mut(self, walk: &mut Walk) -> &mut Option<f64> {
        match self {
            Self::Start => &mut walk.settings.start_facing,
            Self::Goal => &mut walk.settings.goal_facing,
        }
    }
}

/// Returns the facing arrows at the ends of the walked route; none without a route or with laps.
pub fn arrows(walk: &Walk, walked: &Walked) -> Vec<Arrow> {
    let route = walked.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed));
    let points = route.map(|variant| &variant.route.points[..]).unwrap_or_default();
    let ([first, second, ..], [.., before, last]) = (points, points) else { return Vec::new() };
    let settings = &walk.settings;
    if settings.laps > 0 {
        return Vec::new();
    }
    let arrow = |end, at: DVec3, direction_on_path: DVec3, chosen: Option<f64>| Arrow {
        end,
        at,
        degrees: chosen.unwrap_or_else(|| direction_on_path.x.atan2(direction_on_path.z).to_degrees()),
        is_set: chosen.is_some(),
    };
    vec![
        arrow(End::Start, *first, *second - *first, settings.start_facing),
        arrow(End::Goal, *last, *last - *before, settings.goal_facing),
    ]
}

impl Arrow {
    /// Returns tail and tip of the arrow in the world, in the file's unit of `metres` metres, for a view of `height` points.
    fn ends(&self, camera: &Camera, height: f32, metres: f64) -> [Vec3; 2] {
        let at = (self.at / metres).as_vec3();
        let unit = camera.units_per_pixel(height) * pick::depth_factor(camera, at);
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        [at, at + Vec3::new(sin as f32, 0.0, cos as f32) * unit * LENGTH_AND_GRAB_POINTS.0]
    }
}

/// Returns the arrow whose tip is under the screen position `at`; `None` if there is none.
pub fn arrow_under(arrows: &[Arrow], view: &GroundView, at: Pos2) -> Option<Arrow> {
    let tip_distance = |arrow: &Arrow| {
        let [_, tip] = arrow.ends(view.camera, view.rect.height(), view.metres);
        see(view.camera, view.rect, tip).map_or(f32::MAX, |seen| seen.distance(at))
    };
    let near = arrows.iter().filter(|arrow| tip_distance(arrow) <= LENGTH_AND_GRAB_POINTS.1);
    near.min_by(|a, b| tip_distance(a).total_cmp(&tip_distance(b))).copied()
}

/// Adds an arrow to the scene: brighter if hovered (`is_over`), fainter if the facing was not set.
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
    /// Starts a drag of `arrow`.
    pub fn new(arrow: Arrow, walk: &Walk) -> Self {
        Self { arrow, before: arrow.end.user_facing(walk) }
    }

    /// Returns the end whose arrow is dragged.
    pub fn end(&self) -> End {
        self.arrow.end
    }

    /// Restores the facing before the drag.
    pub fn restore(self, walk: &mut Walk) {
        *self.arrow.end.chosen_mut(walk) = self.before;
    }

    /// Applies one frame of the drag to the facing setting: the direction to the pointer in whole degrees, or with Ctrl in steps
    /// of [`SNAP_STEP_DEGREES`]. A typed number (degrees) replaces it.
    pub fn step(&mut self, input: &DragInput, view: &GroundView, walk: &mut Walk) {
        let chosen = self.arrow.end.chosen_mut(walk);
        let pointed = Some(input.pointer()).filter(|_| input.has_moved()).and_then(|at| pointed(&self.arrow, view, at));
        let snapped = pointed.map(|degrees| {
            if input.snaps() { (degrees / SNAP_STEP_DEGREES).round() * SNAP_STEP_DEGREES } else { degrees.round() }
        });
        let typed = input.typed.value(Unit::Degrees).map(|degrees| degrees.clamp(-360.0, 360.0));
        *chosen = typed.or(snapped).or(*chosen);
        self.arrow.degrees = chosen.unwrap_or(self.arrow.degrees);
    }

    /// Returns the facing and the typed text for the readout next to the pointer.
    pub fn readout(&self, typed: &Typed) -> String {
        let key = if self.arrow.end == End::Start { "form.walk_start_facing" } else { "form.walk_goal_facing" };
        format!("{}   {}{}", tr(key), Unit::Degrees.text(self.arrow.degrees, 0), typed.shown())
    }
}

/// Returns the direction from the arrow's tail to the screen position `at` on the horizontal plane, degrees from +Z towards +X.
/// `None` if that is above the horizon or at the tail.
fn pointed(arrow: &Arrow, view: &GroundView, at: Pos2) -> Option<f64> {
    let ray = view.camera.ray(cursor(view.rect, at), size(view.rect));
    let foot = arrow.at / view.metres;
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let ray_distance = (foot.y - origin.y) / direction.y;
    let offset = origin + direction * ray_distance - foot;
    (ray_distance.is_finite() && ray_distance > 0.0 && offset.x.hypot(offset.z) > 0.0)
        .then(|| offset.x.atan2(offset.z).to_degrees())
}
