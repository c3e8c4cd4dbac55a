//! The real window, driven with a real pointer and real keys on a display of its own.
//!
//! Needs Xvfb, xdotool, ImageMagick's `import` and OpenGL (Mesa's software renderer does). Without them the tests say so and
//! pass, unless `PORTAMENTO_REQUIRE_GL=1`. Nothing here waits for a fixed time: everything is polled until a deadline.

#![cfg(target_os = "linux")]

mod real_window;
mod recovery;
mod support;

use std::path::{Path, PathBuf};

use glam::DVec3;
use portamento::import::import;
use serde_json::Value;

use real_window::{Display, Rgb, Running, VIEW, Window, samples, wait};

/// Where the first take is to end.
fn target(project: &str) -> DVec3 {
    let value: Value = serde_json::from_str(project).unwrap();
    let point = &value["document"]["takes"][0]["stages"][0]["stretch"]["settings"]["target"]["world"];
    serde_json::from_value(point.clone()).unwrap()
}

/// Passes where there is no OpenGL, unless it is required.
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
    assert_eq!(window.save(), at_first, "one step back is all of the drag and nothing else");
    window.key("ctrl+shift+z");
    assert_eq!(window.save(), dragged);

    let written = folder.path().join("export").join("leap to 5 m.glb");
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
        command.arg("--out").arg(&out).stderr(std::fs::File::create(&words).unwrap());
        let mut program = Running(command.spawn().unwrap());
        let status = wait("the picture is taken", || program.0.try_wait().unwrap());
        let words = std::fs::read_to_string(&words).unwrap();
        if words.contains("the window did not open") {
            return skipped(&words);
        }
        assert!(status.success(), "{words}");
        check_picture(&out, size, theme);
    }
}

/// The size is as asked, the theme as asked, and the view shows many colours, of which the ring's is one.
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

/// A square of 2 m that stands on the ground and looks to +Z; its texture is red above and blue below.
fn textured_square(folder: &Path) -> PathBuf {
    let corners: [[f32; 5]; 4] =
        [[-1.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 0.0, 1.0, 0.0], [-1.0, 2.0, 0.0, 0.0, 0.0]];
    let floats = corners.iter().flatten().flat_map(|value| value.to_le_bytes());
    let indices = [0_u16, 1, 2, 0, 2, 3].into_iter().flat_map(u16::to_le_bytes);
    std::fs::write(folder.join("square.bin"), floats.chain(indices).collect::<Vec<_>>()).unwrap();
    let image = image::RgbImage::from_fn(16, 16, |_, row| image::Rgb(if row < 8 { [255, 0, 0] } else { [0, 0, 255] }));
    image.save(folder.join("square.png")).unwrap();
    let document = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0, "name": "square" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } }, "doubleSided": true }],
        "textures": [{ "source": 0 }], "images": [{ "uri": "square.png" }],
        "buffers": [{ "uri": "square.bin", "byteLength": 92 }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 80, "byteStride": 20, "target": 34962 },
            { "buffer": 0, "byteOffset": 80, "byteLength": 12, "target": 34963 }
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, 0, 0], "max": [1, 2, 0] },
            { "bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ]
    });
    let path = folder.join("square.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    path
}

#[test]
fn textures_stand_upright() {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    let square = textured_square(folder.path());
    let out = folder.path().join("square-picture.png");
    let mut command = display.program(&folder.path().join("home"));
    command.arg("screenshot").arg(&square).arg("--out").arg(&out);
    let done = command.output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    if words.contains("the window did not open") {
        return skipped(&words);
    }
    assert!(done.status.success(), "{words}");
    let picture = image::open(&out).unwrap().to_rgb8();
    let rows_of = |channel: usize| {
        let others = [(channel + 1) % 3, (channel + 2) % 3];
        let is_pure =
            |pixel: &Rgb| others.iter().all(|&other| u16::from(pixel[channel]) > 2 * u16::from(pixel[other]) + 40);
        let seen = picture.enumerate_pixels().filter(|(x, y, pixel)| {
            (VIEW.x.0..VIEW.x.1).contains(&(*x as usize))
                && (VIEW.y.0..VIEW.y.1).contains(&(*y as usize))
                && is_pure(&pixel.0)
        });
        let rows: Vec<f64> = seen.map(|(_, y, _)| f64::from(y)).collect();
        assert!(rows.len() > 1000, "{} pixels of channel {channel}", rows.len());
        rows.iter().sum::<f64>() / rows.len() as f64
    };
    let (red, blue) = (rows_of(0), rows_of(2));
    assert!(red + 20.0 < blue, "red is above blue in the texture, but at rows {red} and {blue} in the picture");
}
