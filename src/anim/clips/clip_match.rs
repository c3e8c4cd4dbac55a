//! Transfers a clip to another skeleton by joint names.

use std::collections::BTreeMap;

use crate::{Clip, JointTracks, Skeleton};

/// A clip transferred to another skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedClip {
    /// The clip with its curves on the other skeleton's joints.
    pub clip: Clip,
    /// Names of animated joints that the other skeleton lacks.
    pub unmatched: Vec<String>,
}

/// Transfers `clip` from the skeleton `from` to the joints of `to` with the same names, see [`joint_pairs`].
///
/// Morph weights are transferred if both joints have equally many.
pub fn clip_by_names(from: &Skeleton, clip: &Clip, to: &Skeleton) -> MatchedClip {
    let is_animated = |joint: usize| clip.tracks.get(joint).is_some_and(|tracks| !tracks.is_empty());
    let animated = || (0..from.len()).filter(|&joint| is_animated(joint));
    let pairs = joint_pairs(from, to, animated());
    let mut tracks = vec![JointTracks::default(); to.len()];
    for joint in animated() {
        let Some(target) = pairs[joint] else { continue };
        tracks[target] = clip.tracks[joint].clone();
        if from.joints[joint].morph_count != to.joints[target].morph_count {
            tracks[target].morphs = None;
        }
    }
    let unmatched = animated().filter(|&joint| pairs[joint].is_none());
    let unmatched = unmatched.map(|joint| from.joints[joint].name.clone()).collect();
    MatchedClip { clip: Clip { name: clip.name.clone(), duration: clip.duration, tracks }, unmatched }
}

/// Returns for each joint of `from` the joint of `to` with the same name; `None` without one, and for joints that are not
/// `wanted`.
///
/// Names are compared exactly first, then without a prefix such as `mixamorig:` or `Armature|`, then also ignoring case, spaces,
/// dots, dashes and underscores. A joint of `to` belongs to at most one joint, the first match.
pub fn joint_pairs(from: &Skeleton, to: &Skeleton, wanted: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
    let mut pairs = vec![None; from.len()];
    let mut waiting: Vec<usize> = wanted.collect();
    let mut taken = vec![false; to.len()];
    for key in [exact as fn(&str) -> String, without_prefix, loosely] {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for (target, joint) in to.joints.iter().enumerate().filter(|&(target, _)| !taken[target]) {
            by_name.entry(key(&joint.name)).or_insert(target);
        }
        waiting.retain(|&joint| match by_name.remove(&key(&from.joints[joint].name)) {
            Some(target) => {
                taken[target] = true;
                pairs[joint] = Some(target);
                false
            }
            None => true,
        });
    }
    pairs
}

fn exact(name: &str) -> String {
    name.to_owned()
}

/// Returns the part of `name` after its last `:` or `|`.
fn without_prefix(name: &str) -> String {
    name.rsplit([':', '|']).next().unwrap_or(name).to_owned()
}

/// Returns `name` in lower case without its prefix, Mixamo's prefix, spaces, dots, dashes and underscores.
fn loosely(name: &str) -> String {
    let base = without_prefix(name).to_lowercase();
    // Mixamo's prefix also occurs without its colon and with a number: `mixamorig1_Hips`.
    let base = base
        .strip_prefix("mixamorig")
        .map_or(base.as_str(), |rest| rest.trim_start_matches(|letter: char| letter.is_ascii_digit()));
    base.chars().filter(|letter| !matches!(letter, ' ' | '.' | '-' | '_')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;
    use crate::small_inputs::skeleton_of;
    use glam::Vec3;

    #[test]
    fn names_are_matched_exactly_first_and_then_without_prefix() {
        let from =
            skeleton_of(&[("mixamorig:Hips", None), ("Head", Some(0)), ("Left_Arm.L", Some(0)), ("Tail", Some(0))]);
        let to = skeleton_of(&[
            ("root", None),
            ("head", Some(0)),
            ("Head", Some(0)),
            ("hips", Some(0)),
            ("leftarm-l", Some(0)),
        ]);
        let curve = |x: f32| Some(Curve::linear(vec![0.0], vec![Vec3::X * x]));
        let tracks = (0..4).map(|i| JointTracks { translation: curve(i as f32), ..Default::default() }).collect();
        let clip = Clip { name: "walk".into(), duration: 0.0, tracks };
        let MatchedClip { clip: matched, unmatched } = clip_by_names(&from, &clip, &to);
        let x = |joint: usize| matched.tracks[joint].translation.as_ref().map(|curve| curve.values[0].x);
        assert_eq!([x(0), x(1), x(2), x(3), x(4)], [None, None, Some(1.0), Some(0.0), Some(2.0)]);
        assert_eq!(unmatched, ["Tail"]);
    }
}
