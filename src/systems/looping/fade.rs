//! Weights of the two cycles for every unit and frame.
//!
//! The rise of unit i takes the part `width` of the loop and begins at `start`: W(t) = G((t − start)/width), t = m/X.
//! Painting v moves it: width = softness·(1 − reach·|2v − 1|), start = v·(1 − width), so that every rise lies within the
//! loop, W is 0 at its first and 1 at its last frame, and even a hard one takes two frames.

use super::BuildError;
use super::curve::Curve;
use super::settings::{Fade, Paint, Settings};
use crate::math::lanes::{Loops, widest};

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
    span: Span,
    timing: Paint,
    width: Paint,
}

/// Where rises lie. What painting makes of them is worked out when asked for, since reading it again would take longer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    softness: f32,
    reach: f32,
    narrowest: f32,
}

/// The timing of a unit that has none painted, and the factor on its softness.
const UNPAINTED: [f32; 2] = [0.5, 1.0];

impl Fades {
    /// The fades of `settings` for `units` units of `clip`. Errors on painting for other units and numbers out of range.
    pub fn new(settings: &Settings, units: usize, clip: &str) -> Result<Self, BuildError> {
        let rise = |fade| Rise::new(fade, settings.length, units, clip);
        let outgoing = settings.outgoing.as_ref().map(rise).transpose()?;
        Ok(Self { length: settings.length, incoming: rise(&settings.fade)?, outgoing })
    }

    /// Whether all units have the same share in every frame.
    pub fn is_even(&self) -> bool {
        self.outgoing.is_none() && self.incoming.is_even()
    }

    /// Shares of A in frame `frame` (0 … length) for units `first` and following, as many as `buffer` has places.
    pub fn share<'a>(&self, frame: usize, first: usize, buffer: &'a mut [f32]) -> Share<'a> {
        let time = frame as f32 / self.length as f32;
        let Some(outgoing) = &self.outgoing else {
            if self.incoming.is_even() {
                return Share::Even(self.incoming.at(time, 0));
            }
            widest(Filling { rise: &self.incoming, time, first, shares: &mut *buffer });
            return Share::Each(buffer);
        };
        for (unit, share) in (first..).zip(buffer.iter_mut()) {
            *share = unlinked(time, &self.incoming, outgoing, unit);
        }
        Share::Each(buffer)
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
        (0..units).filter(|&unit| outgoing.end(unit) < self.incoming.start(unit)).count()
    }
}

/// W/(W + W′); where both are 0, a smooth way across the gap.
fn unlinked(time: f32, incoming: &Rise, outgoing: &Rise, unit: usize) -> f32 {
    let (gone, begins) = (outgoing.end(unit), incoming.start(unit));
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
        let span = Span { softness: fade.softness, reach: fade.reach, narrowest: (2.0 / length as f32).min(1.0) };
        Ok(Self { curve: Curve::new(&fade.curve)?, span, timing: fade.timing.clone(), width: fade.width.clone() })
    }

    fn is_even(&self) -> bool {
        self.timing.values().is_empty() && self.width.values().is_empty()
    }

    fn at(&self, time: f32, unit: usize) -> f32 {
        self.curve.at(progress(time, self.place(unit)))
    }

    fn place(&self, unit: usize) -> [f32; 2] {
        let painted = |paint: &Paint, otherwise| paint.values().get(unit).copied().unwrap_or(otherwise);
        self.span.of(painted(&self.timing, UNPAINTED[0]), painted(&self.width, UNPAINTED[1]))
    }

    fn start(&self, unit: usize) -> f32 {
        self.place(unit)[0]
    }

    fn end(&self, unit: usize) -> f32 {
        let [start, times] = self.place(unit);
        start + times.recip()
    }
}

fn within(what: &'static str, value: f32, rule: &'static str) -> Result<(), BuildError> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(BuildError::BadNumber { what, value, rule }) }
}

/// Values of a rise for units `first` and following.
struct Filling<'a> {
    rise: &'a Rise,
    time: f32,
    first: usize,
    shares: &'a mut [f32],
}

impl Loops for Filling<'_> {
    /// One arm for each way of painting, so that loops are plain arithmetic.
    #[inline(always)]
    fn run(self) {
        let Self { rise: Rise { curve, span, timing, width }, time, first, shares } = self;
        let (span, range, [middle, whole]) = (*span, first..first + shares.len(), UNPAINTED);
        // Asked once and not for every unit: all have come to an end.
        if time >= 1.0 {
            return shares.fill(1.0);
        }
        let at = |timing: f32, width: f32| within_rise(time, span.of(timing, width));
        match (timing.values().get(range.clone()), width.values().get(range)) {
            (Some(timing), Some(width)) => {
                curve.fill(shares, timing.iter().zip(width).map(|(&timing, &width)| at(timing, width)));
            }
            (Some(timing), None) => curve.fill(shares, timing.iter().map(|&timing| at(timing, whole))),
            (None, Some(width)) => curve.fill(shares, width.iter().map(|&width| at(middle, width))),
            (None, None) => shares.fill(curve.at(at(middle, whole))),
        }
    }
}

impl Span {
    /// Where the rise begins for painted `timing` and `width`, and how many times it would fit into the loop.
    #[inline(always)]
    fn of(self, timing: f32, width: f32) -> [f32; 2] {
        let width = self.softness * width * (1.0 - 2.0 * self.reach * (timing - 0.5).abs());
        let width = if width > self.narrowest { width } else { self.narrowest };
        [timing * (1.0 - width), width.recip()]
    }
}

fn progress(time: f32, span: [f32; 2]) -> f32 {
    // The product may miss 1 by a rounding, and the end has to be the end.
    if time >= 1.0 { 1.0 } else { within_rise(time, span) }
}

#[inline(always)]
fn within_rise(time: f32, [start, times]: [f32; 2]) -> f32 {
    ((time - start) * times).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::easing::Easing;
    use crate::systems::looping::settings::FadeCurve;

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
