//! Fade curves prepared for many units: named curves as polynomials, drawn ones as tables.

use super::BuildError;
use super::settings::FadeCurve;
use portamento_anim::math::easing::Easing;
use portamento_base::message::message;

/// A fade curve that is fast to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CompiledCurve {
    Linear,
    Smoothstep,
    Smoother,
    RaisedCosine,
    /// Equidistant values, interpolated linearly.
    Table(Vec<f32>),
}

/// Number of table pieces: linear interpolation over one has an error below 10⁻⁶.
const TABLE_PIECES: usize = 1024;

impl CompiledCurve {
    /// Prepares `curve`. Returns `Err` if a drawn curve does not go from (0, 0) to (1, 1), its x do not rise, or a y is outside
    /// 0…1.
    pub(super) fn new(curve: &FadeCurve) -> Result<Self, BuildError> {
        let grid = |i: usize| i as f64 / TABLE_PIECES as f64;
        Ok(match curve {
            FadeCurve::Named(Easing::Linear) => Self::Linear,
            FadeCurve::Named(Easing::Smoothstep) => Self::Smoothstep,
            FadeCurve::Named(Easing::Smoother) => Self::Smoother,
            FadeCurve::Named(Easing::RaisedCosine) => Self::RaisedCosine,
            FadeCurve::Drawn(points) => {
                check_drawn(points)?;
                let slopes = slopes(points);
                // A table, since searching the piece of a drawn curve for every unit would cost more than the mixing.
                Self::Table((0..=TABLE_PIECES).map(|i| drawn_value(points, &slopes, grid(i)) as f32).collect())
            }
        })
    }

    /// Returns the value, 0…1, at `x`, 0…1.
    pub(super) fn at(&self, x: f32) -> f32 {
        match self {
            Self::Linear => x,
            Self::Smoothstep => smoothstep(x),
            Self::Smoother => smoother(x),
            Self::RaisedCosine => raised_cosine(x),
            Self::Table(values) => table_at(values, x),
        }
    }

    /// Returns the last x at which the curve is still 0.
    pub(super) fn leaves_zero(&self) -> f32 {
        match self {
            Self::Table(values) => table_position(values.partition_point(|&value| value <= 0.0).saturating_sub(1)),
            _ => 0.0,
        }
    }

    /// Returns the first x at which the curve is 1.
    pub(super) fn reaches_one(&self) -> f32 {
        match self {
            Self::Table(values) => table_position(values.partition_point(|&value| value < 1.0)),
            _ => 1.0,
        }
    }

    /// Writes the value at each of `progress` (0…1) to `shares`. Matches once for many units, so that the loops inside are
    /// plain arithmetic.
    #[inline(always)]
    pub(super) fn fill(&self, shares: &mut [f32], progress: impl Iterator<Item = f32>) {
        match self {
            Self::Linear => fill_shares(shares, progress, |x| x),
            Self::Smoothstep => fill_shares(shares, progress, smoothstep),
            Self::Smoother => fill_shares(shares, progress, smoother),
            Self::RaisedCosine => fill_shares(shares, progress, raised_cosine),
            Self::Table(values) => fill_shares(shares, progress, |x| table_at(values, x)),
        }
    }
}

/// Writes the value of `curve` at each of `progress` to `shares`.
#[inline(always)]
fn fill_shares(shares: &mut [f32], progress: impl Iterator<Item = f32>, curve: impl Fn(f32) -> f32) {
    shares.iter_mut().zip(progress).for_each(|(share, x)| *share = curve(x));
}

/// Returns 3x² − 2x³.
#[inline(always)]
fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}

/// Returns 6x⁵ − 15x⁴ + 10x³.
#[inline(always)]
fn smoother(x: f32) -> f32 {
    // Both halves use the same formula: near 1 the large terms would cancel and lose digits.
    let away = 1.0 - x;
    let near = if x < away { x } else { away };
    let half = near * near * near * (near * (near * 6.0 - 15.0) + 10.0);
    if x < 0.5 { half } else { 1.0 - half }
}

/// Returns (1 − cos πx)/2 with an error up to 2·10⁻⁷. The first half is x² times a polynomial of x² through the Chebyshev
/// nodes; the second half is its point reflection about the middle.
#[inline(always)]
fn raised_cosine(x: f32) -> f32 {
    const TERMS: [f32; 5] = [2.467_401, -2.029_355_8, 0.667_62, -0.117_537_186, 0.012_313_556];
    let away = 1.0 - x;
    let near = if x < away { x } else { away };
    let (square, [a, b, c, d, e]) = (near * near, TERMS);
    let half = square * (a + square * (b + square * (c + square * (d + square * e))));
    if x < 0.5 { half } else { 1.0 - half }
}

