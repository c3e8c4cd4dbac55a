//! Tests of mesh loops.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::*;
use portamento_anim::math::WeightMap;
use portamento_anim::math::easing::Easing;
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;

/// Smooth random coordinates: white noise, filtered over five frames.
pub(super) fn noise(frames: usize, width: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut white = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let raw: Vec<Vec<f32>> = (0..frames + 4).map(|_| (0..width).map(|_| white()).collect()).collect();
    let filtered = |frame: usize, i: usize| {
        [1.0, 4.0, 6.0, 4.0, 1.0].iter().zip(&raw[frame..]).map(|(weight, row)| weight * row[i] / 16.0).sum()
    };
    (0..frames).map(|frame| (0..width).map(|i| filtered(frame, i)).collect()).collect()
}

fn clip_of(frames: &[Vec<f32>]) -> Arc<VertexClip> {
    let positions = frames.iter().flat_map(|frame| frame.as_chunks::<3>().0).map(|&point| point.into()).collect();
    Arc::new(VertexClip::new("noise", 30.0, frames[0].len() / 3, positions, Vec::new()).unwrap())
}

fn noisy(frames: usize, vertices: usize, seed: u64) -> Arc<VertexClip> {
    clip_of(&noise(frames, vertices * 3, seed))
}

pub(super) fn painted(vertices: usize, seed: u64) -> WeightMap {
    noise(1, vertices, seed).concat().iter().map(|value| (value + 0.5).clamp(0.0, 1.0)).collect::<Vec<_>>().into()
}

pub(super) fn curved(curve: Easing) -> Fade {
    Fade { curve: FadeCurve::Named(curve), ..Fade::default() }
}

fn built(clip: &Arc<VertexClip>, settings: &Settings) -> VertexLoop {
    vertex::build(clip, settings, &Progress::new()).unwrap()
}

fn cycle_frame(built: &VertexLoop, k: usize) -> Vec<Vec3> {
    let mut out = Vec::new();
    built.cycle_frame(k, &mut out);
    out
}

#[test]
fn three_hundred_frames_loop_from_ninety_by_hundred_as_computed_by_hand() {
    let source = noisy(300, 5, 11);
    let settings = Settings { start: 90, length: 100, fade: curved(Easing::Linear), ..Settings::default() };
    let (a, b) = (|m: usize| source.frame(90 + m - 1), |m: usize| source.frame(190 + m - 1));
    let built = built(&source, &settings);
    assert_eq!(built.to_clip(false).frames(), 100);
    assert_eq!((a(101), b(101)), (source.frame(190), source.frame(290)));
    for m in 1..=101 {
        let out = cycle_frame(&built, m - 1);
        for (vertex, out) in out.iter().enumerate() {
            let w = (m - 1) as f32 / 100.0;
            let expected = (a(m)[vertex] * w + b(m)[vertex] * (1.0 - w)) / (w + (1.0 - w));
            assert!(out.abs_diff_eq(expected, 1e-6), "m = {m}");
        }
    }
    assert_eq!(cycle_frame(&built, 0), source.frame(190));
    assert_eq!(cycle_frame(&built, 100), source.frame(190));
}

#[test]
fn every_vertex_of_a_large_mesh_is_mixed_with_its_own_positions() {
    let source = noisy(5, 2500, 8);
    let settings = Settings { length: 2, fade: curved(Easing::Linear), ..Settings::default() };
    let out = cycle_frame(&built(&source, &settings), 1);
    let halves = source.frame(1).iter().zip(source.frame(3)).map(|(a, b)| (a + b) * 0.5);
    assert!(out.len() == 2500 && halves.zip(&out).all(|(half, out)| out.abs_diff_eq(half, 1e-6)));
}

