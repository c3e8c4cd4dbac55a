//! What fades: a vertex, a joint or a pixel. Each kind knows how two of its values are mixed.

use glam::{Quat, Vec3};

use super::fade::Share;
use crate::math::{Transform, mean};

/// One thing with a value per frame and a fade of its own.
pub trait Unit: Copy + PartialEq + Send + Sync + 'static {
    /// What else decides how two values are mixed.
    type Style: Copy + Send + Sync;

    /// Writes the mixture of `b` and `a` to `out`, with `share` of `a`; all as long as each other.
    ///
    /// Where `a` equals `b` the result is that value again, bit for bit for vertices and within rounding for the others.
    fn mix(b: &[Self], a: &[Self], share: Share, style: Self::Style, out: &mut [Self]);
}

impl Unit for Vec3 {
    type Style = ();

    fn mix(b: &[Self], a: &[Self], share: Share, (): (), out: &mut [Self]) {
        let pairs = out.iter_mut().zip(b.iter().zip(a));
        match share {
            Share::Even(w) => pairs.for_each(|(out, (&b, &a))| *out = b + (a - b) * w),
            Share::Each(shares) => pairs.zip(shares).for_each(|((out, (&b, &a)), &w)| *out = b + (a - b) * w),
        }
    }
}

impl Unit for Transform {
    type Style = ();

    fn mix(b: &[Self], a: &[Self], share: Share, (): (), out: &mut [Self]) {
        for (i, (out, (b, a))) in out.iter_mut().zip(b.iter().zip(a)).enumerate() {
            *out = between(b, a, share.of(i));
        }
    }
}

impl Unit for Quat {
    type Style = ();

    fn mix(b: &[Self], a: &[Self], share: Share, (): (), out: &mut [Self]) {
        for (i, (out, (&b, &a))) in out.iter_mut().zip(b.iter().zip(a)).enumerate() {
            *out = turned(b, a, share.of(i));
        }
    }
}

/// Offsets and factors go straight, rotations along the shortest arc.
fn between(b: &Transform, a: &Transform, w: f32) -> Transform {
    Transform {
        translation: b.translation + (a.translation - b.translation) * w,
        rotation: turned(b.rotation, a.rotation, w),
        scale: b.scale + (a.scale - b.scale) * w,
    }
}

fn turned(b: Quat, a: Quat, w: f32) -> Quat {
    mean::slerp(b, mean::aligned(a, b), w).normalize()
}

impl Share<'_> {
    /// The shares of `count` units from the one in place `first` on.
    #[inline(always)]
    pub fn part(&self, first: usize, count: usize) -> Self {
        match self {
            Self::Even(share) => Self::Even(*share),
            Self::Each(shares) => Self::Each(&shares[first..first + count]),
        }
    }

    /// The share of unit `i` among those asked for.
    pub fn of(&self, i: usize) -> f32 {
        match self {
            Self::Even(share) => *share,
            Self::Each(shares) => shares[i],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_stay_themselves_at_any_share() {
        let points = [Vec3::new(0.1, -7.3, 1e6), Vec3::new(3.3, 0.0, -1e-7)];
        let mut out = [Vec3::ZERO; 2];
        for share in [0.1, 1.0 / 3.0, 0.77] {
            Vec3::mix(&points, &points, Share::Even(share), (), &mut out);
            assert_eq!(out, points);
        }
    }

    #[test]
    fn joints_turn_the_short_way_whatever_sign_their_quaternions_have() {
        let turned = |angle: f32| Transform { rotation: Quat::from_rotation_z(angle), ..Transform::IDENTITY };
        let (b, mut a) = (turned(-0.4), turned(0.8));
        a.rotation = -a.rotation;
        let mut out = [Transform::IDENTITY];
        Transform::mix(&[b], &[a], Share::Each(&[0.5]), (), &mut out);
        assert!(mean::angle_between(out[0].rotation, Quat::from_rotation_z(0.2)) < 1e-6);
        assert!((out[0].rotation.length() - 1.0).abs() < 1e-6);
    }
}
