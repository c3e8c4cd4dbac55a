//! Hovering over the result's path: shows time and speed; a click moves the playhead.

use egui::{CursorIcon, Pos2, Rect, Response, Ui};

use crate::units::Unit;
use crate::viewport::projection::see;
use crate::viewport::walk::Over;
use crate::viewport::{Viewport, readout};
use portamento_session::Session;
use portamento_takes::evaluate::{Frame, Trail, TrailKind};

/// Distance in points within which the path is hovered. Tuned; no derivation recorded.
const HOVER_MAX_POINTS: f32 = 7.0;

/// Returns the path of the result; `None` if it is not drawn.
pub fn path<'f>(frame: &'f Frame, viewport: &Viewport) -> Option<&'f Trail> {
    let seen = viewport.overlays.trails;
    frame.overlay.trails.iter().find(|trail| seen && trail.kind == TrailKind::Result)
}

/// Handles the mouse over the path. Hovering sets the hover time of the playback. Returns true if a click moved the playhead,
/// which also pauses.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &Viewport, session: &mut Session, rect: Rect) -> bool {
    let taken = viewport.hovered_target.is_some() || !matches!(viewport.walk.over(), None | Some(Over::Ground(_)));
    let pointer = response.hover_pos().filter(|_| !taken);
    let near = |at| nearest(path(session.frame()?, viewport)?, at, |point| see(&viewport.camera, rect, point));
    let Some(time) = pointer.and_then(near) else { return false };
    session.playback.hover_at(time);
    ui.set_cursor_icon(CursorIcon::PointingHand);
    if response.clicked() {
        session.playback.pause_at(time);
    }
    response.clicked()
}

/// Returns the time in seconds at which the path passes the screen position `at`; `None` if it stays farther away than
/// [`HOVER_MAX_POINTS`]. `see` projects a point.
fn nearest(trail: &Trail, at: Pos2, see: impl Fn(glam::Vec3) -> Option<Pos2>) -> Option<f64> {
    let seen: Vec<Option<Pos2>> = trail.points.iter().map(|point| see(point.as_vec3())).collect();
    let piece = |i: usize| {
        let (from, to) = (seen[i]?, seen[i + 1]?);
        let segment = to - from;
        let share = ((at - from).dot(segment) / segment.length_sq().max(1e-6)).clamp(0.0, 1.0);
        let (start, end) = (trail.times.get(i)?, trail.times.get(i + 1)?);
        Some(((from + segment * share).distance(at), start + (end - start) * f64::from(share)))
    };
    let near = (0..seen.len().saturating_sub(1)).filter_map(piece).min_by(|a, b| a.0.total_cmp(&b.0));
    near.filter(|(away, _)| *away <= HOVER_MAX_POINTS).map(|(_, time)| time)
}

/// Draws time and speed next to the hovered point of the path. The point may be hovered here or in a plot.
pub fn readout(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let shown = || {
        let (time, trail) = (session.playback.hover_time()?, path(session.frame()?, viewport)?);
        let index = trail.nearest(time)?;
        let at = see(&viewport.camera, rect, trail.points[index].as_vec3())?;
        Some((at, [Unit::Seconds.text(time, 2), Unit::Speed.text(*trail.speeds.get(index)?, 2)].join("   ")))
    };
    if let Some((at, text)) = shown() {
        readout::at_pointer(&ui.painter_at(rect), at, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn the_nearest_point_of_the_path_gives_its_time() {
        let points: Vec<DVec3> = (0..5).map(|i| DVec3::new(f64::from(i) * 10.0, 0.0, 0.0)).collect();
        let times = (0..5).map(|i| f64::from(i) * 0.5).collect();
        let trail = Trail { kind: TrailKind::Result, points, times, speeds: vec![20.0; 5], reversed: Vec::new() };
        let flat = |point: glam::Vec3| Some(Pos2::new(point.x, point.z));
        assert!((nearest(&trail, Pos2::new(25.0, 3.0), flat).unwrap() - 1.25).abs() < 1e-6);
        assert_eq!(nearest(&trail, Pos2::new(25.0, 9.0), flat), None);
        assert_eq!(trail.nearest(1.1), Some(2));
    }
}
