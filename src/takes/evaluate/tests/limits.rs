//! Limits of stages: their number, their keys and their memory.

use super::*;
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

#[test]
fn no_pair_or_triple_of_stages_multiplies_the_keys() {
    let kinds = [
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
    ];
    assert!(kinds.iter().all(|kind| !matches!(kind, StageKind::Unknown(_))));
    let mut workshop = Workshop::new();
    let mut clips = workshop.library.get(HERO).unwrap().model.clips.clone();
    clips.push(scattered());
    workshop.open(HERO, Loaded { model: model("hero", hero(), clips), ..Loaded::default() });
    let (mut results, mut worst) = (0, 0.0_f64);
    let count = kinds.len();
    // The last index stands for no third stage.
    let lists = (0..count * count * (count + 1)).map(|list| [list % count, list / count % count, list / count / count]);
    for list in lists {
        let stages: Vec<StageKind> = list.iter().filter_map(|&kind| kinds.get(kind).cloned()).collect();
        for source in ["go", "sway", "scattered"] {
            // Some pairs are refused, such as a loop of a loop.
            let Ok(built) = workshop.build(&take(clip(HERO, source), stages.clone())) else { continue };
            let rate = (built.clip.duration * built.fps).ceil() as usize + 1;
            let most = 4 * distinct_key_times(&built.source).max(rate);
            let names: Vec<&str> = stages.iter().map(StageKind::name).collect();
            assert!(keys(&built.clip) <= most, "{source} {names:?}: {} keys, {most} allowed", keys(&built.clip));
            worst = worst.max(keys(&built.clip) as f64 / most as f64 * 4.0);
            results += 1;
        }
    }
    println!("{results} results, at most {worst:.2} times the keys");
    assert!(results > 500, "{results}");
}
