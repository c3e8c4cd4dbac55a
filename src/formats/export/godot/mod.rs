//! Files that configure how Godot 4 imports a GLB: import settings, and a script that runs after the import.
//!
//! Godot's importer reduces keys and resamples the rest at 30 frames per second. Both happen before any script runs.
//! `NAME.glb.import` therefore turns them off. Godot reads that file before the first import and owns it afterwards.
//! The settings refer to the script `NAME.import.gd`, which sets loop flags, markers and the root motion track, and adds the clips to
//! the libraries of their sets. Only Godot knows the paths of its nodes, so it writes the libraries.

mod links;
mod tree;

pub use links::{LINKS_ENDING, links};
pub use tree::tree;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::clip_set::rounded;
use super::markers::ClipMarkers;
use super::{ExportError, FileSet};

/// The import configuration of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GodotImport {
    /// Frame rate of the keys, frames per second.
    pub fps: f64,
    /// Clip names in the file, and whether each repeats.
    pub loops: Vec<(String, bool)>,
    /// The joint with the root motion, if a joint above the hips carries it.
    pub root: Option<String>,
    /// The markers of the clips.
    pub markers: Vec<ClipMarkers>,
    /// File names of the libraries to which the clips belong, with the names of the clips.
    pub libraries: BTreeMap<String, Vec<String>>,
}

/// End of the file name of the library of a set.
pub const LIBRARY_ENDING: &str = "library.tres";
/// End of the file name of the tree of a set.
pub const TREE_ENDING: &str = "tree.tres";

/// The result of writing the two files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GodotFiles {
    /// The files that were added to the set.
    pub written: Vec<PathBuf>,
    /// The settings, if Godot already owns them, so that they were not written.
    pub kept: Option<PathBuf>,
}

/// Frame rates that Godot's importer accepts.
const IMPORT_RATES_FPS: std::ops::RangeInclusive<f64> = 1.0..=120.0;

impl GodotImport {
    /// Adds both files for the GLB at `path` to `set`. Returns `Err` if they cannot be written. Settings that Godot owns
    /// already are not written.
    pub fn write(&self, set: &mut FileSet, path: &Path) -> Result<GodotFiles, ExportError> {
        let [settings, script] = [with_suffix(path, "import"), path.with_extension("import.gd")];
        let mut files = GodotFiles::default();
        if is_owned_by_godot(&settings) {
            files.kept = Some(settings);
        } else {
            set.write(&settings, self.settings(&script).as_bytes())?;
            files.written.push(settings);
        }
        set.write(&script, self.script().as_bytes())?;
        files.written.push(script);
        Ok(files)
    }

    /// Returns settings that keep every key and refer to `script`, which is in the same folder.
    fn settings(&self, script: &Path) -> String {
        let fps = self.fps.clamp(*IMPORT_RATES_FPS.start(), *IMPORT_RATES_FPS.end());
        let script = quoted(&script.file_name().map(OsStr::to_string_lossy).unwrap_or_default());
        format!(
            "[remap]\n\nimporter=\"scene\"\nimporter_version=1\ntype=\"PackedScene\"\n\n[params]\n\n\
             animation/import=true\nanimation/fps={fps}\nanimation/trimming=false\nimport_script/path={script}\n\
             _subresources={{\n\"nodes\": {{\n\"PATH:AnimationPlayer\": {{\n\"optimizer/enabled\": false\n}}\n}}\n}}\n"
        )
    }

    /// Returns the GDScript that runs after the import.
    fn script(&self) -> String {
        let mut loops = String::new();
        for (name, repeats) in &self.loops {
            let _ = writeln!(loops, "\t{}: {repeats},", quoted(&clip_name(name)));
        }
        let mut libraries = String::new();
        for (file, clips) in &self.libraries {
            let clips: Vec<String> = clips.iter().map(|clip| quoted(&clip_name(clip))).collect();
            let _ = writeln!(libraries, "\t{}: [{}],", quoted(file), clips.join(", "));
        }
        let root = quoted(&self.root.as_deref().map(bone_name).unwrap_or_default());
        let parts = [("%LOOPS%", loops), ("%LIBRARIES%", libraries), ("%MARKERS%", self.markers()), ("%ROOT%", root)];
        // One pass, so that a name that looks like a placeholder stays a name.
        let mut script = String::new();
        let mut rest = SCRIPT;
        for (placeholder, text) in &parts {
            let Some((before, after)) = rest.split_once(placeholder) else { continue };
            script += before;
            script += text;
            rest = after;
        }
        script + rest
    }

