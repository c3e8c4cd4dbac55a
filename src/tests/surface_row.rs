//! A row of squares with different materials, drawn by the window, and the pixels seen.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::real_window::{Display, Rgb, VIEW};
use super::skipped;

/// A square of 2 m on the ground that faces +Z.
#[derive(Default)]
pub struct Square {
    /// glTF material.
    pub material: Value,
    /// Vertex colours, if any.
    pub color: Option<[f32; 4]>,
    /// True if it faces −Z.
    pub turned: bool,
    /// Offset of its vertical middle line towards the front, metres.
    pub bend: f32,
    /// The normal of all vertices; `None` for a file without normals.
    pub normal: Option<[f32; 3]>,
}

/// An image, and the sampler of its texture.
pub struct Image {
    pub pixels: image::RgbaImage,
    /// glTF sampler.
    pub sampler: Value,
}

/// Position and colour of a pixel.
pub type Seen = ([u32; 2], Rgb);

/// Adjacent pixels of one hue.
pub struct Run {
    /// R, G, B, C, M or Y; a dash if the hue is unclear.
    pub hue: char,
    pub pixels: Vec<Rgb>,
}

/// Initial yaw of the view, radians.
const FIRST_YAW: f32 = 0.6;
/// Bytes of one vertex, and of all vertices of a square.
const BYTES: [usize; 2] = [56, 6 * 56];
/// Triangles of a square: left half and right half.
const ORDER: [u16; 12] = [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4];

impl From<image::RgbaImage> for Image {
    fn from(pixels: image::RgbaImage) -> Self {
        Self { pixels, sampler: json!({}) }
    }
}

/// Returns an image of 16 × 16 pixels with two columns.
pub fn halves(left: Rgb, right: Rgb) -> image::RgbaImage {
    let of = |[red, green, blue]: Rgb| image::Rgba([red, green, blue, 255]);
    image::RgbaImage::from_fn(16, 16, |column, _| of(if column < 8 { left } else { right }))
}

/// Writes a glTF file of `squares` at a distance of 2.5 m, with the textures `images`.
fn in_a_row(folder: &Path, squares: &[Square], images: &[Image]) -> PathBuf {
    for (index, image) in images.iter().enumerate() {
        image.pixels.save(folder.join(format!("{index}.png"))).unwrap();
    }
    let buffer: Vec<u8> = squares.iter().flat_map(square_bytes).collect();
    std::fs::write(folder.join("row.bin"), &buffer).unwrap();
    let (mut views, mut accessors, mut meshes, mut nodes) = (vec![], vec![], vec![], vec![]);
    let [stride, vertex_bytes] = BYTES;
    for (index, square) in squares.iter().enumerate() {
        let start = index * buffer.len() / squares.len();
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": vertex_bytes, "byteStride": stride, "target": 34962 }));
        views.push(json!({ "buffer": 0, "byteOffset": start + vertex_bytes, "byteLength": 24, "target": 34963 }));
        let (vertices, first) = (2 * index, 6 * index);
        let floats = |offset: usize, kind: &str| json!({ "bufferView": vertices, "byteOffset": offset, "componentType": 5126, "count": 6, "type": kind });
        let mut positions = floats(0, "VEC3");
        (positions["min"], positions["max"]) = (json!([-1, 0, 0]), json!([1, 2, square.bend]));
        accessors.extend([positions, floats(12, "VEC2"), floats(20, "VEC2"), floats(28, "VEC4")]);
        accessors.push(json!({ "bufferView": vertices + 1, "componentType": 5123, "count": 12, "type": "SCALAR" }));
        accessors.push(floats(44, "VEC3"));
        let mut attributes = json!({ "POSITION": first, "TEXCOORD_0": first + 1, "TEXCOORD_1": first + 2 });
        if square.color.is_some() {
            attributes["COLOR_0"] = json!(first + 3);
        }
        if square.normal.is_some() {
            attributes["NORMAL"] = json!(first + 5);
        }
        let part = json!({ "attributes": attributes, "indices": first + 4, "material": index });
        meshes.push(json!({ "primitives": [part] }));
        // From left to right in the initial view, at equal distances from the eye.
        let [x, z] = [FIRST_YAW.cos(), -FIRST_YAW.sin()].map(|component| 2.5 * index as f32 * component);
        nodes.push(json!({ "mesh": index, "translation": [x, 0, z] }));
    }
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": (0..squares.len()).collect::<Vec<_>>() }],
        "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views,
        "buffers": [{ "uri": "row.bin", "byteLength": buffer.len() }],
        "materials": squares.iter().map(|square| square.material.clone()).collect::<Vec<_>>(),
        "textures": (0..images.len()).map(|each| json!({ "source": each, "sampler": each })).collect::<Vec<_>>(),
        "samplers": images.iter().map(|image| image.sampler.clone()).collect::<Vec<_>>(),
        "images": (0..images.len()).map(|index| json!({ "uri": format!("{index}.png") })).collect::<Vec<_>>(),
    });
    let path = folder.join("row.gltf");
    std::fs::write(&path, without_empty_lists(document).to_string()).unwrap();
    path
}

