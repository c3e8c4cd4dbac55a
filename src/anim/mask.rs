//! Per-joint weights, usually 0 (none) to 1 (all).

use serde::{Deserialize, Serialize};

use super::{Leg, Roles, Skeleton};
use portamento_base::message::{Message, message, messages};

/// One weight per joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    /// Weight of each joint of the skeleton; finite and ≥ 0, usually 0…1.
    pub weights: Vec<f32>,
}

/// Predefined parts of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// Every joint of the skeleton.
    #[default]
    Everything,
    /// The spine joint of [`Roles::spine_split`] and all its descendants, without legs and the joints that carry them.
    UpperBody,
    /// All joints outside the upper body.
    LowerBody,
    /// The joints from the shoulders to the fingers.
    Arms,
    /// The head and all its descendants.
    Head,
    /// No joint; weights come from overrides.
    Nothing,
}

portamento_base::named!(Region {
    Everything: "everything",
    UpperBody: "upper_body",
    LowerBody: "lower_body",
    Arms: "arms",
    Head: "head",
    Nothing: "nothing"
});

/// A mask as chosen by the user; joints by name, so that it survives changes of the rig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaskChoice {
    /// The base region.
    pub region: Region,
    /// The joint at which the region begins; `None` uses the rig's roles.
    pub from: Option<String>,
    /// Number of joints after the beginning over which the weight rises to 1; 0 starts at 1.
    pub falloff: u32,
    /// If true, every weight w becomes 1 − w, before overrides.
    pub complement: bool,
    /// Joints with individual weights, ≥ 0.
    pub overrides: Vec<(String, f32)>,
}

messages! {
/// Errors of resolving a mask.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaskError {
    /// The skeleton has no joint of this name.
    NoSuchJoint(joint: String) => message!(
        "error.mask.no_such_joint",
        "There is no joint \"%{joint}\" in this skeleton. Choose the joint again.",
        joint = joint
    ),
    /// The rig has no such part of the body.
    NoSuchPart(part: BodyPart) => message!(
        "error.mask.no_such_part",
        "No %{part} was recognised in this skeleton. Choose the first joint of this part.",
        part = part.message()
    ),
    /// A weight is negative or not finite.
    BadWeight {
        /// The joint's name in the skeleton.
        joint: String,
        /// The invalid weight.
        weight: f32,
    } => message!(
        "error.mask.bad_weight",
        "The weight of joint \"%{joint}\" is %{weight}. Enter a number of 0 or more.",
        joint = joint, weight
    ),
}
}

/// A part of the body that a rig may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// The first joint of [`Region::UpperBody`].
    Spine,
    /// The first joint of [`Region::Head`].
    Head,
    /// The last joints of [`Region::Arms`].
    Hands,
}

impl BodyPart {
    /// Returns the name of the part, for error messages.
    fn message(self) -> Message {
        match self {
            Self::Spine => message!("part.spine", "spine"),
            Self::Head => message!("part.head", "head"),
            Self::Hands => message!("part.hands", "hands"),
        }
    }
}

impl Mask {
    /// Returns a mask with the same weight for `count` joints.
    pub fn uniform(count: usize, weight: f32) -> Self {
        Self { weights: vec![weight; count] }
    }

    /// Returns weight 1 for `joint` and its descendants. With a `falloff`, a descendant at depth d has (d + 1)/(`falloff` + 1),
    /// at most 1; `joint` itself is at depth 0.
    pub fn below(skeleton: &Skeleton, joint: usize, falloff: u32) -> Self {
        let mut mask = Self::uniform(skeleton.len(), 0.0);
        mask.add_below(skeleton, joint, falloff);
        mask
    }

    /// Returns the mask with every weight w replaced by max(1 − w, 0).
    pub fn complement(&self) -> Self {
        Self { weights: self.weights.iter().map(|weight| (1.0 - weight).max(0.0)).collect() }
    }

    /// Raises the weights of `joint` and its descendants to those of [`Mask::below`]. Larger weights stay.
    fn add_below(&mut self, skeleton: &Skeleton, joint: usize, falloff: u32) {
        for each in skeleton.subtree(joint) {
            let depth = skeleton.ancestors(each).take_while(|&ancestor| ancestor != joint).count();
            let weight = ((depth + 1) as f32 / (falloff as f32 + 1.0)).min(1.0);
            self.weights[each] = self.weights[each].max(weight);
        }
    }
}

impl MaskChoice {
    /// Returns the choice of `region`, beginning at the joint from the rig's roles.
    pub fn from_region(region: Region) -> Self {
        Self { region, ..Self::default() }
    }

    /// True if the region is the upper body, not inverted and without individual weights. The first joint and the falloff may be
    /// any.
    pub fn is_upper_body(&self) -> bool {
        self.region == Region::UpperBody && !self.complement && self.overrides.is_empty()
    }

