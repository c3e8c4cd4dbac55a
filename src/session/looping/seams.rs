//! Search for better loop seams: compares all frames in the background, then builds each candidate and measures its
//! seam.

use std::sync::Arc;

use crate::{Evaluation, JobKey, Jobs, OpenDocument, Playback, Selection, Session, Severity, Shown};
use portamento_base::message::message;
use portamento_base::progress::{Cancelled, Progress};
use portamento_looping::finder::{Candidate, FoundLoops, Search};
use portamento_looping::{SeamReport, Settings};
use portamento_takes::document::{Document, Library, Stage, StageId, Take, TakeId};
use portamento_takes::evaluate::LoopSource;
use portamento_takes::evaluate::{Lookup, TakeError};

/// The state of the seam search: requested lengths, failures and measured seams.
#[derive(Debug, Default)]
pub struct Seams {
    failed: Option<(Arc<LoopSource>, String)>,
    measured: Option<Measured>,
    /// The range of loop lengths to search.
    wanted: WantedLength,
    /// A loop that was just added and still waits for its start and length.
    new: Option<NewLoop>,
}

/// A loop that was just added: its take and its settings. It gets the best start and length unless it is changed first.
#[derive(Clone, Debug)]
struct NewLoop {
    take: TakeId,
    settings: Settings,
}

/// Access to the seam search of the shown loop.
pub struct SeamFinder<'a> {
    seams: &'a mut Seams,
    document: &'a mut Document,
    library: &'a Library,
    selection: &'a Selection,
    evaluation: &'a mut Evaluation,
    playback: &'a mut Playback,
    jobs: &'a mut Jobs,
}

/// The range of loop lengths to search, frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedLength {
    /// Minimum length, frames.
    pub shortest: usize,
    /// Maximum length, frames.
    pub longest: usize,
}

impl Default for WantedLength {
    fn default() -> Self {
        let Search { shortest, longest, .. } = Search::default();
        Self { shortest, longest }
    }
}

impl WantedLength {
    /// Limits the range to lengths of which two cycles fit into `frames` frames; at least 1.
    pub fn within(self, frames: usize) -> Self {
        let most = (frames.max(3) - 1) / 2;
        let shortest = self.shortest.clamp(1, most);
        Self { shortest, longest: self.longest.clamp(shortest, most) }
    }
}

/// The measured seams of the candidates of a comparison.
#[derive(Clone, Debug)]
struct Measured {
    /// The comparison.
    found: Arc<FoundLoops>,
    /// The take up to its loop stage, with start and length cleared.
    recipe: Take,
    /// One per candidate; `None` until measured or if it cannot be.
    seams: Arc<[Option<SeamReport>]>,
}

impl Seams {
    /// Returns the range of loop lengths to search.
    pub fn wanted_length(&self) -> WantedLength {
        self.wanted
    }

    /// Sets the range of loop lengths to search, and allows a failed comparison to start again.
    pub fn want_length(&mut self, wanted: WantedLength) {
        self.wanted = wanted;
        self.failed = None;
    }

    /// Forgets the failure of a comparison, so that the next call of [`SeamFinder::compared`] starts it again.
    pub fn compare_again(&mut self) {
        self.failed = None;
    }

    /// Gives the loop that was just added to `take` the best start and length as soon as they are found. `stage` is the
    /// loop stage.
    pub(crate) fn begin_with_best(&mut self, take: &Take, stage: Option<StageId>) {
        let settings = take.looped(stage).map(|looped| looped.settings.clone());
        self.new = settings.map(|settings| NewLoop { take: take.id, settings });
    }

    /// True if one of `jobs` measures candidate seams.
    pub fn is_measuring(&self, jobs: &Jobs) -> bool {
        jobs.is_running(&JobKey::MeasureSeams)
    }
}

/// Maximum work (units × frames) for measuring candidates; about a few seconds.
const MAX_WORK: usize = 500_000_000;

