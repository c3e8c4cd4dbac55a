//! Weights of the two cycles for every unit and frame.
//!
//! The rise of unit i takes the part `width` of the loop and begins at `start`: W(t) = G((t − start)/width), t = m/X.
//! Painting v moves it: width = softness·(1 − reach·|2v − 1|), start = v·(1 − width), so that every rise lies within the
//! loop, W is 0 at its first and 1 at its last frame, and even a hard one takes two frames.

use super::BuildError;
use super::settings::{Fade, FadeCurve, Settings};
use crate::math::easing::Easing;

/// Shares of cycle A, 0…1, of some units; the rest is B's.
#[derive(Clone, Copy, Debug)]
pub enum Share<'a> {
    /// The same for every unit.
    Even(f32),
    /// One per unit.
    Each(&'a [f32]),
}

/// Checked weights, ready to be asked frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Fades {
    length: usize,
    incoming: Rise,
    outgoing: Option<Rise>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rise {
    curve: Curve,
    spans: Spans,
}

/// Where rises begin, and how many times they would fit into the loop: multiplying is quicker than dividing.
#[derive(Clone, Debug, PartialEq)]
enum Spans {
    Even([f32; 2]),
    Each(Vec<[f32; 2]>),
}

#[derive(Clone, Debug, PartialEq)]
enum Curve {
    Linear,
    Smoothstep,
    Smoother,
    /// Values at equal distances, joined by straight lines.
    Table(Vec<f32>),
}

/// Pieces of a tabulated curve: a straight line over one is off by less than 10⁻⁶.
const TABLE: usize = 1024;

impl Fades {
    /// The fades of `settings` for `units` units of `clip`. Errors on painting for other units and numbers out of range.
    pub fn new(settings: &Settings, units: usize, clip: &str) -> Result<Self, BuildError> {
        let rise = |fade| Rise::new(fade, settings.length, units, clip);
        let outgoing = settings.outgoing.as_ref().map(rise).transpose()?;
        Ok(Self { length: settings.length, incoming: rise(&settings.fade)?, outgoing })
    }

    /// Shares of A in frame `frame` (0 … length) for units `first` and following, as many as `buffer` has places.
    pub fn share<'a>(&self, frame: usize, first: usize, buffer: &'a mut [f32]) -> Share<'a> {
        let time = frame as f32 / self.length as f32;
        match (&self.outgoing, &self.incoming.spans) {
            (None, Spans::Even(span)) => Share::Even(self.incoming.curve.at(progress(time, *span))),
            (None, Spans::Each(spans)) => {
                self.incoming.curve.fill(time, &spans[first..first + buffer.len()], buffer);
                Share::Each(buffer)
            }
            (Some(outgoing), _) => {
                for (unit, share) in (first..).zip(buffer.iter_mut()) {
                    *share = unlinked(time, &self.incoming, outgoing, unit);
                }
                Share::Each(buffer)
            }
        }
    }

    /// W and W′ of one unit in frame `frame`, as they enter the quotient.
    pub fn weights(&self, frame: usize, unit: usize) -> (f32, f32) {
        let time = frame as f32 / self.length as f32;
        let incoming = self.incoming.at(time, unit);
        (incoming, self.outgoing.as_ref().map_or(1.0 - incoming, |outgoing| 1.0 - outgoing.at(time, unit)))
    }

    /// How many of `units` units have nothing to show for a while: W′ is gone before W begins.
    pub fn apart(&self, units: usize) -> usize {
        let Some(outgoing) = &self.outgoing else { return 0 };
        (0..units).filter(|&unit| outgoing.end(unit) < self.incoming.spans.of(unit)[0]).count()
    }
}

