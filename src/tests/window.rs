//! The real window with simulated pointer and keyboard input on a virtual display.
//!
//! Needs Xvfb, xdotool, ImageMagick's `import` and OpenGL (Mesa's software renderer is sufficient). Without them the
//! tests print a message and pass, unless `PORTAMENTO_REQUIRE_GL=1`. All waiting is polling with a deadline.

#![cfg(target_os = "linux")]

mod blender;
mod level_pictures;
mod materials;
mod real_window;
mod recovery;
mod skinning_pictures;
use portamento_test_support as support;
mod surface_row;

use std::path::{Path, PathBuf};

use glam::DVec3;
use portamento::import::import;
use serde_json::Value;

use real_window::{Display, Rgb, Running, Window, samples, wait};

/// Returns the target of the first take.
fn target(project: &str) -> DVec3 {
    let value: Value = serde_json::from_str(project).unwrap();
    let point = &value["document"]["takes"][0]["stages"][0]["stretch"]["settings"]["target"]["world"];
    serde_json::from_value(point.clone()).unwrap()
}

/// Skips the test without OpenGL, unless it is required.
fn skipped(reason: &str) {
    support::skipped("PORTAMENTO_REQUIRE_GL", &format!("no OpenGL: {reason}"));
}

#[test]
fn a_dragged_target_is_saved_undone_redone_and_reached_by_the_exported_file() {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    let window = match Window::open(&display, folder.path()) {
        Ok(window) => window,
        Err(reason) => return skipped(&reason),
    };
    let at_first = std::fs::read_to_string(&window.project).unwrap();
    let ring = window.ring();
    window.drag(ring, &[(ring.0 + 20, ring.1 - 10), (ring.0 + 60, ring.1 - 30), (ring.0 + 90, ring.1 - 24)]);
    let dragged = window.save();
    let moved = target(&dragged) - target(&at_first);
    assert!(moved.length() > 0.2 && moved.y == 0.0, "a drag of the ring moves over the ground, not by {moved}");

    window.key("ctrl+z");
    // The file also has the take that is shown.
    let document = |text: &str| serde_json::from_str::<Value>(text).unwrap()["document"].clone();
    assert_eq!(document(&window.save()), document(&at_first), "one step back is all of the drag and nothing else");
    window.key("ctrl+shift+z");
    assert_eq!(window.save(), dragged);

    let written = folder.path().join("export").join("leap_to_5_m.glb");
    window.key("ctrl+e");
    window.press_main_button(|| import(&written).is_ok());
    let imported = import(&written).unwrap();
    let clip = imported.model.clip("leap to 5 m").expect("the file has the take");
    let end = clip.pose_at(&imported.model.skeleton, clip.duration).world_from_joint(&imported.model.skeleton, 0);
    let off = end.translation.distance(target(&dragged));
    assert!(off < 1e-5, "it ends {off} m beside the target");
}

#[test]
fn pictures_have_the_asked_size_and_show_the_character() {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let project = samples(folder.path());
    let wanted = [
        ("1280x800", "dark", "en"),
        ("1280x800", "light", "zh-CN"),
        ("2560x1440", "light", "en"),
        ("2560x1440", "dark", "zh-CN"),
    ];
    for (size, theme, language) in wanted {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window-{size}-{theme}-{language}.png"));
        let _ = std::fs::remove_file(&out);
        let words = folder.path().join("stderr");
        let mut command = display.program(&folder.path().join("home"));
        command.arg("screenshot").arg(&project).args(["--size", size, "--theme", theme, "--lang", language]);
        command.arg("--out").arg(&out).stderr(std::fs::File::create(&words).unwrap()).env("TMPDIR", &temporary);
        let mut program = Running(command.spawn().unwrap());
        let status = wait("the picture is taken", || program.0.try_wait().unwrap());
        let words = std::fs::read_to_string(&words).unwrap();
        if words.contains("the window did not open") {
            return skipped(&words);
        }
        assert!(status.success(), "{words}");
        check_picture(&out, size, theme);
    }
    // A file that a picture leaves could set the size of a later one.
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// Checks the size, the theme, and that the viewport shows many colours, including the ring's.
fn check_picture(path: &Path, size: &str, theme: &str) {
    let picture = image::open(path).unwrap().to_rgb8();
    let (width, height) = picture.dimensions();
    assert_eq!(format!("{width}x{height}"), size);
    let brightness = picture.get_pixel(4, height / 2).0.iter().map(|&part| u32::from(part)).sum::<u32>() / 3;
    assert_eq!(brightness > 128, theme == "light", "{}: the lists have brightness {brightness}", path.display());
    let (x, y) = (width / 4..width / 2, height / 4..height / 2);
    let mut colours: Vec<Rgb> =
        y.flat_map(|y| x.clone().map(move |x| (x, y))).map(|(x, y)| picture.get_pixel(x, y).0).collect();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 200, "{}: {} colours in the view", path.display(), colours.len());
}
