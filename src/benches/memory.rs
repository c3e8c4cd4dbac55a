//! How much memory the sample project takes once each of its takes was shown, and what a thousand steps of a slider add to that
//! when each can be undone.

use std::path::Path;

use portamento::document::{StageKind, TakeId};
use portamento::samples;
use portamento::session::{Command, FileCommand, Session, Shown};
use portamento::systems::stretch::Target;

/// Edits that are kept to be undone.
const STEPS: usize = 1000;

/// What the program holds now and what it ever held, in MB.
fn held() -> [f64; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(f64::NAN) * 1024.0 / 1e6
    })
}

fn show(session: &mut Session, take: TakeId) {
    session.selection.shown = Shown::Take(take);
    // Once to build it, once to evaluate it, and twice as it plays.
    (0..4).for_each(|_| session.update(1.0 / 60.0, true));
}

/// Moves the target of the first stretch a little, as a slider does.
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
    let [empty, _] = held();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let takes: Vec<TakeId> = session.document.takes.iter().map(|take| take.id).collect();
    takes.iter().for_each(|&take| show(&mut session, take));
    let [open, most] = held();
    println!("sample project, each of {} takes shown: {open:.0} MB, at most {most:.0}; {empty:.0} before", takes.len());
    let Some(&first) = takes.first() else { return };
    show(&mut session, first);
    if !(0..20).all(|_| slide(&mut session)) {
        return println!("no take is stretched");
    }
    let ([before, _], entries) = (held(), session.history.current());
    (0..STEPS).for_each(|_| _ = slide(&mut session));
    let [after, _] = held();
    println!(
        "{STEPS} steps of a slider, {} to undo: {:.1} MB more",
        session.history.current() - entries,
        after - before
    );
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return };
    match samples::write_all(folder.path()) {
        Ok(_) => measure(folder.path()),
        Err(error) => println!("skipped: the samples were not written: {error}"),
    }
}
