//! Numbered files: `smoke_0007.png` is frame 7 of `smoke_####.png`, `flame (3).png` is frame 3 of `flame (####).png`.
//!
//! Images may have the number anywhere, as in `spot_0007_colour.png`. Of several numbers the frame number is the one that
//! differs between most files.

use std::collections::BTreeMap;
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
        let stem =
            self.name.split("####").next().unwrap_or_default().trim_end_matches(['_', '-', '.', ' ', '(', '[', '{']);
        if stem.is_empty() { &self.name } else { stem }
    }
}

/// The parts of a numbered file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Numbered {
    pattern: Pattern,
    number: u64,
    path: PathBuf,
}

/// The parts of a file name that are equal in the whole sequence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern {
    /// The part before the number.
    prefix: String,
    /// The part after the number, without the extension.
    suffix: String,
    /// In lower case and without the dot.
    extension: String,
}

impl Pattern {
    /// Returns the name of the sequence for messages, with `####` for the number.
    fn name(&self) -> String {
        format!("{}####{}.{}", self.prefix, self.suffix, self.extension)
    }

    /// True if only punctuation, such as a closing bracket, follows the number.
    fn ends_with_number(&self) -> bool {
        !self.suffix.contains(char::is_alphanumeric)
    }
}

/// Positions of the number in a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberPosition {
    /// At the end, or before a closing bracket. Numbers inside names of meshes are usually sizes or versions.
    End,
    /// Anywhere.
    Anywhere,
}

/// Finds the sequence that the file `path` belongs to, or the only one in the folder `path`.
/// `extensions` are in lower case and without the dot.
///
/// Returns `Err` if there is none, if a folder holds several, or if a number is missing or present twice. With
/// [`NumberPosition::End`] other numbers than the last do not count.
pub fn find(path: &Path, extensions: &[&str], position: NumberPosition) -> Result<Sequence, ImportError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let unreadable = |reason| ImportError::Unreadable { file: folder.display().to_string(), reason };
    let mut candidates: Vec<Vec<Numbered>> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        candidates.push(numbered(&entry.map_err(unreadable)?.path(), extensions, position));
    }
    let mut files_of: BTreeMap<&Pattern, usize> = BTreeMap::new();
    candidates.iter().flatten().for_each(|each| *files_of.entry(&each.pattern).or_default() += 1);
    let best = |candidates: &[Numbered]| {
        // Of equally good numbers the last one counts.
        let best = candidates.iter().max_by_key(|each| files_of.get(&each.pattern).copied().unwrap_or(1))?;
        let is_alone = files_of.get(&best.pattern).is_none_or(|&files| files < 2);
        (best.pattern.ends_with_number() || !is_alone).then(|| best.clone())
    };
    if path.is_dir() {
        let mut found: Vec<Numbered> = candidates.iter().filter_map(|each| best(each)).collect();
        found.sort();
        return single_sequence(found, &file_name(folder), extensions);
    }
    let Some(chosen) = best(&numbered(path, extensions, position)) else {
        let reason = format!("has no frame number in its name, or does not end in {}", join_extensions(extensions));
        return Err(sequence_error(file_name(path), "this file", reason));
    };
    let mut found: Vec<Numbered> =
        candidates.iter().flatten().filter(|each| each.pattern == chosen.pattern).cloned().collect();
    found.sort();
    single_sequence(found, &file_name(folder), extensions)
}

/// True if the file `path` is opened as a sequence and not on its own: its number is at the end of its name, or its neighbours
/// form a complete sequence with a number inside.
pub(super) fn is_frame(path: &Path, extensions: &[&str]) -> bool {
    let has_last = !numbered(path, extensions, NumberPosition::End).is_empty();
    has_last || find(path, extensions, NumberPosition::Anywhere).is_ok_and(|sequence| sequence.files.len() > 1)
}

