//! Sidecars and settings whose values lie: they are read or refused at once, and what is built from them stays within
//! its memory and stops when it is cancelled.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::*;
use crate::batch::job::{Job, read_parts};
use crate::batch::parts::{Chunks, Parts};
use crate::batch::report::BatchReport;
use crate::clip_library::Tags;
use crate::dynamics::presets::ChainPreset;
use crate::recipe::{Fills, Recipe};
use crate::variants::Index;
use portamento_anim::math::random::{SplitMix64, spread};
use portamento_takes::document::clip_ref::FileClip;
use portamento_test_support::{damaged_json, damaged_toml, mutants, random_below};

/// Longest time in which a damaged sidecar is read or refused.
const READING_TIME: Duration = Duration::from_secs(5);

/// A kind of sidecar: its file, and a function that reads it and returns true if it is accepted.
struct Kind<'r> {
    file: PathBuf,
    read: &'r dyn Fn(&Path) -> bool,
}

#[test]
fn sidecars_with_damaged_structure_are_read_or_refused_at_once() {
    let (folder, mut session) = samples();
    let (job, out) = (folder.path().join("job"), folder.path().join("out"));
    let takes: Vec<TakeId> = session.document.takes.iter().take(2).map(|take| take.id).collect();
    let request = ExportRequest { takes, destination: out.clone(), ..Default::default() };
    session.bake_each(&request, |_| ()).unwrap();
    let index = Index::between(session.document.takes.iter().take(3));
    let wanted = Job { request, folder: job.clone(), chunks: Chunks::Count(1), index };
    session.plan_job(&wanted).unwrap().files.commit(Replace::Refuse).unwrap();
    let at = |name: &str| folder.path().join(name);
    let with_walk = session.document.takes.last().unwrap().id;
    std::fs::write(at("r.json"), session.opened().recipe_of(with_walk).unwrap().to_json()).unwrap();
    std::fs::write(at("p.bonepreset"), serde_json::to_vec(&ChainPreset::default()).unwrap()).unwrap();
    std::fs::write(at("tags.json"), r#"{"/a/b.glb":{"walk":["slow","left"],"run":["fast"]},"/a/c.glb":{}}"#).unwrap();
    let inputs = job.join("inputs");
    let report = |_: &Path| BatchReport::read(&inputs, &out).is_ok();
    let receipt = std::fs::read_dir(out.join(".portamento")).unwrap().next().unwrap().unwrap().path();
    let read_tags =
        |path: &Path| std::hint::black_box(Tags::in_folder(path.parent().unwrap())).of_file(path).is_empty();
    let kinds = [
        Kind { file: inputs.join("parts.json"), read: &report },
        Kind { file: inputs.join("project.portamento"), read: &report },
        Kind { file: inputs.join("variants.json"), read: &report },
        Kind { file: receipt, read: &report },
        Kind { file: at("r.json"), read: &|path| Recipe::read(path).is_ok() },
        Kind { file: at("p.bonepreset"), read: &|path| ChainPreset::read(path).is_ok() },
        Kind { file: at("tags.json"), read: &read_tags },
    ];
    let count = mutants(60 * kinds.len() as u64) / kinds.len() as u64;
    for Kind { file, read } in kinds {
        let seed = std::fs::read(&file).unwrap();
        assert!(read(&file), "{}", file.display());
        let mut accepted = 0;
        for number in 0..count {
            std::fs::write(&file, damaged_json(&seed, &mut SplitMix64::new(spread(number)))).unwrap();
            let begun = Instant::now();
            accepted += u64::from(read(&file));
            assert!(begun.elapsed() < READING_TIME, "{} {number}: {:?}", file.display(), begun.elapsed());
        }
        println!("{}: {accepted} of {count} accepted", file.display());
        std::fs::write(&file, seed).unwrap();
    }
}

/// The tables of a contract, as JSON.
fn contract() -> Value {
    serde_json::json!({
        "rig": { "required_bones": ["head"], "profile": "mixamo" },
        "checks": { "loop-closure": { "max_position_delta_m": 0.02 } },
        "clips": {
            "walk*": {
                "loop": true, "duration_s": { "value": 1.0, "tolerance": 0.001 }, "fps": 30.0, "in_place": true,
                "speed_mps": { "value": 1.5, "tolerance": 0.1 }, "movement_owner_yaw": "animation", "max_pops": 1,
                "begins_as": "run", "ends_as": "*", "max_slide_mps": 0.05, "animates_bones": ["head"], "max_keys": 100,
            },
            "hero.glb:run": { "loop": true },
        },
        "sets": {
            "walk": { "kind": "ring", "clips": ["walk*", "run"], "max_phase_spread": 0.1, "min_lr_amplitude_m": 0.02 },
            "cast": { "kind": "strikes", "stance": "idle", "clips": ["cast*"], "each": { "max_slide_mps": 0.05 } },
            "meet": { "kind": "chain", "clips": ["*"], "max_duration_delta_s": 0.1, "max_frame_count_delta": 3 },
        },
        "gait_groups": { "ring": { "clips": ["walk", "run"], "max_gait_phase_spread": 0.15 } },
        "sync_groups": { "ring": { "clips": ["walk", "run"], "max_fps_delta": 0.0 } },
    })
}

#[test]
fn contracts_with_damaged_structure_are_checked_or_refused_at_once() {
    let members = crate::delivery::Delivery::measure(&[portamento_test_support::asset("hero.glb")], &Progress::new())
        .unwrap()
        .members;
    let seed = serde_json::to_vec(&contract()).unwrap();
    let (count, mut accepted) = (mutants(400), 0);
    for number in 0..count {
        let text = String::from_utf8_lossy(&damaged_toml(&seed, &mut SplitMix64::new(spread(number)))).into_owned();
        let begun = Instant::now();
        let read = portamento_sets::ContractFile::read(&text);
        let report =
            read.as_ref().map(|file| portamento_sets::check(&file.contract, &members, &Budget::with_limit(MEMORY)));
        accepted += u64::from(report.is_ok());
        assert!(begun.elapsed() < READING_TIME, "{number}: {:?}", begun.elapsed());
        assert!(read.is_ok() || !read.unwrap_err().to_string().is_empty(), "{number}");
    }
    println!("{accepted} of {count} accepted");
    assert!(accepted > 0 && accepted < count, "{accepted} of {count}");
}

#[test]
fn items_that_a_sidecar_repeats_are_read_once() {
    let (folder, mut session) = samples();
    let (job, out) = (folder.path().join("job"), folder.path().join("out"));
    let takes = vec![session.document.takes[0].id];
    let request = ExportRequest { takes: takes.clone(), destination: out.clone(), ..Default::default() };
    session.bake_each(&request, |_| ()).unwrap();
    let wanted = Job { request, folder: job.clone(), chunks: Chunks::Count(1), index: Index::default() };
    session.plan_job(&wanted).unwrap().files.commit(Replace::Refuse).unwrap();
    let parts = job.join("inputs/parts.json");
    std::fs::write(&parts, serde_json::json!({ "parts": vec![vec![takes[0]; 1000]; 100] }).to_string()).unwrap();
    assert_eq!(
        read_parts::<TakeId>(&parts).unwrap(),
        Parts { parts: [vec![takes.clone()], vec![vec![]; 99]].concat() }
    );
    let receipt = std::fs::read_dir(out.join(".portamento")).unwrap().next().unwrap().unwrap().path();
    let mut json: Value = serde_json::from_slice(&std::fs::read(&receipt).unwrap()).unwrap();
    json["files"] = vec![json["files"][0].clone(); 20_000].into();
    std::fs::write(&receipt, json.to_string()).unwrap();
    let begun = Instant::now();
    let report = BatchReport::read(&job.join("inputs"), &out).unwrap();
    assert_eq!(report.rows.len(), 1);
    assert_eq!(report.rows[0].state, crate::batch::report::RowState::Done);
    assert!(begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
}

/// Memory of a damaged take, and the time after which it is cancelled.
const MEMORY: u64 = 1 << 30;
const CANCELLED_AFTER: Duration = Duration::from_secs(3);
/// Longest time until cancelled work ends in a development build, with other work on the machine.
const ENDS_WITHIN: Duration = Duration::from_secs(8);

/// Builds and encodes `request` within [`MEMORY`], and cancels it after [`CANCELLED_AFTER`]. Returns true if it
/// succeeded.
fn is_staged_in_time(session: &mut Session, request: &ExportRequest) -> bool {
    let Ok(takes) = session.takes_to_export(request, &ExportedSets::default()) else { return false };
    let (files, progress) = (FileSet::new(session.sources().into()), Progress::within(Budget::with_limit(MEMORY)));
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = progress.part();
        scope.spawn(move || {
            if waits.recv_timeout(CANCELLED_AFTER) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                watched.cancel();
            }
        });
        let staged = staging::stage(request, takes, files, &progress).is_ok_and(|staged| staged.failure.is_none());
        drop(done);
        staged
    })
}

