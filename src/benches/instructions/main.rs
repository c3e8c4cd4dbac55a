//! Instruction counts of six fixed jobs, measured by valgrind: reproducible on a busy machine.
//!
//! Each count is compared with `limits.json`; more than 2 % above fails. With the argument `write` the
//! counts become the limits; with `require` a missing valgrind is a failure. `.ci/count` runs it. The limits store
//! the compiler, C library and processor they were taken with. In other environments, counts are compared relative to
//! a plain formula, with a larger tolerance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

mod jobs;

/// How far above its limit a job may be, as a share.
const ROOM: f64 = 0.02;

/// Maximum excess relative to the plain formula, with another compiler.
const ROOM_ELSEWHERE: f64 = 0.3;

/// Name of the plain formula.
const YARDSTICK: &str = "plain formula";

/// The stored limits.
#[derive(Debug, Deserialize, Serialize)]
struct Limits {
    /// Compiler, C library, valgrind, vector width and build folder.
    made_by: String,
    /// Instructions per job.
    counts: BTreeMap<String, u64>,
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("limits.json")
}

/// Returns the first line of the version output of `program`.
fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string())
}

/// Returns everything that the counts depend on besides the source.
fn made_by() -> Option<String> {
    let library = version("ldd").unwrap_or_else(|| "unknown C library".into());
    let program = std::env::current_exe().ok()?;
    let build = program.ancestors().nth(1)?.file_name()?.to_string_lossy().into_owned();
    let parts = [version("rustc")?, library, version("valgrind")?, jobs::vectors().into(), build];
    Some(parts.join("; "))
}

/// Returns the instructions of a job without its setup.
fn counted(job: &str) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let arguments = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted_part*"];
    let output = Command::new("valgrind").args(arguments).arg(program).args(["job", job]).output().ok()?;
    let output_text = String::from_utf8_lossy(&output.stderr);
    let line = output_text.lines().find_map(|line| line.split_once("Collected : "));
    let count = line.and_then(|(_, count)| count.trim().parse().ok()).filter(|count| *count > 0);
    if count.is_none() {
        println!("{job} was not counted:\n{output_text}");
    }
    count
}

fn counts() -> Option<BTreeMap<String, u64>> {
    jobs::NAMES.into_iter().map(|job| Some((job.to_string(), counted(job)?))).collect()
}

/// True if every job is within its limit; prints each job.
fn are_kept(limits: &Limits, counts: &BTreeMap<String, u64>, made_by: &str) -> bool {
    let is_same = limits.made_by == made_by;
    if !is_same {
        println!("limits of: {}\ncounted by: {made_by}\nheld against the {YARDSTICK} instead", limits.made_by);
    }
    let yardstick = |counts: &BTreeMap<String, u64>| counts.get(YARDSTICK).map_or(1.0, |count| *count as f64);
    let scale = if is_same { 1.0 } else { yardstick(counts) / yardstick(&limits.counts) };
    let room = if is_same { ROOM } else { ROOM_ELSEWHERE };
    let keeps = |(job, count): (&String, &u64)| {
        let more = limits.counts.get(job).map(|limit| *count as f64 / (*limit as f64 * scale) - 1.0);
        let (change, is_kept) =
            more.map_or(("no limit".into(), false), |more| (format!("{:+.2} %", 100.0 * more), more <= room));
        println!("{job}: {count} instructions, {change}{}", if is_kept { "" } else { ", TOO MANY" });
        is_kept
    };
    // Print every job, also after a failure.
    counts.iter().map(keeps).fold(true, |all, is_kept| all & is_kept)
}

fn check(write: bool) -> Option<bool> {
    let (made_by, counts) = (made_by()?, counts()?);
    if write {
        let limits = Limits { made_by, counts };
        let text = serde_json::to_string_pretty(&limits).ok()?;
        return std::fs::write(file(), text + "\n").ok().map(|()| true);
    }
    let limits: Limits = serde_json::from_str(&std::fs::read_to_string(file()).ok()?).ok()?;
    Some(are_kept(&limits, &counts, &made_by))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, job, ..] = &arguments[..]
        && first == "job"
    {
        jobs::run(job);
        return ExitCode::SUCCESS;
    }
    let is_asked = |what: &str| arguments.iter().any(|argument| argument == what);
    let kept = check(is_asked("write"));
    if kept.is_none() {
        println!("nothing was counted: valgrind, rustc and the limits are needed");
    }
    if kept.unwrap_or(!is_asked("require")) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
