//! The cape: a thin sheet on three strands of joints.

use glam::{DVec3, dvec3};

use super::rig::{self, cape_point};
use super::weights::{INFLUENCES, shares};

/// Vertices per row.
const VERTICES_PER_ROW: usize = 9;
/// Rows per joint.
const ROWS_PER_JOINT: usize = 2;
/// Rows before the first joint, laid over the shoulders.
const COLLAR_ROWS: usize = 2;
/// Total number of rows.
const ROWS: usize = COLLAR_ROWS + rig::STRAND_JOINTS * ROWS_PER_JOINT + 1;

/// A sheet: points, normals, triangles and weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Points in model space.
    pub points: Vec<DVec3>,
    /// Unit normals that point away from the back.
    pub normals: Vec<DVec3>,
    /// Vertex indices of each triangle, counterclockwise seen from behind the hero.
    pub triangles: Vec<[u32; 3]>,
    /// The joints and weights of each point.
    pub weights: Vec<[(u16, f32); INFLUENCES]>,
}

/// Returns the hanging cape.
pub fn sheet() -> Sheet {
    let positions: Vec<(f64, f64)> =
        (0..ROWS).flat_map(|row| (0..VERTICES_PER_ROW).map(move |i| (across(i), down(row)))).collect();
    let points: Vec<DVec3> = positions.iter().map(|&(u, v)| point(u, v)).collect();
    let mut sheet = Sheet { weights: positions.iter().map(|&(u, v)| weights_at(u, v)).collect(), ..Sheet::default() };
    sheet.normals = positions.iter().map(|&(u, v)| normal(u, v)).collect();
    sheet.points = points;
    for row in 0..ROWS - 1 {
        for i in 0..VERTICES_PER_ROW - 1 {
            let a = (row * VERTICES_PER_ROW + i) as u32;
            let (b, c, d) = (a + 1, a + VERTICES_PER_ROW as u32, a + VERTICES_PER_ROW as u32 + 1);
            sheet.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    sheet
}

/// Returns the position across the cape, from +1 (left edge) to −1 (right edge).
fn across(i: usize) -> f64 {
    1.0 - 2.0 * i as f64 / (VERTICES_PER_ROW - 1) as f64
}

/// Returns the position down the cape in joints from the first; negative on the shoulders.
fn down(row: usize) -> f64 {
    (row as f64 - COLLAR_ROWS as f64) / ROWS_PER_JOINT as f64
}

/// Returns the point at `u` across ([`across`]) and `v` down ([`down`]) the cape, in model space.
fn point(u: f64, v: f64) -> DVec3 {
    let row = |v: f64| {
        let i = (v.max(0.0).floor() as usize).min(rig::STRAND_JOINTS - 1);
        let on = |column: usize| cape_point(column, i).lerp(cape_point(column, i + 1), v.max(0.0) - i as f64);
        let (left, middle) = (on(0), on(1));
        // A parabola through the strands, a little wider than they are.
        dvec3(left.x * 1.12 * u, left.y, middle.z + (left.z - middle.z) * 1.2 * u * u)
    };
    let lift = (-v).max(0.0);
    let over = dvec3(0.0, 0.045 * lift.min(1.0) * (1.0 - 0.25 * u * u), (0.06 + 0.02 * u * u) * lift);
    row(v) + over
}

/// Returns the unit normal there, away from the back.
fn normal(u: f64, v: f64) -> DVec3 {
    const STEP: f64 = 0.05;
    let wide = point(u - STEP, v) - point(u + STEP, v);
    let high = point(u, v - STEP) - point(u, v + STEP);
    high.cross(wide).normalize_or(DVec3::NEG_Z) * -1.0
}

/// Returns the weights of two neighbouring strands, on each the joints before and after the point.
fn weights_at(u: f64, v: f64) -> [(u16, f32); INFLUENCES] {
    if v < 0.0 {
        return shares(&[(rig::CHEST, 1.0)]);
    }
    let (column, toward) = if u > 0.0 { (0, 1.0 - u) } else { (1, -u) };
    let (joint, share) = along(v);
    let mut pulls = Vec::new();
    for (column, part) in [(column, 1.0 - toward), (column + 1, toward)] {
        let parent = if joint == 0 { rig::CHEST } else { rig::CAPE[column] + joint - 1 };
        pulls.extend([(rig::CAPE[column] + joint, part * share), (parent, part * (1.0 - share))]);
    }
    pulls.retain(|&(_, pull)| pull > 1e-6);
    pulls.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    merge(&pulls)
}

/// Merges entries of the same joint (the chest, at the top).
fn merge(pulls: &[(usize, f64)]) -> [(u16, f32); INFLUENCES] {
    let mut once: Vec<(usize, f64)> = Vec::new();
    for &(joint, pull) in pulls {
        match once.iter_mut().find(|entry| entry.0 == joint) {
            Some(entry) => entry.1 += pull,
            None => once.push((joint, pull)),
        }
    }
    shares(&once)
}

/// Returns the joint at `v` and its weight. The rest belongs to its parent; at a joint both have half.
fn along(v: f64) -> (usize, f64) {
    let nearest = v.round().min((rig::STRAND_JOINTS - 1) as f64);
    let share = (0.5 + (v - nearest)).clamp(0.0, 1.0);
    (nearest as usize, share * share * (3.0 - 2.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cape_faces_backwards_and_follows_its_joints() {
        let sheet = sheet();
        for &[a, b, c] in &sheet.triangles {
            let corner = |i: u32| sheet.points[i as usize];
            let normal = (corner(b) - corner(a)).cross(corner(c) - corner(a));
            assert!(normal.dot(sheet.normals[a as usize]) > 0.0, "{:?}", corner(a));
        }
        assert!(sheet.normals.iter().all(|normal| normal.z < 0.5));
        let sums = sheet.weights.iter().map(|row| row.iter().map(|slot| slot.1).sum::<f32>());
        assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-6));
    }
}
