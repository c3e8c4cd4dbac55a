//! The commit that a release is made of, for `--version`.
//!
//! `PORTAMENTO_COMMIT` names it where the source is no checkout. Builds while one works ask nobody: each commit would compile
//! everything again.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/packaging/build.rs");
    println!("cargo:rerun-if-env-changed=PORTAMENTO_COMMIT");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let named = std::env::var("PORTAMENTO_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| is_release.then(checked_out).flatten());
    let version = env!("CARGO_PKG_VERSION");
    let text = commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=PORTAMENTO_VERSION={text}");
}

/// The commit of this very folder's checkout, and not of one that it happens to lie in.
fn checked_out() -> Option<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    if !folder.join(".git").exists() {
        return None;
    }
    for file in ["HEAD", "refs/heads"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}
