//! Blend shapes by name: transfers their curves to another character or to the other side.

use super::rig::sided_pairs;
use super::{Curve, Interpolation, Model};

/// Returns the names of `joint`'s blend shapes, in the order of its weights; empty if the file has none.
pub fn of_joint(model: &Model, joint: usize) -> &[String] {
    let count = model.skeleton.joints.get(joint).map_or(0, |joint| joint.morph_count);
    let names = model.instances.iter().filter(|instance| instance.joint == joint);
    let mut names = names.map(|instance| &model.meshes[instance.mesh].morph_names[..]);
    names.find(|names| count > 0 && names.len() == count).unwrap_or_default()
}

/// Returns for each shape the one of the same name on the other side, or itself.
pub fn twins(names: &[String]) -> Vec<usize> {
    let mut twins: Vec<usize> = (0..names.len()).collect();
    for (left, right) in sided_pairs(names) {
        (twins[left], twins[right]) = (right, left);
    }
    twins
}

/// Returns `curve`, which has `width` weights per key, with the weights in the order of `from`; `None` gives weight
/// 0.
pub fn reordered(curve: &Curve<f32>, width: usize, from: &[Option<usize>]) -> Curve<f32> {
    let rows = curve.values.chunks_exact(width.max(1));
    let pick = |row: &[f32]| -> Vec<f32> {
        from.iter().map(|from| from.and_then(|from| row.get(from)).copied().unwrap_or(0.0)).collect()
    };
    Curve { values: rows.flat_map(pick).collect(), ..curve.clone() }
}

/// The curves of `clip`, made for `source`, that move blend shapes which `target` has under the same names: joint and curve.
pub fn carried(source: &Model, clip: &super::Clip, target: &Model) -> Vec<(usize, Curve<f32>)> {
    let moved: Vec<(&[String], &Curve<f32>)> = clip
        .tracks
        .iter()
        .enumerate()
        .filter_map(|(joint, tracks)| Some((of_joint(source, joint), tracks.morphs.as_ref()?)))
        .filter(|(names, curve)| {
            let rows = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
            !names.is_empty() && curve.values.len() == curve.times.len() * rows * names.len()
        })
        .collect();
    let shared = |names: &[String], known: &[String]| names.iter().filter(|name| known.contains(name)).count();
    let mut carried = Vec::new();
    for joint in 0..target.skeleton.len() {
        let names = of_joint(target, joint);
        let Some((known, curve)) = moved.iter().max_by_key(|(known, _)| shared(names, known)) else { continue };
        if shared(names, known) > 0 {
            let from: Vec<Option<usize>> =
                names.iter().map(|name| known.iter().position(|known| known == name)).collect();
            carried.push((joint, reordered(curve, known.len(), &from)));
        }
    }
    carried
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::tests::small_model;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn shapes_have_twins_where_names_tell_sides() {
        let list = names(&["eyeBlinkLeft", "jawOpen", "eyeBlinkRight", "smile_R", "frown", "smile_L"]);
        assert_eq!(twins(&list), [2, 1, 0, 5, 4, 3]);
    }

    #[test]
    fn curves_of_shapes_go_to_shapes_of_the_same_name() {
        let source = small_model();
        let joint = (0..source.skeleton.len()).find(|&joint| !of_joint(&source, joint).is_empty()).unwrap();
        assert_eq!(of_joint(&source, joint), names(&["smile", "frown"]));
        let mut clip = source.clips[0].clone();
        clip.tracks[joint].morphs =
            Some(Curve { times: vec![0.0, 1.0], values: vec![0.1, 0.2, 0.3, 0.4], ..Curve::default() });
        let mut target = source.clone();
        target.meshes.iter_mut().for_each(|mesh| mesh.morph_names = names(&["frown", "wink"]));
        let made = carried(&source, &clip, &target);
        assert_eq!(made.len(), 1);
        assert_eq!((made[0].0, &made[0].1.values[..]), (joint, &[0.2, 0.0, 0.4, 0.0][..]));
        target.meshes.iter_mut().for_each(|mesh| mesh.morph_names = names(&["a", "b"]));
        assert!(carried(&source, &clip, &target).is_empty());
    }
}
