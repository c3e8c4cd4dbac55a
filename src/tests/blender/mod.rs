//! Times between Blender, the window and the folder of an engine.
//!
//! `cargo test --test window beside_blender -- --ignored --nocapture` prints them. `PORTAMENTO_BLENDER_PYTHON` names a Python
//! with the module `bpy` (PyPI).

use std::path::Path;

use crate::real_window::Display;
use crate::{skipped, support};

/// Number of edits of each kind.
const COUNT: &str = "20";

#[test]
#[ignore = "prints times, which have no limit; takes three minutes"]
fn edits_and_drags_beside_blender_arrive() {
    let list = std::env::var_os("PORTAMENTO_BLENDER_PYTHON").unwrap_or_default();
    let Some(python) = std::env::split_paths(&list).find(|path| path.is_file()) else {
        return support::skipped("PORTAMENTO_REQUIRE_BLENDER", "PORTAMENTO_BLENDER_PYTHON names no Python with bpy");
    };
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let home = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut command = display.command(python);
    command.arg(sources.join("tests/blender/times.py")).arg(sources.join("bridge/blender"));
    command.arg(support::asset("hero.glb")).arg(env!("CARGO_BIN_EXE_portamento")).arg(display.framebuffer()).arg(COUNT);
    command.env("PORTAMENTO_HOME", home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let status = command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent").status().unwrap();
    assert!(status.success());
}
