//! Fuzz tests of every file format: import returns a result for any bytes, quickly and within its memory limit.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::import_within;
use portamento_anim::math::random::{SplitMix64, spread};
use portamento_base::budget::Budget;
use portamento_base::progress::Progress;
use portamento_test_support::random_below;

mod fbx_nodes;
mod fbx_text;
mod names;
mod seeds;
mod sheets;

use seeds::{Seed, seeds};

/// Memory limit of one damaged file, bytes.
const MEMORY_LIMIT_BYTES: u64 = 1 << 30;

/// How many damaged files of a kind were tried, and what became of them.
struct Tried {
    name: &'static str,
    count: usize,
    opened: usize,
    slowest: Duration,
}

/// Opens `count` damaged files like `seed`. A file that opens must be valid enough to be shown.
fn open_damaged(seed: Seed, count: usize, first: u64) -> Tried {
    let Seed { name, bytes: seed, damage } = seed;
    let folder = TempDir::new().unwrap();
    let path: PathBuf = folder.path().join(name);
    std::fs::write(&path, &seed).unwrap();
    opened(&path).unwrap_or_else(|sentence| panic!("{name} undamaged: {sentence}"));
    let mut tried = Tried { name, count, opened: 0, slowest: Duration::ZERO };
    for number in 0..count {
        let mut random = SplitMix64::new(spread(first + number as u64) ^ kind_number(name));
        let text = if number % 2 == 0 { 0 } else { text_of_glb(&seed) };
        let damaged = [&seed[..text], &damage(&seed[text..], &mut random)].concat();
        std::fs::write(&path, damaged).unwrap();
        let begun = Clock::now();
        tried.opened += usize::from(opened(&path).is_ok());
        tried.slowest = tried.slowest.max(begun.elapsed());
        assert!(tried.slowest.as_secs() < 5, "{name} {number} took {:?}", tried.slowest);
    }
    assert!(tried.opened < count, "{name}: all {count} opened, so nothing was damaged");
    tried
}

/// Returns the length of the header and the JSON of a GLB, which binary data follows; 0 for other files.
fn text_of_glb(bytes: &[u8]) -> usize {
    let length = bytes.get(12..16).filter(|_| bytes.starts_with(b"glTF")).and_then(|four| four.try_into().ok());
    length.map_or(0, |four| (28 + u32::from_le_bytes(four) as usize).min(bytes.len()))
}

/// Measures processor time of this thread if the system reports it, so that other programs do not count.
struct Clock {
    wall: Instant,
    busy: Option<Duration>,
}

impl Clock {
    fn now() -> Self {
        Self { wall: Instant::now(), busy: Self::busy() }
    }

    fn busy() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }

    fn elapsed(&self) -> Duration {
        let busy = self.busy.zip(Self::busy()).map(|(before, now)| now.saturating_sub(before));
        busy.unwrap_or_else(|| self.wall.elapsed())
    }
}

/// Returns a seed for a kind that does not depend on the other kinds.
fn kind_number(name: &str) -> u64 {
    name.bytes().fold(0, |number, byte| spread(number ^ u64::from(byte)))
}

/// Opens a file. Returns `Err` with the message if that fails.
fn opened(path: &Path) -> Result<(), String> {
    let imported = import_within(path, &Progress::within(Budget::with_limit(MEMORY_LIMIT_BYTES)))
        .map_err(|error| error.to_string())?;
    let model = &imported.model;
    for clip in model.clips.iter().take(3) {
        assert!(clip.pose_at(&model.skeleton, 0.4).locals.iter().all(|local| local.is_finite()));
    }
    assert!(model.rest_bounds().low.is_finite());
    Ok(())
}

#[test]
fn no_damaged_file_of_any_kind_panics_or_hangs() {
    for seed in seeds() {
        open_damaged(seed, 100, 0);
    }
}

