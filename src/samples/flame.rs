//! A flame that never repeats: a tongue of heat eroded by rising noise, coloured by its heat.
//!
//! The noise is value noise in octaves on a lattice of hashed numbers (Perlin 1985; Musgrave 1993).
//! It uses only sums and products, so every machine gives the same bytes.

use std::sync::Arc;

use portamento_anim::media::{Channels, Depth, ImageInfo, Pixels};
use portamento_base::progress::Progress;
use portamento_formats::export::ExportError;
use portamento_formats::export::images::{self, ImageFrames};

const WIDTH: u32 = 96;
const HEIGHT: u32 = 128;
const FRAMES: usize = 48;
const FPS: f64 = 24.0;
/// Number of heat steps: few enough for a small file, too many to be visible.
const HEAT_STEPS: f64 = 63.0;

/// Returns the frames as an APNG in straight sRGB.
pub fn apng() -> Result<Vec<u8>, ExportError> {
    let info = ImageInfo {
        width: WIDTH,
        height: HEIGHT,
        depth: Depth::U8,
        channels: Channels::Rgba,
        premultiplied: false,
        linear: false,
        frames: FRAMES,
        fps: FPS,
    };
    let paint = |frame: usize| Ok(Arc::new(Pixels::U8(frame_at(frame as f64 / FPS))));
    images::apng(&ImageFrames { name: "flame", info, frame: &paint }, &Progress::new())
}

/// Returns the height of each pixel, from 0 in the lowest row to 1 in the highest.
pub fn heights() -> Vec<f32> {
    (0..WIDTH * HEIGHT).map(|i| 1.0 - (i / WIDTH) as f32 / (HEIGHT - 1) as f32).collect()
}

/// Returns the pixels at `time` (seconds), top row first.
fn frame_at(time: f64) -> Vec<[u8; 4]> {
    let position = |i: u32| {
        let (x, y) = (f64::from(i % WIDTH) + 0.5, f64::from(i / WIDTH) + 0.5);
        [(2.0 * x - f64::from(WIDTH)) / f64::from(HEIGHT), 1.0 - y / f64::from(HEIGHT)]
    };
    (0..WIDTH * HEIGHT).map(|i| colour(heat(position(i), time))).collect()
}

/// Returns the heat 0…1 at `x` from the middle, in half image heights, and `y` from the ground, in image heights.
fn heat([x, y]: [f64; 2], time: f64) -> f64 {
    // The tongue ends well inside the image, so no noise is needed beyond it.
    if x.abs() > 0.7 || !(0.03..0.99).contains(&y) {
        return 0.0;
    }
    let rise = (y - 0.03) / 0.93;
    let sway = (noise([0.3, y * 1.3 - time * 1.1, time * 0.5]) - 0.5) * 0.7 * y
        + (noise([x * 3.0, y * 3.0 - time * 2.2, 7.0 + time]) - 0.5) * 0.4 * smooth(y / 0.5);
    let girth = 0.62 * smooth(rise / 0.34 + 0.3) * (1.0 - rise * (0.5 + 0.45 * rise));
    let across = (x + sway) / girth.max(0.01);
    let base_distance = (0.16 - rise).max(0.0) / 0.14;
    let body = 1.0 - across * across - base_distance * base_distance;
    let eaten = clouds([x * 4.2, y * 3.0 - time * 2.3, 19.0 + time * 0.7]) * (0.3 + 1.9 * rise);
    (body * 1.25 + 0.16 - eaten).clamp(0.0, 1.0)
}

/// Maps heat to straight sRGB and coverage: from transparent through red and orange to a pale core.
fn colour(heat: f64) -> [u8; 4] {
    const RAMP: [(f64, [f64; 4]); 6] = [
        (0.0, [150.0, 12.0, 8.0, 0.0]),
        (0.16, [205.0, 34.0, 10.0, 130.0]),
        (0.36, [243.0, 94.0, 14.0, 226.0]),
        (0.58, [255.0, 162.0, 28.0, 250.0]),
        (0.8, [255.0, 224.0, 92.0, 255.0]),
        (1.0, [255.0, 250.0, 214.0, 255.0]),
    ];
    let heat = (heat * HEAT_STEPS).round() / HEAT_STEPS;
    if heat <= 0.0 {
        return [0; 4];
    }
    let next = RAMP.iter().position(|(stop, _)| heat <= *stop).unwrap_or(RAMP.len() - 1).max(1);
    let ((low, from), (high, to)) = (RAMP[next - 1], RAMP[next]);
    let part = (heat - low) / (high - low);
    std::array::from_fn(|channel| (from[channel] + (to[channel] - from[channel]) * part).round() as u8)
}

/// Returns three octaves of noise, 0…1.
fn clouds(position: [f64; 3]) -> f64 {
    let octave = |scale: f64, shift: f64| noise(position.map(|part| part * scale + shift));
    (octave(1.0, 0.0) * 4.0 + octave(2.1, 31.0) * 2.0 + octave(4.3, 57.0)) / 7.0
}

/// Returns value noise, 0…1: the values of the eight surrounding lattice points, interpolated smoothly.
fn noise(position: [f64; 3]) -> f64 {
    let floor = position.map(f64::floor);
    let part: [f64; 3] = std::array::from_fn(|axis| smooth(position[axis] - floor[axis]));
    let corner = |i: u32| {
        let bits = [i & 1, i >> 1 & 1, i >> 2];
        let weight: f64 = (0..3).map(|axis| if bits[axis] == 1 { part[axis] } else { 1.0 - part[axis] }).product();
        weight * lattice(std::array::from_fn(|axis| (floor[axis] as i32).wrapping_add(bits[axis] as i32)))
    };
    (0..8).map(corner).sum()
}

/// Returns the hash 0…1 of a lattice point (finaliser of MurmurHash3: Appleby 2011).
fn lattice([x, y, z]: [i32; 3]) -> f64 {
    let mixed = (x as u32).wrapping_mul(0x8da6_b343)
        ^ (y as u32).wrapping_mul(0xd816_3841)
        ^ (z as u32).wrapping_mul(0xcb1a_b31f);
    let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    f64::from(mixed ^ mixed >> 16) / f64::from(u32::MAX)
}

/// Returns 3x² − 2x³ with x clamped to 0…1.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flame_stays_inside_its_image_and_no_frame_repeats() {
        let frames: Vec<_> = (0..FRAMES).map(|frame| frame_at(frame as f64 / FPS)).collect();
        for (number, frame) in frames.iter().enumerate() {
            let on_edge = |i: usize| {
                let (x, y) = (i % WIDTH as usize, i / WIDTH as usize);
                x == 0 || y == 0 || x + 1 == WIDTH as usize || y + 1 == HEIGHT as usize
            };
            assert!((0..frame.len()).filter(|&i| on_edge(i)).all(|i| frame[i] == [0; 4]), "frame {number}");
            assert!(frame.iter().filter(|pixel| pixel[3] > 240).count() > 800, "frame {number}");
            assert!(!frames[..number].contains(frame), "frame {number}");
        }
    }

    #[test]
    fn hotter_pixels_are_brighter_and_more_opaque() {
        let ramp: Vec<[u8; 4]> = (0..=HEAT_STEPS as u32).map(|i| colour(f64::from(i) / HEAT_STEPS)).collect();
        assert_eq!((ramp[0], ramp[HEAT_STEPS as usize]), ([0; 4], [255, 250, 214, 255]));
        assert!(ramp.is_sorted_by(|a, b| (0..4).all(|channel| channel == 2 || a[channel] <= b[channel])));
    }
}
