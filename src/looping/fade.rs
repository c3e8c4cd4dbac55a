//! Weights of the two cycles for every unit and frame.
//!
//! The rise of a unit takes the share `width` of the loop and begins at `start`. A painted value v shifts it:
//!
//! ```text
//! W(t)  = G(bent((t − start)/width)),  t = m/X
//! width = softness·(1 − reach·|2v − 1|)
//! start = v·(1 − width)
//! ```
//!
//! A painted shape s bends the rise (the rational bias of C. Schlick, *Graphics Gems IV*, 1994), exactly to 0 and 1 at its
//! ends, and not at all at s = ½:
//!
//! ```text
//! bent(x) = x/(k·(1 − x) + 1),  k = 1/(1 − middle) − 2,  middle = ½ + 0.8·(s − ½)
//! ```
//!
//! Every rise is therefore inside the loop: W is 0 at its first and 1 at its last frame. Even a hard rise takes two
//! frames.

use super::BuildError;
use super::curve::CompiledCurve;
use super::settings::{Fade, Settings};
use portamento_anim::math::WeightMap;
use portamento_anim::math::simd::{SimdKernel, dispatch};
use portamento_base::message::{Message, message};

/// Weights of cycle A, 0…1, for some units; the remainder to 1 is the weight of B.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a> {
    /// One weight for all units.
    Even(f32),
    /// One weight per unit.
    PerUnit(&'a [f32]),
}

impl Weights<'_> {
    /// Returns the weights of `count` units, beginning with unit `first`.
    #[inline(always)]
    pub(super) fn part(&self, first: usize, count: usize) -> Self {
        match self {
            Self::Even(weight) => Self::Even(*weight),
            Self::PerUnit(weights) => Self::PerUnit(&weights[first..first + count]),
        }
    }

    /// Returns the weight of unit `i`, counted from the first unit of these weights.
    pub(super) fn at(&self, i: usize) -> f32 {
        match self {
            Self::Even(weight) => *weight,
            Self::PerUnit(weights) => weights[i],
        }
    }
}

/// Validated weights that can be evaluated frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FadeWeights {
    /// Frames in the loop, X.
    length: usize,
    /// The weights W.
    incoming: Ramp,
    /// 1 − W′; `None` if W′ = 1 − W.
    outgoing: Option<Ramp>,
}

/// A rise from 0 to 1 for every unit, at a different time for each.
#[derive(Clone, Debug, PartialEq)]
struct Ramp {
    /// Shape of the rise.
    curve: CompiledCurve,
    limits: RampLimits,
    /// The painted maps, as in [`Fade`].
    timing: WeightMap,
    width: WeightMap,
    shape: WeightMap,
}

/// Limits of the rises. Spans are computed on demand, which is faster than reading them from memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RampLimits {
    /// Equals [`Fade::softness`].
    softness: f32,
    /// Equals [`Fade::reach`].
    reach: f32,
    /// Minimum duration of a rise as a share of the loop: two frames.
    min_width: f32,
}

/// Position of the rise of one unit in the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    /// Start of the rise as a share of the loop, 0…1.
    start: f32,
    /// Reciprocal of the rise's duration as a share of the loop, at least 1.
    per_loop: f32,
}

/// Timing of an unpainted unit.
const UNPAINTED_TIMING: f32 = 0.5;

/// Width factor of an unpainted unit.
const UNPAINTED_WIDTH: f32 = 1.0;

/// Shape of an unpainted unit: the curve itself.
const UNPAINTED_SHAPE: f32 = 0.5;

/// Part of a rise by which painting moves its middle. Chosen so that the steepest rise is nine times as steep.
const SHAPE_REACH: f32 = 0.8;

/// Largest change of the share within a frame at which short overlaps of unlinked fades are mixed exactly. A rise over two
/// frames changes by up to 0.69.
const MAX_STEP: f32 = 0.7;

impl FadeWeights {
    /// Returns the weights of `settings` for `units` units of `clip`.
    ///
    /// Returns `Err` if
    /// - the softness, the reach or a painted value of a fade is outside 0…1;
    /// - a fade is painted for another number of units;
    /// - a drawn curve does not go from (0, 0) to (1, 1), its x do not rise, or a y is outside 0…1.
    pub fn new(settings: &Settings, units: usize, clip: &str) -> Result<Self, BuildError> {
        let ramp = |fade| Ramp::new(fade, settings.length, units, clip);
        let outgoing = settings.outgoing.as_ref().map(ramp).transpose()?;
        Ok(Self { length: settings.length, incoming: ramp(&settings.fade)?, outgoing })
    }

