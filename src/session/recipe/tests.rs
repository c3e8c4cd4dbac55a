//! Stacks saved from a take and applied to clips of other files.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Value, json};

use super::*;
use crate::clip_library::{ClipRow, Stack};
use crate::{Command, EditCommand, ExportRequest, ExportSettings, FileCommand, Keep, Session, Severity, Shown};
use portamento_blend::{Action, Event, LayerSettings};
use portamento_dynamics::{Chain, Collider, ColliderShape, JointOverride};
use portamento_stretch::Target;
use portamento_takes::document::clip_ref::FileClip;
use portamento_takes::document::stage::{Dynamics, Layer, RootChoice, Stretch};
use portamento_takes::document::{Document, Stage, StageKind, Take};

fn hero() -> PathBuf {
    portamento_test_support::asset("hero.glb")
}

/// Writes the hero with modified JSON.
fn hero_with(path: &Path, change: impl Fn(&mut Value)) {
    let bytes = std::fs::read(hero()).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut gltf: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    change(&mut gltf);
    let mut text = serde_json::to_vec(&gltf).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = bytes.len() - length + text.len();
    let head = [b"glTF".as_slice(), &2u32.to_le_bytes(), &(total as u32).to_le_bytes()].concat();
    let chunk = [(text.len() as u32).to_le_bytes().as_slice(), b"JSON", &text].concat();
    std::fs::write(path, [&head, &chunk, &bytes[20 + length..]].concat()).unwrap();
}

/// Adds a joint above all others, which changes all joint indices, and renames the hair joint.
fn mount(gltf: &mut Value, hair: &str) {
    let nodes = gltf["nodes"].as_array_mut().unwrap();
    for node in nodes.iter_mut() {
        let name = node["name"].as_str().unwrap().replace("hair.", hair);
        node["name"] = name.into();
    }
    let root = nodes.iter().position(|node| node["name"] == "root").unwrap();
    nodes.push(json!({ "name": "mount", "children": [root] }));
    let mount = nodes.len() - 1;
    let roots = gltf["scenes"][0]["nodes"].as_array_mut().unwrap();
    roots.iter_mut().filter(|node| **node == root).for_each(|node| *node = mount.into());
    gltf["skins"][0]["joints"].as_array_mut().unwrap().insert(0, mount.into());
    let skin = gltf["skins"][0].as_object_mut().unwrap();
    skin.remove("inverseBindMatrices");
}

fn opened(files: &[PathBuf]) -> Session {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(files.to_vec())));
    session.update(0.0, true);
    session
}

/// Returns a layer with a cast, dynamic hair with a head collider, and a stretch.
fn kinds(session: &Session, hair: &str) -> Vec<StageKind> {
    let skeleton = &session.library.get(FileId(1)).unwrap().model.skeleton;
    let joint = |name: &str| skeleton.find(&name.replace("hair.", hair)).unwrap();
    assert_eq!(joint("hips") == 1, hair == "hair.", "joints of other rigs have other numbers");
    let chain = Chain {
        joint: joint("hair.1"),
        excluded: vec![joint("hair.5")],
        overrides: vec![JointOverride { joint: joint("hair.2"), drag: Some(0.3), ..JointOverride::default() }],
        center: Some(joint("hips")),
        ..Chain::default()
    };
    let shape = ColliderShape::Sphere { center: DVec3::new(0.0, 0.1, 0.0), radius: 0.1 };
    let collider = Collider { name: "skull".into(), joint: Some(joint("head")), shape };
    let mut dynamics = Dynamics::default();
    (dynamics.settings.chains, dynamics.settings.colliders) = (vec![chain], vec![collider]);
    let event = |time, action| Event { time, action, ..Event::default() };
    let events = vec![event(0.1, Action::Cast), event(0.4, Action::End)];
    let layer = Layer {
        settings: LayerSettings { skill: "cast".into(), events, ..LayerSettings::default() },
        ..Layer::default()
    };
    let mut stretch = Stretch { root: RootChoice::Joint(joint("root")), ..Stretch::default() };
    stretch.settings.target = Some(Target::Start(DVec3::new(0.0, 0.0, 3.1)));
    vec![
        StageKind::Layer(Box::new(layer)),
        StageKind::Stretch(Box::new(stretch)),
        StageKind::Dynamics(Box::new(dynamics)),
    ]
}