/// Returns the sequence of the files, which are sorted by number. Returns `Err` if there is none, if there are several, or
/// if a number is missing or repeated. `folder` is its name for messages.
fn single_sequence(found: Vec<Numbered>, folder: &str, extensions: &[&str]) -> Result<Sequence, ImportError> {
    let Some(first) = found.first() else {
        return Err(sequence_error(
            folder.into(),
            "the folder",
            format!("holds no numbered {} files", join_extensions(extensions)),
        ));
    };
    let name = first.pattern.name();
    if let Some(other) = found.iter().find(|each| each.pattern != first.pattern) {
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

/// Returns the extensions with dots, separated by commas.
fn join_extensions(extensions: &[&str]) -> String {
    extensions.iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
}

/// Returns the numbers in the name of `path` in order, each as a possible frame number. Empty if it has another extension.
/// With [`NumberPosition::End`], only a number at the end counts.
fn numbered(path: &Path, extensions: &[&str], position: NumberPosition) -> Vec<Numbered> {
    let Some(extension) = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()) else {
        return Vec::new();
    };
    if !extensions.contains(&extension.as_str()) {
        return Vec::new();
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..name.len()).filter(|&at| is_digit(at) && (at == 0 || !is_digit(at - 1)));
    let candidate = |start: usize| {
        let end = (start..=name.len()).find(|&at| !is_digit(at))?;
        let number = name[start..end].parse().ok()?;
        let (prefix, suffix) = (name[..start].to_owned(), name[end..].to_owned());
        Some(Numbered { pattern: Pattern { prefix, suffix, extension: extension.clone() }, number, path: path.into() })
    };
    let fits = |each: &Numbered| position == NumberPosition::Anywhere || each.pattern.ends_with_number();
    starts.filter_map(candidate).filter(fits).collect()
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
        let sequence = find(folder.path(), &["obj"], NumberPosition::End).unwrap();
        assert_eq!((sequence.name.as_str(), sequence.first), ("fox####.obj", 8));
        let names: Vec<String> = sequence.files.iter().map(|file| file_name(file)).collect();
        assert_eq!(names, ["fox8.obj", "fox9.obj", "fox10.obj"]);
    }

    #[test]
    fn a_gap_a_double_and_a_mixture_are_named() {
        let sentence =
            |names: &[&str]| find(folder_of(names).path(), &["png"], NumberPosition::Anywhere).unwrap_err().to_string();
        assert!(sentence(&["a1.png", "a2.png", "a4.png"]).contains("number 3 is missing"));
        assert!(sentence(&["a1.png", "a01.png"]).contains("number 1 exists twice"));
        assert!(sentence(&["a1.png", "b1.png"]).contains("several sequences"));
        assert!(sentence(&["a.png"]).contains("no numbered .png"));
    }

    #[test]
    fn one_file_of_many_chooses_its_own_sequence() {
        let folder = folder_of(&["a1.png", "b1.png", "b2.png"]);
        assert_eq!(find(&folder.path().join("b2.png"), &["png"], NumberPosition::Anywhere).unwrap().files.len(), 2);
        assert!(find(&folder.path().join("b.png"), &["png"], NumberPosition::Anywhere).is_err());
    }

    #[test]
    fn the_title_omits_number_and_extension() {
        let titled = |name: &str| Sequence { name: name.into(), first: 0, files: Vec::new() }.title().to_owned();
        assert_eq!(
            ["smoke_####.png", "run####.obj", "flame (####).png", "####.png"].map(titled),
            ["smoke", "run", "flame", "####.png"]
        );
    }

    #[test]
    fn numbers_in_brackets_and_before_a_suffix_are_frames() {
        let all: [&[&str]; 4] = [
            &[
                "flame (1).png",
                "flame (2).png",
                "flame (10).png",
                "flame (9).png",
                "flame (3).png",
                "flame (4).png",
                "flame (5).png",
                "flame (6).png",
                "flame (7).png",
                "flame (8).png",
            ],
            &["spot_0002_colour.png", "spot_0000_colour.png", "spot_0001_colour.png"],
            &["shot2.0009.beauty.v3.png", "shot2.0010.beauty.v3.png", "shot2.0008.beauty.v3.png"],
            &["hero[7].png", "hero[8].png"],
        ];
        for names in all {
            let folder = folder_of(names);
            let sequence = find(folder.path(), &["png"], NumberPosition::Anywhere).unwrap();
            assert_eq!(sequence.files.len(), names.len());
            for name in names {
                let path = folder.path().join(name);
                assert!(is_frame(&path, &["png"]), "{name}");
                assert_eq!(find(&path, &["png"], NumberPosition::Anywhere).unwrap(), sequence, "{name}");
            }
        }
        let numbers = folder_of(all[0]);
        let sequence = find(numbers.path(), &["png"], NumberPosition::Anywhere).unwrap();
        assert_eq!((sequence.name.as_str(), sequence.first), ("flame (####).png", 1));
        assert_eq!(file_name(&sequence.files[9]), "flame (10).png");
    }

    #[test]
    fn numbers_inside_names_of_unrelated_pictures_are_no_frames() {
        let folder = folder_of(&["hero_32px_idle.png", "hero_16px_idle.png", "rock2_colour.png", "wall.png"]);
        for name in ["hero_32px_idle.png", "rock2_colour.png", "wall.png"] {
            assert!(!is_frame(&folder.path().join(name), &["png"]), "{name}");
        }
        let levels = folder_of(&["level_1_east.obj", "level_2_east.obj"]);
        assert!(find(&levels.path().join("level_1_east.obj"), &["obj"], NumberPosition::End).is_err());
    }
}
