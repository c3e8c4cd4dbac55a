use super::*;

#[test]
fn a_single_jumping_arm_in_a_strike_is_found_and_the_strike_is_not() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    let sound = knight.model.clip("Dualwield_Melee_Attack_Chop").unwrap();
    assert_eq!(knight.quality(sound).pops.frames, 0);
    let turn = Quat::from_rotation_x(0.55);
    for frames in [12..13, 12..14, 12..100] {
        let mut damaged = sound.clone();
        let keys = &mut rotation(&knight, &mut damaged, "lowerarm.l").values;
        let end = frames.end.min(keys.len());
        keys[frames.start..end].iter_mut().for_each(|value| *value *= turn);
        let worst = knight.quality(&damaged).pops.worst;
        assert!(worst.as_ref().is_some_and(|worst| worst.joint == "lowerarm.l"), "{frames:?}: {worst:?}");
    }
}

#[test]
fn an_outlier_next_to_the_first_or_last_frame_is_found() {
    let out = |frame: usize| {
        let turn = |i: usize| Quat::from_rotation_x(0.01 * i as f32 + if i == frame { 0.8 } else { 0.0 });
        let times: Vec<f64> = (0..12).map(f64::from).collect();
        let found = jumps(&times, &(0..12).map(turn).collect::<Vec<_>>(), |_| f64::INFINITY);
        found.iter().filter(|jump| jump.outlier_frames == 1).map(|jump| jump.frame).collect::<Vec<_>>()
    };
    assert_eq!([out(1), out(5), out(10)], [[1], [5], [10]]);
}

#[test]
fn a_retimed_clip_and_one_that_begins_between_frames_have_the_jumps_of_the_clip() {
    let hero = Figure::open("hero").unwrap();
    let mut damaged = hero.model.clip("run").unwrap().clone();
    let keys = &mut rotation(&hero, &mut damaged, "upper_arm.L").values;
    keys[4..6].iter_mut().for_each(|value| *value *= Quat::from_rotation_y(1.0));
    let damaged_pops = hero.quality(&damaged).pops;
    let sound = damaged_pops.worst.as_ref().filter(|worst| worst.joint == "upper_arm.L").unwrap();
    for (slower, later) in [(0.892, 0.0), (1.13, 0.0), (1.0, 0.013), (1.25, 0.8 / 24.0)] {
        let mut retimed = damaged.clone();
        retimed.duration = f64::from(slower * retimed.duration as f32 + later);
        for tracks in &mut retimed.tracks {
            let to = |time: &mut f32| *time = slower * *time + later;
            tracks.rotation.iter_mut().for_each(|curve| curve.times.iter_mut().for_each(to));
            tracks.translation.iter_mut().for_each(|curve| curve.times.iter_mut().for_each(to));
        }
        let found = hero.quality(&retimed).pops;
        let worst = found.worst.filter(|worst| worst.joint == sound.joint);
        let is_same = worst.is_some_and(|worst| (worst.degrees - sound.degrees).abs() < 0.01);
        assert!(is_same && found.frames == damaged_pops.frames, "{slower} {later}");
    }
}
