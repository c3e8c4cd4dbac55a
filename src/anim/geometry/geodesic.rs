//! Geodesic distances between the vertices of a surface, for gradients that start at a pole, and for brushes that
//! must not reach through to the other side.
//!
//! The search visits the nearest vertices first (Dijkstra 1959), along edges and straight across faces. A face with
//! two reached corners is unfolded into a plane with the point from which they were reached (Novotni and Klein,
//! "Computing Geodesic Distances on Triangular Meshes", 2002).
//!
//! From one source the result is exact on a plane without obtuse angles. Elsewhere a path is at most as long as along
//! the edges, on a square grid by a factor of √2. Three mutually adjacent vertices count as a face.

mod front;

use glam::Vec3;

use super::Adjacency;
use super::triangle_bvh::Faces;
use front::{Front, FrontVertex};

/// Returns the distance of every vertex from the nearest of `sources`, in the mesh's unit; `f32::INFINITY` if it is
/// unreachable or beyond `limit`.
pub fn distances(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> Vec<f32> {
    let search = GeodesicSearch::from_sources(points, adjacency, sources, limit);
    search.reached.iter().map(|at| at.length).collect()
}

/// The nearest source of every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestSources {
    /// The values of [`distances`].
    pub distances: Vec<f32>,
    /// Index of the nearest source; the vertex itself if none reaches it.
    pub sources: Vec<usize>,
}

/// Returns the distance and the nearest of `sources` for every vertex at `points`, up to the distance `limit`, all in the mesh's
/// unit.
pub fn nearest(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> NearestSources {
    let reached = GeodesicSearch::from_sources(points, adjacency, sources, limit).reached;
    let from = |(vertex, at): (usize, &Reached)| if at.length.is_finite() { at.from as usize } else { vertex };
    NearestSources {
        sources: reached.iter().enumerate().map(from).collect(),
        distances: reached.into_iter().map(|at| at.length).collect(),
    }
}

/// Converts [`distances`] to weights 0…1: 0 at the sources, 1 at the farthest reachable vertex and at unreachable
/// ones.
pub fn gradient(distances: &[f32]) -> Vec<f32> {
    let furthest = distances.iter().copied().filter(|distance| distance.is_finite()).fold(0.0, f32::max);
    let part = |distance: f32| if furthest > 0.0 { (distance / furthest).min(1.0) } else { 0.0 };
    distances.iter().map(|&distance| if distance.is_finite() { part(distance) } else { 1.0 }).collect()
}

/// A reusable search over a surface that visits only the requested radius.
#[derive(Debug, Default)]
pub struct GeodesicSearch {
    /// State of every vertex; all are `NOT_REACHED` except those touched by the current search.
    reached: Vec<Reached>,
    touched: Vec<u32>,
    front: Front,
    /// Neighbours of the current vertex: those as near from the same source, and those farther away.
    nearer: Vec<Neighbour>,
    ahead: Vec<Neighbour>,
}

/// The distance and the source by which a vertex was reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Distance from the source along the surface, in the mesh's unit.
    length: f32,
    /// The source.
    from: u32,
}

const NOT_REACHED: Reached = Reached { length: f32::INFINITY, from: 0 };

/// A neighbour, with its index among the neighbours of the vertex.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    vertex: u32,
    index: usize,
}

/// A point on a mesh.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePoint {
    /// Index of the triangle; an index out of range reaches nothing.
    pub face: usize,
    /// Position on it, in the mesh's unit.
    pub at: Vec3,
}

impl GeodesicSearch {
    /// Returns the vertices within the geodesic distance `radius` of `from`, each once, with their distances in the mesh's unit.
    /// Returns none for an unknown face.
    pub fn around(&mut self, faces: Faces, adjacency: &Adjacency, from: SurfacePoint, radius: f32) -> Vec<(u32, f32)> {
        let SurfacePoint { face, at } = from;
        let corners = faces.indices.get(3 * face..3 * face + 3).unwrap_or(&[]);
        let apart = |&corner: &u32| {
            let length = faces.positions.get(corner as usize)?.distance(at);
            Some((corner as usize, Reached { length, from: 0 }))
        };
        self.reach(faces.positions, adjacency, corners.iter().filter_map(apart), radius);
        let reached = &mut self.reached;
        let out = |vertex: u32| (vertex, std::mem::replace(&mut reached[vertex as usize], NOT_REACHED).length);
        self.touched.drain(..).map(out).collect()
    }

