//! The plan of a fit: the displacement of the body in each window, and the arc of each flight.

use glam::DVec3;

use super::flight::Arc;
use super::limits::MAX_STRETCH_RATIO;
use super::{BuildError, CrossingClip, EdgeLine, Obstacle, Support};

/// Shortest window, seconds.
const WINDOW_MIN_SECONDS: f64 = 0.05;
/// Time in which the body follows a hand that takes hold before the feet leave the ground, seconds.
const OVERLAP_SECONDS: f64 = 0.2;
/// Shift that needs no window, metres.
const SHIFT_MIN_M: f64 = 1e-9;

/// A window of the incoming clip. Seconds and metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub span: [f64; 2],
    /// Displacement of the body at the end of the window.
    pub shift: DVec3,
}

/// A fit that is within the limits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Windows in order.
    pub windows: Vec<Window>,
    /// The arc of each flight of the clip.
    pub arcs: Vec<Arc>,
    /// Displacement of what touches the obstacle, metres.
    pub near: DVec3,
    /// Displacement of what is behind the obstacle, metres.
    pub landing: DVec3,
    /// Largest change within a window as a fraction of its path.
    pub ratio: f64,
    /// True if the height of the hips in flight becomes a parabola of free fall.
    pub gravity: bool,
}

impl Plan {
    /// Plans the fit of `clip` to `obstacle`, which is in the clip's space: it has the same start, and the clip heads to its landing.
    ///
    /// Returns `Err` if a limit is exceeded, or the edges do not cross the path.
    pub fn new(clip: &CrossingClip, obstacle: &Obstacle, gravity: bool) -> Result<Self, BuildError> {
        let own = &clip.obstacle;
        let on_path = |edge: &EdgeLine| on_path(clip, edge, 0.0).ok_or(BuildError::BadObstacle);
        let shift = |to: DVec3, from: DVec3| clip.heading * (to - from).dot(clip.heading) + DVec3::Y * (to.y - from.y);
        let near = shift(on_path(&obstacle.near)?, on_path(&own.near)?);
        let landing = shift(obstacle.landing, own.landing);
        check_room(clip, obstacle, landing)?;
        let windows = windows(clip, near, landing)?;
        let mut plan = Self { windows, arcs: Vec::new(), near, landing, ratio: 0.0, gravity };
        for flight in &clip.flights {
            plan.arcs.push(flight.adapted(plan.shift_at(flight.end) - plan.shift_at(flight.start))?);
        }
        plan.ratio = plan.checked_ratio(clip)?;
        Ok(plan)
    }

    /// Returns the displacement of the body at `time`, seconds. Within a window it is between those of its ends.
    pub fn shift_at(&self, time: f64) -> DVec3 {
        let slack = 1e-6;
        let mut shift = DVec3::ZERO;
        for window in &self.windows {
            let [start, end] = window.span;
            if time >= end - slack {
                shift = window.shift;
            } else if time > start + slack {
                return shift.lerp(window.shift, (time - start) / (end - start));
            }
        }
        shift
    }

    /// Returns the largest change of a window without flight as a fraction of its path; `Err` if it exceeds the limit.
    fn checked_ratio(&self, clip: &CrossingClip) -> Result<f64, BuildError> {
        let mut largest: f64 = 0.0;
        let mut before = DVec3::ZERO;
        for window in &self.windows {
            let change = (window.shift - before).length();
            before = window.shift;
            let [start, end] = window.span;
            let flies = clip.flights.iter().any(|flight| flight.start < end && flight.end > start);
            if change <= SHIFT_MIN_M || flies {
                continue;
            }
            let ratio = change / clip.path_length(window.span).max(f64::MIN_POSITIVE);
            if ratio > MAX_STRETCH_RATIO {
                return Err(BuildError::Stretch { start, end, ratio, most: MAX_STRETCH_RATIO });
            }
            largest = largest.max(ratio);
        }
        Ok(largest)
    }
}

/// Returns the point of `edge` at the distance `across` from the path of the clip, metres; `None` if the edge is parallel to it.
pub(super) fn on_path(clip: &CrossingClip, edge: &EdgeLine, across: f64) -> Option<DVec3> {
    let side = clip.heading.cross(DVec3::Y);
    let [from, to] = edge.map(|point| (point - clip.obstacle.start).dot(side) - across);
    let share = from / (from - to);
    share.is_finite().then(|| edge[0].lerp(edge[1], share)).filter(|point| point.is_finite())
}

/// Returns `Err` if a foot would land before the last edge.
fn check_room(clip: &CrossingClip, obstacle: &Obstacle, landing: DVec3) -> Result<(), BuildError> {
    /// Rounding of edges that the caller has computed, metres.
    const SLACK_M: f64 = 1e-3;
    let last_edge = |obstacle: &Obstacle| {
        let edge = obstacle.far.unwrap_or(obstacle.near);
        on_path(clip, &edge, 0.0).map(|point| clip.along(point)).ok_or(BuildError::BadObstacle)
    };
    let (own, edge) = (last_edge(&clip.obstacle)?, last_edge(obstacle)?);
    let feet = clip.contacts_on(Support::After).map(|contact| clip.along(contact.point));
    let first = feet.fold(f64::INFINITY, f64::min);
    // The clip may land nearer to its own edge than a foot is long, because the edge is estimated.
    let room = (first - own).clamp(0.0, super::clip::HEEL_M);
    let missing = edge + room - (first + landing.dot(clip.heading));
    if missing > SLACK_M { Err(BuildError::LandingRoom { missing }) } else { Ok(()) }
}

/// Returns the windows that move the obstacle's contacts by `near` and what follows by `landing`. `near` and
/// `landing` are in metres. Returns `Err` if a window is shorter than [`WINDOW_MIN_SECONDS`].
fn windows(clip: &CrossingClip, near: DVec3, landing: DVec3) -> Result<Vec<Window>, BuildError> {
    let [take_off, reached, left, lands] = clip.moments;
    let touches = clip.contacts_on(Support::Obstacle).next().is_some();
    let run_up =
        Window { span: [0.0, if touches { take_off.min(reached) } else { take_off }], shift: near.with_y(0.0) };
    let mut windows = vec![run_up];
    windows.retain(|window| window.span[1] >= WINDOW_MIN_SECONDS);
    let until = windows.last().map_or(0.0, |window| window.span[1]);
    if touches {
        // While feet push off and hands already hold, the body stays with the feet.
        let span =
            if reached > take_off { [until, reached] } else { [take_off, (take_off + OVERLAP_SECONDS).min(left)] };
        windows.push(Window { span, shift: near });
    }
    let until = windows.last().map_or(0.0, |window| window.span[1]);
    let from = match touches {
        false => until,
        true if left < lands => left,
        // The foot lands while hands still hold.
        true => until.max(0.5 * (reached + lands)),
    };
    windows.push(Window { span: [from, lands], shift: landing });
    match windows.iter().find(|window| window.span[1] - window.span[0] < WINDOW_MIN_SECONDS) {
        Some(window) => Err(BuildError::BadMoments { first: window.span[0], next: window.span[1] }),
        None => Ok(windows),
    }
}
