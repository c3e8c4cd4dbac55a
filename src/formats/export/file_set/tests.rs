mod interrupted;

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

/// Cleans all folders of the set. A process that another test has just started holds open files of this one until it begins to execute,
/// so a lock may last for a moment.
fn clean_all(folder: &Path) {
    for _ in 0..100 {
        for name in ["", "frames", "new"] {
            clean(&Disk, &folder.join(name));
        }
        if !contents(folder).keys().any(|name| name.ends_with(".lock")) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
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
            clean_all(folder.path());
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
fn sets_with_equal_names_never_mix_or_remove_each_others_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let [mut first, mut second] = [(); 2].map(|()| FileSet::new(Arc::default()));
    second.token.clone_from(&first.token);
    first.write(&at("a.glb"), b"first").unwrap();
    assert!(second.write(&at("b.glb"), b"second").is_err());
    drop(second);
    first.commit(Replace::Refuse).unwrap();
    drop(first);
    assert_eq!(contents(folder.path()), Contents::from([("a.glb".into(), b"first".to_vec())]));
}

#[test]
fn a_part_with_the_bytes_of_another_program_is_never_reported_as_written() {
    let (folder, before) = baked_once();
    let mut files = FileSet::new(Arc::default());
    for name in ["a.glb", "c.glb"] {
        files.write(&folder.path().join(name), b"ours").unwrap();
    }
    std::fs::write(&files.parts[1].part, b"their").unwrap();
    let error = files.commit(Replace::Allow).unwrap_err();
    assert!(matches!(&error, ExportError::ChangedMeanwhile { file } if file.ends_with("c.glb")), "{error}");
    drop(files);
    assert_eq!(contents(folder.path()), before);
}

/// A disk on which another program writes to `target` directly after each rename to it.
#[derive(Debug)]
struct BusyDisk {
    target: PathBuf,
    /// Time after which the renamed file is visible.
    delay: Option<std::time::Duration>,
}

impl FileSystem for BusyDisk {
    fn create(&self, path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
        Disk.create(path, pieces)
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        Disk.sync(path)
    }
    fn permit(&self, path: &Path, like: &std::fs::Metadata) -> io::Result<()> {
        Disk.permit(path, like)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.delay {
            _ if *to != self.target => Disk.rename(from, to),
            None => Disk.rename(from, to).and_then(|()| std::fs::write(to, b"theirs")),
            Some(delay) => {
                let (from, to) = (from.to_owned(), to.to_owned());
                std::thread::spawn(move || {
                    std::thread::sleep(delay);
                    std::fs::rename(from, to).unwrap();
                });
                Ok(())
            }
        }
    }
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.link(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        Disk.create_folder(path)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Disk.sync_folder(folder)
    }
}

#[test]
fn a_target_that_another_program_writes_at_the_same_time_is_reported_and_kept() {
    let (folder, mut before) = baked_once();
    let target = folder.path().join("b.glb");
    let error = bake(folder.path(), Arc::new(BusyDisk { target, delay: None })).unwrap_err();
    assert!(matches!(&error, ExportError::ChangedMeanwhile { file } if file.ends_with("b.glb")), "{error}");
    before.insert("b.glb".into(), b"theirs".to_vec());
    let visible: Contents = contents(folder.path()).into_iter().filter(|(name, _)| !name.contains(PREFIX)).collect();
    assert_eq!(visible, before, "the other files are as before");
}

#[test]
fn a_renamed_file_may_show_up_late() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("late.glb");
    let delay = Some(std::time::Duration::from_millis(30));
    let mut files = FileSet::on(Arc::new(BusyDisk { target: target.clone(), delay }), Arc::default());
    files.write(&target, b"new").unwrap();
    files.commit(Replace::Refuse).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"new");
}

/// Folder in which a child process writes, and the number of the child.
const CHILD_VARIABLES: [&str; 2] = ["PORTAMENTO_SHARED_FOLDER", "PORTAMENTO_CHILD"];

#[test]
#[ignore = "started by the test of containers"]
fn child_that_shares_a_folder() {
    let [folder, child] = CHILD_VARIABLES.map(|variable| std::env::var(variable).expect("started by a test"));
    assert_eq!(std::process::id(), 1);
    for number in 0..15 {
        let mut files = FileSet::new(Arc::default());
        for half in 0..2 {
            let bytes = format!("{child} {number} {half} ").repeat(500);
            files.write(&Path::new(&folder).join(format!("{child}-{number}-{half}.txt")), bytes.as_bytes()).unwrap();
        }
        files.commit(Replace::Refuse).unwrap();
    }
}

/// Writes from eight containers, in each of which the process id is 1, into one folder.
#[cfg(target_os = "linux")]
#[test]
fn containers_share_a_folder_without_a_refusal_or_a_wrong_byte() {
    use std::process::{Command, Stdio};
    let contained = || {
        let mut command = Command::new("unshare");
        command.args(["-r", "-p", "-f"]).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    if !contained().arg("true").status().is_ok_and(|status| status.success()) {
        return println!("skipped: this system makes no containers");
    }
    let rounds = std::env::var("PORTAMENTO_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let start = |child: usize| {
            let mut command = contained();
            command.arg(std::env::current_exe().unwrap());
            command.args(["--exact", "export::file_set::tests::child_that_shares_a_folder", "--ignored"]);
            command.env(CHILD_VARIABLES[0], folder.path()).env(CHILD_VARIABLES[1], child.to_string());
            command.spawn().unwrap()
        };
        let children: Vec<_> = (0..8).map(start).collect();
        let refused =
            children.into_iter().filter_map(|mut child| (!child.wait().unwrap().success()).then_some(())).count();
        assert_eq!(refused, 0, "round {round}");
        let all = contents(folder.path());
        assert_eq!(all.len(), 8 * 15 * 2);
        for (name, bytes) in all {
            let words = name.trim_end_matches(".txt").replace('-', " ");
            assert_eq!(bytes, format!("{words} ").repeat(500).into_bytes(), "round {round}: {name}");
        }
    }
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
fn siblings_write_a_shared_file_once_and_see_that_another_one_differs() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| (folder.path().join(name), FileBytes::from(bytes.to_vec()));
    let first = FileSet::new(Arc::default());
    let second = first.sibling();
    assert_eq!(first.claim(&[file("skin.png", b"red")]), Some(vec![true]));
    assert_eq!(second.claim(&[file("skin.png", b"red"), file("hair.png", b"black")]), Some(vec![false, true]));
    assert_eq!(first.claim(&[file("eyes.png", b"blue"), file("skin.png", b"green")]), None);
    assert_eq!(first.claim(&[file("eyes.png", b"brown")]), Some(vec![true]), "a refused claim leaves no trace");
    assert_eq!(FileSet::new(Arc::default()).claim(&[file("skin.png", b"green")]), Some(vec![true]), "no sibling");
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
