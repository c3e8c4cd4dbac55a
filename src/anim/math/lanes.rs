//! SIMD vectors of the processor: eight `f32` or four `f64` per register with AVX2.
//!
//! Every operation rounds each lane separately as in IEEE 754 and nothing is fused. A formula therefore gives the
//! same bits as on single numbers, with or without wide vectors.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::{Mat4, Vec4};
use pulp::{NullaryFnOnce, Scalar256b, Simd, f32x8, f64x4};

use super::number::Number;

/// SIMD capability with vectors of eight `f32` and four `f64`.
pub trait Vectors: Simd<f32s = f32x8, f64s = f64x4> {}

impl<S: Simd<f32s = f32x8, f64s = f64x4>> Vectors for S {}

/// A computation on lanes, compiled once for wide vectors and once for any processor.
pub trait LaneKernel {
    /// The result.
    type Output;

    /// Runs the computation. It must be `#[inline(always)]`, and so must everything that it calls.
    fn run<V: Vectors>(self, vectors: V) -> Self::Output;
}

/// Runs `kernel` with the widest vectors of the processor; the bits are the same on every machine.
#[inline(always)]
pub fn dispatch_lanes<K: LaneKernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = pulp::x86::V3::try_new() {
        return wide.vectorize(OnVectors { kernel, vectors: wide });
    }
    run_narrow(kernel)
}

/// Runs `kernel` without wide vectors.
#[inline(always)]
pub fn run_narrow<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run(Scalar256b)
}

/// A kernel with the vectors to run it on.
struct OnVectors<K, V> {
    kernel: K,
    vectors: V,
}

impl<K: LaneKernel, V: Vectors> NullaryFnOnce for OnVectors<K, V> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.kernel.run(self.vectors)
    }
}

/// Eight `f32` in memory, aligned to a register.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct F32x8(pub [f32; 8]);

impl F32x8 {
    /// 0 in every lane.
    pub const ZERO: Self = Self([0.0; 8]);
    /// 1 in every lane.
    pub const ONE: Self = Self([1.0; 8]);

    /// Returns the first four and the last four lanes.
    #[inline(always)]
    pub fn halves(self) -> [Vec4; 2] {
        let [low, high]: [[f32; 4]; 2] = pulp::cast(self.0);
        [low.into(), high.into()]
    }
}

/// Eight `f32` in a register.
#[derive(Clone, Copy, Debug)]
pub struct Eight<V: Vectors> {
    vectors: V,
    lanes: f32x8,
}

impl<V: Vectors> Eight<V> {
    /// Loads eight numbers from memory.
    #[inline(always)]
    pub fn load(vectors: V, from: &F32x8) -> Self {
        Self { vectors, lanes: pulp::cast(from.0) }
    }

    /// Sets all lanes to the same number.
    #[inline(always)]
    pub fn splat(vectors: V, number: f32) -> Self {
        Self { vectors, lanes: vectors.splat_f32s(number) }
    }

    /// Stores the lanes to memory.
    #[inline(always)]
    pub fn store(self) -> F32x8 {
        F32x8(pulp::cast(self.lanes))
    }

    /// Transposes eight vectors into their components x, y, z, w, one lane per vector.
    #[inline(always)]
    pub fn transposed(vectors: V, rows: &[Vec4; 8]) -> [Self; 4] {
        let four = |first: usize| {
            let turned = Mat4::from_cols(rows[first], rows[first + 1], rows[first + 2], rows[first + 3]).transpose();
            [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis]
        };
        let (low, high) = (four(0), four(4));
        std::array::from_fn(|i| Self { vectors, lanes: pulp::cast([low[i].to_array(), high[i].to_array()]) })
    }

    /// Transposes the components x, y, z and w back into eight vectors.
    #[inline(always)]
    pub fn rows([x, y, z, w]: [Self; 4]) -> [Vec4; 8] {
        let [x, y, z, w] = [x, y, z, w].map(|component| component.store().halves());
        let four = |half: usize| {
            let turned = Mat4::from_cols(x[half], y[half], z[half], w[half]).transpose();
            [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis]
        };
        let (low, high) = (four(0), four(1));
        [low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]]
    }
}

