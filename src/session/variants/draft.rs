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
}
