//! View of the graph: fitting and scrolling to nodes.

use egui::emath::TSTransform;
use egui::{Context, LayerId, Rect, Vec2};

use crate::{focus, theme};

/// Requested view of the graph.
#[derive(Debug)]
pub(super) struct GraphView {
    /// Area of the window in which the graph is drawn.
    pub room: Rect,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// Nodes to fit, if requested.
    pub fit: Option<Fit>,
    /// First new node. New nodes have priority when fitting.
    pub newest: usize,
    /// Part of the graph to scroll to.
    part: Option<Rect>,
}

/// Nodes to fit into the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fit {
    /// As many as stay readable, most important first.
    Legible,
    /// All nodes at any scale.
    All,
}

impl Default for GraphView {
    fn default() -> Self {
        Self { room: Rect::NOTHING, pixels_per_point: 1.0, fit: None, newest: usize::MAX, part: None }
    }
}

/// Margin around a part that is scrolled into view, points. It leaves room for the focus ring.
const SCROLL_MARGIN: f32 = 8.0;
/// Margin around fitted nodes, points.
const FIT_MARGIN: f32 = 10.0;
/// Smallest readable caption size: pixels, and points on high-density screens.
const MIN_CAPTION_PIXELS: f32 = 10.5;
const MIN_CAPTION_POINTS: f32 = 7.5;
/// Smallest scale at which a graph is shown completely.
pub(super) const MIN_SCALE: f32 = 0.3;

impl GraphView {
    /// Returns the next view transform, `view` if nothing is requested. It fits `nodes`, which are ordered by importance, or
    /// scrolls to the requested part once.
    pub fn view(&mut self, view: TSTransform, nodes: &[Rect]) -> TSTransform {
        if let Some(fit) = self.fit {
            return fitted(nodes, self.room, self.min_scale(fit)).unwrap_or(view);
        }
        let part = self.part.take();
        part.map_or(view, |part| TSTransform::from_translation(scroll_offset(self.room, view * part)) * view)
    }

    /// Returns the smallest scale of a fitted graph; 1 is the size without zoom. With [`Fit::Legible`], captions stay readable.
    fn min_scale(&self, fit: Fit) -> f32 {
        match fit {
            Fit::Legible => {
                (MIN_CAPTION_PIXELS / self.pixels_per_point).max(MIN_CAPTION_POINTS) / theme::caption().size
            }
            Fit::All => MIN_SCALE,
        }
    }

    /// Scrolls to the control in `layer` that got the focus by keyboard.
    pub fn follow_keys(&mut self, ctx: &Context, layer: LayerId) {
        let came = focus::newly_focused_by_keyboard(ctx).filter(|control| control.layer_id == layer);
        self.part = came.map(|control| control.rect).or(self.part);
    }

    /// Ends fitting if the drawn node sizes have not changed in this frame.
    pub fn fit_on(&mut self, has_changed: bool) {
        if !has_changed {
            (self.fit, self.newest) = (None, usize::MAX);
        }
    }

    /// True if the view changes in the next frame.
    pub fn is_moving(&self) -> bool {
        self.fit.is_some() || self.part.is_some()
    }
}

/// Returns the transform that fits `nodes` into `room` at a scale between `min_scale` and 1. If not all fit, the first ones and
/// those around them are shown. `None` if no node has a size yet.
fn fitted(nodes: &[Rect], room: Rect, min_scale: f32) -> Option<TSTransform> {
    let known = || nodes.iter().copied().filter(|rect| rect.is_finite() && rect.is_positive());
    let all = known().reduce(Rect::union)?;
    let inner = room.shrink(FIT_MARGIN);
    let scale = (inner.size() / all.size()).min_elem().clamp(min_scale.min(1.0), 1.0);
    let has_room =
        |part: Rect| part.width() * scale <= inner.width() + 0.5 && part.height() * scale <= inner.height() + 0.5;
    let fitted_part = known().reduce(|fitted_part, node| {
        Some(fitted_part.union(node)).filter(|&part| has_room(part)).unwrap_or(fitted_part)
    })?;
    let middle = TSTransform::new(inner.center().to_vec2() - fitted_part.center().to_vec2() * scale, scale);
    Some(TSTransform::from_translation(scroll_offset(room, middle * fitted_part)) * middle)
}

