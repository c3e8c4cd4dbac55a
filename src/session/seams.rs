//! Better seams for the shown loop: all frames compared with each other in the background.

use std::sync::Arc;

use super::{Session, Shown};
use crate::evaluate::TakeError;
use crate::evaluate::content::Material;
use crate::systems::looping::finder::{Candidate, Found, Search};

/// A comparison that did not end well, and of what.
#[derive(Debug, Default)]
pub struct Seams {
    failed: Option<(Arc<Material>, String)>,
}

/// How the comparison stands.
#[derive(Clone, Debug)]
pub enum Compared {
    /// There is no loop to be bettered.
    NoLoop,
    /// It is under way.
    Running,
    /// It could not be done, and why.
    Failed(String),
    /// Done.
    Found(Arc<Found>),
}

/// What is looked for in `frames` frames.
fn search(frames: usize) -> Search {
    let longest = (frames.max(3) - 1) / 2;
    Search { shortest: Search::default().shortest.min(longest), ..Search::default() }
}

impl Session {
    /// The frames of the shown loop's source compared; begins to when asked for the first time.
    pub fn compared(&mut self) -> Compared {
        let built = self.frame().and_then(|frame| frame.built.clone());
        let looped = built.as_ref().and_then(|built| built.looped());
        let Some((built, material)) = built.clone().zip(looped.map(|looped| looped.material.clone())) else {
            let waits = self.shown_take().is_some_and(|take| take.looped().is_some());
            return if waits && self.jobs.running().next().is_some() { Compared::Running } else { Compared::NoLoop };
        };
        let search = search(material.frames());
        if let Some(found) = material.found(&search) {
            return Compared::Found(found);
        }
        if let Some((_, words)) = self.seams.failed.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &material)) {
            return Compared::Failed(words.clone());
        }
        let job = format!("Compare {}", built.clip_name);
        if !self.jobs.running().any(|each| each.name == job) {
            self.compare(job, material, search);
        }
        Compared::Running
    }

    fn compare(&mut self, job: String, material: Arc<Material>, search: Search) {
        let compared = material.clone();
        self.jobs.start(
            &job,
            move |progress| compared.find(&search, progress),
            move |session, outcome: Result<Arc<Found>, TakeError>| {
                if let Err(error) = outcome {
                    session.seams.failed = Some((material, error.to_string()));
                }
            },
        );
    }

    /// Compares once more what could not be compared.
    pub fn compare_again(&mut self) {
        self.seams.failed = None;
    }

    /// Takes start and length of `candidate` for the shown loop, as far as its source reaches.
    pub fn choose_seam(&mut self, start: usize, length: usize) {
        let Shown::Take(id) = self.selection.shown else { return };
        if let Some(looped) = self.document.take_mut(id).and_then(|take| take.looped_mut()) {
            (looped.settings.start, looped.settings.length) = (start, length);
        }
    }

    /// Takes `candidate` and plays around its seam alone.
    pub fn audition(&mut self, candidate: &Candidate) {
        self.choose_seam(candidate.start, candidate.length);
        self.playback.play_seam();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Command, EditCommand};
    use crate::systems::looping::cloth::Shape;

    #[test]
    fn the_frames_of_a_loop_are_compared_once_and_a_candidate_can_be_taken() {
        let mut session = Session::inline();
        assert!(matches!(session.compared(), Compared::NoLoop));
        session.perform(Command::Edit(EditCommand::AddCloth(Shape::Strip)));
        session.update(0.0, true);
        assert!(matches!(session.compared(), Compared::Running));
        session.update(0.0, true);
        let Compared::Found(found) = session.compared() else { panic!("nothing was found") };
        assert_eq!(found.distances.len(), found.frames * found.frames);
        let best = found.candidates[0];
        session.audition(&best);
        session.update(0.0, true);
        let looped = session.shown_take().unwrap().looped().unwrap().settings.clone();
        assert_eq!((looped.start, looped.length), (best.start, best.length));
        assert!(session.failure().is_none() && session.playback.playing);
    }
}
