//! Three methods to move the end of a path to a target, as functions of points.
//!
//! With path P(1..N), target D, arc length s(i) and total length S:
//!
//! ```text
//! Displacement: Q(i) = P(i) + (D − P(N)) · s(i) / S
//! Uniform:      Q(i) = P(i) + (D − P(N)) · (t(i) − t(1)) / (t(N) − t(1))
//! Shear:        W = I + (T − D₀)·D₀ᵀ / (D₀·D₀), Q(i) = P(1) + W·(P(i) − P(1))
//! ```
//!
//! Displacement uses the arc length instead of summed steps, so that each frame is independent and the end is exact. Shear is the
//! least-change linear map from the source's travel D₀ to the wanted travel T.

use glam::DVec3;

use super::settings::LengthMeasure;
use portamento_anim::math::displacement::{displace, rounding};

/// Returns the length of a step according to `measure`.
pub(super) fn step_length(step: DVec3, measure: LengthMeasure) -> f64 {
    match measure {
        LengthMeasure::Full => step.length(),
        LengthMeasure::Horizontal => step.x.hypot(step.z),
        LengthMeasure::Vertical => step.y.abs(),
    }
}

/// Returns the travelled length up to each point at `times` (seconds), in the unit of `path`. Steps slower than `dead_zone`
/// (units per second) count as 0.
pub fn lengths(path: &[DVec3], times: &[f64], measure: LengthMeasure, dead_zone: f64) -> Vec<f64> {
    let min_length = rounding(path);
    let mut sum = 0.0;
    let step = |(points, times): (&[DVec3], &[f64])| {
        let length = step_length(points[1] - points[0], measure);
        let is_still = length <= min_length || length < dead_zone * (times[1] - times[0]);
        sum += if is_still { 0.0 } else { length };
        sum
    };
    let mut lengths = Vec::with_capacity(path.len());
    lengths.extend(path.first().map(|_| 0.0));
    lengths.extend(path.windows(2).zip(times.windows(2)).map(step));
    lengths
}

/// Returns the path with its end moved to `target` and the correction distributed by length. `lengths` is the travelled length up
/// to each point. A path of length 0, or one that already ends at `target`, is returned unchanged.
pub fn displacement(path: &[DVec3], lengths: &[f64], target: DVec3) -> Vec<DVec3> {
    displace(path, lengths, target)
}

/// Returns the path with its end moved to `target` and the correction distributed evenly over time, as most engines do. Pauses
/// become glides.
pub fn uniform(path: &[DVec3], times: &[f64], target: DVec3) -> Vec<DVec3> {
    displace(path, times, target)
}

