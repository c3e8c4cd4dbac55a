//! Tests that inject damage, repair it, and check that everything else is unchanged.

use glam::{DVec3, Quat, Vec3};

use super::*;
use portamento_anim::math::random::SplitMix64;
use portamento_anim::root_motion::path;
use portamento_anim::{Curve, JointTracks, Roles, RootMotion};
use portamento_test_support::Figure;
use portamento_test_support::skeleton_of;

mod origin;

/// What these tests do with a figure.
trait Cleaned {
    fn input<'a>(&'a self, clip: &'a Clip) -> Input<'a>;
    fn cleaned(&self, clip: &Clip, settings: &Settings) -> Built;
    fn damaged(&self, clip: &str, joint: &str, damage: impl Fn(usize, usize, &mut Quat)) -> Clip;
    fn idle_with_jittering_arm(&self) -> Clip;
    fn differing(&self, clip: &Clip, built: &Built) -> usize;
}

impl Cleaned for Figure {
    fn input<'a>(&'a self, clip: &'a Clip) -> Input<'a> {
        let (skeleton, roles) = (&self.model.skeleton, &self.roles);
        Input { skeleton, clip, roles, soles: &self.soles, metres_per_unit: self.metres_per_unit }
    }

    fn cleaned(&self, clip: &Clip, settings: &Settings) -> Built {
        build(&self.input(clip), settings, &Progress::new()).unwrap()
    }

    fn damaged(&self, clip: &str, joint: &str, damage: impl Fn(usize, usize, &mut Quat)) -> Clip {
        let mut clip = self.model.clip(clip).unwrap().clone();
        let joint = self.model.skeleton.joints.iter().position(|each| each.name == joint).unwrap();
        let curve = clip.tracks[joint].rotation.as_mut().unwrap();
        let count = curve.values.len();
        curve.values.iter_mut().enumerate().for_each(|(key, value)| damage(key, count, value));
        clip
    }

    /// Returns *idle* with noise of about 1° on the left upper arm.
    fn idle_with_jittering_arm(&self) -> Clip {
        let random = std::cell::RefCell::new(SplitMix64::new(5));
        let noise = || Quat::from_rotation_x((2.0 * random.borrow_mut().unit() - 1.0) as f32 * 0.02);
        self.damaged("idle", "upper_arm.L", |_, _, value| *value *= noise())
    }

    /// Returns the number of joint frames that differ between `clip` and the result, and checks the counts in the report.
    fn differing(&self, clip: &Clip, built: &Built) -> usize {
        let skeleton = &self.model.skeleton;
        let times = super::times(clip);
        let mut of_joint = vec![0; skeleton.len()];
        for &time in &times {
            let [before, after] = [clip, &built.clip].map(|clip| clip.pose_at(skeleton, time));
            for (joint, count) in of_joint.iter_mut().enumerate() {
                *count += usize::from(before.locals[joint] != after.locals[joint]);
            }
        }
        for (joint, &count) in skeleton.joints.iter().zip(&of_joint) {
            let reported =
                built.report.changed.iter().filter(|changed| changed.joint == joint.name).map(|changed| changed.frames);
            assert_eq!(reported.sum::<usize>(), count, "{}", joint.name);
        }
        of_joint.iter().sum()
    }
}

const NOTHING: Settings =
    Settings { pops: false, spread: 0.1, jitter: false, rotations: false, origin: false, rate: None, reduce: None };
const ONLY_POPS: Settings = Settings { pops: true, ..NOTHING };
const ONLY_JITTER: Settings = Settings { pops: false, jitter: true, ..ONLY_POPS };

fn pops(quality: &Option<Quality>) -> usize {
    quality.as_ref().unwrap().pops.frames
}

fn jitter(quality: &Option<Quality>) -> f64 {
    quality.as_ref().unwrap().jitter.as_ref().unwrap().degrees
}

