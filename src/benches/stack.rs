//! Cost of a complete stack: the sample `patrol` built from scratch, each stage rebuilt after a change, and one frame
//! of scrubbing.

use std::hint::black_box;
use std::time::{Duration, Instant};

use portamento::document::{StageKind, Take};
use portamento::evaluate::TakeCache;
use portamento::progress::Progress;
use portamento::samples;
use portamento::session::{Command, FileCommand, Session, Shown};
use portamento::systems::dynamics::ColliderShape;

/// Number of rounds in which everything is built once, so that other processes disturb all equally; medians count.
const ROUNDS: usize = 9;

/// Target for the logic of a scrubbed frame, milliseconds.
const TARGET_FRAME_MS: f64 = 2.0;

/// Target for rebuilding the last stage, as a share of the full build.
const TARGET_REBUILD_SHARE: f64 = 0.2;

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

/// Opens the sample project in `folder` as a session; returns its patrol take too.
fn opened(folder: &std::path::Path) -> Option<(Session, Take)> {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let patrol = session.document.takes.iter().find(|take| take.name == "patrol")?.clone();
    Some((session, patrol))
}

fn widen(shape: &mut ColliderShape, by: f64) {
    match shape {
        ColliderShape::Sphere { radius, .. } | ColliderShape::Capsule { radius, .. } => *radius += by,
        _ => {}
    }
}

/// Returns the take with another wind, and with another collider.
fn other_world(take: &Take, by: f64) -> [Take; 2] {
    [0, 1].map(|which| {
        let mut take = take.clone();
        for stage in &mut take.stages {
            let StageKind::Dynamics(dynamics) = &mut stage.kind else { continue };
            let settings = &mut dynamics.settings;
            match settings.colliders.first_mut().filter(|_| which == 1) {
                Some(collider) => widen(&mut collider.shape, by),
                None => settings.wind.strength += by,
            }
        }
        take
    })
}

/// Returns `take` after a small change to its stage at `index`.
fn changed(take: &Take, index: usize, by: f64) -> Take {
    let mut take = take.clone();
    match &mut take.stages[index].kind {
        StageKind::Layer(layer) => layer.settings.events[0].time += by,
        StageKind::Stretch(stretch) => stretch.settings.dead_zone += by,
        StageKind::Ground(ground) => ground.settings.softness += by,
        StageKind::Close(close) => close.seam += by,
        StageKind::Dynamics(dynamics) => dynamics.settings.chains[0].drag.value += by,
        _ => {}
    }
    take
}

fn main() {
    let folder = std::env::temp_dir().join(format!("portamento-stack-{}", std::process::id()));
    let written = samples::write_all(&folder).ok().and_then(|_| opened(&folder));
    let Some((session, patrol)) = written else {
        println!("skipped: the samples were not written to {}", folder.display());
        return;
    };
    builds(&session, &patrol);
    scrubbing(&folder);
    let _ = std::fs::remove_dir_all(&folder);
}

/// Builds the whole take, then what has to be rebuilt after a change to each stage, round by round.
fn builds(session: &Session, patrol: &Take) {
    let build = |cache: &mut TakeCache, take: &Take| {
        timed(|| {
            cache.take(&session.document, &session.library, take, &Progress::new()).map(|built| built.clip.duration)
        })
    };
    let stages = patrol.stages.iter().map(|stage| stage.kind.name());
    let names: Vec<&str> = stages.chain(["wind", "collider"]).collect();
    let (mut wholes, mut again) = (Vec::new(), vec![Vec::new(); names.len()]);
    for round in 1..=ROUNDS {
        let by = 1e-4 * round as f64;
        let stages = (0..patrol.stages.len()).map(|index| changed(patrol, index, by));
        for (times, take) in again.iter_mut().zip(stages.chain(other_world(patrol, by))) {
            // Earlier variants must not affect the cache.
            let mut cache = TakeCache::default();
            let total = build(&mut cache, patrol);
            let time = build(&mut cache, &take);
            wholes.push(milliseconds(total));
            times.push((milliseconds(time), time.as_secs_f64() / total.as_secs_f64()));
        }
    }
    println!("patrol from nothing: {:.1} ms", median(wholes));
    for (name, times) in names.into_iter().zip(again) {
        let (time, ratio) = (times.iter().map(|each| each.0), times.iter().map(|each| each.1));
        println!("{name} changed: {:.1} ms, {:.3} of the whole", median(time), median(ratio));
    }
    println!("wanted of a change to the last stage: {TARGET_REBUILD_SHARE} of the whole");
}

/// Scrubs through the patrol quickly, in sessions that never showed it.
fn scrubbing(folder: &std::path::Path) {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let Some((mut session, patrol)) = opened(folder) else { return };
        session.selection.show(Shown::Take(patrol.id));
        session.update(0.0, true);
        let frames = usize::try_from(session.playback.last_frame()).unwrap_or(0);
        let mut visit = |frame: usize| {
            session.playback.time = frame as f64 / session.playback.fps;
            milliseconds(timed(|| session.update(0.0, true)))
        };
        // Frames in scattered order.
        let order: Vec<usize> = (0..frames).map(|step| (step * 7919) % frames).collect();
        first.push(order.iter().map(|&frame| visit(frame)).collect::<Vec<f64>>());
        again.push(order.iter().map(|&frame| visit(frame)).collect::<Vec<f64>>());
    }
    tell("scrubbed to for the first time", &first);
    tell("scrubbed to again", &again);
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Prints median, 95th percentile and maximum of the frame times, using the median over `rounds`; milliseconds.
fn tell(what: &str, rounds: &[Vec<f64>]) {
    let frames = rounds.iter().map(Vec::len).min().unwrap_or(0);
    let mut each: Vec<f64> = (0..frames).map(|frame| median(rounds.iter().map(|round| round[frame]))).collect();
    each.sort_by(f64::total_cmp);
    let at = |share: usize| each.get((each.len() * share / 100).min(each.len().saturating_sub(1)));
    let (Some(middle), Some(late), Some(latest)) = (at(50), at(99), each.last()) else { return };
    println!(
        "{what}: {middle:.3} ms a frame, 99 % within {late:.3} ms, all within {latest:.3} ms, {:.3} of the {TARGET_FRAME_MS} ms wanted",
        late / TARGET_FRAME_MS
    );
}
