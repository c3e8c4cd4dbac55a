use glam::{Quat, Vec3};

use portamento_test_support::Figure;

#[test]
fn each_figure_tells_the_joint_and_the_frame_of_its_damage() {
    let hero = Figure::open("hero").unwrap();
    let idle = hero.model.clip("idle").unwrap();
    let name = |joint: usize| hero.model.skeleton.joints[joint].name.as_str();
    let arm = (0..hero.model.skeleton.len()).find(|&joint| name(joint) == "upper_arm.L").unwrap();

    // Too small to be found as a pop, and told all the same.
    let mut turned = idle.clone();
    let curve = turned.tracks[arm].rotation.as_mut().unwrap();
    let key = curve.values.len() / 3;
    curve.values[key..].iter_mut().for_each(|value| *value *= Quat::from_rotation_x(0.1));
    let pops = hero.quality(&turned).pops;
    let beyond = pops.beyond.unwrap();
    assert_eq!((pops.frames, &*beyond.joint), (0, "upper_arm.L"));
    // 0.1 rad but for what the arm turns in the frames beside it.
    assert!((4.5..5.74).contains(&beyond.degrees), "{beyond:?}");
    let time = |key: usize| f64::from(idle.tracks[arm].rotation.as_ref().unwrap().times[key]);
    assert!((beyond.time - time(key)).abs() < 1e-3, "{beyond:?} and not {}", time(key));

    let bump = |from: f32| move |at: f32| if (from..from + 0.1).contains(&at) { 1.0 } else { 0.0 };
    let mut sunk = idle.clone();
    hero.move_body(&mut sunk, |time| -0.1 * bump(0.8)(time) * Vec3::Y);
    let sinks = hero.quality(&sunk).feet.unwrap().sinks_at.unwrap();
    assert!((0.8..0.9 + 1e-6).contains(&sinks.time), "{sinks:?}");

    let mut slid = idle.clone();
    hero.move_body(&mut slid, |time| 0.05 * (time - 0.8).clamp(0.0, 0.2) * Vec3::X);
    let slides = hero.quality(&slid).feet.unwrap().slides_at.unwrap();
    let soles: Vec<usize> = hero.roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).collect();
    assert!((0.8..=1.05).contains(&slides.time) && soles.contains(&slides.joint), "{slides:?}");

    let mut open = idle.clone();
    let curve = open.tracks[arm].rotation.as_mut().unwrap();
    let count = curve.values.len() as f32;
    let turn = |key: usize| Quat::from_rotation_z(0.3 * key as f32 / count);
    curve.values.iter_mut().enumerate().for_each(|(key, value)| *value *= turn(key));
    let gap = hero.quality(&open).residue.place_at.unwrap();
    assert_eq!(gap.time, idle.duration);
    assert!(hero.model.skeleton.is_within(gap.joint, arm), "{}", name(gap.joint));
}
