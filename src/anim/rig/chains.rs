//! The limbs of a rig as chains of bones, the form in which rigs are compared.
//!
//! The ends of limbs come from the roles, which the user may have corrected. The joints between them follow from the
//! hierarchy: the spine runs from the hips to where arms or front legs begin, the neck from there to the head, an arm
//! from there to its hand.
//!
//! If names do not identify shoulder and elbow, the elbow is the joint that halves the distance to the hand, and the
//! shoulder the one as far before it as the hand is after it. Clavicles, twist joints and wrists therefore need no
//! names. Fingers are identified by name only.

use glam::DVec3;

use super::names::Name;
pub use super::names::Side;
use crate::root_motion::all_at_rest;
use crate::{Leg, Model, Roles, Skeleton};

/// A pair of legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LegPair {
    /// The legs of a person, the hind legs of an animal.
    Hind,
    /// The front legs of an animal.
    Front,
}

/// A finger of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finger {
    /// The first finger.
    Thumb,
    /// The second finger.
    Index,
    /// The third finger.
    Middle,
    /// The fourth finger.
    Ring,
    /// The fifth finger.
    Little,
}

/// A part of the body that bends as one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limb {
    /// The joint that carries the legs.
    Hips,
    /// From after the hips to where arms or front legs begin.
    Spine,
    /// From after the spine to before the head.
    Neck,
    /// A single joint.
    Head,
    /// From its base to its end.
    Tail,
    /// Joints between the spine and the upper arm; often one joint.
    Clavicle(Side),
    /// Upper and lower arm.
    Arm(Side),
    /// A single joint.
    Hand(Side),
    /// The bones of a finger.
    Finger(Side, Finger),
    /// Thigh and shin.
    Leg(Side, LegPair),
    /// A single joint.
    Foot(Side, LegPair),
    /// A single joint.
    Toe(Side, LegPair),
}

impl Side {
    /// Returns the side as it is written in the names of limbs.
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl Limb {
    /// Returns the name used in reports, words joined by `_`: `left_arm`, `right_front_leg`, `left_index_finger`.
    pub fn name(self) -> String {
        let leg = |side: Side, pair: LegPair, part: &str| match pair {
            LegPair::Hind => format!("{}_{part}", side.name()),
            LegPair::Front => format!("{}_front_{part}", side.name()),
        };
        match self {
            Self::Hips => "hips".into(),
            Self::Spine => "spine".into(),
            Self::Neck => "neck".into(),
            Self::Head => "head".into(),
            Self::Tail => "tail".into(),
            Self::Clavicle(side) => format!("{}_clavicle", side.name()),
            Self::Arm(side) => format!("{}_arm", side.name()),
            Self::Hand(side) => format!("{}_hand", side.name()),
            Self::Finger(side, finger) => format!("{}_{finger:?}_finger", side.name()).to_lowercase(),
            Self::Leg(side, pair) => leg(side, pair, "leg"),
            Self::Foot(side, pair) => leg(side, pair, "foot"),
            Self::Toe(side, pair) => leg(side, pair, "toe"),
        }
    }
}

/// A bone of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bone {
    /// The joint that turns it.
    pub joint: usize,
    /// The last joint that turns it: the one after all its twist joints in the chain; otherwise equal to `joint`.
    pub end: usize,
}

/// A limb of a rig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The limb.
    pub limb: Limb,
    /// Its bones, parents first; never empty.
    pub bones: Vec<Bone>,
    /// The joint to which the last bone points, if any.
    pub tip: Option<usize>,
}

/// Returns the limbs of `model` with `roles`, parents first, without those that it lacks.
pub fn chains(model: &Model, roles: &Roles) -> Vec<Chain> {
    let skeleton = &model.skeleton;
    let Some(hips) = roles.hips.filter(|&hips| hips < skeleton.len()) else { return Vec::new() };
    let humanoid_name =
        |joint: usize| model.humanoid.iter().find(|bone| bone.joint == joint).map(|bone| bone.name.as_str());
    let name = |joint: usize| Name::read(humanoid_name(joint).unwrap_or(&skeleton.joints[joint].name));
    let reader = Reader {
        skeleton,
        roles,
        hips,
        names: (0..skeleton.len()).map(name).collect(),
        positions: all_at_rest(skeleton).iter().map(|world| world.translation).collect(),
    };
    reader.all_chains()
}

