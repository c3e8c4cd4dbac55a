//! Two motions side by side at one time: the one that is shown and another beside it. The document knows nothing of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clip_library::ClipRow;
use super::shown::{Building, about};
use super::{OpenDocument, Selection, Session, Severity, Shown};
use crate::document::clip_ref::referred_take;
use crate::document::{Take, TakeId, TakeSource};
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
    pub(super) building: Option<Building>,
    frame: Option<Frame>,
    failure: Option<Message>,
}

/// What was looked at before, and the playhead, seconds.
type Before = (Selection, f64);

/// One of two motions, whose file may not be open yet.
#[derive(Clone, Debug)]
enum PairMember {
    Clip { file: PathBuf, clip: String },
    Known(Shown),
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

    fn keep(&mut self, built: Arc<BuiltTake>) {
        self.failure = None;
        if !self.built.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &built)) {
            let overlay = overlay::overlay(&built, None);
            self.built = Some((built, overlay));
        }
    }
}

impl Session {
    /// The pair that is shown, if one is.
    pub fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref().filter(|pair| pair.first == self.selection.shown && self.opened().has(&pair.second))
    }

    /// Whether the rows chosen in the library make a pair.
    pub fn can_pair_chosen(&mut self) -> bool {
        self.chosen_sides().is_some()
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

    fn toggle_pair(&mut self) {
        let is_pair = self.pair().is_some();
        match self.chosen_sides() {
            Some(sides) if !self.shows(&sides) => self.open_pair(sides),
            _ if is_pair => self.leave_pair(),
            _ => {
                let sides = self.with_its_clip().unwrap_or_default();
                let before = self.before_pair();
                self.show_pair(sides, before);
            }
        }
    }

    /// What stays the same from the first pair to the last of several in a row.
    fn before_pair(&mut self) -> Before {
        let now = (self.selection.clone(), self.playback.time);
        match self.pair().is_some() {
            true => self.pair.take().map_or(now, |pair| pair.before),
            false => now,
        }
    }

    /// The two rows chosen in the library, the upper one first, or the one and the newest take made of it.
    fn chosen_sides(&mut self) -> Option<[PairMember; 2]> {
        let mut chosen: Vec<usize> = self.clips.chosen.iter().copied().take(3).collect();
        let order = self.clips.shown();
        chosen.sort_by_key(|row| order.iter().position(|each| each == row).unwrap_or(usize::MAX));
        let rows: Vec<&ClipRow> = chosen.iter().filter_map(|&at| self.clips.rows().get(at)).collect();
        match rows[..] {
            [upper, lower] => Some([PairMember::from_row(upper), PairMember::from_row(lower)]),
            [only] => {
                Some([PairMember::from_row(only), PairMember::Known(Shown::Take(self.opened().newest_take_of(only)?))])
            }
            _ => None,
        }
    }

    /// The shown take and what it begins with.
    fn with_its_clip(&self) -> Option<[Shown; 2]> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let take = self.document.take(id)?;
        let TakeSource::Clip { file, clip } = &take.source else { return None };
        let plain = || Shown::Clip { character: take.character, file: *file, clip: clip.clone() };
        Some([Shown::Take(id), referred_take(clip).map_or_else(plain, Shown::Take)])
    }

    /// Whether `sides` are what is shown.
    fn shows(&self, sides: &[PairMember; 2]) -> bool {
        let [first, second] = sides.each_ref().map(|side| self.opened().known(side));
        self.pair().is_some_and(|pair| first.as_ref() == Some(&pair.first) && second.as_ref() == Some(&pair.second))
    }

    /// Shows `sides` after their files are opened; one that cannot be opened leaves the other alone.
    fn open_pair(&mut self, sides: [PairMember; 2]) {
        let before = self.before_pair();
        let mut missing: Vec<PathBuf> =
            sides.iter().filter_map(|side| self.missing(side)).map(Path::to_owned).collect();
        missing.dedup();
        self.open_then(missing, move |session| match sides.map(|side| session.opened().known(&side)) {
            [Some(first), Some(second)] => session.show_pair([first, second], before),
            [Some(only), None] | [None, Some(only)] => session.selection.show(only),
            [None, None] => {}
        });
    }

    fn missing<'s>(&self, side: &'s PairMember) -> Option<&'s Path> {
        match side {
            PairMember::Clip { file, .. } if self.opened().known(side).is_none() => Some(file),
            _ => None,
        }
    }

    fn show_pair(&mut self, [first, second]: [Shown; 2], before: Before) {
        if first == second || ![&first, &second].into_iter().all(|shown| self.can_stand_beside(shown)) {
            let message = message!(
                "notice.no_pair",
                "There are no two motions to show side by side. Choose two clips in the library, or one that a take was made of, \
                 or show a take of a clip.",
            );
            return self.notices.say(Severity::Info, message);
        }
        if self.selection.shown != first {
            self.selection.show(first.clone());
            self.selection.joint = None;
        }
        self.pair = Some(Pair { first, second, before, built: None, building: None, frame: None, failure: None });
    }

    /// Whether `shown` moves in space.
    fn can_stand_beside(&self, shown: &Shown) -> bool {
        let is_file = matches!(shown, Shown::File(_));
        let take = self.opened().take_of(shown).filter(|_| !is_file);
        take.is_some_and(|take| !matches!(take.source, TakeSource::Images { .. }))
    }

    /// Shows what was shown before the pair, if it is still there; else the first of the pair alone.
    pub(super) fn leave_pair(&mut self) {
        let is_shown = self.pair().is_some();
        let Some(pair) = self.pair.take().filter(|_| is_shown) else { return };
        let (selection, time) = pair.before;
        let is_other = selection.shown != pair.first && selection.shown != Shown::Nothing;
        if is_other && self.opened().has(&selection.shown) {
            self.selection = selection;
            self.playback.time = time;
        }
    }

    /// What is left to show of a pair whose first one is gone.
    pub(super) fn left_of_pair(&mut self) -> Option<Shown> {
        let second = self.pair.take()?.second;
        self.opened().has(&second).then_some(second)
    }

    /// How long the second of a pair is, seconds; 0 where there is none.
    pub(super) fn pair_seconds(&self) -> f64 {
        let built = self.pair().and_then(|pair| pair.built.as_ref());
        built.map_or(0.0, |(built, _)| self.playback.seconds_of(built.clip.duration, built.repeats()))
    }

    /// Brings the second of a pair up to date; a pair of which something is gone, or whose first is no longer shown, ends.
    pub(super) fn evaluate_pair(&mut self) {
        let Some(take) = self.pair().and_then(|pair| self.opened().take_of(&pair.second)) else {
            self.pair = None;
            return;
        };
        let outcome = self.second_built(&take);
        let is_loading = self.jobs.running().next().is_some();
        let seconds_before = self.pair_seconds();
        let Some(pair) = &mut self.pair else { return };
        match outcome {
            Ok(Some(built)) => pair.keep(built),
            Ok(None) => {}
            // While its file is still being read it is not wrong, only not there yet.
            Err(TakeError::NotLoaded(_)) if is_loading => {}
            Err(error) => {
                (pair.built, pair.frame) = (None, None);
                pair.failure = Some(about(&take.name, error.message()));
            }
        }
        self.pose_second();
        if self.pair_seconds() != seconds_before {
            // The playhead may go as far as the longer one.
            self.show_seconds(self.playback.duration, self.playback.fps);
        }
    }

    /// `take` built, or nothing while a job of its own builds it.
    fn second_built(&mut self, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        self.swap_building();
        let built = self.built_or_begun(take);
        self.swap_building();
        built
    }

    fn swap_building(&mut self) {
        if let Some(pair) = &mut self.pair {
            std::mem::swap(&mut self.building, &mut pair.building);
        }
    }

    fn pose_second(&mut self) {
        let seconds = self.pair_seconds();
        let time = self.playback.time_within(seconds);
        let Some(pair) = &mut self.pair else { return };
        let Some((built, _)) = &pair.built else { return };
        let is_same =
            |frame: &Frame| frame.time == time && frame.built.as_ref().is_some_and(|posed| Arc::ptr_eq(posed, built));
        if !pair.frame.as_ref().is_some_and(is_same) {
            let before = pair.frame.take();
            let overlay = before.as_ref().map_or_else(Arc::default, |frame| frame.overlay.clone());
            let buffers = before.map_or_else(FrameBuffers::default, FrameBuffers::from);
            pair.frame = Some(frame::next_frame(buffers, built, &overlay, time));
        }
    }
}

impl<'a> OpenDocument<'a> {
    fn newest_take_of(self, row: &ClipRow) -> Option<TakeId> {
        let Shown::Clip { file, clip, .. } = self.known(&PairMember::from_row(row))? else { return None };
        let source = TakeSource::Clip { file, clip };
        self.document.takes.iter().rev().find(|take| take.source == source).map(|take| take.id)
    }

    /// What `side` is, if its file is open.
    fn known(self, side: &PairMember) -> Option<Shown> {
        match side {
            PairMember::Known(shown) => Some(shown.clone()),
            PairMember::Clip { file, clip } => {
                let file = self.document.files.iter().find(|known| known.path == *file)?.id;
                Some(Shown::Clip { character: file, file, clip: clip.clone() })
            }
        }
    }
}

impl PairMember {
    fn from_row(row: &ClipRow) -> Self {
        let file = std::path::absolute(&row.file).unwrap_or_else(|_| row.file.clone());
        Self::Clip { file, clip: row.clip.clone() }
    }
}

#[cfg(test)]
mod tests;
