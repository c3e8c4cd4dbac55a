//! Which joint is what: hips, legs, left and right, found from names and from who carries whom.
//!
//! Names are cut into words (`mixamorig:LeftUpLeg`, `upperleg.l`, `Bip01 L Thigh`, `DEF-shin.R`, `J_Bip_L_UpperLeg`), so that
//! the usual conventions of Mixamo, KayKit, Blender, Unreal, VRM and motion-capture files are read alike.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Clip, Skeleton, root_motion};

/// The joints of one leg, top to bottom; other joints may lie between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Turns at the hip.
    pub thigh: usize,
    /// Turns at the knee.
    pub shin: usize,
    /// Turns at the ankle.
    pub foot: usize,
    /// Turns at the ball of the foot.
    pub toe: Option<usize>,
}

/// What is true of a rig whatever clip plays; every entry can be overruled by the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roles {
    /// The joint above the hips that carries the character along, where some clip moves one.
    pub root_motion: Option<usize>,
    /// The joint that carries legs and spine.
    pub hips: Option<usize>,
    /// Legs, in joint order.
    pub legs: Vec<Leg>,
    /// The lowest joint of the upper body.
    pub spine_split: Option<usize>,
    /// The head.
    pub head: Option<usize>,
    /// Hands, in joint order.
    pub hands: Vec<usize>,
    /// Left joint and right joint of the same name.
    pub pairs: Vec<(usize, usize)>,
}

impl Roles {
    /// Reads the roles off `skeleton`; `clips` decide which joint carries root motion.
    pub fn find(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        let names: Vec<Name> = skeleton.joints.iter().map(|joint| Name::read(&joint.name)).collect();
        let legs = find_legs(skeleton, &names);
        let hips = find_hips(skeleton, &names, &legs);
        let below = hips.map_or_else(Vec::new, |hips| skeleton.subtree(hips));
        let plain =
            |word: &str| below.iter().copied().find(|&j| names[j].side.is_none() && names[j].body.ends_with(word));
        let hands = |j: &usize| names[*j].side.is_some() && matches!(names[*j].body.as_str(), "hand" | "wrist");
        let first_hands: Vec<usize> = (0..skeleton.len()).filter(hands).collect();
        let moving = |clip: &Clip| root_motion::moving_ancestor(skeleton, clip, hips?);
        Self {
            root_motion: clips.iter().filter_map(moving).min(),
            hips,
            spine_split: hips.and_then(|hips| find_spine(skeleton, &names, hips, &legs)),
            head: plain("head"),
            hands: first_hands
                .iter()
                .copied()
                .filter(|&j| !first_hands.iter().any(|&up| up != j && skeleton.is_within(j, up)))
                .collect(),
            pairs: find_pairs(&names),
            legs,
        }
    }
}

