//! Rig presets of a character: built-in ones, and files next to the character's file.

use std::path::{Path, PathBuf};

use crate::{Notice, OpenDocument, Session, Severity, Topic};
use portamento_anim::rig::preset::RigPreset;
use portamento_base::message::{Tell, message};
use portamento_formats::export::{FileSet, Replace};
use portamento_takes::document::FileId;

/// File name ending of rig presets.
const RIG_PRESET_ENDING: &str = ".rig.json";

impl Session {
    /// Applies the roles of `preset` to the character of `file`; adds a notice if it does not fit.
    pub fn apply_rig_preset(&mut self, file: FileId, preset: &RigPreset) {
        let Some(loaded) = self.library.get(file).cloned() else { return };
        let Some(character) = self.document.characters.iter_mut().find(|known| known.file == file) else { return };
        match preset.roles(&loaded.model.skeleton, &character.roles) {
            Ok(roles) => character.roles = roles,
            Err(error) => self.notices.add(Severity::Error, error.message()),
        }
    }

    /// Saves the roles of the character of `file` as a preset next to it, under an unused name. Adds a notice with the
    /// result.
    pub fn save_rig_preset(&mut self, file: FileId) {
        let Some(folder) = self.opened().folder_of(file) else { return };
        let (Some(loaded), Some(character)) = (self.library.get(file), self.document.character(file)) else { return };
        let name = loaded.model.name.clone();
        let preset = RigPreset::from_roles(&name, &loaded.model.skeleton, &character.roles);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut paths = std::iter::once(name.clone()).chain(numbered).map(|name| folder.join(name + RIG_PRESET_ENDING));
        let Some(path) = paths.find(|path| !path.exists()) else { return };
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        let written = files.write(&path, preset.to_json().as_bytes()).and_then(|()| files.commit(Replace::Refuse));
        match written {
            Ok(_) => {
                self.notices.succeed(&Topic::SavePreset);
                let message = message!("notice.exported", "Exported %{file}.", file = path.display().to_string());
                self.notices.push(Notice::new(Severity::Done, message).in_folder(Some(folder)));
            }
            Err(error) => self.notices.fail(Topic::SavePreset, error.message()),
        }
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns the presets offered for the character of `file`: those in the folder of its file first, then all
    /// built-in ones. Presets that do not fit the skeleton are included. Invalid files are skipped. Reads the folder
    /// on every call.
    pub fn rig_presets(self, file: FileId) -> Vec<RigPreset> {
        let entries = self.folder_of(file).and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
        let is_preset =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(RIG_PRESET_ENDING));
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_preset).collect();
        files.sort();
        let read = |path: PathBuf| RigPreset::from_json(&portamento_base::regular_file::text(&path).ok()?).ok();
        files.into_iter().filter_map(read).chain(RigPreset::built_in()).collect()
    }

    /// Returns the folder of the file on disk; `None` if it is not open.
    fn folder_of(self, file: FileId) -> Option<PathBuf> {
        let file = self.document.files.iter().find(|known| known.id == file)?;
        file.path.parent().map(Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand};

    #[test]
    fn a_preset_saved_next_to_a_character_is_listed_and_restores_its_roles() {
        let folder = tempfile::tempdir().unwrap();
        let hero = folder.path().join("hero.glb");
        std::fs::copy(portamento_test_support::asset("hero.glb"), &hero).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![hero])));
        let file = session.document.files[0].id;
        let right = session.document.characters[0].roles.clone();
        session.save_rig_preset(file);
        session.save_rig_preset(file);
        assert!(folder.path().join("hero.rig.json").is_file() && folder.path().join("hero_2.rig.json").is_file());
        std::fs::write(folder.path().join("broken.rig.json"), "{").unwrap();
        let presets = session.opened().rig_presets(file);
        assert_eq!((presets.len(), presets[0].name.as_str()), (2 + RigPreset::built_in().len(), "hero"));
        session.document.characters[0].roles.hips = None;
        session.document.characters[0].roles.legs.clear();
        session.apply_rig_preset(file, &presets[0]);
        assert_eq!(session.document.characters[0].roles, right);
        session.notices.take_new();
        session.apply_rig_preset(file, &RigPreset::named("Biped").unwrap());
        assert!(session.notices.take_new().iter().any(|notice| notice.text().contains("Bip001 Pelvis")));
        assert_eq!(session.document.characters[0].roles, right);
    }
}