/// Implements the arithmetic of `$side_by_side`, with lanes of type `$number`, by the named vector operations: per
/// lane, and with one number for all lanes.
macro_rules! by_lane {
    ($side_by_side:ident, $number:ident, $splat:ident, $xor:ident, $($operation:ident $method:ident $vectors:ident),*) => {
        $(
            impl<V: Vectors> $operation for $side_by_side<V> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self { lanes: self.vectors.$vectors(self.lanes, other.lanes), ..self }
                }
            }

            impl<V: Vectors> $operation<$number> for $side_by_side<V> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: $number) -> Self {
                    Self { lanes: self.vectors.$vectors(self.lanes, self.vectors.$splat(other)), ..self }
                }
            }
        )*

        impl<V: Vectors> Neg for $side_by_side<V> {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self { lanes: self.vectors.$xor(self.lanes, self.vectors.$splat(-0.0)), ..self }
            }
        }
    };
}
pub(super) use by_lane;

by_lane!(Eight, f32, splat_f32s, xor_f32s, Add add add_f32s, Sub sub sub_f32s, Mul mul mul_f32s, Div div div_f32s);

impl<V: Vectors> Number for Eight<V> {
    #[inline(always)]
    fn like(self, number: f32) -> Self {
        Self::splat(self.vectors, number)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { lanes: self.vectors.sqrt_f32s(self.lanes), ..self }
    }

    #[inline(always)]
    fn facing(self, side: Self) -> Self {
        let negative = self.vectors.less_than_f32s(side.lanes, self.vectors.splat_f32s(0.0));
        let lanes = self.vectors.select_f32s(negative, (-self).lanes, self.lanes);
        Self { lanes, ..self }
    }

    #[inline(always)]
    fn select_above(self, limit: f32, yes: Self, no: Self) -> Self {
        let is_above = self.vectors.greater_than_f32s(self.lanes, self.vectors.splat_f32s(limit));
        Self { lanes: self.vectors.select_f32s(is_above, yes.lanes, no.lanes), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::number::dot;

    struct RoundTrip([Vec4; 8]);

    impl LaneKernel for RoundTrip {
        type Output = ([F32x8; 4], [Vec4; 8]);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let components = Eight::transposed(vectors, &self.0);
            (components.map(Eight::store), Eight::rows(components))
        }
    }

    #[test]
    fn rows_become_components_and_rows_again() {
        let rows: [Vec4; 8] = std::array::from_fn(|i| Vec4::new(0.0, 0.1, 0.2, 0.3) + i as f32);
        for (components, again) in [dispatch_lanes(RoundTrip(rows)), run_narrow(RoundTrip(rows))] {
            assert!((0..4).all(|i| (0..8).all(|lane| components[i].0[lane] == rows[lane][i])));
            assert_eq!(again, rows);
        }
    }

    struct Formula([F32x8; 2]);

    fn formula<N: Number>([a, b]: [N; 2]) -> N {
        let turned = ((a * 1.1 + b / (a * a + 0.3)).facing(b) - b).sqrt();
        dot([a, b, turned, a], [b, a.select_above(0.4, a, b), -b, turned]) + turned
    }

    impl LaneKernel for Formula {
        type Output = F32x8;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> F32x8 {
            formula(self.0.each_ref().map(|lanes| Eight::load(vectors, lanes))).store()
        }
    }

    #[test]
    fn eight_lanes_have_the_bits_of_single_numbers_with_and_without_wide_vectors() {
        for i in 0..100_u16 {
            let number = |lane: usize| (f32::from(i) * 0.37 + lane as f32).sin() * 3.0;
            let numbers: [[f32; 8]; 2] =
                [std::array::from_fn(number), std::array::from_fn(|lane| number(lane * 3 + 1))];
            let memory = numbers.map(F32x8);
            let single: [f32; 8] = std::array::from_fn(|lane| formula([numbers[0][lane], numbers[1][lane]]));
            let bits = |lanes: F32x8| lanes.0.map(f32::to_bits);
            let narrow = bits(run_narrow(Formula(memory)));
            assert_eq!(bits(dispatch_lanes(Formula(memory))), narrow);
            // The square root of a negative number is NaN of either sign.
            assert!(narrow.iter().zip(single).all(|(&bits, single)| bits == single.to_bits() || single.is_nan()));
        }
    }
}
