//! Recipes as text: read strictly, since what is not understood here is a mistake.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::joints::each_numbered;
use super::{Recipe, RecipeTake};
use crate::document::stage::{Dynamics, Ground, Layer, Loop, Stretch};
use crate::document::{Stage, StageId, StageKind, TakeId};
use crate::message::{Message, message};
use crate::session::notices::about;
use crate::session::project::unreadable;
use crate::systems::{cleanup, close, mirror, retime, root, trim};

impl Recipe {
    /// Reads and checks the recipe at `path`.
    pub fn read(path: &Path) -> Result<Self, Message> {
        let bytes = crate::regular_file::all(path).map_err(|error| unreadable(path, &error))?;
        Self::from_json(&bytes).map_err(|reason| about(&path.display().to_string(), reason))
    }

    /// Errors name what is not known or not right.
    pub fn from_json(bytes: &[u8]) -> Result<Self, Message> {
        let mut json: Value = serde_json::from_slice(bytes).map_err(no_json)?;
        number(&mut json);
        let recipe: Self = serde_json::from_value(json.clone()).map_err(no_recipe)?;
        recipe.takes.iter().enumerate().try_for_each(|(place, take)| check(take, place))?;
        let understood = serde_json::to_value(&recipe).map_err(no_recipe)?;
        unknown(&json, &understood, String::new()).map_or(Ok(recipe), |place| Err(meaningless(place)))
    }

    /// As [`Recipe::from_json`] reads it.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }
}

/// Whether the file at `path` is meant as a recipe: JSON with takes.
pub fn is_recipe(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let json = || serde_json::from_slice::<Value>(&crate::regular_file::all(path).ok()?).ok();
    is_json && json().is_some_and(|json| json.get("takes").is_some_and(Value::is_array))
}

fn check(take: &RecipeTake, place: usize) -> Result<(), Message> {
    if take.character.is_none() && !take.is_stack() {
        let named = &take.name;
        return Err(message!(
            "error.recipe.character",
            "Its take “%{take}” names no character. Give the place of its file in the list, or make slot:clip its source.",
            take = named
        ));
    }
    for (index, stage) in take.stages.iter().enumerate() {
        let mut plain = stage.clone();
        let mut is_counted = false;
        each_numbered(&mut plain, |joint| {
            is_counted |= joint.is_number();
            if joint.is_string() {
                *joint = 0.into();
            }
        });
        if is_counted && take.is_stack() {
            return Err(message!(
                "error.recipe.counted",
                "Stage %{stage} of “%{take}” means a joint by its number, which is another in each rig. Write the joint's name.",
                stage = index + 1,
                take = &take.name,
            ));
        }
        let understood: Stage = serde_json::from_value(plain.clone()).map_err(no_recipe)?;
        refusal(&understood.kind).map_or(Ok(()), Err)?;
        let understood = serde_json::to_value(&understood).map_err(no_recipe)?;
        let place = unknown(&plain, &understood, format!("takes/{place}/stages/{index}"));
        place.map_or(Ok(()), |place| Err(meaningless(place)))?;
    }
    Ok(())
}

fn no_json(error: serde_json::Error) -> Message {
    message!("error.recipe.json", "It is not JSON: %{error}.", error)
}

pub(super) fn no_recipe(error: serde_json::Error) -> Message {
    message!(
        "error.recipe.shape",
        "It is not a recipe: %{error}. `portamento make --schema` tells what one holds.",
        error
    )
}

fn meaningless(place: String) -> Message {
    message!(
        "error.recipe.meaningless",
        "“%{place}” means nothing in a recipe. `portamento make --schema` tells what one holds.",
        place
    )
}

/// Why a stage was not understood, if so: in a project it may be of a newer version, here it is a mistake.
fn refusal(kind: &StageKind) -> Option<Message> {
    let StageKind::Unknown(fields) = kind else { return None };
    let stage = fields.keys().next().map_or("", String::as_str);
    Some(match stage_answer(&Value::Object(fields.clone())) {
        Some(reason) => message!("error.recipe.stage", "Its stage “%{stage}” is not right: %{reason}.", stage, reason),
        None => message!(
            "error.recipe.no_stage",
            "There is no stage “%{stage}”. `portamento make --schema` tells which there are.",
            stage
        ),
    })
}

/// What is said against a stage that is one of those with settings of their own.
pub fn stage_answer(stage: &Value) -> Option<String> {
    let kinds: [(&str, Teller); 11] = [
        ("layer", told::<Layer>),
        ("stretch", told::<Stretch>),
        ("dynamics", told::<Dynamics>),
        ("loop", told::<Loop>),
        ("close", told::<close::Settings>),
        ("retime", told::<retime::Settings>),
        ("trim", told::<trim::Settings>),
        ("ground", told::<Ground>),
        ("mirror", told::<mirror::Settings>),
        ("root", told::<root::Settings>),
        ("cleanup", told::<cleanup::Settings>),
    ];
    kinds.iter().find_map(|(kind, told)| stage.get(kind).cloned().and_then(told))
}

