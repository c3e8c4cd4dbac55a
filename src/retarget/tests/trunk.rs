//! Tests of rigs with hips below the trunk, or with feet outside the legs.

use super::*;

/// Returns the largest increase of the distance between `joint` and `other` over rest, relative to the body size.
fn separation(figure: &Figure, clip: &Clip, joint: usize, other: usize) -> f64 {
    let skeleton = &figure.model.skeleton;
    let distance = |pose: &Pose| {
        let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
        at(joint).distance(at(other))
    };
    let times = (0..=60).map(|i| clip.duration * f64::from(i) / 60.0);
    let farthest = times.map(|time| distance(&clip.pose_at(skeleton, time))).fold(0.0, f64::max);
    (farthest - distance(&Pose::rest(skeleton))) / rig_size(skeleton)
}

#[test]
fn hips_below_the_chest_move_it_along() {
    let Some(target) = Figure::open("wild/gdbot.glb") else { return };
    let [torso, hips] = ["torso", "hips"].map(|name| target.model.skeleton.find(name).unwrap());
    assert_eq!((target.roles.hips, target.roles.body(&target.model.skeleton)), (Some(hips), Some(torso)));
    let spine = target.limb(|limb| matches!(limb, Limb::Spine)).next().unwrap();
    assert_eq!(spine.bones.iter().map(|bone| bone.joint).collect::<Vec<_>>(), [torso]);
    for (file, like) in [("hero", "run"), ("mocap/media__fbx__pab__jog.fbx", "jog")] {
        let Some(source) = Figure::open(file) else { continue };
        let built = put_on(&source, source.clip(like), &target, &Settings::default());
        let distance = separation(&target, &built.clip, torso, hips);
        assert!(distance < 1e-5, "{file}: chest and hips part by {distance}");
        let turned = built.links.iter().any(|link| link.joint == torso && link.limb == Some(Limb::Spine));
        assert!(turned, "{file}: the chest follows the source's");
    }
}

#[test]
fn feet_without_toes_or_outside_their_legs_slide_no_more_than_the_source() {
    for file in ["wild/gdbot.glb", "wild/robot_expressive.glb"] {
        let Some(target) = Figure::open(file) else { continue };
        for like in ["walk", "jog", "run"] {
            let Some(source) = Figure::open(&format!("mocap/media__fbx__pab__{like}.fbx")) else { continue };
            let report = put_on(&source, source.clip(like), &target, &Settings::default()).report;
            println!("{file} {like}: {report:?}");
            // Planted feet in captured jogs move at 3.6 m/s, and a short leg lags behind.
            assert!(report.feet_after.slide <= 1.4 * report.slide_of_source + 0.01, "{file} {like}: {report:?}");
            assert!(report.feet_after.sinking <= 0.005, "{file} {like}: {report:?}");
        }
    }
}
