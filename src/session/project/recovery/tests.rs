use super::*;
use crate::{Command, FileCommand, Session};
use portamento_takes::document::SceneObject;

/// Returns a window session that stores its work in `home`.
fn window(home: &Path) -> Session {
    let mut session = Session::inline();
    session.project.keep_work(home);
    session
}

fn edit(session: &mut Session, name: &str) {
    session.document.objects.push(SceneObject::point(name, glam::DVec3::X));
}

fn perform(session: &mut Session, command: FileCommand) {
    session.perform(Command::File(command));
}

struct Folders {
    home: tempfile::TempDir,
    projects: tempfile::TempDir,
}

impl Folders {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), projects: tempfile::tempdir().unwrap() }
    }

    fn project(&self, name: &str) -> PathBuf {
        self.projects.path().join(name)
    }

    fn all(&self) -> Vec<RecoverableWork> {
        recoverable(self.home.path())
    }
}

#[test]
fn autosave_follows_wall_clock_time_and_not_frames() {
    let folders = Folders::new();
    let mut session = window(folders.home.path());
    session.preferences.autosave_seconds = 120.0;
    let start = Instant::now();
    assert_eq!(session.autosave_tick(start), None);
    edit(&mut session, "mark");
    assert_eq!(session.autosave_tick(start), None);
    assert_eq!(
        session.project.autosave_due(session.preferences.autosave_interval(), start),
        Some(Duration::from_secs(120))
    );
    let later = start + Duration::from_secs(30);
    assert_eq!(
        session.project.autosave_due(session.preferences.autosave_interval(), later),
        Some(Duration::from_secs(90))
    );
    assert_eq!(session.autosave_tick(start + Duration::from_secs(119)), None);
    // Only two frames, as far apart as an idle window draws them.
    assert!(session.autosave_tick(start + Duration::from_secs(121)).is_some());
    assert_eq!(session.autosave_now(), None, "nothing changed since");
    drop(session);
    assert_eq!(folders.all().len(), 1);
}

#[test]
fn recovered_work_is_deleted_only_after_it_is_saved() {
    let folders = Folders::new();
    let project = folders.project("a.portamento");
    let mut session = window(folders.home.path());
    edit(&mut session, "saved");
    perform(&mut session, FileCommand::SaveAs(project.clone()));
    edit(&mut session, "unsaved");
    session.autosave_now().unwrap();
    assert_eq!(folders.all(), [], "the window is still open");
    let document = session.document.clone();
    drop(session);

    let work = folders.all().remove(0);
    assert_eq!((work.project.as_ref(), work.bytes > 100, work.picture.is_none()), (Some(&project), true, true));
    let mut again = window(folders.home.path());
    assert_eq!(folders.all().len(), 1, "any start lists it");
    perform(&mut again, FileCommand::Open(vec![work.path.clone()]));
    assert_eq!((&again.document, again.project.path.as_ref(), again.is_unsaved()), (&document, Some(&project), true));
    edit(&mut again, "more");
    again.autosave_now().unwrap();
    assert!(work.path.exists(), "opening and keeping more removes nothing");
    again.document = document;
    perform(&mut again, FileCommand::Save);
    assert!(!again.is_unsaved() && !work.path.exists());
    drop(again);
    assert_eq!(folders.all(), [], "the rest is older than the project");
}

#[test]
fn an_untitled_project_is_offered_until_saved_or_discarded() {
    let folders = Folders::new();
    let mut session = window(folders.home.path());
    edit(&mut session, "first");
    session.autosave_now().unwrap();
    edit(&mut session, "second");
    perform(&mut session, FileCommand::SaveAs(folders.project("named.portamento")));
    drop(session);
    assert_eq!(folders.all(), []);

    let mut session = window(folders.home.path());
    edit(&mut session, "other");
    session.autosave_now().unwrap();
    drop(session);
    let work = folders.all();
    assert_eq!((work.len(), work[0].project.as_ref()), (1, None));
    let mut session = window(folders.home.path());
    perform(&mut session, FileCommand::DiscardRecovery(work[0].clone()));
    assert_eq!((folders.all().len(), work[0].path.exists()), (0, false));
    edit(&mut session, "dropped");
    session.autosave_now().unwrap();
    session.project.discard_autosave();
    drop(session);
    assert_eq!(folders.all(), []);
}

#[test]
fn windows_and_the_command_line_do_not_touch_each_others_work() {
    let folders = Folders::new();
    let (mut first, mut second) = (window(folders.home.path()), window(folders.home.path()));
    edit(&mut first, "first");
    edit(&mut second, "second");
    let autosave = first.autosave_now().unwrap();
    second.autosave_now().unwrap();
    second.project.discard_autosave();
    drop(second);
    let mut headless = Session::inline();
    edit(&mut headless, "headless");
    assert_eq!(headless.autosave_now(), None);
    headless.project.discard_autosave();
    drop(headless);
    assert!(autosave.exists());
    drop(first);
    assert_eq!(folders.all().len(), 1);
}

#[test]
fn the_last_five_states_of_a_project_are_kept() {
    let folders = Folders::new();
    let mut session = window(folders.home.path());
    perform(&mut session, FileCommand::SaveAs(folders.project("a.portamento")));
    for number in 0..8 {
        edit(&mut session, &number.to_string());
        session.autosave_now().unwrap();
    }
    let newest = session.document.clone();
    drop(session);
    let all = folders.all();
    assert_eq!(all.len(), MAX_STATES_PER_PROJECT);
    let mut again = window(folders.home.path());
    perform(&mut again, FileCommand::Open(vec![all[0].path.clone()]));
    assert_eq!(again.document, newest);
}

