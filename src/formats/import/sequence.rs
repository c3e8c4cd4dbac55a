//! Numbered files: `smoke_0007.png` is frame 7 of `smoke_####.png`.

use std::path::{Path, PathBuf};

use super::{Fault, ImportError, file_name};

/// The files of one sequence in the order of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The common name, `smoke_####.png`.
    pub name: String,
    /// The number of the first file.
    pub first: u64,
    /// One file per frame, no gaps.
    pub files: Vec<PathBuf>,
}

impl Sequence {
    /// Returns the name without number and extension, such as `smoke`, or the full name if nothing would be left.
    pub fn title(&self) -> &str {
        let stem = self.name.split("####").next().unwrap_or_default().trim_end_matches(['_', '-', '.', ' ']);
        if stem.is_empty() { &self.name } else { stem }
    }
}

/// The parts of a numbered file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Numbered {
    stem: String,
    extension: String,
    number: u64,
    path: PathBuf,
}

/// Finds the sequence that the file `path` belongs to, or the only one in the folder `path`.
/// `extensions` are in lower case and without the dot.
///
/// Returns `Err` if there is none, if a folder holds several, or if a number is missing or present twice.
pub fn find(path: &Path, extensions: &[&str]) -> Result<Sequence, ImportError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let unreadable = |reason| ImportError::Unreadable { file: folder.display().to_string(), reason };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        found.extend(numbered(&entry.map_err(unreadable)?.path(), extensions));
    }
    found.sort();
    if !path.is_dir() {
        let Some(chosen) = numbered(path, extensions) else {
            let reason =
                format!("has no number at the end of its name, or does not end in {}", join_extensions(extensions));
            return Err(sequence_error(file_name(path), "this file", reason));
        };
        found.retain(|each| each.stem == chosen.stem && each.extension == chosen.extension);
    }
    single_sequence(found, &file_name(folder), extensions)
}

/// True if the name of `path` ends in a digit, so that the file may belong to a sequence.
pub(super) fn is_numbered(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(|c: char| c.is_ascii_digit()))
}

/// Checks that the files form one complete sequence.
fn single_sequence(found: Vec<Numbered>, folder: &str, extensions: &[&str]) -> Result<Sequence, ImportError> {
    let Some(first) = found.first() else {
        return Err(sequence_error(
            folder.into(),
            "the folder",
            format!("holds no numbered {} files", join_extensions(extensions)),
        ));
    };
    let name = format!("{}####.{}", first.stem, first.extension);
    if let Some(other) = found.iter().find(|each| each.stem != first.stem || each.extension != first.extension) {
        let reason = format!(
            "holds several sequences, {name} and {}; choose a file of the sequence to open",
            file_name(&other.path)
        );
        return Err(sequence_error(folder.into(), "the folder", reason));
    }
    for pair in found.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        if after.number == before.number {
            let reason = format!("exists twice, {} and {}", file_name(&before.path), file_name(&after.path));
            return Err(sequence_error(name, format!("number {}", after.number), reason));
        }
        if after.number != before.number + 1 {
            let reason = format!("is missing; {} follows {}", file_name(&after.path), file_name(&before.path));
            return Err(sequence_error(name, format!("number {}", before.number + 1), reason));
        }
    }
    Ok(Sequence { name, first: first.number, files: found.into_iter().map(|each| each.path).collect() })
}

fn sequence_error(files: String, part: impl Into<String>, reason: String) -> ImportError {
    ImportError::Sequence { files, fault: Fault::new(part, reason) }
}

fn join_extensions(extensions: &[&str]) -> String {
    extensions.iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
}

/// Splits the name of `path`. Returns `None` if it has no number or another extension.
fn numbered(path: &Path, extensions: &[&str]) -> Option<Numbered> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[stem.len()..].parse().ok()?;
    let known = extensions.contains(&extension.as_str());
    known.then(|| Numbered { stem: stem.into(), extension, number, path: path.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| std::fs::write(folder.path().join(name), b"").unwrap());
        folder
    }

    #[test]
    fn numbers_decide_the_order_and_not_letters() {
        let folder = folder_of(&["fox10.obj", "fox8.obj", "fox9.obj", "notes.txt", "readme1.md"]);
        let sequence = find(folder.path(), &["obj"]).unwrap();
        assert_eq!((sequence.name.as_str(), sequence.first), ("fox####.obj", 8));
        let names: Vec<String> = sequence.files.iter().map(|file| file_name(file)).collect();
        assert_eq!(names, ["fox8.obj", "fox9.obj", "fox10.obj"]);
    }

    #[test]
    fn a_gap_a_double_and_a_mixture_are_named() {
        let sentence = |names: &[&str]| find(folder_of(names).path(), &["png"]).unwrap_err().to_string();
        assert!(sentence(&["a1.png", "a2.png", "a4.png"]).contains("number 3 is missing"));
        assert!(sentence(&["a1.png", "a01.png"]).contains("number 1 exists twice"));
        assert!(sentence(&["a1.png", "b1.png"]).contains("several sequences"));
        assert!(sentence(&["a.png"]).contains("no numbered .png"));
    }

    #[test]
    fn one_file_of_many_chooses_its_own_sequence() {
        let folder = folder_of(&["a1.png", "b1.png", "b2.png"]);
        assert_eq!(find(&folder.path().join("b2.png"), &["png"]).unwrap().files.len(), 2);
        assert!(find(&folder.path().join("b.png"), &["png"]).is_err());
    }

    #[test]
    fn the_title_omits_number_and_extension() {
        let titled = |name: &str| Sequence { name: name.into(), first: 0, files: Vec::new() }.title().to_owned();
        assert_eq!(["smoke_####.png", "run####.obj", "####.png"].map(titled), ["smoke", "run", "####.png"]);
    }
}
