//! The ground as a mesh whose edges follow the borders of its surfaces.

use glam::{DVec2, DVec3, dvec2, dvec3};

use super::ground::{HALF, borders, height, rise, surface};
use super::solids::LevelMesh;
use super::surface::LevelSurface;

/// Metres between two corners before they move onto borders.
const STEP: f64 = 0.4;

/// The ground and the cut sides it stands on.
pub fn terrain() -> [LevelMesh; 2] {
    let counts = (2.0 * HALF / STEP).round().as_usizevec2();
    let corner = |i: usize, j: usize| settled(dvec2(i as f64, j as f64) * STEP - HALF);
    let rows: Vec<Vec<(DVec2, bool)>> =
        (0..=counts.y).map(|j| (0..=counts.x).map(|i| corner(i, j)).collect()).collect();
    let mut ground = Ground { piece: LevelMesh::new("ground"), numbers: Vec::new() };
    for (j, pair) in rows.windows(2).enumerate() {
        for i in 0..counts.x {
            let quad = [pair[0][i], pair[1][i], pair[1][i + 1], pair[0][i + 1]];
            ground.quad(quad, (i + j).is_multiple_of(2));
        }
    }
    [ground.piece, sides(&rows)]
}

/// Moves a corner onto the nearest border; tells whether there was one.
fn settled(at: DVec2) -> (DVec2, bool) {
    const REACH: f64 = 1e-4;
    let onto = |border: usize| {
        let value = |at: DVec2| borders(at)[border];
        let slope = dvec2(value(at + DVec2::X * REACH) - value(at), value(at + DVec2::Y * REACH) - value(at)) / REACH;
        let free = dvec2(f64::from(at.x.abs() < HALF.x - 1e-9), f64::from(at.y.abs() < HALF.y - 1e-9));
        let slope = slope * free;
        (slope.length_squared() > 0.01).then(|| -value(at) * slope / slope.length_squared())
    };
    let moves = (0..borders(at).len()).filter_map(onto).filter(|offset| offset.length() < 0.5 * STEP);
    let near = moves.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    (at + near.unwrap_or_default(), near.is_some())
}

struct Ground {
    piece: LevelMesh,
    /// LevelSurface, corner and number of the corners made so far in the last rows.
    numbers: Vec<(LevelSurface, DVec2, u32)>,
}

impl Ground {
    fn quad(&mut self, quad: [(DVec2, bool); 4], even: bool) {
        // The diagonal runs along a border where there is one.
        let [a, b, c, d] = quad.map(|corner| corner.0);
        let along = |one: usize, other: usize| quad[one].1 && quad[other].1;
        let first = if along(0, 2) == along(1, 3) { even } else { along(0, 2) };
        let faces = if first { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        for face in faces.into_iter().filter(|face| (face[1] - face[0]).perp_dot(face[2] - face[0]).abs() > 1e-6) {
            let surface = surface((face[0] + face[1] + face[2]) / 3.0);
            let corners = face.map(|at| self.number(surface, at));
            self.piece.part(surface).indices.extend(corners);
        }
    }

    fn number(&mut self, surface: LevelSurface, at: DVec2) -> u32 {
        /// Corners of the row before and of this one.
        const KEPT: usize = 1200;
        let known = self.numbers.iter().rev().take(KEPT).find(|known| known.0 == surface && known.1 == at);
        if let Some(&(_, _, number)) = known {
            return number;
        }
        let rise = rise(at);
        let part = self.piece.part(surface);
        part.positions.push(dvec3(at.x, height(at), at.y).as_vec3());
        part.normals.push(dvec3(-rise.x, 1.0, -rise.y).normalize().as_vec3());
        let number = part.positions.len() as u32 - 1;
        self.numbers.push((surface, at, number));
        number
    }
}

/// The four cut sides, down to 0.
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
