//! Distance over a surface from vertex to vertex: for fades that start at a pole and run outwards, and brushes that do not
//! reach through to the other side.
//!
//! Nearest vertices first (Dijkstra 1959), along edges and straight over faces: a face whose two corners are reached is laid
//! flat, with the place they were reached from beside it (Novotni and Klein, "Computing Geodesic Distances on Triangular
//! Meshes", 2002). From one source that is exact on the flat where no angle is obtuse; elsewhere a way is at most as long as
//! along the edges, on a square grid √2 times. Three vertices each joined to the others count as a face.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec3, Vec3};

use super::Adjacency;
use super::triangle_bvh::Faces;

/// Distances in the mesh's unit from the nearest of `sources`; `f32::INFINITY` for what no edge leads to or lies beyond `limit`.
pub fn distances(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> Vec<f32> {
    nearest(points, adjacency, sources, limit).distances
}

/// What lies nearest to each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestSources {
    /// As [`distances`] has them.
    pub distances: Vec<f32>,
    /// Which source is that near; the vertex itself where none is.
    pub sources: Vec<usize>,
}

/// The distances from the nearest of `sources`, and which of them it is.
pub fn nearest(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> NearestSources {
    let mut search = GeodesicSearch::default();
    let seeds = sources.iter().map(|&source| Arrival { length: 0.0, vertex: source, from: source });
    search.reach(points, adjacency, seeds, limit);
    let from = |(vertex, &from): (usize, &usize)| if search.reached[vertex].is_finite() { from } else { vertex };
    let sources = search.from.iter().enumerate().map(from).collect();
    NearestSources { distances: search.reached, sources }
}

/// Weights 0…1 from [`distances`]: 0 at the sources, 1 at the furthest vertex that can be reached, and 1 for what cannot.
pub fn gradient(distances: &[f32]) -> Vec<f32> {
    let furthest = distances.iter().copied().filter(|distance| distance.is_finite()).fold(0.0, f32::max);
    let part = |distance: f32| if furthest > 0.0 { (distance / furthest).min(1.0) } else { 0.0 };
    distances.iter().map(|&distance| if distance.is_finite() { part(distance) } else { 1.0 }).collect()
}

/// Walks over a surface again and again, each time only as far as it is asked to.
#[derive(Debug, Default)]
pub struct GeodesicSearch {
    /// Infinite but for what the search under way has met.
    reached: Vec<f32>,
    /// Which source leads to what is reached.
    from: Vec<usize>,
    met: Vec<u32>,
    open: BinaryHeap<Reverse<FrontVertex>>,
    /// Edges from the vertex that is gone on from to those that are as near.
    crossed: Vec<CrossedEdge>,
}

/// A place on a mesh.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePoint {
    /// Which triangle; one that is not there reaches nothing.
    pub face: usize,
    /// On it, in the mesh's unit.
    pub at: Vec3,
}

impl GeodesicSearch {
    /// The vertices within `radius` over the surface of `from`, each once, with their distances.
    pub fn around(&mut self, faces: Faces, adjacency: &Adjacency, from: SurfacePoint, radius: f32) -> Vec<(u32, f32)> {
        let SurfacePoint { face, at } = from;
        let corners = faces.indices.get(3 * face..3 * face + 3).unwrap_or(&[]);
        let apart = |&corner: &u32| {
            let length = faces.positions.get(corner as usize)?.distance(at);
            Some(Arrival { length, vertex: corner as usize, from: 0 })
        };
        self.reach(faces.positions, adjacency, corners.iter().filter_map(apart), radius);
        let reached = &mut self.reached;
        let out = |vertex: u32| (vertex, std::mem::replace(&mut reached[vertex as usize], f32::INFINITY));
        self.met.drain(..).map(out).collect()
    }

    fn reach(&mut self, points: &[Vec3], adjacency: &Adjacency, seeds: impl Iterator<Item = Arrival>, limit: f32) {
        self.reached.resize(points.len(), f32::INFINITY);
        self.from.resize(points.len(), 0);
        seeds.filter(|seed| seed.vertex < points.len()).for_each(|seed| self.arrive(seed, limit));
        while let Some(Reverse(front)) = self.open.pop() {
            let (length, vertex) = (front.length(), front.vertex());
            if length > self.reached[vertex] {
                continue;
            }
            let from = self.from[vertex];
            self.cross_edges(points, adjacency, vertex);
            for next in adjacency.listed(vertex).iter().map(|next| *next as usize) {
                // What is nearer has been gone on from already.
                if self.reached[next] > length {
                    let onwards = self.onwards(points, adjacency, vertex, next);
                    self.arrive(Arrival { length: onwards, vertex: next, from }, limit);
                    // Nearer than where it was reached from: over an obtuse angle.
                    if self.reached[next] <= length {
                        self.cross_edges(points, adjacency, vertex);
                    }
                }
            }
        }
    }

