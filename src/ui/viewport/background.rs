//! What takes long to make is made beside the window.

use std::sync::mpsc::{Receiver, channel};

/// What `make` gives: at once where it is `quick`, else when it is ready. Nobody needs to wait for it.
pub(super) fn in_background<T: Send + 'static>(quick: bool, make: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // Nobody listens any more once something else is wanted.
    let make = move || drop(sender.send(make()));
    if quick {
        make()
    } else {
        rayon::spawn(make)
    }
    receiver
}
