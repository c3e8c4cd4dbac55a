//! What a recipe holds, and how it becomes takes of a session.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema;
use crate::cli::Failure;
use crate::document::{FileId, SceneObject, StageId, StageKind, Take, TakeId};
use crate::session::Session;

/// A recipe: files, and takes made from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The files, relative to the recipe; takes mean them by their place in the list, from 1.
    pub files: Vec<PathBuf>,
    /// Named points that stretches can aim at.
    #[serde(default)]
    pub objects: Vec<SceneObject>,
    /// The takes; each may stand for a clip in the others as `take:` and its id.
    pub takes: Vec<Take>,
}

impl Recipe {
    /// Reads and checks the recipe at `path`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let about = |reason: String| Failure::Usage(format!("{}: {reason}", path.display()));
        let bytes = crate::regular_file::all(path).map_err(|error| about(error.to_string()))?;
        Self::from_json(&bytes).map_err(about)
    }

    /// Errors name what is not known or not right.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let mut json: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}."))?;
        number(&mut json);
        let recipe: Self = serde_json::from_value(json.clone()).map_err(|error| {
            format!("it is not a recipe: {error}. `portamento make --schema` tells what one holds.")
        })?;
        let stages = recipe.takes.iter().flat_map(|take| &take.stages);
        if let Some(reason) = stages.filter_map(|stage| refusal(&stage.kind)).next() {
            return Err(reason);
        }
        let understood = serde_json::to_value(&recipe).map_err(|error| error.to_string())?;
        match unknown(&json, &understood, String::new()) {
            Some(place) => {
                Err(format!("“{place}” means nothing in a recipe. `portamento make --schema` tells what one holds."))
            }
            None => Ok(recipe),
        }
    }

    /// Opens the files and adds the takes; answers their ids and names.
    pub fn put_into(self, session: &mut Session, path: &Path) -> Result<Vec<(TakeId, String)>, Failure> {
        let folder = path.parent().unwrap_or(Path::new(""));
        for file in &self.files {
            crate::cli::open_more(session, &folder.join(file))?;
        }
        let opened: Vec<FileId> = session.document.files.iter().map(|file| file.id).collect();
        if opened.iter().zip(1..).any(|(id, wanted)| id.0 != wanted) || opened.len() != self.files.len() {
            return Err(Failure::Usage(
                "A file is listed twice, or one of them is a project: list each file once.".into(),
            ));
        }
        session.document.objects.extend(self.objects);
        let named = self.takes.iter().map(|take| (take.id, take.name.clone())).collect();
        session.document.takes = self.takes;
        let last = session.document.takes.iter().map(|take| take.id.0).max().unwrap_or(0);
        session.document.next_id = session.document.next_id.max(last);
        Ok(named)
    }
}

/// Why a stage was not understood, if so: in a project it may be of a newer version, here it is a mistake.
fn refusal(kind: &StageKind) -> Option<String> {
    let StageKind::Unknown(fields) = kind else { return None };
    let name = fields.keys().next().map_or("", String::as_str);
    Some(match schema::stage_answer(&Value::Object(fields.clone())) {
        Some(told) => format!("its stage “{name}” is not right: {told}."),
        None => format!("there is no stage “{name}”. `portamento make --schema` tells which there are."),
    })
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

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut serde_json::Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The first place in `written` that is not in `understood`.
fn unknown(written: &Value, understood: &Value, at: String) -> Option<String> {
    match (written, understood) {
        (Value::Object(written), Value::Object(understood)) => written.iter().find_map(|(key, value)| {
            let place = if at.is_empty() { key.clone() } else { format!("{at}/{key}") };
            match understood.get(key) {
                Some(known) => unknown(value, known, place),
                // What is left out where it says nothing.
                None if value.is_null() || *value == Value::Bool(true) && key == "on" => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(recipe: &str) -> String {
        Recipe::from_json(recipe.as_bytes()).unwrap_err()
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
        assert_eq!((take.id, take.stages[1].id, take.stages[1].on), (TakeId(1), StageId(2), false));
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
    }
}