/// Returns the smallest translation that brings `part` into `room` with a margin, both in screen points; zero if it is there. A
/// larger part is aligned at its left and top.
fn scroll_offset(room: Rect, part: Rect) -> Vec2 {
    let (room, limited) = (room.shrink(SCROLL_MARGIN), |low: f32, high: f32| low.min(0.0).max(high));
    Vec2::new(
        limited(room.max.x - part.max.x, room.min.x - part.min.x),
        limited(room.max.y - part.max.y, room.min.y - part.min.y),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: [f32; 2], y: [f32; 2]) -> Rect {
        Rect::from_x_y_ranges(x[0]..=x[1], y[0]..=y[1])
    }

    #[test]
    fn hidden_parts_are_scrolled_the_shortest_way_and_visible_ones_stay() {
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        assert_eq!(scroll_offset(room, rect([120.0, 300.0], [60.0, 90.0])), Vec2::ZERO);
        assert_eq!(scroll_offset(room, rect([20.0, 60.0], [60.0, 90.0])), Vec2::new(100.0 + SCROLL_MARGIN - 20.0, 0.0));
        assert_eq!(
            scroll_offset(room, rect([520.0, 600.0], [300.0, 310.0])),
            Vec2::new(-100.0 - SCROLL_MARGIN, -60.0 - SCROLL_MARGIN)
        );
        let wide = rect([0.0, 900.0], [60.0, 90.0]);
        assert_eq!(scroll_offset(room, wide).x, 100.0 + SCROLL_MARGIN);
    }

    fn legible() -> f32 {
        GraphView::default().min_scale(Fit::Legible)
    }

    #[test]
    fn captions_may_be_smaller_on_high_density_screens() {
        let min_scale_at =
            |pixels_per_point: f32| GraphView { pixels_per_point, ..GraphView::default() }.min_scale(Fit::Legible);
        let pixels = |pixels_per_point: f32| min_scale_at(pixels_per_point) * theme::caption().size * pixels_per_point;
        assert!(
            (pixels(1.0) - MIN_CAPTION_PIXELS).abs() < 1e-4
                && pixels(1.5) >= MIN_CAPTION_PIXELS
                && pixels(2.0) >= MIN_CAPTION_PIXELS
        );
        let (nodes, room) = ([rect([0.0, 250.0], [0.0, 120.0]), rect([0.0, 250.0], [140.0, 260.0])], [50.0, 250.0]);
        let seen = |pixels_per_point: f32| {
            let room = rect([0.0, 600.0], room);
            let view = fitted(&nodes, room, min_scale_at(pixels_per_point)).unwrap();
            nodes.iter().filter(|&&node| room.contains_rect(view * node)).count()
        };
        assert_eq!([1.0, 2.0].map(seen), [1, 2]);
    }

    /// Five nodes in a row.
    fn row() -> Vec<Rect> {
        (0..5).map(|column| rect([column as f32 * 290.0, column as f32 * 290.0 + 250.0], [0.0, 120.0])).collect()
    }

    #[test]
    fn fitted_nodes_are_readable_and_the_most_important_is_visible() {
        let room = rect([100.0, 500.0], [50.0, 250.0]);
        for first in 0..5 {
            let mut nodes = row();
            nodes.swap(0, first);
            let view = fitted(&nodes, room, legible()).unwrap();
            let size = theme::caption().size * view.scaling;
            assert!(room.contains_rect(view * nodes[0]) && size > MIN_CAPTION_PIXELS - 0.01, "{view:?}");
        }
        let wide = rect([100.0, 800.0], [50.0, 250.0]);
        let view = fitted(&row()[..2], wide, legible()).unwrap();
        assert!(row()[..2].iter().all(|&node| wide.contains_rect(view * node)) && view.scaling == 1.0);
        let tall = fitted(&[rect([0.0, 250.0], [0.0, 900.0])], room, legible()).unwrap();
        assert!((tall * Rect::from_min_size(egui::Pos2::ZERO, Vec2::ZERO)).min.y > room.min.y, "its top is seen");
        assert_eq!(fitted(&[], room, legible()), None);
    }

    #[test]
    fn fit_all_shows_every_node() {
        let (nodes, room) = (row(), rect([100.0, 600.0], [50.0, 250.0]));
        let view = fitted(&nodes, room, MIN_SCALE).unwrap();
        assert!(nodes.iter().all(|&node| room.contains_rect(view * node)), "{view:?}");
    }
}
