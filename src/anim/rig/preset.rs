//! Rig presets: which joint is what, by name, kept in a file and used again for every rig with such names.
//!
//! A preset wins over what is found. Names are compared without case, punctuation and namespaces (`mixamorig:Hips` is `Hips`). What a
//! preset leaves out stays as it was found; joints between the named ones follow from the hierarchy, as always.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::anim::{Front, Leg, Roles, Skeleton};
use crate::message::{message, tell};

/// Which joint is what, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigPreset {
    /// What it is called.
    pub name: String,
    /// The joint that carries the character along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The joint that carries the (hind) legs.
    pub hips: String,
    /// The lowest joint of the upper body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spine: Option<String>,
    /// The joint that carries the skull.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Hands, left first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<String>,
    /// Legs, left first.
    #[serde(default)]
    pub legs: Vec<LegNames>,
    /// The tail, from its base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// Where the character looks at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    /// Left joint and right joint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[String; 2]>,
}

/// The joints of a leg by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegNames {
    /// Turns at the hip.
    pub thigh: String,
    /// Turns at the knee.
    pub shin: String,
    /// Turns at the ankle.
    pub foot: String,
    /// Turns at the ball of the foot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toe: Option<String>,
}

/// Why a preset cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// A rig lacks joints that the preset names.
    Missing {
        /// Name of the preset.
        preset: String,
        /// The joints, by the preset's names.
        joints: String,
    },
    /// The text is no preset.
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
}

tell!(PresetError {
    PresetError::Missing { preset, joints } => message!(
        "error.rig_preset.missing",
        "The rig preset “%{preset}” names joints that this rig does not have: %{joints}. Choose another preset.",
        preset, joints,
    ),
    PresetError::Unreadable { reason } => message!(
        "error.rig_preset.unreadable",
        "This is no rig preset: %{reason}. Save one from a character to see how it is written.",
        reason,
    ),
});

