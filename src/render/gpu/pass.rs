//! Per-picture values that most draw calls need.

use glam::Mat4;
use three_d::core::*;
use three_d::{Vec3, Vec4, Viewport};

use crate::Camera;
use crate::scene::Scene;

/// The camera, lights and size of one picture.
pub(crate) struct Pass<'a> {
    pub clip_from_world: Mat4,
    /// World position of the eye.
    pub eye: Vec3,
    /// Unit vector in world space towards the key light.
    pub key: Vec3,
    /// Unit vector in world space towards the fill light.
    pub fill: Vec3,
    pub viewport: Viewport,
    /// Centre of the ground grid in world space; its height is ignored.
    pub floor_middle: Vec3,
    /// Half the side length of the ground grid, scene units.
    pub floor_reach: f32,
    pub scene: &'a Scene,
    /// Width and height of the picture, pixels.
    pub size: glam::Vec2,
}

impl<'a> Pass<'a> {
    /// Creates the values for a picture of `width` × `height` pixels. The lights turn with the camera about the vertical axis.
    pub fn new(scene: &'a Scene, camera: &Camera, width: u32, height: u32) -> Self {
        let size = glam::Vec2::new(width as f32, height as f32);
        let gpu = |v: glam::Vec3| Vec3::new(v.x, v.y, v.z);
        // Lights follow the camera's heading only, so looking down does not move them.
        let heading = glam::Quat::from_rotation_y(camera.yaw);
        Self {
            clip_from_world: camera.clip_from_world(size),
            eye: gpu(camera.eye()),
            key: gpu(heading * glam::Vec3::new(-0.5, 0.75, 0.6).normalize()),
            fill: gpu(heading * glam::Vec3::new(0.8, 0.15, 0.3).normalize()),
            viewport: Viewport::new_at_origo(width, height),
            floor_middle: gpu(camera.target),
            floor_reach: (camera.distance * 6.0).max(8.0 * scene.units_per_metre),
            scene,
            size,
        }
    }

    /// Sets the uniforms of the lights and the eye, which `program` must use.
    pub(crate) fn light_uniforms(&self, program: &Program) {
        program.use_uniform("key", self.key);
        program.use_uniform("fill", self.fill);
        program.use_uniform("eye", self.eye);
    }

    /// Returns centre (x, y, z) and radius (w) of the sphere around [`Scene::keep_visible`]; zeros without one.
    pub fn visible_region(&self) -> Vec4 {
        self.scene.keep_visible.map_or(Vec4::new(0.0, 0.0, 0.0, 0.0), |bounds| {
            let middle = bounds.center();
            Vec4::new(middle.x, middle.y, middle.z, 0.5 * bounds.size().length())
        })
    }

    /// Sets the uniform of the camera matrix.
    pub(crate) fn camera_uniforms(&self, program: &Program) {
        let columns: [[f32; 4]; 4] = self.clip_from_world.to_cols_array_2d();
        program.use_uniform("clip_from_world", three_d::Mat4::from(columns));
    }
}

/// Returns the states of alpha blending without depth writes.
pub(crate) fn over(depth_test: DepthTest) -> RenderStates {
    RenderStates { write_mask: WriteMask::COLOR, depth_test, blend: Blend::TRANSPARENCY, cull: Cull::None }
}