    /// Returns the weights of A in frame `frame` (0 … length) for units `first` and following, one for each entry of
    /// `buffer`.
    pub fn at<'a>(&self, frame: usize, first: usize, buffer: &'a mut [f32]) -> Weights<'a> {
        let time = self.time_of(frame);
        if let Some(weight) = self.even(frame) {
            return Weights::Even(weight);
        }
        let Some(outgoing) = &self.outgoing else {
            self.incoming.fill(time, first, buffer);
            return Weights::PerUnit(buffer);
        };
        for (unit, weight) in (first..).zip(buffer.iter_mut()) {
            *weight = self.unlinked_weight(time, outgoing, unit);
        }
        Weights::PerUnit(buffer)
    }

    /// Returns the common weight of A in frame `frame` if nothing is painted and the fades are linked, else `None`.
    pub fn even(&self, frame: usize) -> Option<f32> {
        let is_even = self.outgoing.is_none() && self.incoming.is_even();
        is_even.then(|| self.incoming.at(self.time_of(frame), 0))
    }

    /// Returns the weight of A for the unit with the index `unit` in frame `frame`.
    pub(super) fn of_unit(&self, frame: usize, unit: usize) -> f32 {
        let time = self.time_of(frame);
        match &self.outgoing {
            Some(outgoing) => self.unlinked_weight(time, outgoing, unit),
            None => self.incoming.at(time, unit),
        }
    }

    /// Returns how many of `units` units have a gap: W′ is 0 before W rises.
    pub(super) fn units_with_gap(&self, units: usize) -> usize {
        let Some(outgoing) = &self.outgoing else { return 0 };
        (0..units).filter(|&unit| outgoing.end(unit) < self.incoming.start(unit)).count()
    }

    /// Returns the time of `frame`, a share of the loop.
    fn time_of(&self, frame: usize) -> f32 {
        frame as f32 / self.length as f32
    }

    /// Returns W/(W + W′) of `unit` at `time` (a share of the loop), or a smooth rise where the quotient would have a gap or a jump.
    ///
    /// The rise covers the time between the end of B and the start of A, and at least two frames.
    fn unlinked_weight(&self, time: f32, outgoing: &Ramp, unit: usize) -> f32 {
        // Also covers ramps that end together, where the quotient would be 0/0.
        if time >= 1.0 {
            return 1.0;
        }
        if let Some(span) = self.bridge(outgoing, unit) {
            return CompiledCurve::Smoothstep.at(span.progress(time));
        }
        self.quotient(time, outgoing, unit).unwrap_or(0.0)
    }

    /// Returns W/(W + W′) of one unit; `None` if both are 0.
    fn quotient(&self, time: f32, outgoing: &Ramp, unit: usize) -> Option<f32> {
        let (a, b) = (self.incoming.at(time, unit), 1.0 - outgoing.at(time, unit));
        (a + b > 0.0).then(|| a / (a + b))
    }

    /// Returns the rise that replaces the quotient of one unit if that has a gap or a jump between two frames; `None` if the
    /// quotient is smooth.
    fn bridge(&self, outgoing: &Ramp, unit: usize) -> Option<Span> {
        let (end, start) = (outgoing.end(unit), self.incoming.start(unit));
        let min_width = self.incoming.limits.min_width;
        if end - start >= 2.0 * min_width {
            return None;
        }
        let length = self.length as f32;
        let first = (start.min(end) * length).floor() as usize;
        let last = ((start.max(end) * length).ceil() as usize).clamp(first, self.length);
        let mut before = self.quotient(self.time_of(first), outgoing, unit);
        let is_steady = (first + 1..=last).all(|frame| {
            // At the loop's last frame both fades have ended: A alone.
            let now = if frame == self.length { Some(1.0) } else { self.quotient(self.time_of(frame), outgoing, unit) };
            let step = now.zip(before).map(|(now, before)| (now - before).abs());
            before = now;
            step.is_some_and(|step| step <= MAX_STEP)
        });
        if is_steady && last > first {
            return None;
        }
        let width = (start - end).abs().max(min_width);
        let from = ((start + end - width) / 2.0).clamp(0.0, 1.0 - width);
        Some(Span { start: from, per_loop: width.recip() })
    }
}

