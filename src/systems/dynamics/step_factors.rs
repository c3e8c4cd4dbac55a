//! What is the same in all steps of one length.

use super::bone::Bone;
use super::carry::Jump;
use super::rig::{DynamicsRig, STEP};
use super::wind::WindField;

/// What is the same in all steps of one length.
pub(super) struct StepFactors {
    /// Share of the speed that goes into the step: 1, or less for a part of a step.
    pub inertia: f64,
    /// What an acceleration is multiplied by, s².
    pub h_squared: f64,
    /// Share of the speed that drag leaves each bone after the step.
    pub kept_speed: Vec<f64>,
    /// How what is shown follows; `None` where what is simulated is shown.
    pub follow: Option<Follow>,
    pub air: WindField,
    pub jump: Jump,
}

impl StepFactors {
    /// Those of the first `share` (above 0, up to 1) of a step of `whole` seconds.
    pub fn new(rig: &DynamicsRig, whole: f64, share: f64) -> Self {
        Self::in_room(rig, whole, share, Vec::new())
    }

    /// The same, in the memory of `kept_speed`.
    pub(super) fn in_room(rig: &DynamicsRig, whole: f64, share: f64, mut kept_speed: Vec<f64>) -> Self {
        let h = whole * share;
        // A parabola through the tips of three steps: at share 1 just the step itself, to the last bit.
        let h_squared = whole * whole * (0.5 * (share * share + share));
        // Neighbours mostly have the same drag, and a power costs more than all else about a factor.
        let mut last = (0.0, 1.0);
        let kept = |bone: &Bone| {
            if bone.drag != last.0 {
                last = (bone.drag, (1.0 - bone.drag).powf(60.0 * h));
            }
            last.1
        };
        kept_speed.clear();
        kept_speed.extend(rig.bones.iter().map(kept));
        let jump = Jump::new(&rig.teleport, h);
        let (follow, air) = (Follow::new(rig, h), WindField::new(rig.wind));
        Self { inertia: share, h_squared, kept_speed, follow, air, jump }
    }
}

/// How fast what is shown follows what is simulated, as shares per step below or equal to 1.
#[derive(Clone, Copy)]
pub(super) struct Follow {
    /// Of the joint's rotation, which the parent carries along.
    pub buffer: f64,
    /// Of the bone's direction in world space.
    pub smoothing: f64,
}

impl Follow {
    /// `None` where what is simulated is shown.
    fn new(rig: &DynamicsRig, h: f64) -> Option<Self> {
        // The buffer's share is that of a step of 1/240 s, whatever the substeps.
        let buffer = if rig.slerp_buffer < 1.0 { 1.0 - (1.0 - rig.slerp_buffer).powf(h / STEP) } else { 1.0 };
        let smoothing = if rig.smoothing > 0.0 { 1.0 - (-h / rig.smoothing).exp() } else { 1.0 };
        (buffer < 1.0 || smoothing < 1.0).then_some(Self { buffer, smoothing })
    }
}
