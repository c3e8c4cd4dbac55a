//! A clip in a layout for fast sampling. Each key stores eight joints side by side, with the arc to the next key computed in
//! advance.
//!
//! The idea is that of ozz-animation: SoA key frames and one key search for all joints. Curves with other key times are sampled
//! individually. Every value is bit for bit that of [`Clip::sample`] over the rest pose.

use glam::{Quat, Vec3};

use super::irregular_curve::{Channel, IrregularCurve};
use super::soa_transform::{SoaTransform, WIDTH, loaded, set_lane, stored};
use portamento_anim::curve::{Animated, Interpolation, KeySpan, find_span};
use portamento_anim::math::great_arc::GreatArc;
use portamento_anim::math::lanes::{Eight, F32x8, LaneKernel, Vectors, dispatch_lanes};
use portamento_anim::{Clip, Curve, Skeleton};

/// The curves of a clip, by channel, in blocks of eight joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct SoaClip {
    /// Key times shared by most curves, seconds.
    times: Vec<f32>,
    rotations: SoaTrack<SoaArc>,
    translations: SoaTrack<SoaLine>,
    scales: SoaTrack<SoaLine>,
    /// Curves with other key times, and splines.
    irregular: Vec<IrregularCurve>,
}

/// One channel of all joints: constant blocks, and animated blocks with a segment per key.
#[derive(Clone, Debug, Default)]
struct SoaTrack<S: Segment> {
    /// Indices of the animated blocks.
    animated: Vec<usize>,
    constant: Vec<ConstantBlock<S::Components>>,
    /// The segments by key, and within a key by animated block.
    segments: Vec<S>,
}

/// A block whose values never change, and its values.
#[derive(Clone, Debug, Default)]
struct ConstantBlock<C> {
    block: usize,
    components: C,
}

/// Great arcs of eight joints, one per lane.
type SoaArc = GreatArc<F32x8>;

/// Linear segments of eight joints, one per lane.
#[derive(Clone, Debug, Default)]
struct SoaLine {
    from: [F32x8; 3],
    step: [F32x8; 3],
}

/// The interpolation from one key to the next, in every lane.
trait Segment: Clone + std::fmt::Debug + Default {
    /// The type of a key's value.
    type Value: Animated + PartialEq;
    /// The components of a block.
    type Components: Copy + std::fmt::Debug + Default;

    /// Returns the values at the first key.
    fn start(&self) -> Self::Components;

    /// Returns the values at `fraction`, 0…1 in each lane.
    fn at<V: Vectors>(&self, vectors: V, fraction: Eight<V>) -> Self::Components;

    /// Sets the two keys of one lane.
    fn set_keys(&mut self, lane: usize, from: Self::Value, to: Self::Value);
}

impl Segment for SoaArc {
    type Value = Quat;
    type Components = [F32x8; 4];

    fn start(&self) -> [F32x8; 4] {
        self.from
    }

    #[inline(always)]
    fn at<V: Vectors>(&self, vectors: V, fraction: Eight<V>) -> [F32x8; 4] {
        stored(self.each(|lanes| Eight::load(vectors, lanes)).at(fraction))
    }

    fn set_keys(&mut self, lane: usize, from: Quat, to: Quat) {
        let arc = GreatArc::between(from.to_array(), to.to_array());
        set_lane(&mut self.from, lane, arc.from);
        set_lane(&mut self.toward, lane, arc.toward);
        self.angle_squared.0[lane] = arc.angle_squared;
    }
}

impl Segment for SoaLine {
    type Value = Vec3;
    type Components = [F32x8; 3];

    fn start(&self) -> [F32x8; 3] {
        self.from
    }

    #[inline(always)]
    fn at<V: Vectors>(&self, vectors: V, fraction: Eight<V>) -> [F32x8; 3] {
        let (from, step) = (loaded(vectors, &self.from), loaded(vectors, &self.step));
        stored(std::array::from_fn(|i| from[i] + step[i] * fraction))
    }

    fn set_keys(&mut self, lane: usize, from: Vec3, to: Vec3) {
        set_lane(&mut self.from, lane, from.to_array());
        set_lane(&mut self.step, lane, (to - from).to_array());
    }
}

/// Storage class of one joint's channel.
enum ChannelKind<'a, T> {
    Constant(T),
    Animated(&'a Curve<T>),
    Irregular,
}

