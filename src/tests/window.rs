//! The real window, driven with a real pointer and real keys on a display of its own.
//!
//! Needs Xvfb, xdotool, ImageMagick's `import` and OpenGL (Mesa's software renderer does). Without them the tests say so and
//! pass, unless `PORTAMENTO_REQUIRE_GL=1`. Nothing here waits for a fixed time: everything is polled until a deadline.

#![cfg(target_os = "linux")]

mod support;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use glam::DVec3;
use portamento::import::import;
use serde_json::Value;

type Rgb = [u8; 3];

/// What targets are drawn in.
const RING: Rgb = [0x4C, 0xC2, 0xFF];
/// What the main button of a dialog is filled with.
const BUTTON: Rgb = [0xFF, 0x8A, 0x3D];
const SIZE: (usize, usize) = (1280, 800);
/// Where the character is seen: between the lists, above the plots.
const VIEW: Area = Area { x: (225, 900), y: (80, 440) };
const ALL: Area = Area { x: (0, SIZE.0), y: (0, SIZE.1) };
const PATIENCE: Duration = Duration::from_secs(40);

#[derive(Clone, Copy)]
struct Area {
    x: (usize, usize),
    y: (usize, usize),
}

/// A program that ends with the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Display {
    name: String,
    _server: Running,
}

impl Display {
    fn open() -> Result<Self, String> {
        for tool in ["Xvfb", "xdotool", "import"] {
            let found = std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()));
            if !found {
                return Err(format!("{tool} is not installed"));
            }
        }
        let mut xvfb = Command::new("Xvfb");
        xvfb.args(["-displayfd", "1", "-screen", "0", "2560x1440x24", "-nolisten", "tcp"]);
        let server = xvfb.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = Running(server.map_err(|error| format!("Xvfb did not start: {error}"))?);
        let mut number = String::new();
        let output = server.0.stdout.take().ok_or("Xvfb says nothing")?;
        BufReader::new(output).read_line(&mut number).map_err(|error| error.to_string())?;
        match number.trim() {
            "" => Err("Xvfb opened no display".into()),
            number => Ok(Self { name: format!(":{number}"), _server: server }),
        }
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env("LIBGL_ALWAYS_SOFTWARE", "1");
        command
    }

    fn program(&self, home: &Path) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_portamento"));
        command.env("PORTAMENTO_HOME", home);
        command
    }
}

/// The window with the sample project open.
struct Window<'a> {
    display: &'a Display,
    _program: Running,
    id: String,
    project: PathBuf,
}

