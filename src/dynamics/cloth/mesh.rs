//! A mesh as cloth. Vertices at one position are one point, so that seams stay closed. Edges keep their length, and the
//! corners on both sides of an edge resist folding.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};

use super::body::{self, ClothBody, DistanceConstraint};
use super::{BuildError, Settings};
use portamento_anim::geometry::Adjacency;

/// Maximum number of strain rounds per step for a mesh: more than for a shape, since its edges have any length. Tuned; no
/// derivation recorded.
const MESH_STRAIN_ROUNDS: usize = 64;

/// Maximum number of simulated points. No derivation recorded.
const MAX_POINTS: usize = 50_000;

/// Minimum and maximum length of the mesh's longest side, metres. No derivation recorded.
const SIZE_RANGE_M: (f64, f64) = (0.01, 1000.0);

/// Height of the upper edge as a share of a piece's height. Tuned; no derivation recorded.
const UPPER_EDGE_SHARE: f64 = 0.02;

/// A mesh to simulate, in its unit and position.
#[derive(Clone, Copy, Debug)]
pub struct ClothMesh<'m> {
    /// Name of the mesh.
    pub name: &'m str,
    /// Vertices at rest; y points up.
    pub points: &'m [Vec3],
    /// Triangles, three indices each; triangles with invalid indices are ignored.
    pub faces: &'m [u32],
    /// Length of its unit, metres, above 0.
    pub metres_per_unit: f64,
}

impl ClothMesh<'_> {
    /// Returns the cloth at rest in metres, and for each vertex the index of its point; `None` if no face uses the
    /// vertex.
    ///
    /// Returns `Err` for the reasons listed at [`super::build`].
    pub(super) fn body(&self, settings: &Settings) -> Result<(ClothBody, Vec<Option<u32>>), BuildError> {
        self.check()?;
        let (points, point_of) = self.points_of_vertices();
        if points.len() > MAX_POINTS {
            return Err(BuildError::TooMany { mesh: self.name.into(), points: points.len(), most: MAX_POINTS });
        }
        let faces = self.faces_of_points(&point_of);
        let shares = point_areas(&points, &faces);
        let area: f64 = shares.iter().sum();
        if area <= 0.0 {
            return Err(BuildError::NoFaces { mesh: self.name.into() });
        }
        // Slivers leave points without any mass; the solver would throw those around.
        let min_share = 0.01 * area / points.len() as f64;
        let masses = shares.iter().map(|share| settings.weight * share.max(min_share)).collect();
        let (edges, bends) = edges_and_bends(&points, &faces);
        let mut lengths: Vec<f64> = edges.iter().map(|edge| edge.length).collect();
        lengths.sort_by(f64::total_cmp);
        // The median, since a few slivers must not limit the motion of every point.
        let span = lengths[lengths.len() / 2];
        let pinned = self.pinned_points(settings, &points, &faces, &point_of)?;
        let (tethers, obstacle, strain_rounds) = (Vec::new(), None, MESH_STRAIN_ROUNDS);
        let mut body = ClothBody {
            points,
            pinned: Vec::new(),
            faces,
            edges,
            bends,
            tethers,
            masses,
            span,
            strain_rounds,
            obstacle,
        };
        let free = body.pin(pinned)?;
        body::check_pieces(point_of.iter().flatten().filter(|&&point| free[point as usize]).count())?;
        Ok((body, point_of))
    }

    /// Returns `Err` if a vertex is not finite, there are no vertices or faces, or the longest side is outside
    /// [`SIZE_RANGE_M`].
    fn check(&self) -> Result<(), BuildError> {
        let mesh = || self.name.to_owned();
        if let Some(vertex) = self.points.iter().position(|point| !point.is_finite()) {
            return Err(BuildError::NotFinite { mesh: mesh(), vertex });
        }
        let (low, high) = bounds(self.points.iter().map(|point| point.as_dvec3()));
        let metres = (high - low).max_element() * self.metres_per_unit;
        if self.points.is_empty() || self.faces.is_empty() {
            return Err(BuildError::NoFaces { mesh: mesh() });
        }
        let (low, high) = SIZE_RANGE_M;
        if (low..=high).contains(&metres) { Ok(()) } else { Err(BuildError::Size { mesh: mesh(), metres, low, high }) }
    }

    /// Returns the used vertex positions in metres, each once, and the index of each vertex's point; `None` for a vertex that
    /// no face uses.
    fn points_of_vertices(&self) -> (Vec<DVec3>, Vec<Option<u32>>) {
        let mut is_used = vec![false; self.points.len()];
        self.triangles().flatten().for_each(|vertex| is_used[vertex] = true);
        let (mut known, mut points) = (BTreeMap::new(), Vec::new());
        let mut point = |vertex: usize| {
            let at = self.points[vertex];
            // Minus zero and zero are the same position.
            let key = at.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
            *known.entry(key).or_insert_with(|| {
                points.push(at.as_dvec3() * self.metres_per_unit);
                points.len() as u32 - 1
            })
        };
        let point_of = (0..self.points.len()).map(|vertex| is_used[vertex].then(|| point(vertex))).collect();
        (points, point_of)
    }

    /// Returns triangles of three different points, each once: a double-sided triangle is one cloth.
    fn faces_of_points(&self, point_of: &[Option<u32>]) -> Vec<u32> {
        let mut known = BTreeSet::new();
        let mut faces = Vec::new();
        for face in self.triangles() {
            let [Some(a), Some(b), Some(c)] = face.map(|vertex| point_of[vertex]) else { continue };
            let mut sorted = [a, b, c];
            sorted.sort_unstable();
            // Closing the seams may have created degenerate and duplicate triangles.
            if a != b && b != c && a != c && known.insert(sorted) {
                faces.extend([a, b, c]);
            }
        }
        faces
    }

    /// Returns the vertices of each triangle; triangles with an unknown vertex are left out.
    fn triangles(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let inside = |face: &[usize; 3]| face.iter().all(|&vertex| vertex < self.points.len());
        self.faces.as_chunks::<3>().0.iter().map(|face| face.map(|vertex| vertex as usize)).filter(inside)
    }

    /// Returns true for each pinned point: any of its vertices is painted. Without painted pins, the upper edge of each piece
    /// is pinned. Returns `Err` if the painted pins have another vertex count.
    fn pinned_points(
        &self,
        settings: &Settings,
        points: &[DVec3],
        faces: &[u32],
        point_of: &[Option<u32>],
    ) -> Result<Vec<bool>, BuildError> {
        let pins = settings.pins.values();
        if pins.is_empty() {
            return Ok(upper_edges(points, faces));
        }
        body::check_pins(pins, self.points.len())?;
        let mut pinned = vec![false; points.len()];
        for (point, &pin) in point_of.iter().zip(pins) {
            if let Some(point) = point.filter(|_| body::is_pin(pin)) {
                pinned[point as usize] = true;
            }
        }
        Ok(pinned)
    }
}

