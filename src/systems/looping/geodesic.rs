//! Distance over a surface along the edges of its triangles (Dijkstra 1959): for fades that start at a pole and run outwards,
//! and brushes that do not reach through to the other side. Along edges a way is never shorter than over the faces, and on a
//! square grid at most √2 times as long.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::paint::Neighbours;

/// Distances in the mesh's unit from the nearest of `sources`; `f32::INFINITY` for what no edge leads to or lies beyond `limit`.
pub fn distances(points: &[Vec3], neighbours: &Neighbours, sources: &[usize], limit: f32) -> Vec<f32> {
    nearest(points, neighbours, sources, limit).0
}

/// The same, and for each vertex which of `sources` is that near; itself where none is.
pub fn nearest(points: &[Vec3], neighbours: &Neighbours, sources: &[usize], limit: f32) -> (Vec<f32>, Vec<usize>) {
    let mut reached = vec![f32::INFINITY; points.len()];
    let mut from: Vec<usize> = (0..points.len()).collect();
    let mut open = BinaryHeap::new();
    for &source in sources.iter().filter(|&&source| source < points.len()) {
        reached[source] = 0.0;
        open.push(Step { length: 0.0, vertex: source });
    }
    while let Some(Step { length, vertex }) = open.pop() {
        if length > reached[vertex] {
            continue;
        }
        for next in neighbours.of(vertex) {
            let further = length + points[vertex].distance(points[next]);
            if further <= limit && further < reached[next] {
                (reached[next], from[next]) = (further, from[vertex]);
                open.push(Step { length: further, vertex: next });
            }
        }
    }
    (reached, from)
}

/// Weights from [`distances`]: 0 at the sources, 1 at the furthest vertex that can be reached, and 1 for what cannot.
pub fn weights(distances: &[f32]) -> Vec<f32> {
    let furthest = distances.iter().copied().filter(|it| it.is_finite()).fold(0.0, f32::max);
    let part = |distance: f32| if furthest > 0.0 { (distance / furthest).min(1.0) } else { 0.0 };
    distances.iter().map(|&distance| if distance.is_finite() { part(distance) } else { 1.0 }).collect()
}

/// Nearest first; equal lengths by number, so that the order never depends on the heap.
#[derive(PartialEq)]
struct Step {
    length: f32,
    vertex: usize,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        other.length.total_cmp(&self.length).then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of squares along x, folded so that its end lies just above its start.
    fn hairpin(length: usize) -> (Vec<Vec3>, Neighbours) {
        let place = |i: usize| if i < length { (i as f32, 0.0) } else { ((2 * length - 1 - i) as f32, 0.01) };
        let points: Vec<Vec3> =
            (0..2 * length).flat_map(|i| [0.0, 1.0].map(|z| Vec3::new(place(i).0, place(i).1, z))).collect();
        let square = |i: u32| [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2];
        let faces: Vec<u32> = (0..2 * length as u32 - 1).flat_map(square).collect();
        let neighbours = Neighbours::of_mesh(points.len(), &faces);
        (points, neighbours)
    }

    #[test]
    fn the_way_leads_over_the_surface_and_not_through_the_air() {
        let (points, neighbours) = hairpin(10);
        let reached = distances(&points, &neighbours, &[0], f32::INFINITY);
        assert!((reached[38] - 18.01).abs() < 1e-3, "{}", reached[38]);
        assert!(points[38].distance(points[0]) < 0.02);
        let weights = weights(&reached);
        assert!(weights[0] == 0.0 && weights.iter().all(|it| (0.0..=1.0).contains(it)) && weights.contains(&1.0));
    }

    #[test]
    fn a_limit_stops_the_search_and_lonely_vertices_are_never_reached() {
        let (mut points, neighbours) = hairpin(10);
        points.push(Vec3::ONE);
        let reached = distances(&points, &neighbours, &[0, 77], 3.5);
        assert!(reached[6] == 3.0 && reached[8].is_infinite() && reached[40].is_infinite());
        assert_eq!(weights(&[f32::INFINITY, 0.0]), [1.0, 0.0]);
        let (_, from) = nearest(&points, &neighbours, &[0, 38], f32::INFINITY);
        assert_eq!((from[6], from[34], from[40]), (0, 38, 40));
    }
}
