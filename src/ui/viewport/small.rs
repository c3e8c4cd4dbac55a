//! Small synchronized views of several motions, for comparison.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use egui::{Rect, Ui};
use glam::Vec3;

use super::camera::navigation;
use super::image_view::ImageView;
use super::look::Look;
use super::overlays::Overlays;
use super::projection::size;
use super::{Viewport, scene};
use crate::theme;
use portamento_anim::math::Bounds;
use portamento_render::Camera;
use portamento_session::variants::Motion;
use portamento_takes::document::{Asset, Loaded};
use portamento_takes::evaluate::{BuiltTake, FrameContent, frame_at};

/// The common camera of small views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SmallView {
    /// In metres.
    camera: Camera,
    /// True if the camera follows each figure.
    follows: bool,
}

/// Drawable data of the characters in small views.
#[derive(Default)]
pub(super) struct SmallViews {
    drawn: Vec<(Asset<Loaded>, scene::SceneCache)>,
    images: Vec<(Arc<BuiltTake>, ImageView)>,
}

/// Longest path, in heights of the figures, that is shown completely; longer ones are followed. Tuned; no derivation recorded.
const PATH_MAX_HEIGHTS: f32 = 8.0;
/// Yaw offset from the exact side view, and pitch, radians. Tuned; no derivation recorded.
const SIDE_YAW_OFFSET: f32 = 0.25;
const SIDE_PITCH: f32 = 0.18;
/// Pitch over a level, radians. Tuned; no derivation recorded.
const LEVEL_PITCH: f32 = 0.9;

impl SmallView {
    /// Returns the common camera of `motions` in views of the size of `rect`, or `None` without motions. In a level it looks from
    /// above, else from the side.
    pub fn of(motions: &[&Motion], rect: Rect) -> Option<Self> {
        let all = Bounds::around(motions.iter().flat_map(|motion| [motion.reach.low, motion.reach.high]))?;
        let in_level = motions.iter().any(|motion| motion.built.walked.is_some());
        Some(if in_level { Self::from_above(all, rect) } else { Self::from_side(all, rect) })
    }

    /// Returns a view from high above that shows all of `all` (metres), to compare paths through a level.
    fn from_above(all: Bounds, rect: Rect) -> Self {
        let mut camera = Camera { yaw: side(all), pitch: LEVEL_PITCH, ..Camera::default() };
        navigation::fit(&mut camera, all, size(rect));
        Self { camera, follows: false }
    }

    /// Returns a side view of `all` (metres). If the box is long, the camera follows the figure instead, at a distance that fits
    /// its height.
    fn from_side(all: Bounds, rect: Rect) -> Self {
        let (Vec3 { x, y: height, z }, middle) = (all.size(), all.center());
        let follows = x.max(z) > PATH_MAX_HEIGHTS * height;
        let half_height_cube = Vec3::splat(0.5 * height);
        let seen =
            if follows { Bounds { low: middle - half_height_cube, high: middle + half_height_cube } } else { all };
        let mut camera = Camera { yaw: side(all) + SIDE_YAW_OFFSET, pitch: SIDE_PITCH, ..Camera::default() };
        navigation::fit(&mut camera, seen, size(rect));
        Self { camera, follows }
    }

    /// Returns the camera for a figure at `position` (metres), in the figure's unit, which has `metres` metres.
    fn camera(&self, position: Vec3, metres: f32) -> Camera {
        let Vec3 { x, y, z } = self.camera.target;
        let target = if self.follows { Vec3::new(position.x, y, position.z) } else { Vec3::new(x, y, z) };
        Camera { target: target / metres, distance: self.camera.distance / metres, ..self.camera }
    }
}

/// Returns the yaw at which the longer horizontal side runs from left to right, radians.
fn side(all: Bounds) -> f32 {
    if all.size().x > all.size().z { 0.0 } else { -FRAC_PI_2 }
}

