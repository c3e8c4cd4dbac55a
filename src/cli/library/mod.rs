//! `portamento library`: measures every clip of files and folders.

mod html;
mod job;
mod outcome;
mod mending;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::job::LibraryJobFlags;
pub(super) use self::job::merge;
use self::outcome::{all_mended, all_read, mended_json, write_tables};
use super::Failure;
use super::job::PartOf;
use super::progress_bar::ProgressBar;
use portamento_base::progress::Progress;
use portamento_formats::export::FileSet;
use portamento_session::Preferences;
use portamento_session::clip_library::columns::is_found;
use portamento_session::clip_library::job::{MendedFile, Wanted, mend_into};
use portamento_session::clip_library::{ClipLibrary, Mended, Tags, clip_files, measure, sources_of};

/// Measures every clip of files and folders.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files (glTF, GLB, VRM, FBX, BVH, NPZ, NPY) and folders, including subfolders.
    #[arg(required_unless_present = "parts", value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// List only clips with findings.
    #[arg(long)]
    findings: bool,
    /// Write the table as CSV.
    #[arg(long, value_name = "OUT.csv", value_parser = |text: &str| named(text, "csv"))]
    csv: Option<PathBuf>,
    /// Write the table as an HTML page with sortable columns.
    #[arg(long, value_name = "OUT.html", value_parser = |text: &str| named(text, "html"))]
    html: Option<PathBuf>,
    /// Fix findings and write the files with the fixed clips to this folder; up-to-date files are kept.
    #[arg(long, value_name = "FOLDER")]
    mend: Option<PathBuf>,
    #[command(flatten)]
    job: LibraryJobFlags,
    #[command(flatten)]
    part: PartOf,
    /// With --part, the folder that the tasks of the job write to.
    #[arg(long, value_name = "FOLDER", requires = "parts")]
    #[arg(conflicts_with_all = ["paths", "findings", "csv", "html", "mend", "job", "force"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: super::Force,
    /// Print all figures as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Measures the clips, or fixes them, and writes and prints the tables. With flags of a job it does one part of that, or
    /// writes the inputs. Returns `Err` if a file could not be read or fixed.
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(part) = self.part.read()? {
            return job::process_part(part, self.out.as_deref(), self.json);
        }
        let files = clip_files(&self.paths).map_err(|error| Failure::Usage(error.to_string()))?;
        let tags = Preferences::folder().map(|folder| Tags::in_folder(&folder)).unwrap_or_default();
        let Self { findings, csv, html, mend, .. } = &self;
        let wanted = Wanted { findings: *findings, csv: csv.clone(), html: html.clone(), mend: mend.clone() };
        if let Some(job) = self.job.library_job(&files, &wanted, &tags) {
            return job::write(&self.paths, job, self.force.into(), self.json);
        }
        let progress = Progress::new();
        let bar = ProgressBar::start("Measure clips", Some((files.len(), "files")), &progress);
        let results = self.mend.as_ref().map(|folder| mend_into(&files, folder, self.force.into(), &progress));
        let mut library = match &results {
            Some(results) => mending::library(&files, results),
            None => measure(&files, &progress),
        };
        drop(bar);
        tags.apply_to(&mut library.rows);
        if self.findings {
            library.rows.retain(is_found);
        }
        self.write(&wanted, &files, &library)?;
        let outcome = match &results {
            Some(results) => self.print_mended(results),
            None => self.print_library(&library),
        };
        outcome.and(all_read(&library, files.len()))
    }

    /// Prints each clip's findings before and after the fix. Returns `Err` if a file or clip could not be fixed.
    fn print_mended(&self, results: &[MendedFile]) -> Result<(), Failure> {
        let mended: Vec<Mended> = results.iter().flat_map(|file| file.record.mended.iter().cloned()).collect();
        let failures: Vec<String> = results.iter().filter_map(|file| file.record.unmended.clone()).collect();
        let up_to_date = results.iter().filter(|file| file.is_kept).count();
        if up_to_date > 0 {
            crate::warn(&format!("{up_to_date} of {} files are up to date and were kept.", results.len()));
        }
        if self.json {
            super::print(&mended_json(&mended, &failures), true)?;
        } else {
            super::print_text(&mended.iter().map(mending::line).collect::<String>())?;
        }
        all_mended(&mended, &failures)
    }

    /// Writes the requested tables, never over a file that was read.
    fn write(&self, wanted: &Wanted, files: &[PathBuf], library: &ClipLibrary) -> Result<(), Failure> {
        if wanted.csv.is_none() && wanted.html.is_none() {
            return Ok(());
        }
        let mut set = FileSet::new(Arc::new(sources_of(files)));
        let written = write_tables(&mut set, Path::new(""), wanted, library);
        written.map_err(super::refused)?;
        super::commit(set, self.force)
    }

    /// Prints the rows of `library` as JSON or as a table.
    fn print_library(&self, library: &ClipLibrary) -> Result<(), Failure> {
        if self.json {
            return super::print(&tables::json(library), true);
        }
        super::print_text(&tables::text(&library.rows))
    }
}

/// Parses a path. Returns `Err` unless it has this extension, in any case, so that a typo cannot replace a file that
/// is measured.
fn named(text: &str, extension: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_so = path.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension));
    if is_so { Ok(path) } else { Err(format!("give a name that ends in .{extension}")) }
}

#[cfg(test)]
mod tests;
