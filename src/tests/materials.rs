//! Surfaces as the window draws them: squares in a row, each with a material of its own, and what is seen of them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::real_window::{Display, Rgb, VIEW};
use super::skipped;

/// A square of 2 m that stands on the ground and looks to +Z.
#[derive(Default)]
struct Square {
    /// glTF material.
    material: Value,
    /// Drawn with these vertex colours.
    color: Option<[f32; 4]>,
    /// Looks to −Z instead.
    turned: bool,
}

/// The turn of the view that a file is first seen from, radians.
const FIRST_YAW: f32 = 0.6;

/// A glTF file of `squares` side by side, 2.5 m from one to the next. `images` are its textures.
fn in_a_row(folder: &Path, squares: &[Square], images: &[image::RgbaImage]) -> PathBuf {
    for (index, image) in images.iter().enumerate() {
        image.save(folder.join(format!("{index}.png"))).unwrap();
    }
    // Position, texture coordinates from the upper left corner of the image, vertex colour.
    let corners = [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0], [-1.0, 2.0, 0.0, 0.0]];
    let vertex = |[x, y, u, v]: [f32; 4], color: [f32; 4]| [vec![x, y, 0.0, u, v], color.to_vec()].concat();
    let block = |square: &Square| {
        let color = square.color.unwrap_or([1.0; 4]);
        let floats: Vec<f32> = corners.iter().flat_map(|&corner| vertex(corner, color)).collect();
        let order: [u16; 6] = if square.turned { [0, 2, 1, 0, 3, 2] } else { [0, 1, 2, 0, 2, 3] };
        let bytes = floats.into_iter().flat_map(f32::to_le_bytes);
        bytes.chain(order.into_iter().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>()
    };
    let buffer: Vec<u8> = squares.iter().flat_map(block).collect();
    std::fs::write(folder.join("row.bin"), &buffer).unwrap();
    let (mut views, mut accessors, mut meshes, mut nodes) = (vec![], vec![], vec![], vec![]);
    for (index, square) in squares.iter().enumerate() {
        let start = index * buffer.len() / squares.len();
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": 144, "byteStride": 36, "target": 34962 }));
        views.push(json!({ "buffer": 0, "byteOffset": start + 144, "byteLength": 12, "target": 34963 }));
        let (vertices, first) = (2 * index, 4 * index);
        let floats = |offset: usize, kind: &str| json!({ "bufferView": vertices, "byteOffset": offset, "componentType": 5126, "count": 4, "type": kind });
        let mut positions = floats(0, "VEC3");
        (positions["min"], positions["max"]) = (json!([-1, 0, 0]), json!([1, 2, 0]));
        accessors.extend([positions, floats(12, "VEC2"), floats(20, "VEC4")]);
        accessors.push(json!({ "bufferView": vertices + 1, "componentType": 5123, "count": 6, "type": "SCALAR" }));
        let mut attributes = json!({ "POSITION": first, "TEXCOORD_0": first + 1 });
        if square.color.is_some() {
            attributes["COLOR_0"] = json!(first + 2);
        }
        let part = json!({ "attributes": attributes, "indices": first + 3, "material": index });
        meshes.push(json!({ "primitives": [part] }));
        // From left to right as the first view has it, so that all are as far from the eye.
        let [x, z] = [FIRST_YAW.cos(), -FIRST_YAW.sin()].map(|way| 2.5 * index as f32 * way);
        nodes.push(json!({ "mesh": index, "translation": [x, 0, z] }));
    }
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": (0..squares.len()).collect::<Vec<_>>() }],
        "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views,
        "buffers": [{ "uri": "row.bin", "byteLength": buffer.len() }],
        "materials": squares.iter().map(|square| square.material.clone()).collect::<Vec<_>>(),
        "textures": (0..images.len()).map(|source| json!({ "source": source })).collect::<Vec<_>>(),
        "images": (0..images.len()).map(|index| json!({ "uri": format!("{index}.png") })).collect::<Vec<_>>(),
    });
    let path = folder.join("row.gltf");
    std::fs::write(&path, without_empty_lists(document).to_string()).unwrap();
    path
}

/// glTF has no empty lists.
fn without_empty_lists(mut document: Value) -> Value {
    document.as_object_mut().unwrap().retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    document
}

/// The pixels of the view on `squares` with their places; `None`, and said so, where there is no OpenGL.
fn seen(squares: &[Square], images: &[image::RgbaImage]) -> Option<Vec<([u32; 2], Rgb)>> {
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

/// Whether these channels, red green blue, are far above the others.
fn is_hue(pixel: Rgb, channels: [bool; 3]) -> bool {
    let of = |on: bool| {
        pixel.iter().zip(channels).filter(move |(_, channel)| *channel == on).map(|(&value, _)| u32::from(value))
    };
    of(true).min().unwrap_or(0) > 2 * of(false).max().unwrap_or(0) + 30
}

fn of_hue(pixels: &[([u32; 2], Rgb)], channels: [bool; 3]) -> Vec<([u32; 2], Rgb)> {
    pixels.iter().copied().filter(|(_, pixel)| is_hue(*pixel, channels)).collect()
}

fn median(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values[values.len() / 2]
}

fn factor(color: [f32; 4]) -> Value {
    json!({ "pbrMetallicRoughness": { "baseColorFactor": color } })
}

fn textured() -> Value {
    json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } })
}

