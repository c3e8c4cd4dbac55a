//! The ground along the way of a clip: level pieces with steps between them.

use glam::DVec3;

/// Level pieces of ground, each as wide as the world: the z at which a piece starts and its height, metres, ascending in
/// z. Before the first piece the height is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile(pub Vec<[f64; 2]>);

impl Profile {
    /// Returns the height of the ground at `z`, metres.
    pub fn height(&self, z: f64) -> f64 {
        self.0.iter().rev().find(|piece| piece[0] <= z).map_or(0.0, |piece| piece[1])
    }

    /// Returns `point` moved to a distance of `margin` metres from the ground if it is lower: up or to the side,
    /// whichever is nearer.
    pub fn outside(&self, point: DVec3, margin: f64) -> DVec3 {
        let lowest = self.height(point.z) + margin;
        if point.y >= lowest {
            return point;
        }
        let steps = self.0.iter().flat_map(|&[z, _]| [z - margin, z + margin]);
        let nearest = steps
            .filter(|&z| self.height(z) + margin <= point.y)
            .min_by(|a, b| (a - point.z).abs().total_cmp(&(b - point.z).abs()));
        match nearest {
            Some(z) if (z - point.z).abs() < lowest - point.y => DVec3 { z, ..point },
            _ => DVec3 { y: lowest, ..point },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_point_leaves_a_wall_by_the_nearest_side() {
        let wall = Profile(vec![[2.0, 1.0], [2.4, 0.0]]);
        assert_eq!([1.9, 2.0, 2.3, 2.4].map(|z| wall.height(z)), [0.0, 1.0, 1.0, 0.0]);
        let leave = |y: f64, z: f64| wall.outside(dvec3(0.3, y, z), 0.02);
        assert_eq!(leave(0.5, 2.05), dvec3(0.3, 0.5, 1.98));
        assert_eq!(leave(0.5, 2.35), dvec3(0.3, 0.5, 2.42));
        assert_eq!(leave(0.98, 2.2), dvec3(0.3, 1.02, 2.2));
        assert_eq!(leave(-0.1, 1.0), dvec3(0.3, 0.02, 1.0));
        assert_eq!(leave(0.5, 1.0), dvec3(0.3, 0.5, 1.0));
    }
}
