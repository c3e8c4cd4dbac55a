//! What of the graph is in sight.

use egui::emath::TSTransform;
use egui::{Context, LayerId, Rect, Vec2};

use crate::ui::{focus, theme};

/// What is brought into sight, and where.
#[derive(Debug)]
pub(super) struct Sight {
    /// The part of the window the graph is drawn in.
    pub room: Rect,
    /// Whether everything is.
    pub fit: bool,
    /// The first of the nodes that are new, which come before all others.
    pub newest: usize,
    /// A part of the graph that is.
    part: Option<Rect>,
}

impl Default for Sight {
    fn default() -> Self {
        Self { room: Rect::NOTHING, fit: false, newest: usize::MAX, part: None }
    }
}

/// Points between what is brought into sight and the edge: the ring of the focus is around it.
const APART: f32 = 8.0;
/// Points between what is fitted and the edge.
const EDGE: f32 = 24.0;
/// How small captions are read, points.
const SMALLEST: f32 = 9.0;

impl Sight {
    /// Where the graph is seen next that is seen at `view`; its nodes with those first that matter most.
    pub fn view(&mut self, view: TSTransform, nodes: &[Rect]) -> TSTransform {
        if self.fit {
            return fitted(nodes, self.room).unwrap_or(view);
        }
        let part = self.part.take();
        part.map_or(view, |part| TSTransform::from_translation(way_into(self.room, view * part)) * view)
    }

    /// Asks for the control in `layer` that keys bring the focus to.
    pub fn follow_keys(&mut self, ctx: &Context, layer: LayerId) {
        let came = focus::brought_by_keys(ctx).filter(|control| control.layer_id == layer);
        self.part = came.map(|control| control.rect).or(self.part);
    }

    /// Whether all is still to be fitted, as nodes are drawn in another size than they had.
    pub fn fit_on(&mut self, has_changed: bool) {
        self.fit &= has_changed;
        if !self.fit {
            self.newest = usize::MAX;
        }
    }

    /// Whether it is another in the next frame.
    pub fn is_moving(&self) -> bool {
        self.fit || self.part.is_some()
    }
}

/// The view that shows `nodes` in `room`; where all would be too small to read, the first of them that it has room for.
fn fitted(nodes: &[Rect], room: Rect) -> Option<TSTransform> {
    let known = || nodes.iter().copied().filter(|rect| rect.is_finite() && rect.is_positive());
    let all = known().reduce(Rect::union)?;
    let inner = room.shrink(EDGE);
    let scale = (inner.size() / all.size()).min_elem().clamp(SMALLEST / theme::caption().size, 1.0);
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
    use egui::Pos2;

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

    #[test]
    fn a_fitted_graph_can_be_read_and_shows_what_matters_most() {
        let node = |x: f32| rect([x, x + 250.0], [0.0, 120.0]);
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        let sizes = |view: TSTransform| theme::caption().size * view.scaling;
        for first in [0.0, 290.0, 1160.0] {
            let mut nodes: Vec<Rect> = (0..5).map(|column| node(column as f32 * 290.0)).collect();
            nodes.sort_by_key(|node| node.min.x != first);
            let view = fitted(&nodes, room).unwrap();
            assert!(room.contains_rect(view * nodes[0]) && sizes(view) > 8.999, "{view:?}");
        }
        let two = [node(0.0), node(290.0)];
        let wide = rect([100.0, 800.0], [50.0, 250.0]);
        let view = fitted(&two, wide).unwrap();
        assert!(two.iter().all(|&node| wide.contains_rect(view * node)) && view.scaling == 1.0);
        let tall = fitted(&[rect([0.0, 250.0], [0.0, 900.0])], room).unwrap();
        assert!((tall * Rect::from_min_size(Pos2::ZERO, Vec2::ZERO)).min.y > room.min.y, "its top is seen");
    }
}
