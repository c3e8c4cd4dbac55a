//! The add-on for Blender, as a zip file that Blender installs.

use std::io::{Cursor, Write as _};
use std::path::Path;

use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

use crate::{Notice, Session, Severity, Topic};
use portamento_base::message::{Message, Tell as _, message};
use portamento_formats::export::{ExportError, FileSet, Replace};

/// Default name of the file.
pub const BLENDER_FILE: &str = "portamento_blender.zip";

/// Returns pairs of the name and the content of files in the folder of the add-on.
macro_rules! add_on_files {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("../bridge/blender/", $name)))),+] };
}

/// Names and contents of the add-on's files.
const FILES: &[(&str, &str)] = add_on_files![
    "blender_manifest.toml",
    "__init__.py",
    "connection.py",
    "control_rig.py",
    "curves.py",
    "fetch.py",
    "glb.py",
    "live.py",
    "panel.py",
    "sampling.py",
    "send.py",
    "transforms.py",
    "translations.py",
];

/// Returns the add-on for Blender as a zip file.
pub fn blender() -> Result<Vec<u8>, Message> {
    packed().map_err(|error| Message::verbatim(error.to_string()))
}

/// Packs the files of the add-on. Equal programs give equal bytes.
fn packed() -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in FILES {
        // The default time is constant, so that equal programs write equal bytes.
        zip.start_file(*name, SimpleFileOptions::default().last_modified_time(zip::DateTime::default()))?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

impl Session {
    /// Saves the add-on for Blender to `path` and says how to install it. Replaces an existing file. A notice tells the
    /// result.
    pub(crate) fn save_add_on(&mut self, path: &Path) {
        let saved = blender().and_then(|bytes| self.write_add_on(path, &bytes).map_err(|error| error.message()));
        match saved {
            Ok(()) => {
                self.notices.succeed(&Topic::SaveAddOn);
                let message = message!(
                    "notice.add_on_saved",
                    "Saved %{file}. Drag it into the window of Blender, or choose Edit > Preferences > Get Extensions > Install from Disk there.",
                    file = path.display().to_string(),
                );
                let folder = path.parent().map(Path::to_owned);
                self.notices.push(Notice::new(Severity::Done, message).in_folder(folder));
            }
            Err(reason) => self.notices.fail(Topic::SaveAddOn, reason),
        }
    }

    /// Writes the zip file `bytes` to `path`. Returns `Err` if it is a source of the project or cannot be written.
    fn write_add_on(&self, path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
        let mut files = FileSet::new(self.sources().into());
        files.write(path, bytes)?;
        files.commit(Replace::Allow).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_add_on_contains_every_file_of_its_folder_and_a_manifest_on_top() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge/blender");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut known: Vec<String> = entries
            .filter(|path| path.is_file())
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        known.sort();
        let mut zip = zip::ZipArchive::new(Cursor::new(blender().unwrap())).unwrap();
        let mut packed: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
        packed.sort();
        assert_eq!(packed, known);
        let mut manifest = String::new();
        std::io::Read::read_to_string(&mut zip.by_name("blender_manifest.toml").unwrap(), &mut manifest).unwrap();
        assert!(manifest.contains("id = \"portamento\""), "{manifest}");
        assert_eq!(blender().unwrap(), blender().unwrap());
    }
}
