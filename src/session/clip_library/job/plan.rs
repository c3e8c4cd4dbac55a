//! The files of a library job.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::cost::{Listed, costs};
use super::{JobFile, LIBRARY, Wanted};
use crate::batch::WrittenFile;
use crate::batch::job::{Copy, PARTS, bytes_of, copies_of};
use crate::batch::parts::{Chunks, Parts};
use crate::batch::template::{INPUTS, pretty};
use crate::batch::template::{Plan, Word};
use crate::clip_library::files::referred;
use crate::clip_library::{Tags, mended_names};
use portamento_base::message::{Message, Tell, message};
use portamento_base::regular_file;
use portamento_formats::export::{ExportError, FileSet, Replace, Sources};

/// The settings of a library job.
#[derive(Clone, Debug)]
pub struct LibraryJob<'a> {
    /// The files to measure.
    pub files: &'a [PathBuf],
    /// The outputs.
    pub wanted: Wanted,
    /// The tags of the clips.
    pub tags: &'a Tags,
    /// The folder that receives the job.
    pub folder: &'a Path,
    /// The size of one task.
    pub chunks: Chunks,
}

/// A planned job that is not written yet.
#[derive(Debug)]
pub struct PlannedLibrary {
    /// The files of each task.
    pub parts: Parts<JobFile>,
    plan: FileSet,
    copies: Vec<Copy>,
}

impl LibraryJob<'_> {
    /// Plans the files of the job without writing them. Processes some files if the tasks are split by seconds, to estimate
    /// costs.
    ///
    /// Returns `Err` if there is no file, if one cannot be read, or if its path is not valid Unicode.
    pub fn plan(self) -> Result<PlannedLibrary, Message> {
        if self.files.is_empty() {
            return Err(message!(
                "error.library.nothing",
                "No clip files were found. Give clip files or folders that contain them."
            ));
        }
        let listed = self.listed()?;
        let mut copies: Vec<Copy> = listed.iter().flat_map(|listed| listed.copies.clone()).collect();
        let mut seen = BTreeSet::new();
        copies.retain(|copy| seen.insert(copy.to.clone()));
        let parts = Parts::split(costs(listed, self.wanted.mend.is_some(), self.chunks), self.chunks);
        let mut sources = Sources::default();
        copies.iter().for_each(|copy| sources.add(&copy.from));
        let mut plan = FileSet::new(Arc::new(sources));
        self.write_plan(&mut plan, &parts).map_err(|error| error.message())?;
        Ok(PlannedLibrary { parts, plan, copies })
    }

    /// Returns each file of the job with the copies it needs, in order. Returns `Err` if one cannot be read or a path is not
    /// valid Unicode.
    fn listed(&self) -> Result<Vec<Listed>, Message> {
        // Files from the same folder stay together in the job, because they may share referenced files.
        let mut folder_numbers: BTreeMap<&Path, usize> = BTreeMap::new();
        let mut folder_number = |file| {
            let next = folder_numbers.len() + 1;
            *folder_numbers.entry(Path::parent(file).unwrap_or(Path::new(""))).or_insert(next)
        };
        let placed: Vec<(&PathBuf, String, usize)> = self
            .files
            .iter()
            .zip(mended_names(self.files))
            .map(|(file, name)| (file, name, folder_number(file)))
            .collect();
        let listed =
            placed.into_par_iter().map(|(file, name, folder_number)| self.listed_file(file, name, folder_number));
        listed.collect()
    }

    /// Returns one file of the job with copies of it and of the files that it refers to. `folder_number` is the subfolder of
    /// the inputs for all files of the same folder.
    fn listed_file(&self, file: &Path, mended_as: String, folder_number: usize) -> Result<Listed, Message> {
        let (inputs, bytes) = (self.folder.join(INPUTS), bytes_of(file)?);
        let mut files = vec![file.to_owned()];
        files.extend(referred(file, &bytes).into_iter().filter(|file| file.is_file()));
        if let Some(file) = files.iter().find(|file| file.to_str().is_none()) {
            return Err(message!(
                "error.library.name",
                "The name of %{file} is not valid Unicode, so it cannot be part of a job. Rename the file.",
                file = file.display().to_string(),
            ));
        }
        let copies = copies_of(files, file, &inputs.join("sources").join(folder_number.to_string()));
        let written = |copy: &Copy| {
            let bytes = if copy.from == file { &bytes } else { &bytes_of(&copy.from)? };
            Ok(WrittenFile::of_bytes(copy.to.strip_prefix(&inputs).unwrap_or(&copy.to), bytes))
        };
        let written = copies.iter().map(written).collect::<Result<_, Message>>()?;
        let tags = self.tags.of_file(file);
        Ok(Listed { file: JobFile { file: file.to_owned(), copies: written, mended_as, tags }, copies })
    }

    /// Adds the wanted measurements, the parts and the job scripts to `files`.
    fn write_plan(&self, files: &mut FileSet, parts: &Parts<JobFile>) -> Result<(), ExportError> {
        let inputs = self.folder.join(INPUTS);
        files.write(&inputs.join(LIBRARY), &pretty(&self.wanted))?;
        files.write(&inputs.join(PARTS), &pretty(parts))?;
        let part = ["--parts".into(), Word::Input(PARTS), "--part".into(), Word::Part];
        let plan = Plan {
            name: "clips".into(),
            step: "Measure",
            inputs: "The files of clips and the parts.",
            task: ["library".into()].into_iter().chain(part).chain(["--out".into(), Word::Output]).collect(),
            parts: parts.parts.len(),
        };
        plan.write(files, self.folder)
    }
}

impl PlannedLibrary {
    /// Writes the job. Folders of copies are committed one after another; the job scripts come last.
    ///
    /// Returns `Err` if existing files would be replaced without permission, or if writing fails.
    pub fn write(mut self, replace: Replace) -> Result<(), ExportError> {
        let conflicting: Vec<PathBuf> = self.plan.replaced().map(Path::to_owned).collect();
        if replace == Replace::Refuse && !conflicting.is_empty() {
            return Err(ExportError::WouldReplace { files: conflicting });
        }
        // A file set keeps a file open in each folder it writes to; large libraries exceed the system's limit of open
        // files.
        for together in self.copies.chunk_by(|one, other| one.to.parent() == other.to.parent()) {
            let mut set = self.plan.sibling();
            for Copy { from, to } in together {
                let unwritable = |reason| ExportError::Unwritable { file: to.display().to_string(), reason };
                set.write(to, &regular_file::all(from).map_err(unwritable)?)?;
            }
            set.commit(replace)?;
        }
        self.plan.commit(replace).map(|_| ())
    }
}
