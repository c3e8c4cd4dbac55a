//! Loop workflows: caches, images and clips are searched, looped, exported and imported.

mod cloth;
mod loop_laws;
mod sprite_sheets;

use std::path::{Path, PathBuf};

use portamento::anim::Footage;
use portamento::document::take::Vertices;
use portamento::document::{Document, TakeSource, file};
use portamento::evaluate::{Content, FrameContent};
use portamento::import;
use portamento::media::VertexClip;
use portamento::progress::Progress;
use portamento::session::{
    Command, EditCommand, ExportRequest, ExportSettings, FileCommand, ImageFormat, MeshFormat, Session, Severity, Shown,
};
use portamento::systems::cloth::ClothShape;
use portamento::systems::looping::SeamRating;
use portamento::systems::looping::finder::Search;
use portamento_test_support::corpus;

fn opened(paths: &[PathBuf]) -> Session {
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    for path in paths {
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
    }
    session.update(0.0, true);
    session
}

/// Returns a session that shows a walk of joints.
fn walking_knight() -> Option<Session> {
    let mut session = opened(&[corpus("characters/knight.glb")?]);
    let file = session.document.files[0].id;
    let clips = &session.library.get(file)?.model.clips;
    let clip = clips.iter().map(|clip| clip.name.clone()).find(|name| name.contains("Walk"));
    session.selection.shown = Shown::Clip { character: file, file, clip: clip.expect("a knight walks") };
    Some(session)
}

fn without_errors(session: &Session) {
    let errors: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == Severity::Error).collect();
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
    let looped = built.looped(None).unwrap();
    assert_eq!((looped.window.start, looped.window.length, looped.source.frames()), (0, 5, 11));
    assert_eq!(looped.report().value_gap, 0.0);
    assert_eq!(looped.bands(), [0.0, 5.0 / 30.0, 10.0 / 30.0]);
    let search = Search { shortest: 3, ..Search::default() };
    let found = looped.source.find(&search, &Progress::new()).unwrap();
    assert_eq!((found.frames, found.distances.len()), (11, 121));
    assert!(looped.source.found(&search).is_some());
    session.update(0.05, true);
    assert!(matches!(session.frame().unwrap().content, FrameContent::Vertices { .. }));
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
    let still = import::import(&folder.path().join("fox-mesh.glb")).unwrap().model;
    for model in [&morphs, &still] {
        assert_eq!(model.meshes[0].primitives[0].positions, source.frame(5));
    }
    let targets = &morphs.meshes[0].primitives[0].morphs;
    let looped = frames(&folder.path().join("fox.mdd"));
    for (target, k) in targets.iter().zip(1..) {
        for (vertex, offset) in target.positions.iter().enumerate() {
            assert!((source.frame(5)[vertex] + *offset).abs_diff_eq(looped.frame(k)[vertex], 1e-4));
        }
    }
}

#[test]
fn a_walk_of_joints_loops_and_closes() {
    let Some(mut session) = walking_knight() else { return };
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes.last().unwrap().clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped(None).unwrap().report().value_gap, 0.0);
    let folder = tempfile::tempdir().unwrap();
    export(&mut session, &folder.path().join("walk.glb"));
    let model = import::import(&folder.path().join("walk.glb")).unwrap().model;
    let clip = model.clip(&take.name).unwrap();
    let looped = built.looped(None).unwrap();
    assert!((clip.duration - looped.window.length as f64 / looped.fps).abs() < 1e-6);
}

#[test]
fn the_frame_count_of_a_vertex_loop_matches_the_built_frames() {
    let Some(mut session) = walking_knight() else { return };
    session.perform(Command::Edit(EditCommand::AddVertices));
    let take = session.document.takes.last().unwrap().clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped(None).unwrap().window.length, ((built.frames() - 1) / 2).clamp(1, 120));
}

#[test]
fn images_loop_to_numbered_files_animations_and_a_sheet() {
    let Some(robot) = corpus("images/robot_walk") else { return };
    let mut session = opened(&[robot]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    session.update(0.0, true);
    assert!(matches!(session.frame().unwrap().content, FrameContent::Image { .. }));
    let folder = tempfile::tempdir().unwrap();
    for name in ["robot.gif", "robot.apng", "robot.json", "robot"] {
        export(&mut session, &folder.path().join(name));
    }
    for name in ["robot.gif", "robot.apng", "robot/robot_walk_loop"] {
        assert_eq!(import::import(&folder.path().join(name)).unwrap().footage.unwrap().frames(), 3, "{name}");
    }
}

#[test]
fn a_flag_needs_no_file_and_comes_back_with_its_project() {
    let mut session = opened(&[]);
    session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    let take = session.document.takes.last_mut().unwrap();
    let TakeSource::Cloth(cloth) = &mut take.source else { panic!("{take:?}") };
    (cloth.columns, cloth.rows, cloth.steps, cloth.pre_roll) = (8, 6, 8, 1.0);
    let painted: Vec<f32> = (0..63).map(|i| i as f32 / 62.0).collect();
    take.looped_mut(None).unwrap().settings.fade.timing = painted.into();
    let take = take.clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped(None).unwrap().report().value_gap, 0.0);
    let path = Path::new("/x/flag.portamento");
    let again: Document = file::from_bytes(&file::to_bytes(&session.document, path), path).unwrap();
    assert_eq!(again, session.document);
}

