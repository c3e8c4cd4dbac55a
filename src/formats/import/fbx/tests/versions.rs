//! Compares random figures in every version, as text and binary, with `ufbx` and with each other: joints, vertices and curves.

use std::path::Path;

use super::figure::{ALL, Figure, Traits};
use super::tree::{Form, file};
use super::{MAX_RELATIVE_ERROR, distances_from, seven, six};
use portamento_anim::Model;

const PACKED: Form = Form::Binary { packed: true };
const PLAIN: Form = Form::Binary { packed: false };

fn read(bytes: &[u8]) -> Model {
    super::from_bytes(Path::new("drawn.fbx"), bytes).unwrap().model
}

/// Returns the largest distances of joints and vertices, relative to the figure, from `ufbx`'s evaluation of the equivalent `same`.
fn largest_errors(bytes: &[u8], same: &[u8]) -> [f32; 2] {
    let model = read(bytes);
    // The mesh may be smaller than the skeleton.
    let joints = Model { instances: Vec::new(), ..model.clone() };
    let [mesh, joints] = [&model, &joints].map(|model| model.rest_bounds().size().length());
    let size = mesh.max(joints);
    distances_from(Path::new("drawn.fbx"), bytes, same).map(|largest_errors| largest_errors / size)
}

/// Returns the number of joints for which `ufbx` would take the curves of others.
fn mixed_up(bytes: &[u8]) -> usize {
    let scene = super::load_unconverted(bytes);
    scene.anim_stacks.iter().map(|stack| super::prepared_stack::prepare(&scene, stack).unwrap().layered.len()).sum()
}

/// Checks that figures with `traits` match `ufbx` in version 7.4, and in 6.1 if it supports them.
fn check_against_ufbx(name: &str, traits: Traits) {
    let mut worst = [0.0_f32; 2];
    let mut mixed = 0;
    for seed in 0..12 {
        let figure = Figure::drawn(seed, traits);
        let seven = file(&seven::records(&figure, 7400), 7400, PACKED);
        mixed += usize::from(mixed_up(&seven) > 0);
        let mut files = vec![(seven, file(&seven::records_apart(&figure, 7400), 7400, PACKED))];
        if !traits.layers {
            let six = file(&six::records(&figure), 6100, Form::Text);
            files.push((six.clone(), six));
        }
        for (bytes, same) in files {
            let found = largest_errors(&bytes, &same);
            println!("{name} {seed}: joints {:.1e}, vertices {:.1e}", found[0], found[1]);
            worst = [worst[0].max(found[0]), worst[1].max(found[1])];
        }
    }
    assert!(worst.iter().all(|largest_errors| *largest_errors <= MAX_RELATIVE_ERROR), "{name}: {worst:?}");
    assert_eq!(mixed > 0, traits.layers, "{name}: {mixed} files with joints that `ufbx` mixes up");
}

#[test]
fn pivots_offsets_and_cubic_curves_match_ufbx() {
    check_against_ufbx("plain", Traits::default());
    check_against_ufbx("bent", Traits { bends: true, ..Traits::default() });
    check_against_ufbx("pivots", Traits { pivots: true, scales: true, bends: true, ..Traits::default() });
}

#[test]
fn every_rotation_order_with_pre_and_post_rotation_matches_ufbx() {
    check_against_ufbx("orders", Traits { orders: true, bends: true, ..Traits::default() });
}

#[test]
fn scale_that_is_not_inherited_matches_ufbx() {
    let even = Traits { inherits: true, scales: true, skin: true, ..Traits::default() };
    check_against_ufbx("inherits", even);
    check_against_ufbx("inherits, bent", Traits { bends: true, ..even });
    check_against_ufbx("inherits, uneven", Traits { uneven: true, bends: true, ..even });
    check_against_ufbx("inherits, pivots", Traits { uneven: true, bends: true, pivots: true, axes: true, ..even });
}

