//! The ground as a mesh whose edges follow the borders of its surfaces.

use glam::{DVec2, DVec3, dvec2, dvec3};

use super::ground::{HALF, borders, height, rise, surface};
use super::solids::LevelMesh;
use super::surface::LevelSurface;

/// Distance between two corners in metres, before they move onto borders.
const GRID_STEP_M: f64 = 0.4;

/// Returns the ground and the vertical sides below it.
pub fn terrain() -> [LevelMesh; 2] {
    let counts = (2.0 * HALF / GRID_STEP_M).round().as_usizevec2();
    let corner = |i: usize, j: usize| snap_to_border(dvec2(i as f64, j as f64) * GRID_STEP_M - HALF);
    let rows: Vec<Vec<(DVec2, bool)>> =
        (0..=counts.y).map(|j| (0..=counts.x).map(|i| corner(i, j)).collect()).collect();
    let mut ground = Ground { piece: LevelMesh::new("ground"), vertices: Vec::new() };
    for (j, pair) in rows.windows(2).enumerate() {
        for i in 0..counts.x {
            let quad = [pair[0][i], pair[1][i], pair[1][i + 1], pair[0][i + 1]];
            ground.quad(quad, (i + j).is_multiple_of(2));
        }
    }
    [ground.piece, sides(&rows)]
}

/// Moves a corner onto the nearest border. Returns its position, and true if there is a border within half a step.
fn snap_to_border(at: DVec2) -> (DVec2, bool) {
    const REACH: f64 = 1e-4;
    let onto = |border: usize| {
        let value = |at: DVec2| borders(at)[border];
        let slope = dvec2(value(at + DVec2::X * REACH) - value(at), value(at + DVec2::Y * REACH) - value(at)) / REACH;
        let free = dvec2(f64::from(at.x.abs() < HALF.x - 1e-9), f64::from(at.y.abs() < HALF.y - 1e-9));
        let slope = slope * free;
        (slope.length_squared() > 0.01).then(|| -value(at) * slope / slope.length_squared())
    };
    let moves = (0..borders(at).len()).filter_map(onto).filter(|offset| offset.length() < 0.5 * GRID_STEP_M);
    let nearest = moves.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    (at + nearest.unwrap_or_default(), nearest.is_some())
}

struct Ground {
    piece: LevelMesh,
    /// Surface, corner and vertex index of the vertices so far.
    vertices: Vec<(LevelSurface, DVec2, u32)>,
}

impl Ground {
    /// Adds a quad as two triangles. A corner with true is on a border. `even` selects the diagonal unless one follows a
    /// border.
    fn quad(&mut self, quad: [(DVec2, bool); 4], even: bool) {
        // The diagonal follows a border if there is one.
        let [a, b, c, d] = quad.map(|corner| corner.0);
        let along = |one: usize, other: usize| quad[one].1 && quad[other].1;
        let first = if along(0, 2) == along(1, 3) { even } else { along(0, 2) };
        let faces = if first { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        for face in faces.into_iter().filter(|face| (face[1] - face[0]).perp_dot(face[2] - face[0]).abs() > 1e-6) {
            let surface = surface((face[0] + face[1] + face[2]) / 3.0);
            let corners = face.map(|at| self.vertex(surface, at));
            self.piece.part(surface).indices.extend(corners);
        }
    }

    /// Returns the index of the vertex at `at` (x and z, metres) within the part of `surface`, added if there is none yet.
    fn vertex(&mut self, surface: LevelSurface, at: DVec2) -> u32 {
        /// Vertices of the previous row and of this one.
        const SEARCHED_VERTICES: usize = 1200;
        let known =
            self.vertices.iter().rev().take(SEARCHED_VERTICES).find(|known| known.0 == surface && known.1 == at);
        if let Some(&(_, _, vertex)) = known {
            return vertex;
        }
        let rise = rise(at);
        let part = self.piece.part(surface);
        part.positions.push(dvec3(at.x, height(at), at.y).as_vec3());
        part.normals.push(dvec3(-rise.x, 1.0, -rise.y).normalize().as_vec3());
        let vertex = part.positions.len() as u32 - 1;
        self.vertices.push((surface, at, vertex));
        vertex
    }
}

/// Returns the four vertical sides down to height 0.
fn sides(rows: &[Vec<(DVec2, bool)>]) -> LevelMesh {
    let mut piece = LevelMesh::new("sides");
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let west = rows.iter().map(|row| row[0].0).collect::<Vec<_>>();
    let east = rows.iter().rev().map(|row| row[row.len() - 1].0).collect::<Vec<_>>();
    let north = first.iter().rev().map(|corner| corner.0).collect::<Vec<_>>();
    let south = last.iter().map(|corner| corner.0).collect::<Vec<_>>();
    for edge in [west, south, east, north] {
        for ends in edge.windows(2) {
            let [a, b] = [ends[0], ends[1]];
            let (low, high) = (|at: DVec2| dvec3(at.x, 0.0, at.y), |at: DVec2| dvec3(at.x, height(at), at.y));
            let face: [DVec3; 4] = [low(a), low(b), high(b), high(a)];
            piece.face(LevelSurface::Earth, &face);
        }
    }
    piece
}
