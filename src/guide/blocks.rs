//! The structure of a page.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::Language;
use super::span::{Span, SpanStyle, add_with_quotes};

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading {
        /// Level, 1 for the title.
        level: u8,
        /// Its text.
        text: Vec<Span>,
        /// Number of the heading among the headings and table rows of the page, from 0.
        place: usize,
    },
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// A list.
    List {
        /// Number of the first item; `None` for a list without numbers.
        first: Option<u64>,
        /// The items.
        items: Vec<Vec<Block>>,
    },
    /// Code.
    Code(String),
    /// A table.
    Table {
        /// The cells of the header.
        header: Vec<Vec<Span>>,
        /// The rows below it.
        rows: Vec<Row>,
    },
    /// A picture or film.
    Picture {
        /// Its path as written.
        path: String,
        /// The text in place of the picture.
        alt: String,
    },
}

/// A row of a table below its header.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The cells.
    pub cells: Vec<Vec<Span>>,
    /// Number of the row among the headings and table rows of the page, from 0.
    pub place: usize,
}

/// Parses a page of `language`.
pub fn blocks(markdown: &str, language: Language) -> Vec<Block> {
    let mut reader = Reader { language, ..Reader::default() };
    Parser::new_ext(markdown, Options::ENABLE_TABLES).for_each(|event| reader.take(event));
    reader.flush();
    reader.open.pop().unwrap_or_default()
}

/// The state between two events of the parser.
struct Reader {
    language: Language,
    /// Blocks of the page and of the open list items, from outside to inside.
    open: Vec<Vec<Block>>,
    /// First number and finished items of the open lists.
    lists: Vec<(Option<u64>, Vec<Vec<Block>>)>,
    /// Text that was read since the last block.
    spans: Vec<Span>,
    strong: usize,
    emphasis: usize,
    link: Option<String>,
    code: Option<String>,
    /// Path of the open picture; its text is collected in `spans`.
    picture: Option<String>,
    cells: Vec<Vec<Span>>,
    header: Vec<Vec<Span>>,
    rows: Vec<Row>,
    /// Number of headings and rows so far.
    places: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            language: Language::English,
            open: vec![Vec::new()],
            lists: Vec::new(),
            spans: Vec::new(),
            strong: 0,
            emphasis: 0,
            link: None,
            code: None,
            picture: None,
            cells: Vec::new(),
            header: Vec::new(),
            rows: Vec::new(),
            places: 0,
        }
    }
}

impl Reader {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.add(&text, SpanStyle::Code),
            Event::SoftBreak => self.soft_break(),
            Event::HardBreak => self.add(" ", SpanStyle::Plain),
            _ => {}
        }
    }

    fn begin(&mut self, tag: Tag) {
        match tag {
            Tag::Strong => self.strong += 1,
            Tag::Emphasis => self.emphasis += 1,
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.to_string()),
            Tag::Image { dest_url, .. } => {
                self.flush();
                self.picture = Some(dest_url.to_string());
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => self.code = Some(String::new()),
            Tag::List(first) => {
                self.flush();
                self.lists.push((first, Vec::new()));
            }
            Tag::Item => self.open.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong -= 1,
            TagEnd::Emphasis => self.emphasis -= 1,
            TagEnd::Link => self.link = None,
            TagEnd::Paragraph => self.flush(),
            TagEnd::Image => {
                let alt = super::plain_text(&std::mem::take(&mut self.spans));
                let picture = self.picture.take();
                picture.into_iter().for_each(|path| self.push(Block::Picture { path, alt: alt.clone() }));
            }
            TagEnd::CodeBlock => self.code.take().into_iter().for_each(|code| self.push(Block::Code(code))),
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.spans);
                let place = self.next_place();
                self.push(Block::Heading { level: number(level), text, place });
            }
            TagEnd::Item => {
                self.flush();
                let item = self.open.pop().unwrap_or_default();
                self.lists.last_mut().into_iter().for_each(|(_, items)| items.push(item.clone()));
            }
            TagEnd::List(_) => {
                let list = self.lists.pop();
                list.into_iter().for_each(|(first, items)| self.push(Block::List { first, items }));
            }
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.spans)),
            TagEnd::TableHead => self.header = std::mem::take(&mut self.cells),
            TagEnd::TableRow => {
                let (cells, place) = (std::mem::take(&mut self.cells), self.next_place());
                self.rows.push(Row { cells, place });
            }
            TagEnd::Table => {
                let (header, rows) = (std::mem::take(&mut self.header), std::mem::take(&mut self.rows));
                self.push(Block::Table { header, rows });
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None if self.emphasis > 0 => self.add(text, SpanStyle::Label),
            None if self.strong > 0 => self.add(text, SpanStyle::Strong),
            None if self.language == Language::Chinese => {
                add_with_quotes(&mut self.spans, text, SpanStyle::Plain, self.link.as_deref());
            }
            None => self.add(text, SpanStyle::Plain),
        }
    }

    /// Adds the blank of a line break. Chinese has none between letters.
    fn soft_break(&mut self) {
        let last = self.spans.last().and_then(|span| span.text.chars().last());
        if self.language == Language::English || last.is_some_and(|last| last.is_ascii()) {
            self.add(" ", SpanStyle::Plain);
        }
    }

    fn add(&mut self, text: &str, style: SpanStyle) {
        let joins = |last: &&mut Span| last.style == style && last.link == self.link && style == SpanStyle::Plain;
        match self.spans.last_mut().filter(joins) {
            Some(last) => last.text.push_str(text),
            None => self.spans.push(Span { text: text.to_owned(), style, link: self.link.clone() }),
        }
    }

    /// Ends a paragraph, unless no text was read. Inside a table the cell keeps the text.
    fn flush(&mut self) {
        if !self.spans.is_empty() {
            let spans = std::mem::take(&mut self.spans);
            self.push(Block::Paragraph(spans));
        }
    }

    fn push(&mut self, block: Block) {
        self.open.last_mut().into_iter().for_each(|blocks| blocks.push(block.clone()));
    }

    fn next_place(&mut self) -> usize {
        self.places += 1;
        self.places - 1
    }
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        _ => 4,
    }
}
