//! The figures of the motion that is shown, measured in the background once it has come to rest.

use std::sync::{Arc, Weak};

use super::Evaluation;
use crate::anim::quality::Quality;
use crate::evaluate::{BuiltTake, FrameContent};
use crate::message::message;
use crate::session::clip_library::quality_within;
use crate::session::{Jobs, Shown};

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

impl Evaluation {
    /// The figures of the shown motion. To ask lets them be measured as soon as nothing is being dragged or typed.
    pub fn figures(&mut self) -> FiguresOfShown {
        let built = self.posed_take();
        let figures = &mut self.figures;
        figures.is_wanted = true;
        let is_current = built.is_some_and(|built| figures.is_done && figures.is_of(&built));
        let quality = figures.quality.as_ref().filter(|_| figures.shown == self.state.shown);
        FiguresOfShown { quality: quality.cloned(), is_current }
    }

    /// Measures what is shown as one of `jobs`, where somebody wants to know and it is not measured yet.
    pub(in crate::session) fn measure(&mut self, calm: bool, jobs: &mut Jobs) {
        let is_wanted = std::mem::take(&mut self.figures.is_wanted);
        let Some(built) = self.posed_take().filter(|built| is_wanted && calm && !self.figures.is_of(built)) else {
            return;
        };
        self.figures.begin(&built, &self.state.shown);
        let name = message!("job.measure_take", "Measure the motion");
        let of = built.clone();
        jobs.start(
            name,
            move |progress| quality_within(&of, progress).ok().flatten(),
            move |session, quality| session.evaluation.figures.end(&built, quality),
        );
    }

    fn posed_take(&self) -> Option<Arc<BuiltTake>> {
        let frame = self.frame.as_ref().filter(|frame| frame.content == FrameContent::Posed)?;
        frame.built.clone()
    }
}

impl ShownFigures {
    /// `built`, the motion of `shown`, is being measured.
    fn begin(&mut self, built: &Arc<BuiltTake>, shown: &Shown) {
        if self.shown != *shown {
            (self.shown, self.quality) = (shown.clone(), None);
        }
        (self.of, self.is_done) = (Arc::downgrade(built), false);
    }

    fn end(&mut self, built: &Arc<BuiltTake>, quality: Option<Quality>) {
        if self.is_of(built) {
            (self.quality, self.is_done) = (quality, true);
        }
    }

    fn is_of(&self, built: &Arc<BuiltTake>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(built))
    }
}
