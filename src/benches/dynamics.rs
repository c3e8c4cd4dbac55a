//! One step of 1000 joints, with and without colliders, compared with VRM-style spring bones: push the joint out of
//! each sphere, then restore its length, which may leave it inside.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{DQuat, DVec3, Vec3};
use portamento::anim::{Joint, Pose, Skeleton};
use portamento::math::Transform;
use portamento::progress::Progress;
use portamento::systems::dynamics::{
    Chain, Collider, ColliderShape, DynamicsRig, Input, Profile, Settings, State, build, step,
};

const CHAINS: usize = 100;
const JOINTS: usize = 10;
const STEP: f64 = 1.0 / 240.0;
const LEN: f64 = 0.03;

/// Returns a head with strands all around it.
fn head() -> Skeleton {
    let joint = |name: String, parent, offset| Joint {
        name,
        parent,
        rest: Transform::from_translation(offset),
        node: 0,
        first_morph: 0,
        morph_count: 0,
    };
    let mut joints = vec![joint("head".into(), None, Vec3::Y)];
    for chain in 0..CHAINS {
        let angle = chain as f32 / CHAINS as f32 * std::f32::consts::TAU;
        let start = Vec3::new(angle.cos() * 0.1, 0.1, angle.sin() * 0.1);
        joints.push(joint(format!("{chain}"), Some(0), start));
        for link in 1..=JOINTS {
            joints.push(joint(format!("{chain} {link}"), Some(joints.len() - 1), Vec3::NEG_Y * LEN as f32));
        }
    }
    Skeleton { joints, rest_morphs: Vec::new() }
}

/// Returns spheres for a head, neck and shoulders, as (centre, radius).
fn balls(count: usize) -> Vec<(DVec3, f64)> {
    let ball = |i: usize| {
        let angle = i as f64 * 2.4;
        (DVec3::new(0.09 * angle.cos(), 0.08 - 0.02 * i as f64, 0.09 * angle.sin()), 0.05)
    };
    (0..count).map(ball).collect()
}

fn settings(count: usize) -> Settings {
    let chain = |i: usize| Chain {
        joint: 1 + i * (JOINTS + 1),
        radius: Profile::constant(0.01),
        stiffness: Profile::constant(2.0),
        ..Default::default()
    };
    let collider = |(center, radius)| Collider {
        name: "ball".into(),
        joint: Some(0),
        shape: ColliderShape::Sphere { center, radius },
    };
    Settings {
        chains: (0..CHAINS).map(chain).collect(),
        colliders: balls(count).into_iter().map(collider).collect(),
        ..Default::default()
    }
}

fn sway(time: f64, pose: &mut Pose) {
    pose.locals[0].translation = Vec3::new((time * 5.0).sin() as f32 * 0.2, 1.0, (time * 3.0).cos() as f32 * 0.1);
}

/// The push-out-and-restore step on the same strands.
struct Pushed {
    tips: Vec<DVec3>,
    previous: Vec<DVec3>,
}

impl Pushed {
    fn new(state: &State) -> Self {
        Self { tips: state.bones.iter().map(|bone| bone.tip()).collect(), previous: state.previous_tips.clone() }
    }

    fn step(&mut self, head: DVec3, balls: &[(DVec3, f64)]) {
        for chain in 0..CHAINS {
            let angle = chain as f64 / CHAINS as f64 * std::f64::consts::TAU;
            let mut start = head + DVec3::new(angle.cos() * 0.1, 0.1, angle.sin() * 0.1);
            let mut turn = DQuat::IDENTITY;
            for index in chain * JOINTS..(chain + 1) * JOINTS {
                let rest = turn * DVec3::NEG_Y;
                let pull = DVec3::NEG_Y * 9.81 + rest * 2.0;
                let wanted =
                    self.tips[index] + (self.tips[index] - self.previous[index]) * 0.974 + pull * (STEP * STEP);
                let mut tip = start + (wanted - start).normalize() * LEN;
                for &(center, radius) in balls {
                    let apart = tip - (head + center);
                    let distance = apart.length();
                    if distance < radius + 0.01 {
                        tip += apart / distance * (radius + 0.01 - distance);
                        tip = start + (tip - start).normalize() * LEN;
                    }
                }
                self.previous[index] = self.tips[index];
                self.tips[index] = tip;
                turn = DQuat::from_rotation_arc(rest, (tip - start) / LEN) * turn;
                start = tip;
            }
        }
    }
}

fn steps(criterion: &mut Criterion) {
    let skeleton = head();
    let mut group = criterion.benchmark_group("dynamics/step of 1000 joints");
    group.throughput(Throughput::Elements((CHAINS * JOINTS) as u64));
    for count in [0, 20] {
        let rig = DynamicsRig::new(&skeleton, &settings(count), 1.0).expect("the settings are sound");
        let mut pose = Pose::rest(&skeleton);
        let mut state = State::at(&rig, &pose);
        let mut pushed = Pushed::new(&state);
        let mut time = 0.0;
        group.bench_function(format!("{count} balls, exact"), |bencher| {
            bencher.iter(|| {
                time += STEP;
                sway(time, &mut pose);
                step(&rig, &mut state, &pose, time, STEP);
            });
        });
        let (balls, mut time) = (balls(count), 0.0);
        group.bench_function(format!("{count} balls, pushed out and restored"), |bencher| {
            bencher.iter(|| {
                time += STEP;
                sway(time, &mut pose);
                pushed.step(pose.locals[0].translation.as_dvec3(), black_box(&balls));
            });
        });
    }
    group.finish();
}

fn bakes(criterion: &mut Criterion) {
    let skeleton = head();
    let input = Input { skeleton: &skeleton, driver: &sway, duration: 10.0, looping: false, metres_per_unit: 1.0 };
    let mut group = criterion.benchmark_group("dynamics/bake");
    group.sample_size(10);
    group.bench_function("10 s of 1000 joints and 20 balls", |bencher| {
        bencher.iter(|| build(&input, &settings(20), &Progress::new()).expect("the settings are sound"));
    });
    group.finish();
}

criterion_group!(benches, steps, bakes);
criterion_main!(benches);
