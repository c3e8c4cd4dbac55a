//! How far costs that vary from seed to seed may depart from seconds.
//!
//! A step costs its seconds times a factor from `1 / (1 + a)` to `1 + b`. The route that is best by such costs takes at most
//! `(1 + a)(1 + b)` times the seconds of the truly best one.

/// Variety v makes a favoured turning point cost `1 / (1 + v·(REWARD[0] + REWARD[1]·v))` of its seconds.
const REWARD: [f64; 2] = [0.18, 0.72];

/// What variety v puts on blocks out of favour, as a share of their seconds: `v·(SPREAD[0] − SPREAD[1]·v)`. Towards 1 turning points
/// take over.
const SPREAD: [f64; 2] = [0.737, 0.554];

/// What a straight piece may cost more than the cells it replaces, at variety 1 as a share: fewer bends for little time.
pub(super) const SLACK: f64 = 0.03;

/// The most any block costs at any variety, as a factor.
pub(super) const DEAREST: f64 = 1.0 + SPREAD[0] * SPREAD[0] / (4.0 * SPREAD[1]);

/// The least any turning point costs at any variety, as a factor.
pub(super) const LEAST: f64 = 1.0 / (1.0 + REWARD[0] + REWARD[1]);

/// What is taken off turning points at `variety`, 0…1. A little variety shall cost few bends, all of it shall find changes.
pub(super) fn reward(variety: f64) -> f64 {
    variety * (REWARD[0] + REWARD[1] * variety)
}

/// What is put on blocks out of favour at `variety`, 0…1.
pub(super) fn spread(variety: f64) -> f64 {
    variety * (SPREAD[0] - SPREAD[1] * variety)
}

/// The factor that takes off half of what `factor` does.
pub(super) fn halved(factor: f64) -> f64 {
    0.5 * (1.0 + factor)
}

/// How many times the optimum a route may take at `variety`, 0…1; 1 at variety 0.
pub fn bound(variety: f64) -> f64 {
    let variety = variety.clamp(0.0, 1.0);
    (1.0 + reward(variety)) * (1.0 + spread(variety))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_one_without_variety_and_grows_with_it() {
        assert_eq!(bound(0.0), 1.0);
        let bounds: Vec<f64> = (0..=20).map(|part| bound(f64::from(part) / 20.0)).collect();
        assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]) && bounds[20] < 2.25, "{bounds:?}");
        assert!((bound(0.5) - 1.225 * 1.275).abs() < 1e-3);
        assert!((0..=20).all(|part| 1.0 + spread(f64::from(part) / 20.0) <= DEAREST));
    }
}
