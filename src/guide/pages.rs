//! The texts of all pages.

use super::{Block, Language, blocks, plain_text};

/// Embeds the pages with these names, in the order of the navigation.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        /// Names of all pages, without extension, in the order of the navigation.
        pub const PAGES: &[&str] = &[$($name),*];

        /// English and Chinese text of each page of [`PAGES`].
        const TEXTS: &[[&str; 2]] = &[$([
            include_str!(concat!("../../assets/guide/en/", $name, ".md")),
            include_str!(concat!("../../assets/guide/zh-CN/", $name, ".md")),
        ]),*];
    };
}

pages![
    "index",
    "mixamo-to-godot",
    "mocap-to-unreal",
    "flame-loop",
    "walk-a-level",
    "stretch",
    "blend",
    "stages",
    "layer",
    "additive",
    "close",
    "ground",
    "clean-up",
    "root-motion",
    "mirror",
    "retime",
    "trim",
    "stride",
    "cycle-offset",
    "align-poses",
    "pose",
    "cross",
    "dynamics",
    "cloth",
    "loop",
    "walk",
    "retarget",
    "finish",
    "library-and-fix",
    "recipes-and-variants",
    "contracts",
    "export",
    "unreal",
    "unity",
    "godot",
    "watch",
    "blender",
    "remote",
    "batch-and-farm",
    "commands",
    "panels",
    "window",
    "symptoms",
    "for-animators",
    "for-technical-animators",
    "for-programmers",
    "for-pipelines",
    "files",
    "evidence",
    "safety",
    "limits",
    "maintaining",
    "changes",
];

/// Returns the Markdown of the page with this name; `None` if there is no such page.
pub fn page(name: &str, language: Language) -> Option<&'static str> {
    let index = PAGES.iter().position(|page| *page == name)?;
    TEXTS.get(index).map(|[english, chinese]| match language {
        Language::English => *english,
        Language::Chinese => *chinese,
    })
}

/// Returns the title of a page: its first heading. Empty for an unknown page.
pub fn title(name: &str, language: Language) -> String {
    let heading = |block: Block| match block {
        Block::Heading { text, .. } => Some(plain_text(&text)),
        _ => None,
    };
    let text = page(name, language).unwrap_or_default();
    // The heading is the first line; the rest need not be parsed.
    let first = text.lines().next().unwrap_or_default();
    blocks(first, language).into_iter().find_map(heading).unwrap_or_default()
}
