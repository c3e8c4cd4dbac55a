//! Ghosts that stand as in the picture before, seen from the same place, are laid over the next ones as they were drawn once.
//!
//! A ghost is drawn three times over, and while a take plays it stands still. Its colours and depths are kept, so that what is
//! before or behind it is told as if it were drawn anew.

use std::sync::{Arc, Weak};

use glam::{Affine3A, Mat4, Vec3};
use three_d::Vec2;
use three_d::core::*;

use super::figures::Figures;
use super::pass::Pass;
use super::scene::Actor;
use super::{DrawnModel, ghost, shaders};

/// What all kept ghosts may take, bytes: some 25 in a view of 1280 × 800, none in a very large one.
const MOST: usize = 64 << 20;
/// Bytes per pixel of a kept ghost: colour and depth.
const PER_PIXEL: usize = 8;

/// What ghosts are drawn into once: as a picture of all.
pub(super) type Samples = RenderTargetMultisample<[u8; 4], f32>;

/// The ghosts of the last picture.
pub(super) struct StillGhosts {
    laid: Program,
    seen: Vec<Seen>,
}

struct Seen {
    look: Look,
    kept: Option<Kept>,
}

/// All that decides what a ghost looks like.
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

/// A ghost as it was drawn.
struct Kept {
    /// Premultiplied.
    color: Texture2D,
    depth: DepthTexture2D,
    /// Two triangles around what is drawn, clip space.
    corners: VertexBuffer<Vec2>,
}

impl StillGhosts {
    /// Errors with the driver's words.
    pub fn new(context: &Context) -> Result<Self, String> {
        let laid = Program::from_source(context, shaders::SCREEN_VERTEX, shaders::LAID_GHOST_FRAGMENT);
        Ok(Self { laid: laid.map_err(|error| error.to_string())?, seen: Vec::new() })
    }

    /// Draws into `samples`, and keeps, what is seen as in the picture before; call it before the picture is begun there.
    pub fn keep(&mut self, context: &Context, pass: &Pass, figures: &mut Figures, samples: &Samples) {
        let mut before = std::mem::take(&mut self.seen);
        let most = MOST / (PER_PIXEL * (pass.size.x * pass.size.y).max(1.0) as usize);
        for place in Figures::ghosts(pass.scene) {
            let look = Look::new(&pass.scene.actors[place], pass.clip_from_world, pass.size);
            let known = before.iter().position(|seen| seen.look == look).map(|at| before.swap_remove(at));
            let has_room = self.seen.iter().filter(|seen| seen.kept.is_some()).count() < most;
            self.seen.push(match known {
                Some(Seen { kept: None, .. }) if has_room => {
                    samples.clear(ClearState::color_and_depth(0.0, 0.0, 0.0, 0.0, 1.0));
                    drop(samples.write::<CoreError>(|| {
                        figures.draw_ghost(pass, place);
                        Ok(())
                    }));
                    Seen { look, kept: Some(Kept::new(context, samples)) }
                }
                Some(seen) => seen,
                None => Seen { look, kept: None },
            });
        }
    }

    /// Draws all ghosts of the picture that [`StillGhosts::keep`] was called for.
    pub fn draw(&self, pass: &Pass, figures: &mut Figures) {
        for (seen, place) in self.seen.iter().zip(Figures::ghosts(pass.scene)) {
            match &seen.kept {
                Some(kept) => kept.lay(&self.laid, pass),
                None => figures.draw_ghost(pass, place),
            }
        }
    }
}

impl Look {
    /// `actor` in a picture of that `size` in pixels.
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

impl Kept {
    fn new(context: &Context, samples: &Samples) -> Self {
        let (nearest, edge) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        let (width, height) = (samples.width(), samples.height());
        let color = Texture2D::new_empty::<[u8; 4]>(context, width, height, nearest, nearest, None, edge, edge);
        let depth = DepthTexture2D::new::<f32>(context, width, height, edge, edge);
        samples.resolve_to(&RenderTarget::new(color.as_color_target(None), depth.as_depth_target()));
        let corners = corners_around(&color.as_color_target(None).read::<[u8; 4]>(), width as usize);
        Self { color, depth, corners: VertexBuffer::new_with_data(context, &corners) }
    }

    fn lay(&self, program: &Program, pass: &Pass) {
        program.use_texture("color", &self.color);
        program.use_depth_texture("depth", &self.depth);
        program.use_vertex_attribute("corner", &self.corners);
        program.draw_arrays(ghost::laid(), pass.viewport, 6);
    }
}

/// Two triangles around all of a picture of that `width` that is not empty, clip space; its rows go from the top.
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
            gives_way: false,
        }
    }

    #[test]
    fn a_ghost_is_as_it_was_only_while_all_that_is_seen_of_it_is() {
        let look = |actor: &Actor, turned: f32| Look::new(actor, Mat4::from_rotation_y(turned), glam::Vec2::ONE);
        let first = actor();
        let before = look(&first, 0.0);
        assert_eq!(before, look(&first.clone(), 0.0));
        let moved = Actor { world: vec![Affine3A::from_translation(Vec3::X)], ..first.clone() };
        let other = Actor { shape: Arc::new(DrawnModel(Model::default())), ..first.clone() };
        let fainter = Actor { ghost: Some([0.5; 4]), ..first.clone() };
        let bare = Actor { hidden: vec![0], ..first.clone() };
        assert!([moved, other, fainter, bare].iter().all(|changed| look(changed, 0.0) != before));
        assert_ne!(look(&first, 0.1), before);
    }

    #[test]
    fn the_rectangle_holds_all_that_is_drawn_and_no_more() {
        let mut pixels = vec![[0; 4]; 8 * 4];
        let empty = corners_around(&pixels, 8);
        assert!(empty.iter().all(|corner| *corner == empty[0]), "nothing is drawn of nothing");
        (pixels[8 + 2], pixels[2 * 8 + 5]) = ([0, 0, 0, 1], [9, 9, 9, 255]);
        let corners = corners_around(&pixels, 8);
        // Columns 2 to 5 of 8, rows 1 and 2 of 4.
        assert_eq!((corners[0], corners[5]), (Vec2::new(-0.5, -0.5), Vec2::new(0.5, 0.5)));
    }
}
