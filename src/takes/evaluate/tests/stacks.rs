//! Tests of takes used as clips, and of layers.

use super::*;
use crate::document::clip_ref::take_ref;
use crate::document::stage::Layer;
use crate::document::take::Blend;
use portamento_anim::{MaskChoice, Region};
use portamento_blend as blend;
use portamento_blend::{
    Action, BlendSpace, Drive, Event, LayerMode, LayerSettings, NodeKind, Scenario, SpaceSample, SpeedDrive, Tree,
};

/// Adds a take with its own id and name to the document.
fn keep(workshop: &mut Workshop, id: u32, name: &str, take: Take) -> TakeId {
    let id = TakeId(id);
    workshop.document.takes.retain(|known| known.id != id);
    workshop.document.takes.push(Take { id, name: name.into(), ..take });
    id
}

/// Returns the source that uses take `used` as a clip.
fn take_clip(used: TakeId) -> TakeSource {
    clip(HERO, &take_ref(used))
}

fn layer(settings: LayerSettings) -> StageKind {
    StageKind::Layer(Box::new(Layer { settings, ..Layer::default() }))
}

/// Returns `sway`, which rotates the hips, layered over a motion; the upper body is the hair.
fn sway_over(events: &[(f64, Action)]) -> LayerSettings {
    let event = |&(time, action): &(f64, Action)| Event { time, action, trans_time: 0.1, ..Event::default() };
    let upper = MaskChoice { from: Some("hair".into()), ..MaskChoice::from_region(Region::UpperBody) };
    LayerSettings { skill: "sway".into(), upper, events: events.iter().map(event).collect(), ..Default::default() }
}

#[test]
fn a_take_is_the_source_of_another_and_both_share_the_results() {
    let mut workshop = Workshop::new();
    let leap = keep(&mut workshop, 1, "leap", take(clip(HERO, "go"), vec![to(DVec3::Z * 4.0)]));
    let asked = take(take_clip(leap), vec![to(DVec3::Z * 6.0)]);
    let built = workshop.build(&asked).unwrap();
    let used = workshop.build(&workshop.document.takes[0].clone()).unwrap();
    assert_eq!(built.source.tracks, used.clip.tracks);
    assert_eq!((built.fps, built.root, built.clip_name.as_str()), (used.fps, used.root, "leap"));
    // Equal to one take with both stages.
    let at_once = workshop.build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 4.0), to(DVec3::Z * 6.0)])).unwrap();
    assert_eq!(built.clip.tracks, at_once.clip.tracks);
    assert!(Arc::ptr_eq(&built, &workshop.build(&asked).unwrap()));
    // A change to the used take affects its user; an unrelated change does not.
    keep(&mut workshop, 1, "leap", take(clip(HERO, "go"), vec![to(DVec3::Z * 5.0)]));
    assert_ne!(workshop.build(&asked).unwrap().source.tracks, built.source.tracks);
    keep(&mut workshop, 1, "leap", take(clip(HERO, "go"), vec![to(DVec3::Z * 4.0)]));
    keep(&mut workshop, 2, "other", take(clip(HERO, "sway"), vec![]));
    assert!(Arc::ptr_eq(&built, &workshop.build(&asked).unwrap()));
}

#[test]
fn takes_of_takes_are_built_three_deep_and_each_once() {
    let mut workshop = Workshop::new();
    let first = keep(&mut workshop, 1, "first", take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0)]));
    let second = keep(&mut workshop, 2, "second", take(take_clip(first), vec![to(DVec3::Z * 4.0)]));
    let third = keep(&mut workshop, 3, "third", take(take_clip(second), vec![to(DVec3::Z * 5.0)]));
    let built = workshop.build(&take(take_clip(third), vec![])).unwrap();
    assert_eq!(built.clip.tracks[0].translation.as_ref().unwrap().values.last(), Some(&(Vec3::Z * 5.0)));
    let used = workshop.document.takes.clone();
    let find = |workshop: &mut Workshop, take: &Take| {
        workshop.cache.find(&workshop.document, &workshop.library, take).unwrap()
    };
    for used in used {
        // Only the name is new; all parts are cached.
        assert!(!matches!(find(&mut workshop, &used), Lookup::Missing(work) if work.is_slow()), "{}", used.name);
    }
}

