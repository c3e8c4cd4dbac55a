//! Exports that die in the middle of a commit.

use super::*;
use portamento_anim::math::random::{SplitMix64, spread};
use portamento_test_support::{damaged_json, mutants};

/// A set that dies in the middle of its commit.
struct Dying {
    token: String,
    parts: Vec<StagedFile>,
}

impl Dying {
    /// Writes the parts of `files` below `folder`: the name and the new content of each.
    fn in_folder(folder: &Path, files: &[(&str, &[u8])]) -> Self {
        let token = new_token();
        let mut parts = Vec::new();
        for (number, (name, bytes)) in files.iter().enumerate() {
            let target = folder.join(name);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            let temporary = |end: &str| target.with_file_name(format!("{token}.{number}.{end}"));
            let (part, old) = (temporary("part"), temporary("old"));
            std::fs::write(&part, bytes).unwrap();
            let (new, replaced) = (Content::of(&[bytes]), Content::at(&target));
            parts.push(StagedFile { path: target.clone(), target, part, old, new, replaced, is_synced: false });
        }
        std::fs::write(folder.join(format!("{token}.journal")), journal::to_bytes(&parts)).unwrap();
        Self { token, parts }
    }

    /// Performs rename number `index`.
    fn rename(&self, index: usize) {
        let StagedFile { target, part, old, replaced, .. } = &self.parts[index];
        if replaced.is_some() {
            std::fs::hard_link(target, old).unwrap();
        }
        std::fs::rename(part, target).unwrap();
    }
}

const NEW: [(&str, &[u8]); 3] = [("a.glb", b"new a"), ("frames/0.png", b"new 0"), ("new/c.glb", b"new c")];

/// Returns the only interrupted export in `folder`.
fn only(folder: &Path) -> Interrupted {
    let remains = clean(&Disk, folder);
    assert_eq!((remains.interrupted.len(), remains.unreadable.len()), (1, 0));
    remains.interrupted[0].clone()
}

fn resolve(interrupted: &Interrupted, resolution: Resolution) -> Vec<String> {
    let reports = interrupted.resolve(&Disk, &Sources::default(), resolution).unwrap();
    reports.iter().map(ToString::to_string).collect()
}

#[test]
fn an_interrupted_export_waits_until_it_is_finished_or_undone() {
    for (renamed, resolution) in [1, 2].into_iter().flat_map(|n| [(n, Resolution::Finish), (n, Resolution::Undo)]) {
        let (folder, before) = baked_once();
        let dying = Dying::in_folder(folder.path(), &NEW);
        (0..renamed).for_each(|index| dying.rename(index));
        let half_new = contents(folder.path());
        let mut unrelated = FileSet::new(Arc::default());
        unrelated.write(&folder.path().join("other.glb"), b"other").unwrap();
        unrelated.commit(Replace::Refuse).unwrap();
        let interrupted = unrelated.remains().interrupted[0].clone();
        drop(unrelated);
        std::fs::remove_file(folder.path().join("other.glb")).unwrap();
        assert_eq!(contents(folder.path()), half_new, "an unrelated export leaves it as it is");
        let sentence = interrupted.message().to_string();
        assert!(sentence.contains(&format!("{renamed} of its 3 files are new")), "{sentence}");
        assert_eq!(interrupted.old_files().len(), 3 - renamed);
        assert_eq!(resolve(&interrupted, resolution), <[&str; 0]>::default());
        let mut wanted = before;
        if resolution == Resolution::Finish {
            wanted.extend(NEW.map(|(name, bytes)| (name.to_owned(), bytes.to_owned())));
        }
        assert_eq!(contents(folder.path()), wanted, "{renamed} {resolution:?}");
        assert_eq!(resolve(&interrupted, resolution), <[&str; 0]>::default(), "once more changes nothing");
        assert_eq!(contents(folder.path()), wanted);
    }
}

#[test]
fn an_export_that_died_before_its_first_rename_or_after_its_last_needs_no_decision() {
    for renamed in [0, 3] {
        let (folder, before) = baked_once();
        let dying = Dying::in_folder(folder.path(), &NEW);
        (0..renamed).for_each(|index| dying.rename(index));
        for name in ["", "frames", "new"] {
            assert_eq!(clean(&Disk, &folder.path().join(name)), Remains::default());
        }
        let mut wanted = before;
        if renamed == 3 {
            wanted.extend(NEW.map(|(name, bytes)| (name.to_owned(), bytes.to_owned())));
        }
        assert_eq!(contents(folder.path()), wanted);
    }
}

