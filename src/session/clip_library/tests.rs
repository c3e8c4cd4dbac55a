//! The clip list: ordering, filtering and opening.

use std::path::Path;

use super::*;
use crate::{Command, FileCommand, Session, Shown};
use portamento_anim::quality::Finding;
use portamento_takes::document::StageKind;

/// Creates a folder with the hero and a damaged file.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::copy(&hero, folder.path().join("hero.glb")).unwrap();
    std::fs::write(folder.path().join("ill.glb"), "no glTF").unwrap();
    folder
}

fn listed(folder: &Path) -> Session {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::MeasureClips(vec![folder.to_owned()])));
    session
}

#[test]
fn the_table_equals_the_measurement_of_the_command_line() {
    let folder = folder();
    let session = listed(folder.path());
    let measured = measure(&clip_files(&[folder.path().to_owned()]).unwrap(), &Progress::new());
    assert!(measured.rows.len() > 5 && measured.failures.len() == 1);
    assert_eq!(session.clips.rows(), measured.rows);
    assert_eq!(session.clips.failures(), measured.failures);
    assert!(!session.clips.is_measuring(&session.jobs) && !session.is_empty());
}

#[test]
fn rows_are_sorted_by_any_column_with_unmeasured_last_and_filtered_by_words() {
    let folder = folder();
    let mut session = listed(folder.path());
    let clips = &mut session.clips;
    for column in 0..columns::COLUMNS.len() {
        clips.order = Order { column, ..Order::default() };
        for descending in [false, true] {
            clips.order.descending = descending;
            let shown = clips.shown();
            assert_eq!(shown.len(), clips.rows().len());
            let numbers: Vec<Option<f64>> =
                shown.iter().map(|&at| columns::COLUMNS[column].number(&clips.rows()[at])).collect();
            if columns::COLUMNS[column].is_number {
                let measured: Vec<f64> = numbers.iter().map_while(|number| *number).collect();
                assert!(numbers[measured.len()..].iter().all(Option::is_none), "{column}");
                let sorted =
                    measured.windows(2).all(|pair| if descending { pair[0] >= pair[1] } else { pair[0] <= pair[1] });
                assert!(sorted, "{column}: {measured:?}");
            }
        }
    }
    clips.order = Order { words: "RUN hero".into(), ..Order::default() };
    let names: Vec<&str> = clips.shown().iter().map(|&at| &*clips.rows()[at].clip).collect();
    assert!(names.contains(&"run") && !names.contains(&"cast"), "{names:?}");
}

#[test]
fn a_clip_is_opened_with_its_file_once() {
    let folder = folder();
    let mut session = listed(folder.path());
    for clip in ["run", "cast"] {
        let file = folder.path().join("hero.glb");
        session.perform(Command::File(FileCommand::OpenClip { file, clip: clip.into() }));
        assert_eq!(session.document.files.len(), 1);
        assert!(matches!(&session.selection.shown, Shown::Clip { clip: shown, .. } if shown == clip));
    }
}

#[test]
fn figures_are_cached_by_content_and_damaged_entries_are_measured_again() {
    let (folder, memory) = (folder(), tempfile::tempdir().unwrap());
    let file = folder.path().join("hero.glb");
    let of = |measure: &dyn Fn() -> Result<Vec<ClipRow>, Message>| {
        Figures::in_folder(memory.path()).of_file(&file, &Progress::new(), measure).unwrap()
    };
    let first = of(&|| rows_of(&file, &Progress::new()));
    assert!(first.len() > 5);
    let never = || -> Result<Vec<ClipRow>, Message> { panic!("measured again") };
    assert_eq!(of(&never), first);
    // A copy with the same content uses the cached figures under its own path.
    let copy = folder.path().join("copy.glb");
    std::fs::copy(&file, &copy).unwrap();
    let copied = Figures::in_folder(memory.path()).of_file(&copy, &Progress::new(), never).unwrap();
    assert!(copied.iter().zip(&first).all(|(row, known)| row.file == copy && row.quality == known.quality));
    let cached = std::fs::read_dir(memory.path()).unwrap().next().unwrap().unwrap().path();
    for entry in std::fs::read_dir(cached).unwrap() {
        std::fs::write(entry.unwrap().path(), "[{\"file\":").unwrap();
    }
    assert_eq!(of(&|| rows_of(&file, &Progress::new())), first);
    assert_eq!(of(&never), first, "and is whole again");
}

