use super::*;

#[test]
fn feet_that_are_dragged_too_fast_to_stand_slide_and_can_sink() {
    let hero = Figure::open("hero").unwrap();
    // In full circles at about 4 m/s no foot stands, and none leaves the ground.
    let rate = std::f32::consts::TAU * 8.0 / hero.model.clip("idle").unwrap().duration as f32;
    let circles = |time: f32| 0.2 * Vec3::new((rate * time).sin(), 0.0, (rate * time).cos());
    let [level, lowered] = [0.0, -0.1].map(|height| {
        let mut clip = hero.model.clip("idle").unwrap().clone();
        hero.move_body(&mut clip, |time| circles(time) + height * Vec3::Y);
        hero.quality(&clip)
    });
    for quality in [&level, &lowered] {
        let feet = quality.feet.unwrap();
        // Chords of 0.1 s are shorter than the circle by less than a third.
        let speed = 100.0 * 0.2 * f64::from(rate);
        assert!(
            feet.standing < 0.05 && feet.slide.is_some_and(|slide| (0.7 * speed..speed).contains(&slide)),
            "{feet:?}"
        );
        assert!(quality.findings.contains(&Finding::FeetSlide));
    }
    assert!(!level.findings.contains(&Finding::Sinks) && lowered.findings.contains(&Finding::Sinks));
}

#[test]
fn a_drop_to_lower_ground_does_not_sink_and_a_slow_descent_does() {
    let hero = Figure::open("hero").unwrap();
    let depth = |clip: &Clip| hero.quality(clip).feet.unwrap().sinking;
    let drop = depth(hero.model.clip("drop").unwrap());
    assert!(drop < 1.0, "{drop} cm");
    let mut slow = hero.model.clip("idle").unwrap().clone();
    let duration = slow.duration as f32;
    hero.move_body(&mut slow, |time| Vec3::NEG_Y * 0.5 * time / duration);
    assert!(depth(&slow) > 40.0, "{} cm", depth(&slow));
}

#[test]
fn a_lying_body_sinks_even_if_its_soles_are_above_the_ground() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let lying = figure.model.clip("Lie_Idle").unwrap();
    assert!(!figure.quality(lying).findings.contains(&Finding::Sinks));
    let mut sunk = lying.clone();
    figure.move_body(&mut sunk, |_| -0.09 * Vec3::Y);
    let quality = figure.quality(&sunk);
    assert!(quality.findings.contains(&Finding::Sinks), "{:?}", quality.feet);
}

#[test]
fn one_step_into_another_stance_is_no_gait_on_the_spot_and_slides_if_it_drifts() {
    let Some(figure) = Figure::open("characters/mannequiny.glb") else { return };
    let clip = figure.model.clip("idle_to_fight_root.001").unwrap();
    assert!(!figure.quality(clip).way.on_the_spot && !figure.quality(clip).findings.contains(&Finding::FeetSlide));
    // The root joint of this body is rotated: its Y axis is horizontal.
    for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y] {
        let mut drifts = clip.clone();
        figure.move_body(&mut drifts, |time| 0.3 * time * direction);
        let quality = figure.quality(&drifts);
        assert!(quality.findings.contains(&Finding::FeetSlide), "{direction} {quality:?}");
    }
}

#[test]
fn a_drifting_cycle_on_the_spot_skates_at_any_sway() {
    let Some(figure) = Figure::open("characters/mannequiny.glb") else { return };
    let clip = figure.model.clip("run_root.001").unwrap();
    assert!(figure.quality(clip).way.on_the_spot);
    let mut drifts = clip.clone();
    figure.move_body(&mut drifts, |time| 0.3 * time * Vec3::X);
    let quality = figure.quality(&drifts);
    assert!(!quality.way.on_the_spot && quality.findings.contains(&Finding::FeetSlide), "{quality:?}");
}

#[test]
fn a_drifting_gallop_on_the_spot_skates_although_its_feet_hardly_stand() {
    for (file, name) in [("characters/quadruped.glb", "Run"), ("wild/robot_expressive.glb", "Running")] {
        let Some(figure) = Figure::open(file) else { return };
        let clip = figure.model.clip(name).unwrap();
        assert!(figure.quality(clip).way.on_the_spot);
        let drifts = move_everything(&figure, clip, |time| 0.3 * time * Vec3::X).unwrap();
        let quality = figure.quality(&drifts);
        assert!(!quality.way.on_the_spot && quality.findings.contains(&Finding::FeetSlide), "{name} {quality:?}");
    }
}

#[test]
fn feet_at_rest_do_not_slide_while_the_hips_leave_them() {
    let Some(figure) = Figure::open("wild/robot_expressive.glb") else { return };
    // The feet are siblings of the hips, and stand before and after the jump. Their common parent is scaled by 100.
    let mut leaves = figure.model.clip("WalkJump").unwrap().clone();
    figure.move_body(&mut leaves, |time| 0.003 * time * Vec3::new(0.8, 0.0, 0.6));
    let quality = figure.quality(&leaves);
    assert!(!quality.findings.contains(&Finding::FeetSlide), "{:?}", quality.feet);
}

