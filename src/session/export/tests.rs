//! Files that an export may and may not replace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::exports::exported;
use super::staging::Staged;
use super::*;
use crate::looping::cloth::with_fewer_steps;
use crate::{Command, EditCommand, FileCommand, Severity, Shown};
use portamento_base::budget::Budget;
use portamento_formats::export::file_system::Disk;
use portamento_formats::export::{Replace, file_set};
use portamento_looping::Settings as LoopSettings;
use portamento_takes::document::{TakeId, TakeSource};
use portamento_takes::evaluate::Content;
use portamento_test_support::{Fault, FaultyDisk};

mod closing;
mod contacts;
mod damaged;
mod equal_names;
mod interrupted;
mod loop_mark;
mod on_the_spot;
mod per_character;
mod sets;
mod still;
#[cfg(unix)]
mod unchanged;

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let named =
        |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
    entries.map(named).collect()
}

fn opened(paths: &[PathBuf]) -> Session {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(paths.to_vec())));
    session.update(0.0, true);
    session
}

/// Opens the samples in a temporary folder.
fn samples() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = opened(&[folder.path().join("samples.portamento")]);
    with_fewer_steps(&mut session.document);
    (folder, session)
}

fn export(session: &mut Session, takes: Vec<TakeId>, destination: PathBuf, replace: Replace) -> Vec<String> {
    let request = ExportRequest { takes, destination, replace, ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    let notices = session.notices.take_new().into_iter();
    notices.filter(|notice| notice.severity == Severity::Error).map(|notice| notice.text()).collect()
}

/// Adds a take of the first clip of the first file with that name.
fn take_called(session: &mut Session, name: &str) -> TakeId {
    let file = session.document.files[0].id;
    let clip = session.library.get(file).unwrap().model.clips[0].name.clone();
    let id = TakeId(session.document.fresh_id());
    let source = TakeSource::Clip { file, clip };
    session.document.takes.push(Take {
        id,
        name: name.into(),
        character: file,
        source,
        stages: Vec::new(),
        loops: None,
    });
    id
}

#[test]
fn a_source_is_never_overwritten_through_any_path() {
    let (folder, mut session) = samples();
    let hero = take_called(&mut session, "hero");
    let at = |name: &str| folder.path().join(name);
    std::fs::hard_link(at("hero.glb"), at("twin.glb")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("hero.glb"), at("link.glb")).unwrap();
    let before = contents(folder.path());
    let mut targets = vec![at("hero.glb"), at("twin.glb"), folder.path().to_owned(), at("samples.portamento")];
    #[cfg(unix)]
    targets.push(at("link.glb"));
    for target in targets {
        let errors = export(&mut session, vec![hero], target.clone(), Replace::Allow);
        assert_eq!(errors.len(), 1, "{}", target.display());
        assert!(session.exports.reports().is_empty() && session.exports.conflicting_files().is_none());
        assert_eq!(contents(folder.path()), before, "{}", target.display());
    }
    assert!(export(&mut session, vec![hero], at("hero2.glb"), Replace::Refuse).is_empty());
}

#[test]
fn frames_of_a_sequence_and_buffers_of_a_gltf_are_sources_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for number in 0..3_u8 {
        let picture = image::RgbaImage::from_pixel(2, 2, image::Rgba([number * 80, 0, 0, 255]));
        picture.save(at(&format!("s_000{number}.png"))).unwrap();
    }
    let mut session = opened(&[at("s_0000.png")]);
    let before = contents(folder.path());
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes[0].id;
    let settings = LoopSettings { start: 0, length: 1, ..LoopSettings::default() };
    session.document.take_mut(take).unwrap().looped_mut(None).unwrap().settings = settings;
    let errors = export(&mut session, vec![take], at("s.png"), Replace::Allow);
    assert!(errors.len() == 1 && errors[0].contains("source"), "{errors:?}");
    assert_eq!(contents(folder.path()), before);

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = portamento_formats::export::gltf::from_model(&portamento_test_support::hero(), None);
    FileSet::write_now(|files| portamento_formats::export::gltf::save(files, &at("hero.gltf"), &source)).unwrap();
    let mut session = opened(&[at("hero.gltf")]);
    let before = contents(folder.path());
    assert!(before.contains_key("hero.bin"));
    let take = take_called(&mut session, "mine");
    for target in ["hero.gltf", "hero.bin"] {
        assert_eq!(export(&mut session, vec![take], at(target), Replace::Allow).len(), 1, "{target}");
        assert_eq!(contents(folder.path()), before);
    }
    assert!(export(&mut session, vec![take], at("other.gltf"), Replace::Refuse).is_empty());
    let after = contents(folder.path());
    assert!(after.contains_key("other.bin") && before.iter().all(|(name, bytes)| after[name] == *bytes));
}