    /// Returns the inverted choice: every weight w becomes 1 − w, including individual weights.
    pub fn inverted(&self) -> Self {
        let overrides = self.overrides.iter().map(|(name, weight)| (name.clone(), (1.0 - weight).max(0.0)));
        Self { complement: !self.complement, overrides: overrides.collect(), ..self.clone() }
    }

    /// Sets the individual weight of the joint named `joint` to `weight`, clamped to 0…1.
    pub fn set(&mut self, joint: &str, weight: f32) {
        let weight = weight.clamp(0.0, 1.0);
        match self.overrides.iter_mut().find(|(name, _)| name == joint) {
            Some(existing) => existing.1 = weight,
            None => self.overrides.push((joint.to_owned(), weight)),
        }
    }

    /// Returns the weights for `skeleton`. They begin at the joint `from`, or else where `roles` say that the region begins. The
    /// individual weights are set last.
    ///
    /// Returns `Err` if a joint does not exist, the rig lacks the region, or a weight is negative or not finite.
    pub fn resolve(&self, skeleton: &Skeleton, roles: &Roles) -> Result<Mask, MaskError> {
        let named = self.from.as_ref().map(|name| joint_named(skeleton, name)).transpose()?;
        let first_joints = match named {
            Some(joint) => vec![joint],
            None => first_joints_of(self.region, skeleton, roles)?,
        };
        let mut mask = Mask::uniform(skeleton.len(), if self.region == Region::Everything { 1.0 } else { 0.0 });
        first_joints.iter().for_each(|&joint| mask.add_below(skeleton, joint, self.falloff));
        if self.complement != (self.region == Region::LowerBody) {
            mask = mask.complement();
        }
        for (name, weight) in &self.overrides {
            if !weight.is_finite() || *weight < 0.0 {
                return Err(MaskError::BadWeight { joint: name.clone(), weight: *weight });
            }
            mask.weights[joint_named(skeleton, name)?] = *weight;
        }
        Ok(mask)
    }
}

/// Returns the first joint with exactly this name, `Err` if there is none.
fn joint_named(skeleton: &Skeleton, name: &str) -> Result<usize, MaskError> {
    skeleton.find(name).ok_or_else(|| MaskError::NoSuchJoint(name.into()))
}

/// Returns the joints at which a part of the body begins: none for everything and nothing, those of the upper body for the lower
/// body. Returns `Err` if `roles` lack the part.
fn first_joints_of(region: Region, skeleton: &Skeleton, roles: &Roles) -> Result<Vec<usize>, MaskError> {
    match region {
        Region::Everything | Region::Nothing => Ok(Vec::new()),
        Region::UpperBody | Region::LowerBody => {
            let joints = roles.spine_split.map_or_else(Vec::new, |joint| upper_body_joints(skeleton, roles, joint));
            if joints.is_empty() { Err(MaskError::NoSuchPart(BodyPart::Spine)) } else { Ok(joints) }
        }
        Region::Head => roles.head.map(|joint| vec![joint]).ok_or(MaskError::NoSuchPart(BodyPart::Head)),
        Region::Arms if roles.hands.is_empty() => Err(MaskError::NoSuchPart(BodyPart::Hands)),
        Region::Arms => Ok(roles.hands.iter().map(|&hand| shoulder_of(skeleton, roles, hand)).collect()),
    }
}

/// Returns `spine`. If legs hang from it, such as the front legs of an animal, returns the topmost joints below it that carry no
/// leg, because the legs follow the joints that carry them. Without such joints, `spine` is still returned if other legs do not
/// hang from it.
fn upper_body_joints(skeleton: &Skeleton, roles: &Roles, spine: usize) -> Vec<usize> {
    let legs: Vec<&Leg> = roles.legs.iter().filter(|leg| leg.thigh < skeleton.len()).collect();
    let is_leg = |joint: usize| {
        let parts = legs.iter().flat_map(|leg| [Some(leg.thigh), Some(leg.foot), leg.toe]);
        parts.flatten().any(|part| skeleton.is_within(joint, part))
    };
    let hanging = legs.iter().filter(|leg| skeleton.is_within(leg.thigh, spine)).count();
    if hanging == 0 {
        return vec![spine];
    }
    let carries_leg = |joint: usize| legs.iter().any(|leg| skeleton.is_within(leg.thigh, joint));
    let parent_carries_leg = |joint: usize| skeleton.joints[joint].parent.is_some_and(carries_leg);
    let is_first = |joint: &usize| parent_carries_leg(*joint) && !carries_leg(*joint) && !is_leg(*joint);
    let first: Vec<usize> = skeleton.subtree(spine).into_iter().filter(is_first).collect();
    if first.is_empty() && hanging < legs.len() { vec![spine] } else { first }
}

