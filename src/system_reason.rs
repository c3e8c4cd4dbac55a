//! Why the system does not give or take a file, in words that everybody reads: its own are English and end in a number.

use std::fmt;
use std::io::{Error, ErrorKind};

use crate::budget::OverBudget;
use crate::message::{Argument, Message, Tell, message};
use crate::progress::Cancelled;

/// Why not, as a part of a sentence.
pub(crate) fn system_reason(error: &Error) -> Message {
    let words = || without_code(&error.to_string());
    told(error).or_else(|| known(error.kind())).unwrap_or_else(|| match error.get_ref() {
        Some(_) => Message::verbatim(words()),
        None => message!("system.other", "the system says: %{words}", words = words()),
    })
}

/// `reason` as an error of the system, for files that are refused before it is asked.
pub(crate) fn refused(reason: Message) -> Error {
    Error::other(Refusal(reason))
}

/// What another crate says, without the number of the system's error: it often ends in one.
pub(crate) fn without_code(words: &str) -> String {
    let Some((before, after)) = words.split_once(" (os error ") else { return words.to_owned() };
    let behind = after.split_once(')').map_or("", |(_, behind)| behind);
    format!("{before}{behind}")
}

impl From<&Error> for Argument {
    fn from(error: &Error) -> Self {
        Self::Message(system_reason(error))
    }
}

/// A refusal of the program's own.
#[derive(Debug)]
struct Refusal(Message);

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Refusal {}

/// What the program itself said, and what was handed on as an error of the system.
fn told(error: &Error) -> Option<Message> {
    let inner = error.get_ref()?;
    let refusal = inner.downcast_ref().map(|Refusal(reason)| reason.clone());
    refusal
        .or_else(|| inner.downcast_ref::<OverBudget>().map(Tell::message))
        .or_else(|| inner.downcast_ref::<Cancelled>().map(Tell::message))
        .or_else(|| inner.source().and_then(|source| source.downcast_ref()).map(system_reason))
}

fn known(kind: ErrorKind) -> Option<Message> {
    Some(match kind {
        ErrorKind::NotFound => message!("system.not_found", "there is no such file or folder"),
        ErrorKind::PermissionDenied => message!("system.denied", "you do not have the permission for it"),
        ErrorKind::StorageFull => message!("system.full", "the disk is full"),
        ErrorKind::QuotaExceeded => message!("system.quota", "your share of the disk is used up"),
        ErrorKind::ReadOnlyFilesystem => message!("system.read_only_disk", "the disk is read-only"),
        ErrorKind::IsADirectory => message!("system.folder", "it is a folder"),
        ErrorKind::NotADirectory => message!("system.no_folder", "a part of its path is no folder"),
        ErrorKind::AlreadyExists => message!("system.exists", "there is one of this name already"),
        ErrorKind::FileTooLarge => message!("system.too_large", "it is larger than the disk can hold in one file"),
        ErrorKind::InvalidFilename => message!("system.name", "the disk does not take its name"),
        ErrorKind::UnexpectedEof => message!("system.ends_early", "it ends early"),
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
    fn no_error_of_the_system_is_told_by_its_number() {
        for code in 1..134 {
            let told = system_reason(&Error::from_raw_os_error(code)).to_string();
            assert!(!told.contains("os error"), "{code}: {told}");
        }
        let missing = std::fs::read("no such file").unwrap_err();
        assert_eq!(system_reason(&missing).to_string(), "there is no such file or folder");
        assert_eq!(
            without_code("the map (a.png) could not be read: Oops (os error 5)."),
            "the map (a.png) could not be read: Oops."
        );
    }

    #[test]
    fn what_the_program_said_itself_stays_a_sentence_of_its_own() {
        let own = message!("system.no_file", "it is a pipe, a device or a folder and not a file");
        assert_eq!(system_reason(&refused(own.clone())), own);
        let handed_on = Error::other(Cancelled);
        assert_eq!(system_reason(&handed_on), Cancelled.message());
    }
}
