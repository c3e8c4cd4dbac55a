//! Converts the curves of joints to curves of single numbers.

use glam::{DVec3, Quat, Vec3};

use super::rotation_order::RotationOrder;
use portamento_anim::{Curve, Interpolation, JointTracks};

/// Largest rotation between two keys, in radians.
/// Readers that convert the angles to quaternions and interpolate linearly are then at most 2.5e-6 rad off the arc.
const MAX_TURN_RADIANS: f64 = 0.08;

/// Keys of several numbers at the same times.
pub(super) struct Keys {
    /// In seconds, rising.
    pub times: Vec<f64>,
    /// One list per number.
    pub lanes: Vec<Vec<f32>>,
    /// True if each key holds its value until the next (stepped).
    pub is_stepped: bool,
}

/// Precision of converted curves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// Largest error between keys: radians, or the unit of the values.
    pub tolerance: f64,
    /// Smallest distance between added keys in seconds. Blender merges keys within a hundredth of a frame.
    pub min_key_distance: f64,
}

/// The keys of a joint.
#[derive(Default)]
pub(super) struct JointKeys {
    pub translation: Option<Keys>,
    pub rotation: Option<Keys>,
    pub scale: Option<Keys>,
}

impl JointKeys {
    /// Returns the keys of a joint: translation and scale from `tracks`, rotation from `rotation`, which may stand in for
    /// that of `tracks`. The precision of the translation comes first, then that of rotation and scale.
    ///
    /// Blender gives all curves of a joint the key times of all three, and merges times that are closer than
    /// `min_key_distance`. Near keys of two curves therefore get the same time. Curves whose keys are exact go first:
    /// steps, then lines, then splines.
    pub fn new(
        tracks: &JointTracks,
        rotation: Option<&Curve<Quat>>,
        order: RotationOrder,
        [offset_precision, precision]: [Precision; 2],
    ) -> Self {
        let (translation, scale) = (tracks.translation.as_ref(), tracks.scale.as_ref());
        let interpolations = [
            rotation.map(|curve| curve.interpolation),
            translation.map(|curve| curve.interpolation),
            scale.map(|curve| curve.interpolation),
        ];
        let rank = |part: &usize| match interpolations[*part] {
            Some(Interpolation::Step) => 0,
            Some(Interpolation::Linear) => 1,
            _ => 2,
        };
        let mut parts = [0, 1, 2];
        parts.sort_by_key(rank);
        let (mut keys, mut taken) = (Self::default(), Vec::new());
        for part in parts {
            let part_keys = match part {
                0 => &mut keys.rotation,
                1 => &mut keys.translation,
                _ => &mut keys.scale,
            };
            *part_keys = match part {
                0 => rotation.map(|curve| angles(curve, order, precision, &taken)),
                1 => translation.map(|curve| vectors(curve, offset_precision, &taken)),
                _ => scale.map(|curve| vectors(curve, precision, &taken)),
            };
            taken.extend(part_keys.iter().flat_map(|keys| keys.times.iter().copied()));
            taken.sort_by(f64::total_cmp);
            taken.dedup();
        }
        keys
    }
}

/// Returns the nearest of `taken` (rising) if it is closer to `time` than `min_key_distance`, else `time`. All are in seconds.
fn unless_taken(time: f64, taken: &[f64], min_key_distance: f64) -> f64 {
    let next = taken.partition_point(|&other| other < time);
    let near = taken[next.saturating_sub(1)..].iter().take(2).filter(|&&other| (other - time).abs() < min_key_distance);
    near.copied().min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs())).unwrap_or(time)
}

/// Converts offsets or scales to linear keys. A key near one of the `taken` times gets that time.
fn vectors(curve: &Curve<Vec3>, precision: Precision, taken: &[f64]) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or_default().as_dvec3();
    let deviation = |between: &Between, wanted: DVec3| between.line().distance(wanted);
    fit_linear(&curve.times, curve.interpolation, (precision, taken), &|time, _| at(time), &deviation)
}

/// Converts rotations to Euler angles in degrees, with keys added where the angles leave the clip's motion. Some readers
/// interpolate the angles, others the rotations, so both stay near it. A key near one of the `taken` times gets that time.
fn angles(curve: &Curve<Quat>, order: RotationOrder, precision: Precision, taken: &[f64]) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or(Quat::IDENTITY).as_dquat().normalize();
    let angles_near = |time: f64, before: Option<DVec3>| order.angles(at(time), before);
    // Different angles may be the same rotation, so rotations are compared.
    let deviation = |between: &Between, wanted: DVec3| {
        let [first, last] = [between.first, between.last].map(|angles| order.rotation(angles));
        let (wanted, arc) = (order.rotation(wanted), first.slerp(last, between.fraction));
        order.rotation(between.line()).angle_between(wanted).max(arc.angle_between(wanted))
    };
    let times = times_with_small_turns(curve, precision.min_key_distance);
    fit_linear(&times, curve.interpolation, (precision, taken), &angles_near, &deviation)
}

