//! `portamento demo`: exports the sample project and opens it.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{Failure, bake};
use portamento_session::ExportRequest;
use portamento_session::export::ExportReport;

/// Exports the sample project, then opens it in the window if there is a display.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for the sample project and the exported files.
    #[arg(long, default_value = "demo")]
    out: PathBuf,
    /// Export without opening the window.
    #[arg(long)]
    no_window: bool,
    #[command(flatten)]
    force: crate::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Writes the sample project, exports its takes and prints a summary. Returns the project to open in the window; `None`
    /// if no window is wanted or possible.
    pub(crate) fn run(self) -> Result<Option<PathBuf>, Failure> {
        super::samples::write(&self.out, self.force)?;
        let project = self.out.join("samples.portamento");
        let mut session = crate::progress_bar::session();
        crate::open_more(&mut session, &project)?;
        let takes = session.document.takes.iter().map(|take| take.id).collect();
        let request = ExportRequest {
            takes,
            destination: self.out.join("baked"),
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        bake::bake(&mut session, request)?;
        if self.json {
            crate::print(&json!(session.exports.reports()), true)?;
        } else {
            crate::print_text(&summary(&self.out, session.exports.reports()))?;
        }
        Ok((!self.no_window && has_display()).then_some(project))
    }
}

/// Maximum number of files listed by name.
const MAX_LISTED_FILES: usize = 5;

/// Returns a summary of at most ten lines: exported files and the next command.
fn summary(folder: &Path, exported: &[ExportReport]) -> String {
    let name = |report: &ExportReport| Some(Path::new(&report.file).file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = exported.iter().filter_map(name).collect();
    let mut lines =
        vec![format!("Exported {} files of the sample project to {}:", names.len(), folder.join("baked").display())];
    lines.extend(names.iter().take(MAX_LISTED_FILES).map(|name| format!("  {name}")));
    if names.len() > MAX_LISTED_FILES {
        lines.push(format!("  and {} more", names.len() - MAX_LISTED_FILES));
    }
    lines.push(format!("Next: portamento {}", folder.join("samples.portamento").display()));
    lines.push("Figures of every take: the same command with --json.".into());
    lines.join("\n") + "\n"
}

/// True if a window can be opened: always, except on systems with a display server that is not named.
fn has_display() -> bool {
    let needs_server = cfg!(all(unix, not(target_os = "macos")));
    !needs_server || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_at_most_ten_lines_with_folder_and_next_step() {
        for count in [0, 5, 60] {
            let report = |n| ExportReport { file: format!("out/baked/{n}.glb"), ..ExportReport::default() };
            let reports: Vec<ExportReport> = (0..count).map(report).collect();
            let summary_text = summary(Path::new("out"), &reports);
            assert!(summary_text.lines().count() <= 10, "{summary_text}");
            let has = |part: PathBuf| summary_text.contains(&part.display().to_string());
            assert!(
                has(Path::new("out").join("baked")) && has(Path::new("out").join("samples.portamento")),
                "{summary_text}"
            );
        }
    }
}
