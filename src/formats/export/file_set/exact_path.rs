//! Paths in JSON: text, or bytes if the path is not UTF-8.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Encoded {
    Text(String),
    Bytes(Vec<u8>),
}

/// Writes `path` as text, or as a list of bytes if it is not UTF-8.
pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => text.serialize(serializer),
        None => path.as_os_str().as_encoded_bytes().serialize(serializer),
    }
}

/// Reads a path that [`serialize`] wrote. Returns `Err` for bytes that are not a path on this system.
pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let name = match Encoded::deserialize(deserializer)? {
        Encoded::Text(text) => Some(text.into()),
        Encoded::Bytes(bytes) => from_bytes(bytes),
    };
    name.map(PathBuf::from).ok_or_else(|| D::Error::custom("a path of another system"))
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
