//! Vector drawings in theme colours.

use egui::epaint::PathShape;
use egui::{
    Color32, Mesh, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};

use crate::theme::{self, Tokens};

/// Drawing area with its own coordinate system. Positions, widths, radii and sizes are in its units, with y down.
pub(crate) struct Canvas {
    pub tokens: Tokens,
    painter: Painter,
    /// Screen position of the origin.
    corner: Pos2,
    /// Points per unit.
    scale: f32,
}

/// Number of points up to which a line gets round ends and bends.
const MAX_ROUNDED_POINTS: usize = 8;

/// Draws a picture with the accessible name `name`. `size` is its size in drawing units; it is scaled to the available width.
pub(crate) fn picture(ui: &mut Ui, name: &str, size: Vec2, draw: impl FnOnce(&Canvas)) {
    let scale = ui.available_width() / size.x;
    let (rect, response) = ui.allocate_exact_size(size * scale, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Image, true, name));
    picture_at(ui, rect, size, draw);
}

/// Draws a picture with a background in `rect` (points). `size` is its size in drawing units.
pub(crate) fn picture_at(ui: &Ui, rect: Rect, size: Vec2, draw: impl FnOnce(&Canvas)) {
    let tokens = *theme::of(ui);
    ui.painter().rect(rect, theme::RADIUS, tokens.window, Stroke::new(1.0, tokens.line), StrokeKind::Inside);
    draw(&Canvas { tokens, painter: ui.painter_at(rect), corner: rect.min, scale: rect.width() / size.x });
}

/// Draws a small picture without background inside a line of text. One drawing unit is a point.
pub(crate) fn pictogram(ui: &mut Ui, size: Vec2, draw: impl FnOnce(&Canvas)) {
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    draw(&Canvas { tokens: *theme::of(ui), painter: ui.painter_at(rect), corner: rect.min, scale: 1.0 });
}

impl Canvas {
    /// Converts picture coordinates to a screen position.
    fn at(&self, (x, y): (f32, f32)) -> Pos2 {
        self.corner + vec2(x, y) * self.scale
    }

    /// Returns `color` blended over the background by `amount` 0 … 1.
    pub fn faint(&self, color: Color32, amount: f32) -> Color32 {
        theme::mix(self.tokens.window, color, amount)
    }

    /// Draws a polyline with round ends and bends.
    pub fn line(&self, points: &[(f32, f32)], width: f32, color: Color32) {
        let points: Vec<Pos2> = points.iter().map(|&point| self.at(point)).collect();
        let width = width * self.scale;
        // Curves have enough points to look round.
        if points.len() <= MAX_ROUNDED_POINTS {
            for &point in &points {
                self.painter.circle_filled(point, width * 0.5, color);
            }
        }
        self.painter.add(PathShape::line(points, Stroke::new(width, color)));
    }

    /// Draws the curve `y(x)` for x between `from` and `to`.
    pub fn curve(&self, [from, to]: [f32; 2], width: f32, color: Color32, y: impl Fn(f32) -> f32) {
        self.line(&along([from, to], y), width, color);
    }

    /// Fills the area between the curve `y(x)` and the level `base`, for x in `range`.
    pub fn area(&self, range: [f32; 2], base: f32, color: Color32, y: impl Fn(f32) -> f32) {
        let mut mesh = Mesh::default();
        for (index, (x, y)) in (0_u32..).zip(along(range, y)) {
            [y, base].into_iter().for_each(|y| mesh.colored_vertex(self.at((x, y)), color));
            if let Some(before) = index.checked_sub(1) {
                let [a, b] = [2 * before, 2 * index];
                mesh.add_triangle(a, a + 1, b);
                mesh.add_triangle(a + 1, b + 1, b);
            }
        }
        self.painter.add(mesh);
    }

    /// Draws an arc around `center`. Angles are in turns, clockwise from the right.
    pub fn arc(&self, center: (f32, f32), radii: [f32; 2], [from, to]: [f32; 2], stroke: (f32, Color32)) {
        let point = |i: usize| {
            let (sin, cos) = ((from + (to - from) * i as f32 / 24.0) * std::f32::consts::TAU).sin_cos();
            (center.0 + radii[0] * cos, center.1 + radii[1] * sin)
        };
        let points: Vec<(f32, f32)> = (0..=24).map(point).collect();
        self.line(&points, stroke.0, stroke.1);
    }

