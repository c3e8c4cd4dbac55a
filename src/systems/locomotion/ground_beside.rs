//! The ground under a foot that stands beside the way.

use glam::DVec3;

use super::GroundHeight;

/// Metres from one look to the next: ground is seen a step above and below where it was last, so that this follows any slope that is
/// walked on.
const STEP: f64 = 0.25;
/// Looks at most.
const MOST: f64 = 16.0;

/// Height of the `ground` at `foot` (metres) as seen from `way`, the place beside it on the way. Where a slope takes it out of sight
/// from there, it is followed from the way to the foot; `None` where there is none.
pub(super) fn ground_beside(ground: GroundHeight, way: DVec3, foot: DVec3) -> Option<f64> {
    let height = |place: DVec3| ground(place).filter(|height| height.is_finite());
    let followed = || {
        let steps = (way.with_y(0.0).distance(foot.with_y(0.0)) / STEP).ceil().clamp(1.0, MOST) as usize;
        let place = |i: usize| way.lerp(foot, i as f64 / steps as f64);
        (1..=steps).try_fold(way.y, |last, i| height(place(i).with_y(last)))
    };
    height(foot.with_y(way.y)).or_else(followed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground of that height, seen from half a metre above and below.
    fn seen(height: impl Fn(DVec3) -> f64) -> impl Fn(DVec3) -> Option<f64> {
        move |place: DVec3| Some(height(place)).filter(|height| (height - place.y).abs() <= 0.5)
    }

    #[test]
    fn a_steep_slope_is_followed_to_the_foot_and_a_wall_is_not() {
        let at = |height: &dyn Fn(DVec3) -> f64, x: f64| {
            ground_beside(&seen(height), DVec3::Z * 4.0, DVec3::new(x, 0.0, 4.0))
        };
        // A body with legs far apart: its foot is 80 cm over the way.
        for slope in [1.0, -1.0] {
            let height = at(&|place| slope * place.x, 0.8).unwrap();
            assert!((height - slope * 0.8).abs() < 1e-12, "{height}");
        }
        assert_eq!(at(&|place| if place.x > 0.4 { 1.0 } else { 0.0 }, 0.8), None);
        assert_eq!(at(&|place| 0.3 * f64::from(u8::from(place.x > 0.4)), 0.8), Some(0.3));
        assert_eq!(at(&|_| f64::NAN, 0.8), None);
    }
}
