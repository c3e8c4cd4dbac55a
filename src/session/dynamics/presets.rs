//! User-defined chain presets, stored in the preferences and shared as files.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::project::unreadable;
use crate::{Session, Severity, Topic};
use portamento_base::message::{Message, Tell, message};
use portamento_dynamics::{AngleLimit, Chain, Profile};
use portamento_formats::export::{ExportError, FileSet, Replace};

/// File extension of a shared preset.
pub const EXTENSION: &str = "bonepreset";

/// Chain settings without the joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainPreset {
    /// Name in lists.
    pub name: String,
    /// Share of velocity lost per 1/60 s, 0…1.
    pub drag: Profile,
    /// Acceleration towards the animated direction, m/s².
    pub stiffness: Profile,
    /// Gravity factor.
    pub gravity: Profile,
    /// Radius around each joint, metres.
    pub radius: Profile,
    /// Maximum rotation away from the animated direction.
    pub limit: AngleLimit,
}

impl ChainPreset {
    /// Creates a preset from the settings of `chain`.
    pub fn from_chain(name: &str, chain: &Chain) -> Self {
        Self {
            name: name.to_owned(),
            drag: chain.drag.clone(),
            stiffness: chain.stiffness.clone(),
            gravity: chain.gravity.clone(),
            radius: chain.radius.clone(),
            limit: chain.limit,
        }
    }

    /// Applies the preset to a chain; joint, name, exclusions, end and overrides are kept.
    pub fn apply(&self, chain: &mut Chain) {
        chain.drag = self.drag.clone();
        chain.stiffness = self.stiffness.clone();
        chain.gravity = self.gravity.clone();
        chain.radius = self.radius.clone();
        chain.limit = self.limit;
    }

    /// Reads a shared preset; returns `Err` if the file is unreadable or not a preset.
    pub fn read(path: &Path) -> Result<Self, Message> {
        let bytes = portamento_base::regular_file::all(path).map_err(|error| unreadable(path, &error))?;
        portamento_base::json::parse(&bytes).map_err(|error| {
            let (file, reason) = (path.display().to_string(), error.to_string());
            message!(
                "notice.no_preset",
                "%{file} is not a preset of Portamento: %{reason}. Choose another file.",
                file = file,
                reason = reason,
            )
        })
    }

    /// Adds the preset as a shared file to `files`. Nothing is on disk until `files` is committed.
    pub fn write(&self, files: &mut FileSet, path: &Path) -> Result<(), ExportError> {
        files.write(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }
}

impl Session {
    /// Reads a shared preset and adds it to the user's presets, replacing one with the same name. Adds a notice with the
    /// result.
    pub(crate) fn open_preset(&mut self, path: &Path) {
        match ChainPreset::read(path) {
            Ok(preset) => {
                self.notices.succeed(&Topic::Read(path.to_owned()));
                let message = message!(
                    "notice.preset_kept",
                    "Preset “%{name}” added to the list of presets.",
                    name = &preset.name,
                );
                self.notices.add(Severity::Info, message);
                self.keep_preset(preset);
            }
            Err(message) => self.notices.fail(Topic::Read(path.to_owned()), message),
        }
    }

    /// Adds `preset` to the user's presets, replacing one with the same name.
    pub fn keep_preset(&mut self, preset: ChainPreset) {
        let presets = &mut self.preferences.presets;
        match presets.iter_mut().find(|each| each.name == preset.name) {
            Some(same) => *same = preset,
            None => presets.push(preset),
        }
    }

    /// Writes the user's preset `index` to `path`, over an existing file. Adds a notice with the result; does nothing if there
    /// is no such preset.
    pub(crate) fn save_preset(&mut self, index: usize, path: &Path) {
        let Some(preset) = self.preferences.presets.get(index) else { return };
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        // The file dialog has already asked about overwriting.
        match preset.write(&mut files, path).and_then(|()| files.commit(Replace::Allow)) {
            Ok(_) => {
                self.notices.succeed(&Topic::SavePreset);
                let path = path.display().to_string();
                let message = message!("notice.preset_written", "Preset saved to %{path}.", path = path);
                self.notices.add(Severity::Info, message);
            }
            Err(error) => self.notices.fail(Topic::SavePreset, error.message()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand};
    use portamento_dynamics::Preset;

    #[test]
    fn a_shared_preset_comes_back_and_changes_only_the_values_of_a_chain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pony.bonepreset");
        let mut session = Session::inline();
        let mut pony = Chain { joint: 7, ..Chain::default() };
        Preset::Antenna.apply(&mut pony);
        session.keep_preset(ChainPreset::from_chain("pony", &pony));
        session.perform(Command::File(FileCommand::SavePreset(0, path.clone())));
        session.preferences.presets.clear();
        session.perform(Command::File(FileCommand::Open(vec![path])));
        let mut chain = Chain { joint: 3, name: "tail".into(), ..Chain::default() };
        session.preferences.presets[0].apply(&mut chain);
        assert_eq!(chain, Chain { joint: 3, name: "tail".into(), ..pony });
    }

    #[test]
    fn a_file_that_is_not_a_preset_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bonepreset");
        std::fs::write(&path, "[").unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path])));
        assert!(session.notices.all()[0].text().contains("is not a preset"));
        assert!(session.preferences.presets.is_empty());
    }
}
