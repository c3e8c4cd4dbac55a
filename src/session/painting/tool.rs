//! The paint tool: what is painted, with which brush, and where the document keeps it.

use crate::document::{Take, TakeSource};
use crate::geometry::weight_paint::{Brush, BrushMode};
use crate::math::WeightMap;
use crate::systems::navigation::voxels::Effect;

/// The paint tool; not part of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Painting {
    /// What the left button paints; nothing where it turns the camera.
    pub target: Option<PaintTarget>,
    /// What it does with weights.
    pub tool: Tool,
    /// Which of a fade's numbers.
    pub layer: PaintLayer,
    /// Whether those of the second cycle's own fade, where it has one.
    pub outgoing: bool,
    /// The brush; its radius is in the file's unit.
    pub brush: Brush,
    /// How the brush's radius is measured on meshes.
    pub reach: BrushReach,
    /// The radius of the brush on images, pixels.
    pub pixels: f32,
    /// The radius of the brush on ground, metres.
    pub ground_radius: f64,
    /// The rule that is painted on ground.
    pub effect: Effect,
    /// Whether strokes go to both sides of x = 0, or of an image's middle.
    pub mirrors: bool,
    /// The value that filling gives.
    pub value: f32,
    /// The ramp that reads the same for everyone in place of blue to red.
    pub even_ramp: bool,
}

/// Keys that change what a stroke does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrokeKeys {
    /// The other way round: takes away where a plain stroke adds.
    pub inverts: bool,
    /// Evens out; with the gradient: runs over the surface from where it begins.
    pub smooths: bool,
}

impl Default for Painting {
    fn default() -> Self {
        Self {
            target: None,
            tool: Tool::Brush,
            layer: PaintLayer::Timing,
            outgoing: false,
            brush: Brush::default(),
            reach: BrushReach::Volume,
            pixels: 12.0,
            ground_radius: 1.0,
            effect: Effect::Blocked,
            mirrors: false,
            value: 0.0,
            even_ramp: false,
        }
    }
}

/// What is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaintTarget {
    /// Fades of a loop and pins of a cloth, on vertices or pixels.
    Weights,
    /// Joint weights of a blend, on the joints themselves.
    JointWeights,
    /// Rules on the level of a walk.
    Ground,
}

/// How weights are painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Strokes of a round brush.
    #[default]
    Brush,
    /// A gradient from where it is pressed to where it is let go.
    Gradient,
}

/// How far something is from the middle of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushReach {
    /// Straight: all within a ball, on whatever side.
    #[default]
    Volume,
    /// Over the surface, never through to another side.
    Surface,
}

/// What is painted per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaintLayer {
    /// Early … late.
    #[default]
    Timing,
    /// Hard … soft.
    Width,
    /// What holds a cloth: from ½ on.
    Pins,
}

impl PaintLayer {
    /// What a plain drag does: it leads away from what stands for nothing painted.
    fn stroke(self) -> BrushMode {
        if self == Self::Width { BrushMode::Subtract } else { BrushMode::Add }
    }

    /// What a drag does while `keys` are held.
    pub(super) fn stroke_with(self, keys: StrokeKeys) -> BrushMode {
        match (keys, self.stroke()) {
            (StrokeKeys { inverts: true, .. }, BrushMode::Add) => BrushMode::Subtract,
            (StrokeKeys { inverts: true, .. }, _) => BrushMode::Add,
            (StrokeKeys { smooths: true, .. }, _) => BrushMode::Smooth,
            (_, plain) => plain,
        }
    }

    /// What stands for nothing painted.
    pub fn plain(self) -> f32 {
        match self {
            Self::Timing => 0.5,
            Self::Width => 1.0,
            Self::Pins => 0.0,
        }
    }
}

impl Painting {
    /// Whether the left button paints `target`.
    pub fn is_on(&self, target: PaintTarget) -> bool {
        self.target == Some(target)
    }

    /// Takes up the brush for `target`, or lays it down.
    pub fn toggle(&mut self, target: PaintTarget) {
        self.target = (!self.is_on(target)).then_some(target);
    }

    /// Whether the left button paints what holds a cloth, which is done before it falls.
    pub fn is_on_pins(&self) -> bool {
        self.is_on(PaintTarget::Weights) && self.layer == PaintLayer::Pins
    }

    /// What of `take` is painted; nothing for pins of what is no cloth, and for fades of what does not loop.
    pub(super) fn painted<'t>(&self, take: &'t Take) -> Option<&'t WeightMap> {
        if self.layer == PaintLayer::Pins {
            let TakeSource::Cloth(cloth) = &take.source else { return None };
            return Some(&cloth.pins);
        }
        let settings = &take.looped(None)?.settings;
        let fade = settings.outgoing.as_ref().filter(|_| self.outgoing).unwrap_or(&settings.fade);
        Some(if self.layer == PaintLayer::Width { &fade.width } else { &fade.timing })
    }

    /// The same, to edit.
    pub(super) fn painted_mut<'t>(&self, take: &'t mut Take) -> Option<&'t mut WeightMap> {
        if self.layer == PaintLayer::Pins {
            let TakeSource::Cloth(cloth) = &mut take.source else { return None };
            return Some(&mut cloth.pins);
        }
        let settings = &mut take.looped_mut(None)?.settings;
        let fade = settings.outgoing.as_mut().filter(|_| self.outgoing).unwrap_or(&mut settings.fade);
        Some(if self.layer == PaintLayer::Width { &mut fade.width } else { &mut fade.timing })
    }

    /// Something else is shown: fades again in place of the pins of a cloth, and no brush that only the last take had.
    pub(in crate::session) fn leave_take(&mut self) {
        if self.layer == PaintLayer::Pins {
            self.layer = PaintLayer::default();
        }
        self.target = self.target.filter(|target| *target == PaintTarget::Weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_brush_again_lays_it_down_and_another_takes_its_place() {
        let mut painting = Painting { target: None, ..Painting::default() };
        painting.toggle(PaintTarget::Weights);
        assert_eq!(painting.target, Some(PaintTarget::Weights));
        assert!(painting.is_on(PaintTarget::Weights) && !painting.is_on(PaintTarget::Ground));
        painting.toggle(PaintTarget::Ground);
        assert_eq!(painting.target, Some(PaintTarget::Ground));
        painting.toggle(PaintTarget::Ground);
        assert_eq!(painting.target, None);
    }
}
