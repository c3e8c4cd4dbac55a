//! Dot products of all pairs of frames, from which all distances follow.

use rayon::prelude::*;

use portamento_base::progress::{Cancelled, Progress};

/// Number of coordinates processed together: those of 600 frames fit into the second-level cache.
const BLOCK: usize = 256;

/// Returns the dot products of all pairs of frames relative to their mean, row by row. Returns `Err` if `progress` is cancelled.
pub(super) fn products(frames: &[Vec<f32>], progress: &Progress) -> Result<Vec<f64>, Cancelled> {
    let (count, width) = (frames.len(), frames[0].len());
    let mut products = vec![0.0; count * count];
    let mut block = vec![[0.0f32; BLOCK]; count];
    for first in (0..width).step_by(BLOCK) {
        progress.step(first * 9 / 10, width)?;
        let used = BLOCK.min(width - first);
        center_block(frames, first, used, &mut block);
        products.par_chunks_mut(count).enumerate().for_each(|(i, row)| {
            // f32 within a block for wide vectors, f64 across blocks: the error does not grow with the number of
            // coordinates.
            row[..=i].iter_mut().zip(&block).for_each(|(sum, other)| *sum += f64::from(dot(&block[i], other)));
        });
    }
    for i in 0..count {
        for j in 0..i {
            products[j * count + i] = products[i * count + j];
        }
    }
    Ok(products)
}

/// Writes `used` coordinates of each frame from `first` on, minus their mean over all frames, to `block`. Fills the rest of each
/// row with 0.
fn center_block(frames: &[Vec<f32>], first: usize, used: usize, block: &mut [[f32; BLOCK]]) {
    let mut mean = [0.0f64; BLOCK];
    for frame in frames {
        mean.iter_mut().zip(&frame[first..first + used]).for_each(|(mean, &value)| *mean += f64::from(value));
    }
    mean.iter_mut().for_each(|mean| *mean /= frames.len() as f64);
    for (row, frame) in block.iter_mut().zip(frames) {
        // The last block is shorter; zeros add nothing to a product.
        row[used..].fill(0.0);
        let values = frame[first..first + used].iter().zip(&mean);
        row.iter_mut().zip(values).for_each(|(row, (&value, mean))| *row = (f64::from(value) - mean) as f32);
    }
}

/// Returns a dot product as sixteen parallel sums: the order of additions is fixed, and vectors of any width apply.
fn dot(a: &[f32; BLOCK], b: &[f32; BLOCK]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}
