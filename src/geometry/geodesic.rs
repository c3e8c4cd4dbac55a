//! Distance over a surface from vertex to vertex: for fades that start at a pole and run outwards, and brushes that do not
//! reach through to the other side.
//!
//! Nearest vertices first (Dijkstra 1959), along edges and straight over faces: a face whose two corners are reached is laid
//! flat, with the place they were reached from beside it (Novotni and Klein, "Computing Geodesic Distances on Triangular
//! Meshes", 2002). From one source that is exact on the flat where no angle is obtuse; elsewhere a way is at most as long as
//! along the edges, on a square grid √2 times. Three vertices each joined to the others count as a face.

mod front;

use glam::Vec3;

use super::Adjacency;
use super::triangle_bvh::Faces;
use front::{Front, FrontVertex};

/// Distances in the mesh's unit from the nearest of `sources`; `f32::INFINITY` for what no edge leads to or lies beyond `limit`.
pub fn distances(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> Vec<f32> {
    let search = GeodesicSearch::from_sources(points, adjacency, sources, limit);
    search.reached.iter().map(|at| at.length).collect()
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
    let reached = GeodesicSearch::from_sources(points, adjacency, sources, limit).reached;
    let from = |(vertex, at): (usize, &Reached)| if at.length.is_finite() { at.from as usize } else { vertex };
    NearestSources {
        sources: reached.iter().enumerate().map(from).collect(),
        distances: reached.into_iter().map(|at| at.length).collect(),
    }
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
    /// Not reached but for what the search under way has met.
    reached: Vec<Reached>,
    met: Vec<u32>,
    front: Front,
    /// Neighbours of the vertex that is gone on from: as near as it and from the same source, and further away.
    nearer: Vec<Neighbour>,
    ahead: Vec<Neighbour>,
}

/// How a vertex was reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    length: f32,
    /// Which source leads to it.
    from: u32,
}

const NOT_REACHED: Reached = Reached { length: f32::INFINITY, from: 0 };

/// A neighbour, and which it is of its vertex's neighbours.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    vertex: u32,
    place: usize,
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
            Some((corner as usize, Reached { length, from: 0 }))
        };
        self.reach(faces.positions, adjacency, corners.iter().filter_map(apart), radius);
        let reached = &mut self.reached;
        let out = |vertex: u32| (vertex, std::mem::replace(&mut reached[vertex as usize], NOT_REACHED).length);
        self.met.drain(..).map(out).collect()
    }

    fn from_sources(points: &[Vec3], adjacency: &Adjacency, sources: &[usize], limit: f32) -> Self {
        let mut search = Self::default();
        let seed = |&source: &usize| (source, Reached { length: 0.0, from: source as u32 });
        search.reach(points, adjacency, sources.iter().map(seed), limit);
        search
    }

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
        // What is nearer by now has been gone on from already.
        while let Some(next) = self.front.pop(|next| next.length() <= self.reached[next.vertex()].length) {
            let vertex = next.vertex();
            let (around, at, here) = (adjacency.around(vertex), self.reached[vertex], points[vertex]);
            self.split(around.listed, at, &mut nearer, &mut ahead);
            for &next in &ahead {
                let way = points[next.vertex as usize] - here;
                let mut length = at.length + way.length();
                for beside in nearer.iter().filter(|beside| around.are_joined(next.place, beside.place)) {
                    let side = points[beside.vertex as usize] - here;
                    length = length.min(across(way, side, at.length, self.reached[beside.vertex as usize].length));
                }
                self.arrive(next.vertex as usize, Reached { length, from: at.from }, limit);
                // Nearer than where it was reached from: over an obtuse angle.
                if self.reached[next.vertex as usize].length <= at.length {
                    nearer.push(next);
                }
            }
        }
        (self.nearer, self.ahead) = (nearer, ahead);
    }

    /// Splits the neighbours of a vertex that is reached `at`: ways go on to those further away, across the edges to those as
    /// near that the same source leads to. Those further away will themselves look back.
    fn split(&self, listed: &[u32], at: Reached, nearer: &mut Vec<Neighbour>, ahead: &mut Vec<Neighbour>) {
        nearer.clear();
        ahead.clear();
        for (place, &vertex) in listed.iter().enumerate() {
            let Reached { length, from } = self.reached[vertex as usize];
            if length > at.length {
                ahead.push(Neighbour { vertex, place });
            } else if from == at.from {
                nearer.push(Neighbour { vertex, place });
            }
        }
    }

    fn arrive(&mut self, vertex: usize, at: Reached, limit: f32) {
        let before = self.reached[vertex].length;
        // Less than rounding is no shorter way.
        if at.length <= limit && (before.is_infinite() || at.length < before * (1.0 - 1e-6)) {
            if before.is_infinite() {
                self.met.push(vertex as u32);
            }
            self.reached[vertex] = at;
            self.front.push(FrontVertex::new(at.length, vertex));
        }
    }
}

/// How far vertices are from their neighbours: the mean of a few spread over the mesh.
fn usual_step(points: &[Vec3], adjacency: &Adjacency) -> f32 {
    const FEW: usize = 64;
    let few = (0..points.len()).step_by((points.len() / FEW).max(1));
    let step = |vertex: usize| Some(points[vertex].distance(points[*adjacency.listed(vertex).first()? as usize]));
    let (sum, count) = few.filter_map(step).fold((0.0, 0.0), |(sum, count), step| (sum + step, count + 1.0));
    sum / count
}

/// How far the place `way` from a vertex is, straight across the edge `side` from that vertex to another, where both ends are so
/// far from where the way began; infinite where it would pass the ends.
///
/// In the plane of the face, with the edge along x from 0, what lies ahead at y > 0 and where the way began at y < 0; all
/// multiplied by the edge's length, which spares divisions.
#[inline]
fn across(way: Vec3, side: Vec3, from_here: f32, from_there: f32) -> f32 {
    let (way, side) = (way.as_dvec3(), side.as_dvec3());
    let (square, from_here, from_there) = (side.length_squared(), f64::from(from_here), f64::from(from_there));
    let start = 0.5 * (from_here * from_here - from_there * from_there + square);
    // No number where no place is that far from both ends.
    let depth = (from_here * from_here * square - start * start).sqrt();
    let ahead = way.dot(side);
    let height = (way.length_squared() * square - ahead * ahead).max(0.0).sqrt();
    let (along, away) = (ahead - start, depth + height);
    let crossing = start * height + ahead * depth;
    let straight = ((along * along + away * away) / square).sqrt() as f32;
    // A NaN is not a crossing either.
    if (crossing > 0.0) & (crossing < square * away) { straight } else { f32::INFINITY }
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