    /// Returns a finished search from `sources`, up to the distance `limit`.
    fn from_sources(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> Self {
        let mut search = Self::default();
        let seed = |&source: &usize| (source, Reached { length: 0.0, from: source as u32 });
        search.reach(points, adjacency, sources.iter().map(seed), limit);
        search
    }

    /// Computes the distance of every vertex within `limit` of `seeds` into `reached`, and adds these vertices to `touched`.
    /// Seeds that are no vertices are ignored.
    fn reach(
        &mut self,
        points: &[Vec3],
        adjacency: &Adjacency,
        seeds: impl Iterator<Item = (usize, Reached)>,
        limit: f32,
    ) {
        self.reached.resize(points.len(), NOT_REACHED);
        self.front.begin(usual_step(points, adjacency));
        seeds.filter(|seed| seed.0 < points.len()).for_each(|(vertex, at)| self.arrive(vertex, at, limit));
        let (mut nearer, mut ahead) = (std::mem::take(&mut self.nearer), std::mem::take(&mut self.ahead));
        // Entries whose vertex was reached by a shorter path since then were already processed.
        while let Some(next) = self.front.pop(|next| next.length() <= self.reached[next.vertex()].length) {
            let vertex = next.vertex();
            let (around, at, here) = (adjacency.around(vertex), self.reached[vertex], points[vertex]);
            self.split(around.listed, at, &mut nearer, &mut ahead);
            for &next in &ahead {
                let offset = points[next.vertex as usize] - here;
                let mut length = at.length + offset.length();
                for nearer_neighbour in
                    nearer.iter().filter(|nearer_neighbour| around.are_joined(next.index, nearer_neighbour.index))
                {
                    let side = points[nearer_neighbour.vertex as usize] - here;
                    length = length.min(across(
                        offset,
                        side,
                        at.length,
                        self.reached[nearer_neighbour.vertex as usize].length,
                    ));
                }
                self.arrive(next.vertex as usize, Reached { length, from: at.from }, limit);
                // Nearer than the vertex it was reached from, which happens across an obtuse angle.
                if self.reached[next.vertex as usize].length <= at.length {
                    nearer.push(next);
                }
            }
        }
        (self.nearer, self.ahead) = (nearer, ahead);
    }

    /// Splits the neighbours of a vertex reached `at`. Paths continue to those farther away, across the edges to
    /// those as near from the same source. The farther ones will check the reverse direction themselves.
    fn split(&self, listed: &[u32], at: Reached, nearer: &mut Vec<Neighbour>, ahead: &mut Vec<Neighbour>) {
        nearer.clear();
        ahead.clear();
        for (index, &vertex) in listed.iter().enumerate() {
            let Reached { length, from } = self.reached[vertex as usize];
            if length > at.length {
                ahead.push(Neighbour { vertex, index });
            } else if from == at.from {
                nearer.push(Neighbour { vertex, index });
            }
        }
    }

    /// Stores `at` as the distance of `vertex` and queues the vertex, if that is within `limit` and shorter than its distance
    /// so far.
    fn arrive(&mut self, vertex: usize, at: Reached, limit: f32) {
        let before = self.reached[vertex].length;
        // A difference within rounding is no shorter path.
        if at.length <= limit && (before.is_infinite() || at.length < before * (1.0 - 1e-6)) {
            if before.is_infinite() {
                self.touched.push(vertex as u32);
            }
            self.reached[vertex] = at;
            self.front.push(FrontVertex::new(at.length, vertex));
        }
    }
}

/// Returns the typical distance between neighbours in the unit of `points`: the mean of a few samples across the mesh, NaN without
/// edges.
fn usual_step(points: &[Vec3], adjacency: &Adjacency) -> f32 {
    const SAMPLES: usize = 64;
    let samples = (0..points.len()).step_by((points.len() / SAMPLES).max(1));
    let step = |vertex: usize| Some(points[vertex].distance(points[*adjacency.listed(vertex).first()? as usize]));
    let (sum, count) = samples.filter_map(step).fold((0.0, 0.0), |(sum, count), step| (sum + step, count + 1.0));
    sum / count
}

/// Returns the distance of the point at `offset` from a vertex, straight across the edge `edge` from that vertex
/// to another.
///
/// `from_here` and `from_there` are the distances of both ends from the source. Returns infinity if the line would
/// miss the edge. The computation is in the plane of the face with the edge along x from 0, the point at y > 0 and
/// the source at y < 0. All values are multiplied by the edge's length, which avoids divisions.
#[inline]
fn across(offset: Vec3, edge: Vec3, from_here: f32, from_there: f32) -> f32 {
    let (offset, edge) = (offset.as_dvec3(), edge.as_dvec3());
    let (square, from_here, from_there) = (edge.length_squared(), f64::from(from_here), f64::from(from_there));
    let start = 0.5 * (from_here * from_here - from_there * from_there + square);
    // NaN if no point has these distances from both ends.
    let depth = (from_here * from_here * square - start * start).sqrt();
    let ahead = offset.dot(edge);
    let height = (offset.length_squared() * square - ahead * ahead).max(0.0).sqrt();
    let (along, away) = (ahead - start, depth + height);
    let crossing = start * height + ahead * depth;
    let straight = ((along * along + away * away) / square).sqrt() as f32;
    // A NaN is no crossing either.
    if (crossing > 0.0) & (crossing < square * away) { straight } else { f32::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TriangleBvh;

    /// Returns a strip of squares along x, folded so that its end is just above its start.
    fn hairpin(length: usize) -> (Vec<Vec3>, Adjacency) {
        let (points, faces) = folded(length);
        let adjacency = Adjacency::of_mesh(points.len(), &faces);
        (points, adjacency)
    }

    fn folded(length: usize) -> (Vec<Vec3>, Vec<u32>) {
        let position = |i: usize| if i < length { (i as f32, 0.0) } else { ((2 * length - 1 - i) as f32, 0.01) };
        let points: Vec<Vec3> =
            (0..2 * length).flat_map(|i| [0.0, 1.0].map(|z| Vec3::new(position(i).0, position(i).1, z))).collect();
        let square = |i: u32| [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2];
        let faces = (0..2 * length as u32 - 1).flat_map(square).collect();
        (points, faces)
    }

    #[test]
    fn distances_follow_the_surface_and_not_the_air() {
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
    fn a_limit_stops_the_search_and_isolated_vertices_are_never_reached() {
        let (mut points, adjacency) = hairpin(10);
        points.push(Vec3::ONE);
        let reached = distances(&points, &adjacency, &[0, 77], 3.5);
        assert!(reached[6] == 3.0 && reached[8].is_infinite() && reached[40].is_infinite());
        assert_eq!(gradient(&[f32::INFINITY, 0.0]), [1.0, 0.0]);
        let NearestSources { sources: from, .. } = nearest(&points, &adjacency, &[0, 38], f32::INFINITY);
        assert_eq!((from[6], from[34], from[40]), (0, 38, 40));
    }

    /// Returns a grid of squares with diagonals, `side` vertices along both sides, at a spacing of 1.
    fn grid(side: usize) -> (Vec<Vec3>, Adjacency) {
        let points = (0..side * side).map(|i| Vec3::new((i % side) as f32, 0.0, (i / side) as f32)).collect();
        let row = side as u32;
        let square = |i: u32| [i, i + row, i + 1, i + 1, i + row, i + row + 1];
        let corners = (0..row * (row - 1)).filter(|i| i % row + 1 < row);
        let faces: Vec<u32> = corners.flat_map(square).collect();
        (points, Adjacency::of_mesh(side * side, &faces))
    }

    #[test]
    fn on_a_plane_distances_are_exact() {
        let (points, adjacency) = grid(41);
        let middle = 20 * 41 + 20;
        let reached = distances(&points, &adjacency, &[middle], f32::INFINITY);
        for (point, reached) in points.iter().zip(reached) {
            let straight = point.distance(points[middle]);
            assert!((reached - straight).abs() <= 1e-4 * straight, "{point}: {reached} in place of {straight}");
        }
    }

    #[test]
    fn a_row_of_sources_gives_perpendicular_distances() {
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
    fn a_geodesic_brush_excludes_the_layer_that_a_spherical_one_reaches() {
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
        let over_surface = ordered(first);
        let through_air = ordered(tree.points_near(faces, at, 2.0));
        let (front, back): (Vec<_>, Vec<_>) = through_air.into_iter().partition(|&(vertex, _)| vertex < 20);
        assert_eq!(back.len(), front.len());
        assert_eq!(
            over_surface.iter().map(|vertex| vertex.0).collect::<Vec<_>>(),
            front.iter().map(|vertex| vertex.0).collect::<Vec<_>>()
        );
        for ((_, over_surface), (_, straight)) in over_surface.iter().zip(&front) {
            assert!(*over_surface >= straight - 1e-5 && *over_surface <= straight * 1.1, "{over_surface} {straight}");
        }
    }
}