/// `PORTAMENTO_MUTANTS` is the total number of files, `PORTAMENTO_MUTANT_KINDS` their extensions (`gif,obj`).
#[test]
#[ignore = "an hour: PORTAMENTO_MUTANTS chooses how many files are tried"]
fn no_damaged_file_of_any_kind_panics_or_hangs_however_many() {
    let count = std::env::var("PORTAMENTO_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let kinds = std::env::var("PORTAMENTO_MUTANT_KINDS").ok();
    let each = count / seeds().len() + 1;
    let extension = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let is_wanted = |name: &str| {
        kinds.as_ref().is_none_or(|kinds| kinds.split(',').any(|kind| kind == name || kind == extension(name)))
    };
    for seed in seeds().into_iter().filter(|seed| is_wanted(seed.name)) {
        let Tried { name, count, opened, slowest } = open_damaged(seed, each, 1 << 32);
        println!("{name}: {count} tried, {opened} opened, the slowest in {slowest:?}, {} KiB at most", peak());
    }
    assert!(peak() * 1024 <= MEMORY_LIMIT_BYTES, "{} KiB at most", peak());
}

/// Returns the peak memory of this process in KiB, or 0 if the system does not report it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    peak.unwrap_or(0)
}

#[test]
fn a_small_file_cannot_exceed_the_memory_limit() {
    let folder = TempDir::new().unwrap();
    let sentence = |name: &str, bytes: &[u8], budget: u64| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let answer = import_within(&path, &Progress::within(Budget::with_limit(budget)));
        answer
            .map(|imported| imported.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            .unwrap_or_else(|error| error.to_string())
    };
    // A canvas of 65 535 × 65 535 pixels in 13 bytes.
    let mut canvas = b"GIF89a\xFF\xFF\xFF\xFF\x00\x00\x00".to_vec();
    canvas.extend(b"\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3B");
    let message = sentence("canvas.gif", &canvas, 12 << 30);
    assert!(message.contains("canvas.gif") && message.contains("65535"), "{message}");
    // Two keys that are a long time apart.
    let message = sentence("slow.gltf", slow().as_bytes(), 12 << 30);
    assert!(message.contains("“for ever” of 1000000000 s") && message.contains("left empty"), "{message}");
    // One mesh with 60 000 corners on 2 000 nodes.
    let message = sentence("crowd.gltf", crowd(60_000, 2_000).as_bytes(), 1 << 30);
    assert!(message.contains("This mesh and all later ones are left out"), "{message}");
}

#[test]
fn reading_of_every_kind_stops_wherever_it_is_asked_to() {
    let folder = TempDir::new().unwrap();
    for Seed { name, bytes, .. } in seeds() {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let complete = Progress::stopping_at(0);
        import_within(&path, &complete).unwrap();
        assert!(complete.steps() > 0 || name.starts_with("a0."), "{name} never looks up");
        for step in 1..=complete.steps() {
            let stopped = import_within(&path, &Progress::stopping_at(step));
            assert!(
                matches!(stopped, Err(super::ImportError::Cancelled(_))),
                "{name} at {step} of {}",
                complete.steps()
            );
        }
    }
}

/// Number of budgets tried for each kind of file, from zero to more than it needs.
const BUDGETS: u64 = 24;

#[test]
fn wherever_memory_ends_a_file_is_refused_with_a_sentence() {
    let folder = TempDir::new().unwrap();
    let (mut points, mut refused) = (0, 0);
    for Seed { name, bytes, .. } in seeds() {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        for step in 0..BUDGETS {
            // Denser near the size of the file, where parts of it fit.
            let budget = (bytes.len() as f64 * 1.35_f64.powi(step as i32 - 8)) as u64;
            match import_within(&path, &Progress::within(Budget::with_limit(budget))) {
                Ok(imported) => assert!(imported.model.rest_bounds().low.is_finite()),
                Err(super::ImportError::OverBudget(_)) => refused += 1,
                Err(error) => assert!(error.to_string().contains("memory"), "{name} with {budget} bytes: {error}"),
            }
            points += 1;
        }
    }
    println!("{points} budgets, {refused} refused");
    assert!(points >= 300 && refused >= 60, "{points} {refused}");
}