#[test]
fn cycles_of_takes_are_refused_by_their_names() {
    let mut workshop = Workshop::new();
    let [a, b] = [1, 2].map(TakeId);
    keep(&mut workshop, 1, "a", take(take_clip(b), vec![]));
    keep(&mut workshop, 2, "b", take(take_clip(a), vec![]));
    let cycle = workshop.document.takes[0].clone();
    assert_eq!(workshop.build(&cycle).unwrap_err(), TakeError::Cycle(["a", "b", "a"].map(String::from).into()));
    assert!(!workshop.document.may_use(a, b) && workshop.document.may_use(TakeId(9), b));
    let gone = take(take_clip(TakeId(77)), vec![]);
    assert_eq!(workshop.build(&gone).unwrap_err(), TakeError::NoTake("result".into()));
    for id in 10..60 {
        keep(
            &mut workshop,
            id,
            "deep",
            take(if id == 10 { clip(HERO, "go") } else { take_clip(TakeId(id - 1)) }, vec![]),
        );
    }
    assert_eq!(workshop.build(&take(take_clip(TakeId(59)), vec![])).unwrap_err(), TakeError::TooDeep("deep".into()));
    assert!(workshop.build(&take(take_clip(TakeId(30)), vec![])).is_ok());
}

#[test]
fn many_takes_that_each_use_two_others_take_linear_time() {
    let mut workshop = Workshop::new();
    let two = |a: u32, b: u32| {
        let [run, stand] = [a, b].map(|id| take_ref(TakeId(id)));
        let event = Event { action: Action::Run, ..Event::default() };
        let scenario = Scenario { run, stand, skill: "go".into(), events: vec![event], ..Scenario::default() };
        TakeSource::Scenario(Box::new(Blend { settings: blend::Settings::Scenario(scenario), ..Blend::default() }))
    };
    keep(&mut workshop, 1, "1", take(clip(HERO, "go"), vec![]));
    keep(&mut workshop, 2, "2", take(clip(HERO, "sway"), vec![]));
    for id in 3..26 {
        keep(&mut workshop, id, &id.to_string(), take(two(id - 1, id - 2), vec![]));
    }
    // Without sharing, this would take 2^24 queries.
    let top = workshop.document.takes.last().unwrap().clone();
    for _ in 0..3 {
        assert!(workshop.build(&top).is_ok());
    }
}

#[test]
fn a_take_and_a_clip_of_one_name_are_distinct() {
    let mut workshop = Workshop::new();
    let twin = keep(&mut workshop, 1, "go", take(clip(HERO, "sway"), vec![]));
    let event = |time, action| Event { time, action, ..Event::default() };
    let scenario = Scenario {
        run: "go".into(),
        stand: take_ref(twin),
        events: vec![event(0.0, Action::Run), event(0.1, Action::Stand)],
        ..Scenario::default()
    };
    let source = Blend { settings: blend::Settings::Scenario(scenario), ..Blend::default() };
    let built = workshop.build(&take(TakeSource::Scenario(Box::new(source)), vec![])).unwrap();
    assert_eq!(built.clip_name, "go, go (take)");
    let hips = |time: f64| built.clip.pose_at(&hero(), time).locals[1].rotation;
    assert!(hips(0.0) == Quat::IDENTITY && hips(0.7).z.abs() > 0.01, "the stand sways");
}

