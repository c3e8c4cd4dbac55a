//! The possible words of a setting, as its type reports them.

use serde_json::Value;

use crate::recipe::Expected;

/// Returns the words allowed at the JSON pointer `place` of `take`; empty if any text is allowed.
pub(super) fn choices(take: &Value, place: &str) -> Vec<String> {
    let Some((part, rest)) = part_of(place) else { return Vec::new() };
    let refusal = |word: &str| {
        let mut part = take.pointer(&part)?.clone();
        *part.pointer_mut(&rest)? = word.into();
        if place.starts_with(SOURCE) { Expected::in_source(&part) } else { Expected::in_stage(&part) }
    };
    let named = refusal("?").map_or(&[][..], Expected::variants).iter();
    // Variants with own data are not words.
    named.filter(|word| refusal(word).is_none()).map(|word| (*word).to_owned()).collect()
}

/// JSON pointer of a take's source.
const SOURCE: &str = "/source";

/// Splits `place` into the pointer of its source or stage and the rest, which starts with a slash; `None` without a rest.
fn part_of(place: &str) -> Option<(String, String)> {
    let parts = if place.starts_with(SOURCE) { 1 } else { 2 };
    let (end, _) = place.match_indices('/').nth(parts)?;
    Some((place[..end].to_owned(), place[end..].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};

    #[test]
    fn the_words_of_a_setting_are_listed_and_names_are_free_text() {
        let stages = Stage::numbered(vec![StageKind::Stretch(Box::default())]);
        let source = TakeSource::Clip { file: FileId(1), clip: "leap".into() };
        let take = Take { id: TakeId(2), name: "leap".into(), character: FileId(1), source, stages, loops: None };
        let take = serde_json::to_value(&take).unwrap();
        let of = |place: &str| choices(&take, place);
        assert_eq!(of("/stages/0/stretch/settings/method"), ["displacement", "uniform", "shear"]);
        let facing = of("/stages/0/stretch/settings/facing");
        assert!(facing.contains(&"keep".to_owned()) && !facing.contains(&"heading".to_owned()), "{facing:?}");
        assert!(of("/source/clip/clip").is_empty() && of("/name").is_empty());
    }
}
