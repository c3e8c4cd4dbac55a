use portamento_anim::Curve;
use portamento_anim::shape_names::{of_joint, transferred_curves};

use super::small_model;

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn curves_of_shapes_go_to_shapes_of_the_same_name() {
    let source = small_model();
    let joint = (0..source.skeleton.len()).find(|&joint| !of_joint(&source, joint).is_empty()).unwrap();
    assert_eq!(of_joint(&source, joint), names(&["smile", "frown"]));
    let mut clip = source.clips[0].clone();
    clip.tracks[joint].morphs =
        Some(Curve { times: vec![0.0, 1.0].into(), values: vec![0.1, 0.2, 0.3, 0.4].into(), ..Curve::default() });
    let mut target = source.clone();
    target.meshes.iter_mut().for_each(|mesh| mesh.morph_names = names(&["frown", "wink"]));
    let curves = transferred_curves(&source, &clip, &target);
    assert_eq!(curves.len(), 1);
    assert_eq!((curves[0].0, &curves[0].1.values[..]), (joint, &[0.2, 0.0, 0.4, 0.0][..]));
    target.meshes.iter_mut().for_each(|mesh| mesh.morph_names = names(&["a", "b"]));
    assert!(transferred_curves(&source, &clip, &target).is_empty());
}
