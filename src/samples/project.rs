//! The sample project: takes on the hero.

use std::path::Path;

use glam::DVec3;

use crate::anim::{Model, Roles};
use crate::document::take::Stretch;
use crate::document::{Character, Document, FileId, Modifier, SceneObject, SourceFile, Take, TakeId, TakeSource, file};
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
    document
}

fn add(document: &mut Document, name: &str, clip: &str, stretch: Stretch) {
    let id = TakeId(document.fresh_id());
    let source = TakeSource::Clip { file: FileId(1), clip: clip.into() };
    let modifiers = vec![Modifier::Stretch(Box::new(stretch))];
    document.takes.push(Take { id, name: name.into(), character: FileId(1), source, modifiers });
}
