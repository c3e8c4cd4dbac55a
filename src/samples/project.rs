//! The sample project: takes of the hero, a flag, a flame and a walk.

use std::path::Path;

use glam::DVec3;

use super::{flame, patrol};
use crate::level;
use portamento_anim::{MaskChoice, Model, Region, Roles};
use portamento_blend as blend;
use portamento_blend::{Action, Additive, Event, Link, Node, NodeKind, Reference, Scenario, Source, Tree};
use portamento_takes::document::stage::{Dynamics, Loop, Stretch};
use portamento_takes::document::take::Blend;
use portamento_takes::document::{
    Character, Document, FileId, SceneObject, SourceFile, Stage, StageKind, Take, TakeId, TakeSource, Walk, file,
};
use portamento_walk::locomotion::GaitClip;

use portamento_dynamics as dynamics;
use portamento_dynamics::cloth;
use portamento_dynamics::{Chain, Collider, ColliderShape, LengthCorrection, Preset, Wind};
use portamento_looping as looping;
use portamento_stretch::{Facing, Settings, Target};

const HERO: FileId = FileId(1);
const FLAME: FileId = FileId(2);

const YARD: FileId = FileId(3);

/// Returns the bytes of `samples.portamento`. `files` are the names and bytes of the hero, the flame and the yard.
pub fn bytes(hero: &Model, files: &[(&str, Vec<u8>); 3]) -> Vec<u8> {
    let sources = [HERO, FLAME, YARD].into_iter().zip(files).map(|(id, file)| source(id, file)).collect();
    file::to_bytes(&document(hero, sources), &Path::new("/").join("samples.portamento"))
}

/// Returns the entry of a file in metres, in the folder of the project.
pub(super) fn source(id: FileId, (name, bytes): &(&str, Vec<u8>)) -> SourceFile {
    SourceFile {
        id,
        path: Path::new("/").join(name),
        hash: file::fingerprint(bytes),
        metres_per_unit: 1.0,
        up: None,
        fps: None,
        sheet: None,
    }
}

/// Returns the project with all its takes. `files` are those of hero, flame and yard.
fn document(hero: &Model, files: Vec<SourceFile>) -> Document {
    let leap = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 5.0))), ..Settings::default() };
    let aimed = Settings { facing: Facing::Target, ..leap.clone() };
    let dash = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 4.0))), feet: true, ..Settings::default() };
    let mut document = Document {
        removed_files: Vec::new(),
        files,
        characters: vec![
            Character { file: HERO, roles: Roles::find(&hero.skeleton, &hero.clips) },
            Character { file: FLAME, roles: Roles::default() },
            Character { file: YARD, roles: Roles::default() },
        ],
        objects: vec![SceneObject::point("target dummy", DVec3::new(2.5, 0.0, 4.0))],
        takes: Vec::new(),
        folders: Vec::new(),
        sets: Vec::new(),
        next_id: 3,
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
    add_take(&mut document, "half a cast over a stand", TakeSource::Scenario(Box::new(half_a_cast())), Vec::new());
    let run = TakeSource::Clip { file: HERO, clip: "run".into() };
    let swing = StageKind::Dynamics(Box::new(hair_and_cape(hero)));
    add_take(&mut document, "run with swinging hair and cape", run, vec![swing]);
    add_loops(&mut document);
    let mut walk = Walk { level: YARD, stops: level::far_ends().to_vec(), ..Walk::default() };
    walk.settings.clips.gaits = ["walk", "run"].map(GaitClip::from).to_vec();
    add_take(&mut document, "run through the yard", TakeSource::Walk(Box::new(walk)), Vec::new());
    // Without wind, since the route turns to all sides. The drag keeps the free ends from whipping at its start.
    let mut swing = hair_and_cape(hero);
    swing.settings.wind = Wind::default();
    swing.settings.chains.iter_mut().for_each(|chain| (chain.center, chain.drag.value) = (None, 0.7));
    add_take(&mut document, "patrol", patrol::source(YARD), patrol::stages(swing));
    document
}

