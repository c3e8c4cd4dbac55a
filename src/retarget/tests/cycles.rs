//! Tests of cycles: a motion that loops still loops with locked feet.

use super::*;
use portamento_anim::quality;

#[test]
fn a_cycle_with_locked_feet_stays_a_cycle() {
    let gap = |figure: &Figure, clip: &Clip| {
        let Body { skeleton, roles, metres_per_unit, .. } = figure.body();
        let input = quality::Input { skeleton, clip, roles, soles: &[], metres_per_unit };
        quality::quality(&input, &Progress::new()).unwrap().unwrap().residue
    };
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
