//! Animation clips: curves for the joints of a skeleton, with a name and a length.

use std::collections::{BTreeMap, BTreeSet};

use super::curve::{Animated, Interpolation, KeySpan, find_span};
use super::track_sampling::sample_tracks;
use crate::{Curve, JointTracks, Pose, Skeleton};

/// Number of lists of key times that each list is compared with. Tuned on captures: all joints share one to three lists.
const MAX_COMPARED_LISTS: usize = 8;

/// An animation. `tracks` has one entry per joint of its skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name in the file, or `clip 3` if it has none.
    pub name: String,
    /// Seconds from 0 to the last key.
    pub duration: f64,
    /// The curves of each joint, by joint index.
    pub tracks: Vec<JointTracks>,
}

impl Clip {
    /// Writes the pose at `time` (seconds, clamped to the keys) to `pose`; joints without curves stay unchanged.
    pub fn sample(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        sample_tracks(&self.tracks, time, &mut pose.locals);
        self.sample_morphs(skeleton, time, &mut pose.morphs);
    }

    /// Writes only the morph weights at `time` (seconds, clamped to the keys) to `morphs`, the weights of a whole
    /// pose.
    pub fn sample_morphs(&self, skeleton: &Skeleton, time: f64, morphs: &mut [f32]) {
        if morphs.is_empty() {
            return;
        }
        for (tracks, joint) in self.tracks.iter().zip(&skeleton.joints) {
            if let Some(curve) = &tracks.morphs {
                sample_row(curve, time, &mut morphs[joint.first_morph..joint.first_morph + joint.morph_count]);
            }
        }
    }

    /// Returns the pose at `time` (seconds), with joints without curves at rest.
    pub fn pose_at(&self, skeleton: &Skeleton, time: f64) -> Pose {
        let mut pose = Pose::rest(skeleton);
        self.sample(skeleton, time, &mut pose);
        pose
    }

    /// Returns the memory used by its keys, bytes.
    pub fn bytes(&self) -> usize {
        let of = |tracks: &JointTracks| {
            let vectors = tracks.translation.iter().chain(&tracks.scale).map(Curve::bytes).sum::<usize>();
            vectors + tracks.rotation.as_ref().map_or(0, Curve::bytes) + tracks.morphs.as_ref().map_or(0, Curve::bytes)
        };
        self.tracks.iter().map(of).sum()
    }

    /// Returns the key times (seconds) of every curve, joint after joint.
    pub fn key_times(&self) -> impl Iterator<Item = &[f32]> {
        self.tracks.iter().flat_map(|tracks| {
            let translation = tracks.translation.iter().map(|curve| &curve.times[..]);
            let rotation = tracks.rotation.iter().map(|curve| &curve.times[..]);
            let scale = tracks.scale.iter().map(|curve| &curve.times[..]);
            let morphs = tracks.morphs.iter().map(|curve| &curve.times[..]);
            translation.chain(rotation).chain(scale).chain(morphs)
        })
    }

    /// Returns the times (seconds) at which any curve has a key, sorted, each once.
    pub fn distinct_key_times(&self) -> Vec<f32> {
        // Most rigs repeat one or two lists of times over all joints.
        let mut lists: Vec<&[f32]> = Vec::new();
        for times in self.key_times() {
            if !lists.iter().rev().take(MAX_COMPARED_LISTS).any(|known| *known == times) {
                lists.push(times);
            }
        }
        let mut all = lists.concat();
        // A stable sort is linear where the lists are sorted.
        all.sort_by(f32::total_cmp);
        all.dedup();
        all
    }

    /// True if no value changes between keys: the clip is one pose.
    pub fn is_pose(&self) -> bool {
        fn is_constant<T: Animated + PartialEq>(curve: &Option<Curve<T>>) -> bool {
            curve.as_ref().is_none_or(|curve| (1..curve.times.len()).all(|key| curve.key(key) == curve.key(0)))
        }
        let is_still = |morphs: &Curve<f32>| {
            let row = morphs.values.len() / morphs.times.len().max(1);
            morphs.values.chunks(row.max(1)).all(|values| values == &morphs.values[..row])
        };
        self.tracks.iter().all(|tracks| {
            is_constant(&tracks.translation)
                && is_constant(&tracks.rotation)
                && is_constant(&tracks.scale)
                && tracks.morphs.as_ref().is_none_or(is_still)
        })
    }

