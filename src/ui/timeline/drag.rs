//! What is dragged on the timeline, and how everything was before, so that Esc can put it back.

use crate::document::Take;
use crate::session::Session;

/// What can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePart {
    /// The line that marks the current time.
    Playhead,
    /// The start of the preview range.
    RangeStart,
    /// The end of the preview range.
    RangeEnd,
    /// The start of that window.
    WindowStart(usize),
    /// The end of that window.
    WindowEnd(usize),
    /// The event with that index.
    Event(usize),
    /// The end of that event's transition.
    EventEnd(usize),
    /// The cycles of a loop, grabbed so many frames after their start.
    Loop(usize),
    /// The end of the second cycle.
    LoopEnd,
}

/// A part while it is dragged.
#[derive(Clone, Debug)]
pub struct LaneDrag {
    /// Which part of a lane moves.
    pub part: LanePart,
    time: f64,
    range: Option<(f64, f64)>,
    event: Option<usize>,
    take: Option<Take>,
}

impl LaneDrag {
    /// Remembers what dragging `part` may change.
    pub fn new(part: LanePart, session: &Session) -> Self {
        let take = session.shown_take().and_then(|shown| session.document.take(shown.id).cloned());
        let (time, range) = (session.playback.time, session.playback.range);
        Self { part, time, range, event: session.selection.event, take }
    }

    /// Undoes the drag.
    pub fn put_back(self, session: &mut Session) {
        (session.playback.time, session.playback.range) = (self.time, self.range);
        session.selection.event = self.event;
        if let Some(before) = self.take
            && let Some(take) = session.document.take_mut(before.id)
        {
            *take = before;
        }
    }
}
