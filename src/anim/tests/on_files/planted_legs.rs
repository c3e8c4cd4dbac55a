use glam::{Quat, Vec3};

use portamento_anim::foot_place::{FootTransform, move_foot_to};
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::quality::Finding;
use portamento_anim::{Clip, Pose};
use portamento_test_support::Figure;

/// The hero, who stands on his feet while his hips go by `by`, metres, from one frame to the next.
fn lunge(hero: &Figure, by: Vec3) -> Clip {
    let skeleton = &hero.model.skeleton;
    let mut clip = hero.model.clip("idle").unwrap().clone();
    let times: Vec<f64> = (0..=40).map(|frame| f64::from((f64::from(frame) / 30.0) as f32)).collect();
    let pose = |(frame, &time): (usize, &f64)| {
        let mut pose: Pose = clip.pose_at(skeleton, time);
        let feet: Vec<FootTransform> =
            hero.roles.legs.iter().map(|leg| FootTransform::from_pose(skeleton, leg, &pose)).collect();
        pose.locals[hero.roles.hips.unwrap()].translation += if frame < 15 { Vec3::ZERO } else { by };
        hero.roles.legs.iter().zip(&feet).for_each(|(leg, foot)| {
            move_foot_to(skeleton, leg, foot, &mut pose);
        });
        pose
    };
    let poses: Vec<Pose> = times.iter().enumerate().map(pose).collect();
    write_poses(skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    clip
}

#[test]
fn legs_over_standing_feet_do_not_jump_however_quick_the_hips_are_and_one_that_does_is_found() {
    let hero = Figure::open("hero").unwrap();
    for by in [Vec3::new(0.0, -0.2, 0.0), Vec3::new(0.0, -0.1, 0.2), Vec3::new(0.2, -0.1, 0.0)] {
        let lunges = lunge(&hero, by);
        assert_eq!(hero.quality(&lunges).pops.worst, None, "{by}");
        let leg = &hero.roles.legs[0];
        for joint in [leg.thigh, leg.shin, leg.foot] {
            for frames in [10..11, 20..41] {
                let mut damaged = lunges.clone();
                let turns = damaged.tracks[joint].rotation.as_mut().unwrap();
                turns.values[frames.clone()].iter_mut().for_each(|turn| *turn *= Quat::from_rotation_z(0.9));
                let found = hero.quality(&damaged).pops.worst;
                let name = &hero.model.skeleton.joints[joint].name;
                assert!(found.is_some_and(|pop| pop.joint == *name), "{name} {frames:?} {by}");
            }
        }
    }
}

#[test]
fn a_thigh_that_twists_by_itself_in_a_crouch_jumps() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let sound = figure.model.clip("PickUp").unwrap();
    assert_eq!(figure.quality(sound).pops.worst, None);
    let mut damaged = sound.clone();
    let turns = damaged.tracks[figure.roles.legs[1].thigh].rotation.as_mut().unwrap();
    turns.values[5..].iter_mut().for_each(|turn| *turn *= Quat::from_xyzw(-0.0403, 0.1514, 0.0776, 0.9846).normalize());
    assert!(figure.quality(&damaged).findings.contains(&Finding::Pops));
}

#[test]
fn a_hard_landing_is_no_jump_and_a_leg_that_jumps_is() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    for clip in ["1H_Melee_Attack_Chop", "1H_Melee_Attack_Stab"] {
        let sound = figure.model.clip(clip).unwrap();
        assert_eq!(figure.quality(sound).pops.worst, None, "{clip}");
        let mut damaged = sound.clone();
        let shin = figure.roles.legs[0].shin;
        let turns = damaged.tracks[shin].rotation.as_mut().unwrap();
        let from = turns.values.len() / 4;
        turns.values[from..].iter_mut().for_each(|turn| *turn *= Quat::from_rotation_x(0.9));
        assert!(figure.quality(&damaged).findings.contains(&Finding::Pops), "{clip}");
    }
}

#[test]
fn no_leg_jumps_of_who_draws_back_over_a_foot_that_stands() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    let shot = knight.model.clip("Spellcast_Shoot").unwrap();
    assert_eq!(knight.quality(shot).pops.worst, None);
}
