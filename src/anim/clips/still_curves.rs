//! Removes redundant keys of constant curves.

use glam::{Quat, Vec3};

use crate::math::mean::aligned;
use crate::{Clip, Curve, Interpolation, JointTracks, Skeleton};

/// Number of curves that lost redundant keys, and the bytes of the lost values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedKeys {
    /// Number of curves that lost keys.
    pub count: usize,
    /// Bytes of the removed values, four per number as in glTF; key times and channel data are not counted.
    pub bytes: usize,
}

impl RemovedKeys {
    /// Adds `others`.
    pub fn and(self, others: Self) -> Self {
        Self { count: self.count + others.count, bytes: self.bytes + others.bytes }
    }

    /// Returns the counts over all curves that have fewer values in `after` than in `before`.
    fn between(before: &Clip, after: &Clip) -> Self {
        let of_joint = |(before, after): (&JointTracks, &JointTracks)| {
            let translation = removed(&before.translation, &after.translation);
            let rotation = removed(&before.rotation, &after.rotation);
            let scale = removed(&before.scale, &after.scale);
            translation.and(rotation).and(scale).and(removed(&before.morphs, &after.morphs))
        };
        before.tracks.iter().zip(&after.tracks).map(of_joint).fold(Self::default(), Self::and)
    }
}

/// Returns count 1 and the lost bytes if `after` has fewer values than `before`, otherwise zeros.
fn removed<T>(before: &Option<Curve<T>>, after: &Option<Curve<T>>) -> RemovedKeys {
    let values = |curve: &Option<Curve<T>>| curve.as_ref().map_or(0, |curve| curve.values.len());
    let lost = values(before) - values(after);
    RemovedKeys { count: usize::from(lost > 0), bytes: lost * size_of::<T>() }
}

/// Returns `before` without redundant keys, and what was removed: a constant curve keeps one key, and none if it equals the rest
/// pose. Cubic splines stay. If no other curve reaches the end of the clip, one joint keeps all its keys.
pub fn without_redundant_keys(before: Clip, skeleton: &Skeleton) -> (Clip, RemovedKeys) {
    let mut clip = before.clone();
    let end = clip.duration as f32;
    let mut longest: Option<(usize, JointTracks)> = None;
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        if longest.is_none() && last_key(tracks) == Some(end) {
            longest = Some((joint, tracks.clone()));
        }
        let rest = skeleton.joints[joint].rest;
        remove_redundant_keys(&mut tracks.translation, &[rest.translation], &same_vector);
        remove_redundant_keys(&mut tracks.rotation, &[rest.rotation], &same_rotation);
        remove_redundant_keys(&mut tracks.scale, &[rest.scale], &same_vector);
        let node = &skeleton.joints[joint];
        let rest = &skeleton.rest_morphs[node.first_morph..node.first_morph + node.morph_count];
        remove_redundant_keys(&mut tracks.morphs, rest, &|a, b| a == b);
    }
    // A clip is as long as its last key, so the longest constant curve stays if no other curve reaches the end.
    if let Some((joint, tracks)) = longest.filter(|_| clip.key_times().flatten().all(|&time| time < end)) {
        clip.tracks[joint] = tracks;
    }
    let removed_keys = RemovedKeys::between(&before, &clip);
    (clip, removed_keys)
}

/// Returns the time of the last key of all curves of a joint, seconds; `None` without keys.
fn last_key(tracks: &JointTracks) -> Option<f32> {
    let times = [
        tracks.translation.as_ref().and_then(|curve| curve.times.last()),
        tracks.rotation.as_ref().and_then(|curve| curve.times.last()),
        tracks.scale.as_ref().and_then(|curve| curve.times.last()),
        tracks.morphs.as_ref().and_then(|curve| curve.times.last()),
    ];
    times.into_iter().flatten().copied().max_by(f32::total_cmp)
}

/// True if two vectors differ at most in their last three binary digits, as means of equal vectors do.
fn same_vector(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() <= 8.0 * f32::EPSILON * b.length()
}

/// True if two rotations are equal within rounding, where q and −q are equal. At 2 m from the joint this is a
/// thousandth of a millimetre.
fn same_rotation(a: Quat, b: Quat) -> bool {
    glam::Vec4::from(a - aligned(b, a)).abs().max_element() <= 4.0 * f32::EPSILON
}