/// Adds the looped takes of the flag and the flame.
fn add_loops(document: &mut Document) {
    // A light flag in a strong, steady wind waves evenly enough for a loop.
    let wind = cloth::Settings { wind: [10.0, 0.0, 1.0], gusts: 0.15, weight: 0.1, ..cloth::Settings::default() };
    let flag = cloth::Settings { columns: 24, rows: 16, frames: 180, ..wind };
    let stages = vec![flag_loop(&flag)];
    add_take(document, "flag in the wind", TakeSource::Cloth(Box::new(flag)), stages);
    // The fade rises with the flame.
    let fade = looping::Fade { timing: flame::heights().into(), softness: 0.4, reach: 0.8, ..looping::Fade::default() };
    let settings = looping::Settings { length: 23, linear_light: true, fade, ..looping::Settings::default() };
    add_take(
        document,
        "flame",
        TakeSource::Images { file: FLAME, fps: None, sheet: None, tag: None },
        vec![loop_stage(settings)],
    );
}

/// Loops 2.25 s. The fade is early at the pole and late at the free end, as the wind runs over the flag.
fn flag_loop(flag: &cloth::Settings) -> StageKind {
    let across = |i: usize| (i % (flag.columns + 1)) as f32 / flag.columns as f32;
    let timing: Vec<f32> = (0..(flag.columns + 1) * (flag.rows + 1)).map(across).collect();
    let fade = looping::Fade { timing: timing.into(), softness: 0.7, ..looping::Fade::default() };
    loop_stage(looping::Settings { start: 6, length: 68, fade, ..looping::Settings::default() })
}

fn loop_stage(settings: looping::Settings) -> StageKind {
    StageKind::Loop(Box::new(Loop { settings }))
}

/// Returns a blend that runs, casts while running, stops, ends the cast and runs again.
fn run_cast_stop_end() -> Blend {
    // The event is at the step back of the cast: from its lunge both feet would be dragged into the stand.
    let events = [(0.0, Action::Run), (0.8, Action::Cast), (1.2, Action::Stop), (3.0, Action::End), (3.6, Action::Run)];
    let scenario = Scenario {
        run: "run".into(),
        stand: "idle".into(),
        skill: "cast".into(),
        events: events.map(|(time, action)| Event { time, action, ..Event::default() }).to_vec(),
        ..Scenario::default()
    };
    Blend { settings: blend::Settings::Scenario(scenario), ..Blend::default() }
}

/// A blend graph: 75 % of the cast on the upper body, fading in along the spine, with additive breathing.
fn half_a_cast() -> Blend {
    let source = |name: &str, clip: &str, speed| Node {
        name: name.into(),
        kind: NodeKind::Source(Source { clip: clip.into(), speed, ..Source::default() }),
    };
    let upper_body = MaskChoice { falloff: 2, ..MaskChoice::from_region(Region::UpperBody) };
    let cast = Link { child: 1, weight: 3.0, mask: upper_body, ..Link::default() };
    let breath = Additive {
        base: 2,
        delta: 3,
        reference: Reference::FirstFrame,
        weight: 0.5,
        in_states: Vec::new(),
        mask: MaskChoice::default(),
        muted: false,
    };
    let nodes = vec![
        source("Stand", "idle", 1.0),
        source("Cast", "cast", 1.0),
        Node { name: "Cast above".into(), kind: NodeKind::Blend(vec![Link::default(), cast]) },
        source("Breath", "idle", 1.6),
        Node { name: "Breathe".into(), kind: NodeKind::Additive(breath) },
    ];
    Blend { settings: blend::Settings::Tree(Tree { nodes, root: 4, ..Tree::default() }), ..Blend::default() }
}

