//! Tests of cycles: a motion that loops still loops with locked feet.

use super::*;
use portamento_anim::quality::{self, LoopGap};

#[test]
fn a_cycle_with_locked_feet_stays_a_cycle() {
    let sources = [
        ("hero", &["run", "walk"][..]),
        ("characters/knight.glb", &["Walking_A", "Running_A", "Running_Strafe_Left"]),
        ("wild/robot_expressive.glb", &["Walking", "Running"]),
    ];
    let mut checked = 0;
    for (source, clips) in sources.into_iter().filter_map(|(file, clips)| Some((Figure::open(file)?, clips))) {
        for target in
            ["hero", "characters/knight.glb", "characters/mannequiny.glb"].into_iter().filter_map(Figure::open)
        {
            for clip in clips.iter().filter_map(|clip| source.model.clip(clip)) {
                let built = put_on(&source, clip, &target, &Settings::default());
                let [before, after] = [gap(&source, clip), gap(&target, &built.clip)];
                let name = format!("{} {} on {}", source.model.name, clip.name, target.model.name);
                assert!(after.place <= before.place + 0.002, "{name}: {before:?} becomes {after:?}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 1);
}

/// Clips that still open by up to 1 % of the body.
const OPENED: [&str; 2] = ["Hit_B", "Unarmed_Melee_Attack_Punch_B"];

/// Motions that end in their first pose stay closed within 10⁻³ of the body.
#[test]
fn an_action_out_of_a_stance_and_back_into_it_stays_closed_with_locked_feet() {
    let targets = ["characters/mannequiny.glb", "characters/minnyquinn.glb", "characters/human_male_no_clips.glb"];
    let targets: Vec<Figure> = targets.into_iter().filter_map(Figure::open).collect();
    let sources = ["pack/sword and shield attack (3).fbx", "pack/left strafe.fbx", "characters/knight.glb"];
    for source in sources.into_iter().filter_map(Figure::open) {
        for clip in &source.model.clips {
            let before = gap(&source, clip).place;
            for target in targets.iter().filter(|_| before < 1e-3 && clip.duration > 0.1) {
                let after = gap(target, &put_on(&source, clip, target, &Settings::default()).clip).place;
                let name = format!("{} on {}", clip.name, target.model.name);
                let most = if OPENED.contains(&&clip.name[..]) { 1e-2 } else { 1e-3 };
                assert!(after <= before + most, "{name}: {before} becomes {after}");
            }
        }
    }
}

/// Returns the loop gap of `clip`.
fn gap(figure: &Figure, clip: &Clip) -> LoopGap {
    let Body { skeleton, roles, metres_per_unit, .. } = figure.body();
    let input = quality::Input { skeleton, clip, roles, soles: &[], metres_per_unit };
    quality::quality(&input, &Progress::new()).unwrap().unwrap().residue
}
