use super::*;
use crate::document::stage::{Dynamics, Stretch};
use crate::document::take::{Blend, Vertices};
use crate::document::walk::Pin;
use portamento_blend as blend;
use portamento_dynamics::Chain;
use portamento_dynamics::cloth;
use portamento_stretch::Window;

const HERO: FileId = FileId(1);
const LEVEL: FileId = FileId(2);

/// Returns a document with two files (the first in centimetres), one point and one stretched take of the hero.
fn document() -> Document {
    let file = |id, metres_per_unit| SourceFile {
        id,
        path: "a.glb".into(),
        hash: String::new(),
        metres_per_unit,
        up: None,
        fps: None,
        sheet: None,
    };
    let stretch = Stretch::default();
    let take = Take {
        id: TakeId(3),
        name: "dash".into(),
        character: HERO,
        source: TakeSource::Clip { file: HERO, clip: "dash".into() },
        stages: Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]),
        loops: None,
    };
    Document {
        removed_files: Vec::new(),
        files: vec![file(HERO, 0.01), file(LEVEL, 1.0)],
        objects: vec![SceneObject::point("mark", DVec3::X)],
        takes: vec![take],
        next_id: 3,
        ..Document::default()
    }
}

fn stretch(document: &mut Document) -> &mut Stretch {
    document.takes[0].stretch_mut(None).unwrap()
}

#[test]
fn dragging_moves_the_target_of_the_window_else_of_the_object_else_of_the_clip() {
    let point = DVec3::new(100.0, 0.0, 300.0);
    let mut plain = document();
    plain.move_target(TakeId(3), None, 0, point);
    assert_eq!(stretch(&mut plain).settings.target, Some(Target::World(point)));

    let mut aimed = document();
    stretch(&mut aimed).aim_at = Some("mark".into());
    aimed.move_target(TakeId(3), None, 0, point);
    assert_eq!(aimed.objects[0].position, DVec3::new(1.0, 0.0, 3.0));
    assert_eq!(stretch(&mut aimed).settings.target, None);

    let mut windowed = aimed.clone();
    let window = |end| Window::new(end - 1.0, end, Target::World(DVec3::ZERO));
    stretch(&mut windowed).settings.windows = vec![window(3.0), window(1.0), window(2.0)];
    windowed.move_target(TakeId(3), None, 1, DVec3::Y);
    windowed.move_target(TakeId(3), None, 3, DVec3::X);
    let targets: Vec<Target> = stretch(&mut windowed).settings.windows.iter().map(|window| window.target).collect();
    assert_eq!(targets, [DVec3::ZERO, DVec3::ZERO, DVec3::Y].map(Target::World), "the second in order of time");
    assert_eq!(windowed.objects, aimed.objects);
}

#[test]
fn a_missing_target_changes_nothing() {
    let before = document();
    let mut unknown = before.clone();
    unknown.move_target(TakeId(9), None, 0, DVec3::X);
    assert_eq!(unknown, before);
    let mut gone = before.clone();
    stretch(&mut gone).aim_at = Some("nothing".into());
    let untouched = gone.clone();
    gone.move_target(TakeId(3), None, 0, DVec3::X);
    assert_eq!(gone, untouched);
}

#[test]
fn a_removed_object_leaves_its_position_in_the_unit_of_each_file() {
    let mut document = document();
    stretch(&mut document).aim_at = Some("mark".into());
    let mut other = document.takes[0].clone();
    (other.id, other.character) = (TakeId(4), LEVEL);
    document.takes.push(other);
    document.remove_object(7);
    assert_eq!(document.objects.len(), 1);
    document.remove_object(0);
    let targets: Vec<_> = document.takes.iter().map(|take| take.stretch(None).unwrap().settings.target).collect();
    assert_eq!(targets, [Some(Target::World(DVec3::X * 100.0)), Some(Target::World(DVec3::X))]);
    assert!(
        document.objects.is_empty() && document.takes.iter().all(|take| take.stretch(None).unwrap().aim_at.is_none())
    );
}

#[test]
fn a_zero_unit_counts_as_metres() {
    let mut document = document();
    document.files[0].metres_per_unit = 0.0;
    stretch(&mut document).aim_at = Some("mark".into());
    document.remove_object(0);
    assert_eq!(stretch(&mut document).settings.target, Some(Target::World(DVec3::X)));
}

#[test]
fn names_are_unique_and_an_empty_or_used_name_changes_nothing() {
    let mut document = document();
    assert_eq!(document.free_object_name("mark"), "mark 2");
    assert_eq!((document.free_take_name("dash"), document.free_take_name("leap")), ("dash 2".into(), "leap".into()));
    document.objects.push(SceneObject::point("goal", DVec3::ZERO));
    let before = document.clone();
    document.rename_object(0, "goal");
    document.rename_object(0, "");
    assert_eq!(document, before);
}

#[test]
fn ids_are_never_reused() {
    let mut document = document();
    let first = document.fresh_id();
    document.takes.clear();
    assert!(document.fresh_id() > first && first > 3);
}

