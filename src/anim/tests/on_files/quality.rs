use glam::{DQuat, Quat, Vec3};

use portamento_anim::math::random::SplitMix64;
use portamento_anim::quality::*;
use portamento_anim::{Clip, Curve, JointTracks, Leg};
use portamento_base::progress::Progress;
use portamento_test_support::{Figure, cut};

mod cycles;
mod feet;
mod jumps;
mod pauses;

fn rotation<'a>(figure: &Figure, clip: &'a mut Clip, joint: &str) -> &'a mut Curve<Quat> {
    clip.tracks[figure.joint(joint)].rotation.as_mut().unwrap()
}

#[test]
fn every_damage_is_found_and_nothing_else() {
    let hero = Figure::open("hero").unwrap();
    let arm = "upper_arm.L";
    let turn = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
    let spike = hero.found("run", |clip| {
        let curve = rotation(&hero, clip, arm);
        let middle = curve.values.len() / 2;
        curve.values[middle] *= turn(50.0);
    });
    assert_eq!(spike, [Finding::Pops]);
    let jump = hero.found("idle", |clip| {
        let curve = rotation(&hero, clip, arm);
        let count = curve.values.len();
        curve.values[count / 3..2 * count / 3].iter_mut().for_each(|value| *value *= turn(40.0));
    });
    assert_eq!(jump, [Finding::Pops]);
    let mut random = SplitMix64::new(3);
    let noise: Vec<f32> = (0..1000).map(|_| 2.0 * random.unit() as f32 - 1.0).collect();
    let jitter = hero.found("idle", |clip| {
        let curve = rotation(&hero, clip, arm);
        let last = curve.values.len() - 1;
        curve.values[1..last].iter_mut().zip(&noise).for_each(|(value, noise)| *value *= turn(*noise));
    });
    assert_eq!(jitter, [Finding::Jitters]);
    let open = hero.found("run", |clip| {
        let curve = rotation(&hero, clip, arm);
        let count = curve.values.len() as f32;
        curve
            .values
            .iter_mut()
            .enumerate()
            .for_each(|(key, value)| *value *= Quat::from_rotation_z(0.2 * key as f32 / count));
    });
    assert_eq!(open, [Finding::DoesNotClose]);
    assert_eq!(hero.found("idle", |clip| hero.move_body(clip, |_| Vec3::X)), [Finding::StartsOffOrigin]);
    assert_eq!(hero.found("idle", |clip| hero.move_body(clip, |_| -0.1 * Vec3::Y)), [Finding::Sinks]);
    for speed in [0.2, 0.6] {
        let drifts = |clip: &mut Clip| hero.move_body(clip, |time| speed * time * Vec3::X);
        assert_eq!(hero.found("idle", drifts), [Finding::FeetSlide]);
        let mut damaged = hero.model.clip("idle").unwrap().clone();
        drifts(&mut damaged);
        let feet = hero.quality(&damaged).feet.unwrap();
        assert!(feet.drift.is_some_and(|drift| (drift - f64::from(speed)).abs() < 0.02), "{feet:?}");
        assert!(feet.slide.is_some_and(|slide| (slide - 100.0 * f64::from(speed)).abs() < 2.0), "{feet:?}");
    }
    for clip in &hero.model.clips {
        assert_eq!(hero.quality(clip).feet.and_then(|feet| feet.drift), None, "{}", clip.name);
    }
    let long = hero.found("run", |clip| rotation(&hero, clip, arm).values[3] = turn(3.0) * 1.1);
    assert!(long.contains(&Finding::BadRotations), "{long:?}");
    let mut flipped = hero.model.clip("run").unwrap().clone();
    let curve = rotation(&hero, &mut flipped, arm);
    curve.values[3] = -curve.values[3];
    let [flips, flips_before] = [&flipped, hero.model.clip("run").unwrap()].map(|clip| hero.quality(clip).keys.flips);
    assert!(flips.abs_diff(flips_before) >= 1);
}

#[test]
fn a_kick_with_short_contacts_drifts_if_all_contacts_imply_one_speed() {
    let Some(figure) = Figure::open("wild/mannequiny_in_place.glb") else { return };
    let kick = figure.model.clip("fight_kick").unwrap();
    assert_eq!(figure.quality(kick).feet.unwrap().drift, None);
    let mut drifts = kick.clone();
    figure.move_body(&mut drifts, |time| 0.3 * time * Vec3::Z);
    let found = figure.quality(&drifts);
    assert!(found.feet.unwrap().drift.is_some_and(|drift| (drift - 0.3).abs() < 0.02), "{:?}", found.feet);
    assert!(found.findings.contains(&Finding::FeetSlide));
}

