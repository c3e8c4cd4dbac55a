//! Search over all pages.

use std::collections::HashSet;

use super::{Address, Block, Language, PAGES, Row, blocks, page, plain_text};

/// A part of the guide that fits a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The nearest heading above it, or the row itself.
    pub address: Address,
    /// Title of the page.
    pub page_title: String,
    /// The heading, row or sentence that fits.
    pub text: String,
    rank: u8,
}

/// Largest number of results.
const MAX_HITS: usize = 40;

/// Returns the parts that contain all words of `query`: titles first, then headings, symptoms, and other text. What a page says
/// several times is found once.
pub fn search(query: &str, language: Language) -> Vec<Hit> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<Hit> = PAGES.iter().flat_map(|name| of_page(name, language)).collect();
    hits.retain(|hit| {
        let text = format!("{} {}", hit.page_title, hit.text).to_lowercase();
        words.iter().all(|word| text.contains(word)) && words.iter().any(|word| hit.text.to_lowercase().contains(word))
    });
    // A page may say the same of several commands.
    let mut known = HashSet::new();
    hits.retain(|hit| known.insert((hit.page_title.clone(), hit.text.clone())));
    hits.sort_by_key(|hit| hit.rank);
    hits.truncate(MAX_HITS);
    hits
}

/// Returns all parts of a page.
pub(crate) fn of_page(name: &'static str, language: Language) -> Vec<Hit> {
    let all = blocks(page(name, language).unwrap_or_default(), language);
    let mut parts = Parts { page: name, title: super::title(name, language), place: None, found: Vec::new() };
    all.iter().for_each(|block| parts.add(block));
    parts.found
}

// Ranks of parts in the results.
const TITLE: u8 = 0;
const HEADING: u8 = 1;
const SYMPTOM: u8 = 2;
const ROW: u8 = 3;
const TEXT: u8 = 4;

/// The parts of a page so far.
struct Parts {
    page: &'static str,
    title: String,
    /// The last heading.
    place: Option<usize>,
    found: Vec<Hit>,
}

impl Parts {
    fn add(&mut self, block: &Block) {
        match block {
            Block::Heading { level, text, place } => {
                self.place = (*level > 1).then_some(*place);
                self.push(self.place, plain_text(text), if *level == 1 { TITLE } else { HEADING });
            }
            Block::Paragraph(text) => self.push(self.place, plain_text(text), TEXT),
            Block::List { items, .. } => items.iter().flatten().for_each(|block| self.add(block)),
            Block::Table { rows, .. } => rows.iter().for_each(|row| self.add_row(row)),
            Block::Code(_) | Block::Picture { .. } => {}
        }
    }

    fn add_row(&mut self, row: &Row) {
        let cells: Vec<String> = row.cells.iter().map(|cell| plain_text(cell)).collect();
        let rank = if self.page == "symptoms" { SYMPTOM } else { ROW };
        self.push(Some(row.place), cells.join(" · "), rank);
    }

    fn push(&mut self, place: Option<usize>, text: String, rank: u8) {
        let address = Address { page: self.page, place };
        self.found.push(Hit { address, page_title: self.title.clone(), text, rank });
    }
}

impl Hit {
    /// True for a title, a heading or a symptom.
    pub(crate) fn is_entry(&self) -> bool {
        self.rank <= SYMPTOM
    }
}
