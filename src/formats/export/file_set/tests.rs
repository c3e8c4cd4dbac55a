use std::collections::BTreeMap;

use super::*;
use crate::export::single_file;
use crate::faulty_disk::{Fault, FaultyDisk};

type Contents = BTreeMap<String, Vec<u8>>;

/// Returns every file below `folder` except temporary ones.
fn contents(folder: &Path) -> Contents {
    let mut all = Contents::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let name = entry.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                all.insert(name, std::fs::read(&entry).unwrap());
            }
        }
    }
    all
}

fn litter(folder: &Path) -> Vec<String> {
    contents(folder).into_keys().filter(|name| name.contains(PREFIX)).collect()
}

/// Creates a folder with files that a set will replace and files that it will not.
fn baked_once() -> (tempfile::TempDir, Contents) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("frames")).unwrap();
    for name in ["a.glb", "b.glb", "frames/0.png", "mine.txt"] {
        std::fs::write(folder.path().join(name), format!("old {name}")).unwrap();
    }
    let before = contents(folder.path());
    (folder, before)
}

const NAMES: [&str; 5] = ["a.glb", "b.glb", "c.glb", "frames/0.png", "new/1.png"];

fn bake(folder: &Path, system: Arc<dyn FileSystem>) -> Result<(), ExportError> {
    let mut files = FileSet::on(system, Arc::default());
    for name in NAMES {
        files.write(&folder.join(name), format!("new {name}").as_bytes())?;
    }
    files.commit(Replace::Allow).map(|_| ())
}

#[test]
fn whichever_operation_fails_all_files_are_old_or_all_are_new() {
    let sound = Arc::new(FaultyDisk::sound());
    let (folder, before) = baked_once();
    bake(folder.path(), sound.clone()).unwrap();
    let mut after = before.clone();
    after.extend(NAMES.map(|name| (name.to_owned(), format!("new {name}").into_bytes())));
    assert_eq!(contents(folder.path()), after);
    let (mut cases, mut failed) = (0, 0);
    // Once over existing files, once into an empty folder.
    for (fails_at, is_new) in (0..sound.operations()).flat_map(|at| [(at, false), (at, true)]) {
        for fault in Fault::ALL {
            let (folder, mut before) = baked_once();
            let mut after = after.clone();
            if is_new {
                std::fs::remove_dir_all(folder.path().join("frames")).unwrap();
                before.retain(|name, _| name == "mine.txt");
                ["a.glb", "b.glb"].iter().for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
                after.retain(|name, _| name == "mine.txt" || NAMES.contains(&&**name));
            }
            let outcome = bake(folder.path(), Arc::new(FaultyDisk::new(fails_at, fault)));
            clean(&Disk, folder.path());
            clean(&Disk, &folder.path().join("frames"));
            clean(&Disk, &folder.path().join("new"));
            let wanted = if outcome.is_ok() { &after } else { &before };
            assert_eq!(contents(folder.path()), *wanted, "{fault:?} at {fails_at}: {outcome:?}");
            (cases, failed) = (cases + 1, failed + usize::from(outcome.is_err()));
        }
    }
    println!("{cases} faults, {failed} of them refused");
    assert!(cases >= 360 && failed > 200, "{cases} {failed}");
}

#[test]
fn all_files_are_flushed_before_the_first_is_replaced() {
    let disk = Arc::new(FaultyDisk::sound());
    let (folder, _) = baked_once();
    bake(folder.path(), disk.clone()).unwrap();
    let log = disk.log();
    let replaced = |path: &Path| NAMES.iter().any(|name| path.ends_with(name));
    let first = log.iter().position(|(what, path)| *what == "rename" && replaced(path)).unwrap();
    let written =
        log[..first].iter().filter(|(what, path)| *what == "create" && path.extension() == Some("part".as_ref()));
    let mut unsynced: Vec<&Path> = written.map(|(_, path)| &**path).collect();
    assert_eq!(unsynced.len(), NAMES.len() + 1, "the files and their journal: {unsynced:?}");
    unsynced.retain(|written| !log[..first].iter().any(|(what, path)| *what == "sync" && path == written));
    assert_eq!(unsynced, <[&Path; 0]>::default());
}

