//! Runs of text with one style.

/// Style of a run of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanStyle {
    /// Text.
    Plain,
    /// Emphasised text.
    Strong,
    /// A label of the window, without quotation marks.
    Label,
    /// Code, file names, keys.
    Code,
}

/// A run of text with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its style.
    pub style: SpanStyle,
    /// Target of the link that the run is part of, as written.
    pub link: Option<String>,
}

/// Returns the text of `spans` without styles.
pub fn plain_text(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// Appends `text` to `spans`. Text between Chinese quotation marks becomes a label.
pub(crate) fn add_with_quotes(spans: &mut Vec<Span>, text: &str, style: SpanStyle, link: Option<&str>) {
    let mut add = |text: &str, style| {
        if !text.is_empty() {
            spans.push(Span { text: text.to_owned(), style, link: link.map(str::to_owned) });
        }
    };
    let mut rest = text;
    while let Some((before, quoted)) = rest.split_once('“') {
        let Some((label, after)) = quoted.split_once('”') else { break };
        add(before, style);
        add(label, SpanStyle::Label);
        rest = after;
    }
    add(rest, style);
}