/// Returns the x of the table entry with the index `entry`, at most 1.
fn table_position(entry: usize) -> f32 {
    entry.min(TABLE_PIECES) as f32 / TABLE_PIECES as f32
}

/// Returns the value at `x`, 0…1, interpolated between the entries of the table.
#[inline(always)]
fn table_at(values: &[f32], x: f32) -> f32 {
    let position = x * TABLE_PIECES as f32;
    let i = (position as usize).min(TABLE_PIECES - 1);
    values[i] + (values[i + 1] - values[i]) * (position - i as f32)
}

impl FadeCurve {
    /// Returns the points (x, y) of the curve at `pieces` + 1 equidistant x, for display; empty for an invalid drawn
    /// curve.
    pub fn line(&self, pieces: usize) -> Vec<[f32; 2]> {
        let Ok(curve) = CompiledCurve::new(self) else { return Vec::new() };
        let position = |i: usize| i as f32 / pieces.max(1) as f32;
        (0..=pieces).map(|i| [position(i), curve.at(position(i))]).collect()
    }
}

/// Returns `Err` unless `points` go from (0, 0) to (1, 1) with rising x, and all y are within 0…1.
fn check_drawn(points: &[[f32; 2]]) -> Result<(), BuildError> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(BuildError::BadCurve(message!("reason.fade.no_points", "has no points")));
    };
    if *first != [0.0, 0.0] || *last != [1.0, 1.0] {
        return Err(BuildError::BadCurve(message!("reason.fade.corners", "does not go from (0, 0) to (1, 1)")));
    }
    if !points.windows(2).all(|pair| pair[1][0] > pair[0][0]) {
        return Err(BuildError::BadCurve(message!("reason.fade.goes_back", "goes back or straight up")));
    }
    let inside = points.iter().all(|[_, y]| (0.0..=1.0).contains(y));
    if inside {
        Ok(())
    } else {
        Err(BuildError::BadCurve(message!("reason.fade.range", "leaves the range from 0 to 1")))
    }
}

/// Returns the slopes of the monotone cubic through `points`, flat at both ends (Fritsch and Butland 1984).
fn slopes(points: &[[f32; 2]]) -> Vec<f64> {
    let step = |i: usize| f64::from(points[i + 1][0]) - f64::from(points[i][0]);
    let secant = |i: usize| (f64::from(points[i + 1][1]) - f64::from(points[i][1])) / step(i);
    let inner = |i: usize| {
        let (before, after) = (secant(i - 1), secant(i));
        // An extremum has slope 0, or the curve would overshoot it (Fritsch, Butland 1984).
        if before * after <= 0.0 {
            return 0.0;
        }
        let (near, far) = (2.0 * step(i) + step(i - 1), step(i) + 2.0 * step(i - 1));
        (near + far) / (near / before + far / after)
    };
    let last = points.len() - 1;
    (0..points.len()).map(|i| if i == 0 || i == last { 0.0 } else { inner(i) }).collect()
}

/// Returns the value at `x` (0…1) of the cubic through `points` with `slopes`, clamped to 0…1.
fn drawn_value(points: &[[f32; 2]], slopes: &[f64], x: f64) -> f64 {
    let i = points.partition_point(|point| f64::from(point[0]) <= x).clamp(1, points.len() - 1) - 1;
    let [x0, y0] = points[i].map(f64::from);
    let [x1, y1] = points[i + 1].map(f64::from);
    let (width, s) = (x1 - x0, (x - x0) / (x1 - x0));
    let (s2, s3) = (s * s, s * s * s);
    let ends = (2.0 * s3 - 3.0 * s2 + 1.0) * y0 + (3.0 * s2 - 2.0 * s3) * y1;
    (ends + width * ((s3 - 2.0 * s2 + s) * slopes[i] + (s3 - s2) * slopes[i + 1])).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_curves_equal_their_easing_and_never_fall() {
        for named in Easing::ALL {
            let (curve, mut before) = (CompiledCurve::new(&FadeCurve::Named(named)).unwrap(), 0.0);
            assert_eq!((curve.at(0.0), curve.at(1.0)), (0.0, 1.0));
            for i in 0..=1u32 << 16 {
                let x = i as f32 / (1u32 << 16) as f32;
                let value = curve.at(x);
                assert!((f64::from(value) - named.at(f64::from(x))).abs() < 1e-6, "{named:?} {x}");
                assert!((value + curve.at(1.0 - x) - 1.0).abs() < 1e-6, "{named:?} is alike from both ends");
                assert!(value >= before - 1e-7 && (named != Easing::RaisedCosine || value >= before), "{named:?} {x}");
                before = value;
            }
        }
    }
}
