//! Importers: one module per file format, each a pure function from bytes to values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portamento_anim::clip::{is_generic_name, unique_names};
use portamento_anim::geometry::{Level, UpAxis};
use portamento_anim::math::Transform;
use portamento_anim::{Footage, GltfSource, JointTracks, Model, Skeleton};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

mod error;
mod file;
pub mod bvh;
pub mod fbx;
pub mod footage;
mod frames;
mod humanoid;
pub mod gltf;
pub mod images;
mod ktx2;
pub mod npz;
pub mod obj_sequence;
pub mod point_cache;
pub mod sequence;
pub mod obj;
pub mod spring_bone;
pub mod sprite_sheet;
mod texture;
pub mod unit;

pub use error::{Fault, ImportError, file_name};

/// The result of opening a file.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The skeleton, meshes, materials and clips of the file.
    pub model: Model,
    /// The unchanged bytes and JSON of the file, kept so that export can write them back. Only for glTF.
    pub source: Option<Arc<GltfSource>>,
    /// Animation without joints: vertex caches, OBJ sequences and images. `model` then shows its first frame.
    pub footage: Option<Footage>,
    /// The faces with the file's object and material names, which `model` does not store. Only for a single OBJ.
    pub level: Option<Arc<Level>>,
    /// Paths of the images read from outside the file that its JSON does not name.
    pub images: Vec<PathBuf>,
    /// Length of one unit of the file in metres, guessed from the size of the content.
    pub metres_per_unit: f64,
    /// The axis of the file that points up in `model`.
    pub up: UpAxis,
    /// Messages about content that was left out or replaced by defaults.
    pub warnings: Vec<Message>,
    /// Messages about the unit and the frame rate, which the user may have corrected since.
    pub guesses: Vec<Message>,
}

#[cfg(test)]
pub mod tests;

type Reader = fn(&Path, Vec<u8>, &Progress) -> Result<Imported, ImportError>;

/// The file extensions and their readers.
const READERS: [(&str, Reader); 8] = [
    ("bvh", |path, bytes, progress| bvh::read_bytes(path, &bytes, progress)),
    ("fbx", read_fbx),
    ("glb", gltf::read_bytes),
    ("gltf", gltf::read_bytes),
    ("npy", |path, bytes, progress| npz::read_bytes(path, &bytes, progress)),
    ("npz", |path, bytes, progress| npz::read_bytes(path, &bytes, progress)),
    ("vrm", gltf::read_bytes),
    ("vrma", gltf::read_bytes),
];

fn read_fbx(path: &Path, bytes: Vec<u8>, progress: &Progress) -> Result<Imported, ImportError> {
    fbx::read_bytes(path, &bytes, progress)
}

/// Opens `path` by its extension, or by its first bytes where the extension is unknown. A folder, or one of several numbered
/// files, is a sequence.
///
/// Returns `Err` if the file cannot be read, is of an unknown kind or is damaged beyond use. Also if it needs more memory than
/// it may take, or has a chain of joints that is too long. Lesser damage becomes warnings.
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    import_within(path, &Progress::new())
}

/// [`import`] with cancellation. Memory is taken from the budget of `progress`. Returns `Err` too if the user cancels.
pub fn import_within(path: &Path, progress: &Progress) -> Result<Imported, ImportError> {
    let mut imported = read_file(path, progress)?;
    check_depth(path, &imported.model.skeleton)?;
    empty_endless_clips(&mut imported, progress.budget());
    Ok(imported)
}

