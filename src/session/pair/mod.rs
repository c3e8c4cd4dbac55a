//! Side-by-side comparison of two motions: the shown one and a companion. Not part of the document.

mod sides;

use std::sync::Arc;

use self::sides::Side;
use super::evaluation::builds::{BuildSlot, BuildStatus, Builds};
use super::notices::about;
use super::{Jobs, OpenDocument, Playback, Selection, Session, Severity, Shown};
use portamento_base::message::{Message, Tell, message};
use portamento_takes::document::Take;
use portamento_takes::evaluate::frame::{self, FrameBuffers};
use portamento_takes::evaluate::{BuiltTake, Frame, Overlay, TakeError};

/// Commands for side-by-side comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum PairCommand {
    /// Shows the two rows selected in the library side by side; or the selected row and its newest take; or the shown
    /// take and its source clip. Ends the comparison if these are already shown.
    Toggle,
    /// Shows that item next to the shown one.
    With(Shown),
    /// Ends the comparison and restores the previous view.
    Leave,
}

/// A side-by-side comparison.
#[derive(Debug)]
pub struct Pair {
    first: Shown,
    second: Shown,
    before: Before,
    built: Option<(Arc<BuiltTake>, Arc<Overlay>)>,
    frame: Option<Frame>,
    failure: Option<Message>,
}

/// The view before the comparison.
#[derive(Clone, Debug)]
struct Before {
    selection: Selection,
    /// Time of the playhead, seconds.
    time: f64,
}

impl Pair {
    /// Returns the second item.
    pub fn second(&self) -> &Shown {
        &self.second
    }

    /// Returns the frame of the second motion at the playhead, as of the last [`Session::update`]; `None` while it is
    /// being built.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Returns the trajectories of the second motion; `None` until it is built.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.built.as_ref().map(|(_, overlay)| &**overlay)
    }

    /// Returns the reason the second motion cannot be shown, if so.
    pub fn failure(&self) -> Option<&Message> {
        self.failure.as_ref()
    }

    /// Creates a pair; `None` if both are equal or one does not move in space.
    fn new([first, second]: [Shown; 2], before: Before, opened: OpenDocument) -> Option<Self> {
        let can_pair = |shown: &Shown| opened.can_be_paired(shown);
        let fits = first != second && can_pair(&first) && can_pair(&second);
        fits.then_some(Self { first, second, before, built: None, frame: None, failure: None })
    }

    /// True if the first item is still shown and the second still exists.
    fn is_shown(&self, selection: &Selection, opened: OpenDocument) -> bool {
        self.first == selection.shown && opened.has(&self.second)
    }

    /// Returns the view before the comparison, if its item still exists and is not the first of the pair.
    fn previous_view(self, opened: OpenDocument) -> Option<Before> {
        let shown = &self.before.selection.shown;
        let exists = *shown != self.first && *shown != Shown::Nothing && opened.has(shown);
        exists.then_some(self.before)
    }

    /// Returns the second item, which is shown when the first one no longer exists; `None` if it does not exist either.
    pub(super) fn left(self, opened: OpenDocument) -> Option<Shown> {
        opened.has(&self.second).then_some(self.second)
    }

    /// Returns the duration of the second motion, seconds; 0 until it is built.
    pub(super) fn seconds(&self, playback: &Playback) -> f64 {
        let built = self.built.as_ref();
        built.map_or(0.0, |(built, _)| playback.seconds_of(built.clip.duration, built.repeats()))
    }

    /// Updates the second motion, which is `take`; returns true if a job was started.
    fn show(
        &mut self,
        take: &Take,
        opened: OpenDocument,
        builds: &mut Builds,
        jobs: &mut Jobs,
        playback: &mut Playback,
    ) -> bool {
        let seconds_before = self.seconds(playback);
        match builds.wanted(BuildSlot::Companion, opened, take, jobs) {
            Ok(BuildStatus::Started) => return true,
            Ok(BuildStatus::Built(built)) => self.keep(built),
            Ok(BuildStatus::Waiting) => {}
            // A missing file is no error while jobs may still be loading it.
            Err(TakeError::NotLoaded(_)) if jobs.running().next().is_some() => {}
            Err(error) => {
                (self.built, self.frame) = (None, None);
                self.failure = Some(about(&take.name, error.message()));
            }
        }
        self.pose(playback);
        let seconds = self.seconds(playback);
        if seconds != seconds_before {
            // The playhead covers the longer motion.
            playback.show(playback.duration.max(seconds), playback.fps);
        }
        false
    }

    /// Stores the built second motion with its trajectories, and clears the failure.
    fn keep(&mut self, built: Arc<BuiltTake>) {
        self.failure = None;
        if !self.built.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &built)) {
            let overlay = built.overlay(None);
            self.built = Some((built, overlay));
        }
    }

    /// Poses the second motion at the playhead. Does nothing if it is not built or shows that time already.
    fn pose(&mut self, playback: &Playback) {
        let time = playback.time_within(self.seconds(playback));
        let Some((built, _)) = &self.built else { return };
        let is_same =
            |frame: &Frame| frame.time == time && frame.built.as_ref().is_some_and(|posed| Arc::ptr_eq(posed, built));
        if !self.frame.as_ref().is_some_and(is_same) {
            let before = self.frame.take();
            let overlay = before.as_ref().map_or_else(Arc::default, |frame| frame.overlay.clone());
            let buffers = before.map_or_else(FrameBuffers::default, FrameBuffers::from);
            self.frame = Some(frame::next_frame(buffers, built, &overlay, time));
        }
    }
}

