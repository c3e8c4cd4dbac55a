//! Painting the fades of a loop: which weights, with which brush, and what acts on all of them at once.

use glam::Vec3;

use super::{Session, Shown};
use crate::anim::VertexClip;
use crate::evaluate::Content;
use crate::systems::looping::paint::{self, Brush, Neighbours};
use crate::systems::looping::{Fade, Paint};

/// The paint tool; not part of the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Painting {
    /// Whether the left button paints.
    pub on: bool,
    /// Which of a fade's numbers.
    pub layer: Layer,
    /// Whether those of the second cycle's own fade, where it has one.
    pub outgoing: bool,
    /// The brush; its radius is in the file's unit.
    pub brush: Brush,
    /// Whether strokes go to both sides of x = 0.
    pub mirrors: bool,
    /// The value that filling gives.
    pub value: f32,
    /// The ramp that reads the same for everyone in place of blue to red.
    pub even_ramp: bool,
}

/// What is painted per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// Early … late.
    #[default]
    Timing,
    /// Hard … soft.
    Width,
}

/// What acts on all weights at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wash {
    /// The same everywhere.
    Fill(f32),
    /// 0 … 1 along that axis.
    Gradient(usize),
    /// One side's weights to the other; `true` gives those with x ≥ 0.
    Mirror(bool),
    /// Evens out.
    Smooth,
    /// 0 for 1 and 1 for 0.
    Invert,
    /// As if nothing had been painted.
    Clear,
}

/// Distance within which a vertex counts as the opposite one, in parts of the mesh's size.
const OPPOSITE: f32 = 1e-3;

impl Layer {
    /// What stands for nothing painted.
    pub fn plain(self) -> f32 {
        match self {
            Self::Timing => 0.5,
            Self::Width => 1.0,
        }
    }
}

impl Painting {
    fn of<'f>(&self, fade: &'f Fade) -> &'f Paint {
        match self.layer {
            Layer::Timing => &fade.timing,
            Layer::Width => &fade.width,
        }
    }
}

/// The vertices opposite each, across x = 0.
pub fn opposites(points: &[Vec3]) -> Vec<u32> {
    let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
    paint::mirrored(points, 0.0, reach * OPPOSITE)
}

impl Session {
    /// The mesh whose fades can be painted: the frames before the loop of the shown take.
    pub fn painted_mesh(&self) -> Option<std::sync::Arc<VertexClip>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.document.take(id)?.looped()?;
        match &self.frame()?.built.as_ref()?.content {
            Content::Vertices(vertices) => Some(vertices.clip.clone()),
            _ => None,
        }
    }

    /// The weights that are painted, `units` of them; those that stand for nothing painted where there are none yet.
    pub fn painted(&self, units: usize) -> Option<Vec<f32>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let settings = &self.document.take(id)?.looped()?.settings;
        let painting = &self.selection.painting;
        let fade = settings.outgoing.as_ref().filter(|_| painting.outgoing).unwrap_or(&settings.fade);
        let values = painting.of(fade).values();
        Some(if values.len() == units { values.to_vec() } else { vec![painting.layer.plain(); units] })
    }

    /// Keeps `weights` as what is painted.
    pub fn paint(&mut self, weights: Vec<f32>) {
        let Shown::Take(id) = self.selection.shown else { return };
        let (layer, outgoing) = (self.selection.painting.layer, self.selection.painting.outgoing);
        let Some(looped) = self.document.take_mut(id).and_then(|take| take.looped_mut()) else { return };
        let settings = &mut looped.settings;
        let fade = settings.outgoing.as_mut().filter(|_| outgoing).unwrap_or(&mut settings.fade);
        match layer {
            Layer::Timing => fade.timing = weights.into(),
            Layer::Width => fade.width = weights.into(),
        }
    }

    /// Lets `wash` act on the weights of the painted mesh.
    pub fn wash(&mut self, wash: Wash) {
        let Some(mesh) = self.painted_mesh() else { return };
        let points = mesh.frame(0);
        let Some(mut weights) = self.painted(points.len()) else { return };
        match wash {
            Wash::Fill(value) => paint::fill(&mut weights, value),
            Wash::Gradient(axis) => paint::gradient_along(&mut weights, points, Vec3::AXES[axis.min(2)]),
            Wash::Mirror(from_positive) => {
                paint::mirror(&mut weights, points, &opposites(points), 0.0, from_positive);
            }
            Wash::Smooth => paint::smooth(&mut weights, &Neighbours::of_mesh(points.len(), &mesh.faces), 0.5, 4),
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
    use crate::systems::looping::cloth::Shape;

    #[test]
    fn washes_change_only_the_chosen_weights_and_undo_takes_them_back() {
        let mut session = Session::inline();
        session.perform(Command::Edit(EditCommand::AddCloth(Shape::Flag)));
        session.update(0.0, true);
        let units = session.painted_mesh().unwrap().vertices;
        session.wash(Wash::Gradient(0));
        session.update(0.0, true);
        let weights = session.painted(units).unwrap();
        assert!(weights.contains(&0.0) && weights.contains(&1.0));
        session.selection.painting.layer = Layer::Width;
        assert_eq!(session.painted(units).unwrap(), vec![1.0; units]);
        session.wash(Wash::Fill(0.25));
        session.update(0.0, true);
        assert_eq!(session.painted(units).unwrap(), vec![0.25; units]);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.painted(units).unwrap(), vec![1.0; units]);
        session.selection.painting.layer = Layer::Timing;
        assert_eq!(session.painted(units).unwrap(), weights);
        session.wash(Wash::Clear);
        assert_eq!(session.painted(units).unwrap(), vec![0.5; units]);
    }
}