#[test]
fn a_clip_that_is_named_after_its_file_follows_a_renamed_file() {
    let Some(source) = portamento_test_support::corpus("pack/Dying.fbx") else { return };
    let (folder, memory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut session = Session::inline();
    session.clips.keep_in(memory.path());
    for name in ["Dying.fbx", "Falling over.fbx"] {
        let file = folder.path().join(name);
        std::fs::copy(&source, &file).unwrap();
        session.perform(Command::File(FileCommand::MeasureClips(vec![folder.path().to_owned()])));
        session.update(0.0, true);
        let named = session.clips.rows().iter().filter(|row| row.file == file).map(|row| row.clip.clone());
        assert_eq!(named.collect::<Vec<_>>(), [name.trim_end_matches(".fbx")]);
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn another_folder_replaces_the_listed_one() {
    let (one, other) = (folder(), tempfile::tempdir().unwrap());
    let mut session = listed(one.path());
    session.clips.chosen.insert(3);
    session.perform(Command::File(FileCommand::MeasureClips(vec![other.path().to_owned()])));
    assert!(session.clips.rows().is_empty() && session.clips.chosen.is_empty() && session.clips.failures().is_empty());
}

#[test]
fn selected_clips_become_fixing_takes_and_one_undo_removes_them() {
    let folder = folder();
    let mut session = listed(folder.path());
    let mut row = session.clips.rows().iter().find(|row| row.clip == "run").unwrap().clone();
    let quality = row.quality.as_mut().unwrap();
    quality.findings = vec![Finding::FeetSlide, Finding::Pops, Finding::DoesNotClose];
    // A clip with that finding slides so fast, in centimetres per second.
    quality.feet.as_mut().unwrap().slide = Some(20.0);
    let sound = ClipRow { clip: "idle".into(), quality: row.quality.clone(), ..row.clone() };
    let sound = ClipRow { quality: sound.quality.map(|quality| Quality { findings: Vec::new(), ..quality }), ..sound };
    session.update(0.0, true);
    session.perform(Command::File(FileCommand::MendClips(MendRequest::new(vec![row, sound]))));
    session.update(0.0, true);
    let takes: Vec<_> = session.document.takes.iter().map(|take| (take.name.clone(), take.id)).collect();
    assert_eq!(takes.len(), 1, "nothing was found in the other: {takes:?}");
    let kinds: Vec<_> = session.document.takes[0].stages.iter().map(|stage| stage.kind.name()).collect();
    assert_eq!(kinds, ["cleanup", "close", "ground"], "closed before feet are held; that has opened nothing");
    let created = session.document.take(takes[0].1).cloned().unwrap();
    let after = super::quality_of(&session.built(&created).unwrap()).unwrap();
    assert!(after.residue.place < 1e-5 && after.pops.frames == 0, "{after:?}");
    let said = session.notices.all().last().unwrap().text();
    assert!(said.contains("Fixed 1 clip; 0 still have findings. 1 of 2 clips"), "{said}");
    session.perform(Command::Edit(crate::EditCommand::Undo));
    assert!(session.document.takes.is_empty());
}

#[test]
fn loops_stay_loops_after_a_fix_and_other_clips_are_not_closed() {
    let folder = folder();
    let session = listed(folder.path());
    let quality_of = |clip: &str| {
        let row = session.clips.rows().iter().find(|row| row.clip == clip).unwrap();
        Quality { findings: vec![Finding::FeetSlide], ..row.quality.clone().unwrap() }
    };
    let names = |clip: &str| mends(&quality_of(clip)).iter().map(StageKind::name).collect::<Vec<_>>();
    assert_eq!(names("run"), ["ground", "close"]);
    assert_eq!(names("run_to_stop"), ["ground"]);
    let seconds = |seconds: f64| Quality { seconds, key_rate: Some(30.0), ..quality_of("run") };
    let kinds = [0.2, 0.1, 0.0].map(|length| mends(&seconds(length)).len());
    assert_eq!(kinds, [2, 1, 1], "four frames have no seam");
    let pops = Quality { findings: vec![Finding::Pops, Finding::BadRotations], ..quality_of("run") };
    let kinds: Vec<_> = mends(&pops).iter().map(StageKind::name).collect();
    assert_eq!(kinds, ["cleanup"], "single frames open no loop");
    let climbs = match &mends(&quality_of("walk_uphill"))[0] {
        StageKind::Ground(ground) => ground.settings.own_heights,
        other => panic!("{other:?}"),
    };
    assert!(climbs, "who walks uphill keeps the hill");
}

#[test]
fn the_stages_of_a_take_are_applied_to_selected_clips_of_any_file() {
    let (folder, other) = (folder(), folder());
    let mut session = listed(folder.path());
    let hero = other.path().join("hero.glb");
    session.perform(Command::File(FileCommand::Open(vec![hero])));
    session.update(0.0, true);
    let file = session.document.files[0].id;
    let kinds = vec![StageKind::Mirror(Default::default()), StageKind::Close(Default::default())];
    session.add_stack(file, "run", Stack { name: "round".into(), kinds: kinds.clone() });
    session.document.takes[0].stages[0].on = false;
    session.update(0.0, true);
    let like = session.document.takes[0].id;
    let rows: Vec<ClipRow> = session.clips.rows().iter().filter(|row| row.clip.starts_with("walk")).cloned().collect();
    assert!(rows.len() > 1);
    session.perform(Command::File(FileCommand::StackClips(rows.clone(), like)));
    session.update(0.0, true);
    let created = session.document.takes[1..].to_vec();
    assert_eq!(session.document.files.len(), 2, "the listed file was opened");
    assert_eq!(created.len(), rows.len());
    for (take, row) in created.iter().zip(&rows) {
        assert_eq!(take.name, format!("{} round", row.clip));
        let stages: Vec<StageKind> = take.stages.iter().map(|stage| stage.kind.clone()).collect();
        assert_eq!(stages, kinds[1..], "what is muted is not given");
        assert!(session.built(take).is_ok());
    }
    session.perform(Command::Edit(crate::EditCommand::Undo));
    assert_eq!(session.document.takes.len(), 1, "one step back is all of them");
}

#[test]
fn a_thumbnail_is_drawn_when_a_listed_clip_is_viewed() {
    let folder = folder();
    let mut session = listed(folder.path());
    assert_eq!(session.clips.picture(0, &mut session.jobs), Picture::Waiting);
    session.poll();
    assert!(matches!(session.clips.picture(0, &mut session.jobs), Picture::Strip(strip) if strip.lines.len() > 100));
    std::fs::remove_file(folder.path().join("hero.glb")).unwrap();
    let last = session.clips.rows().len() - 1;
    assert!(
        matches!(session.clips.picture(last, &mut session.jobs), Picture::Strip(_)),
        "all clips of a file are drawn together"
    );
    assert_eq!(session.clips.picture(last + 1, &mut session.jobs), Picture::Nothing);
    session.perform(Command::File(FileCommand::MeasureClips(vec![folder.path().to_owned()])));
    session.poll();
    assert_eq!(session.clips.picture(0, &mut session.jobs), Picture::Nothing);
}
