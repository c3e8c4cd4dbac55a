//! A cache of ghosts that did not change since the last picture.
//!
//! Drawing a ghost takes three passes, and most ghosts stand still during playback. The cache stores colour and depth, so
//! occlusion stays correct when the ghost is composited.

use std::sync::{Arc, Weak};

use glam::{Affine3A, Mat4, Vec3};
use three_d::Vec2;
use three_d::core::*;

use super::figures::Figures;
use super::ghost;
use crate::DrawnModel;
use crate::gpu::pass::Pass;
use crate::gpu::shaders;
use crate::scene::Actor;

/// Largest total size of cached ghosts in bytes: about 25 ghosts at 1280 × 800, none in a very large view.
const CACHE_MAX_BYTES: usize = 64 << 20;
/// Bytes per pixel of a cached ghost: colour and depth.
const BYTES_PER_PIXEL: usize = 8;

/// The multisampled target shared by all ghosts.
pub(crate) type Samples = RenderTargetMultisample<[u8; 4], f32>;

/// The ghosts of the last picture, with their cached images.
pub(crate) struct StillGhosts {
    composite_program: Program,
    seen: Vec<Seen>,
}

/// A ghost of the last picture. `cached` is `None` if it was not repeated or the cache is full.
struct Seen {
    look: Look,
    cached: Option<CachedImage>,
}

/// Everything that determines a ghost's appearance.
#[derive(Clone, Debug)]
struct Look {
    shape: Weak<DrawnModel>,
    world: Vec<Affine3A>,
    morphs: Vec<f32>,
    cloud: Option<Arc<[Vec3]>>,
    hidden: Vec<usize>,
    tint: Option<[f32; 4]>,
    clip_from_world: Mat4,
    size: glam::Vec2,
}

/// A cached image of a ghost.
struct CachedImage {
    /// Premultiplied colour.
    color: Texture2D,
    depth: DepthTexture2D,
    /// Two triangles around the drawn pixels, in clip space.
    corners: VertexBuffer<Vec2>,
}

impl StillGhosts {
    /// Compiles the compositing program. Returns the driver's message on failure.
    pub fn new(context: &Context) -> Result<Self, String> {
        let composite_program = Program::from_source(context, shaders::SCREEN_VERTEX, shaders::CACHED_GHOST_FRAGMENT);
        Ok(Self { composite_program: composite_program.map_err(|error| error.to_string())?, seen: Vec::new() })
    }

    /// Finds the ghosts that look as in the last picture and caches their images on first repetition. Waits for the GPU when it
    /// caches.
    ///
    /// Overwrites `samples`, so call it before the picture is drawn there.
    pub fn update(&mut self, context: &Context, pass: &Pass, figures: &mut Figures, samples: &Samples) {
        let mut before = std::mem::take(&mut self.seen);
        let max_cached = CACHE_MAX_BYTES / (BYTES_PER_PIXEL * (pass.size.x * pass.size.y).max(1.0) as usize);
        for index in Figures::ghosts(pass.scene) {
            let look = Look::new(&pass.scene.actors[index], pass.clip_from_world, pass.size);
            let known = before.iter().position(|seen| seen.look == look).map(|at| before.swap_remove(at));
            let has_room = self.seen.iter().filter(|seen| seen.cached.is_some()).count() < max_cached;
            self.seen.push(match known {
                Some(Seen { cached: None, .. }) if has_room => {
                    samples.clear(ClearState::color_and_depth(0.0, 0.0, 0.0, 0.0, 1.0));
                    drop(samples.write::<CoreError>(|| {
                        figures.draw_ghost(pass, index);
                        Ok(())
                    }));
                    Seen { look, cached: Some(CachedImage::new(context, samples)) }
                }
                Some(seen) => seen,
                None => Seen { look, cached: None },
            });
        }
    }

    /// Draws all ghosts of the picture that [`StillGhosts::update`] was called for, from the cache where possible.
    pub fn draw(&self, pass: &Pass, figures: &mut Figures) {
        for (seen, index) in self.seen.iter().zip(Figures::ghosts(pass.scene)) {
            match &seen.cached {
                Some(cached) => cached.composite(&self.composite_program, pass),
                None => figures.draw_ghost(pass, index),
            }
        }
    }
}

impl Look {
    /// Returns the appearance of `actor` in a picture of `size` pixels.
    fn new(actor: &Actor, clip_from_world: Mat4, size: glam::Vec2) -> Self {
        Self {
            shape: Arc::downgrade(&actor.shape),
            world: actor.world.clone(),
            morphs: actor.morphs.clone(),
            cloud: actor.cloud.as_ref().map(|cloud| cloud.positions.clone()),
            hidden: actor.hidden.clone(),
            tint: actor.ghost,
            clip_from_world,
            size,
        }
    }
}

