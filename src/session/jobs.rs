//! Slow work off the window's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::{Notice, Session, Severity, fault_report};
use crate::message::{Message, message};
use crate::progress::Progress;

type Finish = Box<dyn FnOnce(&mut Session) + Send>;

/// Running work. Results come back through [`Session::poll`].
#[derive(Debug)]
pub struct Jobs {
    inline: bool,
    running: Vec<Job>,
    next: u64,
    sender: Sender<Finished>,
    receiver: Receiver<Finished>,
    /// What tests watch the next job by.
    #[cfg(test)]
    watch: Option<Progress>,
}

/// One piece of running work, as the status bar shows it.
#[derive(Clone, Debug)]
pub struct Job {
    id: u64,
    /// What it does; starting another of the same name cancels this one.
    pub name: Message,
    /// How far, and the way to stop it.
    pub progress: Progress,
    started: Instant,
}

/// Seconds and share of the work from which on it can be told how long the rest takes.
const TELLING: (f64, f64) = (3.0, 0.02);

/// Work that takes no longer is not worth a word.
const UNNOTICED: Duration = Duration::from_millis(300);

impl Job {
    /// Whether it runs long enough to be told of.
    pub fn is_noticed(&self) -> bool {
        self.started.elapsed() > UNNOTICED
    }

    /// About how many seconds it still takes if it goes on as it went; `None` while too little is done to tell.
    pub fn seconds_left(&self) -> Option<f64> {
        seconds_left(self.started.elapsed().as_secs_f64(), f64::from(self.progress.fraction()))
    }
}

fn seconds_left(elapsed: f64, fraction: f64) -> Option<f64> {
    let (seconds, share) = TELLING;
    (elapsed >= seconds && fraction >= share).then(|| elapsed * (1.0 - fraction).max(0.0) / fraction)
}

pub(super) struct Finished {
    id: u64,
    finish: Finish,
}

impl Default for Jobs {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Jobs {
    fn new(inline: bool) -> Self {
        let (sender, receiver) = channel();
        Self {
            inline,
            running: Vec::new(),
            next: 0,
            sender,
            receiver,
            #[cfg(test)]
            watch: None,
        }
    }

    /// A gauge for the next job.
    fn progress(&mut self) -> Progress {
        #[cfg(test)]
        if let Some(watched) = self.watch.take() {
            watched.note_time();
            return watched;
        }
        Progress::new()
    }

    /// The next job goes by this gauge.
    #[cfg(test)]
    pub(super) fn watch(&mut self, progress: Progress) {
        self.watch = Some(progress);
    }

    /// Jobs that run to their end inside `start`: for the command line and tests.
    pub fn inline() -> Self {
        Self::new(true)
    }

    /// Runs `work` on a thread of its own; `done` gets its result on the window's thread, unless it was cancelled or replaced.
    ///
    /// A panic in `work` becomes an error notice. With [`Jobs::inline`] the work is finished when this returns, and its
    /// result waits for the next [`Session::poll`].
    pub fn start<T: Send + 'static>(
        &mut self,
        name: Message,
        work: impl FnOnce(&Progress) -> T + Send + 'static,
        done: impl FnOnce(&mut Session, T) + Send + 'static,
    ) {
        self.running.iter().filter(|job| job.name == name).for_each(|job| job.progress.cancel());
        self.next += 1;
        let job = Job { id: self.next, name: name.clone(), progress: self.progress(), started: Instant::now() };
        self.running.push(job.clone());
        let sender = self.sender.clone();
        let run = move || {
            let finish = match catch_unwind(AssertUnwindSafe(|| work(&job.progress))) {
                Ok(value) => Box::new(move |session: &mut Session| done(session, value)) as Finish,
                // Read here, before another thread fails too.
                Err(_) => failure(&job.name, fault_report::last_panic()),
            };
            // The session may be gone when a last job ends; its result is then of no use to anybody.
            let _ = sender.send(Finished { id: job.id, finish });
        };
        if self.inline {
            run();
        } else if std::thread::Builder::new().name(name.to_string()).spawn(run).is_err() {
            let finish = failure(&name, "no thread could be started".into());
            let _ = self.sender.send(Finished { id: self.next, finish });
        }
    }

    /// Work that has not come back yet and was not cancelled.
    pub fn running(&self) -> impl Iterator<Item = &Job> {
        self.running.iter().filter(|job| !job.progress.is_cancelled())
    }

    /// Stops all work but that of this name.
    pub(super) fn cancel_all_but(&self, kept: &Message) {
        self.running.iter().filter(|job| job.name != *kept).for_each(|job| job.progress.cancel());
    }

    /// Work that has ended since the last call; results of cancelled work are dropped.
    pub(super) fn finished(&mut self) -> Vec<Finish> {
        let mut ready = Vec::new();
        while let Ok(finished) = self.receiver.try_recv() {
            let Some(at) = self.running.iter().position(|job| job.id == finished.id) else { continue };
            if !self.running.remove(at).progress.is_cancelled() {
                ready.push(finished.finish);
            }
        }
        ready
    }
}

impl Drop for Jobs {
    /// Nobody takes results any more.
    fn drop(&mut self) {
        self.running.iter().for_each(|job| job.progress.cancel());
    }
}

/// Tells that the job failed, and writes a report where work is kept.
fn failure(name: &Message, said: String) -> Finish {
    let job = name.clone();
    Box::new(move |session: &mut Session| {
        let folder = session.project.recovery_folder().map(Path::to_owned);
        let report = folder.as_ref().and_then(|folder| fault_report::write_about(folder, &said));
        let message = match report {
            Some(report) => message!(
                "notice.job_fault_reported",
                "“%{job}” stopped because of a fault in the program. Nothing was changed; please send the report %{report}.",
                job = job,
                report = report.display().to_string(),
            ),
            None => message!(
                "notice.job_fault",
                "“%{job}” stopped because of a fault in the program. Nothing was changed; please report it.",
                job = job,
            ),
        };
        session.notices.push(Notice { severity: Severity::Error, message, folder });
    })
}

#[cfg(test)]
mod tests;
