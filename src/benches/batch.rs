//! Costs of many clips: measuring a folder, exporting takes one file each, and exporting a stretch in 200 variants;
//! with one and two threads in turn.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use portamento::document::TakeId;
use portamento::progress::Progress;
use portamento::samples;
use portamento::session::clip_library::{clip_files, measure};
use portamento::session::variants::{Axis, Index, variants};
use portamento::session::{Command, ExportRequest, FileCommand, Session};

/// Number of alternating rounds with one and two threads; the median counts.
const ROUNDS: usize = 7;
/// Number of measured files.
const FILES: usize = 48;
/// Number of copies of each sample take with joints.
const COPIES: usize = 6;

/// The varied take, and its 200 distances from 2 m to 11.95 m.
const LEAP: &str = "leap to 5 m";
const VARIED_DISTANCE: &str = "target/world/2=2..11.95:0.05";

/// Returns the median times of `run` with one and with two threads.
fn both(mut run: impl FnMut() -> Duration + Send) -> Option<[Duration; 2]> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
    let pools = [pool(1)?, pool(2)?];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, pool) in times.iter_mut().zip(&pools) {
            times.push(pool.install(&mut run));
        }
    }
    Some(times.map(|mut times| {
        times.sort();
        times[ROUNDS / 2]
    }))
}

fn print(what: &str, times: Option<[Duration; 2]>) {
    let Some([one, two]) = times else { return println!("skipped: no threads") };
    let ratio = one.as_secs_f64() / two.as_secs_f64();
    println!("{what}: {one:.2?} by one thread, {two:.2?} by two, {ratio:.2} ×; wanted 1.8 ×");
}

/// Creates a folder with copies of the sample character.
fn library(folder: &Path) -> Option<Vec<PathBuf>> {
    let clips = folder.join("clips");
    std::fs::create_dir_all(&clips).ok()?;
    for number in 0..FILES {
        std::fs::copy(folder.join("hero.glb"), clips.join(format!("{number}.glb"))).ok()?;
    }
    clip_files(&[clips]).ok()
}

/// Returns a session with several copies of the sample takes, none built, and the export request.
fn bakes(folder: &Path, number: usize) -> (Session, ExportRequest) {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let originals = session.document.takes.clone();
    let mut takes = Vec::new();
    for copy in 0..COPIES {
        for take in &originals {
            let mut take = take.clone();
            take.id = TakeId(session.document.fresh_id());
            take.name = format!("{} {copy}", take.name);
            // All copies differ, so none is found in the cache.
            take.stages.iter_mut().for_each(|stage| vary(stage, copy));
            takes.push(take.id);
            session.document.takes.push(take);
        }
    }
    let destination = folder.join(format!("out-{number}"));
    (session, ExportRequest { takes, destination, ..ExportRequest::default() })
}

fn vary(stage: &mut portamento::document::Stage, copy: usize) {
    if let portamento::document::StageKind::Dynamics(dynamics) = &mut stage.kind {
        dynamics.settings.wind.strength += 1e-3 * copy as f64;
    }
}

/// Exports the sample leap once per distance to files in `to`, like `portamento variants`; returns the index.
fn leaps(folder: &Path, to: PathBuf) -> Option<String> {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
    let leap = session.document.takes.iter().find(|take| take.name == LEAP)?.clone();
    let axes = [Axis::parse(VARIED_DISTANCE).ok()?];
    let results = variants(&mut session.document, &leap, &axes, "{take} {n}").ok()?;
    let mut index = Index::new(&axes, &results);
    let takes = results.iter().map(|variant| variant.take.id).collect();
    session.document.takes.extend(results.into_iter().map(|variant| variant.take));
    let request = ExportRequest { takes, destination: to, measured: true, ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    session.exports.reports().iter().for_each(|report| index.set_exported_results(report));
    Some(index.csv())
}

/// Returns the content of all files in a folder, by name.
fn bytes(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some((file.file_name(), std::fs::read(file.path()).ok()?))).collect()
}

fn varied(folder: &Path) {
    let to = folder.join("leaps");
    let (mut first, mut differ) = (None, 0);
    let times = both(|| {
        let start = Instant::now();
        let index = leaps(folder, to.clone());
        let elapsed = start.elapsed();
        let results = (index, bytes(&to));
        let _ = std::fs::remove_dir_all(&to);
        differ += usize::from(*first.get_or_insert_with(|| results.clone()) != results);
        elapsed
    });
    let count = first.map_or(0, |(_, files)| files.len());
    print(&format!("{count} stretches of one clip"), times);
    println!("the same bytes each time: {}", if differ == 0 { "yes" } else { "NO" });
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return println!("skipped: no temporary folder") };
    if samples::write_all(folder.path()).is_err() {
        return println!("skipped: the samples could not be written");
    }
    let Some(files) = library(folder.path()) else { return println!("skipped: files could not be copied") };
    let measured = both(|| {
        let start = Instant::now();
        black_box(measure(&files, &Progress::new()));
        start.elapsed()
    });
    print(&format!("{FILES} files of 16 clips measured"), measured);
    let mut number = 0;
    let baked = both(|| {
        number += 1;
        let (mut session, request) = bakes(folder.path(), number);
        let start = Instant::now();
        session.perform(Command::File(FileCommand::Export(request)));
        start.elapsed()
    });
    print("sample takes baked to files of their own", baked);
    varied(folder.path());
}
