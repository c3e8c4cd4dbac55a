//! Files to values ([`import`]) and values to files ([`export`]).

pub mod import;
pub mod export;

#[cfg(test)]
extern crate self as portamento_formats;

/// The same disk as in the tests of all crates, here of this crate's own types.
#[cfg(test)]
#[path = "../test_support/faulty_disk.rs"]
mod faulty_disk;
