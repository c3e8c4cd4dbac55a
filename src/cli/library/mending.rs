//! Clips with findings, mended and written.

use std::path::PathBuf;

use crate::anim::quality::Finding;
use crate::message::Message;
use crate::session::clip_library::job::MendedFile;
use crate::session::clip_library::{ClipLibrary, Mended};

/// What was measured in `files`, of which `made` tells, and the files that could not be read.
pub(super) fn library(files: &[PathBuf], made: &[MendedFile]) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    for (file, MendedFile { record, .. }) in files.iter().zip(made) {
        library.rows.extend(record.clips.iter().cloned());
        library.failures.extend(record.unread.iter().map(|why| (file.clone(), Message::verbatim(why.clone()))));
    }
    library
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
