//! A clip laid out for playing: per key, four joints side by side, with the way to the next key worked out beforehand.
//!
//! Every value is, bit for bit, what [`Clip::sample`] gives over the rest pose.

use glam::{Quat, Vec3, Vec4};

use super::block::{Block, WIDTH, put};
use crate::anim::curve::{Animated, Interpolation, KeySpan, find_span};
use crate::anim::{Clip, Curve, JointTracks, Skeleton};
use crate::math::great_arc::GreatArc;

/// The curves of a clip in playing order.
#[derive(Clone, Debug, Default)]
pub(super) struct Reel {
    /// Key times that most curves share, seconds.
    times: Vec<f32>,
    rotations: Track<Turn>,
    translations: Track<Line>,
    scales: Track<Line>,
    /// Curves with keys at other times, and splines: (joint, which).
    strays: Vec<(usize, Channel)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Channel {
    Translation,
    Rotation,
    Scale,
}

/// One channel of all joints: which blocks move, and their ways from key to key.
#[derive(Clone, Debug, Default)]
struct Track<W: Way> {
    /// How many blocks move.
    moving: usize,
    /// Which ones.
    slots: Vec<usize>,
    /// The others, and what they hold.
    stays: Vec<(usize, W::Row)>,
    /// Key after key, the blocks that move.
    ways: Vec<W>,
}

/// Four [`GreatArc`]s.
type Turn = GreatArc<Vec4>;

/// Straight ways side by side.
#[derive(Clone, Debug, Default)]
struct Line {
    from: [Vec4; 3],
    step: [Vec4; 3],
}

/// A way from one key to the next, in every lane.
trait Way: Clone + std::fmt::Debug + Default {
    /// What lies at the keys.
    type Value: Animated + PartialEq;
    /// The values of a block.
    type Row: Copy + std::fmt::Debug + Default;

    /// The values where it begins.
    fn start(&self) -> Self::Row;

    /// The values at `fraction` of the way.
    fn at(&self, fraction: Vec4) -> Self::Row;

    /// Puts the way from `from` to `to` into one lane.
    fn lead(&mut self, lane: usize, from: Self::Value, to: Self::Value);
}

impl Way for Turn {
    type Value = Quat;
    type Row = [Vec4; 4];

    fn start(&self) -> [Vec4; 4] {
        self.from
    }

    #[inline(always)]
    fn at(&self, fraction: Vec4) -> [Vec4; 4] {
        GreatArc::at(self, fraction)
    }

    fn lead(&mut self, lane: usize, from: Quat, to: Quat) {
        let arc = GreatArc::between(from.to_array(), to.to_array());
        put(&mut self.from, lane, arc.from);
        put(&mut self.toward, lane, arc.toward);
        self.angle_squared[lane] = arc.angle_squared;
    }
}

impl Way for Line {
    type Value = Vec3;
    type Row = [Vec4; 3];

    fn start(&self) -> [Vec4; 3] {
        self.from
    }

    #[inline(always)]
    fn at(&self, fraction: Vec4) -> [Vec4; 3] {
        std::array::from_fn(|i| self.from[i] + self.step[i] * fraction)
    }

    fn lead(&mut self, lane: usize, from: Vec3, to: Vec3) {
        put(&mut self.from, lane, from.to_array());
        put(&mut self.step, lane, (to - from).to_array());
    }
}

/// What a curve is to a reel.
enum Kind<'a, T> {
    Still(T),
    Moving(&'a Curve<T>),
    Stray,
}

impl<'a, T: Animated + PartialEq> Kind<'a, T> {
    fn of(curve: Option<&'a Curve<T>>, rest: T, times: &[f32]) -> Self {
        let Some(curve) = curve.filter(|curve| !curve.times.is_empty()) else { return Self::Still(rest) };
        if curve.times.len() == 1 {
            return Self::Still(curve.key(0));
        }
        if curve.interpolation == Interpolation::CubicSpline {
            return Self::Stray;
        }
        if curve.values.iter().all(|&value| value == curve.values[0]) {
            Self::Still(curve.values[0])
        } else if curve.times == times {
            Self::Moving(curve)
        } else {
            Self::Stray
        }
    }

