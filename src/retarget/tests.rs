use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::*;
use portamento_anim::foot_shape::soles;
use portamento_anim::math::random::SplitMix64;
use portamento_anim::rig::chains::{Limb, chains};
use portamento_anim::root_motion::{path, rest_at, rig_size, turn_of};
use portamento_anim::{Curve, Interpolation, Model, Rig};
use portamento_formats::import::import;
use portamento_test_support::allocations::allocations;
use portamento_test_support::{character, corpus};

mod carried;
mod cycles;
mod ground;
mod hands;
mod laws;
mod lying_rest;
mod trunk;
mod twist;

/// A character with its roles and limbs.
struct Figure {
    model: Model,
    roles: Roles,
    chains: Vec<Chain>,
    soles: Vec<Vec<SolePart>>,
    metres_per_unit: f64,
}

impl Figure {
    fn new(model: Model, metres_per_unit: f64) -> Self {
        let roles = Rig::of_model(&model).roles;
        Self { chains: chains(&model, &roles), soles: soles(&model, &roles.legs), roles, model, metres_per_unit }
    }

    fn open(path: &str) -> Option<Self> {
        let imported = import(&character(path)?).unwrap();
        Some(Self::new(imported.model, imported.metres_per_unit))
    }

    fn body(&self) -> Body<'_> {
        Body {
            skeleton: &self.model.skeleton,
            roles: &self.roles,
            chains: &self.chains,
            soles: &self.soles,
            metres_per_unit: self.metres_per_unit,
        }
    }

    fn clip(&self, like: &str) -> &Clip {
        let is_like = |clip: &&Clip| clip.name.to_lowercase().contains(like);
        self.model.clips.iter().find(is_like).unwrap_or(&self.model.clips[0])
    }

    fn limb(&self, limb: fn(&Limb) -> bool) -> impl Iterator<Item = &Chain> {
        self.chains.iter().filter(move |chain| limb(&chain.limb))
    }
}

fn put_on(source: &Figure, clip: &Clip, target: &Figure, settings: &Settings) -> Built {
    let input = Input { source: source.body(), clip, target: target.body(), fps: clip.fps() };
    build(&input, settings, &Progress::new()).unwrap()
}

/// A rotation of a rest pose: the joint and its descendants rotate about a world axis.
struct Bend {
    joint: usize,
    by: DQuat,
}

/// Returns `figure` with a rest pose rotated by `bends`, renamed joints, random joint axes, and legs scaled by `longer`.
fn rebuilt(figure: &Figure, bends: &[Bend], longer: f64) -> Figure {
    let old = &figure.model.skeleton;
    let mut random = SplitMix64::new(7);
    let leg = |joint: usize| {
        let within = |leg: &portamento_anim::Leg| {
            joint != leg.thigh && old.is_within(joint, leg.thigh) && old.is_within(leg.foot, joint)
        };
        figure.roles.legs.iter().any(within)
    };
    let rises: f64 = figure
        .roles
        .legs
        .iter()
        .map(|leg| {
            let at = |joint: usize| rest_at(old, joint).translation.y;
            (at(leg.thigh) - at(leg.foot)) * (longer - 1.0)
        })
        .fold(0.0, f64::max);
    let hips = figure.roles.hips.unwrap();
    let mut model = figure.model.clone();
    let mut turned: Vec<DQuat> = Vec::new();
    let mut world: Vec<DAffine3> = Vec::new();
    for (joint, node) in old.joints.iter().enumerate() {
        let (old_rest, parent) = (rest_at(old, joint), node.parent);
        let bend = bends.iter().find(|bend| bend.joint == joint).map_or(DQuat::IDENTITY, |bend| bend.by);
        let carried = parent.map_or(DQuat::IDENTITY, |parent| turned[parent]);
        turned.push(bend * carried);
        let axis = DVec3::new(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5).normalize();
        // Ancestors of the hips keep their axes, because a scaled armature node would cause shear.
        let own = if old.is_within(joint, hips) {
            DQuat::from_axis_angle(axis, 3.0 * random.unit())
        } else {
            DQuat::IDENTITY
        };
        let from = parent.map_or(DVec3::ZERO, |parent| rest_at(old, parent).translation);
        let mut offset = carried * (old_rest.translation - from) * if leg(joint) { longer } else { 1.0 };
        offset.y += if joint == hips { rises } else { 0.0 };
        let position = parent.map_or(DVec3::ZERO, |parent| world[parent].translation) + offset;
        let scale = old_rest.to_scale_rotation_translation().0;
        let now = DAffine3::from_scale_rotation_translation(scale, bend * carried * turn_of(&old_rest) * own, position);
        let parent = parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
        let (scale, rotation, translation) = (parent.inverse() * now).to_scale_rotation_translation();
        let node = &mut model.skeleton.joints[joint];
        node.name = format!("bone {joint}");
        (node.rest.translation, node.rest.rotation, node.rest.scale) =
            (translation.as_vec3(), rotation.as_quat().normalize(), scale.as_vec3());
        world.push(now);
    }
    model.clips.clear();
    model.humanoid.clear();
    // The roles are copied, as if assigned by the user, because the names are gone.
    let roles = figure.roles.clone();
    // The mesh does not match the new skeleton.
    Figure { chains: figure.chains.clone(), soles: Vec::new(), roles, model, metres_per_unit: figure.metres_per_unit }
}

