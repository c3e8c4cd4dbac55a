//! Loop lane: the whole source with cycles A and B. Dragging a cycle moves the start, dragging the end of B changes the length.

use egui::{Align2, Painter, Pos2, Rangef, Rect, Stroke, Vec2};

use crate::panels::looping::lamp_color;
use crate::theme::{self, Tokens};
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, Lanes, NUMBERS_HEIGHT};
use crate::timeline::model::{LoopCycles, Model};
use crate::timeline::scale::{ENDS, ruler_steps};
use portamento_session::{Session, Shown};

/// Distance from an edge within which it can be grabbed, points.
const GRAB_RADIUS: f32 = 6.0;

/// Returns the cycles of the shown take; `None` if it is no loop or not built.
pub fn loop_cycles(session: &Session) -> Option<LoopCycles> {
    let Shown::Take(id) = session.selection.shown else { return None };
    let settings = &session.document.take(id)?.looped(session.selection.stage)?.settings;
    let built = session.frame()?.built.clone()?;
    let looped = built.looped(session.selection.stage_index(&session.document))?;
    let (start, length) = (settings.start, settings.length);
    Some(LoopCycles { start, length, frames: looped.source.frames(), lamp: looped.report().rating() })
}

/// Returns the times at which the loop restarts while several rounds are shown, seconds. Empty without a built loop.
pub fn seams(session: &Session) -> Vec<f64> {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    let Some(built) = built.filter(|built| built.looped(session.selection.stage_index(&session.document)).is_some())
    else {
        return Vec::new();
    };
    (1..session.playback.rounds).map(|round| f64::from(round) * built.clip.duration).collect()
}

impl LoopCycles {
    /// Returns the screen x of `frame` of the source. `times` is the x range of the lane.
    pub fn x(&self, times: Rangef, frame: f32) -> f32 {
        times.min + ENDS + (times.span() - 2.0 * ENDS) * frame / self.last_frame()
    }

    /// Returns the last frame, at least 1.
    fn last_frame(&self) -> f32 {
        (self.frames.max(2) - 1) as f32
    }

    /// Returns the fractional frame at the screen position `x`, which may be outside the clip. `times` is the x range of the
    /// lane.
    fn frame_at(&self, times: Rangef, x: f32) -> f32 {
        (x - times.min - ENDS) / (times.span() - 2.0 * ENDS).max(1.0) * self.last_frame()
    }

    /// Returns the part under the screen position `at`: the end of B, else the cycles; `None` outside them. `times` is the x
    /// range of the lane.
    pub(super) fn part_at(&self, at: Pos2, times: Rangef) -> Option<LanePart> {
        let [from, to] = [self.start, self.start + 2 * self.length].map(|frame| self.x(times, frame as f32));
        let grabbed = self.frame_at(times, at.x) - self.start as f32;
        match at.x {
            x if (x - to).abs() <= GRAB_RADIUS => Some(LanePart::LoopEnd),
            x if (from - GRAB_RADIUS..=to).contains(&x) => Some(LanePart::Loop(grabbed.round().max(0.0) as usize)),
            _ => None,
        }
    }

    /// Returns start and length, in frames, after `part` was dragged to screen `x`. Both cycles stay within the source. `times`
    /// is the x range of the lane.
    pub fn after_drag(&self, part: LanePart, x: f32, times: Rangef) -> (usize, usize) {
        let frame = self.frame_at(times, x);
        let last = self.frames.saturating_sub(1);
        match part {
            LanePart::Loop(grabbed) => {
                let start = (frame - grabbed as f32).round().max(0.0) as usize;
                (start.min(last.saturating_sub(2 * self.length)), self.length)
            }
            _ => {
                let half = ((frame - self.start as f32) * 0.5).round().max(1.0) as usize;
                (self.start, half.min((last.saturating_sub(self.start) / 2).max(1)))
            }
        }
    }
}

/// Applies a drag of the cycles to the loop of the shown take. `x` is the pointer on the lane, whose x range is `times`.
pub fn move_to(session: &mut Session, model: &Model, part: LanePart, x: f32, times: Rangef) {
    let (Some(cycles), Shown::Take(id)) = (&model.cycles, &session.selection.shown) else { return };
    let (start, length) = cycles.after_drag(part, x, times);
    if let Some(looped) = session.document.take_mut(*id).and_then(|take| take.looped_mut(session.selection.stage)) {
        (looped.settings.start, looped.settings.length) = (start, length);
    }
}

