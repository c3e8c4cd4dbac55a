//! JSON form of recipes. Reading is strict: unknown content is an error.

use std::path::Path;

use serde_json::{Map, Value};

use super::joints::each_numbered;
use super::{Recipe, RecipeTake};
use crate::notices::about;
use crate::project::unreadable;
use portamento_base::message::{Message, message};
use portamento_takes::document::{Stage, StageId, StageKind, StageType, TakeId};

impl Recipe {
    /// Reads and checks the recipe at `path`. Returns `Err`, with the path in it, if it cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Self, Message> {
        let bytes = portamento_base::regular_file::all(path).map_err(|error| unreadable(path, &error))?;
        Self::from_json(&bytes).map_err(|reason| about(&path.display().to_string(), reason))
    }

    /// Parses and checks a recipe. Returns `Err` if anything is unknown or invalid.
    pub fn from_json(bytes: &[u8]) -> Result<Self, Message> {
        let mut json: Value = portamento_base::json::parse(bytes).map_err(no_json)?;
        add_missing_ids(&mut json);
        let recipe: Self = serde_json::from_value(json.clone()).map_err(no_recipe)?;
        recipe.takes.iter().enumerate().try_for_each(|(index, take)| check(take, index))?;
        let understood = serde_json::to_value(&recipe).map_err(no_recipe)?;
        unknown(&json, &understood, String::new()).map_or(Ok(recipe), |path| Err(unknown_entry(path)))
    }

    /// Returns the JSON form, as read by [`Recipe::from_json`].
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }
}

/// True if the file at `path` looks like a recipe: JSON with a list of takes. Reads the file.
pub fn is_recipe(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let json = || portamento_base::json::parse::<Value>(&portamento_base::regular_file::all(path).ok()?).ok();
    is_json && json().is_some_and(|json| json.get("takes").is_some_and(Value::is_array))
}

/// Returns `Err` if the take needs a character and has none, or if one of its stages is invalid or has unknown entries. Stages
/// for any rig may not refer to a joint by number.
fn check(take: &RecipeTake, take_index: usize) -> Result<(), Message> {
    if take.character.is_none() && !take.is_stack() {
        let named = &take.name;
        return Err(message!(
            "error.recipe.character",
            "Take “%{take}” has no character. Set “character” to the position of its file in the list, or use slot:clip as its source.",
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
                "Stage %{stage} of “%{take}” refers to a joint by number, which differs between rigs. Use the joint's name.",
                stage = index + 1,
                take = &take.name,
            ));
        }
        let understood: Stage = serde_json::from_value(plain.clone()).map_err(no_recipe)?;
        refusal(&understood.kind).map_or(Ok(()), Err)?;
        let understood = serde_json::to_value(&understood).map_err(no_recipe)?;
        let path = unknown(&plain, &understood, format!("takes/{take_index}/stages/{index}"));
        path.map_or(Ok(()), |path| Err(unknown_entry(path)))?;
    }
    Ok(())
}

/// Returns the error that the text is not JSON.
fn no_json(error: serde_json::Error) -> Message {
    message!("error.recipe.json", "It is not JSON: %{error}.", error)
}

/// Returns the error that the JSON is not a recipe.
pub(super) fn no_recipe(error: serde_json::Error) -> Message {
    message!("error.recipe.shape", "It is not a recipe: %{error}. `portamento make --schema` prints the format.", error)
}

/// Returns the error that the entry at `path` is unknown.
fn unknown_entry(path: String) -> Message {
    message!(
        "error.recipe.meaningless",
        "“%{place}” is unknown in a recipe. `portamento make --schema` prints the format.",
        place = path
    )
}

/// Returns the reason why a stage is invalid or unknown; `None` for a valid one. A project may contain unknown stages of newer
/// versions; a recipe may not.
fn refusal(kind: &StageKind) -> Option<Message> {
    let StageKind::Unknown(fields) = kind else { return None };
    let stage = fields.keys().next().map_or("", String::as_str);
    let fields = Value::Object(fields.clone());
    Some(match kind_and_settings(&fields).and_then(|(kind, settings)| kind.read(settings).err()) {
        Some(reason) => message!("error.recipe.stage", "Stage “%{stage}” is invalid: %{reason}.", stage, reason),
        None => message!(
            "error.recipe.no_stage",
            "Unknown stage “%{stage}”. `portamento make --schema` lists all stages.",
            stage
        ),
    })
}

/// Returns the kind of a stage and its settings; `None` for unknown kinds.
pub(super) fn kind_and_settings(stage: &Value) -> Option<(StageType, &Value)> {
    StageType::ALL.iter().find_map(|kind| Some((*kind, stage.get(kind.name())?)))
}

