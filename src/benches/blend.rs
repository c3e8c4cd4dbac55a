//! Sampling, blending and posing of three layers, compared with plain glam code with a key search per track and per
//! clip; and scrubbing through a long scenario on one core.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, MaskChoice, Pose, Roles, Skeleton};
use portamento::math::Transform;
use portamento::progress::Progress;
use portamento::systems::blend::{
    Action, Built, Event, Input, Link, NodeKind, Scenario, Scratch, Settings, Source, Tree, build,
};

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
    let input = Input { skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    build(&input, &Settings::Tree(tree), &Progress::new()).ok()
}

/// The key search of the plain code.
#[derive(Clone, Copy)]
enum Search {
    /// A binary search per track.
    EachTrack,
    /// A binary search per clip, because all its tracks have the same keys.
    EachClip,
}

/// Plain glam code of these formulas: slerps and sums per joint, one matrix per joint.
struct Plain<'a> {
    skeleton: &'a Skeleton,
    clips: &'a [Clip],
    masks: Vec<Vec<f32>>,
    search: Search,
}

impl Plain<'_> {
    fn world(&self, time: f64, world: &mut Vec<Affine3A>) {
        world.clear();
        let keys =
            self.clips.iter().map(|clip| clip.tracks[0].rotation.as_ref().map(|curve| place(&curve.times, time)));
        let keys: [Option<(usize, f32)>; 3] = std::array::from_fn(|clip| keys.clone().nth(clip).flatten());
        for (joint, own) in self.skeleton.joints.iter().enumerate() {
            let mut sums = (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO, 0.0);
            for (i, clip) in self.clips.iter().enumerate() {
                let tracks = &clip.tracks[joint];
                let known = keys[i].filter(|_| matches!(self.search, Search::EachClip));
                let translation = sampled(&tracks.translation, time, known, Vec3::lerp).unwrap_or(own.rest.translation);
                let rotation = sampled(&tracks.rotation, time, known, Quat::slerp).unwrap_or(own.rest.rotation);
                let scale = sampled(&tracks.scale, time, known, Vec3::lerp).unwrap_or(own.rest.scale);
                let weight = WEIGHTS[i] * self.masks[i][joint];
                let signed = if rotation.dot(own.rest.rotation) < 0.0 { -weight } else { weight };
                sums.0 += translation * weight;
                sums.1 += rotation * signed;
                sums.2 += scale * weight;
                sums.3 += weight;
            }
            let local = Affine3A::from_scale_rotation_translation(sums.2 / sums.3, sums.1.normalize(), sums.0 / sums.3);
            world.push(own.parent.map_or(local, |parent| world[parent] * local));
        }
    }
}

/// Returns the key at or before `time` and the fraction to the next key.
fn place(times: &[f32], time: f64) -> (usize, f32) {
    let next = times.partition_point(|&key| f64::from(key) <= time);
    if next == 0 || next == times.len() {
        return (next.saturating_sub(1), 0.0);
    }
    let (start, end) = (f64::from(times[next - 1]), f64::from(times[next]));
    (next - 1, ((time - start) / (end - start)) as f32)
}

fn sampled<T: Copy>(
    curve: &Option<Curve<T>>,
    time: f64,
    known: Option<(usize, f32)>,
    between: impl Fn(T, T, f32) -> T,
) -> Option<T> {
    let Curve { times, values, .. } = curve.as_ref()?;
    let (key, fraction) = known.unwrap_or_else(|| place(times, time));
    Some(if fraction > 0.0 { between(values[key], values[key + 1], fraction) } else { values[key] })
}

fn blend(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("blend");
    for joints in [64, 256] {
        let skeleton = skeleton(joints);
        let clips: Vec<Clip> = (0..3).map(|number| clip(number, joints)).collect();
        let plain = |search| Plain { skeleton: &skeleton, clips: &clips, masks: vec![vec![1.0; joints]; 3], search };
        let (each_track, each_clip) = (plain(Search::EachTrack), plain(Search::EachClip));
        let Some(built) = blend_of(&skeleton, &clips) else { continue };
        let (mut scratch, mut pose) = (Scratch::default(), Pose::default());
        let mut ours = |time: f64, world: &mut Vec<Affine3A>| {
            built.sample(time, &mut scratch, &mut pose);
            pose.world_from_joints(&skeleton, world);
        };
        let mut sides: [(&str, &mut Side); 3] = [
            ("portamento", &mut ours),
            ("plain glam, a search per track", &mut |time, world| each_track.world(time, world)),
            ("plain glam, a search per clip", &mut |time, world| each_clip.world(time, world)),
        ];
        group.throughput(Throughput::Elements(joints as u64));
        for (name, side) in &mut sides {
            let (mut frame, mut world) = (0_u32, Vec::new());
            group.bench_function(BenchmarkId::new(*name, joints), |b| {
                b.iter(|| {
                    frame = (frame + 1) % 120;
                    side(black_box(f64::from(frame) / 60.0), black_box(&mut world));
                });
            });
        }
        print_ratios(joints, sides.map(|side| side.1));
        print_scattered(joints, &mut ours);
    }
}

/// Computes the world transforms of all joints at a time.
type Side<'a> = dyn FnMut(f64, &mut Vec<Affine3A>) + 'a;

