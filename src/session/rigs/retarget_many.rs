//! Retargets many clips to a character: one take per clip, one undo step, and a table of the results.

use rayon::prelude::*;

use crate::background::in_background;
use crate::clip_library::ClipRow;
use crate::{JobKey, Session, Severity};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_takes::document::{FileId, Take, TakeId, TakeSource};
use portamento_takes::evaluate::{BuiltTake, TakeCache, TakeError};

/// The results of the last retarget of several clips.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetTable {
    /// The name of the character.
    pub character: String,
    /// One row per clip, in the order of the clips.
    pub rows: Vec<RetargetRow>,
}

/// The result of one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetRow {
    /// The name of the take, or of the clip if there is no take.
    pub name: String,
    /// The new take with its figures, or the reason why the clip could not be retargeted.
    pub outcome: Result<RetargetFigures, Message>,
}

/// The figures of a retargeted take.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetFigures {
    /// The take.
    pub take: TakeId,
    /// Duration, seconds.
    pub seconds: f64,
    /// Number of mapped joints.
    pub linked: usize,
    /// The largest angle between a bone and its source bone, degrees.
    pub direction_degrees: f64,
    /// Slide of the planted feet, metres per second.
    pub slide: f64,
    /// Warnings of the take.
    pub warnings: Vec<Message>,
}

/// A clip to retarget, as a take, and its result.
struct Attempt {
    take: Take,
    result: Result<Figures, TakeError>,
}

/// The figures before the take has an id.
struct Figures {
    seconds: f64,
    linked: usize,
    direction_degrees: f64,
    slide: f64,
    warnings: Vec<Message>,
}

impl Session {
    /// Starts a job that retargets `clips`, each a clip of a file or the reference of a take, to `character`. Takes that
    /// cannot be built are only listed in the table. Adds a notice without clips.
    pub(crate) fn retarget_clips(&mut self, character: FileId, clips: Vec<(FileId, String)>) {
        let mut takes: Vec<Take> = Vec::with_capacity(clips.len());
        for (file, clip) in clips {
            let name = self.document.clip_title(&clip);
            takes.push(Take { name, ..self.opened().new_retarget(character, file, clip) });
        }
        if takes.is_empty() {
            let message = message!(
                "notice.nothing_to_retarget",
                "No clip is selected. Select clips, files with clips, or takes."
            );
            return self.notices.add(Severity::Info, message);
        }
        let of_clip = |take: &Take| match &take.source {
            TakeSource::Retarget(retarget) => (retarget.file, retarget.clip.clone()),
            _ => (take.character, take.name.clone()),
        };
        let key = JobKey::RetargetClips(takes.iter().map(of_clip).collect());
        let (document, library) = (self.document.clone(), self.library.clone());
        let work = move |progress: &Progress| {
            let count = takes.len();
            let attempt = |take: Take| {
                let part = progress.one_of(count);
                let result = TakeCache::default().take(&document, &library, &take, &part).map(|built| figures(&built));
                // The result of a cancelled job is not used.
                let _ = part.finish();
                Attempt { take, result }
            };
            in_background(|| takes.into_par_iter().map(attempt).collect::<Vec<_>>())
        };
        self.jobs.start(key, work, move |session, attempts| session.add_retargeted(character, attempts));
    }

    /// Retargets clips of the library to `character`; opens their files in a job first if needed.
    pub(crate) fn retarget_rows(&mut self, rows: Vec<ClipRow>, character: FileId) {
        self.with_clips(rows, move |session, clips| {
            let clips = clips.into_iter().map(|(file, row)| (file, row.clip)).collect();
            session.retarget_clips(character, clips);
        });
    }

