//! Fixing clips with findings.

use std::path::PathBuf;

use crate::output::one_line;
use portamento_anim::quality::Finding;
use portamento_base::message::Message;
use portamento_session::clip_library::job::MendedFile;
use portamento_session::clip_library::{ClipLibrary, Mended};

/// Returns the measurements of `files` and the unreadable files, from the results of fixing them, which are in the same
/// order.
pub(super) fn library(files: &[PathBuf], results: &[MendedFile]) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    for (file, MendedFile { record, .. }) in files.iter().zip(results) {
        library.rows.extend(record.clips.iter().cloned());
        library.failures.extend(record.unread.iter().map(|why| (file.clone(), Message::verbatim(why.clone()))));
    }
    library
}

/// Returns a line with the findings before and after the fix, and the stages used.
pub(super) fn line(mended: &Mended) -> String {
    let names = |findings: &[Finding]| {
        let names: Vec<_> = findings.iter().map(|finding| finding.name()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    let after = match (&mended.after, &mended.unmended) {
        (Some(after), _) => format!("{} ({})", names(&after.findings), mended.mends.join(", ")),
        (None, Some(why)) => format!("not fixed: {why}"),
        (None, None) => "not measured".to_owned(),
    };
    let names = names(&mended.before.findings);
    one_line(&format!("{}  {}: {names} → {after}", mended.file.display(), mended.clip)) + "\n"
}
