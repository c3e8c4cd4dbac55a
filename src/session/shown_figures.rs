//! The figures of the motion that is shown, measured in the background once it has come to rest.

use std::sync::{Arc, Weak};

use super::clip_library::quality_within;
use super::{Session, Shown};
use crate::anim::quality::Quality;
use crate::evaluate::{BuiltTake, FrameContent};
use crate::message::message;

/// What is known of the motion that is shown.
#[derive(Debug, Default)]
pub(super) struct ShownFigures {
    /// What was measured last, or is being measured.
    of: Weak<BuiltTake>,
    /// Of what that was the motion.
    shown: Shown,
    quality: Option<Quality>,
    /// Whether `quality` is that of `of`.
    is_done: bool,
    /// Whether somebody looks at them.
    is_wanted: bool,
}

/// The figures of what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FiguresOfShown {
    /// The figures, or those of how the same was before while [`FiguresOfShown::is_current`] is not; `None` where nothing was
    /// measured or can be.
    pub quality: Option<Quality>,
    /// Whether they are those of the present motion.
    pub is_current: bool,
}

impl Session {
    /// The figures of the shown motion. To ask lets them be measured as soon as nothing is being dragged or typed.
    pub fn figures_of_shown(&mut self) -> FiguresOfShown {
        let built = self.posed_take();
        let figures = &mut self.figures;
        figures.is_wanted = true;
        let is_current = built.is_some_and(|built| figures.is_done && figures.is_of(&built));
        let quality = figures.quality.as_ref().filter(|_| figures.shown == self.frame_state.shown);
        FiguresOfShown { quality: quality.cloned(), is_current }
    }

    /// Measures what is shown where somebody wants to know and it is not measured yet.
    pub(super) fn measure_shown(&mut self, calm: bool) {
        let is_wanted = std::mem::take(&mut self.figures.is_wanted);
        let Some(built) = self.posed_take().filter(|built| is_wanted && calm && !self.figures.is_of(built)) else {
            return;
        };
        if self.figures.shown != self.frame_state.shown {
            (self.figures.shown, self.figures.quality) = (self.frame_state.shown.clone(), None);
        }
        self.figures.of = Arc::downgrade(&built);
        self.figures.is_done = false;
        let name = message!("job.measure_take", "Measure the motion");
        let of = built.clone();
        self.jobs.start(
            name,
            move |progress| quality_within(&of, progress).ok().flatten(),
            move |session, quality| {
                if session.figures.is_of(&built) {
                    (session.figures.quality, session.figures.is_done) = (quality, true);
                }
            },
        );
    }

    fn posed_take(&self) -> Option<Arc<BuiltTake>> {
        let frame = self.frame.as_ref().filter(|frame| frame.content == FrameContent::Posed)?;
        frame.built.clone()
    }
}

impl ShownFigures {
    fn is_of(&self, built: &Arc<BuiltTake>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(built))
    }
}