impl Roles {
    /// The roles that `skeleton` can fill: what it has no joint for is left out, and so are legs whose joints do not follow
    /// each other downwards.
    pub fn fitting(&self, skeleton: &Skeleton) -> Self {
        let known = |joint: Option<usize>| joint.filter(|&joint| joint < skeleton.len());
        let below = |joint: usize, above: usize| {
            joint != above && joint.max(above) < skeleton.len() && skeleton.is_within(joint, above)
        };
        let is_leg = |leg: &&Leg| below(leg.shin, leg.thigh) && below(leg.foot, leg.shin);
        let legs = self.legs.iter().filter(is_leg).cloned();
        Self {
            root_motion: known(self.root_motion),
            hips: known(self.hips),
            legs: legs.map(|leg| Leg { toe: leg.toe.filter(|&toe| below(toe, leg.foot)), ..leg }).collect(),
            spine_split: known(self.spine_split),
            head: known(self.head),
            hands: self.hands.iter().copied().filter(|&hand| hand < skeleton.len()).collect(),
            pairs: self.pairs.iter().copied().filter(|&(left, right)| left.max(right) < skeleton.len()).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

/// A joint name taken apart.
struct Name {
    side: Option<Side>,
    /// Lower-case words without side, numbers and prefixes, joined.
    body: String,
    /// All words, the side replaced by `*`: equal for mirrored joints.
    mirror: String,
    /// A control, an end or a twist joint: never a role.
    extra: bool,
}

impl Name {
    fn read(name: &str) -> Self {
        const PREFIXES: [&str; 9] = ["mixamorig", "def", "drv", "b", "j", "bip", "bind", "jnt", "joint"];
        const EXTRAS: [&str; 14] = [
            "ik", "pole", "ctrl", "control", "tip", "leaf", "end", "twist", "roll", "heel", "target", "tweak", "mch",
            "org",
        ];
        let mut side = None;
        let (mut body, mut mirror) = (String::new(), String::new());
        let mut extra = false;
        for word in words(name) {
            mirror.push('.');
            let found = match word.as_str() {
                "l" | "left" | "lft" => Some(Side::Left),
                "r" | "right" | "rgt" => Some(Side::Right),
                _ => None,
            };
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
        self.is_one_of(&["thigh", "upleg", "upperleg", "legupper"])
    }

    fn is_shin(&self) -> bool {
        self.is_one_of(&["shin", "calf", "lowerleg", "leglower", "lowleg", "knee"])
            || (!self.extra && self.body == "leg")
    }

    fn is_foot(&self) -> bool {
        self.is_one_of(&["foot", "ankle"])
    }

    fn is_toe(&self) -> bool {
        self.is_one_of(&["toe", "toes", "toebase", "ball"])
    }
}

/// Lower-case words of a name: cut at punctuation, between letters and digits, and where a capital begins a word.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let next_is_lower = letters.get(i + 1).is_some_and(|c| c.is_lowercase());
        let starts = before.is_some_and(|b| {
            (c.is_uppercase() && (b.is_lowercase() || (b.is_uppercase() && next_is_lower)))
                || c.is_ascii_digit() != b.is_ascii_digit()
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

fn find_legs(skeleton: &Skeleton, names: &[Name]) -> Vec<Leg> {
    let first_below = |joint: usize, is: fn(&Name) -> bool| {
        skeleton.subtree(joint).into_iter().skip(1).find(|&j| is(&names[j]) && names[j].side == names[joint].side)
    };
    let is_thigh = |&joint: &usize| names[joint].is_thigh() && names[joint].side.is_some();
    let has_thigh_above = |joint: usize| skeleton.ancestors(joint).skip(1).any(|above| is_thigh(&above));
    (0..skeleton.len())
        .filter(is_thigh)
        .filter(|&thigh| !has_thigh_above(thigh))
        .filter_map(|thigh| {
            let shin = first_below(thigh, Name::is_shin)?;
            let foot = first_below(shin, Name::is_foot)?;
            Some(Leg { thigh, shin, foot, toe: first_below(foot, Name::is_toe) })
        })
        .collect()
}

/// A joint named hips or pelvis that carries the legs; else the lowest joint that carries the last two legs.
fn find_hips(skeleton: &Skeleton, names: &[Name], legs: &[Leg]) -> Option<usize> {
    let carries = |joint: usize| legs.iter().filter(|leg| skeleton.is_within(leg.thigh, joint)).count();
    let named = |joint: &usize| {
        let name = &names[*joint];
        name.side.is_none() && !name.extra && matches!(name.body.as_str(), "hips" | "hip" | "pelvis" | "cog")
    };
    let by_name = (0..skeleton.len()).filter(named).max_by_key(|&joint| (carries(joint), std::cmp::Reverse(joint)));
    by_name.or_else(|| {
        let needed = legs.len().min(2);
        (0..skeleton.len()).rev().find(|&joint| needed == 2 && carries(joint) >= needed)
    })
}

fn find_spine(skeleton: &Skeleton, names: &[Name], hips: usize, legs: &[Leg]) -> Option<usize> {
    let no_leg = |&joint: &usize| !legs.iter().any(|leg| skeleton.is_within(leg.thigh, joint));
    let below = skeleton.subtree(hips);
    let named =
        below.iter().copied().skip(1).filter(no_leg).find(|&joint| names[joint].is_one_of(&["spine", "back", "chest"]));
    named.or_else(|| {
        let size = |joint: &usize| skeleton.subtree(*joint).len();
        let largest = skeleton.children(hips).filter(no_leg).max_by_key(size);
        largest.filter(|joint| size(joint) > 1)
    })
}

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
    use crate::anim::skeleton::tests::skeleton_of;

    fn leg_of(names: [&str; 5]) -> Roles {
        let [hips, thigh, shin, foot, toe] = names;
        let rows =
            [("root", None), (hips, Some(0)), (thigh, Some(1)), (shin, Some(2)), (foot, Some(3)), (toe, Some(4))];
        Roles::find(&skeleton_of(&rows), &[])
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
        ] {
            let roles = leg_of(names);
            assert_eq!(roles.legs, [Leg { thigh: 2, shin: 3, foot: 4, toe: Some(5) }], "{names:?}");
            if !names[0].contains("_C_") {
                assert_eq!(roles.hips, Some(1), "{names:?}");
            }
        }
    }

    #[test]
    fn roles_for_joints_that_are_gone_and_legs_that_are_no_chain_are_left_out() {
        let skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))]);
        let leg = Leg { thigh: 1, shin: 2, foot: 3, toe: Some(9) };
        let broken = Leg { thigh: 3, shin: 2, foot: 1, toe: None };
        let roles =
            Roles { head: Some(4), hips: Some(0), legs: vec![leg, broken], pairs: vec![(0, 7)], ..Roles::default() };
        let wanted = Leg { thigh: 1, shin: 2, foot: 3, toe: None };
        assert_eq!(roles.fitting(&skeleton), Roles { hips: Some(0), legs: vec![wanted], ..Roles::default() });
    }

    #[test]
    fn controls_and_sided_hips_are_not_taken_for_hips_or_legs() {
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
        let roles = Roles::find(&skeleton_of(&rows), &[]);
        assert_eq!((roles.hips, roles.spine_split), (Some(1), Some(6)));
        assert_eq!(roles.legs, [Leg { thigh: 3, shin: 4, foot: 5, toe: None }]);
        assert_eq!(roles.pairs, [(2, 8)]);
    }

    #[test]
    fn without_a_name_the_hips_are_what_carries_both_legs() {
        let rows = [
            ("a", None),
            ("b", Some(0)),
            ("thigh.l", Some(1)),
            ("shin.l", Some(2)),
            ("foot.l", Some(3)),
            ("thigh.r", Some(1)),
            ("shin.r", Some(5)),
            ("foot.r", Some(6)),
        ];
        assert_eq!(Roles::find(&skeleton_of(&rows), &[]).hips, Some(1));
        assert_eq!(Roles::find(&Skeleton::default(), &[]), Roles::default());
    }
}
