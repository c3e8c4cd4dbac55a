//! Roles of joints: the part of a rig's description that systems use and the user can override.

use serde::{Deserialize, Serialize};

use super::Skeleton;

/// The joints of one leg, top to bottom; other joints may be between them.
///
/// In most rigs each is a descendant of the previous one. In some the foot is a separate joint led by a control: see
/// [`Leg::is_chain`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The joint that turns at the hip.
    pub thigh: usize,
    /// The joint that turns at the knee.
    pub shin: usize,
    /// The joint that turns at the ankle, or at the hock in animals that walk on their toes.
    pub foot: usize,
    /// The joint that turns at the ball of the foot.
    pub toe: Option<usize>,
}

/// The axis along which the character faces in its rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Front {
    /// Towards +Z, as glTF requires.
    #[default]
    PlusZ,
    /// Towards −Z, as in VRM 0.x.
    MinusZ,
    /// Towards +X.
    PlusX,
    /// Towards −X.
    MinusX,
}

/// The roles of a rig, independent of the clip; the user can override every entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Roles {
    /// The ancestor of the hips that carries the character, if some clip moves one.
    pub root_motion: Option<usize>,
    /// The joint that carries the (hind) legs.
    pub hips: Option<usize>,
    /// Legs, in joint order; four-legged characters have four.
    pub legs: Vec<Leg>,
    /// The lowest joint of the upper body.
    pub spine_split: Option<usize>,
    /// The joint that carries the skull and the face.
    pub head: Option<usize>,
    /// Hands, in joint order.
    pub hands: Vec<usize>,
    /// The tail, from its base; empty without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<usize>,
    /// The facing direction in the rest pose; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    /// Left and right joints with the same name.
    pub pairs: Vec<(usize, usize)>,
}

portamento_base::named!(Front { PlusZ: "+z", MinusZ: "-z", PlusX: "+x", MinusX: "-x" });

impl Front {
    /// Returns the unit vector of the axis.
    pub fn direction(self) -> glam::DVec3 {
        match self {
            Self::PlusZ => glam::DVec3::Z,
            Self::MinusZ => glam::DVec3::NEG_Z,
            Self::PlusX => glam::DVec3::X,
            Self::MinusX => glam::DVec3::NEG_X,
        }
    }

    /// Returns the axis nearest to the horizontal part of `direction`; `None` if that has no length or is more than 37° from every
    /// axis.
    pub fn nearest(direction: glam::DVec3) -> Option<Self> {
        let flat = glam::DVec3::new(direction.x, 0.0, direction.z).try_normalize()?;
        // 0.8 is the cosine of 37°. Nearer to the diagonal, rounding would decide.
        Self::ALL.into_iter().find(|front| front.direction().dot(flat) > 0.8)
    }
}

impl Leg {
    /// True if thigh, shin and foot are descendants of each other, so that turning one carries the next.
    pub fn is_chain(&self, skeleton: &Skeleton) -> bool {
        is_below(skeleton, self.shin, self.thigh) && is_below(skeleton, self.foot, self.shin)
    }

    /// True if `skeleton` has all joints of the leg and IK can bend it.
    pub fn is_bendable(&self, skeleton: &Skeleton) -> bool {
        let joints = [self.thigh, self.shin, self.foot].into_iter().chain(self.toe);
        joints.max() < Some(skeleton.len()) && (self.is_chain(skeleton) || self.has_separate_foot(skeleton))
    }

    /// True if the foot is no descendant of the thigh, nor the thigh of the foot, so that both must be moved together. False if
    /// `skeleton` lacks one of them.
    pub fn has_separate_foot(&self, skeleton: &Skeleton) -> bool {
        let known = self.foot.max(self.thigh) < skeleton.len();
        known && !skeleton.is_within(self.foot, self.thigh) && !skeleton.is_within(self.thigh, self.foot)
    }
}

