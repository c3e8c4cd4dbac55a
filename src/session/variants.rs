//! Takes that differ in chosen settings: a leap to 2, 3 … 8 m, ten walks by ten seeds, mirrored and not.

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
pub use self::setting::value_text;
use self::setting::{held, place};

pub use self::draft::{AxisDraft, VariantDraft};
pub use self::index::Index;
pub use self::mirrored::{MIRRORED, unmirrored};
pub use self::preview::{Drawn, Look, Motion, Preview, Seen};
pub use self::setting::{Setting, settings};
pub use self::wording::{ValueWord, Wording};

use crate::anim::clip::names_apart;
use crate::document::{Document, Stage, StageKind, Take, TakeId};
use crate::message::{Message, message};

/// A setting and the values that it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Where the setting is in the take as projects hold it, such as `stages/0/stretch/settings/target/world/2`; its end is enough
    /// where nothing else ends so.
    pub place: String,
    /// What it takes, one variant each.
    pub values: Vec<Value>,
    /// How its values are written.
    pub wording: Wording,
}

/// A take with its own values.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeVariant {
    /// The take, with an id and a name of its own.
    pub take: Take,
    /// Its value on each axis.
    pub values: Vec<Value>,
}

/// What variants are called unless another pattern is given: by what varies, for the name of the take may hold a value of its own.
pub const NAMES: &str = "{take} - {varied}";

/// Variants of one take at most.
const MOST: usize = 10_000;

impl Axis {
    /// Reads `PLACE=VALUES`: values separated by commas, or `FIRST..LAST:STEP`, both ends included.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (place, values) =
            text.split_once('=').ok_or("give a setting and its values, as target/world/2=2..8:0.5")?;
        Self::with_values(place, values)
    }

    /// The same of a setting at `place` and `values` apart.
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

fn range(first: &str, rest: &str) -> Option<Vec<Value>> {
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let [first, last, step] = [first, last, step].map(|text| text.trim().parse::<f64>().ok());
    let (first, last, step) = (first?, last?, step?);
    let count = ((last - first) / step + 1e-9).floor();
    let is_good = step > 0.0 && (0.0..MOST as f64).contains(&count) && first.is_finite();
    // What is counted from the first has no rounding that grows.
    is_good.then(|| (0..=count as u64).map(|i| number(first + i as f64 * step)).collect())
}

/// Without the digits that sums leave behind.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// A whole number where it is one, so that it can stand for a count or a seed.
fn number(value: f64) -> Value {
    let rounded = rounded(value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return Value::Number(Number::from(rounded as i64));
    }
    Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// `take` once for each combination of values, the last axis first. `names` is a pattern in which `{take}` stands for the take's
/// name, `{n}` for the variant's number from 1, `{varied}` for each setting with its value, and `{1}`, `{2}` … for its value on that
/// axis, in words where it has such; names that would be equal are numbered. Files are meant by their names; on another character the
/// take's clip is put limb by limb; mirrored, a stage that does so is its last.
///
/// Errors name settings that are not there, values that do not fit them, and more than ten thousand variants.
pub fn variants(document: &mut Document, take: &Take, axes: &[Axis], names: &str) -> Result<Vec<TakeVariant>, Message> {
    let mut json = held(take);
    let offered = mirrored::offer(document, take, &mut json);
    if axes.iter().any(mirrored::is_meant) {
        offered?;
    }
    let places = axes.iter().map(|axis| place(&json, &axis.place)).collect::<Result<Vec<_>, _>>()?;
    let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()));
    let Some(count) = count.filter(|&count| count <= MOST) else {
        return Err(message!("error.variants.many", "These are more than ten thousand variants. Give fewer values."));
    };
    let mut made = Vec::with_capacity(count);
    for at in 0..count {
        let values = values_at(axes, at);
        let kept = axes.iter().zip(&values).map(|(axis, value)| axis.wording.kept(value));
        let numbered = places.iter().zip(kept).map(|(place, value)| with_file_number(document, place, &value));
        let numbered = numbered.collect::<Result<Vec<_>, _>>()?;
        let mut variant = with_values(take, &json, &places, &numbered)?;
        follow(&mut variant, take.character);
        variant.id = TakeId(document.fresh_id());
        let told = axes.iter().zip(&values).zip(&places);
        let told = told.map(|((axis, value), place)| axis.wording.told(value, &json, place));
        let varied = told.collect::<Vec<_>>().join(" - ");
        let pattern = names.replace("{varied}", &varied);
        variant.name = name(&pattern, &take.name, at + 1, &worded(axes, &values));
        made.push(TakeVariant { take: variant, values });
    }
    name_apart(&mut made);
    Ok(made)
}