/// Returns rotations that lower the arms by 40°, or raise hanging arms.
fn other_rest(figure: &Figure) -> Vec<Bend> {
    let front = figure.roles.front.unwrap_or_default().direction();
    let arms = figure.limb(|limb| matches!(limb, Limb::Arm(_)));
    arms.map(|chain| {
        let [upper, hand] =
            [chain.bones[0].joint, chain.tip.unwrap()].map(|joint| rest_at(&figure.model.skeleton, joint).translation);
        let arm_direction = (hand - upper).normalize();
        let hangs = arm_direction.y < -0.6;
        let axis = arm_direction.with_y(0.0).normalize_or(front).cross(DVec3::Y).normalize();
        Bend { joint: chain.bones[0].joint, by: DQuat::from_axis_angle(axis, if hangs { 0.7 } else { -0.7 }) }
    })
    .collect()
}

/// Returns the largest angle between bones of `limb` in both motions, degrees.
fn directions(source: &Figure, clip: &Clip, target: &Figure, built: &Built, limb: fn(&Limb) -> bool) -> f64 {
    let mut worst = 0.0_f64;
    for i in 0..=60 {
        let time = clip.duration * f64::from(i) / 60.0;
        let poses = [clip.pose_at(&source.model.skeleton, time), built.clip.pose_at(&target.model.skeleton, time)];
        for chain in source.limb(limb) {
            let ends = chain.bones.iter().skip(1).map(|bone| bone.joint).chain(chain.tip);
            for (bone, end) in chain.bones.iter().zip(ends) {
                let direction = |figure: &Figure, pose: &Pose| {
                    let at = |joint: usize| pose.world_from_joint(&figure.model.skeleton, joint).translation;
                    (at(end) - at(bone.joint)).normalize()
                };
                let (a, b) = (direction(source, &poses[0]), direction(target, &poses[1]));
                worst = worst.max(a.cross(b).length().atan2(a.dot(b)));
            }
        }
    }
    worst.to_degrees()
}

#[test]
fn retargeting_to_the_same_character_returns_the_clip() {
    for (file, like) in [("hero", "run"), ("hero", "idle"), ("hero", "cast"), ("characters/fox.glb", "run")] {
        let Some(figure) = Figure::open(file) else { continue };
        let clip = figure.clip(like);
        let built = put_on(&figure, clip, &figure, &Settings::default());
        for i in 0..=40 {
            let time = clip.duration * f64::from(i) / 40.0;
            let skeleton = &figure.model.skeleton;
            let [a, b] = [clip, &built.clip].map(|clip| clip.pose_at(skeleton, time));
            for link in &built.links {
                let [a, b] = [&a, &b].map(|pose| pose.world_from_joint(skeleton, link.joint));
                let distance = a.translation.distance(b.translation) / rig_size(skeleton);
                assert!(
                    distance < 2.1e-3,
                    "{file} {}: {} {distance} at {time}",
                    clip.name,
                    skeleton.joints[link.joint].name
                );
            }
        }
    }
}

#[test]
fn a_sampled_frame_allocates_nothing() {
    let figure = Figure::open("hero").unwrap();
    let clip = put_on(&figure, figure.clip("run"), &figure, &Settings::default()).clip;
    let skeleton = &figure.model.skeleton;
    let mut pose = Pose::rest(skeleton);
    let count = allocations(|| (0..90).for_each(|step| clip.sample(skeleton, f64::from(step) / 100.0, &mut pose)));
    assert_eq!(count, 0);
}

