//! Edges against their construction, and edges of levels by hand.

pub mod generator;

use glam::{DVec2, DVec3};

use self::generator::{Generated, TrueEdge, TrueGap};
use super::*;
use crate::navigation::voxels::{VoxelSettings, voxelise};
use portamento_anim::geometry::Level;

/// Largest distance between an edge and its construction, metres.
const ACCURACY_M: f64 = 0.01;
/// Largest error of a height, metres.
const HEIGHT_ACCURACY_M: f64 = 0.02;
/// Spacing of the compared points, metres.
const SPACING_M: f64 = 0.02;

fn edges_of(level: &Level) -> Vec<Edge> {
    let map = voxelise(level, &VoxelSettings::default(), &Progress::new()).unwrap();
    edges(level, &map, &Progress::new()).unwrap()
}

/// Returns points along a line, from end to end.
fn points([from, to]: [DVec3; 2]) -> impl Iterator<Item = (f64, DVec3)> {
    let count = (from.distance(to) / SPACING_M).ceil().max(1.0) as usize;
    (0..=count).map(move |step| {
        let share = step as f64 / count as f64;
        (share, from.lerp(to, share))
    })
}

/// Returns the share along a line that is nearest to a point, and the distance.
fn nearest_share([from, to]: [DVec3; 2], at: DVec3) -> (f64, f64) {
    let along = to - from;
    let share = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (share, at.distance(from.lerp(to, share)))
}

fn mix([from, to]: [f64; 2], share: f64) -> f64 {
    from + (to - from) * share
}

fn brief(edge: &Edge) -> String {
    let Edge { kind, line, heights, far, .. } = edge;
    format!("{kind:?} {line:.3?} {heights:.3?} {far:.3?}")
}

/// Returns the first point at which an edge differs from the construction.
fn difference(edge: &Edge, known: &[TrueEdge]) -> Option<String> {
    let front = if edge.kind == EdgeKind::LedgeUp { -edge.heading } else { edge.heading };
    for (share, at) in points(edge.line) {
        let is_height = |truth: &TrueEdge, along: f64| match (truth.heights, edge.heights) {
            (Some(known), Some(found)) => (mix(known, along) - mix(found, share)).abs() < HEIGHT_ACCURACY_M,
            (None, None) => true,
            _ => false,
        };
        let is_same = |truth: &&TrueEdge| {
            let (along, distance) = nearest_share(truth.ends, at);
            distance < ACCURACY_M && truth.front.dot(front) > 0.999 && is_height(truth, along)
        };
        let Some(truth) = known.iter().find(is_same) else {
            return Some(format!("{at:.3} is no edge: {}", brief(edge)));
        };
        let depth = truth.depth.filter(|_| edge.kind == EdgeKind::LedgeUp && edge.length() > 0.1);
        let is_depth = |depth: f64| {
            edge.distances().is_some_and(|found| found.iter().all(|found| (found - depth).abs() < ACCURACY_M))
        };
        if let Some(depth) = depth.filter(|depth| !is_depth(*depth)) {
            return Some(format!("{depth} m thick: {}", brief(edge)));
        }
    }
    None
}

/// Returns the first point of a line of the construction that was not found.
fn missing(truth: [DVec3; 2], front: DVec2, found: &[&Edge]) -> Option<String> {
    let is_missing = |at: &DVec3| {
        let is_same = |edge: &&Edge| {
            let out = if edge.kind == EdgeKind::LedgeUp { -edge.heading } else { edge.heading };
            out.dot(front) > 0.999 && nearest_share(edge.line, *at).1 < ACCURACY_M
        };
        !found.iter().any(is_same)
    };
    let at = points(truth).map(|(_, at)| at).find(is_missing);
    at.map(|at| format!("{at:.3} of {truth:.3?} was not found"))
}

/// Returns the first point at which a gap differs from the construction on either side.
fn gap_difference(edge: &Edge, known: &[TrueGap]) -> Option<String> {
    let far = edge.far?;
    let is_wrong = |(share, at): &(f64, DVec3)| {
        let across = far[0].lerp(far[1], *share);
        let is_same = |gap: &TrueGap| {
            let [near, far] = [nearest_share(gap.near, *at), nearest_share(gap.far, across)];
            near.1 < ACCURACY_M && far.1 < ACCURACY_M && (near.0 - far.0).abs() < 0.01
        };
        !known.iter().any(is_same)
    };
    points(edge.line).find(is_wrong).map(|(_, at)| format!("{at:.3} is no edge of a gap: {}", brief(edge)))
}