#[test]
fn the_sample_loops_have_invisible_seams() {
    let folder = tempfile::tempdir().unwrap();
    portamento::samples::write_all(folder.path()).unwrap();
    let mut session = opened(&[folder.path().join("samples.portamento")]);
    without_errors(&session);
    for name in ["flag in the wind", "flame"] {
        let take = session.document.takes.iter().find(|take| take.name == name).unwrap().clone();
        let built = session.built(&take).unwrap();
        let report = *built.looped(None).unwrap().report();
        assert!(report.ratio.is_some_and(|ratio| ratio <= 1.2) && report.value_gap == 0.0, "{name} {report:?}");
        assert_eq!(report.rating(), SeamRating::Green, "{name} {report:?}");
        assert_eq!(built.looped(None).unwrap().warnings(), [], "{name}");
        if let Content::Vertices(vertices) = &built.content {
            assert!(vertices.to_clip().positions.iter().all(|point| point.y > 0.1), "{name} touches the ground");
            assert!(report.edges.unwrap().low > 0.85, "{name} {report:?}");
        }
    }
}

#[test]
fn a_vertex_loop_keeps_the_materials_of_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let Some(fox) = corpus("characters/fox.glb") else { return };
    let mut session = opened(&[fox]);
    let file = session.document.files[0].id;
    let model = session.library.get(file).unwrap().model.clone();
    let clip = model.clips[0].name.clone();
    session.selection.shown = Shown::Clip { character: file, file, clip };
    session.perform(Command::Edit(EditCommand::AddVertices));
    for name in ["fox.glb", "fox.png"] {
        export(&mut session, &folder.path().join(name));
    }
    let texture = session.exports.reports()[0].texture.as_ref().unwrap();
    assert!(texture.largest_error > 0.0 && texture.largest_error <= texture.error_bound, "{texture:?}");
    let part = &model.meshes[0].primitives[0];
    for name in ["fox.glb", "fox-mesh.glb"] {
        let written = import::import(&folder.path().join(name)).unwrap().model;
        let again = &written.meshes[0].primitives[0];
        assert_eq!((&again.uvs, &again.colors), (&part.uvs, &part.colors), "{name}");
        assert_eq!(written.textures, model.textures, "{name}");
        assert!(again.normals.len() == part.positions.len(), "{name}");
    }
    let bytes = std::fs::read(folder.path().join("fox-mesh.glb")).unwrap();
    assert!(bytes.windows(10).any(|word| word == b"TEXCOORD_1"));
}

#[test]
fn damaged_paint_in_a_project_is_reported_and_the_rest_opens() {
    let mut session = opened(&[]);
    session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    let painted = vec![0.25; 31 * 21];
    session.document.takes[0].looped_mut(None).unwrap().settings.fade.timing = painted.into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flag.portamento");
    let text = String::from_utf8(file::to_bytes(&session.document, &path)).unwrap();
    let start = text.find("\"timing\": \"").unwrap() + 11;
    std::fs::write(&path, format!("{}!{}", &text[..start], &text[start + 1..])).unwrap();
    let session = opened(&[path]);
    without_errors(&session);
    let warnings: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == Severity::Warning).collect();
    assert!(warnings.len() == 1 && warnings[0].text().contains("painted"), "{warnings:?}");
    assert!(session.document.takes[0].looped(None).unwrap().settings.fade.timing.values().is_empty());
}

