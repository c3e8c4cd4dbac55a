//! A tree of boxes over the triangles of a posed surface, for the cursor and the brush.
//!
//! Built once per mesh by halving at the middle triangle along the longest side, and refitted as the surface moves: poses change
//! where triangles are, hardly which are neighbours. Rays meet triangles after Möller and Trumbore, "Fast, Minimum Storage
//! Ray/Triangle Intersection" (1997); both sides count.
//!
//! Not through `obvhs` or `parry3d`, which can refit too: the first answers rays and boxes, so that hits of triangles, distances to
//! them and the boxes of the leaves, most of this file, would stay; the second brings some twenty packages for these two questions.

use glam::{DVec3, Vec3};

/// The tree; the triangles themselves stay with the caller, who hands the same ones to every call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleBvh {
    /// Parents before children; a left child follows its parent.
    nodes: Vec<Node>,
    /// Triangle numbers, those of one leaf side by side.
    order: Vec<u32>,
}

/// Triangles: points, and three indices per face. Faces that name points which are not there do not count.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// Corner points of the triangles; any unit.
    pub positions: &'a [Vec3],
    /// Three per face.
    pub indices: &'a [u32],
}

/// Where a ray meets the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which face, counted from 0.
    pub face: usize,
    /// From the ray's origin, in lengths of its direction.
    pub distance: f32,
    /// How much each corner of the face counts there; sums to 1.
    pub shares: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Bounds,
    /// A leaf's first place in `order`; otherwise the right child.
    next: u32,
    /// Triangles of a leaf; 0 for a node with children.
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

/// Triangles in a leaf: testing a few costs as much as opening another box.
const LEAF: usize = 4;
/// Halving makes a tree of at most 32 levels from any count that fits the indices; each leaves one box to come back to.
const DEEPEST: usize = 34;

impl TriangleBvh {
    /// The tree over `faces`.
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

    /// Adapts the boxes to points that have moved. The faces must be those the tree was built over.
    pub fn refit(&mut self, faces: Faces) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at].bounds = if node.count > 0 {
                self.leaf(&node).iter().fold(Bounds::NOTHING, |bounds, &face| bounds.with(faces, face as usize))
            } else {
                self.nodes[at + 1].bounds.union(self.nodes[node.next as usize].bounds)
            };
        }
    }

    /// The nearest face before `origin` in `direction` (of any length but 0); the lower number where two are equally near.
    pub fn hit(&self, faces: Faces, origin: Vec3, direction: Vec3) -> Option<Hit> {
        // A zero would make 0 · ∞ on the side of a box.
        let inverse = direction.map(|part| if part.abs() < 1e-30 { 1e30_f32.copysign(part) } else { 1.0 / part });
        let mut best: Option<Hit> = None;
        let mut open = Stack::new(self.nodes.len());
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            let farthest = best.map_or(f32::INFINITY, |hit| hit.distance);
            if !node.bounds.is_met(origin, inverse, farthest) {
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
            for hit in self.leaf(node).iter().filter_map(|&face| meet(faces, face as usize, origin, direction)) {
                let is_nearer =
                    |best: Hit| hit.distance < best.distance || (hit.distance == best.distance && hit.face < best.face);
                best = if best.is_none_or(is_nearer) { Some(hit) } else { best };
            }
        }
        best
    }

    /// The corners of faces that lie within `radius` of `center`, each once, with their distances.
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

    /// Calls `visit` with every face of the leaves that `radius` reaches.
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

    fn split(&mut self, range: std::ops::Range<usize>, middles: &[Vec3]) {
        let at = self.nodes.len();
        self.nodes.push(Node { bounds: Bounds::NOTHING, next: range.start as u32, count: range.len() as u32 });
        if range.len() <= LEAF {
            return;
        }
        let part = &mut self.order[range.clone()];
        let around = part.iter().fold(Bounds::NOTHING, |bounds, &face| bounds.include(middles[face as usize]));
        let axis = (around.high - around.low).max_position();
        // Equal places are told apart by number, so that the tree is the same everywhere.
        let place = |face: &u32| middles[*face as usize][axis];
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
        let middle = range.start + half;
        self.split(range.start..middle, middles);
        let right = self.nodes.len() as u32;
        self.split(middle..range.end, middles);
        (self.nodes[at].next, self.nodes[at].count) = (right, 0);
    }

    fn leaf(&self, node: &Node) -> &[u32] {
        &self.order[node.next as usize..(node.next + node.count) as usize]
    }
}

