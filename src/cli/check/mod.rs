//! `portamento check`: measures the clips of a delivery and compares them with a contract.

mod json;
mod junit;
mod page;
mod repair;
mod sarif;
pub(super) mod propose;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::output::one_line;
use super::progress_bar::ProgressBar;
use super::{Failure, commit, print, print_text, refused};
use portamento_base::budget::Budget;
use portamento_base::progress::Progress;
use portamento_base::regular_file;
use portamento_base::system_reason::system_reason;
use portamento_formats::export::{ExportError, FileSet};
use portamento_session::delivery::{Delivery, Repaired};
use portamento_sets::{ContractFile, Limit, MAX_BYTES, Measured, Report, Row, Verdict, check};

/// Measures the clips of files, folders and projects, and compares them with a contract.
///
/// Exit codes: 0 all requirements are met, 1 one is broken, 2 one could not be measured, or the contract or a file could
/// not be read.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files (glTF, GLB, VRM, FBX, BVH, NPZ, NPY), folders, including subfolders, and projects.
    #[arg(required_unless_present = "schema", value_name = "FILE|FOLDER|PROJECT")]
    paths: Vec<PathBuf>,
    /// The contract: TOML as written by init-contract.
    #[arg(long, value_name = "FILE.toml", required_unless_present = "schema")]
    contract: Option<PathBuf>,
    /// Repair the clips and write the files with the repaired clips to this folder; the result is checked again.
    #[arg(long, value_name = "FOLDER")]
    repair: Option<PathBuf>,
    /// Write the result as SARIF, for code review tools.
    #[arg(long, value_name = "OUT.sarif")]
    sarif: Option<PathBuf>,
    /// Write the result as JUnit XML, for build servers.
    #[arg(long, value_name = "OUT.xml")]
    junit: Option<PathBuf>,
    /// Write the result as an HTML page.
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    #[command(flatten)]
    force: super::Force,
    /// Print all figures as JSON.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of --json.
    #[arg(long, exclusive = true)]
    schema: bool,
}

/// A checked delivery.
struct Checked {
    delivery: Delivery,
    report: Report,
    /// Keys of the contract that are not checked.
    unchecked: Vec<String>,
    /// The repair, if there was one.
    repaired: Option<Repaired>,
}

impl Arguments {
    /// Checks the delivery, writes the requested files and prints the result. Returns `Err` as the exit codes of [`Arguments`]
    /// say.
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.schema {
            return print_text(json::SCHEMA);
        }
        let contract = read(self.contract.as_deref().unwrap_or(Path::new("")))?;
        let checked = match &self.repair {
            Some(out) => repair::repaired(&self.paths, contract, out, self.force)?,
            None => Checked::measure(&self.paths, contract)?,
        };
        self.write(&checked)?;
        for key in &checked.unchecked {
            crate::warn(&one_line(&format!("warning: `{key}` of the contract is not checked.")));
        }
        for (file, why) in &checked.delivery.failures {
            crate::warn(&one_line(&format!("warning: {file}: {why}")));
        }
        if self.json {
            print(&json::of(&checked), true)?
        } else {
            print_text(&text(&checked))?
        }
        checked.outcome()
    }

    /// Writes the requested files, never over the contract or a file that was measured. Does nothing if none is requested.
    fn write(&self, checked: &Checked) -> Result<(), Failure> {
        if [&self.sarif, &self.junit, &self.html].iter().all(|path| path.is_none()) {
            return Ok(());
        }
        let mut set = output_files(&checked.delivery, self.contract.as_deref());
        let mut add = |path: &Option<PathBuf>, text: &dyn Fn(&Checked) -> String| -> Result<(), ExportError> {
            path.as_ref().map_or(Ok(()), |path| set.write(path, text(checked).as_bytes()))
        };
        let written = add(&self.sarif, &sarif::text);
        let written = written.and_then(|()| add(&self.junit, &junit::text)).and_then(|()| add(&self.html, &page::text));
        written.map_err(refused)?;
        commit(set, self.force)
    }
}

/// Measures a delivery and shows a progress bar. Files that cannot be read are listed in the result. Returns `Err` if a
/// path cannot be listed or the memory does not suffice.
fn measured_delivery(paths: &[PathBuf]) -> Result<Delivery, Failure> {
    let progress = Progress::new();
    let _bar = ProgressBar::start("Measure clips", None, &progress);
    Delivery::measure(paths, &progress).map_err(|why| Failure::Usage(why.to_string()))
}

/// Returns a set of files to write that replaces no file of `delivery` and no `contract`.
fn output_files(delivery: &Delivery, contract: Option<&Path>) -> FileSet {
    let mut sources = delivery.sources();
    contract.into_iter().for_each(|path| sources.add(path));
    FileSet::new(Arc::new(sources))
}

impl Checked {
    /// Measures the clips of `paths` and compares them with `contract`. Returns `Err` if a path cannot be listed or the memory
    /// does not suffice; files that cannot be read are in the result.
    fn measure(paths: &[PathBuf], contract: ContractFile) -> Result<Self, Failure> {
        let delivery = measured_delivery(paths)?;
        let report = check(&contract.contract, &delivery.members, &Budget::new());
        let report = report.map_err(|why| Failure::Usage(why.to_string()))?;
        Ok(Self { delivery, report, unchecked: contract.unchecked, repaired: None })
    }

