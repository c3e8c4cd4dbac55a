//! Maps the joints of a character to humanoid bones.

use glam::DVec3;

use super::person::Person;
use crate::export::ExportError;
use portamento_anim::rig::chains::{self, Chain, Finger, LegPair, Limb, Side, chains};

/// A humanoid bone.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    /// The name of the bone in VRM 1.0.
    pub name: String,
    /// Index of the parent bone.
    pub parent: Option<usize>,
    /// The joint at the start of the bone.
    pub joint: usize,
    /// The joint with the rotation of the bone, after all twist joints.
    pub end: usize,
    /// The joint at which the bone points.
    pub tip: Option<usize>,
    /// Direction of the bone in a T-pose, or `None` if the rest direction is used.
    pub straight: Option<DVec3>,
    /// True if the bone follows the rest bend of its parent.
    pub follows: bool,
}

/// The bones that VRM requires.
const REQUIRED: [&str; 15] = [
    "hips",
    "spine",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];

/// Bones outside the limbs, parents first. Each has its possible parents, nearest first.
const TRUNK: [(&str, &[&str]); 9] = [
    ("hips", &[]),
    ("spine", &["hips"]),
    ("chest", &["spine"]),
    ("upperChest", &["chest"]),
    ("neck", &["upperChest", "chest", "spine"]),
    ("head", &["neck", "upperChest", "chest", "spine"]),
    ("jaw", &["head"]),
    ("leftEye", &["head"]),
    ("rightEye", &["head"]),
];

const ARM: [(&str, &[&str]); 4] = [
    ("Shoulder", &["upperChest", "chest", "spine"]),
    ("UpperArm", &["Shoulder", "upperChest", "chest", "spine"]),
    ("LowerArm", &["UpperArm"]),
    ("Hand", &["LowerArm"]),
];

const LEG: [(&str, &[&str]); 4] =
    [("UpperLeg", &["hips"]), ("LowerLeg", &["UpperLeg"]), ("Foot", &["LowerLeg"]), ("Toes", &["Foot"])];

const FINGERS: [(&str, [&str; 3]); 5] = [
    ("Thumb", ["Metacarpal", "Proximal", "Distal"]),
    ("Index", ["Proximal", "Intermediate", "Distal"]),
    ("Middle", ["Proximal", "Intermediate", "Distal"]),
    ("Ring", ["Proximal", "Intermediate", "Distal"]),
    ("Little", ["Proximal", "Intermediate", "Distal"]),
];

/// A bone name and its possible parents.
struct Slot {
    name: String,
    parents: Vec<String>,
}

/// Returns every bone of `person`, parents first. Returns `Err` with the names of the missing bones if VRM requires them.
pub(super) fn bones(person: &Person) -> Result<Vec<Bone>, ExportError> {
    let placements = placements(person);
    let mut bones: Vec<Bone> = Vec::new();
    for slot in slots() {
        let Some(placement) = placements.iter().find(|placement| placement.name == slot.name) else { continue };
        let parent = slot.parents.iter().find_map(|name| bones.iter().position(|bone| bone.name == *name));
        let straight = straight(&slot.name).filter(|_| person.model.humanoid.is_empty());
        bones.push(Bone {
            parent,
            joint: placement.joint,
            end: placement.end,
            tip: placement.tip,
            follows: person.model.humanoid.is_empty() && is_beyond_wrist(&slot.name),
            name: slot.name,
            straight,
        });
    }
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|name| !bones.iter().any(|bone| bone.name == *name)).collect();
    match missing.is_empty() {
        true => Ok(bones),
        false => Err(ExportError::NoPerson { missing: missing.join(", ") }),
    }
}

/// Returns all humanoid bones, parents first.
fn slots() -> Vec<Slot> {
    let slot = |side: &str, (name, parents): (&str, &[&str])| {
        let sided =
            |name: &&str| if name.starts_with(char::is_uppercase) { format!("{side}{name}") } else { (*name).into() };
        Slot { name: sided(&name), parents: parents.iter().map(sided).collect() }
    };
    let mut slots: Vec<Slot> = TRUNK.iter().map(|&entry| slot("", entry)).collect();
    for side in ["left", "right"] {
        slots.extend(LEG.iter().chain(&ARM).map(|&entry| slot(side, entry)));
        for (finger, parts) in FINGERS {
            let mut parents = format!("{side}Hand");
            for part in parts {
                let name = format!("{side}{finger}{part}");
                slots.push(Slot { name: name.clone(), parents: vec![parents, format!("{side}Hand")] });
                parents = name;
            }
        }
    }
    slots
}

