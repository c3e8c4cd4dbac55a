//! What happened, as numbers.

use super::bone::Tip;
use super::measured::{Infeasible, Measured};
use super::rig::{DynamicsRig, STEP};

/// The numbers of one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Largest error of a bone's length, relative; measured on the matrices of the joints, as all errors here.
    pub length_error: f64,
    /// Largest distance of a bone's end from where the solver has it, relative to the bone's length.
    pub position_error: f64,
    /// Deepest penetration where contact was feasible, relative to the sum of the two radii (to the bone length for planes and insides).
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
    /// Into how many substeps each step of 1/240 s was cut.
    pub substeps: u32,
    /// What was limited or stood in for something.
    pub warnings: Vec<Warning>,
}

/// Something the user should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A bone had no direction that its angle limit allows and that is out of all colliders, step after step.
    Infeasible {
        /// The bone's joint.
        joint: usize,
        /// When first, seconds.
        time: f64,
        /// When last, seconds.
        until: f64,
        /// Deepest penetration, metres.
        depth: f64,
        /// Whether it had a way out but for its angle limit.
        limited: bool,
    },
    /// A bone points nearly straight against its animation, step after step: its joint may turn over in a frame.
    FoldedBack {
        /// The bone's joint.
        joint: usize,
        /// When first, seconds.
        time: f64,
        /// When last, seconds.
        until: f64,
    },
    /// The loop did not repeat within the allowed cycles.
    LoopNotClean {
        /// What is left, relative to bone length.
        residue: f64,
    },
    /// A collider sits on a joint that is simulated; it follows the animation instead.
    ColliderOnDynamicJoint {
        /// Index of the collider.
        collider: usize,
    },
    /// Forces are too strong for the shortest bone even with the finest step.
    Coarse {
        /// |a|·h²/length, at most 0.5 when fine.
        stability: f64,
    },
    /// The animation gave values that are not finite; the rest pose stood in.
    NotANumber {
        /// The first joint concerned.
        joint: usize,
        /// When first, seconds.
        time: f64,
    },
}

impl Report {
    /// Adds what was measured at a moment after all that were added.
    pub(super) fn add(&mut self, measured: &Measured) {
        self.length_error = self.length_error.max(measured.length_error);
        self.position_error = self.position_error.max(measured.position_error);
        self.penetration = self.penetration.max(measured.penetration);
        self.twist = self.twist.max(measured.twist);
        measured.infeasible.iter().for_each(|bone| self.add_infeasible(bone, measured.time));
        measured.folded.iter().for_each(|&joint| self.add_folded(joint, measured.time));
    }

    /// Forgets what was measured on a recording that is replaced.
    pub(super) fn reset_measurements(&mut self) {
        (self.length_error, self.position_error, self.penetration, self.twist) = (0.0, 0.0, 0.0, 0.0);
        self.contacts.clear();
        self.warnings.retain(|warning| !matches!(warning, Warning::Infeasible { .. } | Warning::FoldedBack { .. }));
    }

    fn add_infeasible(&mut self, bone: &Infeasible, now: f64) {
        let known = self.warnings.iter_mut().rev().find_map(|warning| match warning {
            Warning::Infeasible { joint, until, depth, limited, .. }
                if *joint == bone.joint && goes_on(*until, now) =>
            {
                Some((until, depth, limited))
            }
            _ => None,
        });
        match known {
            Some((until, depth, limited)) => {
                (*until, *depth, *limited) = (now, depth.max(bone.depth), *limited || bone.limited);
            }
            None => {
                let Infeasible { joint, depth, limited } = *bone;
                self.warnings.push(Warning::Infeasible { joint, time: now, until: now, depth, limited });
            }
        }
    }

    fn add_folded(&mut self, folded: usize, now: f64) {
        let known = self.warnings.iter_mut().rev().find_map(|warning| match warning {
            Warning::FoldedBack { joint, until, .. } if *joint == folded && goes_on(*until, now) => Some(until),
            _ => None,
        });
        match known {
            Some(until) => *until = now,
            None => self.warnings.push(Warning::FoldedBack { joint: folded, time: now, until: now }),
        }
    }

    /// What is known before the first step.
    pub(super) fn for_rig(rig: &DynamicsRig, colliders: impl Iterator<Item = Option<usize>>) -> Self {
        let mut report = Self { cycles: 1, substeps: rig.substeps, ..Self::default() };
        let is_simulated =
            |joint: usize| rig.bones.iter().any(|bone| bone.joint == joint || bone.tip == Tip::Joint(joint));
        for (collider, joint) in colliders.enumerate() {
            if joint.is_some_and(is_simulated) {
                report.warnings.push(Warning::ColliderOnDynamicJoint { collider });
            }
        }
        if rig.stability > 0.5 {
            report.warnings.push(Warning::Coarse { stability: rig.stability });
        }
        report
    }
}

/// Whether what lasted until `until` still does in the step of `now`, seconds.
fn goes_on(until: f64, now: f64) -> bool {
    now - until <= 1.5 * STEP
}

impl Warning {
    /// When first, seconds; 0 for what concerns all of the recording.
    pub(super) fn time(&self) -> f64 {
        match self {
            Self::Infeasible { time, .. } | Self::FoldedBack { time, .. } | Self::NotANumber { time, .. } => *time,
            Self::LoopNotClean { .. } | Self::ColliderOnDynamicJoint { .. } | Self::Coarse { .. } => 0.0,
        }
    }
}
