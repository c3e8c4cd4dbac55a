//! Contact as geometry on the sphere of directions.
//!
//! A bone of length `length` that starts at `start` can end anywhere on the reach sphere around `start`. The ends that
//! touch a ball form a circle. The ends inside the ball form a *spherical cap* {u : u·axis > cos}. Planes and balls that
//! enclose bones cut caps too. Moving the end to the nearest point of the circle is therefore one rotation in closed
//! form: bone length and contact are both exact. The angle follows from the law of cosines in the triangle of start, end
//! and centre.

use glam::DVec3;

/// Forbidden directions: all u with u·axis > cos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SphericalCap {
    /// Unit vector to the middle of the cap.
    pub axis: DVec3,
    /// Cosine of the cap's half opening; at 1 or more nothing is forbidden, below −1 everything.
    pub cos: f64,
}

/// Tolerance for rounding in [`SphericalCap::forbids`], as a difference of cosines.
const COSINE_TOLERANCE: f64 = 1e-12;

/// Result of moving a direction out of caps.
pub(crate) struct Escape {
    /// The direction found, a unit vector.
    pub direction: DVec3,
    /// True if no cap forbids the direction; otherwise it is the one with the least depth.
    pub is_free: bool,
}

impl SphericalCap {
    /// Cap of a bone that starts in the ball's centre: all directions are forbidden and equally deep.
    const EVERYTHING: Self = Self { axis: DVec3::ZERO, cos: -2.0 };

    /// Returns the directions from `start` whose end, `length` away, is inside the ball (`center`, `radius`), all in
    /// metres. Returns `None` if the ball is out of reach.
    ///
    /// `length` must be above 0.
    pub(super) fn outside_ball(start: DVec3, length: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - start;
        let distance = to.length();
        if distance >= length + radius || length - distance >= radius {
            return None;
        }
        if distance > 0.0 {
            let cos = (distance * distance + length * length - radius * radius) / (2.0 * distance * length);
            return Some(Self { axis: to / distance, cos });
        }
        Some(Self::EVERYTHING)
    }

    /// Returns the directions from `start` in which any part of a bone of this length is inside the ball, all in
    /// metres. Returns `None` if the ball is out of reach.
    pub(super) fn capsule_outside_ball(start: DVec3, length: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - start;
        let tangent = to.length_squared() - radius * radius;
        // If the tangent from the start touches the ball beyond the bone's end, the end touches first.
        if tangent <= 0.0 || tangent >= length * length {
            return Self::outside_ball(start, length, center, radius);
        }
        let distance = to.length();
        Some(Self { axis: to / distance, cos: tangent.sqrt() / distance })
    }

    /// Returns the directions from `start` whose end, `length` away, leaves the ball (`center`, `radius`), all in
    /// metres. Returns `None` if all ends are inside.
    pub(super) fn inside_ball(start: DVec3, length: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - start;
        let distance = to.length();
        if distance + length <= radius {
            return None;
        }
        if distance == 0.0 {
            return Some(Self::EVERYTHING);
        }
        let cos = (distance * distance + length * length - radius * radius) / (2.0 * distance * length);
        Some(Self { axis: -to / distance, cos: -cos })
    }

    /// Returns the directions whose end is behind a plane with unit `normal`. `height` is the distance of the start
    /// from the plane, metres. Returns `None` if all directions are in front of it.
    pub(super) fn above_plane(length: f64, height: f64, normal: DVec3) -> Option<Self> {
        let cos = height / length;
        (cos < 1.0).then_some(Self { axis: -normal, cos })
    }

    /// True if some direction is free.
    pub(super) fn is_feasible(&self) -> bool {
        self.cos >= -1.0
    }

    /// True if unit vector `direction` is forbidden.
    pub(super) fn forbids(&self, direction: DVec3) -> bool {
        direction.dot(self.axis) > self.cos + COSINE_TOLERANCE
    }

    /// Returns the free direction nearest to `direction`; opposite to the axis if none is free.
    ///
    /// `hint` selects the side if `direction` equals the axis.
    pub(crate) fn nearest_free(&self, direction: DVec3, hint: DVec3) -> DVec3 {
        if !self.forbids(direction) {
            return direction;
        }
        if !self.is_feasible() {
            return if self.axis == DVec3::ZERO { direction } else { -self.axis };
        }
        let across = across(direction, self.axis, hint);
        let sin = (1.0 - self.cos * self.cos).max(0.0).sqrt();
        (self.axis * self.cos + across * sin).normalize_or(direction)
    }
}

/// Returns the unit vector of the component of `direction` across `axis`. If there is none, uses `hint`, otherwise any
/// vector across.
fn across(direction: DVec3, axis: DVec3, hint: DVec3) -> DVec3 {
    let flat = |v: DVec3| v - axis * v.dot(axis);
    [direction, hint]
        .into_iter()
        .map(flat)
        .find(|v| v.length_squared() > 1e-24)
        .map_or_else(|| axis.any_orthonormal_vector(), |v| v.normalize())
}

/// Returns the two directions in which the border circles of two caps cross; `None` if they do not.
fn border_crossings(a: &SphericalCap, b: &SphericalCap) -> Option<[DVec3; 2]> {
    let dot = a.axis.dot(b.axis);
    let det = 1.0 - dot * dot;
    if det < 1e-12 {
        return None;
    }
    let middle = a.axis * ((a.cos - b.cos * dot) / det) + b.axis * ((b.cos - a.cos * dot) / det);
    let rest = 1.0 - middle.length_squared();
    let lift = a.axis.cross(b.axis) * (rest.max(0.0) / det).sqrt();
    (rest >= 0.0).then(|| [(middle + lift).normalize_or_zero(), (middle - lift).normalize_or_zero()])
}

