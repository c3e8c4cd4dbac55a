//! Reports files after other programs changed them.
//!
//! Events of the system only say where to look. A file is reported when its stamp stayed equal for the settling time and
//! it can be opened, so partial writes and the steps of atomic saves are waited for. Without changes the thread sleeps,
//! except that files in folders without events are compared every few seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind};

use super::folders::Folders;
use crate::project::{Stamp, Stamps};
use portamento_base::regular_file;

/// A thread that watches files. Dropping it ends the thread.
#[derive(Debug)]
pub struct FileWatch {
    orders: Sender<Order>,
}

/// An order to the thread that watches.
enum Order {
    Follow(Stamps),
    Touched(Vec<PathBuf>),
    /// Events were lost.
    Rescan,
    Stop,
}

/// Time for which a file must stay unchanged. Programs that write in several steps pause for less; longer delays are felt.
const SETTLING_TIME: Duration = Duration::from_millis(200);
/// Time after which a missing or unreadable file is reported, and after which finished files no longer wait for others.
const MAX_WAIT: Duration = Duration::from_secs(3);
/// Interval between comparisons of files in folders without events.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Shortest sleep while a file settles, so that rounding never makes the thread spin.
const MIN_SLEEP: Duration = Duration::from_millis(10);

impl FileWatch {
    /// Starts a thread that calls `report` with the files that changed and came to rest. It watches none before
    /// [`FileWatch::follow`].
    pub fn start(report: impl Fn(BTreeSet<PathBuf>) + Send + 'static) -> Self {
        let (orders, receiver) = channel();
        let events = orders.clone();
        let run = move || {
            let watcher = notify::recommended_watcher(move |event| forward(event, &events)).ok();
            Watching { folders: Folders::new(watcher), ..Watching::new(receiver, report) }.run();
        };
        // Without a thread nothing is reported; the session still compares its files when the window gains focus.
        let _ = std::thread::Builder::new().name("file watch".into()).spawn(run);
        Self { orders }
    }

    /// Watches exactly `files`, which may be folders. Their stamps are those of the content that was read; a file with
    /// another stamp is reported, unless it was reported with that stamp.
    pub fn follow(&self, files: Stamps) {
        // Sending fails if there is no thread.
        let _ = self.orders.send(Order::Follow(files));
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Stop);
    }
}

/// Sends an event of the system to the thread. Reading a file is no change.
fn forward(event: notify::Result<notify::Event>, orders: &Sender<Order>) {
    let order = match event {
        Ok(event) if event.need_rescan() => Order::Rescan,
        Ok(event) => match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Order::Touched(event.paths),
            EventKind::Access(_) => return,
            _ => Order::Touched(event.paths),
        },
        Err(_) => Order::Rescan,
    };
    let _ = orders.send(order);
}

/// A changed file that is not reported yet.
struct Unsettled {
    stamp: Option<Stamp>,
    /// The time since which the stamp is equal.
    still_since: Instant,
    /// The time of the first event.
    since: Instant,
}

/// The state of the thread that watches.
struct Watching<R> {
    orders: Receiver<Order>,
    folders: Folders,
    /// The files, with their stamps when they were last read or reported.
    files: Stamps,
    /// Other paths of the files: those behind symbolic links.
    aliases: BTreeMap<PathBuf, PathBuf>,
    reported: Stamps,
    unsettled: BTreeMap<PathBuf, Unsettled>,
    next_poll: Instant,
    report: R,
}

impl<R: Fn(BTreeSet<PathBuf>)> Watching<R> {
    /// Returns a watch without files and without events of the system.
    fn new(orders: Receiver<Order>, report: R) -> Self {
        Self {
            orders,
            folders: Folders::new(None),
            files: Stamps::new(),
            aliases: BTreeMap::new(),
            reported: Stamps::new(),
            unsettled: BTreeMap::new(),
            next_poll: Instant::now(),
            report,
        }
    }

