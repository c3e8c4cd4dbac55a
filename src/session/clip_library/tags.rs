//! User-defined clip tags, stored separately so that no clip file is modified.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::ClipRow;
use portamento_takes::document::file::absolute;

/// Tags of clips by file and name.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    /// The file that stores the tags; none by default.
    path: Option<PathBuf>,
    of: OfFiles,
}

/// By absolute path and by clip.
type OfFiles = BTreeMap<PathBuf, BTreeMap<String, BTreeSet<String>>>;

impl Tags {
    /// Loads the tags stored in `folder`; empty if there is no valid file. Later changes are saved there.
    pub fn in_folder(folder: &Path) -> Self {
        let path = folder.join("tags.json");
        Self { of: read(&path), path: Some(path) }
    }

    /// Replaces the tags of each of `rows` by the known ones of its clip.
    pub fn apply_to<'r>(&self, rows: impl IntoIterator<Item = &'r mut ClipRow>) {
        for row in rows {
            let tags = self.of.get(&absolute(&row.file)).and_then(|of_file| of_file.get(&row.clip));
            row.tags = tags.into_iter().flatten().cloned().collect();
        }
    }

    /// Returns the tags of the clips of `file`. They are keyed by clip name; clips without tags are absent.
    pub fn of_file(&self, file: &Path) -> BTreeMap<String, BTreeSet<String>> {
        self.of.get(&absolute(file)).cloned().unwrap_or_default()
    }

    /// Adds `tag` to the clips of `rows`, or removes it if `holds` is false, and saves. Tags saved by other instances
    /// meanwhile are kept.
    ///
    /// Returns `Err` if saving fails; the change then lasts until the program ends.
    pub(super) fn set(&mut self, rows: &[ClipRow], tag: &str, holds: bool) -> std::io::Result<()> {
        if let Some(path) = &self.path {
            self.of = read(path);
        }
        for row in rows {
            let of_clip = self.of.entry(absolute(&row.file)).or_default().entry(row.clip.clone()).or_default();
            if holds {
                of_clip.insert(tag.to_owned())
            } else {
                of_clip.remove(tag)
            };
        }
        self.of.values_mut().for_each(|of_file| of_file.retain(|_, tags| !tags.is_empty()));
        self.of.retain(|_, of_file| !of_file.is_empty());
        let Some(path) = &self.path else { return Ok(()) };
        let mut written = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        serde_json::to_writer_pretty(&mut written, &self.of)?;
        written.persist(path)?;
        Ok(())
    }
}

/// Returns the tag for the typed text; `None` if it is empty. Commas and white space become single spaces.
pub fn tag_of(typed: &str) -> Option<String> {
    let words: Vec<&str> = typed.split(|letter: char| letter == ',' || letter.is_whitespace()).collect();
    let tag = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!tag.is_empty()).then_some(tag)
}

/// Reads the tags stored at `path`; none if the file is missing or damaged.
fn read(path: &Path) -> OfFiles {
    let bytes = portamento_base::regular_file::all(path).ok();
    bytes.and_then(|bytes| portamento_base::json::parse(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(clip: &str) -> ClipRow {
        ClipRow { file: "clips/hero.glb".into(), clip: clip.into(), quality: None, tags: Vec::new() }
    }

    fn tags_of(tags: &Tags, clip: &str) -> Vec<String> {
        let mut row = row(clip);
        tags.apply_to([&mut row]);
        row.tags
    }

    #[test]
    fn tags_are_stored_by_file_and_clip_and_merged_with_other_instances() {
        let folder = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [(); 2].map(|()| Tags::in_folder(folder.path()));
        one.set(&[row("run"), row("walk")], "night", true).unwrap();
        other.set(&[row("run")], "boss fight", true).unwrap();
        let stored = Tags::in_folder(folder.path());
        assert_eq!(tags_of(&stored, "run"), ["boss fight", "night"]);
        assert_eq!((tags_of(&stored, "walk"), tags_of(&stored, "idle").len()), (vec!["night".to_owned()], 0));
        one.set(&[row("run"), row("walk")], "night", false).unwrap();
        let stored = Tags::in_folder(folder.path());
        assert_eq!((tags_of(&stored, "run"), tags_of(&stored, "walk").len()), (vec!["boss fight".to_owned()], 0));
        std::fs::write(folder.path().join("tags.json"), "{").unwrap();
        assert!(tags_of(&Tags::in_folder(folder.path()), "run").is_empty());
    }

    #[test]
    fn what_is_typed_is_one_tag_or_none() {
        assert_eq!(tag_of("  boss   fight, "), Some("boss fight".into()));
        assert_eq!(tag_of(" , "), None);
    }
}
