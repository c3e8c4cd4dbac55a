//! Why something could not be exported.

use std::path::PathBuf;

/// Why something could not be exported: what happened and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No clip, or a clip without a single curve.
    #[error("The clip \"{clip}\" moves nothing, so there is nothing to write. Choose a clip with keys.")]
    EmptyClip {
        /// Its name.
        clip: String,
    },
    /// A curve whose keys and values do not belong together.
    #[error("The clip \"{clip}\" cannot be written: the {path} of \"{joint}\" {reason}. Bake it again.")]
    BadCurve {
        /// Its name.
        clip: String,
        /// The name of the joint.
        joint: String,
        /// What is moved.
        path: &'static str,
        /// What is wrong, as the rest of the sentence.
        reason: String,
    },
    /// The file has a clip of that name already.
    #[error("The file already has a clip named \"{clip}\". Choose another name, or replace that clip.")]
    NameTaken {
        /// Its name.
        clip: String,
    },
    /// The clip to replace is not in the file.
    #[error("The file has no clip named \"{clip}\" to replace. Append the clip instead.")]
    NothingToReplace {
        /// Its name.
        clip: String,
    },
    /// The skeleton is not that of the file.
    #[error("\"{joint}\" is no node of {file}. Export into the file the clip was made with.")]
    ForeignJoint {
        /// The name of the joint.
        joint: String,
        /// The file, as it was asked for.
        file: String,
    },
    /// A file that was referred to could not be read again.
    #[error("{file} could not be read ({reason}). Put it back, or export to a .gltf file beside the source.")]
    MissingPart {
        /// The file, as it was asked for.
        file: String,
        /// The system's words.
        reason: String,
    },
    /// Vertices without triangles.
    #[error("\"{clip}\" has no faces, so a glTF has nothing to draw. Choose the mesh the cache was made from.")]
    NoFaces {
        /// Its name.
        clip: String,
    },
    /// GLB sizes are 32-bit.
    #[error("The file would be {bytes} bytes, more than a GLB can hold. Export to .gltf instead.")]
    TooLarge {
        /// The size.
        bytes: usize,
    },
    /// A frame of an image sequence could not be had.
    #[error("{reason}")]
    Frame {
        /// Which, and why.
        reason: crate::media::image_clip::FrameError,
    },
    /// An image or texture that cannot be encoded.
    #[error("\"{name}\" cannot be written as an image: {reason}. Choose another size or format.")]
    Image {
        /// The sequence or clip.
        name: String,
        /// The reason, as the rest of the sentence.
        reason: String,
    },
    /// Somebody stopped the writing.
    #[error(transparent)]
    Cancelled(#[from] crate::progress::Cancelled),
    /// Neither .glb nor .gltf.
    #[error("{file} has an extension that cannot be written. Choose a name that ends in .glb or .gltf.")]
    UnknownKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// No ending that routes are written with.
    #[error("{file} has an extension routes cannot be written with. Choose .json, .csv, .gltf or .glb.")]
    UnknownRouteKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// No ending that distance curves are written with.
    #[error("{file} has an extension a distance curve cannot be written with. Choose .json or .csv.")]
    UnknownCurveKind {
        /// The file, as it was asked for.
        file: String,
    },
    /// An extension for something else.
    #[error("{file} has an extension that cannot hold this take; {instead}.")]
    OtherKind {
        /// The file, as it was asked for.
        file: String,
        /// What to do, as the rest of the sentence.
        instead: String,
    },
    /// A source of the project would be overwritten.
    #[error(
        "{file} was not written: it is a source of the project ({source_file}), and sources are never changed. \
         Choose another name or folder."
    )]
    SourceInTheWay {
        /// What was to be written.
        file: String,
        /// The source.
        source_file: String,
    },
    /// Two outputs of one name.
    #[error("{file} would be written twice at once. Give the takes different names.")]
    WrittenTwice {
        /// The file, as it was asked for.
        file: String,
    },
    /// Files are there that nobody said may be replaced.
    #[error("{} already there and would be replaced: {}.", are(.files.len()), listed(.files))]
    WouldReplace {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// The disk said no.
    #[error("{file} could not be written ({reason}). Check that the folder exists, has room and may be written to.")]
    Unwritable {
        /// The file, as it was asked for.
        file: String,
        /// The system's words.
        reason: std::io::Error,
    },
}

fn are(count: usize) -> String {
    if count == 1 { "1 file is".into() } else { format!("{count} files are") }
}

/// The first few of `files`.
fn listed(files: &[PathBuf]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<String> = files.iter().take(SHOWN).map(|file| file.display().to_string()).collect();
    if files.len() > SHOWN {
        words.push(format!("… ({} more)", files.len() - SHOWN));
    }
    words.join(", ")
}
