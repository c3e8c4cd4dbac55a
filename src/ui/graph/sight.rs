//! What of the graph is in sight.

use egui::emath::TSTransform;
use egui::{Context, LayerId, Rect, Vec2};

use crate::ui::{focus, theme};

/// What is brought into sight, and where.
#[derive(Debug)]
pub(super) struct Sight {
    /// The part of the window the graph is drawn in.
    pub room: Rect,
    /// How fine letters are drawn.
    pub pixels_per_point: f32,
    /// Which nodes are.
    pub fit: Option<Fit>,
    /// The first of the nodes that are new, which come before all others.
    pub newest: usize,
    /// A part of the graph that is.
    part: Option<Rect>,
}

/// Which nodes are brought into sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fit {
    /// As many as can be read, those first that matter most.
    Legible,
    /// All, however small they are.
    All,
}

impl Default for Sight {
    fn default() -> Self {
        Self { room: Rect::NOTHING, pixels_per_point: 1.0, fit: None, newest: usize::MAX, part: None }
    }
}

/// Points between what is brought into sight and the edge: the ring of the focus is around it.
const APART: f32 = 8.0;
/// Points between what is fitted and the edge.
const EDGE: f32 = 10.0;
/// How small captions are read: pixels, and points where these are fine.
const SMALLEST: f32 = 10.5;
const SMALLEST_FINE: f32 = 7.5;
/// How small a graph is that is seen whole.
pub(super) const LEAST_SCALE: f32 = 0.3;

impl Sight {
    /// Where the graph is seen next that is seen at `view`; its nodes with those first that matter most.
    pub fn view(&mut self, view: TSTransform, nodes: &[Rect]) -> TSTransform {
        if let Some(fit) = self.fit {
            return fitted(nodes, self.room, self.least_scale(fit)).unwrap_or(view);
        }
        let part = self.part.take();
        part.map_or(view, |part| TSTransform::from_translation(way_into(self.room, view * part)) * view)
    }

    fn least_scale(&self, fit: Fit) -> f32 {
        match fit {
            Fit::Legible => (SMALLEST / self.pixels_per_point).max(SMALLEST_FINE) / theme::caption().size,
            Fit::All => LEAST_SCALE,
        }
    }

    /// Asks for the control in `layer` that keys bring the focus to.
    pub fn follow_keys(&mut self, ctx: &Context, layer: LayerId) {
        let came = focus::brought_by_keys(ctx).filter(|control| control.layer_id == layer);
        self.part = came.map(|control| control.rect).or(self.part);
    }

    /// Nodes are fitted again only as long as they are drawn in another size than they had.
    pub fn fit_on(&mut self, has_changed: bool) {
        if !has_changed {
            (self.fit, self.newest) = (None, usize::MAX);
        }
    }

    /// Whether it is another in the next frame.
    pub fn is_moving(&self) -> bool {
        self.fit.is_some() || self.part.is_some()
    }
}

/// The view that shows `nodes` in `room`, no larger than they are and no smaller than `least`; where not all fit, the first of them and
/// what stands around it.
fn fitted(nodes: &[Rect], room: Rect, least: f32) -> Option<TSTransform> {
    let known = || nodes.iter().copied().filter(|rect| rect.is_finite() && rect.is_positive());
    let all = known().reduce(Rect::union)?;
    let inner = room.shrink(EDGE);
    let scale = (inner.size() / all.size()).min_elem().clamp(least.min(1.0), 1.0);
    let has_room =
        |part: Rect| part.width() * scale <= inner.width() + 0.5 && part.height() * scale <= inner.height() + 0.5;
    let seen = known().reduce(|seen, node| Some(seen.union(node)).filter(|&part| has_room(part)).unwrap_or(seen))?;
    let middle = TSTransform::new(inner.center().to_vec2() - seen.center().to_vec2() * scale, scale);
    Some(TSTransform::from_translation(way_into(room, middle * seen)) * middle)
}

