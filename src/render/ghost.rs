//! A ghost's layers: its flat silhouette, and a rim around it.

use three_d::core::{Blend, Cull, DepthTest, Program, RenderStates, WriteMask};
use three_d::{Vec2, Vec4};

use super::pass::over;

/// Width of the rim, pixels.
const RIM: f32 = 1.5;
/// How much more than the silhouette its rim covers.
const RIM_COVER: f32 = 2.6;

/// A ghost's surface, or the hull that its rim is seen of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    /// sRGB-encoded by the shader: linear RGBA.
    tint: [f32; 4],
    /// How far outside the surface on screen, pixels.
    rim: f32,
    /// How far behind it, in the scene's unit.
    behind: f32,
}

/// What is drawn one after the other of a ghost in a figure of `size`, the scene's unit. Of surface and rim depth comes first and
/// colour after, so that neither shines through itself; the rim lies behind the whole figure, so that no edge within is seen.
pub(super) fn layers(tint: [f32; 4], size: f32) -> [(Layer, RenderStates); 4] {
    let [red, green, blue, cover] = tint;
    let surface = Layer { tint, rim: 0.0, behind: 0.0 };
    let rim = Layer { tint: [red, green, blue, (cover * RIM_COVER).min(1.0)], rim: RIM, behind: size };
    let (depth, color) = (depth_alone(), over(DepthTest::LessOrEqual));
    [(surface, depth), (surface, color), (rim, depth), (rim, color)]
}

impl Layer {
    /// Tells `program` where the layer lies in a picture of `size` pixels.
    pub fn set_uniforms(self, program: &Program, size: glam::Vec2) {
        program.use_uniform("tint", Vec4::from(self.tint));
        // Clip space is two wide and two high.
        program.use_uniform("pixel", Vec2::new(2.0 / size.x, 2.0 / size.y));
        program.use_uniform("rim", self.rim);
        program.use_uniform("behind", self.behind);
    }
}

fn depth_alone() -> RenderStates {
    let (write_mask, depth_test) = (WriteMask::DEPTH, DepthTest::LessOrEqual);
    RenderStates { write_mask, depth_test, blend: Blend::Disabled, cull: Cull::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_comes_before_colour_and_the_rim_lies_behind_the_figure() {
        let drawn = layers([0.2, 0.4, 0.6, 0.25], 1.8);
        let of = |index: usize| drawn[index].1.write_mask;
        assert_eq!([0, 1, 2, 3].map(|index| of(index).depth), [true, false, true, false]);
        assert_eq!([0, 1, 2, 3].map(|index| of(index).red), [false, true, false, true]);
        assert!(drawn[..2].iter().all(|(layer, _)| (layer.rim, layer.behind) == (0.0, 0.0)));
        assert!(drawn[2..].iter().all(|(layer, _)| layer.behind == 1.8 && layer.tint[3] > 0.6 && layer.tint[3] <= 1.0));
    }
}
