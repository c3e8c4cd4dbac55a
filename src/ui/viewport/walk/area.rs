//! Painting rules on a level: drag paints, Ctrl takes away; [ and ] or F and the mouse size the brush.

use egui::{Pos2, Rect, Response, Ui};
use glam::{DVec3, Vec3};

use crate::evaluate::LevelGround;
use crate::render::strokes::ring;
use crate::render::{Camera, Line, Scene, pick};
use crate::session::Session;
use crate::session::area::RADIUS;
use crate::systems::pathing::voxel::{AreaStroke, Effect};
use crate::ui::drag::{Drag, DragEnd, DragState};
use crate::ui::i18n::tr;
use crate::ui::theme;
use crate::ui::viewport::look::{Look, linear};
use crate::ui::viewport::weight_paint::brush;

/// The brush on the level.
#[derive(Clone, Debug, Default)]
pub struct AreaPaint {
    spot: Option<DVec3>,
    stroke: DragState<Draws>,
    sizing: bool,
}

/// A stroke under way.
#[derive(Clone, Debug)]
struct Draws {
    /// The places so far, metres.
    points: Vec<DVec3>,
    /// Whether it takes away.
    erases: bool,
}

/// Part of the radius between two places of a stroke.
const SPACING: f64 = 0.25;
/// Metres by which the outline is lifted off the ground.
const LIFT: f64 = 0.12;

impl AreaPaint {
    /// Whether keys and the mouse belong to the brush.
    pub fn is_busy(&self) -> bool {
        self.sizing || self.stroke.is_held()
    }

    /// Follows the mouse on `ground`, seen by `camera` in units of `metres`; answers whether the brush holds it.
    pub fn follow(
        &mut self,
        ui: &Ui,
        response: &Response,
        (camera, rect, metres): (&Camera, Rect, f64),
        session: &mut Session,
        ground: &LevelGround,
    ) -> bool {
        self.size(ui, response, (camera, rect, metres), session);
        let pointer = ui.input(|input| input.pointer.interact_pos());
        let over = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on());
        let hit = |at: Pos2| {
            let ray = camera.ray(crate::ui::viewport::cursor(rect, at), crate::ui::viewport::size(rect));
            ground.hit(ray.origin.as_dvec3() * metres, ray.direction.as_dvec3())
        };
        self.spot = over.and_then(hit);
        if self.sizing {
            return true;
        }
        let erases = ui.input(|input| input.modifiers.command);
        let begin = |_| self.spot.map(|at| Draws { points: vec![at], erases });
        if let Some(DragEnd::Released(drawn)) = self.stroke.follow(ui, response, begin) {
            finish(session, &drawn);
        }
        if let (Some(Drag { subject: Draws { points, .. }, .. }), Some(at)) = (self.stroke.active_mut(), self.spot) {
            let spacing = SPACING * session.selection.area.radius;
            if points.last().is_none_or(|last| last.distance(at) >= spacing) {
                points.push(at);
            }
        }
        if self.spot.is_some() {
            ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        self.is_busy()
    }

    fn size(
        &mut self,
        ui: &Ui,
        response: &Response,
        (camera, rect, metres): (&Camera, Rect, f64),
        session: &mut Session,
    ) {
        let unit = camera.units_per_pixel(rect.height()) * metres as f32;
        let near = self.spot.map_or(1.0, |at| pick::depth_factor(camera, (at / metres).as_vec3()));
        let before = session.selection.area.radius as f32;
        let mut radius = before;
        self.sizing = brush::sized(ui, response, &mut radius, None, unit * near);
        if radius != before {
            session.selection.area.radius = f64::from(radius).clamp(RADIUS.0, RADIUS.1);
        }
    }

    /// Draws the brush and the stroke under way.
    pub fn draw(&self, scene: &mut Scene, (radius, effect): (f64, Effect), look: &Look) {
        let erases = self.stroke.active().is_some_and(|drag| drag.subject.erases);
        let color = if erases { theme::OVER_VIEW } else { ink(effect) };
        if let Some(at) = self.spot {
            let points = ring(place(at, look), (radius / look.metres) as f32);
            scene.lines.push(line(points, color, look));
        }
        if let Some(Drag { subject: Draws { points, .. }, .. }) = self.stroke.active() {
            outline(scene, points, radius, color, look);
        }
    }
}

fn finish(session: &mut Session, drawn: &Draws) {
    let points = drawn.points.iter().map(|point| point.to_array()).collect();
    if drawn.erases { session.erase_area(points) } else { session.paint_area(points, &tr("rule.painted")) }
}

/// Draws what is painted.
pub fn painted(scene: &mut Scene, strokes: &[AreaStroke], effect: Effect, look: &Look) {
    for stroke in strokes {
        let points: Vec<DVec3> = stroke.points.iter().map(|&point| point.into()).collect();
        outline(scene, &points, stroke.radius, ink(effect), look);
    }
}

/// The colour of a rule.
pub fn ink(effect: Effect) -> egui::Color32 {
    let tokens = theme::tokens(true);
    if effect == Effect::Blocked { tokens.error } else { tokens.warning }
}

fn place(at: DVec3, look: &Look) -> Vec3 {
    ((at + DVec3::Y * LIFT) / look.metres).as_vec3()
}

fn line(points: Vec<Vec3>, color: egui::Color32, look: &Look) -> Line {
    Line { colors: vec![linear(color); points.len()], points, width: 1.5 * look.pixels_per_point, on_top: false }
}

/// Both sides of a line at a distance, and half a circle at either end.
fn outline(scene: &mut Scene, points: &[DVec3], radius: f64, color: egui::Color32, look: &Look) {
    let ([first, second, ..], [.., before, last]) = (points, points) else {
        let spots = points.iter().map(|&at| ring(place(at, look), (radius / look.metres) as f32));
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
    scene.lines.push(line(around.map(|at| place(at, look)).collect(), color, look));
}
