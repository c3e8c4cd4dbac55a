//! Factors that all steps of one length share.

use super::carry::Jump;
use super::wind::WindField;
use crate::chains::bone::Bone;
use crate::chains::rig::{DynamicsRig, STEP};

/// Factors that all steps of one length share.
pub(crate) struct StepFactors {
    /// Share of the last displacement that a step continues: 1, or less for a partial step.
    pub inertia: f64,
    /// Factor on accelerations, s².
    pub h_squared: f64,
    /// Share of its speed that each bone retains after drag.
    pub retained_speed: Vec<f64>,
    /// Shares with which the shown bones follow; `None` if the simulated bones are shown.
    pub follow: Option<Follow>,
    pub air: WindField,
    pub jump: Jump,
}

impl StepFactors {
    /// Returns the factors of the first `share` (above 0, at most 1) of a step of `step_seconds` seconds.
    pub fn new(rig: &DynamicsRig, step_seconds: f64, share: f64) -> Self {
        Self::reusing_memory(rig, step_seconds, share, Vec::new())
    }

    /// Returns the same factors, reusing the memory of `retained_speed`.
    pub(crate) fn reusing_memory(
        rig: &DynamicsRig,
        step_seconds: f64,
        share: f64,
        mut retained_speed: Vec<f64>,
    ) -> Self {
        let h = step_seconds * share;
        // Parabola through the tips of three steps; at share 1 exactly the complete step.
        let h_squared = step_seconds * step_seconds * (0.5 * (share * share + share));
        // Consecutive bones mostly have the same drag, and `powf` is the most expensive part.
        let mut last = (0.0, 1.0);
        let retained = |bone: &Bone| {
            if bone.drag != last.0 {
                last = (bone.drag, (1.0 - bone.drag).powf(60.0 * h));
            }
            last.1
        };
        retained_speed.clear();
        retained_speed.extend(rig.bones.iter().map(retained));
        let jump = Jump::new(&rig.teleport, h);
        let (follow, air) = (Follow::new(rig, h), WindField::new(rig.wind));
        Self { inertia: share, h_squared, retained_speed, follow, air, jump }
    }
}

/// Shares per step, at most 1, with which the shown bones follow the simulated ones.
#[derive(Clone, Copy)]
pub(crate) struct Follow {
    /// Share of the joint's rotation relative to its parent.
    pub buffer: f64,
    /// Share of the bone's direction in world space.
    pub smoothing: f64,
}

impl Follow {
    /// Returns the shares for a step of `h` seconds; `None` if the simulated bones are shown.
    fn new(rig: &DynamicsRig, h: f64) -> Option<Self> {
        // The setting is a share per 1/240 s, independent of the substeps.
        let buffer = if rig.slerp_buffer < 1.0 { 1.0 - (1.0 - rig.slerp_buffer).powf(h / STEP) } else { 1.0 };
        let smoothing = if rig.smoothing > 0.0 { 1.0 - (-h / rig.smoothing).exp() } else { 1.0 };
        (buffer < 1.0 || smoothing < 1.0).then_some(Self { buffer, smoothing })
    }
}
