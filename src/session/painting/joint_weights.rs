//! Painting the joint weights of a blend: which joints belong to its upper body, or to a connection of its tree.

use super::tool::PaintTarget;
use super::{Canvas, Easel};
use crate::anim::MaskChoice;
use crate::session::Shown;

/// How much of a joint's weight a stroke changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointDab {
    /// A click, which adds a tenth to the weight of the joint.
    Click,
    /// The button was held over the joint for so long, seconds.
    Held(f32),
}

/// Weight that a click adds.
const PER_CLICK: f32 = 0.1;
/// Weight that a second over a joint adds.
const PER_SECOND: f32 = 2.0;

impl Easel<'_> {
    /// Adds weight to that joint of the shown character, or takes it away; the joint becomes the selected one.
    pub fn paint_joint(&mut self, joint: usize, dab: JointDab, erases: bool) {
        let Some(weights) = self.canvas().joint_weights() else { return };
        let skeleton = self.frame.map(|frame| &frame.character.model.skeleton);
        let Some(name) = skeleton.and_then(|skeleton| Some(skeleton.joints.get(joint)?.name.clone())) else { return };
        self.selection.joint = Some(joint);
        let amount = match dab {
            JointDab::Click => PER_CLICK,
            JointDab::Held(seconds) => PER_SECOND * seconds,
        };
        let sign = if erases { -1.0 } else { 1.0 };
        if let Some(mask) = self.edited_mask() {
            mask.set(&name, weights.get(joint).copied().unwrap_or(0.0) + sign * amount);
        }
    }

    fn edited_mask(&mut self) -> Option<&mut MaskChoice> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.document.take_mut(id)?.mask_mut(self.selection.link, self.selection.stage)
    }
}

impl<'a> Canvas<'a> {
    /// The joint weights that are painted, one per joint of the shown character; none while they are not.
    pub fn joint_weights(self) -> Option<Vec<f32>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let is_on = self.selection.painting.target == Some(PaintTarget::JointWeights);
        let mut take = self.document.take(id).filter(|_| is_on)?.clone();
        let built = self.frame?.built.clone()?;
        let mask = take.mask_mut(self.selection.link, self.selection.stage)?;
        mask.resolve(&built.character.model.skeleton, &built.roles).ok().map(|mask| mask.weights)
    }
}