#[test]
fn feet_that_slide_forth_and_back_or_for_a_moment_are_found() {
    let hero = Figure::open("hero").unwrap();
    let idle = hero.model.clip("idle").unwrap();
    let end = idle.duration as f32;
    // The feet return to their start twice. A sine of amplitude a and frequency f has the mean speed 4·a·f.
    let (amplitude, rate) = (0.06, 2.0 / end);
    let slides = |time: f32| amplitude * (std::f32::consts::TAU * rate * time).sin() * Vec3::Z;
    let found = hero.found("idle", |clip| hero.move_body(clip, slides));
    let mut clip = idle.clone();
    hero.move_body(&mut clip, slides);
    let feet = hero.quality(&clip).feet.unwrap();
    let mean = 100.0 * 4.0 * f64::from(amplitude * rate);
    assert!(feet.standing > 0.95 && (feet.slide.unwrap() / mean - 1.0).abs() < 0.1, "{mean} {feet:?}");
    assert_eq!(found.contains(&Finding::FeetSlide), mean > 10.0, "{found:?}");
    // 0.4 s at 40 cm/s in a clip that stands otherwise.
    let jerks = |time: f32| 0.4 * (time - 0.3 * end).clamp(0.0, 0.4) * Vec3::Z;
    let found = hero.found("idle", |clip| hero.move_body(clip, jerks));
    assert!(found.contains(&Finding::FeetSlide), "{found:?}");
    let mut clip = idle.clone();
    hero.move_body(&mut clip, jerks);
    let feet = hero.quality(&clip).feet.unwrap();
    assert!((feet.slide_peak.unwrap() - 32.0).abs() < 1.0, "16 cm in half a second: {feet:?}");
}

#[test]
fn a_low_dodging_hop_does_not_drift() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let quality = figure.quality(figure.model.clip("Dodge_Backward").unwrap());
    assert!(quality.feet.unwrap().drift.is_none() && quality.findings.is_empty(), "{:?}", quality.feet);
}

#[test]
fn a_single_foot_that_slides_while_standing_up_is_no_body_drift() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let quality = figure.quality(figure.model.clip("Sit_Floor_StandUp").unwrap());
    assert!(quality.findings.contains(&Finding::FeetSlide), "{:?}", quality.findings);
    assert_eq!(quality.feet.unwrap().drift, None);
}

#[test]
fn drift_while_sitting_down_or_falling_is_measured_by_the_final_rest() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    for name in ["Sit_Chair_Down", "Death_A"] {
        let sound = knight.model.clip(name).unwrap();
        assert_eq!(knight.quality(sound).feet.unwrap().drift, None, "{name}");
        let mut drifts = sound.clone();
        let root = knight.roles.root_motion.unwrap();
        let (rest, end) = (knight.model.skeleton.joints[root].rest.translation, sound.duration as f32);
        let travel = end * Vec3::new(0.1, 0.0, -0.23);
        drifts.tracks[root].translation = Some(Curve::linear(vec![0.0, end], vec![rest, rest + travel]));
        let found = knight.quality(&drifts);
        assert!(found.feet.unwrap().drift.is_some_and(|drift| (drift - 0.25).abs() < 0.02), "{name}: {:?}", found.feet);
        assert!(found.findings.contains(&Finding::FeetSlide), "{name}");
    }
}

#[test]
fn a_foot_that_stands_and_is_carried_along_is_counted_once() {
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    // One foot shuffles and is carried along only in parts, the other all the time; both stand from the first frame
    // to the last.
    let drifts =
        move_everything(&knight, knight.model.clip("Cheer").unwrap(), |time| time * Vec3::new(0.192, 0.0, 0.121))
            .unwrap();
    let skeleton = &knight.model.skeleton;
    let frame = 1.0 / 30.0;
    let end = drifts.duration - frame;
    // The path in steps of 0.1 s; the foot that shuffles walks farther than from its first position to its last.
    let distance = |leg: &Leg| -> f64 {
        let at = |time: f64| drifts.pose_at(skeleton, time).world_from_joint(skeleton, leg.toe.unwrap()).translation;
        let starts = (0..).map(|i| frame + 0.1 * f64::from(i)).take_while(|start| *start < end - 1e-6);
        starts.map(|start| (at((start + 0.1).min(end)) - at(start)).with_y(0.0).length()).sum()
    };
    let mean = knight.roles.legs.iter().map(distance).sum::<f64>() / 2.0 / (end - frame);
    let slide = knight.quality(&drifts).feet.unwrap().slide.unwrap();
    assert!((slide / 100.0 / mean - 1.0).abs() < 1e-3, "{slide} cm/s, {mean} m/s");
}
