//! Four vectors in SIMD lanes.

use std::ops::{Add, Div, Mul, Sub};

use glam::DVec3;

use super::{FOUR, Four};
use crate::math::lanes::Vectors;

/// Four vectors.
#[derive(Clone, Copy, Debug)]
pub struct FourVectors<V: Vectors> {
    /// Component x.
    pub x: Four<V>,
    /// Component y.
    pub y: Four<V>,
    /// Component z.
    pub z: Four<V>,
}

impl<V: Vectors> FourVectors<V> {
    /// Creates the vectors from a function of the lane index.
    #[inline(always)]
    pub fn from_fn(vectors: V, vector: impl Fn(usize) -> DVec3) -> Self {
        let [a, b, c, d] = [vector(0), vector(1), vector(2), vector(3)];
        Self {
            x: Four::new(vectors, [a.x, b.x, c.x, d.x]),
            y: Four::new(vectors, [a.y, b.y, c.y, d.y]),
            z: Four::new(vectors, [a.z, b.z, c.z, d.z]),
        }
    }

    /// Sets all lanes to the same vector.
    #[inline(always)]
    pub fn splat(vectors: V, vector: DVec3) -> Self {
        Self { x: Four::splat(vectors, vector.x), y: Four::splat(vectors, vector.y), z: Four::splat(vectors, vector.z) }
    }

    /// Returns the vector of each lane.
    #[inline(always)]
    pub fn store(self) -> [DVec3; FOUR] {
        let [x, y, z] = [self.x.store(), self.y.store(), self.z.store()];
        std::array::from_fn(|lane| DVec3::new(x[lane], y[lane], z[lane]))
    }

    /// Returns the dot products.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Four<V> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the squared lengths.
    #[inline(always)]
    pub fn length_squared(self) -> Four<V> {
        self.dot(self)
    }

    /// Returns the lengths.
    #[inline(always)]
    pub fn length(self) -> Four<V> {
        self.length_squared().sqrt()
    }

    /// Returns the cross products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }
}

impl<V: Vectors> Add for FourVectors<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<V: Vectors> Sub for FourVectors<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<V: Vectors> Mul<Four<V>> for FourVectors<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, by: Four<V>) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

impl<V: Vectors> Div<Four<V>> for FourVectors<V> {
    type Output = Self;

    #[inline(always)]
    fn div(self, by: Four<V>) -> Self {
        Self { x: self.x / by, y: self.y / by, z: self.z / by }
    }
}