#[test]
fn the_error_of_an_export_leaves_the_screen_when_the_next_one_begins() {
    let (folder, mut session) = samples();
    let hero = take_called(&mut session, "hero");
    let source = folder.path().join("hero.glb");
    let errors = export(&mut session, vec![hero], source, Replace::Allow);
    assert!(errors.len() == 1 && session.notices.take_resolved().is_empty(), "{errors:?}");
    assert!(export(&mut session, vec![hero], folder.path().join("hero2.glb"), Replace::Refuse).is_empty());
    let resolved = session.notices.take_resolved();
    assert_eq!(resolved.iter().map(ToString::to_string).collect::<Vec<_>>(), errors);
}

/// Writes a `.gltf` whose buffer has the URI `uri`, and the buffer file.
fn with_buffer_called(folder: &Path, uri: &str) -> PathBuf {
    let source = portamento_formats::export::gltf::from_model(&portamento_test_support::hero(), None);
    let path = folder.join("hero.gltf");
    FileSet::write_now(|files| portamento_formats::export::gltf::save(files, &path, &source)).unwrap();
    std::fs::rename(folder.join("hero.bin"), folder.join(uri)).unwrap();
    let mut json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    json["buffers"][0]["uri"] = uri.into();
    std::fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
fn companion_files_never_use_the_name_of_a_source_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = opened(&[with_buffer_called(folder.path(), ".bashrc")]);
    let take = take_called(&mut session, "mine");
    // A file with the same name in another folder, written by another program.
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".bashrc"), b"alias ll='ls -l'").unwrap();
    assert!(export(&mut session, vec![take], home.path().join("mine.gltf"), Replace::Allow).is_empty());
    let written = contents(home.path());
    assert_eq!(written.keys().collect::<Vec<_>>(), [".bashrc", "mine.bin", "mine.gltf"]);
    assert_eq!(written[".bashrc"], b"alias ll='ls -l'");
    let json: Value = serde_json::from_slice(&written["mine.gltf"]).unwrap();
    assert_eq!(json["buffers"][0]["uri"], "mine.bin");
}

#[test]
fn images_of_an_fbx_are_sources_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(portamento_test_support::fixture("everything.glb"), folder.path().join("everything.glb")).unwrap();
    let mut session = opened(&[folder.path().join("everything.glb")]);
    let take = take_called(&mut session, "mine");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    export(&mut session, vec![take], out.join("mine.fbx"), Replace::Refuse);
    let written = contents(&out);
    let images: Vec<_> = written.keys().filter(|name| !name.ends_with(".fbx")).collect();
    assert!(!images.is_empty(), "{:?}", written.keys());
    let session = opened(&[out.join("mine.fbx")]);
    assert!(images.iter().all(|image| session.sources().find(&out.join(image)).is_some()), "{images:?}");
}

