//! Why something could not be exported.

use std::path::PathBuf;

use crate::message::{message, tell};

/// Why something could not be exported: what happened and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No clip, or a clip without a single curve.
    EmptyClip {
        /// Name of the clip.
        clip: String,
    },
    /// A curve whose keys and values do not belong together.
    BadCurve {
        /// Name of the clip.
        clip: String,
        /// The name of the joint.
        joint: String,
        /// What is moved.
        path: &'static str,
        /// What is wrong, as the rest of the sentence.
        reason: String,
    },
    /// The file has a clip of that name already.
    NameTaken {
        /// Name of the clip.
        clip: String,
    },
    /// The clip to replace is not in the file.
    NothingToReplace {
        /// Name of the clip.
        clip: String,
    },
    /// The skeleton is not that of the file.
    ForeignJoint {
        /// The name of the joint.
        joint: String,
        /// The file, as it was asked for.
        file: String,
    },
    /// A file that was referred to could not be read again.
    MissingPart {
        /// The file, as it was asked for.
        file: String,
        /// The system's words.
        reason: String,
    },
    /// Vertices without triangles.
    NoFaces {
        /// Name of the clip.
        clip: String,
    },
    /// GLB sizes are 32-bit.
    TooLarge {
        /// Bytes the file would have.
        bytes: usize,
    },
    /// A frame of an image sequence could not be had.
    Frame {
        /// Which, and why.
        reason: crate::media::image_clip::FrameError,
    },
    /// An image or texture that cannot be encoded.
    Image {
        /// The sequence or clip.
        name: String,
        /// The reason, as the rest of the sentence.
        reason: String,
    },
    /// The file needs more memory than it may take.
    OverBudget(#[from] crate::budget::OverBudget),
    /// Somebody stopped the writing.
    Cancelled(#[from] crate::progress::Cancelled),
    /// Neither .glb nor .gltf.
    UnknownKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// Spring bones were asked for in a file that cannot hold them.
    NoSpringBones {
        /// The file, as it was asked for.
        file: String,
    },
    /// A motion for avatars was asked for of what is no person.
    NoPerson {
        /// The bones that were not found, by their names in VRM.
        missing: String,
    },
    /// No ending that routes are written with.
    UnknownRouteKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// No ending that distance curves are written with.
    UnknownCurveKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// An extension for something else.
    OtherKind {
        /// The file, as it was asked for.
        file: String,
        /// What to do, as the rest of the sentence.
        instead: String,
    },
    /// A source of the project would be overwritten.
    SourceInTheWay {
        /// What was to be written.
        file: String,
        /// The source file that has this name.
        source_file: String,
    },
    /// Two outputs of one name.
    WrittenTwice {
        /// The file, as it was asked for.
        file: String,
    },
    /// Files are there that nobody said may be replaced.
    WouldReplace {
        /// Files that are there already.
        files: Vec<PathBuf>,
    },
    /// The disk said no.
    Unwritable {
        /// The file, as it was asked for.
        file: String,
        /// The system's words.
        reason: std::io::Error,
    },
}

tell!(ExportError {
    ExportError::EmptyClip { clip } => message!(
        "error.export.empty_clip",
        "The clip “%{clip}” moves nothing, so there is nothing to write. Choose a clip with keys.",
        clip,
    ),
    ExportError::BadCurve { clip, path, joint, reason } => message!(
        "error.export.bad_curve",
        "The clip “%{clip}” cannot be written: the %{path} of “%{joint}” %{reason}. Bake it again.",
        clip, path, joint, reason,
    ),
    ExportError::NameTaken { clip } => message!(
        "error.export.name_taken",
        "The file already has a clip named “%{clip}”. Choose another name, or replace that clip.",
        clip,
    ),
    ExportError::NothingToReplace { clip } => message!(
        "error.export.nothing_to_replace",
        "The file has no clip named “%{clip}” to replace. Append the clip instead.",
        clip,
    ),
    ExportError::NoPerson { missing } => message!(
        "error.export.no_person",
        "A VRM animation needs the bones of a person, and these were not found: %{missing}. Set the roles of the character, or choose another format.",
        missing,
    ),
    ExportError::ForeignJoint { joint, file } => message!(
        "error.export.foreign_joint",
        "“%{joint}” is no node of %{file}. Export into the file the clip was made with.",
        joint, file,
    ),
    ExportError::MissingPart { file, reason } => message!(
        "error.export.missing_part",
        "%{file} could not be read (%{reason}). Put it back, or export to a .gltf file beside the source.",
        file, reason,
    ),
    ExportError::NoFaces { clip } => message!(
        "error.export.no_faces",
        "“%{clip}” has no faces, so a glTF has nothing to draw. Choose the mesh the cache was made from.",
        clip,
    ),
    ExportError::TooLarge { bytes } => message!(
        "error.export.too_large",
        "The file would be %{bytes} bytes, more than a GLB can hold. Export to .gltf instead.",
        bytes,
    ),
    ExportError::Image { name, reason } => message!(
        "error.export.image",
        "“%{name}” cannot be written as an image: %{reason}. Choose another size or format.",
        name, reason,
    ),
    ExportError::UnknownKind { file } => message!(
        "error.export.unknown_kind",
        "%{file} has an extension that cannot be written. Choose a name that ends in .glb, .gltf or .fbx.",
        file,
    ),
    ExportError::NoSpringBones { file } => message!(
        "error.export.no_spring_bones",
        "%{file} cannot hold spring bones. Export a .glb or .vrm, or leave the spring bones out.",
        file,
    ),
    ExportError::UnknownRouteKind { file } => message!(
        "error.export.unknown_route_kind",
        "%{file} has an extension routes cannot be written with. Choose .json, .csv, .gltf or .glb.",
        file,
    ),
    ExportError::UnknownCurveKind { file } => message!(
        "error.export.unknown_curve_kind",
        "%{file} has an extension a distance curve cannot be written with. Choose .json or .csv.",
        file,
    ),
    ExportError::OtherKind { file, instead } => message!(
        "error.export.other_kind",
        "%{file} has an extension that cannot hold this take; %{instead}.",
        file, instead,
    ),
    ExportError::SourceInTheWay { file, source_file } => message!(
        "error.export.source_in_the_way",
        "%{file} was not written: it is a source of the project (%{source_file}), and sources are never \
         changed. Choose another name or folder.",
        file, source_file,
    ),
    ExportError::WrittenTwice { file } => message!(
        "error.export.written_twice",
        "%{file} would be written twice at once. Give the takes different names.",
        file,
    ),
    ExportError::WouldReplace { files } => match &files[..] {
        [only] => message!(
            "error.export.would_replace_one",
            "A file is already there and would be replaced: %{file}.",
            file = only.display().to_string(),
        ),
        several => message!(
            "error.export.would_replace",
            "%{count} files are already there and would be replaced: %{listed}.",
            count = several.len(),
            listed = listed(several),
        ),
    },
    ExportError::Unwritable { file, reason } => message!(
        "error.export.unwritable",
        "%{file} could not be written (%{reason}). Check that the folder exists, has room and may be \
         written to.",
        file, reason = reason,
    ),
    ExportError::Frame { reason } => reason.message(),
    ExportError::OverBudget(error) => error.message(),
    ExportError::Cancelled(stopped) => stopped.message(),
});

/// The first few of `files`.
fn listed(files: &[PathBuf]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<String> = files.iter().take(SHOWN).map(|file| file.display().to_string()).collect();
    if files.len() > SHOWN {
        words.push(format!("… ({} more)", files.len() - SHOWN));
    }
    words.join(", ")
}
