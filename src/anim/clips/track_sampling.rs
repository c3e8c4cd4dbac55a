//! Samples all curves of a clip at one time, with one search for all curves that share their keys, and eight
//! rotations at once.

use glam::{Quat, Vec4};

use super::curve::{Animated, Curve, Interpolation, KeySpan, find_span};
use crate::JointTracks;
use crate::math::Transform;
use crate::math::great_arc::GreatArc;
use crate::math::lanes::{Eight, F32x8, LaneKernel, Vectors, dispatch_lanes};

/// Writes the value of every curve at `time` (seconds, clamped to the keys) to `locals`, which has one entry per
/// track. Joints without curves stay unchanged. The bits equal those of [`Curve::sample`].
pub(super) fn sample_tracks(tracks: &[JointTracks], time: f64, locals: &mut [Transform]) {
    dispatch_lanes(SampleTracks { tracks, time, locals });
}

/// The arguments of [`sample_tracks`].
struct SampleTracks<'a> {
    tracks: &'a [JointTracks],
    time: f64,
    locals: &'a mut [Transform],
}

impl LaneKernel for SampleTracks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { tracks, time, locals } = self;
        let mut keys = SharedKeys { time, known: None };
        let mut arcs = PendingArcs::new();
        for (joint, tracks) in tracks.iter().enumerate() {
            if let Some(curve) = &tracks.translation {
                set(curve, &mut keys, &mut locals[joint].translation);
            }
            if let Some(curve) = &tracks.scale {
                set(curve, &mut keys, &mut locals[joint].scale);
            }
            let Some(curve) = &tracks.rotation else { continue };
            match keys.find(&curve.times) {
                Some(KeySpan::Between(key, fraction)) if curve.interpolation == Interpolation::Linear => {
                    arcs.push(joint, [curve.values[key], curve.values[key + 1]], fraction);
                    if arcs.count == LANES {
                        arcs.write(vectors, locals);
                    }
                }
                span => locals[joint].rotation = span.map_or(locals[joint].rotation, |span| curve.at(span)),
            }
        }
        arcs.write(vectors, locals);
    }
}

/// Sets `value` to that of `curve` at the time of `keys`; a curve without keys leaves it unchanged.
#[inline(always)]
fn set<T: Animated>(curve: &Curve<T>, keys: &mut SharedKeys, value: &mut T) {
    if let Some(span) = keys.find(&curve.times) {
        *value = curve.at(span);
    }
}

/// Finds one time among the keys of several curves in turn. Curves with the keys of the last search need no search of their own.
struct SharedKeys {
    /// The time, seconds.
    time: f64,
    known: Option<KnownSpan>,
}

/// Two adjacent keys and a time between them.
#[derive(Clone, Copy)]
struct KnownSpan {
    /// Index of the first key.
    key: usize,
    /// Times of the two keys, seconds.
    keys: [f32; 2],
    /// Position of the time between them, 0…1.
    fraction: f32,
}

impl SharedKeys {
    /// Returns the result of [`find_span`] for `times`. The search is skipped if the last found keys have the same times here.
    #[inline(always)]
    fn find(&mut self, times: &[f32]) -> Option<KeySpan> {
        if let Some(KnownSpan { key, keys, fraction }) = self.known
            && times.get(key..key + 2).is_some_and(|found| *found == keys)
        {
            return Some(KeySpan::Between(key, fraction));
        }
        self.search(times)
    }

    /// Returns the result of [`find_span`] for `times`, and remembers the two keys around the time.
    #[inline(never)]
    fn search(&mut self, times: &[f32]) -> Option<KeySpan> {
        let span = find_span(times, self.time);
        if let Some(KeySpan::Between(key, fraction)) = span {
            self.known = Some(KnownSpan { key, keys: [times[key], times[key + 1]], fraction });
        }
        span
    }
}

/// Number of rotations per register.
const LANES: usize = 8;

/// Rotations between two keys, collected until a register is full.
struct PendingArcs {
    count: usize,
    joints: [usize; LANES],
    from: [Vec4; LANES],
    to: [Vec4; LANES],
    fractions: F32x8,
}

