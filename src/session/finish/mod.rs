//! Finishes captured and generated motions: puts them on a character and adds the stages that improve them, with a list of what
//! was done and what was left.

mod figures;
mod search;

use rayon::prelude::*;

pub use figures::{FinishFigure, FinishFigures};

use crate::background::in_background;
use crate::clip_library::{ClipRow, OpenFiles};
use crate::{JobKey, Session, Severity, Shown};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_retarget as retarget;
use portamento_takes::document::clip_ref::{referred_take, take_ref};
use portamento_takes::document::{FileId, Take, TakeId, TakeSource};

/// A request to finish motions: to put them on a character and to add the stages that improve them.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishRequest {
    /// The character.
    pub character: FileId,
    /// The motions: clips, each with its file, or takes by their references.
    pub clips: Vec<(FileId, String)>,
    /// Settings for motions of other rigs.
    pub retarget: retarget::Settings,
    /// The name of a take, with `%{clip}` for its clip.
    pub take: String,
    /// The name of the folder that groups several takes.
    pub folder: String,
    /// True to add a take also for a motion of the character that no stage improves. The take then equals the motion.
    pub adds_unchanged: bool,
}

impl FinishRequest {
    /// Returns a request with language-independent names, for files: each motion gets a take.
    pub fn new(character: FileId, clips: Vec<(FileId, String)>) -> Self {
        let (retarget, adds_unchanged) = (retarget::Settings::default(), true);
        Self { character, clips, retarget, take: "%{clip}".into(), folder: "finished".into(), adds_unchanged }
    }
}

/// Motions that wait for a character.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishQuestion {
    /// The motions, as in a request.
    pub clips: Vec<(FileId, String)>,
    /// The proposed character.
    pub character: FileId,
}

/// The results of the last request.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishTable {
    /// The name of the character.
    pub character: String,
    /// One row per motion, in the order of the request.
    pub rows: Vec<FinishRow>,
}

/// The result of one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishRow {
    /// The name of the take, or of the motion if there is no take.
    pub name: String,
    /// The finished motion with its take, or the reason of a failure. No take is added for a motion that no stage improves, see
    /// [`FinishRequest::adds_unchanged`].
    pub outcome: Result<(Option<TakeId>, Finished), Message>,
}

/// A finished motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The take with the added stages.
    take: Take,
    /// The figures before any stage, on the character.
    pub before: FinishFigures,
    /// The figures after all stages.
    pub after: FinishFigures,
    /// What was done, in order, then what was left.
    pub steps: Vec<FinishStep>,
    /// Warnings of the motion on the character.
    pub warnings: Vec<Message>,
}

/// A step of finishing.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishStep {
    /// `retarget`, or the name of a stage.
    pub name: &'static str,
    /// Its result.
    pub outcome: StepOutcome,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// The step was done.
    Done {
        /// The figures before it; `None` for the first motion on the character.
        before: Option<FinishFigures>,
        /// The figures after it.
        after: FinishFigures,
    },
    /// The step was left out, for this reason.
    Left(Message),
}

impl Finished {
    /// True if no step was done.
    fn is_unchanged(&self) -> bool {
        self.steps.iter().all(|step| step.after().is_none())
    }
}

impl FinishStep {
    /// Returns the figures after the step, if it was done.
    pub fn after(&self) -> Option<FinishFigures> {
        match &self.outcome {
            StepOutcome::Done { after, .. } => Some(*after),
            StepOutcome::Left(_) => None,
        }
    }
}

impl Session {
    /// Starts a job that finishes the motions of `request`. The takes are one undo step; the list is in
    /// [`Session::finished`]. Without a motion, adds a notice instead.
    pub(crate) fn finish_clips(&mut self, request: FinishRequest) {
        let takes: Vec<Take> = request.clips.iter().map(|(file, clip)| self.base_take(&request, *file, clip)).collect();
        if takes.is_empty() {
            return self.notices.add(Severity::Info, nothing_selected());
        }
        let open = OpenFiles { document: self.document.clone(), library: self.library.clone() };
        let work = move |progress: &Progress| {
            let count = takes.len();
            let finish = |take: Take| {
                let part = progress.one_of(count);
                let (name, result) = (take.name.clone(), search::finished(&open, take, &part));
                // The result of a cancelled job is not used.
                let _ = part.finish();
                (name, result)
            };
            in_background(|| takes.into_par_iter().map(finish).collect::<Vec<_>>())
        };
        self.jobs.start(JobKey::Finish, work, move |session, results| session.add_finished(&request, results));
    }

