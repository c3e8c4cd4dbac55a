//! `portamento bake`: exports takes of a project.

use std::path::PathBuf;

use super::Failure;
use crate::document::TakeId;
use crate::session::{Command, ExportFormat, ExportRequest, FileCommand, Keep, Session};

/// Exports the takes of a project.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// A take's name; may be given several times. All takes when absent.
    #[arg(long)]
    take: Vec<String>,
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long)]
    fps: Option<f64>,
    /// The folder to write to; one GLB per take.
    #[arg(long)]
    out: PathBuf,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut session = Session::inline();
        super::open_more(&mut session, &self.project)?;
        let takes = chosen(&session, &self.take)?;
        bake(&mut session, takes, self.fps, self.out)?;
        super::print(&session.exported().to_vec().into(), self.json);
        Ok(())
    }
}

/// Exports `takes` to one GLB each in `folder`.
pub(super) fn bake(session: &mut Session, takes: Vec<TakeId>, fps: Option<f64>, folder: PathBuf) -> Result<(), Failure> {
    if let Some(fps) = fps.filter(|fps| !(fps.is_finite() && (1.0..=1000.0).contains(fps))) {
        return Err(Failure::Usage(format!("--fps {fps} makes no sense; give a rate between 1 and 1000.")));
    }
    let failed = |error| Failure::Failed(format!("The folder {} could not be made: {error}.", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let request = ExportRequest { takes, destination: folder, format: ExportFormat::Glb, keep: Keep::Append, fps };
    super::perform(session, Command::File(FileCommand::Export(request)))
}

fn chosen(session: &Session, names: &[String]) -> Result<Vec<TakeId>, Failure> {
    let takes = &session.document.takes;
    let find = |name: &String| {
        let known = || takes.iter().map(|take| take.name.as_str()).collect::<Vec<_>>().join(", ");
        let take = takes.iter().find(|take| take.name == *name);
        take.map(|take| take.id).ok_or_else(|| Failure::Usage(format!("There is no take “{name}”. The project has: {}.", known())))
    };
    if names.is_empty() { Ok(takes.iter().map(|take| take.id).collect()) } else { names.iter().map(find).collect() }
}