#[test]
fn an_outlier_frame_is_repaired_and_nothing_else_changes() {
    let hero = Figure::open("hero").unwrap();
    let turn = Quat::from_rotation_x(0.9);
    let damaged = hero.damaged("run", "upper_arm.L", |key, count, value| {
        if key == count / 2 {
            *value *= turn;
        }
    });
    let built = hero.cleaned(&damaged, &ONLY_POPS);
    assert_eq!((pops(&built.report.before), pops(&built.report.after)), (1, 0));
    assert_eq!(hero.differing(&damaged, &built), 1, "{:?}", built.report.changed);
    // The repaired frame is close to the original, within the arm's rotation in two frames.
    let sound = hero.model.clip("run").unwrap();
    let off = super::times(sound).into_iter().map(|time| {
        let [sound, made] = [sound, &built.clip].map(|clip| clip.pose_at(&hero.model.skeleton, time));
        sound.locals.iter().zip(&made.locals).map(|(a, b)| angle_between(a.rotation, b.rotation)).fold(0.0, f64::max)
    });
    assert!(off.fold(0.0, f64::max).to_degrees() < 3.0);
}

#[test]
fn a_jump_is_spread_over_its_neighbourhood() {
    let hero = Figure::open("hero").unwrap();
    let turn = Quat::from_rotation_x(0.7);
    let damaged = hero.damaged("idle", "upper_arm.L", |key, count, value| {
        if key >= count / 2 {
            *value *= turn;
        }
    });
    let built = hero.cleaned(&damaged, &ONLY_POPS);
    assert_eq!((pops(&built.report.before), pops(&built.report.after)), (1, 0));
    let fps = damaged.fps();
    // A sixth of a second on each side: at most 180° per second, the jump takes a third of a second.
    let limit = 2.0 * (0.17 * fps).ceil();
    assert!((1.0..=limit).contains(&(hero.differing(&damaged, &built) as f64)), "{:?}", built.report.changed);
    let still = hero.cleaned(&damaged, &Settings { pops: false, ..ONLY_POPS });
    assert_eq!(still.clip, damaged, "no repair was requested");
}

#[test]
fn an_outlier_key_between_frames_is_repaired() {
    let hero = Figure::open("hero").unwrap();
    for key in [5, 20, 28] {
        let mut damaged = hero.damaged("idle", "upper_arm.L", |at, _, value| {
            if at == key {
                *value *= Quat::from_rotation_z(0.8);
            }
        });
        // Makes the key rate fractional.
        damaged.duration *= 0.983;
        for tracks in &mut damaged.tracks {
            tracks.rotation.iter_mut().for_each(|curve| curve.times.iter_mut().for_each(|time| *time *= 0.983));
            tracks.translation.iter_mut().for_each(|curve| curve.times.iter_mut().for_each(|time| *time *= 0.983));
        }
        assert_eq!(damaged.key_rate(), None);
        let built = hero.cleaned(&damaged, &ONLY_POPS);
        let found = [pops(&built.report.before), pops(&built.report.after)];
        assert!(found[0] > 0 && found[1] == 0, "key {key}: {found:?}");
    }
}

#[test]
fn jitter_at_rest_is_removed_and_moving_frames_keep_their_bits() {
    let hero = Figure::open("hero").unwrap();
    let noise = |random: &mut SplitMix64| Quat::from_rotation_x((2.0 * random.unit() - 1.0) as f32 * 0.02);
    for joint in ["upper_arm.L", "spine"] {
        let random = std::cell::RefCell::new(SplitMix64::new(5));
        let damaged = hero.damaged("idle", joint, |_, _, value| *value *= noise(&mut random.borrow_mut()));
        let built = hero.cleaned(&damaged, &ONLY_JITTER);
        let (before, after) = (jitter(&built.report.before), jitter(&built.report.after));
        assert!(before > 0.25 && after <= 0.1 * before, "{joint}: {before} {after}");
        hero.differing(&damaged, &built);
        let random = std::cell::RefCell::new(SplitMix64::new(5));
        let running = hero.damaged("run", joint, |_, _, value| *value *= noise(&mut random.borrow_mut()));
        assert_eq!(hero.cleaned(&running, &ONLY_JITTER).clip, running, "a run never rests");
    }
}

#[test]
fn a_jittering_joint_with_a_late_first_key_keeps_its_start() {
    let hero = Figure::open("hero").unwrap();
    let mut damaged = hero.idle_with_jittering_arm();
    let arm = hero.model.skeleton.find("upper_arm.L").unwrap();
    let turns = damaged.tracks[arm].rotation.as_mut().unwrap();
    // Some exporters count frames from 1. The first key applies before it.
    turns.times.remove(0);
    turns.values.remove(0);
    let built = hero.cleaned(&damaged, &ONLY_JITTER);
    assert!(hero.differing(&damaged, &built) > 0);
    let start = |clip: &Clip| clip.pose_at(&hero.model.skeleton, 0.0).locals[arm].rotation;
    assert_eq!(start(&damaged), start(&built.clip));
}

