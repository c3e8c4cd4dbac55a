//! Two motions side by side at one time: the one that is shown and another beside it. The document knows nothing of it.

mod sides;

use std::sync::Arc;

use self::sides::Side;
use super::evaluation::builds::{Builds, Place, Standing};
use super::notices::about;
use super::{Jobs, OpenDocument, Playback, Selection, Session, Severity, Shown};
use crate::document::Take;
use crate::evaluate::frame::{self, FrameBuffers};
use crate::evaluate::{BuiltTake, Frame, Overlay, TakeError, overlay};
use crate::message::{Message, Tell, message};

/// What can be asked of a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum PairCommand {
    /// Shows the two rows chosen in the library, or the one and the take made of it, or else the shown take and its clip; ends it
    /// where these are shown already.
    Toggle,
    /// Shows that beside what is shown.
    With(Shown),
    /// Shows again what was shown before.
    Leave,
}

/// What stands beside what is shown.
#[derive(Debug)]
pub struct Pair {
    first: Shown,
    second: Shown,
    before: Before,
    built: Option<(Arc<BuiltTake>, Overlay)>,
    frame: Option<Frame>,
    failure: Option<Message>,
}

/// What was looked at before.
#[derive(Clone, Debug)]
struct Before {
    selection: Selection,
    /// The playhead, seconds.
    time: f64,
}

impl Pair {
    /// What the second one is.
    pub fn second(&self) -> &Shown {
        &self.second
    }

    /// The second one at the playhead, as of the last [`Session::update`]; `None` while it is being made.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Where the second one goes.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.built.as_ref().map(|(_, overlay)| overlay)
    }

    /// Why the second one cannot be shown, if so.
    pub fn failure(&self) -> Option<&Message> {
        self.failure.as_ref()
    }

    /// A pair of two motions that differ and move in space.
    fn new([first, second]: [Shown; 2], before: Before, opened: OpenDocument) -> Option<Self> {
        let can_stand = |shown: &Shown| opened.can_stand_beside(shown);
        let fits = first != second && can_stand(&first) && can_stand(&second);
        fits.then_some(Self { first, second, before, built: None, frame: None, failure: None })
    }

    /// Whether it is seen: its first is what `selection` shows, its second is still there.
    fn is_shown(&self, selection: &Selection, opened: OpenDocument) -> bool {
        self.first == selection.shown && opened.has(&self.second)
    }

    /// What was shown before it, if that is still there and no part of it.
    fn way_back(self, opened: OpenDocument) -> Option<Before> {
        let shown = &self.before.selection.shown;
        let is_there = *shown != self.first && *shown != Shown::Nothing && opened.has(shown);
        is_there.then_some(self.before)
    }

    /// What is left to show where its first one is gone.
    pub(super) fn left(self, opened: OpenDocument) -> Option<Shown> {
        opened.has(&self.second).then_some(self.second)
    }

    /// How long the second one is, seconds; 0 while it is not there.
    pub(super) fn seconds(&self, playback: &Playback) -> f64 {
        let built = self.built.as_ref();
        built.map_or(0.0, |(built, _)| playback.seconds_of(built.clip.duration, built.repeats()))
    }

    /// Brings the second one, which is `take`, up to date; answers whether a job was begun for it.
    fn show(
        &mut self,
        take: &Take,
        opened: OpenDocument,
        builds: &mut Builds,
        jobs: &mut Jobs,
        playback: &mut Playback,
    ) -> bool {
        let seconds_before = self.seconds(playback);
        match builds.wanted(Place::Beside, opened, take, jobs) {
            Ok(Standing::Begun) => return true,
            Ok(Standing::Built(built)) => self.keep(built),
            Ok(Standing::Waiting) => {}
            // While its file is still being read it is not wrong, only not there yet.
            Err(TakeError::NotLoaded(_)) if jobs.running().next().is_some() => {}
            Err(error) => {
                (self.built, self.frame) = (None, None);
                self.failure = Some(about(&take.name, error.message()));
            }
        }
        self.pose(playback);
        let seconds = self.seconds(playback);
        if seconds != seconds_before {
            // The playhead may go as far as the longer one.
            playback.show(playback.duration.max(seconds), playback.fps);
        }
        false
    }

    fn keep(&mut self, built: Arc<BuiltTake>) {
        self.failure = None;
        if !self.built.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &built)) {
            let overlay = overlay::overlay(&built, None);
            self.built = Some((built, overlay));
        }
    }

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
    /// The pair that is shown, if one is.
    pub fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref().filter(|pair| pair.is_shown(&self.selection, self.opened()))
    }

    /// Whether the rows chosen in the library make a pair.
    pub fn can_pair_chosen(&mut self) -> bool {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        opened.chosen_sides(&mut self.clips).is_some()
    }

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

    /// Brings the second of a pair up to date; a pair of which something is gone, or whose first is no longer shown, ends. Answers
    /// whether a job was begun for it.
    pub(super) fn show_second(&mut self) -> bool {
        let take = self.pair().and_then(|pair| self.opened().take_of(&pair.second));
        self.pair = self.pair.take().filter(|_| take.is_some());
        let Some((pair, take)) = self.pair.as_mut().zip(take) else { return false };
        let opened = OpenDocument { document: &self.document, library: &self.library };
        pair.show(&take, opened, &mut self.evaluation.builds, &mut self.jobs, &mut self.playback)
    }

    fn toggle_pair(&mut self) {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let sides = opened.chosen_sides(&mut self.clips);
        let shown = self.pair().map(|pair| [&pair.first, &pair.second].map(|shown| Some(shown.clone())));
        let known = |sides: &[Side; 2]| sides.each_ref().map(|side| opened.known(side));
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

    /// What stays the same from the first pair to the last of several in a row.
    fn before_pair(&mut self) -> Before {
        let is_pair = self.pair().is_some();
        let now = Before { selection: self.selection.clone(), time: self.playback.time };
        if is_pair { self.pair.take().map_or(now, |pair| pair.before) } else { now }
    }

    /// Shows `sides` after their files are opened; one that cannot be opened leaves the other alone.
    fn open_pair(&mut self, sides: [Side; 2]) {
        let before = self.before_pair();
        let missing = self.opened().missing_files(&sides);
        self.open_then(missing, move |session| match sides.map(|side| session.opened().known(&side)) {
            [Some(first), Some(second)] => session.show_pair([first, second], before),
            [Some(only), None] | [None, Some(only)] => session.selection.show(only),
            [None, None] => {}
        });
    }

    fn show_pair(&mut self, sides: [Shown; 2], before: Before) {
        let Some(pair) = Pair::new(sides, before, self.opened()) else {
            let message = message!(
                "notice.no_pair",
                "There are no two motions to show side by side. Choose two clips in the library, or one that a take was made of, \
                 or show a take of a clip.",
            );
            return self.notices.say(Severity::Info, message);
        };
        if self.selection.shown != pair.first {
            self.selection.show(pair.first.clone());
            self.selection.joint = None;
        }
        self.evaluation.builds.forget(Place::Beside);
        self.pair = Some(pair);
    }

    /// Shows what was shown before the pair, if it is still there; else the first of the pair alone.
    pub(super) fn leave_pair(&mut self) {
        let is_shown = self.pair().is_some();
        let Some(pair) = self.pair.take().filter(|_| is_shown) else { return };
        if let Some(before) = pair.way_back(self.opened()) {
            self.selection = before.selection;
            self.playback.time = before.time;
        }
    }
}

#[cfg(test)]
mod tests;
