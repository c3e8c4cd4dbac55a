//! Four vectors side by side.

use std::ops::{Add, Div, Mul, Sub};

use glam::DVec3;

use super::{FOUR, Four};
use crate::math::lanes::Vectors;

/// Four vectors.
#[derive(Clone, Copy, Debug)]
pub struct FourVectors<V: Vectors> {
    /// In every lane.
    pub x: Four<V>,
    /// In every lane.
    pub y: Four<V>,
    /// In every lane.
    pub z: Four<V>,
}

impl<V: Vectors> FourVectors<V> {
    /// One for each lane, by its index.
    #[inline(always)]
    pub fn from_fn(vectors: V, vector: impl Fn(usize) -> DVec3) -> Self {
        let [a, b, c, d] = [vector(0), vector(1), vector(2), vector(3)];
        Self {
            x: Four::new(vectors, [a.x, b.x, c.x, d.x]),
            y: Four::new(vectors, [a.y, b.y, c.y, d.y]),
            z: Four::new(vectors, [a.z, b.z, c.z, d.z]),
        }
    }

    /// The same in every lane.
    #[inline(always)]
    pub fn splat(vectors: V, vector: DVec3) -> Self {
        Self { x: Four::splat(vectors, vector.x), y: Four::splat(vectors, vector.y), z: Four::splat(vectors, vector.z) }
    }

    /// Lane for lane.
    #[inline(always)]
    pub fn store(self) -> [DVec3; FOUR] {
        let [x, y, z] = [self.x.store(), self.y.store(), self.z.store()];
        std::array::from_fn(|lane| DVec3::new(x[lane], y[lane], z[lane]))
    }

    /// The sum of the products.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Four<V> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The square of the length.
    #[inline(always)]
    pub fn length_squared(self) -> Four<V> {
        self.dot(self)
    }

    /// The length.
    #[inline(always)]
    pub fn length(self) -> Four<V> {
        self.length_squared().sqrt()
    }

    /// The vector across both.
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
