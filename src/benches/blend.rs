//! Three layers sampled, blended per joint and brought to world space, beside the same formulas written plainly with glam.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, MaskChoice, Pose, Roles, Skeleton};
use portamento::math::Transform;
use portamento::progress::Progress;
use portamento::systems::blend::{Built, Input, Link, NodeKind, Scratch, Settings, Source, Tree, build};

const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];
const KEYS: usize = 61;

fn skeleton(count: usize) -> Skeleton {
    let rest = Transform::from_translation(Vec3::new(0.02, 0.1, 0.0));
    let joint = |node: usize| Joint {
        name: format!("joint {node}"),
        parent: node.checked_sub(1).map(|before| before - before % 3 / 2),
        rest,
        node,
        first_morph: 0,
        morph_count: 0,
    };
    Skeleton { joints: (0..count).map(joint).collect(), rest_morphs: Vec::new() }
}

fn clip(number: usize, joints: usize) -> Clip {
    let times: Vec<f32> = (0..KEYS).map(|key| key as f32 / 30.0).collect();
    let track = |joint: usize| {
        let turn = |key: usize| Quat::from_rotation_x(0.4 * (key as f32 * 0.1 + (joint + number) as f32).sin());
        let place = |key: usize| Vec3::new(0.02, 0.1, 0.01 * (key as f32 * 0.1 + joint as f32).cos());
        JointTracks {
            rotation: Some(Curve::linear(times.clone(), (0..KEYS).map(turn).collect())),
            translation: Some(Curve::linear(times.clone(), (0..KEYS).map(place).collect())),
            ..JointTracks::default()
        }
    };
    Clip { name: format!("clip {number}"), duration: 2.0, tracks: (0..joints).map(track).collect() }
}

fn blend_of(skeleton: &Skeleton, clips: &[Clip]) -> Option<Built> {
    let mut tree = Tree::default();
    let mut links = Vec::new();
    for (clip, weight) in clips.iter().zip(WEIGHTS) {
        let child = tree.add(&clip.name, NodeKind::Source(Source { clip: clip.name.clone(), ..Source::default() }));
        links.push(Link { child, weight, mask: MaskChoice::default(), ..Link::default() });
    }
    tree.root = tree.add("blend", NodeKind::Blend(links));
    let clips: Vec<&Clip> = clips.iter().collect();
    let roles = Roles::default();
    let input = Input { skeleton, clips: &clips, roles: &roles, markers: &[] };
    build(&input, &Settings::Tree(tree), &Progress::new()).ok()
}

/// What one writes first: a binary search per track, sums per joint, one matrix per joint.
fn plain(skeleton: &Skeleton, clips: &[Clip], masks: &[Vec<f32>], time: f64, world: &mut Vec<Affine3A>) {
    world.clear();
    for (joint, place) in skeleton.joints.iter().enumerate() {
        let mut sums = (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO, 0.0);
        for ((clip, weight), mask) in clips.iter().zip(WEIGHTS).zip(masks) {
            let tracks = &clip.tracks[joint];
            let translation = tracks.translation.as_ref().and_then(|curve| curve.sample(time));
            let rotation = tracks.rotation.as_ref().and_then(|curve| curve.sample(time)).unwrap_or(place.rest.rotation);
            let scale = tracks.scale.as_ref().and_then(|curve| curve.sample(time)).unwrap_or(place.rest.scale);
            let weight = weight * mask[joint];
            let signed = if rotation.dot(place.rest.rotation) < 0.0 { -weight } else { weight };
            sums.0 += translation.unwrap_or(place.rest.translation) * weight;
            sums.1 += rotation * signed;
            sums.2 += scale * weight;
            sums.3 += weight;
        }
        let local = Affine3A::from_scale_rotation_translation(sums.2 / sums.3, sums.1.normalize(), sums.0 / sums.3);
        world.push(place.parent.map_or(local, |parent| world[parent] * local));
    }
}

fn blend(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("blend");
    for joints in [64, 256] {
        let skeleton = skeleton(joints);
        let clips: Vec<Clip> = (0..3).map(|number| clip(number, joints)).collect();
        let masks = vec![vec![1.0; joints]; 3];
        let Some(built) = blend_of(&skeleton, &clips) else { continue };
        let (mut scratch, mut pose, mut world) = (Scratch::default(), Pose::default(), Vec::new());
        let mut frame = 0_u32;
        let mut next = move || {
            frame = (frame + 1) % 120;
            f64::from(frame) / 60.0
        };
        let mut ours = |time: f64, world: &mut Vec<Affine3A>| {
            built.sample(time, &mut scratch, &mut pose);
            pose.world_from_joints(&skeleton, world);
        };
        group.throughput(Throughput::Elements(joints as u64));
        group.bench_function(BenchmarkId::new("portamento", joints), |b| {
            b.iter(|| ours(black_box(next()), black_box(&mut world)));
        });
        group.bench_function(BenchmarkId::new("plain glam", joints), |b| {
            b.iter(|| plain(&skeleton, &clips, &masks, black_box(next()), black_box(&mut world)));
        });
        print_ratio(
            joints,
            |time, world| ours(time, world),
            |time, world| plain(&skeleton, &clips, &masks, time, world),
        );
    }
}

/// Medians of interleaved rounds, so that both sides see the same machine.
fn print_ratio(
    joints: usize,
    mut ours: impl FnMut(f64, &mut Vec<Affine3A>),
    mut plain: impl FnMut(f64, &mut Vec<Affine3A>),
) {
    let mut world = Vec::new();
    let mut round = |side: &mut dyn FnMut(f64, &mut Vec<Affine3A>)| {
        let start = Instant::now();
        (0..600).for_each(|frame| side(black_box(f64::from(frame % 120) / 60.0), black_box(&mut world)));
        start.elapsed().as_secs_f64() * 1e9 / (600 * joints) as f64
    };
    let mut rounds: Vec<[f64; 2]> = (0..21).map(|_| [round(&mut ours), round(&mut plain)]).collect();
    let mut median = |side: usize| {
        rounds.sort_by(|a, b| a[side].total_cmp(&b[side]));
        rounds[rounds.len() / 2][side]
    };
    let (ours, plain) = (median(0), median(1));
    println!("{joints} joints: {ours:.1} ns per joint, plain glam {plain:.1}, ratio {:.2}", ours / plain);
}

criterion_group!(benches, blend);
criterion_main!(benches);
