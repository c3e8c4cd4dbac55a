//! Resolves the `uri` of a glTF: embedded bytes, or a file at or below the folder of the glTF (§2.8, RFC 2397, RFC
//! 3986).

use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The target of a `uri`.
pub enum Target {
    /// A `data:` URI, decoded.
    Bytes(Vec<u8>),
    /// A file at or below the folder.
    File(PathBuf),
    /// A path outside the folder, or another scheme.
    Outside,
    /// A `data:` URI that cannot be decoded, or a path that is not UTF-8.
    Garbled,
}

/// Resolves `uri` relative to `folder`, without accessing the disk.
pub fn resolve(folder: &Path, uri: &str) -> Target {
    if let Some(data) = uri.strip_prefix("data:") {
        return data_bytes(data).map_or(Target::Garbled, Target::Bytes);
    }
    let Ok(decoded) = String::from_utf8(percent_decoded(uri)) else { return Target::Garbled };
    // Exporters on Windows write backslashes.
    let relative = PathBuf::from(decoded.replace('\\', "/"));
    let mut depth = 0_i32;
    for component in relative.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth -= 1,
            Component::RootDir | Component::Prefix(_) => return Target::Outside,
        }
        if depth < 0 {
            return Target::Outside;
        }
    }
    // A colon means a scheme or a drive; both are outside the folder.
    if decoded.contains(':') { Target::Outside } else { Target::File(folder.join(relative)) }
}

/// Returns the bytes of a `data:` URI without its scheme; `None` if it has no comma or invalid base64.
fn data_bytes(data: &str) -> Option<Vec<u8>> {
    let (head, body) = data.split_once(',')?;
    if head.ends_with(";base64") {
        let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        GeneralPurpose::new(&base64::alphabet::STANDARD, lenient).decode(body).ok()
    } else {
        Some(percent_decoded(body))
    }
}

/// Returns `text` with each `%` and two hex digits replaced by that byte. Other percent signs stay.
fn percent_decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |at: usize| tail.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_cannot_leave_its_folder() {
        let folder = Path::new("/models");
        for uri in
            ["../x.bin", "a/../../x.bin", "/etc/passwd", "%2e%2e/x.bin", "http://x/y.bin", "..\\x.bin", "C:\\x.bin"]
        {
            assert!(matches!(resolve(folder, uri), Target::Outside), "{uri}");
        }
        for (uri, file) in [("a%20b.bin", "/models/a b.bin"), ("t/../x.bin", "/models/t/../x.bin")] {
            assert!(matches!(resolve(folder, uri), Target::File(path) if path == Path::new(file)), "{uri}");
        }
    }

    #[test]
    fn embedded_bytes_are_decoded() {
        let bytes = |uri| match resolve(Path::new(""), uri) {
            Target::Bytes(bytes) => Some(bytes),
            _ => None,
        };
        assert_eq!(bytes("data:application/octet-stream;base64,AQID"), Some(vec![1, 2, 3]));
        assert_eq!(bytes("data:application/octet-stream;base64,AQI"), Some(vec![1, 2]));
        assert_eq!(bytes("data:,a%00b"), Some(vec![b'a', 0, b'b']));
        assert_eq!(bytes("data:;base64,???"), None);
    }
}