#[test]
fn other_files_are_replaced_after_confirmation() {
    let (folder, mut session) = samples();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = files();
    let run = take_called(&mut session, "mine");
    let out = folder.path().join("run.glb");
    std::fs::write(&out, b"somebody else's").unwrap();
    assert!(export(&mut session, vec![run], out.clone(), Replace::Refuse).is_empty());
    assert_eq!(session.exports.conflicting_files(), Some(vec![out.clone()]));
    session.perform(Command::File(FileCommand::Replace(false)));
    assert_eq!(
        (session.exports.conflicting_files(), std::fs::read(&out).unwrap()),
        (None, b"somebody else's".to_vec())
    );
    export(&mut session, vec![run], out.clone(), Replace::Refuse);
    session.perform(Command::File(FileCommand::Replace(true)));
    assert!(std::fs::read(&out).unwrap().starts_with(b"glTF"));
    assert_eq!(session.exports.reports().len(), 1);
    // Identical bytes need no confirmation.
    assert!(export(&mut session, vec![run], out.clone(), Replace::Refuse).is_empty());
    assert_eq!(session.exports.conflicting_files(), None);
    assert_eq!(files(), before + 1);
}

#[test]
fn takes_with_the_same_name_get_separate_files_and_a_failed_take_does_not_stop_the_others() {
    let (folder, mut session) = samples();
    let out = folder.path().join("out");
    let mut takes: Vec<TakeId> = ["a/b", "a_b", "a_b"].map(|name| take_called(&mut session, name)).to_vec();
    let broken = take_called(&mut session, "broken");
    if let TakeSource::Clip { clip, .. } = &mut session.document.take_mut(broken).unwrap().source {
        *clip = "not there".into();
    }
    takes.insert(1, broken);
    let errors = export(&mut session, takes, out.clone(), Replace::Refuse);
    assert!(errors.len() == 1 && errors[0].contains("1 of 4 takes") && errors[0].contains("broken"), "{errors:?}");
    assert_eq!(contents(&out).into_keys().collect::<Vec<_>>(), ["a_b.glb", "a_b_2.glb", "a_b_3.glb"]);
    assert_eq!(session.exports.reports().len(), 3);
    session.selection.show(Shown::Nothing);
}

#[test]
fn a_shorter_sequence_leaves_no_frames_of_the_longer_one() {
    let (folder, mut session) = samples();
    let flame = session.document.takes.iter().find(|take| take.name == "flame").unwrap().id;
    let out = folder.path().join("out");
    assert!(export(&mut session, vec![flame], out.clone(), Replace::Refuse).is_empty());
    let frames = || std::fs::read_dir(out.join("flame")).unwrap().count();
    let before = frames();
    let settings = &mut session.document.take_mut(flame).unwrap().looped_mut(None).unwrap().settings;
    settings.length -= 2;
    export(&mut session, vec![flame], out.clone(), Replace::Refuse);
    let listed = session.exports.conflicting_files().unwrap();
    assert!(listed.iter().any(|path| path.ends_with(format!("flame_{:04}.png", before - 1))), "{listed:?}");
    assert!(frames() > before, "new frames wait beside the old ones");
    session.perform(Command::File(FileCommand::Replace(true)));
    assert_eq!(frames(), before - 2);
}

#[test]
fn several_files_are_counted_and_one_is_named() {
    assert_eq!(exported(Path::new("out/a.glb"), 1).to_string(), "Exported out/a.glb.");
    assert_eq!(
        exported(Path::new("out/fire/0.png"), 23).to_string(),
        "Exported 23 files to out/fire, starting with 0.png."
    );
    assert_eq!(exported(Path::new("0.png"), 2).to_string(), "Exported 2 files, starting with 0.png.");
}

