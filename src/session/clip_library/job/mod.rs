//! A render-farm job that measures a library: a folder with copies of all files, split into parts, and the scripts
//! that run them.
//!
//! Each task measures the files of one part, fixes them if requested, and writes a record. A final task merges the
//! records. Tables and files are byte-identical to those of a single process, however the files are split.

mod cost;
mod here;
mod merge;
mod part;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use here::{MendedFile, mend_into};
pub use merge::{LibraryReport, PartRow};
pub use part::{FileRecord, PartRecord, make_part};
pub use plan::{LibraryJob, PlannedLibrary};

use crate::batch::WrittenFile;
use portamento_base::message::{Message, message};

/// File name of the output settings in the inputs folder.
pub const LIBRARY: &str = "library.json";

/// The outputs of a library job. All paths are relative to the output folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// True if only clips with findings are listed.
    pub findings: bool,
    /// The CSV table.
    pub csv: Option<PathBuf>,
    /// The HTML report.
    pub html: Option<PathBuf>,
    /// The folder of fixed files.
    pub mend: Option<PathBuf>,
}

/// A file of a job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobFile {
    /// The path as given when the job was written; tables show it.
    pub file: PathBuf,
    /// Its copy in the inputs folder, followed by copies of the files it refers to.
    pub copies: Vec<WrittenFile>,
    /// The name of the fixed file.
    pub mended_as: String,
    /// The tags of its clips.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, BTreeSet<String>>,
}

impl Wanted {
    /// Reads the outputs of the job with these `inputs`.
    ///
    /// Returns `Err` if the file cannot be read, or if a path is outside the output folder.
    pub fn read(inputs: &Path) -> Result<Self, Message> {
        let wanted: Self = crate::batch::job::read(&inputs.join(LIBRARY))?;
        wanted.check().map(|()| wanted)
    }

    /// Returns `Err` if a path is outside the output folder.
    pub fn check(&self) -> Result<(), Message> {
        let is_inside = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let mut paths = [&self.csv, &self.html, &self.mend].into_iter().flatten();
        paths.find(|path| !is_inside(path)).map_or(Ok(()), |path| {
            Err(message!(
                "error.library.outside",
                "A job writes only to its own output folder, but %{path} is outside of it. Use a relative path without “..”.",
                path = path.display().to_string(),
            ))
        })
    }
}

impl JobFile {
    /// Returns the path of its copy. The path is that of `inputs` itself if there is no copy.
    fn copy_in(&self, inputs: &Path) -> PathBuf {
        inputs.join(self.copies.first().map_or("", |copy| &copy.path))
    }

    /// Returns `Err` if a copy is missing or differs from the file the job was written with.
    fn check(&self, inputs: &Path) -> Result<(), Message> {
        self.copies.iter().find(|copy| !copy.is_in(inputs)).map_or(Ok(()), |copy| {
            Err(message!(
                "error.library.changed",
                "%{copy} differs from the file that the job was written with (%{file}). Write the job again.",
                copy = inputs.join(&copy.path).display().to_string(),
                file = self.file.display().to_string(),
            ))
        })
    }
}
