//! Places in the guide, in any language.

use super::{Block, Language, PAGES, Span, blocks, page, plain_text};

/// A page, or a heading or table row on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The name of the page.
    pub page: &'static str,
    /// Number of the heading or table row on the page, from 0; `None` for the top.
    pub place: Option<usize>,
}

impl Address {
    /// Returns the address of the whole guide.
    pub const fn start() -> Self {
        Self { page: "index", place: None }
    }

    /// Returns the address of a topic: the name of a page, or `PAGE#ANCHOR` with the English anchor of a heading or row.
    /// `None` if it does not exist.
    pub fn of_topic(topic: &str) -> Option<Self> {
        let (name, anchor) = topic.split_once('#').unwrap_or((topic, ""));
        Self::find(name, anchor, Language::English)
    }

    /// Returns the target of `link` on the page `from`; `None` if it leads out of the guide or nowhere.
    pub fn of_link(link: &str, from: &str, language: Language) -> Option<Self> {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let name = if file.is_empty() { from } else { file.strip_suffix(".md")? };
        Self::find(name, anchor, language)
    }

    fn find(name: &str, anchor: &str, language: Language) -> Option<Self> {
        let page = *PAGES.iter().find(|page| **page == name)?;
        let place = match anchor {
            "" => None,
            _ => Some(anchors(page, language).iter().position(|each| each == anchor)?),
        };
        Some(Self { page, place })
    }

    /// Returns the anchor of the place in `language`; empty for the top of a page.
    pub fn anchor(self, language: Language) -> String {
        let anchors = self.place.map(|place| (place, anchors(self.page, language)));
        anchors.and_then(|(place, anchors)| anchors.into_iter().nth(place)).unwrap_or_default()
    }
}

/// Returns the anchors of all headings and table rows of a page, in order.
pub(crate) fn anchors(name: &str, language: Language) -> Vec<String> {
    let text = page(name, language).unwrap_or_default();
    let mut found = Vec::new();
    for block in blocks(text, language) {
        match block {
            Block::Heading { text, .. } => found.push(anchor(&text)),
            Block::Table { rows, .. } => {
                found.extend(rows.iter().map(|row| row.cells.first().map(|cell| anchor(cell)).unwrap_or_default()));
            }
            _ => {}
        }
    }
    found
}

/// Returns the anchor of a text as code hosts derive it: lower case, spaces as hyphens, no punctuation.
pub(crate) fn anchor(text: &[Span]) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    plain_text(text).to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
}