/// Returns the path under the least-change linear map from its travel to that of `target`, both according to `measure`. Returns
/// `None` if the path ends where it begins.
pub fn shear(path: &[DVec3], target: DVec3, measure: LengthMeasure) -> Option<Vec<DVec3>> {
    let (&start, &end) = (path.first()?, path.last()?);
    let measured = |offset: DVec3| match measure {
        LengthMeasure::Full => offset,
        LengthMeasure::Horizontal => offset.with_y(0.0),
        LengthMeasure::Vertical => DVec3::Y * offset.y,
    };
    let travel = measured(end - start);
    let square = travel.dot(travel);
    let max_squared = path.iter().map(|&point| measured(point - start).length_squared()).fold(0.0, f64::max);
    if square <= max_squared * 1e-12 {
        return None;
    }
    let excess = target - end;
    let last = path.len() - 1;
    let moved = |point: DVec3| point + excess * ((point - start).dot(travel) / square);
    Some(path.iter().enumerate().map(|(i, &p)| if i == last || p == end { target } else { moved(p) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    fn on_x(values: &[f64]) -> Vec<DVec3> {
        values.iter().map(|&x| DVec3::new(x, 0.0, 0.0)).collect()
    }

    fn frames(count: usize) -> Vec<f64> {
        (0..count).map(|i| i as f64).collect()
    }

    fn stretched(path: &[DVec3], target: DVec3) -> Vec<DVec3> {
        displacement(path, &lengths(path, &frames(path.len()), LengthMeasure::Full, 0.0), target)
    }

    fn assert_near(got: &[DVec3], expected: &[DVec3], tolerance: f64) {
        assert_eq!(got.len(), expected.len());
        got.iter().zip(expected).for_each(|(a, b)| assert!(a.abs_diff_eq(*b, tolerance), "{got:?} {expected:?}"));
    }

    #[test]
    fn a_back_step_shrinks_and_an_overshoot_grows_less_than_by_shear() {
        let back = on_x(&[0.0, -1.0, 3.0]);
        assert_near(&stretched(&back, DVec3::X * 4.0), &on_x(&[0.0, -0.8, 4.0]), 1e-12);
        assert_near(&shear(&back, DVec3::X * 4.0, LengthMeasure::Full).unwrap(), &on_x(&[0.0, -4.0 / 3.0, 4.0]), 1e-12);
        let over = on_x(&[0.0, 1.0, 2.0, 3.0, 2.0]);
        assert_near(&stretched(&over, DVec3::X * 4.0), &on_x(&[0.0, 1.5, 3.0, 4.5, 4.0]), 1e-12);
        assert_near(
            &shear(&over, DVec3::X * 4.0, LengthMeasure::Full).unwrap(),
            &on_x(&[0.0, 2.0, 4.0, 6.0, 4.0]),
            1e-12,
        );
    }

    #[test]
    fn a_closed_square_is_carried_to_its_target_where_shear_is_undefined() {
        let corners = |rows: [(f64, f64); 5]| rows.map(|(x, z)| DVec3::new(x, 0.0, z)).to_vec();
        let square = corners([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]);
        let target = DVec3::X * 2.0;
        let expected = corners([(0.0, 0.0), (1.5, 0.0), (2.0, 1.0), (1.5, 1.0), (2.0, 0.0)]);
        assert_near(&stretched(&square, target), &expected, 1e-12);
        assert_eq!(shear(&square, target, LengthMeasure::Full), None);
    }

    #[test]
    fn a_horizontal_shear_ignores_and_keeps_the_height_of_a_path() {
        let bobbing = [[0.0, 0.9, 0.0], [0.0, 1.4, 1.0], [0.0, 0.6, 2.0]].map(DVec3::from);
        let target = DVec3::new(0.0, 0.6, 4.0);
        let sheared = shear(&bobbing, target, LengthMeasure::Horizontal).unwrap();
        assert_near(&sheared, &[[0.0, 0.9, 0.0], [0.0, 1.4, 2.0], [0.0, 0.6, 4.0]].map(DVec3::from), 1e-12);
    }

    #[test]
    fn a_pause_stays_a_pause_where_the_uniform_method_glides() {
        let path = on_x(&[0.0, 1.0, 1.0, 1.0, 4.0, 4.0]);
        let target = DVec3::new(8.0, 0.1, 0.3);
        let displaced = stretched(&path, target);
        assert!(displaced[1] == displaced[2] && displaced[2] == displaced[3] && displaced[4] == displaced[5]);
        let even = uniform(&path, &frames(6), target);
        assert!(even[1] != even[2] && even[5] == target);
    }

    #[test]
    fn shortening_past_the_start_walks_backwards_by_the_same_formula() {
        assert_near(&stretched(&on_x(&[0.0, 1.0, 2.0]), -DVec3::X), &on_x(&[0.0, -0.5, -1.0]), 1e-12);
    }

    #[test]
    fn empty_single_and_motionless_paths_are_returned_unchanged() {
        assert_eq!(stretched(&[], DVec3::X), []);
        assert_eq!(stretched(&[DVec3::Y], DVec3::X), [DVec3::Y]);
        assert_eq!(stretched(&[DVec3::Y; 3], DVec3::X), [DVec3::Y; 3]);
    }

    #[test]
    fn jitter_in_a_pause_does_not_drift_once_the_dead_zone_is_on() {
        let times: Vec<f64> = (0..90).map(|i| f64::from(i) / 30.0).collect();
        let jitter = |i: usize| DVec3::new((i * 7 % 11) as f64, (i * 5 % 13) as f64, (i * 3 % 7) as f64) * 1e-4;
        let path: Vec<DVec3> = (0..90)
            .map(|i| DVec3::X * 0.1 * (i.min(30) as f64) + if i > 30 { jitter(i) } else { DVec3::ZERO })
            .collect();
        let target = *path.last().unwrap() + DVec3::X;
        let drift = |dead_zone| {
            let stretched = displacement(&path, &lengths(&path, &times, LengthMeasure::Full, dead_zone), target);
            assert_eq!(stretched[89], target);
            ((stretched[89] - path[89]) - (stretched[31] - path[31])).length()
        };
        assert!(drift(0.0) > 0.01, "{}", drift(0.0));
        assert!(drift(0.2) < 1e-12, "{}", drift(0.2));
    }

    fn points() -> impl Strategy<Value = Vec<DVec3>> {
        let coordinate = || prop_oneof![3 => -5.0..5.0, 1 => Just(0.0)];
        let point = (coordinate(), coordinate(), coordinate()).prop_map(DVec3::from);
        let walk = prop::collection::vec((point, 1..4_usize), 2..40);
        // Each point is repeated for one to three frames to create pauses.
        walk.prop_map(|rows| rows.into_iter().flat_map(|(point, count)| std::iter::repeat_n(point, count)).collect())
    }

    fn target() -> impl Strategy<Value = DVec3> {
        (-20.0..20.0, -20.0..20.0, -20.0..20.0).prop_map(DVec3::from)
    }

    fn total(path: &[DVec3]) -> f64 {
        path.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum()
    }

    proptest! {
        #[test]
        fn ends_are_exact_pauses_stay_and_speed_is_bounded(path in points(), target in target()) {
            let end = path[path.len() - 1];
            let length = total(&path);
            prop_assume!(length > 0.1);
            let result = stretched(&path, target);
            prop_assert_eq!(result[0], path[0]);
            prop_assert_eq!(result[result.len() - 1], target);
            let ratio = (target - end).length() / length;
            for i in 1..path.len() {
                let (before, after) = ((path[i] - path[i - 1]).length(), (result[i] - result[i - 1]).length());
                if before == 0.0 {
                    prop_assert_eq!(result[i], result[i - 1]);
                } else {
                    let slack = 1e-9 * (1.0 + ratio + 1.0 / before);
                    let gain = after / before;
                    prop_assert!(gain >= (1.0 - ratio).abs() - slack && gain <= 1.0 + ratio + slack);
                }
            }
            prop_assert_eq!(stretched(&path, end), path);
        }

        #[test]
        fn turning_path_and_target_turns_the_result(path in points(), target in target(), turn in target()) {
            prop_assume!(total(&path) > 0.1 && turn.length() > 1e-3);
            let turn = DQuat::from_scaled_axis(turn);
            let turned: Vec<DVec3> = path.iter().map(|&point| turn * point).collect();
            let expected: Vec<DVec3> = stretched(&path, target).into_iter().map(|point| turn * point).collect();
            assert_near(&stretched(&turned, turn * target), &expected, 1e-9);
        }

        #[test]
        fn additional_frames_on_the_same_path_do_not_change_the_old_ones(path in points(), target in target()) {
            prop_assume!(total(&path) > 0.1);
            let quarter = |i: usize| path[i / 4].lerp(path[(i / 4 + 1).min(path.len() - 1)], (i % 4) as f64 / 4.0);
            let finer: Vec<DVec3> = (0..=4 * (path.len() - 1)).map(quarter).collect();
            let old: Vec<DVec3> = stretched(&finer, target).into_iter().step_by(4).collect();
            assert_near(&old, &stretched(&path, target), 1e-9);
        }

        #[test]
        fn the_midpoint_of_two_targets_gives_the_midpoint_of_both_paths(path in points(), a in target(), b in target()) {
            prop_assume!(total(&path) > 0.1);
            let (to_a, to_b) = (stretched(&path, a), stretched(&path, b));
            let middle: Vec<DVec3> = to_a.iter().zip(&to_b).map(|(a, b)| a.midpoint(*b)).collect();
            assert_near(&stretched(&path, a.midpoint(b)), &middle, 1e-9);
        }
    }
}
