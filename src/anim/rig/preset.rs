//! Rig presets: joint names per role, saved in a file and reused for every rig with such names.
//!
//! A preset overrides detection. Names are compared without case, punctuation and namespaces (`mixamorig:Hips` equals
//! `Hips`). Roles that a preset omits keep their detected joints; joints between the named ones follow from the
//! hierarchy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Front, Leg, Roles, Skeleton};
use portamento_base::message::{message, messages};

/// Joint names per role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigPreset {
    /// Name of the preset.
    pub name: String,
    /// The joint that carries the character's root motion.
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
    /// The facing direction in the rest pose.
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
    /// The joint that turns at the hip.
    pub thigh: String,
    /// The joint that turns at the knee.
    pub shin: String,
    /// The joint that turns at the ankle.
    pub foot: String,
    /// The joint that turns at the ball of the foot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toe: Option<String>,
}

messages! {
/// Errors of reading or applying a preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// The rig lacks joints that the preset names.
    Missing {
        /// Name of the preset.
        preset: String,
        /// The missing joints, by the preset's names.
        joints: String,
    } => message!(
        "error.rig_preset.missing",
        "The rig preset “%{preset}” names joints that this rig does not have: %{joints}. Choose another preset.",
        preset, joints,
    ),
    /// The text is not a preset.
    Unreadable {
        /// The parser's message.
        reason: String,
    } => message!(
        "error.rig_preset.unreadable",
        "This is not a rig preset: %{reason}. Save a preset from a character to see the format.",
        reason,
    ),
}
}

/// A naming convention; `*` stands for the side.
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
    /// Returns the presets that come with the program.
    pub fn built_in() -> Vec<Self> {
        CONVENTIONS.iter().map(Convention::preset).collect()
    }

    /// Returns the built-in preset of that name; `None` if there is none. Ignores case and treats `_` and `-` as
    /// spaces.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in().into_iter().find(|preset| normalized(&preset.name) == normalized(name))
    }

    /// Builds a preset called `name` from the `roles` of `skeleton`.
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

    /// Parses a preset from JSON; returns `Err` with the reason if `text` is no preset.
    pub fn from_json(text: &str) -> Result<Self, PresetError> {
        portamento_base::json::parse(text.as_bytes())
            .map_err(|error| PresetError::Unreadable { reason: error.to_string() })
    }

    /// Returns the preset as JSON that [`RigPreset::from_json`] reads.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }

    /// Returns the roles of `skeleton` by this preset; roles that it does not name stay as in `found`.
    ///
    /// Returns `Err` with all missing names if a joint of the hips or of a leg is missing.
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
    /// Returns the convention as a preset with the left side first, without tail, front and pairs.
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

/// Joints by normalized name, as presets compare names.
pub struct Names<'a> {
    skeleton: &'a Skeleton,
    normalized: BTreeMap<String, usize>,
}

impl<'a> Names<'a> {
    /// Indexes the joints of `skeleton`.
    pub fn from_skeleton(skeleton: &'a Skeleton) -> Self {
        let mut by_name = BTreeMap::new();
        for (joint, named) in skeleton.joints.iter().enumerate() {
            by_name.entry(normalized(&named.name)).or_insert(joint);
        }
        Self { skeleton, normalized: by_name }
    }

    /// Returns the joint of exactly that name, else one whose name differs by case, punctuation or namespace. `None`
    /// if there is neither.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.skeleton.find(name).or_else(|| self.normalized.get(&normalized(name)).copied())
    }
}

/// Returns the letters and digits of `name` in lower case, without namespace and Mixamo's prefix.
fn normalized(name: &str) -> String {
    let last = name.rsplit([':', '|']).next().unwrap_or(name);
    let letters: String = last.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let letters = letters.strip_prefix("mixamorig").map(str::to_owned).unwrap_or(letters);
    // Older Biped rigs count with two digits.
    letters.strip_prefix("bip01").map(|rest| format!("bip001{rest}")).unwrap_or(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::{LEGGED, skeleton_of};

    #[test]
    fn names_are_equal_with_and_without_exporter_prefixes() {
        for (written, named) in
            [("mixamorig:LeftUpLeg", "LeftUpLeg"), ("Armature|thigh.L", "thigh_l"), ("Bip01 L Thigh", "Bip001 L Thigh")]
        {
            assert_eq!(normalized(written), normalized(named));
        }
        assert_eq!(RigPreset::built_in().len(), 8);
    }

    #[test]
    fn named_roles_override_detection_and_the_rest_stays() {
        let skeleton = skeleton_of(&LEGGED);
        let found = Roles { hands: vec![0], ..Roles::find(&skeleton, &[]) };
        assert_eq!(found.legs.len(), 2);
        let full = RigPreset::from_roles("mine", &skeleton, &found);
        let nothing = Roles::default();
        let roles = full.roles(&skeleton, &nothing).unwrap();
        assert_eq!((&roles.hands, &roles.legs), (&found.hands, &found.legs));
        let part = RigPreset { hands: Vec::new(), legs: Vec::new(), ..full };
        let roles = part.roles(&skeleton, &found).unwrap();
        assert_eq!((&roles.hands, &roles.legs), (&found.hands, &found.legs));
    }
}
