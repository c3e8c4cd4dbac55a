//! Tests of influence and keyed settings.

use super::*;
use crate::document::keyed::INFLUENCE;
use crate::document::stage::{Ground, Layer};
use crate::document::{KeyedSetting, StageId};
use portamento_anim::Pose;
use portamento_anim::math::key_curve::{Key, KeyCurve, KeyEasing};
use portamento_anim::math::mean::slerp;
use portamento_blend::{Action, Event, LayerSettings};
use portamento_repair::cleanup;
use portamento_stretch::{mirror, retime, root, trim};

/// Returns one stage of each kind that does not change time.
fn kinds() -> Vec<StageKind> {
    let event = |action| Event { action, ..Event::default() };
    let events = vec![event(Action::Stand), event(Action::Cast)];
    let settings = LayerSettings { skill: "sway".into(), events, ..LayerSettings::default() };
    let travel = root::Settings { travel: root::RootTravel::ALL[1], ..root::Settings::default() };
    vec![
        StageKind::Layer(Box::new(Layer { settings, ..Layer::default() })),
        to(DVec3::Z * 5.0),
        swinging(false),
        StageKind::Ground(Box::<Ground>::default()),
        StageKind::Mirror(Box::<mirror::Settings>::default()),
        StageKind::Root(Box::new(travel)),
        StageKind::Cleanup(Box::<cleanup::Settings>::default()),
    ]
}

fn keyed(setting: &str, keys: &[(f64, f64)]) -> KeyedSetting {
    let key = |&(time, value): &(f64, f64)| Key { time, value, easing: KeyEasing::Linear };
    KeyedSetting { setting: setting.into(), keys: KeyCurve::from(keys.iter().map(key).collect::<Vec<_>>()) }
}

fn stage(kind: StageKind, keys: &[KeyedSetting]) -> Stage {
    Stage { keys: keys.to_vec(), ..Stage::new(StageId(1), kind) }
}

fn over_go(stage: Stage) -> Take {
    Take { stages: vec![stage], ..take(clip(HERO, "go"), Vec::new()) }
}

#[test]
fn influence_1_is_the_full_effect_and_influence_0_the_input() {
    let mut workshop = Workshop::new();
    let source = workshop.build(&take(clip(HERO, "go"), Vec::new())).unwrap();
    let mut changing = 0;
    for kind in kinds() {
        let name = kind.name();
        let full = workshop.build(&over_go(stage(kind.clone(), &[]))).unwrap();
        changing += usize::from(full.clip != source.clip);
        let ones = stage(kind.clone(), &[keyed(INFLUENCE, &[(0.0, 1.0), (0.2, 1.0)])]);
        let ones = Stage { influence: 0.0, ..ones };
        let same = workshop.build(&over_go(ones)).unwrap();
        assert_eq!((&same.clip, same.root), (&full.clip, full.root), "{name}");
        let zeros = stage(kind.clone(), &[keyed(INFLUENCE, &[(0.1, 0.0), (0.2, 0.0)])]);
        for none in [zeros, Stage { influence: 0.0, ..stage(kind, &[]) }] {
            let none = workshop.build(&over_go(none)).unwrap();
            assert_eq!((&none.clip, none.root), (&source.clip, source.root), "{name}");
        }
    }
    assert!(changing >= 4, "{changing}");
}

#[test]
fn joints_are_blended_by_the_keyed_influence_and_unchanged_before_it() {
    let mut workshop = Workshop::new();
    let frame = |frame: u8| f64::from((f64::from(frame) / 30.0) as f32);
    for kind in [to(DVec3::Z * 5.0), swinging(false)] {
        let full = workshop.build(&over_go(stage(kind.clone(), &[]))).unwrap();
        let rising = [keyed(INFLUENCE, &[(frame(4), 0.0), (frame(8), 1.0)])];
        let part = workshop.build(&over_go(stage(kind, &rising))).unwrap();
        for at in 0..=10 {
            let time = frame(at);
            let [from, all, is] = [&part.source, &full.clip, &part.clip].map(|clip| clip.pose_at(&hero(), time));
            let share = ((time - frame(4)) / (frame(8) - frame(4))).clamp(0.0, 1.0) as f32;
            for ((from, all), is) in from.locals.iter().zip(&all.locals).zip(&is.locals) {
                let position = from.translation.lerp(all.translation, share);
                let turn = slerp(from.rotation, all.rotation, share);
                assert!(is.translation.distance(position) < 1e-6, "frame {at}: {is:?}");
                assert!(is.rotation.angle_between(turn) < 1e-3, "frame {at}: {is:?}");
            }
            // Both signs of a quaternion are the same rotation.
            let turned = |mut pose: Pose| {
                pose.locals
                    .iter_mut()
                    .filter(|local| local.rotation.w < 0.0)
                    .for_each(|local| local.rotation = -local.rotation);
                pose
            };
            let [from, all, is] = [from, all, is].map(turned);
            match at {
                0..=4 => assert_eq!(is, from),
                8.. => assert_eq!(is, all),
                _ => assert!(is != from && is != all),
            }
        }
    }
}