const RED: [bool; 3] = [true, false, false];
const GREEN: [bool; 3] = [false, true, false];
const BLUE: [bool; 3] = [false, false, true];
const CYAN: [bool; 3] = [false, true, true];
const MAGENTA: [bool; 3] = [true, false, true];
const YELLOW: [bool; 3] = [true, true, false];

#[test]
fn textures_stand_upright() {
    let half = |_, row| image::Rgba(if row < 8 { [255, 0, 0, 255] } else { [0, 0, 255, 255] });
    let image = image::RgbaImage::from_fn(16, 16, half);
    let Some(pixels) = seen(&[Square { material: textured(), ..Square::default() }], &[image]) else { return };
    let row = |channels| {
        let rows: Vec<u32> = of_hue(&pixels, channels).iter().map(|([_, y], _)| *y).collect();
        assert!(rows.len() > 1000, "{} pixels", rows.len());
        median(rows)
    };
    assert!(row(RED) + 20 < row(BLUE), "red is above blue in the texture, but at rows {} and {}", row(RED), row(BLUE));
}

#[test]
fn a_texture_has_the_colour_of_the_factor_that_its_bytes_encode() {
    // 14 / 255 on the curve's straight part, 220 / 255 on the other.
    let (dark, bright) = (14.0_f32 / 255.0 / 12.92, ((220.0_f32 / 255.0 + 0.055) / 1.055).powf(2.4));
    let image = image::RgbaImage::from_pixel(4, 4, image::Rgba([220, 14, 14, 255]));
    let squares = [
        Square { material: textured(), ..Square::default() },
        Square { material: factor([bright, dark, dark, 1.0]), ..Square::default() },
    ];
    let Some(pixels) = seen(&squares, &[image]) else { return };
    let red = of_hue(&pixels, RED);
    assert!(red.len() > 2000, "{} pixels", red.len());
    let (left, right) =
        (red.iter().map(|(at, _)| at[0]).min().unwrap(), red.iter().map(|(at, _)| at[0]).max().unwrap());
    let of = |from: u32, to: u32| {
        let within: Vec<Rgb> =
            red.iter().filter(|(at, _)| (from..to).contains(&at[0])).map(|(_, pixel)| *pixel).collect();
        [0, 1, 2].map(|channel| median(within.iter().map(|pixel| u32::from(pixel[channel])).collect()))
    };
    let third = (right - left) / 3;
    let (texture, plain) = (of(left, left + third), of(right - third, right));
    for channel in 0..3 {
        assert!(texture[channel].abs_diff(plain[channel]) <= 2, "{texture:?} is not {plain:?}");
    }
}

#[test]
fn alpha_sides_and_vertex_colours_are_drawn_as_the_file_says() {
    let half = |column, _| image::Rgba([255, 0, 0, if column < 8 { 0 } else { 255 }]);
    let image = image::RgbaImage::from_fn(16, 16, half);
    let with = |mut material: Value, key: &str, value: Value| {
        material[key] = value;
        material
    };
    let squares = [
        Square { material: factor([0.0, 0.0, 1.0, 1.0]), ..Square::default() },
        Square { material: with(textured(), "alphaMode", json!("MASK")), ..Square::default() },
        Square { material: factor([1.0; 4]), color: Some([1.0, 0.0, 1.0, 1.0]), ..Square::default() },
        Square { material: factor([1.0, 1.0, 0.0, 1.0]), turned: true, ..Square::default() },
        Square {
            material: with(factor([0.0, 1.0, 1.0, 1.0]), "doubleSided", json!(true)),
            turned: true,
            ..Square::default()
        },
        Square { material: with(factor([0.0, 1.0, 0.0, 0.5]), "alphaMode", json!("BLEND")), ..Square::default() },
    ];
    let Some(pixels) = seen(&squares, &[image]) else { return };
    let count = |channels| of_hue(&pixels, channels).len() as f64;
    let plain = count(BLUE);
    assert!(plain > 1000.0, "{plain} pixels");
    let share = |channels| count(channels) / plain;
    for (channels, expected) in [(RED, 0.5), (MAGENTA, 1.0), (YELLOW, 0.0), (CYAN, 1.0)] {
        let (low, high) = (0.6 * expected, 1.6 * expected + 0.01);
        assert!(
            (low..=high).contains(&share(channels)),
            "{channels:?}: {} of a square, not {expected}",
            share(channels)
        );
    }
    let green: Vec<u32> = of_hue(&pixels, GREEN).iter().map(|(_, pixel)| u32::from(pixel[1])).collect();
    let cyan: Vec<u32> = of_hue(&pixels, CYAN).iter().map(|(_, pixel)| u32::from(pixel[1])).collect();
    assert!(green.len() > 1000, "{} pixels", green.len());
    let (half, whole) = (f64::from(median(green)), f64::from(median(cyan)));
    assert!(
        (0.45..0.75).contains(&(half / whole)),
        "half see-through green is {half} over a dark ground, whole {whole}"
    );
}