/// Assigns ids to takes and stages without one, by position from 1.
fn add_missing_ids(json: &mut Value) {
    for (number, take) in (1..).zip(objects(json.get_mut("takes"))) {
        take.entry("id").or_insert(serde_json::json!(TakeId(number)));
        for (number, stage) in (1..).zip(objects(take.get_mut("stages"))) {
            stage.entry("id").or_insert(serde_json::json!(StageId(number)));
        }
    }
}

/// Iterates over the objects in `list`; none if it is not a list.
fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns the path of the first value in `written` that is missing in `understood`, below the path `at`; `None` if there is
/// none.
fn unknown(written: &Value, understood: &Value, at: String) -> Option<String> {
    match (written, understood) {
        (Value::Object(written), Value::Object(understood)) => written.iter().find_map(|(key, value)| {
            let path = if at.is_empty() { key.clone() } else { format!("{at}/{key}") };
            match understood.get(key) {
                Some(known) => unknown(value, known, path),
                // Unknown names at the top level were rejected before. Empty values may be dropped when reading.
                None if at.is_empty() || is_empty_value(value) => None,
                None => Some(path),
            }
        }),
        (Value::Array(written), Value::Array(understood)) => {
            let mut pairs = written.iter().zip(understood).enumerate();
            pairs.find_map(|(index, (value, known))| unknown(value, known, format!("{at}/{index}")))
        }
        _ => None,
    }
}

/// True if the value is empty, so that dropping it changes nothing.
fn is_empty_value(value: &Value) -> bool {
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
    fn takes_and_stages_are_numbered_by_position() {
        let recipe =
            Recipe::from_json(with_stage(r#"{ "loop": {} }, { "on": false, "stretch": {} }"#).as_bytes()).unwrap();
        let take = &recipe.takes[0];
        assert_eq!((take.id, &take.stages[1]["id"], &take.stages[1]["on"]), (TakeId(1), &2.into(), &false.into()));
    }

    #[test]
    fn keys_are_read_in_any_order_and_may_be_empty() {
        let keys = r#"[{ "setting": "influence", "keys": [{ "time": 1, "value": 1 }, { "time": 0, "value": 0, "easing": "step" }] }]"#;
        let stages =
            format!(r#"{{ "influence": 1, "keys": [], "stretch": {{}} }}, {{ "keys": {keys}, "stretch": {{}} }}"#);
        assert!(Recipe::from_json(with_stage(&stages).as_bytes()).is_ok());
        let wrong = stages.replace("\"step\"", "\"bounce\"");
        assert!(refused(&with_stage(&wrong)).contains("bounce"));
        assert!(refused(&with_stage(&stages.replace("\"value\": 1", "\"valu\": 1"))).contains("value"));
    }

    #[test]
    fn unknown_entries_are_reported_with_their_path() {
        assert!(refused("[").contains("not JSON"));
        assert!(refused(r#"{ "files": [], "takes": [], "take": 1 }"#).contains("unknown field `take`"));
        assert!(refused(&with_stage(r#"{ "strech": {} }"#)).contains("Unknown stage “strech”"));
        let parse_error = refused(&with_stage(r#"{ "stretch": { "settings": { "metod": "shear" } } }"#));
        assert!(parse_error.contains("“takes/0/stages/0/stretch/settings/metod”"), "{parse_error}");
        let parse_error = refused(&with_stage(r#"{ "stretch": { "settings": { "method": "sheer" } } }"#));
        assert!(parse_error.contains("“stretch” is invalid") && parse_error.contains("`shear`"), "{parse_error}");
        let parse_error = refused(&with_stage(r#"{ "root": { "travel": "in_place" } }"#));
        assert!(parse_error.contains("“root” is invalid") && parse_error.contains("`away`"), "{parse_error}");
    }

    #[test]
    fn a_stack_needs_joint_names_and_other_takes_need_a_character() {
        let take = |source: &str, joint: &str| {
            let chain = format!(r#"{{ "dynamics": {{ "settings": {{ "chains": [{{ "joint": {joint} }}] }} }} }}"#);
            format!(r#"{{ "takes": [{{ "name": "a", "source": {source}, "stages": [{chain}] }}] }}"#)
        };
        assert!(Recipe::from_json(take(r#""slot:clip""#, r#""tail""#).as_bytes()).unwrap().takes[0].is_stack());
        assert!(refused(&take(r#""slot:clip""#, "3")).contains("by number"));
        assert!(refused(&take(r#"{ "rest": { "seconds": 1.0 } }"#, r#""tail""#)).contains("has no character"));
        assert!(refused(&take(r#""slot:clap""#, r#""tail""#)).contains("unknown variant"));
    }
}