#[test]
fn smooth_sway_is_unchanged_while_another_joint_jitters() {
    let hero = Figure::open("hero").unwrap();
    let mut damaged = hero.idle_with_jittering_arm();
    hero.move_body(&mut damaged, |time| Vec3::X * 0.002 * (3.0 * time).sin());
    let head = hero.model.skeleton.find("head").unwrap();
    let turns = damaged.tracks[head].rotation.as_mut().unwrap();
    let nod = |time: f32| Quat::from_rotation_x(0.01 * (4.0 * time).sin());
    turns.times.iter().zip(&mut turns.values).for_each(|(&time, turn)| *turn *= nod(time));
    let built = hero.cleaned(&damaged, &ONLY_JITTER);
    assert_eq!(built.report.changed.iter().map(|changed| &*changed.joint).collect::<Vec<_>>(), ["upper_arm.L"]);
    // Jitter of the body is removed.
    let fps = damaged.fps();
    let side = |time: f32| if (f64::from(time) * fps).round() % 2.0 == 0.0 { 0.001 } else { -0.001 };
    hero.move_body(&mut damaged, |time| Vec3::X * side(time));
    let shaken = hero.cleaned(&damaged, &ONLY_JITTER).report;
    let shake = |quality: Option<Quality>| quality.unwrap().jitter.unwrap().millimetres.unwrap();
    assert!(shake(shaken.after) < 0.1 * shake(shaken.before));
}

#[test]
fn jitter_of_a_resting_hand_in_a_run_is_removed_and_nothing_else_changes() {
    let hero = Figure::open("hero").unwrap();
    let still = hero.model.clip("run").unwrap().tracks[hero.model.skeleton.find("hand.L").unwrap()].clone();
    let still = still.rotation.unwrap().values[0];
    let random = std::cell::RefCell::new(SplitMix64::new(5));
    let noise = || Quat::from_rotation_x((2.0 * random.borrow_mut().unit() - 1.0) as f32 * 0.02);
    let shaken = |key: usize| if (1..17).contains(&key) { noise() } else { Quat::IDENTITY };
    let damaged = hero.damaged("run", "hand.L", |key, _, value| *value = still * shaken(key));
    let built = hero.cleaned(&damaged, &ONLY_JITTER);
    assert!(jitter(&built.report.before) > 0.25);
    let after = built.report.after.as_ref().unwrap().jitter.as_ref().map_or(0.0, |jitter| jitter.degrees);
    assert!(after < 0.1, "{after}");
    hero.differing(&damaged, &built);
    assert_eq!(built.report.changed.iter().map(|changed| &*changed.joint).collect::<Vec<_>>(), ["hand.L"]);
}

#[test]
fn jitter_of_many_joints_is_removed_despite_stronger_frames() {
    let hero = Figure::open("hero").unwrap();
    let mut random = SplitMix64::new(9);
    // Bell-shaped noise of half a degree on average.
    let mut bell = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let mut damaged = hero.model.clip("idle").unwrap().clone();
    let curves =
        damaged.tracks.iter_mut().filter_map(|tracks| tracks.rotation.as_mut()).filter(|curve| curve.times.len() > 20);
    for curve in curves.take(6) {
        let last = curve.values.len() - 1;
        curve.values[1..last].iter_mut().for_each(|value| *value *= Quat::from_rotation_x((0.009 * bell()) as f32));
    }
    let built = hero.cleaned(&damaged, &ONLY_JITTER);
    let (before, after) = (jitter(&built.report.before), jitter(&built.report.after));
    assert!(before > 0.4 && after <= 0.1 * before, "{before} {after}");
}

#[test]
fn pops_of_third_party_clips_are_repaired_and_unreported_frames_are_unchanged() {
    for name in ["characters/knight.glb", "characters/fox.glb", "wild/mage.glb", "wild/robot_expressive.glb"] {
        let Some(figure) = Figure::open(name) else { continue };
        for clip in &figure.model.clips {
            let built = figure.cleaned(clip, &ONLY_POPS);
            assert_eq!(pops(&built.report.after), 0, "{name} {}", clip.name);
            figure.differing(clip, &built);
            if pops(&built.report.before) == 0 {
                assert_eq!(built.clip, *clip, "{name} {}", clip.name);
            }
        }
    }
}

