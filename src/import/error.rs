//! Why a file could not be opened.

use std::path::Path;

/// Why a file could not be opened: what happened, to which part, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The operating system would not give the bytes.
    #[error("{file} could not be read ({reason}). Check that the file exists and that you may read it.")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's words.
        reason: std::io::Error,
    },
    /// An animation is unpacked to a temporary file, and there is no room for it.
    #[error(
        "{file} could not be unpacked into the temporary folder {folder} ({reason}). Make room there, or set TMPDIR to another \
         folder and start the program again."
    )]
    NoTemporaryFile {
        /// The file.
        file: String,
        /// Where its copy should have been.
        folder: String,
        /// The system's words.
        reason: std::io::Error,
    },
    /// Neither the extension nor the first bytes are known.
    #[error("{file} is of a kind that cannot be opened. Open one of these instead: {known}.")]
    UnknownKind {
        /// The file.
        file: String,
        /// The extensions that can be opened.
        known: String,
    },
    /// The content contradicts itself or ends early.
    #[error("{file} is damaged: {fault}. Export it again from the program that made it.")]
    Damaged {
        /// The file.
        file: String,
        /// Which part, and what is wrong with it.
        fault: Fault,
    },
    /// The file insists on an extension that is not read here.
    #[error(
        "{file} requires the extension {extension}, which cannot be read here. Export it again without {extension}."
    )]
    Extension {
        /// The file.
        file: String,
        /// The extension's name.
        extension: String,
    },
    /// Numbered files that do not make one sequence.
    #[error("{files} is not a whole sequence: {fault}. Put it right or export the sequence again.")]
    Sequence {
        /// The folder, or the name with # for the number.
        files: String,
        /// Which frame, and what is wrong with it.
        fault: Fault,
    },
    /// It needs more memory than it may take.
    #[error(transparent)]
    OverBudget(#[from] crate::budget::OverBudget),
    /// Somebody stopped the reading.
    #[error(transparent)]
    Cancelled(#[from] crate::progress::Cancelled),
    /// The file refers to a place outside its own folder.
    #[error(
        "{file} refers to \"{uri}\", which lies outside its folder. Copy that file beside {file} and correct the reference."
    )]
    OutsideFolder {
        /// The file.
        file: String,
        /// The reference as written.
        uri: String,
    },
}

/// One thing that is wrong with a part of a file.
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
    pub fn in_file(self, path: &Path) -> ImportError {
        ImportError::Damaged { file: file_name(path), fault: self }
    }
}

/// The last part of a path, for sentences.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
