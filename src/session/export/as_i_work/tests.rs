use std::path::Path;

use super::*;
use crate::{Command, ExportSettings, FileCommand, Keep};
use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};

const TAKES: [&str; 2] = ["leap to 5 m", "dash 4 m after the back-step"];

/// Opens the samples with two takes chosen for an export of every change to `out`.
fn chosen(folder: &Path, out: &Path) -> Session {
    crate::samples::write_all(folder).unwrap();
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let ids: Vec<_> =
        session.document.takes.iter().filter(|take| TAKES.contains(&&*take.name)).map(|take| take.id).collect();
    let choice = &mut session.exports.choice;
    choice.only(&session.document, &ids);
    choice.folder = out.display().to_string();
    choice.settings = ExportSettings { keep: Keep::Alone, ..ExportSettings::default() };
    choice.as_i_work = true;
    session
}

fn export(session: &mut Session) {
    let request = session.exports.choice.request(&session.document);
    session.perform(Command::File(FileCommand::Export(request)));
}

/// Updates until nothing more happens.
fn settle(session: &mut Session) {
    (0..4).for_each(|_| session.update(0.0, true));
}

/// Returns the content of the exported files.
fn files(out: &Path) -> Vec<Vec<u8>> {
    ["leap_to_5_m.glb", "dash_4_m_after_the_back-step.glb"].map(|name| std::fs::read(out.join(name)).unwrap()).into()
}

/// Returns the files of a new export of the same takes to another folder.
fn fresh(session: &mut Session, out: &Path) -> Vec<Vec<u8>> {
    let mut request = session.exports.choice.request(&session.document);
    request.destination = out.to_owned();
    let mut other = Session::inline();
    (other.document, other.library) = (session.document.clone(), session.library.clone());
    other.perform(Command::File(FileCommand::Export(request)));
    files(out)
}

#[test]
fn every_change_is_exported_until_it_is_turned_off() {
    let folder = tempfile::tempdir().unwrap();
    let [out, other, last] = ["out", "other", "last"].map(|name| folder.path().join(name));
    let mut session = chosen(folder.path(), &out);
    export(&mut session);
    settle(&mut session);
    let begun = files(&out);
    assert!(session.exports.as_i_work().is_some_and(|work| work.finished().is_some() && work.failures().is_empty()));
    let leap = session.document.takes.iter_mut().find(|take| take.name == TAKES[0]).unwrap();
    leap.stages.iter_mut().for_each(|stage| stage.on = false);
    session.update(0.0, false);
    assert_eq!(files(&out), begun, "a drag is not exported");
    settle(&mut session);
    let changed = files(&out);
    assert!(changed[0] != begun[0] && changed[1] == begun[1]);
    assert_eq!(changed, fresh(&mut session, &other));
    session.perform(Command::File(FileCommand::ExportAsIWork));
    let leap = session.document.takes.iter_mut().find(|take| take.name == TAKES[0]).unwrap();
    leap.stages.iter_mut().for_each(|stage| stage.on = true);
    settle(&mut session);
    assert!(session.exports.as_i_work().is_none() && files(&out) == changed);
    assert_eq!(fresh(&mut session, &last), begun);
}

#[test]
fn takes_that_the_window_has_built_are_not_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = chosen(folder.path(), &folder.path().join("out"));
    let take = session.document.takes.iter().find(|take| take.name == TAKES[0]).unwrap().clone();
    let built = session.built(&take).unwrap();
    let copied = session.copy_for_export().built(&take).unwrap();
    assert!(std::sync::Arc::ptr_eq(&built, &copied));
}

#[test]
fn the_index_of_a_set_follows_its_takes() {
    let folder = tempfile::tempdir().unwrap();
    let [out, other] = ["out", "other"].map(|name| folder.path().join(name));
    let mut session = chosen(folder.path(), &out);
    let members = session
        .exports
        .choice
        .request(&session.document)
        .takes
        .into_iter()
        .map(|id| SetMember { clip: MemberClip::Take(id), requirements: Default::default() });
    let set = ClipSet { name: "leaps".into(), members: members.collect(), ..ClipSet::default() };
    session.document.add_set(set);
    session.exports.choice.settings.set_index = true;
    export(&mut session);
    settle(&mut session);
    let index = |out: &Path| std::fs::read(out.join("leaps.set.json")).unwrap();
    let begun = index(&out);
    let leap = session.document.takes.iter_mut().find(|take| take.name == TAKES[0]).unwrap();
    leap.stages.iter_mut().for_each(|stage| stage.on = false);
    settle(&mut session);
    assert_ne!(index(&out), begun);
    assert_eq!(files(&out), fresh(&mut session, &other));
    assert_eq!(index(&out), index(&other));
    std::fs::write(out.join("leaps.set.json"), "the user's own").unwrap();
    let leap = session.document.takes.iter_mut().find(|take| take.name == TAKES[0]).unwrap();
    leap.stages.iter_mut().for_each(|stage| stage.on = true);
    settle(&mut session);
    assert_eq!(index(&out), b"the user's own");
    assert!(session.exports.as_i_work().unwrap().failures()["leaps"].to_string().contains("leaps.set.json"));
}

#[test]
fn a_file_of_another_program_stays_and_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut session = chosen(folder.path(), &out);
    export(&mut session);
    settle(&mut session);
    std::fs::write(out.join("leap_to_5_m.glb"), "the user's own").unwrap();
    session.notices.take_new();
    for on in [false, true, false] {
        let leap = session.document.takes.iter_mut().find(|take| take.name == TAKES[0]).unwrap();
        leap.stages.iter_mut().for_each(|stage| stage.on = on);
        settle(&mut session);
    }
    let texts: Vec<String> = session.notices.take_new().iter().map(|notice| notice.text()).collect();
    assert_eq!(texts.iter().filter(|text| text.contains("leap_to_5_m.glb")).count(), 1, "{texts:?}");
    assert_eq!(files(&out)[0], b"the user's own");
    assert_eq!(session.exports.as_i_work().unwrap().failures().len(), 1);
}

#[test]
fn it_begins_only_when_its_first_export_may_replace_files_and_ends_with_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut session = chosen(folder.path(), &out);
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("leap_to_5_m.glb"), "the user's own").unwrap();
    export(&mut session);
    session.perform(Command::File(FileCommand::Replace(false)));
    settle(&mut session);
    assert!(session.exports.as_i_work().is_none());
    assert_eq!(std::fs::read(out.join("leap_to_5_m.glb")).unwrap(), b"the user's own");
    export(&mut session);
    session.perform(Command::File(FileCommand::Replace(true)));
    settle(&mut session);
    assert!(session.exports.as_i_work().is_some_and(|work| work.failures().is_empty()));
    session.perform(Command::File(FileCommand::New));
    assert!(session.exports.as_i_work().is_none() && !session.exports.choice.as_i_work);
}

#[test]
fn a_file_of_all_takes_or_an_index_cannot_repeat() {
    let request = |destination: &str| ExportRequest { destination: destination.into(), ..ExportRequest::default() };
    assert!(request("out").repeats() && !request("out.glb").repeats());
    let mut per_character = request("out");
    per_character.settings.per_character = true;
    let mut indexed = request("out");
    indexed.settings.sidecars.index = true;
    assert!(!per_character.repeats() && !indexed.repeats());
}
