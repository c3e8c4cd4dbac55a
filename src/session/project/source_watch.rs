//! Watching of the sources while a window is open.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use super::stamp::Stamps;
use crate::watch::FileWatch;
use crate::{JobKey, Session};
use portamento_takes::document::SourceFile;

/// The watch of the sources of a session.
#[derive(Debug)]
pub(crate) struct SourceWatch {
    watch: FileWatch,
    changed: Receiver<BTreeSet<PathBuf>>,
    /// Changed files that are not read again yet.
    pending: BTreeSet<PathBuf>,
    /// Numbers of the document and of its last read, and the number of its files, when the files to watch were given.
    followed: Option<(usize, usize, usize)>,
}

impl Session {
    /// Watches the sources from now on. `wake` is called on another thread when some changed; the next calm
    /// [`Session::update`] reads them again.
    pub fn watch_sources(&mut self, wake: impl Fn() + Send + 'static) {
        let (sender, changed) = channel();
        let report = move |files| {
            // Sending fails if the session has ended.
            if sender.send(files).is_ok() {
                wake();
            }
        };
        let (watch, pending) = (FileWatch::start(report), BTreeSet::new());
        self.source_watch = Some(SourceWatch { watch, changed, pending, followed: None });
    }

    /// Returns every file that the sources were read from, with its stamp before it was read; `None` for sources that could
    /// not be read.
    pub fn source_stamps(&self) -> Stamps {
        let mut stamps = Stamps::new();
        for file in &self.document.files {
            match self.read.stamps(file.id) {
                Some(read) => stamps.extend(read.iter().map(|(path, stamp)| (path.clone(), *stamp))),
                None => drop(stamps.entry(file.path.clone()).or_insert(None)),
            }
        }
        stamps
    }

    /// Tells the watch which files to watch, and reads changed ones again if `calm` (nothing is being edited). Does nothing
    /// without a watch.
    pub(crate) fn follow_sources(&mut self, calm: bool) {
        let state = (self.document_number, self.read.revision(), self.document.files.len());
        let is_followed = self.source_watch.as_ref().is_none_or(|watch| watch.followed == Some(state));
        let stamps = (!is_followed).then(|| self.source_stamps());
        let is_opening = self.jobs.running().any(|job| matches!(job.key, JobKey::Open(_)));
        let Some(watch) = &mut self.source_watch else { return };
        watch.pending.extend(watch.changed.try_iter().flatten());
        if let Some(stamps) = stamps {
            watch.followed = Some(state);
            watch.watch.follow(stamps);
        }
        if calm && !is_opening && !watch.pending.is_empty() {
            let touched = std::mem::take(&mut watch.pending);
            self.reload_touched(&touched);
        }
    }

    /// Starts jobs that read the sources again that were read from the files `touched` and still exist, and those that were
    /// missing.
    fn reload_touched(&mut self, touched: &BTreeSet<PathBuf>) {
        let is_touched = |file: &&SourceFile| match self.read.stamps(file.id) {
            Some(stamps) => stamps.keys().any(|path| touched.contains(path)),
            None => touched.contains(&file.path) && self.read.may_read(file.id),
        };
        let files = self.document.files.iter().filter(is_touched).filter(|file| file.path.exists());
        let (loaded, missing): (Vec<SourceFile>, Vec<SourceFile>) =
            files.cloned().partition(|file| self.read.stamps(file.id).is_some());
        self.reload(loaded.into_iter().map(|file| (file.id, file.path)).unzip());
        self.load_for_project(missing);
        self.poll();
    }
}

#[cfg(test)]
mod tests;