    /// Opens the files of `rows` in a job, then asks on which character they are to be finished.
    pub(crate) fn ask_to_finish_rows(&mut self, rows: Vec<ClipRow>) {
        self.with_clips(rows, |session, clips| {
            session.ask_to_finish(clips.into_iter().map(|(file, row)| (file, row.clip)).collect());
        });
    }

    /// Opens the question on which character to finish the motions `clips`, see [`FinishRequest`]; if empty, the shown clip
    /// or take. Without a motion or a character, adds a notice instead.
    pub(crate) fn ask_to_finish(&mut self, clips: Vec<(FileId, String)>) {
        let shown = match &self.selection.shown {
            Shown::Clip { file, clip, .. } => Some((*file, clip.clone())),
            Shown::Take(id) => self.document.take(*id).map(|take| (take.character, take_ref(*id))),
            _ => None,
        };
        let clips = if clips.is_empty() { shown.into_iter().collect() } else { clips };
        let own = clips.first().map(|(file, _)| *file);
        let rigs = self.opened().rigs();
        // The rigs with a mesh come first; a clip of a character stays on it.
        let character =
            own.filter(|&file| self.opened().has_mesh(file)).or_else(|| rigs.first().map(|(file, _)| *file));
        match character {
            Some(character) if !clips.is_empty() => self.asked_finish = Some(FinishQuestion { clips, character }),
            _ if clips.is_empty() => self.notices.add(Severity::Info, nothing_selected()),
            _ => self.notices.add(Severity::Info, no_character()),
        }
    }

    /// Returns the take of the motion `clip` of `file` on the character, without further stages. A take of the character
    /// itself keeps its stages.
    fn base_take(&self, request: &FinishRequest, file: FileId, clip: &str) -> Take {
        let name = self.document.clip_title(clip);
        let character = request.character;
        let own = referred_take(clip).and_then(|id| self.document.take(id)).filter(|take| take.character == character);
        if let Some(take) = own {
            return Take { id: TakeId(0), ..take.clone() };
        }
        if file == character && referred_take(clip).is_none() {
            let source = TakeSource::Clip { file, clip: clip.to_owned() };
            return Take { id: TakeId(0), name, character, source, stages: Vec::new(), loops: None };
        }
        let mut take = Take { name, ..self.opened().new_retarget(character, file, clip.to_owned()) };
        if let TakeSource::Retarget(source) = &mut take.source {
            source.settings = request.retarget.clone();
        }
        take
    }

    /// Adds the finished takes to the folder of `request` and shows the table of all results. Does nothing if the character was
    /// closed meanwhile. Adds a notice with the number of finished motions.
    fn add_finished(&mut self, request: &FinishRequest, results: Vec<(String, Result<Finished, Message>)>) {
        // The file may have been closed meanwhile.
        let Some(loaded) = self.library.get(request.character) else { return };
        let (character, before) = (loaded.model.name.clone(), self.document.takes.len());
        let mut rows = Vec::with_capacity(results.len());
        for (clip, result) in results {
            rows.push(match result {
                Ok(finished) if finished.is_unchanged() && !request.adds_unchanged => {
                    FinishRow { name: clip, outcome: Ok((None, finished)) }
                }
                Ok(finished) => {
                    let name = request.take.replace("%{clip}", &clip);
                    let id = self.add_take(Take { name, ..finished.take.clone() });
                    let name = self.document.take(id).map_or(clip, |take| take.name.clone());
                    FinishRow { name, outcome: Ok((Some(id), finished)) }
                }
                Err(why) => FinishRow { name: clip, outcome: Err(why) },
            });
        }
        self.gather_new_takes(before, &request.folder);
        let (count, all) = (self.document.takes.len() - before, rows.len());
        let unchanged = rows.iter().filter(|row| matches!(row.outcome, Ok((None, _)))).count();
        if unchanged < all {
            let severity = if count + unchanged == all { Severity::Done } else { Severity::Warning };
            self.notices.add(severity, message!("notice.finished", "Finished %{count} of %{all} motions.", count, all));
        }
        if unchanged > 0 {
            let message = message!(
                "notice.nothing_finished",
                "No stage improves %{unchanged} %{unchanged|motion|motions}, so nothing was done and no take was added. The list gives the reasons.",
                unchanged
            );
            self.notices.add(Severity::Info, message);
        }
        self.finished = Some(FinishTable { character, rows });
    }
}

/// Returns the notice that no motion is selected.
fn nothing_selected() -> Message {
    message!("notice.nothing_to_finish", "No motion is selected. Select clips or takes.")
}

/// Returns the notice that no character is open.
fn no_character() -> Message {
    message!("notice.no_character_to_finish", "No character is open. Open the file of a character with a skeleton.")
}

#[cfg(test)]
mod tests;
