//! Weights of the samples of a blend space by where the parameter is.

use super::blend_space::BlendSpace;
use super::triangulation::{Point, Triangle, doubled_area, hull, triangulate};

/// Samples as a map of the parameters: triangles, their edge, or a line.
#[derive(Clone, Debug, Default)]
pub(super) struct SpaceMap {
    points: Vec<Point>,
    triangles: Vec<Triangle>,
    /// Edges of all triangles together; where there are none the links of the line that the points lie on.
    rim: Vec<[usize; 2]>,
}

impl BlendSpace {
    /// The lines between samples that divide the parameters into triangles, for pictures; each pair of samples once.
    pub fn edges(&self) -> Vec<[usize; 2]> {
        let map = self.map();
        let sides = map.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[usize; 2]> = sides.chain(map.rim).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The weight of every sample where the parameter is at `at`; they sum to 1 where there is any.
    pub fn shares(&self, at: [f64; 2]) -> Vec<f64> {
        let mut shares = vec![0.0; self.samples.len()];
        if !shares.is_empty() {
            let active = self.map().weights(self.point(at));
            active.iter().for_each(|active| shares[active.sample] += active.weight);
        }
        shares
    }

    /// Its samples as a map; of those at one place or nowhere none has an edge.
    pub(super) fn map(&self) -> SpaceMap {
        SpaceMap::new(self.samples.iter().map(|sample| self.point(sample.at)).collect())
    }
}

/// A sample with its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WeightedSample {
    pub sample: usize,
    /// 0…1; those of weight 0 do not count.
    pub weight: f64,
}

/// The samples that have weight, at most three; all weights sum to 1.
pub(super) type ActiveSamples = [WeightedSample; 3];

impl SpaceMap {
    /// The map of samples at `points`, which differ.
    pub fn new(points: Vec<Point>) -> Self {
        let triangles = triangulate(&points);
        let rim = if triangles.is_empty() { line(&points) } else { hull(&triangles) };
        Self { points, triangles, rim }
    }

    /// The weights where the parameter is at `point`: those of the triangle that holds it, outside of all those of the nearest point
    /// of their edge. Continuous, and exact at the samples.
    pub fn weights(&self, point: Point) -> ActiveSamples {
        if let Some(sample) = self.points.iter().position(|&known| known == point) {
            return alone(sample);
        }
        let inside = self.triangles.iter().find_map(|&triangle| self.barycentric(triangle, point));
        inside.unwrap_or_else(|| self.on_rim(point))
    }

    /// The weights of a triangle's corners; `None` where the point lies outside.
    fn barycentric(&self, [a, b, c]: Triangle, point: Point) -> Option<ActiveSamples> {
        let [p, q, r] = [a, b, c].map(|corner| self.points[corner]);
        let parts = [doubled_area(point, q, r), doubled_area(point, r, p), doubled_area(point, p, q)];
        if parts.iter().any(|&part| part < 0.0) {
            return None;
        }
        let whole: f64 = parts.iter().sum();
        let weighted = |sample: usize, part: f64| WeightedSample { sample, weight: part / whole };
        (whole > 0.0).then(|| [weighted(a, parts[0]), weighted(b, parts[1]), weighted(c, parts[2])])
    }

    fn on_rim(&self, point: Point) -> ActiveSamples {
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
        self.rim.iter().fold(None, nearest).map_or_else(|| alone(0), |(_, found)| found)
    }
}

fn alone(sample: usize) -> ActiveSamples {
    [WeightedSample { sample, weight: 1.0 }, WeightedSample::default(), WeightedSample::default()]
}

/// Neighbours among points of one line.
fn line(points: &[Point]) -> Vec<[usize; 2]> {
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
    fn on_a_line_neighbours_share_and_beyond_its_ends_the_last_plays_alone() {
        let map = SpaceMap::new([3.0, 0.0, 1.0].map(|x| Point::new(x, 0.0)).to_vec());
        let at = |x: f64| all_weights(&map, Point::new(x, 0.0));
        assert_eq!(at(1.5), [0.25, 0.0, 0.75]);
        assert_eq!((at(-9.0), at(9.0), at(1.0)), (vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]));
        assert_eq!(all_weights(&SpaceMap::new(vec![Point::ONE]), Point::ZERO), [1.0]);
    }

    #[test]
    fn outside_of_all_triangles_the_nearest_point_of_the_edge_counts() {
        let map = SpaceMap::new(grid(&[-1.0, 0.0, 1.0], &[0.0, 2.0]));
        assert_eq!(all_weights(&map, Point::new(0.25, -7.0)), all_weights(&map, Point::new(0.25, 0.0)));
        assert_eq!(all_weights(&map, Point::new(5.0, 9.0)), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn weights_sum_to_one_give_the_place_back_and_are_continuous(
            places in prop::collection::vec((-4_i8..5, -4_i8..5), 1..12), x in -6.0_f64..6.0, y in -6.0_f64..6.0, turn in 0.0_f64..6.3,
        ) {
            let mut places = places;
            places.sort_unstable();
            places.dedup();
            let points: Vec<Point> = places.iter().map(|&(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
            let map = SpaceMap::new(points.clone());
            for (i, &point) in points.iter().enumerate() {
                prop_assert_eq!(all_weights(&map, point)[i], 1.0);
            }
            let place = |weights: &[f64]| weights.iter().zip(&points).map(|(&w, &p)| p * w).sum::<Point>();
            let point = Point::new(x, y);
            let here = all_weights(&map, point);
            prop_assert!((here.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(here.iter().all(|&weight| weight >= 0.0));
            // Inside the weights give the point back; outside the nearest point of the hull, which gives itself back.
            let back = all_weights(&map, place(&here));
            prop_assert!(place(&back).distance(place(&here)) < 1e-9);
            let beside = all_weights(&map, point + Point::from_angle(turn) * 1e-7);
            prop_assert!(here.iter().zip(&beside).all(|(a, b)| (a - b).abs() < 1e-4), "{:?} {:?}", here, beside);
        }
    }
}
