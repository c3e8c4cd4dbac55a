//! `portamento demo`: the sample project, baked and shown.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Failure, bake};
use crate::session::{ExportRequest, Session};

/// Bakes the sample project, then opens the window on it where there is a display.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder for the sample project and what is baked from it.
    #[arg(long, default_value = "demo")]
    out: PathBuf,
    /// Bakes the samples without showing the window.
    #[arg(long)]
    no_window: bool,
    #[command(flatten)]
    force: super::Force,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The project to open in the window, or `None` where none is wanted or possible.
    pub(super) fn run(self) -> Result<Option<PathBuf>, Failure> {
        super::samples::write(&self.out, self.force)?;
        let project = self.out.join("samples.portamento");
        let mut session = Session::inline();
        super::open_more(&mut session, &project)?;
        let takes = session.document.takes.iter().map(|take| take.id).collect();
        let request = ExportRequest {
            takes,
            destination: self.out.join("baked"),
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        bake::bake(&mut session, request)?;
        if self.json {
            super::print(&session.exports.reports().to_vec().into(), true)?;
        } else {
            super::say(&summary(&self.out, session.exports.reports()))?;
        }
        Ok((!self.no_window && has_display()).then_some(project))
    }
}

/// Most takes that are named; the rest are counted.
const NAMED: usize = 5;

/// What was baked and what to do next, in ten lines at most.
fn summary(folder: &Path, exported: &[Value]) -> String {
    let name = |report: &Value| Some(Path::new(report["file"].as_str()?).file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = exported.iter().filter_map(name).collect();
    let mut lines =
        vec![format!("{} files of the sample project are baked into {}:", names.len(), folder.join("baked").display())];
    lines.extend(names.iter().take(NAMED).map(|name| format!("  {name}")));
    if names.len() > NAMED {
        lines.push(format!("  and {} more", names.len() - NAMED));
    }
    lines.push(format!("Next: portamento {}", folder.join("samples.portamento").display()));
    lines.push("Figures of every take: the same command with --json.".into());
    lines.join("\n") + "\n"
}

fn has_display() -> bool {
    let needs_server = cfg!(all(unix, not(target_os = "macos")));
    !needs_server || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_baked_is_told_in_ten_lines_with_where_it_is_and_what_comes_next() {
        for count in [0, 5, 60] {
            let reports: Vec<Value> = (0..count).map(|n| json!({ "file": format!("out/baked/{n}.glb") })).collect();
            let told = summary(Path::new("out"), &reports);
            assert!(told.lines().count() <= 10, "{told}");
            let has = |part: PathBuf| told.contains(&part.display().to_string());
            assert!(has(Path::new("out").join("baked")) && has(Path::new("out").join("samples.portamento")), "{told}");
        }
    }
}
