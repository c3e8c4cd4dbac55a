//! Seeded levels whose edges follow from the construction.

use glam::{DVec2, DVec3, dvec2};

use portamento_anim::geometry::Level;
use portamento_anim::math::random::SplitMix64;

/// Side of a tile with one object, metres: no object has a gap to the next.
const TILE_M: f64 = 20.0;
/// Tiles along each side.
const TILES: i32 = 3;
/// Smallest height of an edge, metres.
const MIN_HEIGHT_M: f64 = super::super::EDGE_MIN_HEIGHT_M;

/// An edge by construction.
pub struct TrueEdge {
    pub ends: [DVec3; 2],
    pub front: DVec2,
    /// Height over the ground in front at both ends; `None` without ground.
    pub heights: Option<[f64; 2]>,
    /// Distance to the far edge of the obstacle, if it is the same along the edge.
    pub depth: Option<f64>,
}

/// A gap by construction, in one direction.
pub struct TrueGap {
    pub near: [DVec3; 2],
    pub far: [DVec3; 2],
}

/// A level under construction.
pub struct Generated {
    points: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    pub edges: Vec<TrueEdge>,
    pub gaps: Vec<TrueGap>,
    /// Gradient of the ground.
    tilt: DVec2,
    random: SplitMix64,
}

/// A turned rectangle, or the frame of an object.
#[derive(Clone, Copy)]
struct Frame {
    middle: DVec2,
    yaw: f64,
}

impl Frame {
    fn at(&self, x: f64, z: f64) -> DVec2 {
        self.middle + DVec2::from_angle(self.yaw).rotate(dvec2(x, z))
    }

    fn rectangle(&self, half: DVec2) -> Vec<DVec2> {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| self.at(x * half.x, z * half.y)).to_vec()
    }
}

impl Generated {
    /// Returns the level of a seed: nine objects of all kinds on level or tilted ground.
    pub fn new(seed: u64) -> Self {
        let mut level = Self {
            points: Vec::new(),
            faces: Vec::new(),
            edges: Vec::new(),
            gaps: Vec::new(),
            tilt: DVec2::ZERO,
            random: SplitMix64::new(seed),
        };
        if !seed.is_multiple_of(3) {
            level.tilt = dvec2(level.between(-0.08, 0.08), level.between(-0.08, 0.08));
        }
        for index in 0..TILES * TILES {
            let middle = dvec2(f64::from(index % TILES), f64::from(index / TILES)) * TILE_M;
            let frame = Frame { middle, yaw: level.between(0.0, std::f64::consts::TAU) };
            level.object(index, frame);
        }
        let (low, high) = (-0.5 * TILE_M, (f64::from(TILES) - 0.5) * TILE_M);
        let corners = [dvec2(low, low), dvec2(high, low), dvec2(high, high), dvec2(low, high)];
        for side in 0..4 {
            let [a, b] = [corners[side], corners[(side + 1) % 4]];
            let ends = [a, b].map(|at| level.on_ground(at));
            level.edges.push(TrueEdge { ends, front: -(b - a).normalize().perp(), heights: None, depth: None });
        }
        level
    }

    /// Returns the triangles.
    pub fn level(&self) -> Level {
        let points = self.points.iter().map(|point| point.as_vec3()).collect();
        Level::of_mesh("generated", points, self.faces.iter().copied())
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random.unit()
    }

    fn ground(&self, at: DVec2) -> f64 {
        self.tilt.dot(at)
    }

    fn on_ground(&self, at: DVec2) -> DVec3 {
        DVec3::new(at.x, self.ground(at), at.y)
    }

    fn object(&mut self, kind: i32, frame: Frame) {
        if kind % 5 == 2 {
            return self.ditch(frame);
        }
        let half = 0.5 * TILE_M;
        let tile = Frame { yaw: 0.0, ..frame }.rectangle(DVec2::splat(half));
        let corners: Vec<DVec3> = tile.iter().map(|at| self.on_ground(*at)).collect();
        self.face(&corners, DVec3::Y);
        match kind % 5 {
            0 => self.wall(frame),
            1 => self.curve(frame),
            3 => self.pierced(frame),
            _ => self.cut_into_a_ramp(frame),
        }
    }

