//! Variants of a take that differ in chosen settings, such as leaps to 2, 3 … 8 m, walks with ten seeds, or mirrored
//! copies.

mod character;
mod choices;
mod draft;
mod index;
mod mirrored;
mod preview;
mod setting;
mod wording;

use serde::Deserialize;
use serde_json::{Number, Value};

use self::character::{follow, with_file_number};
use self::mirrored::take_json;
use self::setting::pointer_of;
pub use self::setting::value_text;

pub use self::draft::{AxisDraft, VariantDraft};
pub use self::index::Index;
pub use self::mirrored::{MIRRORED, reason_not_mirrorable};
pub use self::preview::{Drawn, Look, Motion, Preview, Seen};
pub use self::setting::{Setting, settings};
pub use self::wording::{ValueWord, Wording};

use portamento_anim::clip::unique_names;
use portamento_base::message::{Message, message};
use portamento_takes::document::{Document, Stage, StageKind, Take, TakeId};

/// A setting and its values, one per variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Path of the setting in the take's JSON, such as `stages/0/stretch/settings/target/world/2`; a suffix is
    /// sufficient if it is unique.
    pub place: String,
    /// The values.
    pub values: Vec<Value>,
    /// Display names and units of the values.
    pub wording: Wording,
}

/// A variant of a take.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeVariant {
    /// The take, with its own id and name.
    pub take: Take,
    /// Its value on each axis.
    pub values: Vec<Value>,
}

/// Default name pattern; names the varied settings, because the take's name may contain an old value.
pub const NAMES: &str = "{take} - {varied}";

/// Maximum number of variants of one take.
const MAX_VARIANTS: usize = 10_000;

impl Axis {
    /// Parses `PLACE=VALUES`: values separated by commas, or `FIRST..LAST:STEP` including both ends. Returns `Err` with the
    /// expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (place, values) =
            text.split_once('=').ok_or("give a setting and its values, as target/world/2=2..8:0.5")?;
        Self::with_values(place, values)
    }

    /// Parses `values`, a list or a range, for the setting at `place`. Returns `Err` for an invalid range and for an empty
    /// `place`.
    pub(super) fn with_values(place: &str, values: &str) -> Result<Self, String> {
        let values = match values.split_once("..") {
            Some((first, rest)) => range(first, rest).ok_or("give a range as 2..8:0.5, its step above 0")?,
            None => values.split(',').map(|value| parsed(value.trim())).collect(),
        };
        let is_empty = place.is_empty() || values.is_empty();
        if is_empty {
            Err("give a setting and at least one value".into())
        } else {
            Ok(Self { place: place.into(), values, wording: Wording::default() })
        }
    }
}

/// Returns the numbers from `first` on, of the text `last` or `last:step` in `rest`; the step is 1 if it is not given. Returns
/// `None` if a part is no number, the step is not positive or there are no or more than [`MAX_VARIANTS`] values.
fn range(first: &str, rest: &str) -> Option<Vec<Value>> {
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let [first, last, step] = [first, last, step].map(|text| text.trim().parse::<f64>().ok());
    let (first, last, step) = (first?, last?, step?);
    let count = ((last - first) / step + 1e-9).floor();
    let is_good = step > 0.0 && (0.0..MAX_VARIANTS as f64).contains(&count) && first.is_finite();
    // Counting from the first value avoids accumulated rounding errors.
    is_good.then(|| (0..=count as u64).map(|i| number(first + i as f64 * step)).collect())
}

