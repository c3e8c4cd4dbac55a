//! HTML of the blocks of a page.

use crate::address::anchor;
use crate::{Block, Language, Row, Span, SpanStyle, picture, plain_text};

/// Returns the HTML of the blocks of a page.
pub(super) fn body(blocks: &[Block], language: Language) -> String {
    blocks.iter().map(|block| one(block, language)).collect()
}

fn one(block: &Block, language: Language) -> String {
    match block {
        Block::Heading { level, text, .. } => {
            format!("<h{level} id=\"{}\">{}</h{level}>\n", escaped(&anchor(text)), spans(text, language))
        }
        Block::Paragraph(text) => format!("<p>{}</p>\n", spans(text, language)),
        Block::List { first, items } => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", item_body(item, language))).collect();
            match first {
                Some(first) => format!("<ol start=\"{first}\">\n{items}</ol>\n"),
                None => format!("<ul>\n{items}</ul>\n"),
            }
        }
        Block::Code(code) => format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(code)),
        Block::Table { header, rows } => table(header, rows, language),
        Block::Picture { path, alt } => match picture(path) {
            Some((name, _)) => {
                format!("<p><img src=\"../pictures/{name}\" alt=\"{}\" loading=\"lazy\"></p>\n", escaped(alt))
            }
            None => format!("<p>{}</p>\n", escaped(alt)),
        },
    }
}

/// Returns the HTML inside a list item. A single paragraph needs no tag.
fn item_body(item: &[Block], language: Language) -> String {
    match item {
        [Block::Paragraph(text), rest @ ..] => spans(text, language) + &body(rest, language),
        _ => body(item, language),
    }
}

/// Returns the HTML of a table. It scrolls sideways on narrow screens.
fn table(header: &[Vec<Span>], rows: &[Row], language: Language) -> String {
    let cells = |tag: &str, cells: &[Vec<Span>]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", spans(cell, language))).collect()
    };
    let is_titled = header.iter().any(|cell| !plain_text(cell).is_empty());
    let head = if is_titled { format!("<thead><tr>{}</tr></thead>\n", cells("th", header)) } else { String::new() };
    let row = |row: &Row| {
        let id = row.cells.first().map(|cell| anchor(cell)).filter(|id| !id.is_empty());
        let id = id.map(|id| format!(" id=\"{}\"", escaped(&id))).unwrap_or_default();
        format!("<tr{id}>{}</tr>\n", cells("td", &row.cells))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("<div class=\"table\" tabindex=\"0\"><table>\n{head}<tbody>\n{rows}</tbody></table></div>\n")
}

/// Returns the HTML of a line of text.
pub(super) fn spans(spans: &[Span], language: Language) -> String {
    let text = |span: &Span| {
        let text = escaped(&span.text);
        match (span.style, language) {
            (SpanStyle::Plain, _) => text,
            (SpanStyle::Strong, _) => format!("<strong>{text}</strong>"),
            (SpanStyle::Label, Language::English) => format!("<em>{text}</em>"),
            (SpanStyle::Label, Language::Chinese) => format!("“<em>{text}</em>”"),
            (SpanStyle::Code, _) => format!("<code>{text}</code>"),
        }
    };
    let groups = spans.chunk_by(|a, b| a.link == b.link);
    let group = |group: &[Span]| {
        let words: String = group.iter().map(text).collect();
        match group.first().and_then(|span| span.link.as_deref()) {
            Some(link) => format!("<a href=\"{}\">{words}</a>", escaped(&target(link))),
            None => words,
        }
    };
    groups.map(group).collect()
}

/// Returns the target of a link on the site: pages end in `.html`.
fn target(link: &str) -> String {
    if link.contains("://") { link.to_owned() } else { link.replacen(".md", ".html", 1) }
}

/// Returns `text` with the characters that HTML reserves replaced.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
