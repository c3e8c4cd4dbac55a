//! The user's own values for chains: kept with the preferences under a name, shared as a file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::export::{ExportError, FileSet, Replace};
use crate::message::{Message, Tell, message};
use crate::session::project::unreadable;
use crate::session::{Session, Severity};
use crate::systems::dynamics::{AngleLimit, Chain, Profile};

/// The extension of a shared file.
pub const EXTENSION: &str = "bonepreset";

/// The values of a chain without its joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainPreset {
    /// Shown in lists.
    pub name: String,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: Profile,
    /// Pull towards the animated direction, m/s².
    pub stiffness: Profile,
    /// Factor on gravity.
    pub gravity: Profile,
    /// Radius around each joint, metres.
    pub radius: Profile,
    /// How far bones may rotate away from the animated direction.
    pub limit: AngleLimit,
}

impl ChainPreset {
    /// The values of `chain` under a name.
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

    /// Sets the chain's values; its joint, name, exclusions, end and overrides stay.
    pub fn apply(&self, chain: &mut Chain) {
        chain.drag = self.drag.clone();
        chain.stiffness = self.stiffness.clone();
        chain.gravity = self.gravity.clone();
        chain.radius = self.radius.clone();
        chain.limit = self.limit;
    }

    /// Reads a shared preset; says what is wrong where that fails.
    pub fn read(path: &Path) -> Result<Self, Message> {
        let bytes = crate::regular_file::all(path).map_err(|error| unreadable(path, &error))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let (file, reason) = (path.display().to_string(), error.to_string());
            message!(
                "notice.no_preset",
                "%{file} is not a preset of this program: %{reason}. Ask for it to be shared again.",
                file = file,
                reason = reason,
            )
        })
    }

    /// Adds the preset, to be shared, to `files`.
    pub fn write(&self, files: &mut FileSet, path: &Path) -> Result<(), ExportError> {
        files.write(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }
}

impl Session {
    /// Adds a shared preset to the user's own; one of the same name is replaced.
    pub(in crate::session) fn open_preset(&mut self, path: &Path) {
        match ChainPreset::read(path) {
            Ok(preset) => {
                let message = message!(
                    "notice.preset_kept",
                    "The preset “%{name}” is now in the list of presets.",
                    name = &preset.name,
                );
                self.notices.say(Severity::Info, message);
                self.keep_preset(preset);
            }
            Err(message) => self.notices.say(Severity::Error, message),
        }
    }

    /// Adds `preset` to the user's own; one of the same name is replaced.
    pub fn keep_preset(&mut self, preset: ChainPreset) {
        let presets = &mut self.preferences.presets;
        match presets.iter_mut().find(|each| each.name == preset.name) {
            Some(same) => *same = preset,
            None => presets.push(preset),
        }
    }

    pub(in crate::session) fn save_preset(&mut self, index: usize, path: &Path) {
        let Some(preset) = self.preferences.presets.get(index) else { return };
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        // Whoever chose the file was asked by the dialog already.
        match preset.write(&mut files, path).and_then(|()| files.commit(Replace::Allow)) {
            Ok(_) => {
                let path = path.display().to_string();
                let message = message!("notice.preset_written", "The preset was written to %{path}.", path = path);
                self.notices.say(Severity::Info, message);
            }
            Err(error) => self.notices.say(Severity::Error, error.message()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Command, FileCommand};
    use crate::systems::dynamics::Preset;

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
