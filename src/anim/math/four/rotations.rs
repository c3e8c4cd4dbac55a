//! Four rotations in SIMD lanes.

use std::ops::Mul;

use glam::DQuat;

use super::{FOUR, Four, FourMatrices, FourVectors};
use crate::math::lanes::Vectors;

/// Four rotations.
#[derive(Clone, Copy, Debug)]
pub struct FourRotations<V: Vectors> {
    /// Components x, y, z.
    pub xyz: FourVectors<V>,
    /// Component w.
    pub w: Four<V>,
}

impl<V: Vectors> FourRotations<V> {
    /// Creates the rotations from a function of the lane index.
    #[inline(always)]
    pub fn from_fn(vectors: V, rotation: impl Fn(usize) -> DQuat) -> Self {
        let [a, b, c, d] = [rotation(0), rotation(1), rotation(2), rotation(3)];
        Self {
            xyz: FourVectors {
                x: Four::new(vectors, [a.x, b.x, c.x, d.x]),
                y: Four::new(vectors, [a.y, b.y, c.y, d.y]),
                z: Four::new(vectors, [a.z, b.z, c.z, d.z]),
            },
            w: Four::new(vectors, [a.w, b.w, c.w, d.w]),
        }
    }

    /// Returns the rotation of each lane.
    #[inline(always)]
    pub fn store(self) -> [DQuat; FOUR] {
        let (xyz, w) = (self.xyz.store(), self.w.store());
        std::array::from_fn(|lane| DQuat::from_xyzw(xyz[lane].x, xyz[lane].y, xyz[lane].z, w[lane]))
    }

    /// Returns the squared length of the quaternions.
    #[inline(always)]
    pub fn length_squared(self) -> Four<V> {
        self.xyz.dot(self.xyz) + self.w * self.w
    }

    /// Returns the inverse rotations.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        let FourVectors { x, y, z } = self.xyz;
        Self { xyz: FourVectors { x: -x, y: -y, z: -z }, ..self }
    }

    /// Rotates vectors.
    #[inline(always)]
    pub fn rotate(self, vector: FourVectors<V>) -> FourVectors<V> {
        let (b, w) = (self.xyz, self.w);
        vector * (w * w - b.dot(b)) + b * (vector.dot(b) * 2.0) + b.cross(vector) * (w * 2.0)
    }

    /// Returns the rotations as matrices.
    #[inline(always)]
    pub fn matrix(self) -> FourMatrices<V> {
        let (FourVectors { x, y, z }, w) = (self.xyz, self.w);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let one = w.like(1.0);
        FourMatrices {
            x_axis: FourVectors { x: one - (yy + zz), y: xy + wz, z: xz - wy },
            y_axis: FourVectors { x: xy - wz, y: one - (xx + zz), z: yz + wx },
            z_axis: FourVectors { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
        }
    }
}

impl<V: Vectors> Mul for FourRotations<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (FourVectors { x: x0, y: y0, z: z0 }, w0) = (self.xyz, self.w);
        let (FourVectors { x: x1, y: y1, z: z1 }, w1) = (other.xyz, other.w);
        Self {
            xyz: FourVectors {
                x: w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1,
                y: w0 * y1 - x0 * z1 + y0 * w1 + z0 * x1,
                z: w0 * z1 + x0 * y1 - y0 * x1 + z0 * w1,
            },
            w: w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1,
        }
    }
}

impl<V: Vectors> Mul<Four<V>> for FourRotations<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, by: Four<V>) -> Self {
        Self { xyz: self.xyz * by, w: self.w * by }
    }
}
