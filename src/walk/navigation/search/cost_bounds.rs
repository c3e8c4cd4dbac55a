//! Bounds of the varied costs relative to travel time.
//!
//! ```text
//! cost of a step = seconds · factor,   1/(1 + a) ≤ factor ≤ 1 + b
//! ⇒ travel time of the cheapest route ≤ (1 + a)·(1 + b) · optimum
//! ```

/// Coefficients of the reward of turning points at variety v: `a = v·(REWARD[0] + REWARD[1]·v)`. Tuned; no derivation
/// recorded.
const REWARD: [f64; 2] = [0.18, 0.72];

/// Coefficients of the penalty of avoided blocks at variety v: `b = v·(SPREAD[0] − SPREAD[1]·v)`. Towards v = 1
/// turning points dominate. Tuned; no derivation recorded.
const SPREAD: [f64; 2] = [0.737, 0.554];

/// Extra cost of a straight piece over the cells it replaces at variety 1, as a share. Trades a little time for fewer
/// bends.
pub(super) const SLACK: f64 = 0.03;

/// Largest factor of any block at any variety: the maximum of 1 + b over v.
pub(super) const MAX_FACTOR: f64 = 1.0 + SPREAD[0] * SPREAD[0] / (4.0 * SPREAD[1]);

/// Smallest factor of any turning point at any variety.
pub(super) const MIN_FACTOR: f64 = 1.0 / (1.0 + REWARD[0] + REWARD[1]);

/// Returns the reward a of turning points at `variety`, 0…1. A little variety costs few bends, full variety finds
/// changes.
pub(super) fn reward(variety: f64) -> f64 {
    variety * (REWARD[0] + REWARD[1] * variety)
}

/// Returns the penalty b of avoided blocks at `variety`, 0…1.
pub(super) fn spread(variety: f64) -> f64 {
    variety * (SPREAD[0] - SPREAD[1] * variety)
}

/// Returns the factor with half of the effect of `factor`.
pub(super) fn halved(factor: f64) -> f64 {
    0.5 * (1.0 + factor)
}

/// Returns the largest ratio of a route's travel time to the optimum at `variety`, 0…1; 1 at variety 0.
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
        assert!((0..=20).all(|part| 1.0 + spread(f64::from(part) / 20.0) <= MAX_FACTOR));
    }
}
