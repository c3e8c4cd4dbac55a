//! Delaunay triangulation of a few points: a sweep, then edge flips until no circumcircle contains a fourth point (Lawson, 1977).

use glam::DVec2;

/// A position in the plane of two parameters.
pub type Point = DVec2;

/// Indices of three points, counter-clockwise.
pub(super) type Triangle = [usize; 3];

/// Returns twice the signed area of a triangle; positive if it is counter-clockwise.
pub(super) fn doubled_area(a: Point, b: Point, c: Point) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Returns the triangles of `points`, which must be distinct; empty if all are on a line.
///
/// The diagonal of four points on a circle depends on their coordinates only and not on their order in the list.
pub(super) fn triangulate(points: &[Point]) -> Vec<Triangle> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].x.total_cmp(&points[b].x).then(points[a].y.total_cmp(&points[b].y)));
    let mut triangles = sweep(points, &order);
    // Each flip enlarges the smallest angles. The limit stops cycles that rounding could cause.
    for _ in 0..points.len() * points.len() {
        let Some(flipped) = flip(points, &triangles) else { break };
        triangles = flipped;
    }
    triangles
}

/// True if the area of a triangle is negligible compared with the squared lengths of its sides.
fn is_flat(points: &[Point], [a, b, c]: Triangle) -> bool {
    let [ab, ac] = [b, c].map(|corner| points[corner] - points[a]);
    ab.perp_dot(ac).abs() <= 1e-12 * (ab.length_squared() + ac.length_squared())
}

/// Returns an initial triangulation: points in order of x, each connected to all hull edges that it can see.
fn sweep(points: &[Point], order: &[usize]) -> Vec<Triangle> {
    let mut triangles: Vec<Triangle> = Vec::new();
    let counter_clockwise =
        |[a, b, c]: Triangle| if doubled_area(points[a], points[b], points[c]) < 0.0 { [a, c, b] } else { [a, b, c] };
    // Points on a common line form a chain without visible edges.
    let Some(first) = (2..order.len()).find(|&next| !is_flat(points, [order[0], order[next - 1], order[next]])) else {
        return triangles;
    };
    for pair in order[..first].windows(2) {
        triangles.push(counter_clockwise([pair[0], pair[1], order[first]]));
    }
    for &next in &order[first + 1..] {
        let visible_edges: Vec<[usize; 2]> = hull(&triangles)
            .into_iter()
            .filter(|&[a, b]| !is_flat(points, [a, b, next]) && doubled_area(points[a], points[b], points[next]) < 0.0)
            .collect();
        triangles.extend(visible_edges.into_iter().map(|[a, b]| [b, a, next]));
    }
    triangles
}

/// Returns the edges that belong to a single triangle, with the inside on their left.
pub(super) fn hull(triangles: &[Triangle]) -> Vec<[usize; 2]> {
    let edges = || triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    edges().filter(|&[a, b]| !edges().any(|other| other == [b, a])).collect()
}

/// Returns the triangles with one edge flipped, or `None` if all triangles satisfy the circumcircle condition.
fn flip(points: &[Point], triangles: &[Triangle]) -> Option<Vec<Triangle>> {
    for (i, &[a, b, c]) in triangles.iter().enumerate() {
        for [from, to, corner] in [[a, b, c], [b, c, a], [c, a, b]] {
            let across = |&[p, q, r]: &Triangle| {
                [[p, q, r], [q, r, p], [r, p, q]]
                    .into_iter()
                    .find_map(|[s, t, far]| ([s, t] == [to, from]).then_some(far))
            };
            let Some((j, far)) = triangles.iter().enumerate().find_map(|(j, other)| Some((j, across(other)?))) else {
                continue;
            };
            if circumcircle_contains(points, [from, to, corner], far) {
                let mut flipped = triangles.to_vec();
                (flipped[i], flipped[j]) = ([corner, from, far], [far, to, corner]);
                return Some(flipped);
            }
        }
    }
    None
}

/// True if the circumcircle of a triangle contains point `far`, by more than rounding.
fn circumcircle_contains(points: &[Point], triangle: Triangle, far: usize) -> bool {
    let [a, b, c] = triangle.map(|corner| points[corner] - points[far]);
    let lifted =
        a.length_squared() * b.perp_dot(c) + b.length_squared() * c.perp_dot(a) + c.length_squared() * a.perp_dot(b);
    let size = a.length_squared().max(b.length_squared()).max(c.length_squared());
    lifted > 1e-12 * size * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::random::SplitMix64;

    fn area(points: &[Point], triangles: &[Triangle]) -> f64 {
        triangles.iter().map(|&[a, b, c]| 0.5 * doubled_area(points[a], points[b], points[c])).sum()
    }

    #[test]
    fn a_grid_is_covered_once_without_flat_triangles() {
        let points: Vec<Point> = (0..20).map(|i| Point::new(f64::from(i % 5), f64::from(i / 5))).collect();
        let triangles = triangulate(&points);
        assert_eq!(triangles.len(), 2 * 4 * 3);
        assert!((area(&points, &triangles) - 12.0).abs() < 1e-12);
        assert!(triangles.iter().all(|&[a, b, c]| doubled_area(points[a], points[b], points[c]) > 0.5));
    }

    #[test]
    fn no_circumcircle_contains_another_point() {
        let mut random = SplitMix64::new(5);
        for count in 3..24 {
            let points: Vec<Point> = (0..count).map(|_| Point::new(random.unit(), random.unit())).collect();
            let triangles = triangulate(&points);
            for &triangle in &triangles {
                assert!(
                    (0..count).all(|far| triangle.contains(&far) || !circumcircle_contains(&points, triangle, far)),
                    "{count}"
                );
            }
            let hull = hull(&triangles);
            // Euler: a triangulation of n points, h of them on the hull, has 2n − h − 2 triangles.
            assert_eq!(triangles.len(), 2 * count - hull.len() - 2);
        }
    }

    #[test]
    fn points_on_a_line_have_no_triangles_and_the_order_of_the_list_does_not_matter() {
        let line: Vec<Point> = (0..5).map(|i| Point::new(f64::from(i), 0.3 * f64::from(i))).collect();
        assert!(triangulate(&line).is_empty());
        let square = [Point::ZERO, Point::X, Point::Y, Point::ONE];
        let turned = [3, 1, 0, 2].map(|i| square[i]);
        let corners = |points: &[Point]| {
            let mut all: Vec<Vec<(u64, u64)>> = Vec::new();
            for triangle in triangulate(points) {
                let mut each = triangle.map(|corner| (points[corner].x.to_bits(), points[corner].y.to_bits())).to_vec();
                each.sort_unstable();
                all.push(each);
            }
            all.sort();
            all
        };
        assert_eq!(corners(&square), corners(&turned));
    }
}
