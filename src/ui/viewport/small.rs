//! Small views of motions that go at one time and are seen alike, so that they can be compared at a glance.

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

/// How small views look at all motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SmallView {
    /// In metres.
    camera: Camera,
    /// Whether it goes along with each figure.
    follows: bool,
}

/// What small views keep from one picture to the next: what is drawn of each character.
#[derive(Default)]
pub(super) struct SmallViews {
    drawn: Vec<(Asset<Loaded>, scene::SceneCache)>,
    images: Vec<(Arc<BuiltTake>, ImageView)>,
}

/// Times that a way may be longer than the figures are high to be seen whole.
const LONG: f32 = 8.0;
/// Turn from the exact side, and how steeply the ground is looked down on, radians.
const TURNED: f32 = 0.25;
const ABOVE: f32 = 0.18;
/// How steeply a level is looked down on, radians.
const MAP: f32 = 0.9;

impl SmallView {
    /// How `motions` are seen in views of the size of `rect`; `None` without any.
    pub fn of(motions: &[&Motion], rect: Rect) -> Option<Self> {
        let all = Bounds::around(motions.iter().flat_map(|motion| [motion.reach.low, motion.reach.high]))?;
        let in_level = motions.iter().any(|motion| motion.built.walked.is_some());
        Some(if in_level { Self::from_above(all, rect) } else { Self::from_side(all, rect) })
    }

    /// All of `all`, metres, from high above, as ways through a level are told apart.
    fn from_above(all: Bounds, rect: Rect) -> Self {
        let mut camera = Camera { yaw: side(all), pitch: MAP, ..Camera::default() };
        navigation::fit(&mut camera, all, size(rect));
        Self { camera, follows: false }
    }

    /// All of `all`, metres, from its side; where that is long, what moves there is followed.
    fn from_side(all: Bounds, rect: Rect) -> Self {
        let (Vec3 { x, y: height, z }, middle) = (all.size(), all.center());
        let follows = x.max(z) > LONG * height;
        let around = Vec3::splat(0.5 * height);
        let seen = if follows { Bounds { low: middle - around, high: middle + around } } else { all };
        let mut camera = Camera { yaw: side(all) + TURNED, pitch: ABOVE, ..Camera::default() };
        navigation::fit(&mut camera, seen, size(rect));
        Self { camera, follows }
    }

    /// The camera for a figure that is at `place`, metres, in its own unit.
    fn camera(&self, place: Vec3, metres: f32) -> Camera {
        let Vec3 { x, y, z } = self.camera.target;
        let target = if self.follows { Vec3::new(place.x, y, place.z) } else { Vec3::new(x, y, z) };
        Camera { target: target / metres, distance: self.camera.distance / metres, ..self.camera }
    }
}

/// The turn of a camera for which the longer way along the ground leads to the right.
fn side(all: Bounds) -> f32 {
    if all.size().x > all.size().z { 0.0 } else { -FRAC_PI_2 }
}

impl Viewport {
    /// Puts `motion` at `time` (seconds) into `rect` of the window, as `view` sees it; once it is over it stands still, a loop goes on.
    pub(crate) fn small(&mut self, ui: &Ui, rect: Rect, motion: &Motion, view: &SmallView, time: f64) {
        let (built, metres) = (&motion.built, motion.built.metres_per_unit);
        let frame = frame_at(built, &motion.overlay, time);
        let place = frame.world.get(motion.middle).map_or(Vec3::ZERO, |place| Vec3::from(place.translation));
        let camera = view.camera(place * metres as f32, metres as f32);
        let overlays = Overlays { ghosts: false, trails: built.walked.is_some(), ..Overlays::default() };
        let look = Look { camera, overlays, has_handles: false, ..self.look(ui, rect, metres) };
        let cache = self.small.of(&frame.character);
        let scene = scene::build(cache, &scene::Subject::from_frame(&frame), &look);
        self.draw(ui, rect, scene, camera);
    }

    /// Puts the picture of `built` at `time` (seconds) into `rect` of the window, as [`Viewport::small`] does with motions.
    pub(crate) fn small_image(&mut self, ui: &Ui, rect: Rect, built: &Arc<BuiltTake>, time: f64) {
        match frame_at(built, &Arc::default(), time).content {
            FrameContent::Image { info, pixels } => self.small.image(built).paint_small(ui, rect, &info, &pixels),
            FrameContent::Unreadable(words) => {
                let (painter, ink) = (ui.painter().with_clip_rect(rect), theme::of(ui).error);
                let words = painter.layout(words, theme::caption(), ink, rect.width() - 2.0 * theme::MEDIUM);
                painter.galley(rect.center() - 0.5 * words.size(), words, ink);
            }
            FrameContent::Posed | FrameContent::Vertices { .. } => {}
        }
    }

    /// Forgets what small views have drawn.
    pub(crate) fn leave_small(&mut self) {
        self.small = SmallViews::default();
    }
}

impl SmallViews {
    fn of(&mut self, character: &Asset<Loaded>) -> &mut scene::SceneCache {
        let known = self.drawn.iter().position(|(known, _)| known == character);
        let at = known.unwrap_or_else(|| {
            self.drawn.push((character.clone(), scene::SceneCache::default()));
            self.drawn.len() - 1
        });
        &mut self.drawn[at].1
    }

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
    fn all_motions_are_seen_whole_and_farther_ones_end_farther_on_in_their_views() {
        let view = SmallView::from_side(reach(7.0), rect());
        let camera = view.camera(Vec3::ZERO, 1.0);
        let seen = |far: f32| camera.project(Vec3::new(0.0, 0.9, far), size(rect())).unwrap().x;
        let ends = [0.0, 3.0, 7.0].map(seen);
        assert!(ends[2] - ends[0] > 1.8 * (ends[1] - ends[0]) && ends[1] > ends[0], "{ends:?}");
        for corner in reach(7.0).corners() {
            let at = camera.project(corner, size(rect())).unwrap();
            assert!(at.cmpge(glam::Vec2::ZERO).all() && at.cmple(size(rect())).all(), "{at}");
        }
        // The same in a file of centimetres.
        let centimetres = view.camera(Vec3::ZERO, 0.01);
        let same = centimetres.project(Vec3::new(0.0, 90.0, 700.0), size(rect())).unwrap();
        assert!((same.x - ends[2]).abs() < 1e-2, "{same} {ends:?}");
    }

    #[test]
    fn who_goes_far_is_followed_and_stays_in_the_middle() {
        let camera = SmallView::from_side(reach(60.0), rect()).camera(Vec3::new(0.0, 0.9, 50.0), 1.0);
        let height = |y: f32| camera.project(Vec3::new(0.0, y, 50.0), size(rect())).unwrap();
        let (feet, head) = (height(0.0), height(1.8));
        assert!((head.x - 93.5).abs() < 4.0 && feet.y - head.y > 40.0, "{feet} {head}");
        assert_eq!(SmallView::of(&[], rect()), None);
    }
}
