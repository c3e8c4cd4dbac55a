//! Why a file could not be opened.

use crate::message::{message, tell};
use std::path::Path;

/// Why a file could not be opened: what happened, to which part, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The operating system would not give the bytes.
    Unreadable {
        /// The file that could not be read.
        file: String,
        /// The system's words.
        reason: std::io::Error,
    },
    /// An animation is unpacked to a temporary file, and there is no room for it.
    NoTemporaryFile {
        /// The animation that was to be unpacked.
        file: String,
        /// Where its copy should have been.
        folder: String,
        /// The system's words.
        reason: std::io::Error,
    },
    /// Neither the extension nor the first bytes are known.
    UnknownKind {
        /// The file that was to be opened.
        file: String,
        /// The extensions that can be opened.
        known: String,
    },
    /// The content contradicts itself or ends early.
    Damaged {
        /// The file whose content is broken.
        file: String,
        /// Which part, and what is wrong with it.
        fault: Fault,
    },
    /// The file insists on an extension that is not read here.
    Extension {
        /// The file that requires the extension.
        file: String,
        /// The extension's name.
        extension: String,
    },
    /// Joints hang on one another in too long a chain.
    TooDeep {
        /// The file that holds them.
        file: String,
        /// How many hang on one another.
        joints: usize,
        /// How many may.
        most: usize,
    },
    /// Numbered files that do not make one sequence.
    Sequence {
        /// The folder, or the name with # for the number.
        files: String,
        /// Which frame, and what is wrong with it.
        fault: Fault,
    },
    /// It needs more memory than it may take.
    OverBudget(#[from] crate::budget::OverBudget),
    /// Somebody stopped the reading.
    Cancelled(#[from] crate::progress::Cancelled),
    /// The file refers to a place outside its own folder.
    OutsideFolder {
        /// The file that holds the reference.
        file: String,
        /// The reference as written.
        uri: String,
    },
}

tell!(ImportError {
    Self::Unreadable { file, reason } => message!(
        "error.import.unreadable",
        "%{file} could not be read (%{reason}). Check that the file exists and that you may read it.",
        file, reason = reason
    ),
    Self::NoTemporaryFile { file, folder, reason } => message!(
        "error.import.no_temporary_file",
        "%{file} could not be unpacked into the temporary folder %{folder} (%{reason}). Make room there, or set TMPDIR to \
         another folder and start the program again.",
        file, folder, reason = reason
    ),
    Self::UnknownKind { file, known } => message!(
        "error.import.unknown_kind",
        "%{file} is of a kind that cannot be opened. Open one of these instead: %{known}.",
        file, known
    ),
    Self::Damaged { file, fault } => message!(
        "error.import.damaged",
        "%{file} is damaged: %{fault}. Export it again from the program that made it.",
        file, fault
    ),
    Self::Extension { file, extension } => message!(
        "error.import.extension",
        "%{file} requires the extension %{extension}, which cannot be read here. Export it again without %{extension}.",
        file, extension
    ),
    Self::TooDeep { file, joints, most } => message!(
        "error.import.too_deep",
        "%{file} has %{joints} joints that hang on one another in one chain, and more than %{most} cannot be worked with. Shorten \
         the chain, or split it in the program that made it.",
        file, joints, most
    ),
    Self::Sequence { files, fault } => message!(
        "error.import.sequence",
        "%{files} is not a whole sequence: %{fault}. Put it right or export the sequence again.",
        files, fault
    ),
    Self::OverBudget(error) => error.message(),
    Self::Cancelled(error) => error.message(),
    Self::OutsideFolder { file, uri } => message!(
        "error.import.outside_folder",
        "%{file} refers to \"%{uri}\", which lies outside its folder. Copy that file beside %{file} and correct the reference.",
        file, uri
    ),
});

/// One thing that is wrong with a part of a file. It is told in the format's own terms, in English.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{part} {reason}")]
pub struct Fault {
    /// Names the part: `accessor 12`, `node "hips"`.
    pub part: String,
    /// What is wrong, as the rest of the sentence.
    pub reason: String,
}

impl Fault {
    /// `part` and the rest of the sentence about it.
    pub fn new(part: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { part: part.into(), reason: reason.into() }
    }

    /// The error that names the file.
    pub(super) fn in_file(self, path: &Path) -> ImportError {
        ImportError::Damaged { file: file_name(path), fault: self }
    }
}

/// The last part of a path, for sentences.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