#[test]
fn edges_of_generated_levels_are_those_of_the_construction() {
    let (mut counts, mut faults) = ([0; 3], Vec::new());
    for seed in 1..=20 {
        let generated = Generated::new(seed);
        let found = edges_of(&generated.level());
        let of_kind = |kind: EdgeKind| found.iter().filter(|edge| edge.kind == kind).collect::<Vec<_>>();
        let [up, down, gaps] = [EdgeKind::LedgeUp, EdgeKind::LedgeDown, EdgeKind::Gap].map(of_kind);
        let false_edges = up.iter().chain(&down).filter_map(|edge| difference(edge, &generated.edges));
        let false_gaps = gaps.iter().filter_map(|edge| gap_difference(edge, &generated.gaps));
        let below = generated.edges.iter().filter_map(|truth| missing(truth.ends, truth.front, &down));
        let with_ground = generated.edges.iter().filter(|truth| truth.heights.is_some());
        let above = with_ground.filter_map(|truth| missing(truth.ends, truth.front, &up));
        let across = generated.gaps.iter().filter_map(|gap| {
            let across = gap.far[0] - gap.near[0];
            missing(gap.near, DVec2::new(across.x, across.z).normalize(), &gaps)
        });
        let all = false_edges.chain(false_gaps).chain(below).chain(above).chain(across);
        faults.extend(all.map(|fault| format!("seed {seed}: {fault}")));
        counts = [counts[0] + up.len(), counts[1] + down.len(), counts[2] + gaps.len()];
    }
    println!("{counts:?} edges");
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(40)]);
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// Returns a level of boxes over a floor of 20 m, each with its lowest and highest corner.
fn boxes(boxes: &[[[f32; 3]; 2]]) -> Level {
    let floor = [[-10.0, -1.0, -10.0], [10.0, 0.0, 10.0]];
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for [low, high] in std::iter::once(&floor).chain(boxes) {
        let first = points.len() as u32;
        let corner = |i: usize| std::array::from_fn(|axis| if i >> axis & 1 == 1 { high[axis] } else { low[axis] });
        points.extend((0..8).map(|i| glam::Vec3::from_array(corner(i))));
        let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]];
        let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *c, *b], [*a, *d, *c]]);
        faces.extend(halves.map(|face: [u32; 3]| face.map(|corner| first + corner)));
    }
    Level::of_mesh("boxes", points, faces)
}

/// Returns the edges with this heading along x that begin at `x` and `y`.
fn edges_at(level: &Level, kind: EdgeKind, [x, y]: [f64; 2]) -> Vec<Edge> {
    let is_there = |edge: &Edge| {
        edge.kind == kind
            && edge.heading.x > 0.99
            && edge.line.iter().all(|end| (end.x - x).abs() < 1e-3 && (end.y - y).abs() < 1e-3)
    };
    edges_of(level).into_iter().filter(is_there).collect()
}

#[test]
fn a_reason_is_given_for_each_edge_that_cannot_be_crossed() {
    let problem = |boxes_of_level: &[[[f32; 3]; 2]], kind, at| -> Option<EdgeProblem> {
        let found = edges_at(&boxes(boxes_of_level), kind, at);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].problem
    };
    let wall = |width: f32, height: f32| [[0.0, -0.5, -width], [0.4, height, width]];
    let up = EdgeKind::LedgeUp;
    assert_eq!(problem(&[wall(2.0, 1.0)], up, [0.0, 1.0]), None);
    let short = problem(&[wall(0.35, 1.0)], up, [0.0, 1.0]);
    assert!(
        matches!(short, Some(EdgeProblem::TooShort { width, needed: 0.8 }) if (width - 0.7).abs() < 1e-3),
        "{short:?}"
    );
    let high = problem(&[wall(2.0, 3.5)], up, [0.0, 3.5]);
    assert!(matches!(high, Some(EdgeProblem::TooHigh { limit: LEDGE_UP_MAX_HEIGHT_M, .. })), "{high:?}");
    let roof = [[-3.0, 2.5, -3.0], [3.0, 2.6, 3.0]];
    let low = problem(&[wall(2.0, 1.0), roof], up, [0.0, 1.0]);
    assert!(matches!(low, Some(EdgeProblem::NoHeadRoom { room, needed: 1.8 }) if (room - 1.5).abs() < 0.01), "{low:?}");
    // A wall at the end of the floor has no ground behind it.
    let end = [[9.6, -0.5, -2.0], [10.0, 1.0, 2.0]];
    assert_eq!(problem(&[end], up, [9.6, 1.0]), Some(EdgeProblem::NoLanding));
    // The top of a thin wall is no ground to start from.
    assert_eq!(problem(&[wall(2.0, 1.0)], EdgeKind::LedgeDown, [0.4, 1.0]), Some(EdgeProblem::NoApproach));
}

