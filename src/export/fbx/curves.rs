//! Curves of joints as curves of single numbers.

use glam::{DVec3, Quat, Vec3};

use super::rotation_order::RotationOrder;
use crate::anim::{Curve, Interpolation};

/// The largest turn between two keys, radians: readers that turn angles into quaternions and blend those straight are then at most
/// 10⁻⁵ rad off the arc.
const LARGEST_TURN: f64 = 0.13;

/// Keys of several numbers at the same times.
pub(super) struct Keys {
    /// In seconds, rising.
    pub times: Vec<f64>,
    /// One list per number.
    pub lanes: Vec<Vec<f32>>,
    /// Whether each key holds until the next.
    pub held: bool,
}

/// How near curves are to what they stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness {
    /// Largest error between keys: radians, or the unit of the values.
    pub tolerance: f64,
    /// Keys are added no nearer to each other than this, seconds. Blender takes keys within a hundredth of a frame for one.
    pub nearest: f64,
}

/// Offsets or scales; straight between keys.
pub(super) fn vectors(curve: &Curve<Vec3>, fineness: Fineness) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or_default().as_dvec3();
    straightened(&curve.times, curve.interpolation, fineness, &|time, _| at(time), &|a, b| a.distance(b))
}

/// Rotations as angles about X, Y and Z in degrees, which turn in that order; on the clip's arc between keys.
pub(super) fn angles(curve: &Curve<Quat>, order: RotationOrder, fineness: Fineness) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or(Quat::IDENTITY).as_dquat().normalize();
    let near = |time: f64, before: Option<DVec3>| order.angles(at(time), before);
    // Angles that differ may be the same rotation, and the other way round: rotations are compared.
    let apart = |a: DVec3, b: DVec3| order.rotation(a).angle_between(order.rotation(b));
    let times = with_small_turns(curve, fineness.nearest);
    straightened(&times, curve.interpolation, fineness, &near, &apart)
}

/// The key times of `curve` and so many between them that no turn from one to the next is larger than [`LARGEST_TURN`].
fn with_small_turns(curve: &Curve<Quat>, nearest: f64) -> Vec<f32> {
    let mut times: Vec<f32> = curve.times.first().copied().into_iter().collect();
    for pair in curve.times.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(f64::from);
        let [a, b] = [from, to].map(|time| curve.sample(time).unwrap_or(Quat::IDENTITY).as_dquat().normalize());
        let turn = if curve.interpolation == Interpolation::Step {
            0.0
        } else {
            a.angle_between(if a.dot(b) < 0.0 { -b } else { b })
        };
        let most = ((to - from) / nearest).floor().max(1.0);
        let parts = (turn / LARGEST_TURN).ceil().clamp(1.0, most) as u32;
        times.extend((1..parts).map(|part| (from + (to - from) * f64::from(part) / f64::from(parts)) as f32));
        times.push(pair[1]);
    }
    times
}

/// Weights of one of a joint's `width` blend shapes, in percent.
pub(super) fn weights(curve: &Curve<f32>, width: usize, lane: usize, fineness: Fineness) -> Keys {
    let rows = if curve.interpolation == Interpolation::CubicSpline { 3 * width } else { width };
    let own = |row: &[f32]| row.iter().skip(lane).step_by(width).copied().collect::<Vec<f32>>();
    let values: Vec<f32> = curve.values.chunks_exact(rows.max(1)).flat_map(own).collect();
    let single = Curve { interpolation: curve.interpolation, times: curve.times.clone(), values };
    let at = |time: f64| DVec3::splat(100.0 * f64::from(single.sample(time).unwrap_or(0.0)));
    let fineness = Fineness { tolerance: 100.0 * fineness.tolerance, ..fineness };
    let keys = straightened(&curve.times, curve.interpolation, fineness, &|time, _| at(time), &|a, b| (a - b).x.abs());
    Keys { lanes: keys.lanes.into_iter().take(1).collect(), ..keys }
}

