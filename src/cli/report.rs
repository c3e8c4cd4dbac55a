//! `portamento report`: checks the results of a job; the last step of every job.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::generate::page::{Head, Page, Row, escaped};
use portamento_formats::export::{ExportError, FileSet, Sources};
use portamento_session::batch::report::{BatchReport, BatchRow, RowState};
use portamento_session::batch::{Receipt, StripPath};
use portamento_session::clip_library::job::LIBRARY;
use portamento_session::variants::Index;

/// Compares the files of a job with their receipts and writes report.html and report.json; for variants also
/// index.json and index.csv, for a library the tables of all clips.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Inputs folder of the job.
    inputs: PathBuf,
    /// Folder that the tasks wrote to.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Writes and prints the report of the job. Returns `Err` if a take is missing or changed.
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.inputs.join(LIBRARY).is_file() {
            return super::library::merge(&self.inputs, &self.out, self.force, self.json);
        }
        let report = BatchReport::read(&self.inputs, &self.out).map_err(|why| Failure::Usage(why.to_string()))?;
        let json = report.json();
        let mut sources = Sources::default();
        sources.add(&self.inputs);
        let mut files = FileSet::new(Arc::new(sources));
        let text = format!("{json:#}\n");
        let written = files.write(&self.out.join("report.html"), page(&report).as_bytes());
        let written = written.and_then(|()| files.write(&self.out.join("report.json"), text.as_bytes()));
        let written = written.and_then(|()| write_index(&report.index, &self.out, &mut files));
        written.map_err(super::refused)?;
        super::commit(files, self.force)?;
        let (done, all) = (report.count(RowState::Done), report.rows.len());
        if self.json {
            super::print_text(&text)?
        } else {
            super::print_text(&format!("{done} of {all} takes are done.\n"))?
        }
        match report.rows.iter().find(|row| row.state != RowState::Done) {
            None => Ok(()),
            Some(first) => Err(Failure::Failed(format!(
                "{} of {all} takes are missing or changed, starting with “{}”. Run the job again; finished takes are kept.",
                all - done,
                first.take
            ))),
        }
    }
}

/// Writes the variant index, if the takes are variants. Adds them to `files` as index.json and index.csv in the folder
/// `out`.
fn write_index(index: &Index, out: &Path, files: &mut FileSet) -> Result<(), ExportError> {
    if index.rows.is_empty() {
        return Ok(());
    }
    files.write(&out.join("index.json"), index.json().as_bytes())?;
    files.write(&out.join("index.csv"), index.csv().as_bytes())
}

const COLUMN_HEADS: [Head; 9] = [
    Head { name: "picture", is_number: false },
    Head { name: "take", is_number: false },
    Head { name: "findings", is_number: false },
    Head { name: "state", is_number: false },
    Head { name: "files", is_number: false },
    Head { name: "kB", is_number: true },
    Head { name: "length s", is_number: true },
    Head { name: "travel m", is_number: true },
    Head { name: "made in s", is_number: true },
];

/// Returns an HTML page with a table of all takes.
fn page(report: &BatchReport) -> String {
    let longest = report.rows.iter().filter_map(|row| Some(row.receipt.as_ref()?.seconds)).fold(1e-9, f64::max);
    Page {
        title: "Takes",
        heading: format!("{} of {} takes are done", report.count(RowState::Done), report.rows.len()),
        heads: COLUMN_HEADS.into(),
        rows: report.rows.iter().map(|row| line(row, longest)).collect(),
        plotted: ["travel m", "length s"],
        dots: ["with findings or not done", "done, no findings"],
        below: Vec::new(),
    }
    .html()
}

/// Returns the row of a take; the length of its bar is relative to `longest` seconds.
fn line(row: &BatchRow, longest: f64) -> Row {
    let mut cells = vec![String::new(); COLUMN_HEADS.len()];
    (cells[1], cells[3]) = (escaped(&row.take), row.state.name().into());
    let mut is_found = row.state != RowState::Done;
    if let Some(Receipt { files, seconds, figures, strip, .. }) = &row.receipt {
        let number = |name: &str| figures[name].as_f64().map(|value| format!("{value:.3}")).unwrap_or_default();
        let findings: Vec<&str> =
            figures["findings"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
        is_found |= !findings.is_empty();
        cells[0] = strip.as_ref().map(svg).unwrap_or_default();
        cells[2] = escaped(&findings.join(", "));
        cells[4] = files.iter().map(|file| escaped(&file.path)).collect::<Vec<_>>().join("<br>");
        cells[5] = format!("{:.1}", files.iter().map(|file| file.bytes as f64).sum::<f64>() / 1000.0);
        (cells[6], cells[7]) = (number("seconds"), number("travel_m"));
        let width = 80.0 * seconds / longest;
        cells[8] = format!("{seconds:.2}<span class=\"bar\" style=\"width:{width:.0}px\"></span>");
    }
    Row { is_found, cells }
}

/// Returns the strip of poses as SVG. A path with unexpected letters is left out, since it comes from a file.
fn svg(strip: &StripPath) -> String {
    let [width, height] = strip.size;
    let is_path = strip.path.bytes().all(|letter| letter.is_ascii_alphanumeric() || b" -.".contains(&letter));
    let path = if is_path { strip.path.as_str() } else { "" };
    format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"poses\"><path d=\"{path}\"/></svg>")
}
