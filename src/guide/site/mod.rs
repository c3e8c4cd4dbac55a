//! The guide as static files: HTML, a style sheet and the pictures.

mod html;
mod layout;

use super::{Language, PAGES, PICTURES};

/// A file of the site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteFile {
    /// Path relative to the folder of the site, with `/` between folders.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl SiteFile {
    fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into() }
    }
}

/// Returns all files of the site. `index.html` leads to the languages; each has a folder with a page per page of the guide
/// and an index that can be searched.
pub fn site() -> Vec<SiteFile> {
    let mut files = vec![
        SiteFile::new("index.html", layout::languages()),
        SiteFile::new("style.css", include_str!("style.css")),
        SiteFile::new("search.js", include_str!("search.js")),
    ];
    for language in Language::ALL {
        let code = language.code();
        let pages = PAGES.iter().map(|name| (*name, layout::page(name, language)));
        let all = pages.chain([(layout::SEARCH, layout::search(language))]);
        files.extend(all.map(|(name, html)| SiteFile::new(format!("{code}/{name}.html"), html)));
    }
    files.extend(PICTURES.iter().map(|(path, bytes)| SiteFile::new(format!("pictures/{path}"), *bytes)));
    files
}
