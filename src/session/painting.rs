//! Painting the fades of a loop and the pins of a cloth: which weights, with which brush, and what acts on all of them at once.

use glam::Vec3;

use super::column::Column;
use super::surface::Surface;
use super::{Level, Session, Shown};
use crate::document::{Take, TakeSource};
use crate::evaluate::Content;
use crate::geometry::weight_paint::{self, Brush, BrushMode};
use crate::math::WeightMap;

/// The paint tool; not part of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Painting {
    /// Whether the left button paints.
    pub on: bool,
    /// What it does.
    pub tool: Tool,
    /// Which of a fade's numbers.
    pub layer: Layer,
    /// Whether those of the second cycle's own fade, where it has one.
    pub outgoing: bool,
    /// The brush; its radius is in the file's unit.
    pub brush: Brush,
    /// How the brush's radius is measured on meshes.
    pub reach: Reach,
    /// The radius of the brush on images, pixels.
    pub pixels: f32,
    /// Whether strokes go to both sides of x = 0, or of an image's middle.
    pub mirrors: bool,
    /// The value that filling gives.
    pub value: f32,
    /// The ramp that reads the same for everyone in place of blue to red.
    pub even_ramp: bool,
}

/// Why mirroring changed nothing.
const NO_OPPOSITES: &str = "Nothing was mirrored: no vertex has another across x = 0 in the first frame. Mirroring needs a mesh \
    that is alike on both sides of x = 0.";

impl Default for Painting {
    fn default() -> Self {
        Self {
            on: false,
            tool: Tool::Brush,
            layer: Layer::Timing,
            outgoing: false,
            brush: Brush::default(),
            reach: Reach::Volume,
            pixels: 12.0,
            mirrors: false,
            value: 0.0,
            even_ramp: false,
        }
    }
}

/// What the left button does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Strokes.
    #[default]
    Brush,
    /// A gradient from where it is pressed to where it is let go.
    Gradient,
}

/// How far something is from the middle of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Straight: all within a ball, on whatever side.
    #[default]
    Volume,
    /// Over the surface, never through to another side.
    Surface,
}

/// What is painted per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// Early … late.
    #[default]
    Timing,
    /// Hard … soft.
    Width,
    /// What holds a cloth: from ½ on.
    Pins,
}

/// What acts on all weights at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wash {
    /// The same everywhere.
    Fill(f32),
    /// 0 … 1 along that axis.
    Gradient(usize),
    /// From 0 where 0 is painted to 1 at what is furthest from there over the surface; nothing where none is, or on images.
    Outwards,
    /// What the mesh brings along per vertex; nothing where it does not.
    Column(Column),
    /// One side's weights to the other; `true` gives those with x ≥ 0.
    Mirror(bool),
    /// Evens out.
    Smooth,
    /// 0 for 1 and 1 for 0.
    Invert,
    /// As if nothing had been painted.
    Clear,
}

impl Layer {
    /// What a plain drag does: it leads away from what stands for nothing painted.
    pub fn stroke(self) -> BrushMode {
        if self == Self::Width { BrushMode::Subtract } else { BrushMode::Add }
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
    /// What of `take` is painted; nothing for pins of what is no cloth, and for fades of what does not loop.
    fn painted<'t>(&self, take: &'t Take) -> Option<&'t WeightMap> {
        if self.layer == Layer::Pins {
            let TakeSource::Cloth(cloth) = &take.source else { return None };
            return Some(&cloth.pins);
        }
        let settings = &take.looped()?.settings;
        let fade = settings.outgoing.as_ref().filter(|_| self.outgoing).unwrap_or(&settings.fade);
        Some(if self.layer == Layer::Width { &fade.width } else { &fade.timing })
    }

    /// The same, to edit.
    fn painted_mut<'t>(&self, take: &'t mut Take) -> Option<&'t mut WeightMap> {
        if self.layer == Layer::Pins {
            let TakeSource::Cloth(cloth) = &mut take.source else { return None };
            return Some(&mut cloth.pins);
        }
        let settings = &mut take.looped_mut()?.settings;
        let fade = settings.outgoing.as_mut().filter(|_| self.outgoing).unwrap_or(&mut settings.fade);
        Some(if self.layer == Layer::Width { &mut fade.width } else { &mut fade.timing })
    }

    /// The fades again in place of the pins of a cloth.
    pub(super) fn leave_pins(&mut self) {
        if self.layer == Layer::Pins {
            self.layer = Layer::default();
        }
    }
}

