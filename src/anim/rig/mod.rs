//! Rig detection: the role of each joint, the facing direction, the size, and the confidence of each finding.
//!
//! Evidence is used in this order: the file's own humanoid map (`humanoid`); joint names in common conventions, if
//! whole limbs are named (`names`); and shape (`shape`), which means mirrored limbs, chains that reach the ground,
//! and the skin that they carry.
//!
//! Names and shape check each other. A role supported by only one of them is likely; if they disagree it is unsure,
//! and its user asks. The facing direction has its own evidence (`front`), of which the strongest is that planted
//! feet pass backwards under a walking body.
//!
//! Limits: +Y is up, as in glTF; at most four legs; wings, fins and further arms have no role.

mod body;
pub mod chains;
mod contact;
#[cfg(test)]
mod conventions;
mod front;
mod humanoid;
mod names;
pub mod preset;
pub mod question;
mod role;
mod shape;

use body::Body;
use humanoid::Humanoid;
pub use names::name_tokens;
pub use names::sided_pairs;
use question::{Answer, Question};
pub use role::Role;
use serde::Serialize;

use super::root::root_motion;
use super::{Clip, Front, Leg, Model, Roles, Skeleton};

/// A detected rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rig {
    /// The detected roles.
    pub roles: Roles,
    /// The evidence for each role, in the order of [`Role::ALL`].
    pub findings: Vec<Finding>,
    /// Roles that the user must confirm before they are used, in the same order.
    pub questions: Vec<Question>,
    /// Height of the body joints in the rest pose, in the file's unit.
    pub height: f64,
    /// Number of joints that are controls of a rig made in Blender. They have no role.
    pub controls: usize,
}

impl Roles {
    /// Detects the roles of `skeleton` from names, shape and `clips`; see [`Rig::find`].
    pub fn find(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        Rig::of_skeleton(skeleton, clips).roles
    }
}

/// The evidence for one role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The role.
    pub role: Role,
    /// The kind of evidence.
    pub source: Source,
    /// The confidence.
    pub confidence: Confidence,
}

/// The kind of evidence for a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The file's humanoid map.
    Humanoid,
    /// Names and shape agree.
    NamesAndShape,
    /// Names of joints, where the shape says nothing.
    Names,
    /// Shape alone (for the front: shape, sides and motion).
    Shape,
    /// Neither names nor shape; the role is empty.
    Nothing,
}

/// The confidence of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Not found; a rig need not have the role (a fish has no legs).
    Missing,
    /// Evidence disagrees: the user must confirm before use.
    Unsure,
    /// One kind of evidence supports it and none contradicts it.
    Likely,
    /// Two kinds of evidence agree, or the file states it.
    Sure,
}

impl Rig {
    /// Detects the rig of an imported file.
    pub fn of_model(model: &Model) -> Self {
        let humanoid = Humanoid::new(&model.humanoid);
        Self::find(&Body::new(&model.skeleton, &body::own_weights(model)), &model.clips, humanoid)
    }

    /// Detects the rig of a skeleton without meshes, as in motion capture.
    pub fn of_skeleton(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        Self::find(&Body::new(skeleton, &vec![0.0; skeleton.len()]), clips, None)
    }

    /// Returns the evidence for `role`.
    pub fn finding(&self, role: Role) -> Finding {
        let missing = Finding { role, source: Source::Nothing, confidence: Confidence::Missing };
        self.findings.iter().find(|finding| finding.role == role).copied().unwrap_or(missing)
    }

    /// Detects the rig of `body`. `clips` show which joint carries the root motion and where the body faces.
    fn find(body: &Body, clips: &[Clip], humanoid: Option<Humanoid>) -> Self {
        let named = names::read(body.skeleton, &body.is_body);
        let shaped = shape::read(body);
        let controls = names::control_count(body.skeleton);
        let mut rig = Self { height: body.height, controls, ..Self::default() };
        let evidence = Evidence { body, named: &named, shaped: &shaped, humanoid, clips };
        rig.set_joints(&evidence);
        rig.set_front(&evidence, clips);
        rig.name_sides(&evidence);
        let moving = |clip: &Clip| root_motion::moving_ancestor(body.skeleton, clip, rig.roles.hips?);
        rig.roles.root_motion = clips.iter().filter_map(moving).min();
        rig
    }