    /// Returns the number of keys of all curves.
    pub fn key_count(&self) -> usize {
        self.key_times().map(<[f32]>::len).sum()
    }

    /// Returns the frame rate on whose frames the keys lie: the lowest usual one, 30 before 24 where both fit, else for many keys any
    /// rate of whole or half frames from 24 to 240. Returns `None` if there is none, or if no curve has two keys.
    ///
    /// In a clip of many keys the last one, which is where a range was cut, and one of twenty others may lie between frames.
    /// Sparser keys lie on a multiple of their own rate: below 24 frames per second motion between keys would be lost.
    pub fn key_rate(&self) -> Option<f64> {
        const RATES: [f64; 12] = [
            30.0,
            24.0,
            25.0,
            48.0,
            50.0,
            60.0,
            30_000.0 / 1001.0,
            24_000.0 / 1001.0,
            60_000.0 / 1001.0,
            90.0,
            120.0,
            240.0,
        ];
        // Key times are f32 and often rounded to a millisecond by exporters, so half of one is tolerated.
        let usual_slack = |rate: f64| 0.000_5 * rate;
        let times = self.distinct_key_times();
        let several = self.key_times().any(|times| times.len() > 1);
        let usual = RATES.into_iter().find(|&rate| several && lie_on_frames(&times, rate, usual_slack(rate)));
        usual.or_else(|| self.unusual_key_rate(&times))
    }

    /// Returns the lowest rate of whole or half frames from 24 to 240 on which `times` (seconds) lie within a thousandth of a frame.
    /// Returns `None` if no curve has [`MANY_KEYS`], because few keys would fit some rate by chance.
    fn unusual_key_rate(&self, times: &[f32]) -> Option<f64> {
        const SLACK: f64 = 1e-3;
        let is_long = self.key_times().any(|times| times.len() >= MANY_KEYS);
        (48..=480)
            .map(|half_frames| 0.5 * f64::from(half_frames))
            .find(|&rate| is_long && lie_on_frames(times, rate, SLACK))
    }

    /// Returns the frames per second for display and baking: the key rate, else 30.
    pub fn fps(&self) -> f64 {
        self.key_rate().unwrap_or(30.0)
    }
}

/// Number of keys from which one between two frames is an exception.
const MANY_KEYS: usize = 8;

/// Number of keys of which one may lie between frames. Chosen: of the 61 keys of two seconds, three.
const KEYS_PER_EXCEPTION: usize = 20;

/// True if `times` (seconds, sorted) lie on the frames of `rate` within `slack` frames. Of many, the last and one of
/// [`KEYS_PER_EXCEPTION`] may not.
fn lie_on_frames(times: &[f32], rate: f64, slack: f64) -> bool {
    let (counted, exceptions) = match times {
        [counted @ .., _] if times.len() >= MANY_KEYS => (counted, counted.len() / KEYS_PER_EXCEPTION),
        _ => (times, 0),
    };
    let is_off = |time: &&f32| {
        let frame = f64::from(**time) * rate;
        (frame - frame.round()).abs() > slack
    };
    counted.iter().filter(is_off).nth(exceptions).is_none()
}

/// True if `name` is one that exporters give every clip: `mixamo.com`, `Take 001`, `Animation`, `Armature|…|Layer0`, or the object's
/// name and `Action`. Case, the part before the last `|` and a number at the end do not count.
pub fn is_generic_name(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    if let Some((_, layer)) = name.rsplit_once('|')
        && ["layer", "baselayer", "base layer"].contains(&layer.trim_end_matches(|c: char| c.is_ascii_digit()))
    {
        return true;
    }
    // Blender and FBX put the object's name before the clip's.
    let (objects, name) = name.rsplit_once('|').unwrap_or(("", &name));
    let without_number =
        |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit() || " _-.#".contains(c)).to_owned();
    let stem = without_number(name.rsplit("::").next().unwrap_or_default());
    // Blender names a new action after its object.
    let object = stem.strip_suffix("action").map(without_number).filter(|object| !object.is_empty());
    let named = objects.rsplit('|').next().map(without_number);
    if object.is_some_and(|object| ["armature", "rig", "metarig"].contains(&&*object) || Some(object) == named) {
        return true;
    }
    const GENERIC: [&str; 21] = [
        "mixamo.com",
        "take",
        "animation",
        "animations",
        "animationstack",
        "animstack",
        "anim",
        "action",
        "armature",
        "baselayer",
        "base layer",
        "clip",
        "default",
        "default take",
        "main",
        "motion",
        "tempmotion",
        "timeline",
        "unreal take",
        "scene",
        "untitled",
    ];
    GENERIC.contains(&&*stem)
}

