//! Errors that prevent a file from being opened.

use portamento_base::message::{message, messages};
use std::path::Path;

messages! {
/// An error that prevents a file from being opened: what happened, to which part, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The operating system could not read the file.
    Unreadable {
        /// The file that could not be read.
        file: String,
        /// The reason given by the operating system.
        reason: std::io::Error,
    } => message!(
        "error.import.unreadable",
        "%{file} could not be read (%{reason}). Check that the file exists and that you may read it.",
        file, reason = reason
    ),
    /// The temporary folder has no room for the unpacked animation.
    NoTemporaryFile {
        /// The animation to unpack.
        file: String,
        /// The temporary folder.
        folder: String,
        /// The reason given by the operating system.
        reason: std::io::Error,
    } => message!(
        "error.import.no_temporary_file",
        "%{file} could not be unpacked into the temporary folder %{folder} (%{reason}). Make room there, or set TMPDIR to \
         another folder and start the program again.",
        file, folder, reason = reason
    ),
    /// Neither the extension nor the first bytes belong to a known format.
    UnknownKind {
        /// The file to open.
        file: String,
        /// The extensions that can be opened.
        known: String,
    } => message!(
        "error.import.unknown_kind",
        "%{file} has an unsupported format. Open one of these instead: %{known}.",
        file, known
    ),
    /// The content contradicts itself or ends early.
    Damaged {
        /// The file whose content is broken.
        file: String,
        /// The damaged part and what is wrong with it.
        fault: Fault,
    } => message!(
        "error.import.damaged",
        "%{file} is damaged: %{fault}. Export it again from the program that made it.",
        file, fault
    ),
    /// The arrays of the file are not a motion in a known layout.
    NotMotion {
        /// The file with the arrays.
        file: String,
        /// The array and what is wrong with it.
        fault: Fault,
    } => message!(
        "error.import.not_motion",
        "%{file} cannot be read as a motion: %{fault}. Save joint rotations or joint positions as plain arrays of numbers; the \
         guide lists the layouts under “Files”.",
        file, fault
    ),
    /// The file requires an extension that cannot be read here.
    Extension {
        /// The file that requires the extension.
        file: String,
        /// The extension's name.
        extension: String,
    } => message!(
        "error.import.extension",
        "%{file} requires the extension %{extension}, which is not supported. Export it again without %{extension}.",
        file, extension
    ),
    /// A chain of joints is too long.
    TooDeep {
        /// The file with the joints.
        file: String,
        /// Number of joints in the longest chain.
        joints: usize,
        /// Maximum number of joints in a chain.
        most: usize,
    } => message!(
        "error.import.too_deep",
        "%{file} has a chain of %{joints} joints. At most %{most} are supported. Shorten \
         the chain, or split it in the program that made it.",
        file, joints, most
    ),
    /// Numbered files that do not form one sequence.
    Sequence {
        /// The folder, or the name with # for the number.
        files: String,
        /// The frame and what is wrong with it.
        fault: Fault,
    } => message!(
        "error.import.sequence",
        "%{files} is not a complete sequence: %{fault}. Correct it or export the sequence again.",
        files, fault
    ),
    /// The file needs more memory than the budget allows.
    OverBudget(#[from] error: portamento_base::budget::OverBudget) => error.message(),
    /// The user cancelled the import.
    Cancelled(#[from] error: portamento_base::progress::Cancelled) => error.message(),
    /// The file refers to a path outside its own folder.
    OutsideFolder {
        /// The file that holds the reference.
        file: String,
        /// The reference as written.
        uri: String,
    } => message!(
        "error.import.outside_folder",
        "%{file} refers to \"%{uri}\", which is outside its folder. Copy that file to the folder of %{file} and correct the reference.",
        file, uri
    ),
}
}

/// A fault of one part of a file, in the terms of the format and in English.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{part} {reason}")]
pub struct Fault {
    /// Names the part: `accessor 12`, `node "hips"`.
    pub part: String,
    /// The fault, as the rest of the sentence after `part`.
    pub reason: String,
}

impl Fault {
    /// Creates a fault of `part`. `reason` is the rest of the sentence.
    pub fn new(part: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { part: part.into(), reason: reason.into() }
    }

    /// Returns the fault as [`ImportError::NotMotion`] of the file at `path`.
    pub(super) fn not_motion(self, path: &Path) -> ImportError {
        ImportError::NotMotion { file: file_name(path), fault: self }
    }

    /// Returns the fault as [`ImportError::Damaged`] of the file at `path`.
    pub(super) fn in_file(self, path: &Path) -> ImportError {
        ImportError::Damaged { file: file_name(path), fault: self }
    }
}

/// Returns the last component of a path, for messages.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