/// Draws the lane with its frame numbers, both cycles and the seam rating; nothing without a loop.
pub fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, lanes, tokens, .. } = canvas;
    let Some(cycles) = &model.cycles else { return };
    let (numbers, lane) = lanes.cycles.split_top_bottom_at_y(lanes.cycles.min.y + NUMBERS_HEIGHT);
    let lane = Rect::from_min_max(Pos2::new(lane.min.x, lanes.thumbnails.max.y.max(lane.min.y)), lane.max);
    let lane = lane.shrink2(Vec2::new(0.0, 3.0));
    ruler(painter, cycles, lanes, numbers, tokens);
    let x = |frame: f32| cycles.x(lanes.times, frame);
    let band = |from: f32, to: f32| Rect::from_x_y_ranges(x(from)..=x(to), lane.y_range());
    let (start, length) = (cycles.start as f32, cycles.length as f32);
    painter.rect_filled(band(0.0, cycles.last_frame()), 3.0, theme::mix(tokens.panel, tokens.window, 0.7));
    let bands = [("A", start, tokens.target), ("B", start + length, tokens.accent)];
    for (name, from, color) in bands {
        let rect = band(from, from + length);
        painter.rect_filled(rect, 0.0, theme::mix(tokens.panel, color, 0.30));
        painter.vline(rect.min.x, rect.y_range(), Stroke::new(2.0, color));
        let words = format!("{name}  {} … {}", from as usize, (from + length) as usize);
        let galley = painter.layout_no_wrap(words, theme::caption(), tokens.text);
        let at = Align2::LEFT_CENTER.anchor_size(rect.left_center() + Vec2::new(10.0, 0.0), galley.size());
        painter.with_clip_rect(rect.intersect(painter.clip_rect())).galley(at.min, galley, tokens.text);
    }
    let end = x(start + 2.0 * length);
    painter.vline(end, lane.y_range(), Stroke::new(2.0, tokens.accent));
    // The playhead in both cycles.
    let here = within(model, cycles.length);
    for from in [start, start + length] {
        painter.vline(x(from + here), lane.y_range(), Stroke::new(1.0, tokens.text));
    }
    let lamp = Pos2::new(x(start + length), lane.center().y);
    painter.circle(lamp, 5.0, lamp_color(cycles.lamp, tokens), Stroke::new(1.5, tokens.panel));
}

/// Returns the frame of the loop at the playhead. After the end it is the closing frame.
fn within(model: &Model, length: usize) -> f32 {
    let frame = (model.time * model.fps) as f32;
    if frame > length as f32 + 1e-3 { frame.rem_euclid(length as f32) } else { frame }
}

/// Draws the frame numbers of the source.
fn ruler(painter: &Painter, cycles: &LoopCycles, lanes: &Lanes, numbers: Rect, tokens: &Tokens) {
    let x = |frame: i64| cycles.x(lanes.times, frame as f32);
    let (major, minor) = ruler_steps(f64::from(x(1) - x(0)));
    for frame in (0..cycles.frames as i64).step_by(minor as usize) {
        let numbered = frame % major == 0;
        let height = if numbered { 5.0 } else { 3.0 };
        painter.vline(x(frame), numbers.max.y - height..=numbers.max.y, Stroke::new(1.0, tokens.line));
        if numbered {
            let at = Pos2::new(x(frame), numbers.min.y);
            painter.text(at, Align2::CENTER_TOP, frame.to_string(), theme::caption(), tokens.dim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_looping::SeamRating;

    #[test]
    fn cycles_are_dragged_within_their_source() {
        let cycles = LoopCycles { start: 90, length: 100, frames: 301, lamp: SeamRating::Green };
        let times = Rangef::new(0.0, 300.0 + 2.0 * ENDS);
        let at = |frame: f32| Pos2::new(cycles.x(times, frame), 0.0);
        assert_eq!(cycles.part_at(at(120.0), times), Some(LanePart::Loop(30)));
        assert_eq!(cycles.part_at(at(290.0), times), Some(LanePart::LoopEnd));
        assert_eq!(cycles.part_at(at(20.0), times), None);
        assert_eq!(cycles.after_drag(LanePart::Loop(30), at(100.0).x, times), (70, 100));
        assert_eq!(cycles.after_drag(LanePart::Loop(30), at(300.0).x, times), (100, 100));
        assert_eq!(cycles.after_drag(LanePart::LoopEnd, at(230.0).x, times), (90, 70));
        assert_eq!(cycles.after_drag(LanePart::LoopEnd, at(900.0).x, times), (90, 105));
        assert_eq!(cycles.after_drag(LanePart::LoopEnd, at(10.0).x, times), (90, 1));
    }
}
