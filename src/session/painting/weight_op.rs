//! Operations on all weights: fills, gradients, smoothing.

use super::surface::Surface;
use super::vertex_attribute::VertexAttribute;
use super::{Canvas, PaintContext};
use crate::{JobKey, Session, Severity};
use portamento_anim::geometry::{geodesic, weight_paint};
use portamento_anim::math::WeightMap;
use portamento_anim::math::easing::Easing;
use portamento_base::message::{Message, message};
use portamento_base::progress::{Cancelled, Progress};

/// An operation on all weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightOp {
    /// Sets every weight to this value.
    Fill(f32),
    /// Linear gradient 0…1 along that axis.
    Gradient(usize),
    /// Gradient along the mesh surface from 0 at vertices painted 0 to 1 at the farthest vertex. No effect without
    /// such vertices, or on images.
    GeodesicGradient,
    /// Copies a vertex attribute; no effect if the mesh does not have it.
    VertexAttribute(VertexAttribute),
    /// Copies one side's weights to the other; `true` copies from x ≥ 0.
    Mirror(bool),
    /// Moves every weight towards the mean of its neighbours.
    Smooth,
    /// Replaces each weight w by 1 − w.
    Invert,
    /// Removes the paint.
    Clear,
}

/// Maximum units for which an operation runs within a frame. Tuned; no derivation recorded.
const MAX_IMMEDIATE_UNITS: usize = 20_000;

/// Surface and weights before an operation.
struct Before {
    surface: Surface,
    weights: Vec<f32>,
}

/// Weights after an operation, or the reason nothing can be changed.
type After = Result<Vec<f32>, Message>;

impl PaintContext<'_> {
    /// Applies `op` to all weights. Large surfaces use a job, whose result is dropped if the weights were painted
    /// meanwhile. Adds a notice if mirroring is impossible.
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

    /// Paints a gradient over the mesh surface from 0 at the vertex `pole` to 1 at the farthest vertex, shaped by the
    /// brush falloff. No effect on images.
    pub(super) fn spread(&mut self, pole: usize) {
        self.grade_over_surface(vec![pole], self.selection.painting.brush.falloff);
    }

    /// Paints the distance from the vertices `poles` along the surface, shaped by `curve`. Does nothing without poles or on an
    /// image.
    fn grade_over_surface(&mut self, poles: Vec<usize>, curve: Easing) {
        if !poles.is_empty() && matches!(self.canvas().surface(), Some(Surface::Mesh(_))) {
            self.change_weights(move |before, progress| geodesic_gradient(&before, &poles, curve, progress));
        }
    }

    /// Replaces all weights by the result of `change`, unless they were painted meanwhile. Runs `change` now, or in a job
    /// for large surfaces.
    fn change_weights(&mut self, change: impl FnOnce(Before, &Progress) -> Result<After, Cancelled> + Send + 'static) {
        let Some(surface) = self.canvas().surface() else { return };
        let Some(weights) = self.canvas().weights(surface.units()) else { return };
        let (is_quick, stored) = (surface.units() <= MAX_IMMEDIATE_UNITS, self.canvas().stored_paint());
        let before = Before { surface, weights };
        if is_quick {
            let after = change(before, &Progress::new());
            return self.keep(after, &stored);
        }
        let done = move |session: &mut Session, after| session.easel().keep(after, &stored);
        self.jobs.start(JobKey::PaintWeights, move |progress| change(before, progress), done);
    }

    /// Stores `after` if the document still contains `stored`; adds the message of a failure as a notice. Does nothing if
    /// cancelled.
    fn keep(&mut self, after: Result<After, Cancelled>, stored: &Option<WeightMap>) {
        match after {
            Ok(Ok(weights)) if self.canvas().stored_paint() == *stored => self.paint(weights),
            Ok(Err(message)) => self.notices.add(Severity::Info, message),
            _ => {}
        }
    }
}

impl<'a> Canvas<'a> {
    /// True if a weight of 0 is painted on the mesh, as [`WeightOp::GeodesicGradient`] needs.
    pub fn has_pole(self) -> bool {
        let painted = self.painted().filter(|_| matches!(self.surface(), Some(Surface::Mesh(_))));
        painted.is_some_and(|paint| paint.values().iter().any(is_pole))
    }
}

/// Returns the weights after `op`, or the message why it changed nothing. Operations that need more than the weights
/// change nothing here. Returns `Err` if `progress` is cancelled.
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
                    "Nothing was mirrored: no vertex has a counterpart across x = 0 in the first frame. Mirroring needs a mesh \
    that is symmetric about x = 0."
                )));
            }
            progress.step(1, 2)?;
            weight_paint::mirror(&mut weights, &points, &opposites, surface.middle(), from_positive);
        }
        WeightOp::Smooth => {
            let adjacency = surface.adjacency();
            for round in 0..SMOOTHING_PASSES {
                progress.step(round, SMOOTHING_PASSES)?;
                weight_paint::smooth(&mut weights, &adjacency, 0.5, 1);
            }
        }
        WeightOp::Invert => weights.iter_mut().for_each(|weight| *weight = 1.0 - *weight),
        WeightOp::Clear | WeightOp::VertexAttribute(_) | WeightOp::GeodesicGradient => {}
    }
    progress.step(2, 2)?;
    Ok(Ok(weights))
}

/// Number of smoothing passes.
const SMOOTHING_PASSES: usize = 4;

/// Returns the distance of each vertex from the vertices `poles` along the surface, scaled to 0…1 and shaped by `curve`. The
/// weights of an image stay. Returns `Err` if `progress` is cancelled.
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

/// True if the weight counts as 0. Strokes that paint 0 may leave up to 0.01, which is not visible.
fn is_pole(weight: &f32) -> bool {
    *weight <= 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::looping::cloth::shown_cloth;
    use crate::painting::PaintLayer;
    use crate::{Command, EditCommand};
    use portamento_dynamics::cloth::ClothShape;

    #[test]
    fn operations_change_only_the_selected_weights_and_can_be_undone() {
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
    fn the_geodesic_gradient_runs_from_weights_of_0_to_the_farthest_vertex() {
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
        // A surface path is never shorter than the straight distance, and on this flag less than twice as long.
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