impl Ramp {
    /// Returns the rises of `fade` for `units` units of `clip` in a loop of `length` frames. Returns `Err` as
    /// [`FadeWeights::new`].
    fn new(fade: &Fade, length: usize, units: usize, clip: &str) -> Result<Self, BuildError> {
        let rule = message!("rule.loop.share", "Choose a number from 0 to 1.");
        for (what, value) in [
            (message!("setting.loop.softness", "The softness of the fade"), fade.softness),
            (message!("setting.loop.reach", "The reach of painting"), fade.reach),
        ] {
            check_share(&what, value, &rule)?;
        }
        for painted in fade.maps().map(WeightMap::values).into_iter().filter(|painted| !painted.is_empty()) {
            if painted.len() != units {
                return Err(BuildError::OtherUnits { clip: clip.into(), painted: painted.len(), units });
            }
            painted.iter().try_for_each(|&value| {
                check_share(&message!("setting.loop.painted", "A painted weight"), value, &rule)
            })?;
        }
        // Two frames: a step within one frame would be a seam in the middle of the loop.
        let min_width = (2.0 / length as f32).min(1.0);
        let limits = RampLimits { softness: fade.softness, reach: fade.reach, min_width };
        let curve = CompiledCurve::new(&fade.curve)?;
        let Fade { timing, width, shape, .. } = fade.clone();
        Ok(Self { curve, limits, timing, width, shape })
    }

    /// True if nothing is painted, so that all units rise alike.
    fn is_even(&self) -> bool {
        self.timing.is_empty() && self.width.is_empty() && self.shape.is_empty()
    }

    /// Returns the value of one unit at `time`, a share of the loop; exactly 1 at its end.
    fn at(&self, time: f32, unit: usize) -> f32 {
        // The product may miss 1 by a rounding error, but the last weight must be exactly 1.
        self.curve.at(if time >= 1.0 { 1.0 } else { bent(self.span(unit).progress(time), self.bend(unit)) })
    }

    /// Writes the values at `time`, a share of the loop, for units `first` and following to `weights`. Painted shapes have their
    /// own loop, because in the kernel they would keep the compiler from inlining the others.
    fn fill(&self, time: f32, first: usize, weights: &mut [f32]) {
        if self.shape.is_empty() {
            return dispatch(FillWeights { ramp: self, time, first, weights });
        }
        weights.iter_mut().zip(first..).for_each(|(weight, unit)| *weight = self.at(time, unit));
    }

    /// Returns the k by which the painted shape bends the rise of one unit.
    fn bend(&self, unit: usize) -> f32 {
        bend_of(self.shape.values().get(unit).copied().unwrap_or(UNPAINTED_SHAPE))
    }

    /// Returns the position of the rise of one unit in the loop, from its painted values.
    fn span(&self, unit: usize) -> Span {
        let painted = |map: &WeightMap, otherwise| map.values().get(unit).copied().unwrap_or(otherwise);
        self.limits.span(painted(&self.timing, UNPAINTED_TIMING), painted(&self.width, UNPAINTED_WIDTH))
    }

    /// Returns the share of the loop at which the rise leaves 0: a drawn curve may stay there for a while.
    fn start(&self, unit: usize) -> f32 {
        let Span { start, per_loop } = self.span(unit);
        start + unbent(self.curve.leaves_zero(), self.bend(unit)) / per_loop
    }

    /// Returns the share of the loop at which the rise reaches 1.
    fn end(&self, unit: usize) -> f32 {
        let Span { start, per_loop } = self.span(unit);
        start + unbent(self.curve.reaches_one(), self.bend(unit)) / per_loop
    }
}

/// Returns `Err` unless `value` is within 0…1. `what` and `rule` are for the message.
fn check_share(what: &Message, value: f32, rule: &Message) -> Result<(), BuildError> {
    let refused = || BuildError::BadNumber { what: what.clone(), value, rule: Box::new(rule.clone()) };
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(refused()) }
}

/// Kernel that fills in the values of a ramp without painted shapes for units `first` and following.
struct FillWeights<'a> {
    ramp: &'a Ramp,
    time: f32,
    first: usize,
    weights: &'a mut [f32],
}

