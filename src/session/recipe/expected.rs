//! The values that a type accepts in place of an invalid one, as reported by its `Deserialize` implementation.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::text::kind_and_settings;
use portamento_takes::document::TakeSource;

/// The values that are accepted in place of a refused one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One of these variants of an enum.
    Variants(&'static [&'static str]),
    /// Anything else.
    Unknown,
}

impl Expected {
    /// Returns the names of the expected variants; empty if none are expected.
    pub fn variants(self) -> &'static [&'static str] {
        if let Self::Variants(names) = self { names } else { &[] }
    }

    /// Returns what a take's source expects in place of the first invalid value in `json`; `None` if it is valid.
    pub fn in_source(json: &Value) -> Option<Self> {
        Self::by::<TakeSource>(json)
    }

    /// Returns what a stage's settings expect in place of the first invalid value in `json`; `None` if they are valid
    /// or of an unknown kind.
    pub fn in_stage(json: &Value) -> Option<Self> {
        kind_and_settings(json).and_then(|(kind, settings)| kind.read(Probe(settings)).err())
    }

    /// Returns what `T` expects in place of the first invalid value in `json`; `None` if it is valid.
    pub fn by<T: DeserializeOwned>(json: &Value) -> Option<Self> {
        T::deserialize(Probe(json)).err()
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

impl std::error::Error for Expected {}

impl de::Error for Expected {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Unknown
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Variants(expected)
    }
}

/// A JSON value whose errors are [`Expected`].
#[derive(Clone, Copy)]
struct Probe<'de>(&'de Value);

impl<'de> IntoDeserializer<'de, Expected> for Probe<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Probe<'de> {
    /// Iterates over the entries of an object; none for other values.
    fn fields(self) -> impl Iterator<Item = (&'de str, Self)> {
        self.0.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), Self(value)))
    }
}

impl<'de> Deserializer<'de> for Probe<'de> {
    type Error = Expected;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Expected> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => SeqDeserializer::new(items.iter().map(Probe)).deserialize_any(visitor),
            Value::Object(_) => MapDeserializer::new(self.fields()).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Expected> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Expected> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Expected> {
        match self.0 {
            Value::String(variant) => visitor.visit_enum(variant.as_str().into_deserializer()),
            _ => visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(self.fields()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_stretch::root;
    use portamento_takes::document::stage::Stretch;
    use serde_json::json;

    #[test]
    fn variants_are_reported_for_the_first_invalid_value_and_valid_json_is_accepted() {
        let of = |settings: Value| Expected::by::<Stretch>(&json!({ "settings": settings }));
        assert_eq!(of(json!({})), None);
        assert_eq!(of(json!({ "method": "shear", "max_ratio": null })), None);
        assert_eq!(of(json!({ "method": "?" })), Some(Expected::Variants(&["displacement", "uniform", "shear"])));
        assert_eq!(of(json!({ "feet": 1 })), Some(Expected::Unknown));
        let travel = Expected::by::<root::Settings>(&json!({ "travel": "?" }));
        assert!(travel.is_some_and(|expected| expected.variants().contains(&"away")), "{travel:?}");
    }

    #[test]
    fn what_serde_json_accepts_is_accepted() {
        let stages = [r#"{"settings":{"target":{"world":[1,2,3]}}}"#, r#"{"settings":{"max_ratio":1}}"#, "3", "{}"];
        for text in stages {
            let json: Value = serde_json::from_str(text).unwrap();
            let is_valid = serde_json::from_value::<Stretch>(json.clone()).is_ok();
            assert_eq!(Expected::by::<Stretch>(&json).is_none(), is_valid, "{text}");
        }
    }
}
