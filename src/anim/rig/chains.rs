//! The limbs of a rig as chains of bones, the form in which one rig is compared with another.
//!
//! Ends of limbs come from the roles, which the user may have corrected. What lies between them follows from the hierarchy:
//! the spine runs from the hips to where arms or front legs hang, the neck from there to the head, an arm from there to its hand.
//! Where names do not tell shoulder and elbow, the elbow is the joint that halves the way to the hand, and the shoulder the one that
//! lies as far above it as the hand below it; so collar bones, twist joints and wrists need no names. Fingers are told by name alone.

use glam::DVec3;

use super::names::Name;
pub use super::names::Side;
use crate::anim::root_motion::all_at_rest;
use crate::anim::{Leg, Model, Roles, Skeleton};

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
    /// One joint, on which the legs hang.
    Hips,
    /// From above the hips to where arms or front legs hang.
    Spine,
    /// From above the spine to below the head.
    Neck,
    /// A single joint.
    Head,
    /// From its base to its end.
    Tail,
    /// What lies between the spine and the upper arm; often one joint.
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
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl Limb {
    /// In words joined by `_`, as reports name it: `left_arm`, `right_front_leg`, `left_index_finger`.
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
    /// The last joint that turns it: that below all its twist joints, which lie in the chain; else the same.
    pub end: usize,
}

/// A limb of a rig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Which limb it is.
    pub limb: Limb,
    /// Its bones, parents first; never empty.
    pub bones: Vec<Bone>,
    /// The joint to which the last bone points, where there is one.
    pub tip: Option<usize>,
}

/// The limbs of `model` with `roles`, parents first; those that it lacks are left out.
pub fn chains(model: &Model, roles: &Roles) -> Vec<Chain> {
    let skeleton = &model.skeleton;
    let Some(hips) = roles.hips.filter(|&hips| hips < skeleton.len()) else { return Vec::new() };
    let told = |joint: usize| model.humanoid.iter().find(|bone| bone.joint == joint).map(|bone| bone.name.as_str());
    let name = |joint: usize| Name::read(told(joint).unwrap_or(&skeleton.joints[joint].name));
    let reader = Reader {
        skeleton,
        roles,
        hips,
        names: (0..skeleton.len()).map(name).collect(),
        places: all_at_rest(skeleton).iter().map(|place| place.translation).collect(),
    };
    reader.read()
}

struct Reader<'a> {
    skeleton: &'a Skeleton,
    roles: &'a Roles,
    hips: usize,
    names: Vec<Name>,
    places: Vec<DVec3>,
}