/// A convention of names: `*` stands for the side.
struct Convention {
    name: &'static str,
    sides: [&'static str; 2],
    root: &'static str,
    /// Hips, spine, head.
    trunk: [&'static str; 3],
    hand: &'static str,
    /// Thigh, shin, foot, toe.
    leg: [&'static str; 4],
}

const LEFT_RIGHT: [&str; 2] = ["Left", "Right"];

const CONVENTIONS: [Convention; 8] = [
    Convention {
        name: "Mixamo",
        sides: LEFT_RIGHT,
        root: "",
        trunk: ["Hips", "Spine", "Head"],
        hand: "*Hand",
        leg: ["*UpLeg", "*Leg", "*Foot", "*ToeBase"],
    },
    Convention {
        name: "Unreal Mannequin",
        sides: ["l", "r"],
        root: "root",
        trunk: ["pelvis", "spine_01", "head"],
        hand: "hand_*",
        leg: ["thigh_*", "calf_*", "foot_*", "ball_*"],
    },
    Convention {
        name: "Unity Humanoid",
        sides: LEFT_RIGHT,
        root: "",
        trunk: ["Hips", "Spine", "Head"],
        hand: "*Hand",
        leg: ["*UpperLeg", "*LowerLeg", "*Foot", "*Toes"],
    },
    Convention {
        name: "VRM",
        sides: ["L", "R"],
        root: "Root",
        trunk: ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Head"],
        hand: "J_Bip_*_Hand",
        leg: ["J_Bip_*_UpperLeg", "J_Bip_*_LowerLeg", "J_Bip_*_Foot", "J_Bip_*_ToeBase"],
    },
    Convention {
        name: "Rigify",
        sides: ["L", "R"],
        root: "root",
        trunk: ["DEF-spine", "DEF-spine.001", "DEF-spine.006"],
        hand: "DEF-hand.*",
        leg: ["DEF-thigh.*", "DEF-shin.*", "DEF-foot.*", "DEF-toe.*"],
    },
    Convention {
        name: "KayKit",
        sides: ["l", "r"],
        root: "root",
        trunk: ["hips", "spine", "head"],
        hand: "hand.*",
        leg: ["upperleg.*", "lowerleg.*", "foot.*", "toes.*"],
    },
    Convention {
        name: "CMU",
        sides: LEFT_RIGHT,
        root: "",
        trunk: ["Hips", "LowerBack", "Head"],
        hand: "*Hand",
        leg: ["*UpLeg", "*Leg", "*Foot", "*ToeBase"],
    },
    Convention {
        name: "Biped",
        sides: ["L", "R"],
        root: "",
        trunk: ["Bip001 Pelvis", "Bip001 Spine", "Bip001 Head"],
        hand: "Bip001 * Hand",
        leg: ["Bip001 * Thigh", "Bip001 * Calf", "Bip001 * Foot", "Bip001 * Toe0"],
    },
];

impl RigPreset {
    /// Those that come with the program.
    pub fn built_in() -> Vec<Self> {
        CONVENTIONS.iter().map(Convention::preset).collect()
    }

    /// The one of that name that comes with the program, in any case and with `_` or `-` for spaces.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in().into_iter().find(|preset| plain(&preset.name) == plain(name))
    }

    /// `roles` of `skeleton` by name.
    pub fn from_roles(name: &str, skeleton: &Skeleton, roles: &Roles) -> Self {
        let called = |joint: usize| skeleton.joints.get(joint).map_or_else(String::new, |joint| joint.name.clone());
        let leg = |leg: &Leg| LegNames {
            thigh: called(leg.thigh),
            shin: called(leg.shin),
            foot: called(leg.foot),
            toe: leg.toe.map(called),
        };
        Self {
            name: name.to_owned(),
            root: roles.root_motion.map(called),
            hips: roles.hips.map(called).unwrap_or_default(),
            spine: roles.spine_split.map(called),
            head: roles.head.map(called),
            hands: roles.hands.iter().copied().map(called).collect(),
            legs: roles.legs.iter().map(leg).collect(),
            tail: roles.tail.iter().copied().map(called).collect(),
            front: roles.front,
            pairs: roles.pairs.iter().map(|&(left, right)| [called(left), called(right)]).collect(),
        }
    }

    /// The preset written as JSON in `text`. Errors say what is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, PresetError> {
        serde_json::from_str(text).map_err(|error| PresetError::Unreadable { reason: error.to_string() })
    }

    /// As [`RigPreset::from_json`] reads it.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }

    /// The roles of `skeleton` by this preset; what it does not name stays as in `found`.
    ///
    /// Errors when a joint of the hips or of a leg is missing, with all that are.
    pub fn roles(&self, skeleton: &Skeleton, found: &Roles) -> Result<Roles, PresetError> {
        let by_name = Names::from_skeleton(skeleton);
        let mut missing = Vec::new();
        let mut needed = |name: &String| {
            let joint = by_name.find(name);
            missing.extend(joint.is_none().then(|| name.clone()));
            joint.unwrap_or(0)
        };
        let hips = needed(&self.hips);
        let legs: Vec<Leg> = self
            .legs
            .iter()
            .map(|leg| Leg {
                thigh: needed(&leg.thigh),
                shin: needed(&leg.shin),
                foot: needed(&leg.foot),
                toe: leg.toe.as_ref().and_then(|toe| by_name.find(toe)),
            })
            .collect();
        if !missing.is_empty() {
            return Err(PresetError::Missing { preset: self.name.clone(), joints: missing.join(", ") });
        }
        let one =
            |name: &Option<String>, found: Option<usize>| name.as_ref().and_then(|name| by_name.find(name)).or(found);
        let several = |names: &[String], found: &[usize]| {
            let mut joints: Vec<usize> = names.iter().filter_map(|name| by_name.find(name)).collect();
            joints.sort_unstable();
            if joints.is_empty() { found.to_vec() } else { joints }
        };
        let pair = |[left, right]: &[String; 2]| Some((by_name.find(left)?, by_name.find(right)?));
        let pairs: Vec<(usize, usize)> = self.pairs.iter().filter_map(pair).collect();
        Ok(Roles {
            root_motion: one(&self.root, found.root_motion).filter(|&root| skeleton.is_within(hips, root)),
            hips: Some(hips),
            legs: if legs.is_empty() { found.legs.clone() } else { legs },
            spine_split: one(&self.spine, found.spine_split),
            head: one(&self.head, found.head),
            hands: several(&self.hands, &found.hands),
            tail: several(&self.tail, &found.tail),
            front: self.front.or(found.front),
            pairs: if pairs.is_empty() { found.pairs.clone() } else { pairs },
        })
    }
}

impl Convention {
    fn preset(&self) -> RigPreset {
        let side = |pattern: &str, side: &str| pattern.replace('*', side);
        let both = |pattern: &str| self.sides.map(|name| side(pattern, name));
        let leg = |name: &str| LegNames {
            thigh: side(self.leg[0], name),
            shin: side(self.leg[1], name),
            foot: side(self.leg[2], name),
            toe: Some(side(self.leg[3], name)),
        };
        RigPreset {
            name: self.name.to_owned(),
            root: (!self.root.is_empty()).then(|| self.root.to_owned()),
            hips: self.trunk[0].to_owned(),
            spine: Some(self.trunk[1].to_owned()),
            head: Some(self.trunk[2].to_owned()),
            hands: both(self.hand).into(),
            legs: self.sides.map(leg).into(),
            ..RigPreset::default()
        }
    }
}

/// Joints by name, as presets compare names.
pub struct Names<'a> {
    skeleton: &'a Skeleton,
    plain: BTreeMap<String, usize>,
}

