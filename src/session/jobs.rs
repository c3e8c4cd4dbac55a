//! Background jobs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::{Notice, Session, Severity, fault_report};
pub use key::JobKey;
use portamento_base::message::{Tell, message};
use portamento_base::progress::Progress;

/// Shows the progress of a job with this name until the result is dropped, for sessions that run jobs synchronously.
pub type Indicator = fn(&str, &Progress) -> Box<dyn Any>;

type Finish = Box<dyn FnOnce(&mut Session) + Send>;

/// The running background jobs. Results are delivered by [`Session::poll`].
#[derive(Debug)]
pub struct Jobs {
    /// True if jobs run on the calling thread.
    inline: bool,
    /// Shows the progress of synchronous jobs.
    indicator: Option<Indicator>,
    running: Vec<Job>,
    /// The number of the next job.
    next: u64,
    sender: Sender<Finished>,
    receiver: Receiver<Finished>,
    /// The progress to use for the next job, set by tests.
    #[cfg(test)]
    watch: Option<Progress>,
}

/// A running job, as shown in the status bar.
#[derive(Clone, Debug)]
pub struct Job {
    id: u64,
    /// The job's identity and name.
    pub key: JobKey,
    /// Progress and cancellation.
    pub progress: Progress,
    started: Instant,
}

/// Minimum elapsed seconds and completed share for an estimate of the remaining time. Tuned; no derivation recorded.
const ESTIMATE_FROM: (f64, f64) = (3.0, 0.02);

/// Jobs shorter than this are not shown. Tuned; no derivation recorded.
const HIDDEN_FOR: Duration = Duration::from_millis(300);

impl Job {
    /// True if the job runs long enough to be shown.
    pub fn is_noticed(&self) -> bool {
        self.started.elapsed() > HIDDEN_FOR
    }

    /// Estimates the remaining seconds from the speed so far; `None` while too little is done.
    pub fn seconds_left(&self) -> Option<f64> {
        seconds_left(self.started.elapsed().as_secs_f64(), f64::from(self.progress.fraction()))
    }
}

/// Returns the seconds that remain after `elapsed` seconds; `None` before both values of [`ESTIMATE_FROM`].
fn seconds_left(elapsed: f64, fraction: f64) -> Option<f64> {
    let (seconds, share) = ESTIMATE_FROM;
    (elapsed >= seconds && fraction >= share).then(|| elapsed * (1.0 - fraction).max(0.0) / fraction)
}

pub(super) struct Finished {
    id: u64,
    finish: Finish,
}

impl Default for Jobs {
    fn default() -> Self {
        Self::new(false, None)
    }
}

impl Jobs {
    /// Returns an empty job list. If `inline` is true, jobs run inside `start` instead of on a thread.
    fn new(inline: bool, indicator: Option<Indicator>) -> Self {
        let (sender, receiver) = channel();
        Self {
            inline,
            indicator,
            running: Vec::new(),
            next: 0,
            sender,
            receiver,
            #[cfg(test)]
            watch: None,
        }
    }

    /// Returns the progress for the next job.
    fn progress(&mut self) -> Progress {
        #[cfg(test)]
        if let Some(watched) = self.watch.take() {
            watched.note_time();
            return watched;
        }
        Progress::new()
    }

    /// Sets the progress for the next job.
    #[cfg(test)]
    pub(super) fn watch(&mut self, progress: Progress) {
        self.watch = Some(progress);
    }

    /// Returns a job list that runs each job inside `start`, for the command line and tests.
    pub fn inline() -> Self {
        Self::new(true, None)
    }

    /// Returns a job list like [`Jobs::inline`] that shows each job by `indicator`.
    pub(super) fn inline_with(indicator: Indicator) -> Self {
        Self::new(true, Some(indicator))
    }

    /// Shows `progress` under the name of `key` until the result is dropped; `None` if jobs run in the background.
    pub(super) fn indicate(&self, key: &JobKey, progress: &Progress) -> Option<Box<dyn Any>> {
        self.indicator.map(|indicate| indicate(&key.to_string(), progress))
    }

    /// Runs `work` on a new thread; `done` receives its result on the window's thread, unless the job was cancelled
    /// or replaced.
    ///
    /// A panic in `work` becomes an error notice. With [`Jobs::inline`] the work is finished when this returns, and
    /// its result waits for the next [`Session::poll`]. Cancels a running job with the same key.
    pub fn start<T: Send + 'static>(
        &mut self,
        key: JobKey,
        work: impl FnOnce(&Progress) -> T + Send + 'static,
        done: impl FnOnce(&mut Session, T) + Send + 'static,
    ) {
        self.cancel(&key);
        self.next += 1;
        let job = Job { id: self.next, key: key.clone(), progress: self.progress(), started: Instant::now() };
        self.running.push(job.clone());
        let sender = self.sender.clone();
        let shown = self.indicate(&key, &job.progress);
        let run = move || {
            let finish = match catch_unwind(AssertUnwindSafe(|| work(&job.progress))) {
                Ok(value) => Box::new(move |session: &mut Session| done(session, value)) as Finish,
                // Read the panic text now, before another thread panics.
                Err(_) => failure(&job.key, fault_report::last_panic()),
            };
            // Sending fails if the session has ended; the result is then not needed.
            let _ = sender.send(Finished { id: job.id, finish });
        };
        if self.inline {
            run();
            drop(shown);
        } else if std::thread::Builder::new().name(key.to_string()).spawn(run).is_err() {
            let finish = failure(&key, "no thread could be started".into());
            let _ = self.sender.send(Finished { id: self.next, finish });
        }
    }

    /// Iterates over unfinished jobs that were not cancelled.
    pub fn running(&self) -> impl Iterator<Item = &Job> {
        self.running.iter().filter(|job| !job.progress.is_cancelled())
    }

    /// True if the job with that key is running.
    pub fn is_running(&self, key: &JobKey) -> bool {
        self.running().any(|job| job.key == *key)
    }

    /// Cancels the job with that key. Its result is dropped. Does nothing if none runs.
    pub(super) fn cancel(&self, key: &JobKey) {
        self.running().filter(|job| job.key == *key).for_each(|job| job.progress.cancel());
    }

    /// Cancels all jobs except those with a key of `kept`.
    pub(super) fn cancel_all_but(&self, kept: &[JobKey]) {
        self.running().filter(|job| !kept.contains(&job.key)).for_each(|job| job.progress.cancel());
    }

    /// Returns the completions of the jobs that ended since the last call, to be called with the session. Those of
    /// cancelled jobs are dropped.
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
    /// Cancels all jobs, because their results are no longer needed.
    fn drop(&mut self) {
        self.running.iter().for_each(|job| job.progress.cancel());
    }
}

/// Returns the completion of a job that panicked: an error notice, with a crash report if a recovery folder exists.
fn failure(key: &JobKey, panic_text: String) -> Finish {
    let job = key.message();
    Box::new(move |session: &mut Session| {
        let folder = session.project.recovery_folder().map(Path::to_owned);
        let report = folder.as_ref().and_then(|folder| fault_report::write_about(folder, &panic_text));
        let message = match report {
            Some(report) => message!(
                "notice.job_fault_reported",
                "“%{job}” failed because of a program error. Nothing was changed. Please send us the report %{report}.",
                job = job,
                report = report.display().to_string(),
            ),
            None => message!(
                "notice.job_fault",
                "“%{job}” failed because of a program error. Nothing was changed. Please report it.",
                job = job,
            ),
        };
        session.notices.push(Notice::new(Severity::Error, message).in_folder(folder));
    })
}

mod key;
#[cfg(test)]
mod tests;