impl Roles {
    /// Returns every filled role with its joint, in words that mean the same part in any rig (`hips`, `left shin`,
    /// `tail 2`).
    /// Words shared by two joints are left out: the order of a fox's two left legs depends on the rig.
    pub fn in_words(&self) -> Vec<(String, usize)> {
        let trunk = [("root", self.root_motion), ("hips", self.hips), ("spine", self.spine_split), ("head", self.head)];
        let mut all: Vec<(String, usize)> =
            trunk.into_iter().filter_map(|(word, joint)| Some((word.to_owned(), joint?))).collect();
        all.extend(self.hands.iter().map(|&hand| (format!("{}hand", self.side(hand)), hand)));
        for leg in &self.legs {
            let parts =
                [("thigh", Some(leg.thigh)), ("shin", Some(leg.shin)), ("foot", Some(leg.foot)), ("toe", leg.toe)];
            let side = self.side(leg.thigh);
            all.extend(parts.into_iter().filter_map(|(part, joint)| Some((format!("{side}{part}"), joint?))));
        }
        let link = |(index, &joint): (usize, &usize)| match index {
            0 => ("tail".to_owned(), joint),
            index => (format!("tail {}", index + 1), joint),
        };
        all.extend(self.tail.iter().enumerate().map(link));
        let words: Vec<String> = all.iter().map(|(word, _)| word.clone()).collect();
        all.retain(|(word, _)| words.iter().filter(|other| *other == word).count() == 1);
        all
    }

    /// Returns the ancestor of the hips that receives the body's travel: the joint `root_motion`, else the parent of the hips.
    /// Returns `None` without hips or such an ancestor.
    pub fn root(&self, skeleton: &Skeleton) -> Option<usize> {
        let hips = self.hips.filter(|&hips| hips < skeleton.len())?;
        self.root_motion.filter(|&root| is_below(skeleton, hips, root)).or(skeleton.joints[hips].parent)
    }

    /// Returns the joint that carries the whole body: the hips or, in rigs whose hips do not carry the trunk, the
    /// deepest joint that also carries the head. Without a head the hands decide. Returns the hips if there is no such joint, and
    /// `None` without hips.
    pub fn body(&self, skeleton: &Skeleton) -> Option<usize> {
        let hips = self.hips.filter(|&hips| hips < skeleton.len())?;
        let upper: Vec<usize> = if self.head.is_some() { self.head.into_iter().collect() } else { self.hands.clone() };
        let carries = |joint: usize| upper.iter().all(|&end| end >= skeleton.len() || skeleton.is_within(end, joint));
        skeleton.ancestors(hips).find(|&joint| carries(joint)).or(Some(hips))
    }

    /// Returns the hips and every joint from them to the head, the hands and the feet, without the feet, in joint order; empty
    /// without hips.
    /// These joints must be above the ground even if the body lies down.
    pub fn trunk_and_limbs(&self, skeleton: &Skeleton) -> Vec<usize> {
        let Some(hips) = self.hips.filter(|&hips| hips < skeleton.len()) else { return Vec::new() };
        let feet = self.legs.iter().filter_map(|leg| skeleton.joints.get(leg.foot)?.parent);
        let ends = self.head.into_iter().chain(self.hands.iter().copied()).chain(feet);
        let below_hips = |&end: &usize| end < skeleton.len() && skeleton.is_within(end, hips);
        let chain = |end: usize| skeleton.ancestors(end).take_while(move |&joint| joint != hips);
        let mut all: Vec<usize> = ends.filter(below_hips).flat_map(chain).collect();
        all.push(hips);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns `"left "` or `"right "` with the space if `joint` is in a pair, else an empty text.
    fn side(&self, joint: usize) -> &'static str {
        let on = |side: fn(&(usize, usize)) -> usize| self.pairs.iter().any(|pair| side(pair) == joint);
        if on(|pair| pair.0) {
            "left "
        } else if on(|pair| pair.1) {
            "right "
        } else {
            ""
        }
    }

    /// Returns the roles that `skeleton` can fill, without missing joints and without legs whose joints are not in
    /// hierarchical order. A foot may be separate from its leg.
    pub fn fitting(&self, skeleton: &Skeleton) -> Self {
        let existing = |joint: Option<usize>| joint.filter(|&joint| joint < skeleton.len());
        let listed = |joints: &[usize]| joints.iter().copied().filter(|&joint| joint < skeleton.len()).collect();
        let fits = |leg: &&Leg| {
            leg.is_chain(skeleton) || (is_below(skeleton, leg.shin, leg.thigh) && leg.has_separate_foot(skeleton))
        };
        let legs = self.legs.iter().filter(fits).cloned();
        let toe = |leg: &Leg| leg.toe.filter(|&toe| is_below(skeleton, toe, leg.foot));
        Self {
            root_motion: existing(self.root_motion),
            hips: existing(self.hips),
            legs: legs.map(|leg| Leg { toe: toe(&leg), ..leg }).collect(),
            spine_split: existing(self.spine_split),
            head: existing(self.head),
            hands: listed(&self.hands),
            tail: listed(&self.tail),
            front: self.front,
            pairs: self.pairs.iter().copied().filter(|&(left, right)| left.max(right) < skeleton.len()).collect(),
        }
    }
}

