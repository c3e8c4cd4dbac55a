//! Thumbnails of listed clips, drawn in the background on demand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{ClipRow, ClipTable};
use crate::batch::{Strip, strip};
use crate::{JobKey, Jobs};
use portamento_anim::Rig;
use portamento_base::progress::Progress;
use portamento_formats::import;

/// Maximum number of files whose thumbnails stay in memory; some kilobytes per clip.
const MAX_FILES_IN_MEMORY: usize = 64;

/// Thumbnails of the most recently viewed files.
#[derive(Debug, Default)]
pub(super) struct Strips {
    newest_last: Vec<OfFile>,
    /// The file that is being drawn.
    wanted: Option<PathBuf>,
}

/// Thumbnails of one file by clip name; clips without motion have none.
#[derive(Debug)]
struct OfFile {
    file: PathBuf,
    strips: BTreeMap<String, Strip>,
}

/// The thumbnail of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Picture<'s> {
    /// The thumbnail is being drawn.
    Waiting,
    /// The clip has no motion to draw.
    Nothing,
    /// A row of poses.
    Strip(&'s Strip),
}

impl Strips {
    /// Returns the thumbnails of `file`; `None` if they are not in memory.
    fn find(&self, file: &Path) -> Option<&OfFile> {
        self.newest_last.iter().find(|known| known.file == file)
    }

    /// Starts to draw the strips of all clips of `file`, unless that is running already.
    fn draw(&mut self, file: &Path, jobs: &mut Jobs) {
        if jobs.is_running(&JobKey::DrawClips) && self.wanted.as_deref() == Some(file) {
            return;
        }
        self.wanted = Some(file.to_owned());
        let file = file.to_owned();
        let work = move |progress: &Progress| drawn(file, progress);
        jobs.start(JobKey::DrawClips, work, |session, drawn| session.clips.strips.keep(drawn));
    }

    /// Keeps the strips of a file, and only the last [`MAX_FILES_IN_MEMORY`] files.
    fn keep(&mut self, drawn: OfFile) {
        self.wanted.take_if(|wanted| *wanted == drawn.file);
        self.newest_last.push(drawn);
        let superfluous = self.newest_last.len().saturating_sub(MAX_FILES_IN_MEMORY);
        self.newest_last.drain(..superfluous);
    }
}

impl ClipTable {
    /// Returns the thumbnail of the clip at `row`, an index into [`ClipTable::rows`]; nothing if out of range. Starts a job
    /// for all clips of its file if needed.
    pub fn picture(&mut self, row: usize, jobs: &mut Jobs) -> Picture<'_> {
        let Some(ClipRow { file, clip, .. }) = self.rows.get(row) else { return Picture::Nothing };
        if self.strips.find(file).is_none() {
            self.strips.draw(file, jobs);
        }
        match self.strips.find(file) {
            None => Picture::Waiting,
            Some(known) => known.strips.get(clip).map_or(Picture::Nothing, Picture::Strip),
        }
    }
}

/// Draws the thumbnails of `file`; none if it cannot be read, which the list reports elsewhere.
fn drawn(file: PathBuf, progress: &Progress) -> OfFile {
    let model = import::import_within(&file, progress).ok().map(|imported| imported.model);
    let strips = model.iter().flat_map(|model| {
        let hips = Rig::of_model(model).roles.hips;
        model.clips.iter().filter_map(move |clip| Some((clip.name.clone(), strip(&model.skeleton, hips, clip)?)))
    });
    OfFile { strips: strips.collect(), file }
}
