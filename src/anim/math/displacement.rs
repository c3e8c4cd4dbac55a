//! Displacement of a path to another end point. The correction of each frame is proportional to its own movement, so
//! pauses stay pauses.
//!
//! ```text
//! Q(i) = P(i) + (D − P(N))·s(i)/S      with the gauge s so far and its total S
//! ```
//!
//! The formula depends on s only, so any frame can be evaluated alone and the end is exact. With arc length as gauge
//! it is displacement stretching; with time it is the even distribution of most engines.

use glam::DVec3;

/// Moves the end of `path` to `target`, in proportion to `gauge` (one value per point, never decreasing).
///
/// Points at which path and gauge are already at their end values become exactly `target`, so a final pause stays a
/// pause. A path whose gauge does not increase, or that already ends at the target, is returned unchanged.
pub fn displace(path: &[DVec3], gauge: &[f64], target: DVec3) -> Vec<DVec3> {
    let (Some(&end), Some(&zero), Some(&full)) = (path.last(), gauge.first(), gauge.last()) else {
        return path.to_vec();
    };
    let missing = target - end;
    if missing == DVec3::ZERO || full <= zero {
        return path.to_vec();
    }
    let moved = |(&point, &gauge): (&DVec3, &f64)| {
        if gauge == full && point == end { target } else { point + missing * ((gauge - zero) / (full - zero)) }
    };
    let mut displaced: Vec<DVec3> = path.iter().zip(gauge).map(moved).collect();
    if let Some(last) = displaced.last_mut() {
        *last = target;
    }
    displaced
}

/// Returns the step length up to which a step of `path` is rounding of 32-bit keys and not motion: 1e-7 of the path's extent, in
/// its unit.
pub fn rounding(path: &[DVec3]) -> f64 {
    // Four boxes in parallel avoid the latency of a single one.
    let mut boxes = [(DVec3::INFINITY, DVec3::NEG_INFINITY); 4];
    let (fours, rest) = path.as_chunks::<4>();
    let grow = |(low, high): &mut (DVec3, DVec3), point: DVec3| (*low, *high) = (low.min(point), high.max(point));
    for four in fours {
        boxes.iter_mut().zip(four).for_each(|(each, &point)| grow(each, point));
    }
    boxes.iter_mut().zip(rest).for_each(|(each, &point)| grow(each, point));
    let (low, high) = boxes.iter().fold(boxes[0], |all, each| (all.0.min(each.0), all.1.max(each.1)));
    if path.is_empty() { 0.0 } else { (high - low).length() * 1e-7 }
}