/// True if both are joints of `skeleton` and `joint` is a descendant of `ancestor`, not the same joint.
fn is_below(skeleton: &Skeleton, joint: usize, ancestor: usize) -> bool {
    joint != ancestor && joint.max(ancestor) < skeleton.len() && skeleton.is_within(joint, ancestor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    #[test]
    fn roles_of_missing_joints_and_legs_that_are_no_chain_are_dropped() {
        let skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))]);
        let leg = Leg { thigh: 1, shin: 2, foot: 3, toe: Some(9) };
        let broken = Leg { thigh: 3, shin: 2, foot: 1, toe: None };
        let roles =
            Roles { head: Some(4), hips: Some(0), legs: vec![leg, broken], pairs: vec![(0, 7)], ..Roles::default() };
        let wanted = Leg { thigh: 1, shin: 2, foot: 3, toe: None };
        assert_eq!(roles.fitting(&skeleton), Roles { hips: Some(0), legs: vec![wanted], ..Roles::default() });
    }

    #[test]
    fn a_foot_that_is_separate_from_its_leg_is_kept() {
        let skeleton =
            skeleton_of(&[("root", None), ("hips", Some(0)), ("thigh", Some(1)), ("shin", Some(2)), ("foot", Some(0))]);
        let leg = Leg { thigh: 2, shin: 3, foot: 4, toe: None };
        assert!(!leg.is_chain(&skeleton) && leg.has_separate_foot(&skeleton));
        let roles = Roles { legs: vec![leg], ..Roles::default() };
        assert_eq!(roles.fitting(&skeleton), roles);
    }

    #[test]
    fn hips_that_do_not_carry_the_trunk_share_the_root_of_the_head() {
        let joints = [("root", None), ("torso", Some(0)), ("hips", Some(1)), ("neck", Some(1)), ("head", Some(3))];
        let skeleton = skeleton_of(&joints);
        let roles = |hips, head, hands| Roles { hips: Some(hips), head, hands, ..Roles::default() };
        assert_eq!(roles(2, Some(4), vec![]).body(&skeleton), Some(1));
        assert_eq!(roles(2, None, vec![4]).body(&skeleton), Some(1));
        assert_eq!(roles(1, Some(4), vec![]).body(&skeleton), Some(1));
        assert_eq!(roles(2, None, vec![]).body(&skeleton), Some(2));
        assert_eq!(roles(2, Some(9), vec![]).body(&skeleton), Some(2));
        assert_eq!(roles(9, Some(4), vec![]).body(&skeleton), None);
    }

    #[test]
    fn role_words_include_sides_and_tail_indices() {
        let leg = |thigh| Leg { thigh, shin: thigh + 1, foot: thigh + 2, toe: None };
        let mut roles = Roles {
            hips: Some(0),
            legs: vec![leg(1), leg(4)],
            tail: vec![7, 8],
            pairs: vec![(4, 1)],
            ..Roles::default()
        };
        let words: Vec<String> = roles.in_words().into_iter().map(|(word, joint)| format!("{word} {joint}")).collect();
        let wanted = ["hips 0", "right thigh 1", "right shin 2", "right foot 3", "left thigh 4", "left shin 5"];
        assert_eq!(words[..6], wanted);
        assert_eq!(words[6..], ["left foot 6", "tail 7", "tail 2 8"]);
        roles.legs.push(leg(1));
        assert_eq!(roles.in_words().len(), 6, "two right legs cannot be distinguished");
    }

    #[test]
    fn directions_between_two_axes_are_no_front() {
        assert_eq!(Front::nearest(glam::DVec3::new(0.1, 4.0, -1.0)), Some(Front::MinusZ));
        assert_eq!(Front::nearest(glam::DVec3::new(1.0, 0.0, 1.0)), None);
        assert_eq!(Front::nearest(glam::DVec3::Y), None);
    }
}
