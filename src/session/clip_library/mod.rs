//! A measured library of clips: one row per clip of every file.

mod after;
mod choice;
pub mod columns;
mod command;
mod csv;
mod figures;
mod files;
mod found;
mod harm;
pub mod job;
mod mend;
mod mended;
mod mending;
mod strips;
mod table;
mod tags;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use choice::ChooseMode;
pub use command::LibraryCommand;
pub(crate) use command::library_entries;
pub use csv::csv;
pub use figures::Figures;
pub use files::{clip_files, is_clip_folder, sources_of};
pub use found::Found;
pub use mend::{Stack, mends, quality_of};
pub(super) use mend::{
    closed, grounded, is_long_enough_to_close, is_stationary, quality_within, with_input, with_stages,
};
pub use mended::{Mended, mend_file, mended_extension, mended_names};
pub use mending::MendRequest;
pub(super) use mending::{Faulty, MendedClip, OpenFiles};
pub use strips::Picture;
pub use table::{ClipTable, Order};
pub use tags::{Tags, tag_of};

use crate::background::in_background;
use portamento_anim::foot_shape::soles;
use portamento_anim::quality::{Input, Quality, quality};
use portamento_anim::{Clip, Rig};
use portamento_base::message::{Message, Tell};
use portamento_base::progress::{Cancelled, Progress};
use portamento_formats::import;

/// A clip and its measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipRow {
    /// The file of the clip.
    #[serde(serialize_with = "shown")]
    pub file: PathBuf,
    /// The clip's name.
    pub clip: String,
    /// Its figures; `None` where it cannot be measured.
    pub quality: Option<Quality>,
    /// Its tags, sorted; stored separately from the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Serialises `path` as displayed, with � for invalid Unicode.
pub(super) fn shown<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A measured file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MeasuredFile {
    pub file: PathBuf,
    /// One row per clip, or the reason the file could not be read.
    pub rows: Result<Vec<ClipRow>, Message>,
}

/// The measured clips and the unreadable files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipLibrary {
    /// All clips, grouped by file.
    pub rows: Vec<ClipRow>,
    /// Unreadable files with the reason.
    pub failures: Vec<(PathBuf, Message)>,
}

/// Measures every clip of `files` in parallel. Unreadable files do not stop the others. The result is independent of
/// the number of threads. Rows have no tags. Cancelled files are listed as failures.
pub fn measure(files: &[PathBuf], progress: &Progress) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    let each = |file: &PathBuf| {
        let part = progress.one_of(files.len());
        let measured = measured(file, &Figures::default(), &part);
        // Errors from cancellation are ignored here.
        let _ = part.finish();
        measured
    };
    let measured: Vec<_> = files.par_iter().map(each).collect();
    for MeasuredFile { file, rows } in measured {
        match rows {
            Ok(rows) => library.rows.extend(rows),
            Err(reason) => library.failures.push((file, reason)),
        }
    }
    library
}

/// Measures every clip of `files` and passes each file to `found` as soon as it is done, in any order. Uses the cache
/// `figures`.
fn measure_each(files: &[PathBuf], figures: &Figures, progress: &Progress, found: impl Fn(MeasuredFile) + Send + Sync) {
    let each = |file: &PathBuf| {
        let part = progress.one_of(files.len());
        if !part.is_cancelled() {
            found(measured(file, figures, &part));
            // Errors from cancellation are ignored here.
            let _ = part.finish();
        }
    };
    in_background(|| files.par_iter().for_each(each));
}

/// Returns the figures of all clips of `file`, from the cache `figures` if it has them. Rows have no tags.
fn measured(file: &Path, figures: &Figures, progress: &Progress) -> MeasuredFile {
    let rows = figures.of_file(file, progress, || rows_of(file, progress));
    MeasuredFile { file: file.to_owned(), rows }
}

/// Measures all clips of `file`. Rows have no tags.
fn rows_of(file: &Path, progress: &Progress) -> Result<Vec<ClipRow>, Message> {
    each_clip(file, progress, |input, part| {
        let quality = quality(input, part)?;
        Ok(ClipRow { file: file.to_owned(), clip: input.clip.name.clone(), quality, tags: Vec::new() })
    })
}

/// Imports `file` and returns the result of `measure` for each of its clips. Returns `Err` if the file cannot be imported, or
/// if cancelled.
pub(crate) fn each_clip<T>(
    file: &Path,
    progress: &Progress,
    measure: impl Fn(&Input, &Progress) -> Result<T, Cancelled>,
) -> Result<Vec<T>, Message> {
    let imported = import::import_within(file, &progress.share(0.5)).map_err(|error| error.message())?;
    let (model, roles) = (&imported.model, Rig::of_model(&imported.model).roles);
    let soles = soles(model, &roles.legs);
    let (skeleton, metres_per_unit) = (&model.skeleton, imported.metres_per_unit);
    let of_clips = progress.share(0.5);
    let of_clip = |clip: &Clip| {
        let part = of_clips.one_of(model.clips.len());
        let input = Input { skeleton, clip, roles: &roles, soles: &soles, metres_per_unit };
        let result = measure(&input, &part).and_then(|result| part.finish().map(|()| result));
        result.map_err(|cancelled| cancelled.message())
    };
    model.clips.iter().map(of_clip).collect()
}

#[cfg(test)]
mod tests;
