//! The variants dialog: settings and values as typed.

use serde_json::Value;

use super::{Axis, MIRRORED, NAMES, Setting, TakeVariant, ValueWord, Wording, value_text, variants};
use portamento_base::message::{Message, message};
use portamento_takes::document::{Document, TakeId};

/// The variants to create of one take.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantDraft {
    /// The take.
    pub take: TakeId,
    /// The varied settings.
    pub axes: Vec<AxisDraft>,
    /// The name pattern of [`variants`].
    pub names: String,
}

/// A setting and its values as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisDraft {
    /// Path of the setting in the take's JSON.
    pub place: String,
    /// The values: `2..8:0.5`, or separated by commas.
    pub values: String,
    /// Display names and units of the values.
    pub wording: Wording,
}

impl AxisDraft {
    /// Returns proposed values around the current one.
    pub fn around(setting: &Setting) -> Self {
        Self { place: setting.place.clone(), values: setting.proposal(), wording: setting.wording.clone() }
    }
}

impl VariantDraft {
    /// Proposes the setting most likely to be varied: the farthest target coordinate, the seed, the first number, or
    /// mirroring. Without any of them, it has no setting.
    pub fn new(take: TakeId, settings: &[Setting]) -> Self {
        let is_target_coordinate = |setting: &&Setting| {
            setting.place.contains("/target/") && setting.value.as_f64().is_some_and(|value| value != 0.0)
        };
        let farthest = settings.iter().filter(is_target_coordinate).max_by(|a, b| {
            let far = |setting: &Setting| setting.value.as_f64().unwrap_or(0.0).abs();
            far(a).total_cmp(&far(b))
        });
        let seed = || settings.iter().find(|setting| setting.place.ends_with("/seed"));
        let first = || settings.iter().find(|setting| setting.value.is_number() && !setting.is_influence());
        let mirrored = || settings.iter().find(|setting| setting.place == MIRRORED);
        let likely = farthest.or_else(seed).or_else(first).or_else(mirrored);
        let axes = likely.map(AxisDraft::around).into_iter().collect();
        Self { take, axes, names: NAMES.into() }
    }

    /// Creates the variants without adding them to `document`.
    ///
    /// Returns `Err` if the take is gone, a value cannot be read or a variant cannot be created.
    pub fn create(&self, document: &Document) -> Result<Vec<TakeVariant>, Message> {
        let Some(take) = document.take(self.take) else {
            return Err(message!("notice.take_gone", "the take is no longer in the project. Choose another."));
        };
        let axes = self.axes.iter().map(AxisDraft::read).collect::<Result<Vec<_>, _>>()?;
        variants(&mut document.clone(), take, &axes, &self.names)
    }
}

/// Value separators: ASCII and Chinese comma.
const SEPARATORS: [char; 2] = [',', '，'];
/// Maximum number of valid words listed in an error.
const MAX_LISTED_WORDS: usize = 12;

impl AxisDraft {
    /// Returns the axis with the values of its text field. Returns `Err` if the text is neither values, a range nor words that
    /// the setting has.
    fn read(&self) -> Result<Axis, Message> {
        let of = |text: &str| Axis::with_values(&self.place, text).map_err(|_| self.unreadable());
        let axis = match self.named_values() {
            Ok(values) => Axis { values, ..of("0")? },
            Err(unknown) => {
                let axis = of(&self.values.replace(SEPARATORS[1], ","))?;
                let is_meant_as_word = !self.wording.words.is_empty() && axis.values.iter().any(Value::is_string);
                if is_meant_as_word {
                    return Err(self.unknown(unknown));
                }
                axis
            }
        };
        Ok(Axis { wording: self.wording.clone(), ..axis })
    }

    /// Returns the values if the whole text consists of known words, which may contain commas; otherwise the first
    /// unknown one.
    fn named_values(&self) -> Result<Vec<Value>, &str> {
        let (mut values, mut rest) = (Vec::new(), self.values.trim());
        loop {
            let (value, remainder) =
                self.first_named(rest).ok_or_else(|| rest.split(SEPARATORS).next().unwrap_or(rest))?;
            values.push(value);
            if remainder.is_empty() {
                return Ok(values);
            }
            rest = remainder.trim_start_matches(SEPARATORS).trim_start();
        }
    }

