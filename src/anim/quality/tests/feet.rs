use super::*;

#[test]
fn feet_that_never_stand_sink_all_the_same_and_their_slide_is_not_measured() {
    let hero = Figure::open("hero").unwrap();
    // In whole circles at about 4 m/s no foot stands.
    let rate = std::f32::consts::TAU * 8.0 / hero.model.clip("idle").unwrap().duration as f32;
    let circles = |time: f32| 0.2 * Vec3::new((rate * time).sin(), 0.0, (rate * time).cos());
    let [above, below] = [0.0, -0.1].map(|height| {
        let mut clip = hero.model.clip("idle").unwrap().clone();
        hero.move_body(&mut clip, |time| circles(time) + height * Vec3::Y);
        hero.quality(&clip)
    });
    for quality in [&above, &below] {
        let feet = quality.feet.unwrap();
        assert!(feet.standing < 0.05 && feet.slide.is_none(), "{feet:?}");
    }
    assert!(!above.findings.contains(&Finding::Sinks) && below.findings.contains(&Finding::Sinks));
}

#[test]
fn who_lies_sinks_though_the_soles_are_higher_than_where_they_stand() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let lies = figure.model.clip("Lie_Idle").unwrap();
    assert!(!figure.quality(lies).findings.contains(&Finding::Sinks));
    let mut sunk = lies.clone();
    figure.move_body(&mut sunk, |_| -0.09 * Vec3::Y);
    let quality = figure.quality(&sunk);
    assert!(quality.findings.contains(&Finding::Sinks), "{:?}", quality.feet);
}

#[test]
fn one_step_into_another_stance_is_no_gait_on_the_spot_and_slides_where_it_drifts() {
    let Some(figure) = Figure::open("characters/mannequiny.glb") else { return };
    let clip = figure.model.clip("idle_to_fight_root.001").unwrap();
    assert!(!figure.quality(clip).way.on_the_spot && !figure.quality(clip).findings.contains(&Finding::FeetSlide));
    // What carries this body lies on its back: its Y goes along the ground.
    for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y] {
        let mut drifts = clip.clone();
        figure.move_body(&mut drifts, |time| 0.3 * time * direction);
        let quality = figure.quality(&drifts);
        assert!(quality.findings.contains(&Finding::FeetSlide), "{direction} {quality:?}");
    }
}

#[test]
fn a_cycle_on_the_spot_that_drifts_skates_however_far_its_body_sways() {
    let Some(figure) = Figure::open("characters/mannequiny.glb") else { return };
    let clip = figure.model.clip("run_root.001").unwrap();
    assert!(figure.quality(clip).way.on_the_spot);
    let mut drifts = clip.clone();
    figure.move_body(&mut drifts, |time| 0.3 * time * Vec3::X);
    let quality = figure.quality(&drifts);
    assert!(!quality.way.on_the_spot && quality.findings.contains(&Finding::FeetSlide), "{quality:?}");
}

#[test]
fn a_gallop_on_the_spot_that_drifts_skates_though_its_feet_hardly_stand_at_any_speed() {
    for (file, name) in [("characters/quadruped.glb", "Run"), ("wild/robot_expressive.glb", "Running")] {
        let Some(figure) = Figure::open(file) else { return };
        let clip = figure.model.clip(name).unwrap();
        assert!(figure.quality(clip).way.on_the_spot);
        let drifts = whole(&figure, clip, |time| 0.3 * time * Vec3::X).unwrap();
        let quality = figure.quality(&drifts);
        assert!(!quality.way.on_the_spot && quality.findings.contains(&Finding::FeetSlide), "{name} {quality:?}");
    }
}

#[test]
fn feet_that_rest_while_the_hips_leave_them_do_not_slide() {
    let Some(figure) = Figure::open("wild/robot_expressive.glb") else { return };
    // The feet hang beside the hips, and stand before and after the jump. What holds both is a hundred times as large.
    let mut leaves = figure.model.clip("WalkJump").unwrap().clone();
    figure.move_body(&mut leaves, |time| 0.003 * time * Vec3::new(0.8, 0.0, 0.6));
    let quality = figure.quality(&leaves);
    assert!(!quality.findings.contains(&Finding::FeetSlide), "{:?}", quality.feet);
}

#[test]
fn who_dodges_in_a_hop_just_over_the_ground_does_not_drift() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let quality = figure.quality(figure.model.clip("Dodge_Backward").unwrap());
    assert!(quality.feet.unwrap().drift.is_none() && quality.findings.is_empty(), "{:?}", quality.feet);
}

#[test]
fn a_foot_that_slides_by_itself_while_somebody_gets_up_is_no_drift_of_the_body() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let quality = figure.quality(figure.model.clip("Sit_Floor_StandUp").unwrap());
    assert!(quality.findings.contains(&Finding::FeetSlide), "{:?}", quality.findings);
    assert_eq!(quality.feet.unwrap().drift, None);
}

#[test]
fn who_sits_down_or_falls_while_he_drifts_is_told_by_how_he_rests_in_the_end() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    for name in ["Sit_Chair_Down", "Death_A"] {
        let sound = knight.model.clip(name).unwrap();
        assert_eq!(knight.quality(sound).feet.unwrap().drift, None, "{name}");
        let mut drifts = sound.clone();
        let root = knight.roles.root_motion.unwrap();
        let (rest, end) = (knight.model.skeleton.joints[root].rest.translation, sound.duration as f32);
        let way = end * Vec3::new(0.1, 0.0, -0.23);
        drifts.tracks[root].translation = Some(Curve::linear(vec![0.0, end], vec![rest, rest + way]));
        let found = knight.quality(&drifts);
        assert!(found.feet.unwrap().drift.is_some_and(|drift| (drift - 0.25).abs() < 0.02), "{name}: {:?}", found.feet);
        assert!(found.findings.contains(&Finding::FeetSlide), "{name}");
    }
}

#[test]
fn a_foot_that_stands_and_goes_with_the_body_slides_once() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    // One foot shuffles and goes with the body only in parts, the other all along; both stand from the first frame to the last.
    let drifts =
        whole(&knight, knight.model.clip("Cheer").unwrap(), |time| time * Vec3::new(0.192, 0.0, 0.121)).unwrap();
    let skeleton = &knight.model.skeleton;
    let frame = 1.0 / 30.0;
    let [first, last] = [frame, drifts.duration - frame].map(|time| drifts.pose_at(skeleton, time));
    let way = |leg: &Leg| {
        let [from, to] = [&first, &last].map(|pose| pose.world_from_joint(skeleton, leg.toe.unwrap()).translation);
        (to - from).with_y(0.0).length()
    };
    let mean = knight.roles.legs.iter().map(way).sum::<f64>() / 2.0 / (drifts.duration - 2.0 * frame);
    let slide = knight.quality(&drifts).feet.unwrap().slide.unwrap();
    assert!((slide / 100.0 / mean - 1.0).abs() < 1e-3, "{slide} cm/s, {mean} m/s");
}