    /// Draws an arrow head of length `size` at `tip`, coming from `from`.
    pub fn head(&self, from: (f32, f32), tip: (f32, f32), size: f32, color: Color32) {
        let direction = vec2(tip.0 - from.0, tip.1 - from.1).normalized() * size;
        let side = direction.rot90() * 0.6;
        let corner = |by: Vec2| self.at((tip.0 + by.x, tip.1 + by.y));
        let corners = vec![corner(Vec2::ZERO), corner(side - direction), corner(-side - direction)];
        self.painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
    }

    /// Draws a straight arrow from `from` to `tip`. The head's length is four times `width`.
    pub fn arrow(&self, from: (f32, f32), tip: (f32, f32), width: f32, color: Color32) {
        let direction = vec2(tip.0 - from.0, tip.1 - from.1).normalized() * 3.0 * width;
        self.line(&[from, (tip.0 - direction.x, tip.1 - direction.y)], width, color);
        self.head(from, tip, 4.0 * width, color);
    }

    /// Draws a filled circle.
    pub fn dot(&self, at: (f32, f32), radius: f32, color: Color32) {
        self.painter.circle_filled(self.at(at), radius * self.scale, color);
    }

    /// Draws a circle with a line of `width`.
    pub fn ring(&self, at: (f32, f32), radius: f32, width: f32, color: Color32) {
        self.painter.circle_stroke(self.at(at), radius * self.scale, Stroke::new(width * self.scale, color));
    }

    /// Draws a rectangle between two corners, which are rounded by `radius`. Its border is 1 point wide.
    pub fn block(&self, from: (f32, f32), to: (f32, f32), radius: f32, fill: Color32, line: Color32) {
        let rect = Rect::from_min_max(self.at(from), self.at(to));
        self.painter.rect(rect, radius * self.scale, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    }

    /// Draws a keyframe diamond. `size` is the distance from its centre to a corner.
    pub fn diamond(&self, at: (f32, f32), size: f32, color: Color32) {
        let corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)];
        let corners = corners.map(|(x, y)| self.at((at.0 + x, at.1 + y)));
        self.painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE));
    }

    /// Draws a stick figure `height` tall standing at `ground`.
    pub fn figure(&self, pose: &Posture, ground: (f32, f32), height: f32, color: Color32) {
        self.turned_figure(pose, ground, (height, 0.0), color);
    }

    /// Draws a stick figure of `height`, turned clockwise around `ground` by `angle` (radians).
    pub fn turned_figure(&self, pose: &Posture, ground: (f32, f32), (height, angle): (f32, f32), color: Color32) {
        let (sin, cos) = angle.sin_cos();
        let position =
            |(x, y): (f32, f32)| (ground.0 + (x * cos + y * sin) * height, ground.1 - (y * cos - x * sin) * height);
        let limb = |points: &[(f32, f32)]| {
            let points: Vec<(f32, f32)> = points.iter().map(|&point| position(point)).collect();
            self.line(&points, 0.085 * height, color);
        };
        let shoulder = (pose.neck.0 * 0.93, pose.neck.1 - 0.03);
        pose.legs.iter().for_each(|&[knee, foot]| limb(&[pose.hips, knee, foot]));
        pose.arms.iter().for_each(|&[elbow, hand]| limb(&[shoulder, elbow, hand]));
        limb(&[pose.hips, pose.neck]);
        self.dot(position(pose.head), 0.09 * height, color);
    }
}

/// Returns 49 points of the curve `y(x)` for x between `from` and `to`.
fn along([from, to]: [f32; 2], y: impl Fn(f32) -> f32) -> Vec<(f32, f32)> {
    let x = |i: usize| from + (to - from) * i as f32 / 48.0;
    (0..=48).map(|i| (x(i), y(x(i)))).collect()
}