/// Prints the medians of short interleaved rounds, so that all variants run under the same conditions. Each round
/// runs once before it is timed, because the variants evict each other from the cache.
fn print_ratios(joints: usize, mut sides: [&mut Side; 3]) {
    let mut world = Vec::new();
    let mut run_round = |side: &mut Side| {
        let mut play =
            || (0..12).for_each(|step| side(black_box(f64::from(step * 7 + 1) / 60.0), black_box(&mut world)));
        play();
        let start = Instant::now();
        play();
        start.elapsed().as_secs_f64() * 1e9 / (12 * joints) as f64
    };
    let mut rounds: [Vec<f64>; 3] = Default::default();
    for _ in 0..1001 {
        rounds.iter_mut().zip(&mut sides).for_each(|(rounds, side)| rounds.push(run_round(side)));
    }
    let [ours, each_track, each_clip] = rounds.map(median);
    println!("{joints} joints, ns per joint: {ours:.1}");
    for (search, plain) in [("track", each_track), ("clip", each_clip)] {
        println!("  plain glam with a key search per {search}: {plain:.1}, ratio {:.3}", ours / plain);
    }
}

fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}

/// Prints the cost of random access compared with sequential playback.
fn print_scattered(joints: usize, side: &mut Side) {
    let mut world = Vec::new();
    let mut run_round = |times: &[f64]| {
        let start = Instant::now();
        times.iter().for_each(|&time| side(black_box(time), black_box(&mut world)));
        start.elapsed().as_secs_f64() * 1e9 / (times.len() * joints) as f64
    };
    let in_order: Vec<f64> = (0..120).map(|frame| f64::from(frame) / 60.0).collect();
    // Golden-ratio steps are never near earlier samples.
    let scattered: Vec<f64> = (0..120).map(|frame| 2.0 * (f64::from(frame) * 0.618_034).fract()).collect();
    let mut rounds: [Vec<f64>; 2] = Default::default();
    for _ in 0..501 {
        rounds[0].push(run_round(&in_order));
        rounds[1].push(run_round(&scattered));
    }
    let [in_order, scattered] = rounds.map(median);
    println!("  in order {in_order:.1}, at scattered times {scattered:.1}, ratio {:.3}", scattered / in_order);
}

const LENGTH: f64 = 60.0;

/// Seeks randomly in a scenario of one minute with twenty events.
fn scrub(criterion: &mut Criterion) {
    let skeleton = skeleton(64);
    let clips: Vec<Clip> = (0..3).map(|number| clip(number, 64)).collect();
    let clips: Vec<&Clip> = clips.iter().collect();
    let actions = [Action::Run, Action::Cast, Action::Stand, Action::End, Action::Run];
    let event = |i: usize| Event { time: 3.0 * i as f64, action: actions[i % 5], trans_time: 1.0, ..Event::default() };
    let [run, stand, skill] = [0, 1, 2].map(|i: usize| clips[i].name.clone());
    let events = (0..20).map(event).collect();
    let scenario = Scenario { run, stand, skill, skill_loops: true, events, ..Scenario::default() };
    let roles = Roles { hips: Some(0), spine_split: Some(24), ..Roles::default() };
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    drag(&input, &scenario);
    let Ok(built) = build(&input, &Settings::Scenario(scenario), &Progress::new()) else { return };
    let (mut scratch, mut pose, mut world) = (Scratch::default(), Pose::default(), Vec::new());
    let mut place = 0.0;
    let mut frame = || {
        place = (place + LENGTH * 0.618_034) % LENGTH;
        built.sample(black_box(place), &mut scratch, &mut pose);
        pose.world_from_joints(&skeleton, black_box(&mut world));
    };
    criterion.bench_function("blend/scrub a minute of 20 events", |b| b.iter(&mut frame));
    let mut run_round = || {
        let start = Instant::now();
        (0..20).for_each(|_| frame());
        start.elapsed().as_secs_f64() / 20.0
    };
    let seconds = median((0..1001).map(|_| run_round()).collect());
    let share = 100.0 * 60.0 * seconds;
    println!("scrubbing 64 joints: {:.1} µs a frame, {share:.2} % of a core at 60 frames a second", seconds * 1e6);
}

/// Prints the cost of one step of dragging the last event, and that of also measuring the blend as it does when calm.
fn drag(input: &Input, scenario: &Scenario) {
    let mut rounds: [Vec<f64>; 2] = Default::default();
    for round in 0..31 {
        let mut moved = scenario.clone();
        moved.events[19].time += 0.01 * f64::from(round);
        let start = Instant::now();
        let Ok(built) = build(input, black_box(&Settings::Scenario(moved)), &Progress::new()) else { return };
        rounds[0].push(start.elapsed().as_secs_f64());
        black_box(built.pop_meter(30.0, LENGTH, &Progress::new()).ok());
        rounds[1].push(start.elapsed().as_secs_f64());
    }
    let [step, measured] = rounds.map(median);
    println!(
        "dragging an event: {:.2} ms a step, {:.1} ms with figures, ratio {:.4}",
        step * 1e3,
        measured * 1e3,
        step / measured
    );
}

criterion_group!(benches, blend, scrub);
criterion_main!(benches);