/// Hair and cape move relative to the run, so that the wind blows them back and not the speed of the character.
fn hair_and_cape(hero: &Model) -> Dynamics {
    let chain = |name: &str, preset: Preset| {
        let joint = hero.skeleton.find(name)?;
        let length_correction = LengthCorrection::EnergyKeeping;
        let mut chain = Chain { name: name.into(), joint, end_length: 0.1, length_correction, ..Chain::default() };
        preset.apply(&mut chain);
        chain.center = hero.skeleton.find("root");
        Some(chain)
    };
    let chains = [
        ("hair.1", Preset::Hair),
        ("cape.L.1", Preset::Cloth),
        ("cape.C.1", Preset::Cloth),
        ("cape.R.1", Preset::Cloth),
    ];
    let chains = chains.into_iter().filter_map(|(name, preset)| chain(name, preset)).collect();
    let wind = Wind { direction: DVec3::NEG_Z, strength: 6.0, gust: 0.3, ..Wind::default() };
    let settings = dynamics::Settings { chains, colliders: torso(hero), wind, ..dynamics::Settings::default() };
    Dynamics { settings, looping: true, ..Dynamics::default() }
}

/// Returns colliders of head, chest and hips, metres in the axes of their joints.
fn torso(hero: &Model) -> Vec<Collider> {
    let ball = |y: f64, z: f64, radius: f64| ColliderShape::Sphere { center: DVec3::new(0.0, y, z), radius };
    let chest =
        ColliderShape::Capsule { a: DVec3::new(-0.06, 0.1, 0.01), b: DVec3::new(0.06, 0.1, 0.01), radius: 0.14 };
    [("head", ball(0.14, -0.01, 0.15)), ("chest", chest), ("hips", ball(0.03, 0.02, 0.14))]
        .map(|(name, shape)| Collider { name: name.into(), joint: hero.skeleton.find(name), shape })
        .into()
}

fn add(document: &mut Document, name: &str, clip: &str, stretch: Stretch) {
    let source = TakeSource::Clip { file: HERO, clip: clip.into() };
    add_take(document, name, source, vec![StageKind::Stretch(Box::new(stretch))]);
}

/// Adds a take with stages of `kinds`. Its character is the file of images, none for cloth, else the hero.
fn add_take(document: &mut Document, name: &str, source: TakeSource, kinds: Vec<StageKind>) {
    let id = TakeId(document.fresh_id());
    let character = match source {
        TakeSource::Images { file, .. } => file,
        TakeSource::Cloth(_) => FileId(0),
        _ => HERO,
    };
    document.takes.push(Take { id, name: name.into(), character, source, stages: Stage::numbered(kinds), loops: None });
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Clip, Pose, Roles};
    use portamento_base::progress::Progress;

    #[test]
    fn the_foot_planted_during_the_cast_stays_planted_when_it_ends() {
        let hero = crate::hero();
        let clips: Vec<&Clip> = hero.clips.iter().collect();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let input = blend::Input { skeleton: &hero.skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
        let built = blend::build(&input, &run_cast_stop_end().settings, &Progress::new()).unwrap();
        let toe = hero.skeleton.find("toe.R").unwrap();
        let position = |frame: i32| {
            let mut pose = Pose::default();
            built.sample(f64::from(frame) / 60.0, &mut Default::default(), &mut pose);
            pose.world_from_joint(&hero.skeleton, toe).translation
        };
        let blend::Settings::Scenario(scenario) = run_cast_stop_end().settings else { panic!("drawn") };
        let end = scenario.events.iter().position(|event| event.action == Action::End).unwrap();
        let [from, until] = [end, end + 1].map(|i| (scenario.events[i].time * 60.0) as i32);
        let stood = position(from);
        for frame in from..until - 1 {
            let (now, next) = (position(frame), position(frame + 1));
            assert!((next - now).with_y(0.0).length() * 60.0 < 0.02, "{frame}: {now} {next}");
            assert!((now.y - stood.y).abs() < 3e-3, "{frame}: {now} {stood}");
        }
    }
}
