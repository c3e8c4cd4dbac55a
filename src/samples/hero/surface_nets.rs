//! Triangulates a solid by surface nets (Gibson 1998, "Constrained Elastic IsoSurface Nets").
//! Each cell that the surface crosses has one vertex, which is then moved onto the surface along the gradient.

use glam::{DVec3, dvec3};

use super::shape::{Shape, distance, gradient};

/// A closed surface: points, outward unit normals, and triangles counterclockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IsoSurface {
    /// Points in model space.
    pub points: Vec<DVec3>,
    /// Outward unit normals, one per point.
    pub normals: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A grid of samples; index = x + y·nx + z·nx·ny.
struct Grid {
    low: DVec3,
    cell: f64,
    size: [usize; 3],
    values: Vec<f64>,
}

/// Returns the surface of `shapes` with about one vertex per `cell` (metres).
pub fn surface(shapes: &[Shape], cell: f64) -> IsoSurface {
    let grid = sample(shapes, cell);
    let mut vertex_of_cell = vec![u32::MAX; grid.values.len()];
    let mut surface = IsoSurface::default();
    for (index, vertex) in vertex_of_cell.iter_mut().enumerate() {
        if let Some(point) = grid.crossing(index) {
            let point = project_to_surface(shapes, point);
            *vertex = surface.points.len() as u32;
            surface.points.push(point);
            surface.normals.push(gradient(shapes, point));
        }
    }
    for index in 0..grid.values.len() {
        for axis in 0..3 {
            surface.triangles.extend(grid.faces(index, axis, &vertex_of_cell, &surface.points));
        }
    }
    surface
}

/// Samples the signed distance of `shapes` at a grid `cell` metres wide, with a margin of two cells. A grid across x = 0 is
/// symmetric to it.
fn sample(shapes: &[Shape], cell: f64) -> Grid {
    let everywhere = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = shapes.iter().map(Shape::bounds).fold(everywhere, |(l, h), (a, b)| (l.min(a), h.max(b)));
    // Centred on x = 0, so that the mesh is as symmetric as the shapes.
    let half = (low.x.abs().max(high.x.abs()) / cell).ceil() + 1.5;
    let low = if low.x < 0.0 && high.x > 0.0 { dvec3(-half * cell, low.y, low.z) } else { low };
    let low = low - dvec3(if low.x == -half * cell { 0.0 } else { 2.0 * cell }, 2.0 * cell, 2.0 * cell);
    let size = ((high - low) / cell + 3.0).to_array().map(|n| n as usize);
    let point = |i: usize| {
        let at = [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])].map(|n| n as f64);
        low + DVec3::from_array(at) * cell
    };
    let values = (0..size.iter().product()).map(|i| distance(shapes, point(i))).collect();
    Grid { low, cell, size, values }
}

/// Moves `point` onto the surface by four damped Newton steps.
fn project_to_surface(shapes: &[Shape], point: DVec3) -> DVec3 {
    (0..4).fold(point, |at, _| at - gradient(shapes, at) * distance(shapes, at) * 0.9)
}

impl Grid {
    /// Returns x, y and z of the grid point at `index`.
    fn coordinates(&self, index: usize) -> [usize; 3] {
        [index % self.size[0], index / self.size[0] % self.size[1], index / (self.size[0] * self.size[1])]
    }

    /// Returns the distance of the indices of two neighbours along `axis`.
    fn stride(&self, axis: usize) -> usize {
        [1, self.size[0], self.size[0] * self.size[1]][axis]
    }

    /// Returns the mean of the surface crossings on the edges of the cell at `index`, or `None` if there are none.
    fn crossing(&self, index: usize) -> Option<DVec3> {
        let coordinates = self.coordinates(index);
        if (0..3).any(|axis| coordinates[axis] + 1 >= self.size[axis]) {
            return None;
        }
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for corner in 0..4 {
                let mut offset = [0.0; 3];
                (offset[u], offset[v]) = ((corner % 2) as f64, (corner / 2) as f64);
                let from = index + corner % 2 * self.stride(u) + corner / 2 * self.stride(v);
                let (a, b) = (self.values[from], self.values[from + self.stride(axis)]);
                if (a < 0.0) != (b < 0.0) {
                    offset[axis] = a / (a - b);
                    sum += DVec3::from_array(offset);
                    count += 1.0;
                }
            }
        }
        let corner = DVec3::from_array(coordinates.map(|n| n as f64));
        (count > 0.0).then(|| self.low + (corner + sum / count) * self.cell)
    }

    /// Returns the two triangles around the edge from `index` along `axis`, or none if the surface does not cross it.
    fn faces(&self, index: usize, axis: usize, vertices: &[u32], points: &[DVec3]) -> Vec<[u32; 3]> {
        let coordinates = self.coordinates(index);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        if coordinates[u] == 0 || coordinates[v] == 0 || coordinates[axis] + 1 >= self.size[axis] {
            return Vec::new();
        }
        let (a, b) = (self.values[index], self.values[index + self.stride(axis)]);
        let (du, dv) = (self.stride(u), self.stride(v));
        let ring = [index - du - dv, index - dv, index, index - du].map(|cell| vertices[cell]);
        if (a < 0.0) == (b < 0.0) || ring.contains(&u32::MAX) {
            return Vec::new();
        }
        let [p, q, r, s] = if a < 0.0 { ring } else { [ring[3], ring[2], ring[1], ring[0]] };
        let span = |i: u32, j: u32| points[i as usize].distance_squared(points[j as usize]);
        if span(p, r) < span(q, s) { vec![[p, q, r], [p, r, s]] } else { vec![[p, q, s], [q, r, s]] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::Solid;
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_sphere_is_closed_round_and_faces_outwards() {
        let ball = [Shape { solid: Solid::Egg(DVec3::Y, DVec3::splat(0.3), 0.0), joint: 0, blend: 0.01 }];
        let surface = surface(&ball, 0.07);
        let mut edges = BTreeMap::new();
        for &[a, b, c] in &surface.triangles {
            let corner = |i: u32| surface.points[i as usize];
            let normal = (corner(b) - corner(a)).cross(corner(c) - corner(a));
            assert!(normal.dot(corner(a) - DVec3::Y) > 0.0);
            for edge in [(a, b), (b, c), (c, a)] {
                *edges.entry(edge).or_insert(0) += 1;
            }
        }
        assert!(surface.triangles.len() > 100);
        assert!(surface.points.iter().all(|point| (point.distance(DVec3::Y) - 0.3).abs() < 1e-6));
        assert!(edges.iter().all(|(&(a, b), &count)| count == 1 && edges.contains_key(&(b, a))));
    }
}