#[test]
fn travel_equals_that_of_the_keys_and_is_rotation_invariant() {
    let hero = Figure::open("hero").unwrap();
    let clip = hero.model.clip("run").unwrap();
    let travel = hero.quality(clip).way;
    let root = portamento_anim::RootMotion::find(&hero.model.skeleton, clip, &hero.roles).unwrap().joint;
    let keys = clip.tracks[root].translation.as_ref().unwrap();
    let expected = (keys.values[keys.values.len() - 1] - keys.values[0]).with_y(0.0).length();
    assert!((travel.travel - f64::from(expected)).abs() < 1e-5, "{} {expected}", travel.travel);
    assert!(
        (travel.speed - travel.travel / clip.duration).abs() < 0.02 * travel.speed,
        "a run goes straight: {travel:?}"
    );
    let mut turned = clip.clone();
    let about = DQuat::from_rotation_y(1.0).as_quat();
    let track = &mut turned.tracks[root];
    track.translation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value = about * *value);
    let rest = hero.model.skeleton.joints[root].rest.rotation;
    match &mut track.rotation {
        Some(curve) => curve.values.iter_mut().for_each(|value| *value = about * *value),
        none => *none = Some(Curve::linear(vec![0.0], vec![about * rest])),
    }
    let [straight, turned] = [clip, &turned].map(|clip| hero.quality(clip));
    assert!((straight.way.travel - turned.way.travel).abs() < 1e-5);
    assert!((straight.residue.place - turned.residue.place).abs() < 1e-5);
    assert!((straight.residue.velocity - turned.residue.velocity).abs() < 1e-3);
    assert_eq!(straight.findings, turned.findings);
}

#[test]
fn the_speed_of_a_gait_on_the_spot_comes_from_its_feet() {
    let Some(figure) = Figure::open("wild/mannequiny_in_place.glb") else { return };
    let clip = figure.model.clips.iter().find(|clip| clip.name.to_lowercase().contains("walk")).unwrap();
    let travel = figure.quality(clip).way;
    assert!(travel.on_the_spot && (0.3..3.0).contains(&travel.speed), "{travel:?}");
}

#[test]
fn feet_of_a_gait_on_the_spot_are_measured_at_the_speed_that_they_imply() {
    let hero = Figure::open("hero").unwrap();
    for name in ["walk", "run"] {
        let travels = hero.model.clip(name).unwrap();
        let root = portamento_anim::RootMotion::find(&hero.model.skeleton, travels, &hero.roles).unwrap().joint;
        let mut stays = travels.clone();
        let curve = stays.tracks[root].translation.as_mut().unwrap();
        let first = curve.values[0];
        curve.values.iter_mut().for_each(|value| *value = first.with_y(value.y));
        let [away, here] = [travels, &stays].map(|clip| hero.quality(clip));
        let [of_away, of_here] = [&away, &here].map(|quality| quality.feet.unwrap());
        assert!(here.way.on_the_spot && !away.way.on_the_spot);
        assert!((of_away.standing - of_here.standing).abs() < 0.1, "{name}: {of_away:?} {of_here:?}");
        assert!(of_here.slide.is_some_and(|slide| slide < 5.0) && of_here.drift.is_none(), "{name}: {of_here:?}");
        let mut sunk = stays.clone();
        hero.move_body(&mut sunk, |_| -0.1 * Vec3::Y);
        let new: Vec<Finding> =
            hero.quality(&sunk).findings.into_iter().filter(|finding| !here.findings.contains(finding)).collect();
        assert_eq!(new, [Finding::Sinks], "{name}");
    }
}

#[test]
fn an_outlier_frame_is_found_in_fast_motion_too() {
    let hero = Figure::open("hero").unwrap();
    let run = hero.model.clip("run").unwrap();
    for joint in ["thigh.L", "upper_arm.L"] {
        let count = rotation(&hero, &mut run.clone(), joint).values.len();
        let is_found = |&key: &usize| {
            let mut damaged = run.clone();
            rotation(&hero, &mut damaged, joint).values[key] *= Quat::from_rotation_z(0.8);
            let pops = hero.quality(&damaged).pops;
            assert!(pops.frames <= 2, "{joint} at key {key}: {pops:?}");
            pops.worst.is_some_and(|worst| worst.joint == joint)
        };
        let found = (2..count - 2).filter(is_found).count();
        assert!(10 * found >= 9 * (count - 4), "{joint}: {found} of {}", count - 4);
    }
}