#[test]
fn a_rebuilt_character_gets_equal_bone_directions() {
    for (file, like) in [
        ("hero", "run"),
        ("hero", "cast"),
        ("characters/knight.glb", "walking_a"),
        ("wild/mage.glb", "running_a"),
        ("characters/fox.glb", "walk"),
    ] {
        let Some(figure) = Figure::open(file) else { continue };
        let other = rebuilt(&figure, &other_rest(&figure), 1.2);
        let clip = figure.clip(like);
        let loose = put_on(&figure, clip, &other, &Settings { hold_feet: false, ..Settings::default() });
        let all = |limb: &Limb| matches!(limb, Limb::Arm(_) | Limb::Leg(..) | Limb::Hand(_));
        let angle = directions(&figure, clip, &other, &loose, all);
        assert!(angle < 0.03, "{file} {}: {angle}° {:?}", clip.name, loose.report.direction_joint);
        let locked = put_on(&figure, clip, &other, &Settings::default());
        let arms = directions(&figure, clip, &other, &locked, |limb| matches!(limb, Limb::Arm(_)));
        assert!(arms < 0.03, "{file} {}: {arms}°", clip.name);
        let report = &locked.report;
        assert!((report.scale - 1.2).abs() < 0.02, "{}", report.scale);
        assert!(report.feet_after.slide <= 1.05 * report.slide_of_source + 0.01, "{file} {}: {report:?}", clip.name);
        assert!(report.feet_after.sinking <= 0.005, "{file} {}: {report:?}", clip.name);
        let named = report.direction_at.map(|worst| other.model.skeleton.joints[worst.joint].name.clone());
        assert_eq!(named, report.direction_joint);
        let Some(slides) = report.feet_after.slides_at else {
            assert_eq!(report.feet_after.slide, 0.0, "{file} {}: {report:?}", clip.name);
            continue;
        };
        assert!(other.body().roles.legs.iter().any(|leg| leg.toe.unwrap_or(leg.foot) == slides.joint), "{slides:?}");
        assert!((0.0..=clip.duration + 1e-6).contains(&slides.time) && slides.time > 0.0, "{slides:?}");
    }
}

#[test]
fn a_rest_pose_with_a_lifted_foot_sinks_no_foot_into_the_ground() {
    let Some(source) = Figure::open("mocap/media__fbx__pab__walk.fbx") else { return };
    for file in ["hero", "characters/knight.glb", "characters/human_male_no_clips.glb"] {
        let Some(target) = Figure::open(file) else { continue };
        let Built { clip, report, .. } = put_on(&source, source.clip("walk"), &target, &Settings::default());
        let (skeleton, body) = (&target.model.skeleton, target.body());
        let rest = portamento_anim::Pose::rest(skeleton);
        let height = |pose: &portamento_anim::Pose, joint: usize| pose.world_from_joint(skeleton, joint).translation.y;
        for leg in &body.roles.legs {
            // The ankle of a foot landing on its heel is slightly lower.
            for (joint, limit) in [(leg.toe.unwrap_or(leg.foot), 0.005), (leg.foot, 0.02)] {
                let times = (0..=80).map(|i| clip.duration * f64::from(i) / 80.0);
                let lowest =
                    times.map(|time| height(&clip.pose_at(skeleton, time), joint)).fold(f64::INFINITY, f64::min);
                let depth = (height(&rest, joint) - lowest) * body.metres_per_unit;
                assert!(depth <= limit, "{file}: {} {depth} m, {report:?}", skeleton.joints[joint].name);
            }
        }
        assert!(report.feet_after.slide <= report.slide_of_source + 0.01, "{file}: {report:?}");
        assert!(report.short < 1e-3 && report.hips_lowered < 0.05, "{file}: {report:?}");
    }
}

/// Returns `clip` with the first bone of every arm, leg and finger stretched and thinned, like baked squash-and-stretch rigs.
fn stretched(figure: &Figure, clip: &Clip) -> Clip {
    let mut clip = clip.clone();
    let stretched_chains = figure.limb(|limb| matches!(limb, Limb::Arm(_) | Limb::Leg(..) | Limb::Finger(..)));
    for joint in stretched_chains.map(|chain| chain.bones[0].joint) {
        let values = vec![Vec3::ONE, Vec3::new(0.9, 1.25, 0.9)];
        let times = vec![0.0, clip.duration as f32];
        clip.tracks[joint].scale =
            Some(Curve { interpolation: Interpolation::Linear, times: times.into(), values: values.into() });
    }
    clip
}

