//! The command line that repeats an export.

use std::path::Path;

use super::{ClipNames, ExportFormat, ExportRequest, ImageFormat, Keep, MeshFormat};
use crate::Session;
use portamento_formats::export::fbx;

impl Session {
    /// Returns the `portamento bake` command that writes the same files for a project saved at `project`.
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
        let is_format = self.is_folder() && self.format != ExportFormat::default();
        add(self.per_character, "--per-character", None);
        add(self.fps.is_some(), "--fps", self.fps.map(|fps| fps.to_string()));
        add(self.frames().is_some_and(|frames| frames.whole), "--whole-frames", None);
        let tolerance = self.tolerance.map(|most| most.millimetres.to_string());
        add(tolerance.is_some(), "--tolerance", tolerance);
        add(self.springs, "--springs", None);
        add(self.keep != Keep::default(), "--keep", Some(self.keep.name().into()));
        add(is_format, "--format", Some(self.format.extension().into()));
        add(self.meshes != MeshFormat::default(), "--meshes", Some(self.meshes.name().into()));
        add(self.images != ImageFormat::default(), "--images", Some(self.images.name().into()));
        self.image_layout.flags().into_iter().for_each(|(flag, value)| add(true, flag, value));
        add(self.closing.is_some(), "--closing", self.closing.map(|closing| closing.to_string()));
        self.sidecars.flags().into_iter().for_each(|(flag, value)| add(true, flag, value));
        let names = &self.names;
        add(names.pattern != ClipNames::default().pattern, "--clip-names", Some(names.pattern.clone()));
        add(names.loop_suffix, "--loop-suffix", None);
        add(names.spaces, "--spaces", None);
        add(self.markers, "--markers", None);
        add(self.godot_import, "--godot-import", None);
        add(self.unit != fbx::LengthUnit::default(), "--unit", Some(self.unit.name().into()));
        add(self.root_on_top, "--root-on-top", None);
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
