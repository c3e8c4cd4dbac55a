//! Weights of the samples of a blend space as a function of the parameter position.

use super::blend_space::BlendSpace;
use super::triangulation::{Point, Triangle, doubled_area, hull, triangulate};

/// Triangulation of the sample positions: triangles and their outline, or a chain if all points are on a line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpaceMap {
    points: Vec<Point>,
    triangles: Vec<Triangle>,
    /// Outer edges of the triangulation; without triangles, the links between neighbours on the line.
    outline: Vec<[usize; 2]>,
}

impl BlendSpace {
    /// Returns the edges of the triangulation for display, as pairs of sample indices, each once and the smaller index first.
    pub fn edges(&self) -> Vec<[usize; 2]> {
        let map = self.map();
        let sides = map.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[usize; 2]> = sides.chain(map.outline).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the weight of every sample at parameter position `at`. The weights sum to 1 unless there are no samples.
    pub fn shares(&self, at: [f64; 2]) -> Vec<f64> {
        let mut shares = vec![0.0; self.samples.len()];
        if !shares.is_empty() {
            let active = self.map().weights(self.point(at));
            active.iter().for_each(|active| shares[active.sample] += active.weight);
        }
        shares
    }

    /// Returns the triangulation of the samples.
    pub(crate) fn map(&self) -> SpaceMap {
        SpaceMap::new(self.samples.iter().map(|sample| self.point(sample.at)).collect())
    }
}

/// A sample with its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WeightedSample {
    pub sample: usize,
    /// Weight 0…1; entries of weight 0 are ignored.
    pub weight: f64,
}

/// The samples with weight, at most three. The weights sum to 1.
pub(crate) type ActiveSamples = [WeightedSample; 3];

impl SpaceMap {
    /// Returns the map of samples at `points`, which must be distinct.
    pub fn new(points: Vec<Point>) -> Self {
        let triangles = triangulate(&points);
        let outline = if triangles.is_empty() { chain(&points) } else { hull(&triangles) };
        Self { points, triangles, outline }
    }

    /// Returns the weights at `point`: from the triangle around it, or outside all triangles from the nearest point of the
    /// outline. Continuous, and exact at the samples. Without points the whole weight is that of sample 0.
    pub fn weights(&self, point: Point) -> ActiveSamples {
        if let Some(sample) = self.points.iter().position(|&known| known == point) {
            return single_sample(sample);
        }
        let inside = self.triangles.iter().find_map(|&triangle| self.barycentric(triangle, point));
        inside.unwrap_or_else(|| self.on_outline(point))
    }

    /// Returns the barycentric weights in a triangle, or `None` if `point` is outside.
    fn barycentric(&self, [a, b, c]: Triangle, point: Point) -> Option<ActiveSamples> {
        let [p, q, r] = [a, b, c].map(|corner| self.points[corner]);
        let parts = [doubled_area(point, q, r), doubled_area(point, r, p), doubled_area(point, p, q)];
        if parts.iter().any(|&part| part < 0.0) {
            return None;
        }
        let total: f64 = parts.iter().sum();
        let weighted = |sample: usize, part: f64| WeightedSample { sample, weight: part / total };
        (total > 0.0).then(|| [weighted(a, parts[0]), weighted(b, parts[1]), weighted(c, parts[2])])
    }

    /// Returns the weights at the point of the outline that is nearest to `point`.
    fn on_outline(&self, point: Point) -> ActiveSamples {
        let nearest = |best: Option<(f64, ActiveSamples)>, &[from, to]: &[usize; 2]| {
            let [a, b] = [from, to].map(|end| self.points[end]);
            let part = ((point - a).dot(b - a) / (b - a).length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let distance = point.distance_squared(a.lerp(b, part));
            let first = WeightedSample { sample: from, weight: 1.0 - part };
            let found = [first, WeightedSample { sample: to, weight: part }, WeightedSample::default()];
            match best {
                Some(best) if best.0 <= distance => Some(best),
                _ => Some((distance, found)),
            }
        };
        self.outline.iter().fold(None, nearest).map_or_else(|| single_sample(0), |(_, found)| found)
    }
}

/// Returns full weight for one sample.
fn single_sample(sample: usize) -> ActiveSamples {
    [WeightedSample { sample, weight: 1.0 }, WeightedSample::default(), WeightedSample::default()]
}

/// Returns the pairs of neighbours among points on a line, as indices in order along it.
fn chain(points: &[Point]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].x.total_cmp(&points[b].x).then(points[a].y.total_cmp(&points[b].y)));
    order.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all_weights(map: &SpaceMap, point: Point) -> Vec<f64> {
        let mut all = vec![0.0; map.points.len()];
        map.weights(point).iter().for_each(|active| all[active.sample] += active.weight);
        all
    }

    fn grid(xs: &[f64], ys: &[f64]) -> Vec<Point> {
        ys.iter().flat_map(|&y| xs.iter().map(move |&x| Point::new(x, y))).collect()
    }

    #[test]
    fn on_a_line_neighbours_share_the_weight_and_outside_the_last_sample_plays_alone() {
        let map = SpaceMap::new([3.0, 0.0, 1.0].map(|x| Point::new(x, 0.0)).to_vec());
        let at = |x: f64| all_weights(&map, Point::new(x, 0.0));
        assert_eq!(at(1.5), [0.25, 0.0, 0.75]);
        assert_eq!((at(-9.0), at(9.0), at(1.0)), (vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]));
        assert_eq!(all_weights(&SpaceMap::new(vec![Point::ONE]), Point::ZERO), [1.0]);
    }

    #[test]
    fn outside_all_triangles_the_weights_are_those_of_the_nearest_outline_point() {
        let map = SpaceMap::new(grid(&[-1.0, 0.0, 1.0], &[0.0, 2.0]));
        assert_eq!(all_weights(&map, Point::new(0.25, -7.0)), all_weights(&map, Point::new(0.25, 0.0)));
        assert_eq!(all_weights(&map, Point::new(5.0, 9.0)), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn weights_sum_to_one_reproduce_the_position_and_are_continuous(
            coordinates in prop::collection::vec((-4_i8..5, -4_i8..5), 1..12), x in -6.0_f64..6.0, y in -6.0_f64..6.0, turn in 0.0_f64..6.3,
        ) {
            let mut coordinates = coordinates;
            coordinates.sort_unstable();
            coordinates.dedup();
            let points: Vec<Point> = coordinates.iter().map(|&(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
            let map = SpaceMap::new(points.clone());
            for (i, &point) in points.iter().enumerate() {
                prop_assert_eq!(all_weights(&map, point)[i], 1.0);
            }
            let weighted_point = |weights: &[f64]| weights.iter().zip(&points).map(|(&w, &p)| p * w).sum::<Point>();
            let point = Point::new(x, y);
            let here = all_weights(&map, point);
            prop_assert!((here.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(here.iter().all(|&weight| weight >= 0.0));
            // Inside, the weights reproduce the point. Outside, they give the nearest point of the outline, which reproduces
            // itself.
            let back = all_weights(&map, weighted_point(&here));
            prop_assert!(weighted_point(&back).distance(weighted_point(&here)) < 1e-9);
            let neighbour = all_weights(&map, point + Point::from_angle(turn) * 1e-7);
            prop_assert!(here.iter().zip(&neighbour).all(|(a, b)| (a - b).abs() < 1e-4), "{:?} {:?}", here, neighbour);
        }
    }
}