    /// Sets all roles of joints and records the evidence for each. Asks a question where names and shape disagree.
    fn set_joints(&mut self, evidence: &Evidence) {
        let legs = evidence.legs();
        self.note(Role::Legs, legs.source, legs.confidence);
        self.ask(Role::Legs, legs.rival.map(|rival| [&legs.value, &rival].map(|legs| Answer::Legs(legs.clone()))));
        self.roles.legs = legs.value;
        let hips = evidence.hips(&self.roles.legs);
        self.roles.hips = self.note_joint(Role::Hips, hips);
        let spine = evidence.spine(&self.roles.legs);
        self.roles.spine_split = self.note_joint(Role::Spine, spine);
        let Evidence { named, shaped, humanoid, .. } = evidence;
        let from_map = humanoid.and_then(|map| map.joint("head"));
        let head = evidence.one(from_map, named.head, shaped.head);
        self.roles.head = self.note_joint(Role::Head, head);
        let from_map =
            humanoid.map(|map| ["leftHand", "rightHand"].iter().filter_map(|hand| map.joint(hand)).collect());
        let mut hands = evidence.several(from_map, &named.hands, &shaped.hands);
        // Front legs of an animal may be called arms.
        let in_leg = |hand: usize| self.roles.legs.iter().any(|leg| evidence.body.skeleton.is_within(hand, leg.thigh));
        hands.value.retain(|&hand| !in_leg(hand));
        if hands.value.is_empty() {
            (hands.source, hands.confidence) = (Source::Nothing, Confidence::Missing);
        }
        hands.value.sort_unstable();
        self.note(Role::Hands, hands.source, hands.confidence);
        self.roles.hands = hands.value;
        let tail = evidence.several(None, &named.tail, &shaped.tail);
        self.note(Role::Tail, tail.source, tail.confidence);
        self.roles.tail = tail.value;
    }

    /// Sets the facing direction and records its evidence. If the evidence disagrees, the direction stays unset and a question is
    /// asked.
    fn set_front(&mut self, evidence: &Evidence, clips: &[Clip]) {
        // Sides from names are evidence; sides from shape alone would only repeat that left is +X.
        let known = Roles { pairs: evidence.sides().unwrap_or_default(), ..self.roles.clone() };
        let witnesses = front::witnesses(evidence.body, &known, clips);
        let Some(front::Verdict { front, margin }) = front::verdict(&witnesses) else {
            return self.note(Role::Front, Source::Nothing, Confidence::Missing);
        };
        let confidence = match margin {
            1.0 if witnesses.len() > 1 => Confidence::Sure,
            0.3.. => Confidence::Likely,
            _ => Confidence::Unsure,
        };
        self.roles.front = (confidence > Confidence::Unsure).then_some(front);
        self.note(Role::Front, Source::Shape, confidence);
        if confidence == Confidence::Unsure {
            let suggested =
                Front::ALL.into_iter().filter(|front| witnesses.iter().any(|witness| witness.front == *front));
            let answers = suggested.map(Answer::Front).collect();
            self.questions.push(Question { role: Role::Front, answers });
        }
    }

    /// Sets the left/right pairs from the map or the names; by shape, the left side is left of the facing direction.
    fn name_sides(&mut self, evidence: &Evidence) {
        let left = glam::DVec3::Y.cross(self.roles.front.unwrap_or_default().direction());
        let position = |joint: usize| evidence.body.positions[joint];
        let left_first =
            |&(a, b): &(usize, usize)| if (position(a) - position(b)).dot(left) >= 0.0 { (a, b) } else { (b, a) };
        self.roles.pairs = evidence.sides().unwrap_or_else(|| evidence.shaped.pairs.iter().map(left_first).collect());
    }

    /// Adds the evidence for `role` to the findings.
    fn note(&mut self, role: Role, source: Source, confidence: Confidence) {
        self.findings.push(Finding { role, source, confidence });
    }

    /// Records the evidence for a role of one joint, asks a question if the shape suggests another, and returns the joint.
    fn note_joint(&mut self, role: Role, conclusion: Conclusion<Option<usize>>) -> Option<usize> {
        self.note(role, conclusion.source, conclusion.confidence);
        let joints = conclusion.value.zip(conclusion.rival.flatten());
        self.ask(role, joints.map(|(joint, rival)| [joint, rival].map(Answer::Joint)));
        conclusion.value
    }

