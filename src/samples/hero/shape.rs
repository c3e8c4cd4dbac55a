//! Solids whose surfaces blend into each other.
//!
//! Distances and the smooth minimum follow Inigo Quilez, "Distance functions" and "Smooth minimum".

use glam::{DVec3, dvec3};

/// A solid with a signed distance function.
#[derive(Clone, Copy, Debug)]
pub enum Solid {
    /// A tapered capsule: two spheres and their connection; centres and radii.
    Cone([DVec3; 2], [f64; 2]),
    /// An ellipsoid: centre, radii and a pitch about X in radians.
    Egg(DVec3, DVec3, f64),
}

/// A solid attached to a joint.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The solid in model space.
    pub solid: Solid,
    /// Index of its joint.
    pub joint: usize,
    /// Width of the blend into the previous shapes, metres.
    pub blend: f64,
}

impl Shape {
    /// Returns the signed distance in metres from the surface to `point`, negative inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        match self.solid {
            Solid::Cone([a, b], [ra, rb]) => {
                let axis = b - a;
                let along = ((point - a).dot(axis) / axis.length_squared().max(1e-12)).clamp(0.0, 1.0);
                (point - a - axis * along).length() - (ra + (rb - ra) * along)
            }
            Solid::Egg(centre, radii, pitch) => {
                let (sin, cos) = pitch.sin_cos();
                let p = point - centre;
                let p = dvec3(p.x, p.y * cos + p.z * sin, p.z * cos - p.y * sin);
                let near = (p / radii).length();
                let slope = (p / (radii * radii)).length();
                if slope < 1e-9 { -radii.min_element() } else { near * (near - 1.0) / slope }
            }
        }
    }

    /// Returns the shape mirrored to the other side of the body, attached to `joint`.
    pub fn mirrored(self, joint: usize) -> Self {
        let flip = dvec3(-1.0, 1.0, 1.0);
        let solid = match self.solid {
            Solid::Cone([a, b], radii) => Solid::Cone([a * flip, b * flip], radii),
            Solid::Egg(centre, radii, pitch) => Solid::Egg(centre * flip, radii, pitch),
        };
        Self { solid, joint, ..self }
    }

    /// Returns the lowest and highest corner of a bounding box.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        match self.solid {
            Solid::Cone([a, b], [ra, rb]) => ((a - ra).min(b - rb), (a + ra).max(b + rb)),
            Solid::Egg(centre, radii, _) => (centre - radii.max_element(), centre + radii.max_element()),
        }
    }
}

/// Returns the signed distance in metres from the blended surface of all shapes to `point`, negative inside.
pub fn distance(shapes: &[Shape], point: DVec3) -> f64 {
    shapes.iter().fold(1e3, |sum, shape| smooth_min(sum, shape.distance(point), shape.blend))
}

/// Returns the outward direction at `point`.
pub fn gradient(shapes: &[Shape], point: DVec3) -> DVec3 {
    const STEP: f64 = 1e-4;
    let slope = |axis: DVec3| distance(shapes, point + axis * STEP) - distance(shapes, point - axis * STEP);
    (dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)) / (2.0 * STEP)).normalize_or(DVec3::Y)
}

/// Returns the quadratic smooth minimum: the corner between two distances is rounded over `width`.
fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - overlap * overlap * width * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_two_shapes_never_shrinks_them() {
        let ball = |x: f64| Shape {
            solid: Solid::Cone([dvec3(x, 0.0, 0.0), dvec3(x, 0.1, 0.0)], [0.2, 0.2]),
            joint: 0,
            blend: 0.1,
        };
        let both = [ball(-0.22), ball(0.22)];
        assert!(distance(&both, DVec3::ZERO) < 0.0 && ball(0.22).distance(DVec3::ZERO) > 0.0);
        assert!(gradient(&both, dvec3(0.5, 0.05, 0.0)).abs_diff_eq(DVec3::X, 1e-3));
    }
}
