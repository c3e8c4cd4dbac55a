//! Ground height under a foot to the side of the path.

use glam::DVec3;

use crate::locomotion::GroundHeight;

/// Distance between ground queries, metres. A query sees a step up and down from the last height, so this follows any
/// walkable slope.
const QUERY_SPACING_M: f64 = 0.25;
/// Largest number of queries. Tuned; no derivation recorded.
const MAX_QUERIES: f64 = 16.0;

/// Returns the `ground` height at `foot` (metres), queried from the height of the path position `path`. If a slope
/// hides the foot from there, the ground is followed from the path to the foot. Returns `None` without ground.
pub(crate) fn ground_at_foot(ground: GroundHeight, path: DVec3, foot: DVec3) -> Option<f64> {
    let height = |position: DVec3| ground(position).filter(|height| height.is_finite());
    let followed = || {
        let steps =
            (path.with_y(0.0).distance(foot.with_y(0.0)) / QUERY_SPACING_M).ceil().clamp(1.0, MAX_QUERIES) as usize;
        let position = |i: usize| path.lerp(foot, i as f64 / steps as f64);
        (1..=steps).try_fold(path.y, |last, i| height(position(i).with_y(last)))
    };
    height(foot.with_y(path.y)).or_else(followed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground that is visible from half a metre above and below.
    fn seen(height: impl Fn(DVec3) -> f64) -> impl Fn(DVec3) -> Option<f64> {
        move |position: DVec3| Some(height(position)).filter(|height| (height - position.y).abs() <= 0.5)
    }

    #[test]
    fn a_steep_slope_is_followed_to_the_foot_and_a_wall_is_not() {
        let at = |height: &dyn Fn(DVec3) -> f64, x: f64| {
            ground_at_foot(&seen(height), DVec3::Z * 4.0, DVec3::new(x, 0.0, 4.0))
        };
        // Legs far apart: the foot is 80 cm to the side of the path.
        for slope in [1.0, -1.0] {
            let height = at(&|position| slope * position.x, 0.8).unwrap();
            assert!((height - slope * 0.8).abs() < 1e-12, "{height}");
        }
        assert_eq!(at(&|position| if position.x > 0.4 { 1.0 } else { 0.0 }, 0.8), None);
        assert_eq!(at(&|position| 0.3 * f64::from(u8::from(position.x > 0.4)), 0.8), Some(0.3));
        assert_eq!(at(&|_| f64::NAN, 0.8), None);
    }
}