impl Viewport {
    /// Draws `motion` at `time` (seconds) in `rect`. After its end it stands still; a loop continues.
    pub(crate) fn small(&mut self, ui: &Ui, rect: Rect, motion: &Motion, view: &SmallView, time: f64) {
        let (built, metres) = (&motion.built, motion.built.metres_per_unit);
        let frame = frame_at(built, &motion.overlay, time);
        let position = frame.world.get(motion.middle).map_or(Vec3::ZERO, |position| Vec3::from(position.translation));
        let camera = view.camera(position * metres as f32, metres as f32);
        let overlays = Overlays { ghosts: false, trails: built.walked.is_some(), ..Overlays::default() };
        let look = Look { camera, overlays, has_handles: false, ..self.look(ui, rect, metres) };
        let cache = self.small.of(&frame.character);
        let scene = scene::build(cache, &scene::Subject::from_frame(&frame), &look);
        self.draw(ui, rect, scene, camera);
    }

    /// Draws the image take `built` at `time` (seconds) in `rect`, like [`Viewport::small`].
    pub(crate) fn small_image(&mut self, ui: &Ui, rect: Rect, built: &Arc<BuiltTake>, time: f64) {
        match frame_at(built, &Arc::default(), time).content {
            FrameContent::Image { info, pixels } => self.small.image(built).paint_small(ui, rect, &info, &pixels),
            FrameContent::Unreadable(words) => {
                let (painter, ink) = (ui.painter().with_clip_rect(rect), theme::of(ui).error);
                let words = painter.layout(words, theme::caption(), ink, rect.width() - 2.0 * theme::GAP_MEDIUM);
                painter.galley(rect.center() - 0.5 * words.size(), words, ink);
            }
            FrameContent::Posed | FrameContent::Vertices { .. } => {}
        }
    }

    /// Clears the cache of small views.
    pub(crate) fn leave_small(&mut self) {
        self.small = SmallViews::default();
    }
}

impl SmallViews {
    /// Returns the drawable data of `character`, created on first use.
    fn of(&mut self, character: &Asset<Loaded>) -> &mut scene::SceneCache {
        let known = self.drawn.iter().position(|(known, _)| known == character);
        let at = known.unwrap_or_else(|| {
            self.drawn.push((character.clone(), scene::SceneCache::default()));
            self.drawn.len() - 1
        });
        &mut self.drawn[at].1
    }

    /// Returns the image view of `built`, created on first use.
    fn image(&mut self, built: &Arc<BuiltTake>) -> &mut ImageView {
        let known = self.images.iter().position(|(known, _)| Arc::ptr_eq(known, built));
        let at = known.unwrap_or_else(|| {
            self.images.push((built.clone(), ImageView::default()));
            self.images.len() - 1
        });
        &mut self.images[at].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(far: f32) -> Bounds {
        Bounds { low: Vec3::new(-0.4, 0.0, -0.4), high: Vec3::new(0.4, 1.8, far) }
    }

    fn rect() -> Rect {
        Rect::from_min_size(egui::Pos2::ZERO, egui::Vec2::new(187.0, 96.0))
    }

    #[test]
    fn all_motions_are_completely_visible_and_longer_ones_end_farther_along() {
        let view = SmallView::from_side(reach(7.0), rect());
        let camera = view.camera(Vec3::ZERO, 1.0);
        let seen = |far: f32| camera.project(Vec3::new(0.0, 0.9, far), size(rect())).unwrap().x;
        let ends = [0.0, 3.0, 7.0].map(seen);
        assert!(ends[2] - ends[0] > 1.8 * (ends[1] - ends[0]) && ends[1] > ends[0], "{ends:?}");
        for corner in reach(7.0).corners() {
            let at = camera.project(corner, size(rect())).unwrap();
            assert!(at.cmpge(glam::Vec2::ZERO).all() && at.cmple(size(rect())).all(), "{at}");
        }
        // A file whose unit is a centimetre gives the same camera.
        let centimetres = view.camera(Vec3::ZERO, 0.01);
        let same = centimetres.project(Vec3::new(0.0, 90.0, 700.0), size(rect())).unwrap();
        assert!((same.x - ends[2]).abs() < 1e-2, "{same} {ends:?}");
    }

    #[test]
    fn a_long_path_is_followed_and_the_figure_stays_centred() {
        let camera = SmallView::from_side(reach(60.0), rect()).camera(Vec3::new(0.0, 0.9, 50.0), 1.0);
        let height = |y: f32| camera.project(Vec3::new(0.0, y, 50.0), size(rect())).unwrap();
        let (feet, head) = (height(0.0), height(1.8));
        assert!((head.x - 93.5).abs() < 4.0 && feet.y - head.y > 40.0, "{feet} {head}");
        assert_eq!(SmallView::of(&[], rect()), None);
    }
}