#[test]
fn a_disk_error_at_any_step_leaves_all_files_old_or_all_new() {
    let (folder, mut session) = samples();
    let takes: Vec<TakeId> = ["one", "two"].map(|name| take_called(&mut session, name)).to_vec();
    let out = folder.path().join("out");
    let bake = |session: &mut Session, fps: Option<f64>| {
        let (takes, destination) = (takes.clone(), out.clone());
        let settings = ExportSettings { fps, ..Default::default() };
        let request = ExportRequest { takes, destination, settings, replace: Replace::Allow, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        session.notices.take_new().iter().any(|notice| notice.severity == Severity::Error)
    };
    assert!(!bake(&mut session, None));
    let before = contents(&out);
    let sound = Arc::new(FaultyDisk::sound());
    session.disk = sound.clone();
    assert!(!bake(&mut session, Some(12.0)));
    let (after, mut cases) = (contents(&out), 0);
    assert!(before.keys().eq(after.keys()) && before != after);
    for fails_at in 0..sound.operations() {
        for fault in Fault::ALL {
            before.iter().for_each(|(name, bytes)| std::fs::write(out.join(name), bytes).unwrap());
            session.disk = Arc::new(FaultyDisk::new(fails_at, fault));
            let failed = bake(&mut session, Some(12.0));
            file_set::clean(&Disk, &out);
            let wanted = if failed { &before } else { &after };
            assert!(contents(&out) == *wanted, "{fault:?} {fails_at}");
            cases += 1;
        }
    }
    println!("{cases} faults");
    assert!(cases >= 80, "{cases}");
}

/// Stages an export of `request` within `budget`.
fn staged(session: &mut Session, request: &ExportRequest, budget: &Budget) -> Result<Staged, Message> {
    let takes = session.takes_to_export(request, &ExportedSets::default())?;
    let files = FileSet::new(session.sources().into());
    staging::stage(request, takes, files, &Progress::within(budget.clone()))
}

/// Fails each memory request of an export in turn; returns their number.
fn refuse_each(session: &mut Session, request: &ExportRequest) -> u64 {
    let sound = Budget::with_limit(u64::MAX);
    staged(session, request, &sound).unwrap_or_else(|message| panic!("{message}"));
    for number in 0..sound.requests() {
        let sentence = match staged(session, request, &Budget::failing_at(u64::MAX, number)) {
            Err(message) => message.to_string(),
            // Ground and routes may be cached although the steps fail.
            Ok(staged) => staged.failure.map_or_else(String::new, |message| message.to_string()),
        };
        assert!(sentence.contains(" of memory, but only "), "{number} of {}: {sentence}", sound.requests());
    }
    sound.requests()
}

#[test]
fn every_failed_memory_request_is_reported_as_a_message() {
    let (folder, mut session) = samples();
    let destination = folder.path().join("out");
    let (mut building, mut writing) = (0, 0);
    for take in session.document.takes.clone() {
        let request = ExportRequest { takes: vec![take.id], destination: destination.clone(), ..Default::default() };
        building += refuse_each(&mut session, &request);
        let built = session.built(&take).unwrap();
        let sidecars = Sidecars {
            weights: true,
            routes: Some(RouteFormat::Json),
            voxels: true,
            distance_curve: Some(portamento_walk::locomotion::Sign::Negative),
            index: true,
        };
        let base = ExportSettings::default;
        let formats: Vec<ExportSettings> = match built.content {
            Content::Joints => vec![ExportSettings { fps: Some(60.0), sidecars, ..base() }],
            Content::Vertices(_) => MeshFormat::ALL.map(|meshes| ExportSettings { meshes, ..base() }).into(),
            Content::Images(_) => ImageFormat::ALL.map(|images| ExportSettings { images, ..base() }).into(),
        };
        let mut refused = |settings| refuse_each(&mut session, &ExportRequest { settings, ..request.clone() });
        writing += formats.into_iter().map(&mut refused).sum::<u64>();
    }
    println!("{building} refusals while building and writing, {writing} while writing in every format");
    assert!(building >= 30 && writing >= 40 && !destination.exists(), "{building} {writing}");
}

/// Exports `count` takes of a small file with memory for less than two of them.
fn stream(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(portamento_test_support::fixture("everything.glb"), folder.path().join("everything.glb")).unwrap();
    let mut session = opened(&[folder.path().join("everything.glb")]);
    let takes: Vec<TakeId> = (0..count).map(|number| take_called(&mut session, &format!("take {number}"))).collect();
    let destination = folder.path().join("out");
    let request = ExportRequest { takes: vec![takes[0]], destination: destination.clone(), ..Default::default() };
    let is_enough = |session: &mut Session, bytes: u64| staged(session, &request, &Budget::with_limit(bytes)).is_ok();
    let enough = (0..40).map(|power| 1 << power).find(|&bytes| is_enough(&mut session, bytes)).unwrap();
    let all = ExportRequest { takes, ..request };
    let staged = staged(&mut session, &all, &Budget::with_limit(enough)).unwrap_or_else(|message| panic!("{message}"));
    assert_eq!((staged.files.len(), staged.failure.is_none()), (count, true), "within {enough} bytes");
    let mut staged = staged;
    staged.files.commit(Replace::Refuse).unwrap();
    drop(staged);
    assert_eq!(std::fs::read_dir(&destination).unwrap().count(), count);
}

#[test]
fn takes_are_built_and_written_one_at_a_time() {
    stream(200);
}

#[test]
#[ignore = "a minute: 20 000 files"]
fn twenty_thousand_takes_are_built_and_written_one_at_a_time() {
    stream(20_000);
}

#[test]
fn presets_write_what_their_descriptions_say() {
    let (folder, mut session) = samples();
    let looped =
        |take: &&Take| take.repeats() && take.walk().is_none() && matches!(take.source, TakeSource::Clip { .. });
    let take = session.document.takes.iter().find(looped).cloned();
    let id = take.map_or_else(|| take_called(&mut session, "leap"), |take| take.id);
    let name = session.document.take(id).unwrap().name.clone();
    let repeats = session.document.take(id).unwrap().repeats();
    for preset in Preset::ALL {
        let out = folder.path().join(preset.name());
        session.exports.choice = ExportChoice::default();
        session.exports.choice.set_clips(preset.settings());
        session.exports.choice.folder = out.display().to_string();
        session.exports.choice.only(&session.document.clone(), &[id]);
        let request = session.exports.choice.request(&session.document);
        session.perform(Command::File(FileCommand::Export(request)));
        let errors: Vec<String> = session.notices.take_new().into_iter().map(|notice| notice.text()).collect();
        let files: Vec<String> = contents(&out).into_keys().collect();
        let called = if preset == Preset::Unreal { format!("A_hero_{name}") } else { name.clone() };
        let stem = called.replace(' ', "_");
        let file = format!("{stem}.{}", preset.settings().format.extension());
        let markers_name = format!("{stem}.markers.json");
        assert!(files.contains(&file) && files.contains(&markers_name), "{preset:?}: {files:?} {errors:?}");
        let markers_json: Value = serde_json::from_slice(&std::fs::read(out.join(markers_name)).unwrap()).unwrap();
        assert_eq!(markers_json["loop"].as_bool(), Some(repeats));
        assert!(!markers_json["markers"].as_array().unwrap().is_empty(), "{markers_json}");
        let read = portamento_formats::import::import(&out.join(&file)).unwrap();
        let suffix = if preset == Preset::Godot && repeats { "-loop" } else { "" };
        let names: Vec<&str> = read.model.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, [format!("{called}{suffix}")], "{preset:?}");
        assert_eq!(markers_json["clip"].as_str(), Some(names[0]));
        if let Some(source) = &read.source {
            assert_eq!(source.json["animations"][0]["extras"]["portamento"], markers_json, "{preset:?}");
        }
        if preset == Preset::Godot {
            let text = |name: String| std::fs::read_to_string(out.join(name)).unwrap();
            let settings = text(format!("{file}.import"));
            assert!(settings.contains(&format!("import_script/path=\"{stem}.import.gd\"\n")), "{settings}");
            let script = text(format!("{stem}.import.gd"));
            let root = "const ROOT_BONE := \"root\"";
            assert!(script.contains(&format!("\t\"{name}\": {repeats},\n")) && script.contains(root), "{script}");
        }
        let bytes = std::fs::read(out.join(&file)).unwrap();
        let holds = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        let unit = [b"D".as_slice(), &if preset == Preset::Unity { 100.0_f64 } else { 1.0 }.to_le_bytes()].concat();
        let is_fbx = preset.settings().format == ExportFormat::Fbx;
        assert!(!is_fbx || (holds(&unit) && holds(b"markers") && holds(b"_stands")), "{preset:?}");
    }
}
