//! Words that people give to clips to find them again, kept apart from the clips: no file is changed by them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::ClipRow;
use crate::document::file::absolute;

/// Tags of clips by file and name.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    /// Where they are kept; nowhere by default.
    place: Option<PathBuf>,
    of: OfFiles,
}

/// By absolute path and by clip.
type OfFiles = BTreeMap<PathBuf, BTreeMap<String, BTreeSet<String>>>;

impl Tags {
    /// Those kept in `folder`; none where there are none or their file is damaged.
    pub fn in_folder(folder: &Path) -> Self {
        let place = folder.join("tags.json");
        Self { of: read(&place), place: Some(place) }
    }

    /// Gives each of `rows` its tags.
    pub fn give<'r>(&self, rows: impl IntoIterator<Item = &'r mut ClipRow>) {
        for row in rows {
            let tags = self.of.get(&absolute(&row.file)).and_then(|of_file| of_file.get(&row.clip));
            row.tags = tags.into_iter().flatten().cloned().collect();
        }
    }

    /// Those of the clips of `file`.
    pub fn of_file(&self, file: &Path) -> BTreeMap<String, BTreeSet<String>> {
        self.of.get(&absolute(file)).cloned().unwrap_or_default()
    }

    /// Gives `tag` to the clips of `rows`, or takes it from them, and keeps that. Others may have kept theirs meanwhile: those stay.
    ///
    /// Errors where it cannot be kept; it holds until the end of the program then.
    pub(super) fn set(&mut self, rows: &[ClipRow], tag: &str, holds: bool) -> std::io::Result<()> {
        if let Some(place) = &self.place {
            self.of = read(place);
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
        let Some(place) = &self.place else { return Ok(()) };
        let mut written = tempfile::NamedTempFile::new_in(place.parent().unwrap_or(Path::new(".")))?;
        serde_json::to_writer_pretty(&mut written, &self.of)?;
        written.persist(place)?;
        Ok(())
    }
}

/// The tag that is meant by what was typed; `None` where that is nothing. A comma parts tags where they are listed.
pub fn tag_of(typed: &str) -> Option<String> {
    let words: Vec<&str> = typed.split(|letter: char| letter == ',' || letter.is_whitespace()).collect();
    let tag = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!tag.is_empty()).then_some(tag)
}

fn read(place: &Path) -> OfFiles {
    let bytes = std::fs::read(place).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(clip: &str) -> ClipRow {
        ClipRow { file: "clips/hero.glb".into(), clip: clip.into(), quality: None, tags: Vec::new() }
    }

    fn given(tags: &Tags, clip: &str) -> Vec<String> {
        let mut row = row(clip);
        tags.give([&mut row]);
        row.tags
    }

    #[test]
    fn tags_are_found_again_by_file_and_clip_and_those_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [(); 2].map(|()| Tags::in_folder(folder.path()));
        one.set(&[row("run"), row("walk")], "night", true).unwrap();
        other.set(&[row("run")], "boss fight", true).unwrap();
        let kept = Tags::in_folder(folder.path());
        assert_eq!(given(&kept, "run"), ["boss fight", "night"]);
        assert_eq!((given(&kept, "walk"), given(&kept, "idle").len()), (vec!["night".to_owned()], 0));
        one.set(&[row("run"), row("walk")], "night", false).unwrap();
        let kept = Tags::in_folder(folder.path());
        assert_eq!((given(&kept, "run"), given(&kept, "walk").len()), (vec!["boss fight".to_owned()], 0));
        std::fs::write(folder.path().join("tags.json"), "{").unwrap();
        assert!(given(&Tags::in_folder(folder.path()), "run").is_empty());
    }

    #[test]
    fn what_is_typed_is_one_tag_or_none() {
        assert_eq!(tag_of("  boss   fight, "), Some("boss fight".into()));
        assert_eq!(tag_of(" , "), None);
    }
}