/// The smallest way that brings `part` into `room`; of what is larger, its left and its top.
fn way_into(room: Rect, part: Rect) -> Vec2 {
    let (room, way) = (room.shrink(APART), |low: f32, high: f32| low.min(0.0).max(high));
    Vec2::new(
        way(room.max.x - part.max.x, room.min.x - part.min.x),
        way(room.max.y - part.max.y, room.min.y - part.min.y),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: [f32; 2], y: [f32; 2]) -> Rect {
        Rect::from_x_y_ranges(x[0]..=x[1], y[0]..=y[1])
    }

    #[test]
    fn what_is_out_of_sight_comes_the_smallest_way_and_what_is_seen_stays() {
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        assert_eq!(way_into(room, rect([120.0, 300.0], [60.0, 90.0])), Vec2::ZERO);
        assert_eq!(way_into(room, rect([20.0, 60.0], [60.0, 90.0])), Vec2::new(100.0 + APART - 20.0, 0.0));
        assert_eq!(way_into(room, rect([520.0, 600.0], [300.0, 310.0])), Vec2::new(-100.0 - APART, -60.0 - APART));
        let wide = rect([0.0, 900.0], [60.0, 90.0]);
        assert_eq!(way_into(room, wide).x, 100.0 + APART);
    }

    fn legible() -> f32 {
        Sight::default().least_scale(Fit::Legible)
    }

    #[test]
    fn letters_drawn_finer_may_be_smaller() {
        let least = |pixels_per_point: f32| Sight { pixels_per_point, ..Sight::default() }.least_scale(Fit::Legible);
        let pixels = |pixels_per_point: f32| least(pixels_per_point) * theme::caption().size * pixels_per_point;
        assert!((pixels(1.0) - SMALLEST).abs() < 1e-4 && pixels(1.5) >= SMALLEST && pixels(2.0) >= SMALLEST);
        let (nodes, room) = ([rect([0.0, 250.0], [0.0, 120.0]), rect([0.0, 250.0], [140.0, 260.0])], [50.0, 250.0]);
        let seen = |pixels_per_point: f32| {
            let room = rect([0.0, 600.0], room);
            let view = fitted(&nodes, room, least(pixels_per_point)).unwrap();
            nodes.iter().filter(|&&node| room.contains_rect(view * node)).count()
        };
        assert_eq!([1.0, 2.0].map(seen), [1, 2]);
    }

    /// Five nodes side by side.
    fn row() -> Vec<Rect> {
        (0..5).map(|column| rect([column as f32 * 290.0, column as f32 * 290.0 + 250.0], [0.0, 120.0])).collect()
    }

    #[test]
    fn what_is_fitted_can_be_read_and_shows_what_matters_most() {
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        for first in 0..5 {
            let mut nodes = row();
            nodes.swap(0, first);
            let view = fitted(&nodes, room, legible()).unwrap();
            let size = theme::caption().size * view.scaling;
            assert!(room.contains_rect(view * nodes[0]) && size > SMALLEST - 0.01, "{view:?}");
        }
        let wide = rect([100.0, 800.0], [50.0, 250.0]);
        let view = fitted(&row()[..2], wide, legible()).unwrap();
        assert!(row()[..2].iter().all(|&node| wide.contains_rect(view * node)) && view.scaling == 1.0);
        let tall = fitted(&[rect([0.0, 250.0], [0.0, 900.0])], room, legible()).unwrap();
        assert!((tall * Rect::from_min_size(egui::Pos2::ZERO, Vec2::ZERO)).min.y > room.min.y, "its top is seen");
        assert_eq!(fitted(&[], room, legible()), None);
    }

    #[test]
    fn all_are_seen_however_small() {
        let (nodes, room) = (row(), rect([100.0, 600.0], [50.0, 250.0]));
        let view = fitted(&nodes, room, LEAST_SCALE).unwrap();
        assert!(nodes.iter().all(|&node| room.contains_rect(view * node)), "{view:?}");
    }
}
