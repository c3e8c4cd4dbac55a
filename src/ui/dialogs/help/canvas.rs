//! Drawings in the theme's own colours, sharp at every scale.

use egui::epaint::PathShape;
use egui::{
    Color32, Mesh, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};

use crate::ui::theme::{self, Tokens};

/// Where a drawing goes, laid out in a box of a size of its own.
pub(super) struct Canvas {
    pub tokens: Tokens,
    painter: Painter,
    corner: Pos2,
    scale: f32,
}

/// Points up to which a line has round ends and bends.
const JOINTS: usize = 8;

/// A drawing `size` large as it is laid out, as wide as there is room, called `name`.
pub(super) fn picture(ui: &mut Ui, name: &str, size: Vec2, draw: impl FnOnce(&Canvas)) {
    let tokens = *theme::of(ui);
    let scale = ui.available_width() / size.x;
    let (rect, response) = ui.allocate_exact_size(size * scale, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Image, true, name));
    ui.painter().rect(rect, theme::RADIUS, tokens.window, Stroke::new(1.0, tokens.line), StrokeKind::Inside);
    draw(&Canvas { tokens, painter: ui.painter_at(rect), corner: rect.min, scale });
}

/// A drawing in a line of text, without ground.
pub(super) fn pictogram(ui: &mut Ui, size: Vec2, draw: impl FnOnce(&Canvas)) {
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    draw(&Canvas { tokens: *theme::of(ui), painter: ui.painter_at(rect), corner: rect.min, scale: 1.0 });
}

impl Canvas {
    fn at(&self, (x, y): (f32, f32)) -> Pos2 {
        self.corner + vec2(x, y) * self.scale
    }

    /// What lies behind, coloured as far as `amount` says.
    pub fn faint(&self, color: Color32, amount: f32) -> Color32 {
        theme::mix(self.tokens.window, color, amount)
    }

    /// A line through `points` with round ends and bends.
    pub fn line(&self, points: &[(f32, f32)], width: f32, color: Color32) {
        let points: Vec<Pos2> = points.iter().map(|&point| self.at(point)).collect();
        let width = width * self.scale;
        // A curve needs no joints of its own.
        if points.len() <= JOINTS {
            for &point in &points {
                self.painter.circle_filled(point, width * 0.5, color);
            }
        }
        self.painter.add(PathShape::line(points, Stroke::new(width, color)));
    }

    /// A curve: `y` of each x from `from` to `to`.
    pub fn curve(&self, [from, to]: [f32; 2], width: f32, color: Color32, y: impl Fn(f32) -> f32) {
        self.line(&along([from, to], y), width, color);
    }

    /// What lies between a curve and `base`.
    pub fn area(&self, range: [f32; 2], base: f32, color: Color32, y: impl Fn(f32) -> f32) {
        let mut mesh = Mesh::default();
        for (place, (x, y)) in (0_u32..).zip(along(range, y)) {
            [y, base].into_iter().for_each(|y| mesh.colored_vertex(self.at((x, y)), color));
            if let Some(before) = place.checked_sub(1) {
                let [a, b] = [2 * before, 2 * place];
                mesh.add_triangle(a, a + 1, b);
                mesh.add_triangle(a + 1, b + 1, b);
            }
        }
        self.painter.add(mesh);
    }

    /// An arc around `middle` from one angle to another, clockwise from the right, in turns.
    pub fn arc(&self, middle: (f32, f32), radii: [f32; 2], [from, to]: [f32; 2], stroke: (f32, Color32)) {
        let point = |i: usize| {
            let (sin, cos) = ((from + (to - from) * i as f32 / 24.0) * std::f32::consts::TAU).sin_cos();
            (middle.0 + radii[0] * cos, middle.1 + radii[1] * sin)
        };
        let points: Vec<(f32, f32)> = (0..=24).map(point).collect();
        self.line(&points, stroke.0, stroke.1);
    }

    /// The head of an arrow that comes from `from`.
    pub fn head(&self, from: (f32, f32), tip: (f32, f32), size: f32, color: Color32) {
        let way = vec2(tip.0 - from.0, tip.1 - from.1).normalized() * size;
        let side = way.rot90() * 0.6;
        let corner = |by: Vec2| self.at((tip.0 + by.x, tip.1 + by.y));
        let corners = vec![corner(Vec2::ZERO), corner(side - way), corner(-side - way)];
        self.painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
    }

    /// A straight arrow.
    pub fn arrow(&self, from: (f32, f32), tip: (f32, f32), width: f32, color: Color32) {
        let way = vec2(tip.0 - from.0, tip.1 - from.1).normalized() * 3.0 * width;
        self.line(&[from, (tip.0 - way.x, tip.1 - way.y)], width, color);
        self.head(from, tip, 4.0 * width, color);
    }

