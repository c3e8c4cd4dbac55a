//! What acts on all weights at once: fills, gradients, smoothing.

use super::surface::Surface;
use super::vertex_attribute::VertexAttribute;
use super::{Canvas, Easel};
use crate::geometry::{geodesic, weight_paint};
use crate::math::WeightMap;
use crate::math::easing::Easing;
use crate::message::{Message, message};
use crate::progress::{Cancelled, Progress};
use crate::session::{Session, Severity};

/// What acts on all weights at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightOp {
    /// The same everywhere.
    Fill(f32),
    /// 0 … 1 along that axis.
    Gradient(usize),
    /// From 0 where 0 is painted to 1 at what is furthest from there over the surface; nothing where none is, or on images.
    GeodesicGradient,
    /// What the mesh brings along per vertex; nothing where it does not.
    VertexAttribute(VertexAttribute),
    /// One side's weights to the other; `true` gives those with x ≥ 0.
    Mirror(bool),
    /// Brings every weight towards the mean of its neighbours.
    Smooth,
    /// 0 for 1 and 1 for 0.
    Invert,
    /// As if nothing had been painted.
    Clear,
}

/// Vertices or pixels up to which an operation takes no longer than a frame.
const FEW: usize = 20_000;

/// Weights before an operation and what they lie on.
struct Before {
    surface: Surface,
    weights: Vec<f32>,
}

/// Weights after an operation, or why there is nothing to change.
type After = Result<Vec<f32>, Message>;

impl Easel<'_> {
    /// Lets `op` act on all weights of what is painted on; in a job where there are many.
    pub fn apply(&mut self, op: WeightOp) {
        match op {
            WeightOp::Clear => self.paint(Vec::new()),
            WeightOp::VertexAttribute(attribute) => {
                if let Some(taken) = self.canvas().vertex_attribute(attribute) {
                    self.paint(taken);
                }
            }
            WeightOp::GeodesicGradient => {
                let Some(paint) = self.canvas().painted() else { return };
                let weights = (0..).zip(paint.values());
                let poles = weights.filter(|(_, weight)| is_pole(weight)).map(|(unit, _)| unit).collect();
                self.grade_over_surface(poles, Easing::Linear);
            }
            op => self.change_weights(move |before, progress| changed(op, before, progress)),
        }
    }

    /// Paints 0 at the vertex `pole` … 1 at what is furthest from it over the surface, shaped by the brush's falloff; nothing
    /// on images.
    pub(super) fn spread(&mut self, pole: usize) {
        self.grade_over_surface(vec![pole], self.selection.painting.brush.falloff);
    }

    fn grade_over_surface(&mut self, poles: Vec<usize>, curve: Easing) {
        if !poles.is_empty() && matches!(self.canvas().surface(), Some(Surface::Mesh(_))) {
            self.change_weights(move |before, progress| geodesic_gradient(&before, &poles, curve, progress));
        }
    }

    /// Keeps what `change` makes of all weights, unless they were painted on meanwhile.
    fn change_weights(&mut self, change: impl FnOnce(Before, &Progress) -> Result<After, Cancelled> + Send + 'static) {
        let Some(surface) = self.canvas().surface() else { return };
        let Some(weights) = self.canvas().weights(surface.units()) else { return };
        let (is_quick, stored) = (surface.units() <= FEW, self.canvas().stored_paint());
        let before = Before { surface, weights };
        if is_quick {
            let after = change(before, &Progress::new());
            return self.keep(after, &stored);
        }
        let done = move |session: &mut Session, after| session.easel().keep(after, &stored);
        self.jobs.start(message!("job.paint", "Paint"), move |progress| change(before, progress), done);
    }

    /// Keeps weights that were made of what was `stored`.
    fn keep(&mut self, after: Result<After, Cancelled>, stored: &Option<WeightMap>) {
        match after {
            Ok(Ok(weights)) if self.canvas().stored_paint() == *stored => self.paint(weights),
            Ok(Err(message)) => self.notices.say(Severity::Info, message),
            _ => {}
        }
    }
}

impl<'a> Canvas<'a> {
    /// Whether 0 is painted anywhere on a mesh, for [`WeightOp::GeodesicGradient`] to begin at.
    pub fn has_pole(self) -> bool {
        let painted = self.painted().filter(|_| matches!(self.surface(), Some(Surface::Mesh(_))));
        painted.is_some_and(|paint| paint.values().iter().any(is_pole))
    }
}

