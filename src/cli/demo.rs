//! `portamento demo`: the sample project, baked and shown.

use std::path::PathBuf;

use super::{Failure, bake};
use crate::session::{ExportRequest, Session};

/// Bakes the sample project, then opens the window on it where there is a display.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder for the sample project and what is baked from it.
    #[arg(long, default_value = "demo")]
    out: PathBuf,
    /// Only bakes.
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
        super::print(&session.exported().to_vec().into(), self.json)?;
        Ok((!self.no_window && has_display()).then_some(project))
    }
}

fn has_display() -> bool {
    let needs_server = cfg!(all(unix, not(target_os = "macos")));
    !needs_server || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}
