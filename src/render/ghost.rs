//! A ghost: its flat silhouette, and a rim around it.

use glam::{Mat4, Vec3};
use three_d::core::{Blend, BlendEquationType, BlendMultiplierType, Cull, DepthTest, Program, RenderStates, WriteMask};
use three_d::{Vec2, Vec4};

use super::pass::{Pass, over};
use super::scene::Actor;
use portamento_anim::math::srgb::srgb_of;

/// Width of the rim, pixels.
const RIM: f32 = 1.5;
/// How much more than the silhouette its rim covers.
const RIM_COVER: f32 = 2.6;

/// Over what is there, and over nothing: what is drawn into an empty picture covers as much when that is laid over another.
const OVER: Blend = covering(BlendMultiplierType::SrcAlpha);

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

/// The silhouette's depth comes first and its colour after, so that it does not shine through itself.
pub(super) fn silhouette() -> [RenderStates; 2] {
    let depth_test = DepthTest::LessOrEqual;
    let depth = RenderStates { write_mask: WriteMask::DEPTH, depth_test, blend: Blend::Disabled, cull: Cull::None };
    [depth, RenderStates { blend: OVER, ..over(depth_test) }]
}

/// All of a rim lies equally far: what is drawn first keeps the rest of it out.
pub(super) fn rim() -> RenderStates {
    RenderStates { write_mask: WriteMask::COLOR_AND_DEPTH, blend: OVER, ..over(DepthTest::Less) }
}

/// A whole ghost that was drawn before, rim and all; its colours are premultiplied.
pub(super) fn laid() -> RenderStates {
    let blend = covering(BlendMultiplierType::One);
    RenderStates { write_mask: WriteMask::COLOR_AND_DEPTH, blend, ..over(DepthTest::LessOrEqual) }
}

/// Tells `program` the colour of the silhouette.
pub(super) fn tell_silhouette(program: &Program, tint: [f32; 4]) {
    program.use_uniform("tint", encoded(tint));
}

/// Tells `program` the colour of the rim around `actor`, whose shape is `size` across at rest, and where it lies.
pub(super) fn tell_rim(program: &Program, pass: &Pass, actor: &Actor, size: f32, tint: [f32; 4]) {
    let [red, green, blue, cover] = tint;
    program.use_uniform("tint", encoded([red, green, blue, (cover * RIM_COVER).min(1.0)]));
    // Clip space is two wide and two high.
    program.use_uniform("pixel", Vec2::new(2.0 / pass.size.x, 2.0 / pass.size.y));
    program.use_uniform("rim", RIM);
    let eye = Vec3::new(pass.eye.x, pass.eye.y, pass.eye.z);
    let joints: Vec<Vec3> = actor.world.iter().map(|joint| joint.translation.into()).collect();
    let places: &[Vec3] = actor.cloud.as_ref().map_or(&joints, |cloud| &cloud.positions);
    program.use_uniform("depth", depth_behind(pass.clip_from_world, eye, places, 0.5 * size));
}

/// The depth, 0 … 1, that lies `margin` (the scene's unit) behind the farthest of `places` as seen from `eye`, so that nothing of a
/// hull there is seen but what stands out around the figure.
fn depth_behind(clip_from_world: Mat4, eye: Vec3, places: &[Vec3], margin: f32) -> f32 {
    let depth = |at: Vec3| {
        let behind = at + (at - eye).normalize_or_zero() * margin;
        let clip = clip_from_world * behind.extend(1.0);
        if clip.w > 0.0 { 0.5 + 0.5 * clip.z / clip.w } else { 0.0 }
    };
    // What lies beyond the last depth is not drawn.
    places.iter().copied().map(depth).fold(0.0, f32::max).min(1.0 - 1e-6)
}

/// As the target holds it.
fn encoded([red, green, blue, cover]: [f32; 4]) -> Vec4 {
    let [red, green, blue] = [red, green, blue].map(|light| srgb_of(light.clamp(0.0, 1.0)));
    Vec4::new(red, green, blue, cover)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Camera;

    #[test]
    fn depth_comes_before_colour_and_a_rim_keeps_itself_out() {
        let [depth, color] = silhouette().map(|states| states.write_mask);
        assert!(depth.depth && !depth.red && !color.depth && color.red);
        assert!(rim().write_mask.depth && rim().write_mask.red && rim().depth_test == DepthTest::Less);
    }

    #[test]
    fn a_rim_lies_behind_every_joint_and_is_drawn_however_far_that_is() {
        let camera = Camera::default();
        let clip_from_world = camera.clip_from_world(glam::Vec2::new(200.0, 100.0));
        let depth = |places: &[Vec3], margin| depth_behind(clip_from_world, camera.eye(), places, margin);
        let (near, far) = (Vec3::ZERO, Vec3::new(0.1, 1.7, -0.4));
        let both = depth(&[near, far], 0.9);
        assert!(both > depth(&[near], 0.0) && both > depth(&[far], 0.0) && both < 1.0, "{both}");
        assert_eq!(depth(&[near, far], 1e9), 1.0 - 1e-6);
    }
}