impl<'a> Window<'a> {
    fn open(display: &'a Display, folder: &Path) -> Result<Self, String> {
        let project = samples(folder);
        let words = folder.join("stderr");
        let stderr = std::fs::File::create(&words).unwrap();
        let child = display.program(&folder.join("home")).arg(&project).stderr(stderr).spawn().unwrap();
        let mut program = Running(child);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = output(display.command("xdotool").args(["search", "--onlyvisible", "--name", "^samples"]));
            if let Some(id) = found.lines().next() {
                let window = Self { display, _program: program, id: id.to_owned(), project };
                window.xdotool(&["windowfocus", &window.id]);
                return Ok(window);
            }
            if program.0.try_wait().unwrap().is_some() {
                let words = std::fs::read_to_string(&words).unwrap();
                assert!(words.contains("the window did not open"), "it ended by itself: {words}");
                return Err(words);
            }
            assert!(Instant::now() < deadline, "no window appeared");
            pause();
        }
    }

    fn xdotool(&self, arguments: &[&str]) {
        let status = self.display.command("xdotool").args(arguments).status().unwrap();
        assert!(status.success(), "xdotool {arguments:?}");
    }

    fn key(&self, keys: &str) {
        self.xdotool(&["key", "--clearmodifiers", keys]);
    }

    fn point(&self, (x, y): (usize, usize)) {
        self.xdotool(&["mousemove", "--window", &self.id, &x.to_string(), &y.to_string()]);
    }

    /// What the window shows now, row by row.
    fn pixels(&self) -> Vec<Rgb> {
        let mut import = self.display.command("import");
        let bytes = import.args(["-silent", "-window", &self.id, "-depth", "8", "rgb:-"]).output().unwrap().stdout;
        let pixels: Vec<Rgb> = bytes.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect();
        assert_eq!(pixels.len(), SIZE.0 * SIZE.1, "the window has another size");
        pixels
    }

    /// What the window shows once nothing changes any more.
    fn still(&self) -> Vec<Rgb> {
        let mut last = self.pixels();
        wait("the window comes to rest", || {
            let now = self.pixels();
            let is_still = now == last;
            last = now;
            is_still.then(|| last.clone())
        })
    }

    fn title(&self) -> String {
        output(self.display.command("xdotool").args(["getwindowname", &self.id]))
    }

    fn wait_unsaved(&self, unsaved: bool) {
        wait(&format!("the title says unsaved: {unsaved}"), || (self.title().contains('*') == unsaved).then_some(()));
    }

    /// Saves, and gives the file when it is written.
    fn save(&self) -> String {
        self.wait_unsaved(true);
        self.key("ctrl+s");
        self.wait_unsaved(false);
        std::fs::read_to_string(&self.project).unwrap()
    }

    /// The middle of the blue ring.
    fn ring(&self) -> (usize, usize) {
        wait("the target's ring is drawn", || {
            let seen = of_colour(&self.pixels(), VIEW, RING);
            let left = *seen.iter().min()?;
            let right = *seen.iter().max()?;
            // The ring is as wide as it is wherever the camera stands; less is a part of it.
            (right.0 - left.0 > 40).then_some(((left.0 + right.0) / 2, (left.1 + right.1) / 2))
        })
    }

    /// Drags what lies at `from` by `steps`, each seen by the window before the next.
    fn drag(&self, from: (usize, usize), steps: &[(usize, usize)]) {
        let mut before = self.still();
        let mut seen = |what: &str| {
            wait(what, || (self.pixels() != before).then_some(()));
            before = self.still();
        };
        self.point(from);
        seen("the ring lights up");
        self.xdotool(&["mousedown", "1"]);
        seen("the readout appears");
        for &to in steps {
            self.point(to);
            seen("the target follows");
        }
        self.xdotool(&["mouseup", "1"]);
        // Keys belong to the drag until its end is drawn.
        seen("the readout goes");
    }

    /// Presses the main button of the open dialog.
    fn press_main_button(&self) {
        // A dialog finds its place over its first frames.
        let at = wait("the dialog's main button is drawn", || main_button(&self.still()));
        self.point(at);
        self.still();
        self.xdotool(&["mousedown", "1"]);
        self.still();
        self.xdotool(&["mouseup", "1"]);
        wait("the dialog closes", || main_button(&self.still()).is_none().then_some(()));
    }
}

/// A copy of the sample project in `folder`.
fn samples(folder: &Path) -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for file in std::fs::read_dir(assets).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    folder.join("samples.portamento")
}

fn output(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.stderr(Stdio::null()).output().unwrap().stdout).trim().to_owned()
}

fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}

/// Asks `question` again and again until it has an answer.
fn wait<T>(what: &str, mut question: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = question() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        pause();
    }
}

fn is_near(a: Rgb, b: Rgb) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 8)
}

/// The places in `area` that have `colour`.
fn of_colour(pixels: &[Rgb], area: Area, colour: Rgb) -> Vec<(usize, usize)> {
    let all = (area.y.0..area.y.1).flat_map(|y| (area.x.0..area.x.1).map(move |x| (x, y)));
    all.filter(|&(x, y)| is_near(pixels[y * SIZE.0 + x], colour)).collect()
}

/// A place on the left edge of the button: its fill is at least 16 pixels high and 40 wide there.
fn main_button(pixels: &[Rgb]) -> Option<(usize, usize)> {
    let is_filled = |x: usize, y: usize| is_near(pixels[y * SIZE.0 + x], BUTTON);
    let seen = of_colour(pixels, ALL, BUTTON);
    let (x, y) = (seen.iter().map(|at| at.0).min()?, seen.iter().map(|at| at.1).min()?);
    let (right, bottom) = (seen.iter().map(|at| at.0).max()?, seen.iter().map(|at| at.1).max()?);
    let is_button = right - x > 40 && bottom - y > 16 && bottom - y < 40 && is_filled(x + 4, (y + bottom) / 2);
    is_button.then_some((x + 4, (y + bottom) / 2))
}

/// Where the first take is to end.
fn target(project: &str) -> DVec3 {
    let value: Value = serde_json::from_str(project).unwrap();
    let point = &value["document"]["takes"][0]["modifiers"][0]["stretch"]["settings"]["target"]["world"];
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

    window.key("ctrl+e");
    window.press_main_button();
    let written = folder.path().join("export").join("leap to 5 m.glb");
    let imported = wait("the take is exported", || import(&written).ok());
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