/// Cost from which no two cycles of a source are alike, so that a new loop keeps all of it. Tuned; no derivation recorded.
const MAX_PLACED_COST: f64 = 0.5;
/// Relative distance of the last frame from the first below which a source is one closed cycle. Tuned; no derivation
/// recorded.
const CLOSED_MAX_DISTANCE: f32 = 0.05;

/// The status of a comparison.
#[derive(Clone, Debug)]
pub enum Compared {
    /// No loop is shown.
    NoLoop,
    /// The comparison is running.
    Running,
    /// The comparison failed, with the reason.
    Failed(String),
    /// The candidates, best first.
    Found(Arc<FoundLoops>),
}

/// Returns the search settings for `frames` frames.
fn search(frames: usize, wanted: WantedLength) -> Search {
    let WantedLength { shortest, longest } = wanted.within(frames);
    Search { shortest, longest, ..Search::default() }
}

impl Session {
    /// Returns the seam search of the shown loop.
    pub fn seam_finder(&mut self) -> SeamFinder<'_> {
        SeamFinder {
            seams: &mut self.seams,
            document: &mut self.document,
            library: &self.library,
            selection: &self.selection,
            evaluation: &mut self.evaluation,
            playback: &mut self.playback,
            jobs: &mut self.jobs,
        }
    }
}

impl Session {
    /// Gives a loop that was just added the best start and length once the frames are compared, as part of the same step of
    /// the history.
    pub(crate) fn place_new_loop(&mut self) {
        let Some(new) = self.seams.new.clone() else { return };
        let is_shown = self.selection.shown == Shown::Take(new.take);
        let looped = self.document.take(new.take).and_then(|take| take.looped(self.selection.stage));
        let is_unchanged = is_shown && looped.is_some_and(|looped| looped.settings == new.settings);
        let has_failed = self.evaluation.failure().is_some();
        let is_drawn = self.evaluation.frame_of(&self.selection.shown).is_some();
        let compared = self.seam_finder().compared();
        match compared {
            _ if !is_unchanged || has_failed => {}
            _ if !is_drawn => return,
            Compared::Running => return,
            Compared::Found(found) => self.apply_best_loop(&new, &found),
            Compared::NoLoop | Compared::Failed(_) => {}
        }
        self.seams.new = None;
    }

    /// Sets the new loop to the best candidate, as part of the step that added it. Without a good candidate the loop stays; a
    /// notice is added if the source is one closed cycle.
    fn apply_best_loop(&mut self, new: &NewLoop, found: &FoundLoops) {
        let best = found.candidates.first().filter(|best| best.cost < MAX_PLACED_COST);
        if let Some(best) = best {
            self.seam_finder().choose(best.start, best.length);
            self.history.amend(&self.document);
        } else if closes(found) {
            let name = self.document.take(new.take).map(|take| take.name.clone()).unwrap_or_default();
            let message = message!(
                "notice.already_loops",
                "The source of “%{take}” is one cycle that already loops: its last frame equals its first. Remove the loop stage to \
                 use it unchanged.",
                take = name,
            );
            self.notices.add(Severity::Info, message);
        }
    }
}

/// True if the source ends in nearly the pose with which it begins.
fn closes(found: &FoundLoops) -> bool {
    let last = found.frames.saturating_sub(1);
    last > 0 && found.distances.get(last * found.frames).is_some_and(|&distance| distance < CLOSED_MAX_DISTANCE)
}