impl SimdKernel for FillWeights<'_> {
    /// One arm for each combination of painted maps, so that the loops are plain arithmetic.
    #[inline(always)]
    fn run(self) {
        let Self { ramp: Ramp { curve, limits, timing, width, .. }, time, first, weights } = self;
        let (limits, range) = (*limits, first..first + weights.len());
        // Tested once instead of per unit: all rises have ended.
        if time >= 1.0 {
            return weights.fill(1.0);
        }
        let at = |timing: f32, width: f32| limits.span(timing, width).progress(time);
        match (timing.values().get(range.clone()), width.values().get(range)) {
            (Some(timing), Some(width)) => {
                curve.fill(weights, timing.iter().zip(width).map(|(&timing, &width)| at(timing, width)));
            }
            (Some(timing), None) => curve.fill(weights, timing.iter().map(|&timing| at(timing, UNPAINTED_WIDTH))),
            (None, Some(width)) => curve.fill(weights, width.iter().map(|&width| at(UNPAINTED_TIMING, width))),
            (None, None) => weights.fill(curve.at(at(UNPAINTED_TIMING, UNPAINTED_WIDTH))),
        }
    }
}

impl RampLimits {
    /// Returns the position in the loop of a rise with painted `timing` and `width`, each 0…1. The rise lasts at
    /// least `min_width`.
    #[inline(always)]
    fn span(self, timing: f32, width: f32) -> Span {
        let width = self.softness * width * (1.0 - 2.0 * self.reach * (timing - 0.5).abs());
        // Not `max`: its care for NaN takes more instructions, and widths are never NaN.
        let width = if width > self.min_width { width } else { self.min_width };
        Span { start: timing * (1.0 - width), per_loop: width.recip() }
    }
}

impl Span {
    /// Returns the share of the rise that is done at `time`, 0…1.
    #[inline(always)]
    fn progress(self, time: f32) -> f32 {
        ((time - self.start) * self.per_loop).clamp(0.0, 1.0)
    }
}

/// Returns the k of a painted shape; 0 for ½.
#[inline(always)]
fn bend_of(shape: f32) -> f32 {
    (0.5 - SHAPE_REACH * (shape - 0.5)).recip() - 2.0
}

/// Bends the progress `x` of a rise; exact at 0 and 1, and the same bits for k = 0.
#[inline(always)]
fn bent(x: f32, k: f32) -> f32 {
    x / (k * (1.0 - x) + 1.0)
}

