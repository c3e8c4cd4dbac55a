//! The requests, as JSON.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{ExportSettings, Keep, Preset};
use portamento_base::message::{Message, message};

/// A request of another program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Returns the open project: files with their clips, and takes with a number that changes with their result.
    Status {},
    /// Returns the number `revision` of the status, which changes when its takes or files may have changed.
    Revision {},
    /// Opens projects, characters and clips. Returns the status.
    Open {
        /// The files, with absolute paths.
        files: Vec<PathBuf>,
    },
    /// Adds the takes of a recipe to the project, as one step of undo. Returns their ids and names.
    Make {
        /// The recipe as printed by `portamento make --schema`, with absolute paths.
        recipe: Value,
        /// The clips to which stacks (takes with the source `slot:clip`) are applied.
        #[serde(default)]
        clips: Vec<ClipName>,
    },
    /// Returns the content of a file, as `portamento inspect --json` prints it. Nothing is opened.
    Inspect {
        /// The file, with its absolute path.
        file: PathBuf,
    },
    /// Exports takes. Unchanged takes are not exported again. Returns the outcome of each.
    Export(ExportWish),
    /// Saves a picture of the window as PNG. Returns the file.
    Screenshot {
        /// The file to write, with its absolute path.
        file: PathBuf,
        /// True to replace an existing file.
        #[serde(default)]
        replace: bool,
    },
}

/// A clip of a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipName {
    /// The file, with its absolute path.
    pub file: PathBuf,
    /// The name of the clip.
    pub clip: String,
}

/// The takes to export, and how.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExportWish {
    /// The folder to write to, one file per take, with its absolute path.
    pub folder: PathBuf,
    /// The ids of the takes; empty for all that move joints.
    pub takes: Vec<u32>,
    /// The preset of an engine, by its name.
    pub preset: Option<String>,
    /// The rule for other clips of the source file, by its name.
    pub keep: Option<String>,
    /// The rate of resampling, frames per second; `None` for the keys of the source or the preset.
    pub fps: Option<f64>,
    /// True to replace files that were not written by an earlier export. Sources are never replaced.
    pub replace: bool,
}

/// Lowest and highest rate of resampling, frames per second, as on the command line.
const RATES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

impl ExportWish {
    /// Returns the settings of the files, or why they are invalid.
    pub(super) fn settings(&self) -> Result<ExportSettings, Message> {
        let preset = self.preset.as_deref().map(|name| parsed_or_refused(Preset::parse(name), name)).transpose()?;
        let keep = self.keep.as_deref().map(|name| parsed_or_refused(Keep::parse(name), name)).transpose()?;
        if let Some(rate) = self.fps.filter(|rate| !RATES.contains(rate)) {
            return Err(message!("error.remote.rate", "%{rate} is no rate between 1 and 1000.", rate));
        }
        let mut settings = preset.map_or_else(ExportSettings::default, Preset::settings);
        settings.keep = keep.unwrap_or(settings.keep);
        settings.fps = self.fps.or(settings.fps);
        Ok(settings)
    }
}

/// Returns the parsed value, or the error that `name` is unknown with the possible names.
fn parsed_or_refused<T>(parsed: Result<T, String>, name: &str) -> Result<T, Message> {
    parsed.map_err(|choices| message!("error.remote.name", "“%{name}” is unknown: %{choices}.", name, choices))
}

/// The description of a request: its name, its purpose, and the JSON Schema of its fields.
#[derive(Clone, Copy, Debug)]
pub struct RequestDescription {
    /// The name.
    pub name: &'static str,
    /// The purpose.
    pub about: &'static str,
    /// Returns the schema. The recipe of `make` is any object in it.
    pub schema: fn() -> Value,
}

/// All requests.
pub const REQUESTS: [RequestDescription; 7] = [
    RequestDescription {
        name: "status",
        about: "Returns the open project: files with their clips, and takes.",
        schema: || object(&json!({}), &[]),
    },
    RequestDescription {
        name: "revision",
        about: "Returns a number that changes when the takes or files of the status may have changed.",
        schema: || object(&json!({}), &[]),
    },
    RequestDescription {
        name: "open",
        about: "Opens projects, characters and clips.",
        schema: || object(&json!({ "files": { "type": "array", "items": path() } }), &["files"]),
    },
    RequestDescription {
        name: "make",
        about: "Adds the takes of a recipe to the project.",
        schema: || object(&json!({ "recipe": { "type": "object" }, "clips": clips() }), &["recipe"]),
    },
    RequestDescription {
        name: "inspect",
        about: "Returns the content of a file: joints, clips, key rates, root motion, warnings.",
        schema: || object(&json!({ "file": path() }), &["file"]),
    },
    RequestDescription {
        name: "export",
        about: "Exports takes to a folder that the user gave, one file each.",
        schema: export_schema,
    },
    RequestDescription {
        name: "screenshot",
        about: "Saves a picture of the window as PNG to a folder that the user gave.",
        schema: || object(&json!({ "file": path(), "replace": { "type": "boolean", "default": false } }), &["file"]),
    },
];

/// Returns the schema of the request `export`.
fn export_schema() -> Value {
    let fields = json!({
        "folder": path(),
        "takes": { "type": "array", "items": { "type": "integer" }, "description": "Ids of takes. Default: all." },
        "preset": { "enum": Preset::ALL.map(Preset::name) },
        "keep": { "enum": Keep::ALL.map(Keep::name) },
        "fps": { "type": "number", "minimum": RATES.start(), "maximum": RATES.end() },
        "replace": { "type": "boolean", "default": false },
    });
    object(&fields, &["folder"])
}

/// Returns the schema of an object with these properties and no others.
fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Returns the schema of an absolute path.
fn path() -> Value {
    json!({ "type": "string", "description": "Absolute path." })
}

/// Returns the schema of a list of clips.
fn clips() -> Value {
    let clip = object(&json!({ "file": path(), "clip": { "type": "string" } }), &["file", "clip"]);
    json!({ "type": "array", "items": clip, "description": "Clips to which stacks are applied." })
}

impl Request {
    /// Parses a request. Returns `Err` if its name is unknown or a field does not fit.
    pub fn from_json(request: Value) -> Result<Self, Message> {
        serde_json::from_value(request)
            .map_err(|error| message!("error.remote.shape", "The request is not understood: %{error}.", error))
    }

    /// True if the request changes neither the session nor a file.
    pub(super) fn only_reads(&self) -> bool {
        matches!(self, Self::Status {} | Self::Revision {} | Self::Inspect { .. })
    }
}
