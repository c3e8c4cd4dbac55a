use portamento_test_support::Figure;

#[test]
fn a_climb_on_the_way_is_no_residue_and_a_fall_on_the_spot_is() {
    let hero = Figure::open("hero").unwrap();
    let place = |clip: &str| hero.quality(hero.model.clip(clip).unwrap()).residue.place;
    assert!(place("walk_uphill") < 1e-3, "{}", place("walk_uphill"));
    let mut falls = hero.model.clip("idle").unwrap().clone();
    hero.move_body(&mut falls, |time| -0.3 * time * glam::Vec3::Y);
    assert!(hero.quality(&falls).residue.place > 0.1);
}

#[test]
fn hands_that_do_not_hang_on_the_hips_are_looked_at_too() {
    let Some(gdbot) = Figure::open("wild/gdbot.glb") else { return };
    let still = gdbot.model.clip("jump").unwrap();
    assert!(gdbot.quality(still).residue.place < 1e-6);
    let mut turns = still.clone();
    let tracks = &mut turns.tracks[gdbot.roles.hands[0]];
    let from = tracks.rotation.as_ref().unwrap().sample(0.0).unwrap();
    let to = from * glam::Quat::from_rotation_x(0.25);
    tracks.rotation = Some(portamento_anim::Curve::linear(vec![0.0, turns.duration as f32], vec![from, to]));
    assert!(gdbot.quality(&turns).findings.contains(&portamento_anim::quality::Finding::DoesNotClose));
}
