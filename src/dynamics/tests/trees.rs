//! Trees of bones are simulated separately and cached until something changes that concerns them.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec3, Quat};

use super::super::*;
use super::groups::two_chains;
use super::{loose, swaying};
use portamento_anim::Pose;
use portamento_base::progress::Progress;

/// Returns both chains of [`two_chains`] in the wind, the second next to a ball.
fn both() -> Settings {
    let chain = |joint: usize| Chain { joint, ..loose(0.1).chains[0].clone() };
    let shape = ColliderShape::Sphere { center: DVec3::new(0.2, -0.2, 0.05), radius: 0.08 };
    Settings {
        chains: vec![chain(1), chain(5)],
        colliders: vec![Collider { name: "ball".into(), joint: Some(0), shape }],
        wind: Wind { strength: 2.0, period: 0.5, ..Wind::default() },
        ..loose(0.1)
    }
}

/// Returns the rotations of `joint`, step by step.
fn turns(built: &Built, joint: usize) -> Vec<Quat> {
    let at = built.joints.iter().position(|&known| known == joint).unwrap();
    built.rows().map(|row| row[at]).collect()
}

#[test]
fn a_change_to_one_chain_simulates_only_that_chain_and_equals_a_new_recording() {
    let skeleton = two_chains();
    let asked = AtomicUsize::new(0);
    let driver = |time: f64, pose: &mut Pose| {
        asked.fetch_add(1, Ordering::Relaxed);
        swaying(time, pose);
    };
    for (looping, frames) in [(false, vec![0.0, 0.3011]), (true, vec![0.0, 0.5, 0.7003])] {
        let input = Input { skeleton: &skeleton, driver: &driver, duration: 1.0, looping, metres_per_unit: 1.0 };
        let recordings = Recordings::default();
        let build = |cache: &Recordings, settings: &Settings| cache.build(&input, settings, &frames, &Progress::new());
        let mut settings = both();
        let first = build(&recordings, &settings).unwrap();
        assert_eq!(recordings.cached_trees(), 2);
        settings.chains[1].drag = Profile::constant(0.35);
        let before = asked.swap(0, Ordering::Relaxed);
        let changed = build(&recordings, &settings).unwrap();
        assert!(before > 0 && asked.load(Ordering::Relaxed) == 0, "the motion was sampled again");
        assert_eq!(recordings.cached_trees(), 3, "one tree is new");
        assert_eq!(turns(&changed, 2), turns(&first, 2));
        assert_ne!(turns(&changed, 6), turns(&first, 6));
        assert_eq!(changed, build(&Recordings::default(), &settings).unwrap());
        // Changing back costs nothing.
        let back = build(&recordings, &both()).unwrap();
        assert!(back == first && recordings.cached_trees() == 3);
        // A setting of all chains affects each tree.
        settings.gravity *= 0.5;
        build(&recordings, &settings).unwrap();
        assert_eq!(recordings.cached_trees(), 5);
    }
}

#[test]
fn a_tree_moves_independently_of_other_trees() {
    let skeleton = two_chains();
    let calm = Settings { wind: Wind::default(), ..both() };
    let alone = Settings { chains: vec![calm.chains[1].clone()], ..calm.clone() };
    for looping in [false, true] {
        let input = Input { skeleton: &skeleton, driver: &swaying, duration: 1.0, looping, metres_per_unit: 1.0 };
        let [together, alone] = [&calm, &alone].map(|settings| build(&input, settings, &Progress::new()).unwrap());
        assert_eq!(turns(&together, 6), turns(&alone, 6));
        assert!(together.report.cycles >= alone.report.cycles && together.report.contacts.iter().any(|&n| n > 0));
        assert_eq!(together.report.residue.is_some(), looping);
    }
}
