//! Corrects key times that glTF forbids but exporters write: times before 0, times out of order and repeated times.

use glam::{Quat, Vec3};

use portamento_anim::{Curve, Interpolation, JointTracks};

/// Sorts the keys of each curve by time, shifts the clip so that its earliest key is at 0 if it starts before, and merges
/// keys of equal time. Equal values become one key. Different values stay a step: the left one moves to the previous
/// representable time, if there is room for it. `morph_counts` has the number of morph weights of each joint. Key times must
/// be finite. Returns the number of curves that were out of order.
pub(super) fn correct(tracks: &mut [JointTracks], morph_counts: impl Iterator<Item = usize> + Clone) -> usize {
    let mut sorted = 0;
    for (tracks, morph_count) in tracks.iter_mut().zip(morph_counts.clone()) {
        let vectors = tracks.translation.iter_mut().chain(&mut tracks.scale);
        sorted += vectors.map(|curve| usize::from(sort(curve, 1))).sum::<usize>();
        sorted += tracks.rotation.iter_mut().map(|curve| usize::from(sort(curve, 1))).sum::<usize>();
        sorted += tracks.morphs.iter_mut().map(|curve| usize::from(sort(curve, morph_count))).sum::<usize>();
    }
    let start = first_time(tracks).min(0.0);
    for (tracks, morph_count) in tracks.iter_mut().zip(morph_counts) {
        let is_equal = |a: &[Vec3], b: &[Vec3]| a == b;
        // A quaternion and its negative are the same rotation.
        let is_equal_rotation = |a: &[Quat], b: &[Quat]| a.iter().zip(b).all(|(&a, &b)| a == b || a == -b);
        tracks.translation.iter_mut().for_each(|curve| correct_curve(curve, start, 1, is_equal));
        tracks.rotation.iter_mut().for_each(|curve| correct_curve(curve, start, 1, is_equal_rotation));
        tracks.scale.iter_mut().for_each(|curve| correct_curve(curve, start, 1, is_equal));
        tracks.morphs.iter_mut().for_each(|curve| correct_curve(curve, start, morph_count, |a, b| a == b));
    }
    sorted
}

/// Sorts the keys of `curve`, of `width` values each, by time; keys of equal time keep their order. Returns true if they were
/// out of order.
fn sort<T: Copy>(curve: &mut Curve<T>, width: usize) -> bool {
    if curve.times.is_sorted() {
        return false;
    }
    let row = if curve.interpolation == Interpolation::CubicSpline { 3 * width } else { width };
    let mut keys: Vec<(f32, &[T])> = curve.times.iter().copied().zip(curve.values.chunks_exact(row)).collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (times, rows): (Vec<f32>, Vec<&[T]>) = keys.into_iter().unzip();
    *curve = Curve { interpolation: curve.interpolation, times: times.into(), values: rows.concat().into() };
    true
}

/// Returns the time of the earliest key in seconds. Infinity without keys.
fn first_time(tracks: &[JointTracks]) -> f32 {
    let first = |tracks: &JointTracks| {
        let vectors = tracks.translation.iter().chain(&tracks.scale).map(|curve| &curve.times);
        let others = tracks.rotation.iter().map(|curve| &curve.times);
        let others = others.chain(tracks.morphs.iter().map(|curve| &curve.times));
        vectors.chain(others).filter_map(|times| times.first().copied()).fold(f32::INFINITY, f32::min)
    };
    tracks.iter().map(first).fold(f32::INFINITY, f32::min)
}

/// Corrects one curve with `width` values per key. `start` is the time in seconds of the clip's earliest key, or 0; a clip
/// that starts later is not shifted.
fn correct_curve<T: Copy>(curve: &mut Curve<T>, start: f32, width: usize, is_equal: impl Fn(&[T], &[T]) -> bool) {
    if start < 0.0 {
        let shifted = |time: f32| (f64::from(time) - f64::from(start)) as f32;
        curve.times.iter_mut().for_each(|time| *time = shifted(*time));
    }
    if !curve.times.is_sorted_by(|a, b| a < b) {
        *curve = merged(curve, width, is_equal);
    }
}