fn with_take(session: &mut Session, kinds: Vec<StageKind>) -> TakeId {
    session.add_stack(FileId(1), "run", Stack { name: "run with hair".into(), kinds });
    session.update(0.0, true);
    session.document.takes[0].id
}

fn rows(session: &mut Session, folder: &Path) -> Vec<ClipRow> {
    session.perform(Command::File(FileCommand::MeasureClips(vec![folder.to_owned()])));
    session.clips.rows().to_vec()
}

fn baked(session: &mut Session, take: &Take) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let destination = folder.path().join("out.glb");
    let request = ExportRequest {
        takes: vec![take.id],
        destination: destination.clone(),
        settings: ExportSettings { keep: Keep::Alone, ..Default::default() },
        ..ExportRequest::default()
    };
    session.perform(Command::File(FileCommand::Export(request)));
    std::fs::read(destination).unwrap()
}

#[test]
fn a_saved_stack_is_applied_to_all_clips_of_other_files_that_it_fits() {
    let folder = tempfile::tempdir().unwrap();
    let [other, bald] = ["other.glb", "bald.glb"].map(|name| folder.path().join(name));
    hero_with(&other, |gltf| mount(gltf, "HAIR_"));
    hero_with(&bald, |gltf| mount(gltf, "bone"));
    let mut session = opened(&[hero()]);
    let kinds_here = kinds(&session, "hair.");
    let take = with_take(&mut session, kinds_here);
    let path = folder.path().join("hair.recipe.json");
    session.perform(Command::File(FileCommand::SaveRecipe(take, path.clone())));
    let recipe = Recipe::read(&path).unwrap();
    assert_eq!(Ok(&recipe), session.opened().recipe_of(take).as_ref(), "what is written is read again");
    assert_eq!(recipe.takes[0].name, "{clip} with hair");
    assert_eq!(recipe.roles.get("hips").map(String::as_str), Some("hips"));

    let rows = rows(&mut session, folder.path());
    let before: Document = session.document.clone();
    let clips = rows.iter().filter(|row| row.file == other).count();
    assert!(clips > 5 && rows.len() == 2 * clips, "{}", rows.len());
    session.update(0.0, true);
    session.perform(Command::File(FileCommand::ApplyRecipe(rows, path)));
    session.update(0.0, true);
    let created = session.document.takes[1..].to_vec();
    assert_eq!(created.len(), clips, "{:?}", session.notices.all());
    assert_eq!(session.document.folders[0].name, "hair", "the folder is called as the recipe");
    let warnings = session.notices.all().iter().filter(|notice| notice.severity == Severity::Warning);
    let texts: Vec<String> = warnings.map(|notice| notice.text()).filter(|text| text.contains("skipped")).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0].contains("16 of 32")
            && texts[0].contains("“hair.1”")
            && texts[0].contains("bald.glb idle")
            && texts[0].contains("(+11)"),
        "{texts:?}"
    );
    let run = created.iter().find(|take| take.name == "run with hair 2").unwrap().clone();

    let mut by_hand = opened(&[other]);
    let kinds_there = kinds(&by_hand, "HAIR_");
    with_take(&mut by_hand, kinds_there);
    by_hand.document.takes[0].name = run.name.clone();
    let hand_made = by_hand.document.takes[0].clone();
    assert_eq!(run.stages, hand_made.stages, "joints are those of the other rig");
    assert!(session.built(&run).is_ok());
    assert_eq!(baked(&mut session, &run), baked(&mut by_hand, &hand_made), "bit for bit");

    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(
        session.document,
        Document { next_id: session.document.next_id, ..before },
        "one step back is all of it"
    );
}

