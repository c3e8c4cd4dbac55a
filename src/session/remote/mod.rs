//! Remote control: programs of the same user on the same computer send requests to the open window.
//!
//! ```text
//! program ──line of JSON──▶ 127.0.0.1:PORT ──▶ connection thread ──Call──▶ Session::update ──▶ job
//!         ◀─line of JSON──                  ◀──────── answer ──────────────────────────────────┘
//! ```
//!
//! Remote control is off until the user turns it on. Then a listener accepts connections on the loopback interface at a
//! port that the system chooses. The port and a random token are in the file [`ADDRESS_FILE`] in the folder of the
//! preferences, which only its user can read. It is removed when remote control is turned off.
//!
//! Each line is one JSON object with the `token`, the name of the `request` and its fields, see [`Request`]. Each
//! answer is one line: `{"ok":true,"result":…}` or `{"ok":false,"error":"…"}`. A line that is too long, malformed or
//! without the token ends the connection.
//!
//! Requests run on the turn of the session, like commands of the user, and never while something is being dragged or
//! typed. Only the revision of the status is answered without it, so that programs can look for changes often. Sources are
//! never written. Other files are written only to [`folders that the user gave`](Writable).

mod address;
mod answer;
mod export;
mod listener;
mod make;
mod picture;
mod request;
mod revision;
mod status;
mod writable;

use serde_json::Value;

pub use address::ADDRESS_FILE;
pub use listener::{Listener, MAX_LINE_BYTES};
pub use picture::WantedPicture;
pub use request::{ClipName, ExportWish, REQUESTS, Request, RequestDescription};
pub use writable::Writable;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use crate::{Session, Severity};
use answer::Waiting;
use listener::Call;
use portamento_base::message::{Message, message};

/// The function that receives the answer to a request: the result, or why there is none.
pub type Reply = Box<dyn FnOnce(Result<Value, Message>) + Send>;

/// The remote control of a session.
#[derive(Debug, Default)]
pub struct Remote {
    /// The folder of the address file; `None` for that of the preferences.
    pub home: Option<PathBuf>,
    control: Option<Control>,
    /// Requests that wait until files are open.
    waiting: Vec<Waiting>,
    /// The picture of the window that was asked for.
    picture: Option<WantedPicture>,
    /// Number of requests that ran as jobs.
    job_count: u64,
    /// The number that changes with the status, and the inputs of the status at its last change.
    revision: u64,
    seen: Option<revision::Seen>,
}

/// A remote control that is on.
#[derive(Debug)]
struct Control {
    listener: Listener,
    calls: Receiver<Call>,
    /// Calls that wait until nothing is being edited.
    pending: Vec<Call>,
}

impl Remote {
    /// Returns the port while remote control is on.
    pub fn port(&self) -> Option<u16> {
        self.control.as_ref().map(|control| control.listener.port())
    }

    /// Returns the picture of the window to take, if one is asked for.
    pub fn wanted_picture(&self) -> Option<&WantedPicture> {
        self.picture.as_ref()
    }
}

impl Session {
    /// Turns remote control on. The address file is written to `folder`. `wake` is called on another thread for each
    /// request; the next calm [`Session::update`] answers it. Adds a notice if it cannot be turned on.
    pub fn begin_remote(&mut self, folder: &Path, wake: impl Fn() + Send + Sync + 'static) {
        let (sender, calls) = channel();
        let call = move |call| {
            let is_received = sender.send(call).is_ok();
            wake();
            is_received
        };
        match Listener::start(folder, call) {
            Ok(listener) => {
                self.remote.control = Some(Control { listener, calls, pending: Vec::new() });
                self.remote.revision = revision::first();
                self.note_changes();
            }
            Err(error) => {
                let message = message!(
                    "notice.remote_failed",
                    "Remote control could not be turned on: %{reason}. Try again.",
                    reason = error.to_string(),
                );
                self.notices.add(Severity::Error, message);
            }
        }
    }

    /// Turns remote control off and removes the address file. Waiting requests are not answered.
    pub fn end_remote(&mut self) {
        self.remote.control = None;
    }

    /// Returns the folders that requests may write to: those of the preferences and the exchange folder.
    pub fn writable(&self) -> Writable {
        let folders = self.preferences.remote_folders.iter().cloned();
        let exchange = self.remote.control.as_ref().map(|control| control.listener.exchange().to_owned());
        Writable::new(folders.chain(exchange).collect::<Vec<PathBuf>>())
    }

    /// Answers the requests that arrived. Unless `calm` (nothing is being edited), those that change something wait.
    pub(crate) fn follow_remote(&mut self, calm: bool) {
        self.answer_waiting();
        let Some(control) = &mut self.remote.control else { return };
        control.pending.extend(control.calls.try_iter());
        let pending = std::mem::take(&mut control.pending);
        let (ready, waiting): (Vec<Call>, Vec<Call>) =
            pending.into_iter().partition(|call| calm || call.request.only_reads());
        control.pending = waiting;
        for Call { request, reply } in ready {
            self.answer(request, reply);
        }
        self.note_changes();
    }
}

#[cfg(test)]
mod tests;