#[test]
fn every_source_lists_its_files_and_the_shown_file() {
    let mesh = Some(FileId(7));
    let vertices = Vertices { file: FileId(6), clip: None, mesh, fps: None };
    let blend = Blend { files: vec![LEVEL], ..Blend::default() };
    let sheet = |shape| TakeSource::Cloth(Box::new(cloth::Settings { shape, ..cloth::Settings::default() }));
    let cases = [
        (TakeSource::Clip { file: LEVEL, clip: "run".into() }, vec![LEVEL], Some(HERO)),
        (TakeSource::Scenario(Box::new(blend)), vec![HERO, LEVEL], Some(HERO)),
        (TakeSource::Vertices(vertices), vec![FileId(6), FileId(7)], Some(FileId(6))),
        (TakeSource::Images { file: LEVEL, fps: None, sheet: None, tag: None }, vec![LEVEL], Some(LEVEL)),
        (sheet(cloth::ClothShape::Mesh), vec![HERO], Some(HERO)),
        (sheet(cloth::ClothShape::Flag), vec![], None),
        (TakeSource::Walk(Box::new(Walk { level: LEVEL, ..Walk::default() })), vec![LEVEL], Some(HERO)),
    ];
    for (source, files, shown) in cases {
        assert_eq!((source.files(HERO), source.shown_file(HERO)), (files, shown), "{source:?}");
    }
}

#[test]
fn node_positions_and_route_names_are_not_inputs() {
    let graph = Blend { layout: vec![[1.0, 2.0]], ..Blend::default() };
    assert_eq!(
        TakeSource::Scenario(Box::new(graph)).without_labels(),
        TakeSource::Scenario(Box::<Blend>::default()).without_labels()
    );
    let pinned = |name: &str, seed| {
        let pins = vec![Pin { seed: 40, name: name.into() }];
        TakeSource::Walk(Box::new(Walk { pins, seed, ..Walk::default() })).without_labels()
    };
    assert_eq!(pinned("north", 1), pinned("south", 1));
    assert_ne!(pinned("north", 1), pinned("north", 2));
}

#[test]
fn dynamics_with_only_muted_chains_are_inactive() {
    let with = |muted: &[bool]| {
        let mut dynamics = Dynamics::default();
        dynamics.settings.chains = muted.iter().map(|&muted| Chain { muted, ..Chain::default() }).collect();
        StageKind::Dynamics(Box::new(dynamics))
    };
    assert_eq!(with(&[]).active(), None);
    assert_eq!(with(&[true]).active(), None);
    assert_eq!(with(&[true, false]).active(), Some(with(&[false])));
    let looped = StageKind::Loop(Box::default());
    assert_eq!(looped.active(), Some(looped));
}

#[test]
fn a_walk_grows_from_ground_to_routes_to_steps() {
    let walk = Walk {
        level: LEVEL,
        stops: vec![DVec3::ZERO, DVec3::X],
        seed: 40,
        pins: vec![Pin { seed: 50, name: "pinned".into() }, Pin { seed: 50, name: "twice".into() }],
        ..Walk::default()
    };
    assert_eq!(walk.seeds_outside_range().collect::<Vec<_>>(), [40, 50]);
    let compared = walk.routes.first;
    let inside = Walk { seed: compared, pins: Vec::new(), ..walk.clone() };
    assert_eq!(inside.seeds_outside_range().count(), 0);
    let ground = walk.ground_part();
    assert_eq!((ground.level, ground.stops.len(), ground.pins.len()), (LEVEL, 0, 0));
    let routes = walk.routes_part();
    assert_eq!((routes.stops.len(), routes.pins.len(), routes.seed), (2, 2, Walk::default().seed));
    assert_eq!((walk.graph_part().stops.len(), walk.clips_part().level), (0, Walk::FLAT_GROUND));
    let steps = walk.steps_part();
    assert!(steps.seed == 40 && steps.pins.iter().all(|pin| pin.name.is_empty()));
}

#[test]
fn a_pinned_route_has_a_name_and_can_be_unpinned() {
    let mut walk = Walk::default();
    assert_eq!((walk.pin(7), walk.route_name(7).as_str()), (None, "route 7"));
    walk.toggle_pin(7);
    walk.pins[0].name = "over the bridge".into();
    assert_eq!(walk.route_name(7), "over the bridge");
    walk.toggle_pin(7);
    assert!(walk.pins.is_empty());
}

#[test]
fn clips_of_a_blend_are_listed_once_in_order_of_first_use() {
    let scenario = blend::Scenario {
        run: "run".into(),
        stand: "idle".into(),
        skill: "run".into(),
        events: Vec::new(),
        ..blend::Scenario::default()
    };
    let mut blend = Blend { settings: blend::Settings::Scenario(scenario), ..Blend::default() };
    assert_eq!(blend.clip_names(), ["run", "idle"]);
    assert!(blend.mask_mut(None).is_some());
    blend.settings = blend::Settings::Tree(blend::Tree::default());
    assert!(blend.clip_names().is_empty() && blend.mask_mut(None).is_none() && blend.mask_mut(Some((0, 0))).is_none());
}

#[test]
fn windows_of_older_files_are_hard() {
    let old = r#"{"start":0.5,"end":1.0,"target":{"world":[0.0,0.0,1.0]},"facing":"keep"}"#;
    let window: Window = serde_json::from_str(old).unwrap();
    assert_eq!((window.soft_edges, window.keep_speed), (0.0, false));
}
