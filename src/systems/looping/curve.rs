//! Fade curves made ready for many units: named ones as polynomials, drawn ones as tables.

use super::BuildError;
use super::settings::FadeCurve;
use crate::math::easing::Easing;
use crate::message::message;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum CompiledCurve {
    Linear,
    Smoothstep,
    Smoother,
    RaisedCosine,
    /// Values at equal distances, joined by straight lines.
    Table(Vec<f32>),
}

/// Pieces of a tabulated curve: a straight line over one is off by less than 10⁻⁶.
const TABLE: usize = 1024;

impl CompiledCurve {
    pub(super) fn new(curve: &FadeCurve) -> Result<Self, BuildError> {
        let grid = |i: usize| i as f64 / TABLE as f64;
        Ok(match curve {
            FadeCurve::Named(Easing::Linear) => Self::Linear,
            FadeCurve::Named(Easing::Smoothstep) => Self::Smoothstep,
            FadeCurve::Named(Easing::Smoother) => Self::Smoother,
            FadeCurve::Named(Easing::RaisedCosine) => Self::RaisedCosine,
            FadeCurve::Drawn(points) => {
                check_drawn(points)?;
                let slopes = slopes(points);
                // A table, since finding the piece of a drawn curve for every unit would cost more than the mixing.
                Self::Table((0..=TABLE).map(|i| drawn_at(points, &slopes, grid(i)) as f32).collect())
            }
        })
    }

    pub(super) fn at(&self, x: f32) -> f32 {
        match self {
            Self::Linear => x,
            Self::Smoothstep => smoothstep(x),
            Self::Smoother => smoother(x),
            Self::RaisedCosine => raised_cosine(x),
            Self::Table(values) => table_at(values, x),
        }
    }

    /// The last place where the curve is still 0.
    pub(super) fn leaves_zero(&self) -> f32 {
        match self {
            Self::Table(values) => place_in_table(values.partition_point(|&value| value <= 0.0).saturating_sub(1)),
            _ => 0.0,
        }
    }

    /// The first place where the curve is 1.
    pub(super) fn reaches_one(&self) -> f32 {
        match self {
            Self::Table(values) => place_in_table(values.partition_point(|&value| value < 1.0)),
            _ => 1.0,
        }
    }

    /// One match for many units, so that the loops inside are plain arithmetic.
    #[inline(always)]
    pub(super) fn fill(&self, shares: &mut [f32], progress: impl Iterator<Item = f32>) {
        match self {
            Self::Linear => rise(shares, progress, |x| x),
            Self::Smoothstep => rise(shares, progress, smoothstep),
            Self::Smoother => rise(shares, progress, smoother),
            Self::RaisedCosine => rise(shares, progress, raised_cosine),
            Self::Table(values) => rise(shares, progress, |x| table_at(values, x)),
        }
    }
}

#[inline(always)]
fn rise(shares: &mut [f32], progress: impl Iterator<Item = f32>, curve: impl Fn(f32) -> f32) {
    shares.iter_mut().zip(progress).for_each(|(share, x)| *share = curve(x));
}

#[inline(always)]
fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}

#[inline(always)]
fn smoother(x: f32) -> f32 {
    // Both halves alike: near 1 the large terms would cancel and the curve tremble.
    let away = 1.0 - x;
    let near = if x < away { x } else { away };
    let half = near * near * near * (near * (near * 6.0 - 15.0) + 10.0);
    if x < 0.5 { half } else { 1.0 - half }
}

/// (1 − cos πx)/2 to 2·10⁻⁷. Its first half is x² times a polynomial of x² through the Chebyshev nodes, its second half the
/// same turned about the middle.
#[inline(always)]
fn raised_cosine(x: f32) -> f32 {
    const TERMS: [f32; 5] = [2.467_401, -2.029_355_8, 0.667_62, -0.117_537_186, 0.012_313_556];
    let away = 1.0 - x;
    let near = if x < away { x } else { away };
    let (square, [a, b, c, d, e]) = (near * near, TERMS);
    let half = square * (a + square * (b + square * (c + square * (d + square * e))));
    if x < 0.5 { half } else { 1.0 - half }
}

fn place_in_table(entry: usize) -> f32 {
    entry.min(TABLE) as f32 / TABLE as f32
}

#[inline(always)]
fn table_at(values: &[f32], x: f32) -> f32 {
    let place = x * TABLE as f32;
    let i = (place as usize).min(TABLE - 1);
    values[i] + (values[i + 1] - values[i]) * (place - i as f32)
}

impl FadeCurve {
    /// Points (x, y) of the curve at `pieces` + 1 equal distances, for pictures; none where a drawn one is refused.
    pub fn line(&self, pieces: usize) -> Vec<[f32; 2]> {
        let Ok(curve) = CompiledCurve::new(self) else { return Vec::new() };
        let place = |i: usize| i as f32 / pieces.max(1) as f32;
        (0..=pieces).map(|i| [place(i), curve.at(place(i))]).collect()
    }
}

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

/// Slopes of the monotone cubic through `points`, flat at both ends (Fritsch and Butland 1984).
fn slopes(points: &[[f32; 2]]) -> Vec<f64> {
    let step = |i: usize| f64::from(points[i + 1][0]) - f64::from(points[i][0]);
    let secant = |i: usize| (f64::from(points[i + 1][1]) - f64::from(points[i][1])) / step(i);
    let inner = |i: usize| {
        let (before, after) = (secant(i - 1), secant(i));
        // An extremum keeps slope 0, or the curve would overshoot it (Fritsch, Butland 1984).
        if before * after <= 0.0 {
            return 0.0;
        }
        let (near, far) = (2.0 * step(i) + step(i - 1), step(i) + 2.0 * step(i - 1));
        (near + far) / (near / before + far / after)
    };
    let last = points.len() - 1;
    (0..points.len()).map(|i| if i == 0 || i == last { 0.0 } else { inner(i) }).collect()
}

fn drawn_at(points: &[[f32; 2]], slopes: &[f64], x: f64) -> f64 {
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
    fn named_curves_are_what_they_are_called_and_never_fall() {
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