impl Session {
    /// What the fades of the shown loop and the pins of a cloth can be painted on: the frames before the loop.
    pub fn surface(&self) -> Option<Surface> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let take = self.document.take(id)?;
        if take.looped().is_none() && !matches!(take.source, TakeSource::Cloth(_)) {
            return None;
        }
        Surface::of(&self.frame()?.built.as_ref()?.content)
    }

    /// What the document holds of what is painted, for [`Session::put_back`].
    pub fn stored_paint(&self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.selection.painting.painted(self.document.take(id)?).cloned()
    }

    /// Keeps what was stored before a stroke that is given up.
    pub fn put_back(&mut self, stored: WeightMap) {
        let Shown::Take(id) = self.selection.shown else { return };
        let painting = &self.selection.painting;
        if let Some(paint) = self.document.take_mut(id).and_then(|take| painting.painted_mut(take)) {
            *paint = stored;
        }
    }

    /// What is painted; empty where nothing is. Of pins, those that hold the cloth where none are painted.
    pub fn painted(&self) -> Option<WeightMap> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let paint = self.selection.painting.painted(self.document.take(id)?)?;
        // Strokes go on from the pins that hold the cloth while none are painted.
        let own = || match &self.frame()?.built.as_ref()?.content {
            Content::Vertices(vertices) => Some(vertices.pins.clone()),
            Content::Joints | Content::Images(_) => None,
        };
        let is_own = self.selection.painting.layer == Layer::Pins && paint.is_empty();
        own().filter(|_| is_own).or_else(|| Some(paint.clone()))
    }

    /// The weights that are painted, `units` of them; those that stand for nothing painted where there are none yet.
    pub fn weights(&self, units: usize) -> Option<Vec<f32>> {
        let paint = self.painted()?;
        let plain = self.selection.painting.layer.plain();
        Some(if paint.values().len() == units { paint.values().to_vec() } else { vec![plain; units] })
    }

    /// Keeps `weights` as what is painted.
    pub fn paint(&mut self, weights: Vec<f32>) {
        self.put_back(weights.into());
    }

    /// Paints 0 at `from` and before … 1 at `to` and beyond over units that are at `points`, shaped by the brush's falloff.
    pub fn grade(&mut self, points: &[Vec3], from: Vec3, to: Vec3) {
        let Some(mut weights) = self.weights(points.len()) else { return };
        weight_paint::gradient_between(&mut weights, points, from, to, self.selection.painting.brush.falloff);
        self.paint(weights);
    }

    /// Lets `wash` act on all weights of what is painted on.
    pub fn wash(&mut self, wash: Wash) {
        let Some(surface) = self.surface() else { return };
        let Some(mut weights) = self.weights(surface.units()) else { return };
        match wash {
            Wash::Fill(value) => weight_paint::fill(&mut weights, value),
            Wash::Gradient(axis) => weight_paint::gradient_along(&mut weights, &surface.points(), surface.axis(axis)),
            Wash::Outwards => return self.run_outwards(),
            Wash::Column(column) => {
                let Some(taken) = self.column(column) else { return };
                weights = taken;
            }
            Wash::Mirror(from_positive) => {
                let (points, opposites) = (surface.points(), surface.opposites());
                if (0..).zip(&opposites).all(|(unit, &other)| unit == other) {
                    return self.notices.say(Level::Info, NO_OPPOSITES);
                }
                weight_paint::mirror(&mut weights, &points, &opposites, surface.middle(), from_positive);
            }
            Wash::Smooth => weight_paint::smooth(&mut weights, &surface.adjacency(), 0.5, 4),
            Wash::Invert => weights.iter_mut().for_each(|weight| *weight = 1.0 - *weight),
            Wash::Clear => weights.clear(),
        }
        self.paint(weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Command, EditCommand};
    use crate::systems::cloth::ClothShape;

    #[test]
    fn washes_change_only_the_chosen_weights_and_undo_takes_them_back() {
        let mut session = Session::inline();
        session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
        session.update(0.0, true);
        let units = session.surface().unwrap().units();
        session.wash(Wash::Gradient(0));
        session.update(0.0, true);
        let weights = session.weights(units).unwrap();
        assert!(weights.contains(&0.0) && weights.contains(&1.0));
        session.selection.painting.layer = Layer::Width;
        assert_eq!(session.weights(units).unwrap(), vec![1.0; units]);
        session.wash(Wash::Fill(0.25));
        session.update(0.0, true);
        assert_eq!(session.weights(units).unwrap(), vec![0.25; units]);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.weights(units).unwrap(), vec![1.0; units]);
        session.selection.painting.layer = Layer::Timing;
        assert_eq!(session.weights(units).unwrap(), weights);
        session.wash(Wash::Clear);
        assert_eq!(session.weights(units).unwrap(), vec![0.5; units]);
    }
}
