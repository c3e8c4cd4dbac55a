//! Joints that are likely to be dynamic chains: hair, tails, strips of cloth.
//!
//! Two kinds of evidence count. A name says hair, tail or cloth in one of the words of [`WORDS`]. Or the shape says so: a chain of
//! at least two joints that hangs off the body, moves the mesh, ends freely, and no clip animates.

use portamento_anim::math::mean::angle_between;
use portamento_anim::rig::chains::{Limb, chains};
use portamento_anim::{Clip, Interpolation, Model, Roles, Skeleton};

/// Words of names that say that a joint swings.
const WORDS: [&str; 44] = [
    "hair", "bang", "fringe", "braid", "pony", "ponytail", "strand", "lock", "tail", "mane", "beard", "whisker", "ear",
    "antenna", "feather", "cape", "cloak", "coat", "cloth", "skirt", "dress", "robe", "sleeve", "scarf", "ribbon",
    "tassel", "flap", "hood", "rope", "chain", "pendant", "tentacle", "dangle", "jiggle", "spring", "bust", "breast",
    "髪", "髮", "发", "尾", "耳", "裙", "胸",
];

/// Words of names that never swing: the face, fingers, what the hands carry, and controls.
const NEVER: [&str; 30] = [
    "eye", "jaw", "lip", "mouth", "brow", "tongue", "teeth", "cheek", "nose", "finger", "thumb", "index", "middle",
    "ring", "pinky", "toe", "twist", "roll", "weapon", "sword", "shield", "gun", "bow", "prop", "socket", "ik", "pole",
    "ctrl", "control", "target",
];

/// Largest rotation in any clip of a joint that counts as not animated, radians.
const STILL_MAX_RADIANS: f64 = 0.02;

/// Returns the roots of likely chains of `model` in joint order. No chain contains a joint of the body or another chain.
pub(super) fn likely_chains(model: &Model, roles: &Roles) -> Vec<usize> {
    let skeleton = &model.skeleton;
    let words: Vec<Vec<String>> = skeleton.joints.iter().map(|joint| words(&joint.name)).collect();
    let has = |joint: usize, list: &[&str]| words[joint].iter().any(|word| list.iter().any(|each| is_word(word, each)));
    let body = body_joints(model, roles);
    let hangs_off = |joint: usize| skeleton.joints[joint].parent.is_some_and(|parent| body[parent]);
    let meshed = model.mesh_joints();
    let is_still = still_joints(model);
    let mut roots = Vec::new();
    for joint in (0..skeleton.len()).filter(|&joint| !body[joint]) {
        let subtree = skeleton.subtree(joint);
        let is_new = !skeleton.ancestors(joint).any(|above| roots.contains(&above));
        if !is_new || has(joint, &NEVER) {
            continue;
        }
        let is_named = has(joint, &WORDS) && subtree.iter().any(|&each| meshed[each] || model.instances.is_empty());
        let is_shaped = hangs_off(joint)
            && !skeleton.ancestors(joint).any(|above| roles.hands.contains(&above))
            && subtree.iter().filter(|&&each| meshed[each]).count() >= 2
            && subtree.iter().all(|&each| is_still[each] && !has(each, &NEVER));
        if is_named || is_shaped {
            roots.extend(strands(skeleton, joint));
        }
    }
    roots.sort_unstable();
    roots
}

/// Returns the strands of the tree below `joint`: the joint itself, or each chain that begins there if it carries several.
fn strands(skeleton: &Skeleton, joint: usize) -> Vec<usize> {
    let branches: Vec<usize> =
        skeleton.children(joint).filter(|&child| skeleton.children(child).next().is_some()).collect();
    if branches.len() < 2 {
        return vec![joint];
    }
    branches.into_iter().flat_map(|branch| strands(skeleton, branch)).collect()
}

/// True for each joint that belongs to the body: limbs other than the tail, and all joints above them.
fn body_joints(model: &Model, roles: &Roles) -> Vec<bool> {
    let skeleton = &model.skeleton;
    let mut body = vec![false; skeleton.len()];
    let limbs = chains(model, roles).into_iter().filter(|chain| chain.limb != Limb::Tail);
    let joints: Vec<usize> =
        limbs.flat_map(|chain| chain.bones.into_iter().map(|bone| bone.joint).chain(chain.tip)).collect();
    for joint in joints {
        skeleton.ancestors(joint).for_each(|above| body[above] = true);
    }
    body
}

/// True for each joint whose rotation stays constant during each clip of `model`; the constants of two clips may differ.
fn still_joints(model: &Model) -> Vec<bool> {
    let is_still = |clip: &Clip, joint: usize| {
        let rotation = clip.tracks.get(joint).and_then(|tracks| tracks.rotation.as_ref());
        rotation.is_none_or(|curve| {
            // A spline has a tangent before and after each value.
            let [first, step] = if curve.interpolation == Interpolation::CubicSpline { [1, 3] } else { [0, 1] };
            let mut values = curve.values.iter().skip(first).step_by(step);
            let start = values.next().copied().unwrap_or_default();
            values.all(|&value| angle_between(start, value) <= STILL_MAX_RADIANS)
        })
    };
    (0..model.skeleton.len()).map(|joint| model.clips.iter().all(|clip| is_still(clip, joint))).collect()
}

/// True if `word` is, begins or ends with `known`. Words of up to four letters must be equal or plural: `ear` is not in `rear`.
fn is_word(word: &str, known: &str) -> bool {
    let is_short = known.is_ascii() && known.len() <= 4;
    if is_short { word.trim_end_matches('s') == known } else { word.starts_with(known) || word.ends_with(known) }
}

/// Returns the words of a joint name in lower case: `J_Sec_HairBack1_01` has `j`, `sec`, `hair`, `back`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase();
        match (letter.is_alphabetic(), words.last_mut()) {
            (true, Some(word)) => word.extend(letter.to_lowercase()),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_words() {
        assert_eq!(words("J_Sec_HairBack1_01"), ["j", "sec", "hair", "back"]);
        let is = |name: &str| words(name).iter().any(|word| WORDS.iter().any(|each| is_word(word, each)));
        for yes in ["hair.1", "Ponytail_02", "EarL", "ears_01", "tail", "cape_03", "左髪", "SkirtFront"] {
            assert!(is(yes), "{yes}");
        }
        for no in ["rear_leg", "forearm_l", "Beacon", "Detail_x", "Bip01 L Thigh", "capsule", "spine_01"] {
            assert!(!is(no), "{no}");
        }
    }
}
