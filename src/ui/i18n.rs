//! Words in the user's language. Those of the window are in `locales/app.json`, both languages side by side; the sentences of
//! errors and warnings stand in English where they arise and in other languages in `locales/messages.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::message::Message;

/// Languages there are: code and name in itself.
pub const LANGUAGES: [(&str, &str); 2] = [("en", "English"), ("zh-CN", "中文")];

/// Place among [`LANGUAGES`] of the one in use.
static LANGUAGE: AtomicUsize = AtomicUsize::new(0);

/// Texts by their key, then by language.
type Texts = BTreeMap<String, BTreeMap<String, String>>;

/// Every text of the window and of its messages.
static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let files = [include_str!("locales/app.json"), include_str!("locales/messages.json")];
    files.iter().flat_map(|file| serde_json::from_str::<Texts>(file).unwrap_or_default()).collect()
});

/// Everything is said in `language` from now on; an unknown one is English.
pub fn use_language(language: &str) {
    let place = LANGUAGES.iter().position(|(code, _)| *code == language);
    LANGUAGE.store(place.unwrap_or(0), Ordering::Relaxed);
}

/// The text for `key`, in English where the language lacks it; the key itself where there is none.
pub fn tr(key: &str) -> String {
    let (language, _) = LANGUAGES[LANGUAGE.load(Ordering::Relaxed)];
    let texts = TEXTS.get(key);
    texts
        .and_then(|texts| texts.get(language).or_else(|| texts.get("en")))
        .map_or_else(|| key.to_owned(), String::clone)
}

/// The text for `key` with each `%{name}` replaced.
pub fn tr_with(key: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(tr(key), |text, (name, value)| text.replace(&format!("%{{{name}}}"), value))
}

/// `message` in the user's language; in English where it has no translation.
pub fn say(message: &Message) -> String {
    message.translated(&|key| {
        let text = tr(key);
        (text != key).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn every_text_exists_in_every_language_with_the_same_blanks() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        let blanks = |text: &str| {
            let mut blanks: Vec<String> =
                text.split("%{").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
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
    fn the_language_can_be_changed_and_unknown_keys_show_themselves() {
        let text = |language: &str| super::TEXTS["menu.file"][language].clone();
        assert_ne!(text("en"), text("zh-CN"));
        assert_eq!(super::tr("no.such.key"), "no.such.key");
    }

    #[test]
    fn no_text_stands_twice() {
        let lines = include_str!("locales/app.json").lines().filter_map(|line| line.trim().split_once("\": {"));
        let mut keys: Vec<&str> = lines.map(|(key, _)| key).collect();
        keys.sort_unstable();
        assert_eq!(keys.windows(2).find(|pair| pair[0] == pair[1]), None);
    }

    #[test]
    fn every_step_of_the_history_and_every_source_has_a_label() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        let sources = ["blend", "vertices", "images", "cloth", "walk"].map(|source| format!("change.edit_{source}"));
        let modifiers = ["stretch", "dynamics", "loop"].map(|modifier| format!("modifier.{modifier}"));
        let kinds =
            ["vertices", "images", "flag", "strip", "cape", "mesh", "walk"].map(|kind| format!("source.{kind}"));
        for key in sources.into_iter().chain(modifiers).chain(kinds) {
            assert!(all.get(&key).is_some(), "{key}");
        }
    }

    #[test]
    fn every_command_has_a_label() {
        let all: Value = serde_json::from_str(include_str!("locales/app.json")).unwrap();
        for entry in crate::session::command::catalogue() {
            assert!(all.get(format!("command.{}", entry.name)).is_some(), "command.{}", entry.name);
        }
    }
}
