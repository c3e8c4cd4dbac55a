//! Role detection by joint names, in the conventions that studios and stores use.
//!
//! Names are split into words (`mixamorig:LeftUpLeg`, `upperleg.l`, `Bip01 L Thigh`, `DEF-shin.R`,
//! `J_Bip_L_UpperLeg`, `左ひざ`), so that Mixamo, Unreal, Unity, Rigify, Auto-Rig Pro, CMU, 3ds Max Biped, Daz, KayKit,
//! Mesh2Motion, VRoid, MMD, HumanIK, Character Creator, SMPL, SOMA, Roblox and others are read alike. Words with which
//! most names of a file begin (`CC_Base_`, `Character1_`, `f_avg_`) are left out. A word alone is no proof: a leg counts
//! only if a thigh has a shin below it and the shin a foot, on one side.

use std::collections::{BTreeMap, BTreeSet};

use super::Reading;
use crate::{Leg, Skeleton};

/// Detects the roles of the joints of `skeleton` by their names. Ignores joints for which `is_body` is false (controls and mesh
/// nodes).
pub(super) fn read(skeleton: &Skeleton, is_body: &[bool]) -> Reading {
    let tokens: Vec<Vec<String>> = skeleton.joints.iter().map(|joint| name_tokens(&joint.name)).collect();
    let (prefix, controls) = (common_prefix(&tokens), controls(&tokens));
    let name = |((tokens, &is_control), &is_body): ((Vec<String>, &bool), &bool)| {
        let name = Name::from_tokens(without_prefix(tokens, &prefix));
        Name { extra: name.extra || is_control || !is_body, ..name }
    };
    let names: Vec<Name> = tokens.into_iter().zip(&controls).zip(is_body).map(name).collect();
    let legs = find_legs(skeleton, &names);
    let hips = find_hips(skeleton, &names, &legs);
    let head = ["head", "頭"].into_iter().find_map(|word| find_head(skeleton, &names, hips, word));
    let head = head.or_else(|| end_of_long_spine(skeleton, &names));
    let is_hand = |j: &usize| {
        let name = &names[*j];
        name.side.is_some() && !name.extra && matches!(name.body.as_str(), "hand" | "wrist" | "手首")
    };
    Reading {
        hips,
        spine_split: hips.and_then(|hips| find_spine(skeleton, &names, hips, &legs, head)),
        head,
        hands: of_one_body(skeleton, hips, topmost(skeleton, (0..skeleton.len()).filter(is_hand).collect())),
        tail: find_tail(skeleton, &names),
        pairs: find_pairs(&names),
        legs,
    }
}

/// Minimum number of joints with a common prefix, and their minimum share of all joints, 1 / this number.
const PREFIXED_MIN_JOINTS: usize = 8;
const PREFIXED_MIN_SHARE: usize = 2;
/// Words that are no prefix, however many names begin with them: in a rig of legs alone, `leg_upper` is not an `upper`.
const BODY_WORDS: [&str; 18] = [
    "leg", "legs", "arm", "hand", "foot", "thigh", "shin", "spine", "head", "hip", "hips", "tail", "toe", "upper",
    "lower", "back", "front", "finger",
];

/// Returns the words with which at least half of all names begin, without words of sides.
fn common_prefix(names: &[Vec<String>]) -> Vec<String> {
    let mut prefix: Vec<String> = Vec::new();
    loop {
        let longer = names.iter().filter(|name| name.len() > prefix.len() + 1 && name.starts_with(&prefix));
        let mut counts = BTreeMap::new();
        longer.for_each(|name| *counts.entry(&name[prefix.len()]).or_insert(0_usize) += 1);
        let Some((word, count)) = counts.into_iter().max_by_key(|&(_, count)| count) else { return prefix };
        let is_common = count >= PREFIXED_MIN_JOINTS && PREFIXED_MIN_SHARE * count >= names.len();
        let word = word.as_str();
        let has_meaning = Side::from_word(word).is_some() || EXTRAS.contains(&word) || BODY_WORDS.contains(&word);
        if !is_common || has_meaning {
            return prefix;
        }
        prefix.push(word.to_owned());
    }
}

