//! Levels as drawn in the window: with images and edges, and faded in front of the figure.

use std::path::Path;

use glam::{DVec3, Vec3};
use image::RgbImage;
use portamento::session::{Command, EditCommand, FileCommand, Session};
use serde_json::json;

use super::real_window::{Display, Rgb, VIEW};
use super::skipped;
use super::surface_row::{halves, hue};

/// Initial yaw of the view, radians.
const FIRST_YAW: f32 = 0.6;

/// Writes a lawn of 16 m with a wall of 8 × 2.5 m, 1.5 m in front of the centre in the initial view. Its left half is
/// red and its right half blue, independent of lighting.
fn walled_lawn(folder: &Path) -> std::path::PathBuf {
    halves([255, 0, 0], [0, 0, 255]).save(folder.join("wall.png")).unwrap();
    let (toward, right) =
        (Vec3::new(FIRST_YAW.sin(), 0.0, FIRST_YAW.cos()), Vec3::new(FIRST_YAW.cos(), 0.0, -FIRST_YAW.sin()));
    let wall = [(-4.0, 0.0), (4.0, 0.0), (4.0, 2.5), (-4.0, 2.5)].map(|(x, y)| toward * 1.5 + right * x + Vec3::Y * y);
    let lawn = [(-8.0, -8.0), (-8.0, 8.0), (8.0, 8.0), (8.0, -8.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let positions = [[0.0_f32, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
    let floats = wall.iter().chain(&lawn).flat_map(|at| at.to_array()).chain(positions.into_iter().flatten());
    let bytes = floats.flat_map(f32::to_le_bytes).chain([0, 1, 2, 0, 2, 3_u16].into_iter().flat_map(u16::to_le_bytes));
    std::fs::write(folder.join("lawn.bin"), bytes.collect::<Vec<u8>>()).unwrap();
    let points = |view: usize, points: [Vec3; 4]| {
        let low = points.into_iter().reduce(Vec3::min).unwrap().to_array();
        let high = points.into_iter().reduce(Vec3::max).unwrap().to_array();
        json!({ "bufferView": view, "componentType": 5126, "count": 4, "type": "VEC3", "min": low, "max": high })
    };
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0, "name": "lawn" }],
        "meshes": [{ "primitives": [
            { "attributes": { "POSITION": 0, "TEXCOORD_0": 2 }, "indices": 3, "material": 0 },
            { "attributes": { "POSITION": 1 }, "indices": 3 },
        ] }],
        "accessors": [points(0, wall), points(1, lawn),
            { "bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR" }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 96, "byteLength": 32 }, { "buffer": 0, "byteOffset": 128, "byteLength": 12 }],
        "buffers": [{ "uri": "lawn.bin", "byteLength": 140 }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } }, "extensions": { "KHR_materials_unlit": {} } }],
        "textures": [{ "source": 0, "sampler": 0 }], "samplers": [{ "wrapS": 33071, "magFilter": 9728 }],
        "images": [{ "uri": "wall.png" }],
    });
    let path = folder.join("lawn.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    path
}

/// Opens the hero and the lawn.
fn hero_and_lawn(folder: &Path) -> Session {
    let (hero, lawn) = (folder.join("hero.glb"), walled_lawn(folder));
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb"), &hero).unwrap();
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    session.perform(Command::File(FileCommand::Open(vec![hero, lawn])));
    session
}

/// Writes a project in which the hero walks from the centre of the lawn to its far side.
fn project(folder: &Path) -> std::path::PathBuf {
    let mut session = hero_and_lawn(folder);
    session.perform(Command::Edit(EditCommand::AddWalk));
    let (take, level) = (session.document.takes[0].id, session.document.files.last().unwrap().id);
    let walk = session.document.take_mut(take).unwrap().walk_mut().unwrap();
    walk.level = level;
    walk.stops = vec![DVec3::ZERO, DVec3::new(-3.0, 0.0, -5.0)];
    let path = folder.join("walk.portamento");
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    path
}

/// Writes a project in which the hero stands at the centre of the lawn, which is a reference mesh.
fn compared(folder: &Path) -> std::path::PathBuf {
    let mut session = hero_and_lawn(folder);
    let [hero, lawn] = [0, 1].map(|place| session.document.files[place].id);
    session.perform(Command::Edit(EditCommand::AddStretch { character: hero, clip_file: hero, clip: "idle".into() }));
    session.perform(Command::Edit(EditCommand::AddReference(Some(lawn))));
    let path = folder.join("compared.portamento");
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    path
}