/// Returns the key times of `curve` and times between them, so that no rotation exceeds [`MAX_TURN_RADIANS`]. Key times
/// stay at least `min_key_distance` seconds apart where keys are added. Stepped curves get no times.
fn times_with_small_turns(curve: &Curve<Quat>, min_key_distance: f64) -> Vec<f32> {
    let mut times: Vec<f32> = curve.times.first().copied().into_iter().collect();
    for pair in curve.times.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(f64::from);
        let [a, b] = [from, to].map(|time| curve.sample(time).unwrap_or(Quat::IDENTITY).as_dquat().normalize());
        let turn = if curve.interpolation == Interpolation::Step {
            0.0
        } else {
            a.angle_between(if a.dot(b) < 0.0 { -b } else { b })
        };
        let max_parts = ((to - from) / min_key_distance).floor().max(1.0);
        let parts = (turn / MAX_TURN_RADIANS).ceil().clamp(1.0, max_parts) as u32;
        times.extend((1..parts).map(|part| (from + (to - from) * f64::from(part) / f64::from(parts)) as f32));
        times.push(pair[1]);
    }
    times
}

/// Converts the weights of blend shape `lane` of a joint with `width` shapes to keys in percent with one lane. `precision`
/// has the tolerance of weights 0…1.
pub(super) fn weights(curve: &Curve<f32>, width: usize, lane: usize, precision: Precision) -> Keys {
    let rows = if curve.interpolation == Interpolation::CubicSpline { 3 * width } else { width };
    let own = |row: &[f32]| row.iter().skip(lane).step_by(width).copied().collect::<Vec<f32>>();
    let values: Vec<f32> = curve.values.chunks_exact(rows.max(1)).flat_map(own).collect();
    let single = Curve { interpolation: curve.interpolation, times: curve.times.clone(), values: values.into() };
    let at = |time: f64| DVec3::splat(100.0 * f64::from(single.sample(time).unwrap_or(0.0)));
    let precision = Precision { tolerance: 100.0 * precision.tolerance, ..precision };
    let deviation = |between: &Between, wanted: DVec3| (between.line() - wanted).x.abs();
    let keys = fit_linear(&curve.times, curve.interpolation, (precision, &[]), &|time, _| at(time), &deviation);
    Keys { lanes: keys.lanes.into_iter().take(1).collect(), ..keys }
}

/// A moment between two keys.
struct Between {
    /// The values of both keys.
    first: DVec3,
    last: DVec3,
    /// Time since the first key, relative to the time between both.
    fraction: f64,
}

impl Between {
    /// Returns the linearly interpolated numbers.
    fn line(&self) -> DVec3 {
        self.first.lerp(self.last, self.fraction)
    }
}

