//! The sizes of obstacles that a clip can cross.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::plan::{Plan, on_path};
use super::{ClipRange, CrossingClip, CrossingKind, EdgeLine, Obstacle};

/// Largest difference from the clip's own size that is searched, metres.
const MAX_DIFFERENCE_M: f64 = 8.0;
/// Number of bisections; they leave less than a millimetre of [`MAX_DIFFERENCE_M`].
const BISECTIONS: usize = 14;

/// Returns the ranges of `clip`. Each is found for the other sizes of the clip's own obstacle.
pub(super) fn range(clip: &CrossingClip) -> ClipRange {
    let own = &clip.obstacle;
    let along = |edge: &EdgeLine| on_path(clip, edge, 0.0).map_or(0.0, |point| clip.along(point));
    let near = along(&own.near);
    let far = own.far.as_ref().map_or(near, along);
    let own_height = own.near[0].midpoint(own.near[1]).y - own.start.y;
    let climbs = matches!(own.kind, CrossingKind::Mantle | CrossingKind::HopUp);
    let height = move |by: f64| {
        let up = DVec3::Y * by;
        let landing = if climbs { own.landing + up } else { own.landing };
        Obstacle { near: moved(own.near, up), far: own.far.map(|far| moved(far, up)), landing, ..*own }
    };
    let rise = |by: f64| Obstacle { landing: own.landing + DVec3::Y * by, ..*own };
    let run_up = |by: f64| {
        let ahead = clip.heading * by;
        let far = own.far.map(|far| moved(far, ahead));
        Obstacle { near: moved(own.near, ahead), far, landing: own.landing + ahead, ..*own }
    };
    let distance = |by: f64| {
        let ahead = clip.heading * by;
        Obstacle { far: own.far.map(|far| moved(far, ahead)), landing: own.landing + ahead, ..*own }
    };
    let has_height = matches!(own.kind, CrossingKind::Vault) || climbs;
    let own_rise = own.landing.y - own.start.y;
    ClipRange {
        kind: own.kind,
        height: if has_height { limits(clip, own_height, &height) } else { 0.0..=0.0 },
        distance: if own.far.is_some() { lengths(limits(clip, far - near, &distance)) } else { 0.0..=0.0 },
        rise: limits(clip, own_rise, if climbs { &height } else { &rise }),
        run_up: lengths(limits(clip, near, &run_up)),
        landing_room: (clip.along(own.landing) - far).max(0.0),
        seconds: clip.seconds,
    }
}

/// Returns the part of `range` that is a length.
fn lengths(range: RangeInclusive<f64>) -> RangeInclusive<f64> {
    range.start().max(0.0)..=range.end().max(0.0)
}

fn moved(edge: EdgeLine, by: DVec3) -> EdgeLine {
    edge.map(|point| point + by)
}

/// Returns the sizes around `own` for which the obstacle that `of` returns for a difference has a plan. All in metres.
fn limits(clip: &CrossingClip, own: f64, of: &dyn Fn(f64) -> Obstacle) -> RangeInclusive<f64> {
    let fits = |by: f64| Plan::new(clip, &of(by), true).is_ok();
    let farthest = |direction: f64| {
        let (mut inside, mut outside) = (0.0, MAX_DIFFERENCE_M);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (inside + outside);
            if fits(direction * middle) { inside = middle } else { outside = middle }
        }
        direction * inside
    };
    own + farthest(-1.0)..=own + farthest(1.0)
}
