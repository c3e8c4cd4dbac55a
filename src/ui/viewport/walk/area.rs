//! Painting of area rules on a level: drag paints, Ctrl erases; `[` and `]`, or F and the mouse, change the brush size.

use egui::{Pos2, Rect, Response, Ui};
use glam::{DVec3, Vec3};

use crate::drag::DragState;
use crate::theme;
use crate::viewport::look::{Look, linear};
use crate::viewport::projection;
use crate::viewport::weight_paint::brush;
use crate::viewport::weight_paint::sizing::{BrushSizing, SizedBrush};
use portamento_render::strokes::ring;
use portamento_render::{Camera, Line, Scene, pick};
use portamento_session::Session;
use portamento_session::painting::{Aim, GROUND_RADIUS, GroundStroke, PaintTarget, StrokePoint};
use portamento_walk::navigation::voxels::{AreaStroke, Effect};

/// State of the level brush.
#[derive(Clone, Debug, Default)]
pub(super) struct AreaPaint {
    drag_state: DragState<()>,
    sizing: BrushSizing,
}

/// Height of outlines over the ground, metres. Tuned; no derivation recorded.
const LIFT_M: f64 = 0.12;

/// The camera and its rectangle on screen.
pub struct View<'a> {
    pub camera: &'a Camera,
    pub rect: Rect,
}

impl AreaPaint {
    /// True if keys and mouse belong to the brush.
    pub(super) fn is_busy(&self) -> bool {
        self.sizing.is_busy() || self.drag_state.is_dragging()
    }

    /// Handles the mouse over the level seen by `camera`. Returns true if the brush uses the pointer.
    pub fn pointer_input(
        &mut self,
        ui: &Ui,
        response: &Response,
        View { camera, rect }: View,
        session: &mut Session,
    ) -> bool {
        let metres = crate::viewport::metres_per_unit(session);
        let spot = session.painter.spot(&session.selection.painting).map(|spot| spot.at / metres);
        let unit = camera.units_per_pixel(rect.height()) * metres as f32;
        let scale = unit * spot.map_or(1.0, |at| pick::depth_factor(camera, at.as_vec3()));
        self.size(ui, response, scale, session);
        let aim = |at: glam::Vec2| {
            let ray = camera.ray(projection::cursor(rect, Pos2::new(at.x, at.y)), projection::size(rect));
            Aim::Ray { origin: ray.origin, direction: ray.direction }
        };
        let pointer = brush::pointer(ui, response);
        session.easel().aim(pointer.map(aim));
        if self.sizing.is_busy() {
            return true;
        }
        let point = StrokePoint { at: pointer.unwrap_or_default(), points_per_unit: 1.0 / scale, aim: &aim };
        brush::drag(&mut self.drag_state, ui, response, session, &point);
        if session.painter.spot(&session.selection.painting).is_some() {
            ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        self.is_busy()
    }

    /// Changes the brush radius (metres) by keys and mouse; `scale` is metres per point on screen.
    fn size(&mut self, ui: &Ui, response: &Response, scale: f32, session: &mut Session) {
        let before = session.selection.painting.ground_radius as f32;
        let mut radius = before;
        self.sizing.update(ui, response, SizedBrush { radius: &mut radius, strength: None, unit: scale });
        if radius != before {
            session.selection.painting.ground_radius = f64::from(radius).clamp(GROUND_RADIUS.0, GROUND_RADIUS.1);
        }
    }
}

/// The brush and the current stroke, to be drawn.
#[derive(Clone, Debug)]
pub struct AreaMarks {
    /// Position under the brush, metres.
    spot: Option<DVec3>,
    stroke: Option<GroundStroke>,
    /// Radius of the brush, metres.
    radius: f64,
    effect: Effect,
}

impl AreaMarks {
    /// Returns the marks while the brush paints on ground, otherwise `None`.
    pub fn from_session(session: &Session) -> Option<Self> {
        let painting = &session.selection.painting;
        painting.is_on(PaintTarget::Ground).then(|| Self {
            spot: session.painter.spot(&session.selection.painting).map(|spot| spot.at),
            stroke: session.painter.ground_stroke().cloned(),
            radius: painting.ground_radius,
            effect: painting.effect,
        })
    }

    /// Adds the brush's ring and the outline of the current stroke to the scene.
    pub fn draw(&self, scene: &mut Scene, look: &Look) {
        let erases = self.stroke.as_ref().is_some_and(|stroke| stroke.erases);
        let color = if erases { theme::view().ink } else { ink(self.effect) };
        if let Some(at) = self.spot {
            let points = ring(lifted(at, look), (self.radius / look.metres) as f32);
            scene.lines.push(line(points, color, look));
        }
        if let Some(stroke) = &self.stroke {
            outline(scene, &stroke.points, self.radius, color, look);
        }
    }
}

/// Adds the outlines of painted strokes, whose positions are in metres, in the colour of `effect`.
pub fn painted(scene: &mut Scene, strokes: &[AreaStroke], effect: Effect, look: &Look) {
    for stroke in strokes {
        let points: Vec<DVec3> = stroke.points.iter().map(|&point| point.into()).collect();
        outline(scene, &points, stroke.radius, ink(effect), look);
    }
}

/// Returns the colour of a rule.
pub fn ink(effect: Effect) -> egui::Color32 {
    let tokens = theme::over_view();
    if effect == Effect::Blocked { tokens.error } else { tokens.warning }
}

/// Converts a ground position in metres to one slightly above the ground in scene units.
fn lifted(at: DVec3, look: &Look) -> Vec3 {
    ((at + DVec3::Y * LIFT_M) / look.metres).as_vec3()
}

fn line(points: Vec<Vec3>, color: egui::Color32, look: &Look) -> Line {
    Line { colors: vec![linear(color); points.len()], points, width: 1.5 * look.pixels_per_point, on_top: false }
}

/// Adds a line's outline at distance `radius`, in metres like `points`, with a semicircle at each end. A single point gets a
/// ring.
fn outline(scene: &mut Scene, points: &[DVec3], radius: f64, color: egui::Color32, look: &Look) {
    let ([first, second, ..], [.., before, last]) = (points, points) else {
        let spots = points.iter().map(|&at| ring(lifted(at, look), (radius / look.metres) as f32));
        return scene.lines.extend(spots.map(|points| line(points, color, look)));
    };
    let across = |from: DVec3, to: DVec3| DVec3::new(to.z - from.z, 0.0, from.x - to.x).normalize_or(DVec3::X) * radius;
    let inner = points.windows(3).map(|three| (three[1], across(three[0], three[2])));
    let ends = [(*first, across(*first, *second)), (*last, across(*before, *last))];
    let sides: Vec<(DVec3, DVec3)> = [ends[0]].into_iter().chain(inner).chain([ends[1]]).collect();
    let cap = |(at, side): (DVec3, DVec3)| {
        let ahead = DVec3::new(-side.z, 0.0, side.x);
        (0..=8).map(move |i| {
            let (sin, cos) = (std::f64::consts::PI * f64::from(i) / 8.0).sin_cos();
            at + side * cos + ahead * sin
        })
    };
    let left = sides.iter().map(|&(at, side)| at + side);
    let right = sides.iter().rev().map(|&(at, side)| at - side);
    let around = left.chain(cap(ends[1])).chain(right).chain(cap((ends[0].0, -ends[0].1)));
    scene.lines.push(line(around.map(|at| lifted(at, look)).collect(), color, look));
}