impl PartialEq for Look {
    fn eq(&self, other: &Self) -> bool {
        let clouds = match (&self.cloud, &other.cloud) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        clouds
            && self.shape.ptr_eq(&other.shape)
            && (self.clip_from_world, self.size, self.tint) == (other.clip_from_world, other.size, other.tint)
            && self.world == other.world
            && self.morphs == other.morphs
            && self.hidden == other.hidden
    }
}

impl CachedImage {
    /// Copies colour and depth of `samples`, and finds the rectangle that is drawn on. Waits for the GPU.
    fn new(context: &Context, samples: &Samples) -> Self {
        let (nearest, edge) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let (width, height) = (samples.width(), samples.height());
        let color = Texture2D::new_empty::<[u8; 4]>(context, width, height, nearest, nearest, None, edge, edge);
        let depth = DepthTexture2D::new::<f32>(context, width, height, edge, edge);
        samples.resolve_to(&RenderTarget::new(color.as_color_target(None), depth.as_depth_target()));
        let corners = corners_around(&color.as_color_target(None).read::<[u8; 4]>(), width as usize);
        Self { color, depth, corners: VertexBuffer::new_with_data(context, &corners) }
    }

    /// Draws the cached image into the current picture.
    fn composite(&self, program: &Program, pass: &Pass) {
        program.use_texture("color", &self.color);
        program.use_depth_texture("depth", &self.depth);
        program.use_vertex_attribute("corner", &self.corners);
        program.draw_arrays(ghost::composite(), pass.viewport, 6);
    }
}

/// Returns two triangles around all non-empty pixels of a picture `width` pixels wide, in clip space. Rows start at the top.
/// All corners are equal if nothing is drawn.
fn corners_around(pixels: &[[u8; 4]], width: usize) -> [Vec2; 6] {
    let height = pixels.len() / width.max(1);
    let (mut low, mut high) = ([width, height], [0, 0]);
    for (row, pixels) in pixels.chunks_exact(width.max(1)).enumerate() {
        let is_drawn = |pixel: &[u8; 4]| pixel[3] != 0;
        if let (Some(first), Some(last)) = (pixels.iter().position(is_drawn), pixels.iter().rposition(is_drawn)) {
            (low[0], high[0]) = (low[0].min(first), high[0].max(last + 1));
            (low[1], high[1]) = (low[1].min(row), row + 1);
        }
    }
    let at = |x: usize, y: usize| {
        let [x, y] = [(x, width), (y, height)].map(|(at, size)| 2.0 * at as f32 / size.max(1) as f32 - 1.0);
        Vec2::new(x, -y)
    };
    let [left, top, right, bottom] = [low[0], low[1], high[0], high[1]];
    match right > left {
        true => [(left, bottom), (right, bottom), (left, top), (left, top), (right, bottom), (right, top)],
        false => [(0, 0); 6],
    }
    .map(|(x, y)| at(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Model;

    fn actor() -> Actor {
        Actor {
            shape: Arc::new(DrawnModel(Model::default())),
            world: vec![Affine3A::IDENTITY],
            morphs: Vec::new(),
            cloud: None,
            hidden: Vec::new(),
            ghost: Some([1.0; 4]),
            has_shadow: false,
            fades_in_front: false,
        }
    }

    #[test]
    fn a_cached_ghost_is_valid_only_while_its_appearance_is_unchanged() {
        let look = |actor: &Actor, turned: f32| Look::new(actor, Mat4::from_rotation_y(turned), glam::Vec2::ONE);
        let first = actor();
        let before = look(&first, 0.0);
        assert_eq!(before, look(&first.clone(), 0.0));
        let moved = Actor { world: vec![Affine3A::from_translation(Vec3::X)], ..first.clone() };
        let other = Actor { shape: Arc::new(DrawnModel(Model::default())), ..first.clone() };
        let fainter = Actor { ghost: Some([0.5; 4]), ..first.clone() };
        let without_mesh = Actor { hidden: vec![0], ..first.clone() };
        assert!([moved, other, fainter, without_mesh].iter().all(|changed| look(changed, 0.0) != before));
        assert_ne!(look(&first, 0.1), before);
    }

    #[test]
    fn the_rectangle_is_the_tight_bounds_of_the_drawn_pixels() {
        let mut pixels = vec![[0; 4]; 8 * 4];
        let empty = corners_around(&pixels, 8);
        assert!(empty.iter().all(|corner| *corner == empty[0]), "nothing is drawn of nothing");
        (pixels[8 + 2], pixels[2 * 8 + 5]) = ([0, 0, 0, 1], [9, 9, 9, 255]);
        let corners = corners_around(&pixels, 8);
        // Columns 2 to 5 of 8, rows 1 and 2 of 4.
        assert_eq!((corners[0], corners[5]), (Vec2::new(-0.5, -0.5), Vec2::new(0.5, 0.5)));
    }
}
