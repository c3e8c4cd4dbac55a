//! What happens when in a clip, for the events and notifies of engines: one JSON for every place it is written to.
//!
//! A glTF has it as `extras.portamento` of the animation, an FBX as the user properties `loop` and `markers` of the stack; the same
//! JSON lies beside both as `NAME.markers.json`, for engines that read neither.

use serde_json::{Value, json};

use super::{ExportError, FileSet};
use crate::anim::GltfSource;

/// A moment or a span of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// What happens: `left_foot_stands`, `cast`, `seam`, `stop_entry`.
    pub name: String,
    /// Seconds from the clip's first frame.
    pub time: f64,
    /// Seconds at which it ends, where it lasts.
    pub until: Option<f64>,
}

/// All markers of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipMarkers {
    /// The clip as it is called in the file.
    pub clip: String,
    /// Frames per second of the clip.
    pub fps: f64,
    /// Seconds from the first to the last key.
    pub duration: f64,
    /// Whether its end runs on into its start.
    pub loops: bool,
    /// In order of time.
    pub markers: Vec<Marker>,
}

impl ClipMarkers {
    /// Frames are counted from 0 and need not be whole.
    pub fn to_json(&self) -> Value {
        json!({
            "clip": self.clip,
            "duration": self.duration,
            "fps": self.fps,
            "loop": self.loops,
            "markers": self.markers.iter().map(|marker| self.marker(marker)).collect::<Vec<_>>(),
        })
    }

    fn marker(&self, marker: &Marker) -> Value {
        // Keys are 32-bit: what is behind the sixth digit of a second is not theirs.
        let [time, until] = [Some(marker.time), marker.until].map(|time| time.map(|time| (1e6 * time).round() / 1e6));
        let frame = (1e3 * marker.time * self.fps).round() / 1e3;
        let mut entry = json!({ "name": marker.name, "time": time, "frame": frame });
        if let Some(until) = until {
            entry["until"] = json!(until);
        }
        entry
    }

    /// Adds them to `set` as the JSON at `path`. Errors when the disk refuses.
    pub fn write(&self, set: &mut FileSet, path: &std::path::Path) -> Result<(), ExportError> {
        set.write(path, format!("{:#}\n", self.to_json()).as_bytes())
    }

    /// Puts them into the extras of the clip in `source`; what else its extras say stays.
    pub fn annotate(&self, source: &mut GltfSource) {
        let mut clips = source.json.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten();
        let named = |entry: &&mut Value| entry.get("name").and_then(Value::as_str) == Some(&self.clip);
        // Ours come behind those of the file.
        let Some(entry) = clips.rfind(named) else { return };
        if !entry.get("extras").is_some_and(Value::is_object) {
            entry["extras"] = json!({});
        }
        entry["extras"]["portamento"] = self.to_json();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_go_into_extras_beside_what_is_there() {
        let json = json!({ "animations": [{ "name": "walk", "extras": { "event": 3 } }, { "name": "run" }] });
        let mut source =
            GltfSource { path: "a.glb".into(), json, buffers: Vec::new(), binary: true, chunks: Vec::new() };
        let marker = Marker { name: "cast".into(), time: 0.5, until: Some(0.75) };
        let markers = ClipMarkers { clip: "walk".into(), fps: 30.0, duration: 1.0, loops: true, markers: vec![marker] };
        markers.annotate(&mut source);
        let extras = &source.json["animations"][0]["extras"];
        assert_eq!((extras["event"].as_u64(), extras["portamento"]["loop"].as_bool()), (Some(3), Some(true)));
        let wanted = json!([{ "name": "cast", "time": 0.5, "frame": 15.0, "until": 0.75 }]);
        assert_eq!(extras["portamento"]["markers"], wanted);
        assert_eq!(source.json["animations"][1].get("extras"), None);
    }
}
