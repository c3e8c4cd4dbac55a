//! Time of the leg IK, compared with the iterative solution for general chains: hinges, their Jacobian, and damped
//! least squares.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{DQuat, DVec3};
use nalgebra::{DMatrix, DVector};
use portamento::anim::ik::{LegPositions, solve_leg};

#[path = "shared/shortest.rs"]
mod shortest;
use shortest::shortest;

const TARGETS: usize = 256;
/// Position tolerance, metres.
const TOLERANCE_M: f64 = 1e-3;
const LEG: LegPositions = LegPositions {
    hip: DVec3::new(0.1, 1.0, 0.0),
    knee: DVec3::new(0.1, 0.52, 0.1),
    ankle: DVec3::new(0.1, 0.08, 0.0),
};

/// Returns reachable positions from a fixed sequence.
fn targets() -> Vec<DVec3> {
    let noise = |i: usize, prime: usize| ((i * prime) % 1009) as f64 / 1009.0 - 0.5;
    let direction = |i: usize| DVec3::new(noise(i + 1, 7), -0.8 + 0.4 * noise(i + 1, 31), noise(i + 1, 101));
    (0..TARGETS).map(|i| LEG.hip + direction(i).normalize() * (0.6 + 0.5 * noise(i + 1, 37))).collect()
}

/// A leg of two ball joints, each as three hinges.
struct Hinges {
    angles: [f64; 6],
}

impl Hinges {
    /// Returns positions and axes of the hinges, and the ankle position.
    fn place(&self) -> ([(DVec3, DVec3); 6], DVec3) {
        let mut turn = DQuat::IDENTITY;
        let mut joint = LEG.hip;
        let mut hinges = [(DVec3::ZERO, DVec3::ZERO); 6];
        for (ball, bone) in [LEG.knee - LEG.hip, LEG.ankle - LEG.knee].into_iter().enumerate() {
            for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
                hinges[3 * ball + axis] = (joint, turn * direction);
                turn *= DQuat::from_axis_angle(direction, self.angles[3 * ball + axis]);
            }
            joint += turn * bone;
        }
        (hinges, joint)
    }

    /// Rotates the hinges until the ankle is at `target`, or for 100 iterations.
    fn solve(&mut self, target: DVec3) -> bool {
        const DAMPING: f64 = 1e-3;
        for _ in 0..100 {
            let (hinges, ankle) = self.place();
            let missing = target - ankle;
            if missing.length() < TOLERANCE_M {
                return true;
            }
            let column = |hinge: usize| hinges[hinge].1.cross(ankle - hinges[hinge].0);
            let jacobian = DMatrix::from_fn(3, 6, |row, hinge| column(hinge)[row]);
            let square = &jacobian * jacobian.transpose() + DMatrix::identity(3, 3) * DAMPING;
            let Some(inverse) = square.try_inverse() else { return false };
            let step = jacobian.transpose() * (inverse * DVector::from_column_slice(&missing.to_array()));
            self.angles.iter_mut().zip(step.iter()).for_each(|(angle, step)| *angle += step);
        }
        false
    }
}

fn legs(criterion: &mut Criterion) {
    let targets = targets();
    let reached = |ankle: DVec3, target: DVec3| ankle.distance(target) < TOLERANCE_M;
    let ours = |target: &DVec3| LEG.turned(&solve_leg(&LEG, *target, DVec3::X)).ankle;
    let solved = targets.iter().filter(|target| reached(ours(target), **target)).count();
    let iterated = targets.iter().filter(|target| Hinges { angles: [0.0; 6] }.solve(**target)).count();
    let mut closed = || {
        for target in &targets {
            black_box(solve_leg(&LEG, black_box(*target), DVec3::X));
        }
    };
    let mut iterate = || {
        for target in &targets {
            black_box(Hinges { angles: [0.0; 6] }.solve(*target));
        }
    };
    let [own, plain] = [shortest(200, &mut closed), shortest(200, &mut iterate)].map(|time| time.as_secs_f64() * 1e6);
    println!(
        "leg IK, µs per leg: {:.3}, {solved} of {TARGETS} reached; damped least squares {:.3}, {iterated} reached, ratio {:.1}",
        own / TARGETS as f64,
        plain / TARGETS as f64,
        plain / own
    );
    let mut group = criterion.benchmark_group("leg IK");
    group.throughput(Throughput::Elements(TARGETS as u64));
    group.bench_function("closed form", |bench| bench.iter(&mut closed));
    group.bench_function("damped least squares", |bench| bench.iter(&mut iterate));
    group.finish();
}

criterion_group!(benches, legs);
criterion_main!(benches);
