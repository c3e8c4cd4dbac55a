use super::*;

#[test]
fn an_arm_that_jumps_alone_in_a_strike_is_found_and_the_strike_is_not() {
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
fn a_frame_that_is_out_is_found_beside_the_first_and_the_last_too() {
    let out = |frame: usize| {
        let turn = |i: usize| Quat::from_rotation_x(0.01 * i as f32 + if i == frame { 0.8 } else { 0.0 });
        let times: Vec<f64> = (0..12).map(f64::from).collect();
        let found = jumps(&times, &(0..12).map(turn).collect::<Vec<_>>(), |_| f64::INFINITY);
        found.iter().filter(|jump| jump.out_for == 1).map(|jump| jump.frame).collect::<Vec<_>>()
    };
    assert_eq!([out(1), out(5), out(10)], [[1], [5], [10]]);
}
