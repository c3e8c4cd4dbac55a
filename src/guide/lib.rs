//! The guide in `assets/guide`: pages of Markdown in two languages with their pictures, embedded in the program.
//!
//! ```text
//! Markdown ──blocks──▶ headings, paragraphs, lists, tables, pictures ─┬─▶ the window draws them
//!                                                                     └─▶ site: HTML files
//! ```
//!
//! Both languages have the same structure. A [`Address`] names a page and the number of a heading or table row on it, so it
//! is valid in both.

mod address;
mod blocks;
mod language;
mod pages;
mod pictures;
mod search;
mod site;
mod span;

pub use address::Address;
pub use blocks::{Block, Row, blocks};
pub use language::Language;
pub use pages::{PAGES, page, title};
pub use pictures::{PICTURES, picture};
pub use search::{Hit, search};
pub use site::{SiteFile, site};
pub use span::{Span, SpanStyle, plain_text};

#[cfg(test)]
mod tests;