#[test]
fn a_source_is_never_replaced_whatever_is_allowed() {
    let (folder, before) = baked_once();
    let mut sources = Sources::default();
    sources.add(&folder.path().join("b.glb"));
    std::fs::hard_link(folder.path().join("b.glb"), folder.path().join("twin.glb")).unwrap();
    let mut files = FileSet::new(Arc::new(sources));
    files.write(&folder.path().join("a.glb"), b"new").unwrap();
    for name in ["b.glb", "twin.glb", "frames/../b.glb"] {
        let sentence = files.write(&folder.path().join(name), b"new").unwrap_err().to_string();
        assert!(sentence.contains("b.glb"), "{sentence}");
    }
    drop(files);
    std::fs::remove_file(folder.path().join("twin.glb")).unwrap();
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn other_files_are_replaced_only_with_consent() {
    let (folder, before) = baked_once();
    let mut files = FileSet::new(Arc::default());
    for name in ["a.glb", "c.glb", "frames/0.png"] {
        files.write(&folder.path().join(name), b"new").unwrap();
    }
    let Err(ExportError::WouldReplace { files: there }) = files.commit(Replace::Refuse) else { panic!("replaced") };
    assert_eq!(there, ["a.glb", "frames/0.png"].map(|name| folder.path().join(name)));
    let visible: Contents = contents(folder.path()).into_iter().filter(|(name, _)| !name.contains(PREFIX)).collect();
    assert_eq!(visible, before);
    files.commit(Replace::Allow).unwrap();
    drop(files);
    assert_eq!(contents(folder.path())["frames/0.png"], b"new");
    assert_eq!(litter(folder.path()), Vec::<String>::new());
}

#[test]
fn a_duplicate_path_is_refused_and_removed_files_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = FileSet::new(Arc::default());
    files.write(&folder.path().join("a.glb"), b"1").unwrap();
    assert!(files.write(&folder.path().join("sub/../a.glb"), b"2").is_err());
    files.truncate(1);
    files.write(&folder.path().join("b.glb"), b"3").unwrap();
    files.truncate(1);
    assert_eq!(
        files.commit(Replace::Refuse).unwrap(),
        [WrittenFile { path: folder.path().join("a.glb"), is_unchanged: false }]
    );
    drop(files);
    assert_eq!(contents(folder.path()).keys().collect::<Vec<_>>(), ["a.glb"]);
}

#[test]
fn files_of_a_dead_process_are_finished_or_removed_and_those_of_a_living_one_kept() {
    let (folder, before) = baked_once();
    let at = |name: &str| folder.path().join(name);
    let token = format!("{PREFIX}4242-0");
    let part = |number: usize, name: &str, replaces: bool| StagedFile {
        path: at(name),
        target: at(name),
        part: at(&format!("{token}.{number}.part")),
        old: at(&format!("{token}.{number}.old")),
        replaces,
        is_same: false,
        is_synced: false,
    };
    // Died after the first of two renames.
    let parts = [part(0, "a.glb", true), part(1, "b.glb", true)];
    std::fs::hard_link(at("a.glb"), &parts[0].old).unwrap();
    std::fs::write(at("a.glb"), b"new a").unwrap();
    std::fs::write(&parts[1].part, b"new b").unwrap();
    std::fs::write(at(&format!("{token}.journal")), serde_json::to_vec(&parts).unwrap()).unwrap();
    // Another process died before its first rename.
    std::fs::write(at(&format!("{PREFIX}4243-1.0.part")), b"half").unwrap();
    let mut living = FileSet::new(Arc::default());
    living.write(&at("c.glb"), b"new c").unwrap();
    clean(&Disk, folder.path());
    assert_eq!(std::fs::read(at("a.glb")).unwrap(), b"new a");
    assert_eq!(std::fs::read(at("b.glb")).unwrap(), b"new b");
    living.commit(Replace::Refuse).unwrap();
    drop(living);
    assert_eq!(std::fs::read(at("c.glb")).unwrap(), b"new c");
    assert_eq!(litter(folder.path()), Vec::<String>::new());
    assert_eq!(contents(folder.path()).len(), before.len() + 1);
}

#[test]
fn files_of_a_dead_process_in_sibling_folders_are_finished_from_any_of_them() {
    for touched in ["", "one", "two"] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let token = format!("{PREFIX}4242-0");
        let part = |name: &str| {
            let target = at(name);
            let temporary = |end: &str| target.with_file_name(format!("{token}.0.{end}"));
            let (part, old) = (temporary("part"), temporary("old"));
            StagedFile { path: target.clone(), target, part, old, replaces: false, is_same: false, is_synced: false }
        };
        let parts = [part("one/a.png"), part("two/b.png")];
        for part in &parts {
            std::fs::create_dir_all(part.target.parent().unwrap()).unwrap();
        }
        // Died after the first of two renames.
        std::fs::write(&parts[0].target, b"new a").unwrap();
        std::fs::write(&parts[1].part, b"new b").unwrap();
        std::fs::write(at(&format!("{token}.journal")), serde_json::to_vec(&parts).unwrap()).unwrap();
        clean(&Disk, &at(touched));
        if touched != "one" {
            assert_eq!(std::fs::read(at("two/b.png")).unwrap(), b"new b", "{touched}");
        }
        // The next set that writes there starts the same way.
        let mut next = FileSet::new(Arc::default());
        ["one/c.png", "two/d.png"].iter().for_each(|name| next.write(&at(name), b"c").unwrap());
        next.commit(Replace::Refuse).unwrap();
        drop(next);
        assert_eq!(std::fs::read(at("one/a.png")).unwrap(), b"new a");
        assert_eq!(std::fs::read(at("two/b.png")).unwrap(), b"new b");
        assert_eq!(litter(folder.path()), Vec::<String>::new(), "{touched}");
    }
}

