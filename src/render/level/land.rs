//! Flat-shaded triangles over a level, such as its voxels, uploaded once.

use std::sync::{Arc, Weak};

use glam::Vec3;
use three_d::core::{Context, Cull, DepthTest, Program, RenderStates, VertexBuffer};
use three_d::{Vec3 as Gpu3, Vec4 as Gpu4};

/// A static triangle overlay. The renderer keeps its buffers as long as an `Arc` to it exists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelOverlay {
    /// Three corners per triangle, metres, counter-clockwise seen from outside.
    pub corners: Vec<Vec3>,
    /// Linear RGBA, one per triangle.
    pub colors: Vec<[f32; 4]>,
}

/// The GPU buffers of one overlay.
pub(crate) struct GpuLand {
    land: Weak<LevelOverlay>,
    positions: VertexBuffer<Gpu3>,
    colors: VertexBuffer<Gpu4>,
}

impl LevelOverlay {
    /// Adds a flat quad as two triangles. Corners are in metres, counter-clockwise seen from outside; `color` is linear RGBA.
    pub fn add_quad(&mut self, [a, b, c, d]: [Vec3; 4], color: [f32; 4]) {
        self.corners.extend([a, b, c, a, c, d]);
        self.colors.extend([color; 2]);
    }
}

impl GpuLand {
    /// Uploads `land`: positions in metres, and its colour for each corner.
    fn new(context: &Context, land: &Arc<LevelOverlay>) -> Self {
        let positions: Vec<Gpu3> = land.corners.iter().map(|at| Gpu3::new(at.x, at.y, at.z)).collect();
        let colors: Vec<Gpu4> = land.colors.iter().flat_map(|&color| [Gpu4::from(color); 3]).collect();
        Self {
            land: Arc::downgrade(land),
            positions: VertexBuffer::new_with_data(context, &positions),
            colors: VertexBuffer::new_with_data(context, &colors),
        }
    }

    /// True if no `Arc` to the overlay exists any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.land.strong_count() == 0
    }

    /// Draws with `program`, whose camera and lights are set; nothing without triangles. Back faces are culled so that the camera
    /// sees into rooms.
    pub fn draw(&self, program: &Program, viewport: three_d::Viewport) {
        let count = self.positions.vertex_count();
        if count == 0 {
            return;
        }
        program.use_vertex_attribute("position", &self.positions);
        program.use_vertex_attribute("color", &self.colors);
        let states = RenderStates { cull: Cull::Back, depth_test: DepthTest::LessOrEqual, ..RenderStates::default() };
        program.draw_arrays(states, viewport, count);
    }
}

/// Returns the buffers of `land` among `known`. Uploads and adds them on first use.
pub(crate) fn buffers<'a>(known: &'a mut Vec<GpuLand>, context: &Context, land: &Arc<LevelOverlay>) -> &'a GpuLand {
    let at = known.iter().position(|each| std::ptr::eq(each.land.as_ptr(), Arc::as_ptr(land)));
    let at = at.unwrap_or_else(|| {
        known.push(GpuLand::new(context, land));
        known.len() - 1
    });
    &known[at]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_is_two_triangles_with_the_same_facing() {
        let mut land = LevelOverlay::default();
        land.add_quad([Vec3::ZERO, Vec3::Z, Vec3::X + Vec3::Z, Vec3::X], [1.0; 4]);
        assert_eq!(land.colors.len() * 3, land.corners.len());
        for corner in land.corners.chunks(3) {
            assert!((corner[1] - corner[0]).cross(corner[2] - corner[0]).y > 0.0);
        }
    }
}
