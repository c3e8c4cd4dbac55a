//! Clips with findings, mended and written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::anim::quality::Finding;
use crate::cli::Failure;
use crate::cli::bake::bake;
use crate::export::Replace;
use crate::session::ExportRequest;
use crate::session::clip_library::{ClipRow, Mended, mend_file, mended_names};

/// Mends the clips of `rows` of which something can be, into `folder`, several of `files` at a time. A file that cannot be written
/// does not stop the others.
pub(super) fn mend(
    files: &[PathBuf],
    rows: &[ClipRow],
    folder: &Path,
    replace: Replace,
) -> Vec<Result<Vec<Mended>, Failure>> {
    let names: BTreeMap<&PathBuf, String> = files.iter().zip(mended_names(files)).collect();
    let of_files: Vec<&[ClipRow]> = rows.chunk_by(|one, other| one.file == other.file).collect();
    let mended = |rows: &&[ClipRow]| {
        let name = rows.first().and_then(|row| names.get(&row.file)).cloned().unwrap_or_default();
        mend_file(rows, folder.join(name), |session, request| bake(session, ExportRequest { replace, ..request }))
    };
    of_files.par_iter().map(mended).collect()
}

/// Findings before, what is left of them, and by which stages.
pub(super) fn line(mended: &Mended) -> String {
    let names = |findings: &[Finding]| {
        let names: Vec<_> = findings.iter().map(|finding| finding.name()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    let after = match (&mended.after, &mended.unmended) {
        (Some(after), _) => format!("{} ({})", names(&after.findings), mended.mends.join(", ")),
        (None, Some(why)) => format!("not mended: {why}"),
        (None, None) => "not measured".to_owned(),
    };
    format!("{}  {}: {} → {after}\n", mended.file.display(), mended.clip, names(&mended.before.findings))
}