#[test]
fn a_foreign_journal_moves_no_files() {
    let (folder, _) = baked_once();
    let at = |name: &str| folder.path().join(name);
    let evil = StagedFile {
        path: at("a.glb"),
        target: at("a.glb"),
        part: at("mine.txt"),
        old: at("b.glb"),
        replaces: true,
        is_same: false,
        is_synced: false,
    };
    std::fs::write(at(&format!("{PREFIX}1-0.journal")), serde_json::to_vec(&[evil]).unwrap()).unwrap();
    clean(&Disk, folder.path());
    assert_eq!(std::fs::read(at("a.glb")).unwrap(), b"old a.glb");
    assert!(at("mine.txt").exists() && at("b.glb").exists());
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept_and_irregular_or_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, _) = baked_once();
    let at = |name: &str| folder.path().join(name);
    std::fs::set_permissions(at("a.glb"), PermissionsExt::from_mode(0o600)).unwrap();
    symlink(at("b.glb"), at("link.glb")).unwrap();
    std::fs::set_permissions(at("frames/0.png"), PermissionsExt::from_mode(0o444)).unwrap();
    let write = |name: &str| single_file::write(&at(name), b"new");
    write("a.glb").unwrap();
    assert_eq!(std::fs::metadata(at("a.glb")).unwrap().permissions().mode() & 0o777, 0o600);
    write("link.glb").unwrap();
    assert!(std::fs::symlink_metadata(at("link.glb")).unwrap().is_symlink());
    assert_eq!(std::fs::read(at("b.glb")).unwrap(), b"new");
    assert!(write("frames/0.png").unwrap_err().to_string().contains("read-only"));
    assert!(write("frames").unwrap_err().to_string().contains("not a regular file"));
    assert!(single_file::write(Path::new("/dev/null"), b"new").is_err());
    assert_eq!(std::fs::metadata(at("frames/0.png")).unwrap().len(), "old frames/0.png".len() as u64);
}

#[test]
fn concurrent_sets_in_one_folder_do_not_interfere() {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("out");
    let write = |number: usize| {
        let mut files = FileSet::new(Arc::default());
        for half in 0..2 {
            files.write(&shared.join(format!("{number}-{half}.txt")), number.to_string().as_bytes())?;
        }
        files.commit(Replace::Refuse).map(|_| ())
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || (0..25).for_each(|number| write(25 * thread + number).unwrap()));
        }
    });
    assert_eq!(contents(&shared).len(), 400);
    assert_eq!(litter(&shared), [""; 0]);
}

#[test]
fn a_set_absorbs_the_files_of_another_and_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut combined = FileSet::new(Arc::default());
    combined.write(&path("a"), b"a").unwrap();
    let mut other = combined.sibling();
    ["b", "deep/c"].iter().for_each(|name| other.write(&path(name), name.as_bytes()).unwrap());
    combined.absorb(other).unwrap();
    let mut twice = combined.sibling();
    ["d", "b", "e"].iter().for_each(|name| twice.write(&path(name), b"other").unwrap());
    assert!(matches!(combined.absorb(twice), Err(ExportError::WrittenTwice { .. })));
    let placed: Vec<PathBuf> = combined.commit(Replace::Refuse).unwrap().into_iter().map(|file| file.path).collect();
    assert_eq!(placed, ["a", "b", "deep/c", "d"].map(path));
    drop(combined);
    let there: Vec<String> = contents(folder.path()).into_keys().collect();
    assert_eq!(there, ["a", "b", "d", "deep/c"]);
    assert_eq!(std::fs::read(path("b")).unwrap(), b"b");
}

#[test]
fn sibling_sets_leave_no_folder_whichever_is_dropped_first() {
    for first_goes_first in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let combined = FileSet::new(Arc::default());
        let [mut first, mut second] = [combined.sibling(), combined.sibling()];
        first.write(&path("out/a"), b"a").unwrap();
        second.write(&path("out/deep/b"), b"b").unwrap();
        let (goes, stays) = if first_goes_first { (first, second) } else { (second, first) };
        drop(goes);
        drop(stays);
        drop(combined);
        assert!(!path("out").exists(), "the first goes first: {first_goes_first}");
    }
}

#[test]
fn a_folder_stays_for_a_set_that_is_still_being_filled() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut combined = FileSet::new(Arc::default());
    let mut other = combined.sibling();
    other.write(&out.join("a"), b"a").unwrap();
    drop(other);
    assert!(out.exists());
    combined.write(&out.join("b"), b"b").unwrap();
    combined.commit(Replace::Refuse).unwrap();
    drop(combined);
    assert_eq!(contents(&out).into_keys().collect::<Vec<_>>(), ["b"]);
}