/// Returns, per point, a third of the area of each of its triangles, square metres.
fn point_areas(points: &[DVec3], faces: &[u32]) -> Vec<f64> {
    let mut shares = vec![0.0; points.len()];
    for face in faces.as_chunks::<3>().0 {
        let [a, b, c] = face.map(|point| points[point as usize]);
        let area = (b - a).cross(c - a).length() / 2.0;
        face.iter().for_each(|&point| shares[point as usize] += area / 3.0);
    }
    shares
}

/// Returns every edge once, and a bend constraint for every two corners opposite to one edge in adjacent triangles.
fn edges_and_bends(points: &[DVec3], faces: &[u32]) -> (Vec<DistanceConstraint>, Vec<DistanceConstraint>) {
    let mut opposite: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for &[a, b, c] in faces.as_chunks::<3>().0 {
        for (from, to, over) in [(a, b, c), (b, c, a), (c, a, b)] {
            opposite.entry((from.min(to), from.max(to))).or_default().push(over);
        }
    }
    let edge = |(a, b): (u32, u32)| DistanceConstraint::between(points, a as usize, b as usize);
    let across = |over: &Vec<u32>| over.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
    let bends: BTreeSet<(u32, u32)> =
        opposite.values().flat_map(across).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
    (opposite.keys().copied().map(edge).collect(), bends.into_iter().map(edge).collect())
}

/// Returns true for each point at the upper edge of its piece. A flat piece is pinned along one of its ends.
fn upper_edges(points: &[DVec3], faces: &[u32]) -> Vec<bool> {
    let mut pinned = vec![false; points.len()];
    for piece in pieces(points.len(), faces) {
        let (low, high) = bounds(piece.iter().map(|&point| points[point]));
        let size = high - low;
        let up = match size {
            _ if size.y > UPPER_EDGE_SHARE * size.max_element() => DVec3::Y,
            _ if size.x >= size.z => DVec3::X,
            _ => DVec3::Z,
        };
        let min_height = high.dot(up) - UPPER_EDGE_SHARE * size.dot(up);
        piece.iter().for_each(|&point| pinned[point] = points[point].dot(up) >= min_height);
    }
    pinned
}