    /// Returns the entries of the markers of all clips as GDScript, with times in seconds. A marker of Godot has a unique
    /// name, so repeated ones are numbered. A span gets a second marker `NAME end`.
    fn markers(&self) -> String {
        let mut text = String::new();
        for clip in self.markers.iter().filter(|clip| !clip.markers.is_empty()) {
            let _ = writeln!(text, "\t{}: {{", quoted(&clip_name(&clip.clip)));
            let mut taken = BTreeSet::new();
            for marker in &clip.markers {
                let mut names =
                    std::iter::once(marker.name.clone()).chain((2..).map(|n| format!("{} {n}", marker.name)));
                let name = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
                let _ = writeln!(text, "\t\t{}: {:?},", quoted(&name), rounded(marker.time));
                if let Some(until) = marker.until {
                    let _ = writeln!(text, "\t\t{}: {:?},", quoted(&format!("{name} end")), rounded(until));
                }
            }
            text.push_str("\t},\n");
        }
        text
    }
}

/// True if Godot wrote the settings at `path`: it then lists the imported files there. False if the file cannot be read.
fn is_owned_by_godot(path: &Path) -> bool {
    portamento_base::regular_file::text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[deps]"))
}

/// Returns `path` with `end` appended after its extension.
fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

/// Returns Godot's name of a clip: without any of `/:,[`, and without the suffix `-loop`.
fn clip_name(name: &str) -> String {
    let stem = name.strip_suffix("-loop").unwrap_or(name);
    stem.replace(['/', ':', ',', '['], "_")
}

/// Returns Godot's name of the bone of a joint.
fn bone_name(joint: &str) -> String {
    joint.replace([':', '/'], "_")
}

/// Returns a text as a literal of GDScript and Godot's settings.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The script template. With an AnimationTree the player's own track is ignored, so it is stored as metadata too.
const SCRIPT: &str = r#"@tool
extends EditorScenePostImport
## Written by Portamento for the GLB of the same name; rewritten with it.

## Whether each clip repeats, by its name here.
const LOOPS := {
%LOOPS%}
## The libraries beside this file that contain its clips, by the file of each library.
const LIBRARIES := {
%LIBRARIES%}
## The markers of each clip, seconds.
const MARKERS := {
%MARKERS%}
## The bone whose travel is the character's; empty where no bone above the hips travels.
const ROOT_BONE := %ROOT%


func _post_import(scene: Node) -> Object:
	for node in scene.find_children("*", "AnimationPlayer", true, false):
		var player := node as AnimationPlayer
		_set_loops(player)
		_add_markers(player)
		_set_root_motion(scene, player)
		_add_to_libraries(player)
	return scene


func _set_loops(player: AnimationPlayer) -> void:
	for clip in player.get_animation_list():
		if LOOPS.has(clip):
			var repeats: bool = LOOPS[clip]
			var mode := Animation.LOOP_LINEAR if repeats else Animation.LOOP_NONE
			player.get_animation(clip).loop_mode = mode


## Animations have markers since Godot 4.4.
func _add_markers(player: AnimationPlayer) -> void:
	for clip in MARKERS:
		var animation := player.get_animation(clip) if player.has_animation(clip) else null
		if animation and animation.has_method("add_marker"):
			var markers: Dictionary = MARKERS[clip]
			for marker in markers:
				animation.call("add_marker", marker, markers[marker])


## Each file of a set adds its clips, so the library has all of them when all files are imported.
func _add_to_libraries(player: AnimationPlayer) -> void:
	for file in LIBRARIES:
		var path := get_source_file().get_base_dir().path_join(file)
		var library := AnimationLibrary.new()
		if ResourceLoader.exists(path):
			library = ResourceLoader.load(path) as AnimationLibrary
		for clip in LIBRARIES[file]:
			if player.has_animation(clip):
				if library.has_animation(clip):
					library.remove_animation(clip)
				library.add_animation(clip, player.get_animation(clip).duplicate(true))
		if ResourceSaver.save(library, path) != OK:
			push_error("The library could not be written: " + path)


## From here the travel is read with get_root_motion_position(). An AnimationTree takes the same
## path as its own.
func _set_root_motion(scene: Node, player: AnimationPlayer) -> void:
	var path := _root_path(scene, player.get_node(player.root_node))
	if not path.is_empty():
		player.set("root_motion_track", path)
		player.set_meta("root_motion_track", path)