#[test]
fn files_of_a_dead_process_are_removed_and_those_of_a_living_one_and_of_other_programs_kept() {
    let (folder, before) = baked_once();
    let at = |name: &str| folder.path().join(name);
    // A process died before its first rename.
    std::fs::write(at(&format!("{}.0.part", new_token())), b"half").unwrap();
    let foreign = [format!("{PREFIX}notes.txt"), format!("{PREFIX}1-0.0.part")];
    foreign.iter().for_each(|name| std::fs::write(at(name), b"foreign").unwrap());
    let mut living = FileSet::new(Arc::default());
    living.write(&at("c.glb"), b"new c").unwrap();
    assert_eq!(clean(&Disk, folder.path()), Remains::default());
    living.commit(Replace::Refuse).unwrap();
    drop(living);
    assert_eq!(std::fs::read(at("c.glb")).unwrap(), b"new c");
    assert_eq!(litter(folder.path()).len(), foreign.len());
    assert_eq!(contents(folder.path()).len(), before.len() + 1 + foreign.len());
}

#[test]
fn an_interrupted_export_is_found_from_each_of_its_folders() {
    for touched in ["", "one", "two"] {
        let folder = tempfile::tempdir().unwrap();
        let dying = Dying::in_folder(folder.path(), &[("one/a.png", b"new a"), ("two/b.png", b"new b")]);
        for part in &dying.parts {
            std::fs::write(part.target.with_file_name(format!("{}.lock", dying.token)), b"").unwrap();
        }
        dying.rename(0);
        resolve(&only(&folder.path().join(touched)), Resolution::Finish);
        let names: Vec<String> = contents(folder.path()).into_keys().collect();
        assert_eq!(names, ["one/a.png", "two/b.png"], "{touched}");
    }
}

#[test]
fn an_export_of_the_same_files_ends_the_interrupted_one() {
    let (folder, mut wanted) = baked_once();
    Dying::in_folder(folder.path(), &NEW).rename(0);
    let mut again = FileSet::new(Arc::default());
    NEW.iter().for_each(|(name, _)| again.write(&folder.path().join(name), b"newer").unwrap());
    again.commit(Replace::Allow).unwrap();
    assert_eq!(again.remains(), &Remains::default());
    drop(again);
    wanted.extend(NEW.map(|(name, _)| (name.to_owned(), b"newer".to_vec())));
    assert_eq!(contents(folder.path()), wanted);
}

