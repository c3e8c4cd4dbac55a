//! Braking distance and time under friction and constant deceleration.
//!
//! ```text
//! v′ = −f·v − d
//! x  = v/f − (d/f²)·ln(1 + u) = (v²/d)·g(u),   u = f·v/d
//! g(u) = (u − ln(1 + u))/u²,   g(0) = ½
//! ```
//!
//! The law exists twice: in closed form for continuous time, and as a game engine steps it (semi-implicit: the new
//! speed moves the body). Below u = 10⁻³ the series of g is used, because the difference of nearly equal terms loses
//! digits.

use serde::{Deserialize, Serialize};

/// Braking law v′ = −friction·v − deceleration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Braking {
    /// f, 1/s, ≥ 0.
    pub friction: f64,
    /// d, m/s², ≥ 0.
    pub deceleration: f64,
}

impl Braking {
    /// Returns the distance until rest from `speed` (m/s), metres. The result is infinite with neither friction nor
    /// deceleration; 0 for zero or negative speed.
    pub fn distance(&self, speed: f64) -> f64 {
        let (f, d) = (self.friction, self.deceleration);
        if speed <= 0.0 {
            0.0
        } else if d <= 0.0 {
            speed / f
        } else {
            speed * speed / d * excess(f * speed / d)
        }
    }

    /// Returns the time until rest from `speed` (m/s), seconds. The result is infinite without deceleration, as
    /// friction alone never stops a body.
    pub fn time(&self, speed: f64) -> f64 {
        let (f, d) = (self.friction, self.deceleration);
        if speed <= 0.0 {
            0.0
        } else if f * speed < 1e-9 * d {
            speed / d
        } else {
            (f * speed / d).ln_1p() / f
        }
    }

    /// Returns speed (m/s) and distance (m) `time` seconds after braking began at `speed` (m/s); both stay constant after rest.
    pub fn after(&self, speed: f64, time: f64) -> (f64, f64) {
        let rest = self.time(speed);
        if time >= rest {
            return (0.0, self.distance(speed));
        }
        let (f, d) = (self.friction, self.deceleration);
        let time = time.max(0.0);
        let x = f * time;
        let [first, second] = fading(x);
        let now = speed * (-x).exp() - d * time * first;
        let distance = speed * time * first - d * time * time * second;
        (now, distance)
    }

    /// Returns the speed (m/s) whose braking distance is `distance` metres: the inverse of [`Braking::distance`].
    pub(super) fn speed_for(&self, distance: f64) -> f64 {
        let (f, d) = (self.friction, self.deceleration);
        if distance <= 0.0 {
            return 0.0;
        }
        if d <= 0.0 {
            return f * distance;
        }
        // Without friction the speed is √(2·d·x); friction only raises it, by f·x at most.
        let mut speed = (2.0 * d * distance).sqrt();
        for _ in 0..60 {
            let slope = speed / (f * speed + d);
            let step = (distance - self.distance(speed)) / slope;
            speed += step;
            if step.abs() <= 1e-14 * speed {
                break;
            }
        }
        speed
    }

    /// Returns the braking distance from `speed` (m/s) in metres as an engine steps it `rate` times per second: v ← max(0, v −
    /// (f·v + d)/rate), then x ← x + v/rate.
    ///
    /// The stepping ends after an hour.
    pub(crate) fn stepped_distance(&self, speed: f64, rate: f64) -> f64 {
        let mut sum = 0.0;
        for speed in self.steps(speed, rate) {
            sum += speed / rate;
        }
        sum
    }

    /// Returns the speed after each of an engine's steps, m/s, from `speed` (m/s) at `rate` steps per second. The steps end
    /// before the first one at rest, or after an hour.
    pub fn steps(&self, speed: f64, rate: f64) -> impl Iterator<Item = f64> {
        let law = *self;
        let next = move |speed: &f64| Some((speed - (law.friction * speed + law.deceleration) / rate).max(0.0));
        let max_steps = (3600.0 * rate) as usize;
        std::iter::successors(Some(speed), next).skip(1).take(max_steps).take_while(|&speed| speed > 1e-9)
    }
}

/// Returns (u − ln(1 + u))/u² for u ≥ 0.
fn excess(u: f64) -> f64 {
    if u < 1e-3 { 0.5 - u * (1.0 / 3.0 - u * (0.25 - u * (0.2 - u / 6.0))) } else { (u - u.ln_1p()) / (u * u) }
}

/// Returns (1 − e⁻ˣ)/x and (x − 1 + e⁻ˣ)/x² for x ≥ 0: the first and second integral of the decay.
fn fading(x: f64) -> [f64; 2] {
    if x < 1e-3 {
        let second = 0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0));
        [1.0 - x * second, second]
    } else {
        let first = -(-x).exp_m1() / x;
        [first, (1.0 - first) / x]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Integrates the law by the trapezoidal rule at 10 kHz.
    fn simulated(law: Braking, mut speed: f64) -> f64 {
        let step = 1e-4;
        let mut distance = 0.0;
        while speed > 0.0 {
            let middle = speed - 0.5 * step * (law.friction * speed + law.deceleration);
            let next = speed - step * (law.friction * middle + law.deceleration);
            distance += 0.5 * (speed + next.max(0.0)) * step;
            speed = next;
        }
        distance
    }

    fn law(friction: f64, deceleration: f64) -> Braking {
        Braking { friction, deceleration }
    }

    #[test]
    fn known_cases_match() {
        assert_eq!(law(0.0, 2.0).distance(4.0), 4.0);
        assert_eq!(law(2.0, 0.0).distance(4.0), 2.0);
        assert_eq!(law(2.0, 3.0).distance(0.0), 0.0);
        assert!((law(8.0, 2048.0).distance(600.0) - 36.4).abs() < 0.05);
        assert!((law(8.0, 2048.0).stepped_distance(600.0, 60.0) - 29.1).abs() < 2.5);
    }

    #[test]
    fn a_fine_engine_step_comes_to_the_closed_form() {
        let law = law(4.0, 6.0);
        let error = |rate| (law.stepped_distance(5.0, rate) - law.distance(5.0)).abs();
        assert!(error(60.0) > error(600.0) && error(6000.0) < 1e-3);
    }

    #[test]
    fn almost_no_friction_brakes_like_none() {
        let (slick, none) = (law(3.811684004012088e-6, 11.12240493773934), law(0.0, 11.12240493773934));
        let speed = 3.3148700560545965;
        assert!((slick.distance(speed) - none.distance(speed)).abs() < 1e-5);
        let (half, distance) = slick.after(speed, 0.5 * slick.time(speed));
        assert!((slick.distance(half) + distance - slick.distance(speed)).abs() < 1e-8);
    }

    proptest! {
        #[test]
        fn the_closed_form_is_the_simulation_within_a_millimetre(v in 0.5..8.0, f in 0.0..10.0, d in 1.0..30.0) {
            prop_assert!((law(f, d).distance(v) - simulated(law(f, d), v)).abs() < 1e-3);
        }

        #[test]
        fn speed_distance_and_time_agree(v in 0.01..8.0, f in prop_oneof![0.0..1e-5, 0.0..10.0], d in 1.0..30.0) {
            let law = law(f, d);
            prop_assert!((law.speed_for(law.distance(v)) - v).abs() < 1e-8 * v.max(1.0));
            let rest = law.time(v);
            let (half, distance) = law.after(v, 0.5 * rest);
            prop_assert!((law.distance(half) + distance - law.distance(v)).abs() < 1e-8, "{} {}", half, distance);
            prop_assert_eq!(law.after(v, rest + 1.0), (0.0, law.distance(v)));
        }
    }
}