/// Returns the progress that [`bent`] maps to `x`.
fn unbent(x: f32, k: f32) -> f32 {
    x * (k + 1.0) / (k * x + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::FadeCurve;
    use portamento_anim::math::easing::Easing;

    /// Returns W and W′ of one unit, the inputs of the quotient.
    fn raw(fades: &FadeWeights, frame: usize, unit: usize) -> (f32, f32) {
        let time = fades.time_of(frame);
        (fades.incoming.at(time, unit), 1.0 - fades.outgoing.as_ref().unwrap().at(time, unit))
    }

    fn fades(fade: Fade, outgoing: Option<Fade>, length: usize, units: usize) -> Result<FadeWeights, BuildError> {
        FadeWeights::new(&Settings { length, fade, outgoing, ..Settings::default() }, units, "flag")
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
            let Weights::Even(weight) = fades.at(m - 1, 0, &mut []) else { panic!("nothing is painted") };
            assert_eq!((weight, fades.of_unit(m - 1, 0)), ((m - 1) as f32 / 100.0, weight));
        }
    }

    #[test]
    fn every_painted_unit_rises_from_zero_to_one_and_is_equal_alone_and_in_a_batch() {
        let timing: WeightMap = (0..=20).map(|i| i as f32 / 20.0).collect::<Vec<_>>().into();
        let width: WeightMap = (0..=20).map(|i| (i * 7 % 21) as f32 / 20.0).collect::<Vec<_>>().into();
        for curve in curves() {
            for (reach, softness) in [(0.0, 1.0), (0.5, 1.0), (1.0, 0.3), (1.0, 0.0)] {
                let shape = WeightMap::default();
                let (timing, width) = (timing.clone(), width.clone());
                let fade = Fade { curve: curve.clone(), reach, softness, timing, width, shape };
                let fades = fades(fade, None, 24, 21).unwrap();
                let mut buffer = [0.0; 21];
                let mut before = [0.0; 21];
                for frame in 0..=24 {
                    let Weights::PerUnit(shares) = fades.at(frame, 0, &mut buffer) else { panic!("painted") };
                    for unit in 0..21 {
                        let w = fades.of_unit(frame, unit);
                        assert!((shares[unit] - w).abs() <= 1e-7);
                        assert!(w >= before[unit] - 1e-6, "rises");
                        before[unit] = w;
                    }
                }
                for unit in 0..21 {
                    assert_eq!((fades.of_unit(0, unit), fades.of_unit(24, unit)), (0.0, 1.0));
                }
            }
        }
    }

    #[test]
    fn every_unit_may_have_a_curve_of_its_own_exact_at_both_ends() {
        let per_unit =
            |step: usize| -> WeightMap { (0..21).map(|i| (i * step % 21) as f32 / 20.0).collect::<Vec<_>>().into() };
        for curve in curves() {
            let painted = |softness: f32| Fade {
                curve: curve.clone(),
                softness,
                timing: per_unit(1),
                width: per_unit(8),
                shape: per_unit(5),
                ..Fade::default()
            };
            for (outgoing, length) in
                [(None, 24), (Some(painted(0.6)), 24), (None, 3), (Some(painted(1.0)), 3), (None, 1)]
            {
                let fades = fades(painted(0.9), outgoing, length, 21).unwrap();
                let mut buffer = [0.0; 21];
                for frame in 0..=length {
                    let Weights::PerUnit(shares) = fades.at(frame, 0, &mut buffer) else { panic!("painted") };
                    let alone: Vec<f32> = (0..21).map(|unit| fades.of_unit(frame, unit)).collect();
                    assert!(shares.iter().zip(&alone).all(|(a, b)| (a - b).abs() <= 1e-7));
                    let wanted = (frame == 0 || frame == length).then_some((frame == length) as u8 as f32);
                    assert!(wanted.is_none_or(|wanted| shares.iter().all(|share| share.to_bits() == wanted.to_bits())));
                }
            }
        }
        // Schlick's bias: painted ½ ± ½ the linear rise is half done after 0.5 ∓ 0.4 of its time.
        let fade =
            Fade { curve: FadeCurve::Named(Easing::Linear), shape: vec![0.0, 0.5, 1.0].into(), ..Fade::default() };
        let fades = fades(fade, None, 10, 3).unwrap();
        assert_eq!([fades.of_unit(3, 1), fades.of_unit(5, 1)], [0.3, 0.5]);
        assert!((fades.of_unit(1, 0) - 0.5).abs() < 1e-6 && (fades.of_unit(9, 2) - 0.5).abs() < 1e-6);
        assert!((fades.of_unit(5, 0) - 0.9).abs() < 1e-6 && (fades.of_unit(5, 2) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn independent_fades_over_at_most_three_frames_are_exact() {
        let linear = |softness: f32| {
            let curve = FadeCurve::Named(Easing::Linear);
            Fade { curve, softness, timing: vec![0.5].into(), reach: 0.0, ..Fade::default() }
        };
        let shares = |fade: Fade, outgoing: Fade, length: usize| -> Vec<f32> {
            let fades = fades(fade, Some(outgoing), length, 1).unwrap();
            (0..=length).map(|frame| fades.of_unit(frame, 0)).collect()
        };
        let close = |found: Vec<f32>, wanted: &[f32]| {
            assert!(
                found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6),
                "{found:?}"
            );
        };
        close(shares(linear(1.0), linear(1.0), 3), &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        close(shares(linear(1.0), linear(1.0), 2), &[0.0, 0.5, 1.0]);
        close(shares(linear(1.0), linear(1.0), 1), &[0.0, 1.0]);
        // W = 0, 1/3, 2/3, 1 rises over the whole loop; W′ = 1, 3/4, 1/4, 0 falls over two frames.
        close(shares(linear(1.0), linear(0.5), 3), &[0.0, 4.0 / 13.0, 8.0 / 11.0, 1.0]);
        // Both over three frames in the middle of a long loop, from 48.5 to 51.5.
        let found = shares(linear(0.03), linear(0.03), 100);
        close(found[48..53].to_vec(), &[0.0, 1.0 / 6.0, 0.5, 5.0 / 6.0, 1.0]);
    }

    #[test]
    fn early_units_end_before_late_ones_begin() {
        let fade = Fade { timing: vec![0.0, 1.0].into(), softness: 0.5, ..Fade::default() };
        let fades = fades(fade, None, 100, 2).unwrap();
        assert_eq!((fades.of_unit(25, 0), fades.of_unit(75, 1)), (1.0, 0.0));
        assert!(fades.of_unit(12, 0) > 0.4 && fades.of_unit(88, 1) < 0.6);
    }

    #[test]
    fn unlinked_weights_are_normalised_and_gaps_are_bridged_smoothly() {
        let timed = |at: f32| Fade { timing: vec![at].into(), softness: 0.4, reach: 0.0, ..Fade::default() };
        let overlapping = fades(timed(0.2), Some(timed(0.8)), 100, 1).unwrap();
        assert_eq!(overlapping.units_with_gap(1), 0);
        let mut buffer = [0.0];
        let Weights::PerUnit(&[share]) = overlapping.at(50, 0, &mut buffer) else { panic!("one unit") };
        let (w, rest) = raw(&overlapping, 50, 0);
        assert!(w + rest > 1.5 && (share - w / (w + rest)).abs() < 1e-7);
        let gap = fades(timed(1.0), Some(timed(0.0)), 100, 1).unwrap();
        assert_eq!(gap.units_with_gap(1), 1);
        let mut shares = Vec::new();
        for frame in 0..=100 {
            let Weights::PerUnit(&[share]) = gap.at(frame, 0, &mut buffer) else { panic!("one unit") };
            shares.push(share);
        }
        assert!(shares[0] == 0.0 && shares[100] == 1.0 && shares.is_sorted());
        assert!(shares.windows(2).all(|pair| pair[1] - pair[0] < 0.1), "no jump");
    }

    #[test]
    fn unlinked_fades_never_jump() {
        let timed = |at: f32, softness: f32, curve: &FadeCurve| {
            let fade = Fade { timing: vec![at].into(), softness, reach: 0.0, ..Fade::default() };
            Fade { curve: curve.clone(), ..fade }
        };
        let late = FadeCurve::Drawn(vec![[0.0, 0.0], [0.6, 0.0], [1.0, 1.0]]);
        let steps = |fade: Fade, outgoing: Fade, length: usize| -> f32 {
            let fades = fades(fade, Some(outgoing), length, 1).unwrap();
            let weights: Vec<f32> = (0..=length).map(|frame| fades.of_unit(frame, 0)).collect();
            assert_eq!((weights[0], weights[length]), (0.0, 1.0));
            weights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
        };
        for curve in curves().iter().chain([&late]) {
            for i in 0..=200 {
                // B ends at times around the start of A.
                let (begins, gone) = (timed(0.5, 0.4, curve), timed(i as f32 / 200.0, 0.3, curve));
                let largest = steps(begins, gone, 100);
                // A rise over two frames changes by 0.69 within one frame if it is centred on that frame.
                assert!(largest <= 0.7, "{curve:?} {i}: {largest} in one frame");
            }
        }
    }

    #[test]
    fn bad_painting_and_bad_curves_are_refused_with_a_message() {
        let timing = |values: Vec<f32>| Fade { timing: values.into(), ..Fade::default() };
        assert!(matches!(
            fades(timing(vec![0.5]), None, 9, 2),
            Err(BuildError::OtherUnits { painted: 1, units: 2, .. })
        ));
        let width = |values: Vec<f32>| Fade { width: values.into(), ..Fade::default() };
        for value in [-0.01, 1.01, f32::NAN, f32::INFINITY] {
            let of = |fade: Fade| fades(fade, None, 9, 2);
            let outgoing = fades(Fade::default(), Some(Fade { softness: value, ..Fade::default() }), 9, 2);
            for refused in [
                of(timing(vec![0.5, value])),
                of(Fade { shape: vec![value, 0.5].into(), ..Fade::default() }),
                of(width(vec![0.5, value])),
                of(Fade { softness: value, ..Fade::default() }),
                of(Fade { reach: value, ..Fade::default() }),
                outgoing,
            ] {
                assert!(matches!(refused, Err(BuildError::BadNumber { .. })), "{value}");
            }
        }
        for value in [0.0, 1.0] {
            assert!(fades(Fade { softness: value, reach: value, ..timing(vec![value; 2]) }, None, 9, 2).is_ok());
        }
        for points in [
            vec![],
            vec![[0.0, 0.0]],
            vec![[0.0, 0.0], [0.5, 1.01], [1.0, 1.0]],
            vec![[0.0, 0.0], [0.5, -0.01], [1.0, 1.0]],
            vec![[0.0, 0.0], [0.0, 0.5], [1.0, 1.0]],
            vec![[0.0, 0.0], [0.6, 0.5], [0.4, 0.5], [1.0, 1.0]],
            vec![[0.0, 0.1], [1.0, 1.0]],
            vec![[0.0, 0.0], [1.0, 0.9]],
            vec![[0.0, 0.0], [0.5, f32::NAN], [1.0, 1.0]],
        ] {
            let fade = Fade { curve: FadeCurve::Drawn(points), ..Fade::default() };
            assert!(matches!(fades(fade, None, 9, 1), Err(BuildError::BadCurve(_))));
        }
    }
}
