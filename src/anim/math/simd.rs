//! Loops over slices with the widest vectors of the processor.

use pulp::{Arch, Simd, WithSimd};

/// Loops over slices that are compiled once per vector width.
pub trait SimdKernel {
    /// Runs the loops. It must be `#[inline(always)]`, and so must everything that it calls; large closures are not
    /// inlined.
    fn run(self);
}

/// Runs `kernel` with the widest vectors of the processor. The bits are the same on every machine: nothing is
/// reordered or fused.
#[inline(always)]
pub fn dispatch(kernel: impl SimdKernel) {
    Arch::new().dispatch(Dispatched(kernel));
}

struct Dispatched<L>(L);

impl<L: SimdKernel> WithSimd for Dispatched<L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bending<'a>(&'a mut [f32]);

    impl SimdKernel for Bending<'_> {
        #[inline(always)]
        fn run(self) {
            self.0.iter_mut().for_each(|lane| *lane = *lane * 1.1 + *lane * *lane / (*lane + 0.3));
        }
    }

    #[test]
    fn wide_loops_give_the_same_bits_as_narrow_ones() {
        let mut wide: Vec<f32> = (1..1000).map(|i| (i as f32).sqrt() / 7.0).collect();
        let mut narrow = wide.clone();
        dispatch(Bending(&mut wide));
        Bending(&mut narrow).run();
        assert!(wide.iter().zip(&narrow).all(|(wide, narrow)| wide.to_bits() == narrow.to_bits()));
    }
}
