//! Creases: sharp edges and borders of a surface, drawn as lines to separate walls of one colour.

use std::collections::HashMap;

use glam::Vec3;

/// Cosine of the smallest angle between two faces that form a visible edge (25°). Tuned; no derivation recorded.
const CREASE_MAX_COSINE: f32 = 0.906;

/// Distance that means "no edge"; larger than any real distance.
pub const NO_EDGE: f32 = 1e6;

/// Returns four numbers per triangle corner (three corners each), in the corners' unit. The first three are the corner's
/// distances to the three sides that are edges, or [`NO_EDGE`] for a side that is not one. The fourth is the triangle's
/// smallest height.
///
/// The numbers interpolate linearly, so every point within the triangle gets its distance to each edge.
pub(crate) fn creases(corners: &[Vec3]) -> Vec<[f32; 4]> {
    let triangles = corners.as_chunks::<3>().0;
    let meeting = faces_at_sides(triangles);
    let of = |triangle: &[Vec3; 3]| {
        let heights = [0, 1, 2].map(|corner| height(triangle, corner));
        let least = heights.into_iter().fold(NO_EDGE, f32::min);
        let away = [0, 1, 2].map(|side| {
            let is_edge = meeting.get(&side_of(triangle, side)).is_none_or(|faces| is_crease(faces));
            move |corner: usize| match (is_edge, corner == side) {
                (false, _) => NO_EDGE,
                (true, true) => heights[side],
                (true, false) => 0.0,
            }
        });
        [0, 1, 2].map(|corner| [away[0](corner), away[1](corner), away[2](corner), least])
    };
    triangles.iter().flat_map(of).collect()
}

/// The two end points of a side as bits, sorted, so that both directions are equal.
type Side = [[u32; 3]; 2];

/// Returns the unit normals of all faces at each side.
fn faces_at_sides(triangles: &[[Vec3; 3]]) -> HashMap<Side, Vec<Vec3>> {
    let mut meeting: HashMap<Side, Vec<Vec3>> = HashMap::with_capacity(2 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = *triangle;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        // Faces without area are ignored.
        if normal == Vec3::ZERO {
            continue;
        }
        (0..3).for_each(|side| meeting.entry(side_of(triangle, side)).or_default().push(normal));
    }
    meeting
}

/// Returns the sorted end points of the side opposite corner `side`.
fn side_of(triangle: &[Vec3; 3], side: usize) -> Side {
    // Adding zero turns −0 into 0.
    let bits = |corner: usize| (triangle[corner % 3] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut ends = [bits(side + 1), bits(side + 2)];
    ends.sort_unstable();
    ends
}

/// True if the faces at a side, given by their unit normals, form a visible edge: a border, a sharp angle, or more than two
/// faces.
fn is_crease(faces: &[Vec3]) -> bool {
    match faces {
        [one, other] => one.dot(*other) < CREASE_MAX_COSINE,
        _ => true,
    }
}

/// Returns the distance of `corner` from the line through the opposite side; 0 if that has no length.
fn height(triangle: &[Vec3; 3], corner: usize) -> f32 {
    let [from, to] = [1, 2].map(|step| triangle[(corner + step) % 3]);
    let side = to - from;
    let area = side.cross(triangle[corner] - from).length();
    if side.length() > 0.0 { area / side.length() } else { 0.0 }
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
        assert_eq!(first[1][1], NO_EDGE, "the diagonal lies opposite to the second corner");
        assert_eq!(second[2][2], NO_EDGE);
        assert_eq!((first[0][0], first[1][0], first[2][0]), (1.0, 0.0, 0.0), "the corner's side is an edge");
        assert_eq!(first[2][2], 1.0, "and so is the lower rim");
        assert!((first[0][3] - 0.5_f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_gentle_bend_is_no_crease_and_faces_without_area_are_ignored() {
        let ridge = [Vec3::ZERO, Vec3::Z];
        let [left, right] = [-1.0, 1.0].map(|x| Vec3::new(x, -0.1, 0.0));
        let bend = [ridge[0], ridge[1], right, ridge[1], ridge[0], left, ridge[0], ridge[0], ridge[1]];
        let away = creases(&bend);
        assert_eq!(away[2][2], NO_EDGE);
        let slope = 1.0_f32.hypot(0.1);
        assert!((away[0][0] - slope / 1.0_f32.hypot(slope)).abs() < 1e-5, "its rim is one");
    }
}
