//! Messages to the user as data: an English sentence with blanks, its translation key, and the arguments for the
//! blanks.
//!
//! Errors and warnings implement [`Tell::message`]; their `Display` is the English text, which the command line
//! prints. The window looks up the key in `ui/locales/messages.json` and falls back to English.

use std::borrow::Cow;
use std::fmt;

/// A translatable sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The translation key; empty for text that is never translated. The sentence is private: texts are for the user, and
    /// no decision may depend on them.
    key: &'static str,
    /// The English sentence with blanks like `%{joint}`, and plurals like `%{count|take|takes}`.
    english: Sentence,
    /// The argument for each blank, by name.
    pub arguments: Vec<(&'static str, Argument)>,
    /// The moment of the motion to which the message refers. Boxed to keep errors small.
    pub moment: Option<Box<Moment>>,
}

/// The English sentence of a message. Its kind tells whether the message is harmless without making errors larger.
#[derive(Clone, Debug, PartialEq)]
enum Sentence {
    /// A sentence of the program.
    Fixed(&'static str),
    /// A sentence about something by which nothing is lost.
    Harmless(&'static str),
    /// Text of the system or another crate.
    Foreign(String),
}

impl Sentence {
    /// Returns the English text with its blanks.
    fn text(&self) -> &str {
        match self {
            Self::Fixed(text) | Self::Harmless(text) => text,
            Self::Foreign(text) => text,
        }
    }
}

/// A moment of a motion to which a message refers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds in the output of the stage that reports it.
    pub seconds: f64,
    /// The joint concerned, if any.
    pub joint: Option<usize>,
    /// Number of stages built before the message.
    pub stages: usize,
}

/// The argument for a blank.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A name or number, equal in all languages.
    Text(String),
    /// A message that is translated itself.
    Message(Message),
}

/// A number converted to another unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The number with its unit.
    pub text: String,
    /// The unit after the blank that `text` replaces.
    pub unit: &'static str,
}

/// Converts a number, given with the text after its blank, to another unit; `None` leaves it unchanged.
pub type Measure<'a> = dyn Fn(&str, &str) -> Option<Quantity> + 'a;

/// A value that can be reported to the user as a [`Message`].
pub trait Tell {
    /// Returns one translatable sentence with its arguments. It says what happened, to what, and what to do.
    fn message(&self) -> Message;
}

impl Message {
    /// Creates a message; called by [`message!`].
    #[doc(hidden)]
    pub fn new(key: &'static str, english: &'static str, arguments: Vec<(&'static str, Argument)>) -> Self {
        Self { key, english: Sentence::Fixed(english), arguments, moment: None }
    }

    /// Returns `text` unchanged in all languages, for text of the system or another crate.
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self { english: Sentence::Foreign(text.into()), ..Self::new("", "", Vec::new()) }
    }

    /// Returns the translation key, by which the window finds the help for a message.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the message with the moment at `seconds` and `joint`.
    pub fn at(self, seconds: f64, joint: Option<usize>) -> Self {
        Self { moment: Some(Box::new(Moment { seconds, joint, stages: 0 })), ..self }
    }

    /// Returns the message marked as harmless: nothing is lost by what it reports, such as a conversion, an assumption or a
    /// question. Foreign text cannot be marked.
    pub fn harmless(self) -> Self {
        let english = match self.english {
            Sentence::Fixed(text) => Sentence::Harmless(text),
            other => other,
        };
        Self { english, ..self }
    }

    /// True if nothing is lost by what the message reports.
    pub fn is_harmless(&self) -> bool {
        matches!(self.english, Sentence::Harmless(_))
    }

    /// Returns the sentence with its blanks filled; `translate` returns the text of a key, or `None` for English.
    fn translated(&self, translate: &dyn Fn(&str) -> Option<String>) -> String {
        self.measured(translate, &|_, _| None)
    }

