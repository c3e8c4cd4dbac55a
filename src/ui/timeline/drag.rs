//! Dragged parts of the timeline, with the state before the drag for Esc.

use portamento_session::Session;
use portamento_takes::document::{StageId, Take};

/// A part of the timeline that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePart {
    /// The playhead.
    Playhead,
    /// The start of the preview range.
    RangeStart,
    /// The end of the preview range.
    RangeEnd,
    /// Window, grabbed this many frames after its start.
    Window(usize, usize),
    /// Start of the window.
    WindowStart(usize),
    /// End of the window.
    WindowEnd(usize),
    /// Event with this index.
    Event(usize),
    /// Transition of the event, grabbed this many frames after its start.
    EventBody(usize, usize),
    /// End of the event's transition.
    EventEnd(usize),
    /// Span of the stage, grabbed this many frames after its start.
    Span(StageId, usize),
    /// Start of the stage's span.
    SpanStart(StageId),
    /// End of the stage's span.
    SpanEnd(StageId),
    /// End of the stage's fade-in.
    FadeIn(StageId),
    /// Start of the stage's fade-out.
    FadeOut(StageId),
    /// Start of a contact: foot and contact index.
    FootDown(usize, usize),
    /// End of a contact: foot and contact index.
    FootUp(usize, usize),
    /// Key: lane and key index.
    Key(usize, usize),
    /// Key of the retime or pose stage, by its index.
    Knot(StageId, usize),
    /// Cycles of a loop, grabbed this many frames after their start.
    Loop(usize),
    /// End of the second cycle.
    LoopEnd,
}

/// A key of the current take.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRef {
    /// The stage of the keyed setting.
    pub stage: StageId,
    /// Path of the setting within the stage.
    pub setting: String,
    /// Time in seconds of the motion that enters the stage.
    pub time: f64,
}

/// A drag in progress, with the state before it.
#[derive(Clone, Debug)]
pub(super) struct LaneDrag {
    /// The dragged part.
    pub part: LanePart,
    /// The dragged keys, the one under the pointer first.
    pub keys: Vec<KeyRef>,
    /// Playhead before the drag, seconds.
    time: f64,
    /// Preview range before the drag, seconds.
    range: Option<(f64, f64)>,
    event: Option<usize>,
    stage: Option<StageId>,
    take: Option<Take>,
}

impl LaneDrag {
    /// Starts a drag of `part` and stores the state it may change.
    pub fn new(part: LanePart, session: &Session) -> Self {
        let take = session.shown_take().and_then(|shown| session.document.take(shown.id).cloned());
        let (time, range) = (session.playback.time, session.playback.range);
        let (event, stage) = (session.selection.event, session.selection.stage);
        Self { part, keys: Vec::new(), time, range, event, stage, take }
    }

    /// Sets the dragged keys.
    pub fn holding(self, keys: Vec<KeyRef>) -> Self {
        Self { keys, ..self }
    }

    /// Returns the take before the drag; `None` if no take was shown.
    pub fn before(&self) -> Option<&Take> {
        self.take.as_ref()
    }

    /// Returns the playhead before the drag, seconds.
    pub fn playhead(&self) -> f64 {
        self.time
    }

    /// Restores the playhead, range, selection and take from before the drag.
    pub fn restore(self, session: &mut Session) {
        (session.playback.time, session.playback.range) = (self.time, self.range);
        (session.selection.event, session.selection.stage) = (self.event, self.stage);
        if let Some(before) = self.take
            && let Some(take) = session.document.take_mut(before.id)
        {
            *take = before;
        }
    }
}
