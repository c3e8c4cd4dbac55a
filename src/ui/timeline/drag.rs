//! What is dragged on the timeline, and how everything was before, so that Esc can put it back.

use crate::document::{StageId, Take};
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
    /// That window as a whole, grabbed so many frames after its start.
    Window(usize, usize),
    /// The start of that window.
    WindowStart(usize),
    /// The end of that window.
    WindowEnd(usize),
    /// The event with that index.
    Event(usize),
    /// The same, grabbed within its transition so many frames after its start.
    EventBody(usize, usize),
    /// The end of that event's transition.
    EventEnd(usize),
    /// The span of that stage, grabbed so many frames after its start.
    Span(StageId, usize),
    /// The start of that stage's span.
    SpanStart(StageId),
    /// The end of that stage's span.
    SpanEnd(StageId),
    /// Where that stage begins to act in full.
    FadeIn(StageId),
    /// Where that stage begins to fade.
    FadeOut(StageId),
    /// When that foot comes down, of its contacts the so many-th.
    FootDown(usize, usize),
    /// When that foot lifts, of its contacts the so many-th.
    FootUp(usize, usize),
    /// Of that lane of keys the so many-th.
    Key(usize, usize),
    /// The cycles of a loop, grabbed so many frames after their start.
    Loop(usize),
    /// The end of the second cycle.
    LoopEnd,
}

/// A key of the shown take.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRef {
    /// Whose setting it is of.
    pub stage: StageId,
    /// The setting within the stage.
    pub setting: String,
    /// Seconds of what comes into the stage.
    pub time: f64,
}

/// A part while it is dragged.
#[derive(Clone, Debug)]
pub(super) struct LaneDrag {
    /// Which part of a lane moves.
    pub part: LanePart,
    /// The keys that move, the one under the pointer first.
    pub keys: Vec<KeyRef>,
    time: f64,
    range: Option<(f64, f64)>,
    event: Option<usize>,
    stage: Option<StageId>,
    take: Option<Take>,
}

impl LaneDrag {
    /// Remembers what dragging `part` may change.
    pub fn new(part: LanePart, session: &Session) -> Self {
        let take = session.shown_take().and_then(|shown| session.document.take(shown.id).cloned());
        let (time, range) = (session.playback.time, session.playback.range);
        let (event, stage) = (session.selection.event, session.selection.stage);
        Self { part, keys: Vec::new(), time, range, event, stage, take }
    }

    /// The same with keys that move.
    pub fn holding(self, keys: Vec<KeyRef>) -> Self {
        Self { keys, ..self }
    }

    /// The take as it was.
    pub fn before(&self) -> Option<&Take> {
        self.take.as_ref()
    }

    /// Where the playhead was.
    pub fn playhead(&self) -> f64 {
        self.time
    }

    /// Undoes the drag.
    pub fn put_back(self, session: &mut Session) {
        (session.playback.time, session.playback.range) = (self.time, self.range);
        (session.selection.event, session.selection.stage) = (self.event, self.stage);
        if let Some(before) = self.take
            && let Some(take) = session.document.take_mut(before.id)
        {
            *take = before;
        }
    }
}