impl PendingArcs {
    #[inline(always)]
    fn new() -> Self {
        // Unused lanes interpolate from the identity to the identity.
        Self { count: 0, joints: [0; LANES], from: [Vec4::W; LANES], to: [Vec4::W; LANES], fractions: F32x8::ZERO }
    }

    /// Adds a rotation of `joint` at `fraction` (0…1) of the arc. The caller writes before there are more than [`LANES`].
    #[inline(always)]
    fn push(&mut self, joint: usize, [from, to]: [Quat; 2], fraction: f32) {
        let lane = self.count % LANES;
        (self.joints[lane], self.from[lane], self.to[lane]) = (joint, from.into(), to.into());
        self.fractions.0[lane] = fraction;
        self.count += 1;
    }

    /// Writes the collected rotations to the `locals` of their joints, and empties the collection.
    #[inline(always)]
    fn write<V: Vectors>(&mut self, vectors: V, locals: &mut [Transform]) {
        let ends = [&self.from, &self.to].map(|rows| Eight::transposed(vectors, rows));
        let fraction = Eight::load(vectors, &self.fractions);
        let rotations = Eight::rows(GreatArc::between(ends[0], ends[1]).at(fraction));
        for (&joint, &rotation) in self.joints.iter().zip(&rotations).take(self.count) {
            locals[joint].rotation = Quat::from_vec4(rotation);
        }
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::math::lanes::run_narrow;

    /// Curves of every kind: with shared keys, with individual keys, steps, splines, single keys, none.
    fn curves() -> Vec<JointTracks> {
        let joint = |seed: usize| {
            let count = if seed % 11 == 5 { 1 } else { 9 };
            let stretch = if seed % 7 == 3 { 0.9 } else { 1.0 };
            let times: Vec<f32> = (0..count).map(|i| i as f32 / 7.0 * stretch).collect();
            let interpolation = match seed % 5 {
                3 => Interpolation::Step,
                4 => Interpolation::CubicSpline,
                _ => Interpolation::Linear,
            };
            let values = if interpolation == Interpolation::CubicSpline { 3 * count } else { count };
            let turn = |i: usize| Quat::from_rotation_z((seed * 13 + i * i) as f32 * 0.7);
            let vector = |i: usize| Vec3::new(i as f32, (seed * i) as f32 * 0.3, -(seed as f32));
            let vectors = |values: usize| (0..values).map(vector).collect();
            JointTracks {
                rotation: (seed % 6 != 2).then(|| Curve {
                    interpolation,
                    times: times.clone().into(),
                    values: (0..values).map(turn).collect(),
                }),
                translation: (seed % 4 != 3).then(|| Curve {
                    interpolation,
                    times: times.clone().into(),
                    values: vectors(values),
                }),
                scale: (seed % 3 == 1).then(|| Curve { interpolation, times: times.into(), values: vectors(values) }),
                ..JointTracks::default()
            }
        };
        (0..45).map(joint).collect()
    }

    #[test]
    fn all_at_once_have_the_bits_of_each_curve_on_wide_vectors_and_without() {
        let tracks = curves();
        let untouched = Transform::from_translation(Vec3::splat(0.3));
        for time in (-20..150).map(|i| f64::from(i) / 100.0).chain((0..9).map(|i| f64::from(i as f32 / 7.0))) {
            let alone = tracks.iter().map(|tracks| {
                let vector = |curve: &Option<Curve<Vec3>>| curve.as_ref().and_then(|curve| curve.sample(time));
                let rotation = tracks.rotation.as_ref().and_then(|curve| curve.sample(time));
                Transform {
                    translation: vector(&tracks.translation).unwrap_or(untouched.translation),
                    rotation: rotation.unwrap_or(untouched.rotation),
                    scale: vector(&tracks.scale).unwrap_or(untouched.scale),
                }
            });
            let alone: Vec<Transform> = alone.collect();
            let [mut wide, mut narrow] = [(); 2].map(|()| vec![untouched; tracks.len()]);
            sample_tracks(&tracks, time, &mut wide);
            run_narrow(SampleTracks { tracks: &tracks, time, locals: &mut narrow });
            assert!(wide == alone && narrow == alone, "{time}");
        }
    }
}
