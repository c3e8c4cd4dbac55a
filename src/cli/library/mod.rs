//! `portamento library`: every clip of files and folders, measured.

mod html;
mod job;
mod outcome;
mod mending;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::job::LibraryJobFlags;
pub(super) use self::job::merge;
use self::outcome::{all_mended, all_read, told, write_tables};
use super::Failure;
use super::job::PartOf;
use crate::export::{FileSet, Sources};
use crate::progress::Progress;
use crate::session::Preferences;
use crate::session::clip_library::columns::is_found;
use crate::session::clip_library::job::{MendedFile, Wanted, mend_into};
use crate::session::clip_library::{ClipLibrary, Mended, Tags, clip_files, measure};

/// Measures every clip of files and folders.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of glTF, GLB, VRM, FBX or BVH, and folders of them with the folders inside.
    #[arg(required_unless_present = "parts", value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// Only clips of which something is worth a look.
    #[arg(long)]
    findings: bool,
    /// Write the table to this file, values separated by commas.
    #[arg(long, value_name = "OUT.csv", value_parser = |text: &str| named(text, "csv"))]
    csv: Option<PathBuf>,
    /// Write the table to this file as a page whose columns sort.
    #[arg(long, value_name = "OUT.html", value_parser = |text: &str| named(text, "html"))]
    html: Option<PathBuf>,
    /// Mend what is found and write the files with the mended clips to this folder; what was made there before from the same stays.
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
    /// All figures as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(part) = self.part.read()? {
            return job::make(part, self.out.as_deref(), self.json);
        }
        let files = clip_files(&self.paths).map_err(|error| Failure::Usage(error.to_string()))?;
        let tags = Preferences::folder().map(|folder| Tags::in_folder(&folder)).unwrap_or_default();
        let Self { findings, csv, html, mend, .. } = &self;
        let wanted = Wanted { findings: *findings, csv: csv.clone(), html: html.clone(), mend: mend.clone() };
        if let Some(job) = self.job.library_job(&files, &wanted, &tags) {
            return job::write(&self.paths, job, self.force.into(), self.json);
        }
        let made = self.mend.as_ref().map(|folder| mend_into(&files, folder, self.force.into()));
        let mut library = match &made {
            Some(made) => mending::library(&files, made),
            None => measure(&files, &Progress::new()),
        };
        tags.give(&mut library.rows);
        if self.findings {
            library.rows.retain(is_found);
        }
        self.write(&wanted, &files, &library)?;
        let told = match &made {
            Some(made) => self.tell_mended(made),
            None => self.say(&library),
        };
        told.and(all_read(&library, files.len()))
    }

    /// Tells each clip's findings before and after.
    fn tell_mended(&self, made: &[MendedFile]) -> Result<(), Failure> {
        let mended: Vec<Mended> = made.iter().flat_map(|file| file.record.mended.iter().cloned()).collect();
        let failures: Vec<String> = made.iter().filter_map(|file| file.record.unmended.clone()).collect();
        let kept = made.iter().filter(|file| file.is_kept).count();
        if kept > 0 {
            eprintln!("{kept} of {} files were done before from the same and stay.", made.len());
        }
        if self.json {
            super::print(&told(&mended, &failures), true)?;
        } else {
            super::say(&mended.iter().map(mending::line).collect::<String>())?;
        }
        all_mended(&mended, &failures)
    }

    /// The tables that were asked for, never over a file that was read.
    fn write(&self, wanted: &Wanted, files: &[PathBuf], library: &ClipLibrary) -> Result<(), Failure> {
        let mut sources = Sources::default();
        files.iter().for_each(|file| sources.add(file));
        let mut set = FileSet::new(Arc::new(sources));
        let written = write_tables(&mut set, Path::new(""), wanted, library);
        written.and_then(|()| set.commit(self.force.into())).map(|_| ()).map_err(super::refused)
    }

    fn say(&self, library: &ClipLibrary) -> Result<(), Failure> {
        if self.json {
            return super::print(&tables::json(library), true);
        }
        super::say(&tables::text(&library.rows))
    }
}

/// A path that ends as tables of that kind do, so that no slip of the pen replaces a buffer or an image of what is measured.
fn named(text: &str, extension: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_so = path.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension));
    if is_so { Ok(path) } else { Err(format!("give a name that ends in .{extension}")) }
}

#[cfg(test)]
mod tests;
