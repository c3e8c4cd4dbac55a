//! What is found in clips, mended by stages of takes: live, to be undone, the file untouched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ClipRow;
use crate::anim::quality::{self, Finding, Quality, quality};
use crate::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};
use crate::message::message;
use crate::progress::Progress;
use crate::session::{Session, Severity};
use crate::systems::{cleanup, close};

/// The stages that mend what was found in a clip, in the order in which they act; none where nothing was.
pub fn mends(quality: &Quality) -> Vec<StageKind> {
    let is_found = |finding: Finding| quality.findings.contains(&finding);
    let cleanup = cleanup::Settings {
        pops: is_found(Finding::Pops),
        jitter: is_found(Finding::Jitters),
        rotations: is_found(Finding::BadRotations),
        origin: is_found(Finding::StartsOffOrigin),
        ..cleanup::Settings::default()
    };
    let mut kinds = Vec::new();
    if cleanup.pops || cleanup.jitter || cleanup.rotations || cleanup.origin {
        kinds.push(StageKind::Cleanup(Box::new(cleanup)));
    }
    if is_found(Finding::FeetSlide) || is_found(Finding::FeetSink) {
        kinds.push(StageKind::Ground(Box::default()));
    }
    if is_found(Finding::DoesNotClose) {
        let usual = close::Settings::default();
        kinds
            .push(StageKind::Close(Box::new(close::Settings { seam: usual.seam.min(0.5 * quality.seconds), ..usual })));
    }
    kinds
}

impl Session {
    /// Makes a take of each of `rows` whose findings can be mended, after opening the files that are not open yet.
    pub(in crate::session) fn mend_clips(&mut self, rows: Vec<ClipRow>) {
        let mut wanted: BTreeMap<PathBuf, Vec<ClipRow>> = BTreeMap::new();
        for row in rows {
            let path = std::path::absolute(&row.file).unwrap_or_else(|_| row.file.clone());
            wanted.entry(path).or_default().push(row);
        }
        let is_open = |path: &Path| self.document.files.iter().any(|file| file.path == path);
        let missing: Vec<PathBuf> = wanted.keys().filter(|path| !is_open(path)).cloned().collect();
        self.open_then(missing, move |session| {
            let before = session.document.takes.len();
            for (path, rows) in &wanted {
                let file = session.document.files.iter().find(|file| file.path == *path).map(|file| file.id);
                file.into_iter().for_each(|file| rows.iter().for_each(|row| session.add_mended(file, row)));
            }
            let count = session.document.takes.len() - before;
            let message = message!(
                "notice.mended",
                "%{count} takes were made that mend what was found. Their stages show what was changed.",
                count
            );
            session.notices.say(Severity::Done, message);
        });
    }

    fn add_mended(&mut self, file: FileId, row: &ClipRow) {
        let kinds = row.quality.as_ref().map(mends).unwrap_or_default();
        if kinds.is_empty() {
            return;
        }
        let source = TakeSource::Clip { file, clip: row.clip.clone() };
        let take = Take { id: TakeId(0), name: String::new(), character: file, source, stages: Stage::numbered(kinds) };
        self.add_take(&format!("{} mended", row.clip), take);
    }

    /// The figures of what comes out of take `id`; `None` where it cannot be built or measured.
    pub fn quality_of(&mut self, id: TakeId) -> Option<Quality> {
        let take = self.document.take(id)?.clone();
        let built = self.built(&take).ok()?;
        let (skeleton, roles) = (&built.character.model.skeleton, &built.roles);
        let input = quality::Input { skeleton, clip: &built.clip, roles, metres_per_unit: built.metres_per_unit };
        quality(&input, &Progress::new()).ok().flatten()
    }
}