#[test]
fn a_second_window_opens_a_project_as_a_copy_and_saves_nothing_over_it() {
    let folders = Folders::new();
    let project = folders.project("a.portamento");
    let mut first = window(folders.home.path());
    edit(&mut first, "first");
    perform(&mut first, FileCommand::SaveAs(project.clone()));
    let before = std::fs::read(&project).unwrap();
    let mut second = window(folders.home.path());
    perform(&mut second, FileCommand::Open(vec![project.clone()]));
    assert_eq!((second.document.objects.len(), second.project.path.clone()), (1, None));
    edit(&mut second, "second");
    perform(&mut second, FileCommand::SaveAs(project.clone()));
    assert_eq!(std::fs::read(&project).unwrap(), before);
    perform(&mut second, FileCommand::SaveAs(folders.project("b.portamento")));
    assert!(!second.is_unsaved());
    drop(first);
    let mut third = window(folders.home.path());
    perform(&mut third, FileCommand::Open(vec![project.clone()]));
    assert_eq!(third.project.path, Some(project));
}

#[test]
fn a_project_that_changed_on_disk_is_replaced_only_after_confirmation() {
    let folders = Folders::new();
    let project = folders.project("a.portamento");
    let mut session = window(folders.home.path());
    edit(&mut session, "mine");
    perform(&mut session, FileCommand::SaveAs(project.clone()));
    let mut other = Session::inline();
    edit(&mut other, "theirs");
    std::fs::write(&project, file::to_bytes(&other.document, &project)).unwrap();
    let theirs = std::fs::read(&project).unwrap();
    edit(&mut session, "more");
    perform(&mut session, FileCommand::Save);
    assert!(session.is_unsaved() && session.project.changed_on_disk().is_some());
    assert_eq!(std::fs::read(&project).unwrap(), theirs);
    perform(&mut session, FileCommand::SaveAnyway(true));
    assert!(!session.is_unsaved() && session.project.changed_on_disk().is_none());
    perform(&mut session, FileCommand::Save);
    assert!(session.project.changed_on_disk().is_none());
    // The previous version is now a backup.
    let backup = folders.project("a.portamento.1");
    assert!(
        std::fs::read(backup).unwrap() == theirs || std::fs::read(folders.project("a.portamento.2")).unwrap() == theirs
    );
}

#[test]
fn a_project_of_a_newer_program_is_neither_opened_nor_replaced() {
    let folders = Folders::new();
    let newer = folders.project("newer.portamento");
    let mut session = window(folders.home.path());
    edit(&mut session, "mine");
    let text = String::from_utf8(file::to_bytes(&session.document, &newer)).unwrap();
    let version = format!("\"version\": {}", file::VERSION);
    let text = text.replace(&version, &format!("\"version\": {}", file::VERSION + 1));
    std::fs::write(&newer, &text).unwrap();
    perform(&mut session, FileCommand::Open(vec![newer.clone()]));
    assert_eq!((session.document.objects.len(), session.project.path.clone()), (1, None));
    perform(&mut session, FileCommand::SaveAs(newer.clone()));
    assert!(session.is_unsaved() && std::fs::read_to_string(&newer).unwrap() == text);
    let warnings: Vec<String> = session.notices.all().iter().map(|notice| notice.text()).collect();
    assert!(warnings.len() == 2 && warnings.iter().all(|text| text.contains("newer")), "{warnings:?}");
}

#[test]
fn a_project_is_not_saved_over_a_source() {
    let folders = Folders::new();
    crate::samples::write_all(folders.projects.path()).unwrap();
    let hero = folders.project("hero.glb");
    let before = std::fs::read(&hero).unwrap();
    let mut session = window(folders.home.path());
    perform(&mut session, FileCommand::Open(vec![hero.clone()]));
    perform(&mut session, FileCommand::SaveAs(hero.clone()));
    assert!(session.is_unsaved());
    assert_eq!(std::fs::read(&hero).unwrap(), before);
}

#[test]
fn a_disk_error_at_any_step_keeps_stored_work_complete_and_older_states() {
    use portamento_formats::export::file_system::Disk;
    use portamento_test_support::{Fault, FaultyDisk};
    let sound = Arc::new(FaultyDisk::sound());
    let kept_twice = |disk: Arc<dyn FileSystem>| {
        let folders = Folders::new();
        let mut session = window(folders.home.path());
        edit(&mut session, "first");
        let first = session.autosave_now().unwrap();
        edit(&mut session, "second");
        session.disk = disk;
        let second = session.autosave_now();
        session.disk = Arc::new(Disk);
        drop(session);
        assert!(first.exists());
        for work in folders.all() {
            let document = file::from_bytes(&std::fs::read(&work.path).unwrap(), &work.path).unwrap();
            let is_second = second.as_ref() == Some(&work.path);
            assert_eq!(document.objects.len(), if is_second { 2 } else { 1 });
        }
        assert_eq!(folders.all().len(), 1 + usize::from(second.is_some()));
    };
    kept_twice(sound.clone());
    for fails_at in 0..sound.operations() {
        Fault::ALL.into_iter().for_each(|fault| kept_twice(Arc::new(FaultyDisk::new(fails_at, fault))));
    }
    println!("{} faults", sound.operations() * Fault::ALL.len());
}
