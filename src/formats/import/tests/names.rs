//! Tests of the names of clips.

use std::path::Path;

use glam::Vec3;

use crate::import::{Imported, named_by_file};
use portamento_anim::{Clip, Curve, JointTracks};

/// Returns a file with clips of these names, and the names under which they are listed. A clip moves if its flag is set.
fn named(clips: &[(&str, bool)]) -> (Imported, Vec<String>) {
    let mut imported = Imported::default();
    imported.model.clips = clips
        .iter()
        .map(|&(name, moves)| {
            let values = vec![Vec3::ZERO, if moves { Vec3::X } else { Vec3::ZERO }];
            let tracks = JointTracks { translation: Some(Curve::linear(vec![0.0, 1.0], values)), ..Default::default() };
            Clip { name: name.into(), duration: 1.0, tracks: vec![tracks] }
        })
        .collect();
    let imported = named_by_file(imported, Path::new("pack/Walk Forward.fbx"));
    let names = imported.model.clips.iter().map(|clip| clip.name.clone()).collect();
    (imported, names)
}

#[test]
fn the_only_clip_that_moves_gets_the_name_of_its_file_if_its_own_says_nothing() {
    assert_eq!(named(&[("mixamo.com", false)]).1, ["Walk Forward"]);
    let (imported, names) = named(&[("Take 001", false), ("Armature|mixamo.com|Layer0", true)]);
    assert_eq!(names, ["Take 001", "Walk Forward"]);
    // Older projects refer to the clip by the name in the file.
    assert_eq!(imported.model.clip("Armature|mixamo.com|Layer0").unwrap().name, "Walk Forward");
    assert_eq!(imported.model.clip("Take 001").unwrap().name, "Take 001");
    for kept in [
        [("walk", true), ("Take 001", false)],
        [("Take 001", true), ("Take 002", true)],
        [("Take 001", false), ("Take 002", false)],
    ] {
        assert_eq!(named(&kept).1, kept.map(|(name, _)| name));
    }
    assert!(imported.model.clip("run").is_none());
}
