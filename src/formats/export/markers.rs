//! Events of a clip for engines (notifies), as the same JSON in every place.
//!
//! A glTF stores it as `extras.portamento` of the animation, an FBX as the user properties `loop` and `markers` of the stack.
//! `NAME.markers.json` has the same content for engines that read neither.

use glam::DVec3;
use serde_json::{Value, json};

use super::clip_set::rounded;
use super::{ExportError, FileSet};
use portamento_anim::GltfSource;

/// End of the name of a marker that is a contact of a foot; before it is the name of the foot.
pub const CONTACT_SUFFIX: &str = "_stands";

/// An instant or a span of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Name of the event: `left_foot_stands`, `cast`, `seam`, `stop_entry`.
    pub name: String,
    /// Seconds from the clip's first frame.
    pub time: f64,
    /// End in seconds from the clip's first frame, or `None` for an instant.
    pub until: Option<f64>,
}

/// A span of a clip in which its root may be moved so that it fits another obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpWindow {
    /// Name of the target: `vault_near`, `vault_far`, `vault_landing`.
    pub name: String,
    /// Seconds from the clip's first frame.
    pub time: f64,
    /// End in seconds from the clip's first frame.
    pub until: f64,
    /// Point of the obstacle or of the ground behind it that the clip meets at the end, metres.
    pub point: DVec3,
    /// Position of the root at the end, metres.
    pub root: DVec3,
}

/// All markers of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipMarkers {
    /// Name of the clip in the file.
    pub clip: String,
    /// Frames per second of the clip.
    pub fps: f64,
    /// Seconds from the first to the last key.
    pub duration: f64,
    /// True if the clip repeats.
    pub loops: bool,
    /// The reference of an additive clip; `None` for a whole motion.
    pub additive: Option<AdditiveReference>,
    /// In order of time.
    pub markers: Vec<Marker>,
    /// Windows between the contacts of crossings, in order of time.
    pub warps: Vec<WarpWindow>,
}

/// The pose from which an additive clip is the difference. The clip has that difference applied to the rest pose.
#[derive(Clone, Debug, PartialEq)]
pub struct AdditiveReference {
    /// The kind of the reference: `rest`, `first_frame` or `clip`.
    pub pose: &'static str,
    /// Name and time (seconds) of the frame of another clip.
    pub frame: Option<(String, f64)>,
    /// The axes in which rotations are compared: `local` or `character`.
    pub space: &'static str,
}

impl ClipMarkers {
    /// Returns a JSON object with the clip's name, `duration` in seconds, `fps`, `loop`, the list `markers`, for an additive clip its
    /// reference, and for crossings the list `warps`. Frames are counted from 0 and may be fractional.
    pub fn to_json(&self) -> Value {
        let mut all = json!({
            "clip": self.clip,
            "duration": self.duration,
            "fps": self.fps,
            "loop": self.loops,
            "markers": self.markers.iter().map(|marker| self.marker(marker)).collect::<Vec<_>>(),
        });
        if let Some(additive) = &self.additive {
            all["additive"] = additive.to_json();
        }
        if !self.warps.is_empty() {
            all["warps"] = self.warps.iter().map(WarpWindow::to_json).collect();
        }
        all
    }

    /// Returns a marker with times in seconds and its frame, which may be fractional. `until` is there only if the marker has a
    /// length.
    fn marker(&self, marker: &Marker) -> Value {
        // Key times are 32-bit, so more than six digits of a second are noise.
        let [time, until] = [Some(marker.time), marker.until].map(|time| time.map(|time| (1e6 * time).round() / 1e6));
        let frame = (1e3 * marker.time * self.fps).round() / 1e3;
        let mut entry = json!({ "name": marker.name, "time": time, "frame": frame });
        if let Some(until) = until {
            entry["until"] = json!(until);
        }
        entry
    }

    /// Adds the markers to `set` as the JSON file `path`. Returns `Err` if it cannot be written.
    pub fn write(&self, set: &mut FileSet, path: &std::path::Path) -> Result<(), ExportError> {
        set.write(path, format!("{:#}\n", self.to_json()).as_bytes())
    }

    /// Writes the markers into the extras of the clip in `source`. Its other extras are kept. Does nothing if no animation
    /// has the name of the clip. Of several, the last gets them.
    pub fn annotate(&self, source: &mut GltfSource) {
        let mut clips = source.json.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten();
        let named = |entry: &&mut Value| entry.get("name").and_then(Value::as_str) == Some(&self.clip);
        // Exported clips follow those of the file, so search from the end.
        let Some(entry) = clips.rfind(named) else { return };
        if !entry.get("extras").is_some_and(Value::is_object) {
            entry["extras"] = json!({});
        }
        entry["extras"]["portamento"] = self.to_json();
    }
}

impl WarpWindow {
    /// Returns the window as an entry of the sidecar: seconds and metres.
    fn to_json(&self) -> Value {
        let [point, root] = [self.point, self.root].map(|at| at.to_array().map(rounded));
        let [time, until] = [self.time, self.until].map(rounded);
        json!({ "name": self.name, "time": time, "until": until, "point": point, "root": root })
    }
}

impl AdditiveReference {
    /// Returns the reference as an entry of the sidecar. Without a frame, it has no clip and time.
    pub(super) fn to_json(&self) -> Value {
        let mut entry = json!({ "reference": self.pose, "space": self.space, "applied_to": "rest" });
        if let Some((clip, time)) = &self.frame {
            entry["clip"] = json!(clip);
            entry["time"] = json!(time);
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_added_to_existing_extras() {
        let json = json!({ "animations": [{ "name": "walk", "extras": { "event": 3 } }, { "name": "run" }] });
        let mut source =
            GltfSource { path: "a.glb".into(), json, buffers: Vec::new(), binary: true, chunks: Vec::new() };
        let marker = Marker { name: "cast".into(), time: 0.5, until: Some(0.75) };
        let markers = ClipMarkers {
            clip: "walk".into(),
            fps: 30.0,
            duration: 1.0,
            loops: true,
            markers: vec![marker],
            ..ClipMarkers::default()
        };
        markers.annotate(&mut source);
        let extras = &source.json["animations"][0]["extras"];
        assert_eq!((extras["event"].as_u64(), extras["portamento"]["loop"].as_bool()), (Some(3), Some(true)));
        let wanted = json!([{ "name": "cast", "time": 0.5, "frame": 15.0, "until": 0.75 }]);
        assert_eq!(extras["portamento"]["markers"], wanted);
        assert_eq!(source.json["animations"][1].get("extras"), None);
    }
}
