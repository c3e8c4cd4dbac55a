//! `portamento watch`: exports takes again whenever their sources, the project or the recipe change.

mod contract;
mod rounds;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::Failure;
use super::flags::export::ExportFlags;
use portamento_session::watch::FileWatch;
use rounds::Rounds;

/// Exports takes again whenever their sources, the project or the recipe are saved, until Ctrl+C.
///
/// Only takes whose inputs changed are exported. Each file is replaced as a whole, and the files of a take that fails stay as
/// they are.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file, or a recipe in JSON.
    #[arg(value_name = "PROJECT|RECIPE")]
    input: PathBuf,
    /// Name of a take; may be given several times. Default: all takes.
    #[arg(long)]
    take: Vec<String>,
    /// Name of a clip set of the project; may be given several times. Exports its takes.
    #[arg(long, value_name = "NAME")]
    set: Vec<String>,
    /// Folder whose files a recipe may read, besides its own folder.
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    files_in: Vec<PathBuf>,
    /// Contract as written by init-contract: the files of a take that breaks it stay as they are.
    #[arg(long, value_name = "FILE.toml")]
    contract: Option<PathBuf>,
    #[command(flatten)]
    export: ExportFlags,
    /// Folder to write to, one file per take.
    #[arg(short, long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    force: super::Force,
    /// Print one line of JSON per exported take, and one after each round.
    #[arg(long)]
    json: bool,
}

/// A reason to wake up.
enum Wake {
    Changed,
    Stop,
}

impl Arguments {
    /// Watches until Ctrl+C. Returns `Err` if the first export cannot begin or Ctrl+C cannot be handled.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (sender, receiver) = channel();
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (stops, flag) = (sender.clone(), is_stopped.clone());
        let stop = move || {
            flag.store(true, Ordering::Relaxed);
            // Sending fails if the command has ended already.
            let _ = stops.send(Wake::Stop);
        };
        let no_handler = |error| Failure::Failed(format!("Ctrl+C cannot be handled: {error}."));
        ctrlc::set_handler(stop).map_err(no_handler)?;
        self.watch(sender, &receiver, &is_stopped)
    }

    /// Exports, waits for changes and exports again until [`Wake::Stop`].
    ///
    /// Returns `Err` if the first export cannot begin.
    fn watch(self, sender: Sender<Wake>, receiver: &Receiver<Wake>, is_stopped: &AtomicBool) -> Result<(), Failure> {
        let watch = FileWatch::start(move |_| {
            // Sending fails if the command has ended.
            let _ = sender.send(Wake::Changed);
        });
        let mut rounds = Rounds::new(self, is_stopped);
        let (mut inputs, begun) = rounds.next();
        begun?;
        rounds.print_begin(&inputs);
        loop {
            rounds.print_ready(&inputs)?;
            watch.follow(inputs);
            let first = receiver.recv().unwrap_or(Wake::Stop);
            if std::iter::once(first).chain(receiver.try_iter()).any(|wake| matches!(wake, Wake::Stop)) {
                return Ok(());
            }
            let failed;
            (inputs, failed) = rounds.next();
            rounds.print_failure(failed.err())?;
        }
    }
}

#[cfg(test)]
mod tests;
