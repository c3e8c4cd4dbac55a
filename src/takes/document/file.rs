//! The project file: `NAME.portamento`, JSON, versioned, paths relative to its folder.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Document, TakeId};
pub use portamento_base::fingerprint::{fingerprint, fingerprint_of};
use portamento_base::message::{message, messages};

mod migration;

pub use migration::VERSION;

/// The extension of project files.
pub const EXTENSION: &str = "portamento";

/// True if `path` names a project or an autosaved project, not a character or clip.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION || extension == "autosave")
}

/// The content of a project file.
#[derive(Serialize, Deserialize)]
struct Project {
    format: String,
    version: u32,
    document: Document,
    #[serde(flatten)]
    state: WindowState,
}

/// The parts of a project file that undo does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowState {
    /// The take that is shown when the project is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<TakeId>,
    /// The export settings, in the form of the program part that exports; `None` for the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub export: Option<Value>,
}

messages! {
/// Reasons why a project cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The file is not JSON, or JSON of another structure.
    Malformed(path: PathBuf, reason: serde_json::Error) => message!(
        "error.project.malformed",
        "%{file} is not a Portamento project: %{reason}. Open a .portamento file, or restore a backup from the same folder.",
        file = path.display().to_string(),
        reason,
    ),
    /// The JSON does not declare the project format.
    OtherFormat(path: PathBuf) => message!(
        "error.project.other_format",
        "%{file} is not a Portamento project. Open a .portamento file.",
        file = path.display().to_string(),
    ),
    /// The file was written by a newer version of the program.
    Newer(path: PathBuf, version: u64) => message!(
        "error.project.newer",
        "%{file} was saved by a newer Portamento (format %{version}; this one reads up to %{known}). Update Portamento to open it.",
        file = path.display().to_string(),
        version,
        known = VERSION.to_string(),
    ),
}
}

/// Serializes `document` as a project to be saved at `path`. Source paths become relative to the project folder if both have a
/// common root.
pub fn to_bytes(document: &Document, path: &Path) -> Vec<u8> {
    to_bytes_with(document, path, WindowState::default())
}

/// Serializes `document` as [`to_bytes`], together with `state`.
pub fn to_bytes_with(document: &Document, path: &Path, state: WindowState) -> Vec<u8> {
    let mut document = document.clone();
    for file in document.files.iter_mut().chain(&mut document.removed_files) {
        file.path = relative_to_project(&file.path, path);
    }
    let project = Project { format: "portamento".into(), version: VERSION, document, state };
    let mut bytes = serde_json::to_vec_pretty(&project).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Parses the project `bytes` read from `path`. Source paths become absolute. Older versions are migrated. Returns `Err` if
/// it is no project or of a newer version.
pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Document, ProjectError> {
    let malformed = |error| ProjectError::Malformed(path.to_owned(), error);
    let mut json: Value = portamento_base::json::parse(bytes).map_err(malformed)?;
    if json.get("format").and_then(Value::as_str) != Some("portamento") {
        return Err(ProjectError::OtherFormat(path.to_owned()));
    }
    let version = json.get("version").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(VERSION) {
        return Err(ProjectError::Newer(path.to_owned(), version));
    }
    migration::migrate(&mut json, version);
    let mut document = serde_json::from_value::<Project>(json).map_err(malformed)?.document;
    for file in document.files.iter_mut().chain(&mut document.removed_files) {
        file.path = from_project(&file.path, path);
    }
    Ok(document)
}

/// Returns the window state in the project `bytes`; the default if there is none or it cannot be read.
pub fn window_state(bytes: &[u8]) -> WindowState {
    portamento_base::json::parse(bytes).unwrap_or_default()
}

/// True if `file` is in the folder of the project at `path` or in a subfolder.
pub fn is_inside(file: &Path, path: &Path) -> bool {
    absolute(file).starts_with(folder_of(path))
}

/// Returns the absolute folder of the file at `path`.
fn folder_of(path: &Path) -> PathBuf {
    absolute(path).parent().unwrap_or(Path::new("")).to_owned()
}

/// True if the project or recipe at `path` may read `file`. It may read files in its own folder and subfolders, and the
/// files and folders `named` by the user with all that is in them.
pub fn may_read(path: &Path, file: &Path, named: &[PathBuf]) -> bool {
    is_inside(file, path) || named.iter().any(|place| absolute(file).starts_with(absolute(place)))
}

/// Returns the absolute path without `.` and `name/..`, resolved lexically, so that equal files have equal paths.
pub fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.components().fold(PathBuf::new(), |mut clean, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
        clean
    })
}