#[test]
fn takes_with_damaged_settings_stay_within_their_memory_and_end_when_cancelled() {
    let (folder, mut session) = samples();
    let document = session.document.clone();
    let (mut parsed, mut staged) = (0, 0);
    for number in 0..mutants(60) {
        let mut random = SplitMix64::new(spread(1000 + number));
        let index = random_below(&mut random, document.takes.len());
        let id = document.takes[index].id;
        session.document = document.clone();
        // Every fourth has wrong roles of joints instead.
        if number % 4 == 0 {
            let seed = serde_json::to_vec(&document.characters).unwrap();
            let Ok(characters) = serde_json::from_slice(&damaged_json(&seed, &mut random)) else { continue };
            session.document.characters = characters;
        } else {
            let seed = serde_json::to_vec(&document.takes[index]).unwrap();
            let Ok(take) = serde_json::from_slice::<Take>(&damaged_json(&seed, &mut random)) else { continue };
            session.document.takes[index] = Take { id, ..take };
        }
        parsed += 1;
        let destination = folder.path().join("out");
        let request = ExportRequest { takes: vec![id], destination, ..Default::default() };
        let begun = Instant::now();
        staged += u64::from(is_staged_in_time(&mut session, &request));
        let most = CANCELLED_AFTER + ENDS_WITHIN;
        assert!(begun.elapsed() < most, "{number}, take {index}: {:?}", begun.elapsed());
    }
    println!("{parsed} parsed, {staged} staged");
    assert!(parsed > 10 && staged > 0, "{parsed} {staged}");
}