/// No two are called the same: an index tells them by their names.
fn name_apart(made: &mut [TakeVariant]) {
    let names: Vec<String> = made.iter().map(|variant| variant.take.name.clone()).collect();
    made.iter_mut().zip(names_apart(&names)).for_each(|(variant, name)| variant.take.name = name);
}

/// `take`, which is held as `json`, with `values` at `places`.
fn with_values(take: &Take, json: &Value, places: &[String], values: &[Value]) -> Result<Take, Message> {
    let mut changed = json.clone();
    for (place, value) in places.iter().zip(values) {
        if let Some(setting) = changed.pointer_mut(place) {
            *setting = value.clone();
        }
    }
    let read = |changed: Value| {
        let mut variant = Take::deserialize(&changed)?;
        mirrored::follow(&mut variant, &changed).map(|()| variant)
    };
    let variant = read(changed).map_err(|error: serde_json::Error| does_not_fit(values, error.to_string()))?;
    // A stage with a value that it does not understand is taken for one of a newer version.
    let is_unknown = |stage: &Stage| matches!(stage.kind, StageKind::Unknown(_));
    let pairs = take.stages.iter().zip(&variant.stages);
    match pairs.filter(|(before, _)| !is_unknown(before)).find(|(_, after)| is_unknown(after)) {
        Some((stage, _)) => Err(does_not_fit(values, format!("the stage {} cannot take them", stage.kind.name()))),
        None => Ok(variant),
    }
}

/// The values of combination `at`, the last axis changing first.
fn values_at(axes: &[Axis], mut at: usize) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for axis in axes.iter().rev() {
        values.insert(0, axis.values[at % axis.values.len()].clone());
        at /= axis.values.len();
    }
    values
}

fn worded(axes: &[Axis], values: &[Value]) -> Vec<String> {
    axes.iter().zip(values).map(|(axis, value)| axis.wording.word_of(value)).collect()
}

fn name(pattern: &str, take: &str, number: usize, values: &[String]) -> String {
    let mut name = pattern.replace("{n}", &number.to_string());
    for (i, value) in values.iter().enumerate() {
        name = name.replace(&format!("{{{}}}", i + 1), value);
    }
    name.replace("{take}", take)
}