/// Tells why a value is no stage of its kind.
type Teller = fn(Value) -> Option<String>;

/// Why `value` is no `T`, if so.
fn told<T: DeserializeOwned>(value: Value) -> Option<String> {
    serde_json::from_value::<T>(value).err().map(|error| error.to_string())
}

/// Gives takes and stages without an id one, by their place from 1.
fn number(json: &mut Value) {
    for (place, take) in (1..).zip(objects(json.get_mut("takes"))) {
        take.entry("id").or_insert(serde_json::json!(TakeId(place)));
        for (place, stage) in (1..).zip(objects(take.get_mut("stages"))) {
            stage.entry("id").or_insert(serde_json::json!(StageId(place)));
        }
    }
}

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The first place in `written` that is not in `understood`.
fn unknown(written: &Value, understood: &Value, at: String) -> Option<String> {
    match (written, understood) {
        (Value::Object(written), Value::Object(understood)) => written.iter().find_map(|(key, value)| {
            let place = if at.is_empty() { key.clone() } else { format!("{at}/{key}") };
            match understood.get(key) {
                Some(known) => unknown(value, known, place),
                // Strange names at the top were refused before; what is left out where it says nothing.
                None if at.is_empty() || says_nothing(value) => None,
                None => Some(place),
            }
        }),
        (Value::Array(written), Value::Array(understood)) => {
            let mut pairs = written.iter().zip(understood).enumerate();
            pairs.find_map(|(place, (value, known))| unknown(value, known, format!("{at}/{place}")))
        }
        _ => None,
    }
}

/// Whether all is understood so without it.
fn says_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(recipe: &str) -> String {
        Recipe::from_json(recipe.as_bytes()).unwrap_err().to_string()
    }

    fn with_stage(stage: &str) -> String {
        let source = r#"{ "clip": { "file": 1, "clip": "run" } }"#;
        format!(
            r#"{{ "files": ["hero.glb"], "takes": [{{ "name": "a", "character": 1, "source": {source}, "stages": [{stage}] }}] }}"#
        )
    }

    #[test]
    fn takes_and_stages_are_numbered_by_their_place() {
        let recipe =
            Recipe::from_json(with_stage(r#"{ "loop": {} }, { "on": false, "stretch": {} }"#).as_bytes()).unwrap();
        let take = &recipe.takes[0];
        assert_eq!((take.id, &take.stages[1]["id"], &take.stages[1]["on"]), (TakeId(1), &2.into(), &false.into()));
    }

    #[test]
    fn keys_are_read_in_any_order_and_a_stage_may_say_that_it_has_none() {
        let keys = r#"[{ "setting": "influence", "keys": [{ "time": 1, "value": 1 }, { "time": 0, "value": 0, "easing": "step" }] }]"#;
        let stages =
            format!(r#"{{ "influence": 1, "keys": [], "stretch": {{}} }}, {{ "keys": {keys}, "stretch": {{}} }}"#);
        assert!(Recipe::from_json(with_stage(&stages).as_bytes()).is_ok());
        let wrong = stages.replace("\"step\"", "\"bounce\"");
        assert!(refused(&with_stage(&wrong)).contains("bounce"));
        assert!(refused(&with_stage(&stages.replace("\"value\": 1", "\"valu\": 1"))).contains("value"));
    }

    #[test]
    fn what_means_nothing_is_named_with_its_place() {
        assert!(refused("[").contains("not JSON"));
        assert!(refused(r#"{ "files": [], "takes": [], "take": 1 }"#).contains("unknown field `take`"));
        assert!(refused(&with_stage(r#"{ "strech": {} }"#)).contains("no stage “strech”"));
        let told = refused(&with_stage(r#"{ "stretch": { "settings": { "metod": "shear" } } }"#));
        assert!(told.contains("“takes/0/stages/0/stretch/settings/metod”"), "{told}");
        let told = refused(&with_stage(r#"{ "stretch": { "settings": { "method": "sheer" } } }"#));
        assert!(told.contains("“stretch” is not right") && told.contains("`shear`"), "{told}");
        let told = refused(&with_stage(r#"{ "root": { "travel": "in_place" } }"#));
        assert!(told.contains("“root” is not right") && told.contains("`away`"), "{told}");
    }

    #[test]
    fn a_stack_names_its_joints_and_other_takes_their_character() {
        let take = |source: &str, joint: &str| {
            let chain = format!(r#"{{ "dynamics": {{ "settings": {{ "chains": [{{ "joint": {joint} }}] }} }} }}"#);
            format!(r#"{{ "takes": [{{ "name": "a", "source": {source}, "stages": [{chain}] }}] }}"#)
        };
        assert!(Recipe::from_json(take(r#""slot:clip""#, r#""tail""#).as_bytes()).unwrap().takes[0].is_stack());
        assert!(refused(&take(r#""slot:clip""#, "3")).contains("by its number"));
        assert!(refused(&take(r#"{ "rest": { "seconds": 1.0 } }"#, r#""tail""#)).contains("names no character"));
        assert!(refused(&take(r#""slot:clap""#, r#""tail""#)).contains("unknown variant"));
    }
}