    /// The values from which and to which it goes after key `key`.
    fn ends(&self, key: usize, still: T) -> [T; 2] {
        let Self::Moving(curve) = self else { return [still; 2] };
        let from = curve.values[key];
        let goes_on = curve.interpolation == Interpolation::Linear;
        [from, curve.values.get(key + 1).copied().filter(|_| goes_on).unwrap_or(from)]
    }
}

impl<W: Way> Track<W> {
    /// Lays out one channel of every joint; `still` is what a lane holds that does not move.
    fn lay(kinds: &[Kind<W::Value>], keys: usize, still: impl Fn(usize) -> W::Value) -> Self {
        let moves = |block: &[Kind<W::Value>]| block.iter().any(|kind| matches!(kind, Kind::Moving(_)));
        let blocks: Vec<_> = kinds.chunks(WIDTH).collect();
        let (slots, others): (Vec<usize>, Vec<usize>) = (0..blocks.len()).partition(|&b| moves(blocks[b]));
        let way = |key: usize, b: usize| {
            let mut way = W::default();
            for lane in 0..WIDTH {
                let stays = still(b * WIDTH + lane);
                let [from, to] = blocks[b].get(lane).map_or([stays; 2], |kind| kind.ends(key, stays));
                way.lead(lane, from, to);
            }
            way
        };
        let ways = (0..keys).flat_map(|key| slots.iter().map(move |&b| (key, b))).map(|(key, b)| way(key, b)).collect();
        let stays = others.into_iter().map(|b| (b, way(0, b).start())).collect();
        Self { moving: slots.len(), ways, slots, stays }
    }

    /// What block `b` holds where it never moves.
    fn still(&self, b: usize) -> Option<W::Row> {
        self.stays.iter().find(|each| each.0 == b).map(|each| each.1)
    }

    /// Writes the channel at `fraction` past key `key`; `row` finds it in a block.
    #[inline(always)]
    fn play(&self, key: usize, fraction: Vec4, out: &mut [Block], row: impl Fn(&mut Block) -> &mut W::Row) {
        for (&b, way) in self.slots.iter().zip(&self.ways[key * self.moving..]) {
            *row(&mut out[b]) = way.at(fraction);
        }
        for &(b, still) in &self.stays {
            *row(&mut out[b]) = still;
        }
    }
}

impl Reel {
    /// Lays out `clip`, which was made for `skeleton`.
    pub fn of(clip: &Clip, skeleton: &Skeleton) -> Self {
        let times = shared_times(clip);
        let rests = || clip.tracks.iter().zip(skeleton.joints.iter().map(|joint| joint.rest));
        let translations: Vec<_> =
            rests().map(|(tracks, rest)| Kind::of(tracks.translation.as_ref(), rest.translation, times)).collect();
        let rotations: Vec<_> =
            rests().map(|(tracks, rest)| Kind::of(tracks.rotation.as_ref(), rest.rotation, times)).collect();
        let scales: Vec<_> = rests().map(|(tracks, rest)| Kind::of(tracks.scale.as_ref(), rest.scale, times)).collect();
        let stays = |joint: usize| {
            let mut stays = skeleton.joints[joint].rest;
            stays.translation = if let Kind::Still(value) = translations[joint] { value } else { stays.translation };
            stays.rotation = if let Kind::Still(value) = rotations[joint] { value } else { stays.rotation };
            stays.scale = if let Kind::Still(value) = scales[joint] { value } else { stays.scale };
            stays
        };
        let still = Block::of((0..skeleton.len()).map(stays));
        let at = |joint: usize| still[joint / WIDTH].get(joint % WIDTH);
        let strays = |joint: usize| {
            let each = [
                (Channel::Translation, matches!(translations[joint], Kind::Stray)),
                (Channel::Rotation, matches!(rotations[joint], Kind::Stray)),
                (Channel::Scale, matches!(scales[joint], Kind::Stray)),
            ];
            each.into_iter().filter(|each| each.1).map(move |each| (joint, each.0))
        };
        let strays = (0..skeleton.len()).flat_map(strays).collect();
        Self {
            translations: Track::lay(&translations, times.len(), |joint| at(joint).translation),
            rotations: Track::lay(&rotations, times.len(), |joint| at(joint).rotation),
            scales: Track::lay(&scales, times.len(), |joint| at(joint).scale),
            strays,
            times: times.to_vec(),
        }
    }

    /// The translations and scales of block `b` where they never change.
    pub fn still(&self, b: usize) -> [Option<[Vec4; 3]>; 2] {
        let known = |track: &Track<Line>| track.still(b).filter(|_| self.strays.is_empty());
        [known(&self.translations), known(&self.scales)]
    }

