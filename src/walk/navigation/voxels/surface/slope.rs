//! Slope of a span, from the triangle at its top.
//!
//! Heights of neighbouring spans give a slope only within some ten degrees. So the triangle's slope is carried through
//! the voxel stages in one byte per span:
//!
//! ```text
//! 0                              slope > limit
//! 1 + round(253 · slope / limit) otherwise
//! ```
//!
//! The larger byte, which is the steeper slope, wins at meeting triangles.

use glam::Vec3;

/// Number of walkable codes less one.
const CODE_STEPS: f32 = 253.0;

/// Slope of a span's top as a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlopeCode(pub(crate) u8);

impl SlopeCode {
    /// Code of slopes that are not walkable.
    pub(crate) const OVER_LIMIT: Self = Self(0);

    /// True if the slope is walkable.
    pub(crate) fn is_walkable(self) -> bool {
        self != Self::OVER_LIMIT
    }
}

/// Conversion between slopes and codes for one slope limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlopeScale {
    /// The slope limit, degrees.
    limit: f32,
    /// Its cosine.
    cosine: f32,
}

impl SlopeScale {
    /// Creates the scale for a limit in degrees.
    pub(crate) fn new(limit: f64) -> Self {
        let limit = limit as f32;
        Self { limit, cosine: (limit / 180.0 * std::f32::consts::PI).cos() }
    }

    /// Returns the code of a triangle. Triangles that look down or have no area are over the limit.
    pub(crate) fn code(self, triangle: [Vec3; 3]) -> SlopeCode {
        let normal = normal(triangle);
        if !self.is_up(normal) {
            return SlopeCode::OVER_LIMIT;
        }
        // Single precision is enough for a byte.
        let degrees = (normal.x * normal.x + normal.z * normal.z).sqrt().atan2(normal.y).to_degrees();
        let share = if self.limit > 0.0 { (degrees / self.limit).clamp(0.0, 1.0) } else { 0.0 };
        SlopeCode(1 + (share * CODE_STEPS + 0.5) as u8)
    }

    /// True if a triangle is within the limit.
    pub(crate) fn is_walkable(self, triangle: [Vec3; 3]) -> bool {
        self.is_up(normal(triangle))
    }
    /// True if a face with this normal is within the limit.
    fn is_up(self, normal: Vec3) -> bool {
        // Recast's comparison: NaN is not walkable, and level ground is walkable even at a limit of 0.
        normal.y > self.cosine || (normal.y >= 1.0 && self.cosine >= 1.0)
    }

    /// Returns the slope of a walkable code in degrees, within half a 253rd of the limit.
    pub(crate) fn degrees(self, code: SlopeCode) -> f32 {
        f32::from(code.0.saturating_sub(1)) / CODE_STEPS * self.limit
    }
}

/// Returns the slope in degrees from level, 0…180, above 90 for faces that look down; 90 for a triangle without area.
pub(crate) fn degrees([a, b, c]: [Vec3; 3]) -> f32 {
    let normal = (b - a).as_dvec3().cross((c - a).as_dvec3());
    if normal.length_squared() > 0.0 {
        (normal.x * normal.x + normal.z * normal.z).sqrt().atan2(normal.y).to_degrees() as f32
    } else {
        90.0
    }
}

/// Returns the unit normal; NaN for a triangle without area.
fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(c - a);
    normal * (1.0 / normal.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a triangle that rises by `slope` degrees, rotated by `yaw`.
    fn tilted(slope: f32, yaw: f32) -> [Vec3; 3] {
        let turn = glam::Quat::from_rotation_y(yaw.to_radians()) * glam::Quat::from_rotation_x(slope.to_radians());
        [Vec3::ZERO, Vec3::Z * 3.0, Vec3::X * 2.0].map(|corner| turn * corner)
    }

    #[test]
    fn the_byte_gives_the_slope_back_within_a_tenth_of_a_degree() {
        let scale = SlopeScale::new(45.0);
        for step in 0..450 {
            let slope = step as f32 * 0.1;
            let area = scale.code(tilted(slope, 33.0));
            assert!(area.is_walkable() && (scale.degrees(area) - slope).abs() < 0.1, "{slope}");
        }
    }

    #[test]
    fn walkable_ends_at_the_limit_and_never_looks_down() {
        let scale = SlopeScale::new(30.0);
        assert!(scale.code(tilted(29.9, 10.0)).is_walkable());
        assert!(!scale.code(tilted(30.1, 10.0)).is_walkable());
        let [a, b, c] = tilted(0.0, 0.0);
        assert!(!scale.code([a, c, b]).is_walkable());
        assert!(!scale.code([a, a, b]).is_walkable());
        assert_eq!(degrees([a, a, b]), 90.0);
        assert!((degrees([a, c, b]) - 180.0).abs() < 1e-4);
        assert!(SlopeScale::new(0.0).code([a, b, c]).is_walkable());
    }

    #[test]
    fn a_slope_exactly_at_the_limit_is_not_walkable_but_level_ground_always_is() {
        let scale = SlopeScale::new(45.0);
        let tilted = |cosine: f32| Vec3::new((1.0 - cosine * cosine).sqrt(), cosine, 0.0);
        assert!(!scale.is_up(tilted(scale.cosine)) && scale.is_up(tilted(scale.cosine + 1e-4)));
        assert!(SlopeScale::new(0.0).is_up(Vec3::Y) && !SlopeScale::new(0.0).is_up(tilted(0.999)));
        assert!(!scale.is_up(Vec3::NAN));
    }
}
