//! The command line that repeats an export.

use std::path::Path;

use super::{ClipNames, ExportFormat, ExportRequest, ImageFormat, Keep, MeshFormat};
use crate::Session;
use portamento_formats::export::fbx;

impl Session {
    /// Returns the `portamento bake` command that writes the same files for a project saved at `project`. Words are quoted
    /// for a POSIX shell.
    pub fn command_line(&self, request: &ExportRequest, project: &Path) -> String {
        let mut words = vec!["portamento".to_owned(), "bake".into(), project.display().to_string()];
        for take in request.takes.iter().filter_map(|&id| self.document.take(id)) {
            words.extend(["--take".into(), take.name.clone()]);
        }
        words.extend(request.flags());
        words.extend(["--out".into(), request.destination.display().to_string()]);
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

impl ExportRequest {
    /// Returns the export flags of `portamento bake`, without takes and destination.
    pub fn flags(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |is_so: bool, flag: &str, value: Option<String>| {
            if is_so {
                words.extend([flag.to_owned()].into_iter().chain(value));
            }
        };
        let settings = &self.settings;
        let is_format = self.is_folder() && settings.format != ExportFormat::default();
        add(settings.per_character, "--per-character", None);
        add(settings.fps.is_some(), "--fps", settings.fps.map(|fps| fps.to_string()));
        add(self.frames().is_some_and(|frames| frames.whole), "--whole-frames", None);
        let tolerance = settings.tolerance.map(|most| most.millimetres.to_string());
        add(tolerance.is_some(), "--tolerance", tolerance);
        add(self.springs, "--springs", None);
        add(settings.keep != Keep::default(), "--keep", Some(settings.keep.name().into()));
        add(is_format, "--format", Some(settings.format.extension().into()));
        add(settings.meshes != MeshFormat::default(), "--meshes", Some(settings.meshes.name().into()));
        add(settings.images != ImageFormat::default(), "--images", Some(settings.images.name().into()));
        settings.image_layout.flags().into_iter().for_each(|(flag, value)| add(true, flag, value));
        add(settings.closing.is_some(), "--closing", settings.closing.map(|closing| closing.to_string()));
        settings.sidecars.flags().into_iter().for_each(|(flag, value)| add(true, flag, value));
        let names = &settings.names;
        add(names.pattern != ClipNames::default().pattern, "--clip-names", Some(names.pattern.clone()));
        add(names.loop_suffix, "--loop-suffix", None);
        add(names.spaces, "--spaces", None);
        add(settings.markers, "--markers", None);
        add(settings.set_index, "--set-index", None);
        add(settings.godot_import, "--godot-import", None);
        add(settings.unity_import, "--unity-import", None);
        add(settings.unreal_import, "--unreal-import", None);
        add(settings.unit != fbx::LengthUnit::default(), "--unit", Some(settings.unit.name().into()));
        add(settings.root_on_top, "--root-on-top", None);
        words
    }
}

/// Quotes `word` for a POSIX shell if needed.
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_quoted_words_unchanged() {
        for word in ["plain", "a b", "it's", "", "$HOME", "{take}_x", "日本", "`id`", "a\"b", "x;y"] {
            let line = format!("printf %s {}", quoted(word));
            let said = std::process::Command::new("sh").args(["-c", &line]).output().unwrap().stdout;
            assert_eq!(String::from_utf8(said).unwrap(), word);
        }
    }
}
