//! Settings of the paint tool, and access to the stored weights.

use portamento_anim::geometry::weight_paint::{Brush, BrushMode};
use portamento_anim::math::WeightMap;
use portamento_takes::document::{Take, TakeSource};
use portamento_walk::navigation::voxels::Effect;

/// The settings of the paint tool; not part of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Painting {
    /// The painted target; `None` while the left button moves the camera.
    pub target: Option<PaintTarget>,
    /// The weight tool.
    pub tool: Tool,
    /// The painted fade parameter.
    pub layer: PaintLayer,
    /// True to paint the separate fade of the second cycle, if there is one.
    pub outgoing: bool,
    /// The brush; its radius is in file units.
    pub brush: Brush,
    /// Distance measure of the brush on meshes.
    pub reach: BrushReach,
    /// Brush radius on images, pixels.
    pub pixels: f32,
    /// Brush radius on the ground, metres.
    pub ground_radius: f64,
    /// The area rule to paint on the ground.
    pub effect: Effect,
    /// True to mirror strokes at x = 0, or at the middle of an image.
    pub mirrors: bool,
    /// The weight of the Fill command.
    pub value: f32,
    /// True to use a perceptually uniform colour ramp instead of blue to red.
    pub even_ramp: bool,
}

/// Modifier keys of a stroke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrokeKeys {
    /// Inverts the stroke: subtracts instead of adding.
    pub inverts: bool,
    /// Smooths; with the gradient tool, spreads over the surface from the start.
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

/// The target of painting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaintTarget {
    /// Loop fades and cloth pins, on vertices or pixels.
    Weights,
    /// Joint weights of a blend.
    JointWeights,
    /// Area rules on the level of a walk.
    Ground,
}

/// Tools for painting weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Strokes with a round brush.
    #[default]
    Brush,
    /// A gradient from press to release.
    Gradient,
}

/// The distance measure of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushReach {
    /// Straight distance: everything within a sphere, on all sides.
    #[default]
    Volume,
    /// Distance along the surface; does not reach through to the other side.
    Surface,
}

/// A painted parameter per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaintLayer {
    /// Fade position: early … late.
    #[default]
    Timing,
    /// Fade length: hard … soft.
    Width,
    /// Fade shape: most of the change at its start … at its end.
    Shape,
    /// Cloth pins: a unit is pinned from ½ on.
    Pins,
}

impl PaintLayer {
    /// Returns the default stroke, which changes weights away from the unpainted value.
    fn stroke(self) -> BrushMode {
        if self == Self::Width { BrushMode::Subtract } else { BrushMode::Add }
    }

    /// Returns the stroke with the modifier `keys`.
    pub(super) fn stroke_with(self, keys: StrokeKeys) -> BrushMode {
        match (keys, self.stroke()) {
            (StrokeKeys { inverts: true, .. }, BrushMode::Add) => BrushMode::Subtract,
            (StrokeKeys { inverts: true, .. }, _) => BrushMode::Add,
            (StrokeKeys { smooths: true, .. }, _) => BrushMode::Smooth,
            (_, plain) => plain,
        }
    }

    /// Returns the weight of unpainted units.
    pub fn plain(self) -> f32 {
        match self {
            Self::Timing | Self::Shape => 0.5,
            Self::Width => 1.0,
            Self::Pins => 0.0,
        }
    }
}

impl Painting {
    /// True if the left button paints `target`.
    pub fn is_on(&self, target: PaintTarget) -> bool {
        self.target == Some(target)
    }

    /// Toggles painting of `target`.
    pub fn toggle(&mut self, target: PaintTarget) {
        self.target = (!self.is_on(target)).then_some(target);
    }

    /// True if cloth pins are painted, which uses the cloth at rest.
    pub fn is_on_pins(&self) -> bool {
        self.is_on(PaintTarget::Weights) && self.layer == PaintLayer::Pins
    }

    /// Returns the painted weights of `take`; `None` for pins of a take that is no cloth, and for fades of a take
    /// without a loop.
    pub(super) fn painted<'t>(&self, take: &'t Take) -> Option<&'t WeightMap> {
        if self.layer == PaintLayer::Pins {
            let TakeSource::Cloth(cloth) = &take.source else { return None };
            return Some(&cloth.pins);
        }
        let settings = &take.looped(None)?.settings;
        let fade = settings.outgoing.as_ref().filter(|_| self.outgoing).unwrap_or(&settings.fade);
        Some(match self.layer {
            PaintLayer::Width => &fade.width,
            PaintLayer::Shape => &fade.shape,
            PaintLayer::Timing | PaintLayer::Pins => &fade.timing,
        })
    }

    /// Returns the painted weights of `take` for editing; `None` if `take` has nothing to paint.
    pub(super) fn painted_mut<'t>(&self, take: &'t mut Take) -> Option<&'t mut WeightMap> {
        if self.layer == PaintLayer::Pins {
            let TakeSource::Cloth(cloth) = &mut take.source else { return None };
            return Some(&mut cloth.pins);
        }
        let settings = &mut take.looped_mut(None)?.settings;
        let fade = settings.outgoing.as_mut().filter(|_| self.outgoing).unwrap_or(&mut settings.fade);
        Some(match self.layer {
            PaintLayer::Width => &mut fade.width,
            PaintLayer::Shape => &mut fade.shape,
            PaintLayer::Timing | PaintLayer::Pins => &mut fade.timing,
        })
    }

    /// Resets the tool when another take is shown: fades instead of pins, and no joint or ground brush.
    pub(crate) fn leave_take(&mut self) {
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
    fn toggling_a_brush_again_disables_it_and_another_replaces_it() {
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
