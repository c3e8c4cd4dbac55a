//! Render-farm jobs, run by the reference runner of Open Job Description and as Slurm tasks.
//!
//! Needs `openjd` (PyPI `openjd-cli`), found by name or by `PORTAMENTO_OPENJD`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use portamento::samples;

const PROGRAM: &str = env!("CARGO_BIN_EXE_portamento");
/// Fifty variants of a leap.
const FIFTY: [&str; 6] = ["--take", "leap to 5 m", "--vary", "world/2=2..8.125:0.125", "--names", "leap {1}"];

fn portamento(words: &[&str]) -> Output {
    Command::new(PROGRAM).args(words).output().unwrap()
}

/// Returns the path of the runner, if it is installed.
fn runner() -> Option<PathBuf> {
    let program = std::env::var_os("PORTAMENTO_OPENJD").map_or_else(|| "openjd".into(), PathBuf::from);
    let answers = Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !answers {
        crate::support::skipped("PORTAMENTO_REQUIRE_OPENJD", "openjd is not installed");
    }
    answers.then_some(program)
}

/// A job of fifty leaps in parts of seven, and the files of a single process.
struct Farm {
    folder: tempfile::TempDir,
    expected: BTreeMap<PathBuf, Vec<u8>>,
}

impl Farm {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, one, job) = (at("samples.portamento"), at("one"), at("job"));
        let variants = [&["variants", &project], &FIFTY[..]].concat();
        assert!(portamento(&[&variants[..], &["-o", &one]].concat()).status.success());
        let planned = portamento(&[&variants[..], &["--job", &job, "--part-takes", "7"]].concat());
        assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
        let expected = clips(&folder.path().join("one"));
        assert_eq!(expected.len(), 50);
        Self { folder, expected }
    }

    fn job(&self) -> PathBuf {
        self.folder.path().join("job")
    }

    fn output(&self) -> PathBuf {
        self.job().join("output")
    }

    /// Returns the number of takes with a receipt.
    fn receipts(&self) -> usize {
        std::fs::read_dir(self.output().join(".portamento")).map_or(0, |entries| {
            entries.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "json")).count()
        })
    }
}

/// Returns the command that runs the job in `folder` with `runner`.
fn job_run(runner: &Path, folder: &Path) -> Command {
    let mut run = Command::new(runner);
    run.arg("run").arg(folder.join("template.json")).arg("-p").arg(format!("Portamento={PROGRAM}"));
    run
}

/// Returns the content of the clip files in `folder`.
fn clips(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let clips = entries.filter(|path| path.extension().is_some_and(|end| end == "glb"));
    clips.map(|path| (PathBuf::from(path.file_name().unwrap()), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_killed_job_continues_with_missing_takes_and_gives_the_bytes_of_one_process() {
    use std::os::unix::process::CommandExt;
    let Some(runner) = runner() else { return };
    let farm = Farm::new();
    let run = || job_run(&runner, &farm.job());
    let mut first = run().process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while farm.receipts() < 10 {
        assert!(Instant::now() < deadline, "nothing is made");
        std::thread::sleep(Duration::from_millis(2));
    }
    let group = format!("-{}", first.id());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    first.wait().unwrap();
    // Tasks run in their own process groups and finish their current take.
    let mut receipts = farm.receipts();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        if std::mem::replace(&mut receipts, farm.receipts()) == receipts {
            break;
        }
    }
    assert!((10..50).contains(&receipts), "{receipts} of 50 were made before it was killed");
    let again = run().output().unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && said.contains("50 of 50 takes are done"), "{said}");
    assert_eq!((said.matches(": kept (").count(), said.matches(": written (").count()), (receipts, 50 - receipts));
    assert!(clips(&farm.output()) == farm.expected);
}

#[test]
fn slurm_tasks_in_any_order_give_the_bytes_of_one_process_and_the_report_lists_missing_takes() {
    let farm = Farm::new();
    let script = |words: &[&str], task: usize| {
        let mut script = Command::new("sh");
        script.arg(farm.job().join("slurm.sh")).args(words).env("PORTAMENTO", PROGRAM);
        script.env("SLURM_ARRAY_TASK_ID", task.to_string()).output().unwrap()
    };
    for task in [8, 3, 1, 2, 7, 6, 4] {
        assert!(script(&[], task).status.success());
    }
    let report = script(&["report"], 1);
    let said = String::from_utf8_lossy(&report.stderr);
    assert!(report.status.code() == Some(1) && said.contains("7 of 50 takes are missing"), "{said}");
    assert!(script(&[], 5).status.success());
    assert!(script(&["report"], 1).status.success());
    assert!(!script(&[], 9).status.success(), "there are eight parts");
    assert!(clips(&farm.output()) == farm.expected);
    let page = std::fs::read_to_string(farm.output().join("report.html")).unwrap();
    assert_eq!(page.matches("<td><svg").count(), 50);
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(farm.output().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["counts"]["done"], 50);
    let index: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(farm.output().join("index.json")).unwrap()).unwrap();
    assert_eq!(index.len(), 50);
    for row in &index {
        let (wanted, travel) = (row["world/2"].as_f64().unwrap(), row["travel_m"].as_f64().unwrap());
        assert!(farm.output().join(row["file"].as_str().unwrap()).is_file() && (travel - wanted).abs() < 1e-4, "{row}");
    }
    assert_eq!(std::fs::read_to_string(farm.output().join("index.csv")).unwrap().lines().count(), 51);
}

#[test]
fn a_library_measured_by_a_farm_has_the_tables_of_one_process_and_keeps_finished_parts() {
    let Some(runner) = runner() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let hero = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb");
    std::fs::create_dir_all(at("clips/deeper")).unwrap();
    for name in ["clips/a.glb", "clips/b.glb", "clips/deeper/a.glb"] {
        std::fs::copy(&hero, at(name)).unwrap();
    }
    let [clips, job, csv, html] = ["clips", "job", "table.csv", "table.html"].map(at);
    let one = portamento(&["library", &clips, "--csv", &csv, "--html", &html, "--json"]);
    let planned = portamento(&[
        "library",
        &clips,
        "--job",
        &job,
        "--part-files",
        "2",
        "--csv",
        "table.csv",
        "--html",
        "table.html",
    ]);
    assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
    for state in ["written", "kept"] {
        let run = job_run(&runner, Path::new(&job)).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("2 of 2 parts are done"), "{said}");
        assert_eq!(said.matches(&format!("state: {state}")).count(), 2, "{said}");
    }
    let read = |name: &str| std::fs::read(at(name)).unwrap();
    assert_eq!(read("job/output/clips.json"), one.stdout);
    for table in ["table.csv", "table.html"] {
        assert_eq!(read(&format!("job/output/{table}")), read(table));
    }
    let task =
        Command::new("sh").arg(at("job/slurm.sh")).env("PORTAMENTO", PROGRAM).env("SLURM_ARRAY_TASK_ID", "2").output();
    assert!(
        String::from_utf8_lossy(&task.unwrap().stdout).contains("state: kept"),
        "the script of Slurm makes the same"
    );
}
