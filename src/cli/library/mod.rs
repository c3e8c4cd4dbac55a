//! `portamento library`: every clip of files and folders, measured.

mod html;
mod mending;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use self::mending::Mended;
use super::Failure;
use crate::export::{FileSet, Sources};
use crate::progress::Progress;
use crate::session::Preferences;
use crate::session::clip_library::columns::COLUMNS;
use crate::session::clip_library::{ClipLibrary, ClipRow, Tags, clip_files, measure};

/// Measures every clip of files and folders.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of glTF, GLB, VRM, FBX or BVH, and folders of them with the folders inside.
    #[arg(required = true, value_name = "FILE|FOLDER")]
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
    /// Mend what is found and write the files with the mended clips to this folder.
    #[arg(long, value_name = "FOLDER")]
    mend: Option<PathBuf>,
    #[command(flatten)]
    force: super::Force,
    /// All figures as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let files = clip_files(&self.paths).map_err(|error| Failure::Usage(error.to_string()))?;
        let mut library = measure(&files, &Progress::new());
        Preferences::folder().iter().for_each(|folder| Tags::in_folder(folder).give(&mut library.rows));
        if self.findings {
            library.rows.retain(|row| row.quality.as_ref().is_none_or(|quality| !quality.findings.is_empty()));
        }
        self.write(&files, &library)?;
        if let Some(folder) = &self.mend {
            return self.mend(&library.rows, folder);
        }
        self.say(&library)?;
        match library.failures.len() {
            0 => Ok(()),
            count => Err(Failure::Failed(format!("{count} of {} files could not be read.", files.len()))),
        }
    }

    /// Mends what can be and tells each clip's findings before and after.
    fn mend(&self, rows: &[ClipRow], folder: &Path) -> Result<(), Failure> {
        let (mut mended, mut failures) = (Vec::new(), Vec::new());
        for outcome in mending::mend(rows, folder, self.force.into()) {
            match outcome {
                Ok(of_file) => mended.extend(of_file),
                Err(Failure::Usage(sentence) | Failure::Failed(sentence)) => failures.push(sentence),
            }
        }
        if self.json {
            let mended: Vec<_> = mended.iter().map(Mended::json).collect();
            super::print(&json!({ "mended": mended, "failures": failures }), true)?;
        } else {
            super::say(&mended.iter().map(Mended::line).collect::<String>())?;
        }
        match failures.first() {
            None => Ok(()),
            Some(first) if failures.len() == 1 => Err(Failure::Failed(first.clone())),
            Some(first) => {
                Err(Failure::Failed(format!("{} files could not be mended. The first: {first}", failures.len())))
            }
        }
    }

    /// The tables that were asked for, never over a file that was read.
    fn write(&self, files: &[PathBuf], library: &ClipLibrary) -> Result<(), Failure> {
        let mut sources = Sources::default();
        files.iter().for_each(|file| sources.add(file));
        let mut set = FileSet::new(Arc::new(sources));
        if let Some(path) = &self.csv {
            set.write(path, csv(&library.rows).as_bytes()).map_err(super::refused)?;
        }
        if let Some(path) = &self.html {
            set.write(path, html::page(library).as_bytes()).map_err(super::refused)?;
        }
        set.commit(self.force.into()).map(|_| ()).map_err(super::refused)
    }

    fn say(&self, library: &ClipLibrary) -> Result<(), Failure> {
        let failures = library.failures.iter();
        let failures: Vec<_> = failures
            .map(|(file, why)| json!({ "file": file.display().to_string(), "reason": why.to_string() }))
            .collect();
        if self.json {
            return super::print(&json!({ "clips": library.rows, "failures": failures }), true);
        }
        for (file, why) in &library.failures {
            eprintln!("warning: {}: {why}", file.display());
        }
        super::say(&text(&library.rows))
    }
}

/// A path that ends as tables of that kind do, so that no slip of the pen replaces a buffer or an image of what is measured.
fn named(text: &str, extension: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_so = path.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension));
    if is_so { Ok(path) } else { Err(format!("give a name that ends in .{extension}")) }
}

/// Columns of equal width, one line per clip.
fn text(rows: &[ClipRow]) -> String {
    let shown: Vec<_> = COLUMNS.iter().filter(|column| column.is_short).collect();
    let mut lines = vec![shown.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| shown.iter().map(|column| column.text(row)).collect()));
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..shown.len()).map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).zip(&shown).map(|((cell, &width), column)| {
            if column.is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(padded).collect()
}

fn csv(rows: &[ClipRow]) -> String {
    let quoted = |text: String| {
        if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let head = COLUMNS.iter().map(|column| quoted(column.name.to_owned())).collect::<Vec<_>>().join(",");
    let line = |row| COLUMNS.iter().map(|column| quoted(column.text(row))).collect::<Vec<_>>().join(",");
    std::iter::once(head).chain(rows.iter().map(line)).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests;
