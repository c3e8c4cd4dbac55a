//! Angle limits: the directions allowed for a bone, and the nearest of them outside all colliders.
//!
//! A cone forbids a spherical cap around the direction opposite to the animated one. Colliders forbid caps too, so one
//! exact search leaves both. A hinge leaves an arc of a great circle, on which each cap forbids one interval of angles.
//! Where limit and colliders together leave no direction, the limit wins.

use glam::{DQuat, DVec3};

use crate::collide::spherical_cap::{Escape, SphericalCap};
use crate::settings::AngleLimit;

/// The directions that an angle limit allows a bone in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// No direction is forbidden.
    Everything,
    /// All directions outside of a cap.
    Cone(SphericalCap),
    /// An arc of a great circle.
    Hinge(HingeArc),
}

/// The arc from `low` to `high` (radians) of a great circle; the angle is 0 at `animated` and grows towards `side`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HingeArc {
    animated: DVec3,
    /// Unit vector across `animated`.
    side: DVec3,
    low: f64,
    high: f64,
}

impl Allowed {
    /// Returns the directions that `limit` allows. `joint` is the joint's animated rotation and `animated` the bone's
    /// animated unit direction. All directions are allowed by a cone of half a turn, and by a hinge whose axis is along the
    /// bone.
    #[inline]
    pub fn new(limit: AngleLimit, joint: DQuat, animated: DVec3) -> Self {
        match limit {
            AngleLimit::Free => Self::Everything,
            AngleLimit::Cone { angle } if angle >= std::f64::consts::PI => Self::Everything,
            AngleLimit::Cone { angle } => Self::Cone(SphericalCap { axis: -animated, cos: -angle.cos() }),
            AngleLimit::Hinge { axis, low, high } => {
                let axis = joint * axis;
                // An axis along the bone leaves no plane to stay in.
                let Some(axis) = (axis - animated * axis.dot(animated)).try_normalize() else {
                    return Self::Everything;
                };
                Self::Hinge(HingeArc { animated, side: axis.cross(animated), low, high })
            }
        }
    }

    /// Returns the allowed direction nearest to unit vector `wanted`. Where a cone is equally far on all sides, `hint`
    /// selects the side.
    #[inline]
    pub fn nearest(&self, wanted: DVec3, hint: DVec3) -> DVec3 {
        match self {
            Self::Everything => wanted,
            Self::Cone(cap) => cap.nearest_free(wanted, hint),
            Self::Hinge(arc) => arc.at(arc.angle_of(wanted)),
        }
    }
}

impl HingeArc {
    /// Returns the unit direction at `angle` (radians) of the circle, which may be outside the arc.
    fn at(&self, angle: f64) -> DVec3 {
        let (sin, cos) = angle.sin_cos();
        self.animated * cos + self.side * sin
    }

    /// Returns the angle in radians of `direction` on the circle, clamped to the arc.
    fn angle_of(&self, direction: DVec3) -> f64 {
        direction.dot(self.side).atan2(direction.dot(self.animated)).clamp(self.low, self.high)
    }

    /// Returns the unit direction on the arc nearest to `wanted` outside all caps, or the one with the least depth if none is
    /// outside.
    pub fn leave(&self, caps: &[SphericalCap], wanted: DVec3) -> Escape {
        let from = self.angle_of(wanted);
        let depth = |angle: f64| {
            let direction = self.at(angle);
            caps.iter().map(|cap| direction.dot(cap.axis) - cap.cos).fold(f64::NEG_INFINITY, f64::max)
        };
        let ends = caps.iter().flat_map(|cap| self.turning_points(cap));
        let candidates: Vec<f64> = [from, self.low, self.high].into_iter().chain(ends).collect();
        let nearer = |best: Option<f64>, angle: f64| match best {
            Some(old) if (old - from).abs() <= (angle - from).abs() => Some(old),
            _ => Some(angle),
        };
        // The ends of intervals are free except for rounding.
        let free = candidates.iter().copied().filter(|&angle| depth(angle) <= 1e-10).fold(None, nearer);
        let shallower = |best: f64, angle: f64| if depth(angle) < depth(best) { angle } else { best };
        let angle = free.unwrap_or_else(|| candidates.iter().copied().fold(from, shallower));
        Escape { direction: self.at(angle), is_free: free.is_some() }
    }

    /// Returns the angles (radians) within the arc where a cap begins and ends, and the one farthest from its middle.
    fn turning_points(&self, cap: &SphericalCap) -> impl Iterator<Item = f64> {
        let (along, aside) = (cap.axis.dot(self.animated), cap.axis.dot(self.side));
        let (middle, reach) = (aside.atan2(along), along.hypot(aside));
        let half = if reach > 0.0 { (cap.cos / reach).clamp(-1.0, 1.0).acos() } else { 0.0 };
        let turn = std::f64::consts::TAU;
        let (low, high) = (self.low, self.high);
        [middle - half, middle + half, middle + 0.5 * turn]
            .into_iter()
            .flat_map(move |angle| [angle - turn, angle, angle + turn])
            .filter(move |angle| (low..=high).contains(angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hinge() -> Allowed {
        Allowed::new(AngleLimit::Hinge { axis: DVec3::Z, low: -0.5, high: 0.5 }, DQuat::IDENTITY, DVec3::Y)
    }

    #[test]
    fn a_cone_stops_at_its_edge_and_a_hinge_stays_in_its_plane() {
        let cone = Allowed::new(AngleLimit::Cone { angle: 0.3 }, DQuat::IDENTITY, DVec3::Y);
        assert!((cone.nearest(DVec3::X, DVec3::X).angle_between(DVec3::Y) - 0.3).abs() < 1e-9);
        let turned = hinge().nearest(DVec3::new(-0.9, 0.1, 0.4).normalize(), DVec3::X);
        assert!(turned.z.abs() < 1e-12 && (turned.angle_between(DVec3::Y) - 0.5).abs() < 1e-9);
        let inside = DVec3::new(0.1, 1.0, 0.0).normalize();
        assert!(hinge().nearest(inside, DVec3::X).abs_diff_eq(inside, 1e-12));
    }

    #[test]
    fn a_hinge_leaves_caps_by_the_smaller_angle_or_else_takes_the_least_depth() {
        let Allowed::Hinge(arc) = hinge() else { panic!() };
        let cap = |x: f64, half: f64| SphericalCap { axis: DVec3::new(x, 1.0, 0.0).normalize(), cos: half.cos() };
        let Escape { direction: aside, is_free: free } = arc.leave(&[cap(0.1, 0.3)], DVec3::Y);
        assert!(free && (aside.angle_between(DVec3::new(0.1, 1.0, 0.0)) - 0.3).abs() < 1e-9 && aside.x < 0.0);
        let Escape { direction: aside, is_free: free } = arc.leave(&[cap(0.1, 2.0)], DVec3::Y);
        // The cap's middle lies towards +X, so the end of the arc at −X is the shallowest.
        assert!(!free && (aside.x + 0.5_f64.sin()).abs() < 1e-12, "{aside}");
    }
}