    pub fn dot(&self, at: (f32, f32), radius: f32, color: Color32) {
        self.painter.circle_filled(self.at(at), radius * self.scale, color);
    }

    pub fn ring(&self, at: (f32, f32), radius: f32, width: f32, color: Color32) {
        self.painter.circle_stroke(self.at(at), radius * self.scale, Stroke::new(width * self.scale, color));
    }

    /// A box from corner to corner.
    pub fn block(&self, from: (f32, f32), to: (f32, f32), radius: f32, fill: Color32, line: Color32) {
        let rect = Rect::from_min_max(self.at(from), self.at(to));
        self.painter.rect(rect, radius * self.scale, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    }

    /// A key on a lane.
    pub fn diamond(&self, at: (f32, f32), size: f32, color: Color32) {
        let corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)];
        let corners = corners.map(|(x, y)| self.at((at.0 + x, at.1 + y)));
        self.painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE));
    }

    /// Somebody `height` tall whose feet would stand at `ground`.
    pub fn figure(&self, pose: &Posture, ground: (f32, f32), height: f32, color: Color32) {
        let place = |(x, y): (f32, f32)| (ground.0 + x * height, ground.1 - y * height);
        let limb = |points: &[(f32, f32)]| {
            let points: Vec<(f32, f32)> = points.iter().map(|&point| place(point)).collect();
            self.line(&points, 0.085 * height, color);
        };
        let shoulder = (pose.neck.0 * 0.93, pose.neck.1 - 0.03);
        pose.legs.iter().for_each(|&[knee, foot]| limb(&[pose.hips, knee, foot]));
        pose.arms.iter().for_each(|&[elbow, hand]| limb(&[shoulder, elbow, hand]));
        limb(&[pose.hips, pose.neck]);
        self.dot(place(pose.head), 0.09 * height, color);
    }
}

fn along([from, to]: [f32; 2], y: impl Fn(f32) -> f32) -> Vec<(f32, f32)> {
    let x = |i: usize| from + (to - from) * i as f32 / 48.0;
    (0..=48).map(|i| (x(i), y(x(i)))).collect()
}

/// From 0 to 1 between `from` and `to`, softly.
pub(super) fn soft(x: f32, from: f32, to: f32) -> f32 {
    let at = ((x - from) / (to - from)).clamp(0.0, 1.0);
    at * at * (3.0 - 2.0 * at)
}

/// Places of joints in parts of the height, the ground at 0.
pub(super) struct Posture {
    hips: (f32, f32),
    neck: (f32, f32),
    head: (f32, f32),
    /// Elbow and hand.
    arms: [[(f32, f32); 2]; 2],
    /// Knee and foot.
    legs: [[(f32, f32); 2]; 2],
}

pub(super) const RUN: Posture = Posture {
    hips: (0.0, 0.50),
    neck: (0.11, 0.79),
    head: (0.16, 0.92),
    arms: [[(0.22, 0.60), (0.36, 0.68)], [(-0.09, 0.66), (-0.14, 0.48)]],
    legs: [[(0.23, 0.42), (0.18, 0.16)], [(-0.08, 0.26), (-0.34, 0.22)]],
};

pub(super) const LEAP: Posture = Posture {
    hips: (0.0, 0.55),
    neck: (0.13, 0.82),
    head: (0.19, 0.94),
    arms: [[(0.28, 0.84), (0.38, 0.98)], [(-0.06, 0.70), (-0.22, 0.64)]],
    legs: [[(0.24, 0.46), (0.42, 0.28)], [(-0.18, 0.40), (-0.42, 0.36)]],
};

pub(super) const LAND: Posture = Posture {
    hips: (0.0, 0.42),
    neck: (0.14, 0.68),
    head: (0.20, 0.80),
    arms: [[(0.28, 0.58), (0.44, 0.50)], [(-0.06, 0.54), (-0.20, 0.50)]],
    legs: [[(0.20, 0.28), (0.14, 0.0)], [(-0.14, 0.20), (-0.34, 0.0)]],
};

pub(super) const CAST: Posture = Posture {
    hips: (0.0, 0.49),
    neck: (0.03, 0.79),
    head: (0.06, 0.92),
    arms: [[(0.20, 0.70), (0.40, 0.80)], [(0.12, 0.62), (0.34, 0.66)]],
    legs: [[(0.13, 0.26), (0.14, 0.0)], [(-0.10, 0.25), (-0.20, 0.0)]],
};

pub(super) const STAND: Posture = Posture {
    hips: (0.0, 0.51),
    neck: (0.0, 0.80),
    head: (0.02, 0.93),
    arms: [[(0.13, 0.63), (0.16, 0.47)], [(-0.13, 0.63), (-0.15, 0.47)]],
    legs: [[(0.07, 0.26), (0.08, 0.0)], [(-0.06, 0.26), (-0.09, 0.0)]],
};