#[test]
fn images_cannot_be_used_as_a_joint_clip() {
    let mut workshop = Workshop::new();
    let source = TakeSource::Images { file: IMAGES, fps: None, sheet: None, tag: None };
    let fire = keep(&mut workshop, 1, "fire", Take { character: IMAGES, ..take(source, vec![]) });
    let refused = workshop.refusal(&take(take_clip(fire), vec![]));
    assert!(refused.contains("“fire” contains images"), "{refused}");
}

#[test]
fn a_layer_covers_the_full_body_while_standing_and_leaves_the_rest_bit_identical() {
    let mut workshop = Workshop::new();
    // `go` runs at 7.5 m/s but stops from 0.067 to 0.133 s: with this smoothing of the speed it always counts as running.
    let ran = workshop.build(&take(clip(HERO, "go"), vec![])).unwrap();
    let over = |settings| take(clip(HERO, "go"), vec![layer(settings)]);
    let running = workshop.build(&over(sway_over(&[(0.1, Action::Cast)]))).unwrap();
    // The hips belong to the lower body, which keeps running.
    assert_eq!(running.clip.tracks, ran.clip.tracks);
    let mut events = sway_over(&[(0.0, Action::Stand), (0.1, Action::Cast)]);
    let standing = workshop.build(&over(events.clone())).unwrap();
    let hips = |built: &BuiltTake, time: f64| built.clip.pose_at(&hero(), time).locals[1].rotation;
    assert!(hips(&standing, 0.3).z.abs() > 0.03 && hips(&standing, 0.05) == hips(&ran, 0.05));
    // The root is always that of the motion.
    assert_eq!(standing.clip.tracks[0], ran.clip.tracks[0]);
    let report = standing.report();
    assert_eq!(report["layer"]["joints"], serde_json::json!(["hips"]));
    events.mode = LayerMode::Additive;
    let added = workshop.build(&over(events.clone())).unwrap();
    assert!(hips(&added, 0.3).angle_between(hips(&standing, 0.3)) < 1e-3, "the motion has nothing to add to");
    events.mode = LayerMode::MeshSpace;
    let turned = workshop.build(&over(events)).unwrap();
    assert!(hips(&turned, 0.3).angle_between(hips(&standing, 0.3)) < 1e-3, "nothing above the hips turns");
}

#[test]
fn a_layer_can_play_a_take() {
    let mut workshop = Workshop::new();
    let skill = keep(&mut workshop, 1, "cast", take(clip(HERO, "sway"), vec![]));
    let mut settings = sway_over(&[(0.0, Action::Stand), (0.1, Action::Cast)]);
    let by_name = workshop.build(&take(clip(HERO, "go"), vec![layer(settings.clone())])).unwrap();
    settings.skill = take_ref(skill);
    let by_take = workshop.build(&take(clip(HERO, "go"), vec![layer(settings)])).unwrap();
    assert_eq!(by_take.clip.tracks, by_name.clip.tracks);
}

#[test]
fn a_stage_that_breaks_an_earlier_result_reports_the_amount() {
    let mut workshop = Workshop::new();
    let mut warnings_of = |source: TakeSource, kinds: Vec<StageKind>| {
        let built = workshop.build(&take(source, kinds)).unwrap();
        built.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let missed = warnings_of(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), looped(0, 4)]);
    assert!(missed.iter().any(|warning| warning.contains("from the target of the preceding stretch")), "{missed:?}");
    let unbroken = warnings_of(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), swinging(false)]);
    assert!(unbroken.iter().all(|warning| !warning.contains("After this stage")), "{unbroken:?}");
    let opened = warnings_of(
        clip(HERO, "sway"),
        vec![looped(0, 5), layer(sway_over(&[(0.0, Action::Stand), (0.05, Action::Cast)]))],
    );
    assert!(opened.iter().any(|warning| warning.contains("the loop no longer closes: “hips”")), "{opened:?}");
}