/// W/(W + W′); where both are 0, a smooth way across the gap.
fn unlinked(time: f32, incoming: &Rise, outgoing: &Rise, unit: usize) -> f32 {
    let (gone, begins) = (outgoing.end(unit), incoming.spans.of(unit)[0]);
    if time >= gone && time <= begins && begins > gone {
        return Curve::Smoothstep.at((time - gone) / (begins - gone));
    }
    let (a, b) = (incoming.at(time, unit), 1.0 - outgoing.at(time, unit));
    // Two fades that only touch both vanish in one point; A is about to be all there is.
    if a + b > 0.0 { a / (a + b) } else { 1.0 }
}

impl Rise {
    fn new(fade: &Fade, length: usize, units: usize, clip: &str) -> Result<Self, BuildError> {
        let rule = "Choose a number from 0 to 1.";
        for (what, value) in [("The softness of the fade", fade.softness), ("The reach of painting", fade.reach)] {
            within(what, value, rule)?;
        }
        let (timing, width) = (fade.timing.values(), fade.width.values());
        for painted in [timing, width].into_iter().filter(|painted| !painted.is_empty()) {
            if painted.len() != units {
                return Err(BuildError::OtherUnits { clip: clip.into(), painted: painted.len(), units });
            }
            painted.iter().try_for_each(|&value| within("A painted weight", value, rule))?;
        }
        let narrowest = (2.0 / length as f32).min(1.0);
        let span = |v: f32, factor: f32| {
            let width = (fade.softness * factor * (1.0 - fade.reach * (2.0 * v - 1.0).abs())).max(narrowest);
            [v * (1.0 - width), width.recip()]
        };
        let painted = |values: &[f32], unit: usize, otherwise| values.get(unit).copied().unwrap_or(otherwise);
        let spans = if timing.is_empty() && width.is_empty() {
            Spans::Even(span(0.5, 1.0))
        } else {
            Spans::Each((0..units).map(|unit| span(painted(timing, unit, 0.5), painted(width, unit, 1.0))).collect())
        };
        Ok(Self { curve: Curve::new(&fade.curve)?, spans })
    }

    fn at(&self, time: f32, unit: usize) -> f32 {
        self.curve.at(progress(time, self.spans.of(unit)))
    }

    fn end(&self, unit: usize) -> f32 {
        let [start, times] = self.spans.of(unit);
        start + times.recip()
    }
}

fn within(what: &'static str, value: f32, rule: &'static str) -> Result<(), BuildError> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(BuildError::BadNumber { what, value, rule }) }
}

impl Spans {
    fn of(&self, unit: usize) -> [f32; 2] {
        match self {
            Self::Even(span) => *span,
            Self::Each(spans) => spans[unit],
        }
    }
}

fn progress(time: f32, [start, times]: [f32; 2]) -> f32 {
    // The product may miss 1 by a rounding, and the end has to be the end.
    if time >= 1.0 { 1.0 } else { ((time - start) * times).clamp(0.0, 1.0) }
}

impl Curve {
    fn new(curve: &FadeCurve) -> Result<Self, BuildError> {
        let grid = |i: usize| i as f64 / TABLE as f64;
        Ok(match curve {
            FadeCurve::Named(Easing::Linear) => Self::Linear,
            FadeCurve::Named(Easing::Smoothstep) => Self::Smoothstep,
            FadeCurve::Named(Easing::Smoother) => Self::Smoother,
            FadeCurve::Named(named) => Self::Table((0..=TABLE).map(|i| named.at(grid(i)) as f32).collect()),
            FadeCurve::Drawn(points) => {
                check_drawn(points)?;
                let slopes = slopes(points);
                Self::Table((0..=TABLE).map(|i| drawn_at(points, &slopes, grid(i)) as f32).collect())
            }
        })
    }

    fn at(&self, x: f32) -> f32 {
        match self {
            Self::Linear => x,
            Self::Smoothstep => smoothstep(x),
            Self::Smoother => smoother(x),
            Self::Table(values) => between_entries(values, x),
        }
    }

