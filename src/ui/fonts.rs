//! Fonts: Inter with tabular digits, one icon font, and a Chinese system font if one is installed.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use egui::{FontData, FontDefinitions, FontFamily, FontTweak};

use portamento_base::message::{Message, message};

/// Chinese font families in order of preference. Simplified Chinese comes first because its glyph shapes differ from Japanese
/// ones.
const CHINESE: [&str; 9] = [
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "SimHei",
];

/// The built-in egui font that contains arrows.
const ARROWS: &str = "emoji-icon-font";
/// Fixed-width font of egui, in which columns of printed tables stand below each other.
const CODE: &str = "Hack";

/// Installs the fonts, with `chinese` as fallback if given. Returns true if Chinese text can be displayed.
pub fn install(ctx: &egui::Context, chinese: Option<FontData>) -> bool {
    let mut fonts = FontDefinitions::empty();
    let mut add = |name: &str, data: FontData| {
        fonts.font_data.insert(name.to_owned(), Arc::new(data));
    };
    add("regular", FontData::from_static(include_bytes!("fonts/Inter-Regular.ttf")));
    add("medium", FontData::from_static(include_bytes!("fonts/Inter-Medium.ttf")));
    let mut icons = egui_material_icons::font_insert().data;
    // The icon set has a taller line than Inter; this centres icons on capital letters.
    icons.tweak.y_offset_factor = 0.16;
    icons.tweak.scale = 1.12;
    add("icons", icons);
    // egui draws arrows to scroll tabs; neither Inter nor the icon font has them.
    let default_fonts = FontDefinitions::default().font_data;
    let mut add_default = |name: &str| {
        let data = default_fonts.get(name).map(|data| FontData::clone(data));
        data.into_iter().map(|data| add(name, data)).next().is_some()
    };
    let (has_arrows, has_code) = (add_default(ARROWS), add_default(CODE));
    let has_chinese = chinese.is_some();
    let mut fallback = vec!["icons".to_owned()];
    if let Some(data) = chinese {
        add("chinese", data);
        fallback.push("chinese".into());
    }
    fallback.extend(has_arrows.then(|| ARROWS.to_owned()));
    let family = |first: &str| std::iter::once(first.to_owned()).chain(fallback.iter().cloned()).collect::<Vec<_>>();
    fonts.families.insert(FontFamily::Proportional, family("regular"));
    fonts.families.insert(FontFamily::Monospace, family(if has_code { CODE } else { "regular" }));
    fonts.families.insert(super::theme::medium(), family("medium"));
    ctx.set_fonts(fonts);
    has_chinese
}

/// A font file and the index of a face in it.
struct Face {
    bytes: Vec<u8>,
    index: u32,
}

/// Cached, because each copy of the font takes megabytes.
static CHINESE_FACE: LazyLock<Option<Face>> = LazyLock::new(find_chinese);

/// Returns the installed Chinese font; `None` if there is none. The first call searches for it, which takes about 0.1 s.
pub(super) fn chinese() -> Option<FontData> {
    let face = CHINESE_FACE.as_ref()?;
    let tweak = FontTweak { scale: 1.0, ..FontTweak::default() };
    Some(FontData { font: Cow::Borrowed(&face.bytes), index: face.index, tweak })
}

/// Starts the search for the Chinese font on a background thread.
pub(super) fn look_for_chinese() {
    std::thread::spawn(|| LazyLock::force(&CHINESE_FACE));
}

/// Searches the system's fonts for the first installed family of [`CHINESE`]. `None` if none is installed.
fn find_chinese() -> Option<Face> {
    let mut database = fontdb::Database::new();
    database.load_system_fonts();
    let families = CHINESE.map(fontdb::Family::Name);
    let id = families.iter().find_map(|&family| {
        let query = fontdb::Query { families: &[family], ..fontdb::Query::default() };
        database.query(&query)
    })?;
    database.with_face_data(id, |bytes, index| Face { bytes: bytes.to_vec(), index })
}

/// Returns the message for a missing Chinese font.
pub(super) fn no_chinese() -> Message {
    message!(
        "notice.no_chinese",
        "No Chinese font was found on this system. Install one, for example Noto Sans CJK, and restart Portamento.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_contain_the_arrows_that_scroll_tabs() {
        let ctx = egui::Context::default();
        install(&ctx, None);
        let _ = ctx.run_ui(egui::RawInput::default(), |_| {});
        for family in [FontFamily::Proportional, super::super::theme::medium()] {
            let font = egui::FontId::new(12.0, family);
            assert!(ctx.fonts_mut(|fonts| fonts.has_glyphs(&font, "⏴⏵")), "{font:?}");
        }
    }

    #[test]
    fn all_copies_of_the_fonts_share_the_bytes_of_the_chinese_face() {
        let (Some(first), Some(second)) = (chinese(), chinese()) else { return };
        assert!(
            matches!((&first.clone().font, &second.font), (Cow::Borrowed(a), Cow::Borrowed(b)) if std::ptr::eq(*a, *b))
        );
    }
}
