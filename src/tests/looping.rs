//! Loops as a user makes them: caches, images and clips, found, mixed and written, and read again.

use std::path::{Path, PathBuf};

use portamento::anim::{Footage, VertexClip};
use portamento::document::take::Vertices;
use portamento::document::{Document, TakeSource, file};
use portamento::evaluate::Shape;
use portamento::import;
use portamento::progress::Progress;
use portamento::session::{Command, EditCommand, ExportRequest, FileCommand, Level, Session, Shown};
use portamento::systems::looping::cloth;
use portamento::systems::looping::finder::Search;

fn corpus(path: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus")).join(path);
    if !path.exists() {
        println!("skipped: corpus absent");
    }
    path.exists().then_some(path)
}

fn opened(paths: &[PathBuf]) -> Session {
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    for path in paths {
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
    }
    session.update(0.0, true);
    session
}

fn without_errors(session: &Session) {
    let errors: Vec<_> = session.notices.all().iter().filter(|notice| notice.level == Level::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn export(session: &mut Session, destination: &Path) {
    let takes = session.document.takes.iter().map(|take| take.id).collect();
    let request = ExportRequest { takes, destination: destination.to_owned(), ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    without_errors(session);
}

fn frames(path: &Path) -> VertexClip {
    match import::import(path).unwrap().footage {
        Some(Footage::Vertices(clip)) => VertexClip::clone(&clip),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_fox_is_searched_looped_and_written_to_every_mesh_format() {
    let Some(caches) = corpus("caches") else { return };
    let mut session = opened(&[caches.join("foxrun_obj"), caches.join("foxrun.pc2")]);
    let mesh = session.document.files[0].id;
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes.last_mut().unwrap();
    let TakeSource::Vertices(Vertices { mesh: faces, .. }) = &mut take.source else { panic!("{take:?}") };
    *faces = Some(mesh);
    let take = take.clone();
    let built = session.built(&take).unwrap();
    let looped = built.looped().unwrap();
    assert_eq!((looped.window.start, looped.window.length, looped.material.frames()), (0, 5, 11));
    assert_eq!(looped.report().value_gap, 0.0);
    assert_eq!(looped.bands(), [0.0, 5.0 / 30.0, 10.0 / 30.0]);
    let search = Search { shortest: 3, ..Search::default() };
    let found = looped.material.find(&search, &Progress::new()).unwrap();
    assert_eq!((found.frames, found.distances.len()), (11, 121));
    assert!(looped.material.found(&search).is_some());
    session.update(0.05, true);
    assert!(matches!(session.frame().unwrap().shape, Shape::Vertices { .. }));
    let folder = tempfile::tempdir().unwrap();
    for name in ["fox.mdd", "fox.pc2", "fox.glb", "fox.png"] {
        export(&mut session, &folder.path().join(name));
    }
    let source = frames(&caches.join("foxrun.pc2"));
    for name in ["fox.mdd", "fox.pc2"] {
        let written = frames(&folder.path().join(name));
        assert_eq!(written.frames(), 5, "{name}");
        assert_eq!(written.frame(0), source.frame(5), "{name}");
    }
    let morphs = import::import(&folder.path().join("fox.glb")).unwrap().model;
    assert_eq!((morphs.skeleton.rest_morphs.len(), morphs.clips.len()), (4, 1));
    assert_eq!(morphs.clips[0].name, take.name);
    assert!((morphs.clips[0].duration - 5.0 / 30.0).abs() < 1e-6);
}

#[test]
fn a_walk_of_joints_loops_and_closes() {
    let Some(knight) = corpus("characters/knight.glb") else { return };
    let mut session = opened(&[knight]);
    let file = session.document.files[0].id;
    let clips = &session.library.get(file).unwrap().model.clips;
    let walk = clips.iter().map(|clip| clip.name.clone()).find(|name| name.contains("Walk")).unwrap();
    session.selection.shown = Shown::Clip { character: file, file, clip: walk };
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes.last().unwrap().clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped().unwrap().report().value_gap, 0.0);
    let folder = tempfile::tempdir().unwrap();
    export(&mut session, &folder.path().join("walk.glb"));
    let model = import::import(&folder.path().join("walk.glb")).unwrap().model;
    let clip = model.clip(&take.name).unwrap();
    let looped = built.looped().unwrap();
    assert!((clip.duration - looped.window.length as f64 / looped.fps).abs() < 1e-6);
}

#[test]
fn the_frames_of_a_loop_of_vertices_are_counted_as_they_will_be_made() {
    let Some(knight) = corpus("characters/knight.glb") else { return };
    let mut session = opened(&[knight]);
    let file = session.document.files[0].id;
    let clips = &session.library.get(file).unwrap().model.clips;
    let walk = clips.iter().map(|clip| clip.name.clone()).find(|name| name.contains("Walk")).unwrap();
    session.selection.shown = Shown::Clip { character: file, file, clip: walk };
    session.perform(Command::Edit(EditCommand::AddVertices));
    let take = session.document.takes.last().unwrap().clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped().unwrap().window.length, ((built.frames() - 1) / 2).clamp(1, 120));
}

#[test]
fn images_loop_to_numbered_files_animations_and_a_sheet() {
    let Some(robot) = corpus("images/robot_walk") else { return };
    let mut session = opened(&[robot]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    session.update(0.0, true);
    assert!(matches!(session.frame().unwrap().shape, Shape::Image { .. }));
    let folder = tempfile::tempdir().unwrap();
    for name in ["robot.gif", "robot.apng", "robot.json", "robot"] {
        export(&mut session, &folder.path().join(name));
    }
    for name in ["robot.gif", "robot.apng", "robot/robot_walk loop"] {
        assert_eq!(import::import(&folder.path().join(name)).unwrap().footage.unwrap().frames(), 3, "{name}");
    }
}

#[test]
fn a_flag_needs_no_file_and_comes_back_with_its_project() {
    let mut session = opened(&[]);
    session.perform(Command::Edit(EditCommand::AddCloth(cloth::Shape::Flag)));
    let take = session.document.takes.last_mut().unwrap();
    let TakeSource::Cloth(cloth) = &mut take.source else { panic!("{take:?}") };
    (cloth.columns, cloth.rows, cloth.steps, cloth.pre_roll) = (8, 6, 8, 1.0);
    let painted: Vec<f32> = (0..63).map(|i| i as f32 / 62.0).collect();
    take.looped_mut().unwrap().settings.fade.timing = painted.into();
    let take = take.clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped().unwrap().report().value_gap, 0.0);
    let path = Path::new("/x/flag.portamento");
    let again: Document = file::from_bytes(&file::to_bytes(&session.document, path), path).unwrap();
    assert_eq!(again, session.document);
}

#[test]
fn a_damaged_painting_in_a_project_is_told_and_the_rest_opens() {
    let mut session = opened(&[]);
    session.perform(Command::Edit(EditCommand::AddCloth(cloth::Shape::Flag)));
    let painted = vec![0.25; 31 * 21];
    session.document.takes[0].looped_mut().unwrap().settings.fade.timing = painted.into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flag.portamento");
    let text = String::from_utf8(file::to_bytes(&session.document, &path)).unwrap();
    let start = text.find("\"timing\": \"").unwrap() + 11;
    std::fs::write(&path, format!("{}!{}", &text[..start], &text[start + 1..])).unwrap();
    let session = opened(&[path]);
    without_errors(&session);
    let warnings: Vec<_> = session.notices.all().iter().filter(|notice| notice.level == Level::Warning).collect();
    assert!(warnings.len() == 1 && warnings[0].text.contains("painted"), "{warnings:?}");
    assert!(session.document.takes[0].looped().unwrap().settings.fade.timing.values().is_empty());
}