    /// One match for many units, so that the loops inside are plain arithmetic.
    fn fill(&self, time: f32, spans: &[[f32; 2]], shares: &mut [f32]) {
        match self {
            Self::Linear => rise(time, spans, shares, |x| x),
            Self::Smoothstep => rise(time, spans, shares, smoothstep),
            Self::Smoother => rise(time, spans, shares, smoother),
            Self::Table(values) => rise(time, spans, shares, |x| between_entries(values, x)),
        }
    }
}

fn rise(time: f32, spans: &[[f32; 2]], shares: &mut [f32], curve: impl Fn(f32) -> f32) {
    shares.iter_mut().zip(spans).for_each(|(share, span)| *share = curve(progress(time, *span)));
}

fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}

fn smoother(x: f32) -> f32 {
    (x * x * x * (x * (x * 6.0 - 15.0) + 10.0)).clamp(0.0, 1.0)
}

fn between_entries(values: &[f32], x: f32) -> f32 {
    let place = x * TABLE as f32;
    let i = (place as usize).min(TABLE - 1);
    values[i] + (values[i + 1] - values[i]) * (place - i as f32)
}

impl FadeCurve {
    /// Points (x, y) of the curve at `pieces` + 1 equal distances, for pictures; none where a drawn one is refused.
    pub fn line(&self, pieces: usize) -> Vec<[f32; 2]> {
        let Ok(curve) = Curve::new(self) else { return Vec::new() };
        let place = |i: usize| i as f32 / pieces.max(1) as f32;
        (0..=pieces).map(|i| [place(i), curve.at(place(i))]).collect()
    }
}

fn check_drawn(points: &[[f32; 2]]) -> Result<(), BuildError> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(BuildError::BadCurve("has no points"));
    };
    if *first != [0.0, 0.0] || *last != [1.0, 1.0] {
        return Err(BuildError::BadCurve("does not go from (0, 0) to (1, 1)"));
    }
    if !points.windows(2).all(|pair| pair[1][0] > pair[0][0]) {
        return Err(BuildError::BadCurve("goes back or straight up"));
    }
    let inside = points.iter().all(|[_, y]| (0.0..=1.0).contains(y));
    if inside { Ok(()) } else { Err(BuildError::BadCurve("leaves the range from 0 to 1")) }
}

