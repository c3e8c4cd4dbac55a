//! Variants as they are being chosen: settings and values as typed.

use serde_json::Value;

use super::{Axis, MIRRORED, NAMES, Setting, TakeVariant, ValueWord, Wording, value_text, variants};
use crate::document::{Document, TakeId};
use crate::message::{Message, message};

/// Which variants of a take are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantDraft {
    /// Of which variants are made.
    pub take: TakeId,
    /// What is varied.
    pub axes: Vec<AxisDraft>,
    /// What the variants are called, as [`variants`] reads it.
    pub names: String,
}

/// A setting and its values as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisDraft {
    /// Where the setting is in the take.
    pub place: String,
    /// `2..8:0.5` or values separated by commas.
    pub values: String,
    /// How values are typed.
    pub wording: Wording,
}

impl AxisDraft {
    /// Values around the present one.
    pub fn around(setting: &Setting) -> Self {
        Self { place: setting.place.clone(), values: setting.proposal(), wording: setting.wording.clone() }
    }
}

impl VariantDraft {
    /// What is likely to be varied of a take with `settings`: how far it goes, the seed of its routes, what comes first, or
    /// whether it is mirrored.
    pub fn new(take: TakeId, settings: &[Setting]) -> Self {
        let is_far = |setting: &&Setting| {
            setting.place.contains("/target/") && setting.value.as_f64().is_some_and(|value| value != 0.0)
        };
        let farthest = settings.iter().filter(is_far).max_by(|a, b| {
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

    /// The variants; none of them is part of `document` yet.
    ///
    /// Errors tell what cannot be read or made.
    pub fn made(&self, document: &Document) -> Result<Vec<TakeVariant>, Message> {
        let Some(take) = document.take(self.take) else {
            return Err(message!("notice.take_gone", "the take is no longer in the project. Choose another."));
        };
        let axes = self.axes.iter().map(AxisDraft::read).collect::<Result<Vec<_>, _>>()?;
        variants(&mut document.clone(), take, &axes, &self.names)
    }
}

/// Between values: the second as Chinese lists have it.
const SEPARATORS: [char; 2] = [',', '，'];
/// Words that are told where one is not known.
const MOST_TOLD: usize = 12;

impl AxisDraft {
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

    /// The values where all that is typed are words, which may hold commas themselves; else the first that is none.
    fn named_values(&self) -> Result<Vec<Value>, &str> {
        let (mut values, mut rest) = (Vec::new(), self.values.trim());
        loop {
            let (value, behind) =
                self.first_named(rest).ok_or_else(|| rest.split(SEPARATORS).next().unwrap_or(rest))?;
            values.push(value);
            if behind.is_empty() {
                return Ok(values);
            }
            rest = behind.trim_start_matches(SEPARATORS).trim_start();
        }
    }

    /// The value whose word, or what it is held as, `text` begins with, and what comes behind it: nothing, or a separator.
    fn first_named<'t>(&self, text: &'t str) -> Option<(Value, &'t str)> {
        let behind = |word: &str| {
            let (head, tail) = text.split_at_checked(word.len())?;
            let tail = tail.trim_start();
            let is_whole = tail.is_empty() || tail.starts_with(SEPARATORS);
            (is_whole && head.to_lowercase() == word.to_lowercase()).then_some(tail)
        };
        let by = |called: fn(&ValueWord) -> String| {
            self.wording.words.iter().find_map(|each| Some((each.value.clone(), behind(&called(each))?)))
        };
        by(|each| each.word.clone()).or_else(|| by(|each| value_text(&each.value)))
    }

    fn unreadable(&self) -> Message {
        message!(
            "error.variants.values",
            "“%{values}” cannot be read. Write a range with its step, as 2..8:0.5, or values, as 1, 2, 5.",
            values = &self.values
        )
    }

    fn unknown(&self, word: &str) -> Message {
        let known: Vec<&str> = self.wording.words.iter().take(MOST_TOLD).map(|each| &*each.word).collect();
        let more = if self.wording.words.len() > MOST_TOLD { ", …" } else { "" };
        message!(
            "error.variants.word",
            "“%{word}” is none of its values. It takes: %{known}.",
            word,
            known = known.join(", ") + more
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, Take, TakeSource};
    use crate::session::variants::setting::settings;

    #[test]
    fn the_farthest_way_to_the_target_is_proposed_first() {
        let (name, source) = ("wait".to_owned(), TakeSource::Rest { seconds: 2.0 });
        let take = Take { id: TakeId(0), name, character: FileId(0), source, stages: Vec::new() };
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
        assert_eq!(draft(&[any.clone(), along(0, 0.0)]), any.place, "nothing goes anywhere");
    }

    #[test]
    fn words_are_read_whatever_commas_they_hold_and_what_is_none_is_told() {
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
            let told = read(values).unwrap_err().to_string();
            assert!(told.contains(unknown) && told.contains("All, by their share, The last"), "{told}");
        }
    }
}