#[test]
fn legs_over_planted_feet_keep_their_bits_while_arms_are_repaired() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    let sound = knight.model.clip("1H_Melee_Attack_Slice_Horizontal").unwrap();
    let built = knight.cleaned(sound, &ONLY_POPS);
    let changed: Vec<&str> = built.report.changed.iter().map(|changed| changed.joint.as_str()).collect();
    assert_eq!(changed, ["lowerarm.r", "lowerarm.l"]);
}

#[test]
fn rotations_become_unit_length_without_sign_flips() {
    let hero = Figure::open("hero").unwrap();
    let damaged = hero.damaged("run", "upper_arm.L", |key, _, value| match key {
        3 => *value = -*value,
        5 => *value *= 1.1,
        _ => {}
    });
    let settings = Settings { rotations: true, pops: false, jitter: false, ..ONLY_POPS };
    let built = hero.cleaned(&damaged, &settings);
    let keys = built.report.after.unwrap().keys;
    assert_eq!((keys.not_unit, keys.flips), (0, 0));
    let time = 0.5 * damaged.duration;
    let [before, after] = [&damaged, &built.clip].map(|clip| clip.pose_at(&hero.model.skeleton, time));
    let off = before.locals.iter().zip(&after.locals).map(|(a, b)| angle_between(a.rotation, b.rotation));
    assert!(off.fold(0.0, f64::max) < 1e-5);
}

#[test]
fn invalid_input_is_refused() {
    let hero = Figure::open("hero").unwrap();
    let clip = hero.model.clip("run").unwrap();
    for value in [-1.0, 3.0, f64::NAN] {
        let refused = build(&hero.input(clip), &Settings { spread: value, ..Settings::default() }, &Progress::new());
        assert!(matches!(refused, Err(BuildError::BadSpread { .. })), "{value}");
    }
    let mut other = clip.clone();
    other.tracks.pop();
    assert!(matches!(
        build(&hero.input(&other), &Settings::default(), &Progress::new()),
        Err(BuildError::OtherSkeleton(_))
    ));
}

#[test]
fn keys_are_resampled_and_reduced_within_the_tolerance() {
    let hero = Figure::open("hero").unwrap();
    let run = hero.model.clip("run").unwrap();
    let on = |rate, millimetres: Option<f64>| {
        let reduce = millimetres.map(|millimetres| portamento_anim::Tolerance { millimetres });
        hero.cleaned(run, &Settings { rate, reduce, ..NOTHING })
    };
    let few = on(None, Some(2.0));
    let keys = few.report.keys.unwrap();
    assert!(keys.error_mm > 0.0 && keys.error_mm <= 2.0 && keys.after < keys.before * 3 / 4, "{keys:?}");
    assert_eq!(few.report.after.as_ref().unwrap().keys.still_curves, 0);
    assert_eq!((few.clip.duration, keys.after), (run.duration, few.clip.key_count()));
    let slow = on(Some(15.0), None);
    // All keys at 15 frames per second lie on frames at 30, the lowest rate of at least 24.
    assert_eq!((slow.clip.key_rate(), slow.report.after.as_ref().unwrap().keys.still_curves), (Some(30.0), 0));
    assert!(slow.report.keys.unwrap().error_mm > 1.0, "fewer frames show less of a run");
    assert_eq!(on(None, None).report.keys, None);
    for wrong in [Settings { rate: Some(0.0), ..NOTHING }, Settings { rate: Some(f64::NAN), ..NOTHING }] {
        assert!(matches!(build(&hero.input(run), &wrong, &Progress::new()), Err(BuildError::BadRate { .. })));
    }
    let negative = Settings { reduce: Some(portamento_anim::Tolerance { millimetres: -1.0 }), ..NOTHING };
    assert_eq!(build(&hero.input(run), &negative, &Progress::new()), Err(BuildError::BadTolerance { value: -1.0 }));
}

