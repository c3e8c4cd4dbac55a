//! The commit of a release build, shown by `--version`.
//!
//! `PORTAMENTO_COMMIT` gives the commit if the source is not a git checkout. Development builds omit it, because each
//! commit would cause a full rebuild.

use std::path::Path;

/// Number of digits of the commit that are shown.
const DIGITS: usize = 10;

fn main() {
    println!("cargo:rerun-if-changed=../packaging/build.rs");
    println!("cargo:rerun-if-env-changed=PORTAMENTO_COMMIT");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let named = std::env::var("PORTAMENTO_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| is_release.then(checked_out).flatten());
    let version = env!("CARGO_PKG_VERSION");
    let text = commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=PORTAMENTO_VERSION={text}");
}

/// Returns the commit of the git checkout in this folder, not of a parent folder. Reads the git files directly, so
/// that no program is needed; `None` if they are stored elsewhere.
fn checked_out() -> Option<String> {
    let git = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.git");
    let read = |file: &str| {
        let path = git.join(file);
        let text = std::fs::read_to_string(&path).ok()?;
        println!("cargo:rerun-if-changed={}", path.display());
        Some(text)
    };
    let head = read("HEAD")?;
    let commit = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(branch) => read(branch).or_else(|| packed(&read("packed-refs")?, branch))?.trim().to_owned(),
    };
    let is_one = commit.len() >= DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_one.then(|| commit[..DIGITS].to_owned())
}

/// Returns the commit of `branch` in the text of packed references.
fn packed(references: &str, branch: &str) -> Option<String> {
    let of_branch = |line: &str| line.strip_suffix(branch)?.strip_suffix(' ').map(str::to_owned);
    references.lines().find_map(of_branch)
}
