//! Painting of joint weights for a blend: the upper body mask, or the mask of a connection in the tree.

use super::tool::PaintTarget;
use super::{Canvas, PaintContext};
use crate::Shown;
use portamento_anim::MaskChoice;

/// The amount of weight that a stroke adds to a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointDab {
    /// A click: adds [`WEIGHT_PER_CLICK`].
    Click,
    /// The button is held over the joint for this duration, seconds.
    Held(f32),
}

/// Weight per click.
const WEIGHT_PER_CLICK: f32 = 0.1;
/// Weight per second while the button is held.
const WEIGHT_PER_SECOND: f32 = 2.0;

impl PaintContext<'_> {
    /// Selects that joint of the shown character, and adds weight to it, or removes weight if `erases`. Does nothing unless
    /// joint weights are painted.
    pub fn paint_joint(&mut self, joint: usize, dab: JointDab, erases: bool) {
        let Some(weights) = self.canvas().joint_weights() else { return };
        let skeleton = self.frame.map(|frame| &frame.character.model.skeleton);
        let Some(name) = skeleton.and_then(|skeleton| Some(skeleton.joints.get(joint)?.name.clone())) else { return };
        self.selection.joint = Some(joint);
        let amount = match dab {
            JointDab::Click => WEIGHT_PER_CLICK,
            JointDab::Held(seconds) => WEIGHT_PER_SECOND * seconds,
        };
        let sign = if erases { -1.0 } else { 1.0 };
        if let Some(mask) = self.edited_mask() {
            mask.set(&name, weights.get(joint).copied().unwrap_or(0.0) + sign * amount);
        }
    }

    /// Returns the mask of the selected link or open stage; `None` if there is none.
    fn edited_mask(&mut self) -> Option<&mut MaskChoice> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.document.take_mut(id)?.mask_mut(self.selection.link, self.selection.stage)
    }
}

impl<'a> Canvas<'a> {
    /// Returns the painted joint weights, one per joint of the shown character; `None` unless joint weights are
    /// painted. Also `None` until the take is built.
    pub fn joint_weights(self) -> Option<Vec<f32>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let is_on = self.selection.painting.target == Some(PaintTarget::JointWeights);
        let mut take = self.document.take(id).filter(|_| is_on)?.clone();
        let built = self.frame?.built.clone()?;
        let mask = take.mask_mut(self.selection.link, self.selection.stage)?;
        mask.resolve(&built.character.model.skeleton, &built.roles).ok().map(|mask| mask.weights)
    }
}
