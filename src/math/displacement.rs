//! A path brought to another end, each frame's share of the correction in proportion to how far it moved: pauses stay pauses.
//!
//! Q(i) = P(i) + (D − P(N))·s(i)/S with s the gauge so far: evaluated from s, so that any frame can be asked for alone and the
//! end is exact. The arc length as gauge is displacement; time is the even spread most engines use.

use glam::DVec3;

/// Adds the missing way to `target` in proportion to how far `gauge` (one value per point, never falling) has come. Where both
/// path and gauge already stand at their end, the point is the target itself, so a closing pause stays one to the last bit. A path
/// whose gauge does not move, or that is at the target already, comes back as it is.
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

/// The length of a step up to which it is rounding of 32-bit keys and turns, not motion: a ten-millionth of the path's extent.
pub fn rounding(path: &[DVec3]) -> f64 {
    // Four boxes side by side: one alone would wait for itself at every point.
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