#[test]
fn a_folder_gets_meshes_and_images_in_the_chosen_formats() {
    let folder = tempfile::tempdir().unwrap();
    let Some(robot) = corpus("images/robot_walk") else { return };
    let mut session = opened(&[robot]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    let TakeSource::Cloth(cloth) = &mut session.document.takes[1].source else { panic!("no cloth") };
    (cloth.columns, cloth.rows, cloth.steps, cloth.pre_roll) = (8, 6, 4, 0.0);
    let takes: Vec<_> = session.document.takes.iter().map(|take| take.id).collect();
    let names: Vec<_> = session.document.takes.iter().map(|take| take.name.replace(' ', "_")).collect();
    let endings = [("mdd", "webp"), ("pc2", "apng"), ("png", "json"), ("exr", "png"), ("glb", "tga")];
    let forms = [MeshFormat::Mdd, MeshFormat::Pc2, MeshFormat::Png, MeshFormat::Exr, MeshFormat::Morphs];
    let images = [ImageFormat::Webp, ImageFormat::Apng, ImageFormat::Sheet, ImageFormat::Png, ImageFormat::Tga];
    for (i, (mesh, image)) in endings.into_iter().enumerate() {
        let destination = folder.path().join(i.to_string());
        let (takes, destination) = (takes.clone(), destination.clone());
        let (meshes, images) = (forms[i], images[i]);
        let settings = ExportSettings { meshes, images, ..Default::default() };
        let request = ExportRequest { takes, destination: destination.clone(), settings, ..Default::default() };
        let line = session.command_line(&request, Path::new("p.portamento"));
        assert!(line.contains(&format!("--meshes {}", meshes.name())) == (meshes != MeshFormat::Morphs), "{line}");
        session.perform(Command::File(FileCommand::Export(request)));
        without_errors(&session);
        assert!(destination.join(format!("{}.{mesh}", names[1])).is_file(), "{mesh}");
        let in_folder = destination.join(&names[0]);
        let written = |path: &Path| path.extension().is_some_and(|extension| extension == image);
        let holds =
            |path: &Path| std::fs::read_dir(path).is_ok_and(|all| all.flatten().any(|entry| written(&entry.path())));
        assert!(destination.join(format!("{}.{image}", names[0])).is_file() || holds(&in_folder), "{image}");
    }
}

/// Opens `open` from a folder filled by `write`; returns the messages of that severity and the number of open files.
fn said(severity: Severity, open: &str, write: impl FnOnce(&Path)) -> (String, usize) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let session = opened(&[folder.path().join(open)]);
    let said: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == severity).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    (said[0].text().clone(), session.document.files.len())
}

/// Returns the error of opening `open` from a folder filled by `write`.
fn error_of(open: &str, write: impl FnOnce(&Path)) -> String {
    let (sentence, files) = said(Severity::Error, open, write);
    assert_eq!(files, 0, "{sentence}");
    sentence
}

#[test]
fn unusable_sources_are_refused_with_file_and_frame() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let (topology, files) = said(Severity::Warning, "flag0.obj", |folder| {
        std::fs::write(folder.join("flag0.obj"), triangle).unwrap();
        std::fs::write(folder.join("flag1.obj"), "v 0 0 0\nv 1 0 0\n").unwrap();
    });
    assert!(topology.contains("frame 1 (flag1.obj) has 2 vertices"), "{topology}");
    assert!(files == 1 && topology.ends_with("flag0.obj is opened on its own."), "{topology}");
    let picture = |folder: &Path, name: &str, width: u32| {
        image::RgbaImage::new(width, 4).save(folder.join(name)).unwrap();
    };
    let sizes = error_of("smoke_0000.png", |folder| {
        picture(folder, "smoke_0000.png", 4);
        picture(folder, "smoke_0001.png", 5);
    });
    assert!(sizes.contains("frame 1 (smoke_0001.png) has 5 × 4 pixels"), "{sizes}");
    let gap = error_of("smoke_0000.png", |folder| {
        picture(folder, "smoke_0000.png", 4);
        picture(folder, "smoke_0002.png", 4);
    });
    assert!(gap.contains("smoke_") && gap.contains("number 1 is missing"), "{gap}");
    let Some(caches) = corpus("caches") else { return };
    for name in ["foxrun.mdd", "foxrun.pc2"] {
        let cut = error_of(name, |folder| {
            let bytes = std::fs::read(caches.join(name)).unwrap();
            std::fs::write(folder.join(name), &bytes[..bytes.len() - 7]).unwrap();
        });
        assert!(cut.contains(name) && cut.contains("frame 10 is cut short"), "{cut}");
    }
}

#[test]
fn a_source_of_twice_the_length_is_refused_with_advice() {
    let Some(caches) = corpus("caches") else { return };
    let mut session = opened(&[caches.join("foxrun_obj")]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes.last_mut().unwrap();
    take.looped_mut(None).unwrap().settings.length = 6;
    let take = take.clone();
    let sentence = session.built(&take).unwrap_err().to_string();
    assert!(["foxrun", "13 source frames", "has 11"].iter().all(|words| sentence.contains(words)), "{sentence}");
}