/// Slopes of the monotone cubic through `points`, flat at both ends (Fritsch and Butland 1984).
fn slopes(points: &[[f32; 2]]) -> Vec<f64> {
    let step = |i: usize| f64::from(points[i + 1][0]) - f64::from(points[i][0]);
    let secant = |i: usize| (f64::from(points[i + 1][1]) - f64::from(points[i][1])) / step(i);
    let inner = |i: usize| {
        let (before, after) = (secant(i - 1), secant(i));
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
    use crate::systems::looping::settings::Paint;

    fn fades(fade: Fade, outgoing: Option<Fade>, length: usize, units: usize) -> Result<Fades, BuildError> {
        Fades::new(&Settings { length, fade, outgoing, ..Settings::default() }, units, "flag")
    }

    fn curves() -> Vec<FadeCurve> {
        let drawn = FadeCurve::Drawn(vec![[0.0, 0.0], [0.2, 0.6], [0.7, 0.65], [1.0, 1.0]]);
        Easing::ALL.map(FadeCurve::Named).into_iter().chain([drawn]).collect()
    }

    #[test]
    fn linear_weights_of_a_hundred_frames_are_hundredths() {
        let fade = Fade { curve: FadeCurve::Named(Easing::Linear), ..Fade::default() };
        let fades = fades(fade, None, 100, 1).unwrap();
        for m in 1..=101 {
            let (w, rest) = fades.weights(m - 1, 0);
            assert_eq!(w, (m - 1) as f32 / 100.0);
            assert_eq!(rest, 1.0 - w);
        }
    }

    #[test]
    fn every_painted_unit_goes_from_zero_to_one_and_both_weights_sum_to_one() {
        let timing: Paint = (0..=20).map(|i| i as f32 / 20.0).collect::<Vec<_>>().into();
        let width: Paint = (0..=20).map(|i| (i * 7 % 21) as f32 / 20.0).collect::<Vec<_>>().into();
        for curve in curves() {
            for (reach, softness) in [(0.0, 1.0), (0.5, 1.0), (1.0, 0.3), (1.0, 0.0)] {
                let fade = Fade { curve: curve.clone(), reach, softness, timing: timing.clone(), width: width.clone() };
                let fades = fades(fade, None, 24, 21).unwrap();
                let mut buffer = [0.0; 21];
                let mut before = [0.0; 21];
                for frame in 0..=24 {
                    let Share::Each(shares) = fades.share(frame, 0, &mut buffer) else { panic!("painted") };
                    for unit in 0..21 {
                        let (w, rest) = fades.weights(frame, unit);
                        assert!((w + rest - 1.0).abs() <= 1e-7 && (shares[unit] - w).abs() <= 1e-7);
                        assert!(w >= before[unit] - 1e-6, "rises");
                        before[unit] = w;
                    }
                }
                for unit in 0..21 {
                    assert_eq!((fades.weights(0, unit).0, fades.weights(24, unit).0), (0.0, 1.0));
                }
            }
        }
    }

    #[test]
    fn early_units_are_through_before_late_ones_begin() {
        let fade = Fade { timing: vec![0.0, 1.0].into(), softness: 0.5, ..Fade::default() };
        let fades = fades(fade, None, 100, 2).unwrap();
        assert_eq!((fades.weights(25, 0).0, fades.weights(75, 1).0), (1.0, 0.0));
        assert!(fades.weights(12, 0).0 > 0.4 && fades.weights(88, 1).0 < 0.6);
    }

    #[test]
    fn weights_of_their_own_are_normalised_and_a_gap_is_crossed_smoothly() {
        let timed = |at: f32| Fade { timing: vec![at].into(), softness: 0.4, reach: 0.0, ..Fade::default() };
        let overlapping = fades(timed(0.2), Some(timed(0.8)), 100, 1).unwrap();
        assert_eq!(overlapping.apart(1), 0);
        let mut buffer = [0.0];
        let Share::Each(&[share]) = overlapping.share(50, 0, &mut buffer) else { panic!("one unit") };
        let (w, rest) = overlapping.weights(50, 0);
        assert!(w + rest > 1.5 && (share - w / (w + rest)).abs() < 1e-7);
        let gap = fades(timed(1.0), Some(timed(0.0)), 100, 1).unwrap();
        assert_eq!(gap.apart(1), 1);
        let mut shares = Vec::new();
        for frame in 0..=100 {
            let Share::Each(&[share]) = gap.share(frame, 0, &mut buffer) else { panic!("one unit") };
            shares.push(share);
        }
        assert!(shares[0] == 0.0 && shares[100] == 1.0 && shares.is_sorted());
        assert!(shares.windows(2).all(|pair| pair[1] - pair[0] < 0.1), "no jump");
    }

    #[test]
    fn bad_painting_and_bad_curves_are_refused_in_words() {
        let timing = |values: Vec<f32>| Fade { timing: values.into(), ..Fade::default() };
        assert!(matches!(
            fades(timing(vec![0.5]), None, 9, 2),
            Err(BuildError::OtherUnits { painted: 1, units: 2, .. })
        ));
        assert!(fades(timing(vec![0.5, f32::NAN]), None, 9, 2).is_err());
        assert!(fades(Fade { softness: f32::INFINITY, ..Fade::default() }, None, 9, 2).is_err());
        for points in [
            vec![],
            vec![[0.0, 0.0]],
            vec![[0.0, 0.0], [0.5, 2.0], [1.0, 1.0]],
            vec![[0.0, 0.0], [0.0, 0.5], [1.0, 1.0]],
        ] {
            let fade = Fade { curve: FadeCurve::Drawn(points), ..Fade::default() };
            assert!(matches!(fades(fade, None, 9, 1), Err(BuildError::BadCurve(_))));
        }
    }
}