fn does_not_fit(values: &[Value], error: String) -> Message {
    message!(
        "error.variants.value",
        "The values %{values} do not fit their settings: %{error}. Give others.",
        values = values.iter().map(value_text).collect::<Vec<_>>().join(", "),
        error
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::stage::Stretch;
    use crate::document::{FileId, SourceFile, TakeSource};
    use crate::systems::stretch::{Settings, Target};
    use glam::DVec3;

    fn leap() -> Take {
        let settings = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 5.0))), ..Settings::default() };
        let stages = Stage::numbered(vec![StageKind::Stretch(Box::new(Stretch { settings, ..Stretch::default() }))]);
        let source = TakeSource::Clip { file: FileId(1), clip: "leap".into() };
        Take { id: TakeId(2), name: "leap".into(), character: FileId(1), source, stages }
    }

    fn made(axes: &[&str], names: &str) -> Result<Vec<TakeVariant>, Message> {
        let axes: Vec<Axis> = axes.iter().map(|axis| Axis::parse(axis).unwrap()).collect();
        let file = |(id, path): (u32, &str)| SourceFile {
            id: FileId(id),
            path: path.into(),
            hash: String::new(),
            metres_per_unit: 1.0,
        };
        let files = [(1, "a/hero.glb"), (3, "b/knight.glb")].map(file).to_vec();
        variants(&mut Document { next_id: 7, files, ..Document::default() }, &leap(), &axes, names)
    }

    #[test]
    fn a_range_holds_both_ends_and_counts_without_drift() {
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
    fn what_is_written_in_another_unit_is_kept_in_its_own() {
        let axes = [Axis {
            wording: Wording { per_kept: 100.0, ..Wording::default() },
            ..Axis::parse("target/world/2=250,500").unwrap()
        }];
        let made = variants(&mut Document::default(), &leap(), &axes, "{1} cm").unwrap();
        let far = |variant: &TakeVariant| match variant.take.stages[0].kind.as_stretch().unwrap().settings.target {
            Some(Target::World(place)) => (variant.take.name.clone(), place.z),
            _ => panic!("it has a target"),
        };
        assert_eq!(made.iter().map(far).collect::<Vec<_>>(), [("250 cm".into(), 2.5), ("500 cm".into(), 5.0)]);
    }

    #[test]
    fn every_combination_is_made_once_with_its_own_name_and_nothing_else_changes() {
        let made = made(&["world/2=2..3:0.5", "aim_at=null,\"door\""], "{take} {1} {2} #{n}").unwrap();
        let names: Vec<&str> = made.iter().map(|variant| &*variant.take.name).collect();
        assert_eq!(names[..2], ["leap 2 null #1", "leap 2 door #2"]);
        assert_eq!(made.len(), 6);
        for variant in &made {
            let mut expected = leap();
            let stretch = expected.stages[0].kind.as_stretch_mut().unwrap();
            let far = variant.values[0].as_f64().unwrap();
            stretch.settings.target = Some(Target::World(DVec3::new(0.0, 0.0, far)));
            stretch.aim_at = variant.values[1].as_str().map(str::to_owned);
            assert_eq!(Take { id: variant.take.id, name: variant.take.name.clone(), ..expected }, variant.take);
        }
        let mut ids: Vec<TakeId> = made.iter().map(|variant| variant.take.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 6);
    }

    #[test]
    fn variants_are_called_by_what_varies_and_no_two_alike() {
        let of = |axes: &[&str], names: &str| -> Vec<String> {
            made(axes, names).unwrap().into_iter().map(|variant| variant.take.name).collect()
        };
        assert_eq!(of(&["world/2=2..8:6"], NAMES), ["leap - world z 2", "leap - world z 8"]);
        assert_eq!(of(&["world/2=8", "on=false"], NAMES), ["leap - world z 8 - on false"]);
        assert_eq!(of(&["world/2=2,3,3"], "{take}"), ["leap", "leap#2", "leap#3"]);
    }

    #[test]
    fn on_another_character_the_clip_is_put_limb_by_limb() {
        let made_ones = made(&["character=hero,knight.glb", "world/2=3,4"], "{1} {2}").unwrap();
        let names: Vec<&str> = made_ones.iter().map(|variant| &*variant.take.name).collect();
        assert_eq!(names, ["hero 3", "hero 4", "knight.glb 3", "knight.glb 4"]);
        let [hero, knight] = [1, 2].map(|at| &made_ones[at].take);
        assert_eq!((hero.character, &hero.source), (FileId(1), &leap().source));
        assert_eq!(knight.character, FileId(3));
        let TakeSource::Retarget(from) = &knight.source else { panic!("{:?}", knight.source) };
        assert_eq!((from.file, &*from.clip), (FileId(1), "leap"));
        let told = made(&["character=nobody"], "{1}").unwrap_err().to_string();
        assert!(told.contains("nobody") && told.contains("hero, knight"), "{told}");
    }

    #[test]
    fn a_setting_that_has_its_usual_value_is_varied_as_any_other() {
        for (axis, values) in [("stages/0/influence", ["0.0", "0.5", "1.0"]), ("on", ["true", "false", "true"])] {
            let made = made(&[&format!("{axis}={}", values.join(","))], "{n}").unwrap();
            let of = |variant: &TakeVariant| {
                let stage = &variant.take.stages[0];
                if axis == "on" { stage.on.to_string() } else { format!("{:.1}", stage.influence) }
            };
            assert_eq!(made.iter().map(of).collect::<Vec<_>>(), values);
        }
    }

    #[test]
    fn a_stage_that_is_taken_whole_or_not_at_all_has_no_influence() {
        let mut take = leap();
        take.stages.extend(Stage::numbered(vec![StageKind::Close(Box::default())]));
        let axis = |place: &str| [Axis::parse(&format!("{place}=0,1")).unwrap()];
        let told = |place: &str| variants(&mut Document::default(), &take, &axis(place), "{n}").map(|made| made.len());
        assert_eq!(told("influence"), Ok(2), "that of the other stage is meant");
        assert!(told("stages/1/influence").is_err());
    }

    #[test]
    fn what_is_not_there_or_does_not_fit_is_named() {
        let told = |axis: &str| made(&[axis], "{take}").unwrap_err().to_string();
        assert!(told("no/such=1").contains("target/world/2"), "{}", told("no/such=1"));
        assert!(told("id=1").contains("no setting"), "{}", told("id=1"));
        assert!(told("0=1").contains("several") || told("0=1").contains("Several"), "{}", told("0=1"));
        assert!(told("world/2=far").contains("far"), "{}", told("world/2=far"));
        let many = made(&["world/0=0..999:1", "world/1=0..999:1"], "{take}").unwrap_err().to_string();
        assert!(many.contains("ten thousand"), "{many}");
    }
}