    /// Returns the value whose word or stored form starts `text`, in any case, and is followed by a separator or the
    /// end. Also returns the text after it, without leading blanks. `None` if there is no such value.
    fn first_named<'t>(&self, text: &'t str) -> Option<(Value, &'t str)> {
        let remainder = |word: &str| {
            let (head, tail) = text.split_at_checked(word.len())?;
            let tail = tail.trim_start();
            let ends_here = tail.is_empty() || tail.starts_with(SEPARATORS);
            (ends_here && head.to_lowercase() == word.to_lowercase()).then_some(tail)
        };
        let by = |called: fn(&ValueWord) -> String| {
            self.wording.words.iter().find_map(|each| Some((each.value.clone(), remainder(&called(each))?)))
        };
        by(|each| each.word.clone()).or_else(|| by(|each| value_text(&each.value)))
    }

    /// Returns the error that the typed values cannot be read.
    fn unreadable(&self) -> Message {
        message!(
            "error.variants.values",
            "“%{values}” cannot be read. Use a range with a step, such as 2..8:0.5, or a list, such as 1, 2, 5.",
            values = &self.values
        )
    }

    /// Returns the error about a word that the setting does not have. It lists at most [`MAX_LISTED_WORDS`] valid ones.
    fn unknown(&self, word: &str) -> Message {
        let known: Vec<&str> = self.wording.words.iter().take(MAX_LISTED_WORDS).map(|each| &*each.word).collect();
        let more = if self.wording.words.len() > MAX_LISTED_WORDS { ", …" } else { "" };
        message!(
            "error.variants.word",
            "“%{word}” is not a valid value. Valid values: %{known}.",
            word,
            known = known.join(", ") + more
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::setting::settings;
    use portamento_takes::document::{FileId, Take, TakeSource};

    #[test]
    fn the_largest_target_coordinate_is_proposed_first() {
        let (name, source) = ("wait".to_owned(), TakeSource::Rest { seconds: 2.0 });
        let take = Take { id: TakeId(0), name, character: FileId(0), source, stages: Vec::new(), loops: None };
        let any = settings(&Document::default(), &take).remove(0);
        let along = |axis: usize, metres: f64| {
            let place = format!("stages/0/stretch/settings/target/world/{axis}");
            let mut setting = any.clone();
            (setting.place, setting.value) = (place, metres.into());
            setting
        };
        let draft = |all: &[Setting]| VariantDraft::new(TakeId(0), all).axes.remove(0).place;
        for (places, farthest) in
            [([0.5, 0.0, -3.0], "world/2"), ([-4.0, 1.0, 2.0], "world/0"), ([0.0, 0.1, 0.0], "world/1")]
        {
            let all: Vec<Setting> = (0..3).map(|axis| along(axis, places[axis])).collect();
            assert!(draft(&all).ends_with(farthest), "{places:?}: {}", draft(&all));
        }
        assert_eq!(draft(&[any.clone(), along(0, 0.0)]), any.place, "there is no travel");
    }

    #[test]
    fn words_may_contain_commas_and_unknown_words_are_reported() {
        let word = |value: &str, word: &str| ValueWord { value: value.into(), word: word.into() };
        let words = vec![word("shares", "All, by their share"), word("last", "The last")];
        let draft = |values: &str| AxisDraft {
            place: "pick".into(),
            values: values.into(),
            wording: Wording { words: words.clone(), ..Wording::default() },
        };
        let read = |values: &str| draft(values).read().map(|axis| axis.values);
        let both: Vec<Value> = vec!["shares".into(), "last".into()];
        for values in ["All, by their share, The last", " all, by their share，last ", "shares,last"] {
            assert_eq!(read(values).unwrap(), both, "{values}");
        }
        for (values, unknown) in [("The lasting", "The lasting"), ("The last, first", "first")] {
            let error = read(values).unwrap_err().to_string();
            assert!(error.contains(unknown) && error.contains("All, by their share, The last"), "{error}");
        }
    }
}