impl<'a> Names<'a> {
    /// Those of `skeleton`.
    pub fn from_skeleton(skeleton: &'a Skeleton) -> Self {
        let mut by_plain = BTreeMap::new();
        for (joint, named) in skeleton.joints.iter().enumerate() {
            by_plain.entry(plain(&named.name)).or_insert(joint);
        }
        Self { skeleton, plain: by_plain }
    }

    /// The joint of exactly that name, else one whose name differs by case, punctuation or namespace.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.skeleton.find(name).or_else(|| self.plain.get(&plain(name)).copied())
    }
}

/// Letters and digits alone, in lower case, without the namespace in front and Mixamo's own prefix.
fn plain(name: &str) -> String {
    let last = name.rsplit([':', '|']).next().unwrap_or(name);
    let kept: String = last.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let kept = kept.strip_prefix("mixamorig").map(str::to_owned).unwrap_or(kept);
    // Older Bipeds count with two digits.
    kept.strip_prefix("bip01").map(|rest| format!("bip001{rest}")).unwrap_or(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Rig;
    use crate::anim::skeleton::tests::{LEGGED, skeleton_of};
    use crate::support::corpus;

    #[test]
    fn what_was_found_is_saved_and_found_again() {
        for name in ["characters/knight.glb", "characters/fox.glb", "characters/minnyquinn.glb"] {
            let Some(path) = corpus(name) else { return };
            let model = crate::import::import(&path).unwrap().model;
            let roles = Rig::of_model(&model).roles;
            let preset = RigPreset::from_roles("mine", &model.skeleton, &roles);
            let again = RigPreset::from_json(&preset.to_json()).unwrap();
            assert_eq!(again, preset);
            assert_eq!(again.roles(&model.skeleton, &Roles::default()).unwrap(), roles, "{name}");
        }
    }

    #[test]
    fn a_preset_goes_before_what_was_found_and_says_what_is_not_there() {
        let Some(path) = corpus("characters/knight.glb") else { return };
        let model = crate::import::import(&path).unwrap().model;
        let right = Rig::of_model(&model).roles;
        let wrong = Roles { hips: Some(0), legs: Vec::new(), head: Some(0), ..right.clone() };
        let roles = RigPreset::named("kaykit").unwrap().roles(&model.skeleton, &wrong).unwrap();
        assert_eq!((roles.hips, &roles.legs, roles.head), (right.hips, &right.legs, right.head));
        let refused = RigPreset::named("unreal_mannequin").unwrap().roles(&model.skeleton, &right).unwrap_err();
        assert!(
            refused.to_string().contains("thigh_l") && refused.to_string().contains("Unreal Mannequin"),
            "{refused}"
        );
        assert!(RigPreset::from_json("{\"name\": 3}").unwrap_err().to_string().contains("no rig preset"));
    }

    #[test]
    fn names_are_the_same_with_and_without_what_exporters_add() {
        for (written, named) in
            [("mixamorig:LeftUpLeg", "LeftUpLeg"), ("Armature|thigh.L", "thigh_l"), ("Bip01 L Thigh", "Bip001 L Thigh")]
        {
            assert_eq!(plain(written), plain(named));
        }
        assert_eq!(RigPreset::built_in().len(), 8);
    }

    #[test]
    fn what_a_preset_names_goes_before_what_was_found_and_the_rest_stays() {
        let skeleton = skeleton_of(&LEGGED);
        let found = Roles { hands: vec![0], ..Roles::find(&skeleton, &[]) };
        assert_eq!(found.legs.len(), 2);
        let whole = RigPreset::from_roles("mine", &skeleton, &found);
        let nothing = Roles::default();
        let roles = whole.roles(&skeleton, &nothing).unwrap();
        assert_eq!((&roles.hands, &roles.legs), (&found.hands, &found.legs));
        let part = RigPreset { hands: Vec::new(), legs: Vec::new(), ..whole };
        let roles = part.roles(&skeleton, &found).unwrap();
        assert_eq!((&roles.hands, &roles.legs), (&found.hands, &found.legs));
    }
}
