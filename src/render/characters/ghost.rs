//! Render states and uniforms of a ghost: a flat silhouette with a rim.

use glam::{Mat4, Vec3};
use three_d::core::{Blend, BlendEquationType, BlendMultiplierType, Cull, DepthTest, Program, RenderStates, WriteMask};
use three_d::{Vec2, Vec4};

use crate::gpu::pass::{Pass, over};
use crate::scene::Actor;
use portamento_anim::math::srgb::srgb_of;

/// Width of the rim in pixels. Tuned; no derivation recorded.
const RIM_PIXELS: f32 = 1.5;
/// Ratio between the opacity of the rim and that of the silhouette. Tuned; no derivation recorded.
const RIM_OPACITY_RATIO: f32 = 2.6;

/// "Over" blending with a correct alpha result, so that a ghost drawn into an empty picture can be composited later.
const ALPHA_OVER: Blend = covering(BlendMultiplierType::SrcAlpha);

/// Returns "over" blending with the given factor for the source colour. The alpha result is always correct "over".
const fn covering(source_rgb_multiplier: BlendMultiplierType) -> Blend {
    Blend::Enabled {
        source_rgb_multiplier,
        source_alpha_multiplier: BlendMultiplierType::One,
        destination_rgb_multiplier: BlendMultiplierType::OneMinusSrcAlpha,
        destination_alpha_multiplier: BlendMultiplierType::OneMinusSrcAlpha,
        rgb_equation: BlendEquationType::Add,
        alpha_equation: BlendEquationType::Add,
    }
}

/// Returns the states of the two passes of a ghost: depth first, then colour, so that the silhouette does not show through
/// itself.
pub(super) fn silhouette() -> [RenderStates; 2] {
    let depth_test = DepthTest::LessOrEqual;
    let depth = RenderStates { write_mask: WriteMask::DEPTH, depth_test, blend: Blend::Disabled, cull: Cull::None };
    [depth, RenderStates { blend: ALPHA_OVER, ..over(depth_test) }]
}

/// Returns the states of the rim. All its fragments have the same depth, so `Less` draws each pixel once.
pub(super) fn rim() -> RenderStates {
    RenderStates { write_mask: WriteMask::COLOR_AND_DEPTH, blend: ALPHA_OVER, ..over(DepthTest::Less) }
}

/// Returns the states for compositing a cached ghost picture with premultiplied colours.
pub(super) fn composite() -> RenderStates {
    let blend = covering(BlendMultiplierType::One);
    RenderStates { write_mask: WriteMask::COLOR_AND_DEPTH, blend, ..over(DepthTest::LessOrEqual) }
}

/// Sets the silhouette's colour, linear RGBA.
pub(super) fn set_silhouette_uniforms(program: &Program, tint: [f32; 4]) {
    program.use_uniform("tint", encoded(tint));
}

/// Sets the rim's colour, width and depth for `actor`. `size` is the diagonal of the shape's rest bounds, scene units. `tint` is
/// linear RGBA of the silhouette.
pub(super) fn set_rim_uniforms(program: &Program, pass: &Pass, actor: &Actor, size: f32, tint: [f32; 4]) {
    let [red, green, blue, cover] = tint;
    program.use_uniform("tint", encoded([red, green, blue, (cover * RIM_OPACITY_RATIO).min(1.0)]));
    // Clip space is two units wide and two high.
    program.use_uniform("pixel", Vec2::new(2.0 / pass.size.x, 2.0 / pass.size.y));
    program.use_uniform("rim", RIM_PIXELS);
    let eye = Vec3::new(pass.eye.x, pass.eye.y, pass.eye.z);
    let joints: Vec<Vec3> = actor.world.iter().map(|joint| joint.translation.into()).collect();
    let positions: &[Vec3] = actor.cloud.as_ref().map_or(&joints, |cloud| &cloud.positions);
    program.use_uniform("depth", depth_behind(pass.clip_from_world, eye, positions, 0.5 * size));
}

/// Returns the depth, 0 … 1, of the point `margin` scene units behind the farthest of `positions` seen from `eye`. A hull at
/// that depth is visible only outside the figure.
fn depth_behind(clip_from_world: Mat4, eye: Vec3, positions: &[Vec3], margin: f32) -> f32 {
    let depth = |at: Vec3| {
        let behind = at + (at - eye).normalize_or_zero() * margin;
        let clip = clip_from_world * behind.extend(1.0);
        if clip.w > 0.0 { 0.5 + 0.5 * clip.z / clip.w } else { 0.0 }
    };
    // Depths of 1 are clipped.
    positions.iter().copied().map(depth).fold(0.0, f32::max).min(1.0 - 1e-6)
}

/// Converts linear RGBA to sRGB, as the target stores it. Alpha is unchanged.
fn encoded([red, green, blue, cover]: [f32; 4]) -> Vec4 {
    let [red, green, blue] = [red, green, blue].map(|light| srgb_of(light.clamp(0.0, 1.0)));
    Vec4::new(red, green, blue, cover)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Camera;

    #[test]
    fn the_depth_pass_precedes_colour_and_a_rim_draws_each_pixel_once() {
        let [depth, color] = silhouette().map(|states| states.write_mask);
        assert!(depth.depth && !depth.red && !color.depth && color.red);
        assert!(rim().write_mask.depth && rim().write_mask.red && rim().depth_test == DepthTest::Less);
    }

    #[test]
    fn a_rim_is_behind_every_joint_and_is_never_clipped() {
        let camera = Camera::default();
        let clip_from_world = camera.clip_from_world(glam::Vec2::new(200.0, 100.0));
        let depth = |positions: &[Vec3], margin| depth_behind(clip_from_world, camera.eye(), positions, margin);
        let (near, far) = (Vec3::ZERO, Vec3::new(0.1, 1.7, -0.4));
        let both = depth(&[near, far], 0.9);
        assert!(both > depth(&[near], 0.0) && both > depth(&[far], 0.0) && both < 1.0, "{both}");
        assert_eq!(depth(&[near, far], 1e9), 1.0 - 1e-6);
    }
}