/// Returns `place` relative to the folder of the project at `path`; unchanged if they share no root.
pub fn relative_to_project(place: &Path, path: &Path) -> PathBuf {
    relative_to(place, &folder_of(path)).unwrap_or_else(|| place.to_owned())
}

/// Returns the absolute path of `place`, which is relative to the folder of the project at `path` or absolute.
pub fn from_project(place: &Path, path: &Path) -> PathBuf {
    absolute(&folder_of(path).join(place))
}

/// Returns `file` relative to `folder`, with `..` where needed; `None` if they share no root.
fn relative_to(file: &Path, folder: &Path) -> Option<PathBuf> {
    let file = absolute(file);
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    Some(up.chain(file.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, SourceFile};
    use portamento_anim::math::random::{SplitMix64, spread};
    use portamento_dynamics::LengthCorrection;

    fn with_file(path: &str) -> Document {
        let file = SourceFile {
            id: FileId(1),
            path: path.into(),
            hash: "ab".into(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        Document { files: vec![file], next_id: 1, ..Document::default() }
    }

    #[test]
    fn a_project_moves_together_with_its_files() {
        let bytes = to_bytes(&with_file("/a/rigs/hero.glb"), Path::new("/a/show/x.portamento"));
        assert!(String::from_utf8_lossy(&bytes).contains("../rigs/hero.glb"));
        let moved = from_bytes(&bytes, Path::new("/b/show/x.portamento")).unwrap();
        assert_eq!(moved, with_file("/b/rigs/hero.glb"));
    }

    #[test]
    fn other_files_are_refused_with_their_name() {
        let refuse = |text: &str| from_bytes(text.as_bytes(), Path::new("x.portamento")).unwrap_err().to_string();
        assert!(refuse("{").contains("x.portamento is not a Portamento project"));
        assert!(refuse("{}").contains("x.portamento"));
        assert!(refuse(r#"{"format":"portamento","version":99}"#).contains("newer"));
        assert!(refuse(r#"{"format":"portamento","version":1,"document":{"files":3}}"#).contains("not a Portamento"));
    }

    /// Collects every scalar value in `json` with its path.
    fn leaves(json: &Value, at: &str, all: &mut Vec<(String, Value)>) {
        match json {
            Value::Object(entries) => {
                entries.iter().for_each(|(key, value)| leaves(value, &format!("{at}/{key}"), all))
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, value)| leaves(value, &format!("{at}/{index}"), all));
            }
            leaf => all.push((at.to_owned(), leaf.clone())),
        }
    }

    #[test]
    fn projects_of_all_versions_open_without_loss() {
        for version in 1..=VERSION {
            let path = portamento_test_support::fixture(&format!("projects/{version}.portamento"));
            let bytes = std::fs::read(&path).unwrap();
            let mut json: Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(json["version"], version);
            migration::migrate(&mut json, u64::from(version));
            let document = from_bytes(&bytes, &path).unwrap();
            let saved: Value = serde_json::from_slice(&to_bytes(&document, &path)).unwrap();
            let mut all = Vec::new();
            leaves(&json, "", &mut all);
            assert!(all.len() > 400, "{}", all.len());
            for (at, value) in all {
                assert_eq!(saved.pointer(&at), Some(&value), "version {version}: {at}");
            }
        }
    }

    #[test]
    fn an_unknown_stage_is_preserved() {
        let bytes = std::fs::read(portamento_test_support::fixture("projects/3.portamento")).unwrap();
        let mut json: Value = serde_json::from_slice(&bytes).unwrap();
        let stage = serde_json::json!({ "id": 7, "on": false, "influence": 1.0, "levitate": { "height": 2.5, "over": ["a", null] } });
        json["document"]["takes"][0]["stages"].as_array_mut().unwrap().insert(0, stage.clone());
        let path = Path::new("3.portamento");
        let document = from_bytes(&serde_json::to_vec(&json).unwrap(), path).unwrap();
        assert_eq!(document.takes[0].stages[0].kind.name(), "unknown");
        let saved: Value = serde_json::from_slice(&to_bytes(&document, path)).unwrap();
        assert_eq!(saved["document"]["takes"][0]["stages"][0], stage);
    }

    #[test]
    fn chains_and_casts_of_version_3_stay_as_they_were() {
        let bytes = std::fs::read(portamento_test_support::fixture("projects/3.portamento")).unwrap();
        let mut json: Value = serde_json::from_slice(&bytes).unwrap();
        let standard = serde_json::json!({ "name": "Standard", "kind": { "standard": { "skill": "cast" } } });
        let tree = serde_json::json!({ "tree": { "nodes": [standard], "root": 0 } });
        let takes = json["document"]["takes"].as_array_mut().unwrap();
        let mut other = takes.iter().find(|take| take["source"]["scenario"].is_object()).unwrap().clone();
        other["source"]["scenario"]["settings"] = tree;
        other["stages"] = serde_json::json!([{ "id": 1, "layer": { "settings": { "skill": "cast" } } }]);
        takes.push(other);
        let document = from_bytes(&serde_json::to_vec(&json).unwrap(), Path::new("3.portamento")).unwrap();
        let stages = || document.takes.iter().flat_map(|take| &take.stages).map(|stage| &stage.kind);
        let chains = stages().find_map(|kind| match kind {
            crate::document::StageKind::Dynamics(dynamics) => Some(&dynamics.settings.chains),
            _ => None,
        });
        assert!(chains.unwrap().iter().all(|chain| chain.length_correction == LengthCorrection::EnergyKeeping));
        let scenarios: Vec<_> = document.takes.iter().filter_map(|take| take.blend()?.settings.standard()).collect();
        assert!(scenarios.len() == 2 && scenarios.iter().all(|scenario| scenario.skill_holds));
        assert!(stages().find_map(|kind| kind.as_layer()).unwrap().settings.skill_holds);
        // New ones end with their clip and swing as published.
        assert!(!portamento_blend::Scenario::default().skill_holds);
        assert_eq!(portamento_dynamics::Chain::default().length_correction, LengthCorrection::AsPublished);
    }

    #[test]
    fn fields_of_version_1_are_renamed() {
        let bytes = std::fs::read(portamento_test_support::fixture("projects/1.portamento")).unwrap();
        let text = String::from_utf8(bytes).unwrap().replacen("\"spared\": []", "\"spared\": [1]", 1);
        let document = from_bytes(text.as_bytes(), Path::new("1.portamento")).unwrap();
        let chains = document.takes.iter().flat_map(|take| &take.stages).find_map(|stage| match &stage.kind {
            crate::document::StageKind::Dynamics(dynamics) => Some(&dynamics.settings.chains),
            _ => None,
        });
        let chain = &chains.unwrap()[0];
        assert_eq!((&chain.ignored_colliders[..], chain.center), (&[1][..], Some(0)));
        let walk = document.takes.iter().find_map(|take| take.walk()).unwrap();
        assert_eq!(walk.routes.variety, 0.5);
    }

    /// Opens damaged projects; each that opens must survive saving and opening again.
    fn open_damaged(count: u64, first: u64) {
        let original = include_bytes!("../../../assets/samples.portamento");
        let path = Path::new("/a/samples.portamento");
        let mut open = 0;
        for number in 0..count {
            let mut random = SplitMix64::new(spread(first + number));
            let damage =
                if number % 2 == 0 { portamento_test_support::damaged } else { portamento_test_support::damaged_json };
            if let Ok(document) = from_bytes(&damage(original, &mut random), path) {
                open += 1;
                let again = from_bytes(&to_bytes(&document, path), path).unwrap();
                assert_eq!(again.takes.len(), document.takes.len(), "damaged project {number}");
            }
        }
        assert!(open < count, "{open} of {count} opened");
    }

    #[test]
    fn damaged_projects_do_not_panic() {
        open_damaged(300, 0);
    }

    #[test]
    #[ignore = "minutes: PORTAMENTO_MUTANTS chooses how many projects are tried"]
    fn many_damaged_projects_do_not_panic() {
        let count = std::env::var("PORTAMENTO_MUTANTS").ok().and_then(|count| count.parse().ok());
        open_damaged(count.unwrap_or(1_000_000), 1 << 32);
    }

    #[test]
    fn a_file_outside_the_folder_is_detected() {
        assert!(is_inside(Path::new("/a/show/rig/hero.glb"), Path::new("/a/show/x.portamento")));
        assert!(!is_inside(Path::new("/a/show/../hero.glb"), Path::new("/a/show/x.portamento")));
        let may_read = |file: &str, named: &[&str]| {
            let named: Vec<PathBuf> = named.iter().map(PathBuf::from).collect();
            may_read(Path::new("/a/show/x.json"), Path::new(file), &named)
        };
        assert!(
            may_read("/a/show/rig/hero.glb", &[]) && may_read("/b/run.bvh", &["/b"]) && may_read("/b/c", &["/b/c"])
        );
        assert!(!may_read("/a/show/../../etc/passwd", &["/b"]) && !may_read("/bb/run.bvh", &["/b"]));
    }
}
