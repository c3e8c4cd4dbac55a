//! `portamento check --repair`: writes the files with clips that meet the contract.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Checked, measured, subject};
use crate::progress_bar::{self, ProgressBar};
use crate::{Failure, Force, bake};
use portamento_base::progress::Progress;
use portamento_session::clip_library::{clip_files, mended_extension};
use portamento_session::delivery::{Delivery, Repaired, RepairedTake, Unmet, is_project, name_below};
use portamento_session::{Command, ExportRequest, ExportSettings, FileCommand, Keep, Session, Severity};
use portamento_sets::{ContractFile, Row};
use portamento_takes::document::{FileId, TakeId};

/// Repairs the clips of `paths` and writes each file with a repaired clip to the folder `out`, under its name below the folder that
/// contains it. Returns the clips and the report after the repair.
///
/// Returns `Err` if one of `paths` is a project or cannot be listed, if the memory does not suffice, or if a file cannot be
/// written.
pub(super) fn repaired(
    paths: &[PathBuf],
    contract: ContractFile,
    out: &Path,
    force: Force,
) -> Result<Checked, Failure> {
    if let Some(project) = paths.iter().find(|path| is_project(path)) {
        return Err(Failure::Usage(format!(
            "{} is a project, but --repair works on files and folders. Open the project in the window to repair its takes.",
            project.display()
        )));
    }
    let files = clip_files(paths).map_err(|why| Failure::Usage(why.to_string()))?;
    let mut session = progress_bar::session();
    let mut delivery = Delivery::default();
    for file in files {
        session.perform(Command::File(FileCommand::Open(vec![file.clone()])));
        let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == Severity::Error);
        delivery.failures.extend(errors.map(|notice| (name_below(&file, paths), notice.message)));
    }
    delivery.protect(session.sources());
    let (subjects, document) = (session.subjects(paths), (&session.document, &session.library));
    let progress = Progress::new();
    let bar = ProgressBar::start("Repair clips", Some((subjects.len(), "clips")), &progress);
    let repaired = Repaired::bring(document, subjects, &contract.contract, &|_| true, &progress);
    drop(bar);
    let repaired = repaired.map_err(|error| Failure::Failed(error.to_string()))?;
    let takes = session.add_repaired(&repaired);
    export(&mut session, &repaired, &takes, paths, (out, force))?;
    delivery.members.clone_from(&repaired.members);
    let report = repaired.after.clone();
    Ok(Checked { delivery, report, unchecked: contract.unchecked, repaired: Some(repaired) })
}

/// Writes the files with repaired clips. Their other clips stay as they are. `folders` are the paths given on the command
/// line.
fn export(
    session: &mut Session,
    repaired: &Repaired,
    takes: &[TakeId],
    folders: &[PathBuf],
    (out, force): (&Path, Force),
) -> Result<(), Failure> {
    let mut of_files: BTreeMap<FileId, Vec<TakeId>> = BTreeMap::new();
    for (repaired, &id) in repaired.takes.iter().zip(takes).filter(|(repaired, _)| repaired.added > 0) {
        of_files.entry(repaired.take.character).or_default().push(id);
    }
    for (file, takes) in of_files {
        let Some(path) = session.document.file(file).map(|file| file.path.clone()) else { continue };
        let name = Path::new(&name_below(&path, folders)).with_extension(mended_extension(&path));
        let settings = ExportSettings { keep: Keep::Replace, ..ExportSettings::default() };
        let (destination, replace) = (out.join(name), force.into());
        bake::bake(session, ExportRequest { takes, destination, settings, replace, ..ExportRequest::default() })?;
    }
    Ok(())
}

/// Returns one line for each repaired clip, with its stages, and one for each requirement that is still not met, with the reason.
pub(super) fn lines(repaired: &Repaired) -> Vec<String> {
    let of_take =
        |repaired: &RepairedTake| format!("repaired      {}: {}\n", repaired.name, repaired.kinds().join(", "));
    let changed = repaired.takes.iter().filter(|repaired| repaired.added > 0).map(of_take);
    let why = |unmet: &Unmet| {
        let row = Row { measured: unmet.before.clone(), ..unmet.row.clone() };
        let (id, before) = (unmet.row.requirement.id(), measured(&row));
        format!("not repaired  {}: {id}: {} Before: {before}.\n", subject(&unmet.row), unmet.why)
    };
    changed.chain(repaired.unmet.iter().map(why)).collect()
}