/// Returns the smoothstep of `x`: 0 up to `from`, 1 from `to` on.
pub(crate) fn soft(x: f32, from: f32, to: f32) -> f32 {
    let at = ((x - from) / (to - from)).clamp(0.0, 1.0);
    at * at * (3.0 - 2.0 * at)
}

impl Posture {
    /// Returns the posture between this one (0) and `other` (1).
    pub fn towards(&self, other: &Self, share: f32) -> Self {
        let between = |a: (f32, f32), b: (f32, f32)| (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share);
        let limbs = |a: [[(f32, f32); 2]; 2], b: [[(f32, f32); 2]; 2]| {
            std::array::from_fn(|side| std::array::from_fn(|joint| between(a[side][joint], b[side][joint])))
        };
        Self {
            hips: between(self.hips, other.hips),
            neck: between(self.neck, other.neck),
            head: between(self.head, other.head),
            arms: limbs(self.arms, other.arms),
            legs: limbs(self.legs, other.legs),
        }
    }

    /// Returns the posture with the limbs of the other side, as half a cycle later.
    pub fn mirrored(&self) -> Self {
        let swapped = |limbs: [[(f32, f32); 2]; 2]| [limbs[1], limbs[0]];
        Self { arms: swapped(self.arms), legs: swapped(self.legs), ..*self }
    }

    /// Returns the posture with the hand of the first arm at `hand`, relative to the height.
    pub fn with_hand(&self, hand: (f32, f32)) -> Self {
        Self { arms: [[self.arms[0][0], hand], self.arms[1]], ..*self }
    }
}

/// Joint positions relative to the height, with the ground at y = 0.
#[derive(Clone, Copy)]
pub(crate) struct Posture {
    hips: (f32, f32),
    neck: (f32, f32),
    head: (f32, f32),
    /// Elbow and hand of each arm.
    arms: [[(f32, f32); 2]; 2],
    /// Knee and foot of each leg.
    legs: [[(f32, f32); 2]; 2],
}

pub(crate) const RUN: Posture = Posture {
    hips: (0.0, 0.50),
    neck: (0.11, 0.79),
    head: (0.16, 0.92),
    arms: [[(0.22, 0.60), (0.36, 0.68)], [(-0.09, 0.66), (-0.14, 0.48)]],
    legs: [[(0.23, 0.42), (0.18, 0.16)], [(-0.08, 0.26), (-0.34, 0.22)]],
};

pub(crate) const LEAP: Posture = Posture {
    hips: (0.0, 0.55),
    neck: (0.13, 0.82),
    head: (0.19, 0.94),
    arms: [[(0.28, 0.84), (0.38, 0.98)], [(-0.06, 0.70), (-0.22, 0.64)]],
    legs: [[(0.24, 0.46), (0.42, 0.28)], [(-0.18, 0.40), (-0.42, 0.36)]],
};

pub(crate) const LAND: Posture = Posture {
    hips: (0.0, 0.42),
    neck: (0.14, 0.68),
    head: (0.20, 0.80),
    arms: [[(0.28, 0.58), (0.44, 0.50)], [(-0.06, 0.54), (-0.20, 0.50)]],
    legs: [[(0.20, 0.28), (0.14, 0.0)], [(-0.14, 0.20), (-0.34, 0.0)]],
};

pub(crate) const CAST: Posture = Posture {
    hips: (0.0, 0.49),
    neck: (0.03, 0.79),
    head: (0.06, 0.92),
    arms: [[(0.20, 0.70), (0.40, 0.80)], [(0.12, 0.62), (0.34, 0.66)]],
    legs: [[(0.13, 0.26), (0.14, 0.0)], [(-0.10, 0.25), (-0.20, 0.0)]],
};

pub(crate) const STAND: Posture = Posture {
    hips: (0.0, 0.51),
    neck: (0.0, 0.80),
    head: (0.02, 0.93),
    arms: [[(0.13, 0.63), (0.16, 0.47)], [(-0.13, 0.63), (-0.15, 0.47)]],
    legs: [[(0.07, 0.26), (0.08, 0.0)], [(-0.06, 0.26), (-0.09, 0.0)]],
};
