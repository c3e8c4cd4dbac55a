//! Blend shapes by name: transfers their curves to another character or to the other side.

use crate::rig::sided_pairs;
use crate::{Curve, Interpolation, Model};

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

/// Returns `curve`, which has `width` weights per key, with other weights in each row: weight i is the old weight with the index
/// `from[i]`, or 0 for `None`.
pub fn reordered(curve: &Curve<f32>, width: usize, from: &[Option<usize>]) -> Curve<f32> {
    let rows = curve.values.chunks_exact(width.max(1));
    let pick = |row: &[f32]| -> Vec<f32> {
        from.iter().map(|from| from.and_then(|from| row.get(from)).copied().unwrap_or(0.0)).collect()
    };
    Curve { values: rows.flat_map(pick).collect(), ..curve.clone() }
}

/// Returns the curves of `clip`, which animates `source`, for the blend shapes that `target` has by the same names, each with its
/// joint of `target`. Shapes of such a joint that the clip does not animate get weight 0.
pub fn transferred_curves(source: &Model, clip: &crate::Clip, target: &Model) -> Vec<(usize, Curve<f32>)> {
    let animated: Vec<(&[String], &Curve<f32>)> = clip
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
        let Some((source_names, curve)) = animated.iter().max_by_key(|(source_names, _)| shared(names, source_names))
        else {
            continue;
        };
        if shared(names, source_names) > 0 {
            let from: Vec<Option<usize>> =
                names.iter().map(|name| source_names.iter().position(|source_name| source_name == name)).collect();
            carried.push((joint, reordered(curve, source_names.len(), &from)));
        }
    }
    carried
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn shapes_have_twins_if_their_names_contain_sides() {
        let list = names(&["eyeBlinkLeft", "jawOpen", "eyeBlinkRight", "smile_R", "frown", "smile_L"]);
        assert_eq!(twins(&list), [2, 1, 0, 5, 4, 3]);
    }
}