#[test]
fn a_journal_moves_only_the_temporary_files_of_its_set_and_only_inside_its_folder() {
    let (folder, _) = baked_once();
    let inner = folder.path().join("frames");
    let change: [&dyn Fn(&mut StagedFile); 4] = [
        &|part| part.part = inner.join("0.png"),
        &|part| part.old = inner.join("0.png"),
        &|part| part.target = inner.join("../mine.txt"),
        &|part| part.target = folder.path().join("mine.txt"),
    ];
    for change in change {
        let Dying { token, mut parts } = Dying::in_folder(&inner, &[("new.png", b"new")]);
        change(&mut parts[0]);
        let journal = inner.join(format!("{token}.journal"));
        std::fs::write(&journal, journal::to_bytes(&parts)).unwrap();
        let before = contents(folder.path());
        let Remains { unreadable, .. } = clean(&Disk, &inner);
        assert_eq!(contents(folder.path()), before);
        assert!(unreadable.len() == 1 && unreadable[0].to_string().contains(&token), "{unreadable:?}");
        std::fs::remove_file(journal).unwrap();
        clean(&Disk, &inner);
        assert_eq!(litter(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn a_journal_creates_no_file_that_was_not_requested() {
    for resolution in [Resolution::Finish, Resolution::Undo] {
        let (folder, before) = baked_once();
        let mut dying = Dying::in_folder(folder.path(), &NEW);
        dying.parts[2].target = folder.path().join("new/other.glb");
        let journal = folder.path().join(format!("{}.journal", dying.token));
        std::fs::write(&journal, journal::to_bytes(&dying.parts)).unwrap();
        let Remains { interrupted, unreadable } = clean(&Disk, folder.path());
        assert!(interrupted.is_empty() && unreadable.len() == 1, "{unreadable:?}");
        interrupted.iter().for_each(|each| drop(resolve(each, resolution)));
        let after = contents(folder.path());
        assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
        assert!(!after.contains_key("new/other.glb"), "{resolution:?}: {after:?}");
    }
}

#[test]
fn a_journal_with_damaged_structure_changes_no_file_that_it_does_not_own() {
    for number in 0..mutants(100) {
        let (folder, before) = baked_once();
        let dying = Dying::in_folder(folder.path(), &NEW);
        dying.rename(0);
        let journal = folder.path().join(format!("{}.journal", dying.token));
        let seed = std::fs::read(&journal).unwrap();
        std::fs::write(&journal, damaged_json(&seed, &mut SplitMix64::new(spread(number)))).unwrap();
        let resolution = if number % 2 == 0 { Resolution::Finish } else { Resolution::Undo };
        for interrupted in clean(&Disk, folder.path()).interrupted {
            let _ = interrupted.resolve(&Disk, &Sources::default(), resolution);
        }
        let after = contents(folder.path());
        for name in ["b.glb", "mine.txt"] {
            assert_eq!(after[name], before[name], "{number}");
        }
        let is_known = |(name, bytes): (&String, &Vec<u8>)| {
            let is_new = NEW.iter().any(|(new, content)| new == name && content == bytes);
            name.starts_with(PREFIX) || name.contains("/.portamento-") || before.get(name) == Some(bytes) || is_new
        };
        assert!(after.iter().all(is_known), "{number}: {after:?}");
    }
}

#[test]
fn neither_decision_changes_a_source_or_a_file_that_was_changed_since() {
    let new: [(&str, &[u8]); 3] = [("a.glb", b"new a"), ("b.glb", b"new b"), ("c.glb", b"new c")];
    let write = |name: &'static str| move |folder: &Path| std::fs::write(folder.join(name), "the user's").unwrap();
    let (a, b, c) = (write("a.glb"), write("b.glb"), write("c.glb"));
    type Change<'a> = (&'a str, &'a dyn Fn(&Path));
    let change: [Change; 4] = [
        ("a.glb", &a),
        ("b.glb", &b),
        ("b.glb", &|folder| std::fs::remove_file(folder.join("b.glb")).unwrap()),
        ("c.glb", &c),
    ];
    for (resolution, (changed, change)) in
        [Resolution::Finish, Resolution::Undo].into_iter().flat_map(|one| change.map(|change| (one, change)))
    {
        let (folder, mut wanted) = baked_once();
        Dying::in_folder(folder.path(), &new).rename(0);
        change(folder.path());
        let after_change = std::fs::read(folder.path().join(changed)).ok();
        let reports = resolve(&only(folder.path()), resolution);
        assert!(reports.len() == 1 && reports[0].contains(changed), "{resolution:?} {changed}: {reports:?}");
        if resolution == Resolution::Finish {
            wanted.extend(new.map(|(name, bytes)| (name.to_owned(), bytes.to_owned())));
        }
        wanted.remove(changed);
        wanted.extend(after_change.map(|bytes| (changed.to_owned(), bytes)));
        assert_eq!(contents(folder.path()), wanted, "{resolution:?} {changed}");
    }
}

#[test]
fn neither_decision_writes_a_source() {
    for (source, resolution) in [("b.glb", Resolution::Finish), ("a.glb", Resolution::Undo)] {
        let (folder, _) = baked_once();
        Dying::in_folder(folder.path(), &[("a.glb", b"new a"), ("b.glb", b"new b")]).rename(0);
        let mut sources = Sources::default();
        sources.add(&folder.path().join(source));
        let before = std::fs::read(folder.path().join(source)).unwrap();
        let reports = only(folder.path()).resolve(&Disk, &sources, resolution).unwrap();
        assert!(reports.len() == 1 && reports[0].to_string().contains(source), "{reports:?}");
        assert_eq!(std::fs::read(folder.path().join(source)).unwrap(), before);
        assert_eq!(litter(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn a_decision_whose_rename_fails_can_be_made_again() {
    for resolution in [Resolution::Finish, Resolution::Undo] {
        for fails_at in 0..4 {
            let (folder, before) = baked_once();
            let dying = Dying::in_folder(folder.path(), &NEW);
            dying.rename(0);
            let interrupted = only(folder.path());
            let disk = FaultyDisk::new(fails_at, Fault::Full);
            let failed = interrupted.resolve(&disk, &Sources::default(), resolution).is_err();
            if failed {
                resolve(&interrupted, resolution);
            }
            let mut wanted = before;
            if resolution == Resolution::Finish {
                wanted.extend(NEW.map(|(name, bytes)| (name.to_owned(), bytes.to_owned())));
            }
            let visible: Contents =
                contents(folder.path()).into_iter().filter(|(name, _)| !name.contains(PREFIX)).collect();
            assert_eq!(visible, wanted, "{resolution:?} {fails_at}");
        }
    }
}

/// Folder in which a child exports, that of its notes, the operation at which it is killed, and the number of files.
const KILL_VARIABLES: [&str; 4] =
    ["PORTAMENTO_KILL_FOLDER", "PORTAMENTO_KILL_NOTES", "PORTAMENTO_KILL_AT", "PORTAMENTO_KILL_FILES"];

/// A disk whose process is killed before operation number `at`.
#[derive(Debug)]
struct KillingDisk {
    at: usize,
    operations: std::sync::atomic::AtomicUsize,
}

impl KillingDisk {
    fn then<T>(&self, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.operations.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == self.at {
            let process = std::process::id().to_string();
            std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        act()
    }
}

impl FileSystem for KillingDisk {
    fn create(&self, path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
        self.then(|| Disk.create(path, pieces))
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        self.then(|| Disk.sync(path))
    }
    fn permit(&self, path: &Path, like: &std::fs::Metadata) -> io::Result<()> {
        self.then(|| Disk.permit(path, like))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.then(|| Disk.rename(from, to))
    }
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.then(|| Disk.link(from, to))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.then(|| Disk.remove(path))
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.then(|| Disk.create_folder(path))
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.then(|| Disk.sync_folder(folder))
    }
}

fn bake_some([folder, notes]: [&Path; 2], count: usize, system: Arc<dyn FileSystem>) {
    let mut files = FileSet::on(system, Arc::default());
    files.note_in(notes);
    for name in &NAMES[..count] {
        files.write(&folder.join(name), format!("new {name}").as_bytes()).unwrap();
    }
    files.commit(Replace::Allow).unwrap();
}

#[test]
#[ignore = "started by the test that kills it"]
fn child_that_is_killed_at_an_operation() {
    let [folder, notes, at, count] = KILL_VARIABLES.map(|variable| std::env::var(variable).expect("started by a test"));
    let disk = KillingDisk { at: at.parse().unwrap(), operations: 0.into() };
    bake_some([&folder, &notes].map(Path::new), count.parse().unwrap(), Arc::new(disk));
}

/// Kills a process at each operation of an export of two files and of five, and resolves what it left.
#[cfg(unix)]
#[test]
fn an_export_killed_at_any_operation_becomes_all_old_or_all_new() {
    let mut half_new = 0;
    for count in [2, NAMES.len()] {
        let mut at = 0;
        loop {
            let [finished, undone] = [Resolution::Finish, Resolution::Undo].map(|resolution| {
                let ((folder, before), notes) = (baked_once(), tempfile::tempdir().unwrap());
                let status = std::process::Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "--ignored"])
                    .arg("export::file_set::tests::interrupted::child_that_is_killed_at_an_operation")
                    .env(KILL_VARIABLES[0], folder.path())
                    .env(KILL_VARIABLES[1], notes.path())
                    .env(KILL_VARIABLES[2], at.to_string())
                    .env(KILL_VARIABLES[3], count.to_string())
                    .stdout(std::process::Stdio::null())
                    .status()
                    .unwrap();
                let noted = noted(notes.path());
                let Remains { interrupted, unreadable } = clean(&Disk, folder.path());
                assert!(noted == interrupted || !status.success() && noted.is_empty(), "{noted:?} {interrupted:?}");
                assert_eq!((interrupted.len() < 2, unreadable.len()), (true, 0));
                for one in &interrupted {
                    half_new += 1;
                    assert_eq!(resolve(one, resolution), <[&str; 0]>::default());
                }
                let remains = ["", "frames", "new"].map(|name| clean(&Disk, &folder.path().join(name)));
                assert_eq!(remains, <[Remains; 3]>::default());
                let mut after = before.clone();
                after.extend(NAMES[..count].iter().map(|name| ((*name).into(), format!("new {name}").into_bytes())));
                let all = contents(folder.path());
                assert!(all == before || all == after, "{count} files, operation {at}, {resolution:?}: {all:?}");
                if !interrupted.is_empty() {
                    assert_eq!(all == after, resolution == Resolution::Finish, "{count} files, operation {at}");
                }
                status.success()
            });
            if finished && undone {
                break;
            }
            at += 1;
        }
        assert!(at > 5 * count, "{at} operations");
    }
    assert!(half_new >= 10, "{half_new} half-new folders");
}

#[cfg(unix)]
#[test]
fn an_export_to_a_folder_whose_name_is_not_unicode_is_interrupted_and_resolved_like_any_other() {
    let outer = tempfile::tempdir().unwrap();
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(b"caf\xe9".to_vec());
    let folder = outer.path().join(name);
    std::fs::create_dir(&folder).unwrap();
    bake_some([&folder, outer.path()], 2, Arc::new(Disk));
    Dying::in_folder(&folder, &[("a.glb", b"newer a"), ("b.glb", b"newer b")]).rename(0);
    resolve(&only(&folder), Resolution::Undo);
    let all = ["a.glb", "b.glb"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(all, ["new a.glb", "new b.glb"]);
}
