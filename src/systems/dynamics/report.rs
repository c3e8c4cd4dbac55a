//! What happened, as numbers.

use super::rig::{Rig, Tip};
use super::step::State;
use crate::anim::Pose;

/// The numbers of one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Largest error of a bone's length, relative.
    pub length_error: f64,
    /// Deepest penetration where contact was feasible, relative to the sum of the two radii (for planes and hollow bodies, to the bone).
    pub penetration: f64,
    /// Largest twist about a bone's own axis, radians.
    pub twist: f64,
    /// Bones in contact, per recorded step.
    pub contacts: Vec<u32>,
    /// Cycles of a looping clip that were simulated to settle it, the recorded one included; 1 for others.
    pub cycles: usize,
    /// Largest difference of state between end and start of the simulated cycle, relative to bone length; `None` for clips that do not loop.
    pub residue: Option<f64>,
    /// What is left of it in the recording, where two cycles were mixed to close the loop; `None` where that was not needed or not wanted.
    pub closing: Option<f64>,
    /// Joint whose bone has that difference.
    pub residue_joint: Option<usize>,
    /// Into how many parts each step of 1/240 s was cut.
    pub parts: u32,
    /// What was limited or made up.
    pub warnings: Vec<Warning>,
}

/// Something the user should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A bone had no way out of all colliders.
    Infeasible {
        /// The bone's joint.
        joint: usize,
        /// When first, seconds.
        time: f64,
        /// In how many recorded steps.
        steps: usize,
        /// Deepest penetration, metres.
        depth: f64,
    },
    /// The loop did not repeat within the allowed cycles.
    LoopNotClean {
        /// What is left, relative to bone length.
        residue: f64,
    },
    /// A collider sits on a joint that swings; it follows the animation instead.
    ColliderOnSwing {
        /// Index of the collider.
        collider: usize,
    },
    /// Forces are too strong for the shortest bone even with the finest step.
    Coarse {
        /// |a|·h²/len, at most 0.5 when fine.
        stability: f64,
    },
    /// The animation gave values that are no numbers; the rest pose stood in.
    NotANumber {
        /// The first joint concerned.
        joint: usize,
        /// When, seconds.
        time: f64,
    },
}

impl Report {
    /// Adds what `state` shows at `time` seconds, where the animation has `pose`.
    pub(super) fn measure(&mut self, rig: &Rig, state: &State, pose: &Pose, time: f64) {
        for (index, bone) in rig.bones.iter().enumerate() {
            let lie = &state.shown[index];
            if lie.len == 0.0 {
                continue;
            }
            let at_tip = lie.tip();
            let wrong = (at_tip.distance(lie.place.position) - lie.len).abs() / lie.len;
            self.length_error = self.length_error.max(wrong);
            self.twist = self.twist.max(state.twist(rig, index, pose));
            let met = state.bodies().iter().zip(&rig.meets[bone.chain]).filter(|(_, meets)| **meets);
            for (body, _) in met.filter(|(body, _)| !body.is_clear_of(at_tip, bone.radius)) {
                let depth = body.depth(at_tip, bone.radius);
                if depth > 0.0 && state.touches[index].infeasible {
                    self.add_infeasible(bone.joint, time, depth);
                } else if depth > 0.0 {
                    self.penetration = self.penetration.max(depth / body.measure(bone.radius, lie.len));
                }
            }
        }
    }

    /// Adds how many bones of `state` touch something.
    pub(super) fn count(&mut self, state: &State) {
        self.contacts.push(state.touches.iter().filter(|touch| touch.contact).count() as u32);
    }

    /// Forgets what was measured on a recording that is replaced.
    pub(super) fn start_again(&mut self) {
        (self.length_error, self.penetration, self.twist) = (0.0, 0.0, 0.0);
        self.contacts.clear();
        self.warnings.retain(|it| !matches!(it, Warning::Infeasible { .. }));
    }

    fn add_infeasible(&mut self, at: usize, now: f64, deep: f64) {
        let known = self.warnings.iter_mut().find_map(|warning| match warning {
            Warning::Infeasible { joint, steps, depth, .. } if *joint == at => Some((steps, depth)),
            _ => None,
        });
        match known {
            Some((steps, depth)) => (*steps, *depth) = (*steps + 1, depth.max(deep)),
            None => self.warnings.push(Warning::Infeasible { joint: at, time: now, steps: 1, depth: deep }),
        }
    }

    /// What is known before the first step.
    pub(super) fn of_rig(rig: &Rig, colliders: impl Iterator<Item = Option<usize>>) -> Self {
        let mut report = Self { cycles: 1, parts: rig.parts, ..Self::default() };
        let swings = |joint: usize| rig.bones.iter().any(|bone| bone.joint == joint || bone.tip == Tip::Joint(joint));
        for (collider, joint) in colliders.enumerate() {
            if joint.is_some_and(swings) {
                report.warnings.push(Warning::ColliderOnSwing { collider });
            }
        }
        if rig.stability > 0.5 {
            report.warnings.push(Warning::Coarse { stability: rig.stability });
        }
        report
    }
}
