//! Rigid pieces of a mesh, which rotate instead of moving their vertices in straight lines.
//!
//! A linear mixture of two directions of one rod is a shorter rod: at 90° it shrinks to 1/√2. For each connected piece,
//! the rotation R that best moves B's vertices onto A's is computed (Horn 1987, by quaternions). The piece rotates by the
//! fraction of R that the weight requires, and only the remaining difference of both shapes is mixed linearly.

use glam::{DMat3, DVec3, Quat, Vec3};
use nalgebra::{Matrix4, SymmetricEigen};
use rayon::prelude::*;

use super::CycleWindow;
use super::crossfade::Pair;
use super::fade::Weights;
use portamento_anim::math::mean;
use portamento_anim::media::VertexClip;

/// Connected pieces and their rotations from B to A in every frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RigidPieces {
    /// Index of the piece of every vertex.
    piece_of: Vec<u32>,
    /// Number of pieces.
    pieces: usize,
    /// Turns frame by frame, piece by piece.
    turns: Vec<Turn>,
}

/// Rigid motion of a piece from B to A.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Mean position of the piece in B.
    centre_b: Vec3,
    /// Mean position of the piece in A.
    centre_a: Vec3,
    /// Rotation from B to A about the centres.
    rotation: Quat,
}

/// Rotations of a piece for one weight.
struct PartTurn {
    piece: u32,
    /// Weight of A, 0…1.
    weight: f32,
    /// Rotation of the vertices of B.
    of_b: Quat,
    /// Rotation of the vertices of A.
    of_a: Quat,
}

impl RigidPieces {
    /// Finds the pieces of `clip` and their rotations in every frame of the loop.
    pub(super) fn new(clip: &VertexClip, CycleWindow { start, length }: CycleWindow) -> Self {
        let ConnectedPieces { piece_of, count: pieces } = pieces_of(clip, [start, start + length, start + 2 * length]);
        let members = members(&piece_of, pieces);
        let frame = |k: usize| -> Vec<Turn> {
            let (a, b) = (clip.frame(start + k), clip.frame(start + length + k));
            members.iter().map(|piece| turn(piece, b, a)).collect()
        };
        let turns: Vec<Vec<Turn>> = (0..length).into_par_iter().map(frame).collect();
        Self { piece_of, pieces, turns: turns.concat() }
    }

    /// Writes the mixture of the vertices `first` and following of frame `k` to `out`, as [`super::Crossfade::crossfade`] but
    /// with rotation.
    pub(super) fn crossfade(&self, k: usize, first: usize, pair: Pair<Vec3>, weights: Weights, out: &mut [Vec3]) {
        let turns = &self.turns[k * self.pieces..(k + 1) * self.pieces];
        // Neighbouring vertices mostly belong to one piece and have one weight: its rotations are computed once for all
        // of them.
        let mut known = PartTurn { piece: u32::MAX, weight: f32::NAN, of_b: Quat::IDENTITY, of_a: Quat::IDENTITY };
        for (i, out) in out.iter_mut().enumerate() {
            let (piece, w) = (self.piece_of[first + i], weights.at(i));
            let turn = &turns[piece as usize];
            if known.piece != piece || known.weight != w {
                let of_b = mean::slerp(Quat::IDENTITY, turn.rotation, w);
                known = PartTurn { piece, weight: w, of_b, of_a: of_b * turn.rotation.conjugate() };
            }
            let from_b = known.of_b * (pair.outgoing[i] - turn.centre_b);
            let from_a = known.of_a * (pair.incoming[i] - turn.centre_a);
            let centre = turn.centre_b + (turn.centre_a - turn.centre_b) * w;
            *out = centre + from_b + (from_a - from_b) * w;
        }
    }
}

/// Connected pieces of a mesh.
struct ConnectedPieces {
    /// Index of the piece of every vertex.
    piece_of: Vec<u32>,
    count: usize,
}

/// Returns the pieces that faces connect. Vertices that coincide in all of `frames` count as connected: files split them
/// where texture coordinates break.
fn pieces_of(clip: &VertexClip, frames: [usize; 3]) -> ConnectedPieces {
    let mut parent: Vec<usize> = (0..clip.vertices).collect();
    for face in clip.faces.as_chunks::<3>().0 {
        join(&mut parent, face[0] as usize, face[1] as usize);
        join(&mut parent, face[0] as usize, face[2] as usize);
    }
    // Three frames, since vertices of different pieces may coincide in one by chance.
    let key = |vertex: usize| frames.map(|frame| clip.frame(frame)[vertex].to_array().map(f32::to_bits));
    let mut order: Vec<usize> = (0..clip.vertices).collect();
    order.sort_by_key(|&vertex| key(vertex));
    order.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).for_each(|pair| join(&mut parent, pair[0], pair[1]));
    let mut numbers = vec![u32::MAX; clip.vertices];
    let mut pieces = 0;
    let piece_of = (0..clip.vertices).map(|vertex| {
        let root = root_of(&mut parent, vertex);
        if numbers[root] == u32::MAX {
            numbers[root] = pieces;
            pieces += 1;
        }
        numbers[root]
    });
    ConnectedPieces { piece_of: piece_of.collect(), count: pieces as usize }
}