    /// Follows the orders until it is stopped or the sender is gone, and reports changed files once they settle.
    fn run(mut self) {
        loop {
            let order = match self.wait() {
                None => self.orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => self.orders.recv_timeout(wait),
            };
            match order {
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Order::Follow(files)) => self.follow(files),
                Ok(Order::Touched(paths)) => paths.iter().for_each(|path| self.touch(path)),
                Ok(Order::Rescan) => self.touch_all(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.poll();
            self.settle();
        }
    }

    /// Returns the time until something must be done without an event; `None` if nothing must.
    fn wait(&self) -> Option<Duration> {
        let now = Instant::now();
        let times = self.unsettled.values().map(|file| file.still_since + SETTLING_TIME).filter(|time| *time > now);
        // Files that are missing or unreadable are looked at from time to time.
        let settled = (!self.unsettled.is_empty()).then(|| times.min().unwrap_or(now + SETTLING_TIME));
        let polled = self.folders.need_polling().then_some(self.next_poll);
        let next = settled.into_iter().chain(polled).min()?;
        Some(next.saturating_duration_since(now).max(MIN_SLEEP))
    }

    /// Watches `files` instead of the previous ones. Files whose stamps differ from those given count as changed.
    fn follow(&mut self, files: Stamps) {
        let mut folders = BTreeSet::new();
        self.aliases.clear();
        for path in files.keys() {
            folders.extend(path.parent().map(Path::to_owned));
            folders.extend(path.is_dir().then(|| path.clone()));
            let Some(target) = path.canonicalize().ok().filter(|target| target != path) else { continue };
            folders.extend(target.parent().map(Path::to_owned));
            self.aliases.insert(target, path.clone());
        }
        self.folders.follow(&folders);
        self.unsettled.retain(|path, _| files.contains_key(path));
        self.reported.retain(|path, _| files.contains_key(path));
        // Compared after the folders are watched, so that no change is missed between.
        for (path, read) in files {
            let now = Stamp::read(&path);
            self.files.insert(path.clone(), now);
            if now != read && self.reported.get(&path) != Some(&now) {
                self.mark(path);
            }
        }
    }

    /// Marks the files that an event at `path` may have changed.
    fn touch(&mut self, path: &Path) {
        if self.folders.contains(path) {
            // The folder itself was moved, removed or created.
            self.folders.restart_watching(path);
        }
        let target = self.aliases.get(path).map_or(path, PathBuf::as_path);
        let is_touched = |file: &&PathBuf| target.starts_with(file) || file.starts_with(target);
        let touched: Vec<PathBuf> = self.files.keys().filter(is_touched).cloned().collect();
        touched.into_iter().for_each(|file| self.mark(file));
    }

    /// Checks all files, for a system that lost events.
    fn touch_all(&mut self) {
        let files: Vec<PathBuf> = self.files.keys().cloned().collect();
        files.into_iter().for_each(|file| self.mark(file));
    }

    /// Notes that a file may have changed. It is reported once its stamp stays equal.
    fn mark(&mut self, file: PathBuf) {
        let (stamp, now) = (Stamp::read(&file), Instant::now());
        let unsettled = self.unsettled.entry(file).or_insert(Unsettled { stamp, still_since: now, since: now });
        (unsettled.stamp, unsettled.still_since) = (stamp, now);
    }

    /// Compares all files if some folder has no events.
    fn poll(&mut self) {
        if !self.folders.need_polling() || Instant::now() < self.next_poll {
            return;
        }
        self.next_poll = Instant::now() + POLL_INTERVAL;
        self.folders.retry();
        let is_changed = |(file, known): &(&PathBuf, &Option<Stamp>)| Stamp::read(file) != **known;
        let changed: Vec<PathBuf> = self.files.iter().filter(is_changed).map(|(file, _)| file.clone()).collect();
        for file in changed {
            if !self.unsettled.contains_key(&file) {
                self.mark(file);
            }
        }
    }

    /// Reports the files that came to rest, all at once, because a save may write several.
    fn settle(&mut self) {
        let now = Instant::now();
        let mut ready = BTreeSet::new();
        let mut is_urgent = false;
        for (path, file) in &mut self.unsettled {
            let stamp = Stamp::read(path);
            if stamp != file.stamp {
                (file.stamp, file.still_since) = (stamp, now);
            }
            let is_still = now - file.still_since >= SETTLING_TIME;
            let has_waited = now - file.since >= MAX_WAIT;
            if is_still && (has_waited || is_readable(path)) {
                ready.insert(path.clone());
                is_urgent |= has_waited;
            }
        }
        if ready.is_empty() || (ready.len() < self.unsettled.len() && !is_urgent) {
            return;
        }
        for path in &ready {
            let stamp = self.unsettled.remove(path).and_then(|file| file.stamp);
            self.files.insert(path.clone(), stamp);
            self.reported.insert(path.clone(), stamp);
        }
        (self.report)(ready);
    }
}

/// True if the file or folder can be opened.
fn is_readable(path: &Path) -> bool {
    if path.is_dir() { std::fs::read_dir(path).is_ok() } else { regular_file::open(path).is_ok() }
}