impl Session {
    /// Returns the comparison, if one is shown.
    pub fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref().filter(|pair| pair.is_shown(&self.selection, self.opened()))
    }

    /// True if the rows selected in the library can be compared. Their files need not be open.
    pub fn can_pair_chosen(&mut self) -> bool {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        opened.chosen_sides(&mut self.clips).is_some()
    }

    /// Performs a command for comparisons. Adds a notice if two motions cannot be compared.
    pub(super) fn perform_pair(&mut self, command: PairCommand) {
        match command {
            PairCommand::Toggle => self.toggle_pair(),
            PairCommand::With(second) => {
                let before = self.before_pair();
                self.show_pair([self.selection.shown.clone(), second], before);
            }
            PairCommand::Leave => self.leave_pair(),
        }
    }

    /// Updates the second motion of a pair. Ends a pair whose items no longer exist or are not shown. Returns true if
    /// a job was started.
    pub(super) fn show_second(&mut self) -> bool {
        let take = self.pair().and_then(|pair| self.opened().take_of(&pair.second));
        self.pair = self.pair.take().filter(|_| take.is_some());
        let Some((pair, take)) = self.pair.as_mut().zip(take) else { return false };
        let opened = OpenDocument { document: &self.document, library: &self.library };
        pair.show(&take, opened, &mut self.evaluation.builds, &mut self.jobs, &mut self.playback)
    }

    /// Shows the two chosen items as a pair, or the shown take and its source if no two are chosen. Leaves the pair if it
    /// is shown already.
    fn toggle_pair(&mut self) {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let sides = opened.chosen_sides(&mut self.clips);
        let shown = self.pair().map(|pair| [&pair.first, &pair.second].map(|shown| Some(shown.clone())));
        let known = |sides: &[Side; 2]| sides.each_ref().map(|side| opened.open_item(side));
        match sides {
            Some(sides) if shown.as_ref() != Some(&known(&sides)) => self.open_pair(sides),
            _ if shown.is_some() => self.leave_pair(),
            _ => {
                let sides = opened.with_its_clip(&self.selection.shown).unwrap_or_default();
                let before = self.before_pair();
                self.show_pair(sides, before);
            }
        }
    }

    /// Returns the view to restore; consecutive pairs keep the view before the first one. Ends the pair.
    fn before_pair(&mut self) -> Before {
        let is_pair = self.pair().is_some();
        let now = Before { selection: self.selection.clone(), time: self.playback.time };
        if is_pair { self.pair.take().map_or(now, |pair| pair.before) } else { now }
    }

    /// Shows `sides` after opening their files in a job; if one cannot be opened, shows only the other.
    fn open_pair(&mut self, sides: [Side; 2]) {
        let before = self.before_pair();
        let missing = self.opened().missing_files(&sides);
        self.open_then(missing, move |session| match sides.map(|side| session.opened().open_item(&side)) {
            [Some(first), Some(second)] => session.show_pair([first, second], before),
            [Some(only), None] | [None, Some(only)] => session.selection.show(only),
            [None, None] => {}
        });
    }

    /// Shows `sides` as a pair; adds a notice if they cannot be compared. `before` is restored when the pair ends.
    fn show_pair(&mut self, sides: [Shown; 2], before: Before) {
        let Some(pair) = Pair::new(sides, before, self.opened()) else {
            let message = message!(
                "notice.no_pair",
                "Two motions are needed to compare. Select two clips in the library, or one clip that has a take, \
                 or show a take of a clip.",
            );
            return self.notices.add(Severity::Info, message);
        };
        if self.selection.shown != pair.first {
            self.selection.show(pair.first.clone());
            self.selection.joint = None;
        }
        self.evaluation.builds.forget(BuildSlot::Companion);
        self.pair = Some(pair);
    }

    /// Ends the pair and restores the view before it, if its item still exists; otherwise shows only the first item. Does
    /// nothing without a pair.
    pub(super) fn leave_pair(&mut self) {
        let is_shown = self.pair().is_some();
        let Some(pair) = self.pair.take().filter(|_| is_shown) else { return };
        if let Some(before) = pair.previous_view(self.opened()) {
            self.selection = before.selection;
            self.playback.time = before.time;
        }
    }
}

#[cfg(test)]
mod tests;