    /// Appends a convex polygon whose front looks towards `outward`.
    fn face(&mut self, corners: &[DVec3], outward: DVec3) {
        let first = self.points.len() as u32;
        self.points.extend_from_slice(corners);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        for next in 1..corners.len() as u32 - 1 {
            let [b, c] = if normal.dot(outward) > 0.0 { [next, next + 1] } else { [next + 1, next] };
            self.faces.push([first, first + b, first + c]);
        }
    }

    /// Appends an upright solid over a convex outline, which widens downwards by `lean` metres per metre.
    fn solid(&mut self, outline: &[DVec2], top: impl Fn(DVec2) -> f64, bottom: f64, lean: f64) {
        let count = outline.len();
        let middle = outline.iter().sum::<DVec2>() / count as f64;
        let raised: Vec<DVec3> = outline.iter().map(|at| DVec3::new(at.x, top(*at), at.y)).collect();
        let foot = |corner: usize| {
            let [before, here, after] = [count - 1, 0, 1].map(|step| outline[(corner + step) % count]);
            let out = |a: DVec2, b: DVec2| {
                let across = (b - a).normalize().perp();
                across * (a - middle).dot(across).signum()
            };
            let [n, m] = [out(before, here), out(here, after)];
            let depth = raised[corner].y - bottom;
            // The corner moves so that both sides move out by the lean.
            let offset = (n + m) / (1.0 + n.dot(m)) * lean * depth;
            DVec3::new(here.x + offset.x, bottom, here.y + offset.y)
        };
        let feet: Vec<DVec3> = (0..count).map(foot).collect();
        self.face(&raised, DVec3::Y);
        self.face(&feet, DVec3::NEG_Y);
        for side in 0..count {
            let next = (side + 1) % count;
            let corners = [raised[side], raised[next], feet[next], feet[side]];
            let out = 0.5 * (outline[side] + outline[next]) - middle;
            self.face(&corners, DVec3::new(out.x, 0.0, out.y));
        }
    }

    /// Adds a true edge, limited to the part that is high enough. `height` returns the height over the ground in front.
    fn edge(&mut self, ends: [DVec3; 2], inside: DVec2, height: impl Fn(DVec3) -> f64, depth: Option<f64>) {
        let flat = ends.map(|end| dvec2(end.x, end.z));
        let across = (flat[1] - flat[0]).normalize().perp();
        let front = across * (flat[0] - inside).dot(across).signum();
        let heights = ends.map(&height);
        let share = |from: f64, to: f64| ((MIN_HEIGHT_M - from) / (to - from)).clamp(0.0, 1.0);
        let range = match heights.map(|height| height >= MIN_HEIGHT_M) {
            [true, true] => [0.0, 1.0],
            [true, false] => [0.0, share(heights[0], heights[1])],
            [false, true] => [share(heights[0], heights[1]), 1.0],
            [false, false] => return,
        };
        let ends = range.map(|share| ends[0].lerp(ends[1], share));
        self.edges.push(TrueEdge { ends, front, heights: Some(ends.map(height)), depth });
    }

    /// A wall of any thickness with a sloped top, upright or leaning, which stands in the ground.
    fn wall(&mut self, frame: Frame) {
        let half = dvec2(self.between(0.6, 2.5), 0.5 * self.between(0.1, 3.0));
        let low = self.between(0.5, 1.6);
        let slope = self.between(0.0, 0.6) / (2.0 * half.x);
        let lean = if self.random.unit() < 0.5 { 0.0 } else { self.between(0.05, 0.2) };
        let outline = frame.rectangle(half);
        let along = DVec2::from_angle(frame.yaw);
        let (tilt, middle) = (self.tilt, frame.middle);
        let top = move |at: DVec2| tilt.dot(at) + low + slope * ((at - middle).dot(along) + half.x);
        self.solid(&outline, top, self.ground(middle) - 2.0, lean);
        for side in 0..4 {
            let ends = [outline[side], outline[(side + 1) % 4]].map(|at| DVec3::new(at.x, top(at), at.y));
            let across = -(dvec2(ends[1].x - ends[0].x, ends[1].z - ends[0].z)).normalize().perp();
            // A leaning side ends where it meets the ground: height h with ground that falls by `tilt` over h · lean.
            let height = |at: DVec3| (at.y - tilt.dot(dvec2(at.x, at.z))) / (1.0 + lean * tilt.dot(across));
            self.edge(ends, middle, height, (side % 2 == 0).then_some(2.0 * half.y));
        }
    }

