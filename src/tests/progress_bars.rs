//! Progress bars of commands that take long: drawn on a terminal, absent from pipes.
//!
//! A terminal is what `script` of util-linux provides.

use std::path::Path;
use std::process::Command;

use portamento::samples;

const PROGRAM: &str = env!("CARGO_BIN_EXE_portamento");
/// Number of files, enough for work that is long enough for a bar.
const COPIES: usize = 24;

/// Runs the command line `words` in `folder` on a pseudo terminal; returns all that it prints.
fn on_terminal(folder: &Path, words: &[&str]) -> String {
    let quoted: Vec<String> = [PROGRAM].iter().chain(words).map(|word| format!("'{word}'")).collect();
    let run = format!("stty columns 120 rows 40; {}", quoted.join(" "));
    let mut command = Command::new("script");
    command.args(["-qec", &run, "/dev/null"]).current_dir(folder);
    let output = command.env("TERM", "xterm").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// True if `text` has a line of a bar: a percentage, a rate and a remaining time.
fn has_bar(text: &str) -> bool {
    let is_bar = |line: &str| line.contains('[') && ["%  ", "/s  ", " left"].iter().all(|part| line.contains(part));
    text.split(['\r', '\n']).any(is_bar)
}

#[test]
fn long_commands_show_a_bar_on_a_terminal_only() {
    let folder = tempfile::tempdir().unwrap();
    samples::write_all(folder.path()).unwrap();
    std::fs::create_dir(folder.path().join("clips")).unwrap();
    for copy in 0..COPIES {
        std::fs::copy(folder.path().join("hero.glb"), folder.path().join(format!("clips/{copy}.glb"))).unwrap();
    }
    std::fs::write(folder.path().join("contract.toml"), "[clips.walk]\nmax_keys = 1000000\n").unwrap();
    let commands: [&[&str]; 4] = [
        &["library", "clips"],
        &["check", "clips", "--contract", "contract.toml"],
        &["retarget", "hero.glb", "--from", "clips", "--clip", "run", "-o", "retargeted", "--force"],
        &["finish", "clips", "--onto", "hero.glb", "--clip", "run", "-o", "finished", "--force"],
    ];
    for words in commands {
        let text = on_terminal(folder.path(), words);
        assert!(has_bar(&text), "{words:?}: {text}");
        let piped = Command::new(PROGRAM).args(words).current_dir(folder.path()).output().unwrap();
        let lines = [piped.stdout, piped.stderr].concat();
        assert!(!lines.contains(&b'\r') && !has_bar(&String::from_utf8_lossy(&lines)), "{words:?}");
    }
}
