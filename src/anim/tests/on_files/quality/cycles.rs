//! Gaits that are cut off before the end of the cycle.

use super::*;

#[test]
fn a_gait_cut_before_the_end_of_its_cycle_does_not_close() {
    let files = ["hero", "characters/knight.glb", "characters/fox.glb", "wild/robot_expressive.glb", "wild/gdbot.glb"];
    let mut checked = Vec::new();
    for figure in files.into_iter().filter_map(Figure::open) {
        for clip in &figure.model.clips {
            let mut turns = clip.tracks.iter().filter_map(|tracks| tracks.rotation.as_ref());
            let is_linear = turns.all(|curve| curve.interpolation == portamento_anim::Interpolation::Linear);
            let closes = figure.quality(clip).residue.place < 1e-3;
            let gaits = ["run", "Run", "Running", "walk", "Walk", "Walking", "Walking_A", "Walking_B"];
            if !closes || !is_linear || !gaits.contains(&clip.name.as_str()) {
                continue;
            }
            let findings = figure.quality(&cut(clip, 0.88 * clip.duration)).findings;
            assert!(findings.contains(&Finding::DoesNotClose), "{} {}: {findings:?}", figure.model.name, clip.name);
            checked.push(clip.name.clone());
        }
    }
    assert!(checked.contains(&"run".to_string()), "{checked:?}");
}

#[test]
fn a_strike_cut_on_its_way_back_does_not_close() {
    let one_shots: [(&str, &[&str]); 2] = [
        ("characters/knight.glb", &["Throw", "Spellcast_Raise", "1H_Ranged_Shoot", "Unarmed_Melee_Attack_Kick"]),
        ("wild/mannequiny_in_place.glb", &["fight_punch"]),
    ];
    for (file, clips) in one_shots {
        let Some(figure) = Figure::open(file) else { continue };
        for name in clips {
            let complete = figure.model.clip(name).unwrap();
            let is_open = |clip: &Clip| figure.quality(clip).findings.contains(&Finding::DoesNotClose);
            assert!(!is_open(complete), "{file} {name}");
            let cut = cut(complete, 0.88 * complete.duration);
            assert!(is_open(&cut), "{file} {name}: {:?}", figure.quality(&cut).residue);
        }
    }
}

#[test]
fn a_clip_that_leads_over_an_obstacle_is_not_meant_to_close() {
    let Some(hero) = Figure::open("hero") else { return };
    for name in ["vault", "mantle", "jump", "drop"] {
        let clip = hero.model.clip(name).unwrap();
        assert!(!hero.quality(clip).findings.contains(&Finding::DoesNotClose), "{name}");
    }
    let vault = hero.model.clip("vault").unwrap();
    let other = Clip { name: "run_long".into(), ..vault.clone() };
    assert!(hero.quality(&other).findings.contains(&Finding::DoesNotClose), "a run is");
}

#[test]
fn a_landing_that_sinks_again_is_not_complete() {
    let Some(robot) = Figure::open("wild/robot_expressive.glb") else { return };
    let jump = robot.model.clip("Jump").unwrap();
    let landing = cut(jump, 0.625);
    assert_eq!(robot.quality(&landing).residue.back_in, None, "it does not return in its last eighth");
    let is_open = |clip: &Clip| robot.quality(clip).findings.contains(&Finding::DoesNotClose);
    assert_eq!([is_open(jump), is_open(&landing)], [false, true]);
}

#[test]
fn a_breath_that_is_cut_off_does_not_close() {
    for (file, name) in [("characters/knight.glb", "Sit_Floor_Idle"), ("wild/horse.glb", "Sleep")] {
        let Some(figure) = Figure::open(file) else { continue };
        let complete = figure.model.clip(name).unwrap();
        let is_open = |clip: &Clip| figure.quality(clip).findings.contains(&Finding::DoesNotClose);
        assert_eq!(
            [is_open(complete), is_open(&cut(complete, 0.88 * complete.duration))],
            [false, true],
            "{file} {name}"
        );
    }
}

#[test]
fn complete_one_shot_motions_are_not_meant_to_close() {
    let one_shots: [(&str, &[&str]); 5] = [
        ("hero", &["leap_strike", "dash_back_step", "cast", "turn", "turn_left", "turn_right", "mantle", "drop"]),
        ("hero", &["jump"]),
        ("characters/kaiju.glb", &["Attack"]),
        ("wild/horse.glb", &["Head_But", "Kick"]),
        ("characters/mannequiny.glb", &["dash_root.001"]),
    ];
    for (file, clips) in one_shots {
        let Some(figure) = Figure::open(file) else { continue };
        let is_open =
            |clip: &&&str| figure.quality(figure.model.clip(clip).unwrap()).findings.contains(&Finding::DoesNotClose);
        assert_eq!(clips.iter().filter(is_open).collect::<Vec<_>>(), [] as [&&str; 0], "{file}");
    }
}

#[test]
fn an_outlier_frame_does_not_count_as_a_return_to_the_start() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for frames in [78..79, 77..79, 79..80] {
            let out = Quat::from_axis_angle(axis, 0.9);
            let damage = |clip: &mut Clip| {
                rotation(&figure, clip, "spine").values[frames.clone()].iter_mut().for_each(|turn| *turn *= out);
            };
            let found = figure.found("Lie_Down", damage);
            assert!(found.contains(&Finding::Pops) && !found.contains(&Finding::DoesNotClose), "{axis} {found:?}");
        }
    }
}

#[test]
fn clips_that_end_as_they_began_and_go_on_are_loops() {
    let named: [(&str, &[&str], &[&str]); 3] = [
        ("hero", &["run", "walk", "idle"], &["cast", "leap_strike", "jump", "vault", "turn", "stop"]),
        (
            "characters/knight.glb",
            &["Walking_A", "Running_A", "Idle"],
            &["1H_Melee_Attack_Chop", "Death_A", "Jump_Start", "Lie_Down"],
        ),
        ("wild/robot_expressive.glb", &["Walking", "Running"], &["Jump", "Death", "Punch"]),
    ];
    for (file, loops, once) in named {
        let Some(figure) = Figure::open(file) else { continue };
        let repeats = |name: &&&str| {
            let clip = figure.model.clip(name)?;
            let (skeleton, roles) = (&figure.model.skeleton, &figure.roles);
            let input = Input { skeleton, clip, roles, soles: &[], metres_per_unit: figure.metres_per_unit };
            portamento_anim::quality::loops(&input, name, &Progress::new()).ok()
        };
        let other = |wanted: bool| move |name: &&&str| repeats(name).is_some_and(|found| found != wanted);
        assert_eq!(loops.iter().filter(other(true)).collect::<Vec<_>>(), [] as [&&str; 0], "{file}: no loops");
        assert_eq!(once.iter().filter(other(false)).collect::<Vec<_>>(), [] as [&&str; 0], "{file}: loops");
    }
}