/// Returns the direction nearest to `wanted` that no cap forbids, independent of their order; `None` if there is none.
///
/// The nearest point of an area bounded by circles lies on one of the circles or where two of them cross. Testing these
/// few points is therefore exact.
pub(super) fn nearest_free_of_all(caps: &[SphericalCap], wanted: DVec3, hint: DVec3) -> Option<DVec3> {
    // A crossing lies on two borders: its rounding error is larger than on one.
    let free = |v: DVec3| v != DVec3::ZERO && caps.iter().all(|cap| v.dot(cap.axis) <= cap.cos + 1e-10);
    if free(wanted) {
        return Some(wanted);
    }
    // Leaving the deepest cap is a lower bound on the rotation, so if that direction is free, it is the nearest.
    let single = |cap: &SphericalCap| cap.nearest_free(wanted, hint);
    let longest = caps.iter().filter(|cap| cap.forbids(wanted)).map(single).min_by(|a, b| {
        let (a, b) = (a.dot(wanted), b.dot(wanted));
        a.total_cmp(&b)
    });
    if let Some(longest) = longest.filter(|&longest| free(longest)) {
        return Some(longest);
    }
    let pairs = (0..caps.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let crossed = pairs.filter_map(|(i, j)| border_crossings(&caps[i], &caps[j])).flatten();
    let mut best: Option<(DVec3, f64)> = None;
    for v in caps.iter().map(single).chain(crossed) {
        let along = v.dot(wanted);
        if best.is_none_or(|(_, nearest)| along > nearest) && free(v) {
            best = Some((v, along));
        }
    }
    best.map(|(nearest, _)| nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    fn unit(seed: &mut u64) -> DVec3 {
        DVec3::new(random(seed), random(seed), random(seed)).normalize_or(DVec3::X)
    }

    #[test]
    fn the_end_moves_to_the_nearest_point_of_the_ball_at_bone_length() {
        let mut seed = 7;
        for _ in 0..1000 {
            let (start, u) = (DVec3::ZERO, unit(&mut seed));
            let (length, radius) = (0.5 + 0.4 * random(&mut seed), 0.5 + 0.4 * random(&mut seed));
            let center = unit(&mut seed) * (0.6 + 0.5 * random(&mut seed));
            let Some(cap) = SphericalCap::outside_ball(start, length, center, radius) else { continue };
            if !cap.forbids(u) || !cap.is_feasible() {
                continue;
            }
            let v = cap.nearest_free(u, DVec3::Y);
            assert!(((start + v * length - center).length() - radius).abs() < 1e-9 * radius);
            assert!((v.length() - 1.0).abs() < 1e-14);
            for _ in 0..50 {
                let other = cap.nearest_free((v + unit(&mut seed) * 0.3).normalize(), DVec3::Y);
                assert!(cap.forbids(other) || other.dot(u) <= v.dot(u) + 1e-9, "{other} is nearer than {v}");
            }
        }
    }

    #[test]
    fn a_corner_between_two_balls_is_found_in_either_order() {
        let u = DVec3::NEG_Y;
        let caps =
            [0.15, -0.2].map(|x| SphericalCap::outside_ball(DVec3::ZERO, 1.0, DVec3::new(x, -1.0, 0.05), 0.4).unwrap());
        let one = nearest_free_of_all(&caps, u, DVec3::X).unwrap();
        let two = nearest_free_of_all(&[caps[1], caps[0]], u, DVec3::X).unwrap();
        assert!(one.abs_diff_eq(two, 1e-12));
        assert!(caps.iter().all(|cap| one.dot(cap.axis) <= cap.cos + 1e-10));
    }

    #[test]
    fn borders_cross_in_two_directions_on_both_circles_or_not_at_all() {
        let mut seed = 3;
        let (mut crossing, mut separate) = (0, 0);
        for _ in 0..500 {
            let [a, b] = [0, 1].map(|_| SphericalCap { axis: unit(&mut seed), cos: random(&mut seed) });
            // Circles of angular radii p and q about axes at angle d.
            let [p, q, d] = [a.cos, b.cos, a.axis.dot(b.axis)].map(f64::acos);
            let meet = (p - q).abs() <= d && d <= p + q && p + q + d <= std::f64::consts::TAU;
            let crossings = border_crossings(&a, &b);
            assert_eq!(crossings.is_some(), meet, "{p} {q} {d}");
            for v in crossings.into_iter().flatten() {
                assert!((v.length() - 1.0).abs() < 1e-12);
                assert!((v.dot(a.axis) - a.cos).abs() < 1e-9 && (v.dot(b.axis) - b.cos).abs() < 1e-9, "{v}");
            }
            if meet { crossing += 1 } else { separate += 1 }
        }
        assert!(crossing > 100 && separate > 100, "{crossing} {separate}");
    }

    #[test]
    fn a_bone_that_starts_inside_turns_to_the_end_of_least_depth() {
        let cap = SphericalCap::outside_ball(DVec3::ZERO, 0.1, DVec3::X * 0.2, 1.0).unwrap();
        assert!(!cap.is_feasible());
        assert_eq!(cap.nearest_free(DVec3::Y, DVec3::Y), DVec3::NEG_X);
        let centred = SphericalCap::outside_ball(DVec3::ZERO, 0.1, DVec3::ZERO, 1.0).unwrap();
        assert_eq!(centred.nearest_free(DVec3::Y, DVec3::X), DVec3::Y);
    }
}