    /// Returns the sentence with its blanks filled and numbers converted by `measure`, which gets an argument and the
    /// text after its blank.
    pub fn measured(&self, translate: &dyn Fn(&str) -> Option<String>, measure: &Measure) -> String {
        let text = if self.key.is_empty() { None } else { translate(self.key) };
        let text = with_plurals(text.as_deref().unwrap_or_else(|| self.english.text()), &|name| self.text(name));
        let mut rest = &*text;
        let mut filled = String::with_capacity(rest.len());
        // Filled from left to right, so that an argument that looks like a blank stays unchanged.
        while let Some((before, after)) = rest.split_once("%{") {
            filled.push_str(before);
            let (name, mut after_blank) = after.split_once('}').unwrap_or((after, ""));
            match self.arguments.iter().find(|(known, _)| *known == name) {
                Some((_, Argument::Text(text))) => match measure(text, after_blank) {
                    Some(Quantity { text, unit }) => {
                        filled.push_str(&text);
                        after_blank = after_blank.strip_prefix(unit).unwrap_or(after_blank);
                    }
                    None => filled.push_str(&short(text)),
                },
                Some((_, Argument::Message(message))) => filled.push_str(&message.measured(translate, measure)),
                None => filled.push_str(name),
            }
            rest = after_blank;
        }
        filled.push_str(rest);
        filled
    }

    /// True if the text of an argument contains `name`, also within a nested message.
    pub fn mentions(&self, name: &str) -> bool {
        self.arguments.iter().any(|(_, argument)| match argument {
            Argument::Text(text) => text.contains(name),
            Argument::Message(message) => message.mentions(name),
        })
    }

    /// Returns the name or number for the blank `name`; `None` without such an argument, or if it is a message.
    fn text(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find_map(|(known, argument)| match argument {
            Argument::Text(text) if *known == name => Some(&**text),
            _ => None,
        })
    }
}

/// Replaces each plural `%{count|take|takes}` in `text`: the first word if `value("count")` is 1, else the second.
pub fn with_plurals<'a>(text: &str, value: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut pieces = text.split("%{");
    let mut agreeing = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let words = piece.split_once('}').and_then(|(words, after_blank)| Some((words.split_once('|')?, after_blank)));
        match words.and_then(|((name, words), after_blank)| Some((name, words.split_once('|')?, after_blank))) {
            Some((name, (one, more), after_blank)) => {
                agreeing.push_str(if value(name) == Some("1") { one } else { more });
                agreeing.push_str(after_blank);
            }
            None => agreeing.extend(["%{", piece]),
        }
    }
    agreeing
}

/// Maximum digits before a number is written with an exponent: 1e308 written out fills four lines.
const MAX_DIGITS: usize = 24;

/// Returns `text`, or if it is a number with too many digits to read, that number with an exponent.
fn short(text: &str) -> Cow<'_, str> {
    let number = Some(text).filter(|text| text.len() > MAX_DIGITS).and_then(|text| text.parse::<f64>().ok());
    number.map_or(Cow::Borrowed(text), |number| format!("{number:e}").into())
}

impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.translated(&|_| None))
    }
}

