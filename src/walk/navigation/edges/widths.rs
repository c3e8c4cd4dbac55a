//! Widths of ledges: ledges that continue each other count as one.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;

use super::EDGE_MIN_HEIGHT_M;
use super::pieces::Ledge;

/// Largest distance between the ends of edges that continue each other, metres.
const JOINT_MAX_M: f64 = 0.02;
/// Smallest cosine between the fronts of edges that continue each other: 15°.
const JOINT_MIN_COSINE: f64 = 0.966;
/// Width above which an edge counts as wide, metres. Joined edges are followed up to it.
const WIDE_M: f64 = 2.0;

/// Returns the length of each ledge together with those that continue it, metres.
pub(super) fn widths(ledges: &[Ledge]) -> Vec<f64> {
    let key = |at: DVec3| (at / (2.0 * JOINT_MAX_M)).floor().to_array().map(|part| part as i64);
    let mut ends: HashMap<[i64; 3], Vec<[usize; 2]>> = HashMap::new();
    for (index, ledge) in ledges.iter().enumerate() {
        (0..2).for_each(|end| ends.entry(key(ledge.line.ends[end])).or_default().push([index, end]));
    }
    let next = |[ledge, end]: [usize; 2]| {
        let at = ledges[ledge].line.ends[end];
        let around = (0..27).map(|i| {
            let offset = glam::IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1).as_dvec3();
            key(at + offset * 2.0 * JOINT_MAX_M)
        });
        around.filter_map(|key| ends.get(&key)).flatten().copied().find(|other| continues(ledges, [ledge, end], *other))
    };
    let length = |ledge: usize| ledges[ledge].line.length();
    let width = |ledge: usize| {
        let mut width = length(ledge);
        for end in 0..2 {
            let mut at = [ledge, end];
            while width < WIDE_M {
                let Some([other, joint]) = next(at).filter(|other| other[0] != ledge) else { break };
                width += length(other);
                at = [other, 1 - joint];
            }
        }
        width
    };
    (0..ledges.len()).into_par_iter().map(width).collect()
}

/// True if the ledge `other` continues a ledge beyond its `end` with nearly the same heading and height.
fn continues(ledges: &[Ledge], [ledge, end]: [usize; 2], [other, joint]: [usize; 2]) -> bool {
    let (here, there) = (&ledges[ledge], &ledges[other]);
    let height = |ledge: &Ledge, end: usize| ledge.heights.map(|heights| heights[end]);
    let is_even = match (height(here, end), height(there, joint)) {
        (Some(a), Some(b)) => (a - b).abs() < EDGE_MIN_HEIGHT_M,
        (None, None) => true,
        _ => false,
    };
    ledge != other
        && is_even
        && here.line.ends[end].distance(there.line.ends[joint]) < JOINT_MAX_M
        && here.line.front.dot(there.line.front) > JOINT_MIN_COSINE
}