impl<'a, T: Animated + PartialEq> ChannelKind<'a, T> {
    /// Returns the storage class of a curve: constant, animated with the shared key times, or irregular. Without a curve it
    /// is the constant `rest`.
    fn classify(curve: Option<&'a Curve<T>>, rest: T, shared_times: &[f32]) -> Self {
        let Some(curve) = curve.filter(|curve| !curve.times.is_empty()) else { return Self::Constant(rest) };
        if curve.times.len() == 1 {
            return Self::Constant(curve.key(0));
        }
        // A cubic key needs its tangents, which a segment of two values cannot store.
        if curve.interpolation == Interpolation::CubicSpline {
            return Self::Irregular;
        }
        if curve.values.iter().all(|&value| value == curve.values[0]) {
            Self::Constant(curve.values[0])
        } else if *curve.times == *shared_times {
            Self::Animated(curve)
        } else {
            Self::Irregular
        }
    }

    /// Returns the values at both ends of the segment that starts at key `key`; `constant` twice if the channel is not animated.
    fn segment_ends(&self, key: usize, constant: T) -> [T; 2] {
        let Self::Animated(curve) = self else { return [constant; 2] };
        let from = curve.values[key];
        let is_linear = curve.interpolation == Interpolation::Linear;
        // A step curve keeps its value up to the next key, and every curve keeps its last value.
        [from, curve.values.get(key + 1).copied().filter(|_| is_linear).unwrap_or(from)]
    }
}

impl<S: Segment> SoaTrack<S> {
    /// Lays out one channel of every joint. `constant` returns the value of a lane that is not animated. `channels` has one
    /// entry per joint, and `constant` takes a joint index.
    fn layout(channels: &[ChannelKind<S::Value>], key_count: usize, constant: impl Fn(usize) -> S::Value) -> Self {
        let is_animated =
            |block: &[ChannelKind<S::Value>]| block.iter().any(|kind| matches!(kind, ChannelKind::Animated(_)));
        let blocks: Vec<_> = channels.chunks(WIDTH).collect();
        let (animated, constant_blocks): (Vec<usize>, Vec<usize>) =
            (0..blocks.len()).partition(|&block| is_animated(blocks[block]));
        let segment = |key: usize, block: usize| {
            let mut segment = S::default();
            for lane in 0..WIDTH {
                let constant_value = constant(block * WIDTH + lane);
                let [from, to] =
                    blocks[block].get(lane).map_or([constant_value; 2], |kind| kind.segment_ends(key, constant_value));
                segment.set_keys(lane, from, to);
            }
            segment
        };
        // Ordered by key and not by block, since sampling reads all segments of one key.
        let segments = (0..key_count)
            .flat_map(|key| animated.iter().map(move |&block| (key, block)))
            .map(|(key, block)| segment(key, block));
        let segments = segments.collect();
        let constant_block = |block| ConstantBlock { block, components: segment(0, block).start() };
        Self { segments, constant: constant_blocks.into_iter().map(constant_block).collect(), animated }
    }

    /// Returns the values of `block` if they never change.
    fn constant(&self, block: usize) -> Option<S::Components> {
        self.constant.iter().find(|known| known.block == block).map(|known| known.components)
    }

    /// Writes the channel at `fraction` after key `key`. `components` selects the channel of a block.
    #[inline(always)]
    fn sample<V: Vectors>(
        &self,
        vectors: V,
        key: usize,
        fraction: Eight<V>,
        out: &mut [SoaTransform],
        components: impl Fn(&mut SoaTransform) -> &mut S::Components,
    ) {
        for (&block, segment) in self.animated.iter().zip(&self.segments[key * self.animated.len()..]) {
            *components(&mut out[block]) = segment.at(vectors, fraction);
        }
        for constant in &self.constant {
            *components(&mut out[constant.block]) = constant.components;
        }
    }
}