impl SeamFinder<'_> {
    /// Returns the comparison of the shown loop's source frames. Starts a job for it if needed; a failed one starts again
    /// only after [`Seams::compare_again`].
    pub fn compared(&mut self) -> Compared {
        let built = self.evaluation.frame().and_then(|frame| frame.built.clone());
        let looped = built.as_ref().and_then(|built| built.looped(self.selection.stage_index(self.document)));
        let Some((built, source)) = built.clone().zip(looped.map(|looped| looped.source.clone())) else {
            let waits = self
                .opened()
                .take_of(&self.selection.shown)
                .is_some_and(|take| take.looped(self.selection.stage).is_some());
            return if waits && self.jobs.running().next().is_some() { Compared::Running } else { Compared::NoLoop };
        };
        let search = search(source.frames(), self.seams.wanted);
        if let Some(found) = source.found(&search) {
            return Compared::Found(found);
        }
        let job = JobKey::CompareFrames(built.clip_name.clone());
        if self.jobs.is_running(&job) {
            return Compared::Running;
        }
        if let Some((_, words)) = self.seams.failed.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &source)) {
            return Compared::Failed(words.clone());
        }
        self.start_search(job, source, search);
        Compared::Running
    }

    /// Starts a job that searches `source` for loops.
    fn start_search(&mut self, job: JobKey, source: Arc<LoopSource>, search: Search) {
        // Set in advance, because a cancelled job does not report its end.
        self.seams.failed = Some((source.clone(), Cancelled.to_string()));
        let compared = source.clone();
        self.jobs.start(
            job,
            move |progress| compared.find(&search, progress),
            move |session, outcome: Result<Arc<FoundLoops>, TakeError>| {
                // Clear the failure so that the next search over the same frames can start.
                session.seams.failed = outcome.err().map(|error| (source, error.to_string()));
            },
        );
    }

    /// Returns the seams of the candidates in `found`, built with all settings of the shown take. Starts measuring
    /// when `calm` (nothing is being dragged). All are `None` until measured; a candidate stays `None` if it cannot
    /// be built or is too much work.
    pub fn candidate_seams(&mut self, found: &Arc<FoundLoops>, calm: bool) -> Arc<[Option<SeamReport>]> {
        let none: Arc<[Option<SeamReport>]> = found.candidates.iter().map(|_| None).collect();
        let Some(recipe) =
            self.opened().take_of(&self.selection.shown).and_then(|take| without_window(take, self.selection.stage))
        else {
            return none;
        };
        if let Some(known) = &self.seams.measured
            && Arc::ptr_eq(&known.found, found)
            && known.recipe == recipe
        {
            return known.seams.clone();
        }
        if calm && !self.seams.is_measuring(self.jobs) {
            // Marked as unmeasurable until measured, so that a cancelled measurement is not restarted immediately.
            self.seams.measured = Some(Measured { found: found.clone(), recipe: recipe.clone(), seams: none.clone() });
            if self.work(found) <= MAX_WORK {
                self.start_measuring(found, recipe);
            }
        }
        none
    }

    /// Returns the work of all candidates of `found`, units × frames.
    fn work(&self, found: &FoundLoops) -> usize {
        let built = self.evaluation.frame().and_then(|frame| frame.built.as_ref());
        let units = built
            .and_then(|built| built.looped(self.selection.stage_index(self.document)))
            .map_or(0, |looped| looped.units());
        found.candidates.iter().map(|each| each.length).sum::<usize>().saturating_mul(units)
    }

    /// Starts a job that measures the seams of all candidates of `found`, with the other settings of `recipe`.
    fn start_measuring(&mut self, found: &Arc<FoundLoops>, recipe: Take) {
        let opened = OpenDocument { document: self.document, library: self.library };
        let builds = &mut self.evaluation.builds;
        let lookup = |each| builds.find(opened, &with_window(&recipe, each)).ok();
        let lookups: Vec<Option<Lookup>> = found.candidates.iter().map(lookup).collect();
        let found = found.clone();
        let done = move |session: &mut Session, seams: Result<Arc<[Option<SeamReport>]>, Cancelled>| {
            session.seams.measured = seams.ok().map(|seams| Measured { found, recipe, seams });
        };
        self.jobs.start(JobKey::MeasureSeams, move |progress| measured(lookups, progress), done);
    }

    /// Sets start and length of the shown loop, in frames of its source. Does nothing if no take with a loop is shown.
    pub fn choose(&mut self, start: usize, length: usize) {
        let Shown::Take(id) = self.selection.shown else { return };
        if let Some(looped) = self.document.take_mut(id).and_then(|take| take.looped_mut(self.selection.stage)) {
            (looped.settings.start, looped.settings.length) = (start, length);
        }
    }

    /// Sets the shown loop to `candidate` and plays only around its seam.
    pub fn audition(&mut self, candidate: &Candidate) {
        self.choose(candidate.start, candidate.length);
        self.playback.play_seam();
    }

    fn opened(&self) -> OpenDocument<'_> {
        OpenDocument { document: self.document, library: self.library }
    }
}

