//! The sample project: takes on the hero.

use std::path::Path;

use glam::DVec3;

use crate::anim::{Model, Roles};
use crate::document::take::{Blend, Dynamics, Stretch};
use crate::document::{Character, Document, FileId, Modifier, SceneObject, SourceFile, Take, TakeId, TakeSource, file};
use crate::systems::blend::{self, Action, Event, Scenario};
use crate::systems::dynamics::{self, Chain, Collider, Preset, Shape};
use crate::systems::stretch::{Facing, Settings, Target};

/// The bytes of `samples.portamento` for a hero saved at `folder`/`hero.glb` as `hero_bytes`.
pub fn bytes(hero: &Model, hero_bytes: &[u8], folder: &Path) -> Vec<u8> {
    file::to_bytes(&document(hero, hero_bytes, &folder.join("hero.glb")), &folder.join("samples.portamento"))
}

fn document(hero: &Model, hero_bytes: &[u8], path: &Path) -> Document {
    let id = FileId(1);
    let source = SourceFile { id, path: path.to_owned(), hash: file::fingerprint(hero_bytes), metres_per_unit: 1.0 };
    let leap = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 5.0))), ..Settings::default() };
    let aimed = Settings { facing: Facing::Target, ..leap.clone() };
    let dash = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 4.0))), ..Settings::default() };
    let mut document = Document {
        files: vec![source],
        characters: vec![Character { file: id, roles: Roles::find(&hero.skeleton, &hero.clips) }],
        objects: vec![SceneObject { name: "target dummy".into(), position: DVec3::new(2.5, 0.0, 4.0) }],
        takes: Vec::new(),
        next_id: 1,
    };
    add(&mut document, "leap to 5 m", "leap_strike", Stretch { settings: leap, ..Stretch::default() });
    add(
        &mut document,
        "leap at the dummy",
        "leap_strike",
        Stretch { settings: aimed, aim_at: Some("target dummy".into()), ..Stretch::default() },
    );
    add(
        &mut document,
        "dash 4 m after the back-step",
        "dash_back_step",
        Stretch { settings: dash, ..Stretch::default() },
    );
    add_take(&mut document, "run, cast, stop, end", TakeSource::Scenario(Box::new(run_cast_stop_end())), Vec::new());
    let run = TakeSource::Clip { file: id, clip: "run".into() };
    let swing = Modifier::Dynamics(Box::new(hair_and_cape(hero)));
    add_take(&mut document, "run with swinging hair and cape", run, vec![swing]);
    document
}

fn run_cast_stop_end() -> Blend {
    let events = [(0.0, Action::Run), (0.8, Action::Cast), (1.2, Action::Stop), (2.0, Action::End), (2.6, Action::Run)];
    let scenario = Scenario {
        run: "run".into(),
        stand: "idle".into(),
        skill: "cast".into(),
        events: events.map(|(time, action)| Event { time, action, ..Event::default() }).to_vec(),
        ..Scenario::default()
    };
    Blend { settings: blend::Settings::Scenario(scenario), ..Blend::default() }
}

fn hair_and_cape(hero: &Model) -> Dynamics {
    let chain = |name: &str, preset: Preset| {
        let joint = hero.skeleton.find(name)?;
        let mut chain = Chain { name: name.into(), joint, end_length: 0.1, ..Chain::default() };
        preset.apply(&mut chain);
        Some(chain)
    };
    let chains = [
        ("hair.1", Preset::Hair),
        ("cape.L.1", Preset::Cloth),
        ("cape.C.1", Preset::Cloth),
        ("cape.R.1", Preset::Cloth),
    ];
    let chains = chains.into_iter().filter_map(|(name, preset)| chain(name, preset)).collect();
    let hips = hero.skeleton.find("hips");
    let shape = Shape::Sphere { center: DVec3::new(0.0, 0.03, 0.02), radius: 0.12 };
    let colliders = vec![Collider { name: "hips".into(), joint: hips, shape }];
    let settings = dynamics::Settings { chains, colliders, ..dynamics::Settings::default() };
    Dynamics { settings, looping: true, fps: None }
}

fn add(document: &mut Document, name: &str, clip: &str, stretch: Stretch) {
    let source = TakeSource::Clip { file: FileId(1), clip: clip.into() };
    add_take(document, name, source, vec![Modifier::Stretch(Box::new(stretch))]);
}

fn add_take(document: &mut Document, name: &str, source: TakeSource, modifiers: Vec<Modifier>) {
    let id = TakeId(document.fresh_id());
    document.takes.push(Take { id, name: name.into(), character: FileId(1), source, modifiers });
}