#[test]
fn a_clip_of_another_skeleton_or_with_non_finite_numbers_is_not_measured() {
    let hero = Figure::open("hero").unwrap();
    let (skeleton, roles) = (&hero.model.skeleton, &hero.roles);
    let mut clip = hero.model.clip("run").unwrap().clone();
    rotation(&hero, &mut clip, "upper_arm.L").values[2].x = f32::NAN;
    assert_eq!(
        quality(&Input { skeleton, clip: &clip, roles, soles: &[], metres_per_unit: 1.0 }, &Progress::new()),
        Ok(None)
    );
    clip.tracks.pop();
    assert_eq!(
        quality(&Input { skeleton, clip: &clip, roles, soles: &[], metres_per_unit: 1.0 }, &Progress::new()),
        Ok(None)
    );
}

/// A kind of damage: the expected finding, and a function that applies the damage, or returns `None` if the clip does
/// not allow it.
type Damage = (Finding, fn(&Figure, &Clip, &Quality) -> Option<Clip>);

const DAMAGES: [Damage; 6] = [
    (Finding::Pops, |figure, clip, _| {
        let mut damaged = clip.clone();
        let curve = arm(figure, &mut damaged)?;
        let turn = |pair: &[Quat]| portamento_anim::math::mean::angle_between(pair[0], pair[1]).to_degrees();
        let steps: Vec<f64> = curve.values.windows(2).map(turn).collect();
        // In a strike of 40° per frame it is invisible.
        let calm = (3..steps.len() - 3).find(|&key| steps[key - 3..key + 3].iter().all(|&step| step < 8.0))?;
        curve.values[calm] *= Quat::from_rotation_x(0.9) * Quat::from_rotation_z(0.3);
        Some(damaged)
    }),
    (Finding::BadRotations, |figure, clip, _| {
        let mut damaged = clip.clone();
        let curve = arm(figure, &mut damaged)?;
        curve.values[1] *= 1.05;
        Some(damaged)
    }),
    (Finding::StartsOffOrigin, |figure, clip, _| move_everything(figure, clip, |_| Vec3::X)),
    (Finding::Sinks, |figure, clip, quality| {
        quality.feet.and_then(|_| move_everything(figure, clip, |_| -0.12 * Vec3::Y))
    }),
    (Finding::FeetSlide, |figure, clip, quality| {
        let is_planted =
            quality.feet.is_some_and(|feet| feet.standing > 0.5 && feet.slide.is_some_and(|slide| slide < 1.0));
        if is_planted { move_everything(figure, clip, |time| 0.45 * time * Vec3::X) } else { None }
    }),
    (Finding::DoesNotClose, |figure, clip, quality| {
        let mut damaged = clip.clone();
        let curve = arm(figure, &mut damaged).filter(|_| quality.residue.place < 1e-3)?;
        let count = curve.values.len() as f32;
        curve.values.iter_mut().enumerate().for_each(|(key, value)| {
            *value *=
                Quat::from_rotation_x(0.12 * key as f32 / count) * Quat::from_rotation_z(0.12 * key as f32 / count);
        });
        Some(damaged)
    }),
];

/// Returns the rotation curve of the upper arm if it has linear keys on every frame.
fn arm<'a>(figure: &Figure, clip: &'a mut Clip) -> Option<&'a mut Curve<Quat>> {
    let joint = figure.model.skeleton.ancestors(*figure.roles.hands.first()?).nth(2)?;
    let curve = clip.tracks[joint].rotation.as_mut()?;
    let is_written = curve.times.len() >= 20 && curve.interpolation == portamento_anim::Interpolation::Linear;
    is_written.then_some(curve)
}

/// Returns the clip with everything moved by `by(time)`, metres.
fn move_everything(figure: &Figure, clip: &Clip, by: impl Fn(f32) -> Vec3) -> Option<Clip> {
    let skeleton = &figure.model.skeleton;
    let times: Vec<f32> = (0..=(clip.duration * 30.0) as i32).map(|frame| frame as f32 / 30.0).collect();
    let mut damaged = clip.clone();
    for root in skeleton.roots() {
        let local =
            |time: f32| portamento_anim::root_motion::local_at(skeleton, clip, root, f64::from(time)).translation;
        let values = times.iter().map(|&time| local(time) + by(time) / figure.metres_per_unit as f32).collect();
        damaged.tracks[root].translation = Some(Curve::linear(times.clone(), values));
    }
    Some(damaged)
}

#[test]
fn damage_planted_in_other_characters_is_found_and_little_else() {
    let files =
        ["characters/knight.glb", "characters/minnyquinn.glb", "wild/mannequiny_in_place.glb", "wild/gdbot.glb"];
    let (mut planted, mut found, mut false_ones) = (0, 0, Vec::new());
    for figure in files.into_iter().filter_map(Figure::open) {
        for clip in &figure.model.clips {
            let before = figure.quality(clip);
            for (finding, damage) in &DAMAGES {
                let Some(damaged) = damage(&figure, clip, &before).filter(|_| !before.findings.contains(finding))
                else {
                    continue;
                };
                let after = figure.quality(&damaged).findings;
                planted += 1;
                found += usize::from(after.contains(finding));
                let new = after.iter().filter(|other| *other != finding && !before.findings.contains(other));
                false_ones.extend(new.map(|other| (clip.name.clone(), *finding, *other)));
                if !after.contains(finding) {
                    println!("{} {}: {finding:?} was not found", figure.model.name, clip.name);
                }
            }
        }
    }
    println!("{found} of {planted} found, besides {false_ones:?}");
    assert!(50 * false_ones.len() <= planted && 100 * found >= 98 * planted, "{found} of {planted}, {false_ones:?}");
}