/// The keys of `times` and those between them that make straight lines near enough.
fn straightened(
    times: &[f32],
    interpolation: Interpolation,
    fineness: Fineness,
    at: &dyn Fn(f64, Option<DVec3>) -> DVec3,
    apart: &dyn Fn(DVec3, DVec3) -> f64,
) -> Keys {
    let held = interpolation == Interpolation::Step;
    let mut keys: Vec<(f64, DVec3)> = Vec::new();
    // Before its first key a curve holds that key's value here, but what the joint rests at in some readers.
    if times.first().is_some_and(|&first| first > 0.0) {
        keys.push((0.0, at(0.0, None)));
    }
    for &time in times {
        let time = f64::from(time);
        let Some(&(start, first)) = keys.last() else {
            keys.push((time, at(time, None)));
            continue;
        };
        let mut ahead = vec![time];
        let (mut start, mut first) = (start, first);
        while let Some(end) = ahead.pop() {
            let last = at(end, Some(first));
            let is_off = |place: f64| {
                let line = first.lerp(last, place);
                apart(line, at(start + (end - start) * place, Some(line))) > fineness.tolerance
            };
            let has_room = end - start >= 2.0 * fineness.nearest;
            if !held && has_room && [0.25, 0.5, 0.75].into_iter().any(is_off) {
                ahead.extend([end, (start + end) / 2.0]);
                continue;
            }
            keys.push((end, last));
            (start, first) = (end, last);
        }
    }
    let lane = |lane: usize| keys.iter().map(|(_, value)| value[lane] as f32).collect();
    Keys { times: keys.iter().map(|(time, _)| *time).collect(), lanes: (0..3).map(lane).collect(), held }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    const FINE: Fineness = Fineness { tolerance: 1e-4, nearest: 1.0 / 2048.0 };

    #[test]
    fn keys_keep_the_distance_that_blender_tells_apart_and_stand_where_the_clip_has_them() {
        // Three quarters of a turn per frame of 1/30 s, past the pole where angles run away.
        let turns: Vec<Quat> =
            (0..=4).map(|key| Quat::from_rotation_z(0.3) * Quat::from_rotation_y(1.5 * key as f32)).collect();
        let curve = Curve::linear((0..=4).map(|key| key as f32 / 30.0).collect(), turns);
        let nearest = 0.015 / 30.0;
        let keys = angles(&curve, RotationOrder::default(), Fineness { tolerance: 1e-7, nearest });
        let gaps = keys.times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(keys.times.len() > 60 && gaps.fold(f64::MAX, f64::min) > 0.99 * nearest, "{}", keys.times.len());
        assert!(curve.times.iter().all(|&time| keys.times.contains(&f64::from(time))));
    }

    #[test]
    fn quaternions_blended_straight_between_keys_stay_on_the_arc() {
        let ends = [Quat::IDENTITY, Quat::from_rotation_z(1.2)];
        let curve = Curve::linear(vec![0.0, 1.0], ends.to_vec());
        let keys = angles(&curve, RotationOrder::default(), FINE);
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
    fn angles_pass_the_pole_without_a_turn_too_many_and_follow_the_arc() {
        let turns: Vec<Quat> =
            (0..=8).map(|key| Quat::from_rotation_z(0.3) * Quat::from_rotation_y(0.5 * key as f32)).collect();
        let curve = Curve::linear((0..=8).map(|key| key as f32 / 8.0).collect(), turns);
        let keys = angles(&curve, RotationOrder::default(), FINE);
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
        let keys = angles(&curve, order, Fineness { tolerance: 1e-5, nearest: 0.015 / 24.0 });
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
        let keys = vectors(&curve, FINE);
        assert_eq!((&keys.times[..2], &keys.lanes[0][..2]), (&[0.0, 0.5][..], &[1.0, 1.0][..]));
    }
}