/// Returns the topmost joint from `hand` upwards that carries neither the head nor another hand nor the first spine joint.
fn shoulder_of(skeleton: &Skeleton, roles: &Roles, hand: usize) -> usize {
    let others =
        || roles.hands.iter().copied().filter(move |&other| other != hand).chain(roles.head).chain(roles.spine_split);
    let is_exclusive = |joint: usize| !others().any(|other| skeleton.is_within(other, joint));
    skeleton.ancestors(hand).take_while(|&joint| is_exclusive(joint)).last().unwrap_or(hand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    fn body() -> (Skeleton, Roles) {
        let rows = [
            ("hips", None),
            ("spine", Some(0)),
            ("chest", Some(1)),
            ("head", Some(2)),
            ("shoulder.l", Some(2)),
            ("hand.l", Some(4)),
            ("shoulder.r", Some(2)),
            ("hand.r", Some(6)),
            ("thigh.l", Some(0)),
        ];
        let roles = Roles { hips: Some(0), spine_split: Some(1), head: Some(3), hands: vec![5, 7], ..Roles::default() };
        (skeleton_of(&rows), roles)
    }

    #[test]
    fn weights_of_upper_and_lower_body_add_up_to_one() {
        let (skeleton, roles) = body();
        let part =
            |region| MaskChoice { falloff: 2, ..MaskChoice::from_region(region) }.resolve(&skeleton, &roles).unwrap();
        let (upper, lower) = (part(Region::UpperBody), part(Region::LowerBody));
        assert!(upper.weights.iter().zip(&lower.weights).all(|(u, l)| (u + l - 1.0).abs() < 1e-6));
        assert_eq!((upper.weights[0], upper.weights[3], upper.weights[8]), (0.0, 1.0, 0.0));
        assert!((upper.weights[1] - 1.0 / 3.0).abs() < 1e-6 && (upper.weights[2] - 2.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn an_upper_body_that_begins_above_the_hips_contains_no_leg_and_no_joint_that_carries_one() {
        let (skeleton, mut roles) = body();
        roles.legs = vec![Leg { thigh: 8, shin: 8, foot: 8, toe: None }];
        let upper = |roles: &Roles| MaskChoice::from_region(Region::UpperBody).resolve(&skeleton, roles);
        let expected = upper(&roles).unwrap().weights;
        roles.spine_split = Some(0);
        assert_eq!(upper(&roles).unwrap().weights, expected);
        assert_eq!(expected, [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        roles.spine_split = Some(8);
        assert_eq!(upper(&roles), Err(MaskError::NoSuchPart(BodyPart::Spine)));
    }

    #[test]
    fn front_legs_and_the_joints_that_carry_them_belong_to_the_lower_body() {
        let rows = [
            ("hips", None),
            ("thigh.b", Some(0)),
            ("spine", Some(0)),
            ("chest", Some(2)),
            ("thigh.f", Some(3)),
            ("foot.f", Some(4)),
            ("neck", Some(3)),
            ("head", Some(6)),
            ("wing", Some(2)),
        ];
        let skeleton = skeleton_of(&rows);
        let leg = |thigh: usize, foot: usize| Leg { thigh, shin: foot, foot, toe: None };
        let mut roles = Roles { spine_split: Some(2), legs: vec![leg(1, 1), leg(4, 5)], ..Roles::default() };
        let upper =
            |roles: &Roles| MaskChoice::from_region(Region::UpperBody).resolve(&skeleton, roles).unwrap().weights;
        assert_eq!(upper(&roles), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let chosen = MaskChoice { from: Some("chest".into()), ..MaskChoice::from_region(Region::UpperBody) };
        assert_eq!(chosen.resolve(&skeleton, &roles).unwrap().weights[3..6], [1.0; 3]);
        roles.spine_split = Some(4);
        assert_eq!(upper(&roles), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], "a part of legs alone is as chosen");
    }

    #[test]
    fn arms_begin_at_the_shoulders_and_exclude_chest_and_head() {
        let (skeleton, roles) = body();
        let arms = MaskChoice::from_region(Region::Arms).resolve(&skeleton, &roles).unwrap();
        assert_eq!(arms.weights, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn errors_name_unknown_joints_and_invalid_weights() {
        let (skeleton, roles) = body();
        let choice = MaskChoice { overrides: vec![("head".into(), f32::NAN)], ..MaskChoice::default() };
        assert!(choice.resolve(&skeleton, &roles).unwrap_err().to_string().contains("head"));
        let choice = MaskChoice { from: Some("tail".into()), ..MaskChoice::from_region(Region::UpperBody) };
        assert_eq!(choice.resolve(&skeleton, &roles), Err(MaskError::NoSuchJoint("tail".into())));
    }

    #[test]
    fn an_individual_weight_is_clamped_and_overrides_the_region() {
        let (skeleton, roles) = body();
        let mut choice = MaskChoice::from_region(Region::UpperBody);
        for (given, expected) in [(0.25, 0.25), (0.75, 0.75), (7.0, 1.0), (-1.0, 0.0)] {
            choice.set("thigh.l", given);
            assert_eq!(choice.resolve(&skeleton, &roles).unwrap().weights[8], expected, "{given}");
        }
    }
}