/// Returns keys with three lanes at `times` (seconds), and between them where linear interpolation would exceed the
/// tolerance. A key that is not stepped and near one of the `taken` times gets that time. A key at 0 is added if the first
/// is later.
///
/// `at` returns the value at a time, near the given value of the key before. `deviation` returns the error of a moment
/// between two keys against the wanted value.
fn fit_linear(
    times: &[f32],
    interpolation: Interpolation,
    (precision, taken): (Precision, &[f64]),
    at: &dyn Fn(f64, Option<DVec3>) -> DVec3,
    deviation: &dyn Fn(&Between, DVec3) -> f64,
) -> Keys {
    let is_stepped = interpolation == Interpolation::Step;
    let free = |time: f64| if is_stepped { time } else { unless_taken(time, taken, precision.min_key_distance) };
    let mut keys: Vec<(f64, DVec3)> = Vec::new();
    // Before its first key a curve holds that key's value, but some readers use the joint's rest value.
    if times.first().is_some_and(|&first| first > 0.0) {
        keys.push((0.0, at(0.0, None)));
    }
    for &time in times {
        let time = free(f64::from(time));
        let Some(&(start, first)) = keys.last() else {
            keys.push((time, at(time, None)));
            continue;
        };
        if time <= start {
            continue;
        }
        let mut pending = vec![time];
        let (mut start, mut first) = (start, first);
        while let Some(end) = pending.pop() {
            let last = at(end, Some(first));
            let exceeds_tolerance = |fraction: f64| {
                let between = Between { first, last, fraction };
                let wanted = at(start + (end - start) * fraction, Some(between.line()));
                deviation(&between, wanted) > precision.tolerance
            };
            let has_room = end - start >= 2.0 * precision.min_key_distance;
            if !is_stepped && has_room && [0.25, 0.5, 0.75].into_iter().any(exceeds_tolerance) {
                pending.extend([end, free((start + end) / 2.0)]);
                continue;
            }
            keys.push((end, last));
            (start, first) = (end, last);
        }
    }
    let lane = |lane: usize| keys.iter().map(|(_, value)| value[lane] as f32).collect();
    Keys { times: keys.iter().map(|(time, _)| *time).collect(), lanes: (0..3).map(lane).collect(), is_stepped }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    const FINE: Precision = Precision { tolerance: 1e-4, min_key_distance: 1.0 / 2048.0 };

    #[test]
    fn keys_keep_blenders_minimum_distance_and_include_those_of_the_clip() {
        // Three quarters of a turn per frame of 1/30 s, past the pole where angles change fastest.
        let turns: Vec<Quat> =
            (0..=4).map(|key| Quat::from_rotation_z(0.3) * Quat::from_rotation_y(1.5 * key as f32)).collect();
        let curve = Curve::linear((0..=4).map(|key| key as f32 / 30.0).collect(), turns);
        let min_key_distance = 0.015 / 30.0;
        let keys = angles(&curve, RotationOrder::default(), Precision { tolerance: 1e-7, min_key_distance }, &[]);
        let gaps = keys.times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(
            keys.times.len() > 60 && gaps.fold(f64::MAX, f64::min) > 0.99 * min_key_distance,
            "{}",
            keys.times.len()
        );
        assert!(curve.times.iter().all(|&time| keys.times.contains(&f64::from(time))));
    }

    #[test]
    fn keys_of_all_curves_of_a_joint_keep_blenders_minimum_distance() {
        // The rotation is a spline whose keys lie near those of the offset, as they do where a reader refined a curve.
        let min_key_distance = 0.015 / 30.0;
        let times: Vec<f32> = (0..12).map(|key| (key as f32 - if key % 3 == 1 { 0.006 } else { 0.0 }) / 30.0).collect();
        let turn = |time: f32| Quat::from_rotation_z(8.0 * time) * Quat::from_rotation_x((9.0 * time).sin());
        let slope = |time: f32| (turn(time + 1e-3) - turn(time - 1e-3)) * 500.0;
        let values = times.iter().flat_map(|&time| [slope(time), turn(time), slope(time)]).collect();
        let rotation = Curve { interpolation: Interpolation::CubicSpline, times: times.into(), values };
        let offsets = (0..12).map(|key| Vec3::X * (key * key) as f32).collect();
        let translation = Curve::linear((0..12).map(|key| key as f32 / 30.0).collect(), offsets);
        let scale = Curve::linear(vec![0.0, 3.01 / 30.0, 0.3], vec![Vec3::ONE, Vec3::ONE * 1.5, Vec3::ONE]);
        let tracks = JointTracks {
            translation: Some(translation.clone()),
            rotation: Some(rotation.clone()),
            scale: Some(scale),
            ..JointTracks::default()
        };
        let precision = Precision { tolerance: 2.5e-6, min_key_distance };
        let order = RotationOrder::default();
        let keys = JointKeys::new(&tracks, tracks.rotation.as_ref(), order, [precision; 2]);
        let [moved, turned, scaled] = [keys.translation, keys.rotation, keys.scale].map(Option::unwrap);
        let mut all = [&moved.times[..], &turned.times, &scaled.times].concat();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let gap = all.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::MAX, f64::min);
        assert!(gap > 0.99 * min_key_distance && all.len() > 40, "{gap} with {} keys", all.len());
        assert!(translation.times.iter().all(|&time| moved.times.contains(&f64::from(time))));
        for (at, &time) in turned.times.iter().enumerate() {
            let angles = DVec3::from_array([0, 1, 2].map(|lane| turned.lanes[lane][at].into()));
            let wanted = rotation.sample(time).unwrap().as_dquat().normalize();
            assert!(order.rotation(angles).angle_between(wanted) < 1e-5, "{time}");
        }
    }

    #[test]
    fn linearly_interpolated_quaternions_stay_on_the_arc() {
        let ends = [Quat::IDENTITY, Quat::from_rotation_z(1.2)];
        let curve = Curve::linear(vec![0.0, 1.0], ends.to_vec());
        let keys = angles(&curve, RotationOrder::default(), FINE, &[]);
        let turns: Vec<DQuat> =
            keys.lanes[2].iter().map(|&degrees| DQuat::from_rotation_z(f64::from(degrees).to_radians())).collect();
        for (times, turns) in keys.times.windows(2).zip(turns.windows(2)) {
            let time = times[0] + 0.2 * (times[1] - times[0]);
            let straight = (turns[0] * 0.8 + turns[1] * 0.2).normalize();
            let wanted = DQuat::from_rotation_z(1.2 * time);
            assert!((straight * wanted.inverse()).z.abs() * 2.0 < 1e-5, "{time}");
        }
    }

    #[test]
    fn readers_that_interpolate_rotations_follow_a_spline_too() {
        // Angles that change linearly, written as a spline of quaternions: a straight line for readers of angles only.
        let order = RotationOrder::default();
        let turn = |time: f64| order.rotation(DVec3::new(40.0 * time, 60.0, 50.0 * time)).as_quat();
        let slope = |time: f64| (turn(time + 1e-3) - turn(time - 1e-3)) * 500.0;
        let times: Vec<f32> = (0..=8).map(|key| key as f32 / 8.0).collect();
        let row = |&time: &f32| [slope(time.into()), turn(time.into()), slope(time.into())];
        let values = times.iter().flat_map(row).collect();
        let curve = Curve { interpolation: Interpolation::CubicSpline, times: times.into(), values };
        let precision = Precision { tolerance: 2e-6, ..FINE };
        let keys = angles(&curve, order, precision, &[]);
        let key = |at: usize| order.rotation(DVec3::from_array([0, 1, 2].map(|lane| keys.lanes[lane][at].into())));
        let mut worst = 0.0_f64;
        for at in 1..keys.times.len() {
            for fraction in [0.3, 0.5, 0.8] {
                let time = keys.times[at - 1] + fraction * (keys.times[at] - keys.times[at - 1]);
                let wanted = curve.sample(time).unwrap().as_dquat().normalize();
                worst = worst.max(key(at - 1).slerp(key(at), fraction).angle_between(wanted));
            }
        }
        assert!(worst < 4e-6, "{worst} with {} keys", keys.times.len());
    }

    #[test]
    fn angles_pass_the_pole_without_an_extra_turn_and_follow_the_arc() {
        let turns: Vec<Quat> =
            (0..=8).map(|key| Quat::from_rotation_z(0.3) * Quat::from_rotation_y(0.5 * key as f32)).collect();
        let curve = Curve::linear((0..=8).map(|key| key as f32 / 8.0).collect(), turns);
        let keys = angles(&curve, RotationOrder::default(), FINE, &[]);
        let steps = keys.lanes[1].windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f32::max) < 60.0, "{:?}", keys.lanes);
        for (at, &time) in keys.times.iter().enumerate() {
            let angles = DVec3::new(keys.lanes[0][at].into(), keys.lanes[1][at].into(), keys.lanes[2][at].into());
            let there = curve.sample(time).unwrap().as_dquat().normalize();
            let off = RotationOrder::default().rotation(angles).angle_between(there);
            assert!(off < 1e-5, "{off} at {time}: {angles}");
        }
    }

    #[test]
    fn an_elbow_that_bends_past_a_right_angle_follows_the_arc_in_the_order_chosen_for_it() {
        let bent = |degrees: f32| Quat::from_rotation_z(0.4) * Quat::from_rotation_y(degrees.to_radians());
        let mut model = crate::import::gltf::tests::small_model();
        let times = (0..=4).map(|key| key as f32 / 24.0).collect();
        let turns =
            [70.0, 80.0, 88.0, 93.0, 104.0].map(|degrees| bent(degrees) * Quat::from_rotation_x(0.01 * degrees));
        let curve = Curve::linear(times, turns.to_vec());
        model.clips[0].tracks[1].rotation = Some(curve.clone());
        let order = RotationOrder::of_joints(&model)[1];
        let keys = angles(&curve, order, Precision { tolerance: 1e-5, min_key_distance: 0.015 / 24.0 }, &[]);
        let off = |at: usize, share: f64| {
            let angles = |key: usize| DVec3::from_array([0, 1, 2].map(|lane| f64::from(keys.lanes[lane][key])));
            let time = keys.times[at] + share * (keys.times[at + 1] - keys.times[at]);
            let there = curve.sample(time).unwrap().as_dquat().normalize();
            order.rotation(angles(at).lerp(angles(at + 1), share)).angle_between(there)
        };
        let worst = (1..keys.times.len()).flat_map(|at| [0.3, 0.5, 0.8].map(|share| off(at - 1, share)));
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 1.5e-5, "{worst} {order:?}");
    }

    #[test]
    fn a_curve_that_begins_late_holds_its_first_value_from_the_start() {
        let curve = Curve::linear(vec![0.5, 1.0], vec![Vec3::X, Vec3::Y]);
        let keys = vectors(&curve, FINE, &[]);
        assert_eq!((&keys.times[..2], &keys.lanes[0][..2]), (&[0.0, 0.5][..], &[1.0, 1.0][..]));
    }
}
