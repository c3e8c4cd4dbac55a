//! Jobs that finish, fail and are cancelled.

use std::path::Path;

use super::*;
use crate::command::stage::StageCommand;
use crate::looping::cloth::with_fewer_steps;
use crate::looping::seams::Compared;
use crate::{Command, EditCommand, ExportRequest, FileCommand, Shown};
use portamento_base::message::Message;
use portamento_takes::document::{FileId, Library, StageType, Take, TakeId, TakeSource};

#[test]
fn a_result_comes_back_once_and_a_panic_becomes_a_notice() {
    let mut session = Session::inline();
    session.jobs.start(
        JobKey::FindWayIn,
        |_| 42,
        |session, n| session.notices.add(crate::Severity::Info, Message::verbatim(n.to_string())),
    );
    session.jobs.start(JobKey::PaintWeights, |_| panic!("on purpose"), |_, ()| {});
    session.poll();
    let texts: Vec<_> = session.notices.all().iter().map(|notice| notice.text()).collect();
    assert_eq!(texts[0], "42");
    assert!(texts[1].contains("“Paint” failed"), "{texts:?}");
    assert_eq!(session.jobs.running().count(), 0);
}

#[test]
fn a_panic_in_a_job_writes_a_crash_report_to_the_recovery_folder() {
    fault_report::note_panics();
    let home = tempfile::tempdir().unwrap();
    let mut session = Session::inline();
    session.project.keep_work(home.path());
    session.jobs.start(JobKey::PaintWeights, |_| panic!("broken on purpose"), |_, ()| {});
    session.poll();
    let report = fault_report::newest(home.path(), std::time::UNIX_EPOCH).unwrap();
    let text = std::fs::read_to_string(&report).unwrap();
    assert!(text.contains("broken on purpose") && text.contains("jobs/tests.rs"), "{text}");
    let notice = session.notices.all().last().unwrap();
    assert!(notice.text().contains(&report.display().to_string()), "{}", notice.text());
    assert_eq!(notice.folder.as_deref(), Some(home.path()));
}

/// Starts a job that runs until cancelled and then sends a message.
fn endless(session: &mut Session, key: JobKey) -> std::sync::mpsc::Receiver<()> {
    let (stopped, is_stopped) = std::sync::mpsc::channel();
    let work = move |progress: &Progress| {
        while progress.step(0, 1).is_ok() {
            std::thread::yield_now();
        }
        // The receiver is gone if the job is stopped only by the end of the test.
        let _ = stopped.send(());
    };
    session.jobs.start(key, work, |_, ()| {});
    is_stopped
}

const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

#[test]
fn a_session_that_ends_stops_its_jobs() {
    let mut session = Session::default();
    let stopped = endless(&mut session, JobKey::FindWayIn);
    drop(session);
    stopped.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn opening_another_document_cancels_all_jobs_except_an_export_and_the_measuring_of_folders() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::default();
    let opening = endless(&mut session, JobKey::Open(vec!["large.glb".into()]));
    let exporting = endless(&mut session, JobKey::Export);
    let measuring = endless(&mut session, JobKey::MeasureClips);
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
    opening.recv_timeout(PATIENCE).unwrap();
    assert!(session.exports.is_running(&session.jobs) && exporting.try_recv().is_err());
    assert!(session.jobs.is_running(&JobKey::MeasureClips) && measuring.try_recv().is_err());
}

#[test]
fn a_newer_job_of_the_same_name_replaces_the_older() {
    let mut session = Session::inline();
    for n in [1, 2] {
        let done = move |session: &mut Session, ()| {
            session.notices.add(crate::Severity::Info, Message::verbatim(n.to_string()))
        };
        session.jobs.start(JobKey::MeasureMotion, |_| (), done);
    }
    session.poll();
    assert_eq!(session.notices.all().len(), 1);
    assert_eq!(session.notices.all()[0].text(), "2");
}

#[test]
fn files_and_clips_of_the_same_name_elsewhere_are_other_jobs() {
    let mut session = Session::default();
    let open = |folder: &str| JobKey::Open(vec![Path::new(folder).join("run.fbx"), "b.glb".into()]);
    let mend = |file: u32| JobKey::Mend(vec![(FileId(file), "run".into())]);
    assert_eq!([open("a").to_string(), mend(1).to_string()], ["Open run.fbx and 1 more", "Fix run"]);
    for [first, other] in [[open("a"), open("b")], [mend(1), mend(2)]] {
        let stopped = endless(&mut session, first.clone());
        endless(&mut session, other);
        assert!(session.jobs.is_running(&first) && stopped.try_recv().is_err());
        endless(&mut session, first);
        stopped.recv_timeout(PATIENCE).unwrap();
    }
}

/// Returns a session with the samples open.
fn samples() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
    with_fewer_steps(&mut session.document);
    (folder, session)
}

fn take_where(session: &Session, is_wanted: impl Fn(&Take) -> bool) -> TakeId {
    session.document.takes.iter().find(|take| is_wanted(take)).unwrap().id
}