#[test]
fn keys_override_the_number_and_use_the_time_of_the_input() {
    let mut workshop = Workshop::new();
    let wind = keyed("settings/wind/strength", &[(0.0, 0.0), (1.0, 20.0)]);
    let with_plain = |strength: f64| {
        let mut kind = swinging(false);
        kind.as_dynamics_mut().unwrap().settings.wind.strength = strength;
        stage(kind, std::slice::from_ref(&wind))
    };
    let take_of = |stages: Vec<Stage>| Take { stages, ..take(clip(HERO, "sway"), Vec::new()) };
    let built = workshop.build(&take_of(vec![with_plain(0.0)])).unwrap();
    let again = workshop.build(&take_of(vec![with_plain(9.0)])).unwrap();
    assert!(Arc::ptr_eq(&built, &again), "found and not built again");
    let calm = workshop.build(&take_of(vec![stage(swinging(false), &[])])).unwrap();
    assert!(calm.clip != built.clip);
    // Trimmed afterwards, the wind rises as before; trimmed before, it rises from the cut.
    let cut = Stage::new(StageId(2), StageKind::Trim(Box::new(trim::Settings { from: 0.5, to: None })));
    let after = workshop.build(&take_of(vec![with_plain(0.0), cut.clone()])).unwrap();
    let hair = |built: &BuiltTake, time: f64| built.clip.pose_at(&hero(), time).locals[8].rotation;
    assert!(hair(&after, 0.3).angle_between(hair(&built, 0.8)) < 1e-4);
    let cut = Stage { id: StageId(1), ..cut };
    let before = workshop.build(&take_of(vec![cut, Stage { id: StageId(2), ..with_plain(0.0) }])).unwrap();
    assert!(hair(&before, 0.3).angle_between(hair(&built, 0.8)) > 0.01);
}

#[test]
fn a_setting_of_the_full_motion_is_refused_by_name() {
    let mut workshop = Workshop::new();
    let mut refused =
        |kind: StageKind, setting: &str| workshop.refusal(&over_go(stage(kind, &[keyed(setting, &[(0.0, 0.5)])])));
    let refusal = refused(swinging(false), "settings/wind/seed");
    assert!(refusal.contains("settings/wind/seed") && refusal.contains("dynamics"), "{refusal}");
    let slow = || StageKind::Retime(Box::<retime::Settings>::default());
    assert!(refused(slow(), INFLUENCE).contains("influence"));
    assert!(refused(to(DVec3::Z), "settings/dead_zone").contains("dead_zone"));
    let half = Stage { influence: 0.5, ..stage(slow(), &[]) };
    assert!(workshop.refusal(&over_go(half)).contains("influence"));
    let none = KeyedSetting { setting: "nothing".into(), keys: KeyCurve::default() };
    assert!(workshop.build(&over_go(stage(to(DVec3::Z), &[none]))).is_ok(), "without keys there is nothing to refuse");
}

#[test]
fn keys_of_a_muted_chain_have_no_effect_and_other_keys_keep_their_chain() {
    let mut workshop = Workshop::new();
    let mut kind = swinging(false);
    let chains = &mut kind.as_dynamics_mut().unwrap().settings.chains;
    let muted = Chain { joint: 7, muted: true, ..chains[0].clone() };
    let alone = [keyed("settings/chains/0/stiffness/value", &[(0.0, 0.0), (0.3, 90.0)])];
    let wanted = workshop.build(&over_go(stage(kind.clone(), &alone))).unwrap();
    kind.as_dynamics_mut().unwrap().settings.chains.insert(0, muted);
    let second = keyed("settings/chains/1/stiffness/value", &[(0.0, 0.0), (0.3, 90.0)]);
    let first = keyed("settings/chains/0/stiffness/value", &[(0.0, 5.0)]);
    let built = workshop.build(&over_go(stage(kind, &[first, second]))).unwrap();
    assert_eq!(built.clip, wanted.clip);
}