#[test]
fn an_outlier_key_between_uneven_frames_is_repaired() {
    let hero = Figure::open("hero").unwrap();
    let fine = resampled_unevenly(&hero.model.clip("idle").unwrap().clone());
    assert_eq!((pops(&hero.cleaned(&fine, &ONLY_POPS).report.before), fine.key_rate()), (0, Some(120.0)));
    let joint = hero.model.skeleton.joints.iter().position(|each| each.name == "upper_arm.L").unwrap();
    let mut damaged = fine.clone();
    let values = &mut damaged.tracks[joint].rotation.as_mut().unwrap().values;
    let middle = values.len() / 2;
    values[middle] *= Quat::from_rotation_x(0.9);
    let built = hero.cleaned(&damaged, &ONLY_POPS);
    assert_eq!((pops(&built.report.before), pops(&built.report.after)), (1, 0));
    let off = |key: usize| {
        let [sound, made] = [&fine, &built.clip].map(|clip| values_of(clip, joint)[key]);
        angle_between(sound, made).to_degrees()
    };
    assert!(off(middle) < 3.0, "{}", off(middle));
    let others = (0..values_of(&fine, joint).len()).filter(|&key| key != middle);
    let changed: Vec<usize> =
        others.filter(|&key| values_of(&fine, joint)[key] != values_of(&built.clip, joint)[key]).collect();
    assert_eq!(changed, [0_usize; 0], "all others are unchanged");
}

#[test]
fn an_outlier_is_repaired_if_other_curves_round_its_time_differently() {
    let hero = Figure::open("hero").unwrap();
    let damaged = hero.damaged("run", "upper_arm.L", |key, count, value| {
        if key == count / 2 {
            *value *= Quat::from_rotation_x(0.9);
        }
    });
    for off in [-4e-5, 4e-5] {
        let mut damaged = damaged.clone();
        let curve = damaged.tracks.iter_mut().find_map(|tracks| tracks.translation.as_mut()).unwrap();
        let middle = curve.times.len() / 2;
        curve.times[middle] += off;
        let built = hero.cleaned(&damaged, &ONLY_POPS);
        assert_eq!((pops(&built.report.before), pops(&built.report.after)), (1, 0), "{off}");
    }
}

#[test]
fn an_outlier_with_a_duplicate_key_is_repaired() {
    let hero = Figure::open("hero").unwrap();
    let mut damaged = hero.damaged("run", "upper_arm.L", |key, count, value| {
        if key == count / 2 {
            *value *= Quat::from_rotation_x(0.9);
        }
    });
    let turns = damaged.tracks[hero.model.skeleton.find("upper_arm.L").unwrap()].rotation.as_mut().unwrap();
    let middle = turns.times.len() / 2;
    let (time, value) = (turns.times[middle], turns.values[middle]);
    turns.times.insert(middle + 1, time.next_up());
    turns.values.insert(middle + 1, value);
    let built = hero.cleaned(&damaged, &ONLY_POPS);
    assert_eq!((pops(&built.report.before), pops(&built.report.after)), (1, 0));
}

fn values_of(clip: &Clip, joint: usize) -> &[Quat] {
    &clip.tracks[joint].rotation.as_ref().unwrap().values
}

/// Returns keys every 4 or 5 frames at 120 per second, as after retiming.
fn resampled_unevenly(clip: &Clip) -> Clip {
    let mut times = vec![0.0_f32];
    while times[times.len() - 1] + 0.05 < clip.duration as f32 {
        let frames = if times.len() % 2 == 1 { 5.0 } else { 4.0 };
        times.push(((times[times.len() - 1] * 120.0).round() + frames) / 120.0);
    }
    let mut resampled = clip.clone();
    for curve in resampled.tracks.iter_mut().filter_map(|tracks| tracks.rotation.as_mut()) {
        let values = times.iter().filter_map(|&time| curve.sample(f64::from(time))).collect();
        *curve = Curve::linear(times.clone(), values);
    }
    for tracks in &mut resampled.tracks {
        (tracks.translation, tracks.scale) = (None, None);
    }
    resampled.duration = f64::from(times[times.len() - 1]);
    resampled
}

#[test]
fn a_single_frame_clip_is_unchanged() {
    let skeleton = skeleton_of(&[("root", None), ("arm", Some(0))]);
    let turn = Curve::linear(vec![0.0], vec![Quat::from_rotation_x(0.4)]);
    let tracks = vec![JointTracks::default(), JointTracks { rotation: Some(turn), ..JointTracks::default() }];
    let clip = Clip { name: "pose".into(), duration: 0.0, tracks };
    let roles = Roles::default();
    let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
    let cleaned = build(&input, &Settings::default(), &Progress::new()).unwrap().clip;
    assert_eq!(cleaned.pose_at(&skeleton, 0.0), clip.pose_at(&skeleton, 0.0));
}