/// Returns the vertices from lower left to upper right (position, UVs, a second UV set that covers the upper left
/// quarter, colour, normal), followed by the triangles.
fn square_bytes(square: &Square) -> Vec<u8> {
    let color = square.color.unwrap_or([1.0; 4]);
    let normal = square.normal.unwrap_or([0.0, 0.0, 1.0]);
    let vertex = |index: usize| {
        let (u, v) = ((index % 3) as f32 * 0.5, 1.0 - (index / 3) as f32);
        let z = if index % 3 == 1 { square.bend } else { 0.0 };
        [2.0 * u - 1.0, 2.0 - 2.0 * v, z, u, v, 0.5 * u, 0.5 * v].into_iter().chain(color).chain(normal)
    };
    let turned = |[a, b, c]: [u16; 3]| if square.turned { [a, c, b] } else { [a, b, c] };
    let corners = ORDER.as_chunks::<3>().0.iter().copied().flat_map(turned);
    let bytes = (0..6).flat_map(vertex).flat_map(f32::to_le_bytes);
    bytes.chain(corners.flat_map(u16::to_le_bytes)).collect()
}

/// Removes empty lists, which glTF does not allow.
fn without_empty_lists(mut document: Value) -> Value {
    document.as_object_mut().unwrap().retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    document
}

/// Returns the viewport pixels of `squares`; `None`, with a message, without OpenGL.
pub fn seen(squares: &[Square], images: &[Image]) -> Option<Vec<Seen>> {
    let display = Display::open().map_err(|reason| skipped(&reason)).ok()?;
    let folder = tempfile::tempdir().unwrap();
    let (row, out) = (in_a_row(folder.path(), squares, images), folder.path().join("picture.png"));
    let mut command = display.program(&folder.path().join("home"));
    let done = command.arg("screenshot").arg(&row).arg("--out").arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    if words.contains("the window did not open") {
        skipped(&words);
        return None;
    }
    assert!(done.status.success(), "{words}");
    let picture = image::open(&out).unwrap().to_rgb8();
    let (x, y) = (VIEW.x.0 as u32..VIEW.x.1 as u32, VIEW.y.0 as u32..VIEW.y.1 as u32);
    Some(y.flat_map(|y| x.clone().map(move |x| [x, y])).map(|[x, y]| ([x, y], picture.get_pixel(x, y).0)).collect())
}

/// Returns the runs of hues along a horizontal line at the fraction `down` of the coloured area. Omits the ground on
/// both sides and narrow transitions.
pub fn runs(pixels: &[Seen], down: f64) -> Vec<Run> {
    let rows: Vec<u32> = pixels.iter().filter(|(_, pixel)| hue(*pixel) != '-').map(|(at, _)| at[1]).collect();
    let (first, last) = (rows.iter().min().unwrap(), rows.iter().max().unwrap());
    let row = first + (f64::from(last - first) * down).round() as u32;
    let mut runs: Vec<Run> = Vec::new();
    for (_, pixel) in pixels.iter().filter(|(at, _)| at[1] == row) {
        let hue = hue(*pixel);
        match runs.last_mut().filter(|run| run.hue == hue) {
            Some(run) => run.pixels.push(*pixel),
            None => runs.push(Run { hue, pixels: vec![*pixel] }),
        }
    }
    runs.retain(|run| run.pixels.len() > 3);
    let ends = |run: Option<&Run>| run.is_some_and(|run| run.hue == '-');
    while ends(runs.first()) {
        runs.remove(0);
    }
    while ends(runs.last()) {
        runs.pop();
    }
    runs
}

/// Returns the hues of `runs` as a string.
pub fn hues(runs: &[Run]) -> String {
    let mut word: String = runs.iter().map(|run| run.hue).collect();
    // Merge neighbouring runs of one hue: the run between them was too narrow.
    for hue in "RGBCMY-".chars() {
        while word.contains(&format!("{hue}{hue}")) {
            word = word.replace(&format!("{hue}{hue}"), &hue.to_string());
        }
    }
    word
}

/// Returns the median brightness of each square of one hue, in its brightest channel.
pub fn brightness(pixels: &[Seen]) -> Vec<u32> {
    let of = |run: &Run| median(run.pixels.iter().map(|pixel| u32::from(*pixel.iter().max().unwrap())).collect());
    runs(pixels, 0.5).iter().filter(|run| run.hue != '-').map(of).collect()
}

/// Returns the channels of `pixel` that are far above the others.
pub fn hue(pixel: Rgb) -> char {
    let channels = |on: [bool; 3]| is_hue(pixel, on);
    let names = [('R', RED), ('G', GREEN), ('B', BLUE), ('C', CYAN), ('M', MAGENTA), ('Y', YELLOW)];
    names.iter().find(|(_, on)| channels(*on)).map_or('-', |(name, _)| *name)
}

/// True if these channels (red, green, blue) are far above the others.
fn is_hue(pixel: Rgb, channels: [bool; 3]) -> bool {
    let of = |on: bool| {
        pixel.iter().zip(channels).filter(move |(_, channel)| *channel == on).map(|(&value, _)| u32::from(value))
    };
    of(true).min().unwrap_or(0) > 2 * of(false).max().unwrap_or(0) + 30
}

pub fn of_hue(pixels: &[Seen], channels: [bool; 3]) -> Vec<Seen> {
    pixels.iter().copied().filter(|(_, pixel)| is_hue(*pixel, channels)).collect()
}

pub fn median(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values[values.len() / 2]
}

pub const RED: [bool; 3] = [true, false, false];
pub const GREEN: [bool; 3] = [false, true, false];
pub const BLUE: [bool; 3] = [false, false, true];
pub const CYAN: [bool; 3] = [false, true, true];
pub const MAGENTA: [bool; 3] = [true, false, true];
pub const YELLOW: [bool; 3] = [true, true, false];