/// The arguments of [`chains()`], with the parsed name and the world rest position of every joint.
struct Reader<'a> {
    skeleton: &'a Skeleton,
    roles: &'a Roles,
    hips: usize,
    names: Vec<Name>,
    positions: Vec<DVec3>,
}

impl Reader<'_> {
    /// Returns all limbs that have bones: trunk, tail, arms, legs. Of two limbs of the same kind only the first is returned.
    fn all_chains(&self) -> Vec<Chain> {
        let pelvis = self.pelvis();
        let mut trunk = self.trunk();
        let below_spine = trunk.iter().position(|&joint| joint == pelvis).map_or(0, |at| at + 1);
        trunk.drain(..below_spine);
        let head = self.roles.head.filter(|head| trunk.contains(head));
        let [spine, neck] = self.spine_and_neck(&trunk);
        let after_spine = neck.first().copied().or(head);
        let mut chains =
            vec![Chain { limb: Limb::Hips, bones: vec![Bone { joint: self.hips, end: pelvis }], tip: None }];
        chains.push(Chain { limb: Limb::Spine, bones: bones(&spine), tip: after_spine });
        chains.push(Chain { limb: Limb::Neck, bones: bones(&neck), tip: head });
        chains.push(Chain {
            limb: Limb::Head,
            bones: head.iter().flat_map(|&head| bones(&[head])).collect(),
            tip: None,
        });
        chains.push(Chain { limb: Limb::Tail, bones: bones(&self.roles.tail), tip: None });
        // A rig may have controls called hands outside its arms, so arms with names come first.
        let is_control = |&hand: &usize| self.named_arm(&self.arm_path(hand, &trunk)).is_none();
        let mut hands = self.roles.hands.clone();
        hands.sort_by_key(is_control);
        hands.into_iter().for_each(|hand| chains.extend(self.arm(hand, &trunk)));
        self.roles.legs.iter().for_each(|leg| chains.extend(self.leg(leg)));
        chains.retain(|chain| !chain.bones.is_empty());
        // A second limb of the same kind would compete with the first.
        let mut seen = Vec::new();
        chains.retain(|chain| {
            let is_new = !seen.contains(&chain.limb);
            seen.push(chain.limb);
            is_new
        });
        chains
    }

    /// Returns the joint that carries the legs: the hips, or a joint below them. Capture rigs have a pelvis below a joint called
    /// hips, and only the pelvis turns.
    fn pelvis(&self) -> usize {
        let thighs: Vec<usize> = self.roles.legs.iter().map(|leg| leg.thigh).collect();
        let shared = self.common(&thighs).filter(|_| thighs.len() == 2);
        shared
            .filter(|&joint| !thighs.contains(&joint) && self.skeleton.is_within(joint, self.hips))
            .unwrap_or(self.hips)
    }

    /// Splits `trunk` at the joint where arms or front legs begin into spine and neck, both without the head.
    ///
    /// Without such limbs the whole trunk is the spine. If no joint of the trunk carries all of them, the spine is the joint
    /// that carries both them and the hips.
    fn spine_and_neck(&self, trunk: &[usize]) -> [Vec<usize>; 2] {
        let limbs: Vec<usize> = if self.roles.hands.is_empty() {
            self.front_legs().map(|leg| leg.thigh).collect()
        } else {
            self.roles.hands.clone()
        };
        let carries =
            |joint: usize| !limbs.is_empty() && limbs.iter().all(|&each| self.skeleton.is_within(each, joint));
        let chest = trunk.iter().rposition(|&joint| carries(joint));
        // Some rigs hang the collar bones on the neck.
        let is_neck = |at: usize| self.names[trunk[at]].body == "neck";
        let chest = chest.map(|chest| if is_neck(chest) { chest.saturating_sub(1) } else { chest });
        let shared =
            self.roles.body(self.skeleton).filter(|&body| chest.is_none() && body != self.hips && carries(body));
        let (spine, rest) = match shared {
            Some(body) => (vec![body], trunk),
            None => {
                let (spine, rest) = trunk.split_at(chest.map_or(trunk.len(), |chest| chest + 1));
                (spine.to_vec(), rest)
            }
        };
        let without_head =
            |part: &[usize]| part.iter().copied().filter(|&joint| Some(joint) != self.roles.head).collect();
        [without_head(&spine), without_head(rest)]
    }

    /// Returns the joints from the hips to the end of the head, excluding the hips. The last one is the head, else the joint that
    /// carries both hands, else the first spine joint. Returns none without any of these.
    fn trunk(&self) -> Vec<usize> {
        let top = self.roles.head.or_else(|| self.common(&self.roles.hands)).or(self.roles.spine_split);
        let Some(top) = top.filter(|&top| top < self.skeleton.len()) else { return Vec::new() };
        let is_after_hips = |&joint: &usize| !self.skeleton.is_within(self.hips, joint);
        let mut trunk: Vec<usize> = self.skeleton.ancestors(top).take_while(is_after_hips).collect();
        trunk.reverse();
        trunk
    }

    /// Returns the deepest joint that carries all `joints`, which may be one of them; `None` if there is none.
    fn common(&self, joints: &[usize]) -> Option<usize> {
        let first = *joints.first()?;
        self.skeleton.ancestors(first).find(|&up| joints.iter().all(|&joint| self.skeleton.is_within(joint, up)))
    }

    fn front_legs(&self) -> impl Iterator<Item = &Leg> {
        self.roles.legs.iter().filter(|leg| self.pair_of(leg) == LegPair::Front)
    }

    /// Returns the pair of `leg`: of four legs those farther forward are the front ones.
    fn pair_of(&self, leg: &Leg) -> LegPair {
        if self.roles.legs.len() < 3 {
            return LegPair::Hind;
        }
        let front = self.roles.front.unwrap_or_default().direction();
        let ahead = |leg: &Leg| self.positions[leg.thigh].dot(front);
        let middle = self.roles.legs.iter().map(ahead).sum::<f64>() / self.roles.legs.len() as f64;
        if ahead(leg) > middle { LegPair::Front } else { LegPair::Hind }
    }

    /// Returns the side of `joint` by the pairs, else by its name, else by its position relative to the hips. A joint in the
    /// middle is on the left.
    fn side(&self, joint: usize) -> Side {
        if self.roles.pairs.iter().any(|&(left, _)| left == joint) {
            return Side::Left;
        }
        if self.roles.pairs.iter().any(|&(_, right)| right == joint) {
            return Side::Right;
        }
        if let Some(side) = self.names[joint].side {
            return side;
        }
        let left = DVec3::Y.cross(self.roles.front.unwrap_or_default().direction());
        if (self.positions[joint] - self.positions[self.hips]).dot(left) >= 0.0 { Side::Left } else { Side::Right }
    }

    /// Returns clavicle, arm, hand and fingers of `hand`, in this order. Clavicle and arm are missing if shoulder and elbow are
    /// not found; a clavicle may have no bones.
    fn arm(&self, hand: usize, trunk: &[usize]) -> Vec<Chain> {
        let path = self.arm_path(hand, trunk);
        let side = self.side(hand);
        let fingers = self.fingers(hand, side);
        let knuckle = |chain: &Chain| chain.bones.first().map(|bone| bone.joint);
        let of =
            |finger: Finger| fingers.iter().find(|chain| chain.limb == Limb::Finger(side, finger)).and_then(knuckle);
        let tip = of(Finger::Middle).or_else(|| of(Finger::Index)).or_else(|| of(Finger::Ring));
        let mut chains = vec![Chain { limb: Limb::Hand(side), bones: bones(&[hand]), tip }];
        if let Some((shoulder, elbow)) = self.named_arm(&path).or_else(|| self.shoulder_and_elbow(&path, hand)) {
            let upper = Bone { joint: path[shoulder], end: path[elbow - 1] };
            let lower = Bone { joint: path[elbow], end: path[path.len() - 1] };
            let collar =
                Chain { limb: Limb::Clavicle(side), bones: bones(&path[..shoulder]), tip: Some(path[shoulder]) };
            let arm = Chain { limb: Limb::Arm(side), bones: vec![upper, lower], tip: Some(hand) };
            chains.splice(0..0, [collar, arm]);
        }
        chains.extend(fingers);
        chains
    }

    /// Returns the joints between the `trunk` and `hand`, from the trunk outwards, without `hand`.
    fn arm_path(&self, hand: usize, trunk: &[usize]) -> Vec<usize> {
        let is_arm = |joint: &usize| !trunk.contains(joint) && !self.skeleton.is_within(self.hips, *joint);
        let mut path: Vec<usize> = self.skeleton.ancestors(hand).skip(1).take_while(is_arm).collect();
        path.reverse();
        path
    }

    /// Returns the indices of shoulder and elbow in `path` by name; `None` if one of them is not named.
    fn named_arm(&self, path: &[usize]) -> Option<(usize, usize)> {
        const UPPER: [&str; 8] = ["upperarm", "uparm", "upper", "humerus", "shldrbend", "shldr", "armstretch", "腕"];
        const LOWER: [&str; 8] = ["forearm", "lowerarm", "lowarm", "lower", "elbow", "radius", "forearmbend", "ひじ"];
        let called = |endings: &[&str], joint: usize| {
            let name = &self.names[joint];
            !name.extra && endings.iter().any(|ending| name.body.ends_with(ending))
        };
        let elbow = path.iter().position(|&joint| called(&LOWER, joint))?;
        let is_upper = |&joint: &usize| called(&UPPER, joint) || self.names[joint].body == "arm";
        let shoulder = path[..elbow].iter().position(is_upper)?;
        Some((shoulder, elbow))
    }

    /// Returns the indices of shoulder and elbow in `path`, which ends before the hand, by distance: the elbow halves the
    /// distance from the first joint to the hand, and the shoulder is as far before it as the hand is after it. Returns `None` if
    /// `path` has fewer than two joints or no length.
    fn shoulder_and_elbow(&self, path: &[usize], hand: usize) -> Option<(usize, usize)> {
        let distance = |a: usize, b: usize| self.positions[a].distance(self.positions[b]);
        let top = *path.first()?;
        let halves = |at: &usize| distance(top, path[*at]).min(distance(path[*at], hand));
        let elbow = (1..path.len()).max_by(|a, b| halves(a).total_cmp(&halves(b)))?;
        let lower_arm = distance(path[elbow], hand);
        let difference = |at: &usize| (distance(path[*at], path[elbow]) - lower_arm).abs();
        let shoulder = (0..elbow).min_by(|a, b| difference(a).total_cmp(&difference(b)))?;
        (halves(&elbow) > 0.0).then_some((shoulder, elbow))
    }

    /// Returns the fingers of `hand` that names identify, thumb first. All joints below the first one that have the finger's
    /// word in their name belong to it.
    fn fingers(&self, hand: usize, side: Side) -> Vec<Chain> {
        const WORDS: [(Finger, &[&str]); 5] = [
            (Finger::Thumb, &["thumb", "親指"]),
            (Finger::Index, &["index", "pointer", "人指"]),
            (Finger::Middle, &["middle", "mid", "中指"]),
            (Finger::Ring, &["ring", "薬指"]),
            (Finger::Little, &["pinky", "little", "小指"]),
        ];
        let descendants: Vec<usize> = self.skeleton.subtree(hand).into_iter().skip(1).collect();
        let finger = |&(finger, words): &(Finger, &[&str])| {
            let is_finger = |joint: &usize| {
                let name = &self.names[*joint];
                !name.extra && words.iter().any(|word| name.body.contains(word))
            };
            let first = descendants.iter().copied().find(is_finger)?;
            let joints: Vec<usize> = self.skeleton.subtree(first).into_iter().filter(is_finger).collect();
            Some(Chain { limb: Limb::Finger(side, finger), bones: bones(&joints), tip: None })
        };
        WORDS.iter().filter_map(finger).collect()
    }

    /// Returns leg, foot and, if it has one, toe of `leg`, in this order.
    fn leg(&self, leg: &Leg) -> Vec<Chain> {
        let (side, pair) = (self.side(leg.thigh), self.pair_of(leg));
        let parent = |joint: usize| self.skeleton.joints[joint].parent;
        let is_within = |joint: usize, top: usize| self.skeleton.is_within(joint, top);
        let end = |joint: usize, next: usize| parent(next).filter(|&end| is_within(end, joint)).unwrap_or(joint);
        let thigh = Bone { joint: leg.thigh, end: end(leg.thigh, leg.shin) };
        let shin = Bone { joint: leg.shin, end: end(leg.shin, leg.foot) };
        let toe = leg.toe.map(|toe| Chain { limb: Limb::Toe(side, pair), bones: bones(&[toe]), tip: None });
        let chains = [
            Chain { limb: Limb::Leg(side, pair), bones: vec![thigh, shin], tip: Some(leg.foot) },
            Chain { limb: Limb::Foot(side, pair), bones: bones(&[leg.foot]), tip: leg.toe },
        ];
        chains.into_iter().chain(toe).collect()
    }
}

