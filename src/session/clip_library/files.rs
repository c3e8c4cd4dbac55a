//! Discovery of files with clips.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::export::named_in;
use portamento_base::message::{Message, message};
use portamento_base::regular_file;
use portamento_formats::export::Sources;
use portamento_formats::import;

/// Extensions of files with clips.
const CLIP_EXTENSIONS: [&str; 7] = ["glb", "gltf", "vrm", "fbx", "bvh", "npz", "npy"];

/// Maximum depth of nested folders that are searched.
const MAX_FOLDER_DEPTH: usize = 32;

/// Returns `paths` with each folder replaced by the clip files in it and its subfolders, without duplicates, in order.
/// Files among `paths` stay, whatever their extension.
///
/// Returns `Err` if a folder cannot be read.
pub fn clip_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Message> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { add_folder(path, 0, &mut files)? } else { files.push(path.clone()) }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// Returns `files` and the files that they refer to, such as buffers and textures. No output may replace one of them. A
/// file that cannot be read adds only itself.
pub fn sources_of(files: &[PathBuf]) -> Sources {
    let mut sources = Sources::default();
    for file in files {
        sources.add(file);
        let bytes = regular_file::all(file).unwrap_or_default();
        referred(file, &bytes).iter().for_each(|path| sources.add(path));
    }
    sources
}

/// Returns the files that a file with the content `bytes` refers to. An FBX file is imported for that. Empty if the file
/// refers to none or cannot be parsed.
pub(super) fn referred(file: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match &*extension {
        "bvh" | "npz" | "npy" => Vec::new(),
        "fbx" => import::import(file).map(|imported| imported.images).unwrap_or_default(),
        _ => import::gltf::json_of(bytes).map(|json| named_in(&json, file)).unwrap_or_default(),
    }
}

/// True if `path` is a folder that opens as a clip list: it contains clip files, or no other importable file.
///
/// A folder of image or mesh frames opens as one source instead. Subfolders do not count. False if the folder cannot be
/// read.
pub fn is_clip_folder(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let kinds: Vec<String> = files.filter(|file| file.is_file()).filter_map(|file| extension(&file)).collect();
    let opens = |kind: &String| import::extensions().any(|known| known == kind);
    kinds.iter().any(|kind| CLIP_EXTENSIONS.contains(&&**kind)) || !kinds.iter().any(opens)
}

/// Adds the clip files of `folder` and its subfolders, down to [`MAX_FOLDER_DEPTH`], in the order of their paths. Returns `Err`
/// at the first folder that cannot be read. Skips symbolic links to folders.
fn add_folder(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Message> {
    let failed = |error: std::io::Error| {
        message!(
            "error.library.folder",
            "The folder %{folder} cannot be read: %{error}. Check its permissions or choose another folder.",
            folder = folder.display().to_string(),
            error = &error
        )
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_known = extension(&path).is_some_and(|extension| CLIP_EXTENSIONS.contains(&&*extension));
        // Symbolic links are skipped because they can form cycles.
        if path.is_dir() && !path.is_symlink() && depth < MAX_FOLDER_DEPTH {
            add_folder(&path, depth + 1, files)?;
        } else if is_known && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the extension of `path` in lower case; `None` if it has none.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}
