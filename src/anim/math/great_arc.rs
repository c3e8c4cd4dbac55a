//! The shortest arc between two rotations: slerp (Shoemake 1985) in additions, multiplications and one division.
//!
//! With a·b ≥ 0, q(s) = a·cos(sθ) + n·s·sinc(sθ), where n is the tangent at a, as long as θ, and θ/2 = atan(|b − a| / |b + a|).
//! atan(x)/x, cos and sinc are polynomials in the square of their argument, minimax over the quarter turn that can occur,
//! so nothing is ill-conditioned where a and b are close. There are no branches: a loop over joints becomes wide instructions,
//! and every processor gives the same bits.

use super::number::{Number, dot, polynomial};

/// atan(x)/x over 0 ≤ x² ≤ 1, to 2e-8.
const ATAN: [f32; 9] = [
    1.0,
    -0.333_331_67,
    0.199_941_32,
    -0.142_141_57,
    0.106_787_03,
    -0.075_800_076,
    0.043_546_054,
    -0.016_576_126,
    0.002_973_214_7,
];
/// cos x over 0 ≤ x² ≤ (π/2)², to 6e-9.
const COS: [f32; 6] = [1.0, -0.5, 0.041_666_64, -0.001_388_840_4, 2.476_187e-5, -2.607_681_6e-7];
/// sin(x)/x over 0 ≤ x² ≤ (π/2)², to 3e-8.
const SINC: [f32; 5] = [1.0, -0.166_666_6, 0.008_333_088, -0.000_198_111_01, 2.608_904e-6];

/// The shortest arc from one rotation to another, or several arcs in SIMD lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GreatArc<N = f32> {
    /// The first rotation, xyzw.
    pub from: [N; 4],
    /// The tangent there, with the angle between the quaternions as length.
    pub toward: [N; 4],
    /// The angle squared, radians²; at most (π/2)².
    pub angle_squared: N,
}

impl<N> GreatArc<N> {
    /// Returns the arc with every number converted by `as_number`.
    #[inline(always)]
    pub fn each<M>(&self, as_number: impl Fn(&N) -> M) -> GreatArc<M> {
        GreatArc {
            from: self.from.each_ref().map(&as_number),
            toward: self.toward.each_ref().map(&as_number),
            angle_squared: as_number(&self.angle_squared),
        }
    }
}

impl<N: Number> GreatArc<N> {
    /// Returns the arc from `a` to `b` or −`b`, whichever is nearer. Expects unit quaternions; if both are equal the
    /// arc is constant.
    #[inline(always)]
    pub fn between(a: [N; 4], b: [N; 4]) -> Self {
        let side = dot(a, b);
        // No closure, because closures are not always inlined into the code for wide vectors.
        Self::direct(a, [b[0].facing(side), b[1].facing(side), b[2].facing(side), b[3].facing(side)])
    }

    /// Returns the arc from `a` to `b` unchanged; the angle between the quaternions must be at most 90°.
    #[inline(always)]
    pub fn direct(a: [N; 4], b: [N; 4]) -> Self {
        let step: [N; 4] = std::array::from_fn(|i| b[i] - a[i]);
        let sum: [N; 4] = std::array::from_fn(|i| b[i] + a[i]);
        let chord = dot(step, step);
        let tangent = chord / dot(sum, sum);
        let ratio = polynomial(&ATAN, tangent);
        let (along, back) = (ratio * (tangent + 1.0), chord * 0.5);
        Self {
            from: a,
            toward: std::array::from_fn(|i| (step[i] + a[i] * back) * along),
            angle_squared: tangent * 4.0 * ratio * ratio,
        }
    }

    /// Returns the rotation at `fraction`, 0…1; exactly the first one at 0.
    #[inline(always)]
    pub fn at(&self, fraction: N) -> [N; 4] {
        let square = self.angle_squared * (fraction * fraction);
        let keep = polynomial(&COS, square);
        let go = polynomial(&SINC, square) * fraction;
        std::array::from_fn(|i| self.from[i] * keep + self.toward[i] * go)
    }
}

#[cfg(test)]
mod tests {
    use crate::math::mean::{angle_between, slerp};
    use glam::{DQuat, Quat};
    use proptest::prelude::*;

    fn turned(axis: [f32; 3], angle: f32) -> Quat {
        let axis = glam::Vec3::from(axis).try_normalize().unwrap_or(glam::Vec3::X);
        Quat::from_axis_angle(axis, angle)
    }

    #[test]
    fn both_ends_and_equal_rotations_are_exact_and_the_sign_does_not_matter() {
        let (a, b) = (turned([1.0, 2.0, 3.0], 0.3), turned([-2.0, 1.0, 0.5], 2.1));
        assert_eq!((slerp(a, b, 0.0), slerp(a, b, 1.0)), (a, b));
        for i in 0..=10 {
            let part = i as f32 / 10.0;
            assert_eq!(slerp(a, a, part), a);
            assert_eq!(slerp(b, -b, part.min(0.9)), b);
            assert!(angle_between(slerp(a, -b, part), slerp(a, b, part)) < 1e-7);
        }
    }

    proptest! {
        #[test]
        fn every_arc_matches_slerp_in_double_precision(
            axes in prop::array::uniform2(prop::array::uniform3(-1.0_f32..1.0)),
            angles in prop::array::uniform2(-3.2_f32..3.2),
            small in 0.0_f32..1.0,
            part in 0.0_f32..=1.0,
        ) {
            let a = turned(axes[0], angles[0]);
            for b in [turned(axes[1], angles[1]), a * turned(axes[1], small * small * 0.01)] {
                let exact = a.as_dquat().normalize().slerp(b.as_dquat().normalize(), f64::from(part));
                let ours = slerp(a, b, part).as_dquat();
                // A few roundings of f32; rounding the result alone gives 1e-7 rad.
                prop_assert!((ours.length() - 1.0).abs() < 5e-7, "length {}", ours.length());
                let apart = 2.0 * (ours.normalize() - exact).length().min((ours.normalize() + exact).length());
                prop_assert!(apart < 8e-7, "{apart:e} from {exact} at {part}");
                prop_assert!(DQuat::is_finite(ours));
            }
        }
    }
}