    /// Makes ready the edges from `vertex` to those as near that the same source leads to: ways go on across them.
    fn cross_edges(&mut self, points: &[Vec3], adjacency: &Adjacency, vertex: usize) {
        let Self { reached, from, crossed, .. } = self;
        let here = (points[vertex], reached[vertex]);
        crossed.clear();
        for &beside in adjacency.listed(vertex) {
            let (place, length) = (points[beside as usize], reached[beside as usize]);
            // One that is further away will itself look here.
            if length <= here.1 && from[beside as usize] == from[vertex] {
                crossed.push(CrossedEdge::new(beside, here, (place, length)));
            }
        }
    }

    /// How far `next` is over `vertex`, or across an edge with a vertex that both are joined to.
    fn onwards(&self, points: &[Vec3], adjacency: &Adjacency, vertex: usize, next: usize) -> f32 {
        let way = points[next] - points[vertex];
        let along = self.reached[vertex] + points[vertex].distance(points[next]);
        let around = adjacency.listed(next);
        let is_joined = |edge: &&CrossedEdge| around.contains(&edge.beside);
        self.crossed.iter().filter(is_joined).filter_map(|edge| edge.across(way)).fold(along, f32::min)
    }

    fn arrive(&mut self, arrival: Arrival, limit: f32) {
        let Arrival { length, vertex, from } = arrival;
        let before = self.reached[vertex];
        // Less than rounding is no shorter way.
        if length <= limit && (before.is_infinite() || length < before * (1.0 - 1e-6)) {
            if before.is_infinite() {
                self.met.push(vertex as u32);
            }
            (self.reached[vertex], self.from[vertex]) = (length, from);
            self.open.push(Reverse(FrontVertex::new(length, vertex)));
        }
    }
}

/// An edge between two places with known distances, in the plane of a face: the edge along x from 0, what lies ahead at y > 0,
/// where the way began at y < 0.
#[derive(Debug)]
struct CrossedEdge {
    beside: u32,
    side: DVec3,
    length: f64,
    /// Where the way began, along the edge and away from it; no number where no place is that far from both ends.
    start: f64,
    depth: f64,
}

impl CrossedEdge {
    fn new(beside: u32, here: (Vec3, f32), there: (Vec3, f32)) -> Self {
        let side = (there.0 - here.0).as_dvec3();
        let (length, from_here, from_there) = (side.length(), f64::from(here.1), f64::from(there.1));
        let start = (from_here * from_here - from_there * from_there + length * length) / (2.0 * length);
        let depth = (from_here * from_here - start * start).sqrt();
        Self { beside, side, length, start, depth }
    }

    /// How far the place `way` from the edge's first end is straight across it; nothing where the way would pass the ends.
    fn across(&self, way: Vec3) -> Option<f32> {
        let way = way.as_dvec3();
        let ahead = way.dot(self.side) / self.length;
        let height = (way.length_squared() - ahead * ahead).max(0.0).sqrt();
        let crossing = self.start + (ahead - self.start) * self.depth / (self.depth + height);
        let (along, away) = (ahead - self.start, self.depth + height);
        // A NaN is not a crossing either.
        (crossing > 0.0 && crossing < self.length).then(|| (along * along + away * away).sqrt() as f32)
    }
}

/// A way to a vertex, and the source it began at.
struct Arrival {
    length: f32,
    vertex: usize,
    from: usize,
}

/// A vertex and how far it is, as one number: nearest first; equal lengths by number, so that the order never depends on the
/// heap.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FrontVertex(u64);

impl FrontVertex {
    /// Lengths are never negative, so that their bits are in their order.
    fn new(length: f32, vertex: usize) -> Self {
        Self(u64::from(length.to_bits()) << 32 | vertex as u64)
    }

