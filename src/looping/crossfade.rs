//! Mixing of two values of a unit: a vertex, joint, rotation or pixel.

use glam::{Quat, Vec3};

use super::fade::Weights;
use portamento_anim::math::simd::{SimdKernel, dispatch};
use portamento_anim::math::{Transform, mean};

/// Values that fade out (cycle B) and values that fade in (cycle A); both slices have the same length.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a, T> {
    /// Values of cycle B, with weight 0 at the end of the fade.
    pub outgoing: &'a [T],
    /// Values of cycle A, with weight 1 at the end of the fade.
    pub incoming: &'a [T],
}

impl<'a, T> Pair<'a, T> {
    /// Returns the values of `count` units, beginning with unit `first`.
    pub(super) fn part(&self, first: usize, count: usize) -> Self {
        let range = first..first + count;
        Self { outgoing: &self.outgoing[range.clone()], incoming: &self.incoming[range] }
    }
}

/// A value per unit and frame that can be mixed with another one.
pub trait Crossfade: Copy + PartialEq + Send + Sync + 'static {
    /// Additional parameters of the mixing.
    type Style: Copy + Send + Sync;

    /// Writes the mixture of `pair` to `out`. `weights` are those of the incoming values. All slices have the same
    /// length.
    ///
    /// If both values are equal, the result is the same value: bit for bit for vertices, within rounding for others.
    fn crossfade(pair: Pair<Self>, weights: Weights, style: Self::Style, out: &mut [Self]);
}

impl Crossfade for Vec3 {
    type Style = ();

    fn crossfade(pair: Pair<Self>, weights: Weights, (): (), out: &mut [Self]) {
        dispatch(MixPoints { pair, weights, out });
    }
}

/// The arguments of the mixing of vertices.
struct MixPoints<'a> {
    pair: Pair<'a, Vec3>,
    weights: Weights<'a>,
    out: &'a mut [Vec3],
}

impl SimdKernel for MixPoints<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { pair, weights, out } = self;
        let pairs = out.iter_mut().zip(pair.outgoing.iter().zip(pair.incoming));
        match weights {
            Weights::Even(w) => pairs.for_each(|(out, (&b, &a))| *out = b + (a - b) * w),
            Weights::PerUnit(weights) => pairs.zip(weights).for_each(|((out, (&b, &a)), &w)| *out = b + (a - b) * w),
        }
    }
}

impl Crossfade for Transform {
    type Style = ();

    /// Mixes translation and scale linearly, and rotations along the shortest arc.
    fn crossfade(pair: Pair<Self>, weights: Weights, (): (), out: &mut [Self]) {
        for (i, (out, (b, a))) in out.iter_mut().zip(pair.outgoing.iter().zip(pair.incoming)).enumerate() {
            let w = weights.at(i);
            *out = Transform {
                translation: b.translation + (a.translation - b.translation) * w,
                rotation: slerp_short(b.rotation, a.rotation, w),
                scale: b.scale + (a.scale - b.scale) * w,
            };
        }
    }
}

impl Crossfade for Quat {
    type Style = ();

    fn crossfade(pair: Pair<Self>, weights: Weights, (): (), out: &mut [Self]) {
        for (i, (out, (&b, &a))) in out.iter_mut().zip(pair.outgoing.iter().zip(pair.incoming)).enumerate() {
            *out = slerp_short(b, a, weights.at(i));
        }
    }
}

/// Returns the rotation at the fraction `w` (0…1) from `b` to `a` along the shortest arc.
fn slerp_short(b: Quat, a: Quat, w: f32) -> Quat {
    mean::slerp(b, mean::aligned(a, b), w).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_stay_equal_at_any_weight() {
        let points = [Vec3::new(0.1, -7.3, 1e6), Vec3::new(3.3, 0.0, -1e-7)];
        let mut out = [Vec3::ZERO; 2];
        for weight in [0.1, 1.0 / 3.0, 0.77] {
            Vec3::crossfade(Pair { outgoing: &points, incoming: &points }, Weights::Even(weight), (), &mut out);
            assert_eq!(out, points);
        }
    }

    #[test]
    fn joints_rotate_along_the_short_arc_for_any_quaternion_sign() {
        let turned = |angle: f32| Transform { rotation: Quat::from_rotation_z(angle), ..Transform::IDENTITY };
        let (b, mut a) = (turned(-0.4), turned(0.8));
        a.rotation = -a.rotation;
        let mut out = [Transform::IDENTITY];
        Transform::crossfade(Pair { outgoing: &[b], incoming: &[a] }, Weights::PerUnit(&[0.5]), (), &mut out);
        assert!(mean::angle_between(out[0].rotation, Quat::from_rotation_z(0.2)) < 1e-6);
        assert!((out[0].rotation.length() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn plain_rotations_mix_as_those_of_joints() {
        let (b, a) = (Quat::from_rotation_z(-0.4), -Quat::from_rotation_z(0.8));
        let mut out = [Quat::IDENTITY; 2];
        Quat::crossfade(Pair { outgoing: &[b; 2], incoming: &[a; 2] }, Weights::PerUnit(&[0.25, 0.5]), (), &mut out);
        let off = |turn: Quat, angle: f32| mean::angle_between(turn, Quat::from_rotation_z(angle));
        assert!(off(out[0], -0.1) < 1e-6 && off(out[1], 0.2) < 1e-6, "{out:?}");
    }
}
