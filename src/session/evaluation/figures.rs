//! Figures of the shown motion, measured in the background.

use std::sync::{Arc, Weak};

use super::Evaluation;
use crate::clip_library::quality_within;
use crate::{JobKey, Jobs, Shown};
use portamento_anim::quality::Quality;
use portamento_takes::evaluate::{BuiltTake, FrameContent};

/// The measured figures of the shown motion.
#[derive(Debug, Default)]
pub(super) struct ShownFigures {
    /// The take that was measured last, or is being measured.
    of: Weak<BuiltTake>,
    /// The shown item that `of` belongs to.
    shown: Shown,
    quality: Option<Quality>,
    /// True if `quality` belongs to `of`.
    is_done: bool,
    /// True if a panel asked for the figures since the last update.
    is_wanted: bool,
}

/// The figures of the shown motion, possibly outdated.
#[derive(Clone, Debug, PartialEq)]
pub struct FiguresOfShown {
    /// The figures; those of an earlier state unless [`FiguresOfShown::is_current`]. `None` if nothing could be
    /// measured yet.
    pub quality: Option<Quality>,
    /// True if they belong to the current motion.
    pub is_current: bool,
}

impl Evaluation {
    /// Returns the figures of the shown motion, and requests a measurement at the next update while nothing is edited.
    pub fn figures(&mut self) -> FiguresOfShown {
        self.want_figures();
        let (built, figures) = (self.posed_take(), &self.figures);
        let is_current = built.is_some_and(|built| figures.is_done && figures.is_of(&built));
        let quality = figures.quality.as_ref().filter(|_| figures.shown == self.state.shown);
        FiguresOfShown { quality: quality.cloned(), is_current }
    }

    /// Requests a measurement of the shown motion and of its blend at the next update while nothing is edited.
    pub fn want_figures(&mut self) {
        self.figures.is_wanted = true;
    }

    /// Starts a job that measures the shown motion, if it was requested and is not measured yet. Does nothing unless `calm`
    /// (no drag or text input is active); the request then lapses.
    pub(crate) fn measure(&mut self, calm: bool, jobs: &mut Jobs) {
        let is_wanted = std::mem::take(&mut self.figures.is_wanted);
        let Some(built) = self.posed_take().filter(|built| is_wanted && calm && !self.figures.is_of(built)) else {
            return;
        };
        self.figures.begin(&built, &self.state.shown);
        let of = built.clone();
        jobs.start(
            JobKey::MeasureMotion,
            move |progress| {
                of.blended.iter().try_for_each(|blended| blended.measured(progress).map(drop)).ok()?;
                quality_within(&of, progress).ok().flatten()
            },
            move |session, quality| session.evaluation.figures.end(&built, quality),
        );
    }

    /// Returns the built take of the frame; `None` if it shows no skeleton.
    fn posed_take(&self) -> Option<Arc<BuiltTake>> {
        let frame = self.frame.as_ref().filter(|frame| frame.content == FrameContent::Posed)?;
        frame.built.clone()
    }
}

impl ShownFigures {
    /// Marks `built`, the motion of `shown`, as being measured.
    fn begin(&mut self, built: &Arc<BuiltTake>, shown: &Shown) {
        if self.shown != *shown {
            (self.shown, self.quality) = (shown.clone(), None);
        }
        (self.of, self.is_done) = (Arc::downgrade(built), false);
    }

    /// Stores the figures of `built`, unless another motion is measured meanwhile.
    fn end(&mut self, built: &Arc<BuiltTake>, quality: Option<Quality>) {
        if self.is_of(built) {
            (self.quality, self.is_done) = (quality, true);
        }
    }

    /// True if `built` was measured last, or is being measured.
    fn is_of(&self, built: &Arc<BuiltTake>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(built))
    }
}
