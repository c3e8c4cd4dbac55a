//! Limits of stages: their number, their keys and their memory.

use super::*;
use crate::document::StageType;
use crate::document::stage::Layer;
use portamento_base::budget::Budget;
use portamento_blend::{Action, Event};
use serde_json::json;

fn stage(name: &str, settings: serde_json::Value) -> StageKind {
    serde_json::from_value::<Stage>(json!({ "id": 1, (name): settings })).unwrap().kind
}

#[test]
fn a_take_with_too_many_stages_or_events_is_refused_at_once() {
    let mut workshop = Workshop::new();
    let mirror = || stage("mirror", json!({}));
    let refused = workshop.refusal(&take(clip(HERO, "go"), (0..20_000).map(|_| mirror()).collect()));
    assert!(refused.contains("20000 stages; 256 are possible"), "{refused}");
    let mut layer = Layer::default();
    layer.settings.events = vec![Event { action: Action::Cast, ..Event::default() }; 100_000];
    let refused = workshop.refusal(&take(clip(HERO, "go"), vec![StageKind::Layer(Box::new(layer))]));
    assert!(refused.contains("100000 events; 10000 are possible"), "{refused}");
    let mut muted = take(clip(HERO, "go"), (0..1000).map(|_| mirror()).collect());
    muted.stages.iter_mut().skip(10).for_each(|stage| stage.on = false);
    assert!(workshop.build(&muted).is_ok());
}

#[test]
fn the_keys_of_all_stages_are_taken_from_the_budget() {
    const STAGES: usize = 40;
    let mut workshop = Workshop::new();
    let mut dense = still("dense");
    let times: Vec<f32> = (0..=10_000).map(|key| key as f32 / 10_000.0).collect();
    let values = times.iter().map(|&time| Vec3::Z * time).collect();
    dense.tracks[0].translation = Some(Curve::linear(times, values));
    let file = FileId(7);
    workshop.open(file, Loaded { model: model("dense", hero(), vec![dense]), ..Loaded::default() });
    let stages = (0..STAGES).map(|_| stage("mirror", json!({}))).collect();
    let wanted = Take { character: file, ..take(clip(file, "dense"), stages) };
    let built = workshop.build(&wanted).unwrap();
    let bytes: usize = built.stages.iter().map(|stage| stage.clip.bytes()).sum();
    let poses = memory::of_poses(built.clip.duration, built.fps, hero().len()) as usize;
    assert!(bytes > 2 * (STAGES + 1) * poses, "{bytes} bytes of keys, {poses} of the poses of a stage");
    workshop.cache = TakeCache::default();
    let short = Progress::within(Budget::with_limit(bytes as u64 - 1));
    let refused = workshop.cache.take(&workshop.document, &workshop.library, &wanted, &short);
    assert!(matches!(refused, Err(TakeError::OverBudget(_))), "{refused:?}");
    let ample = Progress::within(Budget::with_limit(1 << 30));
    workshop.cache.take(&workshop.document, &workshop.library, &wanted, &ample).unwrap();
    assert_eq!(ample.budget().left(), 1 << 30);
}

/// Returns the largest number of keys of a curve.
fn keys(clip: &Clip) -> usize {
    clip.key_times().map(<[f32]>::len).max().unwrap_or(0)
}

/// Returns the number of different key times of all curves.
fn distinct_key_times(clip: &Clip) -> usize {
    clip.key_times().flatten().map(|time| time.to_bits()).collect::<std::collections::BTreeSet<u32>>().len()
}

/// Returns a clip whose joints have keys at unlike times, every fourth as a cubic curve.
fn scattered() -> Clip {
    let mut clip = sway();
    clip.name = "scattered".into();
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        let times: Vec<f32> = (0..=7).map(|key| (key as f32 + 0.07 * joint as f32 % 0.6) / 8.0).collect();
        let turn = |key: usize| Quat::from_rotation_y(0.1 * key as f32 + 0.03 * joint as f32);
        let mut curve = Curve::linear(times, (0..=7).map(turn).collect());
        if joint % 4 == 0 {
            curve.interpolation = portamento_anim::Interpolation::CubicSpline;
            let still = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            curve.values = curve.values.iter().flat_map(|&value| [still, value, still]).collect();
        }
        tracks.rotation = Some(curve);
    }
    clip
}