#[test]
fn every_stack_of_the_samples_survives_saving_and_loading() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let session = opened(&[folder.path().join("samples.portamento")]);
    let takes = session.document.takes.iter().filter(|take| take.moves_joints() && !take.stages.is_empty());
    let mut count = 0;
    for take in takes {
        let recipe = session.opened().recipe_of(take.id).unwrap();
        let again = Recipe::from_json(recipe.to_json().as_bytes()).unwrap();
        assert_eq!(again, recipe);
        let created = session
            .opened()
            .stacked(&again, again.stack().unwrap(), &Fills::new(), FileClip { file: take.character, clip: "run" })
            .unwrap();
        let kinds = take.stages.iter().map(|stage| stage.kind.clone()).collect();
        assert_eq!(created.stages, Stage::numbered(kinds), "{}", take.name);
        count += 1;
    }
    assert!(count >= 5);
    let flame = session.document.takes.iter().find(|take| take.name == "flame").unwrap();
    assert!(session.opened().recipe_of(flame.id).unwrap_err().to_string().contains("moves a skeleton"));
}

#[test]
fn a_clip_of_another_file_becomes_a_slot_filled_by_name_or_by_choice() {
    let folder = tempfile::tempdir().unwrap();
    let spells = folder.path().join("spells.glb");
    hero_with(&spells, |gltf| {
        let clips = gltf["animations"].as_array_mut().unwrap();
        clips.iter_mut().filter(|clip| clip["name"] == "cast").for_each(|clip| clip["name"] = "fire".into());
    });
    let mut session = opened(&[hero(), spells]);
    let [own, spells] = [0, 1].map(|at| session.document.files[at].id);
    let mut stages = kinds(&session, "hair.");
    stages.truncate(1);
    stages[0].replace_clip("cast", "fire");
    stages[0].as_layer_mut().unwrap().files = vec![spells];
    let take = with_take(&mut session, stages.clone());
    let recipe = session.opened().recipe_of(take).unwrap();
    assert_eq!(recipe.takes[0].stages[0]["layer"]["settings"]["skill"], "slot:fire");
    let stack = recipe.stack().unwrap();
    let created =
        session.opened().stacked(&recipe, stack, &Fills::new(), FileClip { file: own, clip: "walk" }).unwrap();
    assert_eq!(created.stages[0].kind, stages[0], "a clip of that name in another file");
    let fills = Fills::from([("fire".to_owned(), "cast".to_owned())]);
    let created = session.opened().stacked(&recipe, stack, &fills, FileClip { file: own, clip: "walk" }).unwrap();
    assert_eq!(created.stages[0].kind.clip_names(), ["cast"]);
    let mut alone = opened(&[hero()]);
    let refused =
        alone.opened().stacked(&recipe, stack, &Fills::new(), FileClip { file: FileId(1), clip: "walk" }).unwrap_err();
    assert!(refused.to_string().contains("slot “fire”"), "{refused}");
    alone.add_stack(FileId(1), "cast", Stack { name: "fire".into(), kinds: Vec::new() });
    let created =
        alone.opened().stacked(&recipe, stack, &Fills::new(), FileClip { file: FileId(1), clip: "walk" }).unwrap();
    assert_eq!(created.used_takes(), [alone.document.takes[0].id], "a take of that name");
}