/// Returns the number of joints of `skeleton` that are controls of a rig made in Blender.
pub(super) fn control_count(skeleton: &Skeleton) -> usize {
    let tokens: Vec<Vec<String>> = skeleton.joints.iter().map(|joint| name_tokens(&joint.name)).collect();
    controls(&tokens).into_iter().filter(|&is_control| is_control).count()
}

/// Returns true for each joint that is a control of a rig made in Blender: in Rigify the joints without `DEF-` if there are
/// joints with `ORG-` or `MCH-`, in Auto-Rig Pro `c_head.x` if there is a `head.x`.
fn controls(names: &[Vec<String>]) -> Vec<bool> {
    let begins = |word: &str| names.iter().filter(|name| name.first().is_some_and(|first| first == word)).count();
    let is_rigify = begins("def") >= PREFIXED_MIN_JOINTS && begins("org") + begins("mch") > 0;
    let known: BTreeSet<&[String]> = names.iter().map(Vec::as_slice).collect();
    let is_control = |name: &Vec<String>| match name.split_first() {
        Some((first, rest)) if first == "c" => known.contains(rest),
        Some((first, _)) => is_rigify && first != "def",
        None => false,
    };
    names.iter().map(is_control).collect()
}

/// Removes `prefix` from the words of a name, unless nothing else would be left.
fn without_prefix(mut name: Vec<String>, prefix: &[String]) -> Vec<String> {
    if name.len() > prefix.len() && name.starts_with(prefix) {
        name.drain(..prefix.len());
    }
    name
}

/// Returns the first joint without a side at or below `hips` whose name ends with `word`; without hips, the first of any that has
/// this name alone. Returns `None` if there is none.
fn find_head(skeleton: &Skeleton, names: &[Name], hips: Option<usize>, word: &str) -> Option<usize> {
    let is_plain = |joint: usize| names[joint].side.is_none() && !names[joint].extra;
    match hips {
        Some(hips) => {
            skeleton.subtree(hips).into_iter().find(|&joint| is_plain(joint) && names[joint].body.ends_with(word))
        }
        None => (0..skeleton.len()).find(|&joint| is_plain(joint) && names[joint].body == word),
    }
}

/// Minimum number of joints of a Rigify spine that ends with the head: `DEF-spine` to `DEF-spine.006` are seven.
const SPINE_WITH_HEAD_MIN_JOINTS: usize = 6;

/// Returns the last joint of a chain named `DEF-spine` throughout that is long enough to contain neck and head; `None` without
/// one.
fn end_of_long_spine(skeleton: &Skeleton, names: &[Name]) -> Option<usize> {
    let is_deforming = |joint: usize| skeleton.joints[joint].name.starts_with("DEF");
    let is_spine = |joint: usize| names[joint].body == "spine" && is_deforming(joint);
    let length = |joint: usize| skeleton.ancestors(joint).take_while(|&above| is_spine(above)).count();
    (0..skeleton.len()).rev().find(|&joint| is_spine(joint) && length(joint) >= SPINE_WITH_HEAD_MIN_JOINTS)
}

/// Returns the `joints` that are not descendants of another of them.
fn topmost(skeleton: &Skeleton, joints: Vec<usize>) -> Vec<usize> {
    let is_below_another = |joint: usize| joints.iter().any(|&up| up != joint && skeleton.is_within(joint, up));
    joints.iter().copied().filter(|&joint| !is_below_another(joint)).collect()
}

/// Returns the `joints` nearest to the `hips` in the hierarchy, or all without hips. A file may contain a second rig of controls.
fn of_one_body(skeleton: &Skeleton, hips: Option<usize>, joints: Vec<usize>) -> Vec<usize> {
    let Some(hips) = hips else { return joints };
    let up: Vec<usize> = skeleton.ancestors(hips).collect();
    let steps = |joint: usize| skeleton.ancestors(joint).find_map(|above| up.iter().position(|&step| step == above));
    let fewest = joints.iter().filter_map(|&joint| steps(joint)).min();
    joints.into_iter().filter(|&joint| steps(joint) == fewest).collect()
}