/// Returns one bone without twist joints for each of `joints`.
fn bones(joints: &[usize]) -> Vec<Bone> {
    joints.iter().map(|&joint| Bone { joint, end: joint }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    #[test]
    fn a_pelvis_below_the_hips_and_a_neck_with_arms_are_no_part_of_the_spine() {
        let rows = [
            ("hips", None),
            ("pelvis", Some(0)),
            ("thigh.L", Some(1)),
            ("shin.L", Some(2)),
            ("foot.L", Some(3)),
            ("thigh.R", Some(1)),
            ("shin.R", Some(5)),
            ("foot.R", Some(6)),
            ("spine", Some(1)),
            ("chest", Some(8)),
            ("neck", Some(9)),
            ("head", Some(10)),
            ("hand.L", Some(10)),
            ("hand.R", Some(10)),
        ];
        let leg = |thigh: usize| Leg { thigh, shin: thigh + 1, foot: thigh + 2, toe: None };
        let (legs, hands) = (vec![leg(2), leg(5)], vec![12, 13]);
        let roles = Roles { hips: Some(0), head: Some(11), hands, legs, ..Roles::default() };
        let found = chains(&Model { skeleton: skeleton_of(&rows), ..Model::default() }, &roles);
        let of = |limb: Limb| found.iter().find(|chain| chain.limb == limb).map(|chain| chain.bones.clone());
        assert_eq!(of(Limb::Hips), Some(vec![Bone { joint: 0, end: 1 }]));
        assert_eq!([of(Limb::Spine), of(Limb::Neck)], [Some(bones(&[8, 9])), Some(bones(&[10]))]);
    }

    #[test]
    fn a_control_called_hand_outside_the_arm_does_not_replace_the_hand() {
        let rows = [
            ("hips", None),
            ("spine", Some(0)),
            ("head", Some(1)),
            ("upper_arm.L", Some(1)),
            ("forearm.L", Some(3)),
            ("hand.L", Some(4)),
            ("hand_control.L", Some(0)),
        ];
        let model = Model { skeleton: skeleton_of(&rows), ..Model::default() };
        for hands in [vec![5, 6], vec![6, 5]] {
            let roles = Roles { hips: Some(0), head: Some(2), hands, ..Roles::default() };
            let found = chains(&model, &roles);
            let of = |limb: Limb| found.iter().filter(|chain| chain.limb == limb).collect::<Vec<_>>();
            let [arm, hand] = [Limb::Arm(Side::Left), Limb::Hand(Side::Left)].map(of);
            assert!(arm.len() == 1 && arm[0].bones == bones(&[3, 4]), "{arm:?}");
            assert!(hand.len() == 1 && hand[0].bones == bones(&[5]), "{hand:?}");
        }
    }
}