#[test]
fn steps_cracks_and_the_feet_of_walls_are_no_edges() {
    let count = |boxes_of_level: &[[[f32; 3]; 2]], at| edges_at(&boxes(boxes_of_level), EdgeKind::LedgeUp, at).len();
    assert_eq!(count(&[[[0.0, -0.5, -2.0], [2.0, 0.2, 2.0]]], [0.0, 0.2]), 0);
    assert_eq!(count(&[[[0.0, -0.5, -2.0], [2.0, 0.3, 2.0]]], [0.0, 0.3]), 1);
    let slabs = |gap: f32| [[[-2.0, -0.5, -2.0], [0.0, 1.0, 2.0]], [[gap, -0.5, -2.0], [2.0, 1.0, 2.0]]];
    assert_eq!(count(&slabs(0.02), [f64::from(0.02_f32), 1.0]), 0);
    assert_eq!(count(&slabs(1.0), [1.0, 1.0]), 1);
    // A higher box on the edge of a lower one.
    assert_eq!(count(&[[[0.0, -0.5, -2.0], [2.0, 1.0, 2.0]], [[0.0, -0.5, -2.0], [1.0, 2.0, 2.0]]], [0.0, 1.0]), 0);
}

#[test]
fn the_search_reports_many_steps_and_stops_at_any_of_them() {
    let level = Generated::new(1).level();
    let map = voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap();
    let all = Progress::stopping_at(0);
    edges(&level, &map, &all).unwrap();
    assert!(all.steps() > 20 && all.fraction() == 1.0, "{} steps, {}", all.steps(), all.fraction());
    for step in [1, all.steps() / 2, all.steps() - 1] {
        assert!(edges(&level, &map, &Progress::stopping_at(step)).is_err(), "{step}");
    }
}

#[test]
fn edges_of_known_levels_touch_a_face_and_have_a_fall_in_front() {
    for (name, level) in crate::navigation::links::tests::known_levels() {
        let map = voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap();
        let start = std::time::Instant::now();
        let found = edges(&level, &map, &Progress::new()).unwrap();
        let usable: Vec<&Edge> = found.iter().filter(|edge| edge.problem.is_none()).collect();
        println!("{name}: {} edges, {} usable, {:?}", found.len(), usable.len(), start.elapsed());
        for edge in usable.iter().step_by(usable.len() / 60 + 1) {
            let middle = edge.at(0.5);
            let front = if edge.kind == EdgeKind::LedgeUp { -edge.heading } else { edge.heading };
            let distance = level.triangles.iter().map(|face| distance_to_face(&level, face, middle.near));
            assert!(distance.fold(f64::INFINITY, f64::min) < ACCURACY_M, "{name}: {edge:?}");
            // Every face is tested, without a tree.
            let indices: Vec<u32> = level.triangles.iter().flat_map(|face| face.corners).collect();
            let faces = portamento_anim::geometry::triangle_bvh::Faces { positions: &level.points, indices: &indices };
            // A board in front, such as that of a stair, may be narrower than the second distance.
            let hits = [0.005, 0.05].map(|beyond| {
                let at = middle.near + DVec3::new(front.x, 0.0, front.y) * (edge.foot + beyond);
                faces.hit(at.as_vec3(), glam::Vec3::NEG_Y)
            });
            // The ground may slope by 45° from the foot, whose distance differs along a leaning wall.
            let accuracy = 0.3_f64.max(0.1 + edge.foot);
            let is_fall = middle.height.is_none_or(|height| {
                let is_near = |distance: f64| (distance - height).abs() < accuracy && distance > 0.2;
                hits.iter().flatten().any(|hit| is_near(f64::from(hit.distance)))
            });
            assert!(is_fall, "{name}: {hits:?} {edge:?}");
        }
    }
}

/// Returns the distance of a point to the sides of a face, metres.
fn distance_to_face(level: &Level, face: &portamento_anim::geometry::Triangle, at: DVec3) -> f64 {
    let corners = level.corners(face).unwrap().map(|corner| corner.as_dvec3());
    let sides = [0, 1, 2].map(|side| nearest_share([corners[side], corners[(side + 1) % 3]], at).1);
    sides.into_iter().fold(f64::INFINITY, f64::min)
}