#[test]
fn bones_follow_the_directions_of_a_stretched_source() {
    for (file, like) in [("hero", "cast"), ("characters/mannequiny.glb", "run")] {
        let Some(figure) = Figure::open(file) else { continue };
        let other = rebuilt(&figure, &other_rest(&figure), 1.0);
        let clip = stretched(&figure, figure.clip(like));
        // A high rate, because a sheared bone follows no arc between two frames.
        let input = Input { source: figure.body(), clip: &clip, target: other.body(), fps: 240.0 };
        let loose = build(&input, &Settings { hold_feet: false, ..Settings::default() }, &Progress::new()).unwrap();
        let all = |limb: &Limb| matches!(limb, Limb::Arm(_) | Limb::Leg(..) | Limb::Hand(_) | Limb::Finger(..));
        let angle = directions(&figure, &clip, &other, &loose, all);
        assert!(angle < 0.03, "{file} {}: {angle}° {:?}", clip.name, loose.report.direction_joint);
        let scales = loose.clip.tracks.iter().filter_map(|tracks| tracks.scale.as_ref());
        assert_eq!(scales.count(), 0, "bone lengths are unchanged");
    }
}

#[test]
fn knees_and_elbows_bend_in_the_right_direction_on_every_pair() {
    let files = [
        ("hero", "run"),
        ("characters/knight.glb", "walking_a"),
        ("characters/mannequiny.glb", "run"),
        ("characters/minnyquinn.glb", "walk"),
        ("mocap/cmu_01_01.bvh", "cmu"),
        ("mocap/media__fbx__pab__jog.fbx", "jog"),
    ];
    let figures: Vec<Option<Figure>> = files.iter().map(|(file, _)| Figure::open(file)).collect();
    if figures.iter().any(Option::is_none) {
        return;
    }
    let figures: Vec<Figure> = figures.into_iter().flatten().collect();
    let male = Figure::open("characters/human_male_no_clips.glb").unwrap();
    for (source, (file, like)) in figures.iter().zip(&files) {
        let clip = source.clip(like);
        for target in figures.iter().filter(|figure| !figure.model.meshes.is_empty()).chain([&male]) {
            let built = put_on(source, clip, target, &Settings::default());
            let name = format!("{file} on {}", target.model.name);
            assert!(built.clip.key_times().flatten().all(|time| time.is_finite()), "{name}");
            assert!(built.report.feet_after.sinking < 0.005, "{name}: {:?}", built.report);
            assert!(
                built.report.feet_after.slide <= 1.3 * built.report.slide_of_source + 0.05,
                "{name}: {:?}",
                built.report
            );
            for limb in source.limb(|limb| matches!(limb, Limb::Leg(..) | Limb::Arm(_))).map(|chain| chain.limb) {
                let turned = (0..=40).map(|i| clip.duration * f64::from(i) / 40.0).filter(|&time| {
                    let bends = [bend(source, limb, clip, time), bend(target, limb, &built.clip, time)];
                    let [Some(from), Some(to)] = bends else { return false };
                    (facing(source, target) * from).dot(to) < 0.0
                });
                assert_eq!(turned.count(), 0, "{name}: {limb:?} bends in the wrong direction");
            }
        }
    }
}

fn facing(source: &Figure, target: &Figure) -> DQuat {
    let [from, to] = [source, target].map(|figure| figure.roles.front.unwrap_or_default().direction());
    DQuat::from_rotation_arc(from, to)
}

/// Returns the direction in which the middle of a limb deviates from the line between its ends; `None` if nearly straight.
fn bend(figure: &Figure, limb: Limb, clip: &Clip, time: f64) -> Option<DVec3> {
    let chain = figure.chains.iter().find(|chain| chain.limb == limb)?;
    let pose = clip.pose_at(&figure.model.skeleton, time);
    let at = |joint: usize| pose.world_from_joint(&figure.model.skeleton, joint).translation;
    let (top, middle, end) = (at(chain.bones[0].joint), at(chain.bones[1].joint), at(chain.tip?));
    let deviation = (middle - top).reject_from((end - top).normalize());
    (deviation.length() > 0.15 * middle.distance(top)).then(|| deviation.normalize())
}

