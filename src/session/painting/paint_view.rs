//! The surface that weights are painted on, and the painted weights.

use glam::Vec3;

use super::PaintContext;
use super::surface::Surface;
use super::tool::PaintLayer;
use crate::{Selection, Session, Shown};
use portamento_anim::geometry::weight_paint;
use portamento_anim::math::WeightMap;
use portamento_takes::document::{Document, TakeSource};
use portamento_takes::evaluate::{Content, Frame};

/// The shown item as a painting surface.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'a> {
    pub(super) document: &'a Document,
    pub(super) selection: &'a Selection,
    pub(super) frame: Option<&'a Frame>,
}

/// The painted weights of all units; the default weight if nothing is painted.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintedWeights {
    paint: WeightMap,
    default_weight: f32,
    units: usize,
}

impl PaintedWeights {
    /// Returns the weight of `unit`, 0…1.
    pub fn at(&self, unit: usize) -> f32 {
        let painted = self.paint.values().get(unit).filter(|_| self.is_painted());
        painted.copied().unwrap_or(self.default_weight)
    }

    /// True if the paint matches the current number of units; paint of another mesh or image is ignored.
    fn is_painted(&self) -> bool {
        self.paint.values().len() == self.units
    }
}

impl Session {
    /// Returns the shown item as a painting surface.
    pub fn canvas(&self) -> Canvas<'_> {
        Canvas { document: &self.document, selection: &self.selection, frame: self.frame() }
    }
}

impl<'a> Canvas<'a> {
    /// Returns the surface for loop fades or cloth pins: the frames before the loop, or the cloth at rest. `None` for other
    /// takes, and until the take is built.
    pub fn surface(self) -> Option<Surface> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let take = self.document.take(id)?;
        if take.looped(None).is_none() && !matches!(take.source, TakeSource::Cloth(_)) {
            return None;
        }
        let content = &self.frame?.built.as_ref()?.content;
        let rest = content.rest().filter(|_| self.selection.painting.layer == PaintLayer::Pins);
        rest.cloned().map(Surface::Mesh).or_else(|| Surface::from_content(content))
    }

    /// Returns the stored paint of the document, for [`PaintContext::put_back`]; `None` if no take is shown or it is unpainted.
    pub(super) fn stored_paint(self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.selection.painting.painted(self.document.take(id)?).cloned()
    }

    /// Returns the paint; empty if nothing is painted. For unpainted pins, the default pins of the cloth. `None` if the take
    /// has nothing to paint.
    pub fn painted(self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let paint = self.selection.painting.painted(self.document.take(id)?)?;
        // Strokes on unpainted pins extend the default pins.
        let own = || match &self.frame?.built.as_ref()?.content {
            Content::Vertices(vertices) => Some(vertices.pins.clone()),
            Content::Joints | Content::Images(_) => None,
        };
        let is_own = self.selection.painting.layer == PaintLayer::Pins && paint.is_empty();
        own().filter(|_| is_own).or_else(|| Some(paint.clone()))
    }

    /// Returns the painted weights for lookups by unit, of which there are `units`; `None` if nothing can be painted.
    pub fn painted_weights(self, units: usize) -> Option<PaintedWeights> {
        Some(PaintedWeights { paint: self.painted()?, default_weight: self.selection.painting.layer.plain(), units })
    }

    /// Returns `units` painted weights; default weights if nothing is painted. `None` if the take has nothing to paint.
    pub fn weights(self, units: usize) -> Option<Vec<f32>> {
        let weights = self.painted_weights(units)?;
        Some(if weights.is_painted() { weights.paint.values().to_vec() } else { vec![weights.default_weight; units] })
    }
}

impl PaintContext<'_> {
    /// Replaces the paint by `stored`, for example after a cancelled stroke. Does nothing if the shown take has none.
    pub(super) fn put_back(&mut self, stored: WeightMap) {
        let Shown::Take(id) = self.selection.shown else { return };
        let painting = &self.selection.painting;
        if let Some(paint) = self.document.take_mut(id).and_then(|take| painting.painted_mut(take)) {
            *paint = stored;
        }
    }

    /// Stores `weights`, one per unit, as the paint. Does nothing if the shown take has nothing to paint.
    pub fn paint(&mut self, weights: Vec<f32>) {
        self.put_back(weights.into());
    }

    /// Paints a gradient over units at `points`: 0 up to `from`, 1 from `to` on, shaped by the brush falloff.
    pub(super) fn grade(&mut self, points: &[Vec3], from: Vec3, to: Vec3) {
        let Some(mut weights) = self.canvas().weights(points.len()) else { return };
        weight_paint::gradient_between(&mut weights, points, from, to, self.selection.painting.brush.falloff);
        self.paint(weights);
    }
}
