//! Background computation of values that take long.

use std::sync::mpsc::{Receiver, channel};

/// Runs `make` and returns a channel that receives its result. With `quick` it runs on this thread before the function returns,
/// else on a worker thread.
pub(super) fn in_background<T: Send + 'static>(quick: bool, make: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // The receiver may be dropped before the result arrives.
    let make = move || drop(sender.send(make()));
    if quick {
        make()
    } else {
        rayon::spawn(make)
    }
    receiver
}
