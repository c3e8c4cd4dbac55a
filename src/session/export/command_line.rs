//! The command line that exports the same.

use std::path::Path;

use super::{ClipNames, ExportFormat, ExportRequest, ImageFormat, Keep, MeshFormat};
use crate::export::fbx;
use crate::session::Session;

impl Session {
    /// The command line that writes the same files, for a project saved at `project`.
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
    /// The words of `portamento bake` that say how takes are written, without which and where to.
    pub fn flags(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |is_so: bool, flag: &str, value: Option<String>| {
            if is_so {
                words.extend([flag.to_owned()].into_iter().chain(value));
            }
        };
        let is_format = self.is_folder() && self.format != ExportFormat::default();
        say(self.per_character, "--per-character", None);
        say(self.fps.is_some(), "--fps", self.fps.map(|fps| fps.to_string()));
        say(self.frames().is_some_and(|frames| frames.whole), "--whole-frames", None);
        let tolerance = self.tolerance.map(|most| most.millimetres.to_string());
        say(tolerance.is_some(), "--tolerance", tolerance);
        say(self.springs, "--springs", None);
        say(self.keep != Keep::default(), "--keep", Some(self.keep.name().into()));
        say(is_format, "--format", Some(self.format.extension().into()));
        say(self.meshes != MeshFormat::default(), "--meshes", Some(self.meshes.name().into()));
        say(self.images != ImageFormat::default(), "--images", Some(self.images.name().into()));
        self.image_layout.flags().into_iter().for_each(|(flag, value)| say(true, flag, value));
        say(self.closing.is_some(), "--closing", self.closing.map(|closing| closing.to_string()));
        self.sidecars.flags().into_iter().for_each(|(flag, value)| say(true, flag, value));
        let names = &self.names;
        say(names.pattern != ClipNames::default().pattern, "--clip-names", Some(names.pattern.clone()));
        say(names.loop_suffix, "--loop-suffix", None);
        say(names.spaces, "--spaces", None);
        say(self.markers, "--markers", None);
        say(self.godot_import, "--godot-import", None);
        say(self.unit != fbx::LengthUnit::default(), "--unit", Some(self.unit.name().into()));
        say(self.root_on_top, "--root-on-top", None);
        words
    }
}

/// `word` as a shell reads it.
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
    fn a_shell_reads_the_words_that_were_meant() {
        for word in ["plain", "a b", "it's", "", "$HOME", "{take}_x", "日本", "`id`", "a\"b", "x;y"] {
            let line = format!("printf %s {}", quoted(word));
            let said = std::process::Command::new("sh").args(["-c", &line]).output().unwrap().stdout;
            assert_eq!(String::from_utf8(said).unwrap(), word);
        }
    }
}
