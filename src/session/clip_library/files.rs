//! Which files hold clips.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::import;
use crate::message::{Message, message};

/// What holds clips, by extension.
const KNOWN: [&str; 5] = ["glb", "gltf", "vrm", "fbx", "bvh"];

/// Folders within folders that are entered.
const DEEPEST: usize = 32;

/// The files that hold clips among `paths` and in the folders among them, folders within folders too, each once and in order.
///
/// Errors where a path or folder cannot be read.
pub fn clip_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Message> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { add_folder(path, 0, &mut files)? } else { files.push(path.clone()) }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// Whether what `path` is for is its clips: a folder with clips in it, or with nothing else that opens.
///
/// A folder of frames or pictures is one thing to open and not a list.
pub fn is_clip_folder(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let kinds: Vec<String> = files.filter(|file| file.is_file()).filter_map(|file| extension(&file)).collect();
    let opens = |kind: &String| import::extensions().any(|known| known == kind);
    kinds.iter().any(|kind| KNOWN.contains(&&**kind)) || !kinds.iter().any(opens)
}

fn add_folder(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Message> {
    let failed = |error: std::io::Error| {
        message!(
            "error.library.folder",
            "The folder %{folder} could not be read: %{error}. Choose one that you may read.",
            folder = folder.display().to_string(),
            error = &error
        )
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_known = extension(&path).is_some_and(|extension| KNOWN.contains(&&*extension));
        // A link to a folder may lead around in a circle.
        if path.is_dir() && !path.is_symlink() && depth < DEEPEST {
            add_folder(&path, depth + 1, files)?;
        } else if is_known && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}
