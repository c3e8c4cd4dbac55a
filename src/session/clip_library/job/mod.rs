//! A library measured by a farm of machines: a folder with copies of all files, in parts, and how these are run.
//!
//! Each task measures the files of one part, mends them where that is wanted, and leaves a record beside what it wrote. A last one
//! puts the records together; the tables and files have the bytes of one process, however the files were parted.

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

use crate::message::{Message, message};
use crate::session::batch::WrittenFile;

/// What is made of the library, among the inputs.
pub const LIBRARY: &str = "library.json";

/// What is made of a library. All paths lie in the folder of what is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Only clips of which something is worth a look.
    pub findings: bool,
    /// The table, values separated by commas.
    pub csv: Option<PathBuf>,
    /// The table as a page.
    pub html: Option<PathBuf>,
    /// The folder of mended files.
    pub mend: Option<PathBuf>,
}

/// A file of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobFile {
    /// As it was named when the job was written: tables name it so.
    pub file: PathBuf,
    /// Its copy among the inputs, then those of what it refers to.
    pub copies: Vec<WrittenFile>,
    /// What it is called when something in it was mended.
    pub mended_as: String,
    /// What its clips were tagged with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, BTreeSet<String>>,
}

impl Wanted {
    /// What is wanted of the job with these `inputs`.
    ///
    /// Errors where they are none of a library, and where something else than the folder of what is written would be written to.
    pub fn read(inputs: &Path) -> Result<Self, Message> {
        let wanted: Self = crate::session::batch::job::read(&inputs.join(LIBRARY))?;
        wanted.check().map(|()| wanted)
    }

    /// Refuses paths outside the folder of what is written.
    pub fn check(&self) -> Result<(), Message> {
        let is_inside = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let mut paths = [&self.csv, &self.html, &self.mend].into_iter().flatten();
        paths.find(|path| !is_inside(path)).map_or(Ok(()), |path| {
            Err(message!(
                "error.library.outside",
                "A job writes to a folder of its own, and %{path} lies outside. Give a name alone.",
                path = path.display().to_string(),
            ))
        })
    }
}

impl JobFile {
    /// Where its copy is.
    fn copy_in(&self, inputs: &Path) -> PathBuf {
        inputs.join(self.copies.first().map_or("", |copy| &copy.path))
    }

    /// Refuses copies that are not as they were when the job was written.
    fn check(&self, inputs: &Path) -> Result<(), Message> {
        self.copies.iter().find(|copy| !copy.is_in(inputs)).map_or(Ok(()), |copy| {
            Err(message!(
                "error.library.changed",
                "%{copy} is not what the job was written with (%{file}). Write the job again.",
                copy = inputs.join(&copy.path).display().to_string(),
                file = self.file.display().to_string(),
            ))
        })
    }
}