    /// A wall along an arc.
    fn curve(&mut self, frame: Frame) {
        let [inner, thick, angle] = [self.between(2.0, 4.0), self.between(0.2, 1.0), self.between(0.8, 1.8)];
        let height = self.between(0.3, 2.2);
        let count = 12;
        let (tilt, at) = (self.tilt, |radius: f64, step: usize| {
            let turn = DVec2::from_angle(angle * step as f64 / f64::from(count));
            frame.at(radius * turn.x, radius * turn.y)
        });
        let top = move |at: DVec2| DVec3::new(at.x, tilt.dot(at) + height, at.y);
        let over = move |_: DVec3| height;
        for step in 0..count as usize {
            let [a, b, c, d] =
                [at(inner, step), at(inner, step + 1), at(inner + thick, step + 1), at(inner + thick, step)];
            self.solid(&[a, b, c, d], |at| top(at).y, self.ground(a) - 1.0, 0.0);
            let middle = 0.25 * (a + b + c + d);
            self.edge([top(a), top(b)], middle, over, None);
            self.edge([top(d), top(c)], middle, over, None);
            if step == 0 {
                self.edge([top(a), top(d)], middle, over, None);
            }
            if step + 1 == count as usize {
                self.edge([top(b), top(c)], middle, over, None);
            }
        }
    }

