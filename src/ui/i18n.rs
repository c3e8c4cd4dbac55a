//! Translations. `locales/app.json` has the window's texts in both languages. Messages are written in English in the source
//! code; `locales/messages.json` has their translations.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::units;
use portamento_base::message::{Message, with_plurals};

/// The available languages: code and native name.
pub(super) const LANGUAGES: [(&str, &str); 2] = [("en", "English"), ("zh-CN", "中文")];

thread_local! {
    /// Index of the current language in [`LANGUAGES`]. Thread-local, because one thread draws the window.
    static LANGUAGE: Cell<usize> = const { Cell::new(0) };
}

/// Texts by key, then by language.
type Texts = BTreeMap<String, BTreeMap<String, String>>;

/// All texts of the window and of messages.
static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let files = [include_str!("locales/app.json"), include_str!("locales/messages.json")];
    files.iter().flat_map(|file| serde_json::from_str::<Texts>(file).unwrap_or_default()).collect()
});

/// Sets the language. An unknown code selects English.
pub(super) fn use_language(language: &str) {
    let index = LANGUAGES.iter().position(|(code, _)| *code == language);
    LANGUAGE.set(index.unwrap_or(0));
}

/// Returns the text for `key`, in English if it is not translated, or the key itself if it is unknown.
pub(super) fn tr(key: &str) -> String {
    let (language, _) = LANGUAGES[LANGUAGE.get()];
    let texts = TEXTS.get(key);
    texts
        .and_then(|texts| texts.get(language).or_else(|| texts.get("en")))
        .map_or_else(|| key.to_owned(), String::clone)
}

/// Returns the English text for `key`. The palette searches it in every language, because guides and forums are English. Empty if
/// the key is unknown.
pub(super) fn english(key: &str) -> &'static str {
    TEXTS.get(key).and_then(|texts| texts.get("en")).map_or("", String::as_str)
}

/// Returns the texts for `key` in all languages, or nothing if it is unknown.
pub(super) fn in_every_language(key: &str) -> impl Iterator<Item = &'static str> {
    TEXTS.get(key).into_iter().flat_map(|texts| texts.values().map(String::as_str))
}

/// Returns the text for `key` with each `%{name}` replaced by its value in `values`, and with the plural forms of these counts.
pub(super) fn tr_with(key: &str, values: &[(&str, String)]) -> String {
    let value = |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value);
    values
        .iter()
        .fold(with_plurals(&tr(key), &value), |text, (name, value)| text.replace(&format!("%{{{name}}}"), value))
}