impl SoaClip {
    /// Lays out `clip`, which must have one entry in `tracks` per joint of `skeleton`.
    pub fn new(clip: &Clip, skeleton: &Skeleton) -> Self {
        let times = shared_times(clip);
        let with_rest = || clip.tracks.iter().zip(skeleton.joints.iter().map(|joint| joint.rest));
        let translations: Vec<_> = with_rest()
            .map(|(tracks, rest)| ChannelKind::classify(tracks.translation.as_ref(), rest.translation, times))
            .collect();
        let rotations: Vec<_> = with_rest()
            .map(|(tracks, rest)| ChannelKind::classify(tracks.rotation.as_ref(), rest.rotation, times))
            .collect();
        let scales: Vec<_> =
            with_rest().map(|(tracks, rest)| ChannelKind::classify(tracks.scale.as_ref(), rest.scale, times)).collect();
        let constant = |joint: usize| {
            let mut local = skeleton.joints[joint].rest;
            if let ChannelKind::Constant(value) = translations[joint] {
                local.translation = value;
            }
            if let ChannelKind::Constant(value) = rotations[joint] {
                local.rotation = value;
            }
            if let ChannelKind::Constant(value) = scales[joint] {
                local.scale = value;
            }
            local
        };
        let constants = SoaTransform::pack((0..skeleton.len()).map(constant));
        let constant = |joint: usize| constants[joint / WIDTH].get(joint % WIDTH);
        let irregular = |joint: usize| {
            let channels = [
                (Channel::Translation, matches!(translations[joint], ChannelKind::Irregular)),
                (Channel::Rotation, matches!(rotations[joint], ChannelKind::Irregular)),
                (Channel::Scale, matches!(scales[joint], ChannelKind::Irregular)),
            ];
            let irregular_channels = channels.into_iter().filter(|(_, is_irregular)| *is_irregular);
            irregular_channels.map(move |(channel, _)| IrregularCurve { joint, channel })
        };
        Self {
            translations: SoaTrack::layout(&translations, times.len(), |joint| constant(joint).translation),
            rotations: SoaTrack::layout(&rotations, times.len(), |joint| constant(joint).rotation),
            scales: SoaTrack::layout(&scales, times.len(), |joint| constant(joint).scale),
            irregular: (0..skeleton.len()).flat_map(irregular).collect(),
            times: times.to_vec(),
        }
    }

    /// Returns the translations and the scales of `block`, each `None` unless they never change. Both are `None` for a clip
    /// with irregular curves.
    pub(crate) fn constants(&self, block: usize) -> Constants {
        // A clip with irregular curves has none, since such a curve may write to any block.
        let known = |track: &SoaTrack<SoaLine>| track.constant(block).filter(|_| self.irregular.is_empty());
        Constants { translation: known(&self.translations), scale: known(&self.scales) }
    }

    /// Writes the local pose of `clip`, from which this layout was created, at `time` (seconds, clamped to the keys).
    pub fn sample(&self, clip: &Clip, time: f64, out: &mut [SoaTransform]) {
        let (key, fraction) = match find_span(&self.times, time) {
            None => (0, 0.0),
            Some(KeySpan::At(key)) => (key, 0.0),
            Some(KeySpan::Between(key, fraction)) => (key, fraction),
        };
        dispatch_lanes(SampleTracks { clip: self, key, fraction, out });
        self.irregular.iter().for_each(|curve| curve.sample(&clip.tracks[curve.joint], time, out));
    }
}

/// Samples all tracks of a clip between two keys.
struct SampleTracks<'a> {
    clip: &'a SoaClip,
    key: usize,
    fraction: f32,
    out: &'a mut [SoaTransform],
}

impl LaneKernel for SampleTracks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { clip, key, out, .. } = self;
        let fraction = Eight::splat(vectors, self.fraction);
        clip.rotations.sample(vectors, key, fraction, out, |block| &mut block.rotation);
        clip.translations.sample(vectors, key, fraction, out, |block| &mut block.translation);
        clip.scales.sample(vectors, key, fraction, out, |block| &mut block.scale);
    }
}

/// The channels of a block that never change while a clip plays.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants {
    pub translation: Option<[F32x8; 3]>,
    pub scale: Option<[F32x8; 3]>,
}

