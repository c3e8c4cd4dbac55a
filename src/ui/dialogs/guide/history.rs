//! The places that were visited.

use portamento_guide::Address;

/// The visited places, with the current one.
#[derive(Debug)]
pub(super) struct History {
    visited: Vec<Address>,
    at: usize,
    current: Address,
}

impl History {
    /// Returns the history that begins at `address`.
    pub(super) fn new(address: Address) -> Self {
        Self { visited: vec![address], at: 0, current: address }
    }

    /// Returns the current place.
    pub(super) fn current(&self) -> Address {
        self.current
    }

    /// Goes on to `address`. What was ahead is forgotten.
    pub(super) fn go(&mut self, address: Address) {
        self.visited.truncate(self.at + 1);
        self.visited.push(address);
        self.at = self.visited.len() - 1;
        self.current = address;
    }

    /// True if there is a place `step` places ahead; −1 is the one before.
    pub(super) fn has(&self, step: isize) -> bool {
        self.target(step).is_some()
    }

    /// Goes `step` places ahead. Returns false if there is none.
    pub(super) fn step(&mut self, step: isize) -> bool {
        let Some((at, address)) = self.target(step) else { return false };
        (self.at, self.current) = (at, address);
        true
    }

    fn target(&self, step: isize) -> Option<(usize, Address)> {
        let at = self.at.checked_add_signed(step)?;
        self.visited.get(at).map(|address| (at, *address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_and_on_forgets_what_was_ahead() {
        let [a, b, c] = ["index", "loop", "walk"].map(|topic| Address::of_topic(topic).unwrap());
        let mut history = History::new(a);
        history.go(b);
        assert!(history.step(-1) && !history.step(-1) && history.has(1));
        assert_eq!(history.current(), a);
        history.go(c);
        assert!(!history.step(1) && history.step(-1));
        assert_eq!(history.current(), a);
    }
}