/// Rounds to nine decimals, which removes digits left by additions.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// Returns `value` as JSON, as an integer if it is one, so that it can be a count or a seed.
fn number(value: f64) -> Value {
    let rounded = rounded(value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return Value::Number(Number::from(rounded as i64));
    }
    Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

/// Returns `text` as a JSON value, or as a string if it is none.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Returns one take per combination of values; the last axis varies fastest.
///
/// `names` is a pattern: `{take}` is the take's name, `{n}` the number from 1, `{varied}` each setting with its
/// value. `{1}`, `{2}` … are the values on these axes, as words if they have any. Equal names are numbered. Files are
/// given by name. On another character the clip is retargeted; a mirrored variant gets a final mirror stage.
///
/// Returns `Err` for unknown settings, for values that do not fit, and for more than 10 000 variants. The takes are not
/// added to `document`, but their ids are taken from it.
pub fn variants(document: &mut Document, take: &Take, axes: &[Axis], names: &str) -> Result<Vec<TakeVariant>, Message> {
    let mut json = take_json(take);
    let offered = mirrored::offer(document, take, &mut json);
    if axes.iter().any(mirrored::is_mirror_axis) {
        offered?;
    }
    let pointers = axes.iter().map(|axis| pointer_of(&json, &axis.place)).collect::<Result<Vec<_>, _>>()?;
    let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()));
    let Some(count) = count.filter(|&count| count <= MAX_VARIANTS) else {
        return Err(message!("error.variants.many", "More than 10,000 variants. Use fewer values."));
    };
    let mut results = Vec::with_capacity(count);
    for at in 0..count {
        let values = values_at(axes, at);
        let stored = axes.iter().zip(&values).map(|(axis, value)| axis.wording.to_stored(value));
        let numbered = pointers.iter().zip(stored).map(|(place, value)| with_file_number(document, place, &value));
        let numbered = numbered.collect::<Result<Vec<_>, _>>()?;
        let mut variant = with_values(take, &json, &pointers, &numbered)?;
        follow(&mut variant, take.character);
        variant.id = TakeId(document.fresh_id());
        let described = axes.iter().zip(&values).zip(&pointers);
        let described = described.map(|((axis, value), place)| axis.wording.described(value, &json, place));
        let varied = described.collect::<Vec<_>>().join(" - ");
        let pattern = names.replace("{varied}", &varied);
        variant.name = name(&pattern, &take.name, at + 1, &worded(axes, &values));
        results.push(TakeVariant { take: variant, values });
    }
    make_names_unique(&mut results);
    Ok(results)
}

/// Makes names unique, because the index refers to takes by name.
fn make_names_unique(results: &mut [TakeVariant]) {
    let names: Vec<String> = results.iter().map(|variant| variant.take.name.clone()).collect();
    results.iter_mut().zip(unique_names(&names)).for_each(|(variant, name)| variant.take.name = name);
}

/// Returns `take`, whose JSON is `json`, with `values` at `pointers`. Returns `Err` if a value does not fit.
fn with_values(take: &Take, json: &Value, pointers: &[String], values: &[Value]) -> Result<Take, Message> {
    let mut changed = json.clone();
    for (place, value) in pointers.iter().zip(values) {
        if let Some(setting) = changed.pointer_mut(place) {
            *setting = value.clone();
        }
    }
    let read = |changed: Value| {
        let mut variant = Take::deserialize(&changed)?;
        mirrored::follow(&mut variant, &changed).map(|()| variant)
    };
    let variant = read(changed).map_err(|error: serde_json::Error| invalid_values(values, error.to_string()))?;
    // Stages with invalid values parse as unknown stages of a newer version.
    let is_unknown = |stage: &Stage| matches!(stage.kind, StageKind::Unknown(_));
    let pairs = take.stages.iter().zip(&variant.stages);
    match pairs.filter(|(before, _)| !is_unknown(before)).find(|(_, after)| is_unknown(after)) {
        Some((stage, _)) => Err(invalid_values(values, format!("the stage {} cannot take them", stage.kind.name()))),
        None => Ok(variant),
    }
}

/// Returns the values of combination `at`; the last axis varies fastest.
fn values_at(axes: &[Axis], mut at: usize) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for axis in axes.iter().rev() {
        values.insert(0, axis.values[at % axis.values.len()].clone());
        at /= axis.values.len();
    }
    values
}

/// Returns each value as the window words it, for the axis at the same position.
fn worded(axes: &[Axis], values: &[Value]) -> Vec<String> {
    axes.iter().zip(values).map(|(axis, value)| axis.wording.word_of(value)).collect()
}

