use portamento_anim::math::random::{SplitMix64, spread};
use portamento_anim::rig::preset::RigPreset;
use portamento_anim::{Rig, Roles};
use portamento_formats::import::import;
use portamento_test_support::{corpus, damaged_json, hero, mutants};

#[test]
fn what_was_found_is_saved_and_found_again() {
    for name in ["characters/knight.glb", "characters/fox.glb", "characters/minnyquinn.glb"] {
        let Some(path) = corpus(name) else { return };
        let model = import(&path).unwrap().model;
        let roles = Rig::of_model(&model).roles;
        let preset = RigPreset::from_roles("mine", &model.skeleton, &roles);
        let again = RigPreset::from_json(&preset.to_json()).unwrap();
        assert_eq!(again, preset);
        assert_eq!(again.roles(&model.skeleton, &Roles::default()).unwrap(), roles, "{name}");
    }
}

#[test]
fn a_preset_goes_before_what_was_found_and_says_what_is_not_there() {
    let Some(path) = corpus("characters/knight.glb") else { return };
    let model = import(&path).unwrap().model;
    let right = Rig::of_model(&model).roles;
    let wrong = Roles { hips: Some(0), legs: Vec::new(), head: Some(0), ..right.clone() };
    let roles = RigPreset::named("kaykit").unwrap().roles(&model.skeleton, &wrong).unwrap();
    assert_eq!((roles.hips, &roles.legs, roles.head), (right.hips, &right.legs, right.head));
    let refused = RigPreset::named("unreal_mannequin").unwrap().roles(&model.skeleton, &right).unwrap_err();
    assert!(refused.to_string().contains("thigh_l") && refused.to_string().contains("Unreal Mannequin"), "{refused}");
    assert!(RigPreset::from_json("{\"name\": 3}").unwrap_err().to_string().contains("not a rig preset"));
}

#[test]
fn a_preset_with_damaged_structure_is_refused_or_names_joints_of_the_skeleton() {
    let model = hero();
    let found = Rig::of_model(&model).roles;
    let seed = RigPreset::from_roles("mine", &model.skeleton, &found).to_json();
    let (mut accepted, count) = (0, mutants(500));
    for number in 0..count {
        let damaged = damaged_json(seed.as_bytes(), &mut SplitMix64::new(spread(number)));
        let preset = RigPreset::from_json(&String::from_utf8_lossy(&damaged));
        let Ok(roles) = preset.and_then(|preset| preset.roles(&model.skeleton, &found)) else { continue };
        let legs = roles.legs.iter().flat_map(|leg| [Some(leg.thigh), Some(leg.shin), Some(leg.foot), leg.toe]);
        let joints = [roles.root_motion, roles.hips, roles.spine_split, roles.head].into_iter().chain(legs).flatten();
        assert!(joints.chain(roles.hands).chain(roles.tail).all(|joint| joint < model.skeleton.len()), "{number}");
        accepted += 1;
    }
    assert!(accepted > 0 && accepted < count, "{accepted} of {count}");
}
