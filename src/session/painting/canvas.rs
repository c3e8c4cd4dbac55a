//! What weights are painted on, and what is painted there so far.

use glam::Vec3;

use super::Easel;
use super::surface::Surface;
use super::tool::PaintLayer;
use crate::document::{Document, TakeSource};
use crate::evaluate::{Content, Frame};
use crate::geometry::weight_paint;
use crate::math::WeightMap;
use crate::session::{Selection, Session, Shown};

/// What is shown, as something to paint on.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'a> {
    pub(super) document: &'a Document,
    pub(super) selection: &'a Selection,
    pub(super) frame: Option<&'a Frame>,
}

/// The weights of all units; what stands for nothing painted where there are none.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintedWeights {
    paint: WeightMap,
    plain: f32,
    units: usize,
}

impl PaintedWeights {
    /// The weight of `unit`, 0…1.
    pub fn at(&self, unit: usize) -> f32 {
        let painted = self.paint.values().get(unit).filter(|_| self.is_painted());
        painted.copied().unwrap_or(self.plain)
    }

    /// What was painted on another mesh or image does not count.
    fn is_painted(&self) -> bool {
        self.paint.values().len() == self.units
    }
}

impl Session {
    /// What is shown, as something to paint on.
    pub fn canvas(&self) -> Canvas<'_> {
        Canvas { document: &self.document, selection: &self.selection, frame: self.frame() }
    }
}

impl<'a> Canvas<'a> {
    /// What the fades of the shown loop and the pins of a cloth can be painted on: the frames before the loop, or the cloth before it
    /// falls.
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

    /// What the document holds of what is painted, for [`Easel::put_back`].
    pub(super) fn stored_paint(self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.selection.painting.painted(self.document.take(id)?).cloned()
    }

    /// What is painted; empty where nothing is. Of pins, those that hold the cloth where none are painted.
    pub fn painted(self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let paint = self.selection.painting.painted(self.document.take(id)?)?;
        // Strokes go on from the pins that hold the cloth while none are painted.
        let own = || match &self.frame?.built.as_ref()?.content {
            Content::Vertices(vertices) => Some(vertices.pins.clone()),
            Content::Joints | Content::Images(_) => None,
        };
        let is_own = self.selection.painting.layer == PaintLayer::Pins && paint.is_empty();
        own().filter(|_| is_own).or_else(|| Some(paint.clone()))
    }

    /// The weights that are painted, to look up one by one.
    pub fn painted_weights(self, units: usize) -> Option<PaintedWeights> {
        Some(PaintedWeights { paint: self.painted()?, plain: self.selection.painting.layer.plain(), units })
    }

    /// The weights that are painted, `units` of them; those that stand for nothing painted where there are none yet.
    pub fn weights(self, units: usize) -> Option<Vec<f32>> {
        let weights = self.painted_weights(units)?;
        Some(if weights.is_painted() { weights.paint.values().to_vec() } else { vec![weights.plain; units] })
    }
}

impl Easel<'_> {
    /// Keeps what was stored before a stroke that is given up.
    pub(super) fn put_back(&mut self, stored: WeightMap) {
        let Shown::Take(id) = self.selection.shown else { return };
        let painting = &self.selection.painting;
        if let Some(paint) = self.document.take_mut(id).and_then(|take| painting.painted_mut(take)) {
            *paint = stored;
        }
    }

    /// Keeps `weights` as what is painted.
    pub fn paint(&mut self, weights: Vec<f32>) {
        self.put_back(weights.into());
    }

    /// Paints 0 at `from` and before … 1 at `to` and beyond over units that are at `points`, shaped by the brush's falloff.
    pub(super) fn grade(&mut self, points: &[Vec3], from: Vec3, to: Vec3) {
        let Some(mut weights) = self.canvas().weights(points.len()) else { return };
        weight_paint::gradient_between(&mut weights, points, from, to, self.selection.painting.brush.falloff);
        self.paint(weights);
    }
}
