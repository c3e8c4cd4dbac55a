//! Easing curves from 0 to 1 for cross-fades.

use serde::{Deserialize, Serialize};

/// The named easing curves. All map 0 to 0 and 1 to 1 exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Easing {
    /// x: constant speed, with a kink at both ends.
    Linear,
    /// 3x² − 2x³: zero speed at the ends.
    #[default]
    Smoothstep,
    /// 6x⁵ − 15x⁴ + 10x³: zero speed and acceleration at the ends (Perlin 2002).
    Smoother,
    /// (1 − cos πx)/2.
    RaisedCosine,
}

portamento_base::named!(Easing {
    Linear: "linear",
    Smoothstep: "smoothstep",
    Smoother: "smoother",
    RaisedCosine: "raised_cosine"
});

impl Easing {
    /// Returns the value at `x`; `x` outside 0…1 is clamped, NaN counts as 0.
    pub fn at(self, x: f64) -> f64 {
        let x = if x > 0.0 { x.min(1.0) } else { 0.0 };
        match self {
            Self::Linear => x,
            Self::Smoothstep => x * x * (3.0 - 2.0 * x),
            Self::Smoother => x * x * x * (x * (x * 6.0 - 15.0) + 10.0),
            Self::RaisedCosine if x == 1.0 => 1.0,
            Self::RaisedCosine => 0.5 * (1.0 - (std::f64::consts::PI * x).cos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_starts_at_zero_ends_at_one_and_never_falls() {
        for curve in Easing::ALL {
            assert_eq!((curve.at(0.0), curve.at(1.0), curve.at(f64::NAN)), (0.0, 1.0, 0.0));
            let values: Vec<f64> = (0..=1000).map(|i| curve.at(f64::from(i) / 1000.0)).collect();
            assert!(values.is_sorted(), "{curve:?}");
        }
    }
}