    /// Writes the pose of `clip`, from which the reel was made, at `time` (seconds, clamped to the keys).
    pub fn sample(&self, clip: &Clip, time: f64, out: &mut [Block]) {
        let (key, fraction) = match find_span(&self.times, time) {
            None => (0, 0.0),
            Some(KeySpan::At(key)) => (key, 0.0),
            Some(KeySpan::Between(key, fraction)) => (key, fraction),
        };
        let fraction = Vec4::splat(fraction);
        self.rotations.play(key, fraction, out, |block| &mut block.rotation);
        self.translations.play(key, fraction, out, |block| &mut block.translation);
        self.scales.play(key, fraction, out, |block| &mut block.scale);
        self.strays.iter().for_each(|&(joint, channel)| stray(&clip.tracks[joint], channel, joint, time, out));
    }
}

/// Samples a curve that has keys of its own.
fn stray(tracks: &JointTracks, channel: Channel, joint: usize, time: f64, out: &mut [Block]) {
    let (out, lane) = (&mut out[joint / WIDTH], joint % WIDTH);
    let place = |curve: &Option<Curve<Vec3>>| curve.as_ref().and_then(|curve| curve.sample(time));
    let turn = || tracks.rotation.as_ref().and_then(|curve| curve.sample(time));
    match channel {
        Channel::Translation => {
            place(&tracks.translation).iter().for_each(|value| put(&mut out.translation, lane, value.to_array()))
        }
        Channel::Rotation => turn().iter().for_each(|value| put(&mut out.rotation, lane, value.to_array())),
        Channel::Scale => place(&tracks.scale).iter().for_each(|value| put(&mut out.scale, lane, value.to_array())),
    }
}

/// The key times that most of the clip's curves have; empty when there are no curves.
fn shared_times(clip: &Clip) -> &[f32] {
    let mut found: Vec<(&[f32], usize)> = Vec::new();
    for times in clip.key_times().filter(|times| times.len() > 1) {
        match found.iter_mut().find(|known| known.0 == times) {
            Some(known) => known.1 += 1,
            None => found.push((times, 1)),
        }
    }
    // The first of equals: `max_by_key` gives the last.
    found.iter().rev().max_by_key(|known| known.1).map_or(&[], |known| known.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Joint, Pose};

    /// Joints whose curves are of every kind: shared and own times, steps, splines, still, single keys, none.
    fn motley() -> (Skeleton, Clip) {
        let rows: Vec<(String, Option<usize>)> = (0..21_usize).map(|i| (format!("j{i}"), i.checked_sub(1))).collect();
        let rows: Vec<(&str, Option<usize>)> = rows.iter().map(|(name, parent)| (&name[..], *parent)).collect();
        let mut skeleton = skeleton_of(&rows);
        let bent = |(i, joint): (usize, &mut Joint)| joint.rest.rotation = Quat::from_rotation_y(i as f32);
        skeleton.joints.iter_mut().enumerate().for_each(bent);
        let shared: Vec<f32> = (0..9).map(|i| i as f32 / 7.0).collect();
        let turn = |seed: usize, i: usize| Quat::from_rotation_z((seed * 13 + i * i) as f32 * 0.7);
        let place = |seed: usize, i: usize| Vec3::new(i as f32, (seed * i) as f32 * 0.3, -(seed as f32));
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
            let turns = (0..count).map(|i| turn(seed, i * moves)).collect();
            let places: Vec<Vec3> = (0..count).map(|i| place(seed, i * moves)).collect();
            JointTracks {
                rotation: (seed % 5 != 4).then(|| Curve { interpolation, times: times.clone(), values: turns }),
                translation: (seed % 4 != 3).then(|| Curve {
                    interpolation,
                    times: times.clone(),
                    values: places.clone(),
                }),
                scale: (seed % 3 == 1).then_some(Curve { interpolation, times, values: places }),
                morphs: None,
            }
        };
        let clip = Clip { name: "motley".into(), duration: 8.0 / 7.0, tracks: (0..21).map(tracks).collect() };
        (skeleton, clip)
    }

    #[test]
    fn a_reel_plays_what_the_clip_holds_bit_for_bit() {
        let (skeleton, clip) = motley();
        let reel = Reel::of(&clip, &skeleton);
        assert!(!reel.strays.is_empty() && reel.rotations.moving > 0 && reel.scales.moving > 0);
        let mut blocks = Block::of(skeleton.joints.iter().map(|joint| joint.rest));
        for i in -5..130 {
            let time = f64::from(i) / 100.0;
            reel.sample(&clip, time, &mut blocks);
            let keys = clip.tracks[5].translation.iter().flat_map(|curve| &curve.times).map(|&key| f64::from(key));
            for time in keys.chain([time]) {
                let pose: Pose = clip.pose_at(&skeleton, time);
                reel.sample(&clip, time, &mut blocks);
                let played = (0..21).map(|joint| blocks[joint / WIDTH].get(joint % WIDTH));
                assert!(played.eq(pose.locals.iter().copied()), "{time}");
            }
        }
    }

    #[test]
    fn a_clip_without_curves_plays_the_rest_pose() {
        let (skeleton, mut clip) = motley();
        clip.tracks.fill(JointTracks::default());
        let mut blocks = vec![Block::of([Default::default()].into_iter())[0]; 21_usize.div_ceil(WIDTH)];
        Reel::of(&clip, &skeleton).sample(&clip, 0.3, &mut blocks);
        assert_eq!(blocks, Block::of(skeleton.joints.iter().map(|joint| joint.rest)));
    }
}
