//! Laws of image loops.

use std::sync::Arc;

use super::super::*;
use super::{curved, noise, painted};
use crate::math::easing::Easing;
use crate::media::ImageInfo;
use crate::media::image_clip::{MemoryFrames, tests::info};
use crate::media::{Depth, ImageClip, Pixels};
use crate::progress::Progress;

const SIDE: u32 = 8;

/// Colours and coverage from `rows` of four numbers per pixel, −1…1.
fn clip(rows: &[Vec<f32>], depth: Depth) -> ImageClip {
    let part = |value: f32| (0.5 + 0.5 * value).clamp(0.0, 1.0);
    let pixels = |row: &Vec<f32>| {
        let pixels = row.as_chunks::<4>().0.iter();
        match depth {
            Depth::U8 => Pixels::U8(pixels.map(|it| it.map(|it| (part(it) * 255.0) as u8)).collect()),
            Depth::U16 => Pixels::U16(pixels.map(|it| it.map(|it| (part(it) * 65_535.0) as u16)).collect()),
            Depth::F32 => Pixels::F32(pixels.map(|it| it.map(|it| part(it) * 3.0)).collect()),
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
fn painted_images_of_any_depth_close_bit_for_bit_and_leave_their_source_alone() {
    let rows = noise(43, (SIDE * SIDE * 4) as usize, 6);
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        let source = clip(&rows, depth);
        for (seed, curve) in Easing::ALL.into_iter().enumerate() {
            let settings = Settings { linear_light: seed % 2 == 0, ..settings(2, 20, curve, seed as u64) };
            let built = image::build(&source, &settings, &Progress::new()).unwrap();
            assert_eq!(built.undropped(0).unwrap(), built.undropped(20).unwrap(), "{depth:?} {}", curve.name());
            assert_eq!(built.undropped(0).unwrap(), source.frame(22).unwrap());
            assert_eq!((built.report().value_gap, built.info().frames), (0.0, 20));
        }
        let again = clip(&rows, depth);
        assert!((0..43).all(|frame| source.frame(frame).unwrap() == again.frame(frame).unwrap()));
    }
}

#[test]
fn images_that_repeat_already_come_back_for_any_weights() {
    let cycle = noise(13, (SIDE * SIDE * 4) as usize, 8);
    let rows: Vec<Vec<f32>> = (0..40).map(|frame| cycle[frame % 13].clone()).collect();
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        let source = clip(&rows, depth);
        for (seed, curve) in Easing::ALL.into_iter().enumerate() {
            let built = image::build(&source, &settings(5, 13, curve, seed as u64 + 40), &Progress::new()).unwrap();
            for k in 0..13 {
                match (&*built.undropped(k).unwrap(), &*source.frame(5 + k).unwrap()) {
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
