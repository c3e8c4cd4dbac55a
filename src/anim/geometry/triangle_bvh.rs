//! A bounding volume hierarchy over the triangles of a posed surface, for the cursor and the brush.
//!
//! The tree is built once per mesh by splitting at the median triangle along the longest axis, and refitted as the surface
//! moves. Poses move triangles but hardly change which are close to each other. Rays are intersected after Möller and
//! Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997); both sides count.
//!
//! The crates `obvhs` and `parry3d` can refit too. The first covers rays and boxes only, so that triangle hits,
//! distances and leaf boxes, most of this file, would remain; the second adds some twenty packages.

use glam::{DVec3, Vec3};

/// The tree. It does not store the triangles; every call must pass the same ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleBvh {
    /// Nodes, parents before children; a left child directly follows its parent.
    nodes: Vec<Node>,
    /// Triangle indices, those of one leaf adjacent.
    order: Vec<u32>,
}

/// Triangles as points and three indices per face. Faces with missing or non-finite points are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// Corner points of the triangles; any unit.
    pub positions: &'a [Vec3],
    /// Three indices per face.
    pub indices: &'a [u32],
}

/// The intersection of a ray with the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the face.
    pub face: usize,
    /// Distance from the ray's origin, in lengths of its direction.
    pub distance: f32,
    /// Barycentric coordinates of the point; they sum to 1.
    pub shares: Vec3,
}

/// A node of the tree: a leaf with triangles, or a node with two children.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Bounds,
    /// First index of a leaf in `order`; otherwise the right child.
    next: u32,
    /// Number of triangles of a leaf; 0 for a node with children.
    count: u32,
}

/// An axis-aligned box; empty if `low` exceeds `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

/// Maximum triangles per leaf: testing a few costs as much as opening another box.
const MAX_LEAF_FACES: usize = 4;
/// Capacity of the traversal stack. Median splits give at most 32 levels, and each level leaves one box to visit
/// later.
const STACK_CAPACITY: usize = 34;

impl TriangleBvh {
    /// Builds the tree over `faces`.
    pub fn build(faces: Faces) -> Self {
        let order = (0..faces.count() as u32).filter(|&face| faces.corners(face as usize).is_some()).collect();
        let mut tree = Self { nodes: Vec::new(), order };
        let middles: Vec<Vec3> = (0..faces.count()).map(|face| faces.middle(face)).collect();
        if !tree.order.is_empty() {
            tree.split(0..tree.order.len(), &middles);
        }
        tree.refit(faces);
        tree
    }

