//! Angle limits: how far a bone may rotate away from its animated direction.

use glam::{DQuat, DVec3};

use super::settings::AngleLimit;
use super::world_transform::slerp_direction;

/// The direction nearest to unit vector `along` that `limit` allows; `joint` is the animated rotation, `rest` the animated direction.
pub(super) fn limited(limit: AngleLimit, joint: DQuat, rest: DVec3, along: DVec3) -> DVec3 {
    match limit {
        AngleLimit::Free => along,
        AngleLimit::Cone { angle } => {
            let turned = rest.cross(along).length().atan2(rest.dot(along));
            if turned <= angle { along } else { slerp_direction(rest, along, angle / turned) }
        }
        AngleLimit::Hinge { axis, low, high } => {
            let axis = joint * axis;
            // An axis along the bone leaves no plane to stay in.
            let Some(axis) = (axis - rest * axis.dot(rest)).try_normalize() else { return along };
            let side = axis.cross(rest);
            let (sin, cos) = along.dot(side).atan2(along.dot(rest)).clamp(low, high).sin_cos();
            rest * cos + side * sin
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_stops_at_its_edge_and_a_hinge_stays_in_its_plane() {
        let cone = limited(AngleLimit::Cone { angle: 0.3 }, DQuat::IDENTITY, DVec3::Y, DVec3::X);
        assert!((cone.angle_between(DVec3::Y) - 0.3).abs() < 1e-9);
        let hinge = AngleLimit::Hinge { axis: DVec3::Z, low: -0.5, high: 0.5 };
        let turned = limited(hinge, DQuat::IDENTITY, DVec3::Y, DVec3::new(-0.9, 0.1, 0.4).normalize());
        assert!(turned.z.abs() < 1e-12 && (turned.angle_between(DVec3::Y) - 0.5).abs() < 1e-9);
        let free = limited(hinge, DQuat::IDENTITY, DVec3::Y, DVec3::new(0.1, 1.0, 0.0).normalize());
        assert!(free.abs_diff_eq(DVec3::new(0.1, 1.0, 0.0).normalize(), 1e-12));
    }
}