impl From<Message> for Argument {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<&Message> for Argument {
    fn from(message: &Message) -> Self {
        Self::Message(message.clone())
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Argument {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<usize> for Argument {
    fn from(number: usize) -> Self {
        Self::Text(number.to_string())
    }
}

/// Builds a [`Message`] from its key, the English sentence, and `name = value` or a variable's `name` for each of its
/// blanks.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    ($key:literal, $english:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::message::Message::new(
            $key,
            $english,
            vec![$((stringify!($name), $crate::message::argument!($name $(= $value)?))),*],
        )
    };
}

/// Converts the argument of a blank: the given value, or the `Display` text of the variable with that name.
#[doc(hidden)]
#[macro_export]
macro_rules! __argument {
    ($name:ident = $value:expr) => {
        $crate::message::Argument::from($value)
    };
    ($name:ident) => {
        $crate::message::Argument::from($name.to_string())
    };
}

/// Declares an enum whose variants each have a message, or a struct with one: the expression after `=>`, in which the
/// fields are variables. Implements [`Tell`] and an English `Display`.
#[doc(hidden)]
#[macro_export]
macro_rules! __messages {
    ($(#[$attribute:meta])* $visibility:vis struct $kind:ident {
        $($(#[$doc:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
    } => $message:expr) => {
        $(#[$attribute])*
        $visibility struct $kind { $($(#[$doc])* $field_visibility $field: $type),+ }

        impl $crate::message::Tell for $kind {
            fn message(&self) -> $crate::message::Message {
                let Self { $($field),+ } = self;
                $message
            }
        }

        $crate::message::display_in_english!($kind);
    };
    ($(#[$attribute:meta])* $visibility:vis enum $kind:ident {$(
        $(#[$doc:meta])*
        $variant:ident
            $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),+ $(,)? })?
            $(( $($(#[$inner_attribute:meta])? $inner:ident: $inner_type:ty),+ ))?
            => $message:expr
    ),+ $(,)?}) => {
        $(#[$attribute])*
        $visibility enum $kind {$(
            $(#[$doc])*
            $variant $({ $($(#[$field_doc])* $field: $type),+ })? $(( $($(#[$inner_attribute])? $inner_type),+ ))?
        ),+}

        impl $crate::message::Tell for $kind {
            #[allow(unused_variables, reason = "a message need not name every field")]
            fn message(&self) -> $crate::message::Message {
                match self {$(
                    Self::$variant $({ $($field),+ })? $(( $($inner),+ ))? => $message
                ),+}
            }
        }

        $crate::message::display_in_english!($kind);
    };
}

/// Implements an English `Display` for types with [`Tell`].
#[doc(hidden)]
#[macro_export]
macro_rules! __display_in_english {
    ($($kind:ty),+) => {
        $(impl std::fmt::Display for $kind {
            fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                std::fmt::Display::fmt(&$crate::message::Tell::message(self), formatter)
            }
        })+
    };
}

pub use {
    __argument as argument, __display_in_english as display_in_english, __message as message, __messages as messages,
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[test]
    fn blanks_follow_the_order_of_the_language_and_message_arguments_are_translated() {
        let joints = message!("test.joints", "joints");
        let message = message!("test.of", "“%{name}” is made of %{what}.", name = "%{what}", what = joints);
        assert_eq!(message.to_string(), "“%{what}” is made of joints.");
        let chinese = |key: &str| match key {
            "test.of" => Some("由%{what}组成的“%{name}”。".to_owned()),
            "test.joints" => Some("关节".to_owned()),
            _ => None,
        };
        assert_eq!(message.translated(&chinese), "由关节组成的“%{what}”。");
        assert_eq!(Message::verbatim("disk full").translated(&chinese), "disk full");
    }

    #[test]
    fn plurals_agree_with_the_argument_of_their_blank() {
        let text =
            |count: usize| message!("test.rows", "%{count} %{count|row was|rows were} copied (|).", count).to_string();
        assert_eq!(
            [0, 1, 2, 11].map(text),
            ["0 rows were copied (|).", "1 row was copied (|).", "2 rows were copied (|).", "11 rows were copied (|).",]
        );
        let name = "%{count|one|more}";
        assert_eq!(message!("test.name", "%{name}", name).to_string(), name, "a name stays a name");
        let chinese = |_: &str| Some("已复制 %{count} 行。".to_owned());
        assert_eq!(
            message!("test.rows", "%{count} %{count|row|rows}", count = 1).translated(&chinese),
            "已复制 1 行。"
        );
    }

    #[test]
    fn numbers_of_hundreds_of_digits_are_written_with_an_exponent() {
        let text = |value: f64| message!("test.value", "It is %{value}.", value).to_string();
        assert_eq!((text(1e308), text(-2.5e-300)), ("It is 1e308.".into(), "It is -2.5e-300.".into()));
        assert_eq!((text(0.000_012_5), text(f64::NAN)), ("It is 0.0000125.".into(), "It is NaN.".into()));
        let name = "a name of more than twenty-four letters";
        assert_eq!(message!("test.name", "%{name}", name).to_string(), name);
    }

    #[test]
    fn every_message_of_the_program_has_a_chinese_text_with_the_same_blanks() {
        let known: serde_json::Value = serde_json::from_str(include_str!("../ui/locales/messages.json")).unwrap();
        let mut texts = std::collections::BTreeMap::new();
        let calls: Vec<Call> = sources().iter().flat_map(|(_, source)| calls(source)).collect();
        for Call { key, english, names } in calls.iter().filter(|call| !call.key.starts_with("test.")) {
            assert_eq!(blanks(english), *names, "{key}");
            let chinese = known[key]["zh-CN"].as_str().unwrap_or_else(|| panic!("{key} has no Chinese text"));
            assert_eq!(blanks(chinese), *names, "{key}");
            assert_eq!(texts.entry(key).or_insert(english), &english, "{key} is used for two sentences");
        }
        let lines =
            include_str!("../ui/locales/messages.json").lines().filter(|line| line.trim_start().starts_with('"'));
        assert_eq!(lines.count(), known.as_object().unwrap().len(), "duplicate key");
        let unused = |key: &&String| !texts.contains_key(key);
        assert_eq!(known.as_object().unwrap().keys().find(unused), None, "no longer used");
    }

    /// A [`Message`] gives neither its key nor its sentence; its filled text must decide nothing either.
    #[test]
    fn no_decision_depends_on_the_words_of_a_message() {
        let own = |path: &Path| path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
        let readings =
            ["contains(", "starts_with(", "ends_with(", "split", "find(", "strip_"].map(|name| format!(".{name}"));
        let next: Vec<String> = readings.into_iter().chain([" == ", " != "].map(str::to_owned)).collect();
        let texts = [".to_string()", ".text()"];
        let decisions = texts.iter().flat_map(|text| next.iter().map(move |next| format!("{text}{next}")));
        let decisions: Vec<String> = decisions.chain(["== message!(", "!= message!("].map(str::to_owned)).collect();
        for (path, source) in sources().iter().filter(|(path, _)| !own(path).contains("test")) {
            let production = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let found = decisions.iter().find(|decision| production.contains(&**decision));
            assert_eq!(found, None, "{}", path.display());
        }
    }

    /// A use of `message!` in the source code.
    struct Call {
        key: String,
        english: String,
        /// Names of the blanks, sorted.
        names: Vec<String>,
    }

    fn sources() -> Vec<(PathBuf, String)> {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
        let mut texts = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if entry.extension().is_some_and(|extension| extension == "rs") {
                    let text = std::fs::read_to_string(&entry).unwrap();
                    texts.push((entry, text));
                }
            }
        }
        texts
    }

    fn calls(source: &str) -> Vec<Call> {
        let after = source.match_indices("message!(").map(|(at, name)| &source[at + name.len()..]);
        after.filter_map(call).collect()
    }

    fn call(text: &str) -> Option<Call> {
        let (key, rest) = literal(text.trim_start())?;
        let (english, mut rest) = literal(rest.trim_start().strip_prefix(',')?.trim_start())?;
        let (mut names, mut depth) = (Vec::new(), 0);
        while let Some(first) = rest.chars().next() {
            match first {
                ')' if depth == 0 => break,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => names.extend(name(rest[1..].trim_start())),
                '"' => {
                    rest = literal(rest)?.1;
                    continue;
                }
                _ => {}
            }
            rest = &rest[first.len_utf8()..];
        }
        names.sort();
        Some(Call { key, english, names })
    }

    /// Returns the name at the start of an argument.
    fn name(text: &str) -> Option<String> {
        let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    }

    /// Returns the string literal at the start of `text` and the text after it.
    fn literal(text: &str) -> Option<(String, &str)> {
        let inside = text.strip_prefix('"')?;
        let (mut value, mut chars) = (String::new(), inside.char_indices());
        while let Some((at, next)) = chars.next() {
            match next {
                '"' => return Some((value, &inside[at + 1..])),
                '\\' => match chars.next()?.1 {
                    // A broken line in the source continues at the first letter of the next line.
                    '\n' => chars = skip_spaces(chars),
                    escaped => value.push(escaped),
                },
                other => value.push(other),
            }
        }
        None
    }

    fn skip_spaces(mut chars: std::str::CharIndices) -> std::str::CharIndices {
        while chars.as_str().starts_with(' ') {
            chars.next();
        }
        chars
    }

    fn blanks(text: &str) -> Vec<String> {
        let names = text.split("%{").skip(1).filter_map(|rest| rest.split(['}', '|']).next());
        names.map(str::to_owned).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }
}
