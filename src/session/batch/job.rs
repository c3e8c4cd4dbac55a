//! A render-farm job: a folder with everything the takes need, split into parts, and the scripts that run them.
//!
//! `inputs/` holds the project and copies of its sources, so the folder can be moved to any machine. `template.json`
//! is an Open Job Description; `slurm.sh` is a Slurm array job. Each task exports the takes of one part; a final task
//! checks all files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::parts::{Chunks, Parts, costs};
use super::template::{INPUTS, Plan, Word, pretty};
use crate::variants::Index;
use crate::{ExportRequest, OpenDocument, Session};
use portamento_base::message::{Message, Tell, message};
use portamento_base::regular_file;
use portamento_formats::export::{ExportError, FileSet};
use portamento_takes::document::{Document, FileId, Take, TakeId, file};

/// File name of the project in the inputs folder.
pub(super) const PROJECT: &str = "project.portamento";
/// File name of the part list in the inputs folder.
pub const PARTS: &str = "parts.json";

/// File name of the variant index in the inputs folder; written only if the takes are variants.
pub const VARIANTS: &str = "variants.json";

/// The settings of a farm job.
#[derive(Clone, Debug)]
pub struct Job {
    /// The takes and the export settings; `destination` is ignored.
    pub request: ExportRequest,
    /// The folder that receives the job files.
    pub folder: PathBuf,
    /// The size of one task.
    pub chunks: Chunks,
    /// The values of each variant; empty if the takes are not variants of one take.
    pub index: Index,
}

/// A planned job whose files are not yet moved to their destination.
#[derive(Debug)]
pub struct PlannedJob {
    /// The takes of each task.
    pub parts: Parts<TakeId>,
    /// All files of the job.
    pub files: FileSet,
}

impl Session {
    /// Prepares the files of `job`, ready to be moved into place, and its parts.
    ///
    /// Returns `Err` if a source cannot be read or copied, if no take is chosen, or if a name contains `{{`. Builds takes
    /// to estimate the duration of tasks. Nothing is in place yet when it returns.
    pub fn plan_job(&mut self, job: &Job) -> Result<PlannedJob, Message> {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let costs = costs(&job.request.takes, opened, &mut self.evaluation.builds);
        let parts = Parts::split(costs, job.chunks);
        if parts.parts.is_empty() {
            return Err(message!("notice.no_take", "no take was chosen. Choose at least one."));
        }
        let words = job.request.flags();
        if words.iter().any(|word| word.contains("{{")) {
            return Err(message!("error.job.braces", "Names with {{ cannot be used in a job. Use others."));
        }
        let inputs = job.folder.join(INPUTS);
        let (document, copies) = self.opened().carried(parts.all(), &inputs);
        let mut files = FileSet::new(self.sources().into());
        for Copy { from, to } in &copies {
            files.write(to, &bytes_of(from)?).map_err(|error| error.message())?;
        }
        let plan = Plan {
            name: self.project.stem().unwrap_or_else(|| "takes".into()),
            step: "Bake",
            inputs: "The project, its sources and the parts.",
            task: task(words),
            parts: parts.parts.len(),
        };
        let written = write_plan(&mut files, job, &plan, &parts, &document);
        written.map(|()| PlannedJob { parts, files }).map_err(|error| error.message())
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns a copy of the document reduced to `takes` and what they use, with its file paths moved to `inputs`,
    /// and the files to copy.
    fn carried<'t>(self, takes: impl Iterator<Item = &'t TakeId>, inputs: &Path) -> (Document, Vec<Copy>) {
        let mut document = self.document.clone();
        let mut wanted: Vec<&Take> = takes.flat_map(|&id| self.with_used(id)).collect();
        wanted.dedup_by_key(|take| take.id);
        let files: BTreeSet<FileId> = wanted.iter().flat_map(|take| super::take_key::files_of(take)).collect();
        let ids: BTreeSet<TakeId> = wanted.iter().map(|take| take.id).collect();
        document.takes.retain(|take| ids.contains(&take.id));
        document.objects.iter_mut().for_each(|object| *object = object.as_point());
        document.files.retain(|file| files.contains(&file.id));
        let mut copies = Vec::new();
        for file in &mut document.files {
            let folder = inputs.join("sources").join(file.id.0.to_string());
            copies.extend(copies_of(self.files_of_source(file), &file.path, &folder));
            file.path = folder.join(file.path.file_name().unwrap_or_default());
        }
        (document, copies)
    }
}

/// A file to copy.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub from: PathBuf,
    pub to: PathBuf,
}

/// Returns the copies of `files` into `folder`. Paths keep their position relative to the folder of `first`, the file
/// that refers to the others. Files outside that folder are copied into `folder` itself.
pub(crate) fn copies_of(files: Vec<PathBuf>, first: &Path, folder: &Path) -> Vec<Copy> {
    let base = first.parent().unwrap_or(Path::new(""));
    let to = |path: &PathBuf| match path.strip_prefix(base) {
        Ok(inside) => folder.join(inside),
        Err(_) => folder.join(path.file_name().unwrap_or_default()),
    };
    files.into_iter().map(|from| Copy { to: to(&from), from }).collect()
}

/// Returns the command-line words of one task for takes with these export flags.
fn task(flags: Vec<String>) -> Vec<Word> {
    let rest = ["--out".into(), Word::Output, "--parts".into(), Word::Input(PARTS), "--part".into(), Word::Part];
    let flags = flags.into_iter().map(Word::Plain);
    ["bake".into(), Word::Input(PROJECT)].into_iter().chain(flags).chain(rest).collect()
}

/// Adds the project, the parts, the table of variants (if there are any) and the job scripts to `files`.
fn write_plan(
    files: &mut FileSet,
    job: &Job,
    plan: &Plan,
    parts: &Parts<TakeId>,
    document: &Document,
) -> Result<(), ExportError> {
    let inputs = job.folder.join(INPUTS);
    let project = inputs.join(PROJECT);
    files.write(&project, &file::to_bytes(document, &project))?;
    files.write(&inputs.join(PARTS), &pretty(parts))?;
    if !job.index.rows.is_empty() {
        files.write(&inputs.join(VARIANTS), job.index.json().as_bytes())?;
    }
    plan.write(files, &job.folder)
}

/// Reads the part list of the job whose inputs are in the folder of `path`, without repeated items.
///
/// Returns `Err` if the file cannot be read or is not a part list.
pub fn read_parts<T: DeserializeOwned + Ord + Clone>(path: &Path) -> Result<Parts<T>, Message> {
    read(path).map(Parts::without_repetitions)
}

/// Reads a job file that was written with [`pretty`]. Returns `Err` if it cannot be read or is of another form.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Message> {
    let bytes = bytes_of(path)?;
    portamento_base::json::parse(&bytes).map_err(|error| {
        message!(
            "error.job.parts",
            "%{file} is not a valid list of job parts: %{reason}. Export the job again.",
            file = path.display().to_string(),
            reason = error.to_string(),
        )
    })
}

/// Reads all bytes of a file that a job needs. Returns `Err` if it cannot be read.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, Message> {
    regular_file::all(path).map_err(|error| crate::project::unreadable(path, &error))
}
