//! Line drawings of balls, capsules and planes: their outline seen from the eye, and rings that show depth.

use glam::{Quat, Vec3};

/// Segments per arc.
const SIDES: u32 = 40;

/// Returns a closed ring around `center` in the plane perpendicular to `normal`. The last point equals the first.
pub fn ring(center: Vec3, radius: f32, normal: Vec3) -> Vec<Vec3> {
    let (a, b) = normal.normalize_or(Vec3::Y).any_orthonormal_pair();
    arc(center, radius, [a, b], std::f32::consts::TAU)
}

/// Returns an arc of `angle` radians from the first unit axis towards the second, around `center`. Both ends are included.
fn arc(center: Vec3, radius: f32, [a, b]: [Vec3; 2], angle: f32) -> Vec<Vec3> {
    (0..=SIDES)
        .map(|i| {
            let (sin, cos) = (angle * i as f32 / SIDES as f32).sin_cos();
            center + (a * cos + b * sin) * radius
        })
        .collect()
}

/// Returns the outline of a ball as it faces `eye`: a closed ring through its centre. Perspective is ignored.
pub fn outline(center: Vec3, radius: f32, eye: Vec3) -> Vec<Vec3> {
    ring(center, radius, eye - center)
}

/// Returns two rings of a ball rotated by `turn` that show its depth. The [`outline`] is separate.
pub fn ball(center: Vec3, radius: f32, turn: Quat) -> Vec<Vec<Vec3>> {
    vec![ring(center, radius, turn * Vec3::Y), ring(center, radius, turn * Vec3::X)]
}

/// Returns the closed outline of a capsule seen from `eye`; `a` and `b` are the ends of its axis.
///
/// Looking along the axis, or without length, returns the outline of the ball at `a`.
pub fn capsule_outline(a: Vec3, b: Vec3, radius: f32, eye: Vec3) -> Vec<Vec3> {
    let axis = b - a;
    let side = axis.cross(eye - (a + b) * 0.5);
    let (Some(axis), Some(side)) = (axis.try_normalize(), side.try_normalize()) else { return outline(a, radius, eye) };
    let half = std::f32::consts::PI;
    let mut points = arc(b, radius, [side, axis], half);
    points.extend(arc(a, radius, [-side, -axis], half));
    points.extend(points.first().copied());
    points
}

/// Returns two closed rings, at both ends `a` and `b` of a capsule's axis. The outline is separate.
pub fn capsule(a: Vec3, b: Vec3, radius: f32) -> Vec<Vec<Vec3>> {
    vec![ring(a, radius, b - a), ring(b, radius, b - a)]
}

/// Returns three lines: a closed square of side length `size` in a plane, centred at `point`, and the two of a cross in it.
pub fn plane(point: Vec3, normal: Vec3, size: f32) -> Vec<Vec<Vec3>> {
    let (a, b) = normal.normalize_or(Vec3::Y).any_orthonormal_pair();
    let corner = |x: f32, y: f32| point + (a * x + b * y) * (size * 0.5);
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    vec![
        square.into_iter().map(|(x, y)| corner(x, y)).collect(),
        vec![corner(-1.0, 0.0), corner(1.0, 0.0)],
        vec![corner(0.0, -1.0), corner(0.0, 1.0)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_on_the_surface_of_its_body() {
        let (a, b, eye) = (Vec3::new(1.0, 0.5, 0.0), Vec3::new(1.0, 1.5, 0.2), Vec3::new(3.0, 2.0, 5.0));
        let distance = |point: &Vec3| {
            let along = ((*point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            point.distance(a + (b - a) * along)
        };
        let mut all = capsule(a, b, 0.3);
        all.push(capsule_outline(a, b, 0.3, eye));
        assert!(all.iter().flatten().all(|point| (distance(point) - 0.3).abs() < 1e-5));
        let rings = ball(a, 0.3, Quat::from_rotation_z(0.4));
        assert!(rings.iter().flatten().all(|point| (point.distance(a) - 0.3).abs() < 1e-5));
        assert!(outline(a, 0.3, eye).iter().all(|point| (*point - a).dot(eye - a).abs() < 1e-5));
        assert!(capsule_outline(a, a, 0.3, eye).iter().all(|point| (point.distance(a) - 0.3).abs() < 1e-5));
    }
}
