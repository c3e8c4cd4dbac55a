//! Memory of a stretch of a capture, of the sample project after showing all takes, and the memory added by a thousand undoable
//! slider steps.

use std::path::Path;

use portamento::document::{StageKind, TakeId};
use portamento::export::{FileSet, gltf};
use portamento::samples;
use portamento::session::{Command, FileCommand, Keep, Session, Shown};
use portamento::systems::stretch::Target;

#[path = "shared/capture_model.rs"]
mod capture_model;
#[path = "shared/process_memory.rs"]
mod process_memory;
#[path = "shared/stretch_capture.rs"]
mod stretch_capture;

use process_memory::memory_mb;

/// Length of the capture; its file has 98 MB.
const CAPTURE_SECONDS: usize = 20 * 60;
/// Number of undoable edits.
const STEPS: usize = 1000;

fn show(session: &mut Session, take: TakeId) {
    session.selection.shown = Shown::Take(take);
    // Once to build, once to evaluate and twice while playing.
    (0..4).for_each(|_| session.update(1.0 / 60.0, true));
}

/// Moves the target of the first stretch slightly, like a slider.
fn slide(session: &mut Session) -> bool {
    let stages = session.document.takes.iter_mut().flat_map(|take| &mut take.stages);
    let target = stages.into_iter().find_map(|stage| match &mut stage.kind {
        StageKind::Stretch(stretch) => stretch.settings.target.as_mut(),
        _ => None,
    });
    let Some(target) = target else { return false };
    match target {
        Target::World(point) | Target::Start(point) => point.x += 1e-3,
    }
    session.update(1.0 / 60.0, true);
    true
}

fn measure(folder: &Path) {
    let [empty, _] = memory_mb();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let takes: Vec<TakeId> = session.document.takes.iter().map(|take| take.id).collect();
    takes.iter().for_each(|&take| show(&mut session, take));
    let [open, most] = memory_mb();
    println!("sample project, each of {} takes shown: {open:.0} MB, at most {most:.0}; {empty:.0} before", takes.len());
    let Some(&first) = takes.first() else { return };
    show(&mut session, first);
    if !(0..20).all(|_| slide(&mut session)) {
        return println!("no take is stretched");
    }
    let ([before, _], entries) = (memory_mb(), session.history.current());
    (0..STEPS).for_each(|_| _ = slide(&mut session));
    let [after, _] = memory_mb();
    println!(
        "{STEPS} steps of a slider, {} to undo: {:.1} MB more",
        session.history.current() - entries,
        after - before
    );
}

/// Prints the peak memory of a stretch of a capture.
fn stretch(folder: &Path) {
    let [path, out] = ["capture.glb", "out.glb"].map(|name| folder.join(name));
    let written = FileSet::write_now(|files| {
        gltf::save(files, &path, &gltf::from_model(&capture_model::capture(CAPTURE_SECONDS, 0), None))
    });
    // Resets the peak, which the creation of the capture has raised.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let [before, _] = memory_mb();
    let file = std::fs::metadata(&path).map_or(0.0, |file| file.len() as f64 / 1e6);
    match written {
        Ok(()) => stretch_capture::stretch(&path, &out, Keep::Append),
        Err(error) => return println!("skipped: the capture was not written: {error}"),
    }
    println!("stretch of a capture of {file:.0} MB: at most {:.0} MB; {before:.0} before", memory_mb()[1]);
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return };
    if std::env::args().any(|argument| argument == "stretch") {
        return stretch(folder.path());
    }
    match samples::write_all(folder.path()) {
        Ok(_) => measure(folder.path()),
        Err(error) => println!("skipped: the samples were not written: {error}"),
    }
}