/// Reads `path` with the reader for its extension or first bytes.
fn read_file(path: &Path, progress: &Progress) -> Result<Imported, ImportError> {
    // Report a missing file here. The image reader would report only that its name has no number.
    let unreadable = |reason| ImportError::Unreadable { file: path.display().to_string(), reason };
    std::fs::metadata(path).map_err(unreadable)?;
    if let Some(imported) = footage::read(path, progress)? {
        return Ok(imported);
    }
    let bytes = file::read_within_budget(path, progress)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_extension = READERS.iter().find(|(known, _)| *known == extension).map(|&(_, read)| read);
    let by_magic = match &bytes[..] {
        [b'g', b'l', b'T', b'F', ..] => Some(gltf::read_bytes as Reader),
        bytes if bytes.starts_with(fbx::MAGIC) => Some(read_fbx as Reader),
        _ => None,
    };
    match by_extension.or(by_magic) {
        Some(read) => read(path, bytes, progress).map(|imported| with_unique_clip_names(named_by_file(imported, path))),
        None => Err(ImportError::UnknownKind {
            file: file_name(path),
            known: extensions().map(|known| format!(".{known}")).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Maximum length of a chain of joints.
/// Many queries walk from a joint to its root, so the cost grows with the square of the length. Ropes and tails have
/// hundreds of joints.
const MAX_CHAIN_JOINTS: usize = 4096;

/// Returns `Err` if a chain of joints is too long.
fn check_depth(path: &Path, skeleton: &Skeleton) -> Result<(), ImportError> {
    let joints = skeleton.depth();
    if joints <= MAX_CHAIN_JOINTS {
        return Ok(());
    }
    Err(ImportError::TooDeep { file: file_name(path), joints, most: MAX_CHAIN_JOINTS })
}

/// Default upper limit of the sampling rate of clips, frames per second.
const MAX_SAMPLE_RATE_FPS: f64 = 120.0;

/// Removes the keys of clips whose sampled frames would exceed the budget, and adds a warning for each.
/// A small file can hold two keys that are a thousand years apart.
fn empty_endless_clips(imported: &mut Imported, budget: &Budget) {
    let joints = imported.model.skeleton.len();
    for clip in &mut imported.model.clips {
        let frames = (clip.duration * MAX_SAMPLE_RATE_FPS) as u64;
        let bytes = frames.saturating_mul((joints * size_of::<Transform>()) as u64);
        let what = || format!("Sampling the clip “{}” of {:.0} s", clip.name, clip.duration);
        if let Err(over) = budget.reserve(bytes, &what) {
            imported.warnings.push(message!(
                "warning.import.endless_clip",
                "%{reason} The clip is left empty.",
                reason = over.to_string()
            ));
            clip.tracks.fill(JointTracks::default());
            clip.duration = 0.0;
        }
    }
}

/// Gives the only clip of a file the file's name if its own says nothing: packs deliver many files with one clip `mixamo.com`
/// each, some with an additional clip `Take 001` that does not move. Does nothing if several clips move, or if a clip has a
/// meaningful name.
fn named_by_file(mut imported: Imported, path: &Path) -> Imported {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let clips = &mut imported.model.clips;
    if name.is_empty() || !clips.iter().all(|clip| is_generic_name(&clip.name)) {
        return imported;
    }
    let has_one = clips.len() == 1;
    let mut moving: Vec<_> = clips.iter_mut().filter(|clip| has_one || !clip.is_pose()).collect();
    if let [clip] = &mut moving[..] {
        clip.name = name;
    }
    imported
}

/// Renames clips with equal names to `name#2`, `name#3` …, so that each can be selected. Adds a harmless warning for each.
fn with_unique_clip_names(mut imported: Imported) -> Imported {
    let names: Vec<String> = imported.model.clips.iter().map(|clip| clip.name.clone()).collect();
    let apart = unique_names(&names);
    for (clip, name) in imported.model.clips.iter_mut().zip(apart).filter(|(clip, name)| clip.name != *name) {
        imported.warnings.push(
            message!(
                "warning.import.clips_told_apart",
                "Several clips are named “%{clip}”. This one is listed as “%{name}”.",
                clip = &clip.name,
                name
            )
            .harmless(),
        );
        clip.name = name;
    }
    imported
}

/// Returns every extension that can be opened, in lower case and without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(known, _)| *known).chain(footage::EXTENSIONS)
}
