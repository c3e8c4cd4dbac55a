//! The cape: a thin sheet hung on three strands of joints.

use glam::{DVec3, dvec3};

use super::rig::{self, cape_point};
use super::weights::{INFLUENCES, shares};

/// Vertices from side to side.
const ACROSS: usize = 9;
/// Vertices down for every joint.
const PER_JOINT: usize = 2;
/// Rows above the first joint, laid over the shoulders.
const COLLAR: usize = 2;
/// Rows in all.
const ROWS: usize = COLLAR + rig::STRAND * PER_JOINT + 1;

/// A sheet: points, normals, triangles and weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Points in the model.
    pub points: Vec<DVec3>,
    /// Unit normals, away from the back.
    pub normals: Vec<DVec3>,
    /// Corner triples, counter-clockwise seen from behind the hero.
    pub triangles: Vec<[u32; 3]>,
    /// Joints and weights per point.
    pub weights: Vec<[(u16, f32); INFLUENCES]>,
}

/// The hanging cape.
pub fn sheet() -> Sheet {
    let places: Vec<(f64, f64)> = (0..ROWS).flat_map(|row| (0..ACROSS).map(move |i| (across(i), down(row)))).collect();
    let points: Vec<DVec3> = places.iter().map(|&(u, v)| point(u, v)).collect();
    let mut sheet = Sheet { weights: places.iter().map(|&(u, v)| carried(u, v)).collect(), ..Sheet::default() };
    sheet.normals = places.iter().map(|&(u, v)| normal(u, v)).collect();
    sheet.points = points;
    for row in 0..ROWS - 1 {
        for i in 0..ACROSS - 1 {
            let a = (row * ACROSS + i) as u32;
            let (b, c, d) = (a + 1, a + ACROSS as u32, a + ACROSS as u32 + 1);
            sheet.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    sheet
}

/// From +1 (left edge) to −1 (right edge).
fn across(i: usize) -> f64 {
    1.0 - 2.0 * i as f64 / (ACROSS - 1) as f64
}

/// Joints below the first one; negative on the shoulders.
fn down(row: usize) -> f64 {
    (row as f64 - COLLAR as f64) / PER_JOINT as f64
}

fn point(u: f64, v: f64) -> DVec3 {
    let row = |v: f64| {
        let i = (v.max(0.0).floor() as usize).min(rig::STRAND - 1);
        let on = |column: usize| cape_point(column, i).lerp(cape_point(column, i + 1), v.max(0.0) - i as f64);
        let (left, middle) = (on(0), on(1));
        // A parabola through the strands, a little wider than they are.
        dvec3(left.x * 1.12 * u, left.y, middle.z + (left.z - middle.z) * 1.2 * u * u)
    };
    let lift = (-v).max(0.0);
    let over = dvec3(0.0, 0.045 * lift.min(1.0) * (1.0 - 0.25 * u * u), (0.06 + 0.02 * u * u) * lift);
    row(v) + over
}

fn normal(u: f64, v: f64) -> DVec3 {
    const STEP: f64 = 0.05;
    let wide = point(u - STEP, v) - point(u + STEP, v);
    let high = point(u, v - STEP) - point(u, v + STEP);
    high.cross(wide).normalize_or(DVec3::NEG_Z) * -1.0
}

/// Two neighbouring strands, and on each the joints above and below.
fn carried(u: f64, v: f64) -> [(u16, f32); INFLUENCES] {
    if v < 0.0 {
        return shares(&[(rig::CHEST, 1.0)]);
    }
    let (column, toward) = if u > 0.0 { (0, 1.0 - u) } else { (1, -u) };
    let (joint, share) = along(v);
    let mut pulls = Vec::new();
    for (column, part) in [(column, 1.0 - toward), (column + 1, toward)] {
        let above = if joint == 0 { rig::CHEST } else { rig::CAPE[column] + joint - 1 };
        pulls.extend([(rig::CAPE[column] + joint, part * share), (above, part * (1.0 - share))]);
    }
    pulls.retain(|&(_, pull)| pull > 1e-6);
    pulls.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    merged(&pulls)
}

/// A joint named twice (the chest, at the top) gets one entry.
fn merged(pulls: &[(usize, f64)]) -> [(u16, f32); INFLUENCES] {
    let mut once: Vec<(usize, f64)> = Vec::new();
    for &(joint, pull) in pulls {
        match once.iter_mut().find(|entry| entry.0 == joint) {
            Some(entry) => entry.1 += pull,
            None => once.push((joint, pull)),
        }
    }
    shares(&once)
}

/// The joint at `v` and its share; the rest belongs to the joint above. Half and half exactly at a joint.
fn along(v: f64) -> (usize, f64) {
    let nearest = v.round().min((rig::STRAND - 1) as f64);
    let share = (0.5 + (v - nearest)).clamp(0.0, 1.0);
    (nearest as usize, share * share * (3.0 - 2.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cape_looks_backwards_and_hangs_on_its_joints() {
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
