//! Files in: each format one module, each a pure function from bytes to values.

use std::path::Path;
use std::sync::Arc;

use crate::anim::{Footage, GltfSource, Model};
use crate::geometry::Level;
use crate::progress::Progress;

mod error;
pub mod bvh;
pub mod footage;
mod humanoid;
pub mod gltf;
pub mod images;
pub mod obj_sequence;
pub mod point_cache;
pub mod sequence;
pub mod obj;
pub mod spring_bone;
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
    /// Length of the file's unit, guessed from the size of what it holds.
    pub metres_per_unit: f64,
    /// Sentences about what was left out or made up.
    pub warnings: Vec<String>,
}

type Reader = fn(&Path, &[u8]) -> Result<Imported, ImportError>;

/// Which extensions each reader opens.
const READERS: [(&str, Reader); 4] =
    [("bvh", bvh::from_bytes), ("glb", gltf::from_bytes), ("gltf", gltf::from_bytes), ("vrm", gltf::from_bytes)];

/// Opens `path` by its extension, or by its first bytes where the extension is unknown. A folder, or one of several numbered
/// files, is a sequence.
///
/// Errors when the file cannot be read, is of an unknown kind, or is damaged beyond use; lesser damage becomes warnings.
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    if let Some(imported) = footage::read(path, &Progress::new())? {
        return Ok(imported);
    }
    let bytes =
        std::fs::read(path).map_err(|reason| ImportError::Unreadable { file: path.display().to_string(), reason })?;
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_extension = READERS.iter().find(|(known, _)| *known == extension).map(|&(_, read)| read);
    let by_magic = bytes.starts_with(b"glTF").then_some(gltf::from_bytes as Reader);
    match by_extension.or(by_magic) {
        Some(read) => read(path, &bytes),
        None => Err(ImportError::UnknownKind {
            file: file_name(path),
            known: extensions().map(|known| format!(".{known}")).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Every extension that can be opened, lower case, without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(known, _)| *known).chain(footage::EXTENSIONS)
}
