//! The source files of a project, which are never overwritten.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A set of files that must not change, identified by the file itself rather than by its path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    by_identity: BTreeMap<Identity, PathBuf>,
    by_path: BTreeMap<PathBuf, PathBuf>,
}

/// Identity of a file on its disk, independent of links and spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    #[cfg(unix)]
    Inode { device: u64, inode: u64 },
    #[cfg(not(unix))]
    Canonical(PathBuf),
}

impl Sources {
    /// Adds a file, or every file in a folder, since those are frames. Folders inside it are not searched.
    pub fn add(&mut self, path: &Path) {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| path.is_file()).for_each(|path| self.add_file(&path));
        } else {
            self.add_file(path);
        }
    }

    /// Adds all files of `others`.
    pub fn extend(&mut self, others: Self) {
        self.by_identity.extend(others.by_identity);
        self.by_path.extend(others.by_path);
    }

    /// Adds the file at `path`, also if it does not exist.
    fn add_file(&mut self, path: &Path) {
        // A missing source keeps its path: a file written there would later be read as the source.
        self.by_path.insert(resolve_links(path), path.to_owned());
        if let Some(identity) = Identity::read(path) {
            self.by_identity.insert(identity, path.to_owned());
        }
    }

    /// Returns the source that writing to `path` would overwrite, also through links; `None` if there is none.
    pub fn find(&self, path: &Path) -> Option<&Path> {
        let by_identity = Identity::read(path).and_then(|identity| self.by_identity.get(&identity));
        by_identity.or_else(|| self.by_path.get(&resolve_links(path))).map(PathBuf::as_path)
    }
}

/// Resolves the links of `path` as far as it exists. If `path` does not exist, the links of its folder are resolved; if
/// that does not exist either, the path is made absolute.
pub(super) fn resolve_links(path: &Path) -> PathBuf {
    let in_folder = || Some(std::fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    std::fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(absolute)
}

impl Identity {
    /// Reads the identity of the file at `path`; `None` if it does not exist or cannot be read.
    #[cfg(unix)]
    fn read(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let data = std::fs::metadata(path).ok()?;
        Some(Self::Inode { device: data.dev(), inode: data.ino() })
    }

    /// Reads the identity of the file at `path`; `None` if it does not exist or cannot be read.
    #[cfg(not(unix))]
    fn read(path: &Path) -> Option<Self> {
        // These systems ignore case, and canonical paths use the spelling on disk.
        std::fs::canonicalize(path).ok().map(Self::Canonical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_recognised_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("hero.glb"), b"hero").unwrap();
        std::fs::write(at("other.glb"), b"other").unwrap();
        std::fs::create_dir(at("frames")).unwrap();
        std::fs::write(at("frames/f_0.png"), b"0").unwrap();
        std::fs::hard_link(at("hero.glb"), at("hard.glb")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("hero.glb"), at("soft.glb")).unwrap();
        let mut sources = Sources::default();
        [at("hero.glb"), at("frames"), at("gone.bin")].iter().for_each(|path| sources.add(path));
        for name in ["hero.glb", "hard.glb", "frames/../hero.glb", "frames/f_0.png", "gone.bin"] {
            assert!(sources.find(&at(name)).is_some(), "{name}");
        }
        #[cfg(unix)]
        assert_eq!(sources.find(&at("soft.glb")), Some(at("hero.glb").as_path()));
        for name in ["other.glb", "frames/f_1.png", "new.glb"] {
            assert_eq!(sources.find(&at(name)), None, "{name}");
        }
    }
}
