//! General tests of image loops.

use std::sync::Arc;

use crate::tests::{curved, noise, painted};
use crate::{Fade, Settings, image};
use portamento_anim::math::easing::Easing;
use portamento_anim::media::image_clip::MemoryFrames;
use portamento_anim::media::{Depth, ImageClip, ImageInfo, Pixels};
use portamento_base::progress::Progress;
use portamento_test_support::image_info as info;

const SIDE: u32 = 8;

/// Returns a clip with colours and coverage from `rows` of four numbers per pixel, −1…1.
fn clip(rows: &[Vec<f32>], depth: Depth) -> ImageClip {
    let part = |value: f32| (0.5 + 0.5 * value).clamp(0.0, 1.0);
    let pixels = |row: &Vec<f32>| {
        let pixels = row.as_chunks::<4>().0.iter();
        match depth {
            Depth::U8 => Pixels::U8(pixels.map(|pixel| pixel.map(|value| (part(value) * 255.0) as u8)).collect()),
            Depth::U16 => Pixels::U16(pixels.map(|pixel| pixel.map(|value| (part(value) * 65_535.0) as u16)).collect()),
            Depth::F32 => Pixels::F32(pixels.map(|pixel| pixel.map(|value| part(value) * 3.0)).collect()),
        }
    };
    let info = ImageInfo { depth, ..info(SIDE, SIDE, 0) };
    ImageClip::new("smoke", Arc::new(MemoryFrames::new(info, rows.iter().map(pixels).collect())), 1 << 24)
}

fn settings(start: usize, length: usize, curve: Easing, seed: u64) -> Settings {
    let fade = Fade { timing: painted(64, seed), softness: 0.5, reach: 1.0, ..curved(curve) };
    Settings { start, length, fade, ..Settings::default() }
}

#[test]
fn painted_images_of_any_depth_close_bit_for_bit_and_do_not_change_their_source() {
    let rows = noise(43, (SIDE * SIDE * 4) as usize, 6);
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        let source = clip(&rows, depth);
        for (seed, curve) in Easing::ALL.into_iter().enumerate() {
            let settings = Settings { linear_light: seed % 2 == 0, ..settings(2, 20, curve, seed as u64) };
            let built = image::build(&source, &settings, &Progress::new()).unwrap();
            assert_eq!(built.cycle_frame(0).unwrap(), built.cycle_frame(20).unwrap(), "{depth:?} {}", curve.name());
            assert_eq!(built.cycle_frame(0).unwrap(), source.frame(22).unwrap());
            assert_eq!((built.report().value_gap, built.info().frames), (0.0, 20));
        }
        let again = clip(&rows, depth);
        assert!((0..43).all(|frame| source.frame(frame).unwrap() == again.frame(frame).unwrap()));
    }
}

#[test]
fn periodic_images_are_reproduced_for_any_weights() {
    let cycle = noise(13, (SIDE * SIDE * 4) as usize, 8);
    let rows: Vec<Vec<f32>> = (0..40).map(|frame| cycle[frame % 13].clone()).collect();
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        let source = clip(&rows, depth);
        for (seed, curve) in Easing::ALL.into_iter().enumerate() {
            let built = image::build(&source, &settings(5, 13, curve, seed as u64 + 40), &Progress::new()).unwrap();
            for k in 0..13 {
                match (&*built.cycle_frame(k).unwrap(), &*source.frame(5 + k).unwrap()) {
                    (Pixels::F32(out), Pixels::F32(expected)) => {
                        let mut pairs = out.as_flattened().iter().zip(expected.as_flattened());
                        assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-5), "{}", curve.name());
                    }
                    (out, expected) => assert_eq!(out, expected, "{depth:?} {}", curve.name()),
                }
            }
        }
    }
}

#[test]
fn invisible_colours_do_not_count_at_the_seam() {
    let report = |hidden: u64| {
        let pixel = |(i, v): (usize, &f32)| {
            let seen = [(128.0 + v * 100.0) as u8, 90, 20, 255];
            if i % 2 == 0 {
                seen
            } else {
                [(v * 1e4) as u64 as u8 ^ hidden as u8, (v * 3e4 * hidden as f32) as u8, 0, 0]
            }
        };
        let frame = |row: &Vec<f32>| Pixels::U8(row.iter().enumerate().map(pixel).collect());
        let frames = noise(41, 64, 3).iter().map(frame).collect();
        let clip = ImageClip::new("sparks", Arc::new(MemoryFrames::new(info(8, 8, 0), frames)), 1 << 20);
        let settings = Settings { length: 20, ..Settings::default() };
        *image::build(&clip, &settings, &Progress::new()).unwrap().report()
    };
    assert_eq!(report(0), report(77));
}
