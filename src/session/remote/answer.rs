//! Answers to requests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Reply, Request};
use crate::{Command, FileCommand, JobKey, Session, Severity, inspect};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_takes::document::file;

/// An opening whose answer waits until the files are read.
pub(super) struct Waiting {
    reply: Reply,
    /// Number of notices before the opening.
    notice_count: usize,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Waiting").field("notice_count", &self.notice_count).finish_non_exhaustive()
    }
}

impl Session {
    /// Performs `request` and passes its result, or the reason for a refusal, to `reply`: at once or when its job has
    /// finished. A request that is cancelled drops `reply`.
    pub fn answer(&mut self, request: Request, reply: Reply) {
        let refused = match &request {
            Request::Open { files } => self.check_open(files),
            Request::Inspect { file } => check_absolute(file),
            Request::Export(wish) => self.writable().check(&wish.folder),
            Request::Screenshot { file, .. } => self.writable().check(file),
            Request::Status {} | Request::Revision {} | Request::Make { .. } => Ok(()),
        };
        if let Err(refusal) = refused {
            return reply(Err(refusal));
        }
        match request {
            Request::Status {} => {
                self.note_changes();
                reply(Ok(self.status()));
            }
            Request::Revision {} => reply(Ok(self.note_changes().into())),
            Request::Open { files } => {
                let notice_count = self.notices.all().len();
                let paths: BTreeSet<PathBuf> = files.iter().map(|path| file::absolute(path)).collect();
                let is_open = |path: &PathBuf| self.document.files.iter().any(|known| known.path == *path);
                if paths.iter().all(is_open) {
                    // A file that is sent again must not take the view from the take that the user edits.
                    self.open_then(paths.into_iter().collect(), |_| ());
                } else {
                    self.perform(Command::File(FileCommand::Open(files)));
                }
                self.remote.waiting.push(Waiting { reply, notice_count });
                self.answer_waiting();
            }
            Request::Make { recipe, clips } => self.answer_make(&recipe, clips, reply),
            Request::Inspect { file } => self.answer_by_job(move |_| inspected(file), reply),
            Request::Export(wish) => self.answer_export(&wish, reply),
            Request::Screenshot { file, replace } => self.want_picture(file, replace, reply),
        }
    }

    /// Runs `work` as a job and passes its result to `reply`.
    pub(super) fn answer_by_job(
        &mut self,
        work: impl FnOnce(&Progress) -> Result<Value, Message> + Send + 'static,
        reply: Reply,
    ) {
        self.remote.job_count += 1;
        let key = JobKey::Remote(self.remote.job_count);
        self.jobs.start(key, work, move |_, outcome| reply(outcome));
        self.poll();
    }

    /// Returns `Err` if a path is relative, or if unsaved work would be lost.
    fn check_open(&self, files: &[PathBuf]) -> Result<(), Message> {
        files.iter().try_for_each(|file| check_absolute(file))?;
        match files.iter().any(|file| file::is_project(file)) && self.is_unsaved() {
            true => Err(message!(
                "error.remote.unsaved",
                "The open project has unsaved changes, so another one cannot be opened. Save it in the window first.",
            )),
            false => Ok(()),
        }
    }

    /// Answers the openings whose files are read: with the status, or with the first error since they began. Does nothing
    /// while files are read.
    pub(super) fn answer_waiting(&mut self) {
        if self.jobs.running().any(|job| matches!(job.key, JobKey::Open(_))) {
            return;
        }
        if !self.remote.waiting.is_empty() {
            self.note_changes();
        }
        for Waiting { reply, notice_count } in std::mem::take(&mut self.remote.waiting) {
            let new = self.notices.all().get(notice_count..).unwrap_or_default();
            let error = new.iter().find(|notice| notice.severity == Severity::Error);
            reply(error.map_or_else(|| Ok(self.status()), |error| Err(error.message.clone())));
        }
    }
}

/// Opens a file in another session and returns its content as JSON. The open project stays as it is.
///
/// Returns `Err` if it cannot be read.
fn inspected(file: PathBuf) -> Result<Value, Message> {
    let mut session = Session::inline();
    let name = file.display().to_string();
    session.perform(Command::File(FileCommand::Open(vec![file])));
    let opened = session.document.files.first().map(|file| file.id);
    let opened = opened.and_then(|id| Some((id, session.library.get(id)?.clone())));
    let error = session.notices.all().iter().find(|notice| notice.severity == Severity::Error);
    match (opened, error) {
        (Some((id, loaded)), _) => Ok(inspect::report(&session, id, &loaded, &name)),
        (None, Some(error)) => Err(error.message.clone()),
        (None, None) => Err(message!(
            "error.remote.empty",
            "%{file} has no clip and no character. Choose another file.",
            file = name
        )),
    }
}

/// Returns `Err` if `path` is relative.
pub(super) fn check_absolute(path: &Path) -> Result<(), Message> {
    match path.is_absolute() {
        true => Ok(()),
        false => Err(message!(
            "error.remote.relative",
            "%{file} is a relative path. Give the absolute one.",
            file = path.display().to_string(),
        )),
    }
}