/// Longest time in which a damaged recipe is applied or refused. One of 11 MB takes 3 s in a development build, and longer with
/// other work on the machine.
const APPLYING_TIME: Duration = Duration::from_secs(20);

#[test]
fn recipes_with_damaged_structure_are_applied_within_their_memory_or_refused_at_once() {
    let (folder, mut session) = samples();
    let document = session.document.clone();
    let recipes = document.takes.iter().filter_map(|take| session.opened().recipe_of(take.id).ok());
    let seeds: Vec<String> = recipes.map(|recipe| recipe.to_json()).collect();
    assert!(seeds.len() > 3, "{}", seeds.len());
    let (count, mut applied, mut staged) = (mutants(120), 0, 0);
    for number in 0..count {
        let mut random = SplitMix64::new(spread(2000 + number));
        let seed = &seeds[random_below(&mut random, seeds.len())];
        let begun = Instant::now();
        let Ok(recipe) = Recipe::from_json(&damaged_json(seed.as_bytes(), &mut random)) else { continue };
        let Some(stack) = recipe.stack() else { continue };
        let clip = FileClip { file: document.files[0].id, clip: "run" };
        let is_applied = session.add_stacked(&recipe, stack, &Fills::new(), clip).is_ok();
        assert!(begun.elapsed() < APPLYING_TIME, "{number}: {:?}", begun.elapsed());
        applied += u64::from(is_applied);
        if is_applied && number % 4 == 0 {
            let takes = session.document.takes.last().map(|take| take.id).into_iter().collect();
            let request = ExportRequest { takes, destination: folder.path().join("out"), ..Default::default() };
            let begun = Instant::now();
            staged += u64::from(is_staged_in_time(&mut session, &request));
            assert!(begun.elapsed() < CANCELLED_AFTER + ENDS_WITHIN, "{number}: {:?}", begun.elapsed());
        }
        session.document = document.clone();
    }
    println!("{applied} of {count} applied, {staged} of a quarter of them staged");
    assert!(applied > 0 && applied < count && staged > 0, "{applied} {staged} of {count}");
}