/// Removes redundant keys of `curve`. `rest` is one row of values, as wide as a key's; `same` compares two values.
/// Cubic splines and curves without a whole row stay unchanged.
fn remove_redundant_keys<T: Copy>(curve: &mut Option<Curve<T>>, rest: &[T], same: &dyn Fn(T, T) -> bool) {
    let Some(keys) = curve.as_mut().filter(|curve| curve.interpolation != Interpolation::CubicSpline) else { return };
    let width = rest.len();
    let Some(first) = keys.values.get(..width).filter(|row| !row.is_empty()) else { return };
    let all_equal = |row: &[T]| keys.values.chunks(width).all(|each| each.iter().zip(row).all(|(a, b)| same(*a, *b)));
    if all_equal(rest) {
        *curve = None;
    } else if all_equal(first) {
        keys.times.truncate(1);
        keys.values.truncate(width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    #[test]
    fn constant_curves_keep_at_most_one_key_and_the_clip_keeps_its_length() {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("head", Some(1))]);
        let rest = skeleton.joints[0].rest;
        let constant = |value: Vec3| Some(Curve::linear(vec![0.0, 0.5, 1.0], vec![value; 3]));
        let turns = [0.0, 0.3, 0.6].map(Quat::from_rotation_y).to_vec();
        let mut tracks = vec![JointTracks::default(); 3];
        tracks[0].translation = constant(rest.translation);
        tracks[1].translation = constant(2.0 * Vec3::X);
        tracks[1].rotation = Some(Curve::linear(vec![0.0, 0.5, 1.0], turns));
        let clip = Clip { name: "go".into(), duration: 1.0, tracks };
        let (result, still) = without_redundant_keys(clip.clone(), &skeleton);
        assert_eq!(still, RemovedKeys { count: 2, bytes: 5 * 12 });
        assert_eq!(result.tracks[0].translation, None);
        assert_eq!(result.tracks[1].translation.as_ref().unwrap().times, [0.0]);
        assert_eq!(result.tracks[1].rotation, clip.tracks[1].rotation);
        for time in [0.0, 0.3, 1.0] {
            assert_eq!(result.pose_at(&skeleton, time), clip.pose_at(&skeleton, time));
        }
        let mut shaped = clip.clone();
        let mut smiling = skeleton.clone();
        (smiling.rest_morphs, smiling.joints[2].morph_count) = (vec![0.0, 0.5], 2);
        let rows = |row: [f32; 2]| Some(Curve::linear(vec![0.0, 0.5, 1.0], [row; 3].concat()));
        for (row, keys, lost) in [([0.0, 0.5], 0, 3), ([1.0, 0.5], 1, 2)] {
            shaped.tracks[2].morphs = rows(row);
            let (result, still) = without_redundant_keys(shaped.clone(), &smiling);
            assert_eq!(still, RemovedKeys { count: 3, bytes: 5 * 12 + lost * 2 * 4 });
            assert_eq!(result.tracks[2].morphs.as_ref().map_or(0, |curve| curve.times.len()), keys);
            assert_eq!(result.pose_at(&smiling, 0.7), shaped.pose_at(&smiling, 0.7));
        }
        let mut constant_clip = clip;
        constant_clip.tracks[1].rotation = None;
        let result = without_redundant_keys(constant_clip, &skeleton).0;
        assert!(result.key_times().flatten().any(|&time| time == 1.0), "it is as long as before");
    }

    #[test]
    fn rounding_of_equal_means_is_no_motion() {
        let mut skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
        let rest = Vec3::new(0.1, -0.45, 0.07);
        skeleton.joints[1].rest.translation = rest;
        let rounded = |value: Vec3| {
            let weights = (1..9).map(|i| i as f32 / 9.0);
            let values: Vec<Vec3> = weights.map(|weight| value * weight + value * (1.0 - weight)).collect();
            assert!(values.iter().any(|rounded| *rounded != value), "the mean rounds");
            Some(Curve::linear((0..8).map(|i| i as f32 / 7.0).collect(), values))
        };
        let result = |translation: Option<Curve<Vec3>>| {
            let tracks = vec![JointTracks::default(), JointTracks { translation, ..JointTracks::default() }];
            let result = without_redundant_keys(Clip { name: "go".into(), duration: 2.0, tracks }, &skeleton).0;
            result.tracks[1].translation.as_ref().map_or(0, |curve| curve.times.len())
        };
        assert_eq!(result(rounded(rest)), 0);
        assert_eq!(result(rounded(rest * 1.1)), 1);
        let mut moving = rounded(rest);
        moving.as_mut().unwrap().values[3].y += 1e-6;
        assert_eq!(result(moving), 8, "a thousandth of a millimetre is a motion");
    }
}