/// Returns `names` made unique: the second of equal names gets the suffix `#2`, the third `#3` and so on, skipping
/// existing names.
pub fn unique_names(names: &[String]) -> Vec<String> {
    let mut taken: BTreeSet<String> = names.iter().cloned().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut apart = Vec::with_capacity(names.len());
    for name in names {
        let count = counts.entry(name).or_insert(0);
        *count += 1;
        if *count == 1 {
            apart.push(name.clone());
            continue;
        }
        let mut numbered = format!("{name}#{count}");
        while !taken.insert(numbered.clone()) {
            *count += 1;
            numbered = format!("{name}#{count}");
        }
        apart.push(numbered);
    }
    apart
}

/// Writes the morph weights of `curve` at `time` (seconds, clamped to the keys) to `row`. The curve has `row.len()` values per
/// key, and three such rows per key for cubic splines. Without keys `row` stays unchanged.
fn sample_row(curve: &Curve<f32>, time: f64, row: &mut [f32]) {
    let width = row.len();
    let cubic = curve.interpolation == Interpolation::CubicSpline;
    let value = |key: usize, part: usize, i: usize| {
        let row = if cubic { 3 * key + part } else { key };
        curve.values.get(row * width + i).copied().unwrap_or(0.0)
    };
    match find_span(&curve.times, time) {
        None => {}
        Some(KeySpan::At(key)) => (0..width).for_each(|i| row[i] = value(key, 1, i)),
        Some(KeySpan::Between(key, fraction)) => {
            for (i, out) in row.iter_mut().enumerate() {
                let ends = [value(key, 1, i), value(key + 1, 1, i)];
                *out = match curve.interpolation {
                    Interpolation::Step => ends[0],
                    Interpolation::Linear => f32::between(ends[0], ends[1], fraction),
                    Interpolation::CubicSpline => {
                        let span = curve.times[key + 1] - curve.times[key];
                        f32::hermite(ends, [value(key, 2, i), value(key + 1, 0, i)], span, fraction)
                    }
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use glam::Vec3;

    #[test]
    fn a_joint_without_a_curve_keeps_the_pose_it_had() {
        let skeleton = skeleton_of(&[("a", None), ("b", Some(0))]);
        let mut clip = Clip { name: "walk".into(), duration: 1.0, tracks: vec![JointTracks::default(); 2] };
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X]));
        let pose = clip.pose_at(&skeleton, 0.5);
        assert_eq!(pose.locals[0].translation, Vec3::X * 0.5);
        assert_eq!(pose.locals[1], skeleton.joints[1].rest);
    }

    #[test]
    fn names_that_exporters_give_every_clip_are_generic() {
        for name in [
            "mixamo.com",
            "Mixamo.com",
            "Take 001",
            "Take 01",
            "take_1",
            "Armature|mixamo.com|Layer0",
            "Armature|Layer0",
            "Armature|Armature|mixamo.com|Layer0",
            "Rig|Take 001|BaseLayer",
            "Armature|mixamo.com",
            "Animation",
            "Animation 0",
            "Unreal Take",
            "ArmatureAction.001",
            "mixamo.com#2",
            "clip 0",
            "Hero|HeroAction",
            "Hero.001|HeroAction.002",
            "Armature.001Action",
            "rig|rigAction",
            "metarigAction.001",
            "Armature|TempMotion",
            "AnimStack::Take 001",
            "BaseLayer",
            "Motion 3",
            "animation_0",
            "Main",
        ] {
            assert!(is_generic_name(name), "{name}");
        }
        for name in [
            "walk",
            "Take off",
            "Armature|Walk",
            "1H_Melee_Attack_Chop",
            "Walk Animation",
            "",
            "001",
            "retake",
            "Hero|JumpAction",
            "HeroAction",
            "Motion Walk",
        ] {
            assert!(!is_generic_name(name), "{name}");
        }
    }

    #[test]
    fn key_times_are_listed_once_whatever_the_order_of_the_curves() {
        let curve = |times: &[f32]| Some(Curve::linear(times.to_vec(), vec![Vec3::ZERO; times.len()]));
        let tracks =
            |a: &[f32], b: &[f32]| JointTracks { translation: curve(a), scale: curve(b), ..Default::default() };
        let (dense, sparse) = ([0.0, 0.5, 1.0, 1.5], [0.0, 0.75]);
        let mut clip = Clip { tracks: vec![tracks(&dense, &sparse); 3], ..Clip::default() };
        assert_eq!(clip.distinct_key_times(), [0.0, 0.5, 0.75, 1.0, 1.5]);
        // More different lists than are compared.
        let shifted = (0..20).map(|joint| tracks(&[joint as f32, 30.0], &sparse));
        clip.tracks = shifted.collect();
        let expected: Vec<f32> =
            [0.0, 0.75].into_iter().chain((1..20).map(|joint| joint as f32)).chain([30.0]).collect();
        assert_eq!(clip.distinct_key_times(), expected);
        assert!(Clip::default().distinct_key_times().is_empty());
    }

    #[test]
    fn equal_names_become_unique_without_reusing_existing_names() {
        let names = ["walk", "walk", "run", "walk#2", "walk", "run"].map(String::from);
        assert_eq!(unique_names(&names), ["walk", "walk#3", "run", "walk#2", "walk#4", "run#2"]);
        assert_eq!(unique_names(&[]), Vec::<String>::new());
    }

    #[test]
    fn the_key_rate_is_the_lowest_usual_rate_that_contains_every_key() {
        let clip_with = |times: Vec<f32>| {
            let values = vec![Vec3::ZERO; times.len()];
            let tracks = vec![JointTracks { translation: Some(Curve::linear(times, values)), ..Default::default() }];
            Clip { name: String::new(), duration: 1.0, tracks }
        };
        let at_24 = (0..24).map(|i| i as f32 / 24.0).collect();
        assert_eq!(clip_with(at_24).key_rate(), Some(24.0));
        // Keys every 0.5 s, and at 12 and 15 frames per second.
        for (rate, expected) in [(2.0, 30.0), (12.0, 24.0), (15.0, 30.0), (8.0, 24.0), (10.0, 30.0), (13.0, 26.0)] {
            let keys = (0..=40).map(|i| (f64::from(i) / rate) as f32).collect();
            assert_eq!(clip_with(keys).key_rate(), Some(expected), "{rate}");
        }
        assert_eq!(clip_with(vec![0.0, 0.013_37, 0.1]).key_rate(), None);
        assert_eq!(clip_with(vec![0.0]).fps(), 30.0);
        for rate in [72.0, 100.0, 144.0, 200.0, 240.0] {
            let keys = (0..=100).map(|i| (f64::from(i) / rate) as f32).collect();
            assert_eq!(clip_with(keys).key_rate(), Some(rate));
        }
        let irregular = (0..100).map(|i| (i as f32 * 0.7).sin().abs() + i as f32).collect();
        assert_eq!(clip_with(irregular).key_rate(), None);
        let at_37_5 = (0..40).map(|i| i as f32 / 37.5).collect();
        assert_eq!(clip_with(at_37_5).key_rate(), Some(37.5));
    }

    #[test]
    fn a_few_of_many_keys_may_lie_between_frames() {
        let rate_of = |mut times: Vec<f32>| {
            times.sort_by(f32::total_cmp);
            let values = vec![Vec3::ZERO; times.len()];
            let tracks = vec![JointTracks { translation: Some(Curve::linear(times, values)), ..Default::default() }];
            Clip { name: String::new(), duration: 3.0, tracks }.key_rate()
        };
        for rate in [24.0, 25.0, 30.0, 60.0] {
            let at = |frame: f32| frame / rate;
            let frames = |count: u8| (0..count).map(|frame| at(f32::from(frame))).collect::<Vec<_>>();
            for part in [0.1, 0.2, 0.25, 1.0 / 3.0, 0.4, 0.5] {
                let [cut, between] = [at(40.0 + part), at(20.0 + part)];
                let expected = Some(f64::from(rate));
                assert_eq!(rate_of([frames(41), vec![cut]].concat()), expected, "last key at {part}, {rate} fps");
                assert_eq!(rate_of([frames(61), vec![between]].concat()), expected, "a key at {part}, {rate} fps");
            }
            // In a clip of few keys none may lie between frames.
            let few = rate_of([frames(4), vec![at(4.4)]].concat());
            assert_ne!(few, Some(f64::from(rate)));
        }
    }
}
