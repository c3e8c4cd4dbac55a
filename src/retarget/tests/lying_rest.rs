//! Tests of sources whose rest pose does not stand, although their motion does.

use super::*;

/// Returns `source` with another model without meshes.
fn with_model(source: &Figure, mut model: Model) -> Figure {
    model.instances.clear();
    let (roles, chains) = (source.roles.clone(), source.chains.clone());
    Figure { soles: soles(&model, &roles.legs), model, roles, chains, metres_per_unit: source.metres_per_unit }
}

/// Returns `source` and its clip with all joints at the origin at rest; the clip moves them to the same positions.
fn without_rest(source: &Figure, clip: &Clip) -> (Figure, Clip) {
    let mut clip = clip.clone();
    let mut model = source.model.clone();
    for (joint, tracks) in model.skeleton.joints.iter_mut().zip(&mut clip.tracks) {
        let rest = std::mem::replace(&mut joint.rest, portamento_anim::math::Transform::IDENTITY);
        joint.rest.scale = rest.scale;
        tracks.translation.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest.translation]));
        tracks.rotation.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest.rotation]));
    }
    (with_model(source, model), clip)
}

/// Returns `source` and its clip with another rest rotation of every joint; offsets point along X, and the clip makes up for it.
fn along_x(source: &Figure, clip: &Clip) -> (Figure, Clip) {
    let skeleton = &source.model.skeleton;
    let times: Vec<f64> = (0..=(clip.duration * 60.0) as usize).map(|frame| frame as f64 / 60.0).collect();
    let keys: Vec<f32> = times.iter().map(|&time| time as f32).collect();
    let (mut model, mut lying) = (source.model.clone(), clip.clone());
    // World rotation at rest that takes the offset of the first child to X.
    let to_x: Vec<DQuat> = (0..skeleton.len())
        .map(|joint| {
            let child = skeleton.joints.iter().find(|child| child.parent == Some(joint));
            let offset = child.map_or(Vec3::X, |child| child.rest.translation).as_dvec3();
            DQuat::from_rotation_arc(offset.try_normalize().unwrap_or(DVec3::X), DVec3::X)
        })
        .collect();
    for joint in 0..skeleton.len() {
        let parent = skeleton.joints[joint].parent;
        let parent_turn = parent.map_or(DQuat::IDENTITY, |parent| to_x[parent]);
        let rest = &mut model.skeleton.joints[joint].rest;
        rest.rotation = glam::Quat::IDENTITY;
        let turn = |translation: Vec3| (parent_turn * translation.as_dvec3()).as_vec3();
        rest.translation = turn(rest.translation);
        let locals: Vec<_> = times.iter().map(|&time| clip.pose_at(skeleton, time).locals[joint]).collect();
        let rotation = |local: &portamento_anim::math::Transform| {
            (parent_turn * local.rotation.as_dquat() * to_x[joint].inverse()).normalize().as_quat()
        };
        lying.tracks[joint].rotation = Some(Curve::linear(keys.clone(), locals.iter().map(rotation).collect()));
        let moved = locals.iter().map(|local| turn(local.translation)).collect();
        lying.tracks[joint].translation = Some(Curve::linear(keys.clone(), moved));
    }
    (with_model(source, model), lying)
}

/// Returns the largest difference between the body's lines in `clip` and in `result`, degrees: the line between the thighs, the
/// trunk, thighs.
fn largest_difference(figure: &Figure, clip: &Clip, result: &Clip) -> f64 {
    let skeleton = &figure.model.skeleton;
    let roles = &figure.roles;
    let [left, right] = [&roles.legs[0], &roles.legs[1]];
    let lines = [
        [left.thigh, right.thigh],
        [roles.hips.unwrap(), roles.head.unwrap()],
        [left.thigh, left.shin],
        [right.thigh, right.shin],
    ];
    let mut largest = 0.0_f64;
    for i in 0..=30 {
        let time = clip.duration * f64::from(i) / 30.0;
        let [own, other] = [clip, result].map(|clip| clip.pose_at(skeleton, time));
        for [from, to] in lines {
            let line = |pose: &Pose| {
                let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
                at(to) - at(from)
            };
            largest = largest.max(line(&own).angle_between(line(&other)).to_degrees());
        }
    }
    largest
}

#[test]
fn a_rest_pose_that_does_not_stand_gives_the_motion_of_one_that_stands() {
    let Some(hero) = Figure::open("hero") else { return };
    for like in ["run", "idle"] {
        let clip = hero.clip(like).clone();
        for (case, (source, lying)) in [("no rest", without_rest(&hero, &clip)), ("along X", along_x(&hero, &clip))] {
            let built = put_on(&source, &lying, &hero, &Settings::default());
            let off = largest_difference(&hero, &clip, &built.clip);
            assert!(off < 5.0, "{like}, {case}: {off}°");
            let hips = hero.roles.hips.unwrap();
            for time in [0.0, 0.5 * clip.duration] {
                let at = |clip: &Clip| {
                    let pose = clip.pose_at(&hero.model.skeleton, time);
                    pose.world_from_joint(&hero.model.skeleton, hips).translation
                };
                let apart = at(&clip).distance(at(&built.clip));
                assert!(apart < 0.03 * rig_size(&hero.model.skeleton), "{like}, {case}: hips {apart} off");
            }
        }
    }
}