#[test]
fn chosen_links_are_followed_and_invalid_ones_are_refused() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.clip("cast");
    let retarget = |links: &[(&str, Option<&str>)]| {
        let links =
            links.iter().map(|(joint, source)| LinkChoice { joint: (*joint).into(), source: source.map(Into::into) });
        let input = Input { source: figure.body(), clip, target: figure.body(), fps: 30.0 };
        build(&input, &Settings { links: links.collect(), ..Settings::default() }, &Progress::new())
    };
    let head = figure.model.skeleton.joints[figure.roles.head.unwrap()].name.clone();
    let still = retarget(&[(&head, None)]).unwrap();
    assert!(still.links.iter().all(|link| link.joint != figure.roles.head.unwrap()));
    assert!(still.clip.tracks[figure.roles.head.unwrap()].rotation.is_none());
    let unknown = retarget(&[("tail of a fish", None)]).unwrap_err();
    assert_eq!(unknown, BuildError::NoJoint { joint: "tail of a fish".into(), is_source: false });
    let unknown = retarget(&[(&head, Some("fin"))]).unwrap_err();
    assert_eq!(unknown, BuildError::NoJoint { joint: "fin".into(), is_source: true });
    let input = Input { source: figure.body(), clip, target: figure.body(), fps: 30.0 };
    let bad = build(&input, &Settings { scale: Some(f64::NAN), ..Settings::default() }, &Progress::new());
    assert!(matches!(bad, Err(BuildError::BadNumber { .. })));
    let without_chains = Body { chains: &[], ..figure.body() };
    let input = Input { target: without_chains, ..input };
    assert_eq!(build(&input, &Settings::default(), &Progress::new()), Err(BuildError::NoHips { is_source: false }));
}

#[test]
fn a_correction_rotates_the_rest_and_nothing_else() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.clip("idle");
    let head = figure.roles.head.unwrap();
    let name = figure.model.skeleton.joints[head].name.clone();
    let plain = put_on(&figure, clip, &figure, &Settings::default());
    let correction = Correction { joint: name, turn: [0.0, 30.0, 0.0] };
    let turned = put_on(&figure, clip, &figure, &Settings { corrections: vec![correction], ..Settings::default() });
    let [a, b] = [&plain, &turned].map(|built| built.clip.pose_at(&figure.model.skeleton, 0.0));
    let [a, b] = [a, b].map(|pose| turn_of(&pose.world_from_joint(&figure.model.skeleton, head)));
    // Applied to the rest below the motion: the axis is slightly rotated by the motion.
    assert!((b * a.inverse()).to_axis_angle().1.to_degrees().abs() - 30.0 < 1e-2);
    let others = plain.clip.tracks.iter().zip(&turned.clip.tracks).enumerate().filter(|(_, (a, b))| a != b);
    assert!(others.map(|(joint, _)| joint).all(|joint| figure.model.skeleton.is_within(joint, head)));
}

/// Returns the largest excess of a leg joint's step over its neighbours at 120 frames per second, relative to the body size.
fn spike(figure: &Figure, clip: &Clip) -> f64 {
    let times: Vec<f64> = (0..=(clip.duration * 120.0) as i32).map(|frame| f64::from(frame) / 120.0).collect();
    let spike = |joint: usize| {
        let positions = path(&figure.model.skeleton, clip, joint, &times);
        let steps: Vec<f64> = positions.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        steps.windows(3).map(|steps| steps[1] - steps[0].max(steps[2])).fold(0.0, f64::max)
    };
    let joints = figure.roles.legs.iter().flat_map(|leg| [leg.shin, leg.foot]);
    joints.map(spike).fold(0.0, f64::max) / rig_size(&figure.model.skeleton)
}

#[test]
fn no_knee_snaps_in_a_nearly_straight_swing_between_locked_stances() {
    let Some(source) = Figure::open("mocap/media__fbx__pab__jog.fbx") else { return };
    let clip = source.clip("jog");
    for target in
        ["hero", "characters/mannequiny.glb", "characters/minnyquinn.glb"].into_iter().filter_map(Figure::open)
    {
        let retargeted = |hold_feet| put_on(&source, clip, &target, &Settings { hold_feet, ..Settings::default() });
        let [loose, locked] = [retargeted(false), retargeted(true)];
        assert!(locked.report.stands > 0 && locked.clip != loose.clip, "{}: no foot is locked", target.model.name);
        let [loose, locked] = [loose, locked].map(|built| spike(&target, &built.clip));
        assert!(locked <= loose + 0.005, "{}: {loose} becomes {locked}", target.model.name);
    }
}