/// The joints of a bone in the character.
struct BonePlacement {
    name: String,
    joint: usize,
    end: usize,
    tip: Option<usize>,
}

/// Finds the bones by the file's humanoid map, or else by the detected limbs.
fn placements(person: &Person) -> Vec<BonePlacement> {
    let map = &person.model.humanoid;
    if !map.is_empty() {
        let placement = |bone: &portamento_anim::HumanBone| BonePlacement {
            name: bone.name.clone(),
            joint: bone.joint,
            end: bone.joint,
            tip: None,
        };
        return map.iter().map(placement).collect();
    }
    chains(person.model, person.roles).iter().flat_map(of_chain).collect()
}

/// Returns the bones of one chain of joints.
fn of_chain(chain: &Chain) -> Vec<BonePlacement> {
    let side = |side: Side| if side == Side::Left { "left" } else { "right" };
    let names: Vec<String> = match chain.limb {
        Limb::Hips => vec!["hips".into()],
        Limb::Spine => ["spine", "chest", "upperChest"].map(str::to_owned).into(),
        Limb::Neck => vec!["neck".into()],
        Limb::Head => vec!["head".into()],
        Limb::Clavicle(of) => vec![format!("{}Shoulder", side(of))],
        Limb::Arm(of) => ["UpperArm", "LowerArm"].map(|part| format!("{}{part}", side(of))).into(),
        Limb::Hand(of) => vec![format!("{}Hand", side(of))],
        Limb::Leg(of, LegPair::Hind) => ["UpperLeg", "LowerLeg"].map(|part| format!("{}{part}", side(of))).into(),
        Limb::Foot(of, LegPair::Hind) => vec![format!("{}Foot", side(of))],
        Limb::Toe(of, LegPair::Hind) => vec![format!("{}Toes", side(of))],
        Limb::Finger(of, finger) => {
            let index = [Finger::Thumb, Finger::Index, Finger::Middle, Finger::Ring, Finger::Little];
            let number = index.iter().position(|known| *known == finger).unwrap_or(0);
            let (name, parts) = FINGERS[number];
            parts.map(|part| format!("{}{name}{part}", side(of))).into()
        }
        Limb::Tail | Limb::Leg(..) | Limb::Foot(..) | Limb::Toe(..) => Vec::new(),
    };
    spread(chain, names)
}

/// Distributes the joints of a chain over `names`. With more joints than names, each name covers several. With fewer joints
/// than names, the last names get none.
fn spread(chain: &Chain, names: Vec<String>) -> Vec<BonePlacement> {
    let bones: &[chains::Bone] = &chain.bones;
    let count = names.len().min(bones.len());
    let first = |index: usize| index * bones.len() / count.max(1);
    let placement = |(index, name): (usize, String)| {
        let next = bones.get(first(index + 1)).map(|bone| bone.joint).filter(|_| index + 1 < count);
        BonePlacement {
            name,
            joint: bones[first(index)].joint,
            end: bones[first(index + 1) - 1].end,
            tip: next.or(chain.tip),
        }
    };
    names.into_iter().take(count).enumerate().map(placement).collect()
}

/// Returns the direction of an arm or leg bone in a T-pose that faces +Z, of length 1; `None` for other bones. The left is
/// +X.
fn straight(name: &str) -> Option<DVec3> {
    let side = if name.starts_with("left") { DVec3::X } else { DVec3::NEG_X };
    let part = name.strip_prefix("left").or_else(|| name.strip_prefix("right"))?;
    match part {
        "UpperArm" | "LowerArm" | "Hand" => Some(side),
        "UpperLeg" | "LowerLeg" => Some(DVec3::NEG_Y),
        _ => None,
    }
}

/// True for hands and fingers, which follow the arm. Feet stay on the ground regardless of the legs.
fn is_beyond_wrist(name: &str) -> bool {
    let part = name.strip_prefix("left").or_else(|| name.strip_prefix("right")).unwrap_or("");
    part == "Hand" || FINGERS.iter().any(|(finger, _)| part.starts_with(finger))
}