/// Returns the vertex that represents the piece of `at`, and shortens the path to it in `parent`, which names a vertex of the same
/// piece for each vertex.
fn root_of(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// Joins the pieces of `a` and `b`.
fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root_of(parent, a), root_of(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// Returns the vertices of each piece, ascending.
fn members(piece_of: &[u32], pieces: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); pieces];
    (0..).zip(piece_of).for_each(|(vertex, &piece): (u32, _)| members[piece as usize].push(vertex));
    members
}

/// Returns the rigid motion that best moves the vertices `piece` from the frame `b` to the frame `a`.
fn turn(piece: &[u32], b: &[Vec3], a: &[Vec3]) -> Turn {
    let centre = |points: &[Vec3]| {
        piece.iter().map(|&vertex| points[vertex as usize].as_dvec3()).sum::<DVec3>() / piece.len() as f64
    };
    let (centre_b, centre_a) = (centre(b), centre(a));
    let mut covariance = DMat3::ZERO;
    for &vertex in piece {
        let (b, a) = (b[vertex as usize].as_dvec3() - centre_b, a[vertex as usize].as_dvec3() - centre_a);
        covariance += DMat3::from_cols(b * a.x, b * a.y, b * a.z);
    }
    Turn { centre_b: centre_b.as_vec3(), centre_a: centre_a.as_vec3(), rotation: best_rotation(covariance) }
}

/// Returns the rotation that best moves b onto a for `m` = Σ b aᵀ; the identity if points on a line leave it
/// undetermined.
fn best_rotation(m: DMat3) -> Quat {
    let s = |row: usize, column: usize| m.col(column)[row];
    let [xx, yy, zz] = [s(0, 0), s(1, 1), s(2, 2)];
    let (yz, zx, xy) = (s(1, 2) - s(2, 1), s(2, 0) - s(0, 2), s(0, 1) - s(1, 0));
    let (pxy, pzx, pyz) = (s(0, 1) + s(1, 0), s(2, 0) + s(0, 2), s(1, 2) + s(2, 1));
    #[rustfmt::skip]
    let matrix = Matrix4::new(
        xx + yy + zz, yz,            zx,             xy,
        yz,           xx - yy - zz,  pxy,            pzx,
        zx,           pxy,           -xx + yy - zz,  pyz,
        xy,           pzx,           pyz,            -xx - yy + zz,
    );
    let eigen = SymmetricEigen::new(matrix);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let [best, second] = [order[0], order[1]].map(|i| eigen.eigenvalues[i]);
    let column = eigen.eigenvectors.column(order[0]);
    let rotation = glam::DQuat::from_xyzw(column[1], column[2], column[3], column[0]);
    let usable = best - second > 1e-6 * best.abs() && rotation.is_finite();
    if usable { mean::aligned(rotation.normalize().as_quat(), Quat::IDENTITY) } else { Quat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud() -> Vec<Vec3> {
        (0..12).map(|i| Vec3::new((i as f32 * 1.7).sin(), (i as f32 * 0.9).cos() * 2.0, i as f32 * 0.1)).collect()
    }

    #[test]
    fn the_rotation_between_two_copies_of_a_piece_is_found() {
        let (b, turned) = (cloud(), Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 1.3));
        let a: Vec<Vec3> = b.iter().map(|&point| turned * point + Vec3::new(5.0, 0.0, 1.0)).collect();
        let all: Vec<u32> = (0..12).collect();
        assert!(mean::angle_between(turn(&all, &b, &a).rotation, turned) < 1e-5);
        assert_eq!(turn(&all[..1], &b, &a).rotation, Quat::IDENTITY);
        let line: Vec<Vec3> = (0..12).map(|i| Vec3::X * i as f32).collect();
        assert_eq!(turn(&all, &line, &line).rotation, Quat::IDENTITY);
    }

    #[test]
    fn pieces_are_separated_and_split_vertices_stay_connected() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y, Vec3::ONE, Vec3::splat(9.0)];
        let faces = vec![0, 1, 2, 3, 4, 5];
        let clip = VertexClip { name: "box".into(), fps: 30.0, vertices: 7, positions, faces };
        let ConnectedPieces { piece_of, count } = pieces_of(&clip, [0, 0, 0]);
        assert_eq!((piece_of, count), (vec![0, 0, 0, 0, 0, 0, 1], 2));
    }
}