/// Merges keys of equal time. Equal values become one key. Different values stay a step, whose left side moves to the
/// previous representable time. The left side is dropped in a stepped curve, and if there is no room for it.
fn merged<T: Copy>(curve: &Curve<T>, width: usize, is_equal: impl Fn(&[T], &[T]) -> bool) -> Curve<T> {
    let is_cubic = curve.interpolation == Interpolation::CubicSpline;
    let row = if is_cubic { 3 * width } else { width };
    let value = if is_cubic { width..2 * width } else { 0..width };
    let rows: Vec<&[T]> = curve.values.chunks_exact(row).collect();
    let mut merged = Curve { interpolation: curve.interpolation, ..Curve::default() };
    let mut first = 0;
    for same in curve.times.chunk_by(|a, b| a == b) {
        let (left, right) = (rows[first], rows[first + same.len() - 1]);
        let is_step = same.len() > 1 && !is_equal(&left[value.clone()], &right[value.clone()]);
        let before = same[0].next_down();
        // A constant key lasts until the step anyway. No time is left of 0 or between neighbouring times.
        let has_room = before >= 0.0 && merged.times.last().is_none_or(|&last| last < before);
        if is_step && has_room && curve.interpolation != Interpolation::Step {
            merged.times.push(before);
            merged.values.extend(left);
        }
        merged.times.push(same[0]);
        if is_cubic && !is_step {
            // The spline arrives with the first in-tangent and leaves with the last out-tangent.
            merged.values.extend(left[..width].iter().chain(&right[width..]));
        } else {
            merged.values.extend(right);
        }
        first += same.len();
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(curve: Curve<Vec3>) -> Curve<Vec3> {
        let mut tracks = [JointTracks { translation: Some(curve), ..JointTracks::default() }];
        correct(&mut tracks, std::iter::once(0));
        tracks[0].translation.take().unwrap()
    }

    fn vectors(values: &[f32]) -> Vec<Vec3> {
        values.iter().map(|&value| Vec3::splat(value)).collect()
    }

    #[test]
    fn keys_out_of_order_are_sorted_with_their_values_and_counted() {
        let cubic = Curve {
            interpolation: Interpolation::CubicSpline,
            times: vec![1.0, 0.0].into(),
            values: vectors(&[4.0, 5.0, 6.0, 1.0, 2.0, 3.0]).into(),
        };
        let morphs = Curve::linear(vec![0.5, 0.0, 1.0], vec![0.5, 0.6, 0.0, 0.1, 1.0, 0.9]);
        let rotation = Curve::linear(vec![0.0, 1.0], vec![Quat::IDENTITY; 2]);
        let mut tracks = [JointTracks {
            translation: Some(cubic),
            rotation: Some(rotation.clone()),
            morphs: Some(morphs),
            ..JointTracks::default()
        }];
        assert_eq!(correct(&mut tracks, std::iter::once(2)), 2);
        let [JointTracks { translation: Some(translation), morphs: Some(morphs), .. }] = &tracks else { panic!() };
        assert_eq!(translation.times, [0.0, 1.0]);
        assert_eq!(translation.values, vectors(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(
            (morphs.times.to_vec(), morphs.values.to_vec()),
            (vec![0.0, 0.5, 1.0], vec![0.0, 0.1, 0.5, 0.6, 1.0, 0.9])
        );
        assert_eq!(tracks[0].rotation, Some(rotation));
        // A repeated time keeps the order of the file: the later key is the value after the step.
        let step = corrected(Curve::linear(vec![0.5, 0.5, 0.0, 1.0], vectors(&[1.0, 5.0, 0.0, 6.0])));
        assert_eq!((step.times.len(), step.sample(0.5).unwrap().x), (4, 5.0));
    }

    #[test]
    fn repeated_equal_keys_become_one() {
        let once = Curve::linear(vec![0.0, 0.5, 1.0], vectors(&[1.0, 2.0, 4.0]));
        let twice = Curve::linear(vec![0.0, 0.0, 0.5, 1.0, 1.0, 1.0], vectors(&[1.0, 1.0, 2.0, 4.0, 4.0, 4.0]));
        assert_eq!(corrected(twice), once);
        assert_eq!(corrected(once.clone()), once);
    }

    #[test]
    fn different_values_at_one_time_stay_a_step_with_both_sides() {
        let step = corrected(Curve::linear(vec![0.0, 0.5, 0.5, 1.0], vectors(&[0.0, 1.0, 5.0, 6.0])));
        assert_eq!(step.times, [0.0, 0.5_f32.next_down(), 0.5, 1.0]);
        for (time, value) in [(0.25, 0.5), (0.5, 5.0), (0.75, 5.5)] {
            assert!((step.sample(time).unwrap().x - value).abs() < 1e-6, "{time}");
        }
        assert!((step.sample(0.499_999).unwrap().x - 1.0).abs() < 1e-5);
        // At the start the left side is never shown.
        let start = corrected(Curve::linear(vec![0.0, 0.0, 1.0], vectors(&[9.0, 1.0, 2.0])));
        assert_eq!((start.times.to_vec(), start.values.to_vec()), (vec![0.0, 1.0], vectors(&[1.0, 2.0])));
        let constant = Curve {
            interpolation: Interpolation::Step,
            ..Curve::linear(vec![0.0, 0.5, 0.5], vectors(&[1.0, 2.0, 3.0]))
        };
        assert_eq!(corrected(constant).times, [0.0, 0.5]);
    }

    #[test]
    fn a_repeated_spline_key_keeps_its_outer_tangents() {
        let curve = Curve {
            interpolation: Interpolation::CubicSpline,
            times: vec![0.0, 0.5, 0.5, 1.0].into(),
            values: vectors(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 8.0, 9.0, 10.0, 11.0]).into(),
        };
        let merged = corrected(curve);
        assert_eq!(merged.times, [0.0, 0.5, 1.0]);
        assert_eq!(merged.values, vectors(&[0.0, 1.0, 2.0, 3.0, 4.0, 8.0, 9.0, 10.0, 11.0]));
    }

    #[test]
    fn opposite_quaternions_and_rows_of_morph_weights_are_compared_whole() {
        let turn = Quat::from_rotation_x(1.0);
        let rotation = Curve::linear(vec![0.0, 1.0, 1.0], vec![Quat::IDENTITY, turn, -turn]);
        let morphs = Curve::linear(vec![0.0, 1.0, 1.0], vec![0.0, 0.5, 1.0, 0.5, 1.0, 0.25]);
        let mut tracks = [JointTracks { rotation: Some(rotation), morphs: Some(morphs), ..JointTracks::default() }];
        correct(&mut tracks, std::iter::once(2));
        assert_eq!(tracks[0].rotation.as_ref().unwrap().times, [0.0, 1.0]);
        let morphs = tracks[0].morphs.as_ref().unwrap();
        assert_eq!((morphs.times.len(), morphs.values.len()), (3, 6));
    }

    #[test]
    fn a_clip_that_starts_before_0_is_shifted_as_a_whole() {
        let translation = Curve::linear(vec![-0.5, 0.0, 0.5], vectors(&[1.0, 2.0, 3.0]));
        let rotation = Curve::linear(vec![0.0, 0.25], vec![Quat::IDENTITY; 2]);
        let mut tracks = [
            JointTracks { translation: Some(translation), ..JointTracks::default() },
            JointTracks { rotation: Some(rotation), ..JointTracks::default() },
        ];
        correct(&mut tracks, [0, 0].into_iter());
        assert_eq!(tracks[0].translation.as_ref().unwrap().times, [0.0, 0.5, 1.0]);
        assert_eq!(tracks[1].rotation.as_ref().unwrap().times, [0.5, 0.75]);
    }
}