impl Faces<'_> {
    /// What [`TriangleBvh::hit`] finds, by trying every face: for a mesh that is asked once and has moved when it is asked again.
    pub fn hit(self, origin: Vec3, direction: Vec3) -> Option<Hit> {
        let hits = (0..self.count()).filter_map(|face| meet(self, face, origin, direction));
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.face.cmp(&b.face)))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.indices.len() / 3
    }

    /// The points of a face; `None` where it names one that is not there or not finite.
    pub fn corners(&self, face: usize) -> Option<[Vec3; 3]> {
        let corner = |i: usize| {
            let point = *self.positions.get(*self.indices.get(face * 3 + i)? as usize)?;
            point.is_finite().then_some(point)
        };
        Some([corner(0)?, corner(1)?, corner(2)?])
    }

    fn middle(&self, face: usize) -> Vec3 {
        self.corners(face).map_or(Vec3::ZERO, |[a, b, c]| (a + b + c) / 3.0)
    }
}

impl Bounds {
    const NOTHING: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

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

    fn is_met(&self, origin: Vec3, inverse: Vec3, farthest: f32) -> bool {
        let (a, b) = ((self.low - origin) * inverse, (self.high - origin) * inverse);
        let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
        enter.max(0.0) <= leave * SLACK && enter <= farthest * SLACK
    }
}

/// Widens a box by the rounding of what is computed from its sides, so that nothing touching them is lost.
const SLACK: f32 = 1.0 + 8.0 * f32::EPSILON;

/// In double precision: a sliver seen from its side would otherwise be met beside itself, outside its own box.
fn meet(faces: Faces, face: usize, origin: Vec3, direction: Vec3) -> Option<Hit> {
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

/// Boxes still to be opened.
struct Stack {
    nodes: [usize; DEEPEST],
    len: usize,
}

impl Stack {
    fn new(nodes: usize) -> Self {
        Self { nodes: [0; DEEPEST], len: usize::from(nodes > 0) }
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
        fn the_tree_finds_what_trying_every_face_finds(
            positions in soup(), moved in soup(), origin in point(), direction in point()
        ) {
            let indices = numbered(&positions);
            let faces = Faces { positions: &positions, indices: &indices };
            let mut tree = TriangleBvh::build(faces);
            prop_assert_eq!(tree.hit(faces, origin, direction), faces.hit(origin, direction));

            let elsewhere: Vec<Vec3> = (0..positions.len()).map(|i| moved[i % moved.len()] * 1.5).collect();
            let faces = Faces { positions: &elsewhere, indices: &indices };
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
    fn a_hit_tells_the_place_on_the_face() {
        let positions = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0];
        let faces = Faces { positions: &positions, indices: &[0, 1, 2] };
        let hit = TriangleBvh::build(faces).hit(faces, Vec3::new(0.5, 1.0, 3.0), Vec3::NEG_Z).unwrap();
        assert_eq!((hit.face, hit.distance), (0, 3.0));
        assert!(hit.shares.abs_diff_eq(Vec3::new(0.25, 0.25, 0.5), 1e-6), "{}", hit.shares);
        let behind = TriangleBvh::build(faces).hit(faces, Vec3::new(0.5, 1.0, 3.0), Vec3::Z);
        assert_eq!(behind, None);
    }

    #[test]
    fn a_ray_along_the_side_of_a_flat_box_is_not_lost() {
        let positions = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0)];
        let faces = Faces { positions: &positions, indices: &[0, 1, 2] };
        let tree = TriangleBvh::build(faces);
        assert!(tree.hit(faces, Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y).is_some());
        assert!(tree.hit(faces, Vec3::new(-1.0, 5.0, -1.0), Vec3::NEG_Y).is_some(), "through a corner");
    }

    #[test]
    fn broken_faces_are_passed_over() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(f32::NAN)];
        let faces = Faces { positions: &positions, indices: &[0, 1, 9, 0, 1, 3, 0, 0, 0, 0, 1, 2, 7] };
        let tree = TriangleBvh::build(faces);
        assert_eq!(tree.hit(faces, Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).map(|hit| hit.face), Some(3));
        let nothing = Faces { positions: &[], indices: &[] };
        assert_eq!(TriangleBvh::build(nothing).hit(nothing, Vec3::ZERO, Vec3::X), None);
    }
}