#[test]
fn the_overlay_shows_a_stretch_between_its_input_and_output() {
    let mut workshop = Workshop::new();
    let built = workshop.build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), to(DVec3::Z * 5.0)])).unwrap();
    let ends = |at| built.overlay(at).ghosts.iter().map(|ghost| ghost.world[0].translation.z).collect::<Vec<_>>();
    assert_eq!((ends(Some(0)), ends(Some(1))), (vec![2.0, 3.0], vec![3.0, 5.0]));
}

#[test]
fn the_speed_of_an_unrelated_take_drives_a_blend_space() {
    let mut workshop = Workshop::new();
    // Two metres in a third of a second, stretched to three: nine metres per second, with a stop in between.
    let leap = keep(&mut workshop, 1, "leap", take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0)]));
    let sample = |clip: &str, x| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let drive = Drive::Speed(SpeedDrive { clip: take_ref(leap), smoothing: 0.0 });
    let samples = vec![sample("sway", 0.0), sample("go", 20.0)];
    let space = BlendSpace { samples, drive, ..BlendSpace::default() };
    let mut tree = Tree::default();
    tree.root = tree.add("Gaits", NodeKind::Space(Box::new(space)));
    let blend = |tree: &Tree| {
        let settings = blend::Settings::Tree(tree.clone());
        take(TakeSource::Scenario(Box::new(Blend { settings, ..Blend::default() })), vec![])
    };
    let built = workshop.build(&blend(&tree)).unwrap();
    let blended = built.blended.as_ref().unwrap();
    assert!(blended.faults.is_empty(), "{:?}", blended.faults);
    let speed = |time: f64| blended.built.parameter(0, time).unwrap()[0];
    // Still in the third and fourth frame, else 0.25 m per frame times 1.5.
    let expected = 1.5 * 0.25 * 30.0;
    assert!(speed(3.5 / 30.0) < 1e-6 && (speed(0.5 / 30.0) - expected).abs() < 1e-3, "{}", speed(0.5 / 30.0));
    // A change to the take affects the blend, and the blend cannot drive itself.
    keep(&mut workshop, 1, "leap", take(clip(HERO, "go"), vec![to(DVec3::Z * 6.0)]));
    let again = workshop.build(&blend(&tree)).unwrap();
    assert!((again.blended.as_ref().unwrap().built.parameter(0, 0.5 / 30.0).unwrap()[0] - 2.0 * expected).abs() < 1e-3);
    let user = blend(&tree);
    assert_eq!(user.used_takes(), [leap]);
    keep(&mut workshop, 1, "leap", user.clone());
    assert!(workshop.refusal(&user).contains("leap"));
    let NodeKind::Space(space) = &mut tree.nodes[0].kind else { panic!("a blend space") };
    space.drive = Drive::Speed(SpeedDrive { clip: "nowhere".into(), ..SpeedDrive::default() });
    let faults = workshop.build(&blend(&tree)).unwrap().blended.as_ref().unwrap().faults.clone();
    assert!(faults.len() == 1 && faults[0].to_string().contains("nowhere"), "{faults:?}");
}

#[test]
fn keys_of_dynamics_never_change_sign() {
    let mut workshop = Workshop::new();
    let times: Vec<f32> = (0..=60).map(|frame| frame as f32 / 30.0).collect();
    // The body rotates several times while its hair hangs down.
    let turns: Vec<Quat> = times.iter().map(|time| Quat::from_rotation_x(6.0 * time)).collect();
    let mut spin = Clip { duration: 2.0, ..still("spin") };
    spin.tracks[1].rotation = Some(Curve::linear(times, turns));
    workshop.library.insert(HERO, Asset::new(Loaded { model: model("hero", hero(), vec![spin]), ..Loaded::default() }));
    let built = workshop.build(&take(clip(HERO, "spin"), vec![swinging(false)])).unwrap();
    let keys = &built.clip.tracks[8].rotation.as_ref().unwrap().values;
    assert!(keys.iter().any(|key| key.dot(keys[0]) < 0.0), "the hair goes cycle");
    assert!(keys.windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0), "{keys:?}");
}