    /// Adds a question about `role` with two `answers`, if there are any.
    fn ask(&mut self, role: Role, answers: Option<[Answer; 2]>) {
        self.questions.extend(answers.map(|answers| Question { role, answers: answers.into() }));
    }
}

/// The roles that one kind of evidence, names or shape, suggests for a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
struct Reading {
    hips: Option<usize>,
    legs: Vec<Leg>,
    spine_split: Option<usize>,
    head: Option<usize>,
    hands: Vec<usize>,
    tail: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

/// All evidence about a rig: the roles by names and by shape, the file's humanoid map, and the clips.
struct Evidence<'a> {
    body: &'a Body<'a>,
    named: &'a Reading,
    shaped: &'a Reading,
    humanoid: Option<Humanoid<'a>>,
    clips: &'a [Clip],
}

/// The concluded value of a role, with the kind of its evidence and the confidence.
struct Conclusion<T> {
    value: T,
    source: Source,
    confidence: Confidence,
    /// The value that the shape suggests, if it differs.
    rival: Option<T>,
}

impl Evidence<'_> {
    /// Returns the left and right joints by the humanoid map, else by names; `None` if neither has pairs.
    fn sides(&self) -> Option<Vec<(usize, usize)>> {
        let by_map = self.humanoid.map(|map| map.pairs()).filter(|pairs| !pairs.is_empty());
        by_map.or_else(|| Some(self.named.pairs.clone()).filter(|pairs| !pairs.is_empty()))
    }

    /// Returns the legs: the map's, else the named ones, else those of the shape. The shape's come first if it finds more of them.
    fn legs(&self) -> Conclusion<Vec<Leg>> {
        let by_map = self.humanoid.map(|map| map.legs()).unwrap_or_default();
        if by_map.len() == 2 {
            return Conclusion { value: by_map, source: Source::Humanoid, confidence: Confidence::Sure, rival: None };
        }
        let (named, shaped) = (&self.standing_of_named(), &self.shaped.legs);
        let agree = named.len() == shaped.len() && named.iter().all(|leg| self.has_limb_of(shaped, leg));
        let (value, source, confidence) = match (named.is_empty(), shaped.is_empty()) {
            (true, true) => (Vec::new(), Source::Nothing, Confidence::Missing),
            (false, false) if agree => (self.with_toes(named), Source::NamesAndShape, Confidence::Sure),
            (false, true) => (named.clone(), Source::Names, Confidence::Likely),
            (true, false) => (shaped.clone(), Source::Shape, Confidence::Likely),
            // The shape finds legs that the names miss (front legs called arms), or the names belong to another kind
            // of animal.
            (false, false) if shaped.len() > named.len() => (shaped.clone(), Source::Shape, Confidence::Likely),
            (false, false) => (named.clone(), Source::Names, Confidence::Unsure),
        };
        let rival = (confidence == Confidence::Unsure).then(|| shaped.clone());
        Conclusion { value, source, confidence, rival }
    }

    /// Returns the named legs without those that the shape does not find and whose feet stand neither at rest nor in
    /// motion: the arms of a body on two legs may be called front legs.
    fn standing_of_named(&self) -> Vec<Leg> {
        let (named, shaped) = (&self.named.legs, &self.shaped.legs);
        let is_confirmed = !shaped.is_empty() && shaped.iter().all(|leg| self.has_limb_of(named, leg));
        let is_arm = |leg: &Leg| {
            is_confirmed && !self.has_limb_of(shaped, leg) && !contact::is_standing(self.body, self.clips, leg.foot)
        };
        named.iter().filter(|leg| !is_arm(leg)).cloned().collect()
    }

    /// True if one of `legs` is on the limb of `leg`.
    fn has_limb_of(&self, legs: &[Leg], leg: &Leg) -> bool {
        let within = |joint, top| self.body.skeleton.is_within(joint, top);
        legs.iter().any(|other| within(leg.shin, other.thigh) || within(other.shin, leg.thigh))
    }

    /// Adds the toes found by shape to named legs without toes.
    fn with_toes(&self, named: &[Leg]) -> Vec<Leg> {
        let toe = |leg: &Leg| self.shaped.legs.iter().find(|other| other.foot == leg.foot).and_then(|other| other.toe);
        named.iter().map(|leg| Leg { toe: leg.toe.or_else(|| toe(leg)), ..leg.clone() }).collect()
    }

    /// Returns the hips; named hips count only if they carry legs.
    fn hips(&self, legs: &[Leg]) -> Conclusion<Option<usize>> {
        let carries =
            |&hips: &usize| legs.is_empty() || legs.iter().any(|leg| self.body.skeleton.is_within(leg.thigh, hips));
        let by_map = self.humanoid.and_then(|map| map.joint("hips"));
        self.one(by_map, self.named.hips.filter(carries), self.shaped.hips)
    }

    /// Returns the spine; a named spine counts only if it carries no hind leg.
    fn spine(&self, legs: &[Leg]) -> Conclusion<Option<usize>> {
        let skeleton = self.body.skeleton;
        let hangs = |top: usize| legs.iter().filter(|leg| skeleton.is_within(leg.thigh, top)).count();
        let in_leg = |joint: usize| legs.iter().any(|leg| skeleton.is_within(joint, leg.thigh));
        let fits =
            |&joint: &usize| hangs(joint) <= legs.len() / 2 && (hangs(joint) == 0 || legs.len() > 2) && !in_leg(joint);
        let by_map = self.humanoid.and_then(|map| map.joint("spine"));
        // On four legs the shape decides if it found a spine, whatever the names say.
        let named =
            self.named.spine_split.filter(fits).filter(|_| legs.len() <= 2 || self.shaped.spine_split.is_none());
        self.one(by_map, named, self.shaped.spine_split)
    }

    /// Returns one joint: the map's, else the named one, else the shape's. Names and shape on one chain count as agreement.
    fn one(&self, by_map: Option<usize>, named: Option<usize>, shaped: Option<usize>) -> Conclusion<Option<usize>> {
        let (value, source, confidence) = match (by_map, named, shaped) {
            (Some(joint), ..) => (Some(joint), Source::Humanoid, Confidence::Sure),
            (None, Some(a), Some(b)) if a == b => (named, Source::NamesAndShape, Confidence::Sure),
            (None, Some(_), None) => (named, Source::Names, Confidence::Likely),
            // On one chain both mean the same part of the body, at most a joint apart.
            (None, Some(a), Some(b)) if self.is_one_chain(a, b) => (named, Source::NamesAndShape, Confidence::Likely),
            (None, Some(_), Some(_)) => (named, Source::Names, Confidence::Unsure),
            (None, None, Some(_)) => (shaped, Source::Shape, Confidence::Likely),
            (None, None, None) => (None, Source::Nothing, Confidence::Missing),
        };
        let rival = (confidence == Confidence::Unsure).then_some(shaped);
        Conclusion { value, source, confidence, rival }
    }

    /// True if one of the two joints is a descendant of the other, or both are the same.
    fn is_one_chain(&self, a: usize, b: usize) -> bool {
        let skeleton = self.body.skeleton;
        skeleton.is_within(a, b) || skeleton.is_within(b, a)
    }

    /// Returns several joints: the map's, else the named ones, else the shape's. Names and shape agree if they share a joint.
    fn several(&self, by_map: Option<Vec<usize>>, named: &[usize], shaped: &[usize]) -> Conclusion<Vec<usize>> {
        let by_map = by_map.filter(|joints| !joints.is_empty());
        let (value, source, confidence) = match (by_map, named, shaped) {
            (Some(joints), ..) => (joints, Source::Humanoid, Confidence::Sure),
            (None, [], []) => (Vec::new(), Source::Nothing, Confidence::Missing),
            (None, [], _) => (shaped.to_vec(), Source::Shape, Confidence::Likely),
            (None, _, _) if named.iter().any(|joint| shaped.contains(joint)) => {
                (named.to_vec(), Source::NamesAndShape, Confidence::Sure)
            }
            (None, ..) => (named.to_vec(), Source::Names, Confidence::Likely),
        };
        Conclusion { value, source, confidence, rival: None }
    }
}
