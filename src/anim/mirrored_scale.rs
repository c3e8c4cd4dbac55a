//! Two forms of one mirrored transform, and their conversion for blending.
//!
//! ```text
//! R · S = (R · F) · (F · S),   F = diag(−1, −1, 1) = a half turn about Z, likewise about X and Y
//! ```
//!
//! A clip may write a mirrored bone as scale (−1, 1, 1), and another as scale (1, −1, 1) with a half turn. A mean of the two
//! scales collapses, so all clips of a blend use one form.

use std::borrow::Cow;

use glam::{Quat, Vec3};

use super::{Clip, Curve, Interpolation, Skeleton};

/// Returns `clips` with the scales of each joint in the form of the first clip whose scales keep their signs.
/// Looks do not change. Clips that need no change are borrowed. Scales that change their signs within a clip are kept.
pub fn with_equal_signs<'a>(skeleton: &Skeleton, clips: &[&'a Clip]) -> Vec<Cow<'a, Clip>> {
    let mut alike: Vec<Cow<Clip>> = clips.iter().map(|&clip| Cow::Borrowed(clip)).collect();
    for joint in 0..skeleton.len() {
        let signs: Vec<Option<Vec3>> = clips.iter().map(|clip| signs(skeleton, clip, joint)).collect();
        let Some(first) = signs.iter().flatten().next().copied() else { continue };
        for (clip, signs) in alike.iter_mut().zip(&signs) {
            let Some(factor) = signs.map(|signs| signs * first) else { continue };
            // Two axes differ; with one or three the clips do not look alike.
            if factor != Vec3::ONE && factor.element_product() > 0.0 {
                change_form(skeleton, clip.to_mut(), joint, factor);
            }
        }
    }
    alike
}

/// Returns the signs of the scale of `joint` in `clip`, or in the rest pose if the clip has no scale curve for it. Returns
/// `None` if a sign changes or a scale is 0.
fn signs(skeleton: &Skeleton, clip: &Clip, joint: usize) -> Option<Vec3> {
    let signs = |scale: Vec3| (scale.abs().min_element() > 0.0).then(|| scale.signum());
    let Some(curve) = &clip.tracks.get(joint)?.scale else { return signs(skeleton.joints[joint].rest.scale) };
    let mut keys = (0..curve.times.len()).map(|key| signs(curve.key(key)));
    let first = keys.next()??;
    keys.all(|key| key == Some(first)).then_some(first)
}

/// Multiplies the scales of `joint` by `factor`, which has two negative ones, and its rotations by the same half turn.
/// Missing curves are created from the rest transform first.
fn change_form(skeleton: &Skeleton, clip: &mut Clip, joint: usize, factor: Vec3) {
    let rest = skeleton.joints[joint].rest;
    let axis = Vec3::select(factor.cmpgt(Vec3::ZERO), Vec3::ONE, Vec3::ZERO);
    let half_turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
    let tracks = &mut clip.tracks[joint];
    let scale = tracks.scale.get_or_insert_with(|| constant(rest.scale));
    scale.values.iter_mut().for_each(|value| *value *= factor);
    let rotation = tracks.rotation.get_or_insert_with(|| constant(rest.rotation));
    rotation.values.iter_mut().for_each(|value| *value *= half_turn);
}

/// Returns a curve of one key at time 0.
fn constant<T>(value: T) -> Curve<T> {
    Curve { interpolation: Interpolation::Linear, times: vec![0.0].into(), values: vec![value].into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointTracks;
    use crate::small_inputs::skeleton_of;
    use glam::Mat3;

    fn clip(scale: Option<Vec<Vec3>>, rotation: Option<Vec<Quat>>) -> Clip {
        let times = |count: usize| (0..count).map(|key| key as f32).collect();
        let tracks = JointTracks {
            scale: scale.map(|values| Curve::linear(times(values.len()), values)),
            rotation: rotation.map(|values| Curve::linear(times(values.len()), values)),
            ..JointTracks::default()
        };
        Clip { duration: 1.0, tracks: vec![tracks], ..Clip::default() }
    }

    fn matrix(skeleton: &Skeleton, clip: &Clip, time: f64) -> Mat3 {
        let local = clip.pose_at(skeleton, time).locals[0];
        Mat3::from_quat(local.rotation) * Mat3::from_diagonal(local.scale)
    }

    #[test]
    fn every_pair_of_axes_gets_the_form_of_the_first_clip_and_looks_as_before() {
        let mut skeleton = skeleton_of(&[("arm", None)]);
        let turns = vec![Quat::from_rotation_y(0.3), Quat::from_euler(glam::EulerRot::XYZ, 0.4, -0.9, 1.2)];
        let forms = [
            [
                Vec3::new(-1.0, 2.0, 3.0),
                Vec3::new(1.0, -2.0, 3.0),
                Vec3::new(1.0, 2.0, -3.0),
                Vec3::new(-1.0, -2.0, -3.0),
            ],
            [
                Vec3::new(1.0, 2.0, 3.0),
                Vec3::new(-1.0, -2.0, 3.0),
                Vec3::new(1.0, -2.0, -3.0),
                Vec3::new(-1.0, 2.0, -3.0),
            ],
        ];
        for [first, others @ ..] in forms {
            for other in others {
                skeleton.joints[0].rest.scale = other;
                let by_rest = clip(None, Some(turns.clone()));
                let still = clip(Some(vec![other; 2]), None);
                let moving = clip(Some(vec![other; 2]), Some(turns.clone()));
                let reference = clip(Some(vec![first; 2]), Some(turns.clone()));
                let clips = [&reference, &by_rest, &still, &moving];
                let alike = with_equal_signs(&skeleton, &clips);
                assert!(matches!(alike[0], Cow::Borrowed(_)));
                for (alike, before) in alike.iter().zip(clips) {
                    for time in [0.0, 0.35, 1.0] {
                        let apart = matrix(&skeleton, alike, time) - matrix(&skeleton, before, time);
                        assert!(apart.to_cols_array().iter().all(|value| value.abs() < 1e-5), "{first} {other} {time}");
                        let scale = alike.pose_at(&skeleton, time).locals[0].scale;
                        assert_eq!(scale.signum(), first.signum());
                    }
                }
            }
        }
    }

    #[test]
    fn unlike_sides_and_changing_signs_are_kept() {
        let skeleton = skeleton_of(&[("arm", None)]);
        let plain = clip(None, None);
        let mirrored = clip(Some(vec![Vec3::new(-1.0, 1.0, 1.0)]), None);
        let changing = clip(Some(vec![Vec3::ONE, Vec3::new(-1.0, -1.0, 1.0)]), None);
        let flat = clip(Some(vec![Vec3::new(0.0, -1.0, 1.0)]), None);
        let alike = with_equal_signs(&skeleton, &[&plain, &mirrored, &changing, &flat]);
        assert!(alike.iter().all(|clip| matches!(clip, Cow::Borrowed(_))));
    }
}
