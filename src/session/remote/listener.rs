//! The listener on the loopback interface: one thread that accepts, and one for each connection.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::address::{Address, is_equal};
use super::{Reply, Request};
use portamento_base::message::{Message, message};

/// Maximum length of a line, bytes. A recipe with a thousand stages has less.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// Maximum number of simultaneous connections.
const MAX_CONNECTIONS: usize = 16;
/// Time after which a connection without a complete line ends.
const IDLE_TIME: Duration = Duration::from_secs(30);
/// Name of the folder next to the address file to which requests may always write.
const EXCHANGE_FOLDER: &str = "exchange";

/// A request with the function that takes its answer.
pub(super) struct Call {
    pub request: Request,
    pub reply: Reply,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Call").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A listener. Dropping it ends its threads and removes its address file.
#[derive(Debug)]
pub struct Listener {
    port: u16,
    exchange: PathBuf,
    shared: Arc<Shared>,
}

/// The state that the listener shares with its threads.
#[derive(Debug)]
struct Shared {
    address: Address,
    is_over: AtomicBool,
    connections: AtomicUsize,
    revision: AtomicU64,
}

impl Listener {
    /// Starts listening and writes the address file to `folder`. `call` is called on other threads with each request; it
    /// returns false if the session has ended.
    ///
    /// Returns `Err` if there is no port or if the address cannot be written.
    pub(super) fn start(folder: &Path, call: impl Fn(Call) -> bool + Send + Sync + 'static) -> io::Result<Self> {
        let exchange = folder.join(EXCHANGE_FOLDER);
        create_private(&exchange)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let address = Address::write(folder, port)?;
        let (connections, revision) = (AtomicUsize::new(0), AtomicU64::new(0));
        let shared = Arc::new(Shared { address, is_over: AtomicBool::new(false), connections, revision });
        let (accepted, call) = (shared.clone(), Arc::new(call));
        std::thread::Builder::new().name("remote control".into()).spawn(move || accept(&listener, &accepted, &call))?;
        Ok(Self { port, exchange, shared })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Sets the answer to the requests for the revision.
    pub(super) fn set_revision(&self, revision: u64) {
        self.shared.revision.store(revision, Ordering::Relaxed);
    }

    /// Returns the folder to which requests may always write.
    pub fn exchange(&self) -> &Path {
        &self.exchange
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Creates `folder` with its parents, or takes the existing one. On Unix, only its user can enter it afterwards.
fn create_private(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    #[cfg(unix)]
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Accepts connections and serves each on a thread, until the listener is dropped. Connections from other computers and
/// beyond [`MAX_CONNECTIONS`] are closed.
fn accept<C: Fn(Call) -> bool + Send + Sync + 'static>(listener: &TcpListener, shared: &Arc<Shared>, call: &Arc<C>) {
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::Relaxed) {
            return;
        }
        // A connection that failed before it was accepted concerns no other.
        let Ok(stream) = stream else { continue };
        let is_local = stream.peer_addr().is_ok_and(|peer: SocketAddr| peer.ip().is_loopback());
        if !is_local || shared.connections.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
            continue;
        }
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let (counted, call) = (shared.clone(), call.clone());
        let serve = move || {
            // A broken connection needs no answer.
            let _ = serve(&stream, &counted, &*call);
            counted.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("remote connection".into()).spawn(serve).is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers the lines of a connection until it ends, the listener is dropped or a line is refused. Returns `Err` if
/// reading or writing fails, also if the other side does not send or read for [`IDLE_TIME`].
fn serve(stream: &TcpStream, shared: &Shared, call: &dyn Fn(Call) -> bool) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE_TIME))?;
    stream.set_write_timeout(Some(IDLE_TIME))?;
    let mut reader = BufReader::new(stream);
    while !shared.is_over.load(Ordering::Relaxed) {
        let mut line = Vec::new();
        let read = reader.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let request = if line.len() > MAX_LINE_BYTES { Err(too_long()) } else { parsed(&line, shared.address.token()) };
        let (outcome, goes_on) = match request {
            Err(refusal) => (Err(refusal), false),
            // The session is not woken: programs ask for it many times a second.
            Ok(Ok(Request::Revision {})) => (Ok(shared.revision.load(Ordering::Relaxed).into()), true),
            Ok(request) => (request.and_then(|request| answered(request, call)), true),
        };
        let answer = match outcome {
            Ok(result) => json!({ "ok": true, "result": result }),
            Err(why) => json!({ "ok": false, "error": why.to_string() }),
        };
        (&*stream).write_all(format!("{answer}\n").as_bytes())?;
        if !goes_on {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the request of a line with the token, or why that request is invalid; `Err` if the line is refused.
fn parsed(line: &[u8], token: &str) -> Result<Result<Request, Message>, Message> {
    let mut fields: Map<String, Value> = portamento_base::json::parse(line).map_err(|_| malformed())?;
    let given = fields.remove("token");
    if !given.as_ref().and_then(Value::as_str).is_some_and(|given| is_equal(token, given)) {
        return Err(without_token());
    }
    Ok(Request::from_json(Value::Object(fields)))
}

/// Passes the request on and waits for its answer, without a time limit. Returns `Err` if the request is refused or
/// cancelled, or if the session has ended.
fn answered(request: Request, call: &dyn Fn(Call) -> bool) -> Result<Value, Message> {
    let (sender, answer) = channel();
    let reply: Reply = Box::new(move |outcome| {
        // Sending fails if the connection has ended.
        let _ = sender.send(outcome);
    });
    if !call(Call { request, reply }) {
        return Err(ended());
    }
    answer.recv().unwrap_or_else(|_| Err(ended()))
}

/// Returns the refusal of a line that is too long.
fn too_long() -> Message {
    message!("error.remote.long", "A line may have %{bytes} bytes.", bytes = MAX_LINE_BYTES)
}

/// Returns the refusal of a line that is no JSON object.
fn malformed() -> Message {
    message!("error.remote.malformed", "A line must be one JSON object.")
}

/// Returns the refusal of a line without the right token.
fn without_token() -> Message {
    message!(
        "error.remote.token",
        "The token is missing or wrong. Read it from the file %{file}.",
        file = super::ADDRESS_FILE
    )
}

/// Returns the error that no answer will come.
fn ended() -> Message {
    message!("error.remote.ended", "The request was cancelled, or remote control was turned off.")
}
