//! Script that imports an FBX into Unreal with the settings that its clips need.
//!
//! An FBX stores no loop flag, root motion flag, additive type or sync marker. `NAME.import.py` imports the FBX next to it with a
//! key on every frame and sets them on the animation sequences. It uses documented classes of the editor's Python only. The data
//! are JSON within one string literal, so no name can become code.

mod links;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use links::{LINKS_ENDING, links};

use super::markers::ClipMarkers;
use super::{ExportError, FileSet};

/// The import of one FBX.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnrealImport {
    /// Frame rate of the keys, frames per second.
    pub fps: f64,
    /// True if the file has the character's mesh, from which a missing skeleton is made.
    pub has_mesh: bool,
    /// The clips of the file.
    pub clips: Vec<UnrealClip>,
}

/// A clip with the settings that Unreal needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnrealClip {
    /// Name, loop, reference and events.
    pub markers: ClipMarkers,
    /// True if the topmost joint moves the character.
    pub root_motion: bool,
}

impl UnrealImport {
    /// Adds the script for the FBX at `path` to `set`. Returns its path, or `Err` if it cannot be written. The script is
    /// named like the FBX, with `.import.py`.
    pub fn write(&self, set: &mut FileSet, path: &Path) -> Result<PathBuf, ExportError> {
        let script = path.with_extension("import.py");
        set.write(&script, self.script(path).as_bytes())?;
        Ok(script)
    }

    /// Returns the Python script that imports the file at `path` into Unreal. It names the file without its folder.
    fn script(&self, path: &Path) -> String {
        let clip = |clip: &UnrealClip| {
            let mut entry = clip.markers.to_json();
            entry["root_motion"] = json!(clip.root_motion);
            entry
        };
        let data = json!({
            "file": path.file_name().map(|name| name.to_string_lossy()),
            "fps": self.fps,
            "has_mesh": self.has_mesh,
            "clips": self.clips.iter().map(clip).collect::<Vec<_>>(),
        });
        // A JSON string is a Python string literal with the same value.
        SCRIPT.replace("%DATA%", &Value::from(data.to_string()).to_string())
    }
}

/// The script template.
const SCRIPT: &str = include_str!("import.py");

#[cfg(test)]
mod tests;