#[test]
fn the_ends_are_bit_equal_for_any_painting_curve_and_mode_and_the_source_is_untouched() {
    let source = noisy(70, 40, 3);
    let before = VertexClip::clone(&source);
    for (seed, curve) in Easing::ALL.into_iter().enumerate() {
        for softness in [0.0, 0.4, 1.0] {
            let fade = Fade { timing: painted(40, seed as u64 + 9), softness, reach: 1.0, ..curved(curve) };
            let outgoing = (softness < 0.5).then(|| Fade { timing: painted(40, 77), ..curved(curve) });
            let settings =
                Settings { start: 3, length: 33, fade, outgoing, keep_energy: seed % 2 == 0, ..Settings::default() };
            let built = built(&source, &settings);
            assert_eq!(cycle_frame(&built, 0), cycle_frame(&built, 33));
            assert_eq!(built.report().value_gap, 0.0);
            assert_eq!(built.to_clip(false).frames(), 33);
            assert_eq!(built.to_clip(true).frame(33), built.to_clip(true).frame(0));
            assert!(cycle_frame(&built, 20).iter().all(|point| point.is_finite()));
        }
    }
    assert_eq!(*source, before);
}

#[test]
fn twice_the_length_plus_one_frame_is_enough_and_twice_the_length_is_not() {
    let refused = |frames, start, length| {
        let settings = Settings { start, length, ..Settings::default() };
        vertex::build(&noisy(frames, 2, 1), &settings, &Progress::new()).map(|built| built.frames())
    };
    assert_eq!(refused(41, 0, 20), Ok(20));
    assert_eq!(refused(3, 0, 1), Ok(1));
    assert_eq!(refused(40, 0, 20), Err(BuildError::SourceTooShort { clip: "noise".into(), frames: 40, length: 20 }));
    let sentence = refused(40, 0, 20).unwrap_err().to_string();
    assert!(
        sentence.contains("41 source frames") && sentence.contains("has 40") && sentence.contains("19"),
        "{sentence}"
    );
    assert!(refused(41, 1, 20).unwrap_err().to_string().contains("frame 0 or earlier"));
    assert_eq!(refused(41, 0, 0), Err(BuildError::NoLength));
    assert!(refused(41, usize::MAX, usize::MAX).is_err() && refused(41, usize::MAX, 5).is_err());
}

#[test]
fn a_periodic_source_is_reproduced_for_any_weights() {
    let cycle = noise(25, 30, 4);
    let frames: Vec<Vec<f32>> = (0..80).map(|frame| cycle[frame % 25].clone()).collect();
    let source = clip_of(&frames);
    for (curve, keep_energy) in Easing::ALL.into_iter().zip([true, false, true, false]) {
        let fade = Fade { timing: painted(10, 5), softness: 0.6, ..curved(curve) };
        let settings = Settings { start: 7, length: 25, fade, keep_energy, ..Settings::default() };
        let built = built(&source, &settings);
        for k in 0..25 {
            for (out, expected) in cycle_frame(&built, k).iter().zip(source.frame(7 + k)) {
                assert!(out.abs_diff_eq(*expected, 1e-6));
            }
        }
    }
}

/// Stationary random coordinates: sums of sines of random phase, up to `fastest` radians per frame.
fn hum(frames: usize, width: usize, fastest: f32, seed: u64) -> Vec<Vec<f32>> {
    let random = noise(24, width, seed);
    let value = |frame: usize, i: usize| {
        let sine = |k: usize| {
            let speed = fastest * (k as f32 + 0.5 + random[k][i]) / 12.0;
            (speed * frame as f32 + 40.0 * random[12 + k][i]).sin()
        };
        (0..12).map(sine).sum()
    };
    (0..frames).map(|frame| (0..width).map(|i| value(frame, i)).collect()).collect()
}