    /// Adds the takes that could be built to one folder, shows the first one, and keeps the table of all. Adds a notice.
    /// Does nothing if the character was closed meanwhile.
    fn add_retargeted(&mut self, character: FileId, attempts: Vec<Attempt>) {
        let Some(name) = self.library.get(character).map(|loaded| loaded.model.name.clone()) else { return };
        let before = self.document.takes.len();
        let mut rows = Vec::with_capacity(attempts.len());
        for Attempt { take, result } in attempts {
            let name = take.name.clone();
            rows.push(match result {
                Ok(figures) => {
                    let take = self.add_take(take);
                    let name = self.document.take(take).map_or(name, |take| take.name.clone());
                    let Figures { seconds, linked, direction_degrees, slide, warnings } = figures;
                    let outcome = Ok(RetargetFigures { take, seconds, linked, direction_degrees, slide, warnings });
                    RetargetRow { name, outcome }
                }
                Err(error) => RetargetRow { name, outcome: Err(error.message()) },
            });
        }
        self.gather_new_takes(before, &name);
        let count = self.document.takes.len() - before;
        let message = result_message(count, &rows, &name);
        let severity = if count == rows.len() { Severity::Done } else { Severity::Warning };
        self.notices.add(severity, message);
        self.retargeted = Some(RetargetTable { character: name, rows });
    }
}

/// Returns the summary of a built take. Without a retarget, the figures of the retarget are 0.
fn figures(built: &BuiltTake) -> Figures {
    let report = built.retargeted.as_ref().map(|retargeted| &retargeted.built.report);
    Figures {
        seconds: built.clip.duration,
        linked: report.map_or(0, |report| report.linked),
        direction_degrees: report.map_or(0.0, |report| report.direction.to_degrees()),
        slide: report.map_or(0.0, |report| report.feet_after.slide),
        warnings: built.warnings.clone(),
    }
}

/// Returns the message about `count` new takes among `rows`.
fn result_message(count: usize, rows: &[RetargetRow], character: &str) -> Message {
    match rows.iter().find_map(|row| Some((&row.name, row.outcome.as_ref().err()?))) {
        None => {
            message!("notice.retargeted", "Retargeted %{count} %{count|clip|clips} to %{character}.", count, character)
        }
        Some((clip, reason)) => message!(
            "notice.retargeted_some",
            "Retargeted %{count} of %{all} %{all|clip|clips} to %{character}. %{clip}: %{reason}",
            count,
            all = rows.len(),
            character,
            clip,
            reason = reason.clone()
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Command, EditCommand, FileCommand, Session};
    use portamento_takes::document::TakeSource;

    /// Opens the knight and three files of one clip each, which bear the same name.
    fn pack() -> Option<Session> {
        let folder = portamento_test_support::corpus("pack")?;
        let names = ["knight_tpose.fbx", "Standing Idle.fbx", "Dying.fbx", "sword and shield attack (3).fbx"];
        let mut session = Session::inline();
        let files = names.iter().map(|name| folder.join(name)).collect();
        session.perform(Command::File(FileCommand::Open(files)));
        session.update(1.0 / 60.0, true);
        Some(session)
    }

    #[test]
    fn clips_of_many_files_become_takes_of_a_character_in_one_undo_step() {
        let Some(mut session) = pack() else { return };
        let ids: Vec<_> = session.document.files.iter().map(|file| file.id).collect();
        let start = session.document.clone();
        let clip = |at: usize| (ids[at], session.library.get(ids[at]).unwrap().model.clips[0].name.clone());
        let clips = vec![clip(1), clip(2), clip(3), (ids[1], "gone".to_owned())];
        session.perform(Command::Edit(EditCommand::RetargetClips { character: ids[0], clips }));
        session.update(1.0 / 60.0, true);
        let names: Vec<&str> = session.document.takes.iter().map(|take| take.name.as_str()).collect();
        assert_eq!(names, ["Standing Idle", "Dying", "sword and shield attack (3)"]);
        assert!(session.document.takes.iter().all(|take| matches!(take.source, TakeSource::Retarget(_))));
        assert_eq!(session.document.folders.len(), 1);
        let table = session.retargeted.clone().unwrap();
        assert_eq!(table.rows.len(), 4);
        for row in &table.rows[..3] {
            let figures = row.outcome.as_ref().unwrap();
            assert!(figures.linked > 15 && figures.direction_degrees < 1.0, "{figures:?}");
        }
        assert!(table.rows[3].outcome.as_ref().unwrap_err().to_string().contains("gone"));
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.document, start, "one step undoes all of them");
    }
}