/// Returns stages of every kind with settings that change the motion.
fn kinds() -> Vec<StageKind> {
    let turn = json!([{ "joint": "hips", "turn": [0, 20, 0] }]);
    let pin = json!({ "joint": "foot.l", "target": [0.1, 0.2, 0.3] });
    let kinds = vec![
        to(DVec3::Z * 4.0),
        looped(0, 4),
        swinging(false),
        stage("layer", json!({ "settings": { "skill": "sway", "events": [{ "time": 0.1, "action": "cast" }] } })),
        stage("retime", json!({ "length": 0.5 })),
        stage("trim", json!({ "from": 0.05 })),
        stage("close", json!({})),
        stage("mirror", json!({})),
        stage("ground", json!({})),
        stage("cleanup", json!({})),
        stage("root", json!({ "travel": "into_hips" })),
        stage("root", json!({ "travel": "away", "evened": 0.2 })),
        stage("offset", json!({ "offset": 0.3 })),
        stage("stride", json!({ "scale": 1.3 })),
        stage("align", json!({ "begin": "sway", "end": "sway", "seconds": 0.1 })),
        stage("additive", json!({})),
        stage("pose", json!({ "keys": [{ "time": 0.1, "joints": turn }], "goals": [pin] })),
        stage("cross", json!({ "shape": "box", "height": 0.7 })),
    ];
    let has = |wanted: &StageType| kinds.iter().any(|kind| kind.stage_type() == Some(*wanted));
    assert!(StageType::ALL.iter().all(has));
    kinds
}

/// Builds the clip `name` of `file` with `stages`. Returns its keys divided by the denser of the keys of the source and the frame
/// rate; `None` if the take is refused, such as a loop of a loop. A retimed motion keeps its keys, so the rate counts for the longer
/// of both motions.
fn key_ratio(workshop: &mut Workshop, (file, name): (FileId, &str), stages: &[StageKind]) -> Option<f64> {
    let built = workshop.build(&Take { character: file, ..take(clip(file, name), stages.to_vec()) }).ok()?;
    let is_retimed = stages.iter().any(|kind| kind.stage_type() == Some(StageType::Retime));
    let seconds = if is_retimed { built.clip.duration.max(built.source.duration) } else { built.clip.duration };
    let rate = (seconds * built.fps).ceil() as usize + 1;
    Some(keys(&built.clip) as f64 / distinct_key_times(&built.source).max(rate) as f64)
}

/// Largest number of keys of a result, relative to the denser of the keys of the source and the frame rate.
const MAX_KEY_RATIO: f64 = 4.0;

/// Applies all pairs and triples of stages, each to `sources` of three clips, and checks the number of keys.
fn multiply_keys(sources: usize) {
    let mut kinds = kinds();
    kinds.retain(|kind| kind.stage_type() != Some(StageType::Cross));
    let mut workshop = Workshop::new();
    let mut clips = workshop.library.get(HERO).unwrap().model.clips.clone();
    clips.push(scattered());
    workshop.open(HERO, Loaded { model: model("hero", hero(), clips), ..Loaded::default() });
    let (mut results, mut worst, mut built) = (0, 0.0_f64, vec![0; kinds.len()]);
    let mut denser = Vec::new();
    let count = kinds.len();
    // The last index stands for no third stage.
    let lists = (0..count * count * (count + 1)).map(|list| [list % count, list / count % count, list / count / count]);
    for (number, list) in lists.enumerate() {
        let stages: Vec<StageKind> = list.iter().filter_map(|&kind| kinds.get(kind).cloned()).collect();
        for source in (0..sources).map(|index| ["go", "sway", "scattered"][(number + index) % 3]) {
            let Some(ratio) = key_ratio(&mut workshop, (HERO, source), &stages) else { continue };
            list.iter().filter(|kind| **kind < count).for_each(|kind| built[*kind] += 1);
            (results, worst) = (results + 1, worst.max(ratio));
            let names = || stages.iter().map(StageKind::name).collect::<Vec<_>>();
            denser.extend((ratio > MAX_KEY_RATIO).then(|| format!("{source} {:?}: {ratio:.2}", names())));
        }
    }
    println!("{results} results, at most {worst:.2} times the keys, {built:?} of each kind");
    assert!(denser.is_empty(), "{denser:#?}");
    assert!(results > 500 && built.iter().all(|count| *count > 20), "{results} {built:?}");
}

#[test]
fn no_pair_or_triple_of_stages_multiplies_the_keys() {
    multiply_keys(1);
}

#[test]
fn a_crossing_does_not_multiply_the_keys_before_or_after_any_stage() {
    let mut workshop = Workshop::new();
    let vaulter = FileId(8);
    workshop.open(vaulter, Loaded { model: portamento_test_support::hero(), ..Loaded::default() });
    let crossing = stage("cross", json!({ "shape": "box", "height": 0.7 }));
    let (mut results, mut worst) = (0, 0.0_f64);
    for kind in kinds() {
        for stages in [[crossing.clone(), kind.clone()], [kind, crossing.clone()]] {
            let Some(ratio) = key_ratio(&mut workshop, (vaulter, "vault"), &stages) else { continue };
            (results, worst) = (results + 1, worst.max(ratio));
        }
    }
    println!("{results} results, at most {worst:.2} times the keys");
    assert!(results > 10 && worst <= MAX_KEY_RATIO, "{results} {worst}");
}