/// Returns `pattern` with `{n}` replaced by `number`, `{1}` by the first of `values` and so on, and `{take}` by `take`. An
/// `{n}` in a value is not replaced.
fn name(pattern: &str, take: &str, number: usize, values: &[String]) -> String {
    let mut name = pattern.replace("{n}", &number.to_string());
    for (i, value) in values.iter().enumerate() {
        name = name.replace(&format!("{{{}}}", i + 1), value);
    }
    name.replace("{take}", take)
}

/// Returns the error that `values` do not fit their settings, for the reason `error`.
fn invalid_values(values: &[Value], error: String) -> Message {
    message!(
        "error.variants.value",
        "The values %{values} are not valid for their settings: %{error}. Use other values.",
        values = values.iter().map(value_text).collect::<Vec<_>>().join(", "),
        error
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use portamento_stretch::{Settings, Target};
    use portamento_takes::document::stage::Stretch;
    use portamento_takes::document::{FileId, SourceFile, TakeSource};

    fn leap() -> Take {
        let settings = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 5.0))), ..Settings::default() };
        let stages = Stage::numbered(vec![StageKind::Stretch(Box::new(Stretch { settings, ..Stretch::default() }))]);
        let source = TakeSource::Clip { file: FileId(1), clip: "leap".into() };
        Take { id: TakeId(2), name: "leap".into(), character: FileId(1), source, stages, loops: None }
    }

    fn results(axes: &[&str], names: &str) -> Result<Vec<TakeVariant>, Message> {
        let axes: Vec<Axis> = axes.iter().map(|axis| Axis::parse(axis).unwrap()).collect();
        let file = |(id, path): (u32, &str)| SourceFile {
            id: FileId(id),
            path: path.into(),
            hash: String::new(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        let files = [(1, "a/hero.glb"), (3, "b/knight.glb")].map(file).to_vec();
        variants(&mut Document { next_id: 7, files, ..Document::default() }, &leap(), &axes, names)
    }

    #[test]
    fn a_range_includes_both_ends_without_accumulated_error() {
        let axis = Axis::parse("target/world/2=2..8:0.1").unwrap();
        assert_eq!(axis.values.len(), 61);
        let numbers: Vec<f64> = axis.values.iter().map(|value| value.as_f64().unwrap()).collect();
        assert_eq!((numbers[0], numbers[60], numbers[13]), (2.0, 8.0, 3.3));
        assert_eq!(Axis::parse("seed=1..3").unwrap().values, [1, 2, 3].map(Value::from));
        assert_eq!(Axis::parse("a=true,run,0.5").unwrap().values, [Value::Bool(true), "run".into(), 0.5.into()]);
        for wrong in ["a", "=1", "a=1..2:0", "a=1..2:-1", "a=x..3", "a=0..1e9:1"] {
            assert!(Axis::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_in_display_units_are_converted() {
        let axes = [Axis {
            wording: Wording { displayed_per_stored: 100.0, ..Wording::default() },
            ..Axis::parse("target/world/2=250,500").unwrap()
        }];
        let results = variants(&mut Document::default(), &leap(), &axes, "{1} cm").unwrap();
        let far = |variant: &TakeVariant| match variant.take.stages[0].kind.as_stretch().unwrap().settings.target {
            Some(Target::World(place)) => (variant.take.name.clone(), place.z),
            _ => panic!("it has a target"),
        };
        assert_eq!(results.iter().map(far).collect::<Vec<_>>(), [("250 cm".into(), 2.5), ("500 cm".into(), 5.0)]);
    }

    #[test]
    fn every_combination_is_created_once_with_a_unique_name() {
        let results = results(&["world/2=2..3:0.5", "aim_at=null,\"door\""], "{take} {1} {2} #{n}").unwrap();
        let names: Vec<&str> = results.iter().map(|variant| &*variant.take.name).collect();
        assert_eq!(names[..2], ["leap 2 null #1", "leap 2 door #2"]);
        assert_eq!(results.len(), 6);
        for variant in &results {
            let mut expected = leap();
            let stretch = expected.stages[0].kind.as_stretch_mut().unwrap();
            let far = variant.values[0].as_f64().unwrap();
            stretch.settings.target = Some(Target::World(DVec3::new(0.0, 0.0, far)));
            stretch.aim_at = variant.values[1].as_str().map(str::to_owned);
            assert_eq!(Take { id: variant.take.id, name: variant.take.name.clone(), ..expected }, variant.take);
        }
        let mut ids: Vec<TakeId> = results.iter().map(|variant| variant.take.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 6);
    }

    #[test]
    fn variants_are_named_after_varied_settings_and_names_are_unique() {
        let of = |axes: &[&str], names: &str| -> Vec<String> {
            results(axes, names).unwrap().into_iter().map(|variant| variant.take.name).collect()
        };
        assert_eq!(of(&["world/2=2..8:6"], NAMES), ["leap - world z 2", "leap - world z 8"]);
        assert_eq!(of(&["world/2=8", "on=false"], NAMES), ["leap - world z 8 - on false"]);
        assert_eq!(of(&["world/2=2,3,3"], "{take}"), ["leap", "leap#2", "leap#3"]);
    }

    #[test]
    fn on_another_character_the_clip_is_retargeted() {
        let made_ones = results(&["character=hero,knight.glb", "world/2=3,4"], "{1} {2}").unwrap();
        let names: Vec<&str> = made_ones.iter().map(|variant| &*variant.take.name).collect();
        assert_eq!(names, ["hero 3", "hero 4", "knight.glb 3", "knight.glb 4"]);
        let [hero, knight] = [1, 2].map(|at| &made_ones[at].take);
        assert_eq!((hero.character, &hero.source), (FileId(1), &leap().source));
        assert_eq!(knight.character, FileId(3));
        let TakeSource::Retarget(from) = &knight.source else { panic!("{:?}", knight.source) };
        assert_eq!((from.file, &*from.clip), (FileId(1), "leap"));
        let words = results(&["character=nobody"], "{1}").unwrap_err().to_string();
        assert!(words.contains("nobody") && words.contains("hero, knight"), "{words}");
    }

    #[test]
    fn a_setting_with_its_default_value_can_be_varied() {
        for (axis, values) in [("stages/0/influence", ["0.0", "0.5", "1.0"]), ("on", ["true", "false", "true"])] {
            let results = results(&[&format!("{axis}={}", values.join(","))], "{n}").unwrap();
            let of = |variant: &TakeVariant| {
                let stage = &variant.take.stages[0];
                if axis == "on" { stage.on.to_string() } else { format!("{:.1}", stage.influence) }
            };
            assert_eq!(results.iter().map(of).collect::<Vec<_>>(), values);
        }
    }

    #[test]
    fn a_stage_without_partial_influence_has_no_influence_setting() {
        let mut take = leap();
        take.stages.extend(Stage::numbered(vec![StageKind::Close(Box::default())]));
        let axis = |place: &str| [Axis::parse(&format!("{place}=0,1")).unwrap()];
        let words =
            |place: &str| variants(&mut Document::default(), &take, &axis(place), "{n}").map(|results| results.len());
        assert_eq!(words("influence"), Ok(2), "the other stage has one");
        assert!(words("stages/1/influence").is_err());
    }

    #[test]
    fn unknown_settings_and_invalid_values_are_reported() {
        let words = |axis: &str| results(&[axis], "{take}").unwrap_err().to_string();
        assert!(words("no/such=1").contains("target/world/2"), "{}", words("no/such=1"));
        assert!(words("id=1").contains("no setting"), "{}", words("id=1"));
        assert!(words("0=1").contains("several") || words("0=1").contains("Several"), "{}", words("0=1"));
        assert!(words("world/2=far").contains("far"), "{}", words("world/2=far"));
        let many = results(&["world/0=0..999:1", "world/1=0..999:1"], "{take}").unwrap_err().to_string();
        assert!(many.contains("10,000"), "{many}");
    }
}