fn changed(op: WeightOp, before: Before, progress: &Progress) -> Result<After, Cancelled> {
    let Before { surface, mut weights } = before;
    progress.step(0, 2)?;
    match op {
        WeightOp::Fill(value) => weight_paint::fill(&mut weights, value),
        WeightOp::Gradient(axis) => weight_paint::gradient_along(&mut weights, &surface.points(), surface.axis(axis)),
        WeightOp::Mirror(from_positive) => {
            let (points, opposites) = (surface.points(), surface.opposites());
            if (0..).zip(&opposites).all(|(unit, &other)| unit == other) {
                return Ok(Err(message!(
                    "notice.no_opposites",
                    "Nothing was mirrored: no vertex has another across x = 0 in the first frame. Mirroring needs a mesh \
    that is alike on both sides of x = 0."
                )));
            }
            progress.step(1, 2)?;
            weight_paint::mirror(&mut weights, &points, &opposites, surface.middle(), from_positive);
        }
        WeightOp::Smooth => {
            let adjacency = surface.adjacency();
            for round in 0..SMOOTH_ROUNDS {
                progress.step(round, SMOOTH_ROUNDS)?;
                weight_paint::smooth(&mut weights, &adjacency, 0.5, 1);
            }
        }
        WeightOp::Invert => weights.iter_mut().for_each(|weight| *weight = 1.0 - *weight),
        WeightOp::Clear | WeightOp::VertexAttribute(_) | WeightOp::GeodesicGradient => {}
    }
    progress.step(2, 2)?;
    Ok(Ok(weights))
}

/// Times that smoothing goes over all weights.
const SMOOTH_ROUNDS: usize = 4;

fn geodesic_gradient(before: &Before, poles: &[usize], curve: Easing, progress: &Progress) -> Result<After, Cancelled> {
    let Surface::Mesh(mesh) = &before.surface else { return Ok(Ok(before.weights.clone())) };
    progress.step(0, 2)?;
    let adjacency = before.surface.adjacency();
    progress.step(1, 2)?;
    let distances = geodesic::distances(mesh.frame(0), &adjacency, poles, f32::INFINITY);
    let shaped = |part: f32| curve.at(f64::from(part)) as f32;
    progress.step(2, 2)?;
    Ok(Ok(geodesic::gradient(&distances).into_iter().map(shaped).collect()))
}

/// A hundredth is what strokes come to that paint 0 and that the eye cannot tell from it.
fn is_pole(weight: &f32) -> bool {
    *weight <= 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::looping::cloth::shown_cloth;
    use crate::session::painting::PaintLayer;
    use crate::session::{Command, EditCommand};
    use crate::systems::cloth::ClothShape;

    #[test]
    fn washes_change_only_the_chosen_weights_and_undo_takes_them_back() {
        let mut session = shown_cloth(ClothShape::Flag);
        session.update(0.0, true);
        let units = session.canvas().surface().unwrap().units();
        session.easel().apply(WeightOp::Gradient(0));
        session.update(0.0, true);
        let weights = session.canvas().weights(units).unwrap();
        assert!(weights.contains(&0.0) && weights.contains(&1.0));
        session.selection.painting.layer = PaintLayer::Width;
        assert_eq!(session.canvas().weights(units).unwrap(), vec![1.0; units]);
        session.easel().apply(WeightOp::Fill(0.25));
        session.update(0.0, true);
        assert_eq!(session.canvas().weights(units).unwrap(), vec![0.25; units]);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.canvas().weights(units).unwrap(), vec![1.0; units]);
        session.selection.painting.layer = PaintLayer::Timing;
        assert_eq!(session.canvas().weights(units).unwrap(), weights);
        session.easel().apply(WeightOp::Clear);
        assert_eq!(session.canvas().weights(units).unwrap(), vec![0.5; units]);
    }

    #[test]
    fn the_gradient_runs_from_what_is_painted_0_to_what_is_furthest_over_the_surface() {
        let mut session = shown_cloth(ClothShape::Flag);
        session.update(0.0, true);
        let surface = session.canvas().surface().unwrap();
        let (points, units) = (surface.points().into_owned(), surface.units());
        assert!(!session.canvas().has_pole());
        session.easel().apply(WeightOp::GeodesicGradient);
        assert_eq!(session.canvas().weights(units).unwrap(), vec![0.5; units]);
        let pole = 0;
        let mut weights = vec![0.5; units];
        weights[pole] = 0.0;
        session.easel().paint(weights);
        assert!(session.canvas().has_pole());
        session.update(0.0, true);
        session.easel().apply(WeightOp::GeodesicGradient);
        session.update(0.0, true);
        let weights = session.canvas().weights(units).unwrap();
        assert!(weights[pole] == 0.0 && weights.contains(&1.0));
        let furthest = weights.iter().position(|&weight| weight == 1.0).unwrap();
        let reach = points[furthest].distance(points[pole]);
        // No way is shorter than the straight one, and a flag is not so folded that it were twice as long.
        for (point, weight) in points.iter().zip(&weights) {
            assert!((0.0..=1.0).contains(weight) && *weight >= point.distance(points[pole]) / (2.0 * reach));
        }
        session.selection.painting.brush.falloff = Easing::Linear;
        session.easel().spread(pole);
        assert_eq!(session.canvas().weights(units).unwrap(), weights);
        session.selection.painting.brush.falloff = Easing::Smoothstep;
        session.easel().spread(pole);
        session.update(0.0, true);
        assert_ne!(session.canvas().weights(units).unwrap(), weights);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.canvas().weights(units).unwrap(), weights);
    }
}