    /// Updates the boxes after points have moved. `faces` must be those of the build.
    pub fn refit(&mut self, faces: Faces) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at].bounds = if node.count > 0 {
                self.leaf(&node).iter().fold(Bounds::EMPTY, |bounds, &face| bounds.with(faces, face as usize))
            } else {
                self.nodes[at + 1].bounds.union(self.nodes[node.next as usize].bounds)
            };
        }
    }

    /// Returns the nearest face from `origin` in `direction` (any length but 0); of equally near ones that with the lower
    /// index. Returns `None` if the ray hits nothing.
    pub fn hit(&self, faces: Faces, origin: Vec3, direction: Vec3) -> Option<Hit> {
        // A zero would give 0 · ∞ at the side of a box.
        let inverse = direction.map(|part| if part.abs() < 1e-30 { 1e30_f32.copysign(part) } else { 1.0 / part });
        let mut best: Option<Hit> = None;
        let mut open = Stack::new(self.nodes.len());
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            let farthest = best.map_or(f32::INFINITY, |hit| hit.distance);
            if !node.bounds.is_hit_by(origin, inverse, farthest) {
                continue;
            }
            if node.count == 0 {
                let (left, right) = (at + 1, node.next as usize);
                let ahead = |at: usize| self.nodes[at].bounds.middle().dot(direction);
                let (near, far) = if ahead(left) <= ahead(right) { (left, right) } else { (right, left) };
                open.push(far);
                open.push(near);
                continue;
            }
            for hit in self.leaf(node).iter().filter_map(|&face| intersect(faces, face as usize, origin, direction)) {
                let is_nearer =
                    |best: Hit| hit.distance < best.distance || (hit.distance == best.distance && hit.face < best.face);
                best = if best.is_none_or(is_nearer) { Some(hit) } else { best };
            }
        }
        best
    }

    /// Returns the corners of faces within the straight distance `radius` of `center`, each once: the vertex index and the
    /// distance.
    pub fn points_near(&self, faces: Faces, center: Vec3, radius: f32) -> Vec<(u32, f32)> {
        let (mut seen, mut points) = (vec![false; faces.positions.len()], Vec::new());
        self.leaves_near(center, radius, |face| {
            for &corner in &faces.indices[3 * face..3 * face + 3] {
                if std::mem::replace(&mut seen[corner as usize], true) {
                    continue;
                }
                let distance = faces.positions[corner as usize].distance(center);
                if distance <= radius {
                    points.push((corner, distance));
                }
            }
        });
        points
    }

    /// Calls `visit` with every face of the leaves whose boxes are within `radius` of `center`. The faces themselves may be
    /// farther.
    fn leaves_near(&self, center: Vec3, radius: f32, mut visit: impl FnMut(usize)) {
        let mut open = Stack::new(self.nodes.len());
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            let nearest = center.clamp(node.bounds.low, node.bounds.high.max(node.bounds.low));
            if nearest.distance(center) > radius * SLACK {
                continue;
            }
            if node.count == 0 {
                open.push(node.next as usize);
                open.push(at + 1);
                continue;
            }
            self.leaf(node).iter().for_each(|&face| visit(face as usize));
        }
    }

    /// Appends the nodes of the triangles `order[range]`, and reorders that range. `middles` are the centres of all faces. The
    /// boxes stay empty until [`TriangleBvh::refit`].
    fn split(&mut self, range: std::ops::Range<usize>, middles: &[Vec3]) {
        let at = self.nodes.len();
        self.nodes.push(Node { bounds: Bounds::EMPTY, next: range.start as u32, count: range.len() as u32 });
        if range.len() <= MAX_LEAF_FACES {
            return;
        }
        let part = &mut self.order[range.clone()];
        let bounds_of_part = part.iter().fold(Bounds::EMPTY, |bounds, &face| bounds.include(middles[face as usize]));
        let axis = (bounds_of_part.high - bounds_of_part.low).max_position();
        // Ties are broken by index, so that the tree is the same everywhere.
        let coordinate = |face: &u32| middles[*face as usize][axis];
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |a, b| coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b)));
        let middle = range.start + half;
        self.split(range.start..middle, middles);
        let right = self.nodes.len() as u32;
        self.split(middle..range.end, middles);
        (self.nodes[at].next, self.nodes[at].count) = (right, 0);
    }

    /// Returns the faces of a leaf.
    fn leaf(&self, node: &Node) -> &[u32] {
        &self.order[node.next as usize..(node.next + node.count) as usize]
    }
}

impl Faces<'_> {
    /// Returns the result of [`TriangleBvh::hit`] by testing every face; faster for a single query on a mesh that
    /// moves in between.
    pub fn hit(self, origin: Vec3, direction: Vec3) -> Option<Hit> {
        let hits = (0..self.count()).filter_map(|face| intersect(self, face, origin, direction));
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.face.cmp(&b.face)))
    }

    /// Returns the number of faces.
    pub fn count(&self) -> usize {
        self.indices.len() / 3
    }

    /// Returns the three points of face `face`; `None` if one is missing or not finite.
    pub fn corners(&self, face: usize) -> Option<[Vec3; 3]> {
        let corner = |i: usize| {
            let point = *self.positions.get(*self.indices.get(face * 3 + i)? as usize)?;
            point.is_finite().then_some(point)
        };
        Some([corner(0)?, corner(1)?, corner(2)?])
    }

    /// Returns the centroid of a face; zero if a point is missing or not finite.
    fn middle(&self, face: usize) -> Vec3 {
        self.corners(face).map_or(Vec3::ZERO, |[a, b, c]| (a + b + c) / 3.0)
    }
}