    /// Returns the verdict: a file that cannot be read is not measured.
    fn verdict(&self) -> Verdict {
        let unread = if self.delivery.failures.is_empty() { Verdict::Met } else { Verdict::NotMeasured };
        self.report.verdict().max(unread)
    }

    /// Returns `Err` unless all requirements are met. It is [`Failure::Failed`] if one is broken. It is [`Failure::Usage`]
    /// if one could not be measured, if a file could not be read, or if there are none.
    fn outcome(&self) -> Result<(), Failure> {
        let count = |verdict: Verdict| self.report.count(verdict);
        let unread = self.delivery.failures.len();
        match self.verdict() {
            Verdict::Met => Ok(()),
            Verdict::Broken => Err(Failure::Failed(format!(
                "{} of {} requirements are broken.",
                count(Verdict::Broken),
                self.report.rows.len()
            ))),
            Verdict::NotMeasured if self.report.rows.is_empty() && unread == 0 => {
                Err(Failure::Usage("The contract requires nothing of these clips.".into()))
            }
            Verdict::NotMeasured => Err(Failure::Usage(format!(
                "{} of {} requirements could not be measured, and {unread} files could not be read.",
                count(Verdict::NotMeasured),
                self.report.rows.len()
            ))),
        }
    }
}

/// Reads the contract at `path`. Returns [`Failure::Usage`] if it cannot be read or is no contract.
pub(super) fn read(path: &Path) -> Result<ContractFile, Failure> {
    let unreadable = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let bytes = regular_file::beginning(path, MAX_BYTES as u64 + 1)
        .map_err(|error| unreadable(system_reason(&error).to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("The file is no text.".into()))?;
    ContractFile::read(&text).map_err(|why| unreadable(why.to_string()))
}

/// Returns the lines of repaired clips, the rows that are broken or not measured, and the counts. Each row is one
/// line. The last line has the number of clips and the number of rows with each verdict.
fn text(checked: &Checked) -> String {
    let repaired = checked.repaired.iter().flat_map(repair::lines);
    let open = checked.report.rows.iter().filter(|row| row.verdict() != Verdict::Met).map(line);
    let counts = [Verdict::Met, Verdict::Broken, Verdict::NotMeasured]
        .map(|verdict| format!("{} {}", checked.report.count(verdict), verdict.name()))
        .join(", ");
    let clips = checked.delivery.members.len();
    repaired.chain(open).chain([format!("{clips} clips: {counts}.\n")]).collect()
}

/// Returns a line of text about a row, with its line break.
fn line(row: &Row) -> String {
    let text =
        format!("{:<12}  {:<18}  {}: {}", row.verdict().name(), row.requirement.id(), subject(row), sentence(row));
    one_line(&text) + "\n"
}

/// Returns the set and the clip that a row is about.
fn subject(row: &Row) -> String {
    let clip = row.clip.as_ref().map(ToString::to_string);
    let both = match (&clip, &row.other) {
        (Some(clip), Some(other)) => Some(format!("{clip} → {other}")),
        (clip, _) => clip.clone(),
    };
    match (&row.set, both) {
        (Some(set), Some(clip)) => format!("set {set}, {clip}"),
        (Some(set), None) => format!("set {set}"),
        (None, Some(clip)) => clip,
        (None, None) => "contract".into(),
    }
}

/// Returns the requirement with its figure and its limit.
pub(super) fn sentence(row: &Row) -> String {
    format!("{} {}; required: {}.", row.requirement.text(), measured(row), limit(row))
}

/// Returns the figure of a row as text, with its unit. Names that are missing are listed instead.
fn measured(row: &Row) -> String {
    match &row.measured {
        None => "Not measured".into(),
        Some(Measured::Number(number)) => format!("Measured: {}", with_unit(*number, row)),
        Some(Measured::Missing(names)) if names.is_empty() => "Nothing is missing".into(),
        Some(Measured::Missing(names)) => format!("Missing: {}", names.join(", ")),
    }
}

/// Returns the limit of a row as text, with its unit.
fn limit(row: &Row) -> String {
    match row.limit {
        Limit::AtMost(most) => format!("at most {}", with_unit(most, row)),
        Limit::AtLeast(least) => format!("at least {}", with_unit(least, row)),
        Limit::Near(pin) => format!("{} ± {}", with_unit(pin.value, row), with_unit(pin.tolerance, row)),
        Limit::NoneMissing => "all".into(),
    }
}

/// Returns `number` with six significant digits and the unit of the row.
fn with_unit(number: f64, row: &Row) -> String {
    let digits = (5.0 - number.abs().max(1e-6).log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.digits$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &*text };
    let space = if row.requirement.unit().is_empty() || row.requirement.unit() == "°" { "" } else { " " };
    format!("{short}{space}{}", row.requirement.unit())
}

#[cfg(test)]
mod tests;
