//! Evaluating what is shown, when something changed.

use std::sync::Arc;

use glam::DVec3;

use super::{Level, Session, Shown};
use crate::anim::root_motion;
use crate::document::{FileId, Take, TakeId, TakeSource};
use crate::evaluate::frame::{self, Overlay};
use crate::evaluate::{BuiltTake, TakeError};
use crate::progress::Progress;

/// What the present frame was made from.
#[derive(Debug)]
pub(super) struct Evaluated {
    shown: Shown,
    built: Arc<BuiltTake>,
    overlay: Arc<Overlay>,
    time: f64,
}

impl Session {
    /// `take` built, from memory where its inputs are as before.
    pub fn built(&mut self, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        self.memo.take(&self.document, &self.library, take, &Progress::new())
    }

    /// Brings [`Session::frame`] up to date. What cannot be built leaves the last good frame on screen and says why once.
    pub(super) fn evaluate_shown(&mut self) {
        let Some(take) = self.shown_take() else { return self.show_rest_pose() };
        match self.built(&take) {
            Ok(built) => {
                self.last_failure = None;
                self.show_built(built);
            }
            // While its file is still being read a take is not wrong, only not there yet.
            Err(TakeError::NotLoaded(_)) if self.jobs.running().next().is_some() => {}
            Err(error) => {
                let sentence = format!("{}: {error}", take.name);
                self.play_on();
                if self.last_failure.as_ref() != Some(&sentence) {
                    self.notices.say(Level::Error, sentence.clone());
                    self.last_failure = Some(sentence);
                }
            }
        }
    }

    /// The last good state of what is shown goes on playing.
    fn play_on(&mut self) {
        let last = self.evaluated.as_ref().filter(|last| last.shown == self.selection.shown);
        if let Some(built) = last.map(|last| last.built.clone()) {
            self.show_built(built);
        }
    }

    /// Why what is shown could not be built, if it could not.
    pub fn failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// The recipe of what plays: the selected take, or the selected clip as a take without modifiers.
    pub fn shown_take(&self) -> Option<Take> {
        match &self.selection.shown {
            Shown::Take(id) => self.document.take(*id).cloned(),
            Shown::Clip { character, file, clip } => Some(plain(*character, *file, clip)),
            Shown::Nothing | Shown::File(_) => None,
        }
    }

    /// Key times of the shown clip, sorted, each once; empty when nothing plays.
    pub fn shown_key_times(&self) -> Vec<f64> {
        let built = self.frame.as_ref().and_then(|frame| frame.built.as_ref());
        let mut times: Vec<f64> = built
            .map_or_else(Vec::new, |built| built.clip.key_times().flatten().map(|&time| f64::from(time)).collect());
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Where the character stands at the end of `clip`, world space, in the file's unit.
    pub(super) fn source_end(&mut self, character: FileId, file: FileId, clip: &str) -> Option<DVec3> {
        let built = self.built(&plain(character, file, clip)).ok()?;
        let joint = built.root?.joint;
        let skeleton = &built.character.model.skeleton;
        Some(root_motion::world_at(skeleton, &built.clip, joint, built.clip.duration).translation)
    }

    fn show_built(&mut self, built: Arc<BuiltTake>) {
        self.playback.show(built.clip.duration, built.fps);
        let time = self.playback.time;
        let overlay = match self.evaluated.take() {
            Some(last) if Arc::ptr_eq(&last.built, &built) && last.shown == self.selection.shown => {
                if last.time == time && self.frame.is_some() {
                    self.evaluated = Some(last);
                    return;
                }
                last.overlay
            }
            _ => Arc::new(frame::overlay(&built)),
        };
        self.frame = Some(frame::frame_at(&built, &overlay, time));
        self.evaluated = Some(Evaluated { shown: self.selection.shown.clone(), built, overlay, time });
    }

    fn show_rest_pose(&mut self) {
        self.evaluated = None;
        self.last_failure = None;
        self.frame = match self.selection.shown {
            Shown::File(id) => self.library.get(id).map(frame::rest_frame),
            _ => None,
        };
        self.playback.show(0.0, self.playback.fps);
    }
}

/// A clip as a take without modifiers.
fn plain(character: FileId, file: FileId, clip: &str) -> Take {
    let source = TakeSource::Clip { file, clip: clip.to_owned() };
    Take { id: TakeId(0), name: clip.to_owned(), character, source, modifiers: Vec::new() }
}
