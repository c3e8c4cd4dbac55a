//! Edges at which a surface breaks off or ends: what parts one grey wall from the next.

use std::collections::HashMap;

use glam::Vec3;

/// Faces that turn by more than this, as the cosine of the angle between them (25°), meet in an edge that is seen.
const SHARP: f32 = 0.906;

/// What is further away than any edge.
pub const NOWHERE: f32 = 1e6;

/// For each corner of triangles (three corners each) how far it is from the sides that are edges, the side opposite to each corner,
/// in the corners' unit; [`NOWHERE`] from a side that does not exist. The fourth number is the triangle's least height.
///
/// Between the corners these numbers run straight, so that every point within knows how far away an edge is.
pub(super) fn creases(corners: &[Vec3]) -> Vec<[f32; 4]> {
    let triangles = corners.as_chunks::<3>().0;
    let meeting = faces_at_sides(triangles);
    let of = |triangle: &[Vec3; 3]| {
        let heights = [0, 1, 2].map(|corner| height(triangle, corner));
        let least = heights.into_iter().fold(NOWHERE, f32::min);
        let away = [0, 1, 2].map(|side| {
            let is_edge = meeting.get(&side_of(triangle, side)).is_none_or(|faces| is_seen(faces));
            move |corner: usize| match (is_edge, corner == side) {
                (false, _) => NOWHERE,
                (true, true) => heights[side],
                (true, false) => 0.0,
            }
        });
        [0, 1, 2].map(|corner| [away[0](corner), away[1](corner), away[2](corner), least])
    };
    triangles.iter().flat_map(of).collect()
}

/// A side by its two ends, whichever way it is gone along.
type Side = [[u32; 3]; 2];

/// The unit normals of all faces at each side.
fn faces_at_sides(triangles: &[[Vec3; 3]]) -> HashMap<Side, Vec<Vec3>> {
    let mut meeting: HashMap<Side, Vec<Vec3>> = HashMap::with_capacity(2 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = *triangle;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        // A face without area lies in none of its neighbours' way.
        if normal == Vec3::ZERO {
            continue;
        }
        (0..3).for_each(|side| meeting.entry(side_of(triangle, side)).or_default().push(normal));
    }
    meeting
}

fn side_of(triangle: &[Vec3; 3], side: usize) -> Side {
    // Adding zero makes −0 the same as 0.
    let bits = |corner: usize| (triangle[corner % 3] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut ends = [bits(side + 1), bits(side + 2)];
    ends.sort_unstable();
    ends
}

fn is_seen(faces: &[Vec3]) -> bool {
    match faces {
        [one, other] => one.dot(*other) < SHARP,
        _ => true,
    }
}

/// How far `corner` is from the side opposite to it.
fn height(triangle: &[Vec3; 3], corner: usize) -> f32 {
    let [from, to] = [1, 2].map(|step| triangle[(corner + step) % 3]);
    let way = to - from;
    let area = way.cross(triangle[corner] - from).length();
    if way.length() > 0.0 { area / way.length() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seam_of_a_flat_wall_is_no_edge_but_its_rim_and_its_corner_are() {
        let (a, b, c, d) = (Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y);
        let e = Vec3::new(1.0, 0.0, 1.0);
        // A square wall of two triangles, and one more around the corner at its right side.
        let away = creases(&[a, b, c, a, c, d, b, e, c]);
        let [first, second] = [&away[..3], &away[3..6]];
        assert_eq!(first[1][1], NOWHERE, "the diagonal lies opposite to the second corner");
        assert_eq!(second[2][2], NOWHERE);
        assert_eq!((first[0][0], first[1][0], first[2][0]), (1.0, 0.0, 0.0), "the corner's side is an edge");
        assert_eq!(first[2][2], 1.0, "and so is the lower rim");
        assert!((first[0][3] - 0.5_f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_gentle_bend_shows_no_edge_and_faces_without_area_do_not_count() {
        let ridge = [Vec3::ZERO, Vec3::Z];
        let [left, right] = [-1.0, 1.0].map(|x| Vec3::new(x, -0.1, 0.0));
        let bend = [ridge[0], ridge[1], right, ridge[1], ridge[0], left, ridge[0], ridge[0], ridge[1]];
        let away = creases(&bend);
        assert_eq!(away[2][2], NOWHERE);
        let slope = 1.0_f32.hypot(0.1);
        assert!((away[0][0] - slope / 1.0_f32.hypot(slope)).abs() < 1e-5, "its rim is one");
    }
}
