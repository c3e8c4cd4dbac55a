//! Lines and dots as screen-facing quads with soft edges, built on the CPU each frame.

use glam::{Mat4, Vec2, Vec3, Vec4};
use three_d::Vec4 as Gpu4;

use crate::scene::{Dot, Line};

/// Quads as two triangles each.
#[derive(Default)]
pub(crate) struct Strokes {
    /// Corners of the quads in clip space.
    pub positions: Vec<Gpu4>,
    /// Linear RGBA of each corner.
    pub colors: Vec<Gpu4>,
    /// Per corner: offset across the stroke (pixels), offset along it (0 for lines), half width (pixels), unused.
    pub shapes: Vec<Gpu4>,
}

impl Strokes {
    /// Builds the lines and dots whose `on_top` equals the parameter. `size` is that of the picture, pixels.
    pub fn build(lines: &[Line], dots: &[Dot], on_top: bool, clip_from_world: Mat4, size: Vec2) -> Self {
        let mut strokes = Self::default();
        for line in lines.iter().filter(|line| line.on_top == on_top) {
            for i in 1..line.points.len() {
                let ends = [line.points[i - 1], line.points[i]].map(|point| clip_from_world * point.extend(1.0));
                strokes.segment(ends, [line.colors[i - 1], line.colors[i]], line.width, size);
            }
        }
        for dot in dots.iter().filter(|dot| dot.on_top == on_top) {
            strokes.dot(clip_from_world * dot.at.extend(1.0), dot, size);
        }
        strokes
    }

    /// Adds a line `width` pixels wide between `ends` in clip space, without its part behind the eye. `size` is that of the
    /// picture, pixels.
    fn segment(&mut self, ends: [Vec4; 2], colors: [[f32; 4]; 2], width: f32, size: Vec2) {
        let Some(ends) = in_front(ends) else { return };
        let screen = ends.map(|end| Vec2::new(end.x, end.y) / end.w * size * 0.5);
        let direction = (screen[1] - screen[0]).normalize_or(Vec2::X);
        // One extra pixel on each side for the soft edge, and half a width at the ends so that corners close.
        let (reach, half) = (width * 0.5 + 1.0, width * 0.5);
        let corner = |end: usize, side: f32| {
            let out = if end == 0 { -half } else { half };
            let pixels = direction.perp() * side * reach + direction * out;
            let offset = pixels * 2.0 / size * ends[end].w;
            let at = ends[end] + Vec4::new(offset.x, offset.y, 0.0, 0.0);
            (at, colors[end], [side * reach, 0.0, half, 0.0])
        };
        self.quad([corner(0, -1.0), corner(0, 1.0), corner(1, -1.0), corner(1, 1.0)]);
    }

    /// Adds a dot at `at` in clip space; nothing if it is behind the eye. `size` is that of the picture, pixels.
    fn dot(&mut self, at: Vec4, dot: &Dot, size: Vec2) {
        if at.w <= MIN_W {
            return;
        }
        let half = dot.size * 0.5;
        let reach = half + 1.0;
        let corner = |x: f32, y: f32| {
            let offset = Vec2::new(x, y) * reach * 2.0 / size * at.w;
            (at + Vec4::new(offset.x, offset.y, 0.0, 0.0), dot.color, [x * reach, y * reach, half, 0.0])
        };
        self.quad([corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(1.0, 1.0)]);
    }

    /// Adds a quad of position, colour and shape per corner: two at one end, then two at the other.
    fn quad(&mut self, corners: [(Vec4, [f32; 4], [f32; 4]); 4]) {
        for i in [0, 1, 2, 2, 1, 3] {
            let (at, color, shape) = corners[i];
            self.positions.push(Gpu4::new(at.x, at.y, at.z, at.w));
            self.colors.push(color.into());
            self.shapes.push(shape.into());
        }
    }
}

/// Smallest clip-space w that is drawn; the division by w diverges at 0.
const MIN_W: f32 = 1e-4;

/// Returns the part of a segment in front of the eye, or `None` if all of it is behind.
fn in_front([a, b]: [Vec4; 2]) -> Option<[Vec4; 2]> {
    let cut = |inside: Vec4, outside: Vec4| inside.lerp(outside, (inside.w - MIN_W) / (inside.w - outside.w));
    match (a.w > MIN_W, b.w > MIN_W) {
        (true, true) => Some([a, b]),
        (true, false) => Some([a, cut(a, b)]),
        (false, true) => Some([cut(b, a), b]),
        (false, false) => None,
    }
}

/// Returns a closed ring of `radius` around `center` in the ground plane, scene units. The last of its 49 points equals the
/// first.
pub fn ring(center: Vec3, radius: f32) -> Vec<Vec3> {
    const SIDES: usize = 48;
    (0..=SIDES)
        .map(|i| {
            let (sin, cos) = (std::f32::consts::TAU * i as f32 / SIDES as f32).sin_cos();
            center + Vec3::new(cos, 0.0, sin) * radius
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_through_the_eye_is_cut_and_one_behind_is_dropped() {
        let at = |w: f32| Vec4::new(0.0, 0.0, 0.0, w);
        assert_eq!(in_front([at(1.0), at(-1.0)]).map(|ends| ends[1].w > 0.0), Some(true));
        assert_eq!(in_front([at(-1.0), at(-2.0)]), None);
    }

    #[test]
    fn a_line_of_two_points_is_one_quad_of_the_given_width() {
        let line = Line { points: vec![Vec3::ZERO, Vec3::X], colors: vec![[1.0; 4]; 2], width: 4.0, on_top: true };
        let size = Vec2::new(200.0, 100.0);
        let strokes = Strokes::build(std::slice::from_ref(&line), &[], true, Mat4::IDENTITY, size);
        assert_eq!(strokes.positions.len(), 6);
        let height = (strokes.positions[1].y - strokes.positions[0].y).abs() * size.y * 0.5;
        assert!((height - 6.0).abs() < 1e-4, "4 pixels and a soft edge on each side: {height}");
        assert!(Strokes::build(&[line], &[], false, Mat4::IDENTITY, size).positions.is_empty());
    }
}