impl Reader<'_> {
    fn read(&self) -> Vec<Chain> {
        let trunk = self.trunk();
        let head = self.roles.head.filter(|head| trunk.contains(head));
        let [spine, neck] = self.spine_and_neck(&trunk);
        let above_spine = neck.first().copied().or(head);
        let mut chains = vec![Chain { limb: Limb::Hips, bones: bones(&[self.hips]), tip: None }];
        chains.push(Chain { limb: Limb::Spine, bones: bones(&spine), tip: above_spine });
        chains.push(Chain { limb: Limb::Neck, bones: bones(&neck), tip: head });
        chains.push(Chain {
            limb: Limb::Head,
            bones: head.iter().flat_map(|&head| bones(&[head])).collect(),
            tip: None,
        });
        chains.push(Chain { limb: Limb::Tail, bones: bones(&self.roles.tail), tip: None });
        // A rig may hang controls called hands beside its arms: an arm with names goes first.
        let is_control = |&hand: &usize| self.named_arm(&self.arm_path(hand, &trunk)).is_none();
        let mut hands = self.roles.hands.clone();
        hands.sort_by_key(is_control);
        hands.into_iter().for_each(|hand| chains.extend(self.arm(hand, &trunk)));
        self.roles.legs.iter().for_each(|leg| chains.extend(self.leg(leg)));
        chains.retain(|chain| !chain.bones.is_empty());
        // A second limb of one name would fight with the first.
        let mut met = Vec::new();
        chains.retain(|chain| {
            let is_new = !met.contains(&chain.limb);
            met.push(chain.limb);
            is_new
        });
        chains
    }

    /// The joints of `trunk` up to where arms or front legs hang, and those above, without the head; the whole trunk is spine where
    /// nothing hangs. Hips that hang below the chest have nothing between: what carries both is the spine.
    fn spine_and_neck(&self, trunk: &[usize]) -> [Vec<usize>; 2] {
        let hung: Vec<usize> = if self.roles.hands.is_empty() {
            self.front_legs().map(|leg| leg.thigh).collect()
        } else {
            self.roles.hands.clone()
        };
        let carries = |joint: usize| !hung.is_empty() && hung.iter().all(|&each| self.skeleton.is_within(each, joint));
        let chest = trunk.iter().rposition(|&joint| carries(joint));
        let shared =
            self.roles.body(self.skeleton).filter(|&body| chest.is_none() && body != self.hips && carries(body));
        let (spine, above) = match shared {
            Some(body) => (vec![body], trunk),
            None => {
                let (spine, above) = trunk.split_at(chest.map_or(trunk.len(), |chest| chest + 1));
                (spine.to_vec(), above)
            }
        };
        let without_head =
            |part: &[usize]| part.iter().copied().filter(|&joint| Some(joint) != self.roles.head).collect();
        [without_head(&spine), without_head(above)]
    }

    /// The joints between the hips and the end of the head, without both; the head is the last where it is known.
    fn trunk(&self) -> Vec<usize> {
        let top = self.roles.head.or_else(|| self.common(&self.roles.hands)).or(self.roles.spine_split);
        let Some(top) = top.filter(|&top| top < self.skeleton.len()) else { return Vec::new() };
        let above = |&joint: &usize| !self.skeleton.is_within(self.hips, joint);
        let mut trunk: Vec<usize> = self.skeleton.ancestors(top).take_while(above).collect();
        trunk.reverse();
        trunk
    }

    /// The lowest joint on which all of `joints` hang.
    fn common(&self, joints: &[usize]) -> Option<usize> {
        let first = *joints.first()?;
        self.skeleton.ancestors(first).find(|&up| joints.iter().all(|&joint| self.skeleton.is_within(joint, up)))
    }

    fn front_legs(&self) -> impl Iterator<Item = &Leg> {
        self.roles.legs.iter().filter(|leg| self.pair_of(leg) == LegPair::Front)
    }

    /// Of four legs those nearer to where the character looks are the front ones.
    fn pair_of(&self, leg: &Leg) -> LegPair {
        if self.roles.legs.len() < 3 {
            return LegPair::Hind;
        }
        let front = self.roles.front.unwrap_or_default().direction();
        let ahead = |leg: &Leg| self.places[leg.thigh].dot(front);
        let middle = self.roles.legs.iter().map(ahead).sum::<f64>() / self.roles.legs.len() as f64;
        if ahead(leg) > middle { LegPair::Front } else { LegPair::Hind }
    }

    /// By the pairs, else by the name, else by where it lies.
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
        if (self.places[joint] - self.places[self.hips]).dot(left) >= 0.0 { Side::Left } else { Side::Right }
    }

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

    /// The joints between trunk and hand, from the trunk.
    fn arm_path(&self, hand: usize, trunk: &[usize]) -> Vec<usize> {
        let is_arm = |joint: &usize| !trunk.contains(joint) && !self.skeleton.is_within(self.hips, *joint);
        let mut path: Vec<usize> = self.skeleton.ancestors(hand).skip(1).take_while(is_arm).collect();
        path.reverse();
        path
    }

    /// Where shoulder and elbow are in `path`, as names tell.
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

    /// Their places in `path`, which ends above the hand.
    fn shoulder_and_elbow(&self, path: &[usize], hand: usize) -> Option<(usize, usize)> {
        let between = |a: usize, b: usize| self.places[a].distance(self.places[b]);
        let top = *path.first()?;
        let halves = |at: &usize| between(top, path[*at]).min(between(path[*at], hand));
        let elbow = (1..path.len()).max_by(|a, b| halves(a).total_cmp(&halves(b)))?;
        let below = between(path[elbow], hand);
        let unlike = |at: &usize| (between(path[*at], path[elbow]) - below).abs();
        let shoulder = (0..elbow).min_by(|a, b| unlike(a).total_cmp(&unlike(b)))?;
        (halves(&elbow) > 0.0).then_some((shoulder, elbow))
    }

    fn fingers(&self, hand: usize, side: Side) -> Vec<Chain> {
        const WORDS: [(Finger, &[&str]); 5] = [
            (Finger::Thumb, &["thumb", "親指"]),
            (Finger::Index, &["index", "pointer", "人指"]),
            (Finger::Middle, &["middle", "mid", "中指"]),
            (Finger::Ring, &["ring", "薬指"]),
            (Finger::Little, &["pinky", "little", "小指"]),
        ];
        let below: Vec<usize> = self.skeleton.subtree(hand).into_iter().skip(1).collect();
        let finger = |&(finger, words): &(Finger, &[&str])| {
            let is_of = |joint: &usize| {
                let name = &self.names[*joint];
                !name.extra && words.iter().any(|word| name.body.contains(word))
            };
            let first = below.iter().copied().find(is_of)?;
            let joints: Vec<usize> = self.skeleton.subtree(first).into_iter().filter(is_of).collect();
            Some(Chain { limb: Limb::Finger(side, finger), bones: bones(&joints), tip: None })
        };
        WORDS.iter().filter_map(finger).collect()
    }

    fn leg(&self, leg: &Leg) -> Vec<Chain> {
        let (side, pair) = (self.side(leg.thigh), self.pair_of(leg));
        let above = |joint: usize| self.skeleton.joints[joint].parent;
        let is_within = |joint: usize, top: usize| self.skeleton.is_within(joint, top);
        let end = |joint: usize, next: usize| above(next).filter(|&end| is_within(end, joint)).unwrap_or(joint);
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

fn bones(joints: &[usize]) -> Vec<Bone> {
    joints.iter().map(|&joint| Bone { joint, end: joint }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;

    #[test]
    fn a_control_called_hand_beside_the_arm_does_not_take_its_place() {
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
