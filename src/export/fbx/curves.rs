//! Curves of joints as curves of single numbers.

use glam::{DQuat, DVec3, EulerRot, Quat, Vec3};

use crate::anim::{Curve, Interpolation};

/// Keys of several numbers at the same times.
pub(super) struct Keys {
    /// Seconds.
    pub times: Vec<f64>,
    /// One list per number.
    pub lanes: Vec<Vec<f32>>,
    /// Whether each key holds until the next.
    pub held: bool,
}

/// Most times that a span between two keys is halved.
const HALVINGS: u32 = 10;

/// Offsets or scales; straight between keys to within `tolerance`.
pub(super) fn vectors(curve: &Curve<Vec3>, tolerance: f64) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or_default().as_dvec3();
    straightened(&curve.times, curve.interpolation, tolerance, &|time, _| at(time), &|a, b| a.distance(b))
}

/// Rotations as angles about X, then Y, then Z in degrees; on the clip's arc between keys to within `tolerance` radians.
pub(super) fn angles(curve: &Curve<Quat>, tolerance: f64) -> Keys {
    let at = |time: f64| curve.sample(time).unwrap_or(Quat::IDENTITY).as_dquat().normalize();
    let near = |time: f64, before: Option<DVec3>| euler_near(at(time), before);
    // Angles that differ may be the same rotation, and the other way round: rotations are compared.
    let apart = |a: DVec3, b: DVec3| rotation_of(a).angle_between(rotation_of(b));
    straightened(&curve.times, curve.interpolation, tolerance, &near, &apart)
}

/// Weights of one of a joint's `width` blend shapes, in percent.
pub(super) fn weights(curve: &Curve<f32>, width: usize, lane: usize, tolerance: f64) -> Keys {
    let rows = if curve.interpolation == Interpolation::CubicSpline { 3 * width } else { width };
    let own = |row: &[f32]| row.iter().skip(lane).step_by(width).copied().collect::<Vec<f32>>();
    let values: Vec<f32> = curve.values.chunks_exact(rows.max(1)).flat_map(own).collect();
    let single = Curve { interpolation: curve.interpolation, times: curve.times.clone(), values };
    let at = |time: f64| DVec3::splat(100.0 * f64::from(single.sample(time).unwrap_or(0.0)));
    let keys = straightened(&curve.times, curve.interpolation, 100.0 * tolerance, &|time, _| at(time), &|a, b| {
        (a - b).x.abs()
    });
    Keys { lanes: keys.lanes.into_iter().take(1).collect(), ..keys }
}

/// Angles about X, then Y, then Z in degrees, nearest to `before`.
pub(super) fn euler_near(rotation: DQuat, before: Option<DVec3>) -> DVec3 {
    let (z, y, x) = rotation.to_euler(EulerRot::ZYX);
    let first = DVec3::new(x, y, z).map(f64::to_degrees);
    let Some(before) = before else { return first };
    // The same rotation the other way over the pole.
    let other = DVec3::new(first.x + 180.0, 180.0 - first.y, first.z + 180.0);
    let wound = |angles: DVec3| angles - ((angles - before) / 360.0).round() * 360.0;
    let (first, other) = (wound(first), wound(other));
    if other.distance_squared(before) < first.distance_squared(before) { other } else { first }
}

fn rotation_of(degrees: DVec3) -> DQuat {
    let [x, y, z] = degrees.to_array().map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, z, y, x)
}

/// The keys of `times` and those between them that make straight lines near enough.
fn straightened(
    times: &[f32],
    interpolation: Interpolation,
    tolerance: f64,
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
        let mut ahead = vec![(time, 0)];
        let (mut start, mut first) = (start, first);
        while let Some((end, halvings)) = ahead.pop() {
            let last = at(end, Some(first));
            let is_off = |place: f64| {
                let line = first.lerp(last, place);
                apart(line, at(start + (end - start) * place, Some(line))) > tolerance
            };
            if !held && halvings < HALVINGS && [0.25, 0.5, 0.75].into_iter().any(is_off) {
                ahead.push((end, halvings + 1));
                ahead.push(((start + end) / 2.0, halvings + 1));
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
    use super::*;

    #[test]
    fn angles_pass_the_pole_without_a_turn_too_many_and_follow_the_arc() {
        let turns: Vec<Quat> =
            (0..=8).map(|key| Quat::from_rotation_z(0.3) * Quat::from_rotation_y(0.5 * key as f32)).collect();
        let curve = Curve::linear((0..=8).map(|key| key as f32 / 8.0).collect(), turns);
        let keys = angles(&curve, 1e-4);
        let steps = keys.lanes[1].windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f32::max) < 60.0, "{:?}", keys.lanes);
        for (at, &time) in keys.times.iter().enumerate() {
            let angles = DVec3::new(keys.lanes[0][at].into(), keys.lanes[1][at].into(), keys.lanes[2][at].into());
            let there = curve.sample(time).unwrap().as_dquat().normalize();
            let off = rotation_of(angles).angle_between(there);
            assert!(off < 1e-5, "{off} at {time}: {angles}");
        }
    }

    #[test]
    fn a_curve_that_begins_late_holds_its_first_value_from_the_start() {
        let curve = Curve::linear(vec![0.5, 1.0], vec![Vec3::X, Vec3::Y]);
        let keys = vectors(&curve, 1e-4);
        assert_eq!((&keys.times[..2], &keys.lanes[0][..2]), (&[0.0, 0.5][..], &[1.0, 1.0][..]));
    }
}