impl Bounds {
    const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn include(self, point: Vec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    fn with(self, faces: Faces, face: usize) -> Self {
        faces.corners(face).map_or(self, |corners| corners.into_iter().fold(self, Self::include))
    }

    fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn middle(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// True if the ray enters the box at most `farthest` lengths of its direction away. `inverse` is 1/direction per axis.
    fn is_hit_by(&self, origin: Vec3, inverse: Vec3, farthest: f32) -> bool {
        let (a, b) = ((self.low - origin) * inverse, (self.high - origin) * inverse);
        let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
        enter.max(0.0) <= leave * SLACK && enter <= farthest * SLACK
    }
}

/// Factor that widens boxes by the rounding of values computed from their sides, so that no touching object is
/// missed.
const SLACK: f32 = 1.0 + 8.0 * f32::EPSILON;

/// Intersects a ray with a face; `None` if it misses the face, or the face is behind `origin` or edge-on. Computes in double
/// precision: in single precision a sliver seen edge-on could be hit outside its own box.
fn intersect(faces: Faces, face: usize, origin: Vec3, direction: Vec3) -> Option<Hit> {
    let [a, b, c] = faces.corners(face)?.map(|corner| corner.as_dvec3());
    let (origin, direction) = (origin.as_dvec3(), direction.as_dvec3());
    let (to_b, to_c) = (b - a, c - a);
    let across = direction.cross(to_c);
    let volume = to_b.dot(across);
    if volume == 0.0 {
        return None;
    }
    let from_a = origin - a;
    let second = from_a.dot(across) / volume;
    let turned = from_a.cross(to_b);
    let third = direction.dot(turned) / volume;
    let distance = to_c.dot(turned) / volume;
    let is_inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0 && distance >= 0.0;
    let shares = DVec3::new(1.0 - second - third, second, third).as_vec3();
    (is_inside && distance.is_finite()).then_some(Hit { face, distance: distance as f32, shares })
}

/// The stack of nodes to visit.
struct Stack {
    nodes: [usize; STACK_CAPACITY],
    len: usize,
}

impl Stack {
    /// Creates a stack that holds the root, or nothing if the tree has no nodes.
    fn new(nodes: usize) -> Self {
        Self { nodes: [0; STACK_CAPACITY], len: usize::from(nodes > 0) }
    }

    fn push(&mut self, node: usize) {
        self.nodes[self.len] = node;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<usize> {
        self.len = self.len.checked_sub(1)?;
        Some(self.nodes[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-4.0_f32..4.0).prop_map(Vec3::from_array)
    }

    fn soup() -> impl Strategy<Value = Vec<Vec3>> {
        prop::collection::vec((point(), point(), point()), 1..80)
            .prop_map(|faces| faces.into_iter().flat_map(|(at, b, c)| [at, at + b * 0.2, at + c * 0.2]).collect())
    }

    fn numbered(positions: &[Vec3]) -> Vec<u32> {
        (0..positions.len() as u32).collect()
    }

    proptest! {
        #[test]
        fn the_tree_finds_the_same_hits_as_testing_every_face(
            positions in soup(), moved in soup(), origin in point(), direction in point()
        ) {
            let indices = numbered(&positions);
            let faces = Faces { positions: &positions, indices: &indices };
            let mut tree = TriangleBvh::build(faces);
            prop_assert_eq!(tree.hit(faces, origin, direction), faces.hit(origin, direction));

            let moved_positions: Vec<Vec3> = (0..positions.len()).map(|i| moved[i % moved.len()] * 1.5).collect();
            let faces = Faces { positions: &moved_positions, indices: &indices };
            tree.refit(faces);
            prop_assert_eq!(tree.hit(faces, origin, direction), faces.hit(origin, direction));
        }

        #[test]
        fn a_brush_reaches_every_corner_in_its_radius_once(positions in soup(), center in point(), radius in 0.0_f32..3.0) {
            let indices = numbered(&positions);
            let faces = Faces { positions: &positions, indices: &indices };
            let mut found = TriangleBvh::build(faces).points_near(faces, center, radius);
            found.sort_by_key(|point| point.0);
            let all = indices[..3 * faces.count()].iter().map(|&corner| (corner, positions[corner as usize].distance(center)));
            prop_assert_eq!(found, all.filter(|point| point.1 <= radius).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_hit_includes_barycentric_coordinates() {
        let positions = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0];
        let faces = Faces { positions: &positions, indices: &[0, 1, 2] };
        let hit = TriangleBvh::build(faces).hit(faces, Vec3::new(0.5, 1.0, 3.0), Vec3::NEG_Z).unwrap();
        assert_eq!((hit.face, hit.distance), (0, 3.0));
        assert!(hit.shares.abs_diff_eq(Vec3::new(0.25, 0.25, 0.5), 1e-6), "{}", hit.shares);
        let behind = TriangleBvh::build(faces).hit(faces, Vec3::new(0.5, 1.0, 3.0), Vec3::Z);
        assert_eq!(behind, None);
    }

    #[test]
    fn a_ray_along_the_side_of_a_flat_box_hits() {
        let positions = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0)];
        let faces = Faces { positions: &positions, indices: &[0, 1, 2] };
        let tree = TriangleBvh::build(faces);
        assert!(tree.hit(faces, Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y).is_some());
        assert!(tree.hit(faces, Vec3::new(-1.0, 5.0, -1.0), Vec3::NEG_Y).is_some(), "through a corner");
    }

    #[test]
    fn invalid_faces_are_skipped() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(f32::NAN)];
        let faces = Faces { positions: &positions, indices: &[0, 1, 9, 0, 1, 3, 0, 0, 0, 0, 1, 2, 7] };
        let tree = TriangleBvh::build(faces);
        assert_eq!(tree.hit(faces, Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).map(|hit| hit.face), Some(3));
        let nothing = Faces { positions: &[], indices: &[] };
        assert_eq!(TriangleBvh::build(nothing).hit(nothing, Vec3::ZERO, Vec3::X), None);
    }
}
