//! What the file itself says: the humanoid map of a VRM avatar (`VRMC_vrm` 1.0, `VRM` 0.x).

use serde_json::Value;

use crate::anim::{Front, GltfSource, Leg, Skeleton};

/// A humanoid map, as far as its nodes exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Humanoid {
    /// Name of the bone as VRM 1.0 writes it (`leftUpperLeg`), and its joint.
    pub bones: Vec<(String, usize)>,
    /// Where avatars of this version look: VRM 0.x along −Z, 1.0 along +Z.
    pub front: Front,
}

impl Humanoid {
    /// The map of `source`; `None` where the file has none.
    pub fn read(source: &GltfSource, skeleton: &Skeleton) -> Option<Self> {
        let extensions = source.json.get("extensions")?;
        let joint = |bone: &Value| skeleton.joint_of_node(usize::try_from(bone.get("node")?.as_u64()?).ok()?);
        if let Some(bones) = extensions.pointer("/VRMC_vrm/humanoid/humanBones").and_then(Value::as_object) {
            let bones = bones.iter().filter_map(|(name, bone)| Some((name.clone(), joint(bone)?)));
            return Some(Self { bones: bones.collect(), front: Front::PlusZ });
        }
        let bones = extensions.pointer("/VRM/humanoid/humanBones")?.as_array()?;
        let bones = bones.iter().filter_map(|bone| Some((bone.get("bone")?.as_str()?.to_owned(), joint(bone)?)));
        Some(Self { bones: bones.collect(), front: Front::MinusZ })
    }

    /// The joint of a bone.
    pub fn joint(&self, bone: &str) -> Option<usize> {
        self.bones.iter().find(|(name, _)| name == bone).map(|&(_, joint)| joint)
    }

    /// Both legs, left first; one whose thigh, shin or foot is missing is left out.
    pub fn legs(&self) -> Vec<Leg> {
        let leg = |side: &str| {
            Some(Leg {
                thigh: self.joint(&format!("{side}UpperLeg"))?,
                shin: self.joint(&format!("{side}LowerLeg"))?,
                foot: self.joint(&format!("{side}Foot"))?,
                toe: self.joint(&format!("{side}Toes")),
            })
        };
        ["left", "right"].into_iter().filter_map(leg).collect()
    }

    /// Left joint and right joint of every bone that has both.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let right = |name: &str| self.joint(&format!("right{}", name.strip_prefix("left")?));
        self.bones.iter().filter_map(|(name, left)| Some((*left, right(name)?))).collect()
    }
}