#[test]
fn joints_are_found_by_role_and_targets_keep_their_distance_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.glb");
    hero_with(&other, |gltf| mount(gltf, "hair."));
    let mut session = opened(&[hero()]);
    let kinds = kinds(&session, "hair.");
    let take = with_take(&mut session, kinds);
    let mut recipe = session.opened().recipe_of(take).unwrap();
    let text = recipe
        .to_json()
        .replace("\"head\"", "\"Schaedel\"")
        .replace("\"Schaedel\": \"Schaedel\"", "\"Schaedel\": \"head\"");
    recipe = Recipe::from_json(text.as_bytes()).unwrap();
    assert_eq!(recipe.roles["Schaedel"], "head");
    let mut there = opened(&[other]);
    there.document.files[0].metres_per_unit = 0.01;
    let created = there
        .opened()
        .stacked(&recipe, recipe.stack().unwrap(), &Fills::new(), FileClip { file: FileId(1), clip: "run" })
        .unwrap();
    let swings = created.dynamics(None).unwrap();
    let head = there.library.get(FileId(1)).unwrap().model.skeleton.find("head");
    assert_eq!(swings.settings.colliders[0].joint, head);
    let Some(Target::Start(end)) = created.stretch(None).unwrap().settings.target else { panic!("a target") };
    assert!((end - DVec3::new(0.0, 0.0, 310.0)).length() < 1e-9, "{end}");
    recipe.roles.clear();
    assert!(
        there
            .opened()
            .stacked(&recipe, recipe.stack().unwrap(), &Fills::new(), FileClip { file: FileId(1), clip: "run" })
            .is_err()
    );
}

#[test]
fn an_opened_recipe_is_applied_to_the_selected_clips_unless_it_names_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(hero(), at("hero.glb")).unwrap();
    let mirror = |rest: Value| {
        let mut recipe =
            json!({ "takes": [{ "name": "turned", "source": "slot:clip", "stages": [{ "mirror": {} }] }] });
        recipe.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        recipe.to_string()
    };
    std::fs::write(at("turned.json"), mirror(json!({}))).unwrap();
    std::fs::write(at("files.json"), mirror(json!({ "files": ["hero.glb"] }))).unwrap();
    let mut session = Session::inline();
    let open = |session: &mut Session, name: &str| {
        session.perform(Command::File(FileCommand::Open(vec![at(name)])));
        session.update(0.0, true);
    };
    rows(&mut session, folder.path());
    open(&mut session, "turned.json");
    assert!(session.notices.all()[0].text().contains("Select clips in the library"));
    session.clips.chosen = [0, 1].into();
    open(&mut session, "files.json");
    assert!(session.document.files.is_empty() && session.notices.all()[1].text().contains("portamento make"));
    open(&mut session, "turned.json");
    assert_eq!(session.document.takes.len(), 2, "{:?}", session.notices.all());
}

#[test]
fn only_files_with_a_clip_that_the_recipe_fits_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("clips")).unwrap();
    hero_with(&at("clips/bald.glb"), |gltf| mount(gltf, "bald_"));
    let chain = json!({ "dynamics": { "settings": { "chains": [{ "joint": "hair.1" }] } } });
    let recipe = json!({ "takes": [{ "name": "swings", "source": "slot:clip", "stages": [chain] }] });
    std::fs::write(at("hair.json"), recipe.to_string()).unwrap();
    let mut session = Session::inline();
    let give = |session: &mut Session| {
        let rows = rows(session, &at("clips"));
        session.perform(Command::File(FileCommand::ApplyRecipe(rows, at("hair.json"))));
        session.update(0.0, true);
    };
    let before = session.document.clone();
    give(&mut session);
    assert_eq!((&session.document, &session.selection.shown), (&before, &Shown::Nothing));
    assert_eq!(session.preferences.recent, [at("clips")], "the folder that was listed, and no file");
    let texts: Vec<String> = session.notices.all().iter().map(|notice| notice.text()).collect();
    assert!(texts.len() == 1 && texts[0].contains("16 of 16") && texts[0].contains("“hair.1”"), "{texts:?}");

    std::fs::copy(hero(), at("clips/hero.glb")).unwrap();
    give(&mut session);
    let names: Vec<_> = session.document.files.iter().filter_map(|file| file.path.file_name()).collect();
    assert_eq!(names, ["hero.glb"]);
    assert_eq!(session.document.takes.len(), 16);
    assert!(session.notices.all().iter().any(|notice| notice.text().contains("16 of 32")));
}