/// Returns `message` in the user's language and units, in English if it is not translated.
pub fn localized(message: &Message) -> String {
    let translate = |key: &str| Some(tr(key)).filter(|text| text != key);
    message.measured(&translate, &units::in_sentence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use portamento_takes::document::StageType;
    use serde_json::Value;

    #[test]
    fn every_text_exists_in_every_language_with_the_same_blanks() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        let blanks = |text: &str| {
            let mut blanks: Vec<String> =
                text.split("%{").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            // One language has a word for one and a word for more, where another has the same for both.
            blanks.retain(|blank| !blank.contains('|'));
            blanks.sort();
            blanks
        };
        for (key, texts) in all.as_object().unwrap() {
            let text = |language: &str| texts[language].as_str().unwrap_or_else(|| panic!("{key} lacks {language}"));
            assert_eq!(blanks(text("en")), blanks(text("zh-CN")), "{key}");
            assert!(!text("en").is_empty() && !text("zh-CN").is_empty(), "{key}");
        }
    }

    #[test]
    fn chinese_words_have_chinese_punctuation() {
        let is_chinese = |c: char| ('\u{3000}'..='\u{303f}').contains(&c) || ('\u{4e00}'..='\u{9fff}').contains(&c);
        for texts in [include_str!("locales/app.json"), include_str!("locales/messages.json")] {
            let all: Value = serde_json::from_str(texts).unwrap();
            for (key, texts) in all.as_object().unwrap() {
                let text: Vec<char> = texts["zh-CN"].as_str().unwrap().chars().collect();
                for (at, c) in text.iter().enumerate().filter(|(_, c)| ",;:!?()".contains(**c)) {
                    let before = at > 0 && is_chinese(text[at - 1]);
                    let after = text.get(at + 1).is_some_and(|&c| is_chinese(c));
                    let number = *c == ')' && text[..at].iter().rev().find(|c| !is_chinese(**c)) == Some(&'}');
                    assert!(number || !before && !after, "{key}: {c}");
                }
            }
        }
    }

    #[test]
    fn the_language_can_be_changed_and_unknown_keys_show_themselves() {
        let text = |language: &str| super::TEXTS["menu.file"][language].clone();
        assert_ne!(text("en"), text("zh-CN"));
        assert_eq!(super::tr("no.such.key"), "no.such.key");
    }

    #[test]
    fn no_text_is_defined_twice() {
        let lines = include_str!("locales/app.json").lines().filter_map(|line| line.trim().split_once("\": {"));
        let mut keys: Vec<&str> = lines.map(|(key, _)| key).collect();
        keys.sort_unstable();
        assert_eq!(keys.windows(2).find(|pair| pair[0] == pair[1]), None);
    }

    /// Rows of forms whose label is `form.KEY`.
    const ROWS: [&str; 12] = [
        "row",
        "form::named_row",
        "fact",
        "number_row",
        "count_row",
        "share_row",
        "frame_row",
        "optional",
        "profile",
        "role",
        "bone",
        "clip",
    ];

    #[test]
    fn every_key_that_the_window_names_has_a_text() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        let has = |key: &str| all.get(key).is_some();
        let rooms: BTreeSet<&str> = all.as_object().unwrap().keys().filter_map(|key| key.split('.').next()).collect();
        let is_key = |text: &str| {
            let is_plain = |c: char| c.is_ascii_lowercase() || "_.".contains(c);
            let (room, rest) = text.split_once('.').unwrap_or_default();
            rooms.contains(room) && !rest.is_empty() && !text.ends_with(['.', '_']) && text.chars().all(is_plain)
        };
        let mut missing = BTreeSet::new();
        for source in sources("ui") {
            let literals = literals(&source);
            missing.extend(literals.iter().filter(|text| is_key(text) && !has(text)).cloned());
            for call in ROWS {
                let keys =
                    first_words(&source, &format!(" {call}(ui, \"")).into_iter().map(|key| format!("form.{key}"));
                missing.extend(keys.filter(|key| !has(key)));
            }
            let sections = first_words(&source, "section(ui, \"").into_iter().map(|key| format!("section.{key}"));
            missing.extend(sections.filter(|key| !has(key)));
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn every_text_is_named_somewhere_and_every_outcome_is_explained() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        let keys: Vec<&String> = all.as_object().unwrap().keys().collect();
        let words: BTreeSet<String> = sources("").iter().flat_map(|source| literals(source)).collect();
        let patterns: BTreeSet<(String, String)> = words.iter().filter_map(|word| pattern(word)).collect();
        let fits = |key: &str, (before, after): &(String, String)| {
            let middle = key.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()));
            middle.is_some_and(|middle| words.contains(middle))
        };
        let mut composed = crate::setting::tests::choice_texts();
        for kind in StageType::ALL {
            composed.extend(["command", "search"].map(|group| format!("{group}.stage_{}", kind.name())));
            let labels = kind.setting_rows().iter().copied().flatten().filter_map(|row| row.word.strip_prefix("form."));
            composed.extend(labels.map(|label| format!("tip.{label}")));
        }
        let is_named = |key: &str| {
            words.contains(key) || composed.contains(key) || patterns.iter().any(|pattern| fits(key, pattern))
        };
        let unnamed: Vec<_> = keys.iter().filter(|key| !is_named(key)).collect();
        assert!(unnamed.is_empty(), "{unnamed:?}");
        let tips = keys.iter().filter_map(|key| key.strip_prefix("tip.outcome_"));
        let outcomes = keys.iter().filter_map(|key| key.strip_prefix("outcome."));
        assert_eq!(tips.collect::<BTreeSet<_>>(), outcomes.collect::<BTreeSet<_>>());
    }

    /// Prefix and suffix around the blank of a composed key such as `form.{key}`.
    fn pattern(word: &str) -> Option<(String, String)> {
        let (before, rest) = word.split_once('{')?;
        let (_, after) = rest.split_once('}')?;
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || "_.".contains(c));
        let is_key = before.contains('.') || after == "_tip";
        (is_key && is_plain(before) && is_plain(after)).then(|| (before.to_owned(), after.to_owned()))
    }

    /// The code below `folder` without tests and comments.
    fn sources(folder: &str) -> Vec<String> {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)];
        let mut texts = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let is_test = entry.file_stem().is_some_and(|name| name == "tests");
                if entry.is_dir() && !is_test {
                    folders.push(entry);
                } else if entry.extension().is_some_and(|extension| extension == "rs") && !is_test {
                    let text = std::fs::read_to_string(entry).unwrap();
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                    texts.push(lines.collect::<Vec<_>>().join("\n"));
                }
            }
        }
        texts
    }

    /// The string literals of `source`.
    fn literals(source: &str) -> Vec<String> {
        let source = source.replace("'\"'", "").replace("\\\"", "");
        source.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// The words that follow `call` up to the closing quote.
    fn first_words<'s>(source: &'s str, call: &str) -> Vec<&'s str> {
        let after = source.match_indices(call).map(|(at, call)| &source[at + call.len()..]);
        after.filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn every_command_has_a_label() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        for entry in portamento_session::command::catalogue() {
            assert!(all.get(format!("command.{}", entry.name)).is_some(), "command.{}", entry.name);
        }
    }
}
