//! The frame around the pages of the site.

use super::html::{body, escaped};
use crate::address::anchors;
use crate::search::of_page;
use crate::{Hit, Language, PAGES, blocks, title};

/// Name of the page with the index.
pub(super) const SEARCH: &str = "search";

/// Texts of the frame.
struct Words {
    skip: &'static str,
    pages: &'static str,
    search: &'static str,
    field: &'static str,
    none: &'static str,
}

impl Words {
    const fn of(language: Language) -> Self {
        match language {
            Language::English => Self {
                skip: "Skip to the text",
                pages: "Pages",
                search: "Search",
                field: "What do you see, or what are you looking for?",
                none: "Nothing contains these words.",
            },
            Language::Chinese => Self {
                skip: "跳到正文",
                pages: "页面",
                search: "搜索",
                field: "您看到了什么现象，或者想找什么？",
                none: "没有内容包含这些词。",
            },
        }
    }
}

/// Returns the page `name` of the guide as HTML.
pub(super) fn page(name: &str, language: Language) -> String {
    let text = crate::page(name, language).unwrap_or_default();
    framed(name, &title(name, language), &body(&blocks(text, language), language), language)
}

/// Returns the index: all headings and symptoms. A script hides those that do not fit what is typed.
pub(super) fn search(language: Language) -> String {
    let words = Words::of(language);
    let entries: String = PAGES.iter().map(|name| entries(name, language)).collect();
    let main = format!(
        "<h1>{search}</h1>\n<p><label for=\"query\">{field}</label><br>\n<input id=\"query\" type=\"search\" autocomplete=\"off\"></p>\n\
         <p id=\"none\" role=\"status\" hidden>{none}</p>\n<ul id=\"entries\">\n{entries}</ul>\n<script src=\"../search.js\"></script>\n",
        search = words.search,
        field = words.field,
        none = words.none,
    );
    framed(SEARCH, words.search, &main, language)
}

/// Returns the entries of one page in the index.
fn entries(name: &'static str, language: Language) -> String {
    let anchors = anchors(name, language);
    let entry = |part: Hit| {
        let anchor = part.address.place.and_then(|place| anchors.get(place)).filter(|anchor| !anchor.is_empty());
        let anchor = anchor.map(|anchor| format!("#{}", escaped(anchor))).unwrap_or_default();
        let (text, title) = (escaped(&part.text), escaped(&part.page_title));
        format!("<li><a href=\"{name}.html{anchor}\">{text}</a> <small>{title}</small></li>\n")
    };
    of_page(name, language).into_iter().filter(Hit::is_entry).map(entry).collect()
}

/// Returns the first page, which leads to the languages.
pub(super) fn languages() -> String {
    let link = |language: Language| {
        let code = language.code();
        let (name, title) = (language.native_name(), escaped(&title("index", language)));
        format!("<li lang=\"{code}\"><a href=\"{code}/index.html\" hreflang=\"{code}\">{name}: {title}</a></li>\n")
    };
    let links: String = Language::ALL.into_iter().map(link).collect();
    let main =
        format!("<main>\n<h1>Portamento</h1>\n<nav aria-label=\"Languages\"><ul>\n{links}</ul></nav>\n</main>\n");
    document("en", "Portamento", "", &main)
}

/// Returns a page with header and navigation around `main`.
fn framed(name: &str, title: &str, main: &str, language: Language) -> String {
    let words = Words::of(language);
    let others = Language::ALL.into_iter().filter(|other| *other != language);
    let other = |other: Language| {
        let (code, word) = (other.code(), other.native_name());
        format!("<a href=\"../{code}/{name}.html\" lang=\"{code}\" hreflang=\"{code}\">{word}</a>")
    };
    let others: String = others.map(other).collect();
    let link = |page: &&str| {
        let current = if *page == name { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{page}.html\"{current}>{}</a></li>\n", escaped(&crate::title(page, language)))
    };
    let links: String = PAGES.iter().map(link).collect();
    let content = format!(
        "<a class=\"skip\" href=\"#text\">{skip}</a>\n\
         <header><a class=\"home\" href=\"index.html\">Portamento</a><a class=\"pages\" href=\"#pages\">{pages}</a>\
         <a href=\"{SEARCH}.html\">{search}</a>{others}</header>\n\
         <main id=\"text\">\n{main}</main>\n\
         <nav id=\"pages\" aria-label=\"{pages}\"><ul>\n{links}</ul></nav>\n",
        skip = words.skip,
        pages = words.pages,
        search = words.search,
    );
    document(language.code(), &format!("{title} – Portamento"), "../", &content)
}

/// Returns the HTML document. `root` leads to the folder of the site.
fn document(language: &str, title: &str, root: &str, content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{root}style.css\">\n</head>\n<body>\n{content}</body>\n</html>\n",
        title = escaped(title),
    )
}
