//! Files in: each format one module, each a pure function from bytes to values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::anim::clip::names_apart;
use crate::anim::{Footage, GltfSource, JointTracks, Model, Skeleton};
use crate::budget::Budget;
use crate::geometry::Level;
use crate::math::Transform;
use crate::message::{Message, message};
use crate::progress::Progress;

mod error;
mod file;
pub mod bvh;
pub mod fbx;
pub mod footage;
mod humanoid;
pub mod gltf;
pub mod images;
mod ktx2;
pub mod obj_sequence;
pub mod point_cache;
pub mod sequence;
pub mod obj;
pub mod spring_bone;
pub mod sprite_sheet;
mod texture;
pub mod unit;

pub use error::{Fault, ImportError, file_name};

/// A file that was opened.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// What it holds.
    pub model: Model,
    /// The whole file as it was, where export can give it back; only glTF.
    pub source: Option<Arc<GltfSource>>,
    /// What moves without joints; `model` then shows its first frame.
    pub footage: Option<Footage>,
    /// The faces with the names the file gives them, where `model` cannot tell them; only a lone OBJ.
    pub level: Option<Arc<Level>>,
    /// Images outside the file that were read for it, where its JSON does not name them.
    pub images: Vec<PathBuf>,
    /// Length of the file's unit, guessed from the size of what it holds.
    pub metres_per_unit: f64,
    /// Sentences about what was left out or made up.
    pub warnings: Vec<Message>,
}

#[cfg(test)]
pub(crate) mod tests;

type Reader = fn(&Path, &[u8], &Progress) -> Result<Imported, ImportError>;

/// Which extensions each reader opens.
const READERS: [(&str, Reader); 6] = [
    ("bvh", bvh::within),
    ("fbx", fbx::within),
    ("glb", gltf::within),
    ("gltf", gltf::within),
    ("vrm", gltf::within),
    ("vrma", gltf::within),
];

/// Opens `path` by its extension, or by its first bytes where the extension is unknown. A folder, or one of several numbered
/// files, is a sequence.
///
/// Errors when the file cannot be read, is of an unknown kind, needs more memory than it may take, or is damaged beyond use;
/// lesser damage becomes warnings.
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    import_within(path, &Progress::new())
}

/// [`import`] that can be stopped and takes its memory from the budget of `progress`.
pub fn import_within(path: &Path, progress: &Progress) -> Result<Imported, ImportError> {
    let mut imported = opened(path, progress)?;
    check_depth(path, &imported.model.skeleton)?;
    empty_endless_clips(&mut imported, progress.budget());
    Ok(imported)
}

fn opened(path: &Path, progress: &Progress) -> Result<Imported, ImportError> {
    // Of a picture that is not there it would be said that its name has no number.
    let unreadable = |reason| ImportError::Unreadable { file: path.display().to_string(), reason };
    std::fs::metadata(path).map_err(unreadable)?;
    if let Some(imported) = footage::read(path, progress)? {
        return Ok(imported);
    }
    let bytes = file::whole(path, progress)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_extension = READERS.iter().find(|(known, _)| *known == extension).map(|&(_, read)| read);
    let by_magic = match &bytes[..] {
        [b'g', b'l', b'T', b'F', ..] => Some(gltf::within as Reader),
        bytes if bytes.starts_with(fbx::MAGIC) => Some(fbx::within as Reader),
        _ => None,
    };
    match by_extension.or(by_magic) {
        Some(read) => read(path, &bytes, progress).map(with_clips_told_apart),
        None => Err(ImportError::UnknownKind {
            file: file_name(path),
            known: extensions().map(|known| format!(".{known}")).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Joints that may hang on one another: much of what is asked about a joint goes up to its root, and a chain ten times as long takes a
/// hundred times as long. Ropes and tails have hundreds.
const DEEPEST: usize = 4096;

fn check_depth(path: &Path, skeleton: &Skeleton) -> Result<(), ImportError> {
    let joints = skeleton.depth();
    if joints <= DEEPEST {
        return Ok(());
    }
    Err(ImportError::TooDeep { file: file_name(path), joints, most: DEEPEST })
}

/// Frames per second at which clips are sampled at most without being asked to.
const SAMPLED: f64 = 120.0;

/// Two keys a thousand years apart fit into a small file, but their frames fit into no memory: such a clip loses its keys.
fn empty_endless_clips(imported: &mut Imported, budget: &Budget) {
    let joints = imported.model.skeleton.len();
    for clip in &mut imported.model.clips {
        let frames = (clip.duration * SAMPLED) as u64;
        let bytes = frames.saturating_mul((joints * size_of::<Transform>()) as u64);
        let what = || format!("Sampling the clip “{}” of {:.0} s", clip.name, clip.duration);
        if let Err(over) = budget.reserve(bytes, &what) {
            imported.warnings.push(message!(
                "warning.import.endless_clip",
                "%{reason} It is left empty.",
                reason = over.to_string()
            ));
            clip.tracks.fill(JointTracks::default());
            clip.duration = 0.0;
        }
    }
}

/// Clips of equal names get `#2`, `#3` … behind the name, so that each can be chosen.
fn with_clips_told_apart(mut imported: Imported) -> Imported {
    let names: Vec<String> = imported.model.clips.iter().map(|clip| clip.name.clone()).collect();
    let apart = names_apart(&names);
    for (clip, name) in imported.model.clips.iter_mut().zip(apart).filter(|(clip, name)| clip.name != *name) {
        imported.warnings.push(message!(
            "warning.import.clips_told_apart",
            "Several clips are called “%{clip}”; this one is found as “%{name}”.",
            clip = &clip.name,
            name
        ));
        clip.name = name;
    }
    imported
}

/// Every extension that can be opened, lower case, without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(known, _)| *known).chain(footage::EXTENSIONS)
}
