//! Measurements and warnings of a recording.

use super::measurements::{Infeasible, Measurements};
use crate::chains::bone::Tip;
use crate::chains::rig::{DynamicsRig, STEP};

/// Measurements and warnings of one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Largest relative error of a bone's length. All errors here are measured on the joint matrices.
    pub length_error: f64,
    /// Largest distance between the end of a bone by the joint matrices and by the solver, relative to the bone's length.
    pub position_error: f64,
    /// Deepest penetration where contact was feasible. Relative to the sum of the two radii, or to the bone length for
    /// planes and insides.
    pub penetration: f64,
    /// Largest twist about a bone's own axis, radians.
    pub twist: f64,
    /// Bones in contact, per recorded step.
    pub contacts: Vec<u32>,
    /// Number of cycles simulated until a looping clip settled, including the recorded one; 1 for other clips.
    pub cycles: usize,
    /// Largest difference of state between end and start of the simulated cycle, relative to bone length; `None` for
    /// clips that do not loop.
    pub residue: Option<f64>,
    /// Difference that remains after two cycles were mixed to close the loop; `None` where they were not mixed.
    pub closing: Option<f64>,
    /// Joint whose bone has the difference [`Report::residue`].
    pub residue_joint: Option<usize>,
    /// Number of substeps per step of 1/240 s.
    pub substeps: u32,
    /// Limits and fallbacks that took effect.
    pub warnings: Vec<Warning>,
}

/// A limit or fallback that the user should know about.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A bone had no direction that both its angle limit and the colliders allow, in consecutive steps.
    Infeasible {
        /// The bone's joint.
        joint: usize,
        /// First time, seconds.
        time: f64,
        /// Last time, seconds.
        until: f64,
        /// Deepest penetration, metres.
        depth: f64,
        /// True if a direction outside the colliders exists but the angle limit forbids it.
        limited: bool,
    },
    /// A bone points nearly straight against its animation in consecutive steps: its joint may turn over within a frame.
    FoldedBack {
        /// The bone's joint.
        joint: usize,
        /// First time, seconds.
        time: f64,
        /// Last time, seconds.
        until: f64,
    },
    /// The loop did not repeat within the allowed cycles.
    LoopNotClean {
        /// Remaining difference, relative to bone length.
        residue: f64,
    },
    /// A collider is attached to a simulated joint; it follows the animation instead.
    ColliderOnDynamicJoint {
        /// Index of the collider.
        collider: usize,
    },
    /// Forces are too strong for the shortest bone, even with the largest number of substeps.
    Coarse {
        /// |a|·h²/length; at most 0.5 is stable.
        stability: f64,
    },
    /// The animation returned values that are not finite; the rest pose was used.
    NotANumber {
        /// First affected joint.
        joint: usize,
        /// First time, seconds.
        time: f64,
    },
}

impl Report {
    /// Adds the measurements of a moment, except its number of contacts. Moments must be added in ascending order of time.
    pub(crate) fn add(&mut self, measured: &Measurements) {
        self.length_error = self.length_error.max(measured.length_error);
        self.position_error = self.position_error.max(measured.position_error);
        self.penetration = self.penetration.max(measured.penetration);
        self.twist = self.twist.max(measured.twist);
        measured.infeasible.iter().for_each(|bone| self.add_infeasible(bone, measured.time));
        measured.folded.iter().for_each(|&joint| self.add_folded(joint, measured.time));
    }

    /// Removes the measurements of a recording that is about to be replaced, its contacts, and the warnings about single
    /// bones.
    pub(crate) fn reset_measurements(&mut self) {
        (self.length_error, self.position_error, self.penetration, self.twist) = (0.0, 0.0, 0.0, 0.0);
        self.contacts.clear();
        self.warnings.retain(|warning| !matches!(warning, Warning::Infeasible { .. } | Warning::FoldedBack { .. }));
    }

    /// Extends the last warning about this bone to the time `now` (seconds) if it continues, else adds one.
    fn add_infeasible(&mut self, bone: &Infeasible, now: f64) {
        let known = self.warnings.iter_mut().rev().find_map(|warning| match warning {
            Warning::Infeasible { joint, until, depth, limited, .. }
                if *joint == bone.joint && continues(*until, now) =>
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

    /// Extends the last warning about the bone of the joint `folded` to the time `now` (seconds) if it continues, else adds
    /// one.
    fn add_folded(&mut self, folded: usize, now: f64) {
        let known = self.warnings.iter_mut().rev().find_map(|warning| match warning {
            Warning::FoldedBack { joint, until, .. } if *joint == folded && continues(*until, now) => Some(until),
            _ => None,
        });
        match known {
            Some(until) => *until = now,
            None => self.warnings.push(Warning::FoldedBack { joint: folded, time: now, until: now }),
        }
    }

    /// Returns the report before the first step, with the warnings that follow from the rig. `colliders` are the joints
    /// that carry them.
    pub(crate) fn for_rig(rig: &DynamicsRig, colliders: impl Iterator<Item = Option<usize>>) -> Self {
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

/// True if an event that last occurred at time `until` continues in the step at `now`, seconds.
fn continues(until: f64, now: f64) -> bool {
    now - until <= 1.5 * STEP
}

impl Warning {
    /// Returns the first time, seconds; 0 for warnings about the entire recording.
    pub(crate) fn time(&self) -> f64 {
        match self {
            Self::Infeasible { time, .. } | Self::FoldedBack { time, .. } | Self::NotANumber { time, .. } => *time,
            Self::LoopNotClean { .. } | Self::ColliderOnDynamicJoint { .. } | Self::Coarse { .. } => 0.0,
        }
    }
}
