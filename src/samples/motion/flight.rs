//! The height of the body between key poses, with free flights.
//!
//! In a flight of `T` frames from the height `a` to the height `b`, with gravity `g` per frame²:
//!
//! ```text
//! y(t) = a + v t − g t² / 2        v = (b − a) / T + g T / 2
//! ```
//!
//! Take-off and landing have the speed of the flight at its ends, so that the legs push and absorb it.

use super::bake::FPS;
use super::spline::{butland, hermite};

/// Gravity, metres per frame².
const GRAVITY: f64 = 9.81 / (FPS * FPS);

/// Interpolates `keys` (frame, height in metres; ascending) at `frame`. `flights` are the first and last frames of the
/// flights, each the frame of a key; keys within a flight do not count. 0 without keys.
pub fn height(keys: &[(f64, f64)], flights: &[[f64; 2]], frame: f64) -> f64 {
    let grounded: Vec<(f64, f64)> =
        keys.iter().copied().filter(|key| !flights.iter().any(|[from, to]| *from < key.0 && key.0 < *to)).collect();
    let next = grounded.partition_point(|key| key.0 <= frame);
    let Some(last) = next.checked_sub(1) else { return grounded.first().map_or(0.0, |first| first.1) };
    let Some(&to) = grounded.get(next) else { return grounded[last].1 };
    let from = grounded[last];
    if flights.iter().any(|flight| flight[0] == from.0) {
        let time = frame - from.0;
        return from.1 + take_off_speed([from, to]) * time - GRAVITY * time * time / 2.0;
    }
    hermite([from, to], [slope(&grounded, flights, last), slope(&grounded, flights, next)], frame)
}

/// Returns the vertical speed at the start of the flight between two keys, metres per frame.
fn take_off_speed([from, to]: [(f64, f64); 2]) -> f64 {
    let frames = to.0 - from.0;
    (to.1 - from.1) / frames + GRAVITY * frames / 2.0
}

/// Returns the vertical speed at key `k`: that of a flight which starts or ends there, otherwise that of a monotone
/// spline, which is 0 at both ends.
fn slope(keys: &[(f64, f64)], flights: &[[f64; 2]], k: usize) -> f64 {
    let before = k.checked_sub(1).map(|before| keys[before]);
    let (at, after) = (keys[k], keys.get(k + 1).copied());
    let starts = flights.iter().any(|flight| flight[0] == at.0);
    let ends = flights.iter().any(|flight| flight[1] == at.0);
    match (before, after) {
        (_, Some(after)) if starts => take_off_speed([at, after]),
        (Some(before), _) if ends => take_off_speed([before, at]) - GRAVITY * (at.0 - before.0),
        (Some(before), Some(after)) => butland(before, at, after),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_falls_with_gravity_and_its_ends_have_its_speed() {
        let keys = [(0.0, 0.0), (4.0, -0.2), (8.0, 0.1), (11.0, 9.0), (20.0, -0.1), (25.0, -0.4), (30.0, 0.0)];
        let at = |frame: f64| height(&keys, &[[8.0, 20.0]], frame);
        for frame in 9..20 {
            let bend = at(f64::from(frame) + 1.0) - 2.0 * at(f64::from(frame)) + at(f64::from(frame) - 1.0);
            assert!((bend * 900.0 + 9.81).abs() < 1e-9, "{frame}: {bend}");
        }
        assert!((at(8.0) - 0.1).abs() < 1e-12 && (at(20.0) + 0.1).abs() < 1e-12);
        for frame in [8.0, 20.0] {
            let [left, right] = [-1e-4, 1e-4].map(|step| (at(frame + step) - at(frame)) / step);
            assert!((left - right).abs() < 1e-4, "{frame}: {left} {right}");
        }
        assert_eq!((at(-1.0), at(4.0), at(99.0)), (0.0, -0.2, 0.0));
    }
}
