//! Variants as they are being chosen: settings and values as typed.

use super::{Axis, Setting, TakeVariant, variants};
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
    /// How much is typed for one of what the take keeps.
    pub per_kept: f64,
}

impl AxisDraft {
    /// Values around the present one.
    pub fn around(setting: &Setting) -> Self {
        Self { place: setting.place.clone(), values: setting.proposal(), per_kept: setting.per_kept }
    }
}

impl VariantDraft {
    /// What is likely to be varied of a take with `settings`: how far it goes, the seed of its routes, or what comes first.
    pub fn new(take: TakeId, settings: &[Setting]) -> Self {
        let is_far = |setting: &&Setting| {
            setting.place.contains("/target/") && setting.value.as_f64().is_some_and(|value| value != 0.0)
        };
        let farthest = settings.iter().filter(is_far).max_by(|a, b| {
            let far = |setting: &Setting| setting.value.as_f64().unwrap_or(0.0).abs();
            far(a).total_cmp(&far(b))
        });
        let seed = || settings.iter().find(|setting| setting.place.ends_with("/seed"));
        let first = || settings.iter().find(|setting| setting.value.is_number());
        let axes = farthest.or_else(seed).or_else(first).map(AxisDraft::around).into_iter().collect();
        Self { take, axes, names: "{take} {1}".into() }
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

impl AxisDraft {
    fn read(&self) -> Result<Axis, Message> {
        let axis = Axis::with_values(&self.place, &self.values).map_err(|_| {
            message!(
                "error.variants.values",
                "“%{values}” cannot be read. Write a range with its step, as 2..8:0.5, or values, as 1, 2, 5.",
                values = &self.values
            )
        })?;
        Ok(Axis { per_kept: self.per_kept, ..axis })
    }
}