/// Returns the chain of joints called tail, from the base.
fn find_tail(skeleton: &Skeleton, names: &[Name]) -> Vec<usize> {
    let is_tail =
        |joint: usize| names[joint].side.is_none() && !names[joint].extra && names[joint].body.contains("tail");
    let Some(base) = (0..skeleton.len()).find(|&joint| is_tail(joint)) else { return Vec::new() };
    skeleton.subtree(base).into_iter().filter(|&joint| is_tail(joint)).collect()
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

impl Side {
    /// Returns the side that `word` (lower case) means, or `None` for other words.
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "l" | "left" | "lft" | "左" => Some(Self::Left),
            "r" | "right" | "rgt" | "右" => Some(Self::Right),
            _ => None,
        }
    }
}

/// A parsed joint name.
pub(super) struct Name {
    pub side: Option<Side>,
    /// Lower-case words without side, numbers and prefixes, concatenated.
    pub body: String,
    /// All words, with the side replaced by `*`: equal for mirrored joints.
    mirror: String,
    /// True for a control, an end or a twist joint, which never has a role.
    pub extra: bool,
}

const THIGHS: [&str; 8] = ["thigh", "thighstretch", "thighbend", "upleg", "upperleg", "legupper", "femur", "足"];
const FEET: [&str; 3] = ["foot", "ankle", "足首"];
/// Words of controls, ends and twist joints.
const EXTRAS: [&str; 14] =
    ["ik", "pole", "ctrl", "control", "tip", "leaf", "end", "twist", "roll", "heel", "target", "tweak", "mch", "org"];
/// Words at the end of a name that mean the middle of the body: Maya's `Head_M`, Auto-Rig Pro's `head.x`.
const MIDDLE: [&str; 2] = ["m", "x"];
const ANKLES: [&str; 2] = ["ankle", "足首"];
const SHINS: [&str; 8] = ["shin", "calf", "lowerleg", "leglower", "lowleg", "knee", "tibia", "ひざ"];

impl Name {
    pub fn read(name: &str) -> Self {
        Self::from_tokens(name_tokens(name))
    }

    /// Reads a name that was split by [`name_tokens`].
    fn from_tokens(mut tokens: Vec<String>) -> Self {
        const PREFIXES: [&str; 9] = ["mixamorig", "def", "drv", "b", "j", "bip", "bind", "jnt", "joint"];
        let mut side = None;
        let (mut body, mut mirror) = (String::new(), String::new());
        let mut extra = false;
        if let [_, .., last] = &tokens[..]
            && MIDDLE.contains(&last.as_str())
        {
            tokens.pop();
        }
        for word in tokens.into_iter().flat_map(without_glued_side) {
            mirror.push('.');
            let found = Side::from_word(&word);
            if found.is_some() {
                side = side.or(found);
                mirror.push('*');
                continue;
            }
            mirror.push_str(&word);
            extra |= EXTRAS.contains(&word.as_str());
            if !PREFIXES.contains(&word.as_str()) && !word.starts_with(|c: char| c.is_ascii_digit()) {
                body.push_str(&word);
            }
        }
        Self { side, body, mirror, extra }
    }

    fn is_one_of(&self, endings: &[&str]) -> bool {
        !self.extra && endings.iter().any(|ending| self.body.ends_with(ending))
    }

    fn is_thigh(&self) -> bool {
        self.is_one_of(&THIGHS)
    }

    fn is_shin(&self) -> bool {
        self.is_one_of(&SHINS) || (!self.extra && matches!(self.body.as_str(), "leg" | "legstretch" | "cleg"))
    }

    fn is_foot(&self) -> bool {
        self.is_one_of(&FEET)
    }

    /// True for names that mean the thigh in some conventions and another joint in others: SMPL's `left_hip` above
    /// `left_knee`, SOMA's `LeftLeg` above `LeftShin`.
    fn may_be_thigh(&self) -> bool {
        !self.extra && self.side.is_some() && matches!(self.body.as_str(), "hip" | "leg")
    }

    /// Returns the words before the longest of `endings`: `back` of `BackFoot`. Returns `None` if the name has none of these
    /// endings.
    fn stem(&self, endings: &[&str]) -> Option<&str> {
        endings.iter().filter_map(|ending| self.body.strip_suffix(ending)).min_by_key(|stem| stem.len())
    }

    fn is_toe(&self) -> bool {
        self.is_one_of(&["toe", "toes", "toebase", "ball", "つま先"])
    }
}

