//! Each lane has the bits of glam's formulas.

use glam::{DMat3, DQuat, DVec3};

use super::*;
use crate::math::lanes::{LaneKernel, dispatch_lanes, run_narrow};

/// Inputs of each lane.
#[derive(Clone, Copy)]
struct Given {
    a: [DVec3; FOUR],
    b: [DVec3; FOUR],
    p: [DQuat; FOUR],
    q: [DQuat; FOUR],
}

type Results = ([DVec3; FOUR], [DQuat; FOUR], [DMat3; FOUR], [bool; FOUR]);

impl LaneKernel for Given {
    type Output = Results;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Results {
        let [a, b] = [self.a, self.b].map(|each| FourVectors::from_fn(vectors, |lane| each[lane]));
        let [p, q] = [self.p, self.q].map(|each| FourRotations::from_fn(vectors, |lane| each[lane]));
        let matrix = p.matrix();
        let turned = q.rotate(matrix * a);
        let is_long = b.length().is_below(a.length()).and(b.x.is_at_most(a.x.abs().max(a.y).min(a.z)));
        let vector = is_long.select_vector(turned / a.length(), turned.cross(b) - a * a.dot(b));
        let rotation = p * q.conjugate() * b.length_squared().recip();
        (vector.store(), rotation.store(), (matrix * q.matrix()).store(), is_long.store())
    }
}

/// Computes the same with glam.
fn with_glam(given: &Given, lane: usize) -> (DVec3, DQuat, DMat3, bool) {
    let Given { a, b, p, q } = given;
    let (a, b, p, q) = (a[lane], b[lane], p[lane], q[lane]);
    let matrix = DMat3::from_quat(p);
    let turned = q * (matrix * a);
    let is_long = b.length() < a.length() && b.x <= a.x.abs().max(a.y).min(a.z);
    let vector = if is_long { turned / a.length() } else { turned.cross(b) - a * a.dot(b) };
    (vector, p * q.conjugate() * b.length_squared().recip(), matrix * DMat3::from_quat(q), is_long)
}

#[test]
fn each_lane_has_the_bits_of_glam_on_wide_vectors_and_without() {
    let mut long = 0;
    for i in 0..200 {
        let number = |k: usize, lane: usize| ((i * 31 + lane * 7 + k) as f64 * 0.7).sin() * 3.0;
        let vector = |k: usize, lane: usize| DVec3::new(number(k, lane), number(k + 1, lane), number(k + 2, lane));
        let turn = |k: usize, lane: usize| {
            DQuat::from_xyzw(number(k, lane), number(k + 1, lane), number(k + 2, lane), number(k + 3, lane)).normalize()
        };
        let given = Given {
            a: std::array::from_fn(|lane| vector(0, lane)),
            b: std::array::from_fn(|lane| vector(5, lane)),
            p: std::array::from_fn(|lane| turn(11, lane)),
            q: std::array::from_fn(|lane| turn(17, lane)),
        };
        for (vectors, rotations, matrices, is_long) in [dispatch_lanes(given), run_narrow(given)] {
            for lane in 0..FOUR {
                assert_eq!((vectors[lane], rotations[lane], matrices[lane], is_long[lane]), with_glam(&given, lane));
                long += usize::from(is_long[lane]);
            }
        }
    }
    assert!((100..1500).contains(&long), "{long}");
}
