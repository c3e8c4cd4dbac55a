//! A capture of 20 minutes at 120 frames per second: longest update of the session between two displayed frames, from opening to
//! dragging a target, and memory after reloading and reopening the file.

use std::path::Path;
use std::time::Instant;

use portamento::anim::Model;
use portamento::document::StageKind;
use portamento::export::{FileSet, gltf};
use portamento::session::{Command, EditCommand, FileCommand, Session};
use portamento::systems::stretch::Target;

#[path = "shared/capture_model.rs"]
mod capture_model;
#[path = "shared/process_memory.rs"]
mod process_memory;

use capture_model::capture;
use process_memory::memory_mb;

const SECONDS: usize = 20 * 60;
/// Number of reloads of the file, each with new content, and half the number of times that it is closed and opened.
const ROUNDS: usize = 8;

fn write(path: &Path, model: &Model) {
    let document = gltf::from_model(model, None);
    FileSet::write_now(|files| gltf::save(files, path, &document)).expect("a temporary folder has room");
}

/// Updates the session until no job runs; returns the longest update, milliseconds.
fn settle(session: &mut Session) -> f64 {
    let mut longest = 0.0_f64;
    loop {
        longest = longest.max(update(session));
        if session.jobs.running().next().is_none() {
            // The result of the last job is shown by the next update.
            return longest.max(update(session)).max(update(session));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn update(session: &mut Session) -> f64 {
    let start = Instant::now();
    session.update(1.0 / 60.0, true);
    start.elapsed().as_secs_f64() * 1000.0
}

fn perform(session: &mut Session, name: &str, command: Command) {
    let start = Instant::now();
    session.perform(command);
    let called = start.elapsed().as_secs_f64() * 1000.0;
    let longest = settle(session);
    println!(
        "{name}: command {called:.1} ms, longest update {longest:.1} ms, ready after {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

fn freezes(session: &mut Session, path: &Path) {
    perform(session, "open", Command::File(FileCommand::Open(vec![path.to_owned()])));
    let file = session.document.files[0].id;
    let stretch = EditCommand::AddStretch { character: file, clip_file: file, clip: "capture".into() };
    perform(session, "stretch", Command::Edit(stretch));
    let mut longest = 0.0_f64;
    for step in 0..20 {
        session.playback.time = f64::from(step) * 37.0;
        longest = longest.max(update(session));
    }
    println!("scrub: longest update {longest:.1} ms");
    let mut longest = 0.0_f64;
    for _ in 0..20 {
        for stage in session.document.takes.iter_mut().flat_map(|take| &mut take.stages) {
            if let StageKind::Stretch(stretch) = &mut stage.kind
                && let Some(Target::World(point) | Target::Start(point)) = &mut stretch.settings.target
            {
                point.x += 1e-3;
            }
        }
        longest = longest.max(update(session));
    }
    println!("drag: longest update {:.1} ms", longest.max(settle(session)));
}

fn memory(session: &mut Session, path: &Path) {
    let seconds = SECONDS / 10;
    write(path, &capture(seconds, 0));
    perform(session, "open a tenth", Command::File(FileCommand::New));
    perform(session, "open a tenth", Command::File(FileCommand::Open(vec![path.to_owned()])));
    println!(
        "{:.0} MB, file of {:.0} MB",
        memory_mb()[0],
        std::fs::metadata(path).map_or(0.0, |of| of.len() as f64 / 1e6)
    );
    for round in 1..=ROUNDS {
        write(path, &capture(seconds, round));
        session.reload_changed();
        settle(session);
    }
    println!("reloaded {ROUNDS} times: {:.0} MB", memory_mb()[0]);
    for _ in 0..2 * ROUNDS {
        session.perform(Command::File(FileCommand::New));
        settle(session);
        session.perform(Command::File(FileCommand::Open(vec![path.to_owned()])));
        settle(session);
    }
    println!("reopened {} times: {:.0} MB", 2 * ROUNDS, memory_mb()[0]);
    session.perform(Command::File(FileCommand::New));
    settle(session);
    println!("closed: {:.0} MB", memory_mb()[0]);
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("capture.glb");
    write(&path, &capture(SECONDS, 0));
    let mut session = Session::default();
    freezes(&mut session, &path);
    memory(&mut session, &path);
}