#[test]
fn geometry_offsets_match_ufbx() {
    check_against_ufbx("geometric", Traits { geometric: true, ..Traits::default() });
    check_against_ufbx("geometric, skinned", Traits { geometric: true, skin: true, axes: true, ..Traits::default() });
}

#[test]
fn layers_of_every_kind_match_ufbx() {
    check_against_ufbx("layers", Traits { layers: true, scales: true, bends: true, ..Traits::default() });
}

#[test]
fn all_axes_and_units_match_ufbx() {
    check_against_ufbx("axes", Traits { axes: true, skin: true, ..Traits::default() });
}

#[test]
fn all_features_together_match_ufbx() {
    check_against_ufbx("all", ALL);
    check_against_ufbx("all but layers", Traits { layers: false, ..ALL });
}

#[test]
fn version_6_and_version_7_read_alike() {
    for seed in 200..208 {
        let figure = Figure::drawn(seed, Traits { layers: false, ..ALL });
        let old = read(&file(&six::records(&figure), 6100, PLAIN));
        let new = read(&file(&seven::records(&figure, 7700), 7700, PACKED));
        assert_eq!(old.clips.len(), new.clips.len());
        for (old, new) in old.clips.iter().zip(&new.clips) {
            assert_eq!((&old.name, old.duration), (&new.name, new.duration));
        }
        let names = |model: &Model| model.skeleton.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&old), names(&new), "{seed}");
        let weights = |model: &Model| -> Vec<bool> {
            model.clips.iter().flat_map(|clip| &clip.tracks).map(|tracks| tracks.morphs.is_some()).collect()
        };
        assert_eq!(weights(&old), weights(&new), "{seed}");
        assert!(weights(&old).contains(&true), "{seed}");
    }
}

#[test]
#[ignore = "writes files for other programs to read: set PORTAMENTO_DUMP to a folder"]
fn drawn_figures_for_other_readers() {
    let folder = std::path::PathBuf::from(std::env::var_os("PORTAMENTO_DUMP").expect("PORTAMENTO_DUMP names a folder"));
    for seed in 0..40 {
        // Features that other readers ignore are left out.
        let figure =
            Figure::drawn(seed, Traits { inherits: false, geometric: false, layers: false, axes: false, ..ALL });
        for (version, form, name) in [
            (6100, Form::Text, "text"),
            (6100, PLAIN, "binary"),
            (7400, PACKED, "binary"),
            (7700, Form::Text, "text"),
            (7700, PACKED, "binary"),
        ] {
            let records = if version < 7000 { six::records(&figure) } else { seven::records(&figure, version) };
            std::fs::write(folder.join(format!("drawn{seed}_{version}_{name}.fbx")), file(&records, version, form))
                .unwrap();
        }
    }
}

/// 3ds Max marks every skin as a blend of both methods and stores the dual-quaternion weight per vertex.
#[test]
fn a_skin_without_dual_quaternion_weights_is_linear() {
    let figure = Figure::drawn(1, Traits { skin: true, ..Traits::default() });
    let plain = String::from_utf8(file(&seven::records(&figure, 7500), 7500, Form::Text)).unwrap();
    let warns = |share: &str| {
        let blend = format!(
            "\"Skin\" {{\nSkinningType: \"Blend\"\nIndexes: *2 {{\na: 0,1\n}}\nBlendWeights: *2 {{\na: 0,{share}\n}}\n}}"
        );
        let blended = plain.replacen("\"Skin\"", &blend, 1);
        assert_ne!(blended, plain);
        let imported = super::from_bytes(Path::new("drawn.fbx"), blended.as_bytes()).unwrap();
        assert_eq!(imported.model.meshes, read(plain.as_bytes()).meshes);
        imported.warnings.iter().any(|warns| warns.to_string().contains("dual quaternions"))
    };
    assert!(!warns("0"));
    assert!(warns("0.5"));
}