#[test]
fn curves_with_flat_ends_hide_the_seam_and_linear_does_not() {
    let mean = |curve: Easing, fastest: f32| {
        let ratio = |seed| {
            let settings = Settings { start: 4, length: 60, fade: curved(curve), ..Settings::default() };
            built(&clip_of(&hum(130, 600, fastest, seed)), &settings).report().ratio.unwrap()
        };
        (1..=3).map(ratio).sum::<f64>() / 3.0
    };
    for fastest in [0.2, 0.3, 0.4, 0.6, 1.0] {
        let ratios = Easing::ALL.map(|curve| format!("{} {:.2}", curve.name(), mean(curve, fastest)));
        println!("seam ratios up to {fastest} rad per frame: {}", ratios.join(", "));
    }
    // The slower the source, the smaller its curvature and the more visible a seam; at this speed a linear fade doubles
    // it.
    let [linear, rest @ ..] = Easing::ALL.map(|curve| mean(curve, 0.4));
    assert!(rest.iter().all(|&ratio| ratio <= 1.2) && linear > 1.6, "{linear} {rest:?}");
}

#[test]
fn neighbours_painted_early_and_late_still_close_smoothly() {
    let source = clip_of(&hum(140, 600, 0.4, 8));
    let timing: Vec<f32> = (0..200).map(|vertex| (vertex % 2) as f32).collect();
    for paint in [timing.into(), painted(200, 6)] {
        let settings =
            Settings { start: 9, length: 64, fade: Fade { timing: paint, ..Fade::default() }, ..Settings::default() };
        let built = built(&source, &settings);
        assert_eq!(cycle_frame(&built, 0), cycle_frame(&built, 64));
        assert!(built.report().ratio.unwrap() <= 1.3, "{:?}", built.report());
    }
}

#[test]
fn unlike_cycles_lose_amplitude_and_are_restored_within_the_range_of_the_source() {
    let source = noisy(161, 400, 21);
    let report = |keep_energy| {
        let built = built(&source, &Settings { length: 80, keep_energy, ..Settings::default() });
        let low =
            |pick: fn(Vec3) -> f32, points: &[Vec3]| points.iter().map(|&point| pick(point)).fold(f32::MAX, f32::min);
        for vertex in 0..400 {
            let of =
                |frames: &VertexClip| (0..frames.frames()).map(|frame| frames.frame(frame)[vertex]).collect::<Vec<_>>();
            let (out, from) = (of(&built.to_clip(false)), of(&source));
            assert!(
                low(|point| point.x, &out) >= low(|point| point.x, &from)
                    && low(|point| -point.z, &out) >= low(|point| -point.z, &from)
            );
            if vertex > 20 {
                break;
            }
        }
        *built.report()
    };
    let (plain, lively) = (report(false), report(true));
    let (dip, restored) = (plain.dip.unwrap(), lively.dip.unwrap());
    println!("dip {dip:.3}, kept {restored:.3}");
    assert!((0.66..0.76).contains(&dip), "{dip}");
    assert!(restored >= 0.95 && lively.value_gap == 0.0, "{restored}");
}

/// A bar that rotates by `step` radians per frame, next to a resting square.
fn bar(frames: usize, step: f32) -> Arc<VertexClip> {
    let rest = [[-2.0, 0.1, 0.0], [2.0, 0.1, 0.0], [2.0, -0.1, 0.0], [-2.0, -0.1, 0.0]].map(Vec3::from);
    let square = [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [6.0, 1.0, 0.0], [5.0, 1.0, 0.0]].map(Vec3::from);
    let frame = |k: usize| rest.map(|point| Quat::from_rotation_z(step * k as f32) * point).into_iter().chain(square);
    let faces = vec![0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7];
    Arc::new(VertexClip::new("bar", 30.0, 8, (0..frames).flat_map(frame).collect(), faces).unwrap())
}

