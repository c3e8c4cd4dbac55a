//! Axis-aligned bounding boxes.

use glam::Vec3;

/// An axis-aligned box, in the unit of its content.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest x, y and z.
    pub low: Vec3,
    /// The corner with the largest x, y and z.
    pub high: Vec3,
}

impl Bounds {
    /// Returns the smallest box around all finite points; `None` if there are none.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut finite = points.into_iter().filter(|point| point.is_finite());
        let first = finite.next()?;
        let one = Self { low: first, high: first };
        Some(finite.fold(one, |bounds, point| Self { low: bounds.low.min(point), high: bounds.high.max(point) }))
    }

    /// Returns the centre.
    pub fn center(self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Returns the length along each axis, never negative.
    pub fn size(self) -> Vec3 {
        self.high - self.low
    }

    /// Returns the eight corners.
    pub fn corners(self) -> [Vec3; 8] {
        std::array::from_fn(|i| Vec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), self.high, self.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_contains_its_points_and_ignores_non_finite_ones() {
        assert_eq!(Bounds::around([]), None);
        assert_eq!(Bounds::around([Vec3::NAN, Vec3::INFINITY]), None);
        let bounds = Bounds::around([Vec3::new(1.0, 2.0, 3.0), Vec3::NAN, Vec3::new(3.0, -2.0, 1.0)]).unwrap();
        assert_eq!(bounds, Bounds { low: Vec3::new(1.0, -2.0, 1.0), high: Vec3::new(3.0, 2.0, 3.0) });
        assert_eq!((bounds.center(), bounds.size()), (Vec3::new(2.0, 0.0, 2.0), Vec3::new(2.0, 4.0, 2.0)));
        let corners = bounds.corners();
        assert!(corners.contains(&bounds.low) && corners.contains(&bounds.high));
        assert_eq!(Bounds::around(corners), Some(bounds));
    }
}