func _root_path(scene: Node, base: Node) -> NodePath:
	if ROOT_BONE.is_empty():
		return NodePath()
	for node in scene.find_children("*", "Skeleton3D", true, false):
		var skeleton := node as Skeleton3D
		if skeleton.find_bone(ROOT_BONE) >= 0:
			return NodePath(String(base.get_path_to(skeleton)) + ":" + ROOT_BONE)
	var joint := scene.find_child(ROOT_BONE, true, false)
	return base.get_path_to(joint) if joint else NodePath()
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::markers::Marker;
    use std::sync::Arc;

    fn example() -> GodotImport {
        let loops = [("walk-loop", true), ("run, \"cast\"", false)].map(|(name, repeats)| (name.to_owned(), repeats));
        GodotImport { fps: 24.0, loops: loops.into(), root: Some("rig:root".into()), ..GodotImport::default() }
    }

    #[test]
    fn the_script_uses_godots_names_of_clips_and_bones() {
        let script = example().script();
        assert!(script.starts_with("@tool\nextends EditorScenePostImport\n"));
        let loops = "const LOOPS := {\n\t\"walk\": true,\n\t\"run_ \\\"cast\\\"\": false,\n}\n";
        assert!(script.contains(loops), "{script}");
        assert!(script.contains("const ROOT_BONE := \"rig_root\"\n"), "{script}");
        assert!(!script.contains('%'), "{script}");
        assert!(script.contains("const LIBRARIES := {\n}\n") && script.contains("const MARKERS := {\n}\n"), "{script}");
        let without_root = GodotImport { root: None, ..example() }.script();
        assert!(without_root.contains("const ROOT_BONE := \"\"\n"), "{without_root}");
        // Indentation must consist of tabs only, or Godot rejects the script.
        assert!(script.lines().all(|line| !line.starts_with(' ') && !line.contains("\t ")), "{script}");
    }

    #[test]
    fn libraries_and_markers_are_listed_and_no_name_leaves_its_string() {
        let marker = |name: &str, time: f64, until: Option<f64>| Marker { name: name.into(), time, until };
        let hostile = "\"]}\nfunc _init(): pass\t%ROOT% %MARKERS% \"\"\" ${x}\\";
        let markers = vec![marker("step", 0.25, Some(0.5)), marker("step", 1.0, None), marker(hostile, 1.5, None)];
        let markers = vec![ClipMarkers { clip: hostile.into(), markers, ..ClipMarkers::default() }];
        let libraries = [(format!("{hostile}.library.tres"), vec![hostile.to_owned(), "run".into()])].into();
        let loops = vec![(hostile.to_owned(), true)];
        let script = GodotImport { markers, libraries, loops, root: Some(hostile.into()), ..example() }.script();
        let part =
            |name: &str| script.split_once(&format!("const {name} := ")).unwrap().1.split_once("\n## ").unwrap().0;
        let parsed = |text: &str| -> Value {
            let strict = text.replace("\n\t", " ").replace(",\n}", "}").replace(", }", "}").replace("},}", "}}");
            serde_json::from_str(strict.trim_end_matches(['\n', ' ']))
                .unwrap_or_else(|error| panic!("{error}: {strict}"))
        };
        let clip = clip_name(hostile);
        let markers = parsed(part("MARKERS"));
        let wanted = serde_json::json!({ "step": 0.25, "step end": 0.5, "step 2": 1.0, hostile: 1.5 });
        assert_eq!(markers[&clip], wanted);
        let libraries = parsed(part("LIBRARIES"));
        assert_eq!(libraries[format!("{hostile}.library.tres")], serde_json::json!([clip, "run"]));
        assert_eq!(parsed(part("LOOPS"))[&clip], true);
        assert!(!script.lines().any(|line| line.starts_with("func _init")), "{script}");
    }

    #[test]
    fn settings_are_written_for_a_new_file_and_owned_by_godot_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.glb");
        let write = |example: &GodotImport| {
            let mut set = FileSet::new(Arc::default());
            let files = example.write(&mut set, &path).unwrap();
            set.commit(crate::export::Replace::Allow).unwrap();
            files
        };
        let [settings, script] = ["a b.glb.import", "a b.import.gd"].map(|name| folder.path().join(name));
        assert_eq!(write(&example()), GodotFiles { written: vec![settings.clone(), script.clone()], kept: None });
        let text = std::fs::read_to_string(&settings).unwrap();
        for line in ["importer=\"scene\"", "animation/fps=24", "import_script/path=\"a b.import.gd\""] {
            assert_eq!(text.lines().filter(|each| *each == line).count(), 1, "{text}");
        }
        let nodes = text.split_once("_subresources=").unwrap().1;
        let nodes: Value = serde_json::from_str(nodes).unwrap();
        assert_eq!(nodes["nodes"]["PATH:AnimationPlayer"]["optimizer/enabled"], false);
        let again = write(&GodotImport { fps: 30.0, ..example() });
        assert_eq!(again.kept, None, "Godot has not seen them yet");
        assert!(std::fs::read_to_string(&settings).unwrap().contains("animation/fps=30\n"));
        let godots = "[remap]\n\nuid=\"uid://abc\"\n\n[deps]\n\nsource_file=\"res://a b.glb\"\n";
        std::fs::write(&settings, godots).unwrap();
        let again = write(&GodotImport { fps: 60.0, ..example() });
        assert_eq!(again, GodotFiles { written: vec![script], kept: Some(settings.clone()) });
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), godots);
    }

    #[test]
    fn rates_are_clamped_to_those_of_the_importer() {
        let fast = GodotImport { fps: 240.0, ..example() }.settings(Path::new("a.gd"));
        assert!(fast.contains("animation/fps=120\n"), "{fast}");
    }
}