#[test]
fn a_rigid_piece_keeps_its_size_where_a_linear_mixture_shrinks_it() {
    // 90° from one cycle to the next.
    let source = bar(61, std::f32::consts::FRAC_PI_2 / 30.0);
    let shrink = |rigid| {
        let built = built(&source, &Settings { length: 30, rigid, ..Settings::default() });
        assert_eq!(cycle_frame(&built, 0), cycle_frame(&built, 30));
        let mut out = cycle_frame(&built, 15);
        let length = out[0].distance(out[1]);
        out.truncate(5);
        assert_eq!(out[4], Vec3::new(5.0, 0.0, 0.0));
        (length / 4.0, built.report().edges.unwrap())
    };
    let ((straight, low), (rigid, rigid_edges)) = (shrink(false), shrink(true));
    assert!((straight - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-3 && low.low < 0.72);
    assert!((rigid - 1.0).abs() < 1e-4 && rigid_edges.low > 0.99 && rigid_edges.high < 1.01);
    let faceless = VertexClip { faces: Vec::new(), ..VertexClip::clone(&source) };
    let warned = built(&Arc::new(faceless), &Settings { length: 30, rigid: true, ..Settings::default() });
    assert_eq!(warned.warnings(), [Warning::NoFaces]);
}

#[test]
fn time_wraps_and_frames_are_interpolated_linearly_also_over_the_seam() {
    let source = noisy(21, 6, 2);
    let built = built(&source, &Settings { length: 10, ..Settings::default() });
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    let mut at = |time: f64| {
        built.sample(time, &mut scratch, &mut out);
        out.clone()
    };
    assert_eq!(at(3.0 / 30.0), cycle_frame(&built, 3));
    assert_eq!(at(13.0 / 30.0), cycle_frame(&built, 3));
    assert_eq!(at(-7.0 / 30.0), cycle_frame(&built, 3));
    assert_eq!(at(f64::NAN), cycle_frame(&built, 0));
    let (last, first) = (cycle_frame(&built, 9), cycle_frame(&built, 0));
    for (vertex, point) in at(9.5 / 30.0).iter().enumerate() {
        assert!(point.abs_diff_eq((last[vertex] + first[vertex]) * 0.5, 1e-5));
    }
    assert!((built.duration() - 10.0 / 30.0).abs() < 1e-12);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let source = noisy(61, 5000, 13);
    let fade = Fade { timing: painted(5000, 2), ..Fade::default() };
    let settings = Settings { length: 30, fade, keep_energy: true, ..Settings::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let built = built(&source, &settings);
            (built.to_clip(false), *built.report())
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_build_can_be_cancelled() {
    let progress = Progress::new();
    progress.cancel();
    let stopped = vertex::build(&noisy(21, 2, 1), &Settings { length: 10, ..Settings::default() }, &progress);
    assert!(matches!(stopped, Err(BuildError::Cancelled(_))));
}

#[test]
fn a_cache_that_is_one_cycle_already_is_reported() {
    let cycle = |frames: usize| {
        let point = |frame: usize, i: usize| {
            let phase = frame as f32 / 24.0 * std::f32::consts::TAU + i as f32;
            Vec3::new(i as f32, phase.sin(), (2.0 * phase).cos() * 0.3)
        };
        let positions = (0..frames).flat_map(|frame| (0..7).map(move |i| point(frame, i))).collect();
        Arc::new(VertexClip::new("flag", 30.0, 7, positions, Vec::new()).unwrap())
    };
    let warnings = |frames: usize, length: usize| {
        built(&cycle(frames), &Settings { length, ..Settings::default() }).warnings().to_vec()
    };
    assert!(
        matches!(&warnings(25, 11)[..], [Warning::AlreadyLoops { clip, .. }] if clip == "flag"),
        "{:?}",
        warnings(25, 11)
    );
    assert_eq!((warnings(49, 24), warnings(40, 15)), (Vec::new(), Vec::new()));
}

#[test]
fn edges_are_measured_throughout_the_cycle() {
    // Frames 0 and 30 of the loop are copies: shrinking shows only between them, on long loops in every second frame.
    let source = bar(81, std::f32::consts::FRAC_PI_2 / 40.0);
    let built = built(&source, &Settings { length: 40, rigid: false, ..Settings::default() });
    let edges = built.report().edges.unwrap();
    assert!(edges.low < 0.75 && edges.high < 1.01, "{edges:?}");
}