    fn length(&self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    fn vertex(&self) -> usize {
        self.0 as u32 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TriangleBvh;

    /// A strip of squares along x, folded so that its end lies just above its start.
    fn hairpin(length: usize) -> (Vec<Vec3>, Adjacency) {
        let (points, faces) = folded(length);
        let adjacency = Adjacency::of_mesh(points.len(), &faces);
        (points, adjacency)
    }

    fn folded(length: usize) -> (Vec<Vec3>, Vec<u32>) {
        let place = |i: usize| if i < length { (i as f32, 0.0) } else { ((2 * length - 1 - i) as f32, 0.01) };
        let points: Vec<Vec3> =
            (0..2 * length).flat_map(|i| [0.0, 1.0].map(|z| Vec3::new(place(i).0, place(i).1, z))).collect();
        let square = |i: u32| [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2];
        let faces = (0..2 * length as u32 - 1).flat_map(square).collect();
        (points, faces)
    }

    #[test]
    fn the_way_leads_over_the_surface_and_not_through_the_air() {
        let (points, adjacency) = hairpin(10);
        let reached = distances(&points, &adjacency, &[0], f32::INFINITY);
        assert!((reached[38] - 18.01).abs() < 1e-3, "{}", reached[38]);
        assert!(points[38].distance(points[0]) < 0.02);
        let weights = gradient(&reached);
        assert!(
            weights[0] == 0.0 && weights.iter().all(|weight| (0.0..=1.0).contains(weight)) && weights.contains(&1.0)
        );
    }

    #[test]
    fn a_limit_stops_the_search_and_lonely_vertices_are_never_reached() {
        let (mut points, adjacency) = hairpin(10);
        points.push(Vec3::ONE);
        let reached = distances(&points, &adjacency, &[0, 77], 3.5);
        assert!(reached[6] == 3.0 && reached[8].is_infinite() && reached[40].is_infinite());
        assert_eq!(gradient(&[f32::INFINITY, 0.0]), [1.0, 0.0]);
        let NearestSources { sources: from, .. } = nearest(&points, &adjacency, &[0, 38], f32::INFINITY);
        assert_eq!((from[6], from[34], from[40]), (0, 38, 40));
    }

    /// Squares with a diagonal each, `side` vertices along both sides, one apart.
    fn grid(side: usize) -> (Vec<Vec3>, Adjacency) {
        let points = (0..side * side).map(|i| Vec3::new((i % side) as f32, 0.0, (i / side) as f32)).collect();
        let row = side as u32;
        let square = |i: u32| [i, i + row, i + 1, i + 1, i + row, i + row + 1];
        let corners = (0..row * (row - 1)).filter(|i| i % row + 1 < row);
        let faces: Vec<u32> = corners.flat_map(square).collect();
        (points, Adjacency::of_mesh(side * side, &faces))
    }

    #[test]
    fn on_the_flat_the_way_is_the_straight_one() {
        let (points, adjacency) = grid(41);
        let middle = 20 * 41 + 20;
        let reached = distances(&points, &adjacency, &[middle], f32::INFINITY);
        for (point, reached) in points.iter().zip(reached) {
            let straight = point.distance(points[middle]);
            assert!((reached - straight).abs() <= 1e-4 * straight, "{point}: {reached} in place of {straight}");
        }
    }

    #[test]
    fn a_row_of_sources_sends_its_distance_straight_ahead() {
        let (points, adjacency) = grid(21);
        let sources: Vec<usize> = (0..21).collect();
        let NearestSources { distances: reached, sources: from } =
            nearest(&points, &adjacency, &sources, f32::INFINITY);
        for (unit, (point, reached)) in points.iter().zip(reached).enumerate() {
            assert!((reached - point.z).abs() < 1e-4 && from[unit] == unit % 21, "{point}: {reached}");
        }
        let NearestSources { sources: from, .. } = nearest(&points, &adjacency, &[0], 3.0);
        assert_eq!((from[2], from[100]), (0, 100));
    }

    #[test]
    fn a_brush_over_the_surface_spares_the_layer_that_one_through_the_air_reaches() {
        let (positions, indices) = folded(10);
        let faces = Faces { positions: &positions, indices: &indices };
        let tree = TriangleBvh::build(faces);
        let hit = tree.hit(faces, Vec3::new(4.3, -1.0, 0.5), Vec3::Y).unwrap();
        let at = Vec3::new(4.3, 0.0, 0.5);
        let adjacency = Adjacency::of_mesh(positions.len(), &indices);
        let ordered = |mut reached: Vec<(u32, f32)>| {
            reached.sort_by_key(|vertex| vertex.0);
            reached
        };
        let mut search = GeodesicSearch::default();
        let first = search.around(faces, &adjacency, SurfacePoint { face: hit.face, at }, 2.0);
        assert_eq!(search.around(faces, &adjacency, SurfacePoint { face: usize::MAX / 8, at }, 2.0), []);
        assert_eq!(search.around(faces, &adjacency, SurfacePoint { face: hit.face, at }, 2.0), first);
        let over = ordered(first);
        let through = ordered(tree.points_near(faces, at, 2.0));
        let (near, above): (Vec<_>, Vec<_>) = through.into_iter().partition(|&(vertex, _)| vertex < 20);
        assert_eq!(above.len(), near.len());
        assert_eq!(
            over.iter().map(|vertex| vertex.0).collect::<Vec<_>>(),
            near.iter().map(|vertex| vertex.0).collect::<Vec<_>>()
        );
        for ((_, over), (_, straight)) in over.iter().zip(&near) {
            assert!(*over >= straight - 1e-5 && *over <= straight * 1.1, "{over} {straight}");
        }
    }
}
