//! What of the graph is in sight.

use egui::emath::TSTransform;
use egui::{Context, LayerId, Rect, Vec2};

use crate::ui::focus;

/// What is brought into sight, and where.
#[derive(Debug)]
pub(super) struct Sight {
    /// The part of the window the graph is drawn in.
    pub room: Rect,
    /// Whether everything is.
    pub fit: bool,
    /// A part of the graph that is.
    part: Option<Rect>,
}

impl Default for Sight {
    fn default() -> Self {
        Self { room: Rect::NOTHING, fit: false, part: None }
    }
}

/// Points between what is brought into sight and the edge: the ring of the focus is around it.
const APART: f32 = 8.0;
/// Points between what is fitted and the edge.
const EDGE: f32 = 24.0;

impl Sight {
    /// Where the graph is seen next that is seen at `view`, with these `nodes`.
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

    /// Whether it is another in the next frame.
    pub fn is_moving(&self) -> bool {
        self.fit || self.part.is_some()
    }
}

/// The view that shows all `nodes` in `room`, no larger than they are.
fn fitted(nodes: &[Rect], room: Rect) -> Option<TSTransform> {
    let known = nodes.iter().copied().filter(|rect| rect.is_finite() && rect.is_positive());
    let all = known.reduce(Rect::union)?;
    let inner = room.shrink(EDGE);
    let scale = (inner.size() / all.size()).min_elem().clamp(0.3, 1.0);
    Some(TSTransform::new(inner.center().to_vec2() - all.center().to_vec2() * scale, scale))
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

    #[test]
    fn a_fitted_graph_is_seen_whole_and_no_larger_than_it_is() {
        let node = |x: f32| rect([x, x + 250.0], [0.0, 120.0]);
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        for count in [1, 3] {
            let nodes: Vec<Rect> = (0..count).map(|column| node(column as f32 * 290.0)).collect();
            let view = fitted(&nodes, room).unwrap();
            assert!(view.scaling <= 1.0 && nodes.iter().all(|&node| room.contains_rect(view * node)), "{view:?}");
        }
        assert_eq!(fitted(&[], room), None);
    }
}
