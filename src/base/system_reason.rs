//! Translatable reasons for file errors. The system's own texts are English and end in an error number.

use std::fmt;
use std::io::{Error, ErrorKind};

use crate::budget::OverBudget;
use crate::message::{Argument, Message, Tell, message};
use crate::progress::Cancelled;

/// Returns the reason of `error` as part of a sentence.
pub fn system_reason(error: &Error) -> Message {
    let words = || without_code(&error.to_string());
    inner_message(error).or_else(|| kind_message(error.kind())).unwrap_or_else(|| match error.get_ref() {
        Some(_) => Message::verbatim(words()),
        None => message!("system.other", "the system says: %{words}", words = words()),
    })
}

/// Wraps `reason` as an I/O error, for files that are refused before the system is asked.
pub fn refused(reason: Message) -> Error {
    Error::other(Refusal(reason))
}

/// Returns `words` without the system's error number, ` (os error 2)`, in which texts of other crates often end.
pub fn without_code(words: &str) -> String {
    let Some((before, after)) = words.split_once(" (os error ") else { return words.to_owned() };
    let behind = after.split_once(')').map_or("", |(_, behind)| behind);
    format!("{before}{behind}")
}

impl From<&Error> for Argument {
    fn from(error: &Error) -> Self {
        Self::Message(system_reason(error))
    }
}

/// A refusal by the program itself.
#[derive(Debug)]
struct Refusal(Message);

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Refusal {}

/// Returns the message of an error that the program itself, or a wrapped I/O error, caused.
fn inner_message(error: &Error) -> Option<Message> {
    let inner = error.get_ref()?;
    let refusal = inner.downcast_ref().map(|Refusal(reason)| reason.clone());
    refusal
        .or_else(|| inner.downcast_ref::<OverBudget>().map(Tell::message))
        .or_else(|| inner.downcast_ref::<Cancelled>().map(Tell::message))
        .or_else(|| inner.source().and_then(|source| source.downcast_ref()).map(system_reason))
}

/// Returns the reason for errors of `kind` as part of a sentence; `None` for rare kinds, whose system text is used.
fn kind_message(kind: ErrorKind) -> Option<Message> {
    Some(match kind {
        ErrorKind::NotFound => message!("system.not_found", "there is no such file or folder"),
        ErrorKind::PermissionDenied => message!("system.denied", "you do not have permission"),
        ErrorKind::StorageFull => message!("system.full", "the disk is full"),
        ErrorKind::QuotaExceeded => message!("system.quota", "your disk quota is used up"),
        ErrorKind::ReadOnlyFilesystem => message!("system.read_only_disk", "the disk is read-only"),
        ErrorKind::IsADirectory => message!("system.folder", "it is a folder"),
        ErrorKind::NotADirectory => message!("system.no_folder", "part of its path is not a folder"),
        ErrorKind::AlreadyExists => message!("system.exists", "a file of this name already exists"),
        ErrorKind::FileTooLarge => message!("system.too_large", "it is larger than the disk allows for one file"),
        ErrorKind::InvalidFilename => message!("system.name", "the disk does not allow this file name"),
        ErrorKind::UnexpectedEof => message!("system.ends_early", "the file is incomplete"),
        ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => {
            message!("system.busy", "another program is using it")
        }
        ErrorKind::TimedOut => message!("system.late", "the disk did not answer in time"),
        ErrorKind::StaleNetworkFileHandle
        | ErrorKind::NetworkDown
        | ErrorKind::NetworkUnreachable
        | ErrorKind::HostUnreachable => message!("system.network", "its network drive cannot be reached"),
        ErrorKind::OutOfMemory => message!("system.memory", "there is not enough memory"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_system_error_shows_its_number() {
        for code in 1..134 {
            let text = system_reason(&Error::from_raw_os_error(code)).to_string();
            assert!(!text.contains("os error"), "{code}: {text}");
        }
        let missing = std::fs::read("no such file").unwrap_err();
        assert_eq!(system_reason(&missing).to_string(), "there is no such file or folder");
        assert_eq!(
            without_code("the map (a.png) could not be read: Oops (os error 5)."),
            "the map (a.png) could not be read: Oops."
        );
    }

    #[test]
    fn messages_of_the_program_itself_stay_unchanged() {
        let own = message!("system.no_file", "it is a pipe, a device or a folder, not a file");
        assert_eq!(system_reason(&refused(own.clone())), own);
        let wrapped = Error::other(Cancelled);
        assert_eq!(system_reason(&wrapped), Cancelled.message());
    }
}
