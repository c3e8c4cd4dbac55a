//! Materials as drawn in the window: every glTF property that the window supports.

use serde_json::{Value, json};

use super::real_window::Rgb;
use super::surface_row::{
    BLUE, CYAN, GREEN, Image, MAGENTA, RED, Square, YELLOW, brightness, halves, hues, median, of_hue, runs, seen,
};

fn factor(color: [f32; 4]) -> Value {
    json!({ "pbrMetallicRoughness": { "baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 1 } })
}

fn textured() -> Value {
    shown(json!({ "index": 0 }))
}

/// Returns a matte material with the glTF textureInfo `info`.
fn shown(info: Value) -> Value {
    json!({ "pbrMetallicRoughness": { "baseColorTexture": info, "metallicFactor": 0, "roughnessFactor": 1 } })
}

/// Returns `material` with an additional property.
fn with(mut material: Value, key: &str, value: Value) -> Value {
    material[key] = value;
    material
}

/// Returns squares with these materials.
fn plain<const N: usize>(materials: [Value; N]) -> [Square; N] {
    materials.map(|material| Square { material, ..Square::default() })
}

fn one_pixel(color: [u8; 4]) -> Image {
    image::RgbaImage::from_pixel(1, 1, image::Rgba(color)).into()
}

const RED_MATTE: [f32; 4] = [0.6, 0.0, 0.0, 1.0];

#[test]
fn textures_are_upright() {
    let half = |_, row| image::Rgba(if row < 8 { [255, 0, 0, 255] } else { [0, 0, 255, 255] });
    let image = image::RgbaImage::from_fn(16, 16, half);
    let Some(pixels) = seen(&[Square { material: textured(), ..Square::default() }], &[image.into()]) else { return };
    let row = |channels| {
        let rows: Vec<u32> = of_hue(&pixels, channels).iter().map(|([_, y], _)| *y).collect();
        assert!(rows.len() > 1000, "{} pixels", rows.len());
        median(rows)
    };
    assert!(row(RED) + 20 < row(BLUE), "red is above blue in the texture, but at rows {} and {}", row(RED), row(BLUE));
}

#[test]
fn a_texture_has_the_colour_of_the_factor_that_its_bytes_encode() {
    // 14/255 lies on the linear part of the sRGB curve, 220/255 on the other.
    let (dark, bright) = (14.0_f32 / 255.0 / 12.92, ((220.0_f32 / 255.0 + 0.055) / 1.055).powf(2.4));
    let image = image::RgbaImage::from_pixel(4, 4, image::Rgba([220, 14, 14, 255]));
    let squares = [
        Square { material: textured(), ..Square::default() },
        Square { material: factor([bright, dark, dark, 1.0]), ..Square::default() },
    ];
    let Some(pixels) = seen(&squares, &[image.into()]) else { return };
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
    let Some(pixels) = seen(&squares, &[image.into()]) else { return };
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

#[test]
fn images_repeat_mirror_or_clamp_as_their_sampler_says() {
    let wrapped = |wrap: u32| Image { pixels: halves([255, 0, 0], [0, 0, 255]), sampler: json!({ "wrapS": wrap }) };
    let twice = |index: usize| {
        let transform = json!({ "scale": [2, 1] });
        shown(json!({ "index": index, "extensions": { "KHR_texture_transform": transform } }))
    };
    let images = [wrapped(10497), wrapped(33648), wrapped(33071)];
    let Some(pixels) = seen(&plain([twice(0), twice(1), twice(2)]), &images) else { return };
    assert_eq!(hues(&runs(&pixels, 0.5)), "RBRB-RBR-RB");
}

#[test]
fn magnified_pixels_are_nearest_or_linear_as_their_sampler_says() {
    let two = || {
        image::RgbaImage::from_fn(2, 1, |x, _| image::Rgba(if x == 0 { [255, 0, 0, 255] } else { [0, 0, 255, 255] }))
    };
    let read = |filter: u32| Image { pixels: two(), sampler: json!({ "magFilter": filter, "wrapS": 33071 }) };
    let materials = [shown(json!({ "index": 0 })), shown(json!({ "index": 1 }))];
    let Some(pixels) = seen(&plain(materials), &[read(9728), read(9729)]) else { return };
    assert_eq!(hues(&runs(&pixels, 0.5)), "RB-R-M-B");
}

#[test]
fn images_follow_their_transform_and_coordinates() {
    let quarter = |x, y| match (x < 8, y < 8) {
        (true, true) => [255, 0, 0, 255],
        (false, true) => [0, 255, 0, 255],
        (true, false) => [0, 0, 255, 255],
        (false, false) => [255, 255, 0, 255],
    };
    let image = image::RgbaImage::from_fn(16, 16, |x, y| image::Rgba(quarter(x, y)));
    let moved = |transform: Value| shown(json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } }));
    // The first UV set makes it black, the second selects the emission.
    let mut both = with(
        with(textured(), "emissiveTexture", json!({ "index": 0, "texCoord": 1 })),
        "emissiveFactor",
        json!([1, 1, 1]),
    );
    both["pbrMetallicRoughness"]["baseColorFactor"] = json!([0, 0, 0, 1]);
    let squares = plain([
        moved(json!({})),
        moved(json!({ "scale": [0.5, 0.5], "offset": [0.5, 0] })),
        moved(json!({ "rotation": std::f32::consts::FRAC_PI_2 })),
        // The second UV set covers only the upper left quarter.
        shown(json!({ "index": 0, "texCoord": 1 })),
        moved(json!({ "texCoord": 1 })),
        both,
    ]);
    let Some(pixels) = seen(&squares, &[image.into()]) else { return };
    assert_eq!(hues(&runs(&pixels, 0.75)), "BY-G-YG-R-R-R");
}

#[test]
fn emission_is_the_product_of_image_factor_and_strength() {
    let black = || factor([0.0, 0.0, 0.0, 1.0]);
    let strong = with(
        with(black(), "emissiveFactor", json!([0.2, 0, 0])),
        "extensions",
        json!({ "KHR_materials_emissive_strength": { "emissiveStrength": 4 } }),
    );
    let image = with(
        with(black(), "emissiveTexture", json!({ "index": 0, "texCoord": 1 })),
        "emissiveFactor",
        json!([1, 1, 1]),
    );
    let squares = plain([with(black(), "emissiveFactor", json!([0.2, 0, 0])), strong, image]);
    // The second UV set covers only the left half.
    let Some(pixels) = seen(&squares, &[halves([0, 0, 255], [255, 0, 0]).into()]) else { return };
    assert_eq!(hues(&runs(&pixels, 0.5)), "R-R-B");
    let bright = brightness(&pixels);
    // 0.2 and 0.8 in sRGB, plus a small reflection.
    assert!((120..140).contains(&bright[0]) && (228..238).contains(&bright[1]), "{bright:?}");
}

#[test]
fn normals_follow_their_map_and_scale() {
    // Left, right, up and down by 30°, encoded as colours.
    let images = [[64, 128, 238, 255], [191, 128, 238, 255], [128, 191, 238, 255], [128, 64, 238, 255]].map(one_pixel);
    let leaning = |map: Value| with(factor(RED_MATTE), "normalTexture", map);
    let squares = plain([
        factor(RED_MATTE),
        leaning(json!({ "index": 0 })),
        leaning(json!({ "index": 1 })),
        leaning(json!({ "index": 2 })),
        leaning(json!({ "index": 3 })),
        leaning(json!({ "index": 1, "scale": 0 })),
    ]);
    let Some(pixels) = seen(&squares, &images) else { return };
    let bright = brightness(&pixels);
    let [plain, left, right, up, down, unscaled] = bright[..] else { panic!("{bright:?}") };
    // The light comes from above and slightly from the left.
    assert!(left > plain + 1 && plain > right + 1 && up > plain + 8 && plain > down + 8, "{bright:?}");
    assert!(unscaled.abs_diff(plain) <= 2, "{bright:?}");
}

#[test]
fn metalness_and_roughness_are_factors_times_blue_and_green() {
    let surface = |metal: f32, rough: f32| {
        let mut material = factor(RED_MATTE);
        material["pbrMetallicRoughness"]["metallicFactor"] = json!(metal);
        material["pbrMetallicRoughness"]["roughnessFactor"] = json!(rough);
        material
    };
    let mapped = |index: usize| {
        let mut material = surface(1.0, 1.0);
        material["pbrMetallicRoughness"]["metallicRoughnessTexture"] = json!({ "index": index });
        material
    };
    let squares = plain([surface(0.0, 1.0), mapped(0), surface(1.0, 0.2), mapped(1), surface(1.0, 1.0)]);
    let Some(pixels) = seen(&squares, &[one_pixel([0, 255, 0, 255]), one_pixel([255, 51, 255, 255])]) else { return };
    let bright = brightness(&pixels);
    let [matte, matte_map, mirror, mirror_map, rough_metal] = bright[..] else { panic!("{bright:?}") };
    assert!(matte.abs_diff(matte_map) <= 1 && mirror.abs_diff(mirror_map) <= 1, "{bright:?}");
    // A mirror reflects the dim surroundings; rough metal scatters light almost like matte paint.
    assert!(mirror + 30 < matte && rough_metal.abs_diff(matte) < 30, "{bright:?}");
}

#[test]
fn occlusion_reduces_ambient_light_by_red_and_strength() {
    let hidden =
        |strength: f32| with(factor(RED_MATTE), "occlusionTexture", json!({ "index": 0, "strength": strength }));
    let squares = plain([factor(RED_MATTE), hidden(0.5), hidden(1.0), hidden(0.0)]);
    let Some(pixels) = seen(&squares, &[one_pixel([0, 255, 255, 255])]) else { return };
    let bright = brightness(&pixels);
    let [open, half, closed, ignored] = bright[..] else { panic!("{bright:?}") };
    assert!(open > half + 4 && half > closed + 4 && closed > open / 2 && ignored.abs_diff(open) <= 1, "{bright:?}");
}

#[test]
fn unlit_surfaces_keep_their_colour_and_missing_normals_give_flat_shading() {
    let unlit = with(factor([0.0, 0.0, 1.0, 1.0]), "extensions", json!({ "KHR_materials_unlit": {} }));
    let bent = Square { material: factor(RED_MATTE), bend: 0.6, ..Square::default() };
    let Some(pixels) = seen(&[Square { material: unlit, ..Square::default() }, bent], &[]) else { return };
    let along = runs(&pixels, 0.5);
    assert_eq!(hues(&along), "B-R");
    assert_eq!(brightness(&pixels)[0], 255);
    let blue = &along[0].pixels;
    assert!(blue[blue.len() / 2][0] <= 1, "{:?}", blue[blue.len() / 2]);
    let red: Vec<u32> = along[2].pixels.iter().map(|pixel| u32::from(pixel[0])).collect();
    // Each half has one shade; smooth normals would give a gradient.
    let step = red.windows(7).map(|near| near[0].abs_diff(near[6])).max().unwrap();
    assert!(step > 12, "no edge between the halves: {red:?}");
    let parts = red.chunks(red.len() / 8 + 1).map(|part| part[part.len() / 2]).collect::<Vec<u32>>();
    assert!(parts[0].abs_diff(parts[1]) <= 4 && parts[6].abs_diff(parts[7]) <= 4, "{parts:?}");
}

#[test]
fn a_smooth_normal_facing_away_from_the_eye_still_shades_the_visible_side() {
    // The left half is seen at a grazing angle of 77°. One normal is at 84°, the other at 109°, both within 35° of
    // the face normal.
    let square = |degrees: f32| {
        let normal = Some([degrees.to_radians().sin(), 0.0, degrees.to_radians().cos()]);
        Square { material: factor(RED_MATTE), bend: 0.9, normal, ..Square::default() }
    };
    let Some(pixels) = seen(&[square(-50.0), square(-75.0)], &[]) else { return };
    let along = runs(&pixels, 0.5);
    assert_eq!(hues(&along), "R-R");
    let left = |run: usize| along[run].pixels[along[run].pixels.len() / 12][0];
    let [toward, away] = [left(0), left(2)].map(u32::from);
    assert!(20 * away > 17 * toward, "{away} beside {toward}: lit from behind");
}
