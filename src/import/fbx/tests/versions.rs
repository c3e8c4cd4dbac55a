//! Drawn figures in every version, as text and as bytes: joints, vertices and curves against `ufbx`, and each form against the others.

use std::path::Path;

use super::figure::{ALL, Figure, Traits};
use super::tree::{Form, file};
use super::{OFF, distances_from, seven, six};
use crate::anim::Model;

const PACKED: Form = Form::Binary { packed: true };
const PLAIN: Form = Form::Binary { packed: false };

fn read(bytes: &[u8]) -> Model {
    super::from_bytes(Path::new("drawn.fbx"), bytes).unwrap().model
}

/// The worst distances of joints and vertices by the size of the figure from where `ufbx` puts them in a file that says the `same`.
fn off(bytes: &[u8], same: &[u8]) -> [f32; 2] {
    let size = read(bytes).rest_bounds().size().max_element();
    distances_from(Path::new("drawn.fbx"), bytes, same).map(|off| off / size)
}

/// How many joints `ufbx` would take the curves of others for.
fn mixed_up(bytes: &[u8]) -> usize {
    let scene = super::as_it_stands(bytes);
    scene.anim_stacks.iter().map(|stack| super::played::prepare(&scene, stack).unwrap().layered.len()).sum()
}

/// Figures that have `traits`, in version 7.4 and where they can in 6.1, are where `ufbx` puts them.
fn is_as_ufbx_says(name: &str, traits: Traits) {
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
            let found = off(&bytes, &same);
            println!("{name} {seed}: joints {:.1e}, vertices {:.1e}", found[0], found[1]);
            worst = [worst[0].max(found[0]), worst[1].max(found[1])];
        }
    }
    assert!(worst.iter().all(|off| *off <= OFF), "{name}: {worst:?}");
    assert_eq!(mixed > 0, traits.layers, "{name}: {mixed} files with joints that `ufbx` mixes up");
}

#[test]
fn pivots_offsets_and_bent_curves_are_where_ufbx_puts_them() {
    is_as_ufbx_says("plain", Traits::default());
    is_as_ufbx_says("bent", Traits { bends: true, ..Traits::default() });
    is_as_ufbx_says("pivots", Traits { pivots: true, scales: true, bends: true, ..Traits::default() });
}

#[test]
fn every_order_of_turns_with_turns_before_and_after_is_where_ufbx_puts_it() {
    is_as_ufbx_says("orders", Traits { orders: true, bends: true, ..Traits::default() });
}

#[test]
fn scale_that_children_do_not_take_is_where_ufbx_puts_it() {
    let even = Traits { inherits: true, scales: true, skin: true, ..Traits::default() };
    is_as_ufbx_says("inherits", even);
    is_as_ufbx_says("inherits, bent", Traits { bends: true, ..even });
    is_as_ufbx_says("inherits, uneven", Traits { uneven: true, bends: true, ..even });
    is_as_ufbx_says("inherits, pivots", Traits { uneven: true, bends: true, pivots: true, axes: true, ..even });
}

#[test]
fn geometry_off_its_node_is_where_ufbx_puts_it() {
    is_as_ufbx_says("geometric", Traits { geometric: true, ..Traits::default() });
    is_as_ufbx_says("geometric, skinned", Traits { geometric: true, skin: true, axes: true, ..Traits::default() });
}

#[test]
fn layers_of_every_kind_are_where_ufbx_puts_them() {
    is_as_ufbx_says("layers", Traits { layers: true, scales: true, bends: true, ..Traits::default() });
}

#[test]
fn every_choice_of_axes_and_unit_is_where_ufbx_puts_it() {
    is_as_ufbx_says("axes", Traits { axes: true, skin: true, ..Traits::default() });
}

#[test]
fn all_at_once_is_where_ufbx_puts_it() {
    is_as_ufbx_says("all", ALL);
    is_as_ufbx_says("all but layers", Traits { layers: false, ..ALL });
}

#[test]
fn version_6_and_version_7_say_the_same() {
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
        // What other readers leave out is left out.
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

/// 3ds Max writes every skin as a blend of both kinds; how much of it is of dual quaternions is said for each vertex.
#[test]
fn a_skin_whose_vertices_take_nothing_of_dual_quaternions_is_linear() {
    let figure = Figure::drawn(1, Traits { skin: true, ..Traits::default() });
    let plain = String::from_utf8(file(&seven::records(&figure, 7500), 7500, Form::Text)).unwrap();
    let told = |share: &str| {
        let blend = format!(
            "\"Skin\" {{\nSkinningType: \"Blend\"\nIndexes: *2 {{\na: 0,1\n}}\nBlendWeights: *2 {{\na: 0,{share}\n}}\n}}"
        );
        let blended = plain.replacen("\"Skin\"", &blend, 1);
        assert_ne!(blended, plain);
        let imported = super::from_bytes(Path::new("drawn.fbx"), blended.as_bytes()).unwrap();
        assert_eq!(imported.model.meshes, read(plain.as_bytes()).meshes);
        imported.warnings.iter().any(|told| told.to_string().contains("dual quaternions"))
    };
    assert!(!told("0"));
    assert!(told("0.5"));
}
