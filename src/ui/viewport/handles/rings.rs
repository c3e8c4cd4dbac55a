//! Rings about three axes through a point, which turn what is there.

use egui::{Painter, Pos2, Rect, Stroke};
use glam::{DQuat, DVec3};

use crate::drag::Drag;
use crate::theme;
use crate::viewport::projection::see;
use crate::viewport::readout;
use crate::widgets::number::Unit;
use portamento_render::{Camera, pick};

/// Radius of the rings and distance within which they are grabbed, points.
const RING_RADIUS: f32 = 54.0;
const GRAB_MAX_POINTS: f32 = 7.0;
/// Segments of a drawn ring.
const RING_SEGMENTS: usize = 48;
/// Snapping step with Ctrl, degrees.
const SNAP_STEP_DEGREES: f64 = 5.0;

/// Rings about the axes of a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rings {
    /// Position in the file's unit.
    pub at: DVec3,
    /// Rotation of the axes in the world.
    pub rotation: DQuat,
}

/// The ring that a drag turns.
#[derive(Clone, Copy, Debug)]
pub struct RingTurn {
    /// The rings when they were grabbed.
    pub rings: Rings,
    /// The axis of the ring, 0 … 2.
    pub axis: usize,
    /// The last pointer position.
    last: Pos2,
    /// The angle since the press, radians.
    swept: f64,
}

impl Rings {
    /// Returns the direction of an axis (0 … 2) in the world.
    pub fn axis(&self, axis: usize) -> DVec3 {
        self.rotation * DVec3::AXES[axis]
    }

    /// Returns the points of the ring about `axis` in window coordinates, without those behind the camera. `rect` is the view.
    pub fn points(&self, axis: usize, camera: &Camera, rect: Rect) -> Vec<Pos2> {
        let unit = camera.units_per_pixel(rect.height()) * pick::depth_factor(camera, self.at.as_vec3());
        let [across, up] = [1, 2].map(|next| self.axis((axis + next) % 3) * f64::from(unit * RING_RADIUS));
        let corner = |i: usize| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / RING_SEGMENTS as f64).sin_cos();
            see(camera, rect, (self.at + across * cos + up * sin).as_vec3())
        };
        (0..=RING_SEGMENTS).filter_map(corner).collect()
    }

    /// Returns the axis whose ring is within [`GRAB_MAX_POINTS`] of the screen position `at`, the nearest first; `None` if none
    /// is.
    pub fn axis_under(&self, camera: &Camera, rect: Rect, at: Pos2) -> Option<usize> {
        let away = |axis: usize| {
            let points = self.points(axis, camera, rect);
            let middle = |pair: &[Pos2]| pair[0] + (pair[1] - pair[0]) * 0.5;
            points.windows(2).map(|pair| middle(pair).distance(at)).fold(f32::INFINITY, f32::min)
        };
        let near = (0..3).map(|axis| (axis, away(axis))).filter(|(_, away)| *away <= GRAB_MAX_POINTS);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(axis, _)| axis)
    }

    /// Draws the rings, with that about `highlighted` emphasized.
    pub fn paint(&self, painter: &Painter, rect: Rect, camera: &Camera, highlighted: Option<usize>) {
        for axis in 0..3 {
            let stroke = Stroke::new(if highlighted == Some(axis) { 3.0 } else { 1.5 }, theme::AXES[axis]);
            painter.add(egui::Shape::line(self.points(axis, camera, rect), stroke));
        }
    }
}

impl RingTurn {
    /// Starts to turn the ring about `axis`, grabbed at the screen position `at`.
    pub fn new(rings: Rings, axis: usize, at: Pos2) -> Self {
        Self { rings, axis, last: at, swept: 0.0 }
    }

    /// Changes to another axis and starts from 0 again.
    pub fn bind(&mut self, axis: usize) {
        (self.axis, self.swept) = (axis, 0.0);
    }

    /// Adds the angle by which the pointer, at a screen position, went around the centre since the last step.
    pub fn step(&mut self, pointer: Pos2, camera: &Camera, rect: Rect) {
        let Some(middle) = see(camera, rect, self.rings.at.as_vec3()) else { return };
        let (from, to) = (self.last - middle, pointer - middle);
        // Window coordinates point down, so a clockwise drag is a positive rotation about the axis into the picture.
        let clockwise = f64::from((from.x * to.y - from.y * to.x).atan2(from.dot(to)));
        let faces = self.rings.axis(self.axis).dot(camera.eye().as_dvec3() - self.rings.at) > 0.0;
        self.swept += if faces { -clockwise } else { clockwise };
        self.last = pointer;
    }
}

/// Returns the angle of `turn` since the start of the drag, degrees: swept, snapped with Ctrl to 5°, or typed.
pub fn degrees<T>(drag: &Drag<T>, turn: &RingTurn) -> f64 {
    let swept = turn.swept.to_degrees();
    let snapped = if drag.input.snaps() { (swept / SNAP_STEP_DEGREES).round() * SNAP_STEP_DEGREES } else { swept };
    drag.input.typed.value(Unit::Degrees).unwrap_or(snapped)
}

/// Draws the angle of a drag next to the pointer.
pub fn readout<T>(painter: &Painter, drag: &Drag<T>, turn: &RingTurn) {
    let (axis, turned) = (["X", "Y", "Z"][turn.axis], Unit::Degrees.text(degrees(drag, turn), 1));
    readout::at_pointer(painter, drag.input.pointer(), format!("{axis} {turned}{}", drag.input.typed.shown()));
}
