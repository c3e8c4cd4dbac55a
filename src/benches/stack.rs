//! What a whole stack costs: the sample `patrol` built from nothing, its last stage built again after a change, its other stages
//! likewise, and one frame of scrubbing through it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use portamento::document::{Stage, StageKind, Take};
use portamento::evaluate::TakeCache;
use portamento::progress::Progress;
use portamento::samples;
use portamento::session::{Command, FileCommand, Session, Shown};
use portamento::systems::dynamics::ColliderShape;

/// Of so many runs the shortest counts, which other work on the machine disturbs least.
const RUNS: usize = 7;

/// Logic of a frame that is scrubbed to: at most so many milliseconds are wanted.
const WANTED: f64 = 2.0;

fn shortest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

fn opened(folder: &std::path::Path) -> Option<(Session, Take)> {
    samples::write_all(folder).ok()?;
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

/// The same with another wind, and with another collider.
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

/// `take` after a small change to its stage at `index`.
fn changed(take: &Take, index: usize, by: f64) -> Take {
    let mut take = take.clone();
    match &mut take.stages[index].kind {
        StageKind::Layer(layer) => layer.settings.events[0].time += by,
        StageKind::Stretch(stretch) => stretch.settings.dead_zone += by,
        StageKind::Close(close) => close.seam += by,
        StageKind::Dynamics(dynamics) => dynamics.settings.chains[0].drag.value += by,
        _ => {}
    }
    take
}

fn main() {
    let folder = std::env::temp_dir().join(format!("portamento-stack-{}", std::process::id()));
    let Some((mut session, patrol)) = opened(&folder) else {
        println!("skipped: the samples were not written to {}", folder.display());
        return;
    };
    let build = |cache: &mut TakeCache, take: &Take| {
        cache.take(&session.document, &session.library, take, &Progress::new()).map(|built| built.clip.duration)
    };
    let whole = shortest(|| timed(|| build(&mut TakeCache::default(), &patrol)));
    let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
    println!("patrol from nothing: {:.1} ms", milliseconds(whole));
    let mut cache = TakeCache::default();
    let _ = build(&mut cache, &patrol);
    for (index, Stage { kind, .. }) in patrol.stages.iter().enumerate() {
        let mut by = 0.0;
        let again = shortest(|| {
            by += 1e-4;
            let take = changed(&patrol, index, by);
            timed(|| build(&mut cache, &take))
        });
        let ratio = again.as_secs_f64() / whole.as_secs_f64();
        println!("{} changed: {:.1} ms, {ratio:.3} of the whole", kind.name(), milliseconds(again));
    }
    for (which, what) in ["wind", "collider"].into_iter().enumerate() {
        let mut by = 0.0;
        let again = shortest(|| {
            by += 1e-4;
            let take = &other_world(&patrol, by)[which];
            timed(|| build(&mut cache, take))
        });
        let ratio = again.as_secs_f64() / whole.as_secs_f64();
        println!("{what} changed: {:.1} ms, {ratio:.3} of the whole", milliseconds(again));
    }
    session.selection.show(Shown::Take(patrol.id));
    session.update(0.0, true);
    let frames = usize::try_from(session.playback.last_frame()).unwrap_or(0);
    let (mut first, mut best) = (vec![f64::NAN; frames], vec![f64::INFINITY; frames]);
    for step in 0..RUNS * frames {
        // All over the take, never the next frame.
        let frame = (step * 7919) % frames;
        session.playback.time = frame as f64 / session.playback.fps;
        let taken = milliseconds(timed(|| session.update(0.0, true)));
        first[frame] = if first[frame].is_nan() { taken } else { first[frame] };
        best[frame] = best[frame].min(taken);
    }
    tell("scrubbed to for the first time", first);
    tell("scrubbed to again", best);
    let _ = std::fs::remove_dir_all(&folder);
}

/// Prints the middle and the late ones of `each`, milliseconds a frame.
fn tell(what: &str, mut each: Vec<f64>) {
    each.retain(|milliseconds| milliseconds.is_finite());
    each.sort_by(f64::total_cmp);
    let (Some(middle), Some(late)) = (each.get(each.len() / 2), each.get(each.len() * 99 / 100)) else { return };
    println!(
        "{what}: {middle:.3} ms a frame, 99 % within {late:.3} ms, {:.2} of the {WANTED} ms wanted",
        late / WANTED
    );
}
