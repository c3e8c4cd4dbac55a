//! Errors of the export.

use std::path::PathBuf;

use portamento_base::message::{message, messages};

messages! {
/// An error of the export: what happened and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No clip, or a clip without any curve.
    EmptyClip {
        /// Name of the clip.
        clip: String,
    } => message!(
        "error.export.empty_clip",
        "The clip “%{clip}” has no keys, so there is nothing to write. Choose a clip with keys.",
        clip,
    ),
    /// A curve with mismatched keys and values.
    BadCurve {
        /// Name of the clip.
        clip: String,
        /// The name of the joint.
        joint: String,
        /// The animated property.
        path: &'static str,
        /// The fault, as the rest of the sentence.
        reason: String,
    } => message!(
        "error.export.bad_curve",
        "The clip “%{clip}” cannot be written: the %{path} of “%{joint}” %{reason}. Bake it again.",
        clip, path, joint, reason,
    ),
    /// The file already has a clip with that name.
    NameTaken {
        /// Name of the clip.
        clip: String,
    } => message!(
        "error.export.name_taken",
        "The file already has a clip named “%{clip}”. Choose another name, or replace that clip.",
        clip,
    ),
    /// The file has no clip with the name to replace.
    NothingToReplace {
        /// Name of the clip.
        clip: String,
    } => message!(
        "error.export.nothing_to_replace",
        "The file has no clip named “%{clip}” to replace. Keep all clips and add the takes instead, or give the take that name.",
        clip,
    ),
    /// The skeleton differs from that of the file.
    ForeignJoint {
        /// The name of the joint.
        joint: String,
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.foreign_joint",
        "“%{joint}” is not a node of %{file}. Export to the file from which the clip was made.",
        joint, file,
    ),
    /// A referenced file could not be read again.
    MissingPart {
        /// The file at the requested path.
        file: String,
        /// The reason given by the operating system.
        reason: String,
    } => message!(
        "error.export.missing_part",
        "%{file} could not be read (%{reason}). Restore it, or export to a .gltf file in the folder of the source.",
        file, reason,
    ),
    /// Vertices without triangles.
    NoFaces {
        /// Name of the clip.
        clip: String,
    } => message!(
        "error.export.no_faces",
        "“%{clip}” has no faces, so a glTF would show nothing. Assign the mesh of the cache.",
        clip,
    ),
    /// GLB sizes are 32-bit.
    TooLarge {
        /// Bytes the file would have.
        bytes: usize,
    } => message!(
        "error.export.too_large",
        "The file would be %{bytes} bytes, more than a GLB can hold. Export to .gltf instead.",
        bytes,
    ),
    /// A frame of an image sequence could not be read.
    Frame {
        /// The frame and the reason.
        reason: portamento_anim::media::image_clip::FrameError,
    } => reason.message(),
    /// An image or texture that cannot be encoded.
    Image {
        /// The sequence or clip.
        name: String,
        /// The reason, as the rest of the sentence.
        reason: String,
    } => message!(
        "error.export.image",
        "“%{name}” cannot be written as an image: %{reason}. Choose another size or format.",
        name, reason,
    ),
    /// The file needs more memory than the budget allows.
    OverBudget(#[from] error: portamento_base::budget::OverBudget) => error.message(),
    /// The external encoder did not write the video.
    Video {
        /// The words of the encoder.
        reason: String,
    } => message!(
        "error.film_video",
        "ffmpeg could not write the video: %{reason}. Save an .apng or .webp instead.",
        reason,
    ),
    /// The user cancelled the export.
    Cancelled(#[from] stopped: portamento_base::progress::Cancelled) => stopped.message(),
    /// The extension is not one that takes can be written with.
    UnknownKind {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.unknown_kind",
        "%{file} has an unsupported extension. Choose a name that ends in .glb, .gltf or .fbx.",
        file,
    ),
    /// The file format cannot store the spring bones.
    NoSpringBones {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.no_spring_bones",
        "%{file} cannot store spring bones. Export a .glb or .vrm, or leave the spring bones out.",
        file,
    ),
    /// A VRM animation needs a humanoid, but bones are missing.
    NoPerson {
        /// The missing bones by their VRM names.
        missing: String,
    } => message!(
        "error.export.no_person",
        "A VRM animation needs a humanoid skeleton, but these bones were not found: %{missing}. Assign them in the rig definition of the character, or choose another format.",
        missing,
    ),
    /// The extension is not one that routes can be written with.
    UnknownRouteKind {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.unknown_route_kind",
        "%{file} has an extension that routes cannot be written with. Choose .json, .csv, .gltf or .glb.",
        file,
    ),
    /// The extension is not one that distance curves can be written with.
    UnknownCurveKind {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.unknown_curve_kind",
        "%{file} has an extension that distance curves cannot be written with. Choose .json or .csv.",
        file,
    ),
    /// The extension belongs to another kind of content.
    OtherKind {
        /// The file at the requested path.
        file: String,
        /// The advice, as the rest of the sentence.
        instead: String,
    } => message!(
        "error.export.other_kind",
        "%{file} has an extension that does not fit this take; %{instead}.",
        file, instead,
    ),
    /// A source of the project would be overwritten.
    SourceInTheWay {
        /// The file to be written.
        file: String,
        /// The source file at that path.
        source_file: String,
    } => message!(
        "error.export.source_in_the_way",
        "%{file} was not written: it is a source of the project (%{source_file}), and sources are never \
         changed. Choose another name or folder.",
        file, source_file,
    ),
    /// Two outputs have the same path.
    WrittenTwice {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.written_twice",
        "Two takes would be written to %{file}. Give them different names.",
        file,
    ),
    /// Existing files would be replaced without consent.
    WouldReplace {
        /// The existing files.
        files: Vec<PathBuf>,
    } => match &files[..] {
        [only] => message!(
            "error.export.would_replace_one",
            "A file already exists and would be replaced: %{file}.",
            file = only.display().to_string(),
        ),
        several => message!(
            "error.export.would_replace",
            "%{count} %{count|file|files} already %{count|exists|exist} and would be replaced: %{listed}.",
            count = several.len(),
            listed = list_files(several),
        ),
    },
    /// Another program wrote to the same file at the same time.
    ChangedMeanwhile {
        /// The file at the requested path.
        file: String,
    } => message!(
        "error.export.changed_meanwhile",
        "%{file} was changed by another program while it was written. Export it again, and let no two exports write to \
         the same file.",
        file,
    ),
    /// The file could not be written.
    Unwritable {
        /// The file at the requested path.
        file: String,
        /// The reason given by the operating system.
        reason: std::io::Error,
    } => message!(
        "error.export.unwritable",
        "%{file} could not be written (%{reason}). Check that the folder exists, has free space and may be \
         written to.",
        file, reason = reason,
    ),
}
}

/// Lists the first five of `files` and the number of others.
fn list_files(files: &[PathBuf]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<String> = files.iter().take(SHOWN).map(|file| file.display().to_string()).collect();
    if files.len() > SHOWN {
        words.push(format!("… ({} more)", files.len() - SHOWN));
    }
    words.join(", ")
}
