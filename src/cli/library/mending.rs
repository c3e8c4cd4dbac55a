//! Clips with findings, mended and written: each file once more with the mended clips in place of those they were made from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::anim::quality::{Finding, Quality};
use crate::cli::Failure;
use crate::cli::bake::bake;
use crate::export::Replace;
use crate::session::clip_library::{ClipRow, mends};
use crate::session::{Command, ExportRequest, FileCommand, Keep, Session};

/// What was mended in one clip.
pub(super) struct Mended {
    file: PathBuf,
    clip: String,
    before: Quality,
    after: Option<Quality>,
}

/// Mends the clips of `rows` of which something can be, into `folder`, several files at a time. A file that cannot be written does
/// not stop the others.
pub(super) fn mend(rows: &[ClipRow], folder: &Path, replace: Replace) -> Vec<Result<Vec<Mended>, Failure>> {
    let mut by_file: BTreeMap<&Path, Vec<ClipRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty())) {
        by_file.entry(&row.file).or_default().push(row.clone());
    }
    let files: Vec<(&Path, Vec<ClipRow>)> = by_file.into_iter().collect();
    let names = names(files.iter().map(|(file, _)| *file), folder);
    files.into_par_iter().zip(names).map(|((_, rows), to)| mend_file(rows, to, replace)).collect()
}

/// What each file is called in `folder`: as it is where no other has that name, else with a number.
fn names<'f>(files: impl Iterator<Item = &'f Path>, folder: &Path) -> Vec<PathBuf> {
    let mut used = std::collections::BTreeSet::new();
    let mut free = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let end = if matches!(&*extension, "fbx" | "vrm" | "gltf") { extension } else { "glb".into() };
        let name = |number: usize| if number == 1 { format!("{stem}.{end}") } else { format!("{stem}_{number}.{end}") };
        let name = (1..).map(name).find(|name| used.insert(name.to_lowercase())).unwrap_or_default();
        folder.join(name)
    };
    files.map(&mut free).collect()
}

fn mend_file(rows: Vec<ClipRow>, to: PathBuf, replace: Replace) -> Result<Vec<Mended>, Failure> {
    let mut session = Session::inline();
    let told = rows.clone();
    session.perform(Command::File(FileCommand::MendClips(rows)));
    let takes: Vec<_> = session.document.takes.iter().map(|take| take.id).collect();
    let after: Vec<Option<Quality>> = takes.iter().map(|&take| session.quality_of(take)).collect();
    let request = ExportRequest { takes, destination: to, keep: Keep::Replace, replace, ..ExportRequest::default() };
    bake(&mut session, request)?;
    let mended = |(row, after): (ClipRow, Option<Quality>)| {
        Some(Mended { file: row.file, clip: row.clip, before: row.quality?, after })
    };
    Ok(told.into_iter().zip(after).filter_map(mended).collect())
}

impl Mended {
    pub(super) fn json(&self) -> Value {
        json!({ "file": self.file.display().to_string(), "clip": self.clip, "before": self.before, "after": self.after })
    }

    /// Findings before and what is left of them.
    pub(super) fn line(&self) -> String {
        let names = |findings: &[Finding]| {
            let names: Vec<_> = findings.iter().map(|finding| finding.name()).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        let after = self.after.as_ref().map_or_else(|| "not measured".into(), |after| names(&after.findings));
        format!("{}  {}: {} → {after}\n", self.file.display(), self.clip, names(&self.before.findings))
    }
}
