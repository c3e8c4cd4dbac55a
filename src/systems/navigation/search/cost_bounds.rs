//! How far costs that vary from seed to seed may depart from seconds.
//!
//! A step costs its seconds times a factor from `1 / (1 + a)` to `1 + b`. The route that is best by such costs takes at most
//! `(1 + a)(1 + b)` times the seconds of the truly best one.

/// The most that variety 1 takes off turning points: a favoured one costs `1 / (1 + REWARD)` of its seconds.
pub(super) const REWARD: f64 = 0.45;

/// The most that variety 1 puts on blocks out of favour, as a share of their seconds.
pub(super) const SPREAD: f64 = 0.55;

/// What a straight piece may cost more than the cells it replaces, at variety 1 as a share: fewer bends for little time.
pub(super) const SLACK: f64 = 0.03;

/// The most any block costs, as a factor.
pub(super) const DEAREST: f64 = (1.0 + SPREAD) / (1.0 + SLACK);

/// The least any turning point costs, as a factor.
pub(super) const LEAST: f64 = 1.0 / (1.0 + REWARD);

/// How many times the optimum a route may take at `variety`, 0…1; 1 at variety 0.
pub fn bound(variety: f64) -> f64 {
    let variety = variety.clamp(0.0, 1.0);
    (1.0 + REWARD * variety) * (1.0 + SPREAD * variety)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_one_without_variety_and_grows_with_it() {
        assert_eq!(bound(0.0), 1.0);
        assert!((bound(0.5) - 1.225 * 1.275).abs() < 1e-12 && bound(1.0) > bound(0.5));
    }
}
