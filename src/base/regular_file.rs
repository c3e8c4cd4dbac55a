//! Opens regular files; the program opens no file in any other way. Pipes and devices are refused, because reading or
//! even opening one may block without end.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::Path;

use crate::budget::Budget;
use crate::message::message;
use crate::system_reason::refused;

/// Opens a file for reading and returns it with its length in bytes. Returns `Err` for pipes, devices and folders.
pub fn open(path: &Path) -> Result<(File, u64)> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a file with `options`, which may create it, and returns it with its length in bytes. Returns `Err` for pipes, devices and
/// folders.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> Result<(File, u64)> {
    // Opening some devices has effects, so the kind is checked before, and again in case it changed.
    match std::fs::metadata(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        known => known.ok().as_ref().map_or(Ok(()), check)?,
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path)?;
    let kind = file.metadata()?;
    check(&kind)?;
    Ok((file, kind.len()))
}

/// Returns `Err` unless `kind` is that of a regular file.
fn check(kind: &Metadata) -> Result<()> {
    let reason = || refused(message!("system.no_file", "it is a pipe, a device or a folder, not a file"));
    if kind.is_file() { Ok(()) } else { Err(reason()) }
}

/// Returns the first `max_bytes` bytes of a file, or all if it has fewer. Returns `Err` if they exceed the memory limit.
pub fn beginning(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let (file, length) = open(path)?;
    let length = length.min(max_bytes);
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Budget::new().take(length, &name).map_err(Error::other)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(Error::from)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns all bytes of a file. Returns `Err` if they exceed the memory limit.
pub fn all(path: &Path) -> Result<Vec<u8>> {
    beginning(path, u64::MAX)
}

/// Returns the text of a file. Returns `Err` if it is not UTF-8 or exceeds the memory limit.
pub fn text(path: &Path) -> Result<String> {
    String::from_utf8(all(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_folders_are_refused_at_once_however_they_are_opened() {
        let folder = std::env::temp_dir().join(format!("portamento-pipes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (pipe, link) = (folder.join("pipe"), folder.join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        let paths = [folder.clone(), pipe, link, "/dev/zero".into(), "/dev/tty".into()];
        let all_refused = std::thread::spawn(move || {
            let options: [fn(&mut OpenOptions) -> &mut OpenOptions; 4] = [
                |options| options.read(true),
                |options| options.append(true),
                |options| options.write(true),
                |options| options.read(true).write(true).create(true),
            ];
            let refuses = |path: &PathBuf| {
                all(path).is_err() && options.iter().all(|set| open_with(set(&mut OpenOptions::new()), path).is_err())
            };
            paths.iter().all(refuses)
        });
        let begin = std::time::Instant::now();
        while !all_refused.is_finished() && begin.elapsed().as_secs() < 20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(all_refused.is_finished(), "a pipe blocks");
        assert!(all_refused.join().unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_larger_than_the_memory_limit_is_refused_before_it_is_read() {
        let path = std::env::temp_dir().join(format!("portamento-huge-{}", std::process::id()));
        // A file with a hole takes no room on the disk.
        let is_huge = File::create(&path).unwrap().set_len(1 << 42).is_ok();
        let outcome = if is_huge { all(&path) } else { Err(Error::other("of memory")) };
        std::fs::remove_file(path).unwrap();
        let refused = outcome.unwrap_err().to_string();
        assert!(refused.contains("of memory"), "{refused}");
    }

    /// The calls that open a file by its path, the imports that would hide them, and the calls that parse JSON outside
    /// the memory limit.
    const OPENS: [&str; 21] = [
        "File::open(",
        "File::create(",
        "File::options(",
        "OpenOptions::new(",
        "fs::read(",
        "fs::read_to_string(",
        "fs::write(",
        "fs::copy(",
        "image::open(",
        "ImageReader::open(",
        "Reader::open(",
        "load_file(",
        "load_font_file(",
        "_from_file(",
        "use std::fs as ",
        "use std::fs::*",
        "use std::fs::read",
        "use std::fs::write",
        "use std::fs::copy",
        "serde_json::from_slice",
        "serde_json::from_reader",
    ];

    /// The files that may open others in their own way, and the reason.
    const EXCEPTIONS: [(&str, &str); 7] = [
        ("base/regular_file.rs", "the one way"),
        ("base/json.rs", "the one way to parse"),
        ("base/budget.rs", "files of the kernel, whose length is 0"),
        ("formats/export/file_system.rs", "a folder is opened and flushed"),
        ("packaging/build.rs", "runs at build time"),
        ("walk/navigation/search/grids.rs", "compiled into tests only"),
        ("samples/main.rs", "writes new files of the repository"),
    ];

    /// Returns the lines of `source` outside tests that open a file in another way.
    fn opens(source: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            let is_code = !line.trim_start().starts_with("//");
            if line.trim() == "#[cfg(test)]" {
                // Skips the item that follows: up to its end at the same indentation.
                let indent = &line[..line.len() - line.trim_start().len()];
                let ends = [format!("{indent}}}"), format!("{indent}}};")];
                let first = lines.find(|line| !line.trim_start().starts_with("#[")).unwrap_or_default();
                if !first.ends_with(';') && !first.ends_with('}') {
                    lines.find(|line| ends.iter().any(|end| line == end));
                }
            } else if is_code && OPENS.iter().any(|open| line.contains(open)) {
                let regular = ["regular_file::open_with(OpenOptions::new(", "regular_file::open_with(File::options("];
                if !regular.iter().any(|call| line.contains(call)) {
                    found.push(line.trim().to_owned());
                }
            }
        }
        found
    }

    #[test]
    fn every_file_is_opened_as_a_regular_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (mut folders, mut faults, mut read) = (vec![root.clone()], Vec::new(), 0);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                let is_test =
                    name.contains("tests") || ["benches", "test_support"].iter().any(|part| name.contains(part));
                if path.is_dir() {
                    folders.push(path);
                } else if name.ends_with(".rs") && !is_test && EXCEPTIONS.iter().all(|(known, _)| name != *known) {
                    read += 1;
                    let opens = opens(&std::fs::read_to_string(&path).unwrap());
                    faults.extend(opens.into_iter().map(|line| format!("{name}: {line}")));
                }
            }
        }
        assert!(read > 500, "{read} files");
        assert_eq!(faults, <[String; 0]>::default(), "open these with regular_file, and parse them with json::parse");
        let source = "fn a() {\n    File::open(path);\n}\n#[cfg(test)]\nmod tests {\n    fn b() { fs::read(p) }\n}\n";
        assert_eq!(opens(source), ["File::open(path);"]);
    }
}