fn show(session: &mut Session, take: TakeId) {
    session.evaluation.builds.forget_all();
    session.selection.show(Shown::Take(take));
}

/// Performs the actions that precede the watched job.
fn unwatched<T>(session: &mut Session, act: impl FnOnce(&mut Session) -> T) -> T {
    let watched = session.jobs.watch.take();
    let done = act(session);
    session.jobs.watch = watched;
    done
}

/// Starts one job in a session with the samples open.
type Act = fn(&mut Session, &Path);

/// Every kind of background job.
const KINDS: [(&str, Act); 12] = [
    ("open", |session, folder| {
        session.perform(Command::File(FileCommand::Open(vec![folder.join("hero.glb"), folder.join("yard.glb")])));
    }),
    ("open an animation", |session, folder| {
        session.perform(Command::File(FileCommand::Open(vec![folder.join("flame.apng")])));
    }),
    ("swing", |session, _| {
        let take = take_where(session, |take| take.dynamics(None).is_some());
        show(session, take);
        session.update(0.0, true);
    }),
    ("loop of pixels", |session, _| {
        let take = take_where(session, |take| take.name == "flame");
        show(session, take);
        session.update(0.0, true);
    }),
    ("cloth", |session, _| {
        let take = take_where(session, |take| matches!(take.source, TakeSource::Cloth(_)));
        show(session, take);
        session.update(0.0, true);
    }),
    ("walk", |session, _| {
        let take = take_where(session, |take| take.walk().is_some());
        show(session, take);
        session.update(0.0, true);
    }),
    ("export", |session, folder| {
        session.evaluation.builds.forget_all();
        let takes = session.document.takes.iter().map(|take| take.id).collect();
        let request = ExportRequest { takes, destination: folder.join("out"), ..ExportRequest::default() };
        session.perform(Command::File(FileCommand::Export(request)));
    }),
    ("measure clips", |session, folder| {
        session.perform(Command::File(FileCommand::MeasureClips(vec![folder.to_owned()])));
    }),
    ("clean up", |session, folder| {
        let file = folder.join("hero.glb");
        unwatched(session, |session| {
            session.perform(Command::File(FileCommand::OpenClip { file, clip: "idle".into() }));
            session.update(0.0, true);
            session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Cleanup))));
        });
        session.update(0.0, true);
    }),
    ("find missing files", |session, folder| {
        session.document.files[0].path = "/not/there.glb".into();
        session.library = Library::default();
        session.perform(Command::File(FileCommand::FindMissing(folder.to_owned())));
    }),
    ("compare seams", |session, _| {
        let take = take_where(session, |take| take.name == "flame");
        show(session, take);
        unwatched(session, |session| session.update(0.0, true));
        session.seam_finder().compared();
    }),
    ("measure seams", |session, _| {
        let take = take_where(session, |take| take.name == "flame");
        show(session, take);
        let found = unwatched(session, |session| {
            session.update(0.0, true);
            session.seam_finder().compared();
            session.poll();
            session.seam_finder().compared()
        });
        let Compared::Found(found) = found else { panic!("nothing was compared") };
        session.seam_finder().candidate_seams(&found, true);
    }),
];

/// Steps that other worker threads may still take after a cancellation.
const ON_THE_WAY: u64 = 16;

#[test]
fn every_kind_of_job_stops_at_its_next_step_without_partial_results() {
    for (kind, act) in KINDS {
        let (folder, mut session) = samples();
        let total = Progress::stopping_at(0);
        session.jobs.watch(total.clone());
        act(&mut session, folder.path());
        total.note_time();
        let steps = total.steps();
        println!("{kind}: {steps} steps, {:?} at most between two", total.longest_step());
        assert!(steps >= 2 && session.jobs.watch.is_none(), "{kind}: {steps} steps");
        for stops_at in [1, steps.div_ceil(2)] {
            let (folder, mut session) = samples();
            let before = (session.document.clone(), listed(folder.path()));
            let stopped = Progress::stopping_at(stops_at);
            session.jobs.watch(stopped.clone());
            act(&mut session, folder.path());
            session.poll();
            let late = stopped.steps() - stops_at;
            assert!(late <= ON_THE_WAY, "{kind}: {late} steps after it was stopped at {stops_at} of {steps}");
            assert_eq!(listed(folder.path()), before.1, "{kind} at {stops_at}");
            assert!(session.jobs.running().next().is_none() && session.exports.conflicting_files().is_none(), "{kind}");
            if !matches!(kind, "find missing files" | "clean up") {
                assert!(session.document == before.0, "{kind} at {stops_at} of {steps} changed the document");
            }
        }
    }
}

/// Returns the names of all files in `folder`, including hidden ones.
fn listed(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_remaining_time_is_estimated_once_enough_is_done() {
    assert_eq!(super::seconds_left(2.0, 0.5), None, "too early");
    assert_eq!(super::seconds_left(10.0, 0.01), None, "too little");
    assert_eq!(super::seconds_left(10.0, 0.25), Some(30.0));
    assert_eq!(super::seconds_left(10.0, 1.0), Some(0.0));
}
