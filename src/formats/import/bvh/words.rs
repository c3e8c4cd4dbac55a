//! The words of a text, one after another.

use std::iter::Enumerate;
use std::str::{Lines, SplitWhitespace};

use glam::Vec3;

use crate::import::Fault;

/// The words of a text with their line numbers. Only the next word is in memory: a long motion has tens of millions.
pub(super) struct Words<'a> {
    lines: Enumerate<Lines<'a>>,
    /// The words after `next` in its line.
    rest: SplitWhitespace<'a>,
    /// Line of `rest`, from 1.
    line: usize,
    next: Option<(&'a str, usize)>,
    /// The word after `next`, if `next` was put back.
    following: Option<(&'a str, usize)>,
    /// Line of the word taken last, from 1.
    last_line: usize,
}

impl<'a> Words<'a> {
    /// Returns the words of `text`, from its first one on. A byte order mark is skipped.
    pub fn new(text: &'a str) -> Self {
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let mut words = Self { lines, rest: "".split_whitespace(), line: 1, next: None, following: None, last_line: 1 };
        words.next = words.read();
        words
    }

    /// Reads the next word from the text. `None` at the end. The number is its line, from 1.
    fn read(&mut self) -> Option<(&'a str, usize)> {
        loop {
            if let Some(word) = self.rest.next() {
                return Some((word, self.line));
            }
            let (index, text) = self.lines.next()?;
            (self.rest, self.line) = (text.split_whitespace(), index + 1);
        }
    }

    /// Returns the next word without taking it. The number is its line, from 1. `None` at the end.
    pub fn peek(&self) -> Option<(&'a str, usize)> {
        self.next
    }

    /// Takes the next word, if there is one.
    pub fn skip(&mut self) {
        self.last_line = self.next.map_or(self.last_line, |(_, line)| line);
        self.next = self.following.take().or_else(|| self.read());
    }

    /// Takes the next word and its line, counted from 1. Returns `Err` at the end of the file; `wanted` names what is expected
    /// there.
    pub fn take(&mut self, wanted: &str) -> Result<(&'a str, usize), Fault> {
        let found = self.next.ok_or_else(|| {
            Fault::new(format!("line {}", self.last_line), format!("ends where {wanted} is expected"))
        })?;
        self.skip();
        Ok(found)
    }

    /// Takes the next word. Returns `Err` if it is not `wanted`; case does not matter.
    pub fn expect(&mut self, wanted: &str) -> Result<(), Fault> {
        let (word, line) = self.take(wanted)?;
        if word.eq_ignore_ascii_case(wanted) { Ok(()) } else { Err(unexpected(word, line, wanted)) }
    }

    /// Takes the label `wanted`, whose words may touch, and a colon after it, if there is one. Returns `Err` if the label is
    /// another one. Case does not matter. A value right after the label becomes the next word.
    pub fn expect_label(&mut self, wanted: &str) -> Result<(), Fault> {
        for part in wanted.split(' ') {
            let (word, line) = self.take(wanted)?;
            let is_part = word.get(..part.len()).is_some_and(|start| start.eq_ignore_ascii_case(part));
            let rest = word.get(part.len()..).filter(|_| is_part);
            self.put_back(rest.ok_or_else(|| unexpected(word, line, wanted))?, line);
        }
        if let Some((value, line)) = self.next.and_then(|(word, line)| Some((word.strip_prefix(':')?, line))) {
            self.skip();
            self.put_back(value, line);
        }
        Ok(())
    }

    /// Makes `rest`, the end of the word taken last, the next word unless it is empty.
    fn put_back(&mut self, rest: &'a str, line: usize) {
        if !rest.is_empty() {
            self.following = self.next.replace((rest, line));
        }
    }

    /// Takes a number of less than 10⁹ in size. Any other word is an `Err` that expects `what`.
    pub fn number(&mut self, what: &str) -> Result<f64, Fault> {
        let (word, line) = self.take(what)?;
        word.parse().ok().filter(|number: &f64| number.abs() < 1e9).ok_or_else(|| unexpected(word, line, what))
    }

    /// Takes a count, a whole number from 0. Any other word is an `Err` that expects `what`.
    pub fn count(&mut self, what: &str) -> Result<usize, Fault> {
        let (word, line) = self.take(what)?;
        word.parse().map_err(|_| unexpected(word, line, what))
    }

    /// Takes three numbers. Returns `Err` as [`Self::number`] does.
    pub fn vector(&mut self, what: &str) -> Result<Vec3, Fault> {
        Ok(Vec3::new(self.number(what)? as f32, self.number(what)? as f32, self.number(what)? as f32))
    }

    /// Takes the rest of the line of the last word up to an opening brace; `None` if nothing is left. Names may
    /// contain spaces.
    pub fn name(&mut self) -> Option<String> {
        let mut parts = Vec::new();
        while let Some((word, _)) = self.next.filter(|&(word, line)| line == self.last_line && word != "{") {
            parts.push(word);
            self.skip();
        }
        Some(parts.join(" ")).filter(|name| !name.is_empty())
    }
}

/// Returns the fault that `word` is in the file where `wanted` is expected. The word is cut to 40 characters.
pub(super) fn unexpected(word: &str, line: usize, wanted: &str) -> Fault {
    let shown: String = word.chars().take(40).collect();
    Fault::new(format!("line {line}"), format!("has \"{shown}\" where {wanted} is expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_lines_and_labels_may_touch_their_values() {
        let mut words = Words::new("\u{feff}MOTION\n\nFrames : 12\r\nFrames:7 8\n Left  Hip { 0.5");
        assert_eq!(words.take("a"), Ok(("MOTION", 1)));
        assert!(words.expect_label("Frames").is_ok());
        assert_eq!((words.count("a"), words.peek()), (Ok(12), Some(("Frames:7", 4))));
        assert!(words.expect_label("frames").is_ok());
        assert_eq!((words.peek(), words.count("a"), words.count("b")), (Some(("7", 4)), Ok(7), Ok(8)));
        assert_eq!((words.take("a"), words.name()), (Ok(("Left", 5)), Some("Hip".into())));
        assert_eq!((words.take("a"), words.number("a")), (Ok(("{", 5)), Ok(0.5)));
        assert_eq!(
            words.take("more").unwrap_err().to_string(),
            Fault::new("line 5", "ends where more is expected").to_string()
        );
    }
}