/// Returns the part of `take` that all candidates share: up to and including its loop stage, without name, start and
/// length. That stage is `at`, or else the first loop. `None` if there is no loop.
fn without_window(mut take: Take, at: Option<StageId>) -> Option<Take> {
    let is_loop = |stage: &Stage| stage.kind.as_loop().is_some();
    let chosen = take.stages.iter().position(|stage| is_loop(stage) && Some(stage.id) == at);
    let at = chosen.or_else(|| take.stages.iter().position(is_loop))?;
    take.stages.truncate(at + 1);
    let settings = &mut take.stages[at].kind.as_loop_mut()?.settings;
    (settings.start, settings.length) = (0, 0);
    take.name.clear();
    Some(take)
}

/// Returns `recipe` with start and length of `candidate` in its last stage, if that is a loop.
fn with_window(recipe: &Take, candidate: &Candidate) -> Take {
    let mut take = recipe.clone();
    if let Some(looped) = take.stages.last_mut().and_then(|stage| stage.kind.as_loop_mut()) {
        (looped.settings.start, looped.settings.length) = (candidate.start, candidate.length);
    }
    take
}

/// Builds the loops and returns their seams. A seam is `None` if its loop cannot be built. Returns `Err` if cancelled.
fn measured(lookups: Vec<Option<Lookup>>, progress: &Progress) -> Result<Arc<[Option<SeamReport>]>, Cancelled> {
    let count = lookups.len();
    let seam = |(i, lookup): (usize, Option<Lookup>)| {
        progress.step(i, count)?;
        let built = lookup.and_then(|lookup| lookup.built(progress).ok());
        Ok(built.and_then(|built| built.last_loop().map(|looped| *looped.report())))
    };
    lookups.into_iter().enumerate().map(seam).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::looping::cloth::shown_cloth;
    use portamento_dynamics::cloth::ClothShape;

    #[test]
    fn the_frames_of_a_loop_are_compared_once_and_a_candidate_can_be_applied() {
        assert!(matches!(Session::inline().seam_finder().compared(), Compared::NoLoop));
        let mut session = shown_cloth(ClothShape::Strip);
        session.update(0.0, true);
        assert!(matches!(session.seam_finder().compared(), Compared::Running));
        session.update(0.0, true);
        let Compared::Found(found) = session.seam_finder().compared() else { panic!("nothing was found") };
        assert_eq!(found.distances.len(), found.frames * found.frames);
        let best = found.candidates[0];
        session.seam_finder().audition(&best);
        session.update(0.0, true);
        let looped = session.shown_take().unwrap().looped(None).unwrap().settings.clone();
        assert_eq!((looped.start, looped.length), (best.start, best.length));
        assert!(session.evaluation.failure().is_none() && session.playback.playing);
    }

    #[test]
    fn a_new_loop_is_one_step_of_the_history_and_keeps_a_source_without_like_cycles() {
        let mut session = shown_cloth(ClothShape::Strip);
        session.update(0.0, true);
        session.document.takes[0].stages.clear();
        session.update(0.0, true);
        let (before, steps) = (session.document.clone(), session.history.current());
        session.perform(crate::Command::Edit(crate::EditCommand::AddLoop));
        (0..6).for_each(|_| session.update(0.0, true));
        let Compared::Found(found) = session.seam_finder().compared() else { panic!("nothing was found") };
        let looped = session.shown_take().unwrap().looped(None).unwrap().settings.clone();
        assert!(found.candidates[0].cost >= MAX_PLACED_COST, "{:?}", found.candidates[0]);
        assert_eq!((looped.start, looped.length), (0, 119));
        assert_eq!(session.history.current(), steps + 1);
        session.perform(crate::Command::Edit(crate::EditCommand::Undo));
        assert_eq!(session.document, before);
    }

    #[test]
    fn a_new_loop_that_is_changed_first_keeps_its_settings() {
        let mut session = shown_cloth(ClothShape::Strip);
        session.update(0.0, true);
        session.document.takes[0].stages.clear();
        session.update(0.0, true);
        session.perform(crate::Command::Edit(crate::EditCommand::AddLoop));
        session.document.takes[0].looped_mut(None).unwrap().settings.length = 11;
        (0..6).for_each(|_| session.update(0.0, true));
        assert_eq!(session.document.takes[0].looped(None).unwrap().settings.length, 11);
    }

    #[test]
    fn a_source_that_ends_as_it_begins_closes() {
        let distances =
            |last: f32| FoundLoops { candidates: Vec::new(), frames: 2, distances: vec![0.0, last, last, 0.0] };
        assert!(closes(&distances(0.01)) && !closes(&distances(0.4)) && !closes(&FoundLoops::default()));
    }

    #[test]
    fn only_loops_of_the_wanted_length_are_listed() {
        let mut session = shown_cloth(ClothShape::Strip);
        (0..3).for_each(|_| session.update(0.0, true));
        let mut lengths = |wanted: WantedLength| {
            session.seams.want_length(wanted);
            session.seam_finder().compared();
            session.update(0.0, true);
            let Compared::Found(found) = session.seam_finder().compared() else { panic!("nothing was found") };
            found.candidates.iter().map(|each| each.length).collect::<Vec<_>>()
        };
        let all = lengths(WantedLength::default());
        let (short, long) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
        assert!(short < long, "{all:?}");
        let few = lengths(WantedLength { shortest: short, longest: short });
        assert!(!few.is_empty() && few.iter().all(|&length| length == short), "{few:?}");
        let swapped = WantedLength { shortest: 10, longest: 4 }.within(100);
        assert_eq!(swapped, WantedLength { shortest: 10, longest: 10 });
        assert_eq!(
            WantedLength { shortest: 90, longest: usize::MAX }.within(31),
            WantedLength { shortest: 15, longest: 15 }
        );
    }

    #[test]
    fn candidate_seams_equal_those_of_the_applied_loops() {
        let mut session = shown_cloth(ClothShape::Strip);
        (0..3).for_each(|_| session.update(0.0, true));
        session.seam_finder().compared();
        session.update(0.0, true);
        for softness in [1.0, 0.4] {
            session.document.takes[0].looped_mut(None).unwrap().settings.fade.softness = softness;
            session.update(0.0, true);
            let Compared::Found(found) = session.seam_finder().compared() else { panic!("nothing was found") };
            assert!(session.seam_finder().candidate_seams(&found, false).iter().all(Option::is_none));
            assert!(!session.seams.is_measuring(&session.jobs), "nothing is measured while something is dragged");
            session.seam_finder().candidate_seams(&found, true);
            assert!(session.seams.is_measuring(&session.jobs));
            session.update(0.0, true);
            let seams = session.seam_finder().candidate_seams(&found, true);
            for (candidate, seam) in found.candidates.iter().zip(seams.iter()) {
                session.seam_finder().choose(candidate.start, candidate.length);
                session.update(0.0, true);
                let built = session.frame().unwrap().built.clone().unwrap();
                assert_eq!(seam.unwrap(), *built.looped(None).unwrap().report(), "{candidate:?}");
            }
            let again = session.seam_finder().candidate_seams(&found, true);
            assert!(Arc::ptr_eq(&seams, &again), "start and length of the shown loop change no candidate");
        }
    }

    #[test]
    fn wanted_lengths_are_limited_to_two_cycles_of_the_frames() {
        let within = |[shortest, longest]: [usize; 2], frames: usize| {
            let WantedLength { shortest, longest } = WantedLength { shortest, longest }.within(frames);
            [shortest, longest]
        };
        assert_eq!(within([1, 9], 21), [1, 9]);
        assert_eq!(within([0, 90], 21), [1, 10]);
        assert_eq!(within([40, 90], 21), [10, 10]);
        assert_eq!(within([1, 9], 2), [1, 1]);
    }
}
