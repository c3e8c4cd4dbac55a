//! Fades that run outwards over a surface from where they begin.

use super::Session;
use super::surface::Surface;
use crate::geometry::geodesic;
use crate::math::easing::Easing;

impl Session {
    /// Whether 0 is painted anywhere on a mesh, for [`super::painting::Wash::Outwards`] to begin at.
    pub fn has_pole(&self) -> bool {
        let painted = self.painted().filter(|_| matches!(self.surface(), Some(Surface::Mesh(_))));
        painted.is_some_and(|paint| paint.values().iter().any(is_pole))
    }

    /// Paints 0 at the vertex `pole` … 1 at what is furthest from it over the surface, shaped by the brush's falloff; nothing
    /// on images.
    pub fn spread(&mut self, pole: usize) {
        self.run_from(&[pole], self.selection.painting.brush.falloff);
    }

    /// Paints 0 where 0 is painted … 1 at what is furthest from there; nothing where none is.
    pub(super) fn run_outwards(&mut self) {
        let Some(paint) = self.painted() else { return };
        let poles: Vec<usize> = (0..).zip(paint.values()).filter(|(_, it)| is_pole(it)).map(|(unit, _)| unit).collect();
        self.run_from(&poles, Easing::Linear);
    }

    fn run_from(&mut self, poles: &[usize], curve: Easing) {
        let Some(surface) = self.surface().filter(|_| !poles.is_empty()) else { return };
        let Surface::Mesh(mesh) = &surface else { return };
        let distances = geodesic::distances(mesh.frame(0), &surface.adjacency(), poles, f32::INFINITY);
        let shaped = |part: f32| curve.at(f64::from(part)) as f32;
        self.paint(geodesic::gradient(&distances).into_iter().map(shaped).collect());
    }
}

/// A hundredth is what strokes come to that paint 0 and that the eye cannot tell from it.
fn is_pole(weight: &f32) -> bool {
    *weight <= 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::painting::Wash;
    use crate::session::{Command, EditCommand};
    use crate::systems::cloth::ClothShape;

    #[test]
    fn outwards_runs_from_what_is_painted_0_to_what_is_furthest_over_the_surface() {
        let mut session = Session::inline();
        session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
        session.update(0.0, true);
        let surface = session.surface().unwrap();
        let (points, units) = (surface.points().into_owned(), surface.units());
        assert!(!session.has_pole());
        session.wash(Wash::Outwards);
        assert_eq!(session.weights(units).unwrap(), vec![0.5; units]);
        let pole = 0;
        let mut weights = vec![0.5; units];
        weights[pole] = 0.0;
        session.paint(weights);
        assert!(session.has_pole());
        session.update(0.0, true);
        session.wash(Wash::Outwards);
        session.update(0.0, true);
        let weights = session.weights(units).unwrap();
        assert!(weights[pole] == 0.0 && weights.contains(&1.0));
        let furthest = weights.iter().position(|&it| it == 1.0).unwrap();
        let reach = points[furthest].distance(points[pole]);
        // No way is shorter than the straight one, and a flag is not so folded that it were twice as long.
        for (point, weight) in points.iter().zip(&weights) {
            assert!((0.0..=1.0).contains(weight) && *weight >= point.distance(points[pole]) / (2.0 * reach));
        }
        session.selection.painting.brush.falloff = Easing::Linear;
        session.spread(pole);
        assert_eq!(session.weights(units).unwrap(), weights);
        session.selection.painting.brush.falloff = Easing::Smoothstep;
        session.spread(pole);
        session.update(0.0, true);
        assert_ne!(session.weights(units).unwrap(), weights);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.weights(units).unwrap(), weights);
    }
}