/// Returns a glTF of one clip with keys at 0 s and 1e9 s.
fn slow() -> String {
    let bytes: Vec<u8> = [0.0_f32, 1e9].iter().flat_map(|time| time.to_le_bytes()).collect();
    let bytes = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes);
    serde_json::json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "hips" }],
        "buffers": [{ "byteLength": 8, "uri": format!("data:;base64,{bytes}") }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2 },
            { "componentType": 5126, "type": "VEC3", "count": 2 },
        ],
        "animations": [{ "name": "for ever", "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
    })
    .to_string()
}

/// Returns a glTF of one mesh, with all corners at zero, on many nodes.
fn crowd(corners: usize, nodes: usize) -> String {
    serde_json::json!({
        "asset": { "version": "2.0" },
        "nodes": vec![serde_json::json!({ "mesh": 0 }); nodes],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": corners }],
    })
    .to_string()
}

#[test]
fn files_of_many_small_parts_open_completely() {
    const PARTS: usize = 100_000;
    let folder = TempDir::new().unwrap();
    let open = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        import_within(&path, &Progress::new()).unwrap()
    };
    let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let named = |word: &str| (0..PARTS).map(|number| format!("{word} part {number}\nf 1 2 3\n")).collect::<String>();
    let level = open("groups.obj", format!("{head}{}", named("g"))).level.unwrap();
    assert_eq!((level.meshes.len(), level.triangles.len()), (PARTS, PARTS));
    let level = open("mats.obj", format!("{head}{}", named("usemtl"))).level.unwrap();
    assert_eq!((level.areas.len(), level.triangles.len()), (PARTS, PARTS));
    // A face with many corners.
    let corner = |number: usize| (number as f64 / 10_000.0 * std::f64::consts::TAU).sin_cos();
    let corners: String = (0..10_000).map(corner).map(|(sin, cos)| format!("v {cos} {sin} 0\n")).collect();
    let face: String = (1..=10_000).map(|number| format!(" {number}")).collect();
    let level = open("fan.obj", format!("{corners}f{face}\n")).level.unwrap();
    assert_eq!(level.triangles.len(), 9_998);
    let animation = |number: usize| {
        let channel = serde_json::json!({ "sampler": 0, "target": { "node": 0, "path": "translation" } });
        let sampler = serde_json::json!({ "input": 0, "output": 1 });
        serde_json::json!({ "name": format!("clip {}", number % 7), "samplers": [sampler], "channels": [channel] })
    };
    let mut many: serde_json::Value = serde_json::from_str(&slow()).unwrap();
    many["animations"] = (0..20_000).map(animation).collect();
    let clips = open("manyanim.gltf", many.to_string()).model.clips;
    let names: std::collections::BTreeSet<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!((clips.len(), names.len()), (20_000, 20_000));
}

#[test]
fn a_chain_over_the_limit_is_refused_and_the_longest_allowed_opens() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rope.gltf");
    let open = |joints: usize| {
        let node = |at: usize| match at + 1 {
            next if next < joints => serde_json::json!({ "children": [next] }),
            _ => serde_json::json!({}),
        };
        let nodes: Vec<_> = (0..joints).map(node).collect();
        let text = serde_json::json!({ "asset": { "version": "2.0" }, "nodes": nodes }).to_string();
        std::fs::write(&path, text).unwrap();
        import_within(&path, &Progress::new()).map(|rope| rope.model.skeleton.len())
    };
    assert_eq!(open(4096).unwrap(), 4096);
    let message = open(60_000).unwrap_err().to_string();
    assert!(message.contains("rope.gltf") && message.contains("60000") && message.contains("4096"), "{message}");
}