/// Returns a screenshot of the project that `made` writes; `None` without a display.
fn picture_of(made: fn(&Path) -> std::path::PathBuf) -> Option<RgbImage> {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => {
            skipped(&reason);
            return None;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let (project, out) = (made(folder.path()), folder.path().join("picture.png"));
    let mut command = display.program(&folder.path().join("home"));
    let done = command.arg("screenshot").arg(&project).args(["--time", "0"]).arg("--out").arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    if words.contains("the window did not open") {
        skipped(&words);
        return None;
    }
    assert!(done.status.success(), "{words}");
    Some(image::open(&out).unwrap().to_rgb8())
}

/// True if the pixel has a pure colour; the path, marks and view cube have no pure red or blue.
fn is(pixel: Rgb, name: char) -> bool {
    hue(pixel) == name && pixel[1] < 12
}

/// The wall in a screenshot.
struct Wall<'a> {
    picture: &'a RgbImage,
    pixels: Vec<(u32, u32, Rgb)>,
    x: (u32, u32),
    y: (u32, u32),
}

impl<'a> Wall<'a> {
    fn of(picture: &'a RgbImage) -> Self {
        let positions =
            (VIEW.x.0 as u32..VIEW.x.1 as u32).flat_map(|x| (VIEW.y.0 as u32..VIEW.y.1 as u32).map(move |y| (x, y)));
        let pixels: Vec<(u32, u32, Rgb)> = positions
            .map(|(x, y)| (x, y, picture.get_pixel(x, y).0))
            .filter(|(_, _, pixel)| is(*pixel, 'R') || is(*pixel, 'B'))
            .collect();
        let range = |of: fn(&(u32, u32, Rgb)) -> u32| {
            (pixels.iter().map(of).min().unwrap(), pixels.iter().map(of).max().unwrap())
        };
        let (x, y) = (range(|at| at.0), range(|at| at.1));
        assert!(x.1 - x.0 > 60 && y.1 - y.0 > 15, "{x:?}, {y:?}");
        Self { picture, pixels, x, y }
    }

    /// Returns the share of pixels with the colour `name` between two x positions, percent.
    fn share(&self, from: u32, to: u32, name: char) -> f64 {
        let ((left, right), (top, low)) = (self.x, self.y);
        let (width, height) = (right - left, low - top);
        let (x, y) = (left + width * from / 100..left + width * to / 100, top + height / 3..low - height / 4);
        let pixels: Vec<Rgb> =
            y.flat_map(|y| x.clone().map(move |x| (x, y))).map(|(x, y)| self.picture.get_pixel(x, y).0).collect();
        pixels.iter().filter(|pixel| is(**pixel, name)).count() as f64 / pixels.len() as f64
    }

    /// Checks that the wall is opaque at its ends and faded in its middle.
    fn fades_in_front(&self) {
        let (left, right) = (self.share(10, 25, 'R'), self.share(75, 90, 'B'));
        assert!(left > 0.95 && right > 0.95, "{left} {right}");
        let before = self.share(47, 50, 'R') + self.share(50, 53, 'B');
        assert!(before < 1.0, "half of the wall before the figure is to be seen through, {before} of two are covered");
    }
}

#[test]
fn a_reference_mesh_is_faded_in_front_of_the_figure() {
    let Some(picture) = picture_of(compared) else { return };
    Wall::of(&picture).fades_in_front();
}

#[test]
fn a_wall_has_its_image_and_edges_and_is_faded_in_front_of_the_figure() {
    let Some(picture) = picture_of(project) else { return };
    let seen = Wall::of(&picture);
    seen.fades_in_front();
    let (wall, (left, right)) = (&seen.pixels, seen.x);
    let width = right - left;
    // The rim is darker than the inside.
    let rim = wall.iter().filter(|at| at.0 > left + width / 10 && at.0 < left + width / 4).map(|at| at.2[0]);
    let (darkest, brightest) = (rim.clone().min().unwrap(), rim.max().unwrap());
    assert!(f64::from(darkest) < 0.85 * f64::from(brightest), "no edge: {darkest} … {brightest}");
    // The lawn is darker at the wall than two metres in front of it.
    let foot = |x: u32| wall.iter().filter(|at| at.0 == x).map(|at| at.1).max().unwrap();
    let lawn = |below: u32| {
        let columns = left + width / 8..left + width / 4;
        columns.map(|x| u32::from(picture.get_pixel(x, foot(x) + below).0[1])).sum::<u32>()
    };
    let (near, open) = (lawn(4), lawn(40));
    assert!(f64::from(near) < 0.93 * f64::from(open), "no shade at the foot: {near}, {open}");
}