/// Returns the connected pieces as lists of point indices.
fn pieces(points: usize, faces: &[u32]) -> Vec<Vec<usize>> {
    let adjacency = Adjacency::of_mesh(points, faces);
    let mut is_known = vec![false; points];
    let mut pieces = Vec::new();
    for first in 0..points {
        if is_known[first] {
            continue;
        }
        is_known[first] = true;
        let (mut piece, mut next) = (vec![first], 0);
        while let Some(&point) = piece.get(next) {
            next += 1;
            let fresh = adjacency.neighbours(point).filter(|&other| !std::mem::replace(&mut is_known[other], true));
            piece.extend(fresh);
        }
        pieces.push(piece);
    }
    pieces
}

/// Returns the lowest and the highest coordinates; infinite without points.
fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.fold(nothing, |(low, high), point| (low.min(point), high.max(point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::tests::greatest_stretch;
    use crate::cloth::{ClothClip, ClothShape, build};
    use portamento_base::progress::Progress;

    fn settings() -> Settings {
        Settings { shape: ClothShape::Mesh, columns: 12, rows: 8, frames: 31, pre_roll: 1.0, ..Settings::default() }
    }

    fn run(settings: &Settings, mesh: &ClothMesh) -> ClothClip {
        build(settings, Some(mesh), &Progress::new()).unwrap()
    }

    fn refused(settings: &Settings, points: &[Vec3], faces: &[u32]) -> BuildError {
        let mesh = ClothMesh { name: "rag", points, faces, metres_per_unit: 1.0 };
        build(settings, Some(&mesh), &Progress::new()).unwrap_err()
    }

    /// A skirt in centimetres: unevenly spaced rings of vertices. The last vertex of each ring is at the position of the
    /// first.
    fn skirt(around: usize, down: usize) -> (Vec<Vec3>, Vec<u32>) {
        let point = |i: usize| {
            let (x, y) = (i % (around + 1), i / (around + 1));
            let (x, shift) = (x % around, 0.3 * ((x % around * 7 + y * 3) as f32 * 1.7).sin());
            let angle = std::f32::consts::TAU * (x as f32 + shift) / around as f32;
            let radius = 20.0 + 30.0 * y as f32 / down as f32;
            Vec3::new(
                radius * angle.cos(),
                100.0 - 60.0 * (y as f32 + shift * (y.min(1) as f32)) / down as f32,
                radius * angle.sin(),
            )
        };
        let points = (0..(around + 1) * (down + 1)).map(point).collect();
        let quad = |i: usize| {
            let [a, b, c, d] = [i, i + 1, i + around + 1, i + around + 2].map(|index| index as u32);
            if i.is_multiple_of(3) { [a, c, b, b, c, d] } else { [a, c, d, a, d, b] }
        };
        let rows = (0..around * down).map(|i| i / around * (around + 1) + i % around);
        (points, rows.flat_map(quad).collect())
    }

    #[test]
    fn a_mesh_equal_to_a_strip_hangs_like_the_strip_at_rest_and_in_a_steady_wind() {
        // The border of a shape weighs more than its share of the area, so it is blown a little less far.
        for (wind, blows, most) in [(0.0, -0.01..0.01, 0.01), (4.0, 0.3..1.0, 0.1)] {
            let hanging =
                Settings { shape: ClothShape::Strip, gusts: 0.0, drag: 6.0, wind: [0.0, 0.0, wind], ..settings() };
            let hanging = Settings { pre_roll: 8.0, frames: 2, top: 0.0, ..hanging };
            let strip = build(&hanging, None, &Progress::new()).unwrap();
            let body = ClothBody::new(&hanging).unwrap();
            let points: Vec<Vec3> = body.points.iter().map(|point| point.as_vec3()).collect();
            let mesh = ClothMesh { name: "strip", points: &points, faces: &body.faces, metres_per_unit: 1.0 };
            let mesh = run(&Settings { shape: ClothShape::Mesh, ..hanging }, &mesh);
            assert_eq!(mesh.pins, strip.pins);
            let pairs = mesh.clip.frame(1).iter().zip(strip.clip.frame(1));
            let distance = pairs.map(|(one, other)| one.distance(*other)).fold(0.0, f32::max);
            let blown = strip.clip.frame(1).iter().map(|point| point.z).fold(0.0, f32::max);
            println!("blown {blown} m out, {distance} m apart");
            assert!(blows.contains(&blown) && distance < most, "{blown} {distance}");
        }
    }

    #[test]
    fn pins_do_not_move_seams_stay_closed_and_nothing_stretches() {
        for (around, down) in [(24, 8), (44, 22)] {
            let (points, faces) = skirt(around, down);
            let mesh = ClothMesh { name: "skirt", points: &points, faces: &faces, metres_per_unit: 0.01 };
            let settings = Settings { wind: [7.0, 0.0, 2.0], ..settings() };
            let done = run(&settings, &mesh);
            let (clip, pins) = (&done.clip, &done.pins);
            assert_eq!((clip.frames(), clip.vertices, clip.faces.len()), (31, points.len(), faces.len()));
            assert_eq!(pins.iter().filter(|&&pin| pin == 1.0).count(), around + 1);
            for frame in 0..31 {
                let now = clip.frame(frame);
                (0..points.len()).filter(|&i| pins[i] == 1.0).for_each(|i| assert_eq!(now[i], points[i]));
                (0..=down).for_each(|y| assert_eq!(now[y * (around + 1)], now[y * (around + 1) + around]));
            }
            let moved = clip.frame(30).iter().zip(clip.frame(29)).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(moved > 0.1, "{moved} cm");
            let stretch = greatest_stretch(clip, &settings, Some(&mesh)).unwrap();
            println!("a skirt of {} vertices stretches to {stretch:.3}", points.len());
            assert!(stretch < 1.06, "{stretch}");
            if around == 24 {
                assert_eq!(run(&settings, &mesh), done);
            }
        }
    }

    #[test]
    fn painted_pins_replace_those_of_the_shape() {
        let plain = Settings { shape: ClothShape::Flag, ..settings() };
        let mut pins = vec![0.0; 13 * 9];
        (pins[12], pins[13 * 9 - 1], pins[60]) = (1.0, 0.5, 0.49);
        let painted = Settings { pins: pins.clone().into(), ..plain.clone() };
        let done = build(&painted, None, &Progress::new()).unwrap();
        assert_eq!(done.pins.iter().sum::<f32>(), 2.0);
        let rest = |i: usize| ClothBody::new(&plain).unwrap().points[i].as_vec3() + Vec3::Y * plain.top as f32;
        for i in [12, 13 * 9 - 1] {
            (0..31).for_each(|frame| assert!(done.clip.frame(frame)[i].abs_diff_eq(rest(i), 1e-6)));
        }
        assert!(done.clip.frame(30)[0].distance(rest(0)) > 0.3);
        let stretch = greatest_stretch(&done.clip, &painted, None).unwrap();
        assert!(stretch < 1.06, "{stretch}");
    }

    #[test]
    fn every_piece_hangs_by_its_upper_edge_unless_pins_are_painted() {
        let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
        let points: Vec<Vec3> = square.iter().copied().chain(square.map(|point| point * 0.5 + Vec3::Z)).collect();
        let faces = [0, 1, 2, 1, 3, 2, 4, 5, 6, 5, 7, 6];
        let mesh = ClothMesh { name: "rags", points: &points, faces: &faces, metres_per_unit: 1.0 };
        assert_eq!(run(&settings(), &mesh).pins, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
        let lying: Vec<Vec3> = points.iter().map(|point| Vec3::new(point.x, point.z, point.y)).collect();
        let lying = ClothMesh { points: &lying, ..mesh };
        assert_eq!(run(&settings(), &lying).pins, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        let one = Settings { pins: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].into(), ..settings() };
        let falls = build(&one, Some(&mesh), &Progress::new()).unwrap_err();
        assert_eq!(falls, BuildError::UnpinnedPieces { vertices: 4 });
    }

    #[test]
    fn unsuitable_meshes_are_refused_with_a_message() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let pinned = |pins: Vec<f32>| Settings { pins: pins.into(), ..settings() };
        assert_eq!(build(&settings(), None, &Progress::new()), Err(BuildError::NoMesh));
        assert_eq!(refused(&pinned(vec![0.0; 3]), &points, &[0, 1, 2]), BuildError::NoPins);
        let other = refused(&pinned(vec![1.0; 2]), &points, &[0, 1, 2]);
        assert_eq!(other, BuildError::OtherPins { painted: 2, vertices: 3 });
        for faces in [&[][..], &[0, 1, 1], &[0, 1, 9]] {
            assert!(matches!(refused(&settings(), &points, faces), BuildError::NoFaces { .. }), "{faces:?}");
        }
        let line = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert!(matches!(refused(&settings(), &line, &[0, 1, 2]), BuildError::NoFaces { .. }));
        let broken = refused(&settings(), &[Vec3::ZERO, Vec3::X, Vec3::NAN], &[0, 1, 2]);
        assert_eq!(broken, BuildError::NotFinite { mesh: "rag".into(), vertex: 2 });
        let far = refused(&settings(), &points.map(|point| point * 1e5), &[0, 1, 2]);
        assert!(matches!(far, BuildError::Size { .. }) && far.to_string().contains("100000 m"), "{far}");
        let (many, faces) = skirt(300, 170);
        assert!(matches!(refused(&settings(), &many, &faces), BuildError::TooMany { points: 51_300, .. }));
    }
}
