//! What is being dragged, and how everything was before, so that Esc can put it back.

use crate::document::Take;
use crate::session::Session;
use crate::ui::timeline::model::Part;

/// A drag under way.
#[derive(Clone, Debug)]
pub struct DragState {
    /// What moves; nothing once it was put back and until the button is let go.
    pub part: Option<Part>,
    time: f64,
    range: Option<(f64, f64)>,
    event: Option<usize>,
    take: Option<Take>,
}

impl DragState {
    /// Remembers what dragging `part` may change; nothing, where the cursor is on none.
    pub fn of(part: Option<Part>, session: &Session) -> Self {
        let take = session.shown_take().and_then(|shown| session.document.take(shown.id).cloned());
        let (time, range) = (session.playback.time, session.playback.range);
        Self { part, time, range, event: session.selection.event, take }
    }

    /// Undoes the drag and lets go.
    pub fn put_back(&mut self, session: &mut Session) {
        if self.part.take().is_none() {
            return;
        }
        (session.playback.time, session.playback.range) = (self.time, self.range);
        session.selection.event = self.event;
        if let Some(before) = self.take.take()
            && let Some(take) = session.document.take_mut(before.id)
        {
            *take = before;
        }
    }
}
