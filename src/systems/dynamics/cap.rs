//! Contact as geometry on the sphere of directions.
//!
//! A bone of length `len` that starts at `p` can end anywhere on the reach sphere (p, len). The ends that touch a ball (c, R)
//! form a circle, and those inside it a *cap* {u : u·axis > cos}. Planes and hollow balls cut caps too. Moving the end to the
//! nearest point of the circle is therefore one rotation in closed form: bone length and contact are both exact.

use glam::DVec3;

/// Directions that are forbidden: all u with u·axis > cos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cap {
    /// Unit vector to the middle of the cap.
    pub axis: DVec3,
    /// Cosine of the cap's half opening; 1 or more forbids nothing, below −1 everything.
    pub cos: f64,
}

/// Rounding allowed when asking whether a direction is free.
const TOLERANCE: f64 = 1e-12;

impl Cap {
    /// The directions from `p` whose end lies in the ball (`center`, `radius`); `None` where the ball is out of reach.
    pub fn outside_ball(p: DVec3, len: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - p;
        let distance = to.length();
        if distance >= len + radius || len - distance >= radius {
            return None;
        }
        // On the ball's centre every direction is as deep as any other: none is nearer to freedom.
        let axis = if distance > 0.0 { to / distance } else { return Some(Self { axis: DVec3::ZERO, cos: -2.0 }) };
        Some(Self { axis, cos: (distance * distance + len * len - radius * radius) / (2.0 * distance * len) })
    }

    /// The directions from `p` in which the whole bone of this length touches the ball.
    pub fn outside_ball_whole(p: DVec3, len: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - p;
        let tangent = to.length_squared() - radius * radius;
        if tangent <= 0.0 || tangent >= len * len {
            return Self::outside_ball(p, len, center, radius);
        }
        let distance = to.length();
        Some(Self { axis: to / distance, cos: tangent.sqrt() / distance })
    }

    /// The directions from `p` whose end leaves the ball (`center`, `radius`).
    pub fn inside_ball(p: DVec3, len: f64, center: DVec3, radius: f64) -> Option<Self> {
        let to = center - p;
        let distance = to.length();
        if distance + len <= radius {
            return None;
        }
        if distance == 0.0 {
            return Some(Self { axis: DVec3::ZERO, cos: -2.0 });
        }
        let cos = (distance * distance + len * len - radius * radius) / (2.0 * distance * len);
        Some(Self { axis: -to / distance, cos: -cos })
    }

    /// The directions from `p` whose end lies less than `margin` above the plane through `point` with unit `normal`.
    pub fn above_plane(p: DVec3, len: f64, (point, normal): (DVec3, DVec3), margin: f64) -> Option<Self> {
        let cos = ((p - point).dot(normal) - margin) / len;
        (cos < 1.0).then_some(Self { axis: -normal, cos })
    }

    /// Whether some direction is free.
    pub fn is_feasible(&self) -> bool {
        self.cos >= -1.0
    }

    /// Whether `u` is forbidden.
    pub fn forbids(&self, u: DVec3) -> bool {
        u.dot(self.axis) > self.cos + TOLERANCE
    }

    /// The free direction nearest to `u`; straight away from the axis where none is free.
    pub fn nearest_free(&self, u: DVec3, hint: DVec3) -> DVec3 {
        if !self.forbids(u) {
            return u;
        }
        if !self.is_feasible() {
            return if self.axis == DVec3::ZERO { u } else { -self.axis };
        }
        let across = across(u, self.axis, hint);
        let sin = (1.0 - self.cos * self.cos).max(0.0).sqrt();
        (self.axis * self.cos + across * sin).normalize_or(u)
    }
}

/// Unit vector of `u` across `axis`; where there is none, of `hint`, else any.
fn across(u: DVec3, axis: DVec3, hint: DVec3) -> DVec3 {
    let flat = |v: DVec3| v - axis * v.dot(axis);
    [u, hint]
        .into_iter()
        .map(flat)
        .find(|v| v.length_squared() > 1e-24)
        .map_or_else(|| axis.any_orthonormal_vector(), |v| v.normalize())
}

/// Where the border circles of two caps cross, if they do.
fn crossings(a: &Cap, b: &Cap) -> Option<[DVec3; 2]> {
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

/// The direction nearest to `u` that no cap forbids, whatever their order; `None` where there is none.
///
/// The nearest point of an area bounded by circles lies on one of the circles or where two of them cross, so trying these
/// few points is exact.
pub fn nearest_free_of_all(caps: &[Cap], u: DVec3, hint: DVec3) -> Option<DVec3> {
    let free = |v: DVec3| v != DVec3::ZERO && caps.iter().all(|cap| v.dot(cap.axis) <= cap.cos + 1e-10);
    if free(u) {
        return Some(u);
    }
    let single = caps.iter().map(|cap| cap.nearest_free(u, hint));
    let pairs = (0..caps.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let crossed = pairs.filter_map(|(i, j)| crossings(&caps[i], &caps[j])).flatten();
    let nearer = |best: Option<DVec3>, v: DVec3| match best {
        Some(old) if old.dot(u) >= v.dot(u) => Some(old),
        _ => Some(v),
    };
    single.chain(crossed).filter(|&v| free(v)).fold(None, nearer)
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
    fn the_end_lands_on_the_ball_at_bone_length_by_the_least_move() {
        let mut seed = 7;
        for _ in 0..1000 {
            let (p, u) = (DVec3::ZERO, unit(&mut seed));
            let (len, radius) = (0.5 + 0.4 * random(&mut seed), 0.5 + 0.4 * random(&mut seed));
            let center = unit(&mut seed) * (0.6 + 0.5 * random(&mut seed));
            let Some(cap) = Cap::outside_ball(p, len, center, radius) else { continue };
            if !cap.forbids(u) || !cap.is_feasible() {
                continue;
            }
            let v = cap.nearest_free(u, DVec3::Y);
            assert!(((p + v * len - center).length() - radius).abs() < 1e-9 * radius);
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
        let caps = [0.15, -0.2].map(|x| Cap::outside_ball(DVec3::ZERO, 1.0, DVec3::new(x, -1.0, 0.05), 0.4).unwrap());
        let one = nearest_free_of_all(&caps, u, DVec3::X).unwrap();
        let two = nearest_free_of_all(&[caps[1], caps[0]], u, DVec3::X).unwrap();
        assert!(one.abs_diff_eq(two, 1e-12));
        assert!(caps.iter().all(|cap| one.dot(cap.axis) <= cap.cos + 1e-10));
    }

    #[test]
    fn a_bone_that_starts_inside_goes_to_the_shallowest_end() {
        let cap = Cap::outside_ball(DVec3::ZERO, 0.1, DVec3::X * 0.2, 1.0).unwrap();
        assert!(!cap.is_feasible());
        assert_eq!(cap.nearest_free(DVec3::Y, DVec3::Y), DVec3::NEG_X);
        let centred = Cap::outside_ball(DVec3::ZERO, 0.1, DVec3::ZERO, 1.0).unwrap();
        assert_eq!(centred.nearest_free(DVec3::Y, DVec3::X), DVec3::Y);
    }
}