    /// A ditch in the tile, with a floor or bottomless.
    fn ditch(&mut self, frame: Frame) {
        let half = dvec2(3.4, 0.5 * self.between(0.5, 5.0));
        let drop = if self.random.unit() < 0.3 { None } else { Some(self.between(0.5, 3.0)) };
        let hole = frame.rectangle(half);
        let tile = Frame { yaw: 0.0, ..frame }.rectangle(DVec2::splat(0.5 * TILE_M));
        // The corner of the tile whose direction is nearest to that of the first corner of the hole.
        let turn = (0..4).max_by(|a, b| {
            let fit = |turn: &usize| {
                (0..4)
                    .map(|i| {
                        (tile[(i + turn) % 4] - frame.middle).normalize().dot((hole[i] - frame.middle).normalize())
                    })
                    .sum::<f64>()
            };
            fit(a).total_cmp(&fit(b))
        });
        for side in 0..4 {
            let next = (side + 1) % 4;
            let outer = [side, next].map(|corner| tile[(corner + turn.unwrap()) % 4]);
            let mut corners = [outer[0], outer[1], hole[next], hole[side]];
            // The quadrilateral may be concave: only one of its diagonals is inside.
            let turns = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a) > 0.0;
            if turns(corners[0], corners[1], corners[2]) != turns(corners[0], corners[2], corners[3]) {
                corners.rotate_left(1);
            }
            self.face(&corners.map(|at| self.on_ground(at)), DVec3::Y);
            let ends = [hole[side], hole[next]].map(|at| self.on_ground(at));
            let inward = frame.middle - 0.5 * (hole[side] + hole[next]);
            let heights = drop.map(|drop| [drop; 2]);
            self.edges.push(TrueEdge { ends, front: inward.normalize(), heights, depth: None });
            if let Some(drop) = drop {
                let below = ends.map(|end| end - DVec3::Y * drop);
                self.face(&[ends[0], ends[1], below[1], below[0]], DVec3::new(inward.x, 0.0, inward.y));
            }
        }
        if let Some(drop) = drop {
            let floor: Vec<DVec3> = hole.iter().map(|at| self.on_ground(*at) - DVec3::Y * drop).collect();
            self.face(&floor, DVec3::Y);
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| self.on_ground(hole[corner]));
        self.gaps.push(TrueGap { near: [a, b], far: [d, c] });
        self.gaps.push(TrueGap { near: [d, c], far: [a, b] });
    }

    /// Two walls through each other; the lower one ends at the sides of the higher one.
    fn pierced(&mut self, frame: Frame) {
        let (high, low) = (self.between(1.2, 2.2), self.between(0.4, 0.9));
        let halves = [dvec2(3.0, self.between(0.1, 0.5)), dvec2(2.5, self.between(0.2, 0.6))];
        let turned = Frame { yaw: frame.yaw + self.between(0.8, 1.6), ..frame };
        let (tilt, middle, ground) = (self.tilt, frame.middle, self.ground(frame.middle));
        for (frame, half, height) in [(frame, halves[0], high), (turned, halves[1], low)] {
            self.solid(&frame.rectangle(half), |at| tilt.dot(at) + height, ground - 1.5, 0.0);
        }
        let lift = move |at: DVec2, height: f64| DVec3::new(at.x, tilt.dot(at) + height, at.y);
        let (outline, other) = (frame.rectangle(halves[0]), turned.rectangle(halves[1]));
        for side in 0..4 {
            let next = (side + 1) % 4;
            // The higher wall has the top of the lower one in front between two crossings, and the ground elsewhere.
            let [from, to] = [outline[side], outline[next]];
            let mut cuts = vec![0.0, 1.0];
            if side % 2 == 0 {
                cuts.extend([0, 2].map(|side| share_of_crossing([from, to], [other[side], other[side + 1]])));
            }
            cuts.sort_by(f64::total_cmp);
            for (index, cut) in cuts.windows(2).enumerate() {
                let fall = if cuts.len() == 4 && index == 1 { high - low } else { high };
                let ends = [cut[0], cut[1]].map(|share| lift(from.lerp(to, share), high));
                self.edge(ends, middle, |_| fall, (side % 2 == 0).then_some(2.0 * halves[0].y));
            }
            let [from, to] = [other[side], other[next]];
            if side % 2 == 1 {
                self.edge([from, to].map(|at| lift(at, low)), middle, |_| low, None);
                continue;
            }
            let mut cuts = [0, 2].map(|side| share_of_crossing([from, to], [outline[side], outline[side + 1]]));
            cuts.sort_by(f64::total_cmp);
            for cut in [[0.0, cuts[0]], [cuts[1], 1.0]] {
                let ends = cut.map(|share| lift(from.lerp(to, share), low));
                self.edge(ends, middle, |_| low, None);
            }
        }
    }

    /// A ramp, and a box with a level top that is sunk into it.
    fn cut_into_a_ramp(&mut self, frame: Frame) {
        let slope = self.between(18.0_f64, 30.0).to_radians().tan();
        let (half, ground, tilt) = (dvec2(3.0, 3.5), self.ground(frame.middle), self.tilt);
        let along = DVec2::from_angle(frame.yaw);
        let ramp = move |at: DVec2| ground + slope * ((at - frame.middle).dot(along) + half.x) - 0.05;
        let outline = frame.rectangle(half);
        self.solid(&outline, ramp, ground - 3.0, 0.0);
        for side in 0..4 {
            let ends = [outline[side], outline[(side + 1) % 4]].map(|at| DVec3::new(at.x, ramp(at), at.y));
            self.edge(ends, frame.middle, |at| at.y - tilt.dot(dvec2(at.x, at.z)), None);
        }
        let inner = Frame { middle: frame.at(-0.2, 0.0), yaw: frame.yaw + self.between(-0.4, 0.4) };
        let outline = inner.rectangle(dvec2(1.2, self.between(0.6, 1.2)));
        let top = ramp(inner.middle) + self.between(0.2, 0.6);
        self.solid(&outline, |_| top, ground - 3.0, 0.0);
        for side in 0..4 {
            let ends = [outline[side], outline[(side + 1) % 4]].map(|at| DVec3::new(at.x, top, at.y));
            self.edge(ends, inner.middle, |at| top - ramp(dvec2(at.x, at.z)), None);
        }
    }
}

/// Returns the share along the first line at which it crosses the second.
fn share_of_crossing([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> f64 {
    (c - a).perp_dot(d - c) / (b - a).perp_dot(d - c)
}
