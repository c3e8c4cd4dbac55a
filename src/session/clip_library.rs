//! Folders of clips, measured: one row per clip of every file, in the order of the files.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::anim::Rig;
use crate::anim::quality::{Input, Quality, quality};
use crate::import;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;

/// What holds clips, by extension.
const KNOWN: [&str; 5] = ["glb", "gltf", "vrm", "fbx", "bvh"];

/// Folders within folders that are entered.
const DEEPEST: usize = 32;

/// One clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipRow {
    /// The file.
    pub file: PathBuf,
    /// The clip's name.
    pub clip: String,
    /// Its figures; `None` where it cannot be measured.
    pub quality: Option<Quality>,
}

/// What was found and what could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipLibrary {
    /// All clips, file after file.
    pub rows: Vec<ClipRow>,
    /// Files that could not be read, each with the reason.
    pub failures: Vec<(PathBuf, Message)>,
}

/// Measures every clip of `files`, several files at a time; one that cannot be read does not stop the others. What it answers does
/// not depend on the number of threads.
pub fn measure(files: &[PathBuf], progress: &Progress) -> ClipLibrary {
    let read: Vec<_> = files.par_iter().map(|file| (file, rows_of(file, progress))).collect();
    let mut library = ClipLibrary::default();
    for (file, rows) in read {
        match rows {
            Ok(rows) => library.rows.extend(rows),
            Err(reason) => library.failures.push((file.clone(), reason)),
        }
    }
    library
}

fn rows_of(file: &Path, progress: &Progress) -> Result<Vec<ClipRow>, Message> {
    let imported = import::import_within(file, progress).map_err(|error| error.message())?;
    let (model, roles) = (&imported.model, Rig::of_model(&imported.model).roles);
    let row = |clip| {
        let input = Input { skeleton: &model.skeleton, clip, roles: &roles, metres_per_unit: imported.metres_per_unit };
        ClipRow { file: file.to_owned(), clip: clip.name.clone(), quality: quality(&input) }
    };
    Ok(model.clips.iter().map(row).collect())
}

/// The files that hold clips among `paths` and in the folders among them, folders within folders too, each once and in order.
///
/// Errors where a path or folder cannot be read.
pub fn clip_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Message> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { add_folder(path, 0, &mut files)? } else { files.push(path.clone()) }
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

fn add_folder(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Message> {
    let failed = |error: std::io::Error| {
        message!(
            "error.library.folder",
            "The folder %{folder} could not be read: %{error}. Choose one that you may read.",
            folder = folder.display().to_string(),
            error
        )
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let is_known = extension.is_some_and(|extension| KNOWN.contains(&&*extension));
        // A link to a folder may lead around in a circle.
        if path.is_dir() && !path.is_symlink() && depth < DEEPEST {
            add_folder(&path, depth + 1, files)?;
        } else if is_known && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