#[test]
fn a_body_that_is_thrown_back_or_lies_higher_still_drifts() {
    let hero = Figure::open("hero").unwrap();
    // Back by 6 cm within a tenth of a second, then slowly forward again.
    let thrown = |time: f32| -0.06 * ((time - 0.5) / 0.1).clamp(0.0, 1.0) + 0.03 * (time - 0.6).max(0.0);
    let offsets: [&dyn Fn(f32) -> Vec3; 2] = [&|time| thrown(time) * Vec3::Z, &|_| 0.1 * Vec3::Y];
    for offset in offsets {
        let mut clip = hero.model.clip("idle").unwrap().clone();
        hero.move_body(&mut clip, |time| 0.3 * time * Vec3::X + offset(time));
        let quality = hero.quality(&clip);
        let drift = quality.feet.and_then(|feet| feet.drift);
        assert!(drift.is_some_and(|drift| (drift - 0.3).abs() < 0.03), "{drift:?}");
        assert!(quality.findings.contains(&Finding::FeetSlide));
    }
}

#[test]
fn a_gait_on_the_spot_that_drifts_skates() {
    let hero = Figure::open("hero").unwrap();
    for (name, direction) in [("walk", Vec3::Z), ("run", Vec3::Z), ("run", Vec3::X)] {
        let travels = hero.model.clip(name).unwrap();
        let root = portamento_anim::RootMotion::find(&hero.model.skeleton, travels, &hero.roles).unwrap().joint;
        let mut drifts = travels.clone();
        let curve = drifts.tracks[root].translation.as_mut().unwrap();
        let first = curve.values[0];
        for (time, value) in curve.times.iter().zip(&mut curve.values) {
            *value = first.with_y(value.y) + 0.3 * time * direction;
        }
        let [sound, quality] = [travels, &drifts].map(|clip| hero.quality(clip));
        let slip = Vec3::new(0.0, 0.0, sound.way.speed as f32).distance(0.3 * direction);
        let feet = quality.feet.unwrap();
        assert!(feet.drift.is_some_and(|drift| (drift - f64::from(slip)).abs() < 0.15 * f64::from(slip)), "{feet:?}");
        assert!(quality.findings.contains(&Finding::FeetSlide) && !sound.findings.contains(&Finding::FeetSlide));
    }
}

#[test]
fn a_gait_on_the_spot_skates_if_an_ancestor_drifts() {
    let Some(figure) = Figure::open("wild/gdbot.glb") else { return };
    let skeleton = &figure.model.skeleton;
    let run = figure.model.clip("run").unwrap();
    let root = portamento_anim::RootMotion::find(skeleton, run, &figure.roles).unwrap().joint;
    let ancestor = skeleton.ancestors(root).last().unwrap();
    assert_ne!(ancestor, root);
    let rest = skeleton.joints[ancestor].rest.translation;
    let mut drifts = run.clone();
    let end = run.duration as f32;
    drifts.tracks[ancestor].translation = Some(Curve::linear(vec![0.0, end], vec![rest, rest + 0.4 * end * Vec3::X]));
    let feet = figure.quality(&drifts).feet;
    assert!(feet.is_some_and(|feet| feet.drift.is_some()), "{feet:?}");
}

#[test]
fn a_few_joints_that_do_not_return_keep_a_clip_open() {
    let hero = Figure::open("hero").unwrap();
    let ends_turned = |joints: &[&str], degrees: f32| {
        hero.found("idle", |clip| {
            for joint in joints {
                let curve = rotation(&hero, clip, joint);
                let end = curve.times[curve.times.len() - 1];
                for (time, value) in curve.times.iter().zip(&mut curve.values) {
                    *value *= Quat::from_rotation_x(degrees.to_radians() * (time / end).powi(2));
                }
            }
        })
    };
    // Far off at the hand, and at a joint that carries no other joint.
    assert_eq!(ends_turned(&["spine", "upper_arm.L", "lower_arm.L"], 12.0), [Finding::DoesNotClose]);
    assert_eq!(ends_turned(&["head"], 8.0), [Finding::DoesNotClose]);
    assert_eq!(ends_turned(&["head"], 0.5), []);
}