/// Splits a name into lower-case words: at punctuation, between letters and digits, and before a capital that begins
/// a word.
pub fn name_tokens(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let next_is_lower = letters.get(i + 1).is_some_and(|c| c.is_lowercase());
        let starts = before.is_some_and(|b| {
            (c.is_uppercase() && (b.is_lowercase() || (b.is_uppercase() && next_is_lower)))
                || c.is_ascii_digit() != b.is_ascii_digit()
                // MMD writes the side before the part without a separator.
                || matches!(b, '左' | '右')
        });
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Splits a word into side and bone if it is both without a separator, as Acclaim files and typing errors have it (`lfemur`,
/// `Lefthand`). Returns every other word alone.
fn without_glued_side(word: String) -> Vec<String> {
    // OptiTrack's upper arm and forearm are `LUArm` and `LFArm`.
    const BONES: [&str; 12] =
        ["femur", "tibia", "foot", "toes", "hipjoint", "clavicle", "humerus", "radius", "wrist", "hand", "u", "f"];
    for side in ["left", "right", "l", "r"] {
        if let Some(bone) = word.strip_prefix(side).filter(|bone| BONES.contains(bone)) {
            return vec![side.into(), bone.into()];
        }
    }
    vec![word]
}

/// Returns the legs by name, in the order of the thighs. A thigh without a shin below it, or without a foot of its side, is no
/// leg.
fn find_legs(skeleton: &Skeleton, names: &[Name]) -> Vec<Leg> {
    let first_below = |joint: usize, is: fn(&Name) -> bool| {
        skeleton.subtree(joint).into_iter().skip(1).find(|&j| is(&names[j]) && names[j].side == names[joint].side)
    };
    // `hip` and `leg` mean the thigh if a plain shin, and no plain thigh, is below them.
    let is_plain_thigh = |joint: usize| names[joint].is_thigh() && names[joint].side.is_some();
    let is_other_thigh = |joint: usize| {
        names[joint].may_be_thigh()
            && first_below(joint, |name| name.is_one_of(&SHINS)).is_some()
            && first_below(joint, Name::is_thigh).is_none()
    };
    let thighs: Vec<bool> = (0..skeleton.len()).map(|joint| is_plain_thigh(joint) || is_other_thigh(joint)).collect();
    let is_thigh = |&joint: &usize| thighs[joint];
    let has_thigh_above = |joint: usize| skeleton.ancestors(joint).skip(1).any(|above| is_thigh(&above));
    let limbs: Vec<[usize; 2]> = (0..skeleton.len())
        .filter(is_thigh)
        .filter(|&thigh| !has_thigh_above(thigh))
        .filter_map(|thigh| Some([thigh, first_below(thigh, Name::is_shin)?]))
        .collect();
    let foot_below = |[_, shin]: [usize; 2]| first_below(shin, Name::is_foot);
    // In some rigs the foot hangs beside its leg. A second rig of controls may have legs without feet, too.
    let foot_beside = |[thigh, _]: [usize; 2]| {
        let is_its =
            |name: &Name, stem: Option<&str>| name.side == names[thigh].side && stem == names[thigh].stem(&THIGHS);
        let is_whole = |limb: [usize; 2]| {
            let name = &names[limb[0]];
            foot_below(limb).is_some() && is_its(name, name.stem(&THIGHS))
        };
        let is_apart = |joint: usize| !skeleton.is_within(joint, thigh) && !skeleton.is_within(thigh, joint);
        let is_foot = |name: &Name| name.is_foot() && is_its(name, name.stem(&FEET));
        let foot = (0..skeleton.len()).find(|&joint| is_foot(&names[joint]) && is_apart(joint));
        foot.filter(|_| !limbs.iter().any(|&limb| is_whole(limb)))
    };
    let leg = |&limb: &[usize; 2]| {
        let foot = foot_below(limb).or_else(|| foot_beside(limb))?;
        // The foot is below the ankle in some conventions, and is its ball then. Of several joints of a foot, the shape tells.
        let ball = || {
            let below = first_below(foot, Name::is_foot).filter(|_| names[foot].is_one_of(&ANKLES));
            below.filter(|&ball| first_below(ball, Name::is_foot).is_none())
        };
        let toe = first_below(foot, Name::is_toe).or_else(ball);
        Some(Leg { thigh: limb[0], shin: limb[1], foot, toe })
    };
    limbs.iter().filter_map(leg).collect()
}

/// Returns a joint named hips or pelvis that carries legs, if there are any, else the deepest joint that carries two legs. Returns
/// `None` if there is neither.
fn find_hips(skeleton: &Skeleton, names: &[Name], legs: &[Leg]) -> Option<usize> {
    let carries = |joint: usize| legs.iter().filter(|leg| skeleton.is_within(leg.thigh, joint)).count();
    let named = |joint: &usize| {
        let name = &names[*joint];
        name.side.is_none()
            && !name.extra
            && matches!(name.body.as_str(), "hips" | "hip" | "pelvis" | "cog" | "lowertorso" | "下半身")
    };
    let fits = |&joint: &usize| legs.is_empty() || carries(joint) > 0;
    let by_name =
        (0..skeleton.len()).filter(named).filter(fits).max_by_key(|&joint| (carries(joint), std::cmp::Reverse(joint)));
    by_name.or_else(|| {
        let needed = legs.len().min(2);
        (0..skeleton.len()).rev().find(|&joint| needed == 2 && carries(joint) >= needed)
    })
}

/// Returns a joint named spine or back that carries no leg and, if there is one, the `head`; else the hips' child
/// without a leg that carries the head or is the largest. In a control rig the spine may be outside the hips.
fn find_spine(skeleton: &Skeleton, names: &[Name], hips: usize, legs: &[Leg], head: Option<usize>) -> Option<usize> {
    let no_leg = |joint: usize| !legs.iter().any(|leg| skeleton.is_within(leg.thigh, joint));
    let carries_head = |joint: usize| head.is_some_and(|head| skeleton.is_within(head, joint));
    let is_spine = |joint: usize| {
        let name = &names[joint];
        name.is_one_of(&["spine", "back", "chest", "abdomen", "waist", "上半身"]) || name.body == "ab"
    };
    let fits = |&joint: &usize| no_leg(joint) && (head.is_none() || carries_head(joint)) && is_spine(joint);
    let named = skeleton.subtree(hips).into_iter().skip(1).find(fits);
    let largest = || {
        let size = |joint: &usize| skeleton.subtree(*joint).len();
        let children = skeleton.children(hips).filter(|&joint| no_leg(joint) && !names[joint].extra);
        children.max_by_key(|joint| (carries_head(*joint), size(joint))).filter(|joint| size(joint) > 1)
    };
    let is_apart = |joint: &usize| !skeleton.is_within(hips, *joint);
    named.or_else(largest).or_else(|| (0..skeleton.len()).filter(is_apart).find(fits))
}

/// Returns the left and right indices of all `names` that differ in the side only.
pub fn sided_pairs(names: &[String]) -> Vec<(usize, usize)> {
    find_pairs(&names.iter().map(|name| Name::read(name)).collect::<Vec<_>>())
}

/// Returns the indices, left and right, of names that differ in the side only, sorted.
fn find_pairs(names: &[Name]) -> Vec<(usize, usize)> {
    let mut lefts = BTreeMap::new();
    let of_side = |side| names.iter().enumerate().filter(move |(_, name)| name.side == Some(side));
    of_side(Side::Left).for_each(|(joint, name)| {
        lefts.entry(name.mirror.as_str()).or_insert(joint);
    });
    let mut pairs: Vec<(usize, usize)> =
        of_side(Side::Right).filter_map(|(joint, name)| Some((lefts.remove(name.mirror.as_str())?, joint))).collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::{LEGGED, skeleton_of};

    fn read(rows: &[(&str, Option<usize>)]) -> Reading {
        super::read(&skeleton_of(rows), &vec![true; rows.len()])
    }

    #[test]
    fn the_usual_naming_conventions_are_read_alike() {
        for names in [
            [
                "mixamorig:Hips",
                "mixamorig:LeftUpLeg",
                "mixamorig:LeftLeg",
                "mixamorig:LeftFoot",
                "mixamorig:LeftToeBase",
            ],
            ["hips", "upperleg.l", "lowerleg.l", "foot.l", "toes.l"],
            ["pelvis", "thigh_r", "calf_r", "foot_r", "ball_r"],
            ["DEF-hips", "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-toe.L"],
            ["Bip01 Pelvis", "Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0"],
            ["J_Bip_C_Hips", "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_L_ToeBase"],
            ["Hips", "Back_Leg_Upper_L", "Back_Leg_Lower_L", "Back_Leg_Ankle_L", "Toe_L"],
            ["Hips", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes"],
            ["root.x", "thigh_stretch.l", "leg_stretch.l", "foot.l", "toes_01.l"],
            ["root", "lfemur", "ltibia", "lfoot", "ltoes"],
            ["hip", "lThighBend", "lShin", "lFoot", "lToe"],
            ["下半身", "左足", "左ひざ", "左足首", "左つま先"],
        ] {
            let [hips, thigh, shin, foot, toe] = names;
            let rows =
                [("scene", None), (hips, Some(0)), (thigh, Some(1)), (shin, Some(2)), (foot, Some(3)), (toe, Some(4))];
            let named = read(&rows);
            assert_eq!(named.legs, [Leg { thigh: 2, shin: 3, foot: 4, toe: Some(5) }], "{names:?}");
            if !["J_Bip_C_Hips", "root.x", "root"].contains(&hips) {
                assert_eq!(named.hips, Some(1), "{names:?}");
            }
        }
    }

    #[test]
    fn controls_and_sided_hips_are_not_detected_as_hips_or_legs() {
        let rows = [
            ("root", None),
            ("hips", Some(0)),
            ("LHipJoint", Some(1)),
            ("LeftUpLeg", Some(2)),
            ("LeftLeg", Some(3)),
            ("LeftFoot", Some(4)),
            ("spine", Some(1)),
            ("IK-foot.l", Some(0)),
            ("RHipJoint", Some(1)),
        ];
        let named = read(&rows);
        assert_eq!((named.hips, named.spine_split), (Some(1), Some(6)));
        assert_eq!(named.legs, [Leg { thigh: 3, shin: 4, foot: 5, toe: None }]);
        assert_eq!(named.pairs, [(2, 8)]);
    }

    #[test]
    fn a_foot_beside_its_leg_belongs_to_the_leg_of_the_same_name_and_side() {
        let rows = [
            ("root", None),
            ("Body", Some(0)),
            ("FrontUpLeg.R", Some(1)),
            ("FrontLowLeg.R", Some(2)),
            ("FrontFoot.R", Some(3)),
            ("BackUpLeg.R", Some(1)),
            ("BackLowLeg.R", Some(5)),
            ("Back", Some(1)),
            ("Tail1", Some(7)),
            ("Hips", Some(1)),
            ("Head", Some(9)),
            ("BackFoot.L", Some(0)),
            ("BackFoot.R", Some(0)),
        ];
        let named = read(&rows);
        let legs = [[2, 3, 4], [5, 6, 12]].map(|[thigh, shin, foot]| Leg { thigh, shin, foot, toe: None });
        assert_eq!(named.legs, legs);
        // The back of this body is the base of its tail, and its hips carry no leg.
        assert_eq!((named.hips, named.spine_split, named.head), (Some(1), Some(9), Some(10)));
        // The legs of a second rig have no feet of their own, but a whole leg of their name is beside them.
        let mut controlled = rows.to_vec();
        controlled.extend([("DRV_BackUpLeg.R", Some(0)), ("DRV_BackLowLeg.R", Some(13))]);
        controlled[12] = ("BackFoot.R", Some(6));
        assert_eq!(read(&controlled).legs, legs);
    }

    #[test]
    fn hands_of_a_second_rig_outside_the_body_do_not_count() {
        let rows = [
            ("scene", None),
            ("controls", Some(0)),
            ("hand_L", Some(1)),
            ("root", Some(0)),
            ("hips", Some(3)),
            ("hand_l", Some(4)),
            ("hand_r", Some(4)),
        ];
        assert_eq!(read(&rows).hands, [5, 6]);
        // If the body's own hands are not below the hips, as in a toy whose torso is above everything, they count.
        let detached = rows.map(|(name, above)| (name, if name.starts_with("hand") { Some(3) } else { above }));
        assert_eq!(read(&detached).hands, [2, 5, 6]);
    }

    #[test]
    fn without_a_name_the_hips_are_the_joint_that_carries_both_legs() {
        let mut rows = LEGGED;
        (rows[0].0, rows[1].0) = ("a", "b");
        assert_eq!(read(&rows).hips, Some(1));
        assert_eq!(read(&[]), Reading::default());
    }
}