/// Returns the key times that most of the clip's curves share, in seconds. Curves with a single key do not count. Returns an
/// empty slice if there are no others.
fn shared_times(clip: &Clip) -> &[f32] {
    let mut counted: Vec<(&[f32], usize)> = Vec::new();
    for times in clip.key_times().filter(|times| times.len() > 1) {
        match counted.iter_mut().find(|(known, _)| *known == times) {
            Some((_, count)) => *count += 1,
            None => counted.push((times, 1)),
        }
    }
    // Reversed, since `max_by_key` returns the last of equal counts.
    counted.iter().rev().max_by_key(|(_, count)| *count).map_or(&[], |(times, _)| *times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Joint, JointTracks, Pose};
    use portamento_test_support::skeleton_of;

    /// Returns joints with curves of every kind: shared and individual times, steps, splines, constants, single keys and none.
    fn mixed_curves() -> (Skeleton, Clip) {
        let rows: Vec<(String, Option<usize>)> = (0..21_usize).map(|i| (format!("j{i}"), i.checked_sub(1))).collect();
        let rows: Vec<(&str, Option<usize>)> = rows.iter().map(|(name, parent)| (&name[..], *parent)).collect();
        let mut skeleton = skeleton_of(&rows);
        let bent = |(i, joint): (usize, &mut Joint)| joint.rest.rotation = Quat::from_rotation_y(i as f32);
        skeleton.joints.iter_mut().enumerate().for_each(bent);
        let shared: Vec<f32> = (0..9).map(|i| i as f32 / 7.0).collect();
        let rotation = |seed: usize, i: usize| Quat::from_rotation_z((seed * 13 + i * i) as f32 * 0.7);
        let vector = |seed: usize, i: usize| Vec3::new(i as f32, (seed * i) as f32 * 0.3, -(seed as f32));
        let tracks = |seed: usize| {
            let times: Vec<f32> = match seed % 7 {
                0 => shared.iter().map(|time| time * 0.9 + 0.01).collect(),
                1 => vec![0.5],
                _ => shared.clone(),
            };
            let spline = seed % 7 == 2;
            let count = times.len() * if spline { 3 } else { 1 };
            let interpolation = match seed % 7 {
                2 => Interpolation::CubicSpline,
                3 => Interpolation::Step,
                _ => Interpolation::Linear,
            };
            let moves = if seed % 7 == 4 { 0 } else { 1 };
            let rotations = (0..count).map(|i| rotation(seed, i * moves)).collect();
            let vectors: Vec<Vec3> = (0..count).map(|i| vector(seed, i * moves)).collect();
            JointTracks {
                rotation: (seed % 5 != 4).then(|| Curve {
                    interpolation,
                    times: times.clone().into(),
                    values: rotations,
                }),
                translation: (seed % 4 != 3).then(|| Curve {
                    interpolation,
                    times: times.clone().into(),
                    values: vectors.clone().into(),
                }),
                scale: (seed % 3 == 1).then_some(Curve { interpolation, times: times.into(), values: vectors.into() }),
                ..JointTracks::default()
            }
        };
        let clip = Clip { name: "mixed_curves".into(), duration: 8.0 / 7.0, tracks: (0..21).map(tracks).collect() };
        (skeleton, clip)
    }

    #[test]
    fn a_soa_clip_samples_the_same_bits_as_its_clip() {
        let (skeleton, clip) = mixed_curves();
        let soa = SoaClip::new(&clip, &skeleton);
        assert!(!soa.irregular.is_empty() && !soa.rotations.animated.is_empty() && !soa.scales.animated.is_empty());
        let mut blocks = SoaTransform::pack(skeleton.joints.iter().map(|joint| joint.rest));
        for i in -5..130 {
            let time = f64::from(i) / 100.0;
            soa.sample(&clip, time, &mut blocks);
            let keys = clip.tracks[5].translation.iter().flat_map(|curve| &curve.times).map(|&key| f64::from(key));
            for time in keys.chain([time]) {
                let pose: Pose = clip.pose_at(&skeleton, time);
                soa.sample(&clip, time, &mut blocks);
                let sampled = (0..21).map(|joint| blocks[joint / WIDTH].get(joint % WIDTH));
                assert!(sampled.eq(pose.locals.iter().copied()), "{time}");
            }
        }
    }

    #[test]
    fn a_clip_without_curves_samples_the_rest_pose() {
        let (skeleton, mut clip) = mixed_curves();
        clip.tracks.fill(JointTracks::default());
        let mut blocks = vec![SoaTransform::pack([Default::default()].into_iter())[0]; 21_usize.div_ceil(WIDTH)];
        SoaClip::new(&clip, &skeleton).sample(&clip, 0.3, &mut blocks);
        assert_eq!(blocks, SoaTransform::pack(skeleton.joints.iter().map(|joint| joint.rest)));
    }
}
